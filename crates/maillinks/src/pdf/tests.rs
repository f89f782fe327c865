use std::io::Write;

use super::*;

/// A document, and the steps that it took.
fn read_counted(bytes: &[u8]) -> (Pdf, u64) {
    let mut steps = 0;
    let pdf = super::read(bytes, |more| {
        steps += more;
        true
    });
    (pdf.unwrap(), steps)
}

fn read(bytes: &[u8]) -> Pdf {
    read_counted(bytes).0
}

fn links(text: &[u8]) -> Vec<String> {
    read(text).links.into_iter().collect()
}

fn packed(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A document with one stream of objects.
fn with_objects(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("%PDF-1.7\n1 0 obj\n<< /Type /ObjStm {dictionary} >>\nstream\r\n");
    [head.as_bytes(), data, b"\nendstream\nendobj\n%%EOF"].concat()
}

#[test]
fn actions_are_read_however_they_are_written() {
    for (text, link) in [
        ("<< /S /URI /URI (https://a.example/x) >>", "https://a.example/x"),
        ("<</S/URI/URI(https://a.example/x)>>", "https://a.example/x"),
        ("<< /URI <68747470733A2F2F612E6578616D706C65> >>", "https://a.example"),
        ("<< /U#52I (https://a.example) >>", "https://a.example"),
        ("<< /URI (https://a.ex\\141mple/\\(b\\)) >>", "https://a.example/(b)"),
        ("<< /URI (https://a.ex\\\r\nample/(b)) >>", "https://a.example/(b)"),
        ("<< /URI % a comment (x)\n(https://a.example) >>", "https://a.example"),
        ("<< /URI <FEFF0068007400740070003A002F002F0061002E0062> >>", "http://a.b"),
        ("<< /S /SubmitForm /F << /FS /URL /F (https://a.example/f) >> >>", "https://a.example/f"),
        ("<< /URI << /Base (https://a.example/) >> >>", "https://a.example/"),
        ("12 0 obj (https://a.example) endobj << /URI 12 0 R >>", "https://a.example"),
        ("<< /URI (https://a.example", "https://a.example"),
    ] {
        assert_eq!(links(text.as_bytes()), [link], "{text}");
    }
    for text in [
        "<< /Title (https://a.example) >>",
        "<< /F (file.pdf) >>",
        "1 0 obj << /Length 9 >> stream\n/URI (https://a.example) endstream",
        "(https://a.example",
    ] {
        let expected = usize::from(text.starts_with('('));
        assert_eq!(links(text.as_bytes()).len(), expected, "{text}");
    }
}

#[test]
fn streams_of_objects_are_read() {
    let objects = b"7 0 8 30 << /S /URI /URI (https://a.example/) >> (https://b.example/)";
    let both = ["https://a.example/", "https://b.example/"];
    for filter in ["/Filter /FlateDecode", "/Filter [ /Fl ]", "/Filter /Flate#44ecode"] {
        let pdf = read(&with_objects(filter, &packed(objects)));
        assert_eq!((pdf.links, pdf.unread), (both.map(String::from).into(), false));
    }
    assert_eq!(links(&with_objects("", objects)), both);
    let twice: String = packed(objects).iter().map(|byte| format!("{byte:02x}")).collect();
    let filters = "/Filter [/ASCIIHexDecode /FlateDecode]";
    assert_eq!(links(&with_objects(filters, twice.as_bytes())), both);
}

#[test]
fn unreadable_streams_are_reported() {
    let packed = packed(b"<< /URI (https://a.example/) >>");
    for dictionary in [
        "/Filter /LZWDecode",
        "/Filter /FlateDecode /DecodeParms << /Predictor 12 >>",
        "/Filter [/A85 /Fl]",
        "/Filter [/Fl /Fl /Fl /Fl /Fl]",
    ] {
        assert!(read(&with_objects(dictionary, &packed)).unread, "{dictionary}");
    }
    assert!(read(b"%PDF-1.7\ntrailer << /Encrypt 5 0 R >>").unread);
}

/// Programs repair a document that is broken off, and what is missing may have been a link.
#[test]
fn a_document_that_is_broken_off_anywhere_is_not_read() {
    let whole = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
        2 0 obj<</Length 44>>stream\nBT (Hello World) Tj ET\nendstream endobj\n\
        3 0 obj<</A<</S/URI/URI(https://a.example/)>>>>endobj\n\
        xref\n0 3\n0000000000 65535 f \ntrailer<</Root 1 0 R/Size 6>>\nstartxref\n200\n%%EOF";
    let updated =
        format!("{whole}\n3 0 obj<</A<</S/URI/URI(https://b.example/)>>>>endobj\n%%EOF\n");
    for document in [whole, &updated] {
        for end in [document.to_owned(), format!("{document}\r\n\0\0 what a gateway appends")] {
            assert!(!read(end.as_bytes()).unread, "{end}");
        }
    }
    for end in 8..whole.len() {
        assert!(read(&whole.as_bytes()[..end]).unread, "{}", &whole[..end]);
    }
    // Behind an earlier end no more than blanks is an end as well.
    let objects = updated.rfind("endobj").unwrap() + "endobj".len();
    for end in objects..updated.trim_end().len() {
        assert!(read(&updated.as_bytes()[..end]).unread, "{}", &updated[..end]);
    }
}

#[test]
fn a_document_that_unpacks_to_too_much_is_not_read() {
    let bomb = packed(&vec![b' '; 4 << 20]);
    let document = with_objects("/Filter /FlateDecode", &bomb);
    let (pdf, steps) = read_counted(&document);
    assert!(pdf.unread && pdf.links.is_empty());
    assert_eq!(steps as usize, document.len() * (1 + PDF_UNPACKED), "what was tried counts");
}

/// A stream is held in memory as a whole: a message of 1.8 MB once took 73 MB. The other streams are read.
#[test]
fn a_stream_that_unpacks_to_more_than_its_document_is_not_read() {
    let link = packed(b"<< /URI (https://a.example/) >>");
    let padding = vec![b'x'; 1 << 20];
    for (size, unread) in [(PDF_STREAM_BYTES, false), (padding.len() + 2 * PDF_STREAM_BYTES, true)]
    {
        let bomb = packed(&vec![b' '; size]);
        let streams = [&bomb, &link].map(|data| with_objects("/Filter /FlateDecode", data));
        let document = [&streams.concat(), &padding[..]].concat();
        let (pdf, steps) = read_counted(&document);
        assert_eq!((pdf.links.len(), pdf.unread), (1, unread), "{size}");
        assert!(steps as usize <= document.len() * (2 * PDF_UNPACKED + 1));
    }
}

/// The next stream may use exactly what the one before left.
#[test]
fn streams_share_what_may_be_unpacked() {
    let data = packed(&[b'x'; 100]);
    let filters = [StreamFilter::Flate, StreamFilter::None, StreamFilter::None, StreamFilter::None];
    for left in 0..200_usize {
        let mut after = left;
        let out = ObjectStream { data: &data, filters }.unpacked(&mut after, usize::MAX);
        assert_eq!(out.is_some(), left >= 100, "{left}");
        assert_eq!(after, left.saturating_sub(100), "{left}");
    }
}

#[test]
fn many_bombs_take_no_more_than_one() {
    let bomb = with_objects("/Filter /FlateDecode", &packed(&vec![b' '; 4 << 20]));
    let (pdf, steps) = read_counted(&bomb.repeat(50));
    assert!(pdf.unread);
    assert!(steps as usize <= 50 * bomb.len() * (2 * PDF_UNPACKED + 1));
    let mut left = 1_000;
    let stream = packed(&vec![b' '; 4 << 20]);
    let filters = [StreamFilter::Flate, StreamFilter::None, StreamFilter::None, StreamFilter::None];
    assert_eq!(ObjectStream { data: &stream, filters }.unpacked(&mut left, usize::MAX), None);
    assert_eq!(left, 0, "what was unpacked in vain counts");
}

/// Programs show what they could unpack; the rest may have held links as well.
#[test]
fn a_truncated_stream_is_read_as_far_as_it_goes_and_reported() {
    let objects = [b"<< /URI (https://a.example/) >>".to_vec(), vec![b' '; 400]].concat();
    let whole = packed(&objects);
    for (data, unread) in [
        (whole.clone(), false),
        (whole[..whole.len() - 6].to_vec(), true),
        ([&whole[..whole.len() - 4], b"oops"].concat(), true),
    ] {
        let pdf = read(&with_objects("/Filter /FlateDecode", &data));
        assert_eq!((pdf.links.len(), pdf.unread), (1, unread), "{} bytes", data.len());
    }
}

/// What hides the rest of a document from a reader without its table is reported.
#[test]
fn unclosed_syntax_is_reported() {
    for opening in ["(", "<41", "stream\n"] {
        let pdf = read(format!("%PDF-1.7\n{opening} << /URI [https://a.example/]").as_bytes());
        assert!(pdf.unread, "{opening}");
    }
    // Longer than a link may be as bytes, but not as text: the host is at its end.
    let long = format!("https://{}@b.example/", "a".repeat(4_200));
    let wide: Vec<u8> = long.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let pdf = read(&[b"/URI (\xfe\xff", &wide[..], b")"].concat());
    assert!(pdf.unread && pdf.links.is_empty(), "{:?}", pdf.links);
}

#[test]
fn links_and_their_length_are_bounded() {
    let many: String = (0..10_000).map(|n| format!("/URI (https://a{n}.example)")).collect();
    let pdf = read(many.as_bytes());
    assert_eq!((pdf.links.len(), pdf.unread), (PDF_LINKS, true));
    let long = format!("/URI (https://a.example/{})", "x".repeat(2 * PDF_LINK_BYTES));
    assert!(read(long.as_bytes()).unread);
}

/// Every byte is read a few times at most, whatever is around it.
#[test]
fn hostile_bytes_are_read_once() {
    let stream = "/ObjStm stream\n<< /URI (x) >>endstream ";
    for unit in [
        "(", "<", "<<", "[", "/", "/URI", "/URI (", "stream\n", "obj ", "\\", "%", "<a", ")(",
        stream,
    ] {
        let bytes = unit.repeat(200_000);
        let steps = read_counted(bytes.as_bytes()).1 as usize;
        assert!(steps <= 2 * bytes.len(), "{unit}: {steps}");
    }
}

/// What is unpacked is paid for before it is read.
#[test]
fn without_steps_nothing_is_read() {
    let objects = b"<< /URI (https://a.example/) >>".repeat(20);
    let document = with_objects("/Filter /FlateDecode", &packed(&objects));
    for most in [0, document.len() as u64, (document.len() + objects.len()) as u64] {
        let mut left = most;
        let spend = |steps| {
            let rest = u64::checked_sub(left, steps);
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        assert_eq!(super::read(&document, spend), None, "{most}");
    }
}

#[test]
fn strings_by_themselves_are_links_if_they_look_like_one() {
    for (text, link) in [
        ("(HTTPS://a.example)", "HTTPS://a.example"),
        ("(www.a.example)", "www.a.example"),
        (r"(\\\\a.example\\x)", r"\\a.example\x"),
        ("(//a.example/x)", "\\\\a.example/x"),
        ("(\u{feff}http://a.example)", "http://a.example"),
        ("<687474703A2F2F612E62>", "http://a.b"),
    ] {
        assert_eq!(links(text.as_bytes()), [link], "{text}");
    }
    for text in ["(a)", "(w)", "(/)", "(a:b)", "()", "<41>", "(/C/x.pdf)", "[(http://a.b)]"] {
        assert_eq!(links(text.as_bytes()), Vec::<String>::new(), "{text}");
    }
}
