//! Words before an `@` and numbers behind a word that pose as nobody: logins (`https://firma@dev.azure.com`) and servers
//! (`app13.example.com`).

use core::net::Ipv4Addr;

use super::judged::Judged;
use super::sign_roles::reads_as_punctuation;
use super::userinfo;
use super::{HostBounds, Judge, Judgement, Section, Sender, registrable, same_domain};
use crate::outcome::{Reason, Reasons, Verdict};
use homograph::ends_host_to_a_reader;
use maillinks::file_servers::is_name_of_own_network;
use uts58::scheme::{self, Does};
use uts58::unicode::hosts::is_mark;
use uts58::unicode::is_letter;
use uts58::{Kind, Link, reference};

/// What servers are called, where digits behind it are a number. With look-alikes for digits they are known names:
/// `app13`, `post3`.
const SERVERS: [&str; 24] = [
    "api", "app", "apps", "build", "cache", "cloud", "db", "dev", "file", "host", "mail", "media",
    "mon", "news", "node", "open", "post", "print", "proxy", "server", "shop", "srv", "test",
    "web",
];

/// Digits of the number of a server at most.
const DIGITS: usize = 4;

/// The login that routers and cameras of the own network come with, although a known name has it for a label.
const ADMINISTRATOR: &str = "admin";

/// Bytes of a login that is a word at most.
const LOGIN: usize = 64;

