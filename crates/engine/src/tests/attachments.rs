//! Links in PDFs and in pictures.

use super::*;

#[test]
fn a_pdf_is_reported_and_left_as_it_is() {
    let inspected = |document: &str| {
        let head = b"Content-Type: application/pdf; name=x.pdf\r\n";
        let message = Message { head, body: document.as_bytes() };
        inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new())
    };
    let outcome =
        inspected("%PDF-1.7\n1 0 obj << /S /URI /URI (https://p\u{430}ypal.com/x) >> endobj\n");
    let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
    assert_eq!((finding.verdict, finding.done), (Verdict::Unsafe, Done::Reported));
    assert_eq!(
        (finding.place.to_string().as_str(), finding.target.as_deref()),
        ("pdf[uri]", Some("paypal.com"))
    );
    assert_eq!((outcome.edits.len(), outcome.bypasses.len(), outcome.links), (0, 0, 1));
    // A dangerous scheme is one here as well, and a harmless link is counted.
    let outcome =
        inspected("%PDF-1.7\n<< /URI (javascript:x) >> << /URI (https://www.example.com) >>");
    assert_eq!((outcome.verdict, outcome.links), (Verdict::Unsafe, 2));
    assert_eq!(outcome.passed, ["www.example.com"]);
    // An unreadable PDF stays opaque, and a part that is no PDF is not read.
    assert_eq!(inspected("%PDF-1.7\n<< /Encrypt 1 0 R >>").bypasses.len(), 1);
    let other = inspected("PK\u{3} /URI (https://www.example.com)");
    assert_eq!((other.bypasses.len(), other.links), (1, 0));
}

/// Programs open a file by its name or by its bytes; the label decides nothing.
#[test]
fn a_pdf_is_read_whatever_its_label_says() {
    let document = "%PDF-1.7\n% <a> <html>\n<< /URI (https://p\u{430}ypal.com/x) >>\n";
    for label in [
        "application/pdf",
        "application/octet-stream",
        "application/octet-stream; name=x.pdf",
        "image/png; name=x.pdf",
        "text/plain; name=x.pdf",
        "application/zip",
    ] {
        let head = format!("Content-Type: {label}\r\n");
        let message = Message { head: head.as_bytes(), body: document.as_bytes() };
        let outcome =
            inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new());
        let places: Vec<String> =
            outcome.findings.iter().map(|finding| finding.place.to_string()).collect();
        assert!(places.contains(&"pdf[uri]".to_owned()), "{label}: {places:?}");
    }
}

/// Of two parts of one path, the one that was read removes only its own record.
#[test]
fn a_part_that_is_read_removes_no_record_of_another() {
    let opaque = || ("1".to_owned(), crate::outcome::Bypass::Opaque);
    let mut found = crate::finding::Findings::new(vec![opaque(), opaque()]);
    found.has_read("1");
    found.has_read("2");
    assert_eq!(found.bypasses, [opaque()]);
}

