//! Running text: plain parts, and every other text that is shown as it is.

use memchr::{memchr_iter, memchr3};

use super::reference;
use super::seen::{Builder, Seen};
use super::{Language, Layer, Shown, Sighting, Spot, View};
use crate::engine::host::Glue;
use crate::engine::link::Linkifier;
use crate::engine::tlds::TldTable;

/// Bytes that a URL between angle brackets may have, line ends and all.
pub const LONGEST_WRAPPED: usize = 2_048;

/// The text, after the URLs between `<` and `>` that a line end cuts (RFC 3986 appendix C).
pub fn layers(text: &str) -> Vec<Layer<'_>> {
    let mut layers: Vec<Layer<'_>> = memchr_iter(b'<', text.as_bytes())
        .filter_map(|at| wrapped(text, at + 1))
        .map(|seen| Layer::of(seen, Language::Text))
        .collect();
    layers.push(Layer::of(Seen::slice(text, 0), Language::Text));
    layers
}

/// The links of running text.
pub fn read<'t>(text: &'t str, tlds: &TldTable) -> View<'t> {
    let mut links = Linkifier::new(tlds).links(text);
    let sightings =
        links.by_ref().map(|link| Sighting::in_text(0, link, Spot::Text)).collect::<Vec<_>>();
    View {
        seen: vec![Seen::slice(text, 0)],
        sightings,
        steps: text.len() as u64 + links.steps(),
        ..View::default()
    }
}

/// A value that is one URL.
pub fn value(text: &str) -> View<'_> {
    let seen = reference::strip(Seen::slice(text, 0));
    let range = 0..seen.as_str().len();
    let sightings = reference::parse(seen.as_str(), range)
        .into_iter()
        .map(|target| Sighting {
            seen: 0,
            target,
            spot: Spot::Value,
            glue: Glue::None,
            shown: Shown::AsWritten,
            anchor: None,
        })
        .collect();
    View { seen: vec![seen], sightings, steps: text.len() as u64, ..View::default() }
}

/// The URL that begins at `start`, behind `<`, when a line end cuts it; joined.
fn wrapped(text: &str, start: usize) -> Option<Seen<'_>> {
    let rest = text.get(start..)?;
    reference::scheme(rest)?;
    let window = rest.as_bytes().get(..LONGEST_WRAPPED.min(rest.len()))?;
    memchr3(b'\n', b'>', b'<', window).filter(|at| window.get(*at) == Some(&b'\n'))?;
    let end = memchr::memchr2(b'>', b'<', window).filter(|at| window.get(*at) == Some(&b'>'))?;
    let url = rest.get(..end)?;
    let mut joined = Builder::with_capacity(url.len());
    let mut at = start;
    for line in url.split_inclusive('\n') {
        let words = line.trim_ascii();
        if words.is_empty() || words.contains(|c: char| c.is_whitespace()) {
            return None;
        }
        joined.linear(words, at + (line.len() - line.trim_ascii_start().len()));
        at += line.len();
    }
    Some(joined.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> Vec<String> {
        let layers = layers(text);
        layers[..layers.len() - 1].iter().map(|layer| layer.seen.as_str().to_owned()).collect()
    }

    #[test]
    fn a_url_between_angles_runs_over_line_ends() {
        assert_eq!(joined("see <http://example.com/a\r\n  b/c> ok"), ["http://example.com/ab/c"]);
        assert_eq!(joined("<http://example.com/a b\nc>"), [""; 0]);
        assert_eq!(joined("<http://example.com/a>\n<b>"), [""; 0]);
        assert_eq!(joined("a < b\n> c"), [""; 0]);
    }

    #[test]
    fn a_joined_url_leads_back_to_its_lines() {
        let layers = layers("<http://exa\n mple.com>");
        assert_eq!(layers[0].seen.as_str(), "http://example.com");
        assert_eq!(layers[0].seen.source(7..18), 8..21);
    }
}
