//! Most hosts beyond ASCII, read once: small letters and marks that UTS #46 leaves unchanged.

use alloc::boxed::Box;
use core::ops::Range;

use super::{LABEL, registrable};
use crate::tlds::TldSet;
use crate::unicode::Class;
use crate::unicode::hosts::settled_letters;
use crate::unicode::punycode::surely_fits;

/// Labels of a name at most: no suffix of a registry has more.
const LABELS: usize = 5;

/// Reads a host that begins here. Returns where reading ended, and whether these bytes are a host for every reading,
/// if what follows them ends one: a name that may be linked, below an existing top-level domain, without prose in it.
/// Returns `false` for some.
// In its caller it would take registers from the rest.
#[cfg_attr(not(target_family = "wasm"), inline(never))]
pub(crate) fn read<'t>(
    text: &'t str,
    start: usize,
    tlds: Option<&dyn TldSet>,
    known: &mut Known<'t>,
) -> (usize, bool) {
    // As many as a name has at most, and one more character.
    let bytes = text.as_bytes().get(start..).unwrap_or_default();
    let bytes = bytes.get(..LABEL + 4).unwrap_or(bytes);
    let mut host = Host::default();
    let mut rest = bytes;
    let is_whole = loop {
        let (goes_on, length) = match rest.first() {
            Some(0x80..) => {
                let (count, length) = settled_letters(rest);
                host.push_others(count);
                (count > 0, length)
            }
            Some(b'.') => (host.close_label(bytes.len() - rest.len()), 1),
            Some(byte @ (b'a'..=b'z' | b'0'..=b'9' | b'-')) => (host.push_ascii(*byte), 1),
            _ => break true,
        };
        if !goes_on {
            break false;
        }
        rest = rest.get(length..).unwrap_or_default();
    };
    let name = start..start + bytes.len() - rest.len();
    (name.end, is_whole && name.len() <= LABEL && host.is_domain(text, name, tlds, known))
}

/// The labels that were read.
#[derive(Default)]
struct Host {
    /// Labels that are closed.
    labels: usize,
    /// Where the last label begins.
    last: usize,
    /// Characters of that label: of ASCII, and others.
    ascii: usize,
    other: usize,
    /// Whether some label has others.
    beyond_ascii: bool,
    /// Whether the last character is a hyphen.
    hyphen: bool,
}

impl Host {
    fn push_others(&mut self, count: usize) {
        self.other += count;
        self.hyphen = false;
    }

    /// A letter, digit or hyphen. Behind other letters may be prose.
    fn push_ascii(&mut self, byte: u8) -> bool {
        self.hyphen = byte == b'-';
        self.ascii += 1;
        (self.hyphen || self.other == 0) && self.ascii + self.other > usize::from(self.hyphen)
    }

    fn close_label(&mut self, at: usize) -> bool {
        let fits = surely_fits(self.ascii, self.other);
        let whole = self.ascii + self.other > 0 && !self.hyphen;
        self.labels += 1;
        self.beyond_ascii |= self.other > 0;
        (self.last, self.ascii, self.other) = (at + 1, 0, 0);
        fits && whole
    }

    fn is_domain<'t>(
        &mut self,
        text: &'t str,
        name: Range<usize>,
        tlds: Option<&dyn TldSet>,
        known: &mut Known<'t>,
    ) -> bool {
        let (ascii, other) = (self.ascii, self.other);
        let Some(last) = text.get(name.start + self.last..name.end) else { return false };
        if !self.close_label(name.len())
            || !(2..=LABELS).contains(&self.labels)
            || !self.beyond_ascii
        {
            return false;
        }
        if other == 0 {
            return ascii >= 2
                && last.bytes().all(|byte| byte.is_ascii_lowercase())
                && tlds.is_none_or(|tlds| tlds.exists_as(last))
                && registrable::is_below_suffix(text.get(name).unwrap_or_default(), self.labels);
        }
        if ascii > 0 {
            return false;
        }
        let slot = known.slot(last);
        if *slot == last {
            return true;
        }
        let whole = |length| length == last.len();
        // Not every letter: some are numbers.
        let letters = last.chars().all(|c| Class::of(c).is_tld());
        if !letters || tlds.is_some_and(|tlds| tlds.unicode_prefix(last, &whole).is_none()) {
            return false;
        }
        if registrable::is_flat(last) {
            *slot = last;
            return true;
        }
        registrable::is_below_suffix(text.get(name).unwrap_or_default(), self.labels)
    }
}

