//! Lowers edits of decoded bytes to edits of base64.

use std::ops::Range;

use super::super::{Decoded, LineEnd, Lines};
use super::{Padding, decode, encode_lines, line_width, value};
use crate::edit::RawEdit;

/// Lowers edits of the decoded bytes: encodes again from the unit that an edit touches to the first
/// end of a unit at which the edits so far add up to whole units, to the end of the stream, or to
/// other text behind the data. All other bytes stay as they are.
pub(in crate::mime) fn lower(
    raw: &[u8],
    edits: &[RawEdit],
    line_end: LineEnd,
    padding: Padding,
) -> Vec<RawEdit> {
    let decoded = decode(raw, padding);
    let others = Others::of(raw);
    let width = line_width(raw);
    let mut lines = Lines::of(raw);
    let mut lowered: Vec<RawEdit> = Vec::new();
    let mut behind = (0, 0);
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let stretch = Stretch::of((&decoded, &others), first.range.start, &mut rest);
        let range = encoded_range(&decoded, raw, &stretch);
        let line_start = lines.at(range.start).start;
        let start_column = match line_start < behind.0 {
            true => behind.1 + (range.start - behind.0),
            false => range.start - line_start,
        };
        // After the data there may be text that would be a delimiter on a line of its own.
        let delimiter = raw.get(range.end..).is_some_and(|rest| rest.starts_with(b"--"));
        let tail = if delimiter { 0 } else { lines.at(range.end).end - range.end };
        let (replacement, column) =
            encode_lines(&stretch.bytes, start_column, tail, width, line_end);
        behind = (range.end, column);
        lowered.push(RawEdit { range, replacement: replacement.into() });
    }
    lowered
}

/// Consecutive units that are encoded again.
struct Stretch {
    /// In the decoded bytes, from the start of a unit to the end of one.
    range: Range<usize>,
    /// The new bytes.
    bytes: Vec<u8>,
    /// Where it ends in the encoded bytes, if other text begins inside its last unit.
    end: Option<usize>,
}

impl Stretch {
    /// The stretch that begins with the unit at `start`; removes the edits in it from `edits`.
    fn of(
        (decoded, others): (&Decoded<'_>, &Others<'_>),
        start: usize,
        edits: &mut &[RawEdit],
    ) -> Stretch {
        let mut end = None;
        let mut stream = stream_at(decoded, start);
        let from = start - (start - stream.start) % 3;
        let first = edits.first().map_or(0, |edit| edit.replacement.len());
        let mut bytes = Vec::with_capacity(start - from + first + 3);
        let mut at = from;
        let keep = |bytes: &mut Vec<u8>, range: Range<usize>| {
            bytes.extend_from_slice(decoded.bytes.get(range).unwrap_or_default());
        };
        while let Some((edit, rest)) = edits.split_first() {
            keep(&mut bytes, at..edit.range.start);
            bytes.extend_from_slice(&edit.replacement);
            at = edit.range.end.max(at);
            *edits = rest;
            if at > stream.end {
                stream = stream_at(decoded, at);
            }
            let next = rest.first().map_or(usize::MAX, |next| next.range.start);
            let unit_end = (at + (3 - (at - stream.start) % 3) % 3).min(stream.end);
            let whole = (bytes.len() + (unit_end - at)).is_multiple_of(3);
            let rest = at..stream.end;
            let other = if whole { None } else { others.behind(decoded, rest) };
            let stop = match &other {
                Some(other) => other.units.end,
                None if whole => unit_end,
                None => stream.end,
            };
            // An insertion at the end of the part has no unit of its own.
            if next < stop || (next == stop && stop == decoded.bytes.len()) {
                continue;
            }
            let stop = other.as_ref().map_or(stop, |other| other.text);
            end = other.map(|other| other.data_end);
            keep(&mut bytes, at..stop);
            at = stop;
            break;
        }
        // Whoever stops at padding would read the text behind it as data.
        let was_padded =
            !(at - stream.start).is_multiple_of(3) && others.are_parted_from(decoded, at);
        if was_padded && bytes.len().is_multiple_of(3) && !bytes.contains(&0) {
            bytes.push(b' ');
        }
        Stretch { range: from..at, bytes, end }
    }
}

