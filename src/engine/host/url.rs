//! Judges URLs and mail addresses: where they lead, and what they carry inside.
//!
//! | clause | item |
//! | --- | --- |
//! | WHATWG URL §4.4 basic URL parser: controls, tabs, newlines, backslashes, `http:host` | [`split`] |
//! | RFC 6068 `mailto:` | `mailto` |
//! | S22 script mixing in path, query, fragment | `mixes_in_path` |
//! | S28 URLs in attributes are read as browsers do | [`judge_url`] |
//! | DESIGN: userinfo, dangerous schemes, embedded URLs | `judge_userinfo`, `is_dangerous`, `embedded` |

use std::collections::VecDeque;

use super::{Context, Glue, Judgement, judge, mixes_scripts, percent, wrappers};
use crate::engine::outcome::{Reason, Reasons, Verdict};

/// What a reader's client does with the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Navigation {
    /// Goes there on a click, or sends a form there: `href`, `action`, meta refresh.
    Navigates,
    /// Loads it as a part of the page: `src`, `srcset`, `url()` in CSS.
    Loads,
}

/// What a link turned out to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No host: a path, a fragment, `tel:`, `cid:`.
    #[default]
    Other,
    /// A host, named by a URL or bare.
    Url,
    /// A mail address or `mailto:`.
    Mail,
}

impl Kind {
    /// The word used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Other => "other",
            Kind::Url => "url",
            Kind::Mail => "mail",
        }
    }
}

/// What was found of a link: the worst of its hosts, and what the rest of it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkJudgement {
    pub verdict: Verdict,
    pub reasons: Reasons,
    pub kind: Kind,
    /// The host that the link leads to; of several addressees the first.
    pub host: Option<Judgement>,
    /// Hosts of URLs inside it, further addressees, and a host in its userinfo.
    pub inner: Vec<Judgement>,
}

/// URLs inside a URL that are followed at most, and how deep they may nest: rewriters wrap
/// rewriters, and nobody more than three.
pub const EMBEDDED: usize = 16;
pub const NESTING: u8 = 6;

/// Addressees of one `mailto:` that are judged.
pub const ADDRESSEES: usize = 64;

/// Bytes of a URL that are searched for URLs; a longer tail is data.
pub const SEARCHED_BYTES: usize = 16_384;

/// Authorities inside a URL that are judged, real hosts or not; and times the length of the URL that
/// the links of rewriters inside it may come to, which overlap.
pub const TRIED: usize = 64;
pub const REWRITTEN: usize = 4;

/// Judges a URL of an attribute (entities decoded), as a browser reads it. `context.glue` is
/// ignored: the bounds of an attribute are certain.
pub fn judge_url(url: &str, navigation: Navigation, context: &Context<'_>) -> LinkJudgement {
    let context = Context { glue: Glue::None, ..*context };
    let url = clean(url);
    let Some(parts) = split(&url) else { return LinkJudgement::default() };
    let mut link = LinkJudgement::default();
    if navigation == Navigation::Navigates && is_dangerous(&parts) {
        link.add(Reason::DangerousScheme, Reason::DangerousScheme.verdict());
    }
    if parts.scheme == "mailto" {
        link.mailto(parts.tail, &context);
        return link;
    }
    if let Some(authority) = parts.authority {
        link.kind = Kind::Url;
        link.authority(authority, &context);
        link.behind_backslash(parts.tail, &context);
    }
    link.tail(parts.tail, &context);
    link
}

/// Judges a link of running text by the pieces that the detector found: the userinfo without its
/// `@`, the host, and all from the first `/`, `?` or `#`.
pub fn judge_text(
    user: Option<&str>,
    host: &str,
    tail: &str,
    context: &Context<'_>,
) -> LinkJudgement {
    let mut link = LinkJudgement { kind: Kind::Url, ..LinkJudgement::default() };
    if let Some(user) = user {
        link.userinfo(user, context);
    }
    link.lead(judge(host, context));
    link.tail(tail, context);
    link
}

