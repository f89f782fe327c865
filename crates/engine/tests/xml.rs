//! XML that no program shows as a page: its elements are fields of data, and no text goes from one to the next.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::filtered;

const LABELS: [&str; 7] = [
    "Content-Type: text/xml; charset=utf-8",
    "Content-Type: application/xml",
    "Content-Type: application/vnd.invoice+xml",
    "Content-Type: application/octet-stream; name=invoice.xml",
    "Content-Type: text/plain; charset=utf-8; name=invoice.xml",
    "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a.XML",
    "Content-Type: application/x-unknown-program; name=\"a.xml\"",
];

#[test]
fn fields_of_data_are_not_joined() {
    for data in [
        "<a><mail>info@example.com</mail><site>пример.рф</site></a>",
        "<a><name>please</name><site>казиногранд.рф</site></a>",
        "<a><b>please</b><b/><site>казиногранд.рф</site><c/>or</a>",
        "<rss><title>news</title><site>казиногранд.рф</site></rss>",
    ] {
        for declaration in
            ["", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n", "\u{FEFF}<?xml version='1.0'?>"]
        {
            for label in LABELS {
                let body = [declaration, data, "\r\n"].concat();
                let after = filtered(label, body.as_bytes());
                assert_eq!(String::from_utf8_lossy(&after), body, "{label}");
            }
        }
    }
}

#[test]
fn scripts_in_fields_of_data_are_reported() {
    for data in
        ["<a href=\"javascript:alert(1)\"/>", "<form><onclick>javascript:alert(1)</onclick></form>"]
    {
        for label in LABELS {
            let body = ["<?xml version=\"1.0\"?>\r\n", data, "\r\n"].concat();
            assert_eq!(filtered(label, body.as_bytes()), body.as_bytes(), "{label}: {data}");
        }
    }
    let page = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"javascript:alert(1)\"/></html>\r\n";
    assert_ne!(filtered("Content-Type: text/xml", page.as_bytes()), page.as_bytes());
}

#[test]
fn what_lies_in_a_field_is_edited() {
    for data in [
        "<a><site>https://раypal.com/</site></a>",
        "<a><site>раypal.com</site></a>",
        "<a><site>https://&#1088;&#1072;ypal.com/</site></a>",
        "<a href=\"https://раypal.com/\"/>",
    ] {
        for label in LABELS {
            let body = ["<?xml version=\"1.0\"?>\r\n", data, "\r\n"].concat();
            assert_ne!(filtered(label, body.as_bytes()), body.as_bytes(), "{label}: {data}");
        }
    }
}

const FEEDS: [&str; 4] = [
    "Content-Type: application/rss+xml; charset=utf-8",
    "Content-Type: application/atom+xml",
    "Content-Type: text/xml; charset=utf-8",
    "Content-Type: application/octet-stream; name=news.xml",
];

/// A reader of feeds decodes them once, and shows the page.
#[test]
fn pages_in_a_feed_are_read() {
    let rss = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><item><title>t</title><description>PAGE</description></item></channel></rss>\r\n";
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><content type=\"html\">PAGE</content></entry></feed>\r\n";
    let lies = [
        "&lt;a href=\"https://&amp;#1088;&amp;#x430;ypal.com/\"&gt;x&lt;/a&gt;",
        "&#60;p&#62;see https://&amp;#1088;&amp;#x430;ypal.com/ now&lt;/p&gt;",
        "<![CDATA[<a href=https://&#1088;&#x430;ypal.com/>x</a>]]>",
        "&lt;b&gt;раy&lt;/b&gt;pal.com",
        "&lt;p&gt;x&lt;/p&gt;<![CDATA[<b>p&#1072;y</b>pal.com]]>",
    ];
    let honest = [
        "&lt;a href=\"https://example.com/?a=1&amp;amp;b=2\"&gt;example.com&lt;/a&gt;",
        "&lt;p&gt;казиногранд.рф&lt;/p&gt;&lt;p&gt;news&lt;/p&gt;",
        "&lt;p&gt;write &amp;lt;a href=\"javascript:alert(1)\"&amp;gt; for that&lt;/p&gt;",
        "<![CDATA[<img src=\"https://example.com/a.png\"> пример.рф]]>",
    ];
    for label in FEEDS {
        for frame in [rss, atom] {
            for page in lies {
                let body = frame.replace("PAGE", page);
                let after = filtered(label, body.as_bytes());
                assert_ne!(String::from_utf8_lossy(&after), body, "{label}");
            }
            for page in honest {
                let body = frame.replace("PAGE", page);
                let after = filtered(label, body.as_bytes());
                assert_eq!(String::from_utf8_lossy(&after), body, "{label}");
            }
        }
    }
}

/// Browsers show these as pages.
#[test]
fn a_page_in_xml_is_a_page() {
    let lie = "<b>раy</b><b>pal.com</b>";
    for body in [
        format!(
            "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><body>{lie}</body></html>"
        ),
        format!("<?xml version=\"1.0\"?><?xml-stylesheet href=\"a.xsl\"?><a>{lie}</a>"),
        format!("<html><body>{lie}</body></html>"),
    ] {
        for label in LABELS {
            assert_ne!(filtered(label, body.as_bytes()), body.as_bytes(), "{label}: {body}");
        }
    }
    let body = format!("<?xml version=\"1.0\"?><a>{lie}</a>");
    assert_ne!(filtered("Content-Type: text/html", body.as_bytes()), body.as_bytes());
}

/// XML 1.0 §4.3.3: the declaration names the charset.
#[test]
fn the_charset_of_a_declaration_is_read() {
    let lie = encoding_rs::WINDOWS_1251.encode("https://раypal.com/").0;
    let honest = encoding_rs::KOI8_R.encode("<site>пример.рф</site>").0;
    for label in LABELS.into_iter().filter(|label| !label.contains("charset")) {
        let body =
            [b"<?xml version=\"1.0\" encoding=\"windows-1251\"?><a>", &*lie, b"</a>"].concat();
        assert_ne!(filtered(label, &body), body, "{label}");
        let body = [b"<?xml version='1.0' encoding='KOI8-R' ?><a>", &*honest, b"</a>"].concat();
        assert_eq!(filtered(label, &body), body, "{label}");
    }
}

/// Programs that look for markup in plain text take this for XML, too.
#[test]
fn a_text_that_declares_itself_as_xml_is_data() {
    let label = "Content-Type: text/plain; charset=utf-8; name=\"export.txt\"";
    let data = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a><org>\u{410}\u{41E}</org>\
        <site>example.com</site><url>https://www.google.com</url><mail>ann@huber.de</mail></a>\r\n";
    for body in [data.to_owned(), format!("\u{FEFF}\r\n{data}")] {
        assert_eq!(String::from_utf8_lossy(&filtered(label, body.as_bytes())), body);
    }
    for (declaration, lie) in [
        ("", "<p>p\u{430}y<b>pal.com</b></p>"),
        ("x <?xml version=\"1.0\"?>", "<p>p\u{430}y<b>pal.com</b></p>"),
        ("<?xml version=\"1.0\"?><html>", "<p>p\u{430}y<b>pal.com</b></p>"),
        ("<?xml version=\"1.0\"?>", "<a href=\"https://p\u{430}ypal.com/\">x</a>"),
        ("<?xml version=\"1.0\"?>", "<a>p\u{430}ypal.com</a>"),
    ] {
        let body = format!("{declaration}{lie}\r\n");
        assert_ne!(filtered(label, body.as_bytes()), body.as_bytes(), "{body}");
    }
}

/// What a parser of XML shows of it is another text than what one of HTML does.
#[test]
fn a_page_is_read_as_its_parser_reads_it() {
    let label = "Content-Type: application/xhtml+xml; charset=utf-8";
    let lie = "https://p\u{430}ypal.com/";
    for body in [
        format!(
            "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><title/><a href=\"{lie}\">x</a></html>"
        ),
        format!(
            "<?xml version=\"1.0\"?><h:a xmlns:h=\"http://www.w3.org/1999/xhtml\" href=\"{lie}\">x</h:a>"
        ),
        format!(
            "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><p><![CDATA[{lie}]]></p></html>"
        ),
        format!(
            "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ATTLIST a href CDATA \"{lie}\">]><svg xmlns=\"http://www.w3.org/2000/svg\"><a>x</a></svg>"
        ),
    ] {
        assert_ne!(filtered(label, body.as_bytes()), body.as_bytes(), "{body}");
    }
}
