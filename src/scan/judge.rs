//! Judges one message with the engine, and writes the output in the requested format.

use std::io;
use std::ops::ControlFlow;

use crate::engine::outcome::{Place, Verdict};
use crate::engine::{self, Answers, Case, Dmarc, Facts, Finding, Outcome, Policy, TldTable};
use crate::judgements::Judgements;
use crate::record::finding::{FindingLine, FindingOrigin, SCHEMA, UnreadLine};
use crate::record::tally::Tally;
use crate::record::{csv, diff};

use super::crosscheck;
use super::headers::Headers;
use super::message::{RawMessage, SourceMessage};
use super::read::Sink;

/// What is written during the scan. The other output formats are written from the counts at its
/// end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    Jsonl,
    Csv,
    /// A unified diff of what the filter would change.
    Diff,
    /// Only counts; nothing is written during the scan.
    Counts,
}

/// Whether the output also has lines for what was not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapLines {
    #[default]
    Omit,
    /// `bypass` and `unread` lines as well (jsonl).
    Write,
}

/// Whether a second parser cross-checks each message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CrossCheck {
    #[default]
    Off,
    On,
}

/// Resolves the questions of one message by DNS; names without an answer in time are missing. Called from any thread.
pub type Resolve = dyn Fn(&[String]) -> Answers + Send + Sync;

/// What our own server found out about the author, by a header: its DMARC result, and the domain of the recipients if it
/// is his. Called from any thread.
pub type ReadResults = dyn Fn(&[u8]) -> (Dmarc, Option<String>) + Send + Sync;

/// How messages are judged and written.
pub struct ScanSettings {
    pub policy: Policy,
    pub facts: Facts,
    /// If a server is known as ours: reads the Authentication-Results of a message.
    pub results: Option<Box<ReadResults>>,
    pub tlds: TldTable,
    /// How TLDs are resolved that are not in the table. `None`: they are unverified.
    pub dns: Option<Box<Resolve>>,
    pub format: OutputFormat,
    /// Findings below this verdict are not written.
    pub min_verdict: Verdict,
    pub gap_lines: GapLines,
    pub crosscheck: CrossCheck,
    /// Size limit of a message in bytes.
    pub max_message: usize,
    /// Of hosts, which mail names again and again.
    pub judgements: Judgements,
}

impl ScanSettings {
    /// The findings to write.
    fn wanted<'o>(&self, outcome: &'o Outcome) -> impl Iterator<Item = &'o Finding> {
        let min_verdict = self.min_verdict;
        outcome.findings.iter().filter(move |finding| finding.verdict >= min_verdict)
    }
}

/// Bytes of lines that are written together. A batch may unpack to any number of messages.
const EMIT_BYTES: usize = 256 << 10;

/// The result of one batch: its counts, and the last of its lines.
#[derive(Debug, Default)]
pub struct BatchResult {
    pub text: Vec<u8>,
    pub tally: Tally,
}

/// Judges the messages of a batch.
pub struct ScanJudge<'s> {
    settings: &'s ScanSettings,
    headers: Headers,
    out: BatchResult,
    /// Takes complete lines before the end of the batch.
    emit: &'s mut dyn FnMut(Vec<u8>),
}

