//! URLs of file servers, and of the reader's own disk.

use core::net::Ipv4Addr;

use super::data_urls;
use super::programs::is_below;
use crate::Occurrence;
use uts58::scheme::{self, Does};
use uts58::{Kind, Link};

/// Whether running text names a file server on another machine: `file://` or `smb://` before a host that a client
/// links by itself.
pub fn names_file_server(text: &str, link: &Link) -> bool {
    if !matches!(link.kind, Kind::Bare | Kind::Www) {
        return false;
    }
    let Some((before, after)) = text.split_at_checked(link.span.start) else { return false };
    if !matches!(before.as_bytes(), [.., b'/' | b'\\']) {
        return false;
    }
    let name = before.trim_end_matches(['/', '\\']);
    let slashes = before.get(name.len()..).unwrap_or_default();
    let Some(name) = name.strip_suffix(':').filter(|_| slashes.len() > 1) else { return false };
    let letters = name.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let name = name.get(name.len() - letters..).unwrap_or_default();
    // After three slashes there is no host.
    scheme::does(name) == Some(Does::Share)
        && !is_local(&[slashes, after.get(..1).unwrap_or_default()].concat())
}

/// Whether a dangerous scheme is harmless here: a file on the reader's own disk, as pasted text of word processors has
/// them, or `data:` that is content.
pub fn fetches_nothing(url: &str, occurrence: &Occurrence) -> bool {
    match url.split_once(':') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("data") => {
            data_urls::is_content(rest, occurrence)
        }
        // Outlook writes paths of Windows as they are.
        _ => stays_at_home(url),
    }
}

/// Whether a URL or a path of Windows reaches the reader's own disk, or a server on his own network.
pub fn stays_at_home(url: &str) -> bool {
    if url.starts_with("\\\\") {
        return is_on_own_network(url);
    }
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    scheme::does(scheme.trim()) == Some(Does::Share) && is_on_own_network(rest)
        || scheme.eq_ignore_ascii_case("file") && is_local(rest)
        || scheme.eq_ignore_ascii_case("onenote") && is_own_notebook(rest)
}

/// Whether OneNote opens a page on the reader's own disk (`onenote:///C:\x.one#Page`), or of a file server on his own
/// network: `onenote:///\\server\share\x.one#Page`, or `onenote:#Page&base-path=\\server\share\x.one`.
fn is_own_notebook(rest: &str) -> bool {
    let path = match rest.strip_prefix('#') {
        Some(page) => page.split_once("&base-path="),
        None => Some(("", rest.trim_start_matches('/'))),
    };
    let Some((page, path)) = path else { return false };
    let leads_elsewhere = |text: &str| {
        ["//", "\\\\", "base-path"].into_iter().any(|part| text.contains(part))
            || text.replace("%20", " ").contains([':', '%'])
    };
    if let [drive, b':', b'/' | b'\\', ..] = path.as_bytes() {
        let behind = path.get(2..).unwrap_or_default();
        return drive.is_ascii_alphabetic() && !leads_elsewhere(page) && !leads_elsewhere(behind);
    }
    let Some(behind) = path.strip_prefix("\\\\") else { return false };
    is_on_own_network(path) && !leads_elsewhere(page) && !leads_elsewhere(behind)
}

/// Top-level domains and domains that only networks of their own have: reserved ones, and those that RFC 6762 (appendix G),
/// routers and companies use.
const OWN_NETWORK: [&str; 11] = [
    "local", "lan", "internal", "localdomain", "home.arpa", "intern", "intranet", "private",
    "corp", "home", "fritz.box",
];

/// The server of a URL that reaches a file server, or of a path of Windows. `None` if it is not plainly a name or an
/// address.
pub fn file_server(url: &str) -> Option<&str> {
    if url.starts_with("\\\\") {
        return server(url);
    }
    let (scheme, rest) = url.split_once(':')?;
    if scheme::does(scheme.trim()) == Some(Does::Share) { server(rest) } else { None }
}

/// The server of a URL, given after its colon.
fn server(rest: &str) -> Option<&str> {
    let path = rest.trim_start_matches(['/', '\\']);
    let server = path.split(['/', '\\', '?', '#']).next()?;
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (rest.len() - path.len() >= 2 && server.chars().all(of_name)).then_some(server)
}

