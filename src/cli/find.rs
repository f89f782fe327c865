//! `linkmilter find`.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use anyhow::Context;

use crate::policy::is_below;
use crate::record::event::Event;
use crate::record::journal::{Query, read};
use crate::record::printable::{self, defanged};
use crate::record::time::{Timestamp, parse_span};

use super::shared::{Events, journal_error};
use super::{ExitStatus, host_arg};

/// List messages with a link to a host, or to a domain
///
/// One line per message: time, queue id, verdict, action, sender and recipients (domains), and the
/// hosts that were searched for. Addresses of the header are no links, unless they are reported. At
/// least one of HOST, `--recipient-domain` and `--since` is given; of several, all must hold.
/// `linkmilter why QUEUEID` tells more about one message. Exit code 1 when there is none.
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("what").required(true).multiple(true),
    override_usage = "linkmilter find [OPTIONS] [HOST]"
)]
pub struct Args {
    /// A host, with all hosts below it, or a URL; in Unicode, Punycode or defanged
    /// (`example[.]com`)
    #[arg(group = "what")]
    host: Option<String>,

    /// To recipients at this domain or below it
    #[arg(long, value_name = "DOMAIN", group = "what")]
    recipient_domain: Option<String>,

    /// How far back: a number with s, m, h, d or w [default: the whole journal]
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true, value_parser = parse_span, group = "what")]
    since: Option<Duration>,

    /// Print the events as JSON, one per line (docs/json.md)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    events: Events,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let (_, journal) = args.events.open_existing()?;
    let host = args.host.as_deref().map(host_arg::parse).transpose()?;
    let recipient = args.recipient_domain.as_deref().map(host_arg::parse).transpose();
    let recipient = recipient.context("--recipient-domain")?;
    let now = Timestamp::of(SystemTime::now());
    let host = host.as_deref();
    let query = Query {
        since: args.since.map_or_else(Timestamp::default, |span| now.minus(span)),
        hosts: host.as_slice(),
        recipient: recipient.as_deref(),
        ..Query::default()
    };
    let mut events: Vec<(Timestamp, String)> = Vec::new();
    let reading = read(&journal, query, |event| {
        let text = if args.json { event.to_line() + "\n" } else { line(&event, host) };
        events.push((event.time, text));
    })
    .map_err(journal_error)?;
    events.sort_by_key(|(time, _)| *time);
    let found = !events.is_empty();
    super::print(&events.into_iter().map(|(_, text)| text).collect::<String>())?;
    if let Some(omitted) = reading.omission_note() {
        super::warn(&omitted);
    }
    if found {
        return Ok(ExitStatus::Done);
    }
    super::warn(&reading.not_found_note("no such message", &journal));
    Ok(ExitStatus::Negative)
}

/// `2026-11-21T09:00:35.123Z 4XyzAB unsafe edited example[.]org > example[.]net: evil[.]example`.
fn line(event: &Event, host: Option<&str>) -> String {
    let id = match printable::queue_id(&event.queue_id) {
        id if id.is_empty() => "-".to_owned(),
        id => id,
    };
    let sender = printable::sender(&event.sender);
    let mut recipients: Vec<String> = event.recipients.iter().map(|to| defanged(to)).collect();
    if event.recipients_omitted > 0 {
        recipients.push(format!("+{}", event.recipients_omitted));
    }
    let mut out = format!(
        "{} {id} {} {} {sender} > {}",
        event.time,
        event.verdict,
        event.action.as_str(),
        recipients.join(",")
    );
    if let Some(host) = host {
        let mut hosts: Vec<&str> = event.all_hosts().filter(|of| is_below(of, host)).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let hosts: Vec<String> = hosts.into_iter().map(defanged).collect();
        // Writing to a String cannot fail.
        let _ = write!(out, ": {}", hosts.join(","));
    }
    out.push('\n');
    out
}
