//! Fields in raw bytes that are no UTF-8 (RFC 6532 allows that alone): many programs read them in the charset of the body,
//! and where that names none, in that of the reader's system or in a guessed one.

use std::collections::HashSet;

use mail_parser::{HeaderValue, MessageParser};

use super::field::{Field, FieldReader, Interest};
use mailsplice::mime::Charset;

impl FieldReader<'_, '_, '_, '_> {
    /// Reports a name or a subject that poses in raw bytes. `source` is the value as it is in the header, `value` as it was
    /// read before. In a charset that nobody names only known names count, since words are other ones by chance.
    pub(super) fn report_raw(
        &mut self,
        (named, source): (Option<Charset>, &[u8]),
        value: &HeaderValue<'_>,
        subjects: &mut HashSet<String>,
    ) {
        let matters = self.is_of_sender() || self.is_subject();
        if !matters || std::str::from_utf8(source).is_ok() {
            return;
        }
        if let Some(charset) = named {
            self.report_in_charset((charset, source), value, subjects);
            return;
        }
        let field = Field { interest: Interest::KnownNames, ..self.field.clone() };
        let (author, policy) = (self.author, self.policy);
        let (judge, budget) = (&mut *self.judge, &mut *self.budget);
        let found = &mut *self.found;
        let mut reader = FieldReader { field, author, judge, budget, policy, found };
        let systems = Charset::of_systems().chain(Charset::of_latin_systems());
        let charsets = systems.chain(Charset::of_other_systems());
        let before = reader.found.links();
        for charset in charsets {
            reader.report_in_charset((charset, source), value, &mut HashSet::new());
            // One reading tells enough.
            if reader.found.links() > before {
                return;
            }
        }
    }

    fn report_in_charset(
        &mut self,
        (charset, source): (Charset, &[u8]),
        value: &HeaderValue<'_>,
        subjects: &mut HashSet<String>,
    ) {
        if !self.has_steps(source.len()) {
            return;
        }
        let text = charset.text_of(source);
        let field = format!("{}:{}\r\n", self.field.name, text.trim_end());
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
    use encoding_rs::{
        EUC_KR, Encoding, GBK, IBM866, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252,
    };

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
    fn raw_bytes_are_read_in_the_charsets_of_systems() {
        let to = "\r\nTo: b@example.org\r\n";
        for (charset, name) in [
            (WINDOWS_1251, "Сбербанк"),
            (KOI8_R, "Госуслуги"),
            (IBM866, "Почта России"),
            (WINDOWS_1251, "РауРаl Support"),
            (GBK, "支付宝"),
            (SHIFT_JIS, "三井住友カード"),
            (EUC_KR, "국민은행"),
            (WINDOWS_1252, "Crédit Agricole"),
        ] {
            for kind in ["", "Content-Type: text/plain; charset=utf-8\r\n"] {
                let head = format!("From: {name} <x@verify.ru>{to}{kind}");
                let verdict = verdict(&bytes(charset, &head), b"hello\r\n");
                assert_eq!(verdict, Verdict::Suspect, "{name} {kind}");
            }
        }
        let subject = bytes(KOI8_R, "From: ann@example.org\r\nSubject: РауРаl: your account\r\n");
        assert_eq!(verdict(&subject, b"hello\r\n"), Verdict::Suspect);
        for (charset, head) in [
            (WINDOWS_1252, "From: Jörg Müller <j@example.org>\r\nSubject: Società à Größe\r\n"),
            (WINDOWS_1252, "From: Società Nàdia <j@example.org>\r\nSubject: Grüße vom Café\r\n"),
            (WINDOWS_1251, "From: Анна Иванова <ann@example.ru>\r\nSubject: Отчёт за май\r\n"),
            (KOI8_R, "From: Анна <ann@example.ru>\r\nSubject: оплата счёта\r\n"),
            (GBK, "From: 王芳 <ann@example.org>\r\nSubject: 会议纪要\r\n"),
            (SHIFT_JIS, "From: 山田太郎 <ann@example.org>\r\nSubject: 議事録\r\n"),
        ] {
            assert!(verdict(&bytes(charset, head), b"hello\r\n") < Verdict::Suspect, "{head}");
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
