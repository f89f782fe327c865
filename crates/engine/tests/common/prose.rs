//! How running text is judged, in mail to somebody at `mybank.com`.

use linkmilter_engine::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

const TLDS: &str = "com net org de is pl py in it es zip md sh mov biz nu af eg se la je rs to info il ru si ne do co \
    cz google om click live online top support id name app cc services sk sa mx no me et fr fi ca gr hr tr az br lv hu \
    jp cn pt media io";

/// 中国, 世界, みんな, ポイント, 香港, 公司; السعودية, مصر, قطر, ایران, پاکستان; москва, рф, рус.
const OTHER_TLDS: &str = "xn--fiqs8s xn--rhqv96g xn--q9jyb4c xn--eckvdtc9d xn--j6w193g xn--55qx5d \
    xn--mgberp4a5d4ar xn--wgbh1c xn--wgbl6a xn--mgba3a4f16a xn--mgbai9azgqp6j \
    xn--80adxhks xn--p1ai xn--p1acf";

/// The worst verdict of a message, and whether it is edited.
pub fn outcome(kind: &str, body: &str) -> (Verdict, bool) {
    let tlds = TLDS.split_whitespace().chain(OTHER_TLDS.split_whitespace());
    let (policy, tlds) = (Policy::default(), TldTable::new(tlds, ""));
    let head =
        format!("Content-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n");
    let body = format!("{body}\r\n");
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    let facts = Facts { recipient_domains: vec!["mybank.com".into()], ..Facts::default() };
    let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
    let worst = outcome.findings.iter().map(|finding| finding.verdict).max();
    (worst.unwrap_or(Verdict::Ok), !outcome.edits.is_empty())
}

/// At most a notice, and not edited, as plain text and as HTML.
#[track_caller]
pub fn harmless(texts: &[&str]) {
    for text in texts {
        for kind in ["text/plain", "text/html"] {
            let (verdict, edited) = outcome(kind, text);
            assert!(verdict <= Verdict::Notice && !edited, "{kind} {verdict:?} {edited} {text}");
        }
    }
}

/// At most suspect, and not edited.
#[track_caller]
pub fn untouched(texts: &[&str]) {
    for text in texts {
        let (verdict, edited) = outcome("text/plain", text);
        assert!(verdict <= Verdict::Suspect && !edited, "{verdict:?} {edited} {text}");
    }
}

#[track_caller]
pub fn edited(texts: &[&str]) {
    for text in texts {
        assert!(outcome("text/plain", text).1, "{text}");
    }
}

/// Unsafe, or edited.
#[track_caller]
pub fn reported(texts: &[&str]) {
    for text in texts {
        let (verdict, edited) = outcome("text/plain", text);
        assert!(verdict >= Verdict::Unsafe || edited, "{verdict:?} {text}");
    }
}

/// Suspect at least.
#[track_caller]
pub fn suspect(texts: &[&str]) {
    for text in texts {
        let (verdict, _) = outcome("text/plain", text);
        assert!(verdict >= Verdict::Suspect, "{verdict:?} {text}");
    }
}
