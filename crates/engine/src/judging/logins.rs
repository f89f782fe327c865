//! Words before an `@` and numbers behind a word that pose as nobody: logins (`https://firma@dev.azure.com`) and servers
//! (`app13.example.com`).

use super::{Judge, Section, Sender, registrable};
use crate::judged::Judged;
use crate::outcome::{Reason, Reasons, Verdict};
use uts58::{Kind, Link};

/// What servers are called, where digits behind it are a number. With look-alikes for digits they are known names:
/// `app13`, `post3`.
const SERVERS: [&str; 24] = [
    "api", "app", "apps", "build", "cache", "cloud", "db", "dev", "file", "host", "mail", "media",
    "mon", "news", "node", "open", "post", "print", "proxy", "server", "shop", "srv", "test",
    "web",
];

/// Digits of the number of a server at most.
const DIGITS: usize = 4;

/// Bytes of a login that is a word at most.
const LOGIN: usize = 64;

impl Judge<'_> {
    /// Lowers the verdict of a link with a login that is one word, and no name that readers know.
    pub(super) fn downgrade_login(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        if judged.verdict != Verdict::Suspect
            || link.kind != Kind::Scheme
            || !judged.inner.is_empty()
            || !has_only(judged.reasons, Reason::Userinfo)
        {
            return;
        }
        let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
        if !is_login(user) || self.is_label_of_name(&user.to_ascii_lowercase()) {
            return;
        }
        let nobody = Sender { local: "", host: "" };
        let claims = self.impersonated(user, nobody).is_some();
        if !claims && self.is_plain(link.host_str(text)) {
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

/// Whether this is the only reason that counts.
fn has_only(reasons: Reasons, only: Reason) -> bool {
    reasons.contains(only)
        && reasons.iter().all(|reason| reason == only || reason.verdict() <= Verdict::Notice)
}

/// A word or a key. A known name would be told by its letters.
fn is_login(user: &str) -> bool {
    let is_word = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    let is_coded = user.get(..4).is_some_and(|mark| mark.eq_ignore_ascii_case("xn--"));
    (1..=LOGIN).contains(&user.len()) && user.bytes().all(is_word) && !is_coded
}

fn is_numbered(label: &str) -> bool {
    let name = label.trim_end_matches(|c: char| c.is_ascii_digit());
    (1..=DIGITS).contains(&(label.len() - name.len()))
        && SERVERS.iter().any(|server| name.eq_ignore_ascii_case(server))
}
