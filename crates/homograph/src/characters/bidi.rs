//! How right-to-left text is displayed, and what it reads as then (UTS #39 §4 bidiSkeleton).

use icu_properties::CodePointMapData;
use icu_properties::props::BidiClass;
use unicode_bidi::{BidiInfo, Level};

use super::properties::skeleton;
use uts58::unicode::Traits;
use uts58::unicode::hosts::is_mark;

/// UTS #39 §4 bidiSkeleton for a left-to-right paragraph: the text in display order, marks after
/// their base, then its skeleton.
pub fn bidi_skeleton(text: &str) -> String {
    skeleton(&displayed(text)).into_iter().collect()
}

/// A text in display order, in a left-to-right paragraph, marks after their base.
pub fn displayed(text: &str) -> String {
    let data = CodePointMapData::<BidiClass>::new();
    let info = BidiInfo::new_with_data_source(&data, text, Some(Level::ltr()));
    let mut shown = String::with_capacity(text.len());
    for paragraph in &info.paragraphs {
        let line = paragraph.range.clone();
        let (levels, runs) = info.visual_runs(paragraph, line);
        for run in runs {
            let Some(piece) = text.get(run.clone()) else { continue };
            if levels.get(run.start).is_some_and(Level::is_rtl) {
                push_reversed(piece, &mut shown);
            } else {
                shown.push_str(piece);
            }
        }
    }
    shown
}

/// Reverses a right-to-left run by base character, so that marks stay after their base.
fn push_reversed(piece: &str, out: &mut String) {
    let mut end = piece.len();
    for (at, c) in piece.char_indices().rev() {
        if is_mark(c) && at > 0 {
            continue;
        }
        if let Some(cluster) = piece.get(at..end) {
            let mut chars = cluster.chars();
            out.extend(chars.next().map(mirrored));
            out.push_str(chars.as_str());
        }
        end = at;
    }
}

/// Bidi_Mirroring_Glyph of the ASCII brackets: no other mirrored character passes UTS #46.
fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '<' => '>',
        '>' => '<',
        '{' => '}',
        '}' => '{',
        other => other,
    }
}

/// Whether displaying the text reorders it.
pub(crate) fn is_bidi(text: &str) -> bool {
    let mut leads = text.bytes().zip(text.bytes().skip(1));
    leads.any(may_turn) && text.chars().any(|c| Traits::of(c).is_right_to_left())
}

/// Whether UTF-8 that begins with these bytes may be right-to-left: no letter of the European
/// alphabets is, none of India and its neighbours, and no ideograph.
fn may_turn((first, second): (u8, u8)) -> bool {
    matches!((first, second), (0xd6..=0xdf | 0xe2 | 0xef.., _) | (0xe0, ..=0xa3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_has_a_lead_that_says_so() {
        for c in ('\0'..=char::MAX).filter(|c| Traits::of(*c).is_right_to_left()) {
            assert!(is_bidi(&c.to_string()), "{c:?}");
        }
    }

    /// UTS #39 §4, Table 2a and the text around it.
    #[test]
    fn bidi_skeletons() {
        assert_eq!(bidi_skeleton("A1<\u{5e9}"), bidi_skeleton("A\u{5e9}>1"));
        assert_eq!(bidi_skeleton("example.com"), "exarnple.corn");
    }
}
