//! The header fields that a record shows: who sent a message, and when.

use mail_parser::{DateTime, HeaderName, HeaderValue, MessageParser};

use crate::record::finding::FindingOrigin;
use crate::record::names::bounded;

use super::message::lines;

/// Bytes of a header that are searched for Date, From and Message-ID.
const MAX_HEADER_BYTES: usize = 64 << 10;

/// Parses Date, From and Message-ID, and nothing else.
#[derive(Debug)]
pub struct Headers(MessageParser);

impl Headers {
    pub fn new() -> Headers {
        let parser = MessageParser::new()
            .default_header_ignore()
            .header_date(HeaderName::Date)
            .header_address(HeaderName::From)
            .header_id(HeaderName::MessageId);
        Headers(parser)
    }

    /// Sender and date of the message that begins at `offset` of its source.
    pub fn origin(&self, source: &str, offset: u64, head: &[u8]) -> FindingOrigin {
        let mut origin =
            FindingOrigin { source: source.to_owned(), offset, ..FindingOrigin::default() };
        let head = wanted_fields(head.get(..MAX_HEADER_BYTES.min(head.len())).unwrap_or(head));
        let Some(parsed) = self.0.parse_headers(&head) else { return origin };
        for header in parsed.headers() {
            // Of repeated fields the first one counts, as in mail programs.
            match (&header.name, &header.value) {
                (HeaderName::Date, HeaderValue::DateTime(date)) if origin.date.is_none() => {
                    origin.date = utc(date);
                }
                (HeaderName::MessageId, HeaderValue::Text(id)) if origin.message_id.is_none() => {
                    origin.message_id = Some(bounded(id).into_owned());
                }
                (HeaderName::From, HeaderValue::Address(from)) if origin.from_domain.is_none() => {
                    let address = from.iter().find_map(|address| address.address());
                    origin.from_domain = address.and_then(domain);
                }
                _ => {}
            }
        }
        origin
    }
}

impl Default for Headers {
    fn default() -> Headers {
        Headers::new()
    }
}

/// The fields that say who sent a message and when, with their folded lines. Other fields are most
/// of a header, and parsing them would take a tenth of the time of a scan.
fn wanted_fields(head: &[u8]) -> Vec<u8> {
    const WANTED: [&[u8]; 3] = [b"date", b"from", b"message-id"];
    let mut out = Vec::new();
    let mut wanted = false;
    // Leading blank characters do not continue a field.
    for line in lines(head.trim_ascii_start()) {
        if !matches!(line.first(), Some(b' ' | b'\t')) {
            let name = line.get(..memchr::memchr(b':', line).unwrap_or(0)).unwrap_or_default();
            wanted = WANTED.iter().any(|field| field.eq_ignore_ascii_case(name.trim_ascii_end()));
        }
        if wanted {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
    out
}

/// RFC 3339 in UTC. `None` for an invalid date, and for years in which no mail was sent.
fn utc(date: &DateTime) -> Option<String> {
    let plausible = date.is_valid() && (1970..=2100).contains(&date.year);
    plausible.then(|| DateTime::from_timestamp(date.to_timestamp()).to_rfc3339())
}

fn domain(address: &str) -> Option<String> {
    let (_, domain) = address.rsplit_once('@')?;
    let domain = domain.trim().trim_end_matches('.');
    (!domain.is_empty()).then(|| bounded(&domain.to_lowercase()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sender_and_date_are_found() {
        let found = Headers::new().origin(
            "s",
            7,
            b"Received: x\nDate: Thu, 22 Aug 2002 12:36:23 +0100\n\
              From: \"Bob, <a@b.example>\" <bob@Mail.EXAMPLE>\nDate: Fri, 1 Jan 2010 00:00:00 +0000\n\
              Message-ID: <1.2@host.example>\n",
        );
        assert_eq!(found.date.as_deref(), Some("2002-08-22T11:36:23Z"));
        assert_eq!(found.from_domain.as_deref(), Some("mail.example"));
        assert_eq!(found.message_id.as_deref(), Some("1.2@host.example"));
    }

    #[test]
    fn folded_and_odd_fields() {
        let found = Headers::new().origin(
            "s",
            0,
            b" X-From: not@this.example\r\nFROM : \r\n Bob\r\n\t<bob@folded.example>\r\n\
              no field at all\r\nmessage-id:\r\n <a@b.example>\r\nDate: Thu,\r\n 22 Aug 2002 12:36:23 +0000",
        );
        assert_eq!(found.date.as_deref(), Some("2002-08-22T12:36:23Z"));
        assert_eq!(found.from_domain.as_deref(), Some("folded.example"));
        assert_eq!(found.message_id.as_deref(), Some("a@b.example"));
    }

    #[test]
    fn a_header_that_begins_with_a_blank() {
        let found = Headers::new().origin("s", 0, b" From: Bob <bob@first.example>\nA: b\n");
        assert_eq!(found.from_domain.as_deref(), Some("first.example"));
    }

    #[test]
    fn headers_that_say_nothing() {
        for head in
            [&b""[..], b"Date: soon\nFrom: nobody\n", b"Date: Mon, 32 Foo 1000\nFrom: <@>\n"]
        {
            let found = Headers::new().origin("s", 7, head);
            assert_eq!((found.date, found.from_domain), (None, None), "{head:?}");
        }
    }
}
