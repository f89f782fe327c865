//! The figures over real mail: what the engine does to 5,895 messages, as a whole and byte by byte.
//!
//! A figure is a named test and prints its line. Exceptions are data with their reasons:
//! `tests/data/mail-exceptions.tsv` (figure, message, reason); one that is not needed any more fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter::engine::outcome::Done;
use linkmilter::engine::policy::{Defang, HeaderFields};
use linkmilter::engine::span::TextEdit;
use linkmilter::engine::trace::{Trace, trace};
use linkmilter::engine::{
    Answers, Facts, Finding, Message, Outcome, Policy, Reason, TldTable, Verdict, inspect, mime,
    splice,
};
use linkmilter::tld;

/// What a figure asks of one message: what is wrong, if anything.
type Check = fn(&Looked<'_>, &Counts) -> Option<String>;

/// A figure: its name, its check, and its line from the counts.
type Figure = (&'static str, Check, fn(&Counts) -> String);

const FIGURES: &[Figure] = &[
    ("unedited_is_identical", unedited_is_identical, |counts| {
        format!("{} of {} messages have no edit", counts.get("unedited"), counts.get("messages"))
    }),
    ("defanged_text_differs_in_links_only", defanged_text_differs_in_links_only, |counts| {
        format!("{} texts with {} edits", counts.get("texts"), counts.get("text edits"))
    }),
    ("lines_without_an_edit_stay", lines_without_an_edit_stay, |counts| {
        format!(
            "{} lines; {} messages had to be recoded, their lines being too long",
            counts.get("lines"),
            counts.get("recoded")
        )
    }),
    ("restore_gives_the_original_back", restore_gives_the_original_back, |counts| {
        format!(
            "{} edited messages come back; {} recipes are too big for a header",
            counts.get("edited"),
            counts.get("long recipes")
        )
    }),
    ("a_second_rewrite_changes_nothing", a_second_rewrite_changes_nothing, |counts| {
        format!("{} messages with every link defanged", counts.get("edited"))
    }),
    ("ham_stays_as_it_is", ham_stays_as_it_is, |counts| {
        format!("{} of {} ham messages changed", counts.get("ham changed"), counts.get("ham"))
    }),
    ("phish_with_foreign_hosts", phish_with_foreign_hosts, |counts| {
        format!("{} phishing messages with hosts outside ASCII", counts.get("phish"))
    }),
];

fn main() {
    let arguments = Arguments::from_args();
    let Some(root) = common::testdata("mail", "the figures over real mail") else { return };
    if arguments.list {
        libtest_mimic::run(&arguments, trials(Vec::new())).exit();
    }
    let corpus = Corpus::open(&root);
    let start = Instant::now();
    let (wrong, counts) = corpus.run();
    println!(
        "figures over {} messages, {:.1} MB, {:.0} s for all runs\n{}",
        corpus.files.len(),
        counts.get("bytes") as f64 / 1e6,
        start.elapsed().as_secs_f32(),
        counts.foreign(),
    );
    let results = FIGURES
        .iter()
        .map(|(name, _, line)| {
            let wrong = wrong.get(name).cloned().unwrap_or_default();
            corpus.verdict(name, wrong, line(&counts))
        })
        .collect();
    libtest_mimic::run(&arguments, trials(results)).exit();
}

fn trials(results: Vec<Result<String, String>>) -> Vec<Trial> {
    let mut results = results.into_iter();
    FIGURES
        .iter()
        .map(|(name, ..)| {
            let result = results.next();
            Trial::test(*name, move || {
                println!(
                    "figure {name}: {}",
                    result.unwrap_or(Ok(String::new())).map_err(Failed::from)?
                );
                Ok(())
            })
        })
        .collect()
}

/// Counts of a run, and the hosts outside ASCII that it met.
#[derive(Default)]
struct Counts {
    counts: Mutex<BTreeMap<&'static str, usize>>,
    foreign: Mutex<BTreeMap<ForeignHost, (usize, bool)>>,
}

/// Verdict, reasons, the host in Unicode; of it: in how many messages, and whether edited.
type ForeignHost = (Verdict, String, String);

/// What is wrong, by figure: message and what.
type Wrong = BTreeMap<&'static str, Vec<(String, String)>>;

impl Counts {
    fn add(&self, name: &'static str, count: usize) {
        *self.counts.lock().unwrap().entry(name).or_default() += count;
    }

    fn get(&self, name: &str) -> usize {
        self.counts.lock().unwrap().get(name).copied().unwrap_or(0)
    }

    /// The hosts outside ASCII of phishing mail: those defanged one by one, others by reason.
    fn foreign(&self) -> String {
        let mut out = String::new();
        let mut stand: BTreeMap<(Verdict, &str), usize> = BTreeMap::new();
        let foreign = self.foreign.lock().unwrap();
        for ((verdict, reasons, host), (messages, edited)) in foreign.iter().rev() {
            if *edited {
                let host = host.replace('.', "[.]");
                out += &format!(
                    "    defanged in {messages} messages: {host} ({verdict}: {reasons})\n"
                );
            } else {
                *stand.entry((*verdict, reasons)).or_default() += 1;
            }
        }
        for ((verdict, reasons), hosts) in stand {
            out += &format!("    reported: {hosts} hosts ({verdict}: {reasons})\n");
        }
        out
    }
}

/// A message, looked at once for all figures.
struct Looked<'a> {
    name: &'a str,
    mail: &'a Mail,
    corpus: &'a Corpus,
    /// Under the default policy, and with every link defanged.
    judged: Outcome,
    apart: Outcome,
    seen: Trace,
    after: Mail,
}

/// The messages, and what is known of some.
struct Corpus {
    root: PathBuf,
    files: Vec<PathBuf>,
    tlds: TldTable,
    /// By figure: message and reason.
    exceptions: BTreeMap<&'static str, BTreeMap<String, String>>,
}

impl Corpus {
    fn open(root: &Path) -> Corpus {
        let files = common::mail::files(root);
        let exceptions = FIGURES
            .iter()
            .map(|(figure, ..)| (*figure, common::mail::exceptions(figure)))
            .collect();
        Corpus { root: root.to_owned(), files, tlds: tld::builtin(), exceptions }
    }

    /// Runs every figure over every message, on two threads.
    fn run(&self) -> (Wrong, Counts) {
        let counts = Counts::default();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut wrong = Vec::new();
            while let Some(path) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let name = path.strip_prefix(&self.root).unwrap().to_str().unwrap();
                let mail = Mail::read(path);
                let looked = Looked::at(name, &mail, self);
                counts.add("messages", 1);
                counts.add("bytes", mail.head.len() + mail.body.len());
                for (figure, check, _) in FIGURES {
                    if let Some(what) = check(&looked, &counts) {
                        wrong.push((*figure, name.to_owned(), what));
                    }
                }
            }
            wrong
        };
        let mut all = Wrong::new();
        std::thread::scope(|scope| {
            for thread in [scope.spawn(work), scope.spawn(work)] {
                for (figure, name, what) in thread.join().unwrap() {
                    all.entry(figure).or_default().push((name, what));
                }
            }
        });
        all.values_mut().for_each(|wrong| wrong.sort());
        (all, counts)
    }

    /// Fails for what is wrong and no known exception, and for exceptions that hold no more.
    fn verdict(
        &self,
        figure: &str,
        wrong: Vec<(String, String)>,
        line: String,
    ) -> Result<String, String> {
        let exceptions = self.exceptions.get(figure);
        let mut known: BTreeSet<&str> =
            exceptions.into_iter().flat_map(BTreeMap::keys).map(String::as_str).collect();
        let exceptions = known.len();
        let mut new = Vec::new();
        for (message, what) in &wrong {
            if !known.remove(message.as_str()) {
                new.push(format!("{message}: {what}"));
            }
        }
        new.extend(
            known.into_iter().map(|message| format!("{message}: an exception, but it holds")),
        );
        if new.is_empty() {
            return Ok(format!("{line}, {exceptions} exceptions"));
        }
        let shown = new.len().min(40);
        Err(format!("{line}; {} wrong:\n{}", new.len(), new[..shown].join("\n")))
    }

    fn inspect(&self, mail: &Mail, policy: &Policy) -> Outcome {
        inspect(mail.message(), &Facts::default(), policy, &self.tlds).resolve(&Answers::new())
    }

    fn trace(&self, mail: &Mail, policy: &Policy) -> Trace {
        trace(mail.message(), &Facts::default(), policy, &self.tlds)
    }
}