/// Judges a mail address by its local part and its host.
pub fn judge_address(local: &str, host: &str, context: &Context<'_>) -> LinkJudgement {
    let mut link = LinkJudgement { kind: Kind::Mail, ..LinkJudgement::default() };
    if local.contains(crate::engine::unicode::hosts::is_bidi_control) {
        link.add(Reason::BidiControl, Reason::BidiControl.verdict());
    }
    link.lead(judge(host, context));
    link
}

impl LinkJudgement {
    /// The host in ASCII form, empty when there is none.
    pub fn ascii(&self) -> &str {
        self.host.as_ref().map(|host| host.ascii.as_str()).unwrap_or_default()
    }

    /// The host in Unicode form, empty when there is none.
    pub fn unicode(&self) -> &str {
        self.host.as_ref().map(|host| host.unicode.as_str()).unwrap_or_default()
    }

    /// The protected name that one of the hosts reads as.
    pub fn target(&self) -> Option<&str> {
        self.hosts().find_map(|host| host.target.as_deref())
    }

    /// Every host, where it leads first.
    pub fn hosts(&self) -> impl Iterator<Item = &Judgement> {
        self.host.iter().chain(&self.inner)
    }

    fn add(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }

    /// The host that the link leads to.
    fn lead(&mut self, host: Judgement) {
        if self.host.is_some() {
            self.also(host);
            return;
        }
        self.verdict = self.verdict.max(host.verdict);
        self.reasons = self.reasons.union(host.reasons);
        self.host = Some(host);
    }

    fn also(&mut self, host: Judgement) {
        self.verdict = self.verdict.max(host.verdict);
        self.reasons = self.reasons.union(host.reasons);
        self.inner.push(host);
    }

    fn authority(&mut self, authority: &str, context: &Context<'_>) {
        // Up to the last `@`; browsers take every earlier one as part of the userinfo.
        let host_and_port = match authority.rsplit_once('@') {
            Some((user, rest)) => {
                self.userinfo(user, context);
                rest
            }
            None => authority,
        };
        self.lead(judge(strip_port(host_and_port), context));
    }

    /// `https://example.com\\@attack.example`: browsers go to the former, what takes the backslash
    /// for userinfo to the latter.
    fn behind_backslash(&mut self, tail: &str, context: &Context<'_>) {
        let Some(rest) = tail.strip_prefix('\\') else { return };
        let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if let Some((_, host)) = rest.rsplit_once('@') {
            self.add(Reason::Userinfo, Reason::Userinfo.verdict());
            self.also(judge(strip_port(host), context));
        }
    }

    /// Userinfo is suspect; one that reads as a host deceives.
    fn userinfo(&mut self, user: &str, context: &Context<'_>) {
        let decoded = percent::decode_text(user);
        let name = decoded.split(':').next().unwrap_or_default();
        // `https://www.example.com/login@evil.test` is a path, but in `…com%2Flogin@…` it is not.
        let name = name.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        let host = judge(name, context);
        let exists = host
            .ascii
            .rsplit_once('.')
            .is_some_and(|(_, tld)| context.tlds.contains(tld) || super::is_special_use(tld));
        let reads_as_host = exists
            || context.protected.covers(&host.ascii)
            || context.own.covers(&host.ascii)
            || host.target.is_some();
        let verdict = if reads_as_host { Verdict::Unsafe } else { Reason::Userinfo.verdict() };
        self.add(Reason::Userinfo, verdict);
        if reads_as_host {
            self.also(host);
        }
    }

    /// Path, query and fragment.
    fn tail(&mut self, tail: &str, context: &Context<'_>) {
        if tail.len() <= 1 {
            return;
        }
        if mixes_in_path(tail, context) {
            self.add(Reason::ScriptPath, Reason::ScriptPath.verdict());
        }
        let own = self.ascii().to_owned();
        for host in embedded(&own, tail, context) {
            self.add(Reason::EmbeddedUrl, Reason::EmbeddedUrl.verdict());
            self.also(host);
        }
    }

