//! URLs of file servers, and of the reader's own disk.

use super::content::Occurrence;
use super::data_urls;
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
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    if scheme.eq_ignore_ascii_case("data") {
        return data_urls::is_content(rest, occurrence);
    }
    scheme.eq_ignore_ascii_case("file") && is_local(rest)
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
    use crate::TldTable;
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
}