/// A message cut at its first empty line; an mbox line in front is left out.
struct Mail {
    head: Vec<u8>,
    body: Vec<u8>,
}

impl Mail {
    fn read(path: &Path) -> Mail {
        let bytes = fs::read(path).unwrap();
        let (head, body) = common::mail::split(&bytes);
        Mail { head: head.to_vec(), body: body.to_vec() }
    }

    fn message(&self) -> Message<'_> {
        Message { head: &self.head, body: &self.body }
    }

    /// As the message goes on.
    fn edited(&self, outcome: &Outcome) -> Mail {
        let end = if self.head.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
        let mut head = Vec::new();
        for field in &outcome.fields {
            let value = field.value.replace('\n', end);
            head.extend_from_slice(format!("{}: {value}{end}", field.name).as_bytes());
        }
        head.extend(splice::apply_head(&self.head, &outcome.head_edits));
        Mail { head, body: splice::apply(&self.body, &outcome.edits).to_vec() }
    }
}

fn silent() -> Policy {
    Policy { header_fields: HeaderFields::Omit, ..Policy::default() }
}

fn defang() -> Policy {
    Policy { defang: Defang::All, ..silent() }
}

impl<'a> Looked<'a> {
    fn at(name: &'a str, mail: &'a Mail, corpus: &'a Corpus) -> Looked<'a> {
        let fields =
            Policy { header_fields: HeaderFields::Add, undo_header_bytes: None, ..defang() };
        let apart = corpus.inspect(mail, &fields);
        Looked {
            name,
            mail,
            corpus,
            judged: corpus.inspect(mail, &silent()),
            seen: corpus.trace(mail, &defang()),
            after: mail.edited(&apart),
            apart,
        }
    }
}

fn unedited_is_identical(looked: &Looked<'_>, counts: &Counts) -> Option<String> {
    let outcome = &looked.judged;
    if !outcome.edits.is_empty() || !outcome.head_edits.is_empty() {
        return None;
    }
    counts.add("unedited", 1);
    let after = looked.mail.edited(outcome);
    let same = after.head == looked.mail.head && after.body == looked.mail.body;
    (!same).then(|| "bytes differ".to_owned())
}

/// Edits of each reading in order and disjoint, as the engine makes them so.
fn by_reading(seen: &Trace) -> BTreeMap<(usize, usize), Vec<TextEdit>> {
    let mut all: BTreeMap<(usize, usize), Vec<TextEdit>> = BTreeMap::new();
    for link in seen.links.iter().filter(|link| link.question.is_none()) {
        if let Some(part) = link.part {
            all.entry((part, link.reading)).or_default().extend(link.edits.iter().cloned());
        }
    }
    all.into_iter().map(|(key, edits)| (key, disjoint(edits.into_iter()))).collect()
}

fn disjoint(edits: impl Iterator<Item = TextEdit>) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = edits.collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut end = 0;
    edits.retain(|edit| {
        let fits = edit.range.start >= end;
        end = if fits { edit.range.end } else { end };
        fits
    });
    edits
}

