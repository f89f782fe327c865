//! The counts of an archive as one self-contained page.
//!
//! It can be read without script. Nothing on it leads anywhere when clicked, and a Content-Security-Policy keeps it from
//! loading anything.

mod plot;
mod sample;

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::engine::explain::sentence;
use crate::engine::outcome::{Reason, Verdict};
use crate::plural::{noun, verb};

use super::defang::{defang, visible};
use super::summary::grouped;
use super::tally::{TalliedHost, Tally, verdict};

const STYLE: &str = include_str!("style.css");
const FILTER: &str = include_str!("filter.js");
/// SHA-256 of the script and the style in Base64, for the Content-Security-Policy; a test checks them.
const FILTER_HASH: &str = "HbT8CHEyR5VMHFGD14NmpbwHAdZaGeigiCcuT9debE0=";
const STYLE_HASH: &str = "7SDSRdvl+xitJ5VVxl/LNPCctmwz8xq3/pK/wlq12bg=";

/// Bars in a list.
const BARS_PER_LIST: usize = 15;
/// Rows of the table of hosts.
const HOST_ROWS: usize = 1_000;
/// Unread sources that are listed by name.
const UNREAD_LISTED: usize = 100;

/// Writes the page.
pub fn write(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; \
         style-src 'sha256-{STYLE_HASH}'; script-src 'sha256-{FILTER_HASH}'; base-uri 'none'; \
         form-action 'none'\">\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=referrer content=no-referrer>\n\
         <meta name=format-detection content=\"telephone=no, address=no, email=no, url=no\">\n\
         <title>Links that deceive</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    )?;
    for section in [headline, figures, timeline, samples, charts, hosts, not_read] {
        out.write_all(section(tally).as_bytes())?;
    }
    writeln!(
        out,
        "<footer class=soft>linkmilter {}. Every link on this page is written so that nothing \
         opens it.</footer>\n<script>{FILTER}</script>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    )
}

/// How many messages deceive, and since when.
fn headline(tally: &Tally) -> String {
    let [_, notice, suspect, bad @ ..] = tally.by_verdict;
    let bad: u64 = bad.iter().sum();
    let mut out = format!(
        "<header>\n<p class=eyebrow>Mail archive, scanned</p>\n<h1>Links that deceive</h1>\n\
         <p class=lead><b>{}</b> of {} {} {} a link that is not what it seems",
        grouped(bad),
        grouped(tally.messages),
        noun(tally.messages, "message"),
        verb(bad, "holds", "hold")
    );
    let deceived = |counts: &[u64; 5]| counts.iter().skip(Verdict::Unsafe as usize).any(|n| *n > 0);
    if let Some((first, last)) = months_between(tally, deceived) {
        let _ = match first == last {
            true => write!(out, ", in {}", escape(first)),
            false => write!(out, ", from {} to {}", escape(first), escape(last)),
        };
    }
    let _ = write!(
        out,
        ". {} more {} one to be wary of, and {} one worth a note.</p>\n<p class=soft>",
        grouped(suspect),
        verb(suspect, "holds", "hold"),
        grouped(notice)
    );
    match months_between(tally, |_| true) {
        Some((first, last)) => {
            let _ = write!(out, "The archive runs from {} to {}.", escape(first), escape(last));
        }
        None => out.push_str("No message of the archive has a date."),
    }
    out.push_str("</p>\n</header>\n");
    out
}

/// The first and the last month with such counts.
fn months_between(tally: &Tally, wanted: impl Fn(&[u64; 5]) -> bool) -> Option<(&str, &str)> {
    let dated = tally.months.iter().filter(|(month, counts)| *month != "undated" && wanted(counts));
    let mut months = dated.map(|(month, _)| month.as_str());
    let first = months.next()?;
    Some((first, months.next_back().unwrap_or(first)))
}

fn figures(tally: &Tally) -> String {
    let mut out = "<div class=verdicts>".to_owned();
    let counts = tally.findings.iter().zip(&tally.by_verdict);
    for (verdict, (findings, messages)) in Verdict::ALL.into_iter().zip(counts).skip(1).rev() {
        let _ = write!(
            out,
            "<div class=s-{verdict}><span class=v-{verdict}>{verdict}</span><b>{}</b>\
             <span class=soft>{}; worst of {} {}</span></div>",
            grouped(*findings),
            noun(*findings, "finding"),
            grouped(*messages),
            noun(*messages, "message")
        );
    }
    out.push_str("</div>\n<dl class=figures>");
    for (name, count) in [
        ("links and addresses", tally.links),
        ("findings", tally.total_findings()),
        ("hosts with findings", tally.hosts.len() as u64),
        ("messages the filter would edit", tally.edited),
        ("parts not read", tally.bypasses.values().sum()),
        ("sources not read", tally.unread),
    ] {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", grouped(count));
    }
    out.push_str("</dl>\n");
    out
}

fn timeline(tally: &Tally) -> String {
    let mut out =
        "<section class=panel>\n<h2>Messages with findings over time</h2>\n<p class=legend>"
            .to_owned();
    for verdict in Verdict::ALL.into_iter().skip(1).rev() {
        let _ = write!(
            out,
            "<span><svg viewBox=\"0 0 1 1\" aria-hidden=true><rect class=fill-{verdict} width=1 \
             height=1 /></svg>{verdict}</span>"
        );
    }
    let _ = write!(out, "</p>\n{}\n</section>\n", plot::over_time(tally));
    out
}

fn charts(tally: &Tally) -> String {
    let mut out = "<div class=columns>\n".to_owned();
    let mut reasons: Vec<(Reason, u64)> = tally
        .reasons
        .iter()
        .filter_map(|(code, count)| Some((Reason::from_code(code)?, *count)))
        .collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    let rows = reasons.into_iter().map(|(reason, count)| {
        let name = format!("<b>{}</b> <span class=soft>{}</span>", reason.code(), sentence(reason));
        (name, vec![(reason.verdict(), count)])
    });
    bars(&mut out, "Reasons, by findings", rows.collect());

    out.push_str("<div>\n");
    let hosts = hosts_by_threat(tally).into_iter().take(BARS_PER_LIST).map(|(name, host)| {
        let shown = if host.unicode.is_empty() { name } else { &host.unicode };
        let mut name = format!("<bdi class=host>{}</bdi>", sample::host(shown));
        if let Some(target) = &host.target {
            let target = escape(&defang(target));
            let _ = write!(name, " <span class=soft>as <span class=host>{target}</span></span>");
        }
        (name, vec![(verdict(&host.verdict), host.messages)])
    });
    bars(&mut out, "Hosts that deceive, by messages", hosts.collect());

    let senders = tally.ranked_senders().into_iter().take(BARS_PER_LIST).map(|(name, counts)| {
        let name = format!("<bdi class=host>{}</bdi>", escape(&defang(name)));
        (name, Verdict::ALL.into_iter().zip(*counts).skip(1).collect())
    });
    bars(&mut out, "Senders, by messages with findings", senders.collect());
    out.push_str("</div>\n</div>\n");
    out
}

/// Hosts in the order that matters to a reader: those that read as a protected name, the other unsafe ones, the rest;
/// each group by messages.
fn hosts_by_threat(tally: &Tally) -> Vec<(&str, &TalliedHost)> {
    let mut hosts = tally.ranked_hosts();
    hosts.sort_by_key(|(_, host)| {
        let verdict = verdict(&host.verdict);
        let rank = match verdict {
            Verdict::Unsafe | Verdict::Invalid if host.target.is_some() => 0,
            Verdict::Unsafe => 1,
            Verdict::Suspect => 2,
            Verdict::Invalid => 3,
            Verdict::Notice | Verdict::Ok => 4,
        };
        (rank, std::cmp::Reverse(host.messages))
    });
    hosts
}

type Bar = (String, Vec<(Verdict, u64)>);

/// A list of bars with names; the names are HTML.
fn bars(out: &mut String, title: &str, rows: Vec<Bar>) {
    if rows.is_empty() {
        return;
    }
    let sum = |counts: &[(Verdict, u64)]| counts.iter().map(|(_, count)| count).sum::<u64>();
    let most = rows.iter().map(|(_, counts)| sum(counts)).max().unwrap_or_default();
    let _ = write!(out, "<section class=panel>\n<h2>{title}</h2>\n<ul class=bars>");
    for (name, counts) in rows {
        let _ = write!(
            out,
            "<li><span class=name><span>{name}</span><span class=count>{}</span></span>{}</li>",
            grouped(sum(&counts)),
            plot::bar(&counts, most)
        );
    }
    out.push_str("</ul>\n</section>\n");
}

/// The worst findings of each reason, first those that would deceive most readers.
fn samples(tally: &Tally) -> String {
    let mut reasons: Vec<Reason> = tally
        .samples
        .keys()
        .filter_map(|code| Reason::from_code(code))
        .filter(|reason| reason.verdict() > Verdict::Notice)
        .collect();
    reasons.sort_by_key(|reason| (rank(*reason), *reason));
    let mut out = String::new();
    let mut shown: Vec<&str> = Vec::new();
    for reason in reasons {
        let samples = tally.samples.get(reason.code()).map(Vec::as_slice).unwrap_or_default();
        let fresh: Vec<_> = samples
            .iter()
            .filter(|sample| verdict(&sample.verdict) > Verdict::Notice)
            .filter(|sample| !shown.contains(&&*sample.spelling))
            .collect();
        if fresh.is_empty() {
            continue;
        }
        let _ = write!(
            out,
            "<h3>{} <span class=soft>{}</span></h3>\n<div class=samples>",
            reason.code(),
            sentence(reason)
        );
        for sample in fresh {
            shown.push(&sample.spelling);
            out.push_str(&sample::card(sample));
        }
        out.push_str("</div>\n");
    }
    if out.is_empty() {
        out
    } else {
        format!("<section>\n<h2>What they look like</h2>\n{out}</section>\n")
    }
}

/// Order of the reasons: the most deceptive first.
fn rank(reason: Reason) -> u8 {
    match (reason, reason.verdict()) {
        (Reason::TargetLookalike | Reason::WholeScript | Reason::MixedScript, _) => 0,
        (_, Verdict::Unsafe) => 1,
        (_, Verdict::Invalid) => 2,
        _ => 3,
    }
}

fn hosts(tally: &Tally) -> String {
    let ranked = hosts_by_threat(tally);
    if ranked.is_empty() {
        return "<h2>Hosts</h2>\n<p>Nothing found.</p><input id=search hidden>\n".to_owned();
    }
    let mut out = format!(
        "<section>\n<h2>Hosts</h2>\n<p class=soft>{} of {}: those that read as a protected name first, then by verdict and messages</p>\n<div id=hosts>\
         <input id=search type=search placeholder=\"filter the rows\" aria-label=\"filter the rows\" \
         hidden>\n",
        grouped(ranked.len().min(HOST_ROWS) as u64),
        grouped(ranked.len() as u64)
    );
    for (index, name) in ["all", "invalid", "unsafe", "suspect", "notice"].iter().enumerate() {
        let checked = if index == 0 { " checked" } else { "" };
        let _ = write!(
            out,
            "<input type=radio class=filter name=only id=only-{name}{checked}>\
             <label for=only-{name}>{name}</label>"
        );
    }
    out.push_str(
        "<table><thead><tr><th>Verdict<th>Host<th>Reads as<th>Reasons<th>Messages<th>First\
         <th>Last</thead>\n<tbody>\n",
    );
    for (name, host) in ranked.into_iter().take(HOST_ROWS) {
        row(&mut out, name, host);
    }
    out.push_str("</tbody></table></div>\n</section>\n");
    out
}

fn row(out: &mut String, name: &str, host: &TalliedHost) {
    let class = verdict(&host.verdict);
    let _ = write!(
        out,
        "<tr class={class}><td><span class=\"tag t-{class}\">{class}</span></td><td><bdi class=host>{}</bdi>",
        escape(&defang(name))
    );
    if host.unicode != name && !host.unicode.is_empty() {
        let _ = write!(out, "<br><bdi class=host>{}</bdi>", sample::host(&host.unicode));
    }
    let target = host
        .target
        .as_deref()
        .map(|target| format!("<span class=host>{}</span>", escape(&defang(target))));
    let target = target.unwrap_or_default();
    let day = |date: &Option<String>| date.as_deref().and_then(|d| d.get(..10)).map(escape);
    let _ = writeln!(
        out,
        "</td><td data-name=\"reads as\">{target}</td><td>{}</td>\
         <td class=n data-name=messages>{}</td><td class=n data-name=first>{}</td>\
         <td class=n data-name=last>{}</td></tr>",
        escape(&host.reasons.join(", ")),
        grouped(host.messages),
        day(&host.first).unwrap_or_default(),
        day(&host.last).unwrap_or_default()
    );
}

/// What was not read: parts by cause, sources by name.
fn not_read(tally: &Tally) -> String {
    let mut out = String::new();
    if !tally.bypasses.is_empty() {
        out.push_str("<h2>Parts not read</h2>\n<ul>");
        for (why, count) in &tally.bypasses {
            let _ = write!(out, "<li>{}: {}</li>", escape(why), grouped(*count));
        }
        out.push_str("</ul>\n");
    }
    if tally.unread > 0 {
        let _ = write!(out, "<h2>Sources not read</h2>\n<p>{}</p><ul>", grouped(tally.unread));
        for unread in tally.unread_sources.iter().take(UNREAD_LISTED) {
            let _ = write!(
                out,
                "<li>{} at byte {}: {}</li>",
                escape(&visible(&unread.source)),
                unread.offset,
                escape(&visible(&unread.why))
            );
        }
        out.push_str("</ul>\n");
    }
    out
}

/// Escapes text for an element or a quoted attribute.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    crate::engine::link::html::escape(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use sha2::{Digest, Sha256};

    use super::super::tally::tests::tally;
    use super::*;

    fn page(tally: &Tally) -> String {
        let mut out = Vec::new();
        write(&mut out, tally).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_policy_names_script_and_style() {
        assert_eq!(FILTER_HASH, BASE64_STANDARD.encode(Sha256::digest(FILTER)));
        assert_eq!(STYLE_HASH, BASE64_STANDARD.encode(Sha256::digest(STYLE)));
    }

    #[test]
    fn nothing_is_clickable() {
        let page = page(&tally());
        for word in ["href=", "src=", "http://", "https://", "url(", "onclick", "paypal.com"] {
            let body = page.split_once("<body>").unwrap().1;
            assert!(!body.contains(word), "{word}");
        }
    }

    #[test]
    fn markup_in_mail_stays_text() {
        let mut tally = tally();
        tally.unread("<script>alert(1)</script>", 0, "\"><img>");
        for samples in tally.samples.values_mut() {
            samples[0].source = "</div><script>".to_owned();
            samples[0].from_domain = Some("<b>".to_owned());
        }
        let host = tally.hosts.values().next().unwrap().clone();
        tally.hosts.insert("\"><script>x".to_owned(), host);
        tally.senders.insert("'><script>y".to_owned(), [0, 0, 0, 9, 0]);
        let page = page(&tally);
        assert_eq!(page.matches("<script").count(), 1);
        assert!(!page.contains("<img>"));
    }

    #[test]
    fn an_empty_archive() {
        assert!(page(&Tally::default()).contains("Nothing found."));
    }
}
