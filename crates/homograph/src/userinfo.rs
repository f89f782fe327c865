//! Userinfo that reads as a host: `https://www.paypal.com@attack.example`.

use super::limits::{EMBEDDED, SEARCHED_BYTES, TRIED};
use super::verdict::Verdict;
use super::{
    Context, HostBounds, Judgement, Section, is_protected, is_special_use, judge, registrable,
};
use uts58::{Boundaries, Kind, Linkifier, percent};

/// The hosts that a reader takes the userinfo for, [`EMBEDDED`] at most: the name as a whole, and
/// whatever a client would link in it, so that a sign behind the host (`www.paypal.com、@`) or a name
/// before it (`user:www.paypal.com@`) hides nothing. Looked at are the first [`SEARCHED_BYTES`], which is
/// what a reader sees at most, and [`TRIED`] links of them.
pub(super) fn hosts(user: &str, context: &Context<'_>) -> Vec<Judgement> {
    let decoded = percent::decode_text(user);
    let name = decoded.split(':').next().unwrap_or_default();
    // `https://www.example.com/login@evil.test` is a path, but in `…com%2Flogin@…` it is not.
    let first = name.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    // An address is looked for as one.
    if !first.contains('@') {
        let whole = judge(first, context);
        if exists(&whole, context) || is_known(&whole, context) {
            return vec![whole];
        }
    }
    let mut found = Vec::new();
    let seen = decoded.get(..decoded.floor_char_boundary(SEARCHED_BYTES)).unwrap_or_default();
    let linkifier = Linkifier::new(context.tlds).boundaries(Boundaries::Wide);
    for link in linkifier.links(seen).take(TRIED) {
        let bounds = match link.kind {
            Kind::Scheme | Kind::Email => HostBounds::Certain,
            Kind::Www | Kind::Bare => HostBounds::Prose,
        };
        let host = judge(link.host_str(seen), &Context { bounds, ..*context });
        // A password may have a dot in it.
        let in_name = link.kind != Kind::Bare || link.host.start < name.len();
        if in_name && exists(&host, context) || is_known(&host, context) {
            found.push(host);
        }
        if found.len() == EMBEDDED {
            break;
        }
    }
    found
}

/// The same of userinfo inside another URL, where a reader looks for names that he knows alone.
pub(super) fn known(user: &str, context: &Context<'_>) -> Vec<Judgement> {
    let mut found = hosts(user, context);
    found.retain(|host| is_known(host, context));
    found
}

/// Whether who takes the userinfo for these hosts is led there all the same: they are of the domain of the host
/// behind it, by themselves or in an address (`https://ann%40example.org@cloud.example.org`).
pub(super) fn leads_there(
    user: &str,
    read: &[Judgement],
    host: &Judgement,
    context: &Context<'_>,
) -> bool {
    let domain = registrable(&host.ascii, Section::Private);
    let same = |named: &Judgement| {
        named.verdict <= Verdict::Notice
            && domain.is_some()
            && registrable(&named.ascii, Section::Private) == domain
    };
    // What stands before the `@` or behind the colon may be another name.
    let decoded = percent::decode_text(user);
    let (name, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
    let local = name.rsplit_once('@').map_or("", |(local, _)| local);
    read.iter().all(same) && [local, password].iter().all(|text| hosts(text, context).is_empty())
}

/// Whether the name has a top-level domain, of the DNS or beside it.
fn exists(host: &Judgement, context: &Context<'_>) -> bool {
    let tld = host.ascii.rsplit_once('.').map(|(_, tld)| tld);
    tld.is_some_and(|tld| context.tlds.exists(tld) || is_special_use(tld))
}

/// Whether it is a protected name, or reads as one.
fn is_known(host: &Judgement, context: &Context<'_>) -> bool {
    is_protected(&host.ascii, context.protected, context.own) || host.target.is_some()
}
