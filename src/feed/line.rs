//! Lines of lists, in the formats that they come in.

use std::net::IpAddr;

use crate::engine::host::{Section, registrable};
use crate::engine::lists::Entry;
use crate::policy::ascii_domain;

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
    /// Something else.
    Odd,
}

/// Reads the lines of one list.
#[derive(Debug)]
pub struct Reader<'f> {
    form: &'f Form,
    zone: Zone,
}

/// Where in a zone file we are.
#[derive(Debug, Default)]
struct Zone {
    /// Without its last dot.
    origin: String,
    /// Inside the parentheses of a record.
    open: bool,
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
            Format::Rpz => self.zone.record(line, entry),
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
}

/// hosts(5): names of the machine itself are passed over.
fn hosts(line: &str, holds: Holds, entry: &mut impl FnMut(Entry<'_>)) -> Line {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Line::Nothing };
    if first.parse::<IpAddr>().is_err() {
        return Line::Odd;
    }
    let mut entries = 0;
    for name in words.filter(|name| name.contains('.') && name.parse::<IpAddr>().is_err()) {
        if name.eq_ignore_ascii_case("localhost.localdomain") {
            continue;
        }
        match one(name, holds, entry) {
            Line::Entries(count) => entries += count,
            Line::Nothing | Line::Odd => return Line::Odd,
        }
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

/// A URL as [`Entry::Url`] has it.
fn url(text: &str) -> Option<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.split('#').next()?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at_checked(end)?;
    let authority = authority.rsplit('@').next()?;
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let host = name(host)?;
    let slash = if tail.starts_with('/') { "" } else { "/" };
    Some(match port {
        "" | "80" | "443" => format!("{host}{slash}{tail}"),
        port => format!("{host}:{port}{slash}{tail}"),
    })
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

impl Zone {
    /// A line of a zone file (RFC 1035 §5.1) as response policy zones use it: the owner is what is
    /// listed, `*.owner` what is below it; triggers on addresses and name servers say nothing of links.
    fn record(&mut self, line: &str, mut entry: impl FnMut(Entry<'_>)) -> Line {
        let line = line.split(';').next().unwrap_or_default();
        let inside = self.open;
        self.open = (self.open || line.contains('(')) && !line.contains(')');
        let mut words = line.split_whitespace();
        if inside || line.starts_with([' ', '\t']) {
            return Line::Nothing;
        }
        let Some(owner) = words.next() else { return Line::Nothing };
        if owner.eq_ignore_ascii_case("$ORIGIN") {
            self.origin = bare(words.next().unwrap_or_default());
            return Line::Nothing;
        }
        if owner.starts_with('$') {
            return Line::Nothing;
        }
        let kinds = ["CNAME", "A", "AAAA", "TXT"];
        let mut words = words.skip_while(|word| {
            word.eq_ignore_ascii_case("IN") || word.bytes().all(|b| b.is_ascii_digit())
        });
        let Some(kind) = words.next() else { return Line::Odd };
        if kind.eq_ignore_ascii_case("SOA") && owner.ends_with('.') && self.origin.is_empty() {
            self.origin = bare(owner);
        }
        let lists = kinds.iter().any(|known| kind.eq_ignore_ascii_case(known));
        let passed = words.next().is_some_and(|to| bare(to) == "rpz-passthru");
        if owner.starts_with('@') || !lists || passed {
            return Line::Nothing;
        }
        let Some(owner) = self.relative(owner) else { return Line::Nothing };
        let trigger = owner.rsplit('.').next().unwrap_or_default();
        if trigger.starts_with("rpz-") {
            return Line::Nothing;
        }
        let (below, owner) = match owner.strip_prefix("*.") {
            Some(owner) => (Holds::Domains, owner),
            None => (Holds::Hosts, owner.as_str()),
        };
        name(owner).map_or(Line::Odd, |name| listed(&name, below, &mut entry))
    }

    /// The owner without the zone; nothing for the zone itself.
    fn relative(&self, owner: &str) -> Option<String> {
        let Some(absolute) = owner.strip_suffix('.') else { return Some(owner.to_owned()) };
        let absolute = absolute.to_ascii_lowercase();
        let relative = absolute.strip_suffix(&self.origin)?;
        relative.strip_suffix('.').map(str::to_owned)
    }
}

fn bare(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
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
                });
            });
            if said == Line::Odd {
                found.push(format!("odd {line}"));
            }
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
            ["host evil.example", "below evil.example", "host wall.example"]
        );
        let text = "rpz.x. 300 IN SOA ns.x. h.x. 1 2 3 4 5\nevil.example.rpz.x. IN CNAME .\n\
                    rpz.x. IN NS ns.x.\n$ORIGIN other.\nbad.example.other. CNAME .\n";
        assert_eq!(
            read(Format::Rpz, Holds::Domains, text),
            ["host evil.example", "host bad.example"]
        );
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