impl Judge<'_> {
    /// Lowers the verdict of a link with a login that is one word, perhaps with a key behind it
    /// (`https://oauth2:key@gitlab.com/`), and no name that readers know.
    pub(super) fn downgrade_login(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        if judged.verdict != Verdict::Suspect
            || link.kind != Kind::Scheme
            || !judged.inner.is_empty()
            || !has_only(judged.reasons, Reason::Userinfo)
        {
            return;
        }
        let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
        let (name, password) = user.split_once(':').unwrap_or((user, ""));
        if is_password(password) && self.is_own_site(name, judged) {
            judged.verdict = Verdict::Notice;
            return;
        }
        // Brackets around a name alone are left of a letter that a sender forgot to fill in.
        let is_of_repository = is_of_repository(text, link);
        let is_variable = name.starts_with('$') || is_of_repository;
        let word = match is_variable {
            _ if is_masked(name) => MASK,
            true => in_placeholder(name),
            false => name,
        };
        let key = if is_masked(password) { MASK } else { in_placeholder(password) };
        let is_name = |name: &str| match is_of_repository {
            true => name.split('.').all(is_login),
            false => is_login(name),
        };
        if !is_name(word) || !is_password(key) {
            return;
        }
        // What a placeholder is called may name the host that it is for.
        let is_written = word.len() + key.len() == name.len() + password.len();
        let sender = if is_written { "" } else { link.host_str(text) };
        let mut claims = |text: &str| {
            let sender = Sender { local: "", host: sender };
            self.is_label_of_name(&text.to_ascii_lowercase())
                || self.impersonated(text, sender).is_some()
        };
        let address = link.host_str(text).parse::<Ipv4Addr>();
        let is_own = match address {
            Ok(address) => address.is_private() || address.is_link_local(),
            Err(_) => is_name_of_own_network(link.host_str(text)),
        };
        let is_everybodys =
            |part: &str| is_own && part.split(':').all(|word| word == ADMINISTRATOR);
        let parts = word.split('.').chain([key, user]).filter(|part| !is_everybodys(part));
        if !parts.into_iter().any(&mut claims)
            && self.is_plain(link.host_str(text))
            && [word, key].into_iter().all(|word| self.is_sound_word(word))
        {
            judged.verdict = Verdict::Notice;
        }
    }

    /// Whether no letter of a login looks like one of another alphabet or like a sign that ends a name.
    fn is_sound_word(&mut self, word: &str) -> bool {
        let mut pieces = word.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
        word.is_ascii()
            || pieces.all(|piece| piece.is_ascii() || self.is_plain(&format!("{piece}.com")))
    }

    /// Whether a login is a host of the domain that the link leads to, as hosters call accounts, and nobody knows it.
    fn is_own_site(&self, name: &str, judged: &Judged) -> bool {
        let is_of_host = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-');
        name.bytes().all(is_of_host)
            && judged.host.as_deref().is_some_and(|host| {
                self.is_unknown(host) && same_domain(&name.to_ascii_lowercase(), &host.ascii)
            })
    }

    /// Lowers the verdict of an address of the own network whose numbers are padded (`192.168.001.050`), and of a number
    /// behind a scheme that leads to no host (`outbind://66/`).
    pub(super) fn downgrade_number(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        let own = |judged: &Judged| {
            judged.host.as_ref().is_some_and(|read| is_padded(link.host_str(text), &read.ascii))
        };
        if judged.verdict == Verdict::Suspect
            && judged.inner.is_empty()
            && has_only(judged.reasons, Reason::NumericHost)
            && (own(judged) || !leads_to_host(text, link))
        {
            judged.verdict = Verdict::Notice;
        }
    }

    /// Lowers the verdict of a site behind which data escapes the end of a line and has a mail address, if nobody knows the
    /// site or both have one owner: `www.example.com\nann@example.org`. Browsers take the backslash for a slash; no host
    /// has the quote at the end of a string of JSON.
    pub(super) fn downgrade_escaped_line(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        let tail = text.get(link.tail.clone()).unwrap_or_default();
        let is_unwritable = |reasons: Reasons| {
            let mut counting = reasons.iter().filter(|reason| reason.verdict() > Verdict::Notice);
            counting.all(|reason| matches!(reason, Reason::Userinfo | Reason::IdnaInvalid))
        };
        let is_cut = |host: &Judgement| {
            host.is_harmless() || tail.contains('"') && is_unwritable(host.reasons)
        };
        if judged.verdict != Verdict::Suspect
            || !["\\n", "\\r", "\\t"].into_iter().any(|end| tail.starts_with(end))
            || !is_unwritable(judged.reasons)
            || !judged.inner.iter().all(is_cut)
        {
            return;
        }
        let Some(site) = judged.host.clone() else { return };
        let line = tail.split('"').next().and_then(reference::after_backslash);
        let Some(address) = line.map(|host| self.host(host, HostBounds::Certain)) else { return };
        let is_apart = self.is_unknown(&site) || self.are_of_one_owner(&site.ascii, &address.ascii);
        if site.is_harmless() && address.is_harmless() && is_apart {
            judged.verdict = Verdict::Notice;
        }
    }

    /// Lowers the verdict of a numbered server below a domain that nothing is against.
    pub(super) fn downgrade_numbered(&mut self, host: &str, judged: &mut Judged) {
        if judged.verdict != Verdict::Suspect
            || !judged.inner.is_empty()
            || !has_only(judged.reasons, Reason::TargetLookalike)
        {
            return;
        }
        let Some((label, rest)) = host.split_once('.') else { return };
        if is_numbered(label)
            && registrable(rest, Section::Private).is_some()
            && self.is_plain(rest)
        {
            judged.downgrade();
        }
    }
}

/// Whether a host is four numbers of three digits at most, some with zeros in front, and private as decimals; if some have
/// fewer than three, also as it is `read`, with octal numbers.
fn is_padded(host: &str, read: &str) -> bool {
    let digits =
        |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
    let parts: Vec<&str> = host.split('.').collect();
    let plain = |part: &&str| match part.trim_start_matches('0') {
        "" => "0".to_owned(),
        part => part.to_owned(),
    };
    parts.iter().all(|part| digits(part))
        && is_private(&parts.iter().map(plain).collect::<Vec<_>>().join("."))
        && (parts.iter().all(|part| part.len() == 3) || is_private(read))
}

