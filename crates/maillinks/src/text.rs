//! Running text: plain parts, and every other text that is shown as it is.

use std::ops::{ControlFlow, Range};

use memchr::{memchr_iter, memchr3};

use super::bidi::Overridden;
use super::mapped::{Builder, MappedText};
use super::{
    AnchorAround, Capacity, Language, Layer, Markup, Occurrence, Rendering, STRETCH, SeenBy, Site,
    Take, View, add, linkifier, search_steps, unseen,
};
use homograph::HostBounds;
use uts58::tlds::TldSet;
use uts58::{Linkifier, reference};

/// Maximum bytes of a URL between angle brackets, with its line ends.
pub const LONGEST_WRAPPED: usize = 2_048;

/// The layers of a text: the URLs between `<` and `>` that a line end cuts (RFC 3986 appendix C); the text as shown by
/// programs that drop NUL, form feeds (Mozilla, before it searches for links) or both; and the whole text.
pub fn layers(text: &str) -> impl Iterator<Item = Layer<'_>> {
    let joined = memchr_iter(b'<', text.as_bytes()).filter_map(|at| wrapped(text, at + 1));
    let dropped = DROPPED.iter().flat_map(|dropped| without(text, dropped));
    let whole = std::iter::once(MappedText::slice(text, 0));
    joined.chain(dropped).chain(whole).map(|seen| Layer::of(seen, Language::Text))
}

/// Characters that some program drops together.
const DROPPED: [&[u8]; 3] = [b"\0", b"\x0C", b"\0\x0C"];

/// The stretches of a text that hold all of these characters, without them: one at a time, since UTF-16 that is read
/// in another charset has a NUL next to each character.
fn without<'t>(text: &'t str, dropped: &'static [u8]) -> impl Iterator<Item = MappedText<'t>> {
    let holds = |text: &str| dropped.iter().all(|byte| holds_within(text, *byte));
    let mut at = if holds(text) { 0 } else { text.len() };
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at;
            at = stretch_end(text, start);
            let stretch = text.get(start..at).unwrap_or_default();
            if holds(stretch) {
                let drops = |c: char| u8::try_from(c).is_ok_and(|byte| dropped.contains(&byte));
                return Some(MappedText::slice(stretch, start).without(drops));
            }
        }
        None
    })
}

/// Whether the character follows something in a line: page separators are after a line end, and join nothing.
fn holds_within(text: &str, byte: u8) -> bool {
    let before = |at: usize| at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
    memchr_iter(byte, text.as_bytes())
        .any(|at| before(at).is_some_and(|before| !matches!(before, b' ' | b'\t' | b'\r' | b'\n')))
}

/// Finds the links of running text. White space ends links, so a long text is cut there. In `repeated` stretches only
/// URLs are searched for that may end outside of them.
pub fn read<'t>(
    (text, repeated): (&'t str, &[Range<usize>]),
    tlds: &dyn TldSet,
    capacity: Capacity,
    take: Take<'_, 't>,
) -> ControlFlow<()> {
    let (mut left, mut steps) = (capacity.all, capacity.steps);
    let (mut at, mut before) = (0, 0);
    let mut repeated = repeated.iter().peekable();
    while at < text.len() && left > 0 {
        if let Some(known) = repeated.next_if(|known| known.start <= at) {
            let mut view = View { steps: (known.end - at) as u64, ..View::default() };
            left -= view.add_enclosed(text, at..known.end, tlds, left.min(capacity.together));
            steps = steps.saturating_sub(view.steps);
            take(view)?;
            at = known.end;
            continue;
        }
        let end = stretch_end(text, at).min(repeated.peek().map_or(text.len(), |next| next.start));
        let stretch = text.get(at..end).unwrap_or_default();
        let mut links = linkifier(tlds, steps).links(stretch);
        let max = left.min(capacity.together);
        let overridden = Overridden::of(stretch, &[]);
        // A stretch often holds as many links as the one before.
        let mut occurrences = Vec::with_capacity(before);
        for (number, link) in links.by_ref().take(max).enumerate() {
            let shown = overridden.shown(stretch, &link);
            let occurrence = Occurrence { shown, ..Occurrence::in_text(0, link, Site::Text) };
            add(&mut occurrences, occurrence, max - number);
        }
        before = occurrences.len();
        left -= occurrences.len();
        let mut view = View {
            seen: vec![MappedText::slice(stretch, at)],
            cut: occurrences.len() == capacity.together && links.next().is_some(),
            occurrences,
            steps: stretch.len() as u64 + search_steps(&links),
            ..View::default()
        };
        let further: [Further<'_, 't>; 4] = [
            &|view, most| {
                let linkifier = linkifier(tlds, steps.saturating_sub(view.steps));
                view.add_joined((stretch, at), &linkifier, most)
            },
            &|view, most| view.add_enclosed(text, at..end, tlds, most),
            &|view, most| view.add_greedy((stretch, 0, 0), &Site::Text, tlds, most),
            &|view, most| view.add_hosts_with_signs((stretch, before), tlds, (most, steps)),
        ];
        for add in further {
            // With the steps that are left the message ends.
            if view.steps <= steps {
                left -= add(&mut view, left.min(capacity.together));
            }
        }
        steps = steps.saturating_sub(view.steps);
        take(view)?;
        at = end;
    }
    ControlFlow::Continue(())
}

