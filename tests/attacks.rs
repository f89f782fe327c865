//! Attacks on every built-in protected name, generated, in messages that are filtered: at least 99 % of
//! each kind is marked, in an `href` and in running text. The table is printed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use common::world::World;
use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter::engine::host::{Names, Section, registrable};
use linkmilter::engine::outcome::Done;
use linkmilter::engine::policy::Report;
use linkmilter::engine::tlds::{Answers, TldTable};
use linkmilter::engine::{Facts, Message, Policy, Verdict, inspect};

/// Share of each kind that must be marked, in per cent.
const MARKED: f64 = 99.0;

/// The same for letters of confusables.txt in running text: punctuation among them (`¡`, `।`, `︱`) ends a
/// host there, because prose puts it round hosts.
const MARKED_AMONG_PUNCTUATION: f64 = 95.0;

/// Attacks of one kind that are listed when they pass unmarked.
const LISTED: usize = 20;

/// Lower-case Cyrillic letters of the shape of Latin ones.
const CYRILLIC: &[(char, char)] = &[
    ('a', 'а'),
    ('b', 'ь'),
    ('c', 'с'),
    ('e', 'е'),
    ('h', 'һ'),
    ('i', 'і'),
    ('j', 'ј'),
    ('k', 'к'),
    ('l', 'ӏ'),
    ('n', 'п'),
    ('o', 'о'),
    ('p', 'р'),
    ('r', 'г'),
    ('s', 'ѕ'),
    ('t', 'т'),
    ('v', 'ѵ'),
    ('w', 'ѡ'),
    ('x', 'х'),
    ('y', 'у'),
];

const GREEK: &[(char, char)] = &[
    ('a', 'α'),
    ('i', 'ι'),
    ('k', 'κ'),
    ('n', 'η'),
    ('o', 'ο'),
    ('p', 'ρ'),
    ('t', 'τ'),
    ('u', 'υ'),
    ('v', 'ν'),
    ('w', 'ω'),
    ('x', 'χ'),
    ('y', 'γ'),
];

/// Fancy alphabets that generators on the web make: Cherokee and Ethiopic, ideographs, syllabics, Yi; runes and
/// Coptic letters beside them.
const FANCY: [&str; 5] = [
    "aᏗbᏰcፈdᎴeᏋfᎦgᎶhᏂiᎥjᏠkᏦlᏝmᎷnᏁoᎧpᎮrᏒsᏕtᏖuᏬvᏉwᏇyᎩzፚ",
    "a卂b乃c匚e乇f千h卄i丨kҜlㄥm爪n几oㄖp卩r尺s丂tㄒuㄩw山x乂yㄚz乙",
    "aᗩbᗷcᑕdᗪeᕮfᖴgᘜhᕼlᒪmᗰnᑎpᑭrᖇsᔕuᑌvᐯwᗯzᘔ",
    "aꍏbꌃcꉓdꀸeꍟfꎇgꁅhꃅiꀤjꀭkꀘmꂵnꈤoꂦpꉣrꋪsꌗuꀎvꃴwꅏxꊼyꌩzꁴ",
    "aⲁbᛒeⲉhᚻkᛕrᚱtᛏwⲱ",
];

/// Letters of phoneticians and old manuscripts, and small capitals.
const TECHNICAL: [&str; 4] = [
    "aᴀbʙcᴄdᴅeᴇfꜰgɢhʜiɪjᴊkᴋlʟmᴍnɴoᴏpᴘqꞯrʀsꜱtᴛuᴜvᴠwᴡyʏzᴢ",
    "aɐbɓcɕdɖeɘfƒgɠhɦiɨkƙlɭmɱnɳoɵpƥqʠrɾsʂtʈuʊvʋwɯyʎzʐ",
    "aᶏbᶀcꞔdᶁeᶒfᶂhꞕiᶖkᶄlᶅmᶆnᶇpᶈrᶉsᶊuᶙxᶍzᶎ",
    "aⱥbɮcƈdȡgꞡhɧkꝃlɬnꞑoꝍpꝑqꝗrꞧsꞩtȶuꞹvꝟwⱳzɀ",
];

const DIGITS: &[(char, char)] = &[
    ('o', '0'),
    ('l', '1'),
    ('i', '1'),
    ('e', '3'),
    ('a', '4'),
    ('s', '5'),
    ('t', '7'),
    ('b', '8'),
];

