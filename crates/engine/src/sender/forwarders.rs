//! Services that put the name of another in front of their own address: those that hide a recipient's address from the
//! sender, Italian certified mail, and those that write for their customers. By hand, from the documentation of each.

use crate::Dmarc;
use crate::judging::Judge;
use crate::sender::Mailbox;
use homograph::claims::Sender;
use homograph::is_or_below;

/// Where a forwarder writes whose mail it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// In the local part, with underscores for dots and two random words: `service_at_example_com_a1b2c3d4_e5f6a7b8`.
    InLocalPart,
    /// In the local part, before the recipient's name: `service_at_example.com_ann`.
    BeforeRecipient,
    /// At the end of the display name: `service@example.com [via Relay]`, `Example - service(a)example.com`.
    InName,
    /// The same, by the provider itself: `Per conto di: ann@example.org`.
    Certified,
}

const FORWARDERS: [(&str, Written); 25] = [
    ("actaliscertymail.it", Written::Certified),
    ("addy.io", Written::InName),
    ("aleeas.com", Written::InName),
    ("anonaddy.com", Written::InName),
    ("anonaddy.me", Written::InName),
    ("arubapec.it", Written::Certified),
    ("duck.com", Written::BeforeRecipient),
    ("icloud.com", Written::InLocalPart),
    ("legalmail.it", Written::Certified),
    ("mozmail.com", Written::InName),
    ("passfwd.com", Written::InName),
    ("passinbox.com", Written::InName),
    ("passmail.com", Written::InName),
    ("passmail.net", Written::InName),
    ("pec.aruba.it", Written::Certified),
    ("pec.it", Written::Certified),
    ("pec.libero.it", Written::Certified),
    ("postecert.it", Written::Certified),
    ("privaterelay.appleid.com", Written::InLocalPart),
    ("sicurezzapostale.it", Written::Certified),
    ("simplelogin.co", Written::InName),
    ("simplelogin.com", Written::InName),
    ("simplelogin.fr", Written::InName),
    ("slmail.me", Written::InName),
    ("telecompost.it", Written::Certified),
];

/// Services that write to applicants, shareholders, suppliers and customers in the name of a company, or of it: status
/// pages, shared calendars, surveys, feeds, prices.
const FOR_CUSTOMERS: [&str; 24] = [
    "ariba.com",
    "avature.net",
    "blogtrottr.com",
    "camelcamelcamel.com",
    "coupahost.com",
    "greenhouse-mail.io",
    "group.calendar.google.com",
    "hire.lever.co",
    "import.calendar.google.com",
    "keepa.com",
    "medallia.com",
    "myworkday.com",
    "proxyvote.com",
    "qemailserver.com",
    "res.cisco.com",
    "service-now.com",
    "smartrecruiters.com",
    "statuspage.io",
    "successfactors.com",
    "successfactors.eu",
    "surveymonkey.com",
    "surveymonkeyuser.com",
    "synchronybank.com",
    "trustpilotmail.com",
];

/// Services that write to the people of a company or a school in the name of its offices: wages, leave, telephones,
/// alarms, training. Nobody gets an account there for nothing and by himself.
const FOR_STAFF: [&str; 42] = [
    "adp.com",
    "alertmedia.com",
    "alight.com",
    "bamboohr.com",
    "benefitfocus.com",
    "businessolver.com",
    "concursolutions.com",
    "csod.com",
    "cultureamp.com",
    "dayforce.com",
    "ethicspoint.com",
    "everbridge.net",
    "exlibrisgroup.com",
    "getrave.com",
    "glintinc.com",
    "gusto.com",
    "hibob.com",
    "hoxhunt.com",
    "icims.com",
    "imodules.com",
    "infinitecampus.com",
    "knowbe4.com",
    "lattice.com",
    "lighthouse-services.com",
    "navexglobal.com",
    "parentsquare.com",
    "paychex.com",
    "paylocity.com",
    "peakon.com",
    "personio.de",
    "powerschool.com",
    "ringcentral.com",
    "rippling.com",
    "schoolmessenger.com",
    "staffbase.com",
    "starrez.com",
    "symplicity.com",
    "taleo.net",
    "technolutions.net",
    "turnitin.com",
    "ukg.com",
    "ultipro.com",
];

/// The local part of certified mail, which its providers keep for themselves.
const CERTIFIED: &str = "posta-certificata";

/// Letters of an address of one's own at iCloud at most.
const OWN_LOCAL_PART: usize = 20;

