//! What mail programs show is what is judged: messages of which programs see another structure than
//! the labels say, each with one deceptive link, class by class. A link is *caught* when it is edited,
//! *reported* when the message is suspect or worse; what is neither got through.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "differentials/codecs.rs"]
mod codecs;
#[path = "differentials/data.rs"]
mod data;
#[path = "differentials/edges.rs"]
mod edges;
#[path = "differentials/enclosed.rs"]
mod enclosed;
#[path = "differentials/greedy.rs"]
mod greedy;
#[path = "differentials/inside.rs"]
mod inside;
#[path = "differentials/joins.rs"]
mod joins;
#[path = "differentials/labels.rs"]
mod labels;
#[path = "common/lines.rs"]
mod lines;
#[path = "differentials/others.rs"]
mod others;
#[path = "differentials/unseen.rs"]
mod unseen;

use std::sync::LazyLock;

use lines::base64_lines;
use linkmilter::engine::mime::Message;
use linkmilter::engine::outcome::{Bypass, Disposition, Done};
use linkmilter::engine::policy::{Defang, Linkify, OnAmbiguous};
use linkmilter::engine::{Answers, Facts, Outcome, Policy, Reason, TldTable, Verdict, inspect};
use linkmilter::tld;

static TLDS: LazyLock<TldTable> = LazyLock::new(tld::builtin);

/// How a deceptive link fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Through,
    Reported,
    Caught,
}

fn judge(raw: &[u8]) -> Outcome {
    judge_by(raw, &Policy::default())
}

fn judge_by(raw: &[u8], policy: &Policy) -> Outcome {
    let end = raw.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let message = Message { head: &raw[..end + 2], body: &raw[end + 4..] };
    inspect(message, &Facts::default(), policy, &*TLDS).resolve(&Answers::new())
}

fn fate(raw: &[u8]) -> Fate {
    let outcome = judge(raw);
    let edited = outcome
        .findings
        .iter()
        .any(|finding| finding.done == Done::Edited && finding.verdict >= Verdict::Unsafe);
    match outcome.verdict {
        _ if edited => Fate::Caught,
        verdict if verdict >= Verdict::Suspect => Fate::Reported,
        _ => Fate::Through,
    }
}

/// Every message of a class fares so at least.
fn class(name: &str, floor: Fate, messages: Vec<Vec<u8>>) {
    let fates: Vec<Fate> = messages.iter().map(|message| fate(message)).collect();
    let count = |wanted| fates.iter().filter(|fate| **fate == wanted).count();
    println!(
        "class {name}: {} messages, {} caught, {} reported, {} through",
        fates.len(),
        count(Fate::Caught),
        count(Fate::Reported),
        count(Fate::Through)
    );
    let worse: Vec<String> = messages
        .iter()
        .zip(&fates)
        .filter(|(_, fate)| **fate < floor)
        .map(|(message, fate)| format!("{fate:?}: {:?}", String::from_utf8_lossy(message)))
        .collect();
    assert!(worse.is_empty(), "{name}: {} below {floor:?}:\n{}", worse.len(), worse.join("\n"));
}

/// Hosts that deceive: both spellings of one, and another script.
const HOSTS: [&str; 3] = ["xn--ypal-43d9g.com", "раypal.com", "gοοgle.com"];

fn html(host: &str) -> String {
    let host: String = host
        .chars()
        .map(|c| match c {
            c if c.is_ascii() => c.to_string(),
            c => format!("&#{};", u32::from(c)),
        })
        .collect();
    format!(
        "<html><body><p>Please confirm <a href=\"https://{host}/login\">your account</a>.</p></body></html>"
    )
}

fn text(host: &str) -> String {
    format!("Please confirm your account at https://{host}/login today.\r\n")
}

fn base64(bytes: impl AsRef<[u8]>) -> String {
    base64_lines(bytes, 76)
}

const HEAD: &str = "From: Shop <news@shop.example>\r\nTo: reader@example.org\r\n\
                    Subject: Your receipt\r\nMIME-Version: 1.0\r\n";

/// The part as the message itself, inside multipart/mixed, and inside a forwarded message.
fn everywhere(fields: impl AsRef<[u8]>, body: impl AsRef<[u8]>) -> Vec<Vec<u8>> {
    let part = [fields.as_ref(), b"\r\n", body.as_ref()].concat();
    let inside = |around: &str, before: &str, after: &str| {
        [HEAD.as_bytes(), around.as_bytes(), before.as_bytes(), &part, after.as_bytes()].concat()
    };
    vec![
        inside("", "", "\r\n"),
        inside(
            "Content-Type: multipart/mixed; boundary=b\r\n",
            "\r\n--b\r\n\r\nhi\r\n--b\r\n",
            "\r\n--b--\r\n",
        ),
        inside("Content-Type: message/rfc822\r\n", "\r\nSubject: Fwd\r\n", "\r\n"),
    ]
}

