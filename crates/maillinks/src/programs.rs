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
pub const OFFICE: [&str; 10] = [
    "ms-word", "ms-excel", "ms-powerpoint", "ms-visio", "ms-project", "ms-publisher", "ms-access",
    "ms-spd", "ms-infopath", "onenote",
];

/// Domains of the meetings that Zoom's program opens.
const MEETINGS: [&str; 3] = ["zoom.us", "zoom.com", "zoomgov.com"];

/// Places in programs that know no host: chats and meetings of Teams, the page of a product, a new message.
const PLACES: [(&str, &str); 3] = [
    ("ms-teams", "/l/"),
    ("ms-teams", "//teams.microsoft.com/l/"),
    ("ms-windows-store", "//pdp/?productid="),
];

/// Programs of Microsoft that show a place of theirs, whatever is asked of them: a new message, a list, a route. Those
/// that run or fetch what the URL says, change who manages a device or hand on the screen are none of them.
const SHOWS_ITSELF: [&str; 16] = [
    "ms-outlook", "ms-to-do", "ms-todo", "ms-loop", "ms-phone", "ms-clock", "ms-calculator",
    "ms-people", "ms-drive-to", "ms-walk-to", "ms-feedback-hub", "ms-stickynotes", "ms-whiteboard",
    "ms-get-started", "ms-contact-support", "ms-actioncenter",
];

/// Those that do so where nothing is asked of them: a file that is named behind the colon may be on another machine.
const SHOWS_ITSELF_ALONE: [&str; 5] =
    ["ms-paint", "ms-photos", "ms-screenclip", "ms-screensketch", "ms-whiteboard-cmd"];

/// Where Microsoft's remote desktops are fetched from.
const DESKTOPS: [&str; 2] = ["wvd.microsoft.com", "wvd.azure.us"];

/// Templates of Office that hold no macros.
const PLAIN_TEMPLATES: [&str; 3] = [".dotx", ".potx", ".xltx"];

/// In front of the number of a game.
const GAME: &str = "ms-xbl-";

/// Domains of the services behind these programs.
const OF_THE_MAKER: [&str; 2] = ["microsoft.com", "cloud.microsoft"];

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
    if rest.is_empty() && SHOWS_ITSELF_ALONE.into_iter().any(is) {
        return Some(Opens::OwnPlace);
    }
    if is("ms-rd") || is("ms-avd") {
        return is_desktop_of_maker(rest).then_some(Opens::OwnPlace);
    }
    // RFC 4516: without a host it is the reader's own directory.
    if is("ldap") || is("ldaps") {
        let entry = rest.strip_prefix("///")?;
        return (!entry.starts_with('/') && leads_nowhere_else(entry)).then_some(Opens::OwnPlace);
    }
    let is_game = scheme.get(..GAME.len()).is_some_and(|front| front.eq_ignore_ascii_case(GAME));
    if is_game || SHOWS_ITSELF.into_iter().any(is) {
        return is_own_place(rest).then_some(Opens::OwnPlace);
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

/// Whether a URL, given after its colon, names a place of the program and no host but one of its maker's.
fn is_own_place(rest: &str) -> bool {
    let (host, path) = match rest.strip_prefix("//") {
        Some(after) => after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len())),
        None => ("", rest),
    };
    let is_word =
        |host: &str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_word(host) || is_below(host, &OF_THE_MAKER)) && leads_nowhere_else(path)
}

/// Whether a remote desktop, given after the colon, is one that Microsoft's own host lists, or has no host.
fn is_desktop_of_maker(rest: &str) -> bool {
    if let Some(url) = rest.strip_prefix("subscribe?url=https://") {
        let (host, path) = url.split_at(url.find(['/', '?', '#', '&']).unwrap_or(url.len()));
        return is_below(host, &DESKTOPS) && leads_nowhere_else(path);
    }
    rest.strip_prefix("connect?")
        .is_some_and(|of| of.contains("resourceid=") && leads_nowhere_else(of))
}

/// The URL of a document that is opened to be read or edited, with no further command: `ofe|u|https://…`. A new one
/// (`nft`) only from a template that holds no macros.
fn document<'t>(scheme: &str, rest: &'t str) -> Option<&'t str> {
    let commands = ["ofe|u|", "ofv|u|", "ofe%7Cu%7C", "ofv%7Cu%7C"];
    let command = commands.into_iter().find_map(|command| {
        let head = rest.get(..command.len())?;
        head.eq_ignore_ascii_case(command).then_some(command.len())
    });
    let template = ["nft|u|", "nft%7Cu%7C"].into_iter().find_map(|command| {
        let path = rest.split(['?', '#']).next()?;
        let is_plain = || PLAIN_TEMPLATES.iter().any(|ending| ends_with(path, ending));
        let head = rest.get(..command.len())?;
        (head.eq_ignore_ascii_case(command) && is_plain()).then_some(command.len())
    });
    // OneNote knows no commands.
    let start =
        command.or(template).or_else(|| scheme.eq_ignore_ascii_case("onenote").then_some(0))?;
    let url = rest.get(start..)?;
    let (scheme, path) = url.split_once("://")?;
    let is_web = ["https", "http"].into_iter().any(|web| scheme.eq_ignore_ascii_case(web));
    (is_web && leads_nowhere_else(path)).then_some(url)
}

