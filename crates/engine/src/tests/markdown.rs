use crate::outcome::{Reason, Verdict};
use crate::{Answers, Facts, Message, Policy, TldTable};

#[test]
fn what_a_part_shows_is_compared() {
    let differs = |label: &str, body: &str| {
        let head = format!("From: a@example.com\nContent-Type: {label}; charset=utf-8\n");
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let tlds = TldTable::new(["com", "top"], "");
        let found = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
            .resolve(&Answers::new())
            .findings;
        found.iter().any(|one| {
            one.verdict == Verdict::Suspect && one.reasons.contains(Reason::TextHrefMismatch)
        })
    };
    let lie = "Log in: [https://www.paypal.com/signin](https://verify.top/x)";
    assert!(differs("text/markdown", lie));
    assert!(differs("text/plain; name=notes.md", lie));
    assert!(differs("text/markdown", "[www.**paypal**.com][1]\n\n[1]: https://verify.top/x"));
    for fine in [
        "[https://www.paypal.com/signin](https://www.paypal.com/x)",
        "[Log in](https://verify.top/x) to https://www.paypal.com/",
    ] {
        assert!(!differs("text/markdown", fine), "{fine}");
    }
    assert!(!differs("text/plain", lie), "no program makes a link of it");
}
