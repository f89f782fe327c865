//! Links in office documents and in files of archives that are attached.

use proptest::prelude::*;

use super::*;
use crate::outcome::Bypass;

const LIE: &str = "https://p\u{430}ypal.com/x";

fn number(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap().to_le_bytes()
}

fn packed(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * data.len() + 100);
    let mut packer = flate2::Compress::new(flate2::Compression::best(), false);
    packer.compress_vec(data, &mut out, flate2::FlushCompress::Finish).unwrap();
    out
}

/// An archive of files that are deflated.
fn zip<D: AsRef<[u8]>>(files: &[(&str, D)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in files {
        let (name, data) = (name.as_bytes(), packed(data.as_ref()));
        let [length, name_length] = [data.len(), name.len()].map(number);
        let what = [&[20, 0, 0, 0, 8][..], &[0; 9], &length, &length, &name_length].concat();
        let offset = number(out.len());
        directory.extend([b"PK\x01\x02\x14\0", what.as_slice(), &[0; 10], &offset, name].concat());
        out.extend([b"PK\x03\x04", what.as_slice(), name, &data].concat());
    }
    let (start, length) = (number(out.len()), number(directory.len()));
    out.extend([directory.as_slice(), b"PK\x05\x06", &[0; 8], &length, &start, &[0, 0]].concat());
    out
}

/// A document whose text this is, with relationships of these targets.
fn docx(xml: &str, targets: &[&str]) -> Vec<u8> {
    let relation = |(at, target): (usize, &&str)| {
        format!(
            "<Relationship Id=\"r{at}\" Type=\"http://schemas.openxmlformats.org/x\" \
             Target=\"{target}\" TargetMode=\"External\"/>"
        )
    };
    let relations: String = targets.iter().enumerate().map(relation).collect();
    let document = format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">{xml}"
    );
    zip(&[
        ("[Content_Types].xml", "<Types xmlns=\"http://schemas.openxmlformats.org/x\"/>"),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &format!("<Relationships>{relations}</Relationships>")),
        ("word/media/image1.png", "\u{1}"),
    ])
}

/// What becomes of a file that is attached: nothing is edited.
fn attached(label: &str, file: &[u8]) -> Outcome {
    let head = format!("Content-Type: {label}\r\nContent-Transfer-Encoding: binary\r\n");
    let message = Message { head: head.as_bytes(), body: file };
    let facts = Facts { recipient_domains: vec!["harbour.com".to_owned()], ..Facts::default() };
    let outcome = inspect(message, &facts, &policy(), &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.edits, [], "{label}");
    outcome
}

/// The worst verdict of findings at this place, and whether something is unread.
fn worst(label: &str, file: &[u8], place: &str) -> (Option<Verdict>, bool) {
    let outcome = attached(label, file);
    assert!(outcome.bypasses.iter().all(|(_, why)| *why == Bypass::Opaque), "{label}");
    let findings = outcome.findings.iter();
    let here = findings.filter(|one| one.place.to_string() == place && one.part == "1");
    let worst = here.inspect(|one| assert_eq!(one.done, Done::Reported)).map(|one| one.verdict);
    (worst.max(), !outcome.bypasses.is_empty())
}

const DOCX: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document; name=x.docx";

#[test]
fn a_document_is_reported_and_left_as_it_is() {
    let file = docx("<w:hyperlink r:id=\"r0\"><w:t>Log in</w:t></w:hyperlink>", &[LIE]);
    for label in
        [DOCX, "application/octet-stream", "application/zip; name=x.zip", "image/png; name=x.docx"]
    {
        assert_eq!(worst(label, &file, "office[link]").0, Some(Verdict::Unsafe), "{label}");
    }
    assert_eq!(worst(DOCX, &file, "office[link]"), (Some(Verdict::Unsafe), false));
    let target = attached(DOCX, &file).findings.into_iter().find_map(|one| one.target);
    assert_eq!(target.as_deref(), Some("paypal.com"));
    let front = [&[b'-'; 5_000][..], &file].concat();
    assert_eq!(worst(DOCX, &front, "office[link]"), (Some(Verdict::Unsafe), false));
    let cut = &file[..file.len() - 90];
    assert_eq!(worst(DOCX, cut, "office[link]"), (Some(Verdict::Unsafe), true));
}

