//! The name that a calendar shows as who invites (RFC 5545 §3.2.2, §3.8.4.3), in front of the organizer's address.

use super::LayerReader;
use crate::judging::{Judge, Judged};
use crate::outcome::Reason;
use homograph::Sender;

/// The property, and the parameter that holds the name.
const ORGANIZER: &str = "ORGANIZER";
const NAME: &str = ";CN=";

/// Bytes in front of the address in which the name is looked for.
const PARAMETERS: usize = 1_000;

impl LayerReader<'_> {
    /// Whether this is the value of an organizer.
    pub(super) fn is_organizer(&self) -> bool {
        self.layer.property.as_deref() == Some(ORGANIZER)
    }

    /// Tells of an organizer whose name is that of somebody else.
    pub(super) fn invite(&self, local: &str, judged: &mut Judged, judge: &mut Judge<'_>) {
        let Some(host) = judged.host.clone().filter(|host| !judge.is_recipients(&host.ascii))
        else {
            return;
        };
        let value = self.layer.seen.source(0..self.layer.seen.as_str().len()).start;
        let before = self.open.reading.text.as_str().get(..value).unwrap_or_default();
        let Some(name) = name_before(before) else { return };
        if judge.poses(&name, Sender { local, host: &host.ascii }).is_some() {
            judged.add(Reason::DisplayNamePoses);
        }
    }
}

/// The name among the parameters that the text ends with.
fn name_before(text: &str) -> Option<String> {
    let near = text.get(text.floor_char_boundary(text.len().saturating_sub(PARAMETERS))..)?;
    let mut start = near.len();
    // A line that begins with a blank goes on with the one before it.
    while start > 0 && (start == near.len() || near.get(start..)?.starts_with([' ', '\t'])) {
        let before = near.get(..start)?.trim_end_matches('\n');
        start = before.rfind('\n').map_or(0, |at| at + 1);
    }
    let line = near.get(start..)?.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "");
    line.get(..ORGANIZER.len()).filter(|name| name.eq_ignore_ascii_case(ORGANIZER))?;
    let at = line.to_ascii_uppercase().find(NAME)? + NAME.len();
    let value = line.get(at..)?;
    let name = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([';', ':', ',']).next(),
    };
    name.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answers, Facts, Message, Policy, TldTable};

    #[test]
    fn names_of_organizers() {
        for (before, name) in [
            ("ORGANIZER;CN=Ann:", Some("Ann")),
            ("x\r\norganizer;ROLE=CHAIR;cn=\"A:B; C\":", Some("A:B; C")),
            ("ORGANIZER;CN=\"Pay\r\n Pal\":", Some("PayPal")),
            ("ORGANIZER;CN=Ann;SENT-BY=\"mailto:b@c.com\":", Some("Ann")),
            ("ORGANIZER:", None),
            ("ATTENDEE;CN=Ann:x\nORGANIZER:", None),
        ] {
            assert_eq!(name_before(before).as_deref(), name, "{before}");
        }
        let long = format!("ORGANIZER;CN=Ann;X={}:", "é".repeat(PARAMETERS));
        assert_eq!(name_before(&long), None);
    }

    #[test]
    fn an_organizer_poses_as_a_sender_does() {
        let told = |organizer: &str, recipient: &str| {
            let body = format!("BEGIN:VEVENT\r\n{organizer}\r\nEND:VEVENT\r\n");
            let head = b"Content-Type: text/calendar; charset=utf-8\r\n";
            let message = Message { head, body: body.as_bytes() };
            let facts = Facts { recipient_domains: vec![recipient.to_owned()], ..Facts::default() };
            let tlds = TldTable::new(["com", "top"], "");
            let outcome =
                crate::inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new());
            assert_eq!(outcome.edits, []);
            outcome.findings.iter().any(|one| one.reasons.contains(Reason::DisplayNamePoses))
        };
        let lie = "ORGANIZER;CN=\"PayPal Service\":mailto:x@evil.top";
        assert!(told(lie, "example.com"));
        assert!(told("ORGANIZER;ROLE=CHAIR;CN=Pay\r\n Pal:MAILTO:x@evil.top", "example.com"));
        assert!(!told(lie, "evil.top"), "the house itself");
        for fine in [
            "ORGANIZER;CN=PayPal:mailto:service@paypal.com",
            "ORGANIZER;CN=Ann:mailto:x@evil.top",
            "ATTENDEE;CN=PayPal:mailto:x@evil.top",
            "ORGANIZER:mailto:x@evil.top",
        ] {
            assert!(!told(fine, "example.com"), "{fine}");
        }
    }
}
