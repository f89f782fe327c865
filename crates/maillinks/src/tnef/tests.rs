//! Files as Outlook writes them, and such as nobody would.

use super::*;

fn read(bytes: &[u8]) -> Tnef {
    super::read(bytes, &mut |_| true).unwrap()
}

fn text_of(rtf: &[u8]) -> String {
    rtf::page(rtf).0
}

/// The examples of MS-OXRTFCP §4.1 and §4.2.
#[test]
fn packed_texts_of_the_standard() {
    let hello = [
        0x2D, 0, 0, 0, 0x2B, 0, 0, 0, 0x4C, 0x5A, 0x46, 0x75, 0xF1, 0xC5, 0xC7, 0xA7, 0x03, 0,
        0x0A, 0, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0A, 0xF3, 0x20, 0x68,
        0x65, 0x6C, 0x09, 0, 0x20, 0x62, 0x77, 0x05, 0xB0, 0x6C, 0x64, 0x7D, 0x0A, 0x80, 0x0F,
        0xA0,
    ];
    let rtf = rtf::unpacked(&hello, &mut 1_000).unwrap();
    assert_eq!(rtf, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
    assert_eq!(text_of(&rtf), "hello world");
    let crossing = [
        0x1A, 0, 0, 0, 0x1C, 0, 0, 0, 0x4C, 0x5A, 0x46, 0x75, 0xE2, 0xD4, 0x4B, 0x51, 0x41, 0,
        0x04, 0x20, 0x57, 0x58, 0x59, 0x5A, 0x0D, 0x6E, 0x7D, 0x01, 0x0E, 0xB0,
    ];
    assert_eq!(rtf::unpacked(&crossing, &mut 1_000).unwrap(), b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
}

#[test]
fn a_packed_text_is_bounded() {
    let places = (0..640_000).map(|count: usize| 207 + 17 * count + 1);
    let references: Vec<[u8; 2]> = places
        .map(|place| (u16::try_from(place % 4_096).unwrap() << 4 | 15).to_be_bytes())
        .collect();
    let units = references.chunks(8).flat_map(|eight| [&[0xFF], eight.as_flattened()].concat());
    let packed = [&[0; 8][..], b"LZFu", &[0; 4], &units.collect::<Vec<u8>>()].concat();
    let small = packed.get(..16 + 17 * 100).unwrap();
    let mut left = 20_000;
    assert_eq!(rtf::unpacked(small, &mut left).map(|rtf| rtf.len()), Some(8 * 17 * 100));
    assert_eq!(left, 20_000 - 8 * 17 * 100);
    // The second one is more than is left.
    assert_eq!((rtf::unpacked(small, &mut left), left), (None, 0));
    assert_eq!(rtf::unpacked(&packed, &mut rtf::allowance(packed.len())), None);
    assert_eq!(rtf::unpacked(b"short", &mut 1_000), None);
    assert_eq!(rtf::unpacked(&[0; 16], &mut 1_000), None, "an unknown way of packing");
}

#[test]
fn the_text_of_rtf() {
    for (rtf, text) in [
        ("{\\rtf1\\ansicpg1251 \\'ef\\'f0\\'e8\\'ec\\'e5\\'f0.\\'f0\\'f4}", "пример.рф"),
        ("{\\rtf1\\uc1 p\\u1072?ypal.com}", "pаypal.com"),
        ("{\\uc2 \\u-10179 ab\\u-8704 cd!}", "\u{1F600}!"),
        ("{{\\uc0 \\u1072 }\\u1072?b}", "ааb"),
        (
            "{\\field{\\*\\fldinst{HYPERLINK \"http://x.example/\"}}}",
            "HYPERLINK \"http://x.example/\"",
        ),
        (
            "{\\*\\htmltag84 <a href=\"http://x.example/\\{1\\}\">}",
            "<a href=\"http://x.example/{1}\">",
        ),
        (
            r"{\*\fldinst mailto:x@a.example}{\fldrslt x@a.example}",
            "mailto:x@a.example x@a.example",
        ),
        ("a\\par b\\line\r\nc\\~d", "a b cd".replace("cd", "c\u{a0}d").as_str()),
        ("}}}\\", ""),
        ("\\'zz\\'4", "4"),
    ] {
        assert_eq!(text_of(rtf.as_bytes()), text, "{rtf}");
    }
    assert_eq!(text_of("{".repeat(100_000).as_bytes()), "");
}

/// What a field shows need not be where it leads.
#[test]
fn hyperlinks_of_rtf_are_anchors() {
    let anchors = |rtf: &str| rtf::read(rtf.as_bytes()).reached.anchors;
    let anchor = |shown: &str| format!("<a href=\"http://x.example/\">{shown}</a> ");
    for (rtf, shown) in [
        (r#"{\field{\*\fldinst{HYPERLINK "http://x.example/"}}{\fldrslt{\ul a}b}}c"#, Some("ab")),
        (r#"{\field{\*\fldinst hyperlink http://x.example/ }{\fldrslt \u1072?<}}"#, Some("а&lt;")),
        (r#"{\*\fldinst HYPERLINK \\n \\t "_top" "http://x.example/"}{\fldrslt a}"#, Some("a")),
        (r#"{\*\fldinst HYPERLINK \\l "b"}{\fldrslt a}"#, None),
        (r#"{\*\fldinst PAGE "http://x.example/"}{\fldrslt 3}"#, None),
        (r#"{\*\fldinst HYPERLINK "http://x.example/"}{\fldrslt a"#, Some("a")),
        (r#"{\field{\*\fldinst HYPERLINK "http://x.example/"}} b"#, Some("")),
        (r#"{\fldrslt a}"#, None),
    ] {
        assert_eq!(anchors(rtf), shown.map(anchor).unwrap_or_default(), "{rtf}");
    }
}

/// Each field holds the text of those in it.
#[test]
fn fields_of_rtf_in_one_another_are_bounded() {
    let nested = |depth: usize| {
        let open = r#"{\field{\*\fldinst HYPERLINK "http://x.example/"}{\fldrslt a"#;
        rtf::read(format!("{{\\rtf1{}{}}}", open.repeat(depth), "}}".repeat(depth)).as_bytes())
    };
    let links = |rtf: &rtf::Rtf| rtf.reached.anchors.matches("<a ").count();
    for (depth, most) in [(4, 4), (5, 4), (100, 4)] {
        let read = nested(depth);
        assert_eq!((links(&read), read.unread), (most, depth > 4), "{depth}");
    }
}

/// A font says in which charset its bytes are, until its group ends.
#[test]
fn bytes_of_rtf_are_in_the_charset_of_their_font() {
    for (rtf, text) in [
        (r"{\rtf1{\fonttbl{\f0\fcharset204 A;}{\f1 B;}}\f0 \'f0{\f1 \'f0}\'e0}", "A;B;рðа"),
        (r"{\rtf1\ansicpg1251{\fonttbl{\f7\fcharset161 A;}}\f7 \'f0\f9 \'f0}", "A;πр"),
        (r"{\rtf1{\fonttbl{\f7\fcharset204 A;}}\f7 \'f0\plain \'f0\f7 \'f0}", "A;рðр"),
        (r"{\rtf1{\fonttbl{\f7\fcharset999 A;}}\f7 \'f0}", "A;ð"),
    ] {
        assert_eq!(text_of(rtf.as_bytes()), text, "{rtf}");
    }
}

/// Word passes over what it does not know, and over data.
#[test]
fn what_a_program_passes_over_is_read_and_left_out() {
    let read = |text: &str| rtf::read(text.as_bytes());
    let texts = |text: &str| read(text).texts;
    assert_eq!(texts(r"{\rtf1 a{\*\x b{c}\u1072?}d}"), ["abcаd", "ad"]);
    assert_eq!(texts(r"{\rtf1 a{\*\fldinst b}d}"), ["abd"]);
    assert_eq!(texts(r"{\rtf1 a{\*\x b{\*\fldinst c}}d}"), ["abcd", "ad"]);
    assert_eq!(texts(r"{\rtf1 a\bin3 }{\c}"), ["ac"]);
    assert_eq!(texts(r"{\rtf1 a\bin99999 }{\c}"), ["a"]);
    assert!(read(r"{\rtf1{\object{\*\objdata 0105}}}").unread);
    assert!(!read(r"{\rtf1 objdata}").unread);
    assert!(rtf::is(b"\r\n{\\rt") && !rtf::is(b"{\\r") && !rtf::is(b"{ \\rtf"));
}

fn file(attributes: &[(u32, &[u8])]) -> Vec<u8> {
    let mut out = [&SIGNATURE[..], &[1, 0]].concat();
    for (id, data) in attributes {
        out.push(1);
        out.extend(id.to_le_bytes());
        out.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        out.extend(*data);
        out.extend([0, 0]);
    }
    out
}

/// Properties of a type, a number, and what is behind both.
fn properties(all: &[(u16, u16, Vec<u8>)]) -> Vec<u8> {
    let mut out = u32::try_from(all.len()).unwrap().to_le_bytes().to_vec();
    for (kind, id, rest) in all {
        out.extend(kind.to_le_bytes());
        out.extend(id.to_le_bytes());
        out.extend(rest);
    }
    out
}

/// One value of a varying length.
fn value(data: &[u8]) -> Vec<u8> {
    let mut out = [1_u32.to_le_bytes(), u32::try_from(data.len()).unwrap().to_le_bytes()].concat();
    out.extend(data);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

#[test]
fn the_bodies_of_a_message() {
    let unicode: Vec<u8> = "ж.example".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let named =
        [&[0; 16][..], &1_u32.to_le_bytes(), &3_u32.to_le_bytes(), &[b'a', 0, 0, 0]].concat();
    let all = properties(&[
        (0x03, 0x0E07, vec![1, 0, 0, 0]),
        (0x40, 0x0039, vec![0; 8]),
        (0x1003, 0x8001, [named, 2_u32.to_le_bytes().to_vec(), vec![0; 8]].concat()),
        (kind::UNICODE, property::TEXT, value(&unicode)),
        (kind::BINARY, property::HTML, value(b"<p>\xEF")),
        (
            kind::BINARY,
            property::RTF,
            value(&[&[0; 8][..], b"MELA", &[0; 4], b"{\\rtf1 x}"].concat()),
        ),
    ]);
    let page = 1251_u32.to_le_bytes();
    let read = read(&file(&[
        (id::CODE_PAGE, &[page, [0; 4]].concat()),
        (id::BODY, b"\xEF\xF0\0"),
        (id::MESSAGE, &all),
    ]));
    let bodies = [
        Body::Text("пр".into()),
        Body::Text("ж.example".into()),
        Body::Html("<p>п".into()),
        Body::Html("x".into()),
    ];
    assert_eq!((read.bodies.as_slice(), read.unread), (&bodies[..], false));
}

/// What is attached may hold anything, and what is cut off as well.
#[test]
fn what_is_not_read_is_said() {
    let whole = file(&[(id::BODY, b"text"), (id::ATTACHED_DATA, b"PK")]);
    assert!(read(&whole).unread);
    let whole = file(&[(id::BODY, b"text"), (id::MESSAGE, &properties(&[]))]);
    assert!(!read(&whole).unread);
    for end in 0..whole.len() - 1 {
        let cut = whole.get(..end).unwrap();
        assert!(read(cut).unread || end == 6 || end == 21, "{end}");
    }
    for count in [2, u32::MAX] {
        let many = [&count.to_le_bytes()[..], &[3, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert!(read(&file(&[(id::MESSAGE, &many)])).unread);
    }
}
