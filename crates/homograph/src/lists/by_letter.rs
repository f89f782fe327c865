//! Lists of words that are looked for in hosts. Most words of hosts begin with two letters with which none of a list does.

/// Words of some lists, by their first letter.
pub(crate) struct WordsByLetter<const COUNT: usize> {
    words: [&'static str; COUNT],
    /// Where the words with each first letter end.
    ends: [u8; 32],
    /// By the first letter, a bit for each second one.
    #[cfg(feature = "senders")]
    seconds: [u32; 32],
}

/// The number of words of all lists.
pub(crate) const fn count(lists: &[&[&str]]) -> usize {
    let (mut count, mut list) = (0, 0);
    while let Some(words) = at(lists, list) {
        count += words.len();
        list += 1;
    }
    count
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn at<T: Copy>(all: &[T], at: usize) -> Option<T> {
    if at < all.len() { Some(all[at]) } else { None }
}

/// The place of a letter or digit in the tables.
const fn place(letter: u8) -> usize {
    (letter & 31) as usize
}

impl<const COUNT: usize> WordsByLetter<COUNT> {
    /// All words of these lists, each of at least two small letters or digits; [`count`] says how many.
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
    pub(crate) const fn of(lists: &[&[&'static str]]) -> WordsByLetter<COUNT> {
        assert!(COUNT == count(lists) && COUNT <= u8::MAX as usize);
        let (mut words, mut ends) = ([""; COUNT], [0; 32]);
        #[cfg(feature = "senders")]
        let mut seconds = [0; 32];
        let (mut filled, mut first) = (0, 0);
        while first < ends.len() {
            let mut list = 0;
            while let Some(of_list) = at(lists, list) {
                let mut word = 0;
                while let Some(listed) = at(of_list, word) {
                    let letters = listed.as_bytes();
                    if place(letters[0]) == first {
                        words[filled] = listed;
                        filled += 1;
                        #[cfg(feature = "senders")]
                        {
                            seconds[first] |= 1 << place(letters[1]);
                        }
                    }
                    word += 1;
                }
                list += 1;
            }
            ends[first] = filled as u8;
            first += 1;
        }
        WordsByLetter {
            words,
            ends,
            #[cfg(feature = "senders")]
            seconds,
        }
    }

    /// Those with this first letter, or with one that shares its place.
    fn with_first(&self, letter: u8) -> &[&'static str] {
        let place = place(letter);
        let end = |at: usize| self.ends.get(at).map_or(0, |end| usize::from(*end));
        let start = place.checked_sub(1).map_or(0, end);
        self.words.get(start..end(place)).unwrap_or_default()
    }

    /// Whether one of them may begin with two letters.
    #[cfg(feature = "senders")]
    fn may_begin(&self, [first, second]: [u8; 2]) -> bool {
        let seconds = self.seconds.get(place(first)).copied().unwrap_or_default();
        seconds >> place(second) & 1 == 1
    }

    /// Whether a text begins with one of them.
    #[cfg(feature = "senders")]
    pub(crate) fn begin(&self, text: &[u8]) -> bool {
        text.first_chunk().is_some_and(|pair| {
            let [first, _] = *pair;
            let mut words = self.with_first(first).iter();
            self.may_begin(*pair) && words.any(|word| text.starts_with(word.as_bytes()))
        })
    }

    /// Whether one of them is somewhere in a text.
    #[cfg(feature = "senders")]
    pub(crate) fn are_in(&self, text: &[u8]) -> bool {
        let mut pairs = text.array_windows().enumerate();
        pairs.any(|(at, pair)| {
            self.may_begin(*pair) && self.begin(text.get(at..).unwrap_or_default())
        })
    }

    /// Whether a word is one of them.
    pub(crate) fn hold(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|first| self.with_first(first).contains(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_first_letters() {
        const LISTS: [&[&str]; 2] = [&["login", "2fa", "log"], &["verify", "zz"]];
        const WORDS: WordsByLetter<{ count(&LISTS) }> = WordsByLetter::of(&LISTS);
        for word in LISTS.concat() {
            assert!(WORDS.hold(word) && WORDS.begin(word.as_bytes()), "{word}");
            assert!(WORDS.begin(format!("{word}x").as_bytes()), "{word}");
            assert!(WORDS.are_in(format!("my-{word}-x").as_bytes()), "{word}");
        }
        for word in ["", "l", "lo", "logo", "verif", "Login", "z", "z2"] {
            assert!(!WORDS.hold(word), "{word}");
        }
        for text in ["", "l", "lo-gin", "xveri", "2f"] {
            assert!(!WORDS.are_in(text.as_bytes()), "{text}");
        }
    }
}
