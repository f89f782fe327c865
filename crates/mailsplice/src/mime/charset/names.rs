//! Resolves names of charsets.

use encoding_rs::{EncoderResult, Encoding};

use super::pages::{PAGES, Page};
use super::pairs::pairs;
use super::rows::Rows;
use super::{Charset, Endian};

/// The charset of a label in lower case: a WHATWG label, a label of other programs, or a name that is followed
/// by something else.
pub(super) fn find(label: &str) -> Option<Charset> {
    whatwg(label).or_else(|| alias(label)).or_else(|| prefix(label))
}

fn whatwg(label: &str) -> Option<Charset> {
    let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
    Some(match encoding {
        _ if encoding == encoding_rs::UTF_8 => Charset::Utf8,
        _ if encoding == encoding_rs::UTF_16LE => Charset::Utf16(Endian::Little),
        _ if encoding == encoding_rs::UTF_16BE => Charset::Utf16(Endian::Big),
        _ => Charset::Known(encoding),
    })
}

/// The charset of the name at the start of a label, if something else follows it.
fn prefix(label: &str) -> Option<Charset> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let name = label.split(|c| !in_name(c)).next().filter(|name| name.len() < label.len())?;
    whatwg(name).or_else(|| alias(name))
}

/// The charset of a code page number, as Windows, IBM and Java number them.
fn by_number(key: &str) -> Option<&'static str> {
    let prefixes = ["windows", "win", "ibm", "ccsid", "cp", "ms", "dos", "codepage", ""];
    let digits = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix))?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let latin = digits.strip_prefix("8859").or_else(|| digits.strip_prefix("0885"));
    if let Some(part) = latin.and_then(|part| part.parse::<usize>().ok()) {
        return LATIN.get(part.checked_sub(1)?).copied();
    }
    let number: usize = digits.parse().ok()?;
    let numbers =
        NUMBERS.iter().find(|(page, _)| page.parse() == Ok(number)).map(|(_, meant)| *meant);
    let latin = || number.checked_sub(28_591).and_then(|part| LATIN.get(part).copied());
    let page = || PAGES.iter().map(|page| page.name).find(|name| is_page(name, number));
    numbers.or_else(latin).or_else(page)
}

/// Whether a page has this number, or its EBCDIC number plus 20,000 (Windows).
fn is_page(name: &str, number: usize) -> bool {
    let own = name.strip_prefix("cp").and_then(|digits| digits.parse::<usize>().ok());
    own.is_some_and(|own| own == number || own + 20_000 == number)
}

/// The parts of ISO 8859 by number.
const LATIN: [&str; 16] = [
    "windows-1252", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6",
    "iso-8859-7", "iso-8859-8", "windows-1254", "iso-8859-10", "windows-874", "iso-8859-12",
    "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
];

/// Names of charsets that the standard lacks, sorted, and what each means.
static ALIASES: &[(&str, &str)] = pairs!("aliases.tsv");

/// Numbers of code pages whose names here have no number, or another.
static NUMBERS: &[(&str, &str)] = pairs!("numbers.tsv");

/// The charset of a label of other programs. Only letters and digits are compared, and a prefix `x-` or `cs` is
/// optional.
fn alias(label: &str) -> Option<Charset> {
    let key: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
    let find = |key: &str| {
        let found = ALIASES.binary_search_by_key(&key, |(name, _)| name).ok()?;
        ALIASES.get(found).map(|(_, meant)| *meant)
    };
    let bare = || ["cs", "x"].iter().find_map(|prefix| key.strip_prefix(prefix)).and_then(find);
    let plain =
        || ["cs", "x"].iter().find_map(|prefix| key.strip_prefix(prefix)).and_then(by_number);
    find(&key).or_else(bare).or_else(|| by_number(&key)).or_else(plain).and_then(meant)
}

/// The charset of a name in [`ALIASES`], [`NUMBERS`] and [`LATIN`], or of a page.
fn meant(name: &str) -> Option<Charset> {
    match name {
        "utf-7" => Some(Charset::Utf7),
        "utf-16" | "utf-16le" => Some(Charset::Utf16(Endian::Little)),
        "utf-16be" => Some(Charset::Utf16(Endian::Big)),
        // Unicode §3.10: without a mark the order is big-endian.
        "utf-32" | "utf-32be" => Some(Charset::Utf32(Endian::Big)),
        "utf-32le" => Some(Charset::Utf32(Endian::Little)),
        "iso-2022-jp-2" => Some(Charset::Iso2022Jp2),
        "iso-2022-kr" => Some(Charset::Iso2022Shift),
        "hz-gb-2312" => Some(Charset::Hz),
        "us-ascii" => Some(Charset::Known(encoding_rs::WINDOWS_1252)),
        _ => {
            let page = || Page::named(name).map(Charset::Page);
            whatwg(name).or_else(page).or_else(|| Rows::named(name).map(Charset::Rows))
        }
    }
}

/// Encodes a text with `encoding_rs`; `None` if the charset lacks a character or cannot be written.
pub(super) fn encode(encoding: &'static Encoding, text: &str) -> Option<Vec<u8>> {
    if encoding.output_encoding() != encoding {
        return None;
    }
    let mut encoder = encoding.new_encoder();
    let capacity = encoder.max_buffer_length_from_utf8_without_replacement(text.len())?;
    let mut bytes = Vec::with_capacity(capacity);
    let (end, _) = encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true);
    (end == EncoderResult::InputEmpty).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_alias_says_what_its_number_does() {
        assert!(ALIASES.is_sorted_by_key(|(name, _)| name));
        for (name, known) in ALIASES {
            assert_ne!(by_number(name), Some(*known), "{name}");
            assert!(meant(known).is_some(), "{name} {known}");
        }
        for (number, known) in NUMBERS {
            assert!(meant(known).is_some(), "{number} {known}");
        }
    }

    #[test]
    fn a_code_page_is_known_by_its_number_whichever_program_names_it() {
        for (label, known) in [
            ("cp1250", "windows-1250"),
            ("win-1251", "windows-1251"),
            ("ibm-932", "shift_jis"),
            ("x-windows-949", "euc-kr"),
            ("cp037", "cp037"),
            ("csibm037", "cp037"),
            ("20273", "cp273"),
            ("cp28592", "iso-8859-2"),
            ("windows-51949", "euc-kr"),
            ("cp52936", "hz-gb-2312"),
            ("cp65001", "utf-8"),
        ] {
            assert_eq!(alias(label), meant(known), "{label}");
        }
        for label in ["cp28590", "cp28607", "cp0", "cp99999", "windows", "ms"] {
            assert_eq!(alias(label), None, "{label}");
        }
    }
}
