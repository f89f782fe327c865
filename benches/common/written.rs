//! Messages written for measuring: their header fields, and their body.

/// Of a multipart message.
pub fn head() -> Vec<(&'static str, String)> {
    let head = [
        ("From", " Ann <ann@example.com>"),
        ("To", " Bob <bob@example.org>"),
        ("Subject", " news of the week"),
        ("Date", " Fri, 20 Nov 2026 09:00:00 +0000"),
        ("Message-ID", " <bench@example.com>"),
        ("MIME-Version", " 1.0"),
        ("Content-Type", " multipart/alternative; boundary=b"),
    ];
    head.map(|(name, value)| (name, value.to_owned())).to_vec()
}

/// Text and HTML as alternatives of one another.
pub fn alternative(text: &str, html: &str) -> String {
    let part = |kind: &str, text: &str| {
        format!(
            "--b\r\nContent-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{text}"
        )
    };
    format!("{}{}--b--\r\n", part("plain", text), part("html", html))
}

/// Twenty kilobytes: text and HTML with 118 links each, every one with a host of its own.
pub fn many_hosts() -> (Vec<(&'static str, String)>, String) {
    let mut text = String::new();
    let mut html = String::from("<html><body>\r\n");
    for number in 0..118 {
        text.push_str(&format!(
            "Read https://www.news{number}.example.com/article/a{number} and more.\r\n"
        ));
        html.push_str(&format!(
            "<p>Read <a href=\"https://www.page{number}.example.org/article/a{number}\">this page of the day</a></p>\r\n"
        ));
    }
    html.push_str("</body></html>\r\n");
    (head(), alternative(&text, &html))
}
