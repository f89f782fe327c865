//! Judges links: the host that one leads to, and everything else in it.
//!
//! | clause | item |
//! | --- | --- |
//! | S5, S29: userinfo, backslashes | [`userinfo`], `after_backslash` |
//! | S15: characters that turn or hide | `unseen` |
//! | S22: script mixing in path, query, fragment | `mixes_in_path` |
//! | RFC 3696 §3, S14, S16: local parts | `local` |
//! | URLs inside URLs | [`embedded`] |
//!
//! The pieces are those that [`link`](uts58) read; nothing is parsed here.

use std::borrow::Cow;
use std::sync::Arc;

use super::embedded::{self, Rejected};
use super::userinfo;
use crate::verdict::{Edit, Reason, Reasons, Verdict};
use crate::{Context, HostBounds, Judgement, judge, mixes_scripts};
use uts58::scheme::{self, Does};
use uts58::unicode::hosts::{is_bidi_control, is_invisible};
use uts58::{Kind, Link, LocalForm, mailto, percent, reference};

/// The judgement of a link: the worst of its hosts, and reasons from the rest of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkJudgement {
    /// The worst of all hosts of the link.
    pub verdict: Verdict,
    /// Reasons against any part of the link.
    pub reasons: Reasons,
    /// Whether a client would open it and a reader would take it for another one.
    pub edit: Edit,
    /// The host that the link leads to; the first of several addressees.
    pub host: Option<Arc<Judgement>>,
    /// Hosts of URLs inside it, further addressees, and a host in its userinfo.
    pub inner: Vec<Judgement>,
    /// Index of the one that a rewriter's link leads to.
    pub leads: Option<usize>,
    /// How much was judged as a host inside it, and is none or deceives nobody.
    pub rejected: Rejected,
}

/// Judges a link of this text.
pub fn judge_link(text: &str, link: &Link, context: &Context<'_>) -> LinkJudgement {
    let host = judge(&spelled_host(text, link), context);
    let mut judgement = carried(text, link, &host, context);
    judgement.set_host(Arc::new(host));
    judgement
}

/// The host of a link as it is judged: an address literal without the brackets of mail (S16).
pub fn spelled_host<'t>(text: &'t str, link: &Link) -> Cow<'t, str> {
    let host = link.host_str(text);
    let literal = if link.kind == Kind::Email { mailto::literal(host) } else { None };
    literal.map_or(Cow::Borrowed(host), Cow::Owned)
}

/// Judges what a link of this text contains beside its host.
pub fn carried(text: &str, link: &Link, host: &Judgement, context: &Context<'_>) -> LinkJudgement {
    // The judgement of the host is added by the caller.
    let mut judgement = LinkJudgement { edit: Edit::Inert, ..LinkJudgement::default() };
    let user = link.user.clone().and_then(|user| text.get(user));
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    match (link.kind, user) {
        (Kind::Email, local) => judgement.local(local.unwrap_or_default()),
        (_, Some(user)) if is_account(text, link, user) => {}
        (_, Some(user)) => judgement.userinfo(user, host, context),
        (_, None) => {}
    }
    if let Some(host) = reference::after_backslash(tail) {
        judgement.after_backslash(host, is_path_of_disk(text, link), context);
    }
    judgement.tail(&host.ascii, tail, context);
    judgement
}

