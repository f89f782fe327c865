//! URLs between `<` and `>`, `<URL:` and `>`, or two quotes. Mozilla takes everything in between for one URL and drops
//! the blanks in it (RFC 2396 appendix E), so that `<https://www.example.com @attack.example/>` leads to the attacker.
//!
//! People put sentences between quotes as well, so only a deceptive URL counts, and only if a blank cuts its
//! authority. The same holds for `<bob@exam ple.com>`.

use std::ops::Range;

use super::across_signs::has_sign;
use super::mapped::{Builder, MappedText};
use super::{AnchorAround, FirstSign, Markup, Occurrence, Rendering, STRETCH, SeenBy, Site, View};
use homograph::{HostBounds, is_in_local_part};
use uts58::tlds::TldSet;
use uts58::unicode::{Class, is_dot_to_somebody};
use uts58::{Confidence, Kind, Link, Target, known_end, reference, scheme};

/// Maximum bytes of an authority, with its blanks.
pub const AUTHORITY_BYTES: usize = 16 * STRETCH;

/// Maximum number of letters that are read for the name of a scheme.
const LONGEST_SCHEME: usize = 16;

/// The URLs that begin in a stretch of a text and are cut by blanks, without the blanks, up to the end of the
/// authority, and who finds them. Linear: each sign ends one and begins the next.
fn urls(text: &str, stretch: Range<usize>) -> impl Iterator<Item = (SeenBy, MappedText<'static>)> {
    let bytes = text.as_bytes();
    let before = bytes.get(..stretch.end).unwrap_or(bytes).get(stretch.start..).unwrap_or_default();
    let opens = memchr::memchr2_iter(b'<', b'"', before).map(move |at| stretch.start + at);
    let urls = opens.filter(|open| may_open(text, *open)).filter_map(|open| {
        let rest = bytes.get(open + 1..).unwrap_or_default();
        memchr::memchr3(b'<', b'>', b'"', rest).map(|length| (open, open + 1 + length))
    });
    let urls = urls.filter_map(|(open, close)| enclosed(text, open, close));
    urls.flat_map(|url| {
        let seen_by = url.seen_by();
        url.readings().map(move |reading| (seen_by, reading))
    })
}

/// Whether a URL may begin after this sign, or after a blank there: a cheap test that most signs fail.
fn may_open(text: &str, sign: usize) -> bool {
    let bytes = text.as_bytes();
    bytes.get(sign + 1).is_some_and(|first| {
        let is_blank = first.is_ascii_whitespace() || *first == 0x0B;
        first.is_ascii_alphabetic() || !first.is_ascii() || is_blank
    })
}

/// The text between the signs at these offsets, if it is a URL.
fn enclosed(text: &str, open: usize, close: usize) -> Option<CutUrl<'_>> {
    let signs = [open, close].map(|at| text.as_bytes().get(at));
    let delimiters = match signs {
        [Some(b'<'), Some(b'>')] => Delimiters::Angles,
        [Some(b'"'), Some(b'"')] => Delimiters::Quotes,
        _ => return None,
    };
    // What most fail on, first those of web addresses and then those of sentences.
    let inside = text.as_bytes().get(open + 1..close)?;
    let may_be_cut = inside.iter().fold(false, |any, byte| any | !matches!(byte, b'!'..=b'~'));
    memchr::memchr(b':', inside).filter(|_| may_be_cut)?;
    CutUrl::of(text, without_label(text, open + 1..close), delimiters)
}

/// The range without the prefix `URL:` of RFC 1738.
fn without_label(text: &str, inside: Range<usize>) -> Range<usize> {
    let label = text.get(inside.clone()).and_then(|text| text.get(..4));
    let has_label = label.is_some_and(|label| label.eq_ignore_ascii_case("URL:"));
    inside.start + if has_label { 4 } else { 0 }..inside.end
}

/// What a URL is enclosed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delimiters {
    Angles,
    /// On one line only: people quote sentences, and forget the closing quote.
    Quotes,
}

/// A URL that blanks cut before its path.
#[derive(Clone, Copy, Debug)]
struct CutUrl<'t> {
    /// Its text up to the end of its authority.
    text: &'t str,
    /// Where the text begins.
    at: usize,
    /// Bytes of scheme and slashes.
    front: usize,
    delimiters: Delimiters,
}

