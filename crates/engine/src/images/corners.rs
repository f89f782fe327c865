//! Locates QR codes in a picture by the patterns that mark three of their corners. A row through one is dark, light,
//! dark, light, dark in the proportion 1:1:3:1:1.
//!
//! Codes in mail are drawn, not photographed: they lie in the plane, upright or rotated by any angle. A row through
//! the middle of a corner has that proportion at every angle. No crate bounds the search for rotated codes; this one
//! reads each pixel once, and tries threes of a few corners.

/// Maximum number of corners of a picture.
pub const CORNERS: usize = 48;

/// Maximum number of threes of corners that are tried.
const TRIED: usize = 64;

/// Maximum number of possible corners that are followed at a time.
const CANDIDATES: usize = 1_024;

/// Minimum number of rows of a corner, for the three modules of its middle.
const ROWS: usize = 3;

/// Limits of the height of its rows, in modules: at 45 degrees few rows are complete.
const TILTED: f64 = 0.4;
const UPRIGHT: f64 = 4.5;

/// How far two sides of a code may deviate from a right angle and from the same length, as a part of their length.
const SKEWED: f64 = 0.15;

/// The middle of a corner, and the width of its seven modules, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    x: f64,
    y: f64,
    width: f64,
}

/// Where a code may be: the corner between the two others, the vector to the one at the end of its first row, and that
/// to the one at the start of its last row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    first: Corner,
    along: (f64, f64),
    down: (f64, f64),
}

/// The rows of a possible corner.
struct Rows {
    /// Sums of twice the middles, and of the widths, of its rows.
    middles: usize,
    widths: usize,
    first: usize,
    last: usize,
    rows: usize,
}

impl Rows {
    fn is_near(&self, middle: usize, width: usize, y: usize) -> bool {
        let here = self.middles / self.rows.max(1);
        here.abs_diff(middle) <= width / 2 && y - self.last <= (width / 7).max(1)
    }

    fn corner(&self) -> Option<Corner> {
        let mean = |sum: usize| sum as f64 / self.rows as f64;
        let (height, width) = ((self.last + 1 - self.first) as f64, mean(self.widths));
        // Three modules of seven if it is upright; fewer if it is rotated.
        let modules = height * 7.0 / width;
        let square = (TILTED..=UPRIGHT).contains(&modules);
        let middle = (self.first + self.last + 1) as f64 / 2.0;
        (self.rows >= ROWS && square).then(|| Corner {
            x: mean(self.middles) / 2.0,
            y: middle,
            width,
        })
    }
}

/// The corners of a picture with rows of this width. `None` if there are too many.
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
        // A candidate that no further row can extend is complete.
        open.retain(|rows| {
            let ends = y - rows.last > (rows.widths / rows.rows.max(1) / 7).max(1);
            if ends {
                found.extend(rows.corner());
            }
            !ends
        });
        if open.len() > CANDIDATES || found.len() > CANDIDATES {
            return None;
        }
    }
    found.extend(open.iter().filter_map(Rows::corner));
    let found: Vec<Corner> =
        found.iter().filter_map(|corner| corner.by_column(dark, width)).collect();
    (found.len() <= CORNERS).then_some(found)
}

impl Corner {
    /// The corner with its middle corrected by the column through it. `None` if the column does not look like a
    /// corner: five runs of data modules do so in one direction, seldom in both.
    fn by_column(&self, dark: &[bool], width: usize) -> Option<Corner> {
        let (x, middle) = (self.x as usize, self.y as usize);
        let most = self.width as usize;
        // How many pixels from here, up or down, have this colour, and where they end.
        let run = |from: Option<usize>, down: bool, colour: bool| {
            let mut at = from;
            let mut length = 0;
            while let Some(y) = at.filter(|_| length <= most)
                && dark.get(y * width + x) == Some(&colour)
            {
                length += 1;
                at = if down { y.checked_add(1) } else { y.checked_sub(1) };
            }
            (length, at)
        };
        let side = |down: bool, from: Option<usize>| {
            let (dark, at) = run(from, down, true);
            let (light, at) = run(at, down, false);
            (dark, light, run(at, down, true).0)
        };
        let (down, light_below, dark_below) = side(true, Some(middle));
        let (up, light_above, dark_above) = side(false, middle.checked_sub(1));
        let runs = [dark_above, light_above, up + down, light_below, dark_below];
        let height: usize = runs.iter().sum();
        let square = (height as f64 - self.width).abs() <= self.width / 3.0;
        (square && is_like(runs)).then(|| {
            let y = (middle + down) as f64 - (up + down) as f64 / 2.0;
            Corner { y, ..*self }
        })
    }
}

