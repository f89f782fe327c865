//! Classes at the edges of headers, parts and lines: ends that only some see, names that say what a label does not.

use super::*;

/// The message as a file, whose header holds no empty line: to some it ends there all the same.
fn without_body(head: impl AsRef<[u8]>) -> Vec<u8> {
    [HEAD.as_bytes(), head.as_ref(), b"\r\n\r\n"].concat()
}

/// What stands behind the end that some see is read as a body is, in its encoding and as markup.
#[test]
fn bodies_inside_a_header() {
    for host in HOSTS {
        let (before, behind) = host.split_at(host.len() - 6);
        let page = format!("<p>https://{before}<b>{behind}</b>/login</p>");
        for end in ["no fields\r\n", "\r", " \r\n", "\0\r\n", "--\r\n", "\x0C\r\n", "\r\r\n"] {
            let fields = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding:";
            for (encoding, body) in [("8bit", page.clone()), ("base64", base64(&page))] {
                let message = without_body(format!("{fields} {encoding}\r\n{end}{body}"));
                class("bodies inside a header", Fate::Reported, vec![message]);
            }
        }
        let folded = format!(
            "Content-Type\r\n : text/plain\r\nContent-Transfer-Encoding: base64\r\n\r{}",
            base64(text(host))
        );
        class("bodies inside a header", Fate::Reported, vec![without_body(folded)]);
    }
}

/// A host that a header field names, and nobody hears of, is hidden in the body all the same.
#[test]
fn hosts_that_a_field_names_first() {
    for host in HOSTS {
        for field in [format!("X-A: //{host}/"), format!("X-A: see //{host}/ and {host}")] {
            let fields = format!("{field}\r\nContent-Type: application/x-odd\r\n");
            let message = [HEAD, &fields, "\r\n\x01\x02 https://", host, "/\r\n"].concat();
            class("named in a field", Fate::Reported, vec![message.into_bytes()]);
        }
    }
}

/// Below a closing delimiter a part begins to some.
#[test]
fn parts_below_a_closing_delimiter() {
    for host in HOSTS {
        let part = format!(
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
            base64(format!("mailto:support@{host}\r\n"))
        );
        let inner = format!(
            "Content-Type: multipart/mixed; boundary=abc\r\n\r\n--abc\r\n\r\nhi\r\n--abc--\r\n{part}\r\n--abc--\r\n"
        );
        let fields = "Content-Type: multipart/mixed; boundary=abc\r\n";
        let around = format!("--abc\r\n{inner}");
        class("below a closing delimiter", Fate::Caught, everywhere(fields, around));
        let body = format!("--abc\r\n\r\nhi\r\n--abc--\r\n{part}\r\n--abc--\r\n");
        class("below a closing delimiter", Fate::Caught, everywhere(fields, body));
    }
}

/// A signature with the name of a page is opened as one.
#[test]
fn signatures_that_are_pages_by_name() {
    for kind in ["pgp-signature", "pkcs7-signature", "x-pkcs7-signature"] {
        let fields = format!(
            "Content-Type: application/{kind}; name=a.html\r\nContent-Transfer-Encoding: base64\r\n"
        );
        class("signatures", Fate::Caught, encoded(&[&fields]));
    }
}