fn defanged_text_differs_in_links_only(looked: &Looked<'_>, counts: &Counts) -> Option<String> {
    let Looked { mail, seen, after, .. } = looked;
    let tree = mime::parse(after.message(), &Policy::default().limits.structure());
    if tree.parts.len() != seen.tree.parts.len() {
        return Some(format!("{} parts became {}", seen.tree.parts.len(), tree.parts.len()));
    }
    let plan = by_reading(seen);
    for part in 0..tree.parts.len() {
        // What some clients read has the bytes of usual parts as well, and so their edits.
        if seen.tree.parts[part].view != mime::ClientView::Usual {
            continue;
        }
        let readings: Vec<_> = mime::readings(mail.message(), &seen.tree, part).collect();
        let now = mime::readings(after.message(), &tree, part).next();
        // The label's reading; another one has its own characters round the same edits.
        let (Some(before), Some(now)) = (readings.first(), now) else { continue };
        // Where another reading has the same characters (plain text that is HTML to a sniffing
        // client), its edits are edits of this text.
        let same = (0..readings.len())
            .filter(|index| readings[*index].text.as_str() == before.text.as_str());
        let plan = disjoint(same.filter_map(|index| plan.get(&(part, index))).flatten().cloned());
        counts.add("texts", 1);
        counts.add("text edits", plan.len());
        // A line that would pass 998 bytes is broken at white space: line ends do not count.
        let expected = on_one_line(&replaced(before.text.as_str(), &plan));
        let now = on_one_line(now.text.as_str());
        if expected != now {
            return Some(difference(&seen.tree.parts[part].path, &expected, &now));
        }
    }
    None
}

fn on_one_line(text: &str) -> String {
    text.replace(['\r', '\n'], "")
}

fn replaced(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.replacement);
        at = edit.range.end;
    }
    out + &text[at..]
}

fn difference(part: &str, expected: &str, found: &str) -> String {
    let at = expected.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
    let cut = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(20)..(at + 40).min(text.len())])
            .into_owned()
    };
    format!(
        "part {part}: text differs at {at}: expected {:?}, found {:?}",
        cut(expected),
        cut(found)
    )
}

