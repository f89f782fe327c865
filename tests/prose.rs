//! The price of reading what careless clients link: running text whose script meets Latin hosts without
//! a space, by the habits of each language, is not edited.
//!
//! `tests/data/prose.tsv` holds words, particles, endings, quotes and punctuation of each language;
//! `tests/data/prose-edited.tsv` what is edited all the same, with its reason: a row that is not needed
//! any more fails. `tests/run prose` does the same with 2,000 words a language from lists of packages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use linkmilter::engine::policy::HeaderFields;
use linkmilter::engine::{Answers, Facts, Message, Outcome, Policy, TldTable, inspect, splice};
use linkmilter::tld;

/// Hosts that every language writes about.
const HOSTS: &[&str] = &[
    "example.com",
    "github.com",
    "www.google.com",
    "en.wikipedia.org",
    "paypal.com",
    "login.live.com",
    "ya.ru",
    "t.me",
    "docs.rs",
    "amazon.co.jp",
    "my-site.io",
    "1c.ru",
    "bbc.co.uk",
    "x.com",
    "sub.domain.example.org",
    "r3---sn-4g5e.googlevideo.com",
];

/// Sentences that share a message.
const BATCH: usize = 100;

/// What one language glues to hosts.
#[derive(Default)]
struct Language {
    name: String,
    words: Vec<String>,
    before: Vec<String>,
    after: Vec<String>,
    quotes: Vec<String>,
    stops: Vec<String>,
    hosts: Vec<String>,
}

/// A line of text, or of HTML, and what is glued to a host in it.
struct Sentence {
    html: bool,
    shape: &'static str,
    glued: String,
    text: String,
}

/// What is edited: language, shape, what is glued.
type Edited = (String, String, String);

/// A row of `prose-edited.tsv`: language, shape and what is glued, each as it is or `*`.
#[derive(Debug)]
struct Known([String; 3]);

impl Known {
    fn holds(&self, (language, shape, glued): &Edited) -> bool {
        let cells = self.0.iter().zip([language, shape, glued]);
        cells.into_iter().all(|(cell, found)| cell == "*" || cell == found)
    }
}

#[test]
fn prose_glued_to_legitimate_hosts_is_not_edited() {
    let languages = languages(&data("prose.tsv"));
    assert!(languages.len() >= 20);
    let filter = Filter::new();
    let known = known();
    let sentences = AtomicUsize::new(0);
    let next = AtomicUsize::new(0);
    let found: Mutex<BTreeMap<Edited, (usize, String)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(language) = languages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let all = spoken(language);
                    sentences.fetch_add(all.len(), Ordering::Relaxed);
                    for (sentence, after) in filter.edited(&all) {
                        let row = (
                            language.name.clone(),
                            sentence.shape.to_owned(),
                            sentence.glued.clone(),
                        );
                        let mut found = found.lock().unwrap();
                        found.entry(row).or_insert((0, after)).0 += 1;
                    }
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    let count: usize = found.values().map(|(count, _)| count).sum();
    println!(
        "figure prose: {count} of {} sentences in {} languages edited, {} rows of prose-edited.tsv",
        sentences.into_inner(),
        languages.len(),
        known.len()
    );
    let fresh: Vec<String> = found
        .iter()
        .filter(|(row, _)| !known.iter().any(|known| known.holds(row)))
        .map(|((language, shape, glued), (count, after))| {
            format!("{language}\t{shape}\t{glued}\t{count} times, {after:?}")
        })
        .collect();
    let stale: Vec<&Known> =
        known.iter().filter(|known| !found.keys().any(|row| known.holds(row))).collect();
    assert!(fresh.is_empty(), "{} edited:\n{}", fresh.len(), fresh.join("\n"));
    assert!(stale.is_empty(), "rows of prose-edited.tsv that hold no more: {stale:?}");
}

#[test]
fn the_filter_of_this_test_edits_what_lies() {
    let lie = |html: bool, text: &str| Sentence {
        html,
        shape: "",
        glued: String::new(),
        text: text.to_owned(),
    };
    let all = [
        lie(false, "see http://раypal.com/ now"),
        lie(false, "see example.com"),
        lie(true, "<b>http://раypal.com/</b>"),
    ];
    let edited: Vec<&str> =
        Filter::new().edited(&all).iter().map(|(sentence, _)| sentence.text.as_str()).collect();
    assert_eq!(edited, [all[0].text.as_str(), all[2].text.as_str()]);
}

