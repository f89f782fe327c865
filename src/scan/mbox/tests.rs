use proptest::prelude::*;

use super::*;

/// Returns a few bytes at a time, like a pipe.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.0.len().min(out.len()).min(7);
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

fn split(mbox: &[u8]) -> Vec<(u64, Vec<u8>, Quoting)> {
    let mut splitter = Splitter::new(Trickle(mbox), 0, 1 << 20);
    let mut messages = Vec::new();
    while let Some(item) = splitter.next(&mut |_| ()).unwrap() {
        match item {
            MboxItem::Message(message) => {
                let bytes = message.bytes[message.from_line_len..].to_vec();
                messages.push((message.offset, bytes, message.quoting));
            }
            MboxItem::TooLarge { offset } => messages.push((offset, vec![], Quoting::None)),
        }
    }
    messages
}

const FROM: &str = "From bob@example.com Thu Aug 22 12:36:23 2002\n";

#[test]
fn the_empty_line_before_a_separator_belongs_to_neither() {
    let mbox = format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n");
    let messages = split(mbox.as_bytes());
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].1, b"Subject: a\n\none\n");
    assert_eq!(messages[1].1, b"Subject: b\n\ntwo\n");
    assert_eq!(messages[1].0 as usize, mbox.rfind("From bob").unwrap());
}

#[test]
fn crlf_line_ends() {
    let mbox =
        format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n").replace('\n', "\r\n");
    let messages = split(mbox.as_bytes());
    assert_eq!(messages[0].1, b"Subject: a\r\n\r\none\r\n");
    assert_eq!(messages[1].1, b"Subject: b\r\n\r\ntwo\r\n");
}

/// Folders of Thunderbird, and separators with dates by ISO 8601.
#[test]
fn separators_without_a_date_of_asctime() {
    for from in ["From ", "From -", "From bob@example.com 2024-01-31T10:00:00+01:00"] {
        for end in ["\n", "\r\n"] {
            let text = format!("{from}\nX: 1\n\none\n\n{from}\nX: 2\n\ntwo\n").replace('\n', end);
            let messages = split(text.as_bytes());
            assert_eq!(messages.len(), 2, "{text:?}");
            assert_eq!(messages[1].1, "X: 2\n\ntwo\n".replace('\n', end).as_bytes());
        }
    }
}

/// Thunderbird does not end each message with an empty line.
#[test]
fn a_separator_of_thunderbird_needs_no_empty_line() {
    let folder = "From \r\nX-Mozilla-Status: 0001\r\nA: 1\r\n\r\none\r\n";
    let messages = split(folder.repeat(3).as_bytes());
    assert_eq!(messages.len(), 3);
    for (_, bytes, _) in messages {
        assert_eq!(bytes, b"X-Mozilla-Status: 0001\r\nA: 1\r\n\r\none\r\n");
    }
}

/// The header of each is looked for no further than to the next one.
#[test]
fn messages_of_thunderbird_without_a_body_end_before_the_next() {
    for end in ["\n", "\r\n"] {
        let message = "From \nX-Mozilla-Status: 0001\nContent-Length: 3\n".replace('\n', end);
        let messages = split(message.repeat(10_000).as_bytes());
        assert_eq!(messages.len(), 10_000);
        let (_, bytes, _) = messages.last().unwrap();
        assert_eq!(*bytes, message.as_bytes()["From ".len() + end.len()..]);
    }
}

#[test]
fn prose_and_forwarded_mail_are_no_separators() {
    for inner in [
        "\nFrom here on it gets Jan 10:00 2001\nSubject lines without colon\n",
        "quoted:\nFrom bob@example.com Thu Aug 22 12:36:23 2002\nSubject: x\n",
        "\nFrom Russia with love\nYear: 1963\n",
        "\nFrom bob@example.com Thu Aug 22 12:36:23 2002\n\nSubject: x\n",
        "quoted:\nFrom \nSubject: x\n",
        "\nFrom \n\nSubject: x\n",
        "\nFrom \nhttps://example.com/\n",
        "\nFrom\nSubject: x\n",
    ] {
        let mbox = format!("{FROM}Subject: a\n\n{inner}");
        assert_eq!(split(mbox.as_bytes()).len(), 1, "{inner}");
    }
}

#[test]
fn content_length_covers_an_unquoted_separator() {
    let inner = format!("text\n\n{FROM}Subject: inner\n\nend\n");
    let mbox = format!(
        "{FROM}Content-Length: {}\nSubject: a\n\n{inner}\n{FROM}Subject: b\n\ntwo\n",
        inner.len()
    );
    let messages = split(mbox.as_bytes());
    assert_eq!(messages.len(), 2);
    assert!(messages[0].1.ends_with(b"Subject: inner\n\nend\n"));
    assert_eq!(messages[0].2, Quoting::None);
    assert_eq!(messages[1].2, Quoting::Quoted);
}

#[test]
fn a_wrong_content_length_is_ignored() {
    for wrong in ["0", "2", "99", "999999999", "x"] {
        let mbox = format!(
            "{FROM}Content-Length: {wrong}\nSubject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n"
        );
        let messages = split(mbox.as_bytes());
        assert_eq!(messages.len(), 2, "{wrong}");
        assert!(messages[0].1.ends_with(b"one\n"), "{wrong}");
    }
}

