//! Where URLs stand in the value of an attribute that holds more than one, or something else beside it.

use std::ops::Range;

/// URLs of a `srcset` (HTML §4.8.4.2.1): up to white space; trailing commas are separators.
pub(super) fn source_set(value: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let separator = |c: char| c == ',' || c.is_ascii_whitespace();
    while let Some(start) = value.get(at..).and_then(|rest| rest.find(|c| !separator(c))) {
        let start = at + start;
        let rest = value.get(start..).unwrap_or_default();
        let len = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let url = rest.get(..len).unwrap_or_default();
        let bare = url.trim_end_matches(',');
        found.push(start..start + bare.len());
        at = start + len;
        if bare.len() == url.len() {
            // Descriptors end at the next comma outside parentheses.
            let rest = value.get(at..).unwrap_or_default();
            at += descriptor_end(rest);
        }
    }
    found
}

fn descriptor_end(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in rest.bytes().enumerate() {
        match c {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    rest.len()
}

/// The pieces between these separators.
pub(super) fn words(value: &str, separates: fn(char) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in value.split(separates) {
        if !piece.is_empty() {
            found.push(at..at + piece.len());
        }
        at += piece.len() + 1;
    }
    found
}

/// The URL of a refresh (HTML §4.2.5.3): after the time, `url=` and a quote. More lenient: the time may be missing,
/// and separators may repeat.
pub(super) fn refresh_url(content: &str) -> Option<Range<usize>> {
    let skip = |at: usize, drop: fn(char) -> bool| {
        let rest = content.get(at..).unwrap_or_default();
        at + rest.len() - rest.trim_start_matches(drop).len()
    };
    let space = |c: char| c.is_ascii_whitespace();
    let time = skip(skip(0, space), |c| c.is_ascii_digit() || c == '.');
    let mut start = skip(time, |c| c.is_ascii_whitespace() || matches!(c, ';' | ','));
    let rest = content.get(start..)?;
    if rest.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("url")) {
        let equals = skip(start + 3, space);
        if content.as_bytes().get(equals) == Some(&b'=') {
            start = skip(equals + 1, space);
        }
    }
    let quote = content.get(start..)?.chars().next().filter(|c| matches!(c, '"' | '\''));
    let end = match quote {
        Some(quote) => {
            start += 1;
            content.get(start..)?.find(quote).map_or(content.len(), |len| start + len)
        }
        None => content.len(),
    };
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(value: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &value[range]).collect()
    }

    #[test]
    fn source_sets() {
        for (value, expected) in [
            ("a.png 1x, b.png 2x", vec!["a.png", "b.png"]),
            ("a,b.png 1x,c.png", vec!["a,b.png", "c.png"]),
            (" , a.png, b.png 100w (x,y), c", vec!["a.png", "b.png", "c"]),
            ("", vec![]),
        ] {
            assert_eq!(cut(value, source_set(value)), expected, "{value}");
        }
    }

    #[test]
    fn refreshes() {
        for (content, expected) in [
            ("0;url=http://x/", Some("http://x/")),
            ("5; URL = 'http://x/' y", Some("http://x/")),
            ("0, http://x/", Some("http://x/")),
            ("url=http://x/", Some("http://x/")),
            ("0 url=http://x/;a,b", Some("http://x/;a,b")),
            (" 1.5 ;; url=http://x/", Some("http://x/")),
            ("5", None),
        ] {
            assert_eq!(refresh_url(content).map(|range| &content[range]), expected, "{content}");
        }
    }
}
