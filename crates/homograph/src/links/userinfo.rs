//! Userinfo that reads as a host: `https://www.paypal.com@attack.example`.

use crate::limits::{EMBEDDED, SEARCHED_BYTES, TRIED};
use crate::spelling::separators::reads_as_full_stop;
use crate::verdict::Verdict;
use crate::{
    Context, HostBounds, Judgement, Section, is_protected, is_special_use, judge, registrable,
};
use uts58::{Boundaries, Kind, Linkifier, percent};

/// Whether a local part in ASCII has this character, as people choose them.
pub fn is_in_local_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-')
}

/// The hosts that a reader takes the userinfo for, at most [`EMBEDDED`]: the whole name, and
/// whatever a client would link in it, so that a sign after the host (`www.paypal.com、@`) or a name
/// before it (`user:www.paypal.com@`) hides nothing. Reads the first [`SEARCHED_BYTES`], more than
/// a reader sees, and [`TRIED`] links in them.
pub(super) fn hosts(user: &str, context: &Context<'_>) -> Vec<Judgement> {
    let decoded = percent::decode_text(user);
    let name = decoded.split(':').next().unwrap_or_default();
    // `https://www.example.com/login@evil.test` has a path, but `…com%2Flogin@…` does not.
    let first = name.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    // An address is searched for below.
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
        let bounds = HostBounds::in_text(link.kind);
        let host = judge(link.host_str(seen), &Context { bounds, ..*context });
        // A password may contain a dot.
        let in_name = link.kind != Kind::Bare || link.host.start < name.len();
        if in_name && exists(&host, context) || is_known(&host, context) {
            found.push(host);
        }
        if found.len() == EMBEDDED {
            break;
        }
    }
    // `www·example·com@`: no client takes these for dots, but readers do.
    if found.is_empty() && name.contains(reads_as_full_stop) {
        let read = judge(&name.replace(reads_as_full_stop, "."), context);
        found.extend(Some(read).filter(|read| is_known(read, context)));
    }
    found
}

/// The same for userinfo inside another URL, where readers look only for names that they know.
pub(super) fn known_hosts(user: &str, context: &Context<'_>) -> Vec<Judgement> {
    let mut found = hosts(user, context);
    found.retain(|host| is_known(host, context));
    found
}

/// Whether readers who take the userinfo for these hosts are led there anyway: the hosts have the
/// domain of the link's own host, by themselves or in an address
/// (`https://ann%40example.org@cloud.example.org`).
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
    // What precedes the `@` or follows the colon may be another name.
    let decoded = percent::decode_text(user);
    let (name, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
    let local = name.rsplit_once('@').map_or("", |(local, _)| local);
    read.iter().all(same) && [local, password].iter().all(|text| hosts(text, context).is_empty())
}

/// Whether the top-level domain exists, in the DNS or reserved for use outside of it.
fn exists(host: &Judgement, context: &Context<'_>) -> bool {
    let tld = host.ascii.rsplit_once('.').map(|(_, tld)| tld);
    tld.is_some_and(|tld| context.tlds.exists(tld) || is_special_use(tld))
}

/// Whether it is a protected name, or resembles one.
fn is_known(host: &Judgement, context: &Context<'_>) -> bool {
    is_protected(&host.ascii, context.protected, context.own) || host.target.is_some()
}
