//! Lines of lists, in the formats that lists are published in.

use std::net::{IpAddr, Ipv6Addr};
use std::ops::Range;

use crate::engine::host::{Section, registrable};
use crate::engine::link::{Kind, Target, reference};
use crate::engine::lists::{self, Entry};
use crate::policy::{ascii_domain, ipv6_host};

use super::zone::{Zone, ZoneLine};

word_enum! {
    /// The file format of a list.
    #[derive(Default)]
    pub enum ListFormat {
        /// One entry per line. `#` and `;` begin comments; `*.name` and `||name^` mean `name`.
        #[default]
        Plain = "plain",
        /// hosts(5): an address, then host names.
        Hosts = "hosts",
        /// Comma-separated values; quotes as in RFC 4180.
        Csv = "csv",
        /// One JSON object per line.
        JsonLines = "jsonl",
        /// A response policy zone (RPZ) as a zone file.
        Rpz = "rpz",
    }
}

word_enum! {
    /// What the entries of a list are.
    #[derive(Default)]
    pub enum EntryKind {
        /// Domains, each with all hosts below it.
        #[default]
        Domains = "domains",
        /// Single hosts.
        Hosts = "hosts",
        /// URLs. Scheme and fragment are ignored.
        Urls = "urls",
        /// Names that readers know and that attackers imitate. They are not bad themselves. One invalid
        /// line makes the whole list invalid.
        Names = "names",
    }
}

/// How to read the lines of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLayout {
    pub format: ListFormat,
    pub entry_kind: EntryKind,
    /// The column of CSV, counted from 1.
    pub column: usize,
    /// The key in JSON objects.
    pub member: String,
}

/// What a line contained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListLine {
    /// This many entries.
    Entries(usize),
    /// A comment, an empty line, or a record that lists nothing.
    Empty,
    /// Something that is not an entry, perhaps in addition to entries.
    Invalid,
}

/// Parses the lines of one list.
#[derive(Debug)]
pub struct ListReader<'f> {
    layout: &'f ListLayout,
    zone: Zone,
}