/// Last labels beyond ASCII below which every name may be linked: a text has few different ones, each many times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known<'t>(Option<Box<[&'t str; 8]>>);

impl<'t> Known<'t> {
    /// Where the label is if it is known. Names of a script differ in their second and last byte.
    fn slot(&mut self, label: &str) -> &mut &'t str {
        let bytes = label.as_bytes();
        let at = bytes.get(1).unwrap_or(&0) ^ bytes.last().unwrap_or(&0);
        let [first, others @ ..] = &mut **self.0.get_or_insert_default();
        match usize::from(at % 8).checked_sub(1).and_then(|at| others.get_mut(at)) {
            Some(slot) => slot,
            None => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::authority::is_domain;
    use crate::prose::{existing_end, inner_start};
    use crate::tlds::TldTable;

    #[test]
    fn settled_letters_are_small_letters_of_hosts() {
        for c in '\u{80}'..=char::MAX {
            let (count, length) = settled_letters(c.to_string().as_bytes());
            if count > 0 {
                assert_eq!((count, length), (1, c.len_utf8()), "{c}");
                let class = Class::of(c);
                assert!(class.is_host() && !class.is_ignored() && !class.is_dot(), "{c}");
                assert!(c.to_lowercase().eq([c]), "{c}");
            }
        }
    }

    #[rustfmt::skip]
    const PIECES: [&str; 38] = [
        "例子", "中国", "公司", "cn", "उदाहरण", "भारत", "مثال", "السعودية", "пример", "рф", "みんな", "例え",
        "com", "example", "co", "uk", "ck", "a", "1", "-", ".", ".", ".", "É", "É", "é", "ß",
        "\u{302}", "\u{ad}", "👉", "ｃ", "Ꭰ", "ꭰ", "xn--p1ai", "漢字漢字漢字漢字漢字", "한국", "kr", "_",
    ];

    fn host() -> impl Strategy<Value = String> {
        proptest::collection::vec(select(PIECES.as_slice()), 1..8)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 6000, ..ProptestConfig::default() })]

        /// With and without what is known from other names.
        #[test]
        fn what_is_read_once_is_a_host(names in proptest::collection::vec(host(), 1..4)) {
            let tlds = TldTable::new(
                ["com", "uk", "ck", "cn", "kr", "xn--p1ai", "xn--fiqs8s", "xn--h2brj9c", "xn--q9jyb4c", "xn--mgberp4a5d4ar"],
                "",
            );
            let (mut known, mut by_letter) = (Known::default(), Known::default());
            for name in &names {
                let (end, is_host) = read(name, 0, Some(&tlds), &mut known);
                let (host, all) = (&name[..end], 0..end);
                if is_host {
                    prop_assert!(is_domain(host, all.clone()), "{}", host);
                    prop_assert_eq!(existing_end(host, all.clone(), &tlds), Some(end), "{}", host);
                    prop_assert_eq!(inner_start(host, all), Some(0), "{}", host);
                }
                let (end, is_host) = read(name, 0, None, &mut by_letter);
                prop_assert!(!is_host || is_domain(&name[..end], 0..end), "{}", name);
            }
        }
    }

    #[test]
    fn common_hosts_are_read_once() {
        let tlds = TldTable::new(["com", "cn", "xn--p1ai", "xn--fiqs8s", "xn--mgberp4a5d4ar"], "");
        let mut known = Known::default();
        let reads = |text: &str| read(text, 0, Some(&tlds), &mut Known::default()).1;
        for host in ["例子.中国", "مثال.السعودية", "www.пример.рф/x", "例子.com", "кто-то.рф "]
        {
            assert!(reads(host), "{host}");
        }
        for other in
            ["公司.cn", "example.com", "例子.中", "例子..中国", "日本example.com", "-я.рф", "я-.рф"]
        {
            assert!(!reads(other), "{other}");
        }
        assert!(read("例子.中国", 0, Some(&tlds), &mut known).1);
        assert!(read("公司.中国", 0, Some(&tlds), &mut known).1);
    }
}
