//! Plots as inline SVG: no script, no font, no file.

use std::fmt::Write;

use crate::engine::outcome::Verdict;

use super::super::summary::grouped;
use super::super::tally::{ByVerdict, Tally};
use super::escape;

/// More months than this are drawn as years.
const MONTHS: usize = 36;
/// The plot's own units; the page scales it.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 26.0;
const BOTTOM: f64 = 16.0;
const TOP: f64 = 6.0;

/// Messages with findings over time, stacked by their worst verdict.
pub fn over_time(tally: &Tally) -> String {
    let dated = || tally.months.iter().filter(|(month, _)| *month != "undated");
    let columns: Vec<(String, ByVerdict)> = if dated().count() > MONTHS {
        let years = tally.years().into_iter().filter(|(year, _)| *year != "undated");
        years.map(|(year, counts)| (year.to_owned(), counts)).collect()
    } else {
        dated().map(|(month, counts)| (month.clone(), *counts)).collect()
    };
    let most = columns.iter().map(|(_, counts)| bad(counts)).max().unwrap_or_default();
    if most == 0 {
        return "<p class=soft>No dated message has a finding.</p>".to_owned();
    }
    let mut out = format!(
        "<svg class=months viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img \
         aria-label=\"Messages with findings over time, by worst verdict\">"
    );
    axis(&mut out, most);
    let step = (WIDTH - LEFT) / columns.len() as f64;
    // As many labels as fit: one takes about 40 units.
    let every = (columns.len() * 40).div_ceil((WIDTH - LEFT) as usize).max(1);
    for (index, (name, counts)) in columns.iter().enumerate() {
        let x = LEFT + step * index as f64;
        column(&mut out, x + step * 0.1, (step * 0.8).min(40.0), counts, most, name);
        if index.is_multiple_of(every) {
            let y = HEIGHT - 4.0;
            let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(name));
        }
    }
    out.push_str("</svg>");
    out
}

fn axis(out: &mut String, most: u64) {
    for (share, count) in [(0.0, 0), (0.5, most / 2), (1.0, most)] {
        if share == 0.5 && !most.is_multiple_of(2) {
            continue;
        }
        let y = HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
        let _ = write!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=end>{}</text>",
            LEFT - 3.0,
            y + 3.0,
            short(count)
        );
    }
}

fn column(out: &mut String, x: f64, width: f64, counts: &ByVerdict, most: u64, name: &str) {
    let mut y = HEIGHT - BOTTOM;
    for (verdict, count) in Verdict::ALL.into_iter().zip(counts).skip(1).rev() {
        if *count == 0 {
            continue;
        }
        let height = *count as f64 / most as f64 * (HEIGHT - BOTTOM - TOP);
        y -= height;
        let _ = write!(
            out,
            "<rect class=fill-{verdict} x=\"{x:.1}\" y=\"{y:.2}\" width=\"{width:.1}\" \
             height=\"{height:.2}\"><title>{}: {} {verdict}</title></rect>",
            escape(name),
            grouped(*count)
        );
    }
}

/// One bar across the width, split by verdict; `most` is the longest bar's sum.
pub fn bar(counts: &[(Verdict, u64)], most: u64) -> String {
    let mut out =
        "<svg viewBox=\"0 0 100 4\" preserveAspectRatio=none aria-hidden=true>".to_owned();
    let mut x = 0.0;
    for (verdict, count) in counts {
        let width = *count as f64 / most.max(1) as f64 * 100.0;
        let _ = write!(
            out,
            "<rect class=fill-{verdict} x=\"{x:.2}\" width=\"{width:.2}\" height=\"4\"/>"
        );
        x += width;
    }
    out.push_str("</svg>");
    out
}

/// Messages with findings of any kind.
pub fn bad(counts: &ByVerdict) -> u64 {
    counts.iter().skip(1).sum()
}

/// `12345` as `12k`.
fn short(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}M", count / 1_000_000),
    }
}
