//! What the prefilter passes over, the full path finds nothing in.

use linkmilter::engine::limits::Limits;
use linkmilter::engine::mime;
use linkmilter::engine::{Message, content};
use linkmilter::tld;
use proptest::prelude::*;

use crate::corpus::messages;
use crate::oracle;

/// The links in parts that were passed over, and the number of such parts and their bytes.
fn passed_over(raw: &[u8]) -> (Vec<String>, usize, usize) {
    let (head, _, body) = oracle::split(raw);
    let message = Message { head, body };
    let tree = mime::parse(message, &Limits::default().structure());
    let tlds = tld::builtin();
    let (mut found, mut parts, mut bytes) = (Vec::new(), 0, 0);
    for index in 0..tree.parts.len() {
        if mime::readings(message, &tree, index).next().is_some() {
            continue;
        }
        let mut readings = mime::all_readings(message, &tree, index).peekable();
        if readings.peek().is_some() {
            parts += 1;
            bytes += tree.content(message, index).len();
        }
        for reading in readings {
            for layer in content::layers(reading.text.as_str(), reading.media) {
                let view = content::read(&layer, &tlds, usize::MAX);
                if !view.occurrences.is_empty() {
                    found.push(format!("{}: {:?}", tree.parts[index].path, reading.text.as_str()));
                }
            }
        }
    }
    (found, parts, bytes)
}

#[test]
fn real_parts_that_are_passed_over_hold_no_link() {
    let Some(messages) = messages("the prefilter over real mail") else { return };
    let (mut parts, mut bytes) = (0, 0);
    for (name, raw) in &messages {
        let (found, more, size) = passed_over(raw);
        assert!(found.is_empty(), "{name}: {found:?}");
        parts += more;
        bytes += size;
    }
    println!("{parts} parts of {bytes} bytes are passed over undecoded");
    assert!(parts > 100, "only {parts} parts are passed over");
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "example", "com", "de", "http", "https", "mailto", "www", "/", "//", ":", ".", "@", " ", "\r\n", "=\r\n",
            "=2E", "=3A", "=40", "=2F", "=E3=80=82", "=EF=BC=8E", "。", "．", "｡", "：", "＠", "․", "﹒", "&#46;", "&period;", "%2E", "+AC4-",
            "xn--p1ai", "192", "[", "]", "[.]", "(.)", "{", "}", "(", ")", "-", "_", "\u{ad}", "\u{200b}", "\u{2024}", "ö", "рф", "\\", "=", "<", ">", "\"", "'",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(|c| c.to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_link_is_passed_over(
        pieces in prop::collection::vec(piece(), 0..12),
        encoding in prop::sample::select(vec!["7bit", "8bit", "quoted-printable", "base64"]),
        label in prop::sample::select(vec!["text/plain", "text/plain; charset=utf-8", "text/plain; charset=iso-8859-1",
            "text/plain; charset=koi8-r", "text/plain; charset=utf-7", "text/plain; format=flowed; delsp=yes", "text/html"]),
    ) {
        let text = pieces.concat();
        let raw = format!("Content-Type: {label}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{text}");
        let (found, _, _) = passed_over(raw.as_bytes());
        prop_assert!(found.is_empty(), "{found:?} in {raw:?}");
    }
}
