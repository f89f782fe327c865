//! The name that a calendar shows for the organizer of an event (RFC 5545 §3.2.2, §3.8.4.3), in front of the
//! organizer's address.

use crate::Dmarc;
use crate::flags;
use crate::judging::{Judge, Judged};
use crate::outcome::{Reason, Verdict};
use homograph::claims::Sender;
use maillinks::{Layer, bidi};

/// Where calendars that are no person's have an address, which their owners name as they like.
const CALENDARS: &str = "group.calendar.google.com";

/// Reports an organizer whose name is that of another organization, or whose address is made to be taken for that of the
/// author. Who writes from his own domain, as DMARC confirmed, may have a calendar about one: `Amazon Sync`, `Ann Miller
/// (PayPal)`.
pub(super) fn check_organizer(
    (name, local): (&str, &str),
    calendar: (&Layer<'_>, &str),
    judged: &mut Judged,
    judge: &mut Judge<'_>,
) {
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
    } else if let Some(verdict) = borrowed(name, sender, calendar, judge) {
        judged.add_with(Reason::DisplayNamePoses, verdict);
    }
}

/// The verdict on an invitation of a known organization, at its own address, in a message of somebody else: nobody asks
/// the organization. Tickets that somebody passes on are like this, and what services send for it.
fn borrowed(
    name: &str,
    sender: Sender<'_>,
    (layer, calendar): (&Layer<'_>, &str),
    judge: &mut Judge<'_>,
) -> Option<Verdict> {
    let invites = layer.property.as_deref().is_some_and(|of| INVITING.contains(&of));
    if !invites || name.contains('@') || !judge.is_strangers(sender.host) {
        return None;
    }
    let nobody = Sender { local: "", host: "" };
    judge.impersonated(name, nobody)?;
    if is_answer(calendar) {
        return None;
    }
    let is_lure = judge.dmarc() != Dmarc::Pass && judge.names_office(name, nobody);
    Some(if is_lure { Verdict::Suspect } else { Verdict::Notice })
}

/// The properties for who invites or leads, and not those of business cards.
const INVITING: [&str; 2] = ["ORGANIZER", "ATTENDEE"];

/// Bytes at the start of a calendar in which its method is looked for.
const METHOD_BYTES: usize = 256;

/// Whether a calendar answers an invitation (RFC 5546 §1.4), and names who invited.
fn is_answer(calendar: &str) -> bool {
    const ANSWERS: [&str; 4] = ["REPLY", "COUNTER", "REFRESH", "DECLINECOUNTER"];
    let start = calendar.get(..calendar.floor_char_boundary(METHOD_BYTES)).unwrap_or(calendar);
    start.lines().filter_map(|line| line.split_once(':')).any(|(name, method)| {
        name.eq_ignore_ascii_case("METHOD")
            && ANSWERS.iter().any(|answer| method.trim().eq_ignore_ascii_case(answer))
    })
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
    fn an_invitation_of_an_organization_comes_from_it() {
        let verdict = |line: &str, from: &str, dmarc: Dmarc| {
            let body = format!("BEGIN:VEVENT\r\n{line}\r\nEND:VEVENT\r\n");
            let found = to_harbour(from, "text/calendar", &body, dmarc).findings;
            let poses = found.iter().filter(|one| one.reasons.contains(Reason::DisplayNamePoses));
            poses.map(|one| one.verdict).max().unwrap_or_default()
        };
        let stranger = "Ann <ann@evil.top>";
        for line in [
            "ORGANIZER;CN=\"PayPal Support\":mailto:service@paypal.com",
            "ORGANIZER;CN=\"PayPal Support\";SENT-BY=\"mailto:x@evil.top\":mailto:service@paypal.com",
            "ATTENDEE;ROLE=CHAIR;CN=\"PayPal Support\":mailto:service@paypal.com",
            "ORGANIZER;CN=PayPal Support;EMAIL=service@paypal.com:urn:uuid:1",
        ] {
            assert_eq!(verdict(line, stranger, Dmarc::Unknown), Verdict::Suspect, "{line}");
            assert_eq!(verdict(line, stranger, Dmarc::Fail), Verdict::Suspect, "{line}");
            // What is passed on, and what services send.
            assert_eq!(verdict(line, stranger, Dmarc::Pass), Verdict::Notice, "{line}");
            assert_eq!(verdict(line, "a@harbour.com", Dmarc::Pass), Verdict::Notice, "{line}");
            let own = "PayPal <service@paypal.com>";
            assert_eq!(verdict(line, own, Dmarc::Pass), Verdict::Ok, "{line}");
            assert_eq!(verdict(line, own, Dmarc::Unknown), Verdict::Ok, "{line}");
            let answer = format!("METHOD:REPLY\r\n{line}");
            assert_eq!(verdict(&answer, stranger, Dmarc::Unknown), Verdict::Ok, "{line}");
        }
        for line in [
            "ORGANIZER;CN=PayPal:mailto:service@paypal.com",
            "ORGANIZER;CN=\"Ann Miller (PayPal)\":mailto:ann@paypal.com",
        ] {
            assert_eq!(verdict(line, stranger, Dmarc::Unknown), Verdict::Notice, "{line}");
        }
        for line in [
            "ORGANIZER;CN=Ann Miller:mailto:ann@paypal.com",
            "ORGANIZER;CN=ann@paypal.com:mailto:ann@paypal.com",
            "ORGANIZER:mailto:ann@paypal.com",
            "ORGANIZER;CN=\"Ann Miller\":mailto:ann@gmail.com",
            "ATTENDEE;CN=\"PayPal Support\":mailto:service@paypal.com",
        ] {
            assert_eq!(verdict(line, stranger, Dmarc::Unknown), Verdict::Ok, "{line}");
        }
        let card = "BEGIN:VCARD\r\nFN:PayPal Support\r\nEMAIL:service@paypal.com\r\nEND:VCARD\r\n";
        let outcome = to_harbour(stranger, "text/vcard", card, Dmarc::Unknown);
        assert_eq!(outcome.verdict, Verdict::Ok);
    }

    /// People have a second address, and programs write it unquoted where a name should be.
    #[test]
    fn a_second_address_in_the_place_of_a_name_is_none_with_a_user() {
        let found = |line: &str| {
            let body = format!("BEGIN:VEVENT\r\n{line}\r\nEND:VEVENT\r\n");
            let head = b"From: ann@fine.com\r\nContent-Type: text/calendar; charset=utf-8\r\n";
            let message = Message { head, body: body.as_bytes() };
            let tlds = TldTable::new(["com", "top"], "");
            crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
                .resolve(&Answers::new())
        };
        for line in [
            "ATTENDEE;CN=bob@gmail.com:mailto:bob@fine.com",
            "ATTENDEE;CN=bob@gmail.com;ROLE=CHAIR:mailto:bob@gmail.com",
            "ATTENDEE;CN=service@paypal.com:mailto:bob@fine.com",
            "ATTENDEE;EMAIL=bob@gmail.com;CN=Bob:mailto:bob@fine.com",
            "ORGANIZER;CN=bob@gmail.com:mailto:bob@fine.com",
        ] {
            assert_eq!(found(line).verdict, Verdict::Ok, "{line}");
        }
        assert_eq!(
            found("ORGANIZER;CN=service@paypal.com:mailto:x@evil.top").verdict,
            Verdict::Suspect
        );
        let lie = found("ATTENDEE;CN=bob@p\u{430}ypal.com:mailto:bob@fine.com");
        assert_eq!((lie.verdict, lie.edits.is_empty()), (Verdict::Unsafe, false));
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
