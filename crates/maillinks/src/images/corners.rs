//! Locates QR codes in a picture by the patterns that mark three of their corners. A row through one is dark, light,
//! dark, light, dark in the proportion 1:1:3:1:1.
//!
//! Codes in mail are drawn, not photographed: they lie in the plane, upright or rotated by any angle. A row through
//! the middle of a corner has that proportion at every angle. No crate bounds the search for rotated codes; this one
//! reads each pixel once, and compares what looks like a corner with a few of the rows above.

use super::steps::Steps;

/// Maximum number of corners of a picture.
pub const CORNERS: usize = 48;

/// Maximum number of possible corners that are followed at a time.
const CANDIDATES: usize = 1_024;

/// Maximum number of them that a row is compared with, to the left and to the right of its middle.
const NEIGHBOURS: usize = 4;

/// Comparisons of a step.
const COMPARISONS: usize = 8;

/// Minimum number of rows of a corner, for the three modules of its middle.
const ROWS: usize = 3;

/// Limits of the height of its rows, in modules: at 45 degrees few rows are complete.
const TILTED: f64 = 0.4;
const UPRIGHT: f64 = 4.5;

/// The middle of a corner, and the width of its seven modules, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    pub x: f64,
    pub y: f64,
    pub width: f64,
}

/// The rows of a possible corner.
struct Rows {
    /// Sums of twice the middles, and of the widths, of its rows.
    middles: usize,
    widths: usize,
    first: usize,
    last: usize,
    rows: usize,
    /// Twice the middle of the rows above.
    middle: usize,
}

impl Rows {
    fn new(middle: usize, width: usize, y: usize) -> Rows {
        Rows { middles: middle, widths: width, first: y, last: y, rows: 1, middle }
    }

    fn add(&mut self, middle: usize, width: usize, y: usize) {
        self.middles += middle;
        self.widths += width;
        self.rows += 1;
        self.last = y;
    }

    fn is_near(&self, middle: usize, width: usize, y: usize) -> bool {
        self.middle.abs_diff(middle) <= width / 2 && y - self.last <= (width / 7).max(1)
    }

    /// Whether the row below `y` can extend it.
    fn is_open(&self, y: usize) -> bool {
        y - self.last <= (self.widths / self.rows.max(1) / 7).max(1)
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

/// The corners of a picture with rows of this width. `None` if there are too many, or no steps are left.
pub fn find(dark: &[bool], width: usize, steps: &mut Steps<'_>) -> Option<Vec<Corner>> {
    let mut open: Vec<Rows> = Vec::new();
    let mut new: Vec<Rows> = Vec::new();
    let mut found = Vec::new();
    for (y, row) in dark.chunks(width.max(1)).enumerate() {
        let mut seen = 0;
        for (middle, width) in like_corners(row) {
            seen += 1;
            match nearest(&mut open, middle, width, y) {
                Some(rows) => rows.add(middle, width, y),
                None => new.push(Rows::new(middle, width, y)),
            }
        }
        if seen > 0 && !steps.take((2 * NEIGHBOURS * seen).div_ceil(COMPARISONS) as u64) {
            return None;
        }
        // A candidate that no further row can extend is complete.
        open.retain(|rows| {
            let is_open = rows.is_open(y);
            if !is_open {
                found.extend(rows.corner());
            }
            is_open
        });
        if seen > 0 {
            open.append(&mut new);
            open.iter_mut().for_each(|rows| rows.middle = rows.middles / rows.rows.max(1));
            open.sort_by_key(|rows| rows.middle);
        }
        if open.len() > CANDIDATES || found.len() > CANDIDATES {
            return None;
        }
    }
    found.extend(open.iter().filter_map(Rows::corner));
    let found: Vec<Corner> =
        found.iter().filter_map(|corner| corner.by_column(dark, width)).collect();
    (found.len() <= CORNERS).then_some(found)
}

/// Of the candidates, which are sorted, the nearest one that this row extends.
fn nearest(open: &mut [Rows], middle: usize, width: usize, y: usize) -> Option<&mut Rows> {
    let right = open.partition_point(|rows| rows.middle < middle);
    let around = right.saturating_sub(NEIGHBOURS)..(right + NEIGHBOURS).min(open.len());
    let near = open.get_mut(around)?.iter_mut().filter(|rows| rows.is_near(middle, width, y));
    near.min_by_key(|rows| rows.middle.abs_diff(middle))
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