#[test]
fn what_a_document_loads_and_shows_is_judged() {
    let shown = |text: &str| format!("<w:hyperlink r:id=\"r0\"><w:t>{text}</w:t></w:hyperlink>");
    for (xml, target, verdict) in [
        ("", "file://evil.com/x.dotm", Some(Verdict::Unsafe)),
        ("", r"\\evil.com\s\x.dotm", Some(Verdict::Unsafe)),
        ("", "search-ms:query=x&amp;crumb=location:evil.com", Some(Verdict::Unsafe)),
        (shown("www.paypal.com").as_str(), "https://www.example.com/x", Some(Verdict::Suspect)),
        (shown("www.example.com").as_str(), "https://www.example.com/x", None),
        (shown("Log in").as_str(), "https://www.example.com/x", None),
        ("", "mailto:ann@example.com", None),
        ("", "../plan.docx", None),
        ("", "#_Toc1", None),
        ("", "file:///C:\\Users\\Ann\\Templates\\Normal.dotm", None),
        ("", r"\\files.harbour.com\plans\a.docx", Some(Verdict::Notice)),
    ] {
        let found = worst(DOCX, &docx(xml, &[target]), "office[link]");
        assert_eq!(found, (verdict, false), "{xml} {target}");
    }
    let field = format!("<w:fldSimple w:instr='HYPERLINK \"{LIE}\"'/>");
    assert_eq!(worst(DOCX, &docx(&field, &[]), "office[link]").0, Some(Verdict::Unsafe));
    let run = "<w:instrText>DDEAUTO cmd \"/k calc\"</w:instrText>";
    assert_eq!(worst(DOCX, &docx(run, &[]), "office[link]").0, Some(Verdict::Unsafe));
    let sheet = format!("<c><f>HYPERLINK(\"{LIE}\",\"x\")</f></c>");
    let xlsx = zip(&[("[Content_Types].xml", "<Types/>"), ("xl/sheet1.xml", &sheet)]);
    assert_eq!(worst("application/x; name=x.xlsx", &xlsx, "office[link]").0, Some(Verdict::Unsafe));
    let text = format!("<office:document-content><text:a xlink:href=\"{LIE}\">x</text:a>");
    let odt = zip(&[("mimetype", "x"), ("content.xml", &text), ("META-INF/manifest.xml", "<m/>")]);
    let label = "application/vnd.oasis.opendocument.text; name=x.odt";
    assert_eq!(worst(label, &odt, "office[link]"), (Some(Verdict::Unsafe), false));
}

#[test]
fn files_of_an_archive_are_read_as_if_they_were_attached() {
    let page = format!("<a href=\"{LIE}\">Log in</a>");
    let pdf = format!("%PDF-1.7\n<< /URI ({LIE}) >>\n%%EOF");
    let letter = format!("Subject: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}");
    for (name, file) in [
        ("a.html", page.clone()),
        ("b/c.XHTML", page.clone()),
        ("a.svg", format!("<svg><a href=\"{LIE}\"><text>x</text></a></svg>")),
        ("a.txt", format!("see {LIE} now")),
        ("a.eml", letter),
        (
            "a.ics",
            format!(
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nURL:{LIE}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
            ),
        ),
        ("a.url", format!("[InternetShortcut]\r\nURL={LIE}\r\n")),
        ("b.url", "[InternetShortcut]\r\nURL=file://evil.com/x\r\n".to_owned()),
        ("a.pdf", pdf.clone()),
        ("a.dat", pdf),
        ("a.xml", format!("<x><url>{LIE}</url></x>")),
    ] {
        let file = zip(&[(name, file)]);
        let found = worst("application/zip; name=x.zip", &file, "zip[file]");
        assert_eq!(found, (Some(Verdict::Unsafe), false), "{name}");
    }
    let book = zip(&[
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", "<container/>"),
        ("OEBPS/1.xhtml", &page),
    ]);
    let found = worst("application/epub+zip; name=x.epub", &book, "zip[file]");
    assert_eq!(found, (Some(Verdict::Unsafe), false));
    for (name, unread) in [("a.png", false), ("a.exe", true), ("a.js", true), ("f/", false)] {
        let found = worst("application/zip", &zip(&[(name, "x")]), "zip[file]");
        assert_eq!(found, (None, unread), "{name}");
    }
    let fine = zip(&[("a.html", "<a href=https://www.example.com/>www.example.com</a>")]);
    let outcome = attached("application/zip", &fine);
    assert_eq!((outcome.findings.len(), outcome.bypasses.len()), (0, 0));
    assert_eq!(
        (outcome.passed.as_slice(), outcome.links),
        (&["www.example.com".to_owned()][..], 2)
    );
}

