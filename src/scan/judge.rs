//! One message through the engine, and what comes of it written in the asked form.

use std::io;
use std::ops::ControlFlow;

use crate::engine::outcome::{Place, Verdict};
use crate::engine::{self, Answers, Case, Facts, Finding, Outcome, Policy, TldTable};
use crate::record::finding::{Line, Origin, SCHEMA, UnreadLine};
use crate::record::tally::Tally;
use crate::record::{csv, diff};

use super::crosscheck;
use super::headers::Headers;
use super::message::{Raw, SourceMessage};
use super::read::Sink;

/// What is written while the scan goes on. The other forms are made of the counts at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Jsonl,
    Csv,
    /// A unified diff of what the filter would change.
    Diff,
    /// Nothing: the counts alone matter.
    Counts,
}

/// Whether the lines account for what was not read as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Account {
    #[default]
    Findings,
    /// `bypass` and `unread` lines as well (jsonl).
    Gaps,
}

/// Whether the second witness reads along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Witness {
    #[default]
    No,
    Yes,
}

/// Who answers about TLDs that the table lacks.
#[derive(Default)]
pub enum Dns {
    /// Nobody: they are unverified.
    #[default]
    Silent,
    /// Whoever asks the DNS for us, from any thread.
    Asked(Box<Ask>),
}

/// From the questions of one message to what was answered in time.
pub type Ask = dyn Fn(&[String]) -> Answers + Send + Sync;

impl Dns {
    fn answers(&self, questions: &[String]) -> Answers {
        match self {
            Dns::Silent => Answers::new(),
            Dns::Asked(ask) => ask(questions),
        }
    }
}

impl std::fmt::Debug for Dns {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Dns::Silent => "Silent",
            Dns::Asked(_) => "Asked",
        })
    }
}

/// How messages are judged and written.
#[derive(Debug)]
pub struct Settings {
    pub policy: Policy,
    pub facts: Facts,
    pub tlds: TldTable,
    pub dns: Dns,
    pub stream: Stream,
    /// Findings of less are not written.
    pub least: Verdict,
    pub account: Account,
    pub witness: Witness,
    /// Largest message, in bytes.
    pub largest: usize,
}

impl Settings {
    /// The findings that are written.
    fn wanted<'o>(&self, outcome: &'o Outcome) -> impl Iterator<Item = &'o Finding> {
        let least = self.least;
        outcome.findings.iter().filter(move |finding| finding.verdict >= least)
    }
}

/// Bytes of lines that are handed on together. A batch may unpack to any number of messages.
const PIECE: usize = 256 << 10;

/// What one batch gave: its counts, and the last of its lines.
#[derive(Debug, Default)]
pub struct Judged {
    pub text: Vec<u8>,
    pub tally: Tally,
}

/// Judges what a source holds.
pub struct Judge<'s> {
    settings: &'s Settings,
    headers: Headers,
    out: Judged,
    /// Takes whole lines, before the batch has come to its end.
    hand_on: &'s mut dyn FnMut(Vec<u8>),
}