/// Lines of data that are at least as long are followed by more of it, whatever stands between.
const LONG_LINE: usize = 40;

/// Text behind data: what lists and gateways append, and delimiters and parts that some programs find. Of it clients
/// read the letters as data as well, which nobody sees.
struct Others<'r> {
    raw: &'r [u8],
    /// Where it begins, always at a line.
    starts: Vec<usize>,
}

/// The search for text behind the data.
#[derive(Default)]
struct Search {
    /// Bytes of the first line of data, at most [`LONG_LINE`].
    first: Option<usize>,
    /// Where the text begins.
    tail: Option<usize>,
    /// The first line of data with something else in it, behind those lines.
    disturbed: Option<usize>,
    /// Characters of data so far, padding among them.
    characters: usize,
}

impl Search {
    /// The disturbed line, if the data are not whole with what is in it: then it is text.
    fn interrupted(&self) -> Option<usize> {
        self.disturbed.filter(|_| !self.characters.is_multiple_of(4))
    }
}

fn is_data_byte(byte: u8) -> bool {
    value(byte) < 64 || byte == b'='
}

fn is_data(line: &[u8]) -> bool {
    line.iter().all(|byte| is_data_byte(*byte))
}

/// Whether a line holds nothing but data, as much as their first one.
fn is_long_data(line: &[u8], first: usize) -> bool {
    let said = line.trim_ascii();
    is_data(said) && said.len() >= first
}

/// Bytes in one place of a line of data that are none, at most: a mark of bytes, a blank, what a gateway escapes.
const DISTURBANCE: usize = 4;

/// Whether a line is of data but for a few bytes in one place, and no text: small and capital letters change in it as in
/// no words.
fn is_disturbed(line: &[u8]) -> bool {
    let is_other = |byte: &u8| !is_data_byte(*byte);
    let (Some(first), Some(last)) =
        (line.iter().position(is_other), line.iter().rposition(is_other))
    else {
        return false;
    };
    let others = line.iter().filter(|byte| is_other(byte)).count();
    let turns = line.array_windows();
    let turns = turns.filter(|[a, b]| a.is_ascii_lowercase() && b.is_ascii_uppercase()).count();
    last - first < DISTURBANCE
        && others == last - first + 1
        && (turns * LETTERS_OF_A_TURN >= line.len() || line.ends_with(b"=") || others == line.len())
}

/// Letters among which data have a capital behind a small letter, at most.
const LETTERS_OF_A_TURN: usize = 16;

/// Other text, and the data before it.
struct Other {
    /// Decoded bytes before it, with those of a unit that it completes.
    text: usize,
    /// The decoded bytes of that unit.
    units: Range<usize>,
    /// Where the data before it end.
    data_end: usize,
}

