//! Classes inside a part: markup that only some programs see, calendars and cards, pictures, encodings of
//! other days, and what the net defangs.

use super::*;

/// A document as it stands and in base64.
fn pages(pages: &[String]) -> Vec<Vec<u8>> {
    let fields = "Content-Type: text/html; charset=utf-8\r\n";
    let plain = pages.iter().flat_map(|page| everywhere(fields, page));
    let fields = format!("{fields}Content-Transfer-Encoding: base64\r\n");
    plain.chain(pages.iter().flat_map(|page| everywhere(&fields, base64(page)))).collect()
}

#[test]
fn markup_that_only_some_programs_see() {
    let forms = [
        "<!-- a -- > <a href=\"https://H/login\">your account</a> -->",
        "<p class=\"hello \u{201d}><a href=https://H/login>your account</a><p class=\u{201d}\">hi</p>",
        "<a href=\u{201c}https://H/login\u{201d}>your account</a>",
        "<a href=`https://H/login`>your account</a>",
        "<p title='\"><a href=https://H/login>your account</a>'>hi</p>",
        "<a\0 href=\"https://H/login\">your account</a>",
        "<\0a hr\0ef=\"https://H/login\">your account</a>",
        "<!DOCTYPE html [<!ENTITY u \"https://H/login\">]><html><body><a href=\"&u;\">your account</a></body></html>",
        "<!DOCTYPE html [<!ENTITY a 'b'><!ENTITY u 'https://H/login'>]><a href=\"&u;\">your account</a>",
        "<?xml version=\"1.0\"?><?xml-stylesheet href=\"https://H/login\" type=\"text/xsl\"?><a>hi</a>",
        "<x:html xmlns:x=\"http://www.w3.org/1999/xhtml\"><x:a href=\"https://H/login\">your account</x:a></x:html>",
        "<iframe src=\"data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22><a href=%22https://H/%22>x</a></svg>\"></iframe>",
    ];
    let forms: Vec<String> =
        forms.iter().flat_map(|form| HOSTS.map(|host| form.replace('H', host))).collect();
    class("markup that only some see", Fate::Caught, pages(&forms));
}

/// A host that no entity holds alone.
#[test]
fn entities_of_a_document_beside_one_another() {
    let forms = [
        "<!DOCTYPE html [<!ENTITY a \"1\"><!ENTITY b \"2\">]><a href=\"https://&a;&b;/login\">your account</a>",
        "<!DOCTYPE svg [<!ENTITY b '2'><!ENTITY c '1&b;'>]><svg><text>https://&c;/login</text></svg>",
        "<!DOCTYPE html [<!ENTITY a \"&#60;a href='https://1\"><!ENTITY b \"2/'&#62;\">]>&a;&b;your account</a>",
    ];
    let halves = HOSTS.map(|host| {
        let middle = host.char_indices().nth(2).map_or(0, |(at, _)| at);
        host.split_at(middle)
    });
    let forms: Vec<String> = forms
        .iter()
        .flat_map(|form| halves.map(|(one, two)| form.replace('1', one).replace('2', two)))
        .collect();
    class("entities beside one another", Fate::Caught, pages(&forms));
}

#[test]
fn honest_links_that_nobody_sees_do_not_count() {
    for page in [
        "<!-- <a href=\"https://www.example.org/\">x</a> --><p>hi</p>",
        "<p title='<a href=https://www.example.org/>x</a>'>hi</p>",
        "<!-- <a href=\"javascript:x()\">x</a> --><p>hi</p>",
    ] {
        for message in everywhere("Content-Type: text/html; charset=utf-8\r\n", page) {
            let outcome = judge(&message);
            let of_body = outcome.findings.iter().filter(|finding| finding.part != "0");
            assert_eq!(of_body.count(), 0, "{page}");
            assert_eq!(outcome.edits, [], "{page}");
        }
    }
}

