//! Lines of lists, in the formats that they come in.

use std::net::{IpAddr, Ipv6Addr};
use std::ops::Range;

use crate::engine::host::{Section, registrable};
use crate::engine::link::{Kind, Target, reference};
use crate::engine::lists::{self, Entry};
use crate::policy::ascii_domain;

use super::zone::{Said, Zone};

/// How a list is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// An entry a line; `#` and `;` begin comments, `*.name` and `||name^` are taken for `name`.
    #[default]
    Plain,
    /// hosts(5): an address, then names.
    Hosts,
    /// Comma-separated values; quotes as in RFC 4180.
    Csv,
    /// An object of JSON a line.
    JsonLines,
    /// A response policy zone as a zone file.
    Rpz,
}

/// What its entries are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holds {
    /// Names, each with all below it.
    #[default]
    Domains,
    /// Hosts, each alone.
    Hosts,
    /// URLs; their scheme and fragment do not count.
    Urls,
    /// Names that readers know, which others pose as; no bad ones. A line that is none spoils the list.
    Names,
}

/// How the lines of a list are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    pub format: Format,
    pub holds: Holds,
    /// The column of CSV, counted from 1.
    pub column: usize,
    /// The member of JSON objects.
    pub member: String,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// So many entries.
    Entries(usize),
    /// A comment, an empty line, a record that lists nothing.
    Nothing,
    /// Something else, or something else beside entries.
    Odd,
}

/// Reads the lines of one list.
#[derive(Debug)]
pub struct Reader<'f> {
    form: &'f Form,
    zone: Zone,
}

