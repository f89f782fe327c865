//! Defangs hosts in the decoded text of a part that no reading of it takes for a link.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::host::host_of;
use super::triggers::{is_after_scheme, triggers};
use super::window::{Letter, letters, needs_reading, text, window};
use super::window_steps;
use homograph::ends_host_to_a_reader;
use mailsplice::span::TextEdit;
use uts58::unicode::is_dot_to_somebody;

/// The edits of a text that defang these hosts, by host: their dots in brackets, wherever they follow a scheme or hold
/// a look-alike of a slash; as far as `spend` grants the steps.
pub fn edits<'h>(
    source: &str,
    is_wanted: impl Fn(&str) -> Option<&'h str>,
    mut spend: impl FnMut(u64) -> bool,
) -> BTreeMap<&'h str, Vec<TextEdit>> {
    let bytes = source.as_bytes();
    let mut found: BTreeMap<&str, Vec<TextEdit>> = BTreeMap::new();
    let _ = triggers(bytes, |_, at| {
        let window = window(bytes, at);
        let needs_reading = needs_reading(window);
        if !spend(window_steps(window, needs_reading)) {
            return ControlFlow::Break(());
        }
        if needs_reading {
            let letters = letters(window);
            let letters = host_of(&letters);
            let reads_as_slash = || letters.iter().any(|letter| ends_host_to_a_reader(letter.c));
            if let Some(host) = is_wanted(&text(letters))
                && (is_after_scheme(bytes, at) || reads_as_slash())
            {
                found.entry(host).or_default().extend(brackets(source, letters, at));
            }
        }
        ControlFlow::Continue(())
    });
    // Several triggers may be before one host.
    for edits in found.values_mut() {
        edits.sort_by_key(|edit| edit.range.start);
        edits.dedup();
    }
    found
}

/// Edits that put the dots of a host at this offset in brackets.
fn brackets<'t>(
    source: &'t str,
    letters: &'t [Letter],
    at: usize,
) -> impl Iterator<Item = TextEdit> + 't {
    let dots = letters.iter().filter(|letter| is_dot_to_somebody(letter.c));
    dots.map(move |dot| {
        let range = dot.raw.start + at..dot.raw.end + at;
        // A charset may have no other dot in its initial state.
        let dot = source.get(range.clone()).filter(|dot| dot.is_ascii()).unwrap_or(".");
        TextEdit { range, replacement: format!("[{dot}]").into() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dot_of_every_mention_after_a_scheme() {
        let source = "<a href='x https://раypal.com/'>x</a> ftp://www.раypal.com, //раypal.com";
        let wanted = ["раypal.com", "www.раypal.com"];
        let is_wanted = |host: &str| wanted.into_iter().find(|wanted| *wanted == host);
        let found = edits(source, is_wanted, |_| true);
        let count = |host: &str| found.get(host).map_or(0, Vec::len);
        assert_eq!((count("раypal.com"), count("www.раypal.com")), (1, 2));
        let dots = found.values().flatten().map(|edit| (&source[edit.range.clone()], edit));
        assert!(dots.into_iter().all(|(old, edit)| old == "." && edit.replacement == "[.]"));
        assert!(edits(source, is_wanted, |_| false).is_empty(), "nothing without steps");
    }
}
