//! The file names that labels give to parts. Programs show them beside a symbol, and a reader opens what the end of one
//! seems to be.

use super::field::{Field, FieldReader, Interest};
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::Findings;
use crate::judging::{Judge, Title};
use crate::policy::Policy;
use crate::sender::Author;
use maillinks::bidi;
use mailsplice::mime::Part;

/// Bytes of a name that are read: file systems have no longer ones.
const NAME_BYTES: usize = 1_024;

/// Reports a name that controls turn round: `invoice_\u{202e}fdp.exe`, and a known name in look-alike letters in it.
/// Names in scripts from right to left have marks of direction, and no letters that have capitals are turned by them.
pub fn file_names(
    part: &Part,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) {
    // In several readings of a label it is one name. Most are ASCII.
    let turned = part.names.iter().find_map(|name| {
        let name = name.get(..name.floor_char_boundary(NAME_BYTES))?;
        if name.is_ascii() {
            return None;
        }
        let shown = bidi::shown(name);
        let disguise = judge.disguised(&shown, judge.author().as_deref());
        let disguise = disguise.filter(|disguise| {
            disguise.name.as_deref().is_some_and(|name| judge.has_known_owner(name))
        });
        Title::judged(name, &shown, disguise)
    });
    // If the steps are used up, the next caller of `spend` reports it.
    let _ = budget.spend(Stage::Judging, judge.take_steps());
    let Some(Title { judged, spelled, name }) = turned else { return };
    let field = Field {
        part: &part.path,
        name: "Content-Disposition",
        span: 0..0,
        interest: Interest::Any,
    };
    let author = Author::default();
    FieldReader { field, author: &author, judge, budget, policy, found }
        .push_as(&spelled, &judged, name);
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Dmarc, Facts, Message, Policy, TldTable};

    /// The verdict and the text of what has this reason.
    fn found(from: &str, label: &str, reason: Reason) -> Option<(Verdict, String)> {
        let body = format!(
            "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b\r\nContent-Type: application/octet-stream\r\n\
                 {label}\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--\r\n"
        );
        let head = format!("{from}Content-Type: multipart/mixed; boundary=b\r\n");
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let tlds = TldTable::new(["com", "zip"], "");
        let facts = Facts { dmarc: Dmarc::Pass, ..Facts::default() };
        let outcome =
            crate::inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new());
        assert_eq!(outcome.edits, []);
        let found = outcome.findings.iter().find(|one| one.reasons.contains(reason));
        found.map(|one| (one.verdict, one.spelling.to_string()))
    }

    #[test]
    fn a_known_name_in_lookalike_letters_is_reported() {
        let reported = |from: &str, label: &str| found(from, label, Reason::TextLookalike);
        for (name, spelled) in [
            ("РауРаl invoice.pdf", "РауРаl"),
            ("РауРаl_invoice.pdf", "РауРаl"),
            ("Аррlе receipt.pdf", "Аррlе"),
            ("𝗣𝗮𝘆𝗣𝗮𝗹.pdf", "𝗣𝗮𝘆𝗣𝗮𝗹"),
            ("PayPaӏ.html", "PayPaӏ"),
            ("PayPaӏ.zip", "PayPaӏ"),
            ("www.раypal.com", "раypal"),
            ("Pay\u{200b}Pal.pdf", "PayPal"),
        ] {
            let label = format!("Content-Disposition: attachment; filename=\"{name}\"");
            let expected = Some((Verdict::Suspect, spelled.to_owned()));
            assert_eq!(reported("", &label), expected, "{name}");
        }
        for label in [
            "Content-Disposition: attachment; filename=\"=?utf-8?B?0KDQsNGD0KDQsGw=?=.pdf\"",
            "Content-Disposition: attachment; filename*=utf-8''%D0%A0%D0%B0%D1%83%D0%A0%D0%B0l.pdf",
            "Content-Type: application/x; name*=utf-8''%D0%A0%D0%B0%D1%83%D0%A0%D0%B0l.pdf",
        ] {
            let expected = Some((Verdict::Suspect, "РауРаl".to_owned()));
            assert_eq!(reported("", label), expected, "{label}");
        }
        for fine in [
            "PayPal.pdf",
            "Отчёт PayPal.pdf",
            "Zoomе инструкция.pdf",
            "Сбербанк.pdf",
            "Your аccount.pdf",
            "СOVID-19.pdf",
            "𝗜𝗻𝘃𝗼𝗶𝗰𝗲.pdf",
            "請求書.pdf",
            "PDF\u{200c}ها.zip",
        ] {
            let label = format!("Content-Disposition: attachment; filename=\"{fine}\"");
            assert_eq!(reported("", &label), None, "{fine}");
        }
        let label = "Content-Disposition: attachment; filename=\"𝗣𝗮𝘆𝗣𝗮𝗹.pdf\"";
        assert_eq!(reported("From: service@paypal.com\r\n", label), None, "his own");
    }

    #[test]
    fn a_file_name_that_is_turned_is_reported() {
        let reported = |label: &str| found("", label, Reason::BidiControl);
        let shown = || Some((Verdict::Suspect, "voicemail_lmth.mp3".to_owned()));
        for label in [
            "Content-Disposition: attachment; filename*=utf-8''voicemail_%E2%80%AE3pm.html",
            "Content-Disposition: attachment; filename=\"voicemail_\u{202e}3pm.html\"",
            "Content-Disposition: attachment; filename=\"=?utf-8?Q?voicemail=5F=E2=80=AE3pm.html?=\"",
            "Content-Type: application/x; name*=utf-8''voicemail_%E2%80%AE3pm.html",
        ] {
            assert_eq!(reported(label), shown(), "{label}");
        }
        let label = "Content-Disposition: attachment; filename=\"\u{2067}pdf\u{200f}.invoice\u{200f}.html\u{2069}\"";
        assert_eq!(reported(label), Some((Verdict::Suspect, "html.invoice.pdf".to_owned())));
        for fine in [
            "\u{200f}invoice\u{200f}.pdf",
            "\u{200f}חשבונית.pdf",
            "חשבונית\u{200e}.pdf",
            "\u{202b}חשבונית 3\u{202c}.pdf",
            "\u{2067}فاتورة\u{2069}.pdf",
            "\u{202a}invoice\u{202c}.pdf",
            "Rechnung für März.pdf",
        ] {
            let label = format!("Content-Disposition: attachment; filename=\"{fine}\"");
            assert_eq!(reported(&label), None, "{fine:?}");
        }
    }
}
