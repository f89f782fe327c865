//! Sorted words in one text, each without what it shares with the one before: how lists that are built into a
//! program are kept, where a web page loads it.

/// Letters that a word may leave out: as many as there are capitals behind `A`.
pub(crate) const MOST: usize = 25;

/// Words in one text. Each begins with a capital that says how many bytes it shares with the one before: none
/// (`A`) to 25 (`Z`). The words themselves are of ASCII and have no capitals.
///
/// ```
/// use uts58::front_coded::{pack, words};
///
/// let packed = pack(["com", "community", "coop"]);
/// assert_eq!(packed, "AcomDmunityCop");
/// assert!(words(&packed).eq(["com", "community", "coop"]));
/// ```
pub fn pack<'t>(words: impl IntoIterator<Item = &'t str>) -> String {
    let (mut out, mut before) = (String::new(), "");
    for word in words {
        let pairs = before.bytes().zip(word.bytes()).take(MOST);
        let same = pairs.take_while(|(one, other)| one == other).count();
        out.extend(('A'..='Z').nth(same));
        out.push_str(word.get(same..).unwrap_or_default());
        before = word;
    }
    out
}

/// The words that were packed so.
pub fn words(packed: &str) -> impl Iterator<Item = String> {
    let mut rest = packed;
    let mut before = String::new();
    std::iter::from_fn(move || {
        let capital = rest.bytes().next()?;
        let behind = rest.get(1..)?;
        let end = behind.find(|c: char| c.is_ascii_uppercase()).unwrap_or(behind.len());
        let (letters, next) = behind.split_at_checked(end)?;
        rest = next;
        before.truncate(usize::from(capital.saturating_sub(b'A')));
        before.push_str(letters);
        Some(before.clone())
    })
}