    /// RFC 6068: addressees in the path, and in the fields `to`, `cc`, `bcc`.
    fn mailto(&mut self, tail: &str, context: &Context<'_>) {
        self.kind = Kind::Mail;
        let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
        let query = query.split('#').next().unwrap_or_default();
        let fields = query.split('&').filter_map(|field| {
            let (name, value) = field.split_once('=')?;
            ["to", "cc", "bcc"]
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
                .then_some(value)
        });
        for list in std::iter::once(path).chain(fields) {
            for address in list.split(',').take(ADDRESSEES) {
                let address = percent::decode_text(address);
                if self.inner.len() < ADDRESSEES
                    && let Some((_, host)) = address.trim().rsplit_once('@')
                {
                    self.lead(judge(host.trim_end_matches('>'), context));
                }
            }
        }
    }
}

/// A URL in its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Split<'a> {
    /// As spelled, without its colon; empty for a relative URL.
    pub scheme: &'a str,
    /// What stands between the slashes and the path; `None` when there is no authority.
    pub authority: Option<&'a str>,
    /// Path, query and fragment.
    pub tail: &'a str,
    /// Backslashes where slashes should be, in front of the authority.
    pub slashes: Slashes,
}

/// What stands in front of the authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slashes {
    Forward,
    /// `\\host`: a UNC path to Windows.
    Backward,
}

/// WHATWG URL §4.4 step 1–3: no control or space round it, no tab or newline in it.
fn clean(url: &str) -> String {
    url.trim_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "")
}

/// Takes a cleaned URL apart as a browser does; `None` for the empty one.
pub(super) fn split(url: &str) -> Option<Split<'_>> {
    if url.is_empty() {
        return None;
    }
    let (scheme, rest) = split_scheme(url);
    let special = is_special(scheme);
    let slash = |c: char| c == '/' || special && c == '\\';
    let after = rest.trim_start_matches(slash);
    let count = rest.len() - after.len();
    let slashes = if rest.starts_with('\\') { Slashes::Backward } else { Slashes::Forward };
    // A special scheme takes any number of slashes, even none (`http:evil.example`).
    let has_authority = match scheme {
        "" => count >= 2,
        _ if scheme.eq_ignore_ascii_case("file") => count == 2,
        _ if special => true,
        _ => rest.starts_with("//"),
    };
    if !has_authority {
        return Some(Split { scheme, authority: None, tail: rest, slashes });
    }
    let body = if special || scheme.is_empty() { after } else { rest.get(2..).unwrap_or_default() };
    let end = body.find(|c| slash(c) || matches!(c, '?' | '#')).unwrap_or(body.len());
    let (authority, tail) = body.split_at_checked(end)?;
    Some(Split { scheme, authority: Some(authority), tail, slashes })
}

fn split_scheme(url: &str) -> (&str, &str) {
    let Some((scheme, rest)) = url.split_once(':') else { return ("", url) };
    let mut bytes = scheme.bytes();
    let valid = bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if valid { (scheme, rest) } else { ("", url) }
}

/// WHATWG URL §4.2; a relative URL in mail has no base, so that `\\host` counts as well.
fn is_special(scheme: &str) -> bool {
    ["", "http", "https", "ftp", "ws", "wss", "file"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Schemes that run code, read files or start programs, and network paths.
fn is_dangerous(parts: &Split<'_>) -> bool {
    const SCHEMES: [&str; 14] = [
        "javascript",
        "vbscript",
        "livescript",
        "mocha",
        "data",
        "file",
        "smb",
        "search",
        "shell",
        "mhtml",
        "mk",
        "jar",
        "view-source",
        "ldap",
    ];
    const FAMILIES: [&str; 2] = ["ms-", "search-ms"];
    let scheme = parts.scheme.to_ascii_lowercase();
    let network =
        parts.scheme.is_empty() && parts.slashes == Slashes::Backward && parts.authority.is_some();
    network
        || SCHEMES.contains(&scheme.as_str())
        || FAMILIES.iter().any(|family| scheme.starts_with(family))
}

fn strip_port(host_and_port: &str) -> &str {
    match host_and_port.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host_and_port,
    }
}

/// S22: mixed per path segment or query value, after percent-decoding. Words in a segment are
/// not told apart: it is a notice.
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

/// Hosts of the URLs inside a URL: unwrapped from a rewriter, or spelled out in it, at whatever
/// level of percent-encoding. What a URL inside carries stands in the text around it as well, so each
/// text is searched once for each level of encoding; only a rewriter's URL makes a new text.
fn embedded(host: &str, tail: &str, context: &Context<'_>) -> Vec<Judgement> {
    if tail.len() > SEARCHED_BYTES {
        return Vec::new();
    }
    let context = Context { glue: Glue::None, ..*context };
    let mut search = Search {
        context,
        found: Vec::new(),
        tried: Vec::new(),
        texts: VecDeque::new(),
        left: REWRITTEN * tail.len(),
    };
    search.texts.push_back((host.to_owned(), tail.to_owned(), 0));
    while let Some((host, tail, depth)) = search.texts.pop_front() {
        match wrappers::unwrap(&host, &tail) {
            Some(inner) => {
                let url = clean(&inner);
                if let Some(Split { authority: Some(authority), tail, .. }) = split(&url) {
                    search.url(authority, || tail, depth);
                }
            }
            None => search.spelled_out(tail, depth),
        }
    }
    search.found
}

/// The search for URLs inside one URL.
struct Search<'a> {
    context: Context<'a>,
    found: Vec<Judgement>,
    /// Authorities that were judged, as spelled.
    tried: Vec<String>,
    /// Host and tail of what is still to be searched, and how deep it is nested.
    texts: VecDeque<(String, String, u8)>,
    /// Bytes of further texts that may be searched.
    left: usize,
}