impl<'s> Judge<'s> {
    pub fn new(settings: &'s Settings, hand_on: &'s mut dyn FnMut(Vec<u8>)) -> Judge<'s> {
        Judge { settings, headers: Headers::new(), out: Judged::default(), hand_on }
    }

    /// Bytes of the largest message that is read.
    pub fn largest(&self) -> usize {
        self.settings.largest
    }

    pub fn finish(self) -> Judged {
        self.out
    }

    fn judge(&mut self, source: &str, raw: &Raw<'_>) {
        let letter = SourceMessage::new(&raw.bytes, raw.lead, raw.quoting);
        let message = letter.message();
        let origin = self.headers.origin(source, raw.offset, message.head);
        let outcome = self.inspect(message);
        self.out.tally.count(&origin, &outcome, raw.bytes.len() - raw.lead);
        if message.head.is_empty() {
            self.out.tally.headless += 1;
        }
        if self.settings.witness == Witness::Yes {
            self.crosscheck(&letter, &outcome);
        }
        // Writing into memory does not fail.
        let _ = self.write(&letter, &origin, &outcome);
    }

    /// A panic costs the message its judgement, not the scan its run.
    fn inspect(&self, message: engine::Message<'_>) -> Outcome {
        let settings = self.settings;
        let case = Case::new(message, &settings.facts, &settings.policy, &settings.tlds);
        engine::examine(engine::inspect_case, case, |questions| settings.dns.answers(questions))
    }

    fn crosscheck(&mut self, letter: &SourceMessage<'_>, outcome: &Outcome) {
        match crosscheck::compare(letter.raw(), outcome, &self.settings.tlds) {
            crosscheck::Word::Silent => {}
            crosscheck::Word::Agrees => self.out.tally.crosschecked += 1,
            crosscheck::Word::Differs => {
                self.out.tally.crosschecked += 1;
                self.out.tally.crosscheck_differs += 1;
            }
        }
    }

    /// Hands on what has come together, if it is much; lines are whole here.
    fn line_ends(&mut self) {
        if self.out.text.len() >= PIECE {
            (self.hand_on)(std::mem::take(&mut self.out.text));
        }
    }

    fn write(
        &mut self,
        letter: &SourceMessage<'_>,
        origin: &Origin,
        outcome: &Outcome,
    ) -> io::Result<()> {
        let settings = self.settings;
        match settings.stream {
            Stream::Counts => {}
            Stream::Jsonl => {
                for finding in settings.wanted(outcome) {
                    let line = Line::new(origin, finding, &span(letter, finding));
                    line.write_json(&mut self.out.text)?;
                    self.line_ends();
                }
                if settings.account == Account::Gaps {
                    for (part, bypass) in &outcome.bypasses {
                        let gap = UnreadLine {
                            schema: SCHEMA,
                            record: "bypass",
                            source: &origin.source,
                            offset: origin.offset,
                            part,
                            why: &bypass.to_string(),
                        };
                        gap.write_json(&mut self.out.text)?;
                        self.line_ends();
                    }
                }
            }
            Stream::Csv => {
                for finding in settings.wanted(outcome) {
                    let line = Line::new(origin, finding, &span(letter, finding));
                    csv::write_line(&mut self.out.text, &line)?;
                    self.line_ends();
                }
            }
            Stream::Diff => {
                let name = match origin.offset {
                    0 => origin.source.clone(),
                    offset => format!("{}@{offset}", origin.source),
                };
                let (raw, body) = (letter.raw(), letter.body_in_raw());
                diff::write(&mut self.out.text, &name, raw, body, outcome)?;
                self.line_ends();
            }
        }
        Ok(())
    }
}

impl Sink for Judge<'_> {
    fn hold(&mut self, _bytes: usize) {}

    fn message(&mut self, source: &str, raw: Raw<'_>) -> ControlFlow<()> {
        self.judge(source, &raw);
        ControlFlow::Continue(())
    }

    fn unread(&mut self, source: &str, offset: u64, why: &str) -> ControlFlow<()> {
        self.out.tally.unread(source, offset, why);
        if self.settings.stream == Stream::Jsonl && self.settings.account == Account::Gaps {
            let gap =
                UnreadLine { schema: SCHEMA, record: "unread", source, offset, part: "", why };
            // Writing into memory does not fail.
            let _ = gap.write_json(&mut self.out.text);
            self.line_ends();
        }
        ControlFlow::Continue(())
    }

    fn passed_over(&mut self) -> ControlFlow<()> {
        self.out.tally.skipped_files += 1;
        ControlFlow::Continue(())
    }
}

fn span(letter: &SourceMessage<'_>, finding: &Finding) -> std::ops::Range<usize> {
    match finding.place {
        Place::Header(_) if finding.part == "0" => letter.head_span(&finding.span),
        _ => letter.body_span(&finding.span),
    }
}
