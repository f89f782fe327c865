//! Fields with deceptive links.

use crate::policy::HeaderFields;
use crate::{Answers, Facts, Message, Policy, TldTable, inspect};

/// They are parsed by themselves, one after another.
#[test]
fn deceptive_fields_are_reported_with_their_place() {
    let fields = "Subject: hi\r\nX-A: http://р\u{430}ypal.com x\r\nX-B: y\r\nX-C: http://p\u{430}ypal.org z\r\n";
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let tlds = TldTable::new(["com", "org"], "");
    // After a line that is no field it is not known what other programs see.
    let others = fields.strip_prefix("Subject: hi\r\n").unwrap_or_default();
    for head in [fields.to_owned(), format!("{fields}no field\r\nX-D: z\r\n"), others.to_owned()] {
        let message = Message { head: head.as_bytes(), body: b"" };
        let facts = Facts::default();
        let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        let found = outcome.findings.iter().filter(|finding| finding.place.to_string() != "text");
        let values: Vec<&str> = found.map(|finding| head[finding.span.clone()].trim()).collect();
        assert_eq!(values, ["http://р\u{430}ypal.com x", "http://p\u{430}ypal.org z"]);
    }
}
