//! Plots as inline SVG: no script, no font, no file.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::engine::outcome::Verdict;

use super::super::summary::grouped;
use super::super::tally::{ByVerdict, Tally};
use super::escape;

/// Columns for months. A longer time is drawn by years.
const MONTH_COLUMNS: usize = 36;

/// The size of a plot in its own units. The page scales it, and shows the one that fits the screen.
struct Frame {
    class: &'static str,
    width: f64,
    height: f64,
    left: f64,
}

const FRAMES: [Frame; 2] = [
    Frame { class: "wide", width: 960.0, height: 240.0, left: 34.0 },
    Frame { class: "narrow", width: 360.0, height: 180.0, left: 28.0 },
];
const BOTTOM: f64 = 18.0;
const TOP: f64 = 8.0;
/// Width of the name of a column, in units of the plot.
const NAME_WIDTH: usize = 48;

/// Messages with findings over time, stacked by their worst verdict.
pub fn over_time(tally: &Tally) -> String {
    let columns = columns(tally);
    let most = columns.iter().map(|(_, counts)| with_findings(counts)).max().unwrap_or_default();
    if most == 0 {
        return "<p class=soft>No dated message has a finding.</p>".to_owned();
    }
    FRAMES.iter().map(|frame| frame.draw(&columns, round_up(most))).collect()
}

impl Frame {
    fn draw(&self, columns: &[(String, ByVerdict)], top: u64) -> String {
        let mut out = format!(
            "<svg class=\"months {}\" viewBox=\"0 0 {} {}\" role=img \
             aria-label=\"Messages with findings over time, by worst verdict\">",
            self.class, self.width, self.height
        );
        self.axis(&mut out, top);
        let step = (self.width - self.left) / columns.len() as f64;
        let every = (columns.len() * NAME_WIDTH).div_ceil((self.width - self.left) as usize).max(1);
        for (index, (name, counts)) in columns.iter().enumerate() {
            let x = self.left + step * index as f64;
            let width = (step * 0.76).min(48.0);
            self.column(&mut out, x + (step - width) / 2.0, width, counts, top, name);
            if index.is_multiple_of(every) {
                let (x, y) = (x + step / 2.0, self.height - 4.0);
                let anchor =
                    if step < NAME_WIDTH as f64 && index == 0 { "start" } else { "middle" };
                let x = if anchor == "start" { self.left } else { x };
                let _ = write!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor={anchor}>{}</text>",
                    escape(name)
                );
            }
        }
        out.push_str("</svg>");
        out
    }

    fn y(&self, share: f64) -> f64 {
        self.height - BOTTOM - share * (self.height - BOTTOM - TOP)
    }

    fn axis(&self, out: &mut String, top: u64) {
        for quarter in 0..=4 {
            let count = top / 4 * quarter;
            let y = self.y(quarter as f64 / 4.0);
            let _ = write!(
                out,
                "<line x1=\"{}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=end>{}</text>",
                self.left,
                self.width,
                self.left - 5.0,
                y + 3.5,
                short(count)
            );
        }
    }

    fn column(
        &self,
        out: &mut String,
        x: f64,
        width: f64,
        counts: &ByVerdict,
        top: u64,
        name: &str,
    ) {
        let mut below = 0;
        for (verdict, count) in Verdict::ALL.into_iter().zip(counts).skip(1).rev() {
            if *count == 0 {
                continue;
            }
            let foot = self.y(below as f64 / top as f64);
            below += count;
            let y = self.y(below as f64 / top as f64);
            let _ = write!(
                out,
                "<rect class=fill-{verdict} x=\"{x:.1}\" y=\"{y:.2}\" width=\"{width:.1}\" \
                 height=\"{:.2}\"><title>{}: {} {verdict}</title></rect>",
                foot - y,
                escape(name),
                grouped(*count)
            );
        }
    }
}

/// The next round count for the end of an axis: 4, 8, 12, 20, 40, 60, 80, 120, 200 and so on.
fn round_up(count: u64) -> u64 {
    let mut unit: u64 = 4;
    loop {
        for factor in [1, 2, 3, 5] {
            if count <= unit.saturating_mul(factor) {
                return unit.saturating_mul(factor);
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// One column for each month, or for each year if there are too many months. Empty months have a column too, so that
/// the time axis is even.
fn columns(tally: &Tally) -> Vec<(String, ByVerdict)> {
    let months: BTreeMap<u32, ByVerdict> =
        tally.months.iter().filter_map(|(name, counts)| Some((number(name)?, *counts))).collect();
    let (Some((first, _)), Some((last, _))) = (months.first_key_value(), months.last_key_value())
    else {
        return Vec::new();
    };
    if (last - first) as usize >= MONTH_COLUMNS {
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

/// Messages with findings.
pub fn with_findings(counts: &ByVerdict) -> u64 {
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
    fn the_time_axis_is_even() {
        let names = |months: &[&str]| -> Vec<String> {
            columns(&tally(months)).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&["2023-11", "2024-02"]), ["2023-11", "2023-12", "2024-01", "2024-02"]);
        assert_eq!(names(&["2019-12", "2023-01"]), ["2019", "2020", "2021", "2022", "2023"]);
        assert!(names(&["undated"]).is_empty());
    }

    #[test]
    fn columns_are_to_scale() {
        let plot = over_time(&tally(&["2024-01", "2024-02"]));
        // One message of an axis that ends at 4: a quarter of the plot.
        assert!(plot.contains("height=\"53.50\""), "{plot}");
        assert!(plot.contains("height=\"38.50\""), "{plot}");
        assert!(over_time(&tally(&[])).contains("No dated message"));
    }

    #[test]
    fn axes_end_at_round_counts() {
        for (count, top) in
            [(1, 4), (5, 8), (13, 20), (21, 40), (178, 200), (201, 400), (4_001, 8_000)]
        {
            assert_eq!(round_up(count), top);
        }
        assert!(round_up(u64::MAX) >= u64::MAX / 2);
    }
}