/// Marks that compose or stay: acute, grave, circumflex, tilde, diaeresis, ring, dot below, caron,
/// cedilla, ogonek, macron.
const MARKS: &str = "\u{301}\u{300}\u{302}\u{303}\u{308}\u{30a}\u{323}\u{30c}\u{327}\u{328}\u{304}";

/// Links of one message.
const TOGETHER: usize = 400;

/// Where the attacks stand in the message.
#[derive(Clone, Copy)]
enum Place {
    Attribute,
    Text,
}

/// What the filter says of each URL in a message, and what it does: the verdict, and whether it is
/// edited.
fn filtered(urls: &[String], place: Place, tlds: &TldTable) -> Vec<(Verdict, bool)> {
    let facts = Facts::default();
    let policy = Policy { report: Report::AllLinks, ..Policy::default() };
    let mut found = Vec::new();
    for urls in urls.chunks(TOGETHER) {
        let line = |url: &String| match place {
            Place::Attribute => format!("<p><a href=\"{url}\">here</a></p>\r\n"),
            Place::Text => format!("see {url} now\r\n"),
        };
        let body: String = urls.iter().map(line).collect();
        let subtype = if matches!(place, Place::Attribute) { "html" } else { "plain" };
        let head = format!(
            "MIME-Version: 1.0\r\nContent-Type: text/{subtype}; charset=utf-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n"
        );
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let outcome = inspect(message, &facts, &policy, tlds).resolve(&Answers::new());
        // Every URL stands on a line of its own.
        let mut at = 0;
        for url in urls {
            let line = at..at + line(url).len();
            at = line.end;
            let here = outcome.findings.iter().filter(|finding| line.contains(&finding.span.start));
            let worst = here.clone().map(|finding| finding.verdict).max().unwrap_or_default();
            found.push((worst, here.clone().any(|finding| finding.done == Done::Edited)));
        }
    }
    found
}

/// The host is the name itself, below it, or another protected name: no attack.
fn is_honest(world: &World, host: &str) -> bool {
    let ascii = idna::domain_to_ascii(host).unwrap_or_default();
    world.protected.covers(&ascii)
}

/// Attacks by kind: URLs.
type Attacks = BTreeMap<&'static str, Vec<String>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tlds = TldTable::new(tld::TLD.iter(), "");
    let world = World::new(Names::builtin(), tlds);
    let mut attacks = Attacks::new();
    let confusables = confusables();
    for name in world.protected.iter() {
        let domain = registrable(name, Section::Icann).unwrap_or(name);
        let brand = domain.split('.').next().unwrap();
        let whole = |label: &str| name.replacen(brand, label, 1);
        let mut add = |kind: &'static str, hosts: Vec<String>| {
            let hosts = hosts.into_iter().filter(|host| !is_honest(&world, host));
            attacks.entry(kind).or_default().extend(hosts.map(|host| format!("https://{host}/x")));
        };
        let all = |labels: Vec<String>| labels.iter().map(|l| whole(l)).collect::<Vec<_>>();
        add("one letter from confusables", all(one_each(brand, &confusables)));
        add("one Cyrillic letter", all(one_each(brand, CYRILLIC)));
        add("all Cyrillic", all(every(brand, CYRILLIC)));
        add("all Greek", all(every(brand, GREEK)));
        add("one letter of a fancy alphabet", all(one_of(brand, &FANCY)));
        add("one technical letter", all(one_of(brand, &TECHNICAL)));
        add("one diacritic", all(one_mark(brand)));
        add("one digit for a letter", all(one_each(brand, DIGITS)));
        add("digits for letters", all(every_possible(brand, DIGITS)));
        add("below another domain, one Cyrillic letter", {
            let labels = one_each(brand, CYRILLIC);
            labels.iter().map(|label| format!("{}.attack.example", whole(label))).collect()
        });
        add("name as a subdomain", vec![format!("www.{name}.attack.example")]);
        // These map to the name itself, and still nobody spells it so.
        let mut spell =
            |kind: &'static str, url: String| attacks.entry(kind).or_default().push(url);
        for (kind, a) in [("mathematical letters", '\u{1d5ba}'), ("circled letters", '\u{24d0}')] {
            if brand.contains(|c: char| c.is_ascii_lowercase()) {
                spell(kind, format!("https://{}/x", whole(&shifted(brand, a))));
            }
        }
        spell("name in the userinfo", format!("https://www.{name}@attack.example/x"));
    }
    libtest_mimic::run(&arguments, trials(&world.tlds, attacks)).exit_code()
}