#[test]
fn an_archive_in_an_archive_is_read_once() {
    // Packed, so that no program finds it as text.
    let page = format!("{}<a href=\"{LIE}\">Log in</a>", "<p>hello hello hello".repeat(9));
    let page = zip(&[("a.html", page)]);
    let outer = zip(&[("a.zip", &page)]);
    let label = "application/zip; name=x.zip";
    assert_eq!(worst(label, &outer, "zip[file]"), (Some(Verdict::Unsafe), false));
    let document = zip(&[("a.docx", docx("", &[LIE]))]);
    assert_eq!(worst(label, &document, "zip[file]"), (Some(Verdict::Unsafe), false));
    assert_eq!(worst(label, &zip(&[("b.zip", &outer)]), "zip[file]"), (None, true));
}

/// What is in front of an archive may be a file of another kind.
#[test]
fn a_file_of_two_kinds_is_read_as_both() {
    let other = "http://xn--pypal-4ve.com/";
    let pdf = format!("%PDF-1.7\n<< /URI ({other}) >>\n%%EOF\n");
    let file = [pdf.as_bytes(), &docx("", &[LIE])].concat();
    for label in ["application/pdf; name=x.pdf", DOCX] {
        assert_eq!(worst(label, &file, "office[link]").0, Some(Verdict::Unsafe), "{label}");
        assert_eq!(worst(label, &file, "pdf[uri]").0, Some(Verdict::Unsafe), "{label}");
    }
}

/// An archive takes a part of the steps: what it cannot have is unread, and never a limit of the message.
#[test]
fn an_archive_leaves_steps_to_the_rest() {
    let links = "<a href=https://www.example.com/>x</a>".repeat(6_000);
    let long = "https://www.example.com/ ".repeat(60_000);
    let lure = format!("<a href=\"{LIE}\">x</a>");
    let file = zip(&[("a.html", &links), ("b.txt", &long), ("c.html", &lure)]);
    let part =
        |head: &str, body: &[u8]| [b"--b\r\n", head.as_bytes(), b"\r\n", body, b"\r\n"].concat();
    let archive = "Content-Type: application/zip\r\nContent-Transfer-Encoding: binary\r\n";
    let text = "Content-Type: text/plain; charset=utf-8\r\n";
    let body = [part(archive, &file), part(text, LIE.as_bytes()), b"--b--\r\n".to_vec()].concat();
    let head = b"Content-Type: multipart/mixed; boundary=b\r\n";
    let policy = Policy {
        limits: policy::limits::Limits { steps_per_byte: 4, ..policy().limits },
        ..policy()
    };
    let message = Message { head, body: &body };
    let outcome = inspect(message, &Facts::default(), &policy, &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.bypasses, [("1".to_owned(), Bypass::Opaque)]);
    assert!(!outcome.edits.is_empty());
    let in_file = |one: &&Finding| one.place.to_string() == "zip[file]";
    assert!(
        outcome.findings.iter().find(in_file).is_some_and(|one| one.verdict == Verdict::Unsafe)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Damage anywhere ends nothing, is no limit, and takes no more steps than there are.
    #[test]
    fn damaged_archives_are_read_within_bounds(
        at in prop::collection::vec((0_usize..2_000, any::<u8>()), 0..12),
        cut in 0_usize..2_000,
        front in 0_usize..40,
    ) {
        let inner = zip(&[("a.html", format!("<a href=\"{LIE}\">x</a>"))]);
        let xml = "<w:fldSimple w:instr='HYPERLINK \"https://a.com\"'/><w:hyperlink r:id='r0'>x</w:hyperlink>";
        let mut file = [vec![b'P'; front], docx(xml, &[LIE]), zip(&[("b.zip", inner)])].concat();
        for (at, byte) in at {
            let length = file.len();
            file[at % length] = byte;
        }
        file.truncate(file.len().max(cut) - cut / 2);
        let head = format!("Content-Type: {DOCX}\r\nContent-Transfer-Encoding: binary\r\n");
        let message = Message { head: head.as_bytes(), body: &file };
        let policy = policy();
        let outcome = inspect(message, &Facts::default(), &policy, &tlds()).resolve(&Answers::new());
        prop_assert!(outcome.edits.is_empty());
        prop_assert!(outcome.bypasses.iter().all(|(_, why)| *why == Bypass::Opaque));
        let limits = &policy.limits;
        let bytes = (head.len() + file.len()) as u64;
        prop_assert!(outcome.cost.all() <= limits.steps_base + limits.steps_per_byte * bytes);
    }
}