/// Whether a service with this mailbox says for whom it writes: the name is that of the sender whom it names, or its
/// customers' names stand there and DMARC confirms it. `target` is whose name it is.
pub fn speaks_for(name: &str, target: &str, mailbox: &Mailbox, judge: &mut Judge<'_>) -> bool {
    let host = mailbox.host.ascii.as_str();
    let is_of = |services: &[&str]| services.iter().any(|own| is_or_below(host, own));
    if judge.dmarc() == Dmarc::Pass
        && (is_of(&FOR_CUSTOMERS) || judge.is_recipients(target) && is_of(&FOR_STAFF))
    {
        return true;
    }
    let Some(sender) = written(name, &mailbox.local, host, judge) else { return false };
    let sender = Sender { local: &sender.local, host: &sender.host.ascii };
    judge.impersonated(name, sender).is_none()
}

/// Whether a forwarder that writes the sender there wrote a host at the end of a display name.
pub fn names_sender(name: &str, own: &str, shown: &str, judge: &mut Judge<'_>) -> bool {
    written(name, CERTIFIED, own, judge).is_some_and(|sender| sender.host.ascii == *shown)
}

/// Whether the forwarder at a host writes the sender at the end of the display name.
pub fn is_written_in_name(host: &str) -> bool {
    matches!(form(host), Some(Written::InName | Written::Certified))
}

fn form(host: &str) -> Option<Written> {
    FORWARDERS.iter().find(|(domain, _)| is_or_below(host, domain)).map(|(_, form)| *form)
}

/// The sender whom a forwarder names.
fn written(name: &str, local: &str, host: &str, judge: &mut Judge<'_>) -> Option<Mailbox> {
    if judge.dmarc() == Dmarc::Fail {
        return None;
    }
    let address = match form(host)? {
        Written::InLocalPart if local.len() > OWN_LOCAL_PART => before_random_words(local),
        Written::InLocalPart => None,
        Written::BeforeRecipient => local.rsplit_once('_').and_then(|(sender, _)| at(sender)),
        Written::InName => in_name(name),
        Written::Certified if local.eq_ignore_ascii_case(CERTIFIED) => in_name(name),
        Written::Certified => None,
    };
    Mailbox::read(&address?, judge)
}

/// The address in `service_at_example.com`. What the sender chose is before the last `_at_`.
fn at(sender: &str) -> Option<String> {
    let (local, host) = sender.rsplit_once("_at_")?;
    Some(format!("{local}@{host}"))
}

/// The address in a local part that ends in two random words.
fn before_random_words(local: &str) -> Option<String> {
    let is_random = |word: &str| word.len() > 5 || word.bytes().any(|c| c.is_ascii_digit());
    let (rest, last) = local.rsplit_once('_')?;
    let (sender, word) = rest.rsplit_once('_')?;
    let (local, host) =
        sender.rsplit_once("_at_").filter(|_| is_random(last) && is_random(word))?;
    Some(format!("{local}@{}", host.replace('_', ".")))
}

