use crate::outcome::{Reason, Verdict};
use crate::{Answers, Facts, Message, Policy, TldTable};

/// The verdict of a page whose text is not where a click leads.
fn differs(page: &str) -> Option<Verdict> {
    let head = b"From: a@example.com\nContent-Type: text/html; charset=utf-8\n";
    let message = Message { head, body: page.as_bytes() };
    let tlds = TldTable::new(["com", "top"], "");
    let found = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
        .resolve(&Answers::new())
        .findings;
    let mut found = found.into_iter();
    found
        .find(|finding| finding.reasons.contains(Reason::TextHrefMismatch))
        .map(|finding| finding.verdict)
}

#[test]
fn what_a_clicked_element_shows_is_compared() {
    for page in [
        "<div onclick=\"location='{X}'\">{T}</div>",
        "<div onclick=\"location.href='{X}'\"><div>Sign in</div> {T}</div>",
        "<table><tr onclick=\"window.open('{X}')\"><td>a<td>{T}</tr></table>",
        "<button onclick=\"location='{X}'\">{T}</button>",
        "<span onmousedown=\"document.location='{X}'\">{T}</span>",
        "<svg><g onclick=\"location='{X}'\"><text>{T}</text></g></svg>",
        "<div onclick=\"location='{X}'\"><a href=https://fine.com/>x</a> {T}</div>",
        "<div onclick=\"location='{X}'\">{T}",
    ] {
        let page = page.replace("{T}", "https://www.paypal.com/signin");
        let to = |host: &str| differs(&page.replace("{X}", &format!("https://{host}/x")));
        assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{page}");
        assert_eq!(to("www.paypal.com"), None, "{page}");
    }
    for fine in [
        "<div onclick=\"location='{X}'\">Sign in</div> {T}",
        "<div onclick=\"location='{X}'\"><div></div>Sign in</div> {T}",
        "<div onclick=\"count('{X}')\">{T}</div>",
        "<div onclick=\"location='{X}'\"><a href='{T}'>{T}</a></div>",
        "<a href='{T}' onclick=\"count('{X}')\">{T}</a>",
        "<img onclick=\"location='{X}'\"> {T}",
        "<div onclick=\"location='{X}'\">Our partner accepts paypal and other cards</div>",
    ] {
        let page = fine.replace("{T}", "https://www.paypal.com/signin");
        let page = page.replace("{X}", "https://verify.top/x");
        assert_eq!(differs(&page), None, "{page}");
    }
}