/// Whether a backslash behind a host is that of a path or a login: no client reads userinfo without a scheme, or behind a
/// directory: `\\example.com\mail\ann@example.org`, `example.com\ann`, `C:\www.example.com\ann@example.org`.
fn is_path_of_disk(text: &str, link: &Link) -> bool {
    let before = text.get(..link.span.start).unwrap_or_default();
    let directory = before.strip_suffix('\\').unwrap_or_default();
    link.kind == Kind::Bare
        || link.kind == Kind::Www && directory.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether userinfo is an account name, as its scheme defines it, and nothing that a reader takes
/// for a host: `ssh://git@github.com/a/b.git`.
fn is_account(text: &str, link: &Link, user: &str) -> bool {
    let before = text.get(link.span.start..link.host.start).unwrap_or_default();
    let scheme = before.split(':').next().unwrap_or_default();
    let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let name = scheme.rsplit(|c| !belongs(c)).next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    scheme::does(name) == Some(Does::Account) && user.chars().all(plain)
}

impl LinkJudgement {
    /// The host in ASCII form, empty if there is none.
    pub fn ascii(&self) -> &str {
        self.host.as_ref().map(|host| host.ascii.as_str()).unwrap_or_default()
    }

    /// The host in Unicode form, empty if there is none.
    pub fn unicode(&self) -> &str {
        self.host.as_ref().map(|host| host.unicode.as_str()).unwrap_or_default()
    }

    /// The protected name that one of the hosts resembles.
    pub fn target(&self) -> Option<&str> {
        self.hosts().find_map(|host| host.target.as_deref())
    }

    /// All hosts, the one that the link leads to first.
    pub fn hosts(&self) -> impl Iterator<Item = &Judgement> {
        self.host.as_deref().into_iter().chain(&self.inner)
    }

    /// Adds a reason for the whole link.
    pub fn add(&mut self, reason: Reason) {
        self.add_as(reason, reason.verdict());
    }

    fn add_as(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
        if verdict >= Verdict::Unsafe {
            self.edit = self.edit.max(Edit::Link);
        }
    }

    /// Sets the host that the link leads to.
    fn set_host(&mut self, host: Arc<Judgement>) {
        self.verdict = self.verdict.max(host.verdict);
        self.reasons = self.reasons.union(host.reasons);
        self.edit = self.edit.max(host.edit);
        self.host = Some(host);
    }

    fn add_host(&mut self, host: Judgement) {
        self.verdict = self.verdict.max(host.verdict);
        self.reasons = self.reasons.union(host.reasons);
        self.edit = self.edit.max(host.edit);
        self.inner.push(host);
    }

    /// Userinfo is suspect; if it reads as a host of another owner, it is unsafe.
    fn userinfo(&mut self, user: &str, host: &Judgement, context: &Context<'_>) {
        self.note_invisible(user);
        let mut read = userinfo::hosts(user, context);
        if !read.is_empty() && userinfo::leads_there(user, &read, host, context) {
            read.clear();
        }
        let verdict = match read.is_empty() {
            true => Reason::Userinfo.verdict(),
            false => Verdict::Unsafe,
        };
        self.add_as(Reason::Userinfo, verdict);
        for host in read {
            self.add_host(host);
        }
    }

    /// The local part of an address, as a URL spells it. Mail with misplaced dots is delivered
    /// anyway: it is reported, not defanged.
    fn local(&mut self, local: &str) {
        let decoded: Cow<'_, str> = match local.contains('%') {
            true => Cow::Owned(percent::decode_text(local)),
            false => Cow::Borrowed(local),
        };
        if decoded.contains(is_bidi_control) {
            self.add(Reason::BidiControl);
        } else {
            self.note_invisible(&decoded);
        }
        // `%` itself is a character of local parts.
        if LocalForm::read(&decoded).is_err() && LocalForm::read(local).is_err() {
            self.add(Reason::AddressInvalid);
        }
    }

    /// Path, query and fragment.
    fn tail(&mut self, host: &str, tail: &str, context: &Context<'_>) {
        #[cfg(feature = "senders")]
        let is_in_host = super::wrappers::name_end_in_host(host);
        #[cfg(not(feature = "senders"))]
        let is_in_host = false;
        if tail.len() <= 1 && !is_in_host {
            return;
        }
        self.note_invisible(tail);
        if mixes_in_path(tail, context) {
            self.add(Reason::ScriptPath);
        }
        let inside = embedded::find(host, tail, context);
        if inside.userinfo {
            self.add_as(Reason::Userinfo, Verdict::Unsafe);
        }
        self.rejected = inside.rejected;
        for host in inside.hosts {
            self.add(Reason::EmbeddedUrl);
            self.add_host(host);
        }
        if let Some(led) = embedded::target_host(host, tail) {
            let judged = inside.judged.into_iter().find(|(spelling, _)| *spelling == led);
            let again = || judge(&led, &Context { bounds: HostBounds::Certain, ..*context }).ascii;
            let led = judged.map_or_else(|| Some(again()), |(_, ascii)| ascii);
            self.leads = self.inner.iter().position(|host| Some(&host.ascii) == led.as_ref());
        }
    }

    /// `https://example.com\\@attack.example`: browsers open the first host, clients that take the
    /// backslash for userinfo the second. In a path the second may be that of a mail address.
    fn after_backslash(&mut self, host: &str, in_path: bool, context: &Context<'_>) {
        if !in_path {
            self.add(Reason::Userinfo);
        } else if !host.rsplit_once('.').is_some_and(|(_, last)| context.tlds.exists_as(last)) {
            return;
        }
        self.add_host(judge(host, context));
    }

    fn note_invisible(&mut self, text: &str) {
        if !text.is_ascii() && text.contains(is_invisible) {
            self.add(Reason::InvisibleRemoved);
        }
    }
}