impl Search<'_> {
    /// URLs with a web scheme in the text, decoded until nothing more decodes (as often at most as
    /// redirectors nest).
    fn spelled_out(&mut self, mut text: String, depth: u8) {
        for _ in 0..=NESTING {
            self.literal(&text, depth);
            let decoded = match text.contains('%') {
                true => percent::decode_text(&text),
                false => return,
            };
            if decoded == text {
                return;
            }
            text = decoded;
        }
    }

    fn literal(&mut self, text: &str, depth: u8) {
        for at in memchr::memchr_iter(b':', text.as_bytes()) {
            let (Some(head), Some(rest)) = (text.get(..at), text.get(at + 1..)) else { continue };
            let scheme = ["https", "http", "ftp"].into_iter().find(|name| ends_with(head, name));
            // One slash will do: proxies and sloppy templates lose the other.
            let Some(scheme) = scheme.filter(|_| rest.starts_with(['/', '\\'])) else { continue };
            let slashes = rest.len() - rest.trim_start_matches(['/', '\\']).len();
            let (_, rest) = rest.split_at_checked(slashes).unwrap_or_default();
            let outer = |c: char| matches!(c, '&' | ' ' | '"' | '<' | '>');
            let end = rest.find(|c| outer(c) || matches!(c, '/' | '\\' | '?' | '#'));
            let (authority, tail) =
                rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or_default();
            let url = clean(&format!("{scheme}://{authority}"));
            if let Some(Split { authority: Some(authority), .. }) = split(&url) {
                let tail = || tail.split(outer).next().unwrap_or_default();
                self.url(authority, tail, depth);
            }
        }
    }

    /// Judges a URL inside; one of a rewriter is looked into later.
    fn url<'t>(&mut self, authority: &str, tail: impl FnOnce() -> &'t str, depth: u8) {
        let name = strip_port(authority.rsplit_once('@').map_or(authority, |(_, host)| host));
        if wrappers::rewrites(name) && depth < NESTING {
            let tail = tail();
            let known = |(host, known, _): &(String, String, u8)| host == name && known == tail;
            if let Some(left) = self.left.checked_sub(name.len() + tail.len())
                && !self.texts.iter().any(known)
            {
                self.left = left;
                self.texts.push_back((name.to_ascii_lowercase(), tail.to_owned(), depth + 1));
            }
        }
        if self.tried.len() < TRIED && !self.tried.iter().any(|tried| tried == name) {
            self.tried.push(name.to_owned());
            self.judge(name);
        }
    }

    fn judge(&mut self, name: &str) {
        let judgement = judge(name, &self.context);
        // `…/*http://a.example*http://b.example`: what is no host leads nowhere.
        let nothing = [Reason::IdnaInvalid, Reason::TldSyntax, Reason::TldUnknown];
        let leads_nowhere = name.is_ascii()
            && judgement.reasons.contains(Reason::IdnaInvalid)
            && judgement.reasons.iter().all(|reason| nothing.contains(&reason));
        let is_host = judgement.ascii.contains('.') || judgement.ascii.starts_with('[');
        if is_host
            && !leads_nowhere
            && self.found.len() < EMBEDDED
            && self.found.iter().all(|seen| seen.ascii != judgement.ascii)
        {
            self.found.push(judgement);
        }
    }
}

