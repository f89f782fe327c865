//! Hosts in capitals that look like a known name, whatever their small letters look like: `APPLΕ.COM`, `CНASE.COM`.

use crate::judged::Judged;
use crate::outcome::{Edit, Reason, Verdict};

impl Judged {
    /// Marks a host as unsafe that shows the name it resembles letter by letter, since it is in capitals. Some letters
    /// are Latin: a word of Greek or Russian is not mixed.
    pub(super) fn mark_twin_in_capitals(&mut self, host: &str) {
        if self.verdict != Verdict::Suspect || !self.reasons.contains(Reason::MixedScript) {
            return;
        }
        let Some(target) = self.target() else { return };
        let is_twin = shown(host).is_some_and(|shown| {
            let before = shown.strip_suffix(&as_stem(target));
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        });
        if is_twin {
            self.verdict = Verdict::Unsafe;
            self.edit = self.edit.max(Edit::Link);
        }
    }
}

/// The host as it reads, in lower case. `None` if it has small letters, or others.
fn shown(host: &str) -> Option<String> {
    let read = |c: char| match c {
        c if c.is_lowercase() => None,
        c if c.is_ascii() => Some(c.to_ascii_lowercase().to_string()),
        c => homograph::reads_as(c),
    };
    host.chars().map(read).collect::<Option<String>>().map(|read| as_stem(&read))
}

/// A capital `I` reads as a stem, like `l`.
fn as_stem(text: &str) -> String {
    text.replace('i', "l")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_read_by_their_shape() {
        for (host, reads) in [
            ("APPLΕ.COM", Some("apple.com")),
            ("CΙTІ.COM", Some("cltl.com")),
            ("CНASE.COM", Some("chase.com")),
            ("WWW.ΕΒΑΥ.COM", Some("www.ebay.com")),
            ("APPLε.COM", None),
            ("APPLΕ.com", None),
            ("ЖAPPLE.COM", None),
        ] {
            assert_eq!(shown(host).as_deref(), reads, "{host}");
        }
    }
}
