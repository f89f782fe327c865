//! What stands directly next to a host and is no part of it for who wrote it: a sign of a list, an abbreviation, a second
//! name behind a sign that separates them. Programs may take it into the host, so that only a host that nobody takes for
//! one they know is let alone, or one that leads where it seems to.

use super::judged::Judged;
use super::sign_roles::{is_circled_letter, is_list_sign, reads_as_punctuation, separates_names};
use super::{HostBounds, Judge, same_domain};
use crate::outcome::{Edit, Reason, Verdict};
use homograph::{
    Judgement, Section, are_twins, ends_host_to_a_reader, is_anybodys, is_middle_dot, registrable,
};
use unicode_script::Script;
use uts58::unicode::hosts::{is_joiner, is_mark, numeral_zero};
use uts58::unicode::{ScriptOf as _, is_letter};
use uts58::{Kind, Link, begins_with_www};

impl Judge<'_> {
    /// Lowers the verdict of a host that is next to something that is no part of it.
    pub(super) fn downgrade_glued(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        let (host, kind) = (link.host_str(text), link.kind);
        if judged.verdict <= Verdict::Notice || !judged.inner.is_empty() {
            return;
        }
        let behind_words = behind_words(host).filter(|[words, _]| {
            kind == Kind::Bare && uts58::known_end(words, self.tlds()).is_none()
        });
        let harmless = if let Some([_, site]) = behind_words {
            judged.target().is_none() && is_harmless(&self.host(site, HostBounds::Certain))
        } else if let Some(alone) = without_sentence(host) {
            kind == Kind::Bare && self.host(alone, HostBounds::Prose).verdict <= Verdict::Notice
        } else if let Some(before) = numero(host) {
            self.is_before_numero(before, kind, judged)
        } else if let Some([before, behind]) =
            names_around_sign(host).or_else(|| address_and_site(host))
        {
            self.are_two_names(host, [before, behind], kind, judged)
        } else if let Some(plain) = without_list_sign(host).or_else(|| behind_number(host)) {
            self.is_behind_list_sign(plain, kind, judged)
        } else {
            kind == Kind::Bare
                && (is_phonetic(host) || is_suffix_alone(host))
                && judged.target().is_none()
        };
        if harmless
            || kind == Kind::Bare && self.is_beside_mark(host, judged)
            || self.is_numbered_by_sign(host, judged)
            || self.has_apostrophes(host, judged)
        {
            self.let_alone(host, kind, judged);
        } else if kind == Kind::Bare && self.is_behind_preposition(text, link, judged) {
            judged.verdict = Verdict::Suspect;
            judged.edit = Edit::Reported;
            self.seen.absolve(host);
        }
    }

    /// Whether a host ends its sentence before an abbreviation, and misleads nobody: no site that readers know. An address
    /// at a host where everybody can have one says nothing about its owner.
    fn is_before_numero(&mut self, before: &str, kind: Kind, judged: &Judged) -> bool {
        if !before.contains('.') {
            return kind == Kind::Bare
                && judged.target().is_none()
                && !self.is_label_of_name(&before.to_ascii_lowercase());
        }
        let before = self.host(before, HostBounds::Certain);
        // Without a suffix the abbreviation is one: `www.example.nº`.
        let is_whole = before.question.is_none()
            && !before.reasons.contains(Reason::TldSyntax)
            && registrable(&before.ascii, Section::Icann).is_some();
        is_whole
            && is_harmless(&before)
            && (!self.is_protected(&before.ascii)
                || kind == Kind::Email && is_anybodys(&before.ascii, &self.policy.protected))
    }

    /// Whether two names of a host with a sign between them lead where the first leads, or are an address and a site that
    /// nobody takes for another: an address where everybody can have one says nothing about its owner.
    fn are_two_names(&mut self, host: &str, names: [&str; 2], kind: Kind, judged: &Judged) -> bool {
        let [before, behind] = names.map(|name| self.host(name, HostBounds::Certain));
        let own = judged.host.as_ref().map_or("", |host| host.ascii.as_str());
        // What is behind the sign is the domain that a program opens.
        let leads_behind =
            same_domain(&behind.ascii, own) || kind == Kind::Email && !host.contains(is_registered);
        let is_known = |host: &Judgement| self.is_protected(&host.ascii);
        let is_owners = |host: &Judgement| {
            let [domain, given] =
                [Section::Icann, Section::Private].map(|part| registrable(own, part));
            is_known(host)
                && domain == given
                && !is_anybodys(domain.unwrap_or_default(), &self.policy.protected)
        };
        let is_persons = |host: &Judgement| is_anybodys(&host.ascii, &self.policy.protected);
        let says_nothing = |host: &Judgement| !is_known(host) || is_persons(host);
        is_harmless(&before)
            && is_harmless(&behind)
            && leads_behind
            && (same_domain(&before.ascii, &behind.ascii)
                || kind == Kind::Email
                    && (is_owners(&behind) || says_nothing(&before) && !is_known(&behind)))
    }

    /// Whether a host is the same domain before and behind a sign, and nothing is against either: it leads there.
    pub fn repeats_domain(&mut self, host: &str) -> bool {
        let Some([before, behind]) = names_around_sign(host) else { return false };
        let [before, behind] = [before, behind].map(|name| self.host(name, HostBounds::Certain));
        same_domain(&before.ascii, &behind.ascii) && is_harmless(&before) && is_harmless(&behind)
    }

    /// Whether a bare host behind the sign of a list is none that readers know, or leads where it seems to.
    fn is_behind_list_sign(&mut self, plain: &str, kind: Kind, judged: &Judged) -> bool {
        let own = judged.host.as_ref().map_or("", |host| host.ascii.as_str());
        let plain = self.host(plain, HostBounds::Certain);
        kind == Kind::Bare
            && judged.target().is_none()
            && is_harmless(&plain)
            && (same_domain(own, &plain.ascii) || !self.is_protected(&plain.ascii))
    }

    /// Lowers the verdict of a mail address behind a mark that nobody sees, as pasted addresses have: letters of one
    /// direction stand as they did.
    pub(super) fn downgrade_pasted_mark(text: &str, link: &Link, judged: &mut Judged) {
        let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
        let is_mark = |c: char| matches!(c, '\u{200E}' | '\u{200F}');
        let plain = user.trim_start_matches(is_mark);
        let of_mark =
            |reason: Reason| reason.verdict() <= Verdict::Notice || reason == Reason::BidiControl;
        if link.kind == Kind::Email
            && plain.len() < user.len()
            && plain.is_ascii()
            && judged.host.as_ref().is_some_and(|host| host.verdict <= Verdict::Notice)
            && judged.reasons.iter().all(of_mark)
        {
            judged.downgrade();
        }
    }
}