#[test]
fn calendars_and_cards() {
    let url = |host: &str| format!("https://{host}/login");
    let with =
        |around: &str, line: &str| around.replacen("\r\nP\r\n", &format!("\r\n{line}\r\n"), 1);
    let quoted = |text: &str| text.bytes().map(|byte| format!("={byte:02X}")).collect::<String>();
    let event = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nP\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let card = "BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Shop\r\nP\r\nEND:VCARD\r\n";
    let calendar = "Content-Type: text/calendar; charset=utf-8\r\n";
    let mut messages = Vec::new();
    let mut reported = Vec::new();
    for host in HOSTS {
        let escaped = html(host);
        let escaped = escaped.split_once("<p>").unwrap().1.split_once("</p>").unwrap().0;
        let long = quoted(&url(host));
        let (first, second) = long.split_at(21);
        for property in [
            format!("DESCRIPTION:{escaped}"),
            format!("DESCRIPTION;ENCODING=QUOTED-PRINTABLE:{long}"),
            format!("DESCRIPTION;ENCODING=QUOTED-PRINTABLE:{first}=\r\n{second}"),
            format!("URL;QUOTED-PRINTABLE:{long}"),
        ] {
            messages.extend(everywhere(calendar, with(event, &property)));
        }
        for property in [
            format!("NOTE:{escaped}"),
            format!("item1.URL:{}", url(host)),
            format!("URL;ENCODING=QUOTED-PRINTABLE:{long}"),
        ] {
            for kind in [
                "text/vcard",
                "text/x-vcard",
                "text/directory",
                "application/octet-stream; name=a.vcf",
            ] {
                let fields = format!("Content-Type: {kind}; charset=utf-8\r\n");
                messages.extend(everywhere(fields, with(card, &property)));
            }
        }
        let digits = base64(url(host)).replace("\r\n", "");
        for encoding in ["ENCODING=BASE64", "ENCODING=b", "BASE64"] {
            let property = format!("URL;{encoding}:{digits}");
            let fields = "Content-Type: text/vcard; charset=utf-8\r\n";
            reported.extend(everywhere(fields, with(card, &property)));
        }
    }
    class("calendars and cards", Fate::Caught, messages);
    class("calendars and cards in base64", Fate::Reported, reported);
}

#[test]
fn pictures_in_gzip() {
    use std::io::Write as _;
    let mut messages = Vec::new();
    for host in HOSTS {
        let picture = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><a href=\"https://{host}/\"><text>x</text></a></svg>"
        );
        for name in [None, Some("a.svg")] {
            let mut packer = flate2::GzBuilder::new();
            if let Some(name) = name {
                packer = packer.filename(name).extra([1, 2, 3]);
            }
            let mut packer = packer.write(Vec::new(), flate2::Compression::default());
            packer.write_all(picture.as_bytes()).unwrap();
            let body = base64(packer.finish().unwrap());
            for fields in [
                "Content-Type: image/svg+xml\r\nContent-Encoding: gzip\r\n",
                "Content-Type: application/octet-stream; name=\"a.svgz\"\r\n",
            ] {
                let fields = format!("{fields}Content-Transfer-Encoding: base64\r\n");
                messages.extend(everywhere(fields, &body));
            }
        }
    }
    class("pictures in gzip", Fate::Reported, messages);
}

/// A file of SVG is drawn, or opened apart from the message: it is reported and stays as it is. What is a page or
/// a text to any program is no such file.
#[test]
fn files_of_svg() {
    let attached = "Content-Disposition: attachment; filename=\"a.svg\"\r\n";
    let files = [
        "Content-Type: image/svg+xml\r\n".to_owned(),
        "Content-Type: image/svg+xml; charset=utf-8; name=\"a.SVG\"\r\n".to_owned(),
        format!("Content-Type: image/svg+xml\r\n{attached}"),
        format!("Content-Type: application/octet-stream\r\n{attached}"),
        format!("Content-Type: application/pdf\r\n{attached}"),
        format!("Content-Type: image/png\r\n{attached}"),
        "Content-Type: application/octet-stream; name=\"=?utf-8?q?a=2Esvg?=\"\r\n".to_owned(),
    ];
    let pages = [
        format!("Content-Type: text/html\r\n{attached}"),
        format!("Content-Type: application/xhtml+xml\r\n{attached}"),
        "Content-Type: image/svg+xml; name=\"a.html\"\r\n".to_owned(),
        "Content-Type: image/svg+xml; name=\"a.html\"\r\nContent-Disposition: inline; filename=a.svg\r\n"
            .to_owned(),
        "Content-Type: image/svg+xml\r\nContent-Type: text/html\r\n".to_owned(),
    ];
    let bodies = |fields: &str| {
        let of = |host: &str| {
            let host: String = host.chars().map(|c| format!("&#{};", u32::from(c))).collect();
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">\
                 <a href=\"https://{host}/login\"><text y=\"5\">your account</text></a></svg>\r\n"
            )
        };
        let fields = format!("{fields}Content-Transfer-Encoding: base64\r\n");
        HOSTS.iter().flat_map(move |host| everywhere(&fields, base64(of(host)))).collect::<Vec<_>>()
    };
    let all =
        |fields: &[String]| fields.iter().flat_map(|fields| bodies(fields)).collect::<Vec<_>>();
    for message in all(&files) {
        let outcome = judge(&message);
        assert_eq!(outcome.edits, [], "{}", String::from_utf8_lossy(&message));
        let reported = |place: &str| place.starts_with("a[href]");
        assert!(outcome.findings.iter().any(|finding| {
            finding.verdict >= Verdict::Unsafe && reported(&finding.place.to_string())
        }));
        // Where nothing of a message is to be clicked, nothing of its files is.
        let policy = Policy { defang: Defang::All, ..Policy::default() };
        assert!(!judge_by(&message, &policy).edits.is_empty());
    }
    class("files of SVG", Fate::Reported, all(&files));
    class("pages that are called files of SVG", Fate::Caught, all(&pages));
    let link = "Content-Type: text/plain; charset=utf-8; name=\"a.svg\"\r\n";
    let texts = HOSTS.iter().flat_map(|host| everywhere(link, text(host)));
    class("texts that are called files of SVG", Fate::Caught, texts.collect());
}

