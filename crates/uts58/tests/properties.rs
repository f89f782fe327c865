//! The link properties of UTS #58 against the official files, code point by code point.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use uts58::unicode::{self, LinkTerm};

/// Code points of a UCD-style file: range and second field.
fn ranges(text: &str) -> Vec<(u32, u32, String)> {
    text.lines()
        .map(|line| line.split('#').next().unwrap().trim())
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (range, value) = line.split_once(';').unwrap_or((line, ""));
            let (first, last) =
                range.trim().split_once("..").unwrap_or((range.trim(), range.trim()));
            let number = |hex| u32::from_str_radix(hex, 16).unwrap();
            (number(first), number(last), value.trim().to_owned())
        })
        .collect()
}

#[test]
fn s1_link_properties_equal_the_official_files_at_every_code_point() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unicode/18.0.0");
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();

    let mut terms = vec![LinkTerm::Hard; 0x11_0000];
    for (first, last, value) in ranges(&read("LinkTerm.txt")) {
        let term = match value.as_str() {
            "Include" => LinkTerm::Include,
            "Hard" => LinkTerm::Hard,
            "Soft" => LinkTerm::Soft,
            "Open" => LinkTerm::Open,
            "Close" => LinkTerm::Close,
            other => panic!("unknown Link_Term {other}"),
        };
        terms[first as usize..=last as usize].fill(term);
    }
    let mut email = vec![false; 0x11_0000];
    for (first, last, _) in ranges(&read("LinkEmail.txt")) {
        email[first as usize..=last as usize].fill(true);
    }
    for cp in 0..0x11_0000_u32 {
        // Surrogates are no `char`; they are Hard and not Link_Email by the default of the files.
        let Some(c) = char::from_u32(cp) else {
            assert!(terms[cp as usize] == LinkTerm::Hard && !email[cp as usize], "U+{cp:04X}");
            continue;
        };
        assert_eq!(unicode::link_term(c), terms[cp as usize], "Link_Term U+{cp:04X}");
        assert_eq!(unicode::link_email(c), email[cp as usize], "Link_Email U+{cp:04X}");
    }
    let official: Vec<(u32, u32)> = ranges(&read("LinkBracket.txt"))
        .into_iter()
        .map(|(close, _, open)| (close, u32::from_str_radix(&open, 16).unwrap()))
        .collect();
    let ours: Vec<(u32, u32)> = (0..0x11_0000)
        .filter_map(char::from_u32)
        .filter_map(|c| Some((u32::from(c), u32::from(unicode::link_bracket(c)?))))
        .collect();
    assert_eq!(ours, official, "Link_Bracket");
}