/// Base64 HTML below fields that say so in an odd way.
fn encoded(fields: &[&str]) -> Vec<Vec<u8>> {
    let all = fields.iter().flat_map(|fields| HOSTS.map(|host| (fields, host)));
    all.flat_map(|(fields, host)| everywhere(fields, base64(html(host)))).collect()
}

/// HTML as it stands, below fields that say so in an odd way.
fn plain(fields: &[&str]) -> Vec<Vec<u8>> {
    let all = fields.iter().flat_map(|fields| HOSTS.map(|host| (fields, host)));
    all.flat_map(|(fields, host)| everywhere(fields, html(host))).collect()
}

#[test]
fn html_attachments_are_edited() {
    let fields = [
        "Content-Type: text/html\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: text/html; name=\"a.html\"\r\nContent-Disposition: attachment; filename=a.html\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: application/octet-stream; name=\"a.html\"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n",
    ];
    class("html attachments", Fate::Caught, encoded(&fields));
}

#[test]
fn tokens_of_the_transfer_encoding() {
    let values = [
        "(x) base64", "base64 (x)", "(a (b) c)base64", "base64(x)", "\0base64", "base64\0",
        "bas\0e64", "\"base64\"", "base64;", "base64, 8bit", "8bit, base64", "8bit base64",
        "base64 8bit", "=?us-ascii?q?base64?=", "\x0bbase64", "base64\x0b", "\x7fbase64", "BASE64",
        "(", "base64 (",
    ];
    let fields: Vec<String> = values
        .iter()
        .filter(|value| **value != "(")
        .map(|value| {
            format!(
                "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: {value}\r\n"
            )
        })
        .collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    class("tokens of the encoding", Fate::Caught, encoded(&fields));
}

#[test]
fn tokens_of_the_content_type() {
    let values = [
        "(x) text/html",
        "text/html(x)",
        "text(x)/html",
        "text/(x)html",
        "text/html, charset=utf-8",
        "text/html,",
        "\0text/html",
        "text/html\0",
        "text/ht\0ml",
        "te\x01xt/html",
        "\"text/html\"",
        "\"text\"/\"html\"",
        "'text/html'",
        "=?us-ascii?q?text/html?=",
        "text/html\x0b;x=y",
        "text/html; charset=(x)utf-8",
        "text/html; charset=utf-8(x)",
        "text /html",
        "text/ html",
        "TEXT/HTML",
        "text/html x",
        "text/html\x0c",
    ];
    let fields: Vec<String> = values
        .iter()
        .map(|value| format!("Content-Type: {value}\r\nContent-Transfer-Encoding: base64\r\n"))
        .collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    class("tokens of the type", Fate::Caught, encoded(&fields));
    let padded = |host: &str| format!("{}\r\n{}", "lorem ipsum ".repeat(400), html(host));
    let far = fields.iter().flat_map(|fields| everywhere(fields, base64(padded(HOSTS[1]))));
    class("tokens of the type, markup far behind", Fate::Caught, far.collect());
}

#[test]
fn fields_twice_and_more() {
    let fields = [
        "Content-Type : image/png\r\nContent-Type : application/pdf\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: image/png\r\nContent-Type: image/gif\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: image/png\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: 8bit\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type:\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: text/html\r\nContent-Transfer-Encoding:\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: text/html; x=y\rContent-Transfer-Encoding: base64\r\n",
        "X-A: b\rContent-Type: text/html\rContent-Transfer-Encoding: base64\r\n",
        "Content-Ty\0pe: text/html\r\nContent-Transfer-Encoding: base64\r\n",
    ];
    class("fields twice", Fate::Caught, encoded(&fields));
}

#[test]
fn second_labels_in_second_labels() {
    let nested = |host: &str| {
        format!(
        "{HEAD}Content-Type: multipart/mixed; boundary=x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --x\r\n\r\nhi\r\n--b\r\nContent-Type: multipart/mixed; boundary=y\r\n\
         Content-Type: multipart/mixed; boundary=c\r\n\r\n--y\r\n\r\nhi\r\n--c\r\nContent-Type: text/html\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--c--\r\n--b--\r\n",
        base64(html(host))
    ).into_bytes()
    };
    class("second labels in second labels", Fate::Caught, HOSTS.map(nested).to_vec());
}

