//! Classes in which programs pass over other bytes than the standards say, or see a URL in what is none.

use super::*;

/// Padding behind a whole unit, or before a unit's end: nothing to those who pass over all of it.
#[test]
fn padding_that_is_nothing_to_some() {
    let fields = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n";
    for host in HOSTS {
        let digits = base64(html(host)).replace("\r\n", "");
        for (at, padding) in [(3, "="), (7, "=\r\r\n"), (11, "=="), (75, "=\r\r\n"), (18, "==")] {
            let (before, behind) = digits.split_at(at);
            let body = format!("{before}{padding}{behind}\r\n");
            class("padding", Fate::Caught, everywhere(fields, body));
        }
    }
}

/// Lines are joined by some before escapes are looked for.
#[test]
fn soft_breaks_inside_escapes() {
    let fields = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n";
    for body in [
        "see https://=D1=80=D0==\r\nB0ypal.com/ now\r\n",
        "see https://=D1=8=\r\n0=D0=B0ypal.com/ now\r\n",
        "see https:/=\r\n/=D=\0\r\n1=80==\r\nD=\r\n0=B0ypal.com/ now\r\n",
        "see =6==\r\n=\r\n8ttps://xn--ypal==\r\n=\r\n2D43d9g.com/ now\r\n",
        "=73=65=65 =68=74=74=70==\r\n3A//=78=6E-=\r\n-ypal-43d9g==\r\n2Ecom/ now\r\n",
    ] {
        class("soft breaks inside escapes", Fate::Caught, everywhere(fields, body));
    }
}

/// The name of a block may be missing, or say nothing of what it holds.
#[test]
fn blocks_of_uuencode_that_hold_a_text() {
    // "see https://раypal.com/ now"
    let lines = "=<V5E(&AT='!S.B\\OT8#0L'EP86PN8V]M+R!N;W< \r\n`\r\nend\r\n";
    for begin in ["begin 644 ", "begin 644 x", "begin 644 a \tb", "begin 666"] {
        let fields = "Content-Type: text/plain; charset=utf-8\r\n";
        let body = format!("Hi\r\n\r\n{begin}\r\n{lines}");
        class("blocks of text", Fate::Caught, everywhere(fields, body));
    }
}

/// A charset that is empty or that nobody knows is no label: detectors look at escapes and shifts.
#[test]
fn shifts_that_nobody_labelled() {
    for kind in ["plain", "html"] {
        for label in ["", "; charset=", "; charset*=us-ascii''", "; encoding=hz", "; charset=x-any"]
        {
            let label = format!("Content-Type: text/{kind}{label}\r\n");
            for host in ["\x1b$B'b'Q\x1b(Bypal.com", "~{'b'Q~}ypal.com"] {
                let body = format!("Please confirm at https://{host}/login today.\r\n");
                let packed = format!("{label}Content-Transfer-Encoding: base64\r\n");
                class("shifts", Fate::Caught, everywhere(&label, &body));
                class("shifts", Fate::Caught, everywhere(packed, base64(body)));
            }
        }
    }
}

/// A dot need not be one of ASCII where the net looks.
#[test]
fn other_dots_where_nothing_else_is_read() {
    let fields = "Content-Type: text/plain; charset=utf-8\r\n";
    for address in ["//a@xn--ypal-43d9g%E3%80%82com", "//a@xn--ypal-43d9g%EF%BC%8Ecom?x"] {
        let body = format!("see {address} now\r\n");
        class("other dots", Fate::Reported, everywhere(fields, body));
    }
}

/// What leads nowhere as an address of a page is a URL to programs that show markup as text, however the
/// part is encoded.
#[test]
fn urls_that_pages_take_for_names() {
    for host in HOSTS {
        for body in [
            format!("<p><a href=\"x https://{host}/\">x</a></p>"),
            format!("<p><a href=\"_https://{host}/\">x</a></p>"),
            format!("</p x='<a href=https://{host}>x</a>'>"),
            format!("<form action=\"a@ftp://{host}/\"><button>x</button></form>"),
        ] {
            for (encoding, body) in [("8bit", body.clone()), ("base64", base64(&body))] {
                let fields = format!(
                    "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}\r\n"
                );
                class("names of pages", Fate::Caught, everywhere(fields, body));
            }
        }
    }
}

/// Programs that make plain text of a page join the text of an anchor with the words beside it.
#[test]
fn hosts_that_anchors_cut() {
    let fields = "Content-Type: text/html; charset=utf-8\r\n";
    for page in [
        "<p>see https://раypal.<a href=\"https://example.com/\">com</a>/login</p>",
        "<p><a href=\"https://example.com/\">https://раy</a><a href='/x'>pal</a>.com</p>",
        "<p>bob@xn--ypal-43d9g.<b><a href=\"mailto:a@example.com\">com</a></b></p>",
        "<p><a href=\"mailto:a@example.com\">bob@</a>раypal<a href=\"mailto:a@example.com\">.com</a></p>",
        "<p>www.gοοgle<a data-unsafe-href=\"hxxps://example[.]com/\">.com</a></p>",
    ] {
        class("hosts that anchors cut", Fate::Caught, everywhere(fields, page));
    }
    for page in [
        "<p>see https://раypal.<a href=\"https://example.com/\"><br>com</a></p>",
        "<p>see https://example.<a href=\"https://example.com/\">com</a>/login</p>",
        "<p>see <a href=\"https://example.com/\">https://example.com</a>. Thanks</p>",
    ] {
        for message in everywhere(fields, page) {
            assert!(judge(&message).edits.is_empty(), "{page}");
        }
    }
}