/// S22: each path segment or query value by itself, after percent-decoding. Words in a segment are
/// not separated: it is a notice.
fn mixes_in_path(tail: &str, context: &Context<'_>) -> bool {
    if tail.is_ascii() && !tail.contains('%') {
        return false;
    }
    tail.split(['/', '?', '#', '&', '=', ';']).any(|segment| {
        let decoded = percent::decode(segment);
        std::str::from_utf8(&decoded.bytes)
            .is_ok_and(|text| !text.is_ascii() && mixes_scripts(text, context.level))
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{HostBounds, Names};
    use uts58::Target;
    use uts58::tlds::TldTable;

    fn with_context<T>(blocked: &Names, judge: impl FnOnce(&Context<'_>) -> T) -> T {
        let (protected, none) = (Names::new(["paypal.com"]), Names::default());
        let tlds = TldTable::new(["com", "org", "xn--p1ai"], "");
        judge(&Context { blocked, ..crate::tests::context(&protected, &none, &tlds) })
    }

    /// The judgement of the first link of an attribute.
    pub(crate) fn url(value: &str) -> LinkJudgement {
        judged(value, &Names::default())
    }

    /// The same with a blocked name.
    pub(crate) fn blocking(value: &str, name: &str) -> LinkJudgement {
        judged(value, &Names::new([name]))
    }

    fn judged(value: &str, blocked: &Names) -> LinkJudgement {
        let value = value.replace(reference::is_stripped, "");
        let link = reference::parse(&value, 0..value.len()).find_map(|target| match target {
            Target::Link(link) => Some(link),
            Target::Dangerous { .. } => None,
        });
        link.map_or_else(LinkJudgement::default, |link| {
            with_context(blocked, |context| judge_link(&value, &link, context))
        })
    }

    fn reasons(text: &str) -> Vec<Reason> {
        url(text).reasons.iter().collect()
    }

    #[test]
    fn what_a_url_does_beside_its_host() {
        for (text, reason, verdict) in [
            ("https://www.paypal.com@evil.example", Reason::Userinfo, Verdict::Unsafe),
            ("https://www%2Epaypal.com@evil.example", Reason::Userinfo, Verdict::Unsafe),
            ("https://www.paypal.com、@evil.example", Reason::Userinfo, Verdict::Unsafe),
            ("https://x:www.paypal.com@evil.example", Reason::Userinfo, Verdict::Unsafe),
            ("https://(paypal.com)@evil.example", Reason::Userinfo, Verdict::Unsafe),
            ("https://user:se.com@example.com/", Reason::Userinfo, Verdict::Suspect),
            (
                "https://example.com/?u=http://paypal.com@example.org",
                Reason::Userinfo,
                Verdict::Unsafe,
            ),
            (
                "https://example.com/?u=http://a.com,b@example.org",
                Reason::EmbeddedUrl,
                Verdict::Notice,
            ),
            ("https://john.smith@example.com/", Reason::Userinfo, Verdict::Suspect),
            ("https://ann%40example.com@dav.example.com/", Reason::Userinfo, Verdict::Suspect),
            ("https://ann%40example.org@dav.example.com/", Reason::Userinfo, Verdict::Unsafe),
            ("https://example.com:secret@dav.example.com/", Reason::Userinfo, Verdict::Suspect),
            ("https://example.com:www.paypal.com@example.com/", Reason::Userinfo, Verdict::Unsafe),
            (
                "https://www.paypal.com%40example.com@example.com/",
                Reason::Userinfo,
                Verdict::Unsafe,
            ),
            ("https://www.paypal.com.example.com@example.com/", Reason::Userinfo, Verdict::Unsafe),
            ("https://user:secret@example.com/", Reason::Userinfo, Verdict::Suspect),
            ("https://example.com\\@attack.example", Reason::Userinfo, Verdict::Suspect),
            ("https://example.com\\a@раypal.com:80/", Reason::Userinfo, Verdict::Unsafe),
            ("https://example.com/?u=https://example.org/", Reason::EmbeddedUrl, Verdict::Notice),
            ("https://example.com/iPhone_%E0%B8%A3%E0%B8%B2", Reason::ScriptPath, Verdict::Notice),
            ("https://example.com/a\u{ad}b", Reason::InvisibleRemoved, Verdict::Notice),
            ("https://%65xample.com/", Reason::EncodedHost, Verdict::Suspect),
            ("http://0x7f.1/", Reason::NumericHost, Verdict::Suspect),
            ("mailto:a..b@example.com", Reason::AddressInvalid, Verdict::Notice),
        ] {
            let link = url(text);
            assert!(link.reasons.contains(reason), "{text}: {:?}", reasons(text));
            assert_eq!(link.verdict, verdict, "{text}");
        }
        for account in [
            "ssh://git@example.org/a/b.git",
            "git+ssh://git@example.org/a.git",
            "svn+ssh://ann-b@example.org/x",
            "SFTP://ann@example.org:22/",
        ] {
            assert_eq!(reasons(account), [], "{account}");
        }
        for written in [
            "ssh://www.paypal.com@attack.example/",
            "ssh://ann:secret@example.org/",
            "ssh://p%61ypal@example.org/",
            "sshx://git@example.org/",
            "https://git@example.org/",
        ] {
            assert!(url(written).reasons.contains(Reason::Userinfo), "{written}");
        }
        assert_eq!(reasons("https://example.com/a%20b?c=d#e"), []);
        assert_eq!(reasons("mailto:%22a%20b%22@[192.0.2.1]"), []);
    }

    #[test]
    fn a_rewriters_link_leads_where_it_led() {
        for (text, led) in [
            (
                "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.example.org%2F",
                Some("www.example.org"),
            ),
            (
                "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Furldefense.com%2Fv3%2F__https%3A%2F%2Fa.example.com%2F__%3B!!a%24",
                Some("a.example.com"),
            ),
            (
                "https://www.google.com/url?q=https://example.org/?u=https://other.com/",
                Some("example.org"),
            ),
            // What a link contains is not where it leads, and a token does not say where.
            ("https://example.com/?u=https://example.org/", None),
            ("https://u1.ct.sendgrid.net/ls/click?upn=AbC", None),
        ] {
            let link = url(text);
            let host = link.leads.and_then(|leads| link.inner.get(leads));
            assert_eq!(host.map(|host| host.ascii.as_str()), led, "{text}");
        }
    }

    fn url_like() -> impl Strategy<Value = String> {
        let scheme = prop::sample::select(vec!["http:", "HTTPS:", "ftp:", "wss:", "foo:", ""]);
        let slashes = prop::sample::select(vec!["//", "/", "", "\\\\", "/\\", "///"]);
        let user = prop::sample::select(vec!["", "u@", "u:p@", "a@b@", "ex.com@"]);
        let host = "[a-c0-9ü.\u{3002}-]{1,12}|\\[::1\\]|0x7f\\.1|%65x\\.com|раypal\\.com";
        let rest = "(:[0-9]{0,4})?([/?#\\\\][a-c@:/?#%\\\\]{0,6})?";
        (scheme, slashes, user, host, rest).prop_map(|(scheme, slashes, user, host, rest)| {
            format!("{scheme}{slashes}{user}{host}{rest}")
        })
    }

    proptest! {
        /// The url crate agrees: where it finds a host, we find the same.
        #[test]
        fn browsers_agree_on_the_host(text in url_like()) {
            if let Ok(parsed) = ::url::Url::parse(&text)
                // A host that is nothing but dots does not count.
                && let Some(host) = parsed.host_str().filter(|host| !host.trim_matches('.').is_empty())
                && parsed.scheme() != "foo"
            {
                let found = url(&text);
                let root = host.strip_suffix('.').filter(|name| !name.is_empty()).unwrap_or(host);
                if found.verdict < Verdict::Invalid {
                    prop_assert_eq!(found.ascii(), root);
                }
            }
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,80}", left: bool) {
            url(&text);
            with_context(&Names::default(), |context| {
                let bounds = if left { HostBounds::Prose } else { HostBounds::Certain };
                let context = Context { bounds, ..*context };
                let span = judge(&text, &context).span;
                assert!(text.get(span).is_some());
            });
        }
    }
}