impl Judge<'_> {
    /// Lowers the verdict of a host that isolates of direction enclose exactly, as libraries that translate programs put
    /// them round each inserted value: `https://\u{2068}example.com\u{2069}/`. They hide nothing.
    pub(super) fn downgrade_isolated(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        use Reason::{BidiControl, IdnaInvalid, StatusRestricted};
        let of_isolate = |reason: Reason| {
            reason.verdict() <= Verdict::Notice
                || matches!(reason, BidiControl | IdnaInvalid | StatusRestricted)
        };
        if judged.verdict > Verdict::Notice
            && judged.inner.is_empty()
            && judged.reasons.iter().all(of_isolate)
            && let Some(plain) = inside_isolates(text, link)
            && is_harmless(&self.host(plain, HostBounds::Certain))
        {
            judged.downgrade();
        }
    }
}

/// What is inside isolates at the beginning and end of a host. Those from right to left turn numbers and hyphens.
fn inside_isolates<'t>(text: &'t str, link: &Link) -> Option<&'t str> {
    const END: char = '\u{2069}';
    let host = link.host_str(text);
    let inside = host.strip_prefix(['\u{2066}', '\u{2067}', '\u{2068}'])?;
    let inside = match text.get(link.host.end..)?.starts_with(END) {
        true => inside,
        false => inside.strip_suffix(END)?,
    };
    let keeps_order = |byte: u8| byte.is_ascii_alphabetic() || byte == b'.';
    let turns = host.starts_with('\u{2067}') && !inside.bytes().all(keeps_order);
    (!turns && inside.is_ascii()).then_some(inside)
}