#[test]
fn read_as_another_type() {
    let names = ["shtm", "xhtm", "shtml", "xhtml", "xht", "htm", "HTML", "html.", "html ", "hta"];
    let fields: Vec<String> = names
        .iter()
        .map(|name| format!(
            "Content-Type: application/pdf; name=\"a.{name}\"\r\nContent-Disposition: attachment; filename=\"a.{name}\"\r\nContent-Transfer-Encoding: base64\r\n"
        ))
        .chain([
            "Content-Type: application/pdf; name=\"=?utf-8?q?a=2Ehtml?=\"\r\nContent-Transfer-Encoding: base64\r\n".to_owned(),
            "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename==?utf-8?b?YS5odG1s?=\r\nContent-Transfer-Encoding: base64\r\n".to_owned(),
            "Content-Type: text/x-web\r\nContent-Transfer-Encoding: base64\r\n".to_owned(),
            "Content-Type: /\r\nContent-Transfer-Encoding: base64\r\n".to_owned(),
            "Content-Type: text/\r\nContent-Transfer-Encoding: base64\r\n".to_owned(),
            "Content-Type: application/xml\r\nContent-Transfer-Encoding: base64\r\n".to_owned(),
        ])
        .collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    class("read as HTML", Fate::Caught, encoded(&fields));
    let hidden =
        |host: &str| format!("Hello,\r\nplease confirm: <Login page: https://{host}/login >\r\n");
    let fields = [
        "Content-Type: text/plain; charset=utf-8; name=\"receipt.html\"\r\n",
        "Content-Type:\r\nContent-Type: text/html; charset=utf-8\r\n",
        "Content-Type: text/x-web; charset=utf-8; name=\"receipt.html\"\r\n",
        "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: inline; filename=a.html\r\n",
    ];
    let shown = fields.iter().flat_map(|fields| everywhere(fields, hidden(HOSTS[1])));
    class("read as plain", Fate::Caught, shown.collect());
}

#[test]
fn messages_under_other_names() {
    let inner = |host: &str| {
        format!(
            "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n",
            base64(html(host))
        )
    };
    let mut messages = Vec::new();
    for fields in [
        "Content-Type: message/x-odd\r\n",
        "Content-Type: message/partial; id=a; number=1; total=1\r\n",
        "Content-Type: message/external-body; access-type=x\r\n",
        "Content-Type: message/\r\n",
        "Content-Type: application/octet-stream; name=a.eml\r\n",
        "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"a.eml\"\r\n",
        "Content-Type: application/x-mimearchive; name=\"a.mht\"\r\n",
        "Content-Type: application/octet-stream; name=a.mhtml\r\n",
        "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Transfer-Encoding: 7bit\r\n",
    ] {
        messages.extend(everywhere(fields, inner(HOSTS[0])));
        messages.extend(everywhere(fields, inner(HOSTS[1])));
    }
    for fields in [
        "Content-Type: message/x-odd\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: application/octet-stream; name=a.eml\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: (x) base64\r\n",
        "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 8bit\r\nContent-Transfer-Encoding: base64\r\n",
    ] {
        messages.extend(everywhere(fields, base64(inner(HOSTS[0]))));
    }
    class("messages under other names", Fate::Caught, messages);
}

/// A multipart whose parts stand below these delimiter lines, HTML in base64 the last.
fn delimited(kind: &str, parameters: &str, first: &str, second: &str, host: &str) -> Vec<u8> {
    format!(
        "{HEAD}Content-Type: {kind}{parameters}\r\n\r\n{first}\r\nContent-Type: text/plain\r\n\r\nHello\r\n{second}\r\n\
         Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n{second}--\r\n",
        base64(html(host))
    )
    .into_bytes()
}