/// Headers and delimiters whose lines end in a carriage return alone, and lines of several encodings below them:
/// only who reads the structure sees what is in them.
#[test]
fn structure_by_carriage_returns() {
    let page = "<p>see <a href=\"https://www.paypal.com@evil.example/x\">here</a></p>";
    let wide: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let quoted: String = page.bytes().map(|byte| format!("={byte:02X}")).collect();
    let quoted = quoted.replace("=22", "=\r\n=22");
    let mut messages = Vec::new();
    for (charset, encoding, body) in [
        ("utf-8", "base64", base64(page)),
        ("utf-16", "base64", base64([&b"\xFF\xFE"[..], &wide].concat())),
        ("iso-2022-jp", "quoted-printable", quoted),
    ] {
        let part = format!(
            "Content-Transfer-Encoding: {encoding}\r\nContent-Type: text/html; charset={charset}\r\n\r\n{body}\r\n"
        );
        let returns = |text: &str| text.replace("\r\n", "\r");
        let inner = returns(&format!("Subject: in\r\n{part}"));
        messages.extend(everywhere("Content-Type: message/rfc822\r\n", &inner));
        let parts = returns(&format!("--x\r\n{part}--x\r\n\r\nhi\r\n--x--\r\n"));
        let fields = "Content-Type: multipart/mixed; boundary=x\r\n";
        messages.extend(everywhere(fields, &parts));
        messages.extend(everywhere(fields, format!("hi\r\n{parts}")));
        let inner = format!("{fields}\r\n{parts}");
        messages.extend(everywhere("Content-Type: message/rfc822\r\n", returns(&inner)));
    }
    class("structure by carriage returns", Fate::Caught, messages);
}

/// Lines of uuencode that end in a carriage return alone.
#[test]
fn uuencode_whose_lines_end_in_carriage_returns() {
    // "see https://раypal.com/ now"
    let lines = "begin 644 a.txt\r=<V5E(&AT='!S.B\\OT8#0L'EP86PN8V]M+R!N;W< \r`\rend\r";
    for label in ["x-uuencode", "7bit"] {
        let fields = format!(
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {label}\r\n"
        );
        class("uuencode by carriage returns", Fate::Caught, everywhere(&fields, lines));
    }
}

/// Some pass over first lines of a header that are no fields.
#[test]
fn labels_behind_broken_lines() {
    for host in HOSTS {
        for broken in ["bad line", "bad line\r\nanother one", "<p>"] {
            let message = format!(
                "{broken}\r\nSubject: x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
                base64(format!("mailto:support@{host}\r\n"))
            );
            let fields = "Content-Type: message/rfc822\r\n";
            class("behind broken lines", Fate::Caught, everywhere(fields, message));
        }
    }
}

/// Decoders of UTF-8 drop a byte order mark at the front of a line.
#[test]
fn names_of_fields_behind_a_mark() {
    for host in HOSTS {
        let body = base64(format!("mailto:support@{host}\r\n"));
        let fields = "Content-Type: text/plain; charset=utf-8\r\n\u{FEFF}Content-Transfer-Encoding: base64\r\n";
        class("behind a mark", Fate::Caught, everywhere(fields, &body));
    }
}

/// To decoders of base64 what is no digit is nothing, beyond ASCII as well.
#[test]
fn letters_inside_base64_that_nobody_labelled() {
    for host in HOSTS {
        let digits = base64(html(host)).replace("\r\n", "");
        for at in [40, 70, 84] {
            let (before, behind) = digits.split_at(at);
            for odd in ["\u{2028}", "\u{A0}", "\u{E9}"] {
                let body = format!("{before}{odd}{behind}\r\n");
                let fields = "Content-Type: application/x-odd\r\nX-Encoding: base64\r\n";
                class("letters inside base64", Fate::Reported, everywhere(fields, body));
            }
        }
    }
}

/// NUL in a host is nothing to some, whatever charset it stands in.
#[test]
fn hosts_with_nul_in_any_charset() {
    for charset in ["windows-1251", "koi8-r", "ibm866", "utf-8"] {
        let letters: &[u8] = match charset {
            "windows-1251" => b"\xF0\xE0",
            "koi8-r" => b"\xD2\xC1",
            "ibm866" => b"\xE0\xA0",
            _ => "ра".as_bytes(),
        };
        let body = [b"see https://", letters, b"ypa\0l.com/login now\r\n"].concat();
        let fields = format!("Content-Type: text/plain; charset={charset}\r\n");
        class("NUL in a host", Fate::Caught, everywhere(&fields, &body));
        let fields = format!("{fields}Content-Transfer-Encoding: base64\r\n");
        class("NUL in a host", Fate::Caught, everywhere(&fields, base64(&body)));
    }
}