/// Mail of public lists, ham all of it: the message is edited, or it is not.
#[test]
fn mail_of_public_lists_is_not_edited() {
    let filter = Filter::new();
    let known = common::mail::exceptions("public_lists");
    let mut edited = Vec::new();
    for (folder, what) in
        [("mail-lists", "mail of public lists"), ("mail/ponymail", "archives of public lists")]
    {
        let Some(root) = common::testdata(folder, what) else { return };
        let mut files: Vec<_> =
            fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
        files.sort();
        let mut count = 0;
        for path in files {
            let name = format!("{folder}/{}", path.file_name().unwrap().display());
            let bytes = fs::read(&path).unwrap();
            let mbox = path.extension().is_some_and(|extension| extension == "mbox");
            for bytes in if mbox { messages(&bytes) } else { vec![&bytes[..]] } {
                count += 1;
                let (head, body) = common::mail::split(bytes);
                if !filter.inspect(head, body).edits.is_empty() {
                    edited.push(name.clone());
                }
            }
        }
        let below = edited.iter().filter(|name| name.starts_with(folder)).count();
        println!("figure public_lists: {below} of {count} messages of {folder} edited");
    }
    let fresh: Vec<&String> = edited.iter().filter(|name| !known.contains_key(*name)).collect();
    let stale: Vec<&String> = known.keys().filter(|name| !edited.contains(name)).collect();
    assert!(fresh.is_empty(), "edited: {fresh:?}");
    assert!(stale.is_empty(), "exceptions that hold no more: {stale:?}");
}

/// The messages of an mbox: a line that begins with `From ` behind an empty one begins another.
fn messages(bytes: &[u8]) -> Vec<&[u8]> {
    let mut starts = vec![0];
    starts.extend(memchr::memmem::find_iter(bytes, b"\n\nFrom ").map(|at| at + 2));
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    starts.iter().zip(ends).map(|(start, end)| &bytes[*start..end]).collect()
}

/// Every sentence of a language: each form of it with a few hosts, its own among them.
fn spoken(language: &Language) -> Vec<Sentence> {
    let own = language.hosts.iter().map(String::as_str);
    let hosts: Vec<&str> = HOSTS.iter().copied().chain(own).collect();
    let mut said = Said { language, all: Vec::new(), turn: 0 };
    for host in &hosts {
        let (first, second) = (said.word(), said.word());
        said.text("spaced", "", format!("{first} {host} {second}"));
        for (before, after) in pairs(&said.language.before, &said.language.after) {
            said.text("both", before, format!("{before}{host}{after}"));
        }
        for quote in &language.quotes {
            let Some((open, close)) = halves(quote) else { continue };
            said.text("quotes", quote, format!("{first}{open}{host}{close}{second}"));
        }
        for stop in &language.stops {
            said.text("stop behind", stop, format!("{host}{stop}{first}"));
            said.text("stop before", stop, format!("{first}{stop}{host}"));
            said.text(
                "stop between",
                stop,
                format!("{host}{stop}{}", hosts[said.turn % hosts.len()]),
            );
            said.text("stop behind a URL", stop, format!("https://{host}/a{stop}{first}"));
        }
        said.text("path", "", format!("https://{host}/{first}/{second}?{first}={second}#{first}"));
        said.text("sign", "", format!("{first}👉{host} ★{host}✓{second}"));
    }
    let before: Vec<&String> = language.before.iter().chain(&language.words).collect();
    for (at, before) in before.iter().enumerate() {
        for host in some(&hosts, at) {
            said.text("before", before, format!("{before}{host}"));
            said.text("before www", before, format!("{before}www.{host}"));
            said.text("before a scheme", before, format!("{before}https://{host}/a"));
            said.text("before an address", before, format!("{before}info@{host}"));
            said.text("before with a hyphen", before, format!("{before}-{host}"));
            said.text("before with a colon", before, format!("{before}:{host}"));
            said.html("before in HTML", before, format!("{before}<b>{host}</b>"));
            said.html(
                "before an anchor",
                before,
                format!("{before}<a href=\"https://{host}/\">{host}</a>"),
            );
            said.html(
                "before in another cell",
                before,
                format!("<table><tr><td>{before}</td><td>{host}</td></tr></table>"),
            );
        }
    }
    let after: Vec<&String> = language.after.iter().chain(&language.words).collect();
    for (at, after) in after.iter().enumerate() {
        for host in some(&hosts, at) {
            said.text("behind", after, format!("{host}{after}"));
            said.text("behind www", after, format!("www.{host}{after}"));
            said.text("behind a scheme", after, format!("https://{host}{after}"));
            said.text("behind a path", after, format!("https://{host}/a{after}"));
            said.text("behind an address", after, format!("info@{host}{after}"));
            said.text("behind with a hyphen", after, format!("{host}-{after}"));
            said.html("behind in HTML", after, format!("<b>{host}</b>{after}"));
            said.html(
                "behind an anchor",
                after,
                format!("<a href=\"https://{host}/\">{host}</a>{after}"),
            );
        }
    }
    said.all
}