impl<'f> Reader<'f> {
    pub fn new(form: &'f Form) -> Reader<'f> {
        Reader { form, zone: Zone::default() }
    }

    /// Reads a line; `entry` is handed what it lists.
    pub fn line(&mut self, line: &str, mut entry: impl FnMut(Entry<'_>)) -> Line {
        let line = line.trim_start_matches('\u{FEFF}').trim_end();
        let holds = self.form.holds;
        match self.form.format {
            Format::Rpz => match self.zone.line(line) {
                Said::Nothing => Line::Nothing,
                Said::Odd => Line::Odd,
                Said::Owner { name: owner, below, listed: meant } => {
                    let holds = if below { Holds::Domains } else { Holds::Hosts };
                    match name(&owner) {
                        None => Line::Odd,
                        Some(name) if meant => listed(&name, holds, &mut entry),
                        Some(name) => {
                            entry(match below {
                                true => Entry::ExceptBelow(&name),
                                false => Entry::ExceptHost(&name),
                            });
                            Line::Entries(1)
                        }
                    }
                }
            },
            _ if line.trim_start().is_empty() || line.starts_with(['#', ';', '!']) => Line::Nothing,
            Format::Plain => {
                let word = line.split_whitespace().next().unwrap_or_default();
                one(word, holds, &mut entry)
            }
            Format::Hosts => hosts(line, holds, &mut entry),
            Format::Csv => {
                let cell = cells(line).nth(self.form.column.saturating_sub(1));
                cell.map_or(Line::Odd, |cell| one(cell.trim(), holds, &mut entry))
            }
            Format::JsonLines => {
                let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
                let text = value.as_ref().and_then(|value| value.get(&self.form.member)?.as_str());
                text.map_or(Line::Odd, |text| one(text.trim(), holds, &mut entry))
            }
        }
    }

    /// What is to be said when no line is left.
    pub fn end(&self) -> Line {
        if self.zone.is_open() { Line::Odd } else { Line::Nothing }
    }
}

/// hosts(5): names of the machine itself are passed over.
fn hosts(line: &str, holds: Holds, entry: &mut impl FnMut(Entry<'_>)) -> Line {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Line::Nothing };
    if first.parse::<IpAddr>().is_err() {
        return Line::Odd;
    }
    let (mut entries, mut odd) = (0, false);
    for name in words.filter(|name| name.contains('.') && name.parse::<IpAddr>().is_err()) {
        if name.eq_ignore_ascii_case("localhost.localdomain") {
            continue;
        }
        match one(name, holds, entry) {
            Line::Entries(count) => entries += count,
            Line::Nothing => {}
            Line::Odd => odd = true,
        }
    }
    if odd {
        return Line::Odd;
    }
    if entries == 0 { Line::Nothing } else { Line::Entries(entries) }
}

/// One entry.
fn one(text: &str, holds: Holds, entry: &mut impl FnMut(Entry<'_>)) -> Line {
    if holds == Holds::Urls {
        return match url(text) {
            Some(url) => {
                entry(Entry::Url(&url));
                Line::Entries(1)
            }
            None => Line::Odd,
        };
    }
    let bare = text.strip_prefix("||").map_or(text, |text| text.strip_suffix('^').unwrap_or(text));
    let bare = bare.strip_prefix("*.").unwrap_or(bare).trim_start_matches('.');
    match name(bare) {
        Some(name) => listed(&name, holds, entry),
        None => Line::Odd,
    }
}

fn listed(name: &str, holds: Holds, entry: &mut impl FnMut(Entry<'_>)) -> Line {
    let address = name.parse::<IpAddr>().is_ok();
    if holds == Holds::Hosts || address {
        entry(Entry::Host(name));
        return Line::Entries(1);
    }
    // A suffix under which others register would take their names along.
    if registrable(name, Section::Private).is_none() {
        return Line::Odd;
    }
    entry(Entry::Below(name));
    Line::Entries(1)
}

/// A host in lower-case ASCII form. One label alone is none: no list means a top-level domain.
fn name(text: &str) -> Option<String> {
    ascii_domain(text).filter(|name| name.contains('.'))
}

/// A URL as [`Entry::Url`] has it, read as in mail. One without a scheme begins with its host.
fn url(text: &str) -> Option<String> {
    let text = text.replace(reference::is_stripped, "");
    let link = match reference::parse(&text, 0..text.len()).next()? {
        Target::Link(link) if link.kind != Kind::Email => link,
        Target::Link(_) | Target::Dangerous { .. } => return None,
    };
    let piece = |range: Range<usize>| text.get(range).unwrap_or_default();
    let host = link.host_str(&text);
    let host = match host.strip_prefix('[').map(|rest| rest.strip_suffix(']')) {
        Some(address) => address?.parse::<Ipv6Addr>().ok()?.to_string(),
        None => name(host)?,
    };
    let port = link.port.clone().map(piece).unwrap_or_default();
    let number = port.is_empty() || port.parse::<u16>().is_ok();
    number.then(|| lists::url(&host, port, piece(link.tail.clone())))
}

/// The cells of a line of CSV, quotes taken away.
fn cells(line: &str) -> impl Iterator<Item = String> {
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

    fn read(format: Format, holds: Holds, text: &str) -> Vec<String> {
        let form = Form { format, holds, column: 2, member: "host".to_owned() };
        let mut reader = Reader::new(&form);
        let mut found = Vec::new();
        for line in text.lines() {
            let said = reader.line(line, |entry| {
                found.push(match entry {
                    Entry::Below(name) => format!("below {name}"),
                    Entry::Host(name) => format!("host {name}"),
                    Entry::Url(url) => format!("url {url}"),
                    Entry::ExceptBelow(name) => format!("except below {name}"),
                    Entry::ExceptHost(name) => format!("except host {name}"),
                });
            });
            if said == Line::Odd {
                found.push(format!("odd {line}"));
            }
        }
        if reader.end() == Line::Odd {
            found.push("odd end".to_owned());
        }
        found
    }

    #[test]
    fn plain_lists() {
        let text = "\u{FEFF}# x\n; y\n! z\n\nEvil.Example # why\n*.evil.test\n||ads.test^\n\
                    b\u{fc}cher.example\ncom\nco.uk\ngithub.io\n192.0.2.1\na b..c\nx/y\n";
        assert_eq!(
            read(Format::Plain, Holds::Domains, text),
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
        assert_eq!(read(Format::Plain, Holds::Hosts, "github.io\n"), ["host github.io"]);
    }

    #[test]
    fn urls_have_no_scheme_and_no_fragment() {
        let text = "https://u@Evil.Example:443/A?b=C#d\nevil.example\nhttp://evil.example:8080?x\n\
                    http:///x\n";
        assert_eq!(
            read(Format::Plain, Holds::Urls, text),
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
            assert_eq!(read(Format::Plain, Holds::Urls, text), [expected], "{text}");
        }
    }

    #[test]
    fn a_name_that_is_odd_takes_no_other_with_it() {
        assert_eq!(
            read(Format::Hosts, Holds::Domains, "0.0.0.0 co.uk evil.example"),
            ["below evil.example", "odd 0.0.0.0 co.uk evil.example"]
        );
    }

    #[test]
    fn hosts_files() {
        let text = "127.0.0.1 localhost localhost.localdomain\n::1 ip6-loopback\n0.0.0.0 0.0.0.0\n\
                    0.0.0.0 evil.example bad.example # both\nevil.example\n#x\n";
        assert_eq!(
            read(Format::Hosts, Holds::Hosts, text),
            ["host evil.example", "host bad.example", "odd evil.example"]
        );
    }

    #[test]
    fn cells_and_members() {
        let text = "# id, host\n1,evil.example,x\n\"2, a\",\"bad.example\"\n\"3 \"\"q\"\"\" , \"un.example\n4\n";
        assert_eq!(
            read(Format::Csv, Holds::Domains, text),
            ["below evil.example", "below bad.example", "below un.example", "odd 4"]
        );
        let text = "{\"host\":\"evil.example\"}\n{\"host\":7}\n{\"x\":1}\n[]\n";
        let odd = ["odd {\"host\":7}", "odd {\"x\":1}", "odd []"];
        let found = read(Format::JsonLines, Holds::Domains, text);
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
            read(Format::Rpz, Holds::Domains, text),
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
            read(Format::Rpz, Holds::Domains, text),
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
            assert_eq!(read(Format::Rpz, Holds::Domains, &text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_has_an_answer(line in "\\PC{0,60}", format in 0_usize..5, holds in 0_usize..3) {
            let format =
                [Format::Plain, Format::Hosts, Format::Csv, Format::JsonLines, Format::Rpz][format];
            let holds = [Holds::Domains, Holds::Hosts, Holds::Urls][holds];
            read(format, holds, &line);
        }
    }
}
