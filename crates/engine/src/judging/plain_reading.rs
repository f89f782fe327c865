//! Hosts with signs that browsers refuse or no registry takes, and that read as a harmless host without them: a joiner
//! that keeps programs from linking (`example&zwnj;.com`), the hyphen and the quotation marks of a word processor.

use super::judged::Judged;
use super::sign_roles::{is_hyphen, is_pointer};
use super::words::is_of_one_script;
use super::{HostBounds, Judge};
use crate::outcome::{Edit, Reason, Verdict};
use homograph::{Section, is_cjk, registrable};
use uts58::unicode::a_label::has_a_label;
use uts58::unicode::hosts::{is_joiner, is_mark};
use uts58::unicode::is_letter;
use uts58::{Kind, begins_with_www};

impl Judge<'_> {
    /// Lowers the verdict of a host that leads nowhere, or where it seems to. Lookalikes of a name keep theirs.
    pub(super) fn downgrade_plain_reading(&mut self, host: &str, kind: Kind, judged: &mut Judged) {
        if judged.verdict <= Verdict::Notice
            || judged.target().is_some()
            || !judged.inner.is_empty()
            || judged.reasons.contains(Reason::NameInHost)
        {
            return;
        }
        let ascii = judged.host.as_ref().map_or("", |judgement| judgement.ascii.as_str());
        let is_plain = match plain_reading(host, ascii) {
            Some(plain) => self.is_plain(&plain),
            None => kind == Kind::Bare && self.is_behind_word(host),
        };
        if is_plain {
            judged.edit = Edit::Inert;
            self.let_alone(host, kind, judged);
        }
    }

    /// Whether a host is behind a word of any language and a joiner: `für&zwnj;www.example.com`. Who drops the joiner opens
    /// a host below the same domain, or one that reads as nothing that is known.
    fn is_behind_word(&mut self, host: &str) -> bool {
        let Some((word, rest)) = word_before_joiner(host) else { return false };
        let alone = self.host(rest, HostBounds::Certain);
        let joined = self.host(&[word, rest].concat(), HostBounds::Certain);
        is_of_one_script(word)
            && alone.is_harmless()
            && registrable(&alone.ascii, Section::Icann).is_some()
            && joined.target.is_none()
            && !joined.reasons.contains(Reason::NameInHost)
            && (begins_with_www(rest) || !self.is_protected(&alone.ascii))
    }
}

/// A word in front of joiners, and the host behind them.
fn word_before_joiner(host: &str) -> Option<(&str, &str)> {
    let (word, rest) = host.split_at_checked(host.find(is_joiner)?)?;
    let rest = rest.trim_start_matches(is_joiner);
    let is_word = !word.is_empty() && word.chars().all(|c| is_letter(c) || is_mark(c));
    let is_host = rest.contains('.') && !rest.starts_with('.') && !rest.contains(is_joiner);
    (is_word && is_host).then_some((word, rest))
}

/// A host without what leads nowhere. `None` if nothing does, or if it is not plain without that. Browsers open no host
/// of Latin letters with a joiner (UTS #46 §4.1, CheckJoiners).
fn plain_reading(host: &str, ascii: &str) -> Option<String> {
    // All of them begin with one of these bytes, and few letters do.
    if !host.bytes().any(|byte| matches!(byte, 0xC2 | 0xE2 | 0xE3 | 0xEF)) {
        return None;
    }
    // What is in front of a first label below a domain is still below it.
    let whole = host;
    let host = host.trim_start_matches(|c| is_joiner(c) || is_pointer(c));
    let mut labels: Vec<String> = Vec::new();
    for label in host.split('.') {
        labels.push(label.chars().filter(|c| !is_joiner(*c)).collect());
    }
    let domain = registrable(ascii, Section::Private)?;
    let own = labels.len().checked_sub(domain.split('.').count())?;
    let name = labels.get_mut(own)?;
    *name = name.replace(is_hyphen, "-");
    // Among Chinese and Japanese it may be the number one.
    let has_hyphen = name.contains('-') && !name.contains(is_cjk);
    let plain = labels.join(".");
    // Joiners are letters of some scripts.
    let is_read = plain.is_ascii() || has_hyphen && !host.contains(is_joiner);
    (is_read && plain != whole && !has_a_label(plain.as_bytes())).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_begin_with_few_bytes() {
        let counts = |c: &char| is_joiner(*c) || is_hyphen(*c) || is_pointer(*c);
        for c in ('\u{80}'..=char::MAX).filter(counts) {
            let lead = c.encode_utf8(&mut [0; 4]).bytes().next();
            assert!(matches!(lead, Some(0xC2 | 0xE2 | 0xE3 | 0xEF)), "{c:?}");
        }
    }

    #[test]
    fn hosts_read_plainly() {
        for (host, ascii, reads) in [
            ("example\u{200c}.com", "xn--example-f06c.com", Some("example.com")),
            ("exam\u{200d}ple.com", "xn--example-g06c.com", Some("example.com")),
            ("\u{200c}www.example.com", "xn--www-8m0a.example.com", Some("www.example.com")),
            ("www.my\u{2011}shop.de", "www.xn--myshop-cg0c.de", Some("www.my-shop.de")),
            ("“www.example.com", "xn--www-2o0a.example.com", Some("www.example.com")),
            ("・example.com", "xn--example-h64e.com", Some("example.com")),
            ("\u{a0}www.example.com", "xn--www-xda.example.com", Some("www.example.com")),
            ("www.münchen\u{2013}reise.de", "www.xn--x.de", Some("www.münchen-reise.de")),
            ("日\u{2212}本.jp", "xn--x.jp", None),
            ("my\u{2011}shop.example.com", "xn--myshop-cg0c.example.com", None),
            ("ex⁄ample.com", "xn--example-x.com", None),
            ("⁄example.com", "xn--example-x.com", None),
            ("p\u{430}ypal\u{200c}.com", "xn--pypal-x.com", None),
            ("xn--e1afmkfd\u{200c}.com", "xn--x.com", None),
        ] {
            assert_eq!(plain_reading(host, ascii).as_deref(), reads, "{host}");
        }
    }
}