#[test]
fn boundaries_and_delimiters() {
    let mut messages = Vec::new();
    for (parameters, first, second) in [
        ("; boundary=abc def", "--abc", "--abc def"),
        ("; boundary=\"a\\bc\"", "--abc", "--a\\bc"),
        ("; boundary*0=ab; boundary*2=c", "--abc", "--ab"),
        ("; boundary=abc", "--abc", "\0--abc"),
        ("; boundary=abc", "--abc", "--abc\0"),
        ("; boundary=abc", "--abc", "\x0b--abc"),
        ("; boundary=abc", "--abc", "--abcd"),
        ("; boundary=abcd", "--abcd", "--abc"),
        ("; boundary=abc(x)", "--abc(x)", "--abc"),
        ("; boundary=(x)abc", "--(x)abc", "--abc"),
        ("; boundary=a,b", "--a,b", "--a"),
        ("; boundary=a/b", "--a/b", "--a"),
        ("; boundary=a=b", "--a=b", "--a"),
        ("; boundary=\"abc", "--abc", "--\"abc"),
        ("; boundary='abc'", "--'abc'", "--abc"),
        ("; boundary=abc; boundary=def; boundary=ghi", "--abc", "--def"),
        ("; boundary==?us-ascii?q?abc?=", "--=?us-ascii?q?abc?=", "--abc"),
        (" boundary=abc", "--x", "--abc"),
        ("; bo(x)undary=abc", "--x", "--abc"),
        ("; boundary=abc\0def", "--abc\0def", "--abc"),
        ("; boundary=", "--x", "--y"),
        ("", "--x", "--y"),
    ] {
        for kind in
            ["multipart/mixed", "multipart/alternative", "multipart/digest", "multipart/x-odd"]
        {
            messages.extend(HOSTS.map(|host| delimited(kind, parameters, first, second, host)));
        }
    }
    // Line ends that only some see.
    let carriages = |host: &str| {
        format!(
        "{HEAD}Content-Type: multipart/mixed; boundary=abc\r\n\r\n--abc\r\nContent-Type: text/plain\r\n\r\nHello\r--abc\r\
         Content-Type: text/html\rContent-Transfer-Encoding: base64\r\r{}\r--abc--\r\n",
        base64(html(host)).replace("\r\n", "\r")
    ).into_bytes()
    };
    messages.extend(HOSTS.map(carriages));
    class("boundaries", Fate::Caught, messages);
}

#[test]
fn encrypted_without_a_control_part() {
    let messages =
        ["; protocol=x", "; protocol=\"application/pgp-encrypted\"", ""].map(|parameters| {
            delimited("multipart/encrypted; boundary=abc", parameters, "--abc", "--abc", HOSTS[0])
        });
    class("multipart/encrypted", Fate::Caught, messages.to_vec());
}

fn der(tag: u8, inside: &[u8]) -> Vec<u8> {
    let length = u32::try_from(inside.len()).unwrap().to_be_bytes();
    [&[tag, 0x84], length.as_slice(), inside].concat()
}

