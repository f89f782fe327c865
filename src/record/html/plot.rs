//! Plots as inline SVG: no script, no font, no file.

use std::collections::BTreeMap;
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
    let columns = columns(tally);
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

/// A column a month, or a year when the months are too many; empty ones as well, so that time runs
/// evenly.
fn columns(tally: &Tally) -> Vec<(String, ByVerdict)> {
    let months: BTreeMap<u32, ByVerdict> =
        tally.months.iter().filter_map(|(name, counts)| Some((number(name)?, *counts))).collect();
    let (Some((first, _)), Some((last, _))) = (months.first_key_value(), months.last_key_value())
    else {
        return Vec::new();
    };
    if (last - first) as usize >= MONTHS {
        let years = tally.years();
        let named = (first / 12..=last / 12).map(|year| year.to_string());
        return named
            .map(|year| (year.clone(), years.get(&*year).copied().unwrap_or_default()))
            .collect();
    }
    let named =
        (*first..=*last).map(|month| (month, format!("{}-{:02}", month / 12, month % 12 + 1)));
    named.map(|(month, name)| (name, months.get(&month).copied().unwrap_or_default())).collect()
}

/// `2024-05` as months since the year 0.
fn number(month: &str) -> Option<u32> {
    let (year, month) = month.split_once('-')?;
    Some(year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()?.checked_sub(1)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(months: &[&str]) -> Tally {
        let months = months.iter().map(|month| ((*month).to_owned(), [0, 1, 0, 0, 0])).collect();
        Tally { months, ..Tally::default() }
    }

    #[test]
    fn time_runs_evenly() {
        let names = |months: &[&str]| -> Vec<String> {
            columns(&tally(months)).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&["2023-11", "2024-02"]), ["2023-11", "2023-12", "2024-01", "2024-02"]);
        assert_eq!(names(&["2019-12", "2023-01"]), ["2019", "2020", "2021", "2022", "2023"]);
        assert!(names(&["undated"]).is_empty());
    }

    #[test]
    fn the_highest_column_fills_the_plot() {
        let plot = over_time(&tally(&["2024-01", "2024-02"]));
        assert!(plot.contains("height=\"128.00\""), "{plot}");
        assert!(over_time(&tally(&[])).contains("No dated message"));
    }
}