/// The address at the end of a display name.
fn in_name(name: &str) -> Option<String> {
    let name = name.trim().trim_end_matches("[via Relay]").trim_end();
    let name = name.trim_end_matches(['\'', '"', ')', ']', '>']);
    let name = name.replace("(a)", "@").replace(" at ", "@");
    let address = name.rsplit([' ', '\'', '"', '(', '[', '<', ':']).next()?;
    address.contains('@').then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::HeaderFields;
    use crate::{Answers, Facts, Finding, Message, Policy, Reason, TldTable, Verdict, inspect};

    #[test]
    fn the_senders_address_is_where_the_forwarder_writes_it() {
        let in_local = |local| before_random_words(local);
        for (found, address) in [
            (in_local("info_at_shop_example_com_a1b2c3_d4e5f6"), Some("info@shop.example.com")),
            (in_local("x_at_example_com_evil_org_a1b2c3_d4e5f6"), Some("x@example.com.evil.org")),
            (in_local("x_at_example_com"), None),
            (in_local("info_at_example_com_net_org"), None),
            (at("x_at_example.com_y_at_example.org"), Some("x_at_example.com_y@example.org")),
            (in_name("no-reply@example.com [via Relay]"), Some("no-reply@example.com")),
            (in_name("Example - info(a)example.com"), Some("info@example.com")),
            (in_name("'info at example.com'"), Some("info@example.com")),
            (in_name("info(a)example.com - x(a)example.org"), Some("x@example.org")),
            (in_name("Per conto di: info@pec.example.com"), Some("info@pec.example.com")),
            (in_name("info@example.com, your bank"), None),
        ] {
            assert_eq!(found.as_deref(), address);
        }
    }

    #[test]
    fn lists_are_sorted() {
        assert!(FORWARDERS.is_sorted_by_key(|(domain, _)| *domain));
        assert!(FOR_CUSTOMERS.is_sorted() && FOR_STAFF.is_sorted());
    }

    #[test]
    fn services_for_the_people_of_a_company_speak_for_it_alone() {
        let recipient_domains = || vec!["harbour.org".to_owned()];
        let facts =
            |dmarc| Facts { dmarc, recipient_domains: recipient_domains(), ..Facts::default() };
        for (from, dmarc, verdict) in [
            ("Harbour Payroll <no-reply@adp.com>", Dmarc::Pass, Verdict::Notice),
            ("Harbour Payroll <no-reply@adp.com>", Dmarc::Unknown, Verdict::Suspect),
            ("Harbour Payroll <no-reply@example.com>", Dmarc::Pass, Verdict::Suspect),
            ("PayPal <no-reply@adp.com>", Dmarc::Pass, Verdict::Suspect),
        ] {
            assert_eq!(verdicts_of(from, &facts(dmarc)), [verdict], "{from} {dmarc:?}");
        }
    }

    /// The verdicts of what the sender's name says.
    fn verdicts(from: &str, dmarc: Dmarc) -> Vec<Verdict> {
        verdicts_of(from, &Facts { dmarc, ..Facts::default() })
    }

    fn verdicts_of(from: &str, facts: &Facts) -> Vec<Verdict> {
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        let head = format!("From: {from}\n");
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org", "net", "it", "io", "co"], "");
        let outcome = inspect(message, facts, &policy, &tlds).resolve(&Answers::new());
        let says = [Reason::DisplayNamePoses, Reason::DisplayNameHost];
        let of_name = |finding: &&Finding| says.iter().any(|one| finding.reasons.contains(*one));
        outcome.findings.iter().filter(of_name).map(|finding| finding.verdict).collect()
    }

    #[test]
    fn a_forwarder_that_names_the_owner_of_a_name_is_a_notice() {
        for from in [
            "PayPal <service_at_paypal_com_a1b2c3d4_e5f6a7b8@privaterelay.appleid.com>",
            "PayPal <service_at_paypal_com_a1b2c3d4_e5f6a7b8@icloud.com>",
            "Netflix <info_at_account.netflix.com_ann@duck.com>",
            "\"no-reply@spotify.com [via Relay]\" <replies@mozmail.com>",
            "\"PayPal - service(a)paypal.com\" <abcdef@simplelogin.co>",
            "\"Per conto di: ann@pec.intesasanpaolo.com\" <posta-certificata@legalmail.it>",
        ] {
            let found = verdicts(from, Dmarc::Unknown);
            assert!(!found.is_empty(), "{from}");
            assert!(found.iter().all(|one| *one == Verdict::Notice), "{from} {found:?}");
            assert!(verdicts(from, Dmarc::Fail).contains(&Verdict::Suspect), "{from}");
        }
        for from in [
            "PayPal <x_at_paypal_com@icloud.com>",
            "PayPal <service_at_paypal_com_evil_net_a1b2c3d4_e5f6a7b8@privaterelay.appleid.com>",
            "Netflix <x_at_netflix.com_x_at_evil.com_ann@duck.com>",
            "\"PayPal [via Relay]\" <replies@mozmail.com>",
            "\"PayPal - service(a)paypal.com - x(a)evil.com\" <abcdef@simplelogin.co>",
            "\"service@paypal.com\" <x@evil.com>",
            "\"Per conto di: ann@pec.intesasanpaolo.com\" <ann@legalmail.it>",
            "\"PayPal\" <x@simplelogin.co.evil.com>",
        ] {
            assert!(verdicts(from, Dmarc::Pass).contains(&Verdict::Suspect), "{from}");
        }
    }

    #[test]
    fn services_write_for_their_customers() {
        let from = "Netflix Recruiting <no-reply@us.greenhouse-mail.io>";
        assert_eq!(verdicts(from, Dmarc::Pass), [Verdict::Notice]);
        assert_eq!(verdicts(from, Dmarc::Unknown), [Verdict::Suspect]);
        assert_eq!(
            verdicts("Netflix <x@greenhouse-mail.io.evil.com>", Dmarc::Pass),
            [Verdict::Suspect]
        );
        assert_eq!(verdicts("USCIS <uscis@public.govdelivery.com>", Dmarc::Pass), []);
        assert_eq!(verdicts("PayPal <x@public.govdelivery.com>", Dmarc::Pass), [Verdict::Suspect]);
    }
}