/// Three hosts a form, others for the next: all of them come round.
fn some<'a>(hosts: &'a [&'a str], at: usize) -> impl Iterator<Item = &'a str> {
    (0..3).map(move |step| hosts[(at * 3 + step) % hosts.len()])
}

fn pairs<'a>(
    before: &'a [String],
    after: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    before.iter().zip(after).map(|(before, after)| (before.as_str(), after.as_str()))
}

fn halves(quote: &str) -> Option<(char, char)> {
    let mut both = quote.chars();
    Some((both.next()?, both.next()?))
}

struct Said<'a> {
    language: &'a Language,
    all: Vec<Sentence>,
    turn: usize,
}

impl<'a> Said<'a> {
    fn word(&mut self) -> &'a str {
        self.turn += 1;
        &self.language.words[self.turn % self.language.words.len()]
    }

    fn text(&mut self, shape: &'static str, glued: &str, text: String) {
        let text = format!("{} {text} {}", self.word(), self.word());
        self.all.push(Sentence { html: false, shape, glued: glued.to_owned(), text });
    }

    fn html(&mut self, shape: &'static str, glued: &str, html: String) {
        let text = format!("{} {html} {}", self.word(), self.word());
        self.all.push(Sentence { html: true, shape, glued: glued.to_owned(), text });
    }
}

struct Filter {
    policy: Policy,
    tlds: TldTable,
}

impl Filter {
    fn new() -> Filter {
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        Filter { policy, tlds: tld::builtin() }
    }

    /// The sentences that are edited, and what became of them.
    fn edited<'a>(&self, sentences: &'a [Sentence]) -> Vec<(&'a Sentence, String)> {
        let mut edited = Vec::new();
        for html in [false, true] {
            let of_kind: Vec<&Sentence> =
                sentences.iter().filter(|sentence| sentence.html == html).collect();
            for batch in of_kind.chunks(BATCH) {
                if self.rewrite(html, batch).is_none() {
                    continue;
                }
                for sentence in batch {
                    let one = self.rewrite(html, &[sentence]);
                    edited.extend(one.map(|after| (*sentence, after)));
                }
            }
        }
        edited
    }

    fn inspect(&self, head: &[u8], body: &[u8]) -> Outcome {
        let facts = Facts::default();
        inspect(Message { head, body }, &facts, &self.policy, &self.tlds).resolve(&Answers::new())
    }

    /// A message with a line for each sentence: its body, if an edit was made.
    fn rewrite(&self, html: bool, sentences: &[&Sentence]) -> Option<String> {
        let media = if html { "html" } else { "plain" };
        let head = format!(
            "Content-Type: text/{media}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n"
        );
        let mut body = String::new();
        for Sentence { text, .. } in sentences {
            body += &if html { format!("<p>{text}</p>\r\n") } else { format!("{text}\r\n") };
        }
        let outcome = self.inspect(head.as_bytes(), body.as_bytes());
        assert!(outcome.bypasses.is_empty(), "{:?}", outcome.bypasses);
        if outcome.edits.is_empty() {
            return None;
        }
        let after = splice::apply(body.as_bytes(), &outcome.edits).to_vec();
        Some(String::from_utf8_lossy(&after).trim().to_owned())
    }
}

fn languages(text: &str) -> Vec<Language> {
    let mut languages: Vec<Language> = Vec::new();
    for cells in rows(text) {
        if languages.last().is_none_or(|language| language.name != cells[0]) {
            languages.push(Language { name: cells[0].clone(), ..Language::default() });
        }
        let language = languages.last_mut().unwrap();
        let forms = cells[2].split(' ').map(str::to_owned).collect();
        match cells[1].as_str() {
            "words" => language.words = forms,
            "before" => language.before = forms,
            "after" => language.after = forms,
            "quotes" => language.quotes = forms,
            "stops" => language.stops = forms,
            "hosts" => language.hosts = forms,
            other => panic!("prose.tsv: no kind {other:?}"),
        }
    }
    languages
}

fn known() -> Vec<Known> {
    let text = data("prose-edited.tsv");
    let known = rows(&text).map(|cells| {
        assert!(cells.len() == 4 && !cells[3].is_empty(), "a row without its reason: {cells:?}");
        Known([cells[0].clone(), cells[1].clone(), cells[2].clone()])
    });
    known.collect()
}

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rows(text: &str) -> impl Iterator<Item = Vec<String>> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split('\t').map(str::to_owned).collect())
}
