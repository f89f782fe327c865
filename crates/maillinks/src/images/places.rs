//! Where QR codes may be between corners, and what is read there.
//!
//! Any three corners may be those of a code. Those whose timing pattern, which leads from corner to corner, is whole
//! are read first: what it lacks is no proof against a code, since cameras do without it.

use std::collections::BTreeSet;

use rqrr::{Grid, SimpleGrid};

use super::CODES;
use super::corners::Corner;
use super::steps::{MODULE_STEPS, Steps};

/// How far two sides of a code may deviate from a right angle and from the same length, as a part of their length.
const SKEWED: f64 = 0.15;

/// Threes of corners that are looked at for a step.
const THREES: usize = 8;

/// Modules of each of both timing patterns that are looked at, how many of them all may have another colour, and the
/// steps of both.
const TIMED: usize = 16;
const UNTIMED: usize = 6;
const TIMED_STEPS: u64 = 16;

/// Possible sides of the code at a place.
const SIDES: u64 = 3;

/// The greatest version that corners may seem to have: that of a code is never above 40, but they are measured in
/// pixels.
const SEEMING: f64 = 50.0;

/// Where a code may be: the corner between the two others, the vector to the one at the end of its first row, and that
/// to the one at the start of its last row.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CodePlace {
    first: Corner,
    along: (f64, f64),
    down: (f64, f64),
    /// How far its sides are from those of a square.
    skew: f64,
}

/// A code that may be at a place.
pub struct Possible {
    place: CodePlace,
    side: usize,
    /// Whether its timing patterns are there.
    timed: bool,
}

/// The pixels that are dark, or those that are light.
pub struct Pixels<'a> {
    pub width: usize,
    pub height: usize,
    pub dark: &'a [bool],
}

/// The codes that may be between corners. `None` if that takes more steps than are left.
pub fn possible(
    pixels: &Pixels<'_>,
    corners: &[Corner],
    steps: &mut Steps<'_>,
) -> Option<Vec<Possible>> {
    steps.take((corners.len().pow(3) / THREES) as u64).then_some(())?;
    let places = places(corners);
    steps.take(SIDES * TIMED_STEPS * places.len() as u64).then_some(())?;
    let possible = places.into_iter().flat_map(|place| {
        place.sides().map(move |side| {
            let timed = place.errors(side, pixels) <= UNTIMED;
            Possible { place, side, timed }
        })
    });
    Some(possible.collect())
}

