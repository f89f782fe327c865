//! Text of a file of RTF that its reader does not see: `\v`, `\deleted`, `\webhidden`, letters of no size.

use std::ops::Range;

/// The size of letters, in half points, up to which they are seen as a dot at most.
const DOT: i32 = 2;

/// Why a text is not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hiding(u8);

impl Hiding {
    /// What hides a text by such a control: each is ended by itself with the number 0.
    pub fn with(self, control: &[u8], number: Option<i32>) -> Hiding {
        let (bit, hides) = match control {
            b"v" => (1, number != Some(0)),
            b"deleted" => (2, number != Some(0)),
            b"webhidden" => (4, number != Some(0)),
            b"fs" => (8, number.is_some_and(|size| (0..=DOT).contains(&size))),
            _ => return self,
        };
        Hiding(if hides { self.0 | bit } else { self.0 & !bit })
    }

    pub fn hides(self) -> bool {
        self != Hiding::default()
    }
}

/// Where text is not seen.
#[derive(Clone, Debug, Default)]
pub struct Unseen {
    /// Where each stretch begins and ends, in order.
    ends: Vec<usize>,
}

impl Unseen {
    /// Text from here on is not seen, or is.
    pub fn turn(&mut self, at: usize, hides: bool) {
        let is_hidden = self.ends.len() % 2 == 1;
        if is_hidden != hides && self.ends.pop_if(|last| *last == at).is_none() {
            self.ends.push(at);
        }
    }

    /// Begins anew, in text that is not seen or is.
    pub fn from(is_hidden: bool) -> Unseen {
        Unseen { ends: is_hidden.then_some(0).into_iter().collect() }
    }

    /// The stretches of it in a range.
    pub fn within(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.ends.partition_point(|end| *end <= range.start) & !1;
        let ends = self.ends.get(first..).unwrap_or_default();
        let stretches = ends.chunks(2).map(move |ends| {
            let start = ends.first().copied().unwrap_or_default().max(range.start);
            start..ends.get(1).copied().unwrap_or(range.end).min(range.end)
        });
        stretches.take_while(move |one| one.start < range.end).filter(|one| !one.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_are_not_seen() {
        let mut unseen = Unseen::default();
        for (at, hides) in [(2, true), (4, false), (4, true), (6, false), (9, true)] {
            unseen.turn(at, hides);
        }
        let within = |unseen: &Unseen, range| -> Vec<(usize, usize)> {
            unseen.within(range).map(|one| (one.start, one.end)).collect()
        };
        for (range, stretches) in [
            (0..12, vec![(2, 6), (9, 12)]),
            (3..5, vec![(3, 5)]),
            (0..2, vec![]),
            (6..9, vec![]),
            (5..10, vec![(5, 6), (9, 10)]),
        ] {
            assert_eq!(within(&unseen, range.clone()), stretches, "{range:?}");
        }
        let unseen = Unseen::from(true);
        assert_eq!(within(&unseen, 20..30), [(20, 30)]);
    }

    #[test]
    fn controls_that_hide() {
        let hiding = Hiding::default().with(b"v", None).with(b"fs", Some(0));
        assert!(hiding.hides() && hiding.with(b"v", Some(0)).hides());
        assert!(!hiding.with(b"v", Some(0)).with(b"fs", Some(24)).hides());
        assert!(!Hiding::default().with(b"b", None).hides());
    }
}