pub(super) fn is_harmless(host: &Judgement) -> bool {
    host.is_harmless() && host.edit < Edit::Link
}

/// What is behind a sentence of Kana or Han whose full stop browsers read as the dot of a host: `以下です。・example.com`.
fn without_sentence(host: &str) -> Option<&str> {
    let (sentence, alone) = host.rsplit_once('。')?;
    let of_sentence = |c: char| matches!(c, '\u{3002}'..='\u{30FE}' | '\u{4E00}'..='\u{9FFF}');
    (!sentence.is_empty() && sentence.chars().all(of_sentence)).then_some(alone)
}

/// Words and the site behind them: the end of a sentence, a word of another script and a sign, with no blank between them:
/// `감사합니다.홈페이지▶www.example.com`. All of it leads below the domain of the site, and nobody reads a host in front of it.
fn behind_words(host: &str) -> Option<[&str; 2]> {
    let (words, site) = host.split_at_checked(host.rfind("www.")?)?;
    let is_end = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '_');
    let is_foreign = |c: char| {
        let script = c.script();
        let is_known = !matches!(script, Script::Latin | Script::Common | Script::Inherited);
        is_letter(c) && is_known && !are_twins([c], Script::Latin)
    };
    let is_word =
        |word: &str| word.chars().all(|c| c.is_ascii_digit()) || word.contains(is_foreign);
    (words.ends_with(is_end)
        && !words.contains(|c: char| c.is_ascii_alphabetic())
        && words.split('.').all(is_word)
        && registrable(&site.to_lowercase(), Section::Private).is_some())
    .then_some([words, site])
}

/// What is before an abbreviation at the end: `info@example.com.Nº` of a sentence without a blank behind its full stop.
/// Browsers read `º` as a letter, and some abbreviations as a country.
fn numero(host: &str) -> Option<&str> {
    let (before, word) = host.rsplit_once('.')?;
    let letters = word.strip_suffix(['º', 'ª'])?;
    let short =
        (1..=2).contains(&letters.len()) && letters.bytes().all(|c| c.is_ascii_alphabetic());
    (short && !before.is_empty()).then_some(before)
}

/// The host of an address and the site behind signs, as signatures have them: `info@example.com·www.example.com`. Behind
/// what reads as a dot a site begins with `www.`.
fn address_and_site(host: &str) -> Option<[&str; 2]> {
    let is_sign = |c: char| is_middle_dot(c) || is_symbol(c) || is_circled_letter(c);
    let (address, rest) = host.split_once(is_sign)?;
    // Leaders of a form are a row of dots; a picture may be followed by how it is drawn.
    let site = rest.trim_start_matches(|c| is_sign(c) || c == '\u{FE0F}');
    let begins = site.starts_with("www.")
        || !host.contains(is_middle_dot) && !host.contains(is_circled_letter) && site.contains('.');
    (begins && is_of_letters(address) && address.contains('.') && is_of_letters(site))
        .then_some([address, site])
}

/// Whether some registry may have a name with a character beyond ASCII in it: a letter, or a picture.
fn is_registered(c: char) -> bool {
    !c.is_ascii() && (c.is_alphanumeric() || c >= '\u{2600}')
}

