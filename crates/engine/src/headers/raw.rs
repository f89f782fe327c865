//! Fields in raw bytes that are no UTF-8: many programs read them in the charset of the body (RFC 6532 allows UTF-8
//! alone).

use std::collections::HashSet;

use mail_parser::{HeaderValue, MessageParser};

use super::field::FieldReader;
use mailsplice::mime::Charset;

impl FieldReader<'_, '_, '_, '_> {
    /// Reports a name or a subject that poses in this charset. `source` is the value as it is in the header, `value` as
    /// it was read before.
    pub(super) fn report_in_charset(
        &mut self,
        (charset, source): (Charset, &[u8]),
        value: &HeaderValue<'_>,
        subjects: &mut HashSet<String>,
    ) {
        let matters = self.is_of_sender() || self.is_subject();
        if !matters || std::str::from_utf8(source).is_ok() || !self.has_steps(source.len()) {
            return;
        }
        let text = charset.decode(source.into());
        let field = format!("{}:{}\r\n", self.field.name, text.as_str().trim_end());
        if let Some(read) = MessageParser::new().parse_headers(field.as_bytes())
            && let Some(header) = read.headers().first()
            && header.value != *value
        {
            self.report_impersonation(&header.value);
            if let HeaderValue::Text(text) = &header.value {
                self.subject(text, subjects);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{Encoding, GBK, IBM866, KOI8_R, WINDOWS_1251, WINDOWS_1252};

    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    fn verdict(head: &[u8], body: &[u8]) -> Verdict {
        let tlds = TldTable::new(["com", "org", "ru"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        inspect(Message { head, body }, &facts, &policy, &tlds).resolve(&Answers::new()).verdict
    }

    fn bytes(charset: &'static Encoding, text: &str) -> Vec<u8> {
        let (bytes, _, unmappable) = charset.encode(text);
        assert!(!unmappable, "{text}");
        bytes.into_owned()
    }

    /// The verdict where the body, and where a part of it, names the charset of this header.
    fn verdicts(charset: &'static Encoding, head: &str) -> [Verdict; 2] {
        let head = bytes(charset, head);
        let kind = format!("Content-Type: text/plain; charset={}\r\n", charset.name());
        let alone = [&*head, kind.as_bytes()].concat();
        let parts = [&*head, b"Content-Type: multipart/mixed; boundary=b\r\n"].concat();
        let body = format!("--b\r\n{kind}\r\nhello\r\n--b--\r\n");
        [verdict(&alone, b"hello\r\n"), verdict(&parts, body.as_bytes())]
    }

    #[test]
    fn raw_bytes_are_read_in_the_charset_of_the_body() {
        let from = "From: Ann <ann@example.org>\r\n";
        for charset in [WINDOWS_1251, KOI8_R, IBM866, GBK] {
            for head in [
                "From: РауРаl Support <x@verify.ru>\r\n",
                "From: \"РауРаl Support\" <x@verify.ru>\r\n",
                &format!("{from}Subject: РауРаl: your account\r\n"),
                &format!("{from}Reply-To: РауРаl <x@verify.ru>\r\n"),
            ] {
                assert_eq!(verdicts(charset, head), [Verdict::Suspect; 2], "{head}");
            }
        }
    }

    #[test]
    fn honest_raw_bytes_are_left() {
        for (charset, head) in [
            (WINDOWS_1251, "From: Анна Иванова <ann@example.ru>\r\nSubject: Отчёт за май\r\n"),
            (KOI8_R, "From: Анна <ann@example.ru>\r\nSubject: PayPal: оплата счёта\r\n"),
            (GBK, "From: 王芳 <ann@example.org>\r\nSubject: 会议纪要\r\n"),
            (WINDOWS_1252, "From: Jörg Müller <j@example.org>\r\nSubject: Grüße\r\n"),
        ] {
            assert!(verdicts(charset, head).iter().all(|all| *all < Verdict::Suspect), "{head}");
        }
    }
}