impl<'t> CutUrl<'t> {
    fn of(text: &'t str, inside: Range<usize>, delimiters: Delimiters) -> Option<CutUrl<'t>> {
        let inner = text.get(inside.clone())?;
        let text = inner.trim_start();
        // A cheap test that most fail.
        let letter = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
        let colon = memchr::memchr(b':', text.as_bytes()).filter(|_| letter)?;
        let letters = text.chars().filter(|c| !c.is_whitespace()).take(LONGEST_SCHEME);
        let name = letters.take_while(|c| c.is_ascii_alphabetic());
        let name = name.map(|c| c.to_ascii_lowercase());
        let is_name = |known: &str| name.clone().eq(known.chars());
        if !is_name("mailto") && !scheme::linked_in_text().any(|linked| is_name(linked.name)) {
            return None;
        }
        let after = text.get(colon + 1..)?;
        let is_slash = |c: char| matches!(c, '/' | '\\') || c.is_whitespace();
        let front = text.len() - after.trim_start_matches(is_slash).len();
        let rest = text.get(front..)?;
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len()).min(AUTHORITY_BYTES);
        let text = text.get(..front + rest.floor_char_boundary(end))?.trim_end();
        let sentence =
            delimiters == Delimiters::Quotes && (text.contains('\n') || ends_in_address(text));
        let at = inside.end - inner.trim_start().len();
        let url = CutUrl { text, at, front: front.min(text.len()), delimiters };
        (!sentence && text.contains(char::is_whitespace)).then_some(url)
    }

    /// Its readings: without its blanks; and between angles, which hold no sentences, with only the blanks before the
    /// `@` kept, since for a reader a name ends there.
    fn readings(self) -> impl Iterator<Item = MappedText<'static>> {
        let kept = self.text.rfind('@').map(|at_sign| self.front..at_sign);
        let user = kept.clone().and_then(|kept| self.text.get(kept)).unwrap_or_default().trim();
        let ends = self.delimiters == Delimiters::Angles && user.contains(char::is_whitespace);
        let kept = kept.filter(|_| ends).map(|kept| self.without_blanks(&kept));
        std::iter::once(self.without_blanks(&(0..0))).chain(kept)
    }

    /// Who finds it: in a sentence a blank stands behind a full stop, or around a dash.
    fn seen_by(self) -> SeenBy {
        let host = self.text.get(self.front..).unwrap_or_default();
        let joins = |c: char| is_dot_to_somebody(c) || c == '-';
        let is_word = |word: &str| word.contains(|c: char| !joins(c));
        let words: Vec<&str> = host.split_whitespace().collect();
        let is_beside = |pair: &[&str]| match pair {
            [before, behind] => {
                let may_end = self.delimiters == Delimiters::Angles && before.ends_with(joins);
                is_word(before) && is_word(behind) && (may_end || behind.starts_with(joins))
            }
            _ => false,
        };
        match words.len() > 1 && words.windows(2).all(is_beside) {
            true => SeenBy::AcrossBlanks,
            false => SeenBy::Lenient,
        }
    }

    /// The URL without its blanks, except those in a range.
    fn without_blanks(self, kept: &Range<usize>) -> MappedText<'static> {
        let is_blank = |at: usize, c: char| c.is_whitespace() && !kept.contains(&at);
        let mut words = Builder::default();
        let mut start = 0;
        for (at, c) in self.text.char_indices().filter(|(at, c)| is_blank(*at, *c)) {
            words.linear(self.text.get(start..at).unwrap_or_default(), self.at + start);
            start = at + c.len_utf8();
        }
        words.linear(self.text.get(start..).unwrap_or_default(), self.at + start);
        words.finish()
    }
}

/// Whether the last word is a mail address: `"https://www.example.com, bob@example.org"` is a sentence.
fn ends_in_address(text: &str) -> bool {
    let before = text.rfind('@').and_then(|at| text.get(..at)).unwrap_or_default();
    let word = before.rsplit_once(char::is_whitespace).map_or("", |(_, word)| word);
    !word.is_empty() && word.chars().all(is_in_local_part)
}

