//! The digest: what the filter did in a span of time, as plain ASCII text in which no mail client finds a link.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use super::aggregate::{Aggregate, DomainSum, MAX_HOSTS, MAX_QUEUE_IDS, top};
use super::event::Action;
use super::journal::{JournalError, Query, ReadSummary, read};
use super::printable;
use super::time::Timestamp;
use crate::engine::explain::{Character, characters_of, difference, in_front_of_target, sentence};
use crate::engine::outcome::{Reason, Verdict};
use crate::engine::unicode::a_label::u_label;
use crate::plural::{counted, noun};

/// Registrable domains listed under each reason.
const DOMAINS_PER_REASON: usize = 10;

/// Hosts named for each domain.
const HOSTS_PER_DOMAIN: usize = 3;

/// Rows of the other tables.
const TABLE_ROWS: usize = 15;

/// Distinct characters named in a description. With their languages and a target they fit into a line of mail.
const CHARACTERS_NAMED: usize = 4;

/// A digest and the sums it was made of.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    pub sums: Aggregate,
    pub text: String,
}

/// Reads the journal in this directory and makes the digest of a span.
///
/// # Errors
/// The journal exists but cannot be read.
pub fn gather(journal: &Path, from: Timestamp, to: Timestamp) -> Result<Digest, JournalError> {
    let mut sums = Aggregate::default();
    let summary = read(journal, Query { since: from, ..Query::default() }, |event| {
        if event.time <= to {
            sums.add(&event);
        }
    })?;
    let text = text(&sums, &summary, from, to);
    Ok(Digest { sums, text })
}

/// The text of the digest. ASCII, each line ends in LF.
pub fn text(sums: &Aggregate, summary: &ReadSummary, from: Timestamp, to: Timestamp) -> String {
    let mut out = format!("linkmilter digest, {} to {}\n\n", from.minute(), to.minute());
    totals(&mut out, sums);
    let mut described = BTreeSet::new();
    for reason in Reason::ALL {
        domains_of(&mut out, sums, *reason, &mut described);
    }
    unknown_reasons(&mut out, sums);
    table(
        &mut out,
        "Senders of messages with suspect or worse links (domains)",
        &defanged(&sums.senders),
    );
    table(&mut out, "Exempted from edits", &sums.exempted);
    table(&mut out, "Suspect: messages with parts that were not read", &sums.by_bypass);
    remarks(&mut out, sums, summary, from);
    out
}

/// Adds what the operator should correct, at the top of a digest, where it is seen without scrolling.
pub fn with_troubles(troubles: &[String], text: &str) -> String {
    let mut out = String::new();
    for trouble in troubles {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "ATTENTION: {}", printable::line(trouble));
    }
    if !troubles.is_empty() {
        out.push('\n');
    }
    out + text
}

/// The subject line of a digest.
pub fn subject(sums: &Aggregate, host_name: &str) -> String {
    let edited = sums.by_action.get(&Action::Edited).copied().unwrap_or_default();
    format!(
        "linkmilter on {}: {}, links edited in {edited}",
        printable::host(host_name),
        counted(sums.messages, "message")
    )
}

/// What was done to a number of messages.
fn totals_words(action: Action) -> &'static str {
    match action {
        Action::Passed => "passed",
        Action::Reported => "reported, the body unchanged",
        Action::Exempted => "exempt from edits",
        Action::Marked => "delivered with a tag or a banner",
        Action::Edited => "delivered with links edited",
        Action::Restored => "restored",
        Action::Quarantined => "quarantined",
        Action::Tempfailed => "deferred",
        Action::Rejected => "rejected",
        Action::Discarded => "discarded",
    }
}

