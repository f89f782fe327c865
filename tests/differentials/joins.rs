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

/// Text as uuencode has it, in a block.
pub fn uuencoded(text: &str) -> String {
    let digit = |value: u32| match value & 63 {
        0 => '`',
        value => char::from(b' ' + value as u8),
    };
    let mut out = "begin 644 a.txt\r\n".to_owned();
    for line in text.as_bytes().chunks(45) {
        out.push(digit(line.len() as u32));
        for unit in line.chunks(3) {
            let byte = |at: usize| unit.get(at).copied().map_or(0, u32::from);
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            out.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
        }
        out += "\r\n";
    }
    out + "`\r\nend\r\n"
}

/// Of text in UTF-16 a reader sees the letters, and so do programs that look for blocks.
#[test]
fn blocks_of_uuencode_in_wide_characters() {
    for host in HOSTS {
        let wide: Vec<u8> =
            uuencoded(&text(host)).encode_utf16().flat_map(u16::to_le_bytes).collect();
        let escaped: String = wide.iter().map(|byte| format!("={byte:02X}=\r\n")).collect();
        for (how, body) in [("base64", base64(&wide)), ("quoted-printable", escaped)] {
            let fields = format!(
                "Content-Type: text/plain; charset=utf-16le\r\nContent-Transfer-Encoding: {how}\r\n"
            );
            class("wide blocks", Fate::Reported, everywhere(fields, body));
        }
    }
}

/// A line of uuencode with a byte too many: behind what its length byte says it is nothing to some, inside it any
/// byte has a value, and others pass over the line.
#[test]
fn lines_of_uuencode_that_are_not_as_long_as_they_say() {
    for host in HOSTS {
        let shown = text(host);
        let lines: Vec<String> = uuencoded(&shown).lines().map(str::to_owned).collect();
        let with = |line: usize, at: usize, odd: &str| {
            let mut lines = lines.clone();
            lines[line].insert_str(at, odd);
            lines.join("\r\n")
        };
        for label in ["x-uuencode", "x-uu", "7bit"] {
            let fields = format!(
                "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {label}\r\n"
            );
            for odd in ["\x01", "\x0b", "z", "~", "\u{E9}", "\t\t", "<br>", "{end}"] {
                let body = with(2, lines[2].len(), odd);
                class("uuencode with more behind", Fate::Caught, everywhere(&fields, body));
            }
            // The first line is 45 bytes, up to the scheme: without it the host begins the text.
            for (at, odd) in [(0, "  "), (61, "\t"), (20, "a"), (47, "x"), (30, " ")] {
                let shown = format!("{:<37}https://{host}/login\r\n", "Please confirm at");
                let lines = uuencoded(&shown).replacen("\r\nM", "\r\n\u{1}M", 1);
                let (before, behind) = lines.split_once('\u{1}').unwrap();
                let body = format!("{before}{}{odd}{}", &behind[..at], &behind[at..]);
                class("uuencode without a line", Fate::Reported, everywhere(&fields, body));
            }
        }
    }
}

/// The net looks into what only some unwrap: base64 without its padding, here with a URL that no browser takes for
/// one before a program leaves out what is not seen of it.
#[test]
fn urls_behind_what_is_not_seen() {
    let fields = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n";
    for host in HOSTS {
        let digits = base64(format!("<a href=\"\u{200B}https://\u{FEFF}{host}/\">x</a>"));
        let digits = digits.replace("\r\n", "");
        for at in [11, 18, 26] {
            let (before, behind) = digits.split_at(at);
            let body = format!("{before}==={behind}\r\n");
            class("behind what is not seen", Fate::Reported, everywhere(fields, body));
        }
    }
}

/// A label that nobody but some knows: to the others the text is as it stands.
#[test]
fn text_below_a_label_of_uuencode() {
    for label in ["x-uuencode", "uuencode", "x-uu"] {
        for host in HOSTS {
            let fields = format!(
                "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {label}\r\n"
            );
            class("no uuencode", Fate::Caught, everywhere(fields, text(host)));
        }
    }
}

/// Behind a first line that is no field, and its folds, most programs read on.
#[test]
fn labels_behind_a_broken_first_line() {
    for broken in ["C\r\n ontent-Type: text/plain\r\n", "x\r\n\ty\r\n z\r\n"] {
        for host in HOSTS {
            let fields = format!("{broken}Content-Transfer-Encoding: base64\r\n");
            let part = format!("--abc\r\n{fields}\r\n{}\r\n--abc--\r\n", base64(text(host)));
            let fields = "Content-Type: multipart/mixed; boundary=abc\r\n";
            class("broken first line", Fate::Caught, everywhere(fields, part));
        }
    }
}

