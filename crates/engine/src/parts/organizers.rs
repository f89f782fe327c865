//! The name that a calendar shows for the organizer of an event (RFC 5545 §3.2.2, §3.8.4.3), in front of the
//! organizer's address.

use crate::content::bidi;
use crate::flags;
use crate::judging::{Judge, Judged};
use crate::outcome::{Reason, Verdict};
use homograph::Sender;

/// Where calendars that are no person's have an address, which their owners name as they like.
const CALENDARS: &str = "group.calendar.google.com";

/// Reports an organizer whose name is that of another organization, or whose address is made to be taken for that of the
/// author. Who writes from his own domain, as DMARC confirmed, may have a calendar about one: `Amazon Sync`, `Ann Miller
/// (PayPal)`.
pub(super) fn check_organizer(name: &str, local: &str, judged: &mut Judged, judge: &mut Judge<'_>) {
    let Some(host) = judged.host.clone().filter(|host| !judge.is_recipients(&host.ascii)) else {
        return;
    };
    if host.ascii == CALENDARS && judge.is_own_mail() {
        return;
    }
    if let Some((_, nearness)) = judge.near_author(&host) {
        judged.add_with(Reason::TargetLookalike, nearness.verdict());
    }
    let shown = bidi::shown(name);
    let name = &*flags::as_letters(&shown);
    let sender = Sender { local, host: &host.ascii };
    if judge.impersonated(name, sender).is_some() {
        let is_about = judge.is_authors(&host.ascii) && judge.names_no_office(name, sender);
        let verdict = if is_about { Verdict::Notice } else { Reason::DisplayNamePoses.verdict() };
        judged.add_with(Reason::DisplayNamePoses, verdict);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::to_harbour;
    use crate::{Answers, Dmarc, Facts, Message, Policy, TldTable};

    #[test]
    fn a_calendar_of_ones_own_house_has_any_name() {
        let poses = |organizer: &str, from: &str, dmarc: Dmarc| {
            let body = format!("BEGIN:VEVENT\r\nORGANIZER;CN={organizer}\r\nEND:VEVENT\r\n");
            let outcome = to_harbour(from, "text/calendar", &body, dmarc);
            outcome.findings.iter().any(|one| one.reasons.contains(Reason::DisplayNamePoses))
        };
        let calendar = "\"LinkedIn Training\":mailto:c_1@group.calendar.google.com";
        assert!(!poses(calendar, "ann@harbour.com", Dmarc::Pass));
        assert!(poses(calendar, "ann@harbour.com", Dmarc::Unknown));
        assert!(poses(calendar, "ann@evil.top", Dmarc::Pass));
        let own = "\"Zoom 1\":mailto:zoom1@harbour.com";
        assert!(!poses(own, "ann@harbour.com", Dmarc::Pass));
        assert!(poses("\"Zoom 1\":mailto:zoom1@evil.top", "ann@harbour.com", Dmarc::Pass));
    }

    #[test]
    fn the_calendar_of_an_author_may_be_about_another() {
        let verdict = |name: &str, host: &str, dmarc: Dmarc| {
            let body =
                format!("BEGIN:VEVENT\r\nORGANIZER;CN={name}:mailto:x@{host}\r\nEND:VEVENT\r\n");
            to_harbour("Ann <ann@evil.top>", "text/calendar", &body, dmarc).verdict
        };
        for name in ["Amazon Sync", "\"Ann Miller (PayPal)\""] {
            assert_eq!(verdict(name, "evil.top", Dmarc::Pass), Verdict::Notice, "{name}");
            assert_eq!(verdict(name, "evil.top", Dmarc::Unknown), Verdict::Suspect, "{name}");
            assert_eq!(verdict(name, "evil.com", Dmarc::Pass), Verdict::Suspect, "{name}");
        }
        for name in ["PayPal", "PayPal Support", "\"PayPal 24\""] {
            assert_eq!(verdict(name, "evil.top", Dmarc::Pass), Verdict::Suspect, "{name}");
        }
    }

    #[test]
    fn an_organizer_is_not_at_a_twin_of_the_domain_of_the_author() {
        let verdict = |organizer: &str| {
            let body = format!("BEGIN:VEVENT\r\n{organizer}\r\nEND:VEVENT\r\n");
            to_harbour("Ann <ann@meridian-pumps.com>", "text/calendar", &body, Dmarc::Unknown)
                .verdict
        };
        for host in ["rneridian-pumps.com", "meridian-pumps.com.evil.top"] {
            for organizer in ["ORGANIZER;CN=Ann", "ORGANIZER", "ATTENDEE;ROLE=CHAIR;CN=Ann"] {
                let line = format!("{organizer}:mailto:ann@{host}");
                assert_eq!(verdict(&line), Verdict::Suspect, "{line}");
            }
        }
        let slip = "ORGANIZER:mailto:ann@merridian-pumps.com";
        assert_eq!(verdict(slip), Verdict::Notice);
        for host in ["meridian-pumps.com", "mail.meridian-pumps.com", "meridianpumps.com"] {
            assert_eq!(verdict(&format!("ORGANIZER:mailto:ann@{host}")), Verdict::Ok, "{host}");
        }
    }

    #[test]
    fn an_organizer_is_checked_like_a_sender() {
        let is_reported = |organizer: &str, recipient: &str| {
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
        let deceptive = "ORGANIZER;CN=\"PayPal Service\":mailto:x@evil.top";
        assert!(is_reported(deceptive, "example.com"));
        assert!(is_reported(
            "ORGANIZER;ROLE=CHAIR;CN=Pay\r\n Pal:MAILTO:x@evil.top",
            "example.com"
        ));
        assert!(is_reported("ORGANIZER;CN=🇵🇦🇾🇵🇦🇱 Service:mailto:x@evil.top", "example.com"));
        for shown in [
            "ORGANIZER;CN=Service;EMAIL=service@paypal.com:mailto:x@evil.top",
            "ORGANIZER;EMAIL=\"service@paypal.com\":MAILTO:x@evil.top",
            "ATTENDEE;ROLE=CHAIR;EMAIL=service@paypal.com:mailto:x@evil.top",
            "ORGANIZER;CN=PayPal Support;EMAIL=x@evil.top:urn:uuid:1",
            "ORGANIZER;EMAIL=x@evil.top;CN=\"PayPal Support\":/aMTEx/principal/",
            "ORGANIZER;CN=PayPal Support;EMAIL=x@evil.top:invalid:nomail",
        ] {
            assert!(is_reported(shown, "example.com"), "{shown}");
        }
        let chair = "ATTENDEE;ROLE=CHAIR;CN=PayPal:mailto:x@evil.top";
        assert!(is_reported(chair, "example.com"));
        assert!(is_reported(&chair.replace("CHAIR", "\"chair\""), "example.com"));
        assert!(!is_reported(deceptive, "evil.top"), "the organization itself");
        for fine in [
            "ORGANIZER;CN=PayPal:mailto:service@paypal.com",
            "ORGANIZER;CN=Ann:mailto:x@evil.top",
            "ATTENDEE;CN=PayPal:mailto:x@evil.top",
            "ATTENDEE;ROLE=REQ-PARTICIPANT;CN=PayPal:mailto:x@evil.top",
            "ATTENDEE;ROLE=CHAIR;CN=PayPal:mailto:service@paypal.com",
            "ORGANIZER:mailto:x@evil.top",
            "ORGANIZER;CN=Ann;EMAIL=ann@mail.top:mailto:x@evil.top",
            "ORGANIZER;CN=PayPal;EMAIL=service@paypal.com:mailto:service@paypal.com",
            "ORGANIZER;CN=PayPal;EMAIL=service@paypal.com:urn:uuid:1",
            "ORGANIZER;CN=Ann;EMAIL=x@evil.top:urn:uuid:1",
            "ORGANIZER;CN=Ann;EMAIL=service@paypal.com:mailto:2_ge@imip.me.com",
            "ORGANIZER;CN=Ann;EMAIL=service@paypal.com:/aMTEx/principal/",
            "ATTENDEE;CN=PayPal;EMAIL=x@evil.top:urn:uuid:1",
        ] {
            assert!(!is_reported(fine, "example.com"), "{fine}");
        }
    }
}
