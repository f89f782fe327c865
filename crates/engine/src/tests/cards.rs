use crate::outcome::{Reason, Verdict};
use crate::tests::to_harbour;
use crate::{Dmarc, Outcome};

/// A card with these lines, some of which a photo parts from the others.
fn cards(lines: &[&str]) -> [Outcome; 3] {
    let read = |lines: &[&str], between: &str| {
        let body = format!(
            "BEGIN:VCARD\r\nVERSION:3.0\r\n{}\r\nEND:VCARD\r\n",
            lines.join(&["\r\n", between].concat())
        );
        let outcome = to_harbour("Ann <ann@fine.com>", "text/vcard", &body, Dmarc::Unknown);
        assert_eq!(outcome.edits, [], "{lines:?}");
        outcome
    };
    let mut turned = lines.to_vec();
    turned.reverse();
    let photo = format!("PHOTO;ENCODING=b:{}\r\n", "QUJD".repeat(10_000));
    [read(lines, ""), read(&turned, ""), read(lines, &photo)]
}

#[test]
fn a_card_that_poses_is_reported() {
    for lines in [
        &["FN:PayPal Service", "EMAIL:x@evil.top"][..],
        &["FN:\u{420}\u{430}\u{443}\u{420}\u{430}l Service", "EMAIL:x@evil.top"],
        &["fn:PayPal", "N:Miller;Ann", "item1.email;type=INTERNET:x@evil.top"],
        &["FN;ENCODING=QUOTED-PRINTABLE:PayPal=20Service", "EMAIL:x@evil.top"],
        &["FN:PayPal Service", "EMAIL:paypal@gmail.com"],
        &["FN:PayPal Service", "EMAIL:service@paypal.com", "EMAIL:x@evil.top"],
        &["FN:Ann", "FN:PayPal Service", "EMAIL:mailto:x@evil.top"],
        &["N:Service;PayPal;;;", "EMAIL:x@evil.top"],
        &["FN:", "ORG:PayPal;Service", "EMAIL:x@evil.top"],
        &["FN:Ann", "ORG:PayPal", "X-ABShowAs:COMPANY", "EMAIL:x@evil.top"],
    ] {
        for outcome in cards(lines) {
            let mut findings = outcome.findings.iter();
            let poses = findings.any(|one| {
                one.reasons.contains(Reason::DisplayNamePoses)
                    && one.place.to_string() == "calendar:EMAIL"
            });
            assert!(poses && outcome.verdict == Verdict::Suspect, "{lines:?}");
        }
    }
}

#[test]
fn a_label_of_a_card_is_compared_with_what_it_stands_over() {
    for lines in [
        &["item1.URL:https://evil.top/x", "item1.X-ABLabel:https://www.paypal.com"][..],
        &["a.URL;type=pref:evil.top/x", "A.X-ABLABEL:www.paypal.com"],
        &["item1.EMAIL:x@evil.top", "item1.X-ABLabel:service@paypal.com"],
        &["FN:service@paypal.com", "EMAIL:x@evil.top"],
        &["URL;LABEL=www.paypal.com:https://evil.top/x", "FN:Ann"],
    ] {
        for outcome in cards(lines) {
            let reasons = outcome.findings.iter().map(|one| (one.verdict, one.reasons));
            let mut reasons = reasons.filter(|(verdict, _)| *verdict == Verdict::Suspect);
            let is_told = |(_, reasons): (_, crate::outcome::Reasons)| {
                reasons.contains(Reason::TextHrefMismatch)
                    || reasons.contains(Reason::DisplayNamePoses)
            };
            assert!(reasons.any(is_told), "{lines:?}");
        }
    }
}

#[test]
fn honest_cards_are_left_alone() {
    for lines in [
        &["FN:Ann Miller", "N:Miller;Ann;;;", "EMAIL:ann.miller@gmail.com"][..],
        &["FN:Fine Gears", "ORG:Fine Gears", "EMAIL:info@fine.com", "URL:https://www.fine.com"],
        &["FN:Ann Miller", "ORG:PayPal", "EMAIL:ann@paypal.com", "EMAIL:ann@gmail.com"],
        &["FN:Ann Miller", "ORG:PayPal;Support", "EMAIL:ann.miller@gmail.com"],
        &["N:Miller;Ann", "ORG:Microsoft", "EMAIL:ann@fine.com"],
        &["FN:PayPal", "EMAIL:service@paypal.com", "EMAIL:help@paypal.com"],
        &["FN:ann@paypal.com", "EMAIL:ann@paypal.com", "EMAIL:ann@fine.com"],
        &["FN:ann@gmail.com", "EMAIL:ann@fine.com", "EMAIL:ann@gmail.com"],
        &["FN:Booking.com", "EMAIL:noreply@booking.com"],
        &["item1.URL:https://ann.fine.com", "item1.X-ABLabel:_$!<HomePage>!$_"],
        &["item1.URL:https://www.paypal.com/x", "item1.X-ABLabel:www.paypal.com"],
        &["item1.URL:https://evil.top/x", "item2.X-ABLabel:www.paypal.com", "item2.URL:paypal.com"],
        &["item1.X-SOCIALPROFILE;type=twitter:https://x.com/ann", "item1.X-ABLabel:Twitter"],
    ] {
        for outcome in cards(lines) {
            assert!(outcome.verdict < Verdict::Suspect, "{lines:?} {:?}", outcome.findings);
        }
    }
}

#[test]
fn cards_are_read_one_by_one() {
    let body = "BEGIN:VCARD\r\nFN:PayPal Service\r\nEMAIL:service@paypal.com\r\nEND:VCARD\r\n\
                BEGIN:VCARD\r\nFN:Ann\r\nEMAIL:ann@evil.top\r\nEND:VCARD\r\n";
    let read = |body: &str| to_harbour("a@fine.com", "text/vcard", body, Dmarc::Unknown).verdict;
    assert_eq!(read(body), Verdict::Ok);
    let posing = "BEGIN:VCARD\r\nFN:PayPal Service\r\nEMAIL:x@evil.top\r\n";
    assert_eq!(read(posing), Verdict::Suspect, "without an end");
    assert_eq!(read(&[posing, body].concat()), Verdict::Suspect, "up to the next");
    let book = "BEGIN:VCARD\r\nFN:Ann\r\nEMAIL:ann@fine.com\r\nEND:VCARD\r\n".repeat(64);
    assert_eq!(read(&[book.as_str(), posing].concat()), Verdict::Ok, "an address book");
}
