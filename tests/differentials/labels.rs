//! Classes in which a part is not what its label says, and links in markup that is none.

use super::*;

/// The field name folded before its colon, the type behind eight others, a fold inside a word.
#[test]
fn fields_that_some_put_together() {
    let decoys: String = (0..9).map(|n| format!("Content-Type: image/x{n}\r\n")).collect();
    let base64 = "Content-Transfer-Encoding: base64\r\n";
    class(
        "fields that some put together",
        Fate::Caught,
        encoded(&[
            &format!("Content-Type\r\n : text/html\r\n{base64}"),
            &format!("Content-Type \r\n\t \r\n : text/html\r\n{base64}"),
            "Content-Type: text/html\r\nContent-Transfer-Encoding\n : base64\r\n",
            "Content-Type: text/html\r\nContent-Transfer-Encoding: base\r\n 64\r\n",
            &format!("{decoys}Content-Type: text/html\r\n{base64}"),
            &format!("Content-Type: text/html\r\n{decoys}{base64}"),
        ]),
    );
}

/// What is labelled as a picture, a sound or an office text, and is none.
#[test]
fn text_under_the_label_of_a_picture() {
    for label in ["image/png; text/html", "image/gif; name=a.gif", "audio/mpeg", "font/woff"] {
        for host in HOSTS {
            let fields = format!("Content-Type: {label}\r\nContent-Transfer-Encoding: base64\r\n");
            class("pictures", Fate::Caught, everywhere(&fields, base64(html(host))));
            class("pictures", Fate::Caught, everywhere(&fields, base64(text(host))));
        }
    }
    for host in HOSTS {
        let rtf = format!(
            "{{\\rtf1 {{\\field{{\\*\\fldinst HYPERLINK \"https://{host}/login\"}}}}}}\r\n"
        );
        let messages = everywhere("Content-Type: text/rtf; charset=utf-8\r\n", &rtf);
        for message in &messages {
            assert!(!judge(message).bypasses.iter().any(|(_, why)| why.to_string() == "opaque"));
        }
        class("office text", Fate::Caught, messages);
    }
    // A picture is one.
    let png = base64(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR https://p\xd0\xb0ypal.com/");
    let fields = "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n";
    for message in everywhere(fields, png) {
        assert!(judge(&message).edits.is_empty());
    }
}

/// Markup that leads nowhere in HTML: programs that show it as text make a link of the URL in it.
#[test]
fn urls_in_markup_that_is_none() {
    for host in HOSTS {
        for body in [
            format!("<a href='x https://{host}/login'>x</a>"),
            format!("<a\u{b}href=https://{host}/login>x</a>"),
            format!("</a href=https://{host}/login>x</a>"),
            format!("<meta http-equiv=Link content='<https://{host}/login>; rel=stylesheet'>"),
            format!("<!-- https://{host}/login -->"),
            format!("<a data-unsafe-href='https://{host}/login'>x</a>"),
            format!("<a\0href=\"https://{host}/login\">x</a>"),
        ] {
            let fields = "Content-Type: text/html; charset=utf-8\r\n";
            class("markup that is none", Fate::Caught, everywhere(fields, body));
        }
    }
}

/// `begin` in capitals, inside a page, below an encoding that nobody knows.
#[test]
fn blocks_of_uuencode_wherever_they_stand() {
    for host in HOSTS {
        let page = html(host);
        for (label, encoding, begin) in [
            ("text/plain", "7bit", "BEGIN 644 a.html"),
            ("text/plain", "7bit", "Begin 644 a.html"),
            ("text/html", "mac-binhex40", "table\r\nbegin 644 a.html"),
            ("text/x-uuencode; name=a.html", "8bit", "begin 644 a.html"),
            ("text/html", "8bit", "<p>begin 644 b\r\nbegin 644 a.html"),
        ] {
            let body = format!("{begin}\r\n{}\r\n`\r\nend\r\n", uuencoded(page.as_bytes()));
            let fields =
                format!("Content-Type: {label}\r\nContent-Transfer-Encoding: {encoding}\r\n");
            class("uuencode", Fate::Caught, everywhere(&fields, body));
        }
    }
}

/// What some drop between the sign of a soft break and the next line.
#[test]
fn breaks_with_more_behind_the_sign() {
    for gap in ["\u{c}\r\n", "\u{b} \r\n", "\u{1}\r\n", "\n\r"] {
        let fields = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n";
        let body =
            format!("see https://=78=6E={gap}=2D=2D=79pal=2D=34=33=64=39=67=2E=63=6F=6D/\r\n");
        class("soft breaks", Fate::Caught, everywhere(fields, body));
    }
    // To Python all up to the line end is nothing.
    for gap in ["\r.example/ or\n", "\r.example/=2F\r\n", "\r\r.example/\n"] {
        let fields = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n";
        let body = format!("see https://x={gap}n--ypal-43d9g.com/ now\r\n");
        class("soft breaks", Fate::Caught, everywhere(fields, body));
    }
}

fn uuencoded(bytes: &[u8]) -> String {
    let digit = |value: u32| match value & 63 {
        0 => '`',
        value => char::from(b' ' + value as u8),
    };
    let lines = bytes.chunks(45).map(|line| {
        let mut out = String::from(digit(line.len() as u32));
        for unit in line.chunks(3) {
            let byte = |at: usize| unit.get(at).map_or(0, |byte| u32::from(*byte));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            out.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
        }
        out
    });
    lines.collect::<Vec<_>>().join("\r\n")
}
/// Bytes that are no characters of the charset that is labelled: nobody opens a host with a replacement character.
#[test]
fn hosts_that_cannot_be_decoded_are_opened_by_nobody() {
    for body in [
        b"<p>Hi <a href=\"https://www.b\xfccher.de/\">Shop</a></p>\r\n".as_slice(),
        b"<p>Hi <a href=\"mailto:info@b\xfccher.de\">Post</a></p>\r\n",
        b"<p>Hi <a href=\"http://\xd6\xd0\xce\xc4.com/\">Web</a></p>\r\n",
        "<p>Hi <a href=\"https://www.b\u{fffd}cher.de/\">Shop</a></p>\r\n".as_bytes(),
    ] {
        let fields = b"From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
        let outcome = judge(&[fields.as_slice(), body].concat());
        assert!(outcome.verdict <= Verdict::Notice, "{:?}", outcome.findings);
        assert!(outcome.edits.is_empty(), "{}", body.escape_ascii());
    }
}

/// A multipart that some take for a text, as its boundary has a comma: no encoding may wrap it (RFC 2045 §6.4).
#[test]
fn no_multipart_is_encoded_anew() {
    let long = "x".repeat(1_000);
    let lie = "<!-- https://www.p\u{430}ypal.com/ -->";
    for boundary in ["a,b", "'()+_,-./:=?"] {
        for (front, behind) in [
            (String::new(), format!("{long}{lie}\r\n")),
            (format!("{long}{lie}\r\n"), String::new()),
        ] {
            let raw = format!(
                "From: a@b.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n\
                 Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n{front}--{boundary}\r\n\
                 Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\
                 <p>Hi</p>\r\n{behind}\r\n--{boundary}--\r\n"
            );
            let outcome = judge(raw.as_bytes());
            assert!(outcome.head_edits.is_empty(), "{boundary}: {:?}", outcome.head_edits);
            let body = raw.split_once("\r\n\r\n").unwrap().1;
            let new = linkmilter::engine::splice::apply(body.as_bytes(), &outcome.edits).to_vec();
            let delimiters = new
                .windows(boundary.len() + 2)
                .filter(|w| *w == format!("--{boundary}").as_bytes());
            assert_eq!(delimiters.count(), 2, "{boundary}");
            assert!(!String::from_utf8_lossy(&new).contains("p\u{430}ypal"), "{boundary}");
        }
    }
}

/// Bytes like those of packed data.
fn packed() -> Vec<u8> {
    (0..1_200_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// A text that begins like an archive, with a name of nothing or of any file.
#[test]
fn text_with_a_name_that_begins_like_a_file() {
    let signatures =
        [&b"BZh\x7F"[..], b"GIF8\x01", b"PK\x03\x04", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"];
    let mut messages = Vec::new();
    for names in ["; name=\"\"", "; name=\" \"", "; name=x", "; name=a.zip", "; name=a.png"] {
        for kind in ["text/plain", "text-plain", "plain/text"] {
            for signature in signatures {
                let fields = format!("Content-Type: {kind}; charset=utf-8{names}\r\n");
                let body = [signature, b"\n\n", text(HOSTS[1]).as_bytes()].concat();
                messages.extend(everywhere(fields, body));
            }
        }
    }
    class("signatures of files before a text", Fate::Caught, messages);
    // An archive is one.
    let archive = [b"PK\x03\x04", &packed()[..], text(HOSTS[1]).as_bytes()].concat();
    let fields = "Content-Type: text/plain; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n";
    for message in everywhere(fields, base64(archive)) {
        assert!(judge(&message).edits.is_empty());
    }
}

/// What has no readable type is text (RFC 2045 §5.2), although it is called a picture or a signature.
#[test]
fn text_without_a_type_that_is_called_a_picture() {
    let mut messages = Vec::new();
    for kind in ["", "plain", "text-plain", "text-plain; charset=utf-8"] {
        for name in ["a.png", "a.gif", "a.asc", "a.p7s"] {
            for before in ["", "\x01"] {
                let fields = format!(
                    "Content-Type: {kind}\r\nContent-Disposition: inline; filename={name}\r\n"
                );
                messages.extend(everywhere(fields, format!("{before}{}", text(HOSTS[1]))));
            }
        }
    }
    class("pictures without a type", Fate::Caught, messages);
    // A picture is one.
    let lie = text(HOSTS[1]);
    let picture = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &packed()[..], lie.as_bytes()];
    for kind in ["", "plain; name=a.png", "png; name=a.png"] {
        let fields = format!(
            "Content-Type: {kind}\r\nContent-Disposition: inline; filename=a.png\r\n\
             Content-Transfer-Encoding: base64\r\n"
        );
        for message in everywhere(fields, base64(picture.concat())) {
            assert!(judge(&message).edits.is_empty(), "{kind}");
        }
    }
}

/// The parameters that decide how a part is read, behind more others than are read.
#[test]
fn parameters_behind_many_others() {
    let others: String = (0..250).map(|n| format!(";\r\n a{n}=b")).collect();
    let lie = text(HOSTS[1]);
    let (koi8, _, _) = encoding_rs::KOI8_R.encode(&lie);
    let (start, end) = lie.split_once("ypal").unwrap();
    let flowed = format!("{start}yp \r\nal{end}");
    for late in ["charset=koi8-r", "charset*0=koi8; charset*1=-r", "charset*=''koi8-r"] {
        let fields = format!(
            "Content-Type: text/plain{others}; {late}\r\nContent-Transfer-Encoding: base64\r\n"
        );
        class("late charsets", Fate::Caught, everywhere(fields, base64(&koi8)));
    }
    let fields =
        format!("Content-Type: text/plain; charset=utf-8{others}; format=flowed; delsp=yes\r\n");
    class("late formats", Fate::Caught, everywhere(fields, flowed));
}