/// Whether a reader sees in a sign a line or a picture: neither a dot nor a hyphen, nor what ends a host.
fn is_symbol(c: char) -> bool {
    matches!(c, '¦' | '‖' | '\u{2190}'..='\u{2BFF}' | '\u{1F300}'..='\u{1FAFF}')
        && !is_list_sign(c)
        && !reads_as_punctuation(c)
        && !ends_host_to_a_reader(c)
}

/// The names before and behind the only sign, which separates words for people and is a letter for browsers.
fn names_around_sign(host: &str) -> Option<[&str; 2]> {
    let (before, behind) = host.split_once(separates_names)?;
    let is_name = |name: &str| is_of_letters(name) && name.contains('.');
    (is_name(before) && is_name(behind)).then_some([before, behind])
}

/// Whether all that a name has beyond ASCII are letters, marks and digits, none of which reads as a sign.
fn is_of_letters(name: &str) -> bool {
    let is_sign = |c: char| {
        separates_names(c) || reads_as_punctuation(c) || is_list_sign(c) || ends_host_to_a_reader(c)
    };
    let is_written = |c: char| is_letter(c) || is_mark(c) || numeral_zero(c).is_some();
    name.is_ascii() || name.chars().all(|c| c.is_ascii() || is_written(c) && !is_sign(c))
}

/// The host behind a number in digits beyond ASCII, which a hyphen or an underscore ends if it does not begin with `www.`:
/// `۱-www.example.com`, `۰۲۱-۱۲۳۴-example.com`. Some digits have the shape of letters: `০` alone would make a name whole.
fn behind_number(host: &str) -> Option<&str> {
    let zero = host.chars().next().and_then(numeral_zero).filter(|zero| !zero.is_ascii())?;
    let of_number = |c: char| matches!(c, '-' | '_') || numeral_zero(c) == Some(zero);
    let plain = host.trim_start_matches(of_number);
    let number = host.get(..host.len() - plain.len())?;
    let is_apart = number.ends_with(['-', '_']) || begins_with_www(plain);
    let is_host = plain.is_ascii() && plain.contains('.') && !plain.starts_with('.');
    (is_apart && is_host).then_some(plain)
}

/// The host behind a number or sign of a list, and a word before that: `①example.com`, `①·example.com`,
/// `note¹www.example.com`.
fn without_list_sign(host: &str) -> Option<&str> {
    let sign = host.find(|c: char| !c.is_ascii_alphanumeric())?;
    let mut plain = host.get(sign..)?.trim_start_matches(is_list_sign);
    if sign == 0 && plain.len() < host.len() {
        plain = plain.strip_prefix(is_middle_dot).unwrap_or(plain);
    }
    let site = host.trim_start_matches(is_note);
    if begins_with_www(site) {
        plain = site;
    }
    let is_list = sign + plain.len() < host.len() && plain.is_ascii();
    (is_list && plain.contains('.') && !plain.starts_with(['.', '-'])).then_some(plain)
}

/// The raised letter of a note, and quotation marks that are letters: `ᵃwww.example.com`, `ʻwww.example.comʼ`.
fn is_note(c: char) -> bool {
    matches!(c, 'ᵃ' | 'ᵇ' | 'ᶜ' | 'ᵈ' | 'ᵉ' | 'ᶠ' | 'ᵍ' | 'ʰ' | 'ⁱ' | 'ˣ' | 'ʻ' | 'ʼ' | 'ʽ')
}

/// Whether nothing that is seen is in front of a suffix: `&zwnj;.com`, which no program links so.
fn is_suffix_alone(host: &str) -> bool {
    host.trim_start_matches(is_joiner).starts_with('.')
}

/// Whether a host is a word in phonetic letters, by the mark of its stress: `/ˈɡa.to/`, `ha.ˈwaj.ʔi`.
fn is_phonetic(host: &str) -> bool {
    host.split('.').any(|syllable| syllable.starts_with(['ˈ', 'ˌ']))
}
