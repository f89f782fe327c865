//! What a click on a scheme does: one table for attributes, text, calendars and `check`.

/// What a scheme does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Does {
    /// Leads to a host, with any number of slashes of either kind.
    Web,
    /// The same, but no browser goes there on a click.
    Socket,
    /// Leads to an account on a host: its name precedes the at sign
    /// (`ssh://git@example.org/x.git`).
    Account,
    /// Its path is an address.
    Address,
    /// Leads to a place in the message, or shows information about a word in it.
    Message,
    /// Runs code, reads files, or passes the click to another program.
    Dangerous,
    /// The same, and names a server that is asked for a password.
    Share,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// In lower case; one that ends in `*` matches all with this prefix.
    pub name: &'static str,
    /// What a click on it does.
    pub does: Does,
    /// The defanged spelling, which no client links, if some client links the scheme in text.
    pub dead: Option<&'static str>,
    /// The source of the row: for readers, not compiled in.
    #[cfg(test)]
    source: &'static str,
}

const fn row(name: &'static str, does: Does, _source: &'static str) -> Scheme {
    Scheme {
        name,
        does,
        dead: None,
        #[cfg(test)]
        source: _source,
    }
}

const fn linked(
    name: &'static str,
    dead: &'static str,
    does: Does,
    _source: &'static str,
) -> Scheme {
    Scheme { dead: Some(dead), ..row(name, does, _source) }
}

const OFFICE: &str =
    "Office URI schemes (Microsoft, \"ms-word:ofe|u|\"); CVE-2022-30190 for ms-msdt";
const SCRIPT: &str = "script run by older clients: HTML 4.01 §18.2.2, RFC 4329, Netscape";
const SPECIAL: &str = "WHATWG URL §3.1, special scheme";

/// All schemes of which something is known; any other leads where its `//` or the URL inside it
/// leads. Frequent ones are first.
pub const SCHEMES: &[Scheme] = &[
    linked("https", "hxxps", Does::Web, SPECIAL),
    linked("http", "hxxp", Does::Web, SPECIAL),
    row("mailto", Does::Address, "RFC 6068 §2"),
    linked("ftp", "fxp", Does::Web, SPECIAL),
    linked("ftps", "fxps", Does::Socket, "linkifyjs links it; no RFC"),
    linked(
        "webcal",
        "wxbcal",
        Does::Socket,
        "IANA; Thunderbird links it and subscribes to a calendar",
    ),
    linked("webcals", "wxbcals", Does::Socket, "the same over TLS"),
    row("ws", Does::Socket, SPECIAL),
    row("wss", Does::Socket, SPECIAL),
    row("facetime", Does::Address, "Apple URL Scheme Reference, FaceTime links"),
    row("facetime-audio", Does::Address, "Apple URL Scheme Reference, FaceTime links"),
    row("im", Does::Address, "RFC 3860 §3"),
    row("pres", Does::Address, "RFC 3859 §3"),
    row("sip", Does::Address, "RFC 3261 §19.1"),
    row("sips", Does::Address, "RFC 3261 §19.1"),
    row("xmpp", Does::Address, "RFC 5122 §2"),
    row("javascript", Does::Dangerous, "HTML §7.4.2.3.2"),
    row("data", Does::Dangerous, "RFC 2397; HTML §7.4.2.2: a page of its own"),
    row("vbscript", Does::Dangerous, SCRIPT),
    row("vbs", Does::Dangerous, SCRIPT),
    row("livescript", Does::Dangerous, SCRIPT),
    row("mocha", Does::Dangerous, SCRIPT),
    row("hcp", Does::Dangerous, "Windows Help Centre, CVE-2010-1885"),
    row("help", Does::Dangerous, "macOS Help Viewer, CVE-2004-0486"),
    row("jar", Does::Dangerous, "Firefox, CVE-2007-5947"),
    row("ldap", Does::Dangerous, "RFC 4516; Windows hands it to the address book"),
    row("ldaps", Does::Dangerous, "RFC 4516; Windows hands it to the address book"),
    row("mhtml", Does::Dangerous, "RFC 2557; CVE-2011-0096"),
    row("mk", Does::Dangerous, "Internet Explorer, mk:@MSITStore, CVE-2004-0380"),
    row("ms-*", Does::Dangerous, OFFICE),
    row("onenote", Does::Dangerous, OFFICE),
    row("res", Does::Dangerous, "Internet Explorer, resources of a program file"),
    row("search", Does::Dangerous, "Windows search protocol, CVE-2022-30190 and after"),
    row("search-ms", Does::Dangerous, "Windows search protocol, CVE-2022-30190 and after"),
    row("shell", Does::Dangerous, "Windows, CVE-2004-0420"),
    row("view-source", Does::Dangerous, "browsers, source of another URL"),
    row("cid", Does::Message, "RFC 2392"),
    row("mid", Does::Message, "RFC 2392"),
    row("thunderlink", Does::Message, "Thunderbird, a message"),
    row("x-msg", Does::Message, "Apple Mail, in front of relative links of a message"),
    row("x-apple-data-detectors", Does::Message, "Apple Mail, round dates and places in messages"),
    row("x-apple-*", Does::Dangerous, "macOS and iOS, opens settings and programs"),
    row("zoommtg", Does::Dangerous, "Zoom client, CVE-2018-15715, CVE-2019-13450"),
    row(
        "itms-services",
        Does::Dangerous,
        "iOS, installs a program from the manifest that it names",
    ),
    row("shortcuts", Does::Dangerous, "iOS and macOS, imports and runs shortcuts"),
    row("anydesk", Does::Dangerous, "AnyDesk, hands the screen to somebody"),
    row("teamviewer*", Does::Dangerous, "TeamViewer (teamviewer10), hands the screen to somebody"),
    row("screenconnect", Does::Dangerous, "ScreenConnect, hands the screen to somebody"),
    row("ssh", Does::Account, "draft-ietf-secsh-scp-sftp-ssh-uri §3; Git writes it"),
    row("sftp", Does::Account, "draft-ietf-secsh-scp-sftp-ssh-uri §4"),
    row("scp", Does::Account, "curl, WinSCP"),
    row("git+ssh", Does::Account, "Git, npm"),
    row("ssh+git", Does::Account, "Git"),
    row("svn+ssh", Does::Account, "Subversion"),
    row("hg+ssh", Does::Account, "pip, of Mercurial"),
    row("bzr+ssh", Does::Account, "Bazaar"),
    row("file", Does::Share, "RFC 8089; WHATWG URL §3.1"),
    row("smb", Does::Share, "file server: Windows sends a password hash"),
    row("afp", Does::Share, "file server of macOS"),
    row("nfs", Does::Share, "RFC 2224"),
    row("webdav*", Does::Share, "file server; clients of WebDAV ask for a password"),
    row("dav", Does::Share, "the same"),
    row("davs", Does::Share, "the same"),
    row("vnc", Does::Share, "RFC 7869: connects to the screen of another machine"),
    row("rdp", Does::Share, "Microsoft, Remote Desktop URI scheme"),
];