fn totals(out: &mut String, sums: &Aggregate) {
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(
        out,
        "{:>10}  {} with {}",
        sums.messages,
        noun(sums.messages, "message"),
        counted(sums.links, "link")
    );
    for &action in Action::ALL {
        let count = sums.by_action.get(&action).copied().unwrap_or_default();
        if count > 0 {
            let _ = writeln!(out, "{count:>10}  {}", totals_words(action));
        }
    }
    let _ = writeln!(out, "{:>10}  {} edited", sums.edited_links, noun(sums.edited_links, "link"));
    if sums.incomplete > 0 {
        let _ =
            writeln!(out, "{:>10}  incomplete: something in them was not read", sums.incomplete);
        queue_ids(out, &sums.incomplete_ids, sums.incomplete);
    }
    for verdict in Verdict::ALL.into_iter().rev() {
        let count = sums.by_verdict.get(&verdict).copied().unwrap_or_default();
        if count > 0 {
            let _ = writeln!(out, "{count:>10}  {} at worst {verdict}", noun(count, "message"));
        }
    }
}

/// The most frequent registrable domains with this reason. Each is described once, under its first reason.
fn domains_of<'s>(
    out: &mut String,
    sums: &'s Aggregate,
    reason: Reason,
    described: &mut BTreeSet<&'s str>,
) {
    let mut found: Vec<(&String, &DomainSum, u64)> = sums
        .domains
        .iter()
        .filter_map(|(domain, sum)| Some((domain, sum, *sum.reasons.get(reason.code())?)))
        .collect();
    if found.is_empty() {
        return;
    }
    found.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(b.0)));
    let _ = writeln!(out, "\n{}: {}", reason.code(), sentence(reason));
    for (domain, sum, count) in found.iter().take(DOMAINS_PER_REASON) {
        let name = printable::host_of_link(domain);
        let _ = writeln!(out, "{count:>10}  {name}  {}", sum.done.as_str());
        if described.insert(domain.as_str()) {
            describe(out, domain, sum);
        }
    }
    if found.len() > DOMAINS_PER_REASON {
        let _ = writeln!(
            out,
            "{:>10}  and {}",
            "",
            counted(found.len() - DOMAINS_PER_REASON, "more domain")
        );
    }
}

/// The hosts of a domain, what is deceptive in them, and the messages.
fn describe(out: &mut String, domain: &str, sum: &DomainSum) {
    let below: Vec<&String> = sum.hosts.iter().filter(|host| *host != domain).collect();
    let named = |host: &&String| printable::defanged(host);
    if !below.is_empty() {
        let more = match below.len().saturating_sub(HOSTS_PER_DOMAIN) {
            0 => String::new(),
            _ if sum.hosts.len() >= MAX_HOSTS => " and more".to_owned(),
            more => format!(" and {more} more"),
        };
        let names: Vec<String> = below.iter().take(HOSTS_PER_DOMAIN).map(named).collect();
        let _ = writeln!(out, "{:>10}  hosts: {}{more}", "", names.join(", "));
    }
    // The deceptive label may be below the domain.
    let of_domain = description(domain, sum.target.as_deref(), sum.reasons.keys());
    let of_host =
        below.first().map(|host| description(host, sum.target.as_deref(), sum.reasons.keys()));
    let description = of_host.filter(|text| text.len() > of_domain.len()).unwrap_or(of_domain);
    if !description.is_empty() {
        let _ = writeln!(out, "{:>10}  {description}", "");
    }
    queue_ids(out, &sum.queue_ids, sum.messages);
}

/// Queue ids, for `linkmilter why QUEUEID`.
fn queue_ids(out: &mut String, ids: &[String], messages: u64) {
    if ids.is_empty() {
        return;
    }
    let ids: Vec<String> = ids.iter().map(|id| printable::queue_id(id)).collect();
    let more = if messages > MAX_QUEUE_IDS as u64 { " ..." } else { "" };
    let _ = writeln!(out, "{:>10}  in {}{more}", "", ids.join(" "));
}

/// Reasons that this version does not know: a newer daemon wrote them.
fn unknown_reasons(out: &mut String, sums: &Aggregate) {
    let unknown: BTreeMap<String, u64> = sums
        .by_reason
        .iter()
        .filter(|(code, _)| Reason::from_code(code).is_none())
        .map(|(code, count)| (printable::label(code), *count))
        .collect();
    table(out, "Reasons that this version does not know", &unknown);
}