impl<'s> ScanJudge<'s> {
    pub fn new(settings: &'s ScanSettings, emit: &'s mut dyn FnMut(Vec<u8>)) -> ScanJudge<'s> {
        ScanJudge { settings, headers: Headers::new(), out: BatchResult::default(), emit }
    }

    /// Size limit of a message in bytes.
    pub fn max_message(&self) -> usize {
        self.settings.max_message
    }

    pub fn finish(self) -> BatchResult {
        self.out
    }

    fn judge(&mut self, source: &str, raw: &RawMessage<'_>) {
        let source_message = SourceMessage::new(&raw.bytes, raw.from_line_len, raw.quoting);
        let message = source_message.message();
        let origin = self.headers.origin(source, raw.offset, message.head);
        let outcome = self.inspect(message);
        self.out.tally.count(&origin, &outcome, raw.bytes.len() - raw.from_line_len);
        if message.head.is_empty() {
            self.out.tally.headless += 1;
        }
        if self.settings.crosscheck == CrossCheck::On {
            self.crosscheck(&source_message, &outcome);
        }
        // Writing into memory does not fail.
        let _ = self.write(&source_message, &origin, &outcome);
    }

    /// Judges a message. A panic is caught and does not end the scan.
    fn inspect(&self, message: engine::Message<'_>) -> Outcome {
        let settings = self.settings;
        let (dmarc, own) =
            settings.results.as_ref().map_or_else(Default::default, |read| read(message.head));
        let mut facts = Facts { dmarc, ..settings.facts.clone() };
        facts.recipient_domains.extend(own);
        let case = Case {
            memory: Some(&settings.judgements),
            ..Case::new(message, &facts, &settings.policy, &settings.tlds)
        };
        engine::examine(engine::inspect_case, case, |questions| {
            settings.dns.as_ref().map_or_else(Answers::new, |ask| ask(questions))
        })
    }

    fn crosscheck(&mut self, message: &SourceMessage<'_>, outcome: &Outcome) {
        match crosscheck::compare(message.raw(), outcome, &self.settings.tlds) {
            crosscheck::Comparison::Skipped => {}
            crosscheck::Comparison::Agrees => self.out.tally.crosschecked += 1,
            crosscheck::Comparison::Differs => {
                self.out.tally.crosschecked += 1;
                self.out.tally.crosscheck_differs += 1;
            }
        }
    }

    /// Emits the lines so far if they are many. Called only between lines.
    fn emit_if_large(&mut self) {
        if self.out.text.len() >= EMIT_BYTES {
            (self.emit)(std::mem::take(&mut self.out.text));
        }
    }

    fn write(
        &mut self,
        message: &SourceMessage<'_>,
        origin: &FindingOrigin,
        outcome: &Outcome,
    ) -> io::Result<()> {
        let settings = self.settings;
        match settings.format {
            OutputFormat::Counts => {}
            OutputFormat::Jsonl => {
                for finding in settings.wanted(outcome) {
                    let line = FindingLine::new(origin, finding, &span(message, finding));
                    line.write_json(&mut self.out.text)?;
                    self.emit_if_large();
                }
                if settings.gap_lines == GapLines::Write {
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
                        self.emit_if_large();
                    }
                }
            }
            OutputFormat::Csv => {
                for finding in settings.wanted(outcome) {
                    let line = FindingLine::new(origin, finding, &span(message, finding));
                    csv::write_line(&mut self.out.text, &line)?;
                    self.emit_if_large();
                }
            }
            OutputFormat::Diff => {
                let name = match origin.offset {
                    0 => origin.source.clone(),
                    offset => format!("{}@{offset}", origin.source),
                };
                let (raw, body) = (message.raw(), message.body_in_raw());
                diff::write(&mut self.out.text, &name, raw, body, outcome)?;
                self.emit_if_large();
            }
        }
        Ok(())
    }
}

impl Sink for ScanJudge<'_> {
    fn wait_for_memory(&mut self, _bytes: usize) {}

    fn message(&mut self, source: &str, raw: RawMessage<'_>) -> ControlFlow<()> {
        self.judge(source, &raw);
        ControlFlow::Continue(())
    }

    fn unread(&mut self, source: &str, offset: u64, why: &str) -> ControlFlow<()> {
        self.out.tally.unread(source, offset, why);
        if self.settings.format == OutputFormat::Jsonl && self.settings.gap_lines == GapLines::Write
        {
            let gap =
                UnreadLine { schema: SCHEMA, record: "unread", source, offset, part: "", why };
            // Writing into memory does not fail.
            let _ = gap.write_json(&mut self.out.text);
            self.emit_if_large();
        }
        ControlFlow::Continue(())
    }

    fn skipped(&mut self) -> ControlFlow<()> {
        self.out.tally.skipped_files += 1;
        ControlFlow::Continue(())
    }
}

/// The bytes that carry a finding. Where it is in no one stretch of them, as what only some programs see, the message
/// carries it.
fn span(message: &SourceMessage<'_>, finding: &Finding) -> std::ops::Range<usize> {
    match finding.place {
        _ if finding.span.is_empty() => message.whole_span(),
        Place::Header(_) if finding.part == "0" => message.head_span(&finding.span),
        _ => message.body_span(&finding.span),
    }
}