/// Whether what is behind the scheme of a link, if it has one, is a host to some program.
fn leads_to_host(text: &str, link: &Link) -> bool {
    let before = text.get(link.span.start..link.host.start).unwrap_or_default();
    let scheme = before.split_once("://").map(|(scheme, _)| scheme::does(scheme));
    !matches!(scheme, Some(None | Some(Does::Address | Does::Message)))
}

fn is_private(address: &str) -> bool {
    address.parse::<Ipv4Addr>().is_ok_and(|address| address.is_private())
}

/// Whether this is the only reason that counts.
pub(super) fn has_only(reasons: Reasons, only: Reason) -> bool {
    reasons.contains(only)
        && reasons.iter().all(|reason| reason == only || reason.verdict() <= Verdict::Notice)
}

/// What programs write in place of a login or a key.
const MASK: &str = "x";

/// Words in brackets that stand for what a log must not hold.
const REDACTED: [&str; 5] = ["filtered", "hidden", "masked", "redacted", "secret"];

/// Whether a login or a key is masked or left open, as logs and formats of programs write it: `****`, `%s`, `[REDACTED]`.
fn is_masked(word: &str) -> bool {
    let inside =
        word.strip_prefix(['[', '<', '(']).and_then(|word| word.strip_suffix([']', '>', ')']));
    let is_redacted = |word: &str| REDACTED.iter().any(|known| word.eq_ignore_ascii_case(known));
    !word.is_empty() && word.chars().all(|c| matches!(c, '*' | '•'))
        || matches!(word, "%s" | "%d" | "%v")
        || inside.is_some_and(is_redacted)
}

/// What stands in a placeholder of scripts and logs, or the word itself: `${TOKEN}`, `[MASKED]`. No host has its signs.
fn in_placeholder(word: &str) -> &str {
    const PAIRS: [[&str; 2]; 4] = [["{{", "}}"], ["{", "}"], ["[", "]"], ["<", ">"]];
    let name = word.strip_prefix('$').unwrap_or(word);
    let mut inside = PAIRS.iter().filter_map(|[open, close]| {
        name.strip_prefix(open).and_then(|name| name.strip_suffix(close))
    });
    inside.next().unwrap_or(name)
}

/// Whether a link is the place of a repository, an index of packages or a folder of Nextcloud, whose users have names with
/// a dot: `git+https:`, `….git`, `--index-url`, `/remote.php/dav`.
fn is_of_repository(text: &str, link: &Link) -> bool {
    let before = text.get(..link.span.start).unwrap_or_default();
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    userinfo::has_accounts(text, link)
        || before.ends_with("git+")
        || tail.split(['@', '#', '?']).next().is_some_and(|path| path.ends_with(".git"))
}

/// A word or a key, in any script (`имя_пользователя`). A known name would be told by its letters.
fn is_login(user: &str) -> bool {
    let is_word = |c: char| is_of_word(c) || matches!(c, '-' | '_');
    let is_coded = user.get(..4).is_some_and(|mark| mark.eq_ignore_ascii_case("xn--"));
    (1..=LOGIN).contains(&user.len()) && user.chars().all(is_word) && !is_coded
}

/// A key, or nothing. Nothing in it ends a host.
fn is_password(password: &str) -> bool {
    let of_key = |c: char| is_of_word(c) || "-_~!$*+=".contains(c);
    password.len() <= LOGIN && password.chars().all(of_key)
}

fn is_of_word(c: char) -> bool {
    let ends_name = || reads_as_punctuation(c) || ends_host_to_a_reader(c);
    c.is_ascii_alphanumeric() || !c.is_ascii() && (is_letter(c) || is_mark(c)) && !ends_name()
}

fn is_numbered(label: &str) -> bool {
    let name = label.trim_end_matches(|c: char| c.is_ascii_digit());
    (1..=DIGITS).contains(&(label.len() - name.len()))
        && SERVERS.iter().any(|server| name.eq_ignore_ascii_case(server))
}