/// PKCS#7 signed data, in BER of indefinite lengths and pieces or in DER.
fn signed(content: &[u8], indefinite: bool) -> Vec<u8> {
    let wrap = |tag: u8, inside: &[u8]| match indefinite {
        true => [&[tag, 0x80], inside, &[0, 0]].concat(),
        false => der(tag, inside),
    };
    let octets = match indefinite {
        true => {
            wrap(0x24, &content.chunks(100).flat_map(|piece| der(4, piece)).collect::<Vec<_>>())
        }
        false => der(4, content),
    };
    let data = der(6, b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01");
    let encapsulated = wrap(0x30, &[data, wrap(0xA0, &octets)].concat());
    let fields = [der(2, b"\x01"), der(0x31, b""), encapsulated].concat();
    let oid = b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02";
    wrap(0x30, &[oid.as_slice(), &wrap(0xA0, &wrap(0x30, &fields))].concat())
}

#[test]
fn signed_data_is_no_secret() {
    let mut messages = Vec::new();
    for host in HOSTS {
        let inner = format!(
            "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n",
            base64(html(host))
        );
        for indefinite in [false, true] {
            let body = base64(signed(inner.as_bytes(), indefinite));
            for fields in [
                "Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n",
                "Content-Type: application/x-pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n",
                "Content-Type: application/octet-stream; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n",
            ] {
                messages.extend(everywhere(fields, &body));
            }
        }
    }
    class("signed data", Fate::Reported, messages);
}

#[test]
fn plain_fields_still_do() {
    let fields = [
        "Content-Type: text/html; charset=utf-8\r\n",
        "Content-Type: text/html\r\nContent-Transfer-Encoding: 8bit\r\n",
    ];
    class("ordinary", Fate::Caught, plain(&fields));
    let shown = HOSTS
        .iter()
        .flat_map(|host| everywhere("Content-Type: text/plain; charset=utf-8\r\n", text(host)));
    class("ordinary text", Fate::Caught, shown.collect());
}

/// A part in UTF-16 or another charset, as text and as HTML, in base64.
fn in_charset(label: &str, encode: impl Fn(&str) -> Vec<u8>) -> Vec<Vec<u8>> {
    let charset = if label.is_empty() { String::new() } else { format!("; charset={label}") };
    let fields = |kind: &str| {
        format!("Content-Type: text/{kind}{charset}\r\nContent-Transfer-Encoding: base64\r\n")
    };
    let cyrillic = HOSTS[1];
    let mut messages = everywhere(fields("plain"), base64(encode(&text(cyrillic))));
    let shown = format!("<p><a href=\"https://{cyrillic}/login\">your account</a></p>");
    messages.extend(everywhere(fields("html"), base64(encode(&shown))));
    messages
}

fn wide(width: usize, big: bool) -> impl Fn(&str) -> Vec<u8> {
    move |text: &str| {
        let units: Vec<u32> = match width {
            2 => text.encode_utf16().map(u32::from).collect(),
            _ => text.chars().map(u32::from).collect(),
        };
        let mut out = Vec::new();
        for unit in units {
            match (width, big) {
                (2, true) => out.extend((unit as u16).to_be_bytes()),
                (2, false) => out.extend((unit as u16).to_le_bytes()),
                (_, true) => out.extend(unit.to_be_bytes()),
                (_, false) => out.extend(unit.to_le_bytes()),
            }
        }
        out
    }
}

/// ASCII, and these bytes for the two Cyrillic letters.
fn letters(er: &'static [u8], a: &'static [u8]) -> impl Fn(&str) -> Vec<u8> {
    move |text: &str| {
        let mut out = Vec::new();
        for character in text.chars() {
            match character {
                'р' => out.extend(er),
                'а' => out.extend(a),
                other => out.push(u8::try_from(other).unwrap()),
            }
        }
        out
    }
}

#[test]
fn unicode_of_two_and_four_bytes() {
    let mut messages = Vec::new();
    for big in [true, false] {
        for label in [
            "utf-16", "unicode", "ucs-2", "utf16", "unicodefffe", "iso-10646-ucs-2", "utf-16be",
            "UTF_16LE",
        ] {
            messages.extend(in_charset(label, wide(2, big)));
        }
        for label in [
            "utf-32", "utf-32be", "utf-32le", "utf32", "ucs-4", "iso-10646-ucs-4", "UTF_32",
            "csUCS4",
        ] {
            messages.extend(in_charset(label, wide(4, big)));
        }
    }
    class("UTF-16 and UTF-32", Fate::Caught, messages);
}

#[test]
fn names_of_charsets() {
    let mut messages = Vec::new();
    for label in
        ["windows1251", "win-1251", "cp1251", "x-cp1251", "ansi-1251", "ms-cyrl", "windows_1251"]
    {
        messages.extend(in_charset(label, letters(b"\xF0", b"\xE0")));
    }
    for label in ["koi8r", "koi8_r", "koi8", "cskoi8r", "x-koi8-r"] {
        messages.extend(in_charset(label, letters(b"\xD2", b"\xC1")));
    }
    for label in ["iso88595", "iso_8859_5", "iso8859-5", "cyrillic"] {
        messages.extend(in_charset(label, letters(b"\xE0", b"\xD0")));
    }
    for label in ["ibm855", "cp855", "855", "csIBM855", "x-IBM855"] {
        messages.extend(in_charset(label, letters(b"\xE1", b"\xA0")));
    }
    for label in ["utf8", "utf_8", "utf8mb4", "u8", "csutf8"] {
        messages.extend(in_charset(label, |text| text.as_bytes().to_vec()));
    }
    class("names of charsets", Fate::Caught, messages);
}

#[test]
fn seven_bits_with_escapes() {
    let gb = || letters(b"\x1b$A'b\x1b(B", b"\x1b$A'Q\x1b(B");
    let mut messages = Vec::new();
    for label in [
        "iso-2022-jp", "iso2022jp", "iso-2022-jp-1", "iso-2022-jp-2", "iso-2022-jp-3",
        "iso-2022-jp-2004", "csISO2022JP2", "", "us-ascii",
    ] {
        // р and а of JIS X 0208, row 7.
        messages.extend(in_charset(label, letters(b"\x1b$B'b\x1b(B", b"\x1b$B'Q\x1b(B")));
    }
    for label in ["iso-2022-jp-2", "iso-2022-jp-ext", "iso_2022_jp_2"] {
        messages.extend(in_charset(label, gb()));
    }
    class("ISO-2022", Fate::Caught, messages);
    let decoy = "<html><body><p class=\"\x1b$B\"\"\x1b(B x=\"><a href=https://xn--ypal-43d9g.com/login>your account</a><p y=\"\"></body></html>";
    let fields = "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n";
    class("an escape in an unlabelled part", Fate::Caught, everywhere(fields, base64(decoy)));
}

#[test]
fn ebcdic() {
    // Enough of code page 037 for a link.
    let encode = |text: &str| -> Vec<u8> {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'i' => byte - b'a' + 0x81,
                b'j'..=b'r' => byte - b'j' + 0x91,
                b's'..=b'z' => byte - b's' + 0xA2,
                b'0'..=b'9' => byte - b'0' + 0xF0,
                b'<' => 0x4C,
                b'>' => 0x6E,
                b'"' => 0x7F,
                b'=' => 0x7E,
                b':' => 0x7A,
                b'/' => 0x61,
                b'.' => 0x4B,
                b'-' => 0x60,
                b' ' => 0x40,
                _ => 0x6F,
            })
            .collect()
    };
    let shown = "<html><body><p>please confirm <a href=\"https://xn--ypal-43d9g.com/login\">here</a></p></body></html>";
    let messages = [
        "ibm037", "cp037", "IBM-037", "ebcdic-cp-us", "csIBM037", "x-IBM037", "cp500", "ibm1140",
    ]
    .map(|label| {
        let fields = format!(
            "Content-Type: text/html; charset={label}\r\nContent-Transfer-Encoding: base64\r\n"
        );
        everywhere(fields, base64(encode(shown)))
    });
    class("EBCDIC", Fate::Caught, messages.concat());
}

