//! Names of elements and attributes, compared without case.

/// A hash table of names, built by the compiler.
pub(super) struct Names<const N: usize> {
    /// The row of each name plus one, in the first free place from the one of its key on.
    places: [u8; PLACES],
    /// The [`key`] of each name.
    keys: [u64; N],
}

/// Places for names: many stay empty, so that most other words fail on the first one.
const PLACES: usize = 512;

impl<const N: usize> Names<N> {
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
    pub(super) const fn of(names: &[&str]) -> Names<N> {
        let mut all = Names { places: [0; PLACES], keys: [0; N] };
        let mut row = 0;
        while row < N {
            let key = key(names[row].as_bytes());
            let mut at = place(key);
            while all.places[at] > 0 {
                at = (at + 1) % PLACES;
            }
            all.places[at] = row as u8 + 1;
            all.keys[row] = key;
            row += 1;
        }
        all
    }

    /// The only row that may hold a name, ASCII letters without case.
    fn row(&self, name: &[u8]) -> Option<usize> {
        let key = key(name);
        let mut at = place(key);
        loop {
            let row = usize::from(*self.places.get(at)?).checked_sub(1)?;
            if self.keys.get(row) == Some(&key) {
                return Some(row);
            }
            at = (at + 1) % PLACES;
        }
    }
}

/// A number that differs for all names of a table: their first four bytes and their last four in lower case. With the
/// length, that is all of a name of up to eight bytes.
#[inline]
const fn key(name: &[u8]) -> u64 {
    let (front, end) = match (name.first_chunk(), name.last_chunk()) {
        (Some(front), Some(end)) => (u32::from_le_bytes(*front), u32::from_le_bytes(*end)),
        _ => match name {
            [one] => (*one as u32, 0),
            [one, two] => ((*one as u32) << 8 | *two as u32, 0),
            [one, two, three] => ((*one as u32) << 16 | (*two as u32) << 8 | *three as u32, 0),
            _ => (0, 0),
        },
    };
    lower((front as u64) << 32 | end as u64)
}

/// Eight bytes at once, ASCII letters in lower case.
const fn lower(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 0xFF;
    let seven = word & (EACH * 0x7F);
    // The eighth bit of each byte: whether it is at least `A`, whether it is more than `Z`.
    let from_a = seven + EACH * (0x80 - b'A' as u64);
    let above_z = seven + EACH * (0x7F - b'Z' as u64);
    let capitals = (from_a ^ above_z) & !word & (EACH * 0x80);
    word | capitals >> 2
}

/// The first place for a name with this key.
const fn place(key: u64) -> usize {
    // Multiplying by the fraction of the golden ratio spreads neighbours.
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACES.ilog2())) as usize
}

/// The row of a name in a table, ASCII letters without case.
pub(super) fn find<T, const N: usize>(
    table: &'static [T],
    names: &Names<N>,
    name_of: impl Fn(&'static T) -> &'static str,
    name: &[u8],
) -> Option<&'static T> {
    let row = table.get(names.row(name)?)?;
    let known = name_of(row);
    // The key holds all of a short name.
    let same =
        name.len() <= 8 && known.len() == name.len() || known.as_bytes().eq_ignore_ascii_case(name);
    same.then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_equal_if_their_keys_are() {
        let names =
            ["", "a", "A", "\0a", "b", "ab", "aB", "a\0", "abc", "ABC", "td", "TD", "abcdefgh"];
        for (one, other) in names.iter().flat_map(|one| names.map(|other| (*one, other))) {
            let same = one.len() == other.len() && key(one.as_bytes()) == key(other.as_bytes());
            assert_eq!(same, one.eq_ignore_ascii_case(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn eight_bytes_are_lowered_at_once() {
        for byte in 0..=u8::MAX {
            let lowered = u64::from_le_bytes([byte.to_ascii_lowercase(); 8]);
            assert_eq!(lower(u64::from_le_bytes([byte; 8])), lowered, "{byte}");
        }
    }
}