/// Every raw edit lies in lines that the edited text came from.
fn lines_without_an_edit_stay(looked: &Looked<'_>, counts: &Counts) -> Option<String> {
    let Looked { mail, seen, apart, .. } = looked;
    counts.add("lines", mail.body.split(|c| *c == b'\n').count());
    if apart.fields.iter().any(|field| field.value.contains("recoded=")) {
        counts.add("recoded", 1);
        return None;
    }
    let mut touched: Vec<Range<usize>> = Vec::new();
    for ((part, reading), edits) in by_reading(seen) {
        let readings: Vec<_> = mime::readings(mail.message(), &seen.tree, part).collect();
        let base64 = readings[reading].transfer.as_str() == "base64";
        for edit in edits {
            let span = seen.tree.raw_span(part, &readings[reading], edit.range);
            let end = if base64 { mail.body.len() } else { span.end };
            touched.push(whole_lines(&mail.body, span.start..end));
        }
    }
    let stray = apart.edits.iter().find(|edit| {
        !touched.iter().any(|lines| lines.start <= edit.range.start && edit.range.end <= lines.end)
    });
    stray.map(|edit| format!("bytes {:?} are edited on a line without a link", edit.range))
}

fn whole_lines(body: &[u8], range: Range<usize>) -> Range<usize> {
    let start = body[..range.start].iter().rposition(|c| *c == b'\n').map_or(0, |at| at + 1);
    let end =
        body[range.end..].iter().position(|c| *c == b'\n').map_or(body.len(), |at| range.end + at);
    start..end
}

fn restore_gives_the_original_back(looked: &Looked<'_>, counts: &Counts) -> Option<String> {
    let Looked { mail, after, apart, .. } = looked;
    if apart.edits.is_empty() {
        return None;
    }
    counts.add("edited", 1);
    let undo = apart.fields.iter().find(|field| field.name == "X-Linkmilter-Undo");
    let cap = Policy::default().undo_header_bytes.unwrap();
    counts.add("long recipes", usize::from(undo.is_some_and(|field| field.value.len() > cap)));
    match splice::restore(&after.head, &after.body, None, |_| None) {
        Err(error) => Some(error.to_string()),
        Ok(restored) if restored.body != mail.body => Some("another body".to_owned()),
        Ok(restored) if restored.head != splice::fields::without_ours(&mail.head) => {
            Some("another header".to_owned())
        }
        Ok(_) => None,
    }
}

fn a_second_rewrite_changes_nothing(looked: &Looked<'_>, _: &Counts) -> Option<String> {
    if looked.apart.edits.is_empty() {
        return None;
    }
    let again = looked.corpus.trace(&looked.after, &defang());
    let left = again.links.iter().find(|link| !link.edits.is_empty() && link.question.is_none())?;
    let finding = &left.finding;
    Some(format!("part {}: {} {:?}", finding.part, finding.place, finding.spelling))
}

fn ham_stays_as_it_is(looked: &Looked<'_>, counts: &Counts) -> Option<String> {
    if !(looked.name.starts_with("spamassassin/") && looked.name.contains("ham")) {
        return None;
    }
    counts.add("ham", 1);
    if looked.judged.edits.is_empty() {
        return None;
    }
    counts.add("ham changed", 1);
    let edited = looked.judged.findings.iter().filter(|finding| finding.done == Done::Edited);
    let said: Vec<String> = edited
        .map(|finding| format!("{} {} ({})", finding.place, finding.spelling, reasons(finding)))
        .collect();
    Some(said.join("; "))
}

/// Phishing with hosts outside ASCII: all are reported, those that mislead are defanged.
fn phish_with_foreign_hosts(looked: &Looked<'_>, counts: &Counts) -> Option<String> {
    if !looked.name.starts_with("phishing_pot/") {
        return None;
    }
    let trace = looked.corpus.trace(looked.mail, &silent());
    let mut foreign: BTreeMap<ForeignHost, bool> = BTreeMap::new();
    for link in trace.links.iter().filter(|link| link.question.is_none() && link.part.is_some()) {
        let finding = &link.finding;
        if finding.ascii != finding.unicode || finding.reasons.contains(Reason::CompatForm) {
            let key = (finding.verdict, reasons(finding), finding.unicode.clone());
            *foreign.entry(key).or_default() |= finding.done == Done::Edited;
        }
    }
    counts.add("phish", usize::from(!foreign.is_empty()));
    let mut all = counts.foreign.lock().unwrap();
    let mut wrong = None;
    for (key, edited) in foreign {
        if key.0 >= Verdict::Unsafe && !edited {
            wrong = Some(format!("{} misleads and stands", key.2));
        }
        let entry = all.entry(key).or_default();
        entry.0 += 1;
        entry.1 |= edited;
    }
    wrong
}

fn reasons(finding: &Finding) -> String {
    finding.reasons.iter().map(|reason| reason.code()).collect::<Vec<_>>().join(",")
}