/// PKCS#7 compressed data (RFC 3274).
/// A PDF, a picture or an office file whose first bytes say so.
fn documents(host: &str) -> [Vec<u8>; 4] {
    let page = html(host);
    let stream = format!("<</Length {}>>stream\n{page}\nendstream\nendobj\n%%EOF\n", page.len());
    let page = page.as_bytes();
    let length = u32::try_from(page.len()).unwrap();
    let sizes = [length.to_le_bytes(), length.to_le_bytes()].concat();
    [
        format!("%PDF-1.4\n1 0 obj\n{stream}").into_bytes(),
        format!("%PDF-1.4\n% <a href=\"https://{host}/login\">\n1 0 obj\n{stream}").into_bytes(),
        [b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", &length.to_be_bytes()[..], b"tEXtComment\0", page]
            .concat(),
        [b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0CRC0", &sizes[..], b"\x05\0\0\0a.xml", page].concat(),
    ]
}

/// Nobody shows such a file as text, and a byte more breaks it: reported, never edited. What a program shows as a
/// text or a page is none, whatever it begins with.
#[test]
fn files_that_are_no_text() {
    let labelled = |kinds: &[&str], which: std::ops::Range<usize>| -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        for kind in kinds {
            for host in HOSTS {
                for file in &documents(host)[which.clone()] {
                    let fields = format!("{kind}Content-Transfer-Encoding: ");
                    messages.extend(everywhere(format!("{fields}base64\r\n"), base64(file)));
                    messages.extend(everywhere(format!("{fields}8bit\r\n"), file));
                }
            }
        }
        messages
    };
    let attached = "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"a.pdf\"\r\n";
    let pdf = [
        "Content-Type: application/pdf; name=\"a.pdf\"\r\n",
        "Content-Type: application/x-pdf\r\n",
        "Content-Type: application/octet-stream\r\n",
        attached,
    ];
    let binary = [
        "Content-Type: application/octet-stream\r\n",
        "Content-Type: application/octet-stream; name=\"a.bin\"\r\n",
        "Content-Type: application/vnd.openxmlformats-officedocument.wordprocessingml.document; name=\"a.docx\"\r\n",
    ];
    let files = [labelled(&pdf, 0..2), labelled(&binary, 2..4)].concat();
    for message in &files {
        for policy in [
            Policy::default(),
            Policy { defang: Defang::All, ..Policy::default() },
            Policy { linkify: Linkify::Html, ..Policy::default() },
        ] {
            let outcome = judge_by(message, &policy);
            assert_eq!(outcome.edits, [], "{}", String::from_utf8_lossy(message));
        }
    }
    class("files that are no text", Fate::Reported, files);
    let shown = [
        "Content-Type: text/plain; charset=utf-8; name=\"a.pdf\"\r\n",
        "Content-Type: text/html; charset=utf-8\r\n",
        "Content-Type: application/xhtml+xml; charset=utf-8\r\n",
        "Content-Type: application/pdf; name=\"a.html\"\r\n",
        "Content-Type: application/pdf\r\nContent-Type: text/html\r\n",
        "",
    ];
    class("texts that begin as a PDF", Fate::Caught, labelled(&shown, 1..2));
}

/// What browsers take for `//`, and JSON writes for it, where a reading of the part sees none.
#[test]
fn slashes_turned_round_in_base64() {
    let mut messages = Vec::new();
    for slashes in [r"\\", r"\/", r"/\", r"\/\/"] {
        for before in ["", "x", "xy"] {
            let host = HOSTS[0];
            let link = format!("\0\x01\x02{before}https:{slashes}{host}/login");
            let fields = "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n";
            messages.extend(everywhere(fields, base64(link)));
        }
    }
    class("slashes turned round in base64", Fate::Reported, messages);
}

fn compressed(content: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(content).unwrap();
    let octets = der(0xA0, &der(4, &packer.finish().unwrap()));
    let data = der(6, b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01");
    let algorithm = der(0x30, &der(6, b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x03\x08"));
    let fields = [der(2, b"\0"), algorithm, der(0x30, &[data, octets].concat())].concat();
    let oid = b"\x06\x0B\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x09";
    der(0x30, &[oid.as_slice(), &der(0xA0, &der(0x30, &fields))].concat())
}

#[test]
fn compressed_data_is_no_secret() {
    let messages = HOSTS.iter().flat_map(|host| {
        let inner = format!("Content-Type: text/html\r\n\r\n{}\r\n", html(host));
        let fields = "Content-Type: application/pkcs7-mime; smime-type=compressed-data; name=smime.p7z\r\n\
                      Content-Transfer-Encoding: base64\r\n";
        everywhere(fields, base64(compressed(inner.as_bytes())))
    });
    class("compressed data", Fate::Reported, messages.collect());
}

/// Uuencode lines, each with what stands behind its digits.
fn uu(text: &str, begin: &str, behind: &str) -> String {
    let digit = |value: u32| char::from(if value == 0 { b'`' } else { b' ' + value as u8 });
    let mut out = format!("{begin}\r\n");
    for line in text.as_bytes().chunks(45) {
        out.push(digit(line.len() as u32));
        for unit in line.chunks(3) {
            let byte = |at: usize| u32::from(unit.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            out.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift & 63)));
        }
        out += behind;
        out += "\r\n";
    }
    out + "`\r\nend\r\n"
}

#[test]
fn uuencode_by_its_length_bytes() {
    let mut messages = Vec::new();
    for host in HOSTS {
        for (begin, behind) in [
            ("begin 644 a.html", ""),
            ("begin 644 a.html", "AAAAAAAAAAAA"),
            ("begin 644 a.html", "  "),
            ("begin 644 ", ""),
            ("begin 7 a.html", ""),
            ("begin 100644 a.html", ""),
        ] {
            let body = uu(&html(host), begin, behind);
            messages.extend(everywhere("Content-Type: text/plain\r\n", &body));
            let fields = "Content-Type: text/html\r\nContent-Transfer-Encoding: x-uuencode\r\n";
            messages.extend(everywhere(fields, &body));
        }
    }
    class("uuencode", Fate::Caught, messages);
}

/// A block of uuencode whose name is that of a message is opened as one, whatever it stands in.
#[test]
fn messages_in_blocks_of_uuencode() {
    let mut messages = Vec::new();
    for (host, name) in HOSTS.iter().flat_map(|host| ["a.eml", "b c.MHT"].map(|name| (host, name)))
    {
        let quoted: String = html(host).bytes().map(|byte| format!("={byte:02X}")).collect();
        let inner = [("base64", base64(html(host))), ("quoted-printable", quoted)];
        for (encoding, body) in inner {
            let inside = format!(
                "Subject: Fwd\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{body}"
            );
            let text = format!("hello\r\n\r\n{}", uu(&inside, &format!("begin 644 {name}"), ""));
            messages.extend(everywhere("", &text));
            messages.extend(everywhere("Content-Type: text/plain\r\n", &text));
            let packed = "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n";
            messages.extend(everywhere(packed, base64(&text)));
        }
    }
    class("messages in blocks", Fate::Caught, messages);
}

#[test]
fn what_the_net_reads_but_cannot_edit() {
    let plain = format!("<a href=\"https://{}/login\">x</a>", HOSTS[1]);
    let yenc: Vec<u8> = plain
        .bytes()
        .flat_map(|byte| match byte.wrapping_add(42) {
            odd @ (0 | 10 | 13 | 61) => vec![b'=', odd.wrapping_add(64)],
            byte => vec![byte],
        })
        .collect();
    let yenc =
        [b"=ybegin line=128 size=9 name=a.html\r\n", yenc.as_slice(), b"\r\n=yend size=9\r\n"];
    let ebcdic = b"\x88\xA3\xA3\x97\xA2\x7A\x61\x61\xA7\x95\x60\x60\xA8\x97\x81\x93\x60\xF4\xF3\x84\xF9\x87\x4B\x83\x96\x94\x61";
    let mut messages = everywhere("Content-Type: text/plain\r\n", yenc.concat());
    let fields = "Content-Type: text/plain\r\nContent-Transfer-Encoding: ";
    let escaped: String = yenc.concat().iter().map(|byte| format!("={byte:02X}=\r\n")).collect();
    messages.extend(everywhere(format!("{fields}base64\r\n"), base64(yenc.concat())));
    messages.extend(everywhere(format!("{fields}quoted-printable\r\n"), escaped));
    for body in [
        &ebcdic[..],
        b"https://\x1b$B'b'Q\x1b(Bypal.com/",
        b"https://+BEAEMA-ypal.com/",
        b"see https://==D1==80==D0==B0ypal.com/ now",
    ] {
        messages.extend(everywhere("Content-Type: image/png\r\n", body));
    }
    class("what the net reads", Fate::Reported, messages);
}

#[test]
fn what_the_net_defangs() {
    let mut messages = Vec::new();
    for slash in ['\u{2044}', '\u{2215}', '\u{29F8}', '\u{1735}', '\u{2571}'] {
        let url = format!("https://www.paypal.com{slash}login.evil.example/");
        messages.extend(everywhere(
            "Content-Type: text/plain; charset=utf-8\r\n",
            format!("Please confirm at {url} now.\r\n"),
        ));
    }
    class("look-alikes of a slash", Fate::Caught, messages);
}

#[test]
fn labels_that_some_see_through() {
    let fields = [
        "Content-Type: text/html\r\nContent-Transfer-Encoding: x-base64\r\n",
        "X-Odd\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: image/png; name=\"a.html;1\"\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: application/vnd.ms-excel; name=\"a.xls\"\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Type: text/rtf\r\nContent-Transfer-Encoding: base64\r\n",
    ];
    class("labels that some see through", Fate::Caught, encoded(&fields));
    let inner = |host| {
        format!(
            "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n",
            base64(html(host))
        )
    };
    let reports = ["message/delivery-status", "message/disposition-notification"];
    let reports = reports.iter().flat_map(|kind| {
        HOSTS
            .iter()
            .flat_map(move |host| everywhere(format!("Content-Type: {kind}\r\n"), inner(host)))
    });
    class("messages in reports", Fate::Caught, reports.collect());
    let encrypted = HOSTS.map(|host| {
        format!(
            "{HEAD}Content-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\nContent-Type: application/pgp-encrypted\r\n\r\n\
             Version: 1\r\n--b\r\nContent-Type: application/octet-stream; name=a.html\r\nContent-Transfer-Encoding: base64\r\n\r\n{}--b--\r\n",
            base64(html(host))
        )
        .into_bytes()
    });
    class("a page among what is encrypted", Fate::Caught, encrypted.to_vec());
}

#[test]
fn charsets_by_their_numbers() {
    let mut messages = Vec::new();
    for label in ["8859_5", "iso8859_5", "28595", "ccsid8859-5", "windows-28595"] {
        messages.extend(in_charset(label, letters(b"\xE0", b"\xD0")));
    }
    for label in ["windows-1251/utf-8", "windows-1251:x", "cp1251 x", "1251"] {
        messages.extend(in_charset(label, letters(b"\xF0", b"\xE0")));
    }
    for label in ["10007", "cp10007", "x-mac-cyrillic"] {
        messages.extend(in_charset(label, letters(b"\xF0", b"\xE0")));
    }
    for label in ["20866", "cp20866"] {
        messages.extend(in_charset(label, letters(b"\xD2", b"\xC1")));
    }
    for label in ["x-IBM855", "cp855", "ibm-855"] {
        messages.extend(in_charset(label, letters(b"\xE1", b"\xA0")));
    }
    class("numbers of charsets", Fate::Caught, messages);
}

#[test]
fn contradictory_boundaries_are_ambiguous() {
    let link = "<a href=\"https://www.example.com/\">here</a>";
    for parameters in ["; boundary=abc; boundary=def", "; boundary=abc(x)", "; boundary=\"a\\bc\""]
    {
        let message = format!(
            "{HEAD}Content-Type: multipart/mixed{parameters}\r\n\r\n--abc\r\nContent-Type: text/html\r\n\r\n{link}\r\n--abc--\r\n"
        );
        let outcome = judge(message.as_bytes());
        let said = outcome.findings.iter().any(|f| f.reasons.contains(Reason::AmbiguousStructure));
        assert!(said, "{parameters}");
    }
}

#[test]
fn a_body_inside_a_header() {
    let part = format!(
        "Content-Type: text/html\rContent-Transfer-Encoding: base64\r\r{}",
        base64(html(HOSTS[0])).replace("\r\n", "\r")
    );
    let message = format!("{HEAD}{part}\r\n\r\nhi\r\n");
    class("a body inside a header", Fate::Reported, vec![message.into_bytes()]);
}

#[test]
fn fields_that_some_program_makes_clickable() {
    let fields = ["Archived-At", "X-URL", "Organization", "OpenPGP", "X-Anything"];
    let messages = fields.iter().flat_map(|name| {
        HOSTS.map(|host| format!("{HEAD}{name}: <https://{host}/login>\r\n\r\nhi\r\n").into_bytes())
    });
    class("clickable fields", Fate::Reported, messages.collect());
    let honest = format!("{HEAD}X-URL: <https://www.example.org/?a=%20>\r\n\r\nhi\r\n");
    assert!(judge(honest.as_bytes()).findings.is_empty());
}

/// A host in front of the at sign deceives in plain ASCII.
#[test]
fn userinfo_in_any_field() {
    let fields =
        ["Archived-At", "Content-Base", "Content-Location", "Link", "Organization", "X-URL"];
    for value in [
        "<https://www.paypal.com@evil.example/x>",
        "see https://www.paypal.com:443@evil.example/x",
        "=?utf-8?q?https://www.paypal.com@evil.example/x?=",
    ] {
        let message = |name| format!("{HEAD}{name}: {value}\r\n\r\nhi\r\n").into_bytes();
        class("userinfo in fields", Fate::Reported, fields.map(message).to_vec());
    }
    for honest in ["X-Git: ssh://git@git.example.org/x", "X-Id: <a//b@example.org>"] {
        let honest = format!("{HEAD}{honest}\r\n\r\nhi\r\n");
        assert!(judge(honest.as_bytes()).findings.is_empty(), "{honest}");
    }
}

/// What stands where an address should is a link to those who show the field.
#[test]
fn urls_where_addresses_should_be() {
    let fields = ["Bcc", "Cc", "Reply-To", "Resent-From", "Sender", "To"];
    for host in HOSTS {
        for value in [
            format!("<https://{host}/login>"),
            format!("Shop <https://{host}/login>"),
            format!("https://{host}/login"),
            "<https://www.paypal.com@evil.example>".to_owned(),
            "Shop <https://www.paypal.com@evil.example/x>".to_owned(),
        ] {
            let message = |name| format!("{HEAD}{name}: {value}\r\n\r\nhi\r\n").into_bytes();
            class("URLs for addresses", Fate::Reported, fields.map(message).to_vec());
        }
    }
    let honest = format!("{HEAD}Reply-To: <https://www.example.org/>\r\n\r\nhi\r\n");
    assert!(judge(honest.as_bytes()).findings.is_empty());
}

/// A line that mail cannot have would be broken on its way.
#[test]
fn what_the_net_defangs_leaves_lines_that_mail_can_have() {
    let host = |number: usize| {
        format!("https://www.paypal.com\u{2044}a.b.c.d.e.f.g.h.i.j.k.l.m.n{number}.evil.example/ ")
    };
    for count in 1..13 {
        let line: String = (0..count).map(host).collect();
        let head = "From: a@b.example\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n";
        let raw = format!("{head}{line}\r\n");
        let outcome = judge(raw.as_bytes());
        let new = String::from_utf8(outcome.apply(raw.as_bytes()).to_vec()).unwrap();
        let body = new.split("\r\n\r\n").nth(1).unwrap();
        assert!(body.contains("[.]") && !body.contains("[["), "{count}: {body}");
        assert!(body.lines().all(|line| line.len() <= 998), "{count}: {body}");
        let mut names: Vec<&str> =
            outcome.findings.iter().map(|finding| finding.ascii.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
    }
}
