use crate::policy::HeaderFields;
use crate::{Answers, Dmarc, Facts, Finding, Message, Policy, Reason, TldTable, Verdict, inspect};

/// The verdict of what the sender's name says.
fn verdict(from: &str, dmarc: Dmarc) -> Option<Verdict> {
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let head = format!("From: {from}\n");
    let message = Message { head: head.as_bytes(), body: b"" };
    let tlds = TldTable::new(["au", "com", "de", "edu", "fr", "jp", "net", "org"], "");
    let facts = Facts { dmarc, ..Facts::default() };
    let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
    let poses = |finding: &&Finding| finding.reasons.contains(Reason::DisplayNamePoses);
    outcome.findings.iter().find(poses).map(|finding| finding.verdict)
}

#[test]
fn who_says_that_somebody_else_writes_is_a_notice() {
    for from in [
        "Facebook User Privacy Settlement Administrator <a@facebookuserprivacysettlement.com>",
        "T-Mobile Data Breach Settlement <noreply@t-mobilesettlement.com>",
        "PayPal Class Action Settlement <x@paypalsettlement.com>",
        "Truist Park <tickets@truistpark.com>",
        "Barclays Arena <x@barclays-arena.de>",
        "Scotiabank Toronto Waterfront Marathon <x@example.com>",
        "PayPayドーム <x@example.jp>",
        "Mastercard Foundation <info@mastercardfdn.org>",
        "Vodafone Stiftung Deutschland <info@vodafone-stiftung.de>",
        "Amazon Labor Union <info@amazonlaborunion.org>",
        "DHL Betriebsrat <x@example.de>",
        "Starbucks Workers United <x@sbworkersunited.org>",
        "CWU Royal Mail <x@cwu.org>",
        "Royal Mail Pensioners <x@nfop.example.org>",
        "Correos UGT <x@ugtcorreos.com>",
        "Santander CCOO <x@example.com>",
        "Santander Cycles <x@example.com>",
        "Türk Telekom Stadyumu <x@example.org>",
        "Barclays Scottish Open <x@example.com>",
        "Coro Allegro <x@coroallegro.org>",
        "Musikschule Allegro <x@example.de>",
        "Allegro Ma Non Troppo <x@example.com>",
        "Netflix Fanclub <x@netflix-fans.de>",
        "Amazon Works Council <x@example.de>",
        "Betriebssportgruppe Sparkasse Musterstadt <x@bsg-musterstadt.de>",
        "SV Sparkasse Tischtennis <x@example.de>",
        "Netflix User Group Bonn <x@example.net>",
        "Netflix Fan Club <x@example.org>",
        "Netflix Fan Podcast <x@example.de>",
        "Rabobank Wielerploeg Fans <x@example.net>",
        "PostNL Staking FNV <x@example.net>",
        "Amazon店 さくら堂 <x@example.jp>",
        "Google Ads Agentur Weber <info@weber-sea.de>",
        "Vodafone Shop Müller <info@mobilfunk-mueller.de>",
        "DHL Paketshop Weber <info@kiosk-weber.de>",
        "Microsoft認定パートナー ABC <info@abc.co.jp>",
        "Amazon Chronicles <amazonchronicles@substack.com>",
        "Visa Services <info@cibtvisas.com>",
        "U.S. Visa Support <support@ustraveldocs.com>",
        "Visa Help Desk <visa@kit.edu>",
        "Visa Support <x@immi.homeaffairs.gov.au>",
        "Visa Support <x@auswaertiges.gouv.fr>",
        "Visa Support Team <x@uni-koeln.de>",
        "Microsoft 365 Team (IT-Services) <m365@uni-bonn.de>",
        "Zoom Support <zoom@urz.uni-heidelberg.de>",
        "Adobe Creative Cloud Support <adobe@umich.edu>",
        "PostNL Pensioenfonds <info@pensioenfondspostnl.com>",
        "CUPW Canada Post <info@cupw.example.org>",
        "Сбербанк Арена <x@example.com>",
        "Garanti BBVA Caz Festivali <x@example.org>",
        "State Farm Agent John Doe <john@johndoeagency.com>",
        "WhatsApp Kurs Volkshochschule <info@vhs-muenchen.de>",
        "UPS Alert <apcupsd@example.com>",
        "\"google-cla[bot]\" <notifications@github.com>",
    ] {
        assert_eq!(verdict(from, Dmarc::Pass), Some(Verdict::Notice), "{from}");
        assert_eq!(verdict(from, Dmarc::Fail), Some(Verdict::Suspect), "{from}");
    }
    let machine =
        "Microsoft Exchange <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.com>";
    assert_eq!(verdict(machine, Dmarc::Unknown), Some(Verdict::Notice));
}

#[test]
fn offices_beside_a_name_and_what_no_domain_spells_stay_suspect() {
    for from in [
        "Amazon Support Center <x@example.com>",
        "PayPal Service <x@service-arena.com>",
        "Netflix Billing Foundation Team <x@foundation.org>",
        "PayPal Arena Support <x@example.com>",
        "PayPal Open <x@gmail.com>",
        "Allegro Orchestra Payments <x@example.com>",
        "Allegro Winner <x@allegrowinner.com>",
        "Correos UGT Support <x@example.com>",
        "PayPal User Group Support <x@example.com>",
        "PayPal Fan Club Account Alert <x@example.com>",
        "PayPal User Account Group <x@example.com>",
        "PayPal Fans <x@gmail.com>",
        "Amazon Prime Gifts <x@amazonprimegifts.com>",
        "PayPal Choir <x@example.com>",
        "PayPal Account Settlement <x@settlement-pay.com>",
        "PayPal Data Breach Settlement <x@example.com>",
        "Mastercard Foundation <x@example.org>",
        "PayPal Betriebsrat <x@gmail.com>",
        "PayPal Shop Weber <x@example.de>",
        "PayPal Shop Security <x@security.com>",
        "PayPal Shop Weber <x@paypal-weber.de>",
        "PayPal Support <x@substack.com>",
        "PayPal <x@substack.com>",
        "UPS Delivery <apcupsd@example.com>",
        "\"paypal-support[bot]\" <notifications@github.com>",
        "\"PayPal[bot]\" <notifications@github.com>",
        "\"google-cla[bot]\" <notifications@example.com>",
        "Microsoft Exchange <x@example.com>",
        "Amazon Arena Refund 2026 <x@example.com>",
        "Visa Support <x@gmail.com>",
        "Visa Support <x@example.com>",
        "Visa Support <x@visasupport.com>",
        "Visa Services <x@visa-services.org>",
        "Visa <x@kit.edu>",
        "Visa Card Services <x@kit.edu>",
        "Visa Security <x@kit.edu>",
        "Visa Payment Support <x@visas.com>",
        "Visa Support <x@gov.com>",
        "PayPal Support <x@kit.edu>",
        "PayPal Support <paypal@kit.edu>",
        "Microsoft 365 Team <j.weber@uni-bonn.de>",
        "Microsoft 365 Security <m365@uni-bonn.de>",
        "Microsoft 365 Team <m365@example.com>",
        "PostNL Pensioenfonds <info@example.com>",
        "State Farm Agent John Doe <x@example.com>",
        "State Farm Agent John Doe Claims <john@johndoeagency.com>",
        "WhatsApp Kurs Volkshochschule <x@example.com>",
        "PayPal Arena Login <x@example.com>",
    ] {
        assert_eq!(verdict(from, Dmarc::Pass), Some(Verdict::Suspect), "{from}");
    }
    assert_eq!(verdict("Truist Park <x@truistpark.com>", Dmarc::Unknown), Some(Verdict::Suspect));
}