fn table(out: &mut String, title: &str, counts: &BTreeMap<String, u64>) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for (name, count) in top(counts, TABLE_ROWS) {
        // Names come from the journal, into which somebody else may have written.
        let _ = writeln!(out, "{count:>10}  {}", printable::label(name));
    }
    if counts.len() > TABLE_ROWS {
        let _ = writeln!(out, "{:>10}  and {} more", "", counts.len() - TABLE_ROWS);
    }
}

fn remarks(out: &mut String, sums: &Aggregate, summary: &ReadSummary, from: Timestamp) {
    let mut lines = Vec::new();
    if let Some(oldest) = summary.oldest_clean.filter(|oldest| *oldest > from) {
        lines.push(format!("Clean messages are counted from {} on.", oldest.minute()));
    }
    if summary.damaged > 0 {
        lines.push(format!("Damaged journal lines skipped: {}.", summary.damaged));
    }
    if summary.newer > 0 {
        lines.push(format!("Events of a newer version, not counted: {}.", summary.newer));
    }
    if sums.names_dropped > 0 {
        lines.push(format!("Names that are counted in the sums only: {}.", sums.names_dropped));
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "\n{}", lines.join("\n"));
    }
}

fn defanged(counts: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let tame = |name: &str| match name {
        "<>" => "(null sender)".to_owned(),
        name => printable::defanged(name),
    };
    counts.iter().map(|(name, count)| (tame(name), *count)).collect()
}

/// What a host looks like, in words and code points. The characters themselves are never shown: they are there to
/// deceive.
pub fn description<'c>(
    ascii: &str,
    target: Option<&str>,
    reasons: impl IntoIterator<Item = &'c String>,
) -> String {
    let mut parts = Vec::new();
    let unicode = as_shown(ascii);
    if let Some(target) = target {
        let how = difference(&unicode, target).map(|how| format!(" ({how})")).unwrap_or_default();
        parts.push(format!("{} {}{how}", target_words(reasons), printable::defanged(target)));
    }
    let characters = characters_of(unicode.chars(), CHARACTERS_NAMED + 1);
    if !characters.is_empty() {
        let mut names: Vec<String> =
            characters.iter().take(CHARACTERS_NAMED).map(Character::words).collect();
        if characters.len() > CHARACTERS_NAMED {
            names.push("more".to_owned());
        }
        parts.push(names.join(", "));
    }
    if ascii.contains('{') {
        parts.push("holds characters that no host name has".to_owned());
    }
    parts.join("; ")
}

/// A host as people see it. A brace stands for a byte that no host name has: a label with one is no Punycode, and
/// decoding it would name characters that nobody wrote. What is not valid is decoded all the same: a lying name often is
/// not.
fn as_shown(ascii: &str) -> String {
    let shown = |label: &str| {
        let decoded = if label.contains('{') { None } else { u_label(label) };
        decoded.unwrap_or_else(|| label.to_owned())
    };
    ascii.split('.').map(shown).collect::<Vec<_>>().join(".")
}