#[test]
fn a_message_that_is_too_large_is_reported_and_the_next_is_read() {
    let mbox = format!("{FROM}Subject: a\n\n{}\n\n{FROM}Subject: b\n\ntwo\n", "x".repeat(3 << 20));
    let messages = split(mbox.as_bytes());
    assert_eq!(messages.len(), 2);
    assert!(messages[0].1.is_empty());
    assert_eq!(messages[1].1, b"Subject: b\n\ntwo\n");
}

#[test]
fn a_large_message_is_handed_over_whole() {
    let body = "y\n".repeat(OWNED_BUFFER_BYTES);
    let mbox = format!("{FROM}Subject: a\n\n{body}\n{FROM}Subject: b\n\ntwo\n");
    let mut splitter = Splitter::new(mbox.as_bytes(), 0, 1 << 30);
    let Some(MboxItem::Message(message)) = splitter.next(&mut |_| ()).unwrap() else { panic!() };
    assert!(matches!(message.bytes, Cow::Owned(_)));
    assert_eq!(message.bytes.len(), FROM.len() + 12 + body.len());
    let Some(MboxItem::Message(message)) = splitter.next(&mut |_| ()).unwrap() else { panic!() };
    assert_eq!(message.offset as usize, mbox.rfind("From bob").unwrap());
    assert!(splitter.next(&mut |_| ()).unwrap().is_none());
}

/// Offsets of the messages that begin in a range.
fn starts(mbox: &[u8], range: Range<u64>) -> Vec<u64> {
    let reader = io::Cursor::new(mbox);
    let mut splitter = Splitter::in_range(reader, range, 1 << 20).unwrap();
    let mut starts = Vec::new();
    while let Some(item) = splitter.next(&mut |_| ()).unwrap() {
        let (MboxItem::Message(RawMessage { offset, .. }) | MboxItem::TooLarge { offset }) = item;
        starts.push(offset);
    }
    starts
}

#[test]
fn ranges_split_anywhere_lose_no_message_and_read_none_twice() {
    let inner = "quoted:\nFrom bob@example.com Thu Aug 22 12:36:23 2002\nSubject: x\n";
    let unix =
        format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\n{inner}\n{FROM}A: c\n\n\n\n");
    for mbox in [unix.clone(), unix.replace('\n', "\r\n")] {
        let end = mbox.len() as u64;
        let whole = starts(mbox.as_bytes(), 0..end);
        assert_eq!(whole.len(), 3);
        for cut in 0..=end {
            let mut parts = starts(mbox.as_bytes(), 0..cut);
            parts.extend(starts(mbox.as_bytes(), cut..end));
            assert_eq!(parts, whole, "cut at {cut}");
        }
    }
}

/// Lines of all kinds that matter to the splitter.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just(FROM.trim_end().to_owned()),
        Just(format!(">{}", FROM.trim_end())),
        Just("Subject: x".to_owned()),
        Just("Content-Length: 40".to_owned()),
        Just("From Russia with love".to_owned()),
        "[a-z .:>]{0,90}",
    ];
    proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    /// Messages that are quoted and joined are split and unquoted again.
    #[test]
    fn quoted_messages_are_restored(bodies in proptest::collection::vec(text(), 1..6)) {
        let mut mbox = String::new();
        let mut sent = Vec::new();
        for body in &bodies {
            let body = body.replace("Content-Length", "Content-Width");
            let message = format!("Subject: a\n\n{}\n", body.trim_matches('\n'));
            let quoted: Vec<String> = message
                .split('\n')
                .map(|line| {
                    let bare = line.trim_start_matches('>');
                    if bare.starts_with("From ") { format!(">{line}") } else { line.to_owned() }
                })
                .collect();
            mbox.push_str(&format!("{FROM}{}\n", quoted.join("\n")));
            sent.push(message);
        }
        let mut splitter = Splitter::new(mbox.as_bytes(), 0, 1 << 20);
        let mut came = Vec::new();
        while let Some(MboxItem::Message(raw)) = splitter.next(&mut |_| ()).unwrap() {
            let message = message::SourceMessage::new(&raw.bytes, raw.from_line_len, raw.quoting);
            came.push(String::from_utf8(message.raw().to_vec()).unwrap());
        }
        prop_assert_eq!(came, sent);
    }

    /// Every byte except empty lines belongs to one message, in order, whatever the bytes are.
    #[test]
    fn no_byte_is_lost(text in text(), junk in "\\PC{0,30}") {
        let mbox = format!("{FROM}{text}\n{junk}");
        let mut at = 0;
        for (offset, bytes, _) in split(mbox.as_bytes()) {
            let between = &mbox[at..offset as usize];
            prop_assert!(between.chars().all(|c| matches!(c, '\r' | '\n')), "{between:?}");
            let from_line_len = mbox[offset as usize..].find('\n').map_or(mbox.len(), |end| end + 1);
            at = (offset as usize + from_line_len + bytes.len()).min(mbox.len());
        }
        prop_assert!(mbox[at..].trim_matches(['\r', '\n']).is_empty(), "{:?}", &mbox[at..]);
    }
}
