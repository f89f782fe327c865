//! Where QR codes stand in a picture: by the patterns that mark three of their corners. A row through one is
//! dark, light, dark, light, dark in the proportion 1:1:3:1:1.
//!
//! Codes of mail are drawn, not photographed: they stand upright, or are turned by a right angle. A search for
//! tilted ones is not bounded in any crate; this one looks at each pixel once, and at threes of a few corners.

/// Corners of a picture at most.
pub const MOST: usize = 48;

/// Threes of corners that are tried.
const TRIED: usize = 64;

/// Places that may become corners at a time.
const SEEN: usize = 1_024;

/// Rows that a corner has at least, for its three modules of middle.
const ROWS: usize = 3;

/// The middle of a corner, and the width of its seven modules, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    x: f64,
    y: f64,
    width: f64,
}

/// Where a code may stand: the corner between the two others, and the way to the one that begins its first
/// row, and to the one that begins its last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    first: Corner,
    along: (f64, f64),
    down: (f64, f64),
}

/// A place that looks like a corner, row by row.
struct Rows {
    /// Sums of the middles and widths of its rows.
    middles: usize,
    widths: usize,
    first: usize,
    last: usize,
    rows: usize,
}

impl Rows {
    fn is_near(&self, middle: usize, width: usize, y: usize) -> bool {
        let here = self.middles / self.rows.max(1);
        here.abs_diff(middle) <= width / 4 && y - self.last <= (width / 7).max(1)
    }

    fn corner(&self) -> Option<Corner> {
        let mean = |sum: usize| sum as f64 / self.rows as f64;
        let (height, width) = ((self.last + 1 - self.first) as f64, mean(self.widths));
        // Three modules of seven.
        let square = (height * 7.0 / 3.0 - width).abs() <= width / 2.0;
        let middle = (self.first + self.last) as f64 / 2.0;
        (self.rows >= ROWS && square).then(|| Corner { x: mean(self.middles), y: middle, width })
    }
}

/// The corners of a picture of so wide rows; `None` where there are too many.
pub fn find(dark: &[bool], width: usize) -> Option<Vec<Corner>> {
    let mut open: Vec<Rows> = Vec::new();
    let mut found = Vec::new();
    for (y, row) in dark.chunks(width.max(1)).enumerate() {
        for (middle, width) in like_corners(row) {
            match open.iter_mut().find(|rows| rows.is_near(middle, width, y)) {
                Some(rows) => {
                    rows.middles += middle;
                    rows.widths += width;
                    rows.rows += 1;
                    rows.last = y;
                }
                None => {
                    open.push(Rows { middles: middle, widths: width, first: y, last: y, rows: 1 });
                }
            }
        }
        // What no row can join any more is a corner, or none.
        open.retain(|rows| {
            let ends = y - rows.last > (rows.widths / rows.rows.max(1) / 7).max(1);
            if ends {
                found.extend(rows.corner());
            }
            !ends
        });
        if open.len() > SEEN || found.len() > MOST {
            return None;
        }
    }
    found.extend(open.iter().filter_map(Rows::corner));
    (found.len() <= MOST).then_some(found)
}

/// Where codes may stand between the corners.
pub fn places(corners: &[Corner]) -> Vec<Place> {
    let mut places = Vec::new();
    for first in corners {
        let near = |one: f64, other: f64| (one - other).abs() <= first.width / 3.0;
        let alike = |other: &&Corner| near(first.width, other.width) && *other != first;
        let row = corners.iter().filter(alike).filter(|other| near(first.y, other.y));
        for beside in row {
            let column = corners.iter().filter(alike).filter(|other| near(first.x, other.x));
            for below in column {
                let one = (beside.x - first.x, beside.y - first.y);
                let other = (below.x - first.x, below.y - first.y);
                if places.len() >= TRIED || !near(one.0.abs(), other.1.abs()) {
                    continue;
                }
                // Seen from the middle corner the first row runs to the right of the first column.
                let right = one.0 * other.1 - one.1 * other.0 > 0.0;
                let (along, down) = if right { (one, other) } else { (other, one) };
                places.push(Place { first: *first, along, down });
            }
        }
    }
    places
}

impl Place {
    /// The sides, in modules, that the code may have: of all there are the nearest.
    pub fn sides(&self) -> impl Iterator<Item = usize> {
        let long = self.along.0.abs().max(self.along.1.abs());
        // The version, from the modules between the middles of two corners.
        let version = ((long * 7.0 / self.first.width - 10.0) / 4.0).round();
        let version = version.clamp(1.0, 40.0) as usize;
        (version.saturating_sub(1).max(1)..=(version + 1).min(40)).map(|version| 17 + 4 * version)
    }

    /// The pixel in the middle of a module, of a code of so many on a side; negative outside the picture.
    pub fn pixel(&self, side: usize, column: usize, row: usize) -> (f64, f64) {
        let between = (side - 7) as f64;
        let (column, row) = ((column as f64 - 3.0) / between, (row as f64 - 3.0) / between);
        let at = |from: f64, along: f64, down: f64| from + along * column + down * row;
        (at(self.first.x, self.along.0, self.down.0), at(self.first.y, self.along.1, self.down.1))
    }
}

/// The stretches of a row that look like that of a corner: their middles and widths.
fn like_corners(row: &[bool]) -> impl Iterator<Item = (usize, usize)> {
    let mut runs = [0_usize; 5];
    let mut colour = None;
    let ends = row.iter().copied().map(Some).chain([None]).enumerate();
    ends.filter_map(move |(x, pixel)| {
        let [first, second, third, fourth, fifth] = runs;
        if pixel == colour {
            runs = [first, second, third, fourth, fifth + 1];
            return None;
        }
        // A dark stretch ends here.
        let found = (colour == Some(true) && is_like(runs)).then(|| {
            let behind = x - fourth - fifth;
            (behind - third.div_ceil(2), first + second + third + fourth + fifth)
        });
        runs = [second, third, fourth, fifth, 1];
        colour = pixel;
        found
    })
}

/// Whether five stretches are as 1:1:3:1:1, each but for three quarters of a module.
fn is_like(runs: [usize; 5]) -> bool {
    let [first, second, middle, fourth, fifth] = runs;
    let sum: usize = runs.iter().sum();
    // In sevenths of a module, so that small ones are measured as well.
    let near = |run: usize, modules: usize| (run * 7).abs_diff(modules * sum) * 4 <= 3 * sum;
    let sides = [first, second, fourth, fifth];
    first > 0 && sides.into_iter().all(|run| near(run, 1)) && near(middle, 3)
}