impl<'f> ListReader<'f> {
    pub fn new(layout: &'f ListLayout) -> ListReader<'f> {
        ListReader { layout, zone: Zone::default() }
    }

    /// Parses a line. `entry` is called for each entry in it.
    pub fn line(&mut self, line: &str, mut entry: impl FnMut(Entry<'_>)) -> ListLine {
        let line = line.trim_start_matches('\u{FEFF}').trim_end();
        let entry_kind = self.layout.entry_kind;
        match self.layout.format {
            ListFormat::Rpz => match self.zone.parse_line(line) {
                ZoneLine::Empty => ListLine::Empty,
                ZoneLine::Invalid => ListLine::Invalid,
                ZoneLine::Owner { name: owner, below, listed: is_listed } => {
                    let entry_kind = if below { EntryKind::Domains } else { EntryKind::Hosts };
                    match host_name(&owner) {
                        None => ListLine::Invalid,
                        Some(host_name) if is_listed => {
                            add_name(&host_name, entry_kind, &mut entry)
                        }
                        Some(host_name) => {
                            entry(match below {
                                true => Entry::ExceptBelow(&host_name),
                                false => Entry::ExceptHost(&host_name),
                            });
                            ListLine::Entries(1)
                        }
                    }
                }
            },
            _ if line.trim_start().is_empty() || line.starts_with(['#', ';', '!']) => {
                ListLine::Empty
            }
            ListFormat::Plain if is_hosts_line(line) => ListLine::Invalid,
            ListFormat::Plain => {
                let word = line.split_whitespace().next().unwrap_or_default();
                parse_entry(word, entry_kind, &mut entry)
            }
            ListFormat::Hosts => parse_hosts_line(line, entry_kind, &mut entry),
            ListFormat::Csv => {
                let cell = csv_cells(line).nth(self.layout.column.saturating_sub(1));
                cell.map_or(ListLine::Invalid, |cell| {
                    parse_entry(cell.trim(), entry_kind, &mut entry)
                })
            }
            ListFormat::JsonLines => {
                let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
                let text =
                    value.as_ref().and_then(|value| value.get(&self.layout.member)?.as_str());
                text.map_or(ListLine::Invalid, |text| {
                    parse_entry(text.trim(), entry_kind, &mut entry)
                })
            }
        }
    }

    /// To be called after the last line.
    pub fn end(&self) -> ListLine {
        if self.zone.is_incomplete() { ListLine::Invalid } else { ListLine::Empty }
    }
}

/// Whether an address precedes a name, as in hosts(5): in a plain list it would be the entry, and the name none.
fn is_hosts_line(line: &str) -> bool {
    let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
    let is_address = |word: &str| word.parse::<IpAddr>().is_ok();
    let is_name = |word: &str| {
        word == "localhost"
            || word.contains('.') && word.contains(char::is_alphabetic) && !is_address(word)
    };
    words.next().is_some_and(is_address) && words.next().is_some_and(is_name)
}

/// hosts(5): the names of the machine itself are skipped.
fn parse_hosts_line(
    line: &str,
    entry_kind: EntryKind,
    entry: &mut impl FnMut(Entry<'_>),
) -> ListLine {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return ListLine::Empty };
    if first.parse::<IpAddr>().is_err() {
        return ListLine::Invalid;
    }
    let (mut entries, mut odd) = (0, false);
    for host_name in
        words.filter(|host_name| host_name.contains('.') && host_name.parse::<IpAddr>().is_err())
    {
        if host_name.eq_ignore_ascii_case("localhost.localdomain") {
            continue;
        }
        match parse_entry(host_name, entry_kind, entry) {
            ListLine::Entries(count) => entries += count,
            ListLine::Empty => {}
            ListLine::Invalid => odd = true,
        }
    }
    if odd {
        return ListLine::Invalid;
    }
    if entries == 0 { ListLine::Empty } else { ListLine::Entries(entries) }
}

fn parse_entry(text: &str, entry_kind: EntryKind, entry: &mut impl FnMut(Entry<'_>)) -> ListLine {
    if entry_kind == EntryKind::Urls {
        return match entry_url(text) {
            Some(url) => {
                entry(Entry::Url(&url));
                ListLine::Entries(1)
            }
            None => ListLine::Invalid,
        };
    }
    let bare = text.strip_prefix("||").map_or(text, |text| text.strip_suffix('^').unwrap_or(text));
    let bare = bare.strip_prefix("*.").unwrap_or(bare).trim_start_matches('.');
    if let Some(address) = ipv6_host(bare) {
        entry(Entry::Host(&address));
        return ListLine::Entries(1);
    }
    match host_name(bare) {
        Some(name) => add_name(&name, entry_kind, entry),
        None => ListLine::Invalid,
    }
}

fn add_name(host_name: &str, entry_kind: EntryKind, entry: &mut impl FnMut(Entry<'_>)) -> ListLine {
    let address = host_name.parse::<IpAddr>().is_ok();
    if entry_kind == EntryKind::Hosts || address {
        entry(Entry::Host(host_name));
        return ListLine::Entries(1);
    }
    // A public suffix would list the names of everybody who registered below it.
    if registrable(host_name, Section::Private).is_none() {
        return ListLine::Invalid;
    }
    entry(Entry::Below(host_name));
    ListLine::Entries(1)
}

/// A host name in lower-case ASCII form. A single label is not accepted: no list means a top-level
/// domain.
fn host_name(text: &str) -> Option<String> {
    ascii_domain(text).filter(|host_name| host_name.contains('.'))
}

/// A URL in the form of [`Entry::Url`], parsed as in mail. Without a scheme it begins with the
/// host.
fn entry_url(text: &str) -> Option<String> {
    let text = text.replace(reference::is_stripped, "");
    let link = match reference::parse(&text, 0..text.len()).next()? {
        Target::Link(link) if link.kind != Kind::Email => link,
        Target::Link(_) | Target::Dangerous { .. } => return None,
    };
    let piece = |range: Range<usize>| text.get(range).unwrap_or_default();
    let host = link.host_str(&text);
    let host = match host.strip_prefix('[').map(|rest| rest.strip_suffix(']')) {
        Some(address) => address?.parse::<Ipv6Addr>().ok()?.to_string(),
        None => host_name(host)?,
    };
    let port = link.port.clone().map(piece).unwrap_or_default();
    let number = port.is_empty() || port.parse::<u16>().is_ok();
    number.then(|| lists::url(&host, port, piece(link.tail.clone())))
}

/// The cells of a CSV line, without quotes.
fn csv_cells(line: &str) -> impl Iterator<Item = String> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?.trim_start();
        let Some(quoted) = text.strip_prefix('"') else {
            let (cell, after) = match text.split_once(',') {
                Some((cell, after)) => (cell, Some(after)),
                None => (text, None),
            };
            rest = after;
            return Some(cell.to_owned());
        };
        let mut cell = String::new();
        let mut chars = quoted.char_indices().peekable();
        let mut end = quoted.len();
        while let Some((at, char)) = chars.next() {
            if char != '"' {
                cell.push(char);
            } else if chars.next_if(|(_, next)| *next == '"').is_some() {
                cell.push('"');
            } else {
                end = at + 1;
                break;
            }
        }
        let after = quoted.get(end..).unwrap_or_default();
        rest = after.find(',').and_then(|comma| after.get(comma + 1..));
        Some(cell)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: ListFormat, entry_kind: EntryKind, text: &str) -> Vec<String> {
        let layout = ListLayout { format, entry_kind, column: 2, member: "host".to_owned() };
        let mut reader = ListReader::new(&layout);
        let mut found = Vec::new();
        for line in text.lines() {
            let result = reader.line(line, |entry| {
                found.push(match entry {
                    Entry::Below(name) => format!("below {name}"),
                    Entry::Host(name) => format!("host {name}"),
                    Entry::Url(url) => format!("url {url}"),
                    Entry::ExceptBelow(name) => format!("except below {name}"),
                    Entry::ExceptHost(name) => format!("except host {name}"),
                });
            });
            if result == ListLine::Invalid {
                found.push(format!("odd {line}"));
            }
        }
        if reader.end() == ListLine::Invalid {
            found.push("odd end".to_owned());
        }
        found
    }

    #[test]
    fn plain_lists() {
        let text = "\u{FEFF}# x\n; y\n! z\n\nEvil.Example # why\n*.evil.test\n||ads.test^\n\
                    b\u{fc}cher.example\ncom\nco.uk\ngithub.io\n192.0.2.1\na b..c\nx/y\n";
        assert_eq!(
            read(ListFormat::Plain, EntryKind::Domains, text),
            [
                "below evil.example",
                "below evil.test",
                "below ads.test",
                "below xn--bcher-kva.example",
                "odd com",
                "odd co.uk",
                "odd github.io",
                "host 192.0.2.1",
                "odd a b..c",
                "odd x/y",
            ]
        );
        // A file of hosts(5), whose format nobody has named.
        let hosts = "0.0.0.0 evil.example\n::1\tlocalhost\n192.0.2.1 # why\n192.0.2.2\n";
        assert_eq!(
            read(ListFormat::Plain, EntryKind::Domains, hosts),
            ["odd 0.0.0.0 evil.example", "odd ::1\tlocalhost", "host 192.0.2.1", "host 192.0.2.2"]
        );
        assert_eq!(read(ListFormat::Plain, EntryKind::Hosts, "github.io\n"), ["host github.io"]);
    }

    #[test]
    fn urls_have_no_scheme_and_no_fragment() {
        let text = "https://u@Evil.Example:443/A?b=C#d\nevil.example\nhttp://evil.example:8080?x\n\
                    http:///x\n";
        assert_eq!(
            read(ListFormat::Plain, EntryKind::Urls, text),
            [
                "url evil.example/A?b=C",
                "url evil.example/",
                "url evil.example:8080/?x",
                "odd http:///x"
            ]
        );
    }

    #[test]
    fn urls_are_read_as_in_mail() {
        for (text, expected) in [
            ("evil.example/r?u=https://paypal.com/x", "url evil.example/r?u=https://paypal.com/x"),
            ("https://evil.example/r#https://paypal.com/x", "url evil.example/r"),
            ("HTTP:evil.example", "url evil.example/"),
            ("https:\\\\evil.example\\a\\b", "url evil.example/a/b"),
            ("//evil.example/x", "url evil.example/x"),
            ("http://a@b@evil.example:8080/", "url evil.example:8080/"),
            ("http://evil.example.:00080/x", "url evil.example/x"),
            ("http://[2001:DB8::0:1]:443/x", "url [2001:db8::1]/x"),
            ("http://192.0.2.1/x", "url 192.0.2.1/x"),
            ("http://b\u{fc}cher.example/\u{fc}", "url xn--bcher-kva.example/\u{fc}"),
            ("evil.example:x", "odd evil.example:x"),
            ("http://evil.example:99999/", "odd http://evil.example:99999/"),
            ("mailto:a@evil.example", "odd mailto:a@evil.example"),
            ("a@evil.example", "odd a@evil.example"),
            ("javascript:alert(1)", "odd javascript:alert(1)"),
            ("/x/y", "odd /x/y"),
            ("http://[x]/", "odd http://[x]/"),
        ] {
            assert_eq!(read(ListFormat::Plain, EntryKind::Urls, text), [expected], "{text}");
        }
    }

    #[test]
    fn an_invalid_name_does_not_affect_others_on_its_line() {
        assert_eq!(
            read(ListFormat::Hosts, EntryKind::Domains, "0.0.0.0 co.uk evil.example"),
            ["below evil.example", "odd 0.0.0.0 co.uk evil.example"]
        );
    }

    #[test]
    fn hosts_files() {
        let text = "127.0.0.1 localhost localhost.localdomain\n::1 ip6-loopback\n0.0.0.0 0.0.0.0\n\
                    0.0.0.0 evil.example bad.example # both\nevil.example\n#x\n";
        assert_eq!(
            read(ListFormat::Hosts, EntryKind::Hosts, text),
            ["host evil.example", "host bad.example", "odd evil.example"]
        );
    }

    #[test]
    fn cells_and_members() {
        let text = "# id, host\n1,evil.example,x\n\"2, a\",\"bad.example\"\n\"3 \"\"q\"\"\" , \"un.example\n4\n";
        assert_eq!(
            read(ListFormat::Csv, EntryKind::Domains, text),
            ["below evil.example", "below bad.example", "below un.example", "odd 4"]
        );
        let text = "{\"host\":\"evil.example\"}\n{\"host\":7}\n{\"x\":1}\n[]\n";
        let odd = ["odd {\"host\":7}", "odd {\"x\":1}", "odd []"];
        let found = read(ListFormat::JsonLines, EntryKind::Domains, text);
        assert_eq!(found[0], "below evil.example");
        assert_eq!(found[1..], odd);
    }

    #[test]
    fn zones() {
        let text = "$TTL 300\n@ IN SOA ns.x. h.x. (\n 1 2 3\n 4 5 )\n  IN NS ns.x.\n\
                    evil.example CNAME . ; gone\n*.evil.example 60 IN CNAME *.\n\
                    fine.example CNAME rpz-passthru.\n32.1.2.0.192.rpz-ip CNAME .\n\
                    ns.evil.rpz-nsdname CNAME .\nwall.example A 192.0.2.1\n";
        assert_eq!(
            read(ListFormat::Rpz, EntryKind::Domains, text),
            [
                "host evil.example",
                "below evil.example",
                "except host fine.example",
                "host wall.example"
            ]
        );
        let text = "rpz.x. 300 IN SOA ns.x. h.x. 1 2 3 4 5\nevil.example.rpz.x. IN CNAME .\n\
                    rpz.x. IN NS ns.x.\n$ORIGIN other.\nbad.example.other. CNAME .\n";
        assert_eq!(
            read(ListFormat::Rpz, EntryKind::Domains, text),
            ["host evil.example", "host bad.example"]
        );
    }

    #[test]
    fn zones_by_the_letter() {
        let zone = "@ IN SOA ns.x. h.x. 1 2 3 4 5\n";
        let named = "$ORIGIN rpz.x.\n@ IN SOA ns.x. h.x. 1 2 3 4 5\n";
        for (head, text, expected) in [
            (
                zone,
                "*.evil.example CNAME .\nfine.evil.example CNAME rpz-passthru.",
                &["below evil.example", "except host fine.evil.example"][..],
            ),
            (zone, "*.fine.example CNAME rpz-passthru.", &["except below fine.example"]),
            (zone, "fine.example CNAME fine.example.", &["except host fine.example"]),
            (named, "$ORIGIN com.rpz.x.\nwww.evil CNAME .", &["host www.evil.com"]),
            (named, "$ORIGIN com\nwww.evil CNAME .", &["host www.evil.com"]),
            (named, "www.evil.com.rpz.x. CNAME .", &["host www.evil.com"]),
            (named, "www.evil.com.xrpz.x. CNAME .", &["odd www.evil.com.xrpz.x. CNAME ."]),
            (zone, "www.evil.com.rpz.x. CNAME .", &["odd www.evil.com.rpz.x. CNAME ."]),
            (zone, "$ORIGIN com.rpz.x.\nwww.evil CNAME .", &["odd www.evil CNAME ."]),
            (
                "$ORIGIN .\nrpz.x 1h IN SOA a. b. 1 2 3 4 5\n$ORIGIN rpz.x.\n",
                "evil.example CNAME .",
                &["host evil.example"],
            ),
            (
                zone,
                "evil.example 1h CNAME .\na.example IN 1w2D A 192.0.2.1",
                &["host evil.example", "host a.example"],
            ),
            (zone, "evil.example 1y CNAME .", &["odd evil.example 1y CNAME ."]),
            (zone, "evil.example TYPE5 x", &["odd evil.example TYPE5 x"]),
            (
                zone,
                "evil.example TXT \"a ( b ; c\"\nbad.example CNAME .",
                &["host evil.example", "host bad.example"],
            ),
            (zone, "evil.example TXT \"a", &["odd evil.example TXT \"a"]),
            (
                zone,
                "evil.example (\n 60 ; why\n CNAME ) .\nbad.example CNAME .",
                &["host evil.example", "host bad.example"],
            ),
            (zone, "evil.example TXT (\nbad.example CNAME .", &["odd end"]),
            (zone, "evil.example )", &["odd evil.example )"]),
            (zone, "evil.example NS ns.x.\n  CNAME .", &["host evil.example"]),
            (zone, "$INCLUDE other", &["odd $INCLUDE other"]),
        ] {
            let text = format!("{head}{text}");
            assert_eq!(read(ListFormat::Rpz, EntryKind::Domains, &text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_has_an_answer(line in "\\PC{0,60}", format in 0_usize..5, entry_kind in 0_usize..3) {
            let format =
                [ListFormat::Plain, ListFormat::Hosts, ListFormat::Csv, ListFormat::JsonLines, ListFormat::Rpz][format];
            let entry_kind = [EntryKind::Domains, EntryKind::Hosts, EntryKind::Urls][entry_kind];
            read(format, entry_kind, &line);
        }
    }
}