/// Line ends that are no escapes, as CRLF and as LF: in text of several bytes a character all that stands behind
/// one begins elsewhere.
#[test]
fn line_ends_inside_text_of_several_bytes() {
    let quoted = |bytes: &[u8]| -> Vec<u8> {
        let escaped = bytes.iter().map(|byte| match byte {
            b'\n' => "\r\n".to_owned(),
            b'!'..=b'<' | b'>'..=b'~' => char::from(*byte).to_string(),
            byte => format!("={byte:02X}"),
        });
        escaped.collect::<String>().into_bytes()
    };
    let stored = |bytes: &[u8]| -> Vec<u8> {
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        lines.join(&b"\r\n"[..])
    };
    let shown = format!("Hello,\nplease confirm at https://{}/login today.\n", HOSTS[1]);
    for (label, width, big) in
        [("utf-16le", 2, false), ("utf-16be", 2, true), ("utf-32le", 4, false), ("utf-32", 4, true)]
    {
        let bytes = wide(width, big)(&shown);
        let fields = format!("Content-Type: text/plain; charset={label}\r\n");
        let packed = format!("{fields}Content-Transfer-Encoding: quoted-printable\r\n");
        class("line ends", Fate::Caught, everywhere(&packed, quoted(&bytes)));
        class("line ends", Fate::Caught, everywhere(&fields, stored(&bytes)));
        // A letter whose two bytes are CRLF, stored as LF.
        let letter = if big { '\u{D0A}' } else { '\u{A0D}' };
        let bytes = wide(width, big)(&format!("Hello{letter} see https://{}/ now", HOSTS[1]));
        let lf = String::from_utf8(quoted(&bytes)).unwrap().replace("=0D\r\n", "\n");
        class("line ends", Fate::Caught, everywhere(&packed, lf));
    }
}

/// Nobody says how wide the characters are: their NULs do.
#[test]
fn characters_whose_width_nobody_labelled() {
    for (width, big) in [(2, false), (2, true), (4, false), (4, true)] {
        for label in ["", "; charset=", "; charset=x-any", "; charset =iso-8859-1"] {
            let page = format!("<a href=\"https://{}/login\">x</a>", HOSTS[1]);
            for (kind, shown) in [("plain", text(HOSTS[1])), ("html", page)] {
                let bytes = wide(width, big)(&shown);
                let quoted: String = bytes.iter().map(|byte| format!("={byte:02X}")).collect();
                let fields = format!(
                    "Content-Type: text/{kind}{label}\r\nContent-Transfer-Encoding: quoted-printable\r\n"
                );
                class("width by NULs", Fate::Caught, everywhere(fields, quoted));
            }
        }
    }
}

/// Korean and Chinese sets in seven bits, called by an escape and reached by a shift.
#[test]
fn sets_that_are_called_and_shifted_to() {
    for label in ["", "; charset=", "; encoding=iso2022_kr,x"] {
        for host in ["\x1b$)C\x0e,b,Q\x0fypal.com", "\x1b$)A\x0e'b'Q\x0fypal.com"] {
            let body = format!("Please confirm at https://{host}/login today.\r\n");
            let fields = format!("Content-Type: text/plain{label}\r\n");
            class("called sets", Fate::Caught, everywhere(&fields, &body));
            let quoted = body.replace('\x1b', "=1B").replace('\x0e', "=0E").replace('\x0f', "=0F");
            let fields = format!("{fields}Content-Transfer-Encoding: quoted-printable\r\n");
            class("called sets", Fate::Caught, everywhere(fields, quoted));
        }
    }
}

/// Some pass over blank lines before a header; to the others it is empty there.
#[test]
fn headers_behind_blank_lines() {
    for host in HOSTS {
        let fields =
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n";
        let inner = format!("{fields}\r\n{}", base64(text(host)));
        for before in ["\n", "\r\n\r\n", "\r\n \r\n\t\r\n"] {
            let message = format!("{before}Subject: x\r\n{inner}");
            for (label, body) in [("8bit", message.clone()), ("base64", base64(&message))] {
                let fields = format!(
                    "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: {label}\r\n"
                );
                class("blank lines", Fate::Caught, everywhere(fields, body));
            }
            let part = format!("--abc\r\n{before}{inner}\r\n--abc--\r\n");
            let fields = "Content-Type: multipart/mixed; boundary=abc\r\n";
            class("blank lines", Fate::Caught, everywhere(fields, part));
        }
    }
}

/// What hosts are mapped without may stand in the last label, too, before a dot in brackets.
#[test]
fn hosts_with_nothing_in_their_last_label() {
    for nothing in ['\u{FEFF}', '\u{200B}', '\u{2060}', '\u{AD}', '\u{FE0F}'] {
        for host in ["xn--ypal-43d9g.c{}om[.]", "раypal.c{}om[.]", "xn--ypal-4{}3d9g.c{}om[.]"] {
            let host = host.replace("{}", &nothing.to_string());
            for slashes in ["//", "///", "////", "/////"] {
                let body = format!("see https:{slashes}{host} now\r\n");
                let fields = "Content-Type: text/plain; charset=utf-8\r\n";
                class("nothing in a label", Fate::Caught, everywhere(fields, &body));
            }
        }
    }
}
