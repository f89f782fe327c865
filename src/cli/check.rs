//! `linkmilter check`.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use super::Answer;
use crate::config::{self, Sources};
use crate::engine::host::{
    Context, Glue, LinkJudgement, Names, Navigation, judge_address, judge_text, judge_url,
};
use crate::engine::outcome::{Reason, Verdict};
use crate::engine::policy::Policy;
use crate::engine::tlds::TldTable;
use crate::engine::unicode::hosts::is_bidi_control;
use crate::record::judgement::JudgementRecord;

/// Judge hosts, URLs and mail addresses
///
/// As the filter on this machine would: with the names, the lists and the table of top-level
/// domains that its configuration names.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Names to protect beside those of the configuration and the built-in ones, one a line
    #[arg(long, value_name = "FILE")]
    protected: Option<PathBuf>,
    /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What to judge; without any, a line each from standard input
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// What judging takes beside the target.
struct Judge {
    policy: Arc<Policy>,
    protected: Names,
    none: Names,
    tlds: TldTable,
}

/// How a target was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Host,
    Url,
    Address,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let judge = Judge::new(args.config, args.protected.as_deref())?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut worst = Verdict::Ok;
    let mut each = |target: &str| -> std::io::Result<()> {
        let (kind, link) = judge.judge(target);
        worst = worst.max(link.verdict);
        let record = JudgementRecord::new(target, kind.as_str(), &link, &judge.policy);
        let text = if args.json { json(&record) } else { plain(&record) };
        out.write_all(text.as_bytes())
    };
    let written = if args.targets.is_empty() {
        each_line(&mut each)?
    } else {
        args.targets.iter().try_for_each(|target| each(target))
    };
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ if worst >= Verdict::Suspect => Ok(Answer::No),
        _ => Ok(Answer::Done),
    }
}

/// Feeds the lines of standard input; the outer error is one of reading, the inner of writing.
fn each_line(
    each: &mut impl FnMut(&str) -> std::io::Result<()>,
) -> anyhow::Result<std::io::Result<()>> {
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    let mut number = 0;
    while {
        line.clear();
        number += 1;
        input
            .read_until(b'\n', &mut line)
            .with_context(|| format!("standard input, line {number}"))?
            > 0
    } {
        let text = String::from_utf8_lossy(&line);
        let target = text.trim_end_matches(['\n', '\r']);
        if !target.trim().is_empty()
            && let Err(error) = each(target)
        {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

impl Judge {
    fn new(config: Option<PathBuf>, protected_file: Option<&Path>) -> anyhow::Result<Judge> {
        let config = config::load(&Sources::new(config))?;
        let policy = config.settings()?.policies.default_policy();
        let mut protected = Names::clone(&policy.protected);
        if let Some(path) = protected_file {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("expected a list of names at {}", path.display()))?;
            let (names, bad) = Names::parse(&text);
            if let Some(first) = bad.first() {
                anyhow::bail!("{}: {first}", path.display());
            }
            protected.extend(&names);
        }
        let tlds = super::tld::table(&config);
        Ok(Judge { policy, protected, none: Names::default(), tlds })
    }

    fn judge(&self, target: &str) -> (Kind, LinkJudgement) {
        let context = Context {
            level: self.policy.level,
            protected: &self.protected,
            own: &self.none,
            blocked: &self.policy.blocked,
            tlds: &self.tlds,
            glue: Glue::None,
        };
        let target = target.trim();
        let kind = Kind::of(target);
        let mut link = match kind {
            Kind::Url => judge_url(target, Navigation::Navigates, &context),
            Kind::Address => {
                let (local, host) = target.rsplit_once('@').unwrap_or(("", target));
                judge_address(local, host, &context)
            }
            Kind::Host => {
                let end = target.find(['/', '?', '#']).unwrap_or(target.len());
                let (host, tail) = target.split_at(end);
                let host = host.rsplit_once(':').filter(|_| !host.starts_with('[')).map_or(
                    host,
                    |(name, port)| {
                        if port.bytes().all(|b| b.is_ascii_digit()) { name } else { host }
                    },
                );
                judge_text(None, host, tail, &context)
            }
        };
        // Nobody asks the DNS here: the table decides.
        if link.host.as_ref().is_some_and(|host| host.question.is_some()) {
            link.reasons.insert(Reason::TldUnknown);
            link.verdict = link.verdict.max(Reason::TldUnknown.verdict());
        }
        (kind, link)
    }
}

impl Kind {
    /// A scheme, slashes or backslashes in front make a URL; an at sign before any slash an
    /// address; all else is a host, perhaps with port and path.
    fn of(target: &str) -> Kind {
        let scheme = target.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-'))
                && !rest.starts_with(|c: char| c.is_ascii_digit())
        });
        if scheme || target.starts_with("//") || target.starts_with("\\\\") {
            return Kind::Url;
        }
        match target.split(['/', '?', '#']).next() {
            Some(head) if head.contains('@') => Kind::Address,
            _ => Kind::Host,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::Url => "url",
            Kind::Address => "address",
        }
    }
}

fn json(record: &JudgementRecord) -> String {
    let mut line = serde_json::to_string(record).unwrap_or_default();
    line.push('\n');
    line
}

/// `unsafe  раypal.com  mixed-script target-lookalike`, and the explanation below, indented.
fn plain(record: &JudgementRecord) -> String {
    let mut out = String::new();
    let _ = write!(out, "{:<8} {}", record.verdict, harmless(&record.input));
    if !record.reasons.is_empty() {
        let _ = write!(out, "  {}", record.reasons.join(" "));
    }
    out.push('\n');
    for line in &record.explanation {
        let _ = writeln!(out, "         {}", harmless(line));
    }
    out
}

/// What a terminal would act upon, or turn round, in escaped form.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_bidi_control(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_does_nothing_to_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\u{202e}c"), "a\\u{1b}[2Jb\\u{202e}c");
    }

    #[test]
    fn targets_are_read_as_people_write_them() {
        for (target, kind) in [
            ("example.com", Kind::Host),
            ("example.com:8080/path", Kind::Host),
            ("example.com/@user", Kind::Host),
            ("https://example.com", Kind::Url),
            ("javascript:alert(1)", Kind::Url),
            ("mailto:user@example.com", Kind::Url),
            ("//example.com", Kind::Url),
            ("user@example.com", Kind::Address),
            ("[2001:db8::1]", Kind::Host),
        ] {
            assert_eq!(Kind::of(target), kind, "{target}");
        }
    }
}
