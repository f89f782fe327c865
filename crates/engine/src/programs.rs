//! URLs that open a program where it does what a reader expects: a meeting, a document of the organisation, a chat. Such
//! a program has its own host or page in the URL, or none, and nothing else that could lead somewhere.

use std::borrow::Cow;

use homograph::is_or_below;
use uts58::percent;

/// What a URL for a program opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens<'t> {
    /// A place in the program itself, or at the service that it belongs to.
    OwnPlace,
    /// A document at this URL, in a program of Office.
    Document(&'t str),
}

/// Programs with a scheme for each, by Microsoft's "Office URI Schemes".
const OFFICE: [&str; 8] = [
    "ms-word",
    "ms-excel",
    "ms-powerpoint",
    "ms-visio",
    "ms-project",
    "ms-publisher",
    "ms-access",
    "onenote",
];

/// Domains of the meetings that Zoom's program opens.
const MEETINGS: [&str; 3] = ["zoom.us", "zoom.com", "zoomgov.com"];

/// Places in programs that know no host: chats and meetings of Teams, the page of a product, a new message.
const PLACES: [(&str, &str); 4] = [
    ("ms-teams", "/l/"),
    ("ms-teams", "//teams.microsoft.com/l/"),
    ("ms-windows-store", "//pdp/?productid="),
    ("ms-outlook", "//emails/new"),
];

/// What a URL opens, if that is all it does.
pub fn opens(url: &str) -> Option<Opens<'_>> {
    let (scheme, rest) = url.split_once(':')?;
    let is = |name: &str| scheme.eq_ignore_ascii_case(name);
    if OFFICE.into_iter().any(is) {
        return document(scheme, rest).map(Opens::Document);
    }
    if is("zoommtg") {
        let after = rest.strip_prefix("//")?;
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        let (host, path) = after.split_at_checked(end)?;
        return (is_below(host, &MEETINGS) && leads_nowhere_else(path)).then_some(Opens::OwnPlace);
    }
    if is("ms-settings") {
        let is_page = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        return (!rest.is_empty() && rest.bytes().all(is_page)).then_some(Opens::OwnPlace);
    }
    PLACES.iter().find_map(|(name, place)| {
        let path = rest.strip_prefix(place).filter(|_| is(name))?;
        leads_nowhere_else(path).then_some(Opens::OwnPlace)
    })
}

/// The URL of a document that is opened to be read or edited, with no further command: `ofe|u|https://…`.
fn document<'t>(scheme: &str, rest: &'t str) -> Option<&'t str> {
    let commands = ["ofe|u|", "ofv|u|", "ofe%7Cu%7C", "ofv%7Cu%7C"];
    let command = commands.into_iter().find_map(|command| {
        let head = rest.get(..command.len())?;
        head.eq_ignore_ascii_case(command).then_some(command.len())
    });
    // OneNote knows no commands.
    let start = command.or_else(|| scheme.eq_ignore_ascii_case("onenote").then_some(0))?;
    let url = rest.get(start..)?;
    let after = url.get(.."https://".len()).filter(|https| https.eq_ignore_ascii_case("https://"));
    let path = url.get(after?.len()..)?;
    leads_nowhere_else(path).then_some(url)
}

/// Whether text holds no further URL, no userinfo, no command and no letter that looks like another.
fn leads_nowhere_else(text: &str) -> bool {
    let decoded = percent::decode_text(text);
    let plain = |text: &str| {
        text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
            && !text.contains("//")
            && !text.contains(['\\', '|', '<', '>', '^', '`'])
    };
    plain(text) && plain(&decoded) && !decoded.contains("%2") && !text.starts_with('@')
}

/// Whether a host is one of these domains, or below one.
pub fn is_below(host: &str, domains: &[&str]) -> bool {
    let of_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let mut lower = Cow::Borrowed(host);
    // Most are in lower case.
    if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        lower.to_mut().make_ascii_lowercase();
    }
    host.bytes().all(of_host) && domains.iter().any(|domain| is_or_below(&lower, domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_open_their_own_places() {
        for url in [
            "zoommtg://zoom.us/join?confno=123&pwd=abc",
            "ZOOMMTG://us02web.zoom.us/join?confno=1",
            "ms-teams:/l/chat/0/0?users=ann@example.com",
            "ms-teams:/l/meetup-join/19%3ameeting_x%40thread.v2/0?context=%7B%22Tid%22%3A%221%22%7D",
            "ms-windows-store://pdp/?productid=9WZDNCRFJ3TJ",
            "ms-outlook://emails/new",
            "ms-settings:windowsupdate",
            "MS-Settings:network-wifi",
        ] {
            assert_eq!(opens(url), Some(Opens::OwnPlace), "{url}");
        }
        for url in [
            "zoommtg://zoom.us.evil.com/join",
            "zoommtg://zoom.us@evil.com/join",
            "zoommtg://zoom.us:80@evil.com/join",
            "zoommtg://evilzoom.us/join",
            "zoommtg://zoom.us/join?u=https://evil.com",
            "zoommtg://zoom.us/join?u=https%3A%2F%2Fevil.com",
            "zoommtg://zoom.us/join?u=https%253A%252F%252Fevil.com",
            "zoommtg:zoom.us/join",
            "ms-teams:/x",
            "ms-teams:/l/chat?u=\\\\evil.com",
            "ms-msdt:/id PCWDiagnostic",
            "ms-settings:/l/",
            "ms-settings:x?y=//evil.com",
            "ms-windows-store://search/?query=x",
            "search-ms:query=x",
        ] {
            assert_eq!(opens(url), None, "{url}");
        }
    }

    #[test]
    fn office_opens_a_document() {
        let url = "https://contoso.sharepoint.com/sites/a/b%20c.docx";
        for front in ["ms-word:ofe|u|", "ms-excel:ofv|u|", "MS-POWERPOINT:OFE%7cu%7c", "onenote:"] {
            let whole = format!("{front}{url}");
            assert_eq!(opens(&whole), Some(Opens::Document(url)), "{front}");
        }
        for url in [
            "ms-word:nft|u|https://a.com/x.dotx",
            "ms-word:ofe|u|http://a.com/x.docx",
            "ms-word:ofe|u|https://a.com/x.docx|s|https://evil.com",
            "ms-word:ofe|u|\\\\evil.com\\x.docx",
            "ms-word:https://a.com/x.docx",
            "onenote:///\\\\evil.com\\x",
        ] {
            assert_eq!(opens(url), None, "{url}");
        }
    }
}
