//! With which two letters the words of some lists begin: most words of hosts begin with none of these.

/// The first two letters of words.
pub(super) struct Beginnings {
    /// By the first letter, a bit for each second one.
    seconds: [u32; 32],
}

impl Beginnings {
    /// Those of all words of these lists, each of at least two small letters or digits.
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
    pub(super) const fn of(lists: &[&[&str]]) -> Beginnings {
        let mut seconds = [0; 32];
        let mut list = 0;
        while list < lists.len() {
            let mut word = 0;
            while word < lists[list].len() {
                let letters = lists[list][word].as_bytes();
                seconds[(letters[0] & 31) as usize] |= 1 << (letters[1] & 31);
                word += 1;
            }
            list += 1;
        }
        Beginnings { seconds }
    }

    /// Whether a word may begin with two letters.
    pub(super) fn begin(&self, [first, second]: [u8; 2]) -> bool {
        let seconds = self.seconds.get(usize::from(first & 31)).copied().unwrap_or_default();
        seconds >> (second & 31) & 1 == 1
    }
}
