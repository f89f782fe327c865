//! Compares the tables with the crates that follow Unicode, and generates them.

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use unicode_script::{Script, ScriptExtension, UnicodeScript};
use unicode_security::GeneralSecurityProfile;
use unicode_security::general_security_profile::IdentifierType;

use super::*;
use crate::characters::generated::checked_in;

fn all() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

#[test]
fn properties_are_those_of_the_data() {
    write();
    for c in all() {
        assert!(nfkc(c).eq([c].into_iter().nfkc()), "NFKC of {c:?}");
        assert!(nfd([c]).into_iter().eq([c].into_iter().nfd()), "NFD of {c:?}");
        assert_eq!(
            is_canonical(c),
            [c].into_iter().nfc().eq([c].into_iter().nfkc()),
            "whether {c:?} is canonical"
        );
        let mut buffer = [0; 4];
        let text: &str = c.encode_utf8(&mut buffer);
        assert!(
            skeleton(text).into_iter().eq(unicode_security::skeleton(text)),
            "skeleton of {c:?}"
        );
        let of = c.identifier_type();
        assert_eq!(is_of_limited_use(c), of == Some(IdentifierType::Limited_Use), "{c:?}");
        assert_eq!(is_of_uncommon_use(c), of == Some(IdentifierType::Uncommon_Use), "{c:?}");
        assert_eq!(extension(c), ScriptExtension::from(c), "{c:?}");
        // Only marks have a combining class.
        assert!(canonical_combining_class(c) == 0 || Traits::of(c).is_mark(), "{c:?}");
    }
}

proptest::proptest! {
    #[test]
    fn marks_stand_in_their_order(text in "[a-zäǖṩ가각\u{300}-\u{345}\u{591}-\u{5c7}\u{64b}-\u{65f}\u{1e00}-\u{1eff}\u{200b}-\u{2070}]{0,12}") {
        proptest::prop_assert_eq!(nfd(text.chars()).into_iter().collect::<String>(), text.nfd().collect::<String>());
        let whole: String = skeleton(&text).into_iter().collect();
        proptest::prop_assert_eq!(whole, unicode_security::skeleton(&text).collect::<String>());
    }
}

/// Writes the files, or compares them.
fn write() {
    texts("nfkc", |c| {
        let plain: String = [c].into_iter().nfkc().collect();
        (plain != c.to_string()).then_some(plain)
    });
    texts("nfd", |c| {
        let plain: String = [c].into_iter().nfd().collect();
        (plain != c.to_string() && !SYLLABLES.contains(&u32::from(c))).then_some(plain)
    });
    texts("prototypes", prototype);
    ranges("classes", canonical_combining_class);
    ranges("ignored", |c| u8::from(is_ignored(c)));
    ranges("types", |c| match c.identifier_type() {
        Some(IdentifierType::Limited_Use) => LIMITED_USE,
        Some(IdentifierType::Uncommon_Use) => UNCOMMON_USE,
        _ => 0,
    });
    extensions();
}

/// Default_Ignorable_Code_Point: not part of a skeleton.
fn is_ignored(c: char) -> bool {
    unicode_security::skeleton(c.encode_utf8(&mut [0; 4])).next().is_none()
}

/// What a character that NFD leaves unchanged becomes before the second NFD, which does not change
/// the result.
fn prototype(c: char) -> Option<String> {
    let mut buffer = [0; 4];
    let text: &str = c.encode_utf8(&mut buffer);
    let seen: String = unicode_security::skeleton(text).collect();
    (text.nfd().eq([c]) && seen != text && !is_ignored(c)).then_some(seen)
}

fn extensions() {
    let mut order: Vec<Vec<Script>> = vec![Vec::new()];
    ranges("extensions", |c| {
        let set = ScriptExtension::from(c);
        if set == UnicodeScript::script(&c).into() {
            return 0;
        }
        let set: Vec<_> = set.iter().collect();
        let at = order.iter().position(|known| *known == set).unwrap_or_else(|| {
            order.push(set);
            order.len() - 1
        });
        u8::try_from(at).unwrap()
    });
    let mut out = String::from(HEAD);
    let _ = writeln!(out, "pub(super) static SCRIPTS: [&[Script]; {}] = [", order.len());
    for set in order {
        let names: Vec<_> = set.iter().map(|script| format!("Script::{script:?}")).collect();
        let _ = writeln!(out, "    &[{}],", names.join(", "));
    }
    out.push_str("];\n");
    checked_in("src/characters/properties/table.rs", out.as_bytes());
}

fn texts(name: &str, text_of: impl Fn(char) -> Option<String>) {
    let (mut steps, mut counts, mut last) = (Vec::new(), Vec::new(), 0);
    let (mut first, mut others, mut row) = (Vec::new(), Vec::new(), Vec::new());
    for c in all() {
        let Some(text) = text_of(c) else { continue };
        number(u32::from(c) - last, &mut steps);
        last = u32::from(c);
        counts.push(u8::try_from(text.chars().count()).unwrap());
        for (place, c) in text.chars().enumerate() {
            row.resize(row.len().max(place + 1), 0);
            let moved = c as i32 - std::mem::replace(&mut row[place], c as i32);
            let column = if place == 0 { &mut first } else { &mut others };
            number(moved.unsigned_abs() << 1 | u32::from(moved < 0), column);
        }
    }
    for (field, bytes) in
        [("steps", steps), ("counts", counts), ("first", first), ("others", others)]
    {
        checked_in(&format!("data/{name}_{field}.bin"), &bytes);
    }
}

fn ranges(name: &str, mut value_of: impl FnMut(char) -> u8) {
    let mut found: Vec<(u32, u32, u8)> = Vec::new();
    for c in all() {
        let (code, value) = (u32::from(c), value_of(c));
        match found.last_mut() {
            Some((_, last, of)) if *last + 1 == code && *of == value => *last = code,
            _ if value != 0 => found.push((code, code, value)),
            _ => {}
        }
    }
    let (mut bytes, mut next) = (Vec::new(), 0);
    for (first, last, value) in found {
        number(first - next, &mut bytes);
        number(last - first, &mut bytes);
        number(value.into(), &mut bytes);
        next = last + 1;
    }
    checked_in(&format!("data/{name}.bin"), &bytes);
}

fn number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

const HEAD: &str = "\
// Generated by `UPDATE=1 cargo test -p homograph properties_are_those`; not for editing.

//! The scripts by their numbers in `data/extensions.bin`.

use unicode_script::Script;

/// The scripts of each value of `EXTENSIONS`.
#[rustfmt::skip]
";