/// Whether the server of a URL, given after its colon, is on the reader's own network: a name without a dot, a name that
/// no public server has (RFC 6762, RFC 8375, and names that are customary), an address of a private network (RFC 1918).
fn is_on_own_network(rest: &str) -> bool {
    let Some(server) = server(rest) else { return false };
    if !server.contains('.') {
        // A number is an address.
        return server.contains(|c: char| c.is_ascii_alphabetic())
            && !server.starts_with(|c: char| c.is_ascii_digit());
    }
    match server.parse::<Ipv4Addr>() {
        Ok(address) => address.is_private(),
        Err(_) => is_name_of_own_network(server),
    }
}

/// Whether a name with a dot is one that no public server has.
pub fn is_name_of_own_network(host: &str) -> bool {
    is_below(host, &OWN_NETWORK)
}

/// Whether a `file:` URL, given after its colon, names no other machine: it has no host, or a drive.
fn is_local(rest: &str) -> bool {
    let path = rest.trim_start_matches(['/', '\\']);
    let slashes = rest.len() - path.len();
    let first = path.split(['/', '\\']).next().unwrap_or_default();
    let drive = matches!(first.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic());
    let has_no_host = matches!(slashes, 0 | 1 | 3) && !rest.starts_with('\\');
    drive || has_no_host || first.is_empty() || first.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use uts58::tlds::TldTable;
    use uts58::{Boundaries, Linkifier};

    #[test]
    fn file_servers_in_running_text() {
        let tlds = TldTable::new(["com", "top"], "");
        for (text, asks) in [
            ("see file://evil.top/share/x", true),
            ("file:\\\\www.evil.top\\x", true),
            ("FILE://///evil.top/x", true),
            ("(smb://evil.top/x)", true),
            ("file:///evil.top/x", false),
            ("file:/evil.top", false),
            ("profile://evil.top/x", false),
            ("file: //evil.top/x", false),
            ("https://evil.top/x", false),
            ("a file evil.top", false),
        ] {
            let mut links = Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(text);
            assert_eq!(links.any(|link| names_file_server(text, &link)), asks, "{text}");
        }
    }

    #[test]
    fn files_of_the_reader_are_local() {
        for local in
            ["///C:/a/clip1.png", "/C:/a.png", "C:\\a.png", "///tmp/a.png", "//localhost/a"]
        {
            assert!(is_local(local), "{local}");
        }
        for foreign in ["//host/a", "////host/a", "\\\\host\\a", "///\\host/a", "\\\\\\host\\a"] {
            assert!(!is_local(foreign), "{foreign}");
        }
    }

    #[test]
    fn servers_of_the_own_network() {
        for own in [
            "//server/share/plan.pdf",
            "//nas",
            "\\\\NAS-2\\x",
            "//192.168.0.10/x",
            "//172.31.1.1/x",
            "//files.firma.local/x",
            "//nas.home.arpa/x",
            "//NAS.fritz.box/x",
            "//fs01.firma.intern/x",
        ] {
            assert!(is_on_own_network(own), "{own}");
        }
        for foreign in [
            "//evil.com/x",
            "//evilfritz.box/x",
            "//fritz.box.evil.com/x",
            "//2130706433/x",
            "//0x7f000001/x",
            "//172.32.1.1/x",
            "//192.168.0.10.evil.com/x",
            "//192.168.010.1/x",
            "//192.168.1/x",
            "//server@evil.com/x",
            "//server@80/x",
            "//s\u{435}rver/x",
            "/server/x",
            "///",
        ] {
            assert!(!is_on_own_network(foreign), "{foreign}");
        }
    }

    #[test]
    fn notebooks_on_ones_own_network() {
        for (url, is_own) in [
            (r"onenote:///\\fs01\Notes\My%20Team.one#Page&section-id={A1}&end", true),
            (r"OneNote:#Page&section-id={A1}&base-path=\\fs01\Notes\Team.one", true),
            ("onenote:///C:/Users/ann/x.one", true),
            (r"onenote:///C:\Users\ann\My%20Notes\x.one#Page&section-id={A1}&end", true),
            (r"onenote:///C:\x.one#y&base-path=\\evil.com\x.one", false),
            ("onenote:///C://evil.com/x.one", false),
            ("onenote:///C:x.one", false),
            (r"onenote:///\\evil.com\x.one", false),
            (r"onenote:#Page&base-path=\\evil.com\x.one", false),
            (r"onenote:///\\fs01\x.one#y&base-path=\\evil.com\x.one", false),
            (r"onenote:///\\fs01\..\%5C%5Cevil.com\x.one", false),
            (r"onenote:https://evil.com/x.one", false),
            (r"onenote:x.one", false),
        ] {
            assert_eq!(stays_at_home(url), is_own, "{url}");
        }
    }
}
