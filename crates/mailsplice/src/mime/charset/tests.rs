use super::*;

#[test]
fn charsets_of_one_byte_decode_as_byte_by_byte() {
    for label in ["windows-1252", "windows-1251", "koi8-u", "iso-8859-8", "windows-874", "ibm866"] {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        let all: Vec<u8> = (1..=255).collect();
        // With all bytes above ASCII, and with a few.
        for bytes in all.chunks(60).chain([all.as_slice()]) {
            let apart: String = bytes
                .iter()
                .map(|byte| encoding.decode_without_bom_handling(&[*byte]).0.into_owned())
                .collect();
            assert_eq!(single::single_byte(bytes, encoding).as_str(), apart, "{label}");
        }
    }
}

#[test]
fn the_text_alone_is_that_of_the_mapped_one() {
    let all: Vec<u8> = (0..=255).collect();
    for charset in Charset::of_systems().chain(Charset::of_latin_systems()) {
        for bytes in all.chunks(60).chain([all.as_slice()]) {
            let mapped = charset.decode(bytes.into());
            assert_eq!(charset.text_of(bytes), mapped.as_str(), "{charset:?}");
        }
    }
}

/// Leads, trails and what may be neither.
#[rustfmt::skip]
const WIDE_PIECES: [&[u8]; 16] = [
    b"\xD0", b"0", b"1", b"9", b"a", b".", b" ", b"\xD0\xBF", b"\x81\x30\x81\x30", b"\x80", b"\xFF", b"\xFE",
    b"\xA1\xA1", b"\x1B", b"\n", b"http://",
];

proptest::proptest! {
    /// Runs and what is read at once decode as byte by byte, with the same map.
    #[test]
    fn charsets_of_several_bytes_decode_as_byte_by_byte(
        pieces in proptest::collection::vec(
            proptest::sample::select(&WIDE_PIECES[..]),
            0..12,
        ),
    ) {
        let bytes = pieces.concat();
        for encoding in [encoding_rs::GBK, encoding_rs::GB18030, encoding_rs::BIG5, encoding_rs::EUC_KR] {
            let text = multi::multi_byte(&bytes, encoding);
            let mut out = Builder::new(0);
            let mut at = 0;
            while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
                at = match rest[0].is_ascii() {
                    true => at + out.ascii_run(rest, at),
                    false => multi::by_byte(&mut out, &bytes, at, encoding, multi::Until::Ascii),
                };
            }
            let slow = out.close(bytes.len());
            proptest::prop_assert_eq!(text.as_str(), slow.as_str());
            for (at, c) in text.as_str().char_indices() {
                let range = at..at + c.len_utf8();
                proptest::prop_assert_eq!(text.source(range.clone()), slow.source(range));
            }
        }
    }
}

/// Escapes of ISO-2022-JP, parts of them, and what may stand between them.
#[rustfmt::skip]
const SHIFTED_PIECES: [&[u8]; 14] = [
    b"\x1B(B", b"\x1B$B", b"\x1B(J", b"\x1B(I", b"\x1B(", b"\x1B", b"(B", b"\x0E", b"\xE9", b"$H", b"a", b"~", b"\n",
    b"http://a.b",
];

proptest::proptest! {
    #[test]
    fn what_is_not_shifted_decodes_as_it_is(
        pieces in proptest::collection::vec(
            proptest::sample::select(&SHIFTED_PIECES[..]),
            0..12,
        ),
    ) {
        let bytes = pieces.concat();
        let whole = encoding_rs::ISO_2022_JP.decode_without_bom_handling(&bytes).0;
        let mut out = Builder::new(0);
        multi::by_byte(&mut out, &bytes, 0, encoding_rs::ISO_2022_JP, multi::Until::End);
        let text = out.close(bytes.len());
        proptest::prop_assert_eq!(text.as_str(), whole);
        for (at, _) in text.as_str().match_indices("http://a.b") {
            proptest::prop_assert!(bytes[text.source(at..at + 10)].ends_with(b"http://a.b"));
        }
    }
}

/// Names of `iconv`, which Evolution and others ask.
#[test]
fn names_of_iconv() {
    for (label, bytes, text) in [
        ("CN-GB", &b"\xA7\xE2"[..], "р"),
        ("EUCJP-OPEN", b"\xA7\xE0", "о"),
        ("IBM905", b"\x79", "ı"),
        ("EBCDIC-CP-FR", b"\xC0", "é"),
        ("ibm-297", b"\xC0", "é"),
        ("ARMSCII-8", b"p\xFB", "pօ"),
        ("csVISCII", b"\xD5", "\u{1EA1}"),
    ] {
        let charset = Charset::from_label(label).unwrap_or_else(|| panic!("{label}"));
        assert_eq!(charset.decode(bytes.into()).as_str(), text, "{label}");
    }
}