impl<'r> Others<'r> {
    fn of(raw: &'r [u8]) -> Others<'r> {
        let mut others = Others { raw, starts: Vec::new() };
        let mut search = Search::default();
        let mut at = 0;
        let mut lines = raw.split_inclusive(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let said = line.trim_ascii();
            let is_data = is_data(said);
            let is_disturbed = !is_data && is_disturbed(said);
            if is_data || is_disturbed {
                search.characters += said.iter().filter(|byte| is_data_byte(**byte)).count();
            }
            match search.first {
                _ if said.is_empty() => {}
                None if is_data => search.first = Some(said.len().min(LONG_LINE)),
                None => {}
                // The mark of a signature, in front of more data.
                Some(first)
                    if line.starts_with(b"--")
                        && !lines.peek().is_some_and(|next| is_long_data(next, first)) =>
                {
                    others.starts.push(at);
                }
                Some(first) if is_data && said.len() >= first => search.tail = None,
                Some(_) if is_data => {}
                Some(_) if is_disturbed => search.disturbed = search.disturbed.or(Some(at)),
                Some(_) => {
                    search.tail = search.tail.or(search.interrupted()).or(Some(at));
                }
            }
            at += line.len();
        }
        others.starts.extend(search.tail.or(search.interrupted()));
        others.starts.sort_unstable();
        others
    }

    /// Whether padding behind this offset of the decoded bytes is all that parts them from other text.
    fn are_parted_from(&self, decoded: &Decoded<'_>, at: usize) -> bool {
        let Some(last) = at.checked_sub(1) else { return false };
        let before = decoded.source(last..at).end;
        let next = self.starts.partition_point(|start| *start < before);
        let between = self.starts.get(next).and_then(|start| self.raw.get(before..*start));
        between.is_some_and(|between| {
            let from = before.saturating_sub(1);
            let mut padding = self.raw.get(from..before).into_iter().flatten().chain(between);
            padding.any(|byte| *byte == b'=') && !between.iter().any(|byte| value(*byte) < 64)
        })
    }

    /// The first other text behind these decoded bytes, if they hold it.
    fn behind(&self, decoded: &Decoded<'_>, text: Range<usize>) -> Option<Other> {
        let before = match text.start.checked_sub(1) {
            Some(last) => decoded.source(last..text.start).end,
            None => 0,
        };
        let next = self.starts.partition_point(|start| *start < before);
        let start = *self.starts.get(next)?;
        // The first byte that is not from before it.
        let (mut low, mut high) = (text.start, text.end);
        while low < high {
            let middle = low.midpoint(high);
            match decoded.source(middle..middle + 1).end <= start {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        if low == text.end {
            return None;
        }
        let unit = decoded.source(low..low + 1).start;
        let begun = self.raw.get(unit..start).unwrap_or_default();
        let characters = begun.iter().filter(|byte| value(**byte) < 64).count();
        let bytes = characters.saturating_sub(1);
        let data = self.raw.get(..start).unwrap_or_default();
        let last = data.iter().rposition(|byte| value(*byte) < 64 || *byte == b'=')?;
        let is_cut = usize::from(characters > 0);
        let units = low..low + 3 * is_cut;
        (low + bytes <= text.end).then_some(Other { text: low + bytes, units, data_end: last + 1 })
    }
}

/// The stream that contains this offset of the decoded bytes; at their end the last one, also if padding ends it: what is
/// added there must not follow padding, at which some programs stop.
fn stream_at(decoded: &Decoded<'_>, at: usize) -> Range<usize> {
    let at = if at == decoded.bytes.len() { at.saturating_sub(1) } else { at };
    let index = decoded.restarts.partition_point(|start| *start <= at);
    let start = index.checked_sub(1).and_then(|index| decoded.restarts.get(index));
    let end = decoded.restarts.get(index);
    start.copied().unwrap_or(0)..end.copied().unwrap_or(decoded.bytes.len())
}

/// The raw range of a stretch; an empty one at the end is inserted after the last character.
fn encoded_range(decoded: &Decoded<'_>, raw: &[u8], stretch: &Stretch) -> Range<usize> {
    if !stretch.range.is_empty() || stretch.range.start < decoded.bytes.len() {
        let range = decoded.source(stretch.range.clone());
        return range.start..stretch.end.unwrap_or(range.end);
    }
    let last = raw.iter().rposition(|b| value(*b) < 64 || *b == b'=');
    let at = last.map_or(0, |last| last + 1);
    at..at
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::*;

    fn text(raw: &str) -> String {
        String::from_utf8_lossy(&decode(raw.as_bytes(), Padding::Ends).bytes).into_owned()
    }

    fn replace(raw: &str, edits: &[(&str, &str)]) -> String {
        let decoded = decode(raw.as_bytes(), Padding::Ends);
        let edits: Vec<RawEdit> = edits
            .iter()
            .map(|(from, to)| {
                let at = memchr::memmem::find(&decoded.bytes, from.as_bytes()).unwrap();
                RawEdit { range: at..at + from.len(), replacement: to.as_bytes().to_vec().into() }
            })
            .collect();
        let mut out = raw.as_bytes().to_vec();
        for edit in
            lower(raw.as_bytes(), &edits, LineEnd::of(raw.as_bytes()), Padding::Ends).iter().rev()
        {
            out.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        String::from_utf8(out).unwrap()
    }

    fn encoded(text: &str) -> String {
        String::from_utf8(encode(text.as_bytes(), LineEnd::Crlf)).unwrap()
    }

    #[test]
    fn what_stands_behind_the_data_becomes_no_delimiter() {
        let said = format!("{}<a href=http://a.example/>xx", "hello ".repeat(40));
        let raw = format!("{}--b\r\nrest\r\n", encoded(&said).replace("\r\n", ""));
        let new = replace(&raw, &[("http://a.example/", "hxxp://xn--a-long-one[.]example/")]);
        assert!(new.contains("--b\r\nrest\r\n") && !new.contains("\n--b"), "{new}");
    }

    #[test]
    fn an_edit_of_whole_units_leaves_the_rest_alone() {
        let raw = encoded(&"The quick brown fox. ".repeat(20));
        let new = replace(&raw, &[("quick", "qui[.]ck")]);
        assert_eq!(text(&new), text(&raw).replacen("quick", "qui[.]ck", 1));
        assert!(new.ends_with(raw.split_once('\n').unwrap().1), "later lines are the same");
    }

    #[test]
    fn other_edits_encode_to_the_end_of_the_stream() {
        let raw = encoded(&"The quick brown fox. ".repeat(20));
        let new = replace(&raw, &[("quick", "slow")]);
        assert_eq!(text(&new), text(&raw).replacen("quick", "slow", 1));
        assert!(new.lines().all(|line| line.len() <= 76));
    }

    #[test]
    fn a_second_edit_may_bring_the_units_back_in_step() {
        let raw = encoded(&format!("{}one two {}", "x".repeat(30), "y".repeat(300)));
        let new = replace(&raw, &[("one", "o"), ("two", "twooo")]);
        assert_eq!(text(&new), text(&raw).replace("one two", "o twooo"));
        assert_eq!(new.len(), raw.len());
    }

    #[test]
    fn streams_in_a_row_keep_their_bounds() {
        let raw = "aGVsbG8=\r\nIHdvcmxk\r\nIQ==\r\n";
        assert_eq!(text(raw), "hello world!");
        let new = replace(raw, &[("ello", "i")]);
        assert_eq!(text(&new), "hi world!");
        assert!(new.ends_with("IHdvcmxk\r\nIQ==\r\n"));
        assert_eq!(text(&replace(raw, &[("lo wor", "")])), "helld!");
        assert_eq!(text(&replace(raw, &[("ell", ""), ("wor", "w"), ("!", "?!")])), "ho wld?!");
    }

    /// Lists and gateways append text, and what is a part to somebody is data to others.
    #[test]
    fn what_is_behind_the_data_stays_as_it_is() {
        let footers = [
            "\r\n_____________\r\nusers mailing list\r\nhttps://lists.example.org/users\r\n",
            "\r\nVirus-free. www.example.com\r\n",
            "--b\r\nContent-Type: text/html\r\n\r\nPGh0bWw+PGJvZHk+PHA+SGk8L3A+PGEgaHJlZj0iaHR0\r\n--b--\r\n",
            "-----BEGIN PGP SIGNATURE-----\r\n\r\niQEzBAEBCAAdFiEEPGh0bWw+PGJvZHk+PHA+SGk8L3A\r\n",
        ];
        for footer in footers {
            for length in 0..30 {
                let said = format!("hello {}http://a.example/ bye", "x".repeat(length));
                for data in [encoded(&said), encoded(&said).replace('=', "")] {
                    let raw = format!("{data}\r\n{footer}");
                    for to in ["hxxp://a.example/", "hxxp://xn--b[.]example/", "x"] {
                        let new = replace(&raw, &[("http://a.example/", to)]);
                        let data = new.strip_suffix(footer).unwrap_or_else(|| panic!("{new}"));
                        let told = said.replace("http://a.example/", to);
                        let told = match raw.contains('=') && told.len() % 3 == 0 {
                            // So that padding parts it from the text behind.
                            true => told + " ",
                            false => told,
                        };
                        assert_eq!(text(data), told, "{raw}");
                    }
                }
            }
        }
    }

    /// Gateways and editors leave a mark, a blank or a dot in a line, or put the mark of a signature in front of one.
    #[test]
    fn data_go_on_behind_what_disturbs_a_line() {
        let front = "Text, text! ".repeat(20);
        let end = "Please pay 5 EUR to account 12345, thank you.";
        let said = format!("<a href=http://a.example/>{front}{end}");
        let data = encoded(&said);
        let lines: Vec<&str> = data.lines().collect();
        let (last, front) = lines.split_last().unwrap();
        let noise = [" ", "\0", "\u{a0}", "\u{feff}", "!\r\n", "-", "*", "."];
        let mut raws: Vec<String> = noise
            .iter()
            .flat_map(|noise| [0, 8, last.len() - 2].map(|at| (noise, at)))
            .map(|(noise, at)| {
                let (before, after) = last.split_at(at);
                format!("{}\r\n{before}{noise}{after}\r\n", front.join("\r\n"))
            })
            .collect();
        raws.push(data.replacen("\r\n", "\r\n-- \r\n", 2));
        for raw in raws {
            for to in ["hxxp://a.example/", "hxxp://xn--b[.]example/", "x"] {
                let new = replace(&raw, &[("http://a.example/", to)]);
                assert_eq!(text(&new), said.replace("http://a.example/", to), "{raw}");
                let end = new.trim_end().trim_end_matches('=');
                assert!(!end.contains("=\r\n"), "{raw}\n{new}");
            }
        }
    }

    /// A notice behind the last letter of the data.
    #[test]
    fn an_insertion_at_the_end_joins_the_edit_before_it() {
        for length in 0..9 {
            for new_length in 0..9 {
                let raw = encoded(&format!(" http://{}.com", "a".repeat(length)));
                let decoded = decode(raw.as_bytes(), Padding::Ends).bytes;
                let end = decoded.len();
                let edits = [
                    RawEdit { range: 8..end - 4, replacement: vec![b'x'; new_length].into() },
                    RawEdit { range: end - 4..end - 3, replacement: b"[.]".to_vec().into() },
                    RawEdit { range: end..end, replacement: b" [disabled]".to_vec().into() },
                ];
                let new = lower(raw.as_bytes(), &edits, LineEnd::Crlf, Padding::Ends);
                let mut out = raw.as_bytes().to_vec();
                for edit in new.iter().rev() {
                    out.splice(edit.range.clone(), edit.replacement.iter().copied());
                }
                let out = String::from_utf8(out).unwrap();
                assert!(!out.trim_end().trim_end_matches('=').contains('='), "{out}");
                let said = format!(" http://{}[.]com [disabled]", "x".repeat(new_length));
                assert_eq!(text(&out), said, "{out}");
            }
        }
    }

    #[test]
    fn data_go_on_behind_a_line_that_is_none() {
        let said = format!("http://a.example/ {}", "hello ".repeat(40));
        let raw = encoded(&said).replacen("\r\n", "\r\n!!\r\n", 2);
        let new = replace(&raw, &[("http://a.example/", "http://b.b.example/")]);
        assert_eq!(text(&new), said.replace("a.example", "b.b.example"));
    }
}