fn ends_with(head: &str, scheme: &str) -> bool {
    head.len()
        .checked_sub(scheme.len())
        .and_then(|at| head.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::host::Names;
    use crate::engine::policy::RestrictionLevel;
    use crate::engine::tlds::TldTable;

    fn with_context<T>(judge: impl FnOnce(&Context<'_>) -> T) -> T {
        let (protected, none) = (Names::new(["paypal.com"]), Names::default());
        let tlds = TldTable::new(["com", "org", "xn--p1ai"], "");
        judge(&Context {
            level: RestrictionLevel::default(),
            protected: &protected,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            glue: Glue::None,
        })
    }

    fn url(url: &str) -> LinkJudgement {
        with_context(|context| judge_url(url, Navigation::Navigates, context))
    }

    fn reasons(text: &str) -> Vec<Reason> {
        url(text).reasons.iter().collect()
    }

    /// S28: as browsers do.
    #[test]
    fn hosts_are_found_where_browsers_find_them() {
        for (spelled, host) in [
            ("https://example.com/path", "example.com"),
            ("http:evil.example", "evil.example"),
            ("https:\\\\evil.example\\x", "evil.example"),
            (" ht\ntps://evil.\texample/ ", "evil.example"),
            ("//evil.example/x", "evil.example"),
            ("https:///evil.example", "evil.example"),
            ("https://a@b@evil.example:8080/@c", "evil.example"),
            ("HTTPS://EVIL.example?x", "evil.example"),
            ("https://[2001:db8::1]:443/", "[2001:db8::1]"),
            ("https://example.com\\@attack.example", "example.com"),
            ("custom://evil.example/x", "evil.example"),
            ("mailto:user@evil.example?subject=x", "evil.example"),
            ("mailto:\"a@b\"@evil.example,c@example.com", "evil.example"),
            ("/path", ""),
            ("#top", ""),
            ("cid:part1@example.com", ""),
            ("tel:+1", ""),
            ("", ""),
        ] {
            assert_eq!(url(spelled).ascii(), host, "{spelled:?}");
        }
    }

    #[test]
    fn what_a_url_does_beside_its_host() {
        for (text, reason, verdict) in [
            ("java\nscript:alert(1)", Reason::DangerousScheme, Verdict::Unsafe),
            ("data:text/html,x", Reason::DangerousScheme, Verdict::Unsafe),
            ("ms-word:ofe|u|https://example.com/", Reason::DangerousScheme, Verdict::Unsafe),
            ("\\\\example.com\\share", Reason::DangerousScheme, Verdict::Unsafe),
            ("file://example.com/share", Reason::DangerousScheme, Verdict::Unsafe),
            ("https://www.paypal.com@evil.example", Reason::Userinfo, Verdict::Unsafe),
            ("https://www%2Epaypal.com@evil.example", Reason::Userinfo, Verdict::Unsafe),
            ("https://john.smith@example.com/", Reason::Userinfo, Verdict::Suspect),
            ("https://user:secret@example.com/", Reason::Userinfo, Verdict::Suspect),
            ("https://example.com\\@attack.example", Reason::Userinfo, Verdict::Suspect),
            ("https://example.com/?u=https://example.org/", Reason::EmbeddedUrl, Verdict::Notice),
            ("https://example.com/iPhone_%E0%B8%A3%E0%B8%B2", Reason::ScriptPath, Verdict::Notice),
            ("https://%65xample.com/", Reason::EncodedHost, Verdict::Suspect),
            ("http://0x7f.1/", Reason::NumericHost, Verdict::Suspect),
        ] {
            let link = url(text);
            assert!(link.reasons.contains(reason), "{text}: {:?}", reasons(text));
            assert_eq!(link.verdict, verdict, "{text}");
        }
        let image = |text| with_context(|context| judge_url(text, Navigation::Loads, context));
        assert_eq!(image("data:image/png;base64,AA==").verdict, Verdict::Ok);
        assert_eq!(reasons("https://example.com/a%20b?c=d#e"), []);
    }

    /// A link is as bad as the worst host inside it, however wrapped.
    #[test]
    fn urls_inside_urls_are_judged() {
        for text in [
            "https://example.com/?u=https%3A%2F%2Fраypal.com%2F",
            "https://example.com/?u=https%253A%252F%252Fxn--ypal-43d9g.com",
            "https://example.com/#HTTPS://раypal.com",
            "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Fxn--ypal-43d9g.com%2F&d=1",
            "https://urldefense.proofpoint.com/v2/url?u=https-3A__xn-2D-2Dypal-2D43d9g.com_x&d=1",
            "https://urldefense.com/v3/__https://xn--ypal-43d9g.com/__;!!a$",
            "https://protect-us.mimecast.com/s/x?domain=xn--ypal-43d9g.com",
            "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Furldefense.com%2Fv3%2F__https%3A%2F%2Fxn--ypal-43d9g.com%2F__%3B!!a%24",
        ] {
            let link = url(text);
            assert_eq!(link.verdict, Verdict::Unsafe, "{text}");
            assert_eq!(link.target(), Some("paypal.com"), "{text}");
        }
    }

    #[test]
    fn addressees_are_bounded() {
        let many = |count: usize| {
            let list: Vec<String> = (0..count).map(|n| format!("a@h{n}.example.com")).collect();
            url(&format!("mailto:a@example.org?cc={}", list.join(","))).inner.len()
        };
        assert_eq!(many(3), 3);
        assert_eq!(many(1_000), ADDRESSEES);
    }

    #[test]
    fn embedded_urls_are_bounded() {
        let many = "https://x.org/?".to_owned() + &"u=https://a.b.example/&".repeat(10_000);
        assert!(url(&many).inner.len() <= EMBEDDED);
        let deep = "https://x.org/?u=".repeat(1000);
        assert!(url(&deep).inner.len() <= EMBEDDED);
    }

    /// Each URL stands in the tail of every one before it: what is searched is counted, or the paths
    /// through them are as many as their subsets.
    #[test]
    fn urls_inside_urls_inside_urls_are_searched_once() {
        for unit in [
            "http://a.co/",
            "http://a.co/?u=",
            "http://a.co/%2525",
            "https://urldefense.com/v3/__",
            "https://x.safelinks.protection.outlook.com/?url=",
            "https%3A%2F%2Fx.safelinks.protection.outlook.com%2F%3Furl%3D",
        ] {
            let link = url(&format!("http://x.co/{}", unit.repeat(200)));
            assert!(!link.inner.is_empty() && link.inner.len() <= EMBEDDED, "{unit}");
        }
    }

    /// Neither many URLs to one host nor one that is spelled out hides another.
    #[test]
    fn a_url_behind_others_is_found() {
        let many = "http://a.co/".repeat(100);
        for text in [
            format!("http://x.co/{many}http://xn--ypal-43d9g.com/"),
            format!("http://x.co/?u={many}&v=http%3A%2F%2Fxn--ypal-43d9g.com"),
            format!("http://x.co/?u={many}&v=http%253A%252F%252Fxn--ypal-43d9g.com"),
            format!(
                "http://x.co/?u={many}&v=https://urldefense.com/v3/__https:/xn--ypal-43d9g.com/__;!!"
            ),
        ] {
            assert_eq!(url(&text).verdict, Verdict::Unsafe, "{text}");
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
        /// The url crate is the second witness: where it finds a host, so do we, and the same.
        #[test]
        fn browsers_agree_on_the_host(text in url_like()) {
            if let Ok(parsed) = ::url::Url::parse(&text)
                && let Some(host) = parsed.host_str().filter(|_| parsed.scheme() != "foo")
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
            with_context(|context| {
                let glue = if left { Glue::Left } else { Glue::None };
                let context = Context { glue, ..*context };
                judge_url(&text, Navigation::Navigates, &context);
                let span = judge(&text, &context).span;
                assert!(text.get(span).is_some());
                judge_text(Some(&text), &text, &text, &context);
                judge_address(&text, &text, &context);
            });
        }
    }
}