fn trials(tlds: &TldTable, attacks: Attacks) -> Vec<Trial> {
    println!("{:<55} {:>7} {:>7} {:>7}  share", "attack", "made", "marked", "edited");
    let mut trials = Vec::new();
    for (kind, urls) in attacks {
        for (place, words) in [(Place::Attribute, "in an href"), (Place::Text, "in text")] {
            let found = filtered(&urls, place, tlds);
            let marked = found.iter().filter(|(verdict, _)| *verdict >= Verdict::Suspect).count();
            let edited = found.iter().filter(|(_, edited)| *edited).count();
            let share = marked as f64 * 100.0 / urls.len().max(1) as f64;
            let name = format!("{kind}, {words}");
            println!("{name:<55} {:>7} {marked:>7} {edited:>7}  {share:.2} %", urls.len());
            let missed: Vec<&str> = urls
                .iter()
                .zip(&found)
                .filter(|(_, (verdict, _))| *verdict < Verdict::Suspect)
                .map(|(url, _)| url.as_str())
                .take(LISTED)
                .collect();
            let missed = format!("{share:.2} % marked; not marked: {missed:?}");
            let floor = match (kind, place) {
                ("one letter from confusables", Place::Text) => MARKED_AMONG_PUNCTUATION,
                _ => MARKED,
            };
            let enough = share >= floor && !urls.is_empty();
            trials.push(Trial::test(
                name,
                move || {
                    if enough { Ok(()) } else { Err(Failed::from(missed)) }
                },
            ));
        }
    }
    trials
}

/// Letters that confusables.txt sends to a lower-case ASCII letter, those that UTS #46 keeps.
fn confusables() -> Vec<(char, char)> {
    let path = "crates/homograph/tests/unicode/18.0.0/confusables.txt";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(path).unwrap();
    let single = |field: &str| {
        let hex = field.trim();
        u32::from_str_radix(hex, 16).ok().and_then(char::from_u32)
    };
    text.lines()
        .filter_map(|line| {
            let mut fields = line.trim_start_matches('\u{feff}').split(';');
            let (from, to) = (single(fields.next()?)?, single(fields.next()?)?);
            (to.is_ascii_lowercase() && !from.is_ascii()).then_some((to, from))
        })
        .filter(|(_, from)| idna::domain_to_ascii(&format!("a{from}a.com")).is_ok())
        .collect()
}

/// One letter in the place of the plain one that stands before it in a row.
fn one_of(brand: &str, rows: &[&str]) -> Vec<String> {
    let pairs = |row: &&str| {
        let letters: Vec<char> = row.chars().collect();
        letters.chunks(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()
    };
    one_each(brand, &rows.iter().flat_map(pairs).collect::<Vec<_>>())
}

/// The label with one letter replaced, in every place and by every substitute.
fn one_each(label: &str, pairs: &[(char, char)]) -> Vec<String> {
    let mut out = Vec::new();
    for (at, c) in label.char_indices() {
        for (_, to) in pairs.iter().filter(|(from, _)| *from == c) {
            out.push(format!("{}{to}{}", &label[..at], &label[at + 1..]));
        }
    }
    out
}

/// The label with every letter replaced, if there is a substitute for each.
fn every(label: &str, pairs: &[(char, char)]) -> Vec<String> {
    let respelled: Option<String> = label
        .chars()
        .map(|c| match c {
            '0'..='9' | '-' => Some(c),
            _ => pairs.iter().find(|(from, _)| *from == c).map(|(_, to)| *to),
        })
        .collect();
    respelled.filter(|label| !label.is_ascii()).into_iter().collect()
}

/// The label with all letters replaced for which there is a substitute.
fn every_possible(label: &str, pairs: &[(char, char)]) -> Vec<String> {
    let swap = |c: char| pairs.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to);
    let respelled: String = label.chars().map(swap).collect();
    if respelled == label { Vec::new() } else { vec![respelled] }
}

fn one_mark(label: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, c) in label.char_indices().filter(|(_, c)| c.is_ascii_lowercase()) {
        for mark in MARKS.chars() {
            out.push(format!("{}{c}{mark}{}", &label[..at], &label[at + 1..]));
        }
    }
    out
}

/// The label in an alphabet that begins at `a`.
fn shifted(label: &str, a: char) -> String {
    let shift = |c: char| match c {
        'a'..='z' => char::from_u32(u32::from(a) + u32::from(c) - u32::from('a')).unwrap(),
        other => other,
    };
    label.chars().map(shift).collect()
}
