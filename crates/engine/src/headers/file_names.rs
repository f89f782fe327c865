//! The file names that labels give to parts. Programs show them beside a symbol, and a reader opens what the end of one
//! seems to be.

use super::field::{Field, FieldReader, Interest};
use crate::budget::Budget;
use crate::content::bidi;
use crate::finding::Findings;
use crate::judging::{Judge, Title};
use crate::policy::Policy;
use mailsplice::mime::Part;
use uts58::unicode::hosts::is_bidi_control;

/// Bytes of a name that are read: file systems have no longer ones.
const NAME_BYTES: usize = 1_024;

/// Reports a name that controls turn round: `invoice_\u{202e}fdp.exe`. Names in scripts from right to left have marks of
/// direction, and no letters that have capitals are turned by them.
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
        if name.is_ascii() || !name.contains(is_bidi_control) {
            return None;
        }
        Title::judged(name, &bidi::shown(name), None)
    });
    let Some(Title { judged, spelled, name }) = turned else { return };
    let field = Field {
        part: &part.path,
        name: "Content-Disposition",
        span: 0..0,
        interest: Interest::Any,
    };
    FieldReader { field, judge, budget, policy, found }.push_as(&spelled, &judged, name);
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    #[test]
    fn a_file_name_that_is_turned_is_reported() {
        let reported = |label: &str| {
            let body = format!(
                "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b\r\nContent-Type: application/octet-stream\r\n\
                 {label}\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--\r\n"
            );
            let head = b"Content-Type: multipart/mixed; boundary=b\r\n";
            let message = Message { head, body: body.as_bytes() };
            let tlds = TldTable::new(["com"], "");
            let outcome = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
                .resolve(&Answers::new());
            assert_eq!(outcome.edits, []);
            let turned = |one: &&crate::Finding| one.reasons.contains(Reason::BidiControl);
            outcome.findings.iter().find(turned).map(|one| (one.verdict, one.spelling.to_string()))
        };
        let shown = || Some((Verdict::Suspect, "voicemail_lmth.mp3".to_owned()));
        for label in [
            "Content-Disposition: attachment; filename*=utf-8''voicemail_%E2%80%AE3pm.html",
            "Content-Disposition: attachment; filename=\"voicemail_\u{202e}3pm.html\"",
            "Content-Disposition: attachment; filename=\"=?utf-8?Q?voicemail=5F=E2=80=AE3pm.html?=\"",
            "Content-Type: application/x; name*=utf-8''voicemail_%E2%80%AE3pm.html",
        ] {
            assert_eq!(reported(label), shown(), "{label}");
        }
        for fine in [
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
