//! URLs in running text that Mozilla links whole: with blanks between angles or quotes, with what is no blank to it.

use super::*;

/// Plain text in each transfer encoding that leaves it as it is to a reader.
pub fn texts(text: &str) -> Vec<Vec<u8>> {
    let plain = "Content-Type: text/plain; charset=utf-8\r\n";
    let line = format!("Please go to {text} now\r\n");
    let mut all = everywhere(plain, &line);
    let packed = format!("{plain}Content-Transfer-Encoding: base64\r\n");
    all.extend(everywhere(packed, base64(&line)));
    all
}

/// What was defanged stays so: a second run edits nothing.
pub fn caught(name: &str, text: &str) {
    let messages = texts(text);
    for message in &messages {
        let outcome = judge(message);
        let end = message.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let (head, body) = message.split_at(end);
        let edited =
            linkmilter::engine::splice::apply(body, &outcome.edits).collect::<Vec<_>>().concat();
        let again = judge(&[head, &edited].concat());
        assert!(again.edits.is_empty(), "{text:?} became {}", String::from_utf8_lossy(&edited));
        assert!(again.verdict < Verdict::Unsafe || outcome.verdict >= Verdict::Unsafe);
    }
    class(name, Fate::Caught, messages);
}

/// Mozilla takes what stands between `<` and `>`, or between two quotes, for one URL and drops the blanks.
#[test]
fn blanks_between_angles_and_quotes() {
    for url in [
        "https://www.paypal.com @evil.example/",
        "https://www.paypal.com\t@evil.example/",
        "https://www.paypal.com\x0c @evil.example/",
        "https://www.paypal.com\u{3000}@evil.example/",
        "https://www.paypal.com  x @evil.example/",
        "ht tps: //www.paypal.com @ evil.example",
        "https://www.раy pal.com/",
        "https://www.ра ypal.com/",
        "https://раypal .com/",
        "https://xn--ypal-4 3d9g.com/",
        "https://www.xn-- ypal-43d9g.com",
        "webcal://www.paypal.com @evil.example/",
        "mailto:service@раy pal.com",
    ] {
        let named = url.contains("  x ");
        for (open, close) in
            [("<", ">"), ("\"", "\""), ("<URL:", ">"), ("< ", " >"), ("> \"x\" <", ">")]
        {
            // Between quotes `https://www.paypal.com and bob@example.org` is a sentence.
            if !(named && open == "\"") {
                caught("blanks between angles and quotes", &format!("{open}{url}{close}"));
            }
        }
    }
    let padded = format!("<https://www.paypal.com{}@evil.example/>", " ".repeat(70_000));
    caught("blanks between angles and quotes", &padded);
    let late = format!("{}<https://www.paypal.com @evil.example/>", "x".repeat(32_740));
    caught("blanks between angles and quotes", &late);
}

/// Quotes and angles stand round sentences as well.
#[test]
fn sentences_between_angles_and_quotes() {
    for text in [
        "\"see http://a.example.com and http://b.example.com\"",
        "\"https://www.paypal.com and then bob@example.org\"",
        "\"https://www.paypal.com/ and bob@example.org\"",
        "<https://www.paypal.com > and <bob@example.org>",
        "\"https://www.paypal.com\" \"bob@example.org\"",
        "\"https://www.paypal.com\r\nbob@example.org\"",
        "<https://www.paypal.com/a b@example.org>",
        "<https://{your tenant}.example.com/>",
        "\"http://[your host]/\"",
        "<mailto:jm-hotmail@ho=\r\ntmail.com>",
    ] {
        for message in texts(text) {
            let outcome = judge(&message);
            assert!(
                outcome.edits.is_empty() && outcome.verdict < Verdict::Suspect,
                "{text}: {:?}",
                outcome.findings
            );
        }
    }
}

/// A dot of another kind in the name before the `@`, and a scheme that opens a calendar.
#[test]
fn names_before_an_at_sign_with_another_dot() {
    for dot in ['.', '\u{2024}', '。', '．', '｡'] {
        caught("other dots", &format!("https://www.paypal{dot}com@evil.example/"));
    }
    for scheme in ["webcal", "webcals", "WEBCAL"] {
        caught("calendars", &format!("{scheme}://www.paypal.com@evil.example/"));
        caught("calendars", &format!("{scheme}://www.раypal.com/"));
    }
}

/// What ends a URL for most and none for Mozilla: some blanks, and controls.
#[test]
fn blanks_that_end_no_url() {
    for blank in [
        '\x0b', '\u{85}', '\u{1680}', '\u{2000}', '\u{2003}', '\u{200a}', '\u{2028}', '\u{2029}',
        '\u{202f}', '\u{205f}',
    ] {
        caught("blanks that end no URL", &format!("https://www.paypal.com{blank}@evil.example/"));
    }
    for control in ['\x01', '\x0e', '\x1b', '\x1f', '\x7f'] {
        caught("controls", &format!("https://www.paypal.com{control}@evil.example/"));
        caught("controls", &format!("https://www.paypal.com{control}x@evil.example/"));
    }
    for text in [
        "https://www.paypal.com\u{2028}bob@example.org",
        "https://www.paypal.com\x0bbob@example.org",
    ] {
        for message in texts(text) {
            assert!(judge(&message).edits.is_empty(), "{text:?}");
        }
    }
}

/// `www.` without a scheme: what stands between the name and the `@` makes no address of it.
#[test]
fn names_with_www_before_an_at_sign() {
    for sign in [
        "", ":80", "%20", "%2F", "+x", "&x", "~", "!", "=", "$", "*", ",", "(", "|", ";", "'",
        "。", "’", "！",
    ] {
        caught("www", &format!("www.paypal.com{sign}@evil.example/"));
    }
    caught("www", "www.paypal․com@evil.example/");
    caught("www", "//www.paypal.com@evil.example/");
    for text in [
        "www.paypal.com, bob@example.org",
        "www.paypal.com,bob@example.org",
        "www.paypal.com、bob@example.org",
    ] {
        for message in texts(text) {
            assert!(judge(&message).edits.is_empty(), "{text:?}");
        }
    }
}