/// Which programs would open it, if any: without their blanks, placeholders and lines of quoted-printable look like
/// hosts.
fn opened_by(seen_by: SeenBy, url: &str, target: &Target) -> Option<SeenBy> {
    let Target::Link(link) = target else { return None };
    let host = link.host_str(url);
    let of_host = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-._%:".contains(c);
    let is_sign = |c: char| !of_host(c);
    match host.contains(is_sign) {
        false => Some(seen_by),
        true => has_sign(host).then_some(SeenBy::AcrossSigns(FirstSign::Inside)),
    }
}

/// The addresses in a stretch of a text whose domain is cut by blanks, without the blanks. Each is on one line and
/// limited by the next sign, so that this is linear.
fn addresses(text: &str, stretch: Range<usize>) -> impl Iterator<Item = MappedText<'static>> {
    let all = text.get(stretch.clone()).unwrap_or_default();
    memchr::memchr_iter(b'<', all.as_bytes()).filter_map(move |open| {
        let inside = all.get(open + 1..)?;
        let inside = inside.get(..inside.floor_char_boundary(AUTHORITY_BYTES))?;
        let end = memchr::memchr3(b'<', b'>', b'"', inside.as_bytes())?;
        let text = inside.get(..end).filter(|_| inside.as_bytes().get(end) == Some(&b'>'))?;
        let at_sign = memchr::memchr(b'@', text.as_bytes())?;
        let (local, domain) = (text.get(..at_sign)?, text.get(at_sign + 1..)?);
        // What most fail on.
        if !domain.bytes().any(|byte| byte <= b' ' || !byte.is_ascii())
            || memchr::memchr2(b'\r', b'\n', text.as_bytes()).is_some()
        {
            return None;
        }
        let is_local = |c: char| Class::of(c).is_email();
        let is_cut = domain.trim().contains(char::is_whitespace) && !domain.contains('@');
        if local.is_empty() || !local.chars().all(is_local) || !is_cut {
            return None;
        }
        let at = stretch.start + open + 1;
        Some(MappedText::slice(text, at).without(char::is_whitespace).into_owned())
    })
}

/// The link to an address that ends with a top-level domain.
fn address(text: &str, tlds: &dyn TldSet) -> Option<Target> {
    let at_sign = text.find('@')?;
    let domain = text.get(at_sign + 1..)?;
    let is_whole = !domain.is_ascii() && known_end(domain, tlds) == Some(domain.len());
    is_whole.then(|| {
        Target::Link(Link {
            span: 0..text.len(),
            inner: 0,
            kind: Kind::Email,
            host: at_sign + 1..text.len(),
            user: Some(0..at_sign),
            port: None,
            tail: text.len()..text.len(),
            defanged: false,
            confidence: Confidence::Low,
        })
    })
}