/// Where codes may be between the corners, the most square-like first.
pub fn places(corners: &[Corner]) -> Vec<Place> {
    let mut places = Vec::new();
    for first in corners {
        let alike = |other: &&Corner| {
            (first.width - other.width).abs() <= first.width / 3.0 && *other != first
        };
        for beside in corners.iter().filter(alike) {
            let along = (beside.x - first.x, beside.y - first.y);
            for below in corners.iter().filter(alike) {
                let down = (below.x - first.x, below.y - first.y);
                let place = Place { first: *first, along, down };
                places.extend(place.skew().map(|skew| (skew, place)));
            }
        }
    }
    places.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    places.into_iter().take(TRIED).map(|(_, place)| place).collect()
}

impl Place {
    /// How far its sides are from those of a square. `None` if that is too far. Seen from the middle corner the first
    /// row runs to the right of the first column.
    fn skew(&self) -> Option<f64> {
        let ((ax, ay), (dx, dy)) = (self.along, self.down);
        let (along, down) = (ax.hypot(ay), dx.hypot(dy));
        let longer = along.max(down);
        let angle = (ax * dx + ay * dy).abs() / (longer * longer);
        let skew = angle.max((along - down).abs() / longer);
        let right = ax * dy - ay * dx > 0.0;
        (right && skew <= SKEWED).then_some(skew)
    }

    /// The possible sides of the code in modules: the nearest of all versions.
    pub fn sides(&self) -> impl Iterator<Item = usize> {
        let (x, y) = self.along;
        let long = x.hypot(y);
        // A row through a rotated corner is longer than its side.
        let upright = x.abs().max(y.abs()) / long;
        // The version, by the modules between the middles of two corners.
        let version = ((long * 7.0 / (self.first.width * upright) - 10.0) / 4.0).round();
        let version = version.clamp(1.0, 40.0) as usize;
        (version.saturating_sub(1).max(1)..=(version + 1).min(40)).map(|version| 17 + 4 * version)
    }

    /// The pixel in the middle of a module of a code with `side` modules on a side; negative outside the picture.
    pub fn pixel(&self, side: usize, column: usize, row: usize) -> (f64, f64) {
        let between = (side - 7) as f64;
        let (column, row) = ((column as f64 - 3.0) / between, (row as f64 - 3.0) / between);
        let at = |from: f64, along: f64, down: f64| from + along * column + down * row;
        (at(self.first.x, self.along.0, self.down.0), at(self.first.y, self.along.1, self.down.1))
    }
}

/// The runs of a row that look like a corner: twice their middles, and their widths.
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
        // A dark run ends here.
        let found = (colour == Some(true) && is_like(runs)).then(|| {
            let behind = x - fourth - fifth;
            (2 * behind - third, first + second + third + fourth + fifth)
        });
        runs = [second, third, fourth, fifth, 1];
        colour = pixel;
        found
    })
}

/// Whether five runs are in the proportion 1:1:3:1:1, each within three quarters of a module.
fn is_like(runs: [usize; 5]) -> bool {
    let [first, second, middle, fourth, fifth] = runs;
    let sum: usize = runs.iter().sum();
    // In sevenths of a module, so that small ones are measured as well.
    let near = |run: usize, modules: usize| (run * 7).abs_diff(modules * sum) * 4 <= 3 * sum;
    let sides = [first, second, fourth, fifth];
    first > 0 && sides.into_iter().all(|run| near(run, 1)) && near(middle, 3)
}