fn ends_with(path: &str, ending: &str) -> bool {
    let at = path.len().checked_sub(ending.len());
    at.and_then(|at| path.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(ending))
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
            "ms-outlook://compose?to=help@example.org&subject=My%20printer",
            "ms-to-do:",
            "ms-to-do://list/1",
            "MS-Loop://loop.cloud.microsoft/p/1",
            "ms-phone:",
            "ms-clock:",
            "ms-calculator:",
            "ms-photos:",
            "ms-people:",
            "ms-drive-to:?destination.latitude=47.6&destination.longitude=-122.3&destination.name=Lake",
            "ms-walk-to:?destination.latitude=47.6",
            "ms-feedback-hub:?tabid=2&contextid=101",
            "ms-xbl-3d8b930f://default/?action=accept",
            "ms-settings:windowsupdate",
            "MS-Settings:network-wifi",
            "ms-screenclip:",
            "ms-paint:",
            "ms-whiteboard-cmd:",
            "ms-rd:subscribe?url=https://rdweb.wvd.microsoft.com",
            "ms-rd:subscribe?url=https://rdweb.wvd.microsoft.com/api/arm/feeddiscovery",
            "ms-avd:connect?workspaceid=1-2&resourceid=3-4&username=ann@example.com&version=0",
            "ldap:///CN=Ann,OU=Staff,DC=harbour,DC=com",
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
            "ms-outlook://evil.com/x",
            "ms-outlook://compose?body=https%3A%2F%2Fevil.com",
            "ms-loop://microsoft.com@evil.com/",
            "ms-loop://microsoft.com.evil.com/",
            "ms-to-do:\\\\evil.com\\x",
            "ms-people:viewcontact?path=%5C%5Cevil.com%5Cx",
            "ms-photos:viewer?fileName=x.png",
            "ms-xbl-1://evil.com/",
            "ms-officecmd:{}",
            "ms-appinstaller:?source=https://evil.com/x.msix",
            "ms-device-enrollment:?mode=mdm",
            "ms-cxh:localonly",
            "ms-quick-assist:",
            "ms-screenclip:?source=x",
            "ms-unheard-of:",
            "ms-paint:\\\\evil.com\\x.png",
            "ms-screensketch:edit?&filePath=\\\\evil.com\\x.png",
            "ms-rd:subscribe?url=https://rdweb.wvd.microsoft.com.evil.com",
            "ms-rd:subscribe?url=https://rdweb.wvd.microsoft.com@evil.com/",
            "ms-rd:subscribe?url=https://rdweb.evil.com/wvd.microsoft.com",
            "ms-rd:subscribe?url=http://rdweb.wvd.microsoft.com",
            "ms-rd:full%20address=s:evil.com",
            "ms-avd:connect?url=https://evil.com&resourceid=1",
            "ms-avd:connect?workspaceid=1",
            "ldap://evil.com/CN=Ann",
            "ldap:///CN=Ann??sub?(x=//evil.com)",
            "ldap:////evil.com/CN=Ann",
            "ms-windows-store://search/?query=x",
            "search-ms:query=x",
        ] {
            assert_eq!(opens(url), None, "{url}");
        }
    }

    #[test]
    fn office_opens_a_document() {
        let url = "https://contoso.sharepoint.com/sites/a/b%20c.docx";
        for front in [
            "ms-word:ofe|u|",
            "ms-excel:ofv|u|",
            "MS-POWERPOINT:OFE%7cu%7c",
            "onenote:",
            "ms-spd:ofe|u|",
            "ms-infopath:ofv|u|",
        ] {
            let whole = format!("{front}{url}");
            assert_eq!(opens(&whole), Some(Opens::Document(url)), "{front}");
        }
        for template in
            ["ms-word:nft|u|https://a.com/x.dotx", "ms-excel:NFT%7Cu%7Chttps://a.com/x.XLTX"]
        {
            assert!(matches!(opens(template), Some(Opens::Document(_))), "{template}");
        }
        for url in [
            "ms-word:nft|u|https://a.com/x.dotm",
            "ms-word:nft|u|https://a.com/x.docm?x=.dotx",
            "ms-word:nft|u|https://a.com/x.dotx|s|https://evil.com",
            "ms-word:ofe|u|ftp://a.com/x.docx",
            "ms-word:ofe|u|https://a.com/x.docx|s|https://evil.com",
            "ms-word:ofe|u|\\\\evil.com\\x.docx",
            "ms-word:https://a.com/x.docx",
            "onenote:///\\\\evil.com\\x",
        ] {
            assert_eq!(opens(url), None, "{url}");
        }
    }
}