#[test]
fn unlabelled_letters() {
    let words =
        "пожалуйста подтвердите вашу учётную запись сегодня, иначе она будет закрыта навсегда: ";
    let koi: Vec<u8> = {
        const ROW: &str = "юабцдефгхийклмнопярстужвьызшэщчъ";
        let byte = |c: char| ROW.chars().position(|known| known == c).map(|at| 0xC0 + at as u8);
        let all = format!("{words}https://раypal.com/login {words}");
        all.chars().map(|c| byte(c).unwrap_or(if c == 'ё' { 0xA3 } else { c as u8 })).collect()
    };
    let fields = "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n";
    class("unlabelled KOI8-R", Fate::Caught, everywhere(fields, base64(koi)));
}

#[test]
fn padding_and_breaks() {
    let mut messages = Vec::new();
    let fields = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n";
    for host in HOSTS {
        let whole = base64(html(host));
        messages.extend(everywhere(fields, format!("=ABC{whole}")));
        messages.extend(everywhere(fields, format!("A=BC{whole}")));
        messages.extend(everywhere(fields, format!("AB=C{whole}")));
        messages.extend(everywhere(fields, format!("={whole}")));
        let (first, rest) = whole.split_at(9);
        messages.extend(everywhere(fields, format!("{first}={rest}")));
        let (first, rest) = whole.split_at(10);
        messages.extend(everywhere(fields, format!("{first}={rest}")));
    }
    class("padding inside base64", Fate::Caught, messages);
    let fields = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n";
    let broken = [
        "see https://xn--=\rypal-43d9g.com/ now",
        "see https://xn--=\r\nypal-43d9g.com/ now",
        "see https://xn--= \nypal-43d9g.com/ now",
    ];
    class(
        "soft breaks",
        Fate::Caught,
        broken.iter().flat_map(|body| everywhere(fields, body)).collect(),
    );
}

#[test]
fn metas_behind_decoys() {
    let meta = |name: &str| format!("<meta content=\"text/html; charset={name}\">");
    let shown = |decoys: usize| {
        let start = meta("utf-8").repeat(decoys) + &meta("windows-1251");
        let mut bytes = start.into_bytes();
        bytes.extend(b"<a href=\"https://\xF0\xE0ypal.com/login\">here</a>");
        everywhere(
            "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n",
            base64(bytes),
        )
    };
    class("charsets of <meta>", Fate::Caught, (0..4).flat_map(shown).collect());
    let behind = |before: &str, meta: &str, host: &[u8]| {
        let link = [b"<a href=\"https://", host, b"ypal.com/login\">here</a>"].concat();
        let page = [before.as_bytes(), meta.as_bytes(), &link].concat();
        everywhere("Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n", base64(page))
    };
    let comments = format!("<!--{}-->", meta("utf-8")).repeat(6);
    let style = format!("<style>{}</style>", "p { margin: 0 }\n".repeat(100));
    for before in [&comments, &style, &[&*comments, &style].concat()] {
        let lies = behind(before, &meta("windows-1251"), b"\xF0\xE0");
        class("charsets of <meta> far behind", Fate::Caught, lies);
        for message in behind(before, &meta("utf-8"), "é".as_bytes()) {
            assert!(judge(&message).edits.is_empty());
        }
    }
}