/// Adds the links that programs find in a further way, at most so many. Returns how many.
type Further<'f, 't> = &'f dyn Fn(&mut View<'t>, usize) -> usize;

impl<'t> View<'t> {
    /// Adds the links of words of a stretch that nothing seen parts.
    fn add_joined(
        &mut self,
        (stretch, at): (&'t str, usize),
        linkifier: &Linkifier<'_>,
        most: usize,
    ) -> usize {
        let joined = unseen::joined(stretch);
        self.cut |= joined.cut;
        if joined.is_empty() {
            return 0;
        }
        let words = joined.of(&MappedText::slice(stretch, at));
        self.add_across_joints(linkifier, (&joined, words), most, &Site::Text)
    }
}

/// Where a stretch that begins at `at` ends: after a line end, or after a blank in a very long line.
fn stretch_end(text: &str, at: usize) -> usize {
    let from = at.saturating_add(STRETCH);
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let line = rest.get(..STRETCH.min(rest.len())).unwrap_or_default();
    let end = memchr::memchr(b'\n', line).or_else(|| memchr::memchr3(b'\n', b' ', b'\t', rest));
    end.map_or(text.len(), |end| from + end + 1)
}

/// A value that is one URL; of its addresses, at most `max`.
pub fn value(text: &str, max: usize) -> View<'_> {
    let seen = MappedText::slice(text, 0).as_url();
    let range = 0..seen.as_str().len();
    let mut targets = reference::parse(seen.as_str(), range);
    let occurrences: Vec<_> = targets
        .by_ref()
        .take(max)
        .map(|target| Occurrence {
            seen: 0,
            target,
            site: Site::Value,
            bounds: HostBounds::Certain,
            shown: Rendering::AsWritten,
            anchor: AnchorAround::None,
            markup: Markup::Shown,
            seen_by: SeenBy::Standard,
        })
        .collect();
    let cut = occurrences.len() == max && targets.next().is_some();
    drop(targets);
    View { seen: vec![seen], occurrences, steps: text.len() as u64, cut, ..View::default() }
}

/// The URL that begins at `start`, after `<`, joined, if a line end cuts it.
fn wrapped(text: &str, start: usize) -> Option<MappedText<'_>> {
    let rest =
        text.get(start..).filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let window = rest.as_bytes().get(..LONGEST_WRAPPED.min(rest.len()))?;
    memchr3(b'\n', b'>', b'<', window).filter(|at| window.get(*at) == Some(&b'\n'))?;
    reference::scheme(rest)?;
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
        let layers: Vec<_> = layers(text).collect();
        layers[..layers.len() - 1].iter().map(|layer| layer.seen.as_str().to_owned()).collect()
    }

    #[test]
    fn a_url_between_angles_continues_across_line_ends() {
        assert_eq!(joined("see <http://example.com/a\r\n  b/c> ok"), ["http://example.com/ab/c"]);
        assert_eq!(joined("<http://example.com/a b\nc>"), [""; 0]);
        assert_eq!(joined("<http://example.com/a>\n<b>"), [""; 0]);
        assert_eq!(joined("a < b\n> c"), [""; 0]);
    }

    #[test]
    fn a_url_between_angles_is_joined_up_to_a_length() {
        let text = |length: usize| {
            let scheme = "http://example.com/";
            format!("<{scheme}\n{}>", "x".repeat(length - scheme.len() - 1))
        };
        assert_eq!(joined(&text(LONGEST_WRAPPED - 1)).len(), 1);
        assert_eq!(joined(&text(LONGEST_WRAPPED)).len(), 0);
    }

    #[test]
    fn a_joined_url_maps_to_its_lines() {
        let layer = layers("<http://exa\n mple.com>").next().unwrap();
        assert_eq!(layer.seen.as_str(), "http://example.com");
        assert_eq!(layer.seen.source(7..18), 8..21);
    }

    #[test]
    fn a_stretch_that_took_the_steps_is_searched_in_no_further_ways() {
        let tlds = uts58::tlds::TldTable::new(["com", "example"], "");
        let found = |text: &str, steps: u64| {
            let capacity = Capacity { all: usize::MAX, together: usize::MAX, steps };
            let mut found = 0;
            let _ = read((text, &[]), &tlds, capacity, &mut |view| {
                found += view.occurrences.len();
                ControlFlow::Continue(())
            });
            found
        };
        // Some end the host behind the sign.
        let text = "https://a.com%2b.b.example/x";
        assert_eq!(found(text, u64::MAX), found(text, 30) + 1);
        let many = "https://a.com ".repeat(100);
        assert_eq!((found(&many, u64::MAX), found(&many, 100)), (100, 20));
        let lines = "https://a.com\r\n".repeat(10 * STRETCH / 15);
        assert!(found(&lines, 30_000) < 4 * STRETCH / 15, "of all stretches together");
    }
}