/// What the scheme with this name does; `None` if it is unknown.
pub fn does(name: &str) -> Option<Does> {
    let is = |row: &&Scheme| match row.name.strip_suffix('*') {
        Some(prefix) => starts_with(name, prefix),
        None => name.eq_ignore_ascii_case(row.name),
    };
    SCHEMES.iter().find(is).map(|row| row.does)
}

/// Whether it leads to a web page or a file (UASG 000 1.1).
pub fn is_web(name: &str) -> bool {
    SCHEMES.iter().take(WEB).any(|row| row.does == Does::Web && name.eq_ignore_ascii_case(row.name))
}

/// Rows up to the last one of that kind; none of them is a prefix.
const WEB: usize = {
    let mut rows = SCHEMES;
    while let [before @ .., last] = rows
        && !matches!(last.does, Does::Web)
    {
        rows = before;
    }
    rows.len()
};

/// A scheme that some client links in text, with its defanged form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked {
    /// In lower case, without its colon: `https`.
    pub name: &'static str,
    /// What to write instead, so that no client makes a link: `hxxps`.
    pub dead: &'static str,
}

/// All such schemes.
pub fn linked_in_text() -> impl Iterator<Item = Linked> {
    let rows = SCHEMES.iter().take(LINKED);
    rows.filter_map(|row| row.dead.map(|dead| Linked { name: row.name, dead }))
}

/// Rows up to the last such scheme: they are compared at every colon.
const LINKED: usize = {
    let mut rows = SCHEMES;
    while let [before @ .., last] = rows
        && last.dead.is_none()
    {
        rows = before;
    }
    rows.len()
};

/// The scheme at the end of the text, even after other letters (S29).
pub fn linked_at_end(text: &str) -> Option<Linked> {
    linked_in_text().find(|scheme| ends_with(text, scheme.name))
}

/// The scheme at the end of the text, in its defanged form.
pub fn dead_at_end(text: &str) -> Option<Linked> {
    linked_in_text().find(|scheme| ends_with(text, scheme.dead))
}

/// Whether it is a scheme in its defanged form.
pub fn is_dead(name: &str) -> bool {
    linked_in_text().any(|scheme| scheme.dead.eq_ignore_ascii_case(name))
}

/// Whether the text ends with the name, in any case.
pub fn ends_with(text: &str, name: &str) -> bool {
    let end = text.len().checked_sub(name.len()).and_then(|at| text.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(name))
}

fn starts_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_met_and_has_a_source() {
        for (index, row) in SCHEMES.iter().enumerate() {
            assert!(!row.source.is_empty(), "{}", row.name);
            let spelled = row.name.replace('*', "x").to_ascii_uppercase();
            assert_eq!(does(&spelled), Some(row.does), "{spelled}");
            assert_eq!(is_web(&spelled), row.does == Does::Web, "{spelled}");
            let letters = |c: char| c.is_ascii_lowercase() || matches!(c, '-' | '+' | '*');
            assert!(row.name.chars().all(letters), "{}", row.name);
            let again = SCHEMES.iter().skip(index + 1).any(|other| other.name == row.name);
            assert!(!again, "{} twice", row.name);
        }
        for unknown in ["tel", "x-ms", "ms", "searching", "zoommtgx", ""] {
            assert_eq!(does(unknown), None, "{unknown}");
        }
    }
}