#[test]
fn what_no_reading_meets_is_in_the_net() {
    let mut messages = Vec::new();
    let shown = format!("<a href=\"https://{}/login\">here</a>", HOSTS[1]);
    for padding in ["", "x", "xy"] {
        for fields in [
            "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n",
            "Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n",
            "Content-Type: text/html\r\nContent-Transfer-Encoding: x-b64\r\n",
        ] {
            let bytes = [
                format!("{padding}{shown}").into_bytes(),
                format!("{padding}{}", html(HOSTS[0])).into_bytes(),
                [padding.as_bytes(), &wide(2, false)(&shown)].concat(),
                [padding.as_bytes(), &wide(2, true)(&shown)].concat(),
                [padding.as_bytes(), &wide(4, false)(&shown)].concat(),
                [padding.as_bytes(), &wide(4, true)(&shown)].concat(),
            ];
            for bytes in bytes {
                let whole = base64(&bytes);
                messages.extend(everywhere(fields, &whole));
                let bare = whole.replace("\r\n", "");
                let lines = bare.as_bytes().chunks(3);
                let short: Vec<u8> = lines.flat_map(|line| [line, b"\r\n"].concat()).collect();
                messages.extend(everywhere(fields, short));
            }
        }
    }
    let fields = "Content-Type: image/png\r\n";
    for body in [
        shown.clone(),
        html(HOSTS[0]),
        shown.replace('р', "=D1=80").replace('а', "=D0=B0"),
        shown.replace('р', "р\0"),
        "https:=2F=2Fxn--ypal-43d9g.com=2Flogin".to_owned(),
        "mail pay@xn--ypal-43d9g.com".to_owned(),
    ] {
        messages.extend(everywhere(fields, body));
    }
    class("the net", Fate::Reported, messages);
}

#[test]
fn the_net_is_bounded() {
    let lines = |digits: &str, lines: usize| (digits.repeat(19) + "\r\n").repeat(lines);
    let ending = |body: String| {
        let message = [HEAD, "Content-Type: image/png\r\n\r\n", &body].concat();
        let bypasses = judge(message.as_bytes()).bypasses;
        bypasses.first().map(|(_, why)| why.to_string())
    };
    assert_eq!(ending(lines("Oi8v", 3_000)).as_deref(), Some("limit:steps"));
    // Digits of a picture may be those of a link.
    assert_eq!(ending(lines("Oi8v", 300) + &lines("QUFB", 3_000)), None);
}