/// The words in front of the target name, for reasons with these codes.
pub fn target_words<'c>(codes: impl IntoIterator<Item = &'c String>) -> &'static str {
    let reasons = codes.into_iter().filter_map(|code| Reason::from_code(code));
    in_front_of_target(reasons.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::event::{Event, HostEntry};
    use crate::record::line::tests::event;

    fn sums() -> Aggregate {
        let mut sums = Aggregate::default();
        let mut event = Event {
            links: 3,
            edited: 1,
            reasons: [("mixed-script".to_owned(), 1), ("target-lookalike".to_owned(), 1)].into(),
            bypasses: [("opaque".to_owned(), 1)].into(),
            ..event()
        };
        event.hosts[0].reasons.push("target-lookalike".into());
        let below = HostEntry { host: "a.xn--ypal-43d9g.com".into(), ..event.hosts[0].clone() };
        event.hosts.insert(0, below);
        sums.add(&event);
        sums.add(&Event {
            queue_id: "4XyzAC".into(),
            bypasses: [("limit:depth".to_owned(), 1)].into(),
            ..event
        });
        sums.add(&Event { links: 5, ..Event::default() });
        sums
    }

    #[test]
    fn the_text() {
        let summary = ReadSummary { damaged: 1, ..ReadSummary::default() };
        let text =
            text(&sums(), &summary, Timestamp(1_763_629_200_000), Timestamp(1_763_715_600_000));
        assert!(text.is_ascii());
        insta::assert_snapshot!(text, @r"
        linkmilter digest, 2025-11-20 09:00 UTC to 2025-11-21 09:00 UTC

                 3  messages with 11 links
                 1  passed
                 2  delivered with links edited
                 2  links edited
                 1  incomplete: something in them was not read
                    in 4XyzAC
                 2  messages at worst unsafe
                 1  message at worst ok

        mixed-script: its letters do not belong together
                 2  xn--ypal-43d9g[.]com  edited
                    hosts: a[.]xn--ypal-43d9g[.]com
                    reads as paypal[.]com; U+0440 CYRILLIC SMALL LETTER ER (Russian, Serbian and 22 more languages) reads as Latin p, U+0430 CYRILLIC SMALL LETTER A (Russian, Serbian and 22 more languages) reads as Latin a
                    in 4XyzAB 4XyzAC

        target-lookalike: it is made to be taken for another name
                 2  xn--ypal-43d9g[.]com  edited

        Senders of messages with suspect or worse links (domains)
                 2  example[.]org

        Suspect: messages with parts that were not read
                 1  limit:depth
                 1  opaque

        Damaged journal lines skipped: 1.
        ");
    }

    #[test]
    fn nothing_in_it_is_a_link() {
        let text = text(&sums(), &ReadSummary::default(), Timestamp(0), Timestamp(0));
        assert!(!text.contains("paypal.com") && !text.contains("://"));
    }

    #[test]
    fn descriptions_name_characters_and_never_show_them() {
        let words = description("xn--80ak6aa92e.com", Some("apple.com"), []);
        assert!(
            words.starts_with("reads as apple[.]com; U+0430 CYRILLIC SMALL LETTER A"),
            "{words}"
        );
        assert!(words.is_ascii());
        let posing = ["display-name-poses".to_owned()];
        let words = description("example.com", Some("paypal.com"), &posing);
        assert_eq!(words, "poses as paypal[.]com");
        assert_eq!(description("example.com", None, []), "");
        let slip = description("paypall.com", Some("paypal.com"), []);
        assert_eq!(slip, "reads as paypal[.]com (one l more)");
        let words = description("xn--ypal{20}43d9g.com", None, []);
        assert_eq!(words, "holds characters that no host name has");
    }

    /// As `check`, `explain` and the report of a scan, which have the host as it was spelled.
    #[test]
    fn descriptions_are_of_what_is_seen_and_not_of_the_punycode() {
        for (spelled, target) in [
            ("pаypal.com", "paypal"),
            ("сitibank.com", "citibank"),
            ("www.micrоsoft.com", "microsoft"),
        ] {
            let ascii = crate::engine::link::to_ascii(spelled).unwrap();
            let words = description(&ascii, Some(&format!("{target}.com")), []);
            let expected = format!("reads as {target}[.]com; U+0");
            assert!(words.starts_with(&expected), "{spelled}: {words}");
        }
        // No language writes digits of two kinds in one label, so IDNA has no such name.
        let words = description("xn--13-eyd.com", None, []);
        assert!(words.starts_with("U+0662 ARABIC-INDIC DIGIT TWO"), "{words}");
        assert_eq!(description("xn--99999.com", None, []), "", "no Punycode");
    }
}
