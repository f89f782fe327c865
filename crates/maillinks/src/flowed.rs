//! format=flowed with DelSp=yes (RFC 3676 §4): lines are joined before they are searched for links.
//!
//! Without DelSp a soft line break leaves a space, which ends a link: such text need not be joined.

use super::mapped::{Builder, MappedText};
use super::{Language, Layer, STRETCH};

/// The text without soft line breaks, and without quote marks and stuffing of the joined lines. A layer for each
/// stretch of paragraphs.
pub fn layers(text: &str) -> impl Iterator<Item = Layer<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (seen, length) = stretch(rest, at);
        at += length;
        Some(Layer::of(seen, Language::Text))
    })
}

/// The paragraphs at the start of the text, which begins at this byte of the part; and their length there.
fn stretch(text: &str, start: usize) -> (MappedText<'static>, usize) {
    let mut seen = Builder::with_capacity(text.len().min(STRETCH));
    let mut at = start;
    let mut open: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        if open.is_none() && seen.len() >= STRETCH {
            break;
        }
        let body = line.trim_end_matches('\n').trim_end_matches('\r');
        // §4.5: quote marks, then §4.4: one stuffed space.
        let depth = body.len() - body.trim_start_matches('>').len();
        let quoted = body.get(depth..).unwrap_or_default();
        let stuffed = usize::from(quoted.starts_with(' '));
        let content = quoted.get(stuffed..).unwrap_or_default();
        let start = at + depth + stuffed;
        // §4.3: the signature separator is never flowed, and nothing is joined to it.
        let signature = content == "-- ";
        if open != Some(depth) || signature {
            seen.separate(at);
        }
        let flows = content.ends_with(' ') && !signature;
        let kept = if flows { content.len() - 1 } else { content.len() };
        seen.linear(content.get(..kept).unwrap_or_default(), start);
        open = flows.then_some(depth);
        at += line.len();
    }
    (seen.finish(), at - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        layers(text).next().unwrap().seen.as_str().to_owned()
    }

    #[test]
    fn soft_breaks_are_undone_within_a_quote_depth() {
        assert_eq!(joined("http://exa \r\nmple.com/\r\nnext"), "http://example.com/\nnext");
        assert_eq!(joined("> http://exa \n> mple.com\n>> deeper"), "http://example.com\ndeeper");
        assert_eq!(joined("> one \n>> two"), "one\ntwo");
        assert_eq!(joined("-- \nname"), "-- \nname");
    }

    #[test]
    fn the_joined_text_maps_to_its_source() {
        let layer = layers("> http://exa \n> mple.com").next().unwrap();
        assert_eq!(layer.seen.source(7..18), 9..24);
    }

    #[test]
    fn a_long_text_is_read_in_stretches_that_end_with_paragraphs() {
        let text = "http://exa \r\nmple.com/ now\r\n".repeat(5_000);
        let stretches: Vec<Layer<'_>> = layers(&text).collect();
        assert!(stretches.len() > 1);
        let mut links = 0;
        for layer in &stretches {
            for (at, link) in layer.seen.as_str().match_indices("http://example.com/") {
                let source = layer.seen.source(at..at + link.len());
                assert_eq!(&text[source], "http://exa \r\nmple.com/");
                links += 1;
            }
        }
        assert_eq!(links, 5_000);
    }
}