/// The texts of the codes of these that are there, and whether all were tried. What lies between corners in codes that
/// were read does not count.
pub fn read(
    mut possible: Vec<(Possible, &Pixels<'_>)>,
    steps: &mut Steps<'_>,
) -> (BTreeSet<String>, bool) {
    // Sorting is stable: the smaller side first.
    possible.sort_by(|(one, _), (other, _)| {
        other.timed.cmp(&one.timed).then(one.place.skew.total_cmp(&other.place.skew))
    });
    let (mut texts, mut read, mut untried) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (Possible { place, side, .. }, pixels) in possible {
        if texts.len() >= CODES {
            break;
        }
        if read.contains(&place) {
            continue;
        }
        if !steps.take(MODULE_STEPS * (side * side) as u64) {
            untried.push(place);
        } else if let Some(text) = place.decoded(side, pixels) {
            texts.insert(text);
            read.push(place);
        }
    }
    let known = |at: &(f64, f64)| read.iter().any(|code| code.holds(at));
    let whole = untried.iter().all(|place| place.corners().iter().all(known));
    (texts, whole)
}

/// Where codes may be between the corners.
fn places(corners: &[Corner]) -> Vec<CodePlace> {
    let mut places = Vec::new();
    let mut others = Vec::new();
    for first in corners {
        let alike = corners.iter().filter(|other| {
            (first.width - other.width).abs() <= first.width / 3.0 && *other != first
        });
        others.clear();
        others.extend(alike.map(|other| {
            let vector = (other.x - first.x, other.y - first.y);
            (vector, vector.0.hypot(vector.1))
        }));
        for along in &others {
            let below = others.iter().filter_map(|down| CodePlace::between(*first, *along, *down));
            places.extend(below);
        }
    }
    places
}

impl CodePlace {
    /// A place with these sides, vectors with their lengths. `None` if it is too far from a square. Seen from the
    /// middle corner the first row runs to the right of the first column.
    fn between(
        first: Corner,
        (along, width): ((f64, f64), f64),
        (down, height): ((f64, f64), f64),
    ) -> Option<CodePlace> {
        let ((ax, ay), (dx, dy)) = (along, down);
        let longer = width.max(height);
        let angle = (ax * dx + ay * dy).abs() / (longer * longer);
        let skew = angle.max((width - height).abs() / longer);
        let right = ax * dy - ay * dx > 0.0;
        let place = CodePlace { first, along, down, skew };
        (right && skew <= SKEWED && place.version() <= SEEMING).then_some(place)
    }

    /// The middles of its three corners.
    fn corners(&self) -> [(f64, f64); 3] {
        let Corner { x, y, .. } = self.first;
        let at = |(right, down): (f64, f64)| (x + right, y + down);
        [(x, y), at(self.along), at(self.down)]
    }

    /// Whether this is a place between its corners, or in one.
    fn holds(&self, (x, y): &(f64, f64)) -> bool {
        let (x, y) = (x - self.first.x, y - self.first.y);
        let is_between = |(ax, ay): (f64, f64)| {
            let (long, part) = (ax.hypot(ay), ax * x + ay * y);
            let within = self.first.width / 2.0;
            (-within..=long + within).contains(&(part / long))
        };
        is_between(self.along) && is_between(self.down)
    }

    /// The version that it seems to have, by the modules between the middles of two corners.
    fn version(&self) -> f64 {
        let (x, y) = self.along;
        let long = x.hypot(y);
        // A row through a rotated corner is longer than its side.
        let upright = x.abs().max(y.abs()) / long;
        ((long * 7.0 / (self.first.width * upright) - 10.0) / 4.0).round()
    }

    /// The possible sides of the code in modules: the nearest of all versions.
    fn sides(&self) -> impl Iterator<Item = usize> + use<> {
        let version = self.version().clamp(1.0, 40.0) as usize;
        (version.saturating_sub(1).max(1)..=(version + 1).min(40)).map(|version| 17 + 4 * version)
    }

    /// The pixel in the middle of a module of a code with `side` modules on a side; negative outside the picture.
    fn pixel(&self, side: usize, column: usize, row: usize) -> (f64, f64) {
        let between = (side - 7) as f64;
        let (column, row) = ((column as f64 - 3.0) / between, (row as f64 - 3.0) / between);
        let at = |from: f64, along: f64, down: f64| from + along * column + down * row;
        (at(self.first.x, self.along.0, self.down.0), at(self.first.y, self.along.1, self.down.1))
    }

    fn is_dark(&self, side: usize, (column, row): (usize, usize), pixels: &Pixels<'_>) -> bool {
        let (x, y) = self.pixel(side, column, row);
        let (width, height) = (pixels.width as f64, pixels.height as f64);
        let inside = x >= 0.0 && y >= 0.0 && x < width && y < height;
        let at = || y as usize * pixels.width + x as usize;
        inside && pixels.dark.get(at()).copied().unwrap_or(false)
    }

    /// How many modules of both timing patterns have another colour than they should, of some from end to end.
    fn errors(&self, side: usize, pixels: &Pixels<'_>) -> usize {
        let modules = side - 16;
        let timed = (0..TIMED).map(|part| 8 + part * modules / TIMED);
        let is_wrong = |at: (usize, usize), even: bool| self.is_dark(side, at, pixels) != even;
        timed
            .map(|at| {
                let even = at % 2 == 0;
                usize::from(is_wrong((at, 6), even)) + usize::from(is_wrong((6, at), even))
            })
            .sum()
    }

    /// The text of a code with `side` modules on a side, if there is one.
    fn decoded(&self, side: usize, pixels: &Pixels<'_>) -> Option<String> {
        let module = |column, row| self.is_dark(side, (column, row), pixels);
        let mut text = Vec::new();
        Grid::new(SimpleGrid::from_func(side, module)).decode_to(&mut text).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}