impl<'l> View<'l> {
    /// Adds such URLs of a stretch of a text, at most `capacity`. Returns how many.
    pub(super) fn add_enclosed(
        &mut self,
        text: &str,
        stretch: Range<usize>,
        tlds: &dyn TldSet,
        capacity: usize,
    ) -> usize {
        let mut added = 0;
        let found = urls(text, stretch.clone()).map(|(seen_by, url)| {
            let all = 0..url.as_str().len();
            let target = reference::parse(url.as_str(), all).next();
            let opened = target
                .and_then(|target| Some((opened_by(seen_by, url.as_str(), &target)?, target)));
            (opened, url)
        });
        let found = found.chain(addresses(text, stretch).map(|written| {
            let target = address(written.as_str(), tlds);
            (target.map(|target| (SeenBy::Lenient, target)), written)
        }));
        for (opened, url) in found {
            self.steps += url.as_str().len() as u64;
            let Some((seen_by, target)) = opened else { continue };
            if added == capacity {
                self.cut = true;
                break;
            }
            self.occurrences.push(Occurrence {
                seen: self.seen.len(),
                target,
                site: Site::Text,
                bounds: HostBounds::Certain,
                shown: Rendering::AsWritten,
                anchor: AnchorAround::None,
                markup: Markup::Shown,
                seen_by,
            });
            self.seen.push(url);
            added += 1;
        }
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uts58::tlds::TldTable;

    fn found(text: &str) -> Vec<String> {
        urls(text, 0..text.len()).map(|(_, url)| url.as_str().to_owned()).collect()
    }

    #[test]
    fn blanks_between_the_signs_are_none() {
        let url = ["https://www.example.com@attack.example"];
        assert_eq!(found("<https://www.example.com @attack.example/ x>"), url);
        assert_eq!(found("\"https://www.example.com @attack.example/\""), url);
        assert_eq!(found("<URL:https://www.example.com\t@attack.example?x>"), url);
        assert_eq!(found("<url: ht tps : / /www.example.com\x0c@attack.example>"), url);
        assert_eq!(found("< https://www.example.com\u{3000}@attack.example >"), url);
        assert_eq!(found("<https://www.example.com\r\n @attack. example/>"), url);
        assert_eq!(found("a \"x\" https://www.example.com @attack.example/\"b\""), url);
        assert_eq!(found("x\"http: a. b/\"http:c .d/\"y"), ["http:a.b", "http:c.d"]);
    }

    #[test]
    fn urls_not_cut_before_their_path_are_left_to_other_readings() {
        for text in [
            "<https://example.com/a b>",
            "< https://example.com >",
            "<https://example.com?a b> \"https://example.com\"",
            "\"see https://example.com and bob@example.org\"",
            "<https://example. com/\" <https://example. com/< \"https://example. com/>",
            "\"https://example.com\r\n and\"",
            "\"https://www.example.com, bob@example.org\" \"http://a.com ; b@c.com/\"",
            "<Bob bob@example.com> <www.exam ple.com> <hxxps://www[.]exam ple[.]com/>",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_name_between_angles_ends_at_a_blank() {
        let both = ["https://a.comx@b.com", "https://a.com  x @b.com"];
        assert_eq!(found("<ht tps:/ / a.com  x @b. com/>"), both);
        assert_eq!(found("\"https://a.com x @b.com/\""), both[..1]);
        assert_eq!(found("\"https://a. com @b.com/\""), ["https://a.com@b.com"]);
        assert_eq!(found("<https://a. com/>"), ["https://a.com"]);
    }

    #[test]
    fn a_blank_beside_a_dot_parts_no_words() {
        let seen_by = |text: &str| urls(text, 0..text.len()).next().map(|(seen_by, _)| seen_by);
        for text in [
            "<https://www.a.com .b.example/x>",
            "<https://www.a.com. b.example/x>",
            "\"https://www.a.com\t.b.example/x\"",
            "<https://a -login.com/x>",
            "<URL:https://www. a .com .b.example>",
        ] {
            assert_eq!(seen_by(text), Some(SeenBy::AcrossBlanks), "{text}");
        }
        for text in [
            "<https://www.a.com or b.example/x>",
            "<https://www.a.com - b.example/x>",
            "<https://www.a.com .b.example or c.example>",
            "\"https://www.a.com. b.example/x\"",
            "\"https://www.a.com or www.b.example/x\"",
            "<https:// www.a.com/x>",
            "<https: //www.a.com .. b.example/x>",
        ] {
            assert_eq!(seen_by(text), Some(SeenBy::Lenient), "{text}");
        }
    }

    #[test]
    fn blanks_in_the_domain_of_an_address() {
        let found = |text: &str| -> Vec<String> {
            let tlds = TldTable::new(["com"], "");
            let all = addresses(text, 0..text.len());
            let cut = all.filter(|all| address(all.as_str(), &tlds).is_some());
            cut.map(|all| all.as_str().to_owned()).collect()
        };
        assert_eq!(found("<bob@ра ypal. com> < x <b@é.com\u{2003}>"), ["bob@раypal.com"]);
        for text in [
            "<bob@é.com> <bob@é.com > <b ob@é.com> <bob@exam ple.com> <@é .com>",
            "<bob@é.com or x@é.com> <bob@é.com please> <bob@é\n.com> <bob@é .com",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn joined_urls_map_to_their_source() {
        let text = "see <https://exa mple.com/>";
        assert!(urls(text, 5..text.len()).next().is_none());
        let (_, url) = urls(text, 0..5).next().unwrap();
        assert_eq!(url.as_str(), "https://example.com");
        assert_eq!(url.source(8..15), 13..21);
    }

    #[test]
    fn hostile_text_takes_few_steps() {
        for piece in ["<", "\"", "<http://", "\"http:// ", "<http://a b", "< "] {
            let found = found(&piece.repeat(100_000)).len();
            assert!(found <= 50_000, "{piece:?} {found}");
        }
        let long = format!("<https://{}>", "a ".repeat(100_000));
        assert_eq!(found(&long)[0].len(), AUTHORITY_BYTES / 2 + "https://".len());
    }
}