/// A code that leads to a deceptive host is reported if the policy asks for it, and nothing is edited.
#[test]
fn a_code_in_a_picture_is_reported_and_left_as_it_is() {
    let code = qrcode::QrCode::new("https://p\u{430}ypal.com/x").unwrap();
    let (side, colours) = (code.width(), code.to_colors());
    let picture = image::GrayImage::from_fn(300, 300, |x, y| {
        let module = |at: u32| usize::try_from(at / 6).unwrap().checked_sub(4);
        let inside = module(x).zip(module(y)).filter(|(x, y)| *x < side && *y < side);
        let dark = inside.is_some_and(|(x, y)| colours[y * side + x] == qrcode::Color::Dark);
        image::Luma([if dark { 0 } else { 255 }])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let bytes = bytes.into_inner();
    let inspected = |qr_codes: crate::policy::QrCodes, body: &[u8]| {
        let head = b"Content-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n";
        let policy = Policy { qr_codes, ..policy() };
        let message = Message { head, body };
        inspect(message, &Facts::default(), &policy, &tlds()).resolve(&Answers::new())
    };
    let outcome = inspected(crate::policy::QrCodes::Report, &bytes);
    let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
    assert_eq!((finding.verdict, finding.done), (Verdict::Unsafe, Done::Reported));
    assert_eq!(finding.place.to_string(), "qr[code]");
    assert_eq!((outcome.edits.len(), outcome.bypasses.len()), (0, 0));
    let cut = inspected(crate::policy::QrCodes::Report, &bytes[..bytes.len() / 2]);
    assert_eq!(
        (cut.findings.len(), cut.bypasses.len()),
        (0, 1),
        "what could not be looked at is inspected"
    );
    let off = inspected(crate::policy::QrCodes::Off, &bytes);
    assert_eq!((off.findings.len(), off.bypasses.len()), (0, 0));
    // A page with the picture inside it, percent-encoded.
    let escaped: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    let page = |qr_codes, picture: &str| {
        let body = format!("<p>hi<img src=\"data:image/png,{picture}\">\r\n");
        let head = b"Content-Type: text/html\r\n";
        let policy = Policy { qr_codes, ..policy() };
        let message = Message { head, body: body.as_bytes() };
        inspect(message, &Facts::default(), &policy, &tlds()).resolve(&Answers::new())
    };
    let outcome = page(crate::policy::QrCodes::Report, &escaped);
    let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
    let reported = (finding.verdict, finding.done, finding.place.to_string());
    assert_eq!(reported, (Verdict::Unsafe, Done::Reported, "qr[code]".to_owned()));
    assert_eq!((outcome.edits.len(), outcome.bypasses.len()), (0, 0));
    let cut = page(crate::policy::QrCodes::Report, &escaped[..escaped.len() / 2]);
    assert_eq!((cut.findings.len(), cut.bypasses.len()), (0, 1));
    let off = page(crate::policy::QrCodes::Off, &escaped);
    assert_eq!((off.findings.len(), off.bypasses.len()), (0, 0));
}

/// An ordinary picture of few bytes has more pixels than its message has steps: it is searched, and the message read in
/// full. What is beyond the pixels of a message is `opaque`, and never a limit.
#[test]
fn pixels_take_no_steps() {
    let inspected = |width: u32, height: u32, times: usize| {
        let picture = image::GrayImage::from_pixel(width, height, image::Luma([200]));
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        let hex: String = bytes.into_inner().iter().map(|byte| format!("={byte:02X}")).collect();
        let part = format!(
            "--b\r\nContent-Type: image/png\r\n\
             Content-Transfer-Encoding: quoted-printable\r\n\r\n{hex}\r\n"
        );
        let body = format!("{}--b--\r\n", part.repeat(times));
        let message = Message {
            head: b"Content-Type: multipart/mixed; boundary=b\r\n",
            body: body.as_bytes(),
        };
        let policy = Policy { qr_codes: crate::policy::QrCodes::Report, ..policy() };
        inspect(message, &Facts::default(), &policy, &tlds()).resolve(&Answers::new()).bypasses
    };
    assert_eq!(inspected(1_920, 1_080, 1), []);
    assert_eq!(inspected(800, 600, 12), []);
    let beyond = inspected(2_000, 2_000, 6);
    assert_eq!(beyond.len(), 2);
    assert!(beyond.iter().all(|(_, why)| *why == crate::outcome::Bypass::Opaque), "{beyond:?}");
}

/// What Exchange and Outlook show of a message of their own format.
#[test]
fn a_tnef_file_is_reported_and_left_as_it_is() {
    let attribute = |text: &str| {
        let (id, length) = (0x0002_800C_u32.to_le_bytes(), u32::try_from(text.len()).unwrap());
        [&[1][..], &id, &length.to_le_bytes(), text.as_bytes(), &[0, 0]].concat()
    };
    let inspected = |label: &str, text: &str| {
        let head = format!("Content-Type: {label}; name=winmail.dat\r\n");
        let body = [&[0x78, 0x9F, 0x3E, 0x22, 1, 0][..], &attribute(text)].concat();
        let message = Message { head: head.as_bytes(), body: &body };
        inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new())
    };
    for label in ["application/ms-tnef", "application/vnd.ms-tnef", "application/octet-stream"] {
        let outcome = inspected(label, "see https://p\u{430}ypal.com/x and www.example.com");
        let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
        assert_eq!((finding.verdict, finding.done), (Verdict::Unsafe, Done::Reported));
        assert_eq!(finding.place.to_string(), "tnef[body]");
        assert_eq!((outcome.edits.len(), outcome.bypasses.len(), outcome.links), (0, 0, 2));
        assert!(outcome.passed.contains(&"www.example.com".to_owned()));
    }
}

/// Word opens RTF by its first bytes, and follows its fields.
#[test]
fn a_file_of_rtf_is_reported_and_left_as_it_is() {
    let inspected = |head: &str, rtf: &str| {
        let message = Message { head: head.as_bytes(), body: rtf.as_bytes() };
        inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new())
    };
    let field = |url: &str| {
        format!(
            "{{\\rtf1\\ansi{{\\field{{\\*\\fldinst HYPERLINK \"{url}\"}}{{\\fldrslt Log in}}}}}}"
        )
    };
    let heads = [
        "Content-Type: text/rtf; name=x.rtf\r\n",
        "Content-Type: application/rtf\r\n",
        "Content-Type: application/msword; name=x.doc\r\n",
        "Content-Type: text/plain; name=x.doc\r\n",
        "Content-Type: application/msword\r\nContent-Transfer-Encoding: quoted-printable\r\n",
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n",
    ];
    let urls = [
        "https://\\u1088?\\u1072?ypal.com",
        "https://xn--yp{}al-43d9g.com",
        "https://xn--yp{\\*\\x y}al-43d9g.com",
        "https://\\u1088\\'70\\u1072\\'61ypal.com/",
    ];
    for head in heads {
        for url in urls {
            let outcome = inspected(head, &field(url));
            let reported = outcome.findings.iter().any(|it| {
                it.place.to_string() == "rtf[text]"
                    && (it.verdict, it.done) == (Verdict::Unsafe, Done::Reported)
                    && it.target.as_deref() == Some("paypal.com")
            });
            assert!(reported, "{head} {url} {:?}", outcome.findings);
            assert!(outcome.edits.is_empty(), "{head} {url}");
        }
        let outcome = inspected(head, &field("https://www.example.com/"));
        assert!(outcome.findings.is_empty(), "{head} {:?}", outcome.findings);
    }
    // What a field shows may be another host than that it leads to.
    let shown = |host: &str| field("https://fine.example/").replace("Log in", host);
    for (host, verdict) in [("www.paypal.com", Some(Verdict::Suspect)), ("fine.example", None)] {
        let outcome = inspected(heads[1], &shown(host));
        let verdicts = outcome.findings.iter().map(|it| it.verdict).max();
        assert_eq!(verdicts, verdict, "{:?}", outcome.findings);
    }
    // A file inside it may be anything.
    let embeds = "{\\rtf1{\\object{\\*\\objdata 0105}}}";
    assert_eq!(inspected(heads[1], embeds).bypasses.len(), 1);
    assert_eq!(inspected(heads[1], &field("https://www.example.com/")).bypasses.len(), 0);
}