/// Nothing deceptive, but programs split it in different ways.
#[test]
fn ambiguous_structure() {
    let link = "<a href=\"https://www.example.com/\">here</a>";
    let fields = [
        "Content-Type: text/html\r\nContent-Type: text/plain\r\nContent-Type: image/png\r\n",
        "Content-Type:\r\nContent-Type: text/html\r\n",
        "Content-Type : text/html\r\n",
        "Content-Type: text/html\r\nX-A: b\rX-C: d\r\n",
        "Content-Type: text/html\r\nX-A: b\0\r\n",
        "Content-Type: text/html, x\r\n",
        "Content-Type: text/html\r\nContent-Transfer-Encoding: (x) 8bit\r\n",
        "Content-Type: text/html; charset=klingon-7\r\n",
        "Content-Type: text\r\n",
        "Content-Type: text/\r\n",
        "Content-Type: text/ht ml\r\n",
        "Content-Type: text /html\r\n",
        "Content-Type: text/html\r\nContent-Transfer-Encoding: base 64\r\n",
        "Content-Type: text/html\r\nContent-Transfer-Encoding: base64;x\r\n",
    ];
    let mut messages: Vec<_> = fields.iter().flat_map(|fields| everywhere(fields, link)).collect();
    // A text that some end where padding is.
    let packed = "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n";
    let pieces = base64(format!("<p>Dear customer</p>{link}..")) + &base64(format!("<br>{link}"));
    assert!(pieces.trim_end_matches('=').contains('='));
    messages.extend(everywhere(packed, pieces));
    // What nobody knows is read alike as long as it is ASCII.
    let klingon = "Content-Type: text/html; charset=klingon\r\n";
    for body in [format!("h\u{e9}re {link}"), format!("\x1b$B {link}")] {
        messages.extend(everywhere(klingon, &body));
    }
    class("ambiguous", Fate::Reported, messages.clone());
    for message in &messages {
        let outcome = judge(message);
        let said = outcome.findings.iter().any(|f| f.reasons.contains(Reason::AmbiguousStructure));
        assert!(said && outcome.edits.is_empty(), "{}", String::from_utf8_lossy(message));
    }
    let quarantined = Policy { on_ambiguous: OnAmbiguous::Quarantine, ..Policy::default() };
    let defused = Policy { on_ambiguous: OnAmbiguous::Defuse, ..Policy::default() };
    for message in &messages {
        assert_eq!(judge_by(message, &quarantined).disposition, Disposition::Quarantine);
        assert!(!judge_by(message, &defused).edits.is_empty());
    }
    // Whoever decodes by such a label meets links that nobody else does.
    for label in
        ["unicode_escape", "MIME-Header", "utf7-imap", "BASE64", "html-entities", "\"hex\""]
    {
        let fields = format!("Content-Type: text/plain; charset={label}\r\n");
        class("ambiguous", Fate::Reported, everywhere(&fields, "see \\150ttps\\72//\\u0440.com"));
    }
    let clear = ["Content-Type: text/html; charset=utf-8\r\n", klingon];
    let plain = [
        "Content-Type: text\r\n",
        "Content-Type: text/\r\n",
        "Content-Type: text plain\r\n",
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: 7bit 8bit\r\n",
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted printable\r\n",
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit;\r\n",
    ];
    let plain = plain.iter().flat_map(|fields| everywhere(fields, "see https://www.example.com/"));
    for message in clear.iter().flat_map(|fields| everywhere(fields, link)).chain(plain) {
        let message = &message;
        assert_eq!(judge_by(message, &quarantined).disposition, Disposition::Accept);
        assert!(judge_by(message, &defused).edits.is_empty());
    }
}

/// An edited attribute is dead for programs that show the text of markup, too.
#[test]
fn no_url_is_left_in_an_edited_attribute() {
    for message in everywhere("Content-Type: text/html; charset=utf-8\r\n", html(HOSTS[0])) {
        let outcome = judge(&message);
        let edits: Vec<String> = outcome
            .edits
            .iter()
            .map(|edit| String::from_utf8_lossy(&edit.replacement).into_owned())
            .collect();
        assert!(edits.iter().any(|edit| edit.contains("data-unsafe-href")), "{edits:?}");
        assert!(edits.iter().any(|edit| edit.contains("[.]")), "{edits:?}");
    }
}

#[test]
fn bases_of_relative_urls() {
    let fields = ["Content-Location", "Content-Base"].iter().flat_map(|name| {
        HOSTS.map(|host| {
            format!("Content-Type: text/html; charset=utf-8\r\n{name}: https://{host}/\r\n")
        })
    });
    let link = "<p>Confirm <a href=\"/login\">your account</a></p>";
    class("bases", Fate::Caught, fields.flat_map(|fields| everywhere(fields, link)).collect());
}

#[test]
fn redirectors_whose_target_is_encoded() {
    let target = format!("https://{}/login", HOSTS[0]);
    let token = base64(&target).replace("\r\n", "").replace('=', "");
    let json = format!("{{\"p\":\"{{\\\"url\\\":\\\"{}\\\"}}\"}}", target.replace('/', "\\\\\\/"));
    let json = base64(json).replace("\r\n", "").replace('=', "");
    let messages = [
        format!("https://www.bing.com/ck/a?!&&p=x&u=a1{token}&ntb=1"),
        format!("https://eu.protection.sophos.com/?d=example.com&u={token}&i=x"),
        format!("https://mandrillapp.com/track/click/1/example.com?p={json}"),
        format!("https://www.google.com/amp/s/{}/login", HOSTS[0]),
        format!("https://a-com.cdn.ampproject.org/c/s/{}/login", HOSTS[0]),
        format!("https://www.google.com/url?q={}", HOSTS[0]),
        format!("https://l.facebook.com/l.php?u={}%2Flogin", HOSTS[0]),
        format!(
            "https://eur01.safelinks.protection.outlook.com/?url=https%253A%252F%252F{}%252F&data=05",
            HOSTS[0]
        ),
    ]
    .map(|url| {
        let link = format!("<a href=\"{}\">x</a>", url.replace('&', "&amp;"));
        everywhere("Content-Type: text/html; charset=utf-8\r\n", link)
    });
    class("redirectors", Fate::Caught, messages.concat());
}
