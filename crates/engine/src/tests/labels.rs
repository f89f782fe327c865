use crate::Dmarc;
use crate::outcome::{Reason, Verdict};
use crate::tests::to_harbour;

/// The verdict of a line of an event whose label differs from where it leads, and the property.
fn differs(line: &str) -> Option<(Verdict, String)> {
    let body = format!("BEGIN:VEVENT\r\n{line}\r\nEND:VEVENT\r\n");
    let outcome = to_harbour("Ann <ann@evil.top>", "text/calendar", &body, Dmarc::Unknown);
    assert_eq!(outcome.edits.len(), usize::from(line.contains('\u{430}')));
    let mut findings = outcome.findings.iter();
    let found = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
    found.map(|one| (one.verdict, one.place.to_string()))
}

#[test]
fn a_label_is_compared_with_the_url_below_it() {
    for (line, property) in [
        ("CONFERENCE;VALUE=URI;LABEL=www.paypal.com:https://evil.top/x", "CONFERENCE"),
        ("CONFERENCE;LABEL=\"https://www.paypal.com/\":https://evil.top/x", "CONFERENCE"),
        ("conference;label=Join at www.paypal.com:https://evil.top/x", "CONFERENCE"),
        ("CONFERENCE;LABEL=A;LABEL=www.pay\r\n pal.com:https://evil.top/x", "CONFERENCE"),
        ("CONFERENCE;LABEL=www.paypal\u{b7}com:https://evil.top/x", "CONFERENCE"),
        ("CONFERENCE;LABEL=www.paypal\u{2024}com:https://evil.top/?\"x", "CONFERENCE"),
        ("ATTACH;FILENAME=www.paypal.com:https://evil.top/x", "ATTACH"),
        ("ATTACH;FMTTYPE=text/html;X-FILENAME=paypal.com:https://evil.top/x", "ATTACH"),
        ("ATTACH;X-TITLE=www.paypal.com:https://evil.top/x", "ATTACH"),
        ("LINK;LINKREL=SOURCE;LABEL=www.paypal.com;VALUE=URI:https://evil.top/x", "LINK"),
        ("URL;LABEL=service@paypal.com:mailto:x@evil.top", "URL"),
        ("DESCRIPTION;ALTREP=\"https://evil.top/x\":www.paypal.com", "DESCRIPTION"),
        ("LOCATION;ALTREP=\"https://evil.top/x\":https\\://www.paypal.com/", "LOCATION"),
    ] {
        let found = Some((Verdict::Suspect, format!("calendar:{property}")));
        assert_eq!(differs(line), found, "{line}");
    }
}

#[test]
fn labels_that_name_what_they_lead_to_or_nothing_known() {
    for line in [
        "CONFERENCE;VALUE=URI;LABEL=Join the meeting:https://evil.top/x",
        "CONFERENCE;VALUE=URI;LABEL=www.paypal.com:https://www.paypal.com/x",
        "CONFERENCE;LABEL=meet.google.com/abc:https://meet.google.com/abc",
        "CONFERENCE;LABEL=conf.fine.com:https://evil.top/x",
        "ATTACH;FILENAME=minutes.pdf:https://drive.google.com/file/d/1",
        "ATTACH;FILENAME=report.zip:https://drive.google.com/file/d/1",
        "ATTACH;FILENAME=\"Booking.com confirmation.pdf\":https://drive.google.com/file/d/1",
        "ATTACH;FILENAME=Amazon.com invoice 12.pdf:https://mail.google.com/mail?x",
        "ATTACH;FILENAME=www.paypal.com:CID:part@evil.top",
        "ATTACH;ENCODING=BASE64;FILENAME=paypal.com:aHR0cHM6Ly9ldmlsLnRvcC8=",
        "X-APPLE-STRUCTURED-LOCATION;X-TITLE=\"Apple.com Store\":geo:1,2",
        "DESCRIPTION;ALTREP=\"https://evil.top/x\":Read www.paypal.com before we meet",
        "DESCRIPTION;ALTREP=\"CID:part@evil.top\":www.paypal.com",
        "DESCRIPTION;ALTREP=\"https://evil.top/x\":Minutes",
        "ATTENDEE;CN=Ann;DIR=\"https://evil.top/\":mailto:ann@fine.com",
    ] {
        assert_eq!(differs(line), None, "{line}");
    }
}
