//! A protected name inside the host of another owner, spelled exactly or drawn: `paypal.com-login.top`,
//! `my-paypal.com`, `wwwpaypa1.com`.
//!
//! Only the position misleads, so the other words of the label decide: a name between hyphens or
//! underscores counts only beside office words (`roles.txt`), because shops and fan sites are named
//! after what they are about. The owner of the name does not mislead, but customers who can request
//! a host below the owner's domain may. Below carriers (`carriers.txt`) full names are their
//! owners'. A slip of a name (`near`) counts like the name, alone or beside such words.

use std::cell::OnceCell;
use std::ops::Range;

use super::glued_name;
#[cfg(feature = "senders")]
use super::honest_neighbours;
use super::host_words::{ASKING, MIN_BRAND_IN_LABEL, SEPARATORS, is_filler, spelled};
use super::national_site::{self, ChosenLabels, may_be_in_a_country};
use super::slip::{may_be_alike, slip};
use crate::Context;
use crate::characters::lookalike::LookHash;
use crate::protected::name::{MIN_BRAND, Name, Reach};
use crate::protected::names::Names;
use crate::protected::organisations::{Carrier, Organisations};
use crate::spelling::compared::{ComparedHost, Hit};
use crate::spelling::form::LabelForms;
use crate::spelling::plain_label::PlainLabel;
use crate::verdict::{Reason, Verdict};

/// What is read as `com` behind a name.
const COM_SLIPS: [&str; 6] = ["cam", "cm", "come", "comm", "con", "vom"];

/// The name inside the host, unless the host is its owner's.
pub(super) fn find(
    compared: &ComparedHost<'_>,
    names: &Names,
    context: &Context<'_>,
) -> Option<Hit> {
    let table = context.protected.organisations();
    if names.is_empty() {
        return None;
    }
    let labels = ChosenLabels::of(compared);
    let carrier = OnceCell::new();
    let carrier = || *carrier.get_or_init(|| table.and_then(|table| table.carrier(compared.ascii)));
    let is_owners =
        |name: &Name| table.is_some_and(|table| table.is_one_owner(compared.ascii, &name.ascii));
    let mut parts = compared.parts.iter().enumerate().take(labels.registrable + 1);
    parts.find_map(|(at, part)| {
        if !part.unicode.is_ascii() {
            return None;
        }
        let label = part.unicode.as_str();
        let in_full = || in_full(compared.parts, at, &labels, names);
        let chosen = || {
            #[cfg(feature = "senders")]
            if honest_neighbours::is_of_software(label, (compared.ascii, at)) {
                return None;
            }
            between_hyphens(label, names, table).filter(|_| !is_written_so(label, carrier(), names))
        };
        let name = carrier().is_none().then(in_full).flatten();
        let name = name.or_else(|| labels.is_name(at).then(chosen).flatten());
        let below = || in_sub_label(compared.parts, at, labels.registrable, names, table);
        let is_below = at < labels.registrable && carrier().is_none();
        let name = name.or_else(|| is_below.then(below).flatten());
        let hit = |name: &Name, reason| {
            let (target, verdict) = (String::from(&*name.ascii), Verdict::Suspect);
            #[cfg(feature = "senders")]
            let place = (compared.ascii, at);
            #[cfg(feature = "senders")]
            let is_said = at == labels.registrable
                && (honest_neighbours::is_owners_in_words(place, names)
                    || honest_neighbours::is_foundation(place, name));
            #[cfg(feature = "senders")]
            let verdict = if is_said { Verdict::Notice } else { verdict };
            (!is_owners(name)).then_some(Hit { target, label: at, verdict, reason })
        };
        let glued =
            || glued_name::find(label, names).filter(|_| !is_written_so(label, carrier(), names));
        // The label of a hoster is no customer's (`myshopify.com`).
        if let Some(name) = name.or_else(|| (at <= labels.hosted).then(glued).flatten()) {
            let is_spelled = label.contains(name.label());
            let reason = if is_spelled { Reason::NameInHost } else { Reason::TargetLookalike };
            return hit(name, reason);
        }
        // Further in front only with the suffix of the name behind it: `linkedln.com.top`.
        let counts = |name: &&Name| labels.is_name(at) || is_followed(name, compared.parts, at);
        let name = slip(label, names, context).filter(counts)?;
        #[cfg(feature = "senders")]
        if honest_neighbours::means_itself(label, name, (compared.ascii, at)) {
            return None;
        }
        hit(name, Reason::TargetLookalike)
    })
}

/// Whether the label is a host of the name's owner, written by a carrier that replaces dots by
/// hyphens.
fn is_written_so(label: &str, carrier: Option<Carrier>, names: &Names) -> bool {
    carrier == Some(Carrier::Hyphenated) && {
        let host = label.replace('-', ".").replace("..", "-");
        names.covers(&host) || names.national(&host).is_some()
    }
}

/// The full name with something after it: `paypal.com.login.top`, `paypal.com-login.top`.
fn in_full<'n>(
    parts: &[LabelForms],
    at: usize,
    labels: &ChosenLabels,
    names: &'n Names,
) -> Option<&'n Name> {
    let registrable = labels.registrable;
    let label = parts.get(at).map(|part| part.unicode.as_str())?;
    // Names have hyphens of their own: `deutsche-bank`.
    let brands = starts(label.as_bytes()).flat_map(|start| runs(label.as_bytes(), start, names));
    let brands = brands.filter(|(run, _)| run.end == label.len());
    let mut named = brands.flat_map(|(_, look)| names.by_look(look));
    named.find(|name| {
        let Some(start) = at.checked_sub(name.brand) else { return false };
        let mut theirs = name.labels.iter().map(|(label, _)| label.as_ref()).enumerate();
        let last = name.labels.len() - 1;
        let end = start + last;
        let matches = theirs.all(|(index, theirs)| {
            let Some(ours) = parts.get(start + index).map(|part| part.unicode.as_str()) else {
                return false;
            };
            // Other words may be joined to both ends.
            let ours = match ours.strip_suffix(theirs) {
                Some(front) if index == 0 && front.ends_with(is_sign) => theirs,
                _ => ours,
            };
            let slip = || (theirs == "com" && COM_SLIPS.contains(&ours)).then_some("_");
            let after = ours.strip_prefix(theirs).filter(|_| slip().is_none());
            let after = after.or_else(|| after_twin(ours, theirs)).or_else(slip);
            after == Some("")
                || index == last && last > 0 && after.is_some_and(|after| ends_name(after, name))
        });
        matches && last > 0 && (end <= registrable || is_cam(parts, at, name))
            || national_site::stands_at(parts, at, labels, name)
    })
}

/// A name under `cam`, which is read as `com`.
fn is_cam(parts: &[LabelForms], at: usize, name: &Name) -> bool {
    name.reach == Reach::Brand
        && parts.len() == at + 2
        && parts.last().is_some_and(|tld| tld.unicode == "cam")
}

/// What follows a word that looks like the last label of a name: `-login` of `corn-login`.
fn after_twin<'l>(ours: &'l str, theirs: &str) -> Option<&'l str> {
    let (word, after) = ours.split_at_checked(ours.find(is_sign)?)?;
    let look = |label: &str| LookHash::of(label.as_bytes());
    (look(word) == look(theirs)).then_some(after)
}

/// Whether the suffix of the name follows the label, or what reads so.
fn is_followed(name: &Name, parts: &[LabelForms], at: usize) -> bool {
    let mut ours = parts.iter().skip(at + 1).map(|part| part.unicode.as_str());
    let mut theirs = name.labels.iter().skip(name.brand + 1);
    theirs.all(|(label, _)| {
        let after = ours.next().and_then(|ours| ours.strip_prefix(label.as_ref()));
        after.is_some_and(|after| after.is_empty() || ends_name(after, name))
    })
}

/// A name in a label that its owner did not choose at a registry, where honest hosts are named after
/// what they serve as well: with hyphens for dots (`docs-google-com.top`), or beside words of offices
/// of which one asks for something that is secret (`paypal-login.example.com`,
/// `paypal.secure-login.top`).
fn in_sub_label<'n>(
    parts: &[LabelForms],
    at: usize,
    registrable: usize,
    names: &'n Names,
    table: Option<&Organisations>,
) -> Option<&'n Name> {
    let label = parts.get(at).map(|part| part.unicode.as_str())?;
    let asks = |words: &mut dyn Iterator<Item = &str>| {
        let mut some = false;
        words.filter(|word| !word.is_empty()).all(|word| {
            some |= ASKING.contains(&word);
            is_filler(word, table)
        }) && some
    };
    starts(label.as_bytes()).find_map(|start| {
        runs(label.as_bytes(), start, names).find_map(|(run, _)| {
            let (front, after) = (label.get(..start)?, label.get(run.end..)?);
            let name = spelled(label.get(run)?, names)
                .filter(|name| name.brand_len() >= MIN_BRAND_IN_LABEL)?;
            let mut words = after.split(SEPARATORS).skip(1).peekable();
            let suffix = name.labels.iter().skip(name.brand + 1);
            let mut suffix = suffix.map(|(label, _)| label.as_ref());
            // The proxies of libraries and companies write hosts so.
            let is_proxy = |part: &LabelForms| part.unicode.contains("proxy");
            let mut proxies = parts.iter().take(registrable).skip(at + 1);
            let in_full = suffix.all(|label| words.next() == Some(label))
                && (words.peek().is_some() || !proxies.any(is_proxy))
                && words.all(|word| is_filler(word, table))
                || national_site::is_hyphenated(front, after);
            let beside = || asks(&mut front.split(SEPARATORS).chain(after.split(SEPARATORS)));
            let before = || {
                let next = parts.get(registrable).filter(|_| at + 1 == registrable);
                let next = next.map(|part| part.unicode.as_str());
                let next = next.filter(|next| next.contains(SEPARATORS)).unwrap_or_default();
                asks(&mut front.split(SEPARATORS).chain(next.split(SEPARATORS)))
            };
            (in_full || beside() || after.is_empty() && before()).then_some(name)
        })
    })
}

/// Whether a full name ends before `after` in its last label: at a sign, a number, or a character
/// that no ASCII name continues with (`paypal.com0.top`, `paypal.comʔ.top`).
fn ends_name(after: &str, name: &Name) -> bool {
    after.starts_with(|c: char| is_sign(c) || !c.is_ascii())
        || name.brand_len() >= MIN_BRAND
            && (after.bytes().all(|byte| byte.is_ascii_digit())
                || glued_name::ENDS.contains(&after))
}

/// Whether the label may be read as `com`, alone or before one of [`glued_name::ENDS`].
fn may_be_com(label: &[u8]) -> bool {
    label.len() > 3 && label.get(..3).is_some_and(|front| front.eq_ignore_ascii_case(b"com"))
        || COM_SLIPS.iter().any(|slip| label.eq_ignore_ascii_case(slip.as_bytes()))
}

/// Where the words of the label begin.
fn starts(label: &[u8]) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(memchr::memchr2_iter(b'-', b'_', label).map(|at| at + 1))
}

/// Runs of words from this byte of the label on, each one word longer, with their look, as long as
/// some name begins so.
fn runs<'l>(
    label: &'l [u8],
    start: usize,
    names: &'l Names,
) -> impl Iterator<Item = (Range<usize>, u64)> + 'l {
    let mut look = LookHash::EMPTY;
    let letters = label.iter().enumerate().skip(start);
    let read = letters.map_while(move |(at, byte)| {
        look.ascii(*byte);
        names.begins(look).then_some((start..at + 1, look.value()))
    });
    read.filter(|(run, _)| label.get(run.end).is_none_or(|after| is_separator(*after)))
}

/// Characters at which a full name may end in a label: browsers open hosts with signs
/// (`paypal.com~x.example`).
fn is_sign(c: char) -> bool {
    c.is_ascii_punctuation()
}

fn is_separator(byte: u8) -> bool {
    SEPARATORS.contains(&char::from(byte))
}

/// The name between hyphens, beside office words.
fn between_hyphens<'n>(
    label: &str,
    names: &'n Names,
    table: Option<&Organisations>,
) -> Option<&'n Name> {
    if !label.contains(SEPARATORS) {
        return None;
    }
    let is_filler = |word: &str| is_filler(word, table);
    // Names have hyphens of their own: try any run of words that does not fill the label.
    for start in starts(label.as_bytes()) {
        let named = runs(label.as_bytes(), start, names).find_map(|(run, _)| {
            let alone = run.len() == label.len();
            let (name, after) = (label.get(run.clone())?, label.get(run.end..)?);
            let name =
                spelled(name, names).filter(|name| name.brand_len() >= MIN_BRAND_IN_LABEL)?;
            (!alone && after.split(SEPARATORS).all(is_filler)).then_some(name)
        });
        if named.is_some() {
            return named;
        }
        let word = label.get(start..).and_then(|rest| rest.split(SEPARATORS).next());
        if !word.is_some_and(is_filler) {
            break;
        }
    }
    None
}

/// Whether an ASCII label may contain a name of the set: fast, may return `true` wrongly. `joints`
/// says whether the host has any separator of words.
pub(super) fn may_hold(
    label: &PlainLabel<'_>,
    after: &[PlainLabel<'_>],
    separators: bool,
    names: &Names,
) -> bool {
    let known = |look: LookHash| names.by_look(look.value()).next().is_some();
    let bytes = label.bytes;
    let run =
        |start| runs(bytes, start, names).any(|(_, look)| names.by_look(look).next().is_some());
    glued_name::may_hold(bytes, names)
        || label.has_separator && starts(bytes).any(run)
        || after.first().is_some_and(|after| {
            separators && after.has_separator
                || bytes.len() >= MIN_BRAND && (after.is_numbered() || may_be_com(after.bytes))
        }) && known(label.look)
        || bytes.len() >= MIN_BRAND
            && may_be_in_a_country(label.start == 0, after)
            && known(label.look)
        || names.may_be_near(bytes)
        || may_be_alike(bytes, names)
        || label.has_separator
            && bytes
                .split(|byte| is_separator(*byte))
                .any(|word| names.may_be_near(word) || may_be_alike(word, names))
}

#[cfg(test)]
mod tests {
    use crate::verdict::{Edit, Reason, Verdict};
    use crate::{Judgement, Names, judge};
    use uts58::tlds::TldTable;

    fn judged(host: &str) -> Judgement {
        judged_by(&Names::builtin(), host)
    }

    fn judged_by(protected: &Names, host: &str) -> Judgement {
        let none = Names::default();
        let tlds = TldTable::new(["com", "top", "br", "app", "net", "test", "de", "uk"], "");
        judge(host, &crate::tests::context(protected, &none, &tlds))
    }

    #[test]
    fn names_inside_hosts_of_others_are_reported() {
        for (host, target) in [
            ("paypal.com-login.top", "paypal.com"),
            ("www.paypal.com-login.top", "paypal.com"),
            ("secure-paypal.com-login.top", "paypal.com"),
            ("paypal.com_login.top", "paypal.com"),
            ("www.paypal.com_signin.attack.top", "paypal.com"),
            ("paypal.com_.attack.top", "paypal.com"),
            ("secure_paypal.com.attack.top", "paypal.com"),
            ("hsbc.co.uk_login.attack.top", "hsbc.com"),
            ("www.paypal.com~signin.attack.top", "paypal.com"),
            ("paypal.com$x.attack.top", "paypal.com"),
            ("paypal.com0.attack.top", "paypal.com"),
            ("www.paypal.com443.attack.top", "paypal.com"),
            ("paypal.comʔ.attack.top", "paypal.com"),
            ("paypal.comʔsignin.attack.top", "paypal.com"),
            ("www.paypal.de.attack.top", "paypal.com"),
            ("www.paypal.de-login.top", "paypal.com"),
            ("www.amazon.it.x.attack.top", "amazon.com"),
            ("www-paypal-com.attack.top", "paypal.com"),
            ("www-deutsche-bank-com.attack.top", "deutsche-bank.de"),
            ("my-paypal.com", "paypal.com"),
            ("login2-paypal.com", "paypal.com"),
            ("whatsapp-web3.top", "whatsapp.com"),
            ("paypal-kyc07.web.app", "paypal.com"),
            ("MY-PayPal.com", "paypal.com"),
            ("secure-paypal.com.br", "paypal.com"),
            ("wwwpaypal.com", "paypal.com"),
            ("wwpaypal.com", "paypal.com"),
            ("www-paypal.com", "paypal.com"),
            ("paypalcom.top", "paypal.com"),
            ("paypal.com.verify.test", "paypal.com"),
            ("paypal-support.web.app", "paypal.com"),
            ("login-microsoftonline.com", "microsoftonline.com"),
            ("gov.uk-refund.top", "gov.uk"),
            ("www.deutsche-bank.de.attack.test", "deutsche-bank.de"),
            ("my-deutsche-bank.de.attack.test", "deutsche-bank.de"),
            ("amazon.co.jp.verify.top", "amazon.com"),
            ("www.amazon.co.jp.verify.top", "amazon.com"),
            ("hsbc.co.uk-login.top", "hsbc.com"),
            ("amazon.com.br.top", "amazon.com"),
            ("amazon.or.jp.verify.top", "amazon.com"),
            ("amazon.gob.mx-login.top", "amazon.com"),
            ("whatsapp-web.top", "whatsapp.com"),
            ("instagram-copyright.com", "instagram.com"),
            ("rabobank-pas.top", "rabobank.nl"),
            ("commerzbank-phototan.com", "commerzbank.de"),
            ("web-paypal.pages.dev", "paypal.com"),
            ("secure-deutsche-bank.com", "deutsche-bank.de"),
            ("deutsche-bank-login.test", "deutsche-bank.de"),
            ("my-deutsche-bank-login.test", "deutsche-bank.de"),
            ("wwwdeutsche-bank.com", "deutsche-bank.de"),
            ("www-paypalcom.top", "paypal.com"),
            ("WWWPayPalCom.top", "paypal.com"),
            ("wwwwhatsapp.com", "whatsapp.com"),
            ("wwwwpaypal.com", "paypal.com"),
            ("www-walmart.com", "walmart.com"),
            ("wwwwalmart.top", "walmart.com"),
            ("paypal-login.z13.web.core.windows.net", "paypal.com"),
            ("paypal-login.westeurope.cloudapp.azure.com", "paypal.com"),
            ("microsoft-login.z13.web.core.windows.net", "microsoft.com"),
            ("paypal-login.azurefd.net", "paypal.com"),
            ("paypal-login.s3.amazonaws.com", "paypal.com"),
            ("amazon-billing.s3.us-east-1.amazonaws.com", "amazon.com"),
            ("paypal.com.s3.amazonaws.com", "paypal.com"),
            ("paypal-login.azureedge.net", "paypal.com"),
            ("paypal-com.trafficmanager.net", "paypal.com"),
            ("paypal-login.googleapis.com", "paypal.com"),
            ("www.paypal.com.windows.net", "paypal.com"),
            ("wwwpaypal.azure.com", "paypal.com"),
            ("paypal-login.edgekey.net", "paypal.com"),
            ("paypal-login-com.translate.goog", "paypal.com"),
            ("paypal.corn-login.top", "paypal.com"),
            ("drive.google.c0m-share.top", "google.com"),
            ("login-microsoftonline-com.attack.top", "microsoftonline.com"),
            ("docs-google-com.attack.top", "google.com"),
            ("www.paypal-com-login.attack.top", "paypal.com"),
            ("paypal-login.attack.top", "paypal.com"),
            ("www.secure-paypal.attack.top", "paypal.com"),
            ("paypal.secure-login.top", "paypal.com"),
            ("www.paypal.account-verify.top", "paypal.com"),
            ("paypal-logln.com", "paypal.com"),
            ("l0gin-paypal.com", "paypal.com"),
            ("fedex-track.com", "fedex.com"),
            ("netflix-renew.com", "netflix.com"),
            ("paypal-co-uk.net", "paypal.com"),
            ("httpspaypal.com", "paypal.com"),
            ("mypaypal.com", "paypal.com"),
            ("PayPalLogin.com", "paypal.com"),
            ("paypalverify.com", "paypal.com"),
            ("SparkasseKonto.de", "sparkasse.de"),
            ("verifypaypal.com", "paypal.com"),
            ("securitypaypal.com", "paypal.com"),
            ("SigninPayPal.com", "paypal.com"),
            ("verificationnetflix.top", "netflix.com"),
            ("ebaylogin.com", "ebay.com"),
            ("uspsrefund.com", "usps.com"),
            ("paypal-desbloqueo.com", "paypal.com"),
            ("www.paypal.comlogin.attack.top", "paypal.com"),
            ("www.paypal.comm.attack.top", "paypal.com"),
            ("paypal.con.attack.top", "paypal.com"),
            ("www.paypal.net.attack.top", "paypal.com"),
            ("www.paypal.org-login.top", "paypal.com"),
            ("paypal.de.example.top", "paypal.com"),
            ("amazon.de.konto-id83.com", "amazon.com"),
            ("login.paypal.de.id83.com", "paypal.com"),
            ("paypal.de-login.id83.com", "paypal.com"),
            ("www-amazon-co-uk.attack.top", "amazon.com"),
            ("amazon-co-uk.attack.top", "amazon.com"),
            ("www-paypal-de.attack.top", "paypal.com"),
            ("paypal.cam", "paypal.com"),
            ("apple.cam", "apple.com"),
            ("www.paypal.cam", "paypal.com"),
            ("paypal.us.com", "paypal.com"),
            ("paypal.co.com", "paypal.com"),
            ("amazon.uk.com", "amazon.com"),
        ] {
            let judgement = judged(host);
            assert_eq!(judgement.verdict, Verdict::Suspect, "{host}");
            assert!(judgement.reasons.contains(Reason::NameInHost), "{host}");
            assert_eq!(judgement.target.as_deref(), Some(target), "{host}");
            assert_eq!(judgement.edit, Edit::Reported, "{host}");
        }
    }

    /// The same with letters that look like those of the name.
    #[test]
    fn drawn_names_inside_hosts_of_others_are_reported() {
        for (host, target) in [
            ("securepaypaI.com", "paypal.com"),
            ("mypaypa1.com", "paypal.com"),
            ("wwwrnicrosoft.com", "microsoft.com"),
            ("arnazoncom.top", "amazon.com"),
            ("netfllxsupport.com", "netflix.com"),
            ("paypaI-login.attack.top", "paypal.com"),
            ("rnicrosoft_login.attack.top", "microsoft.com"),
            ("mlcrosoft.secure-login.top", "microsoft.com"),
            ("www-googIe-com.attack.top", "google.com"),
            ("netfllx.com0.attack.top", "netflix.com"),
            ("www.arnazon.comlogin.attack.top", "amazon.com"),
            ("app1e-login.com", "apple.com"),
            ("secure-ad0be.com", "adobe.com"),
        ] {
            let judgement = judged(host);
            assert_eq!(judgement.verdict, Verdict::Suspect, "{host}");
            assert!(judgement.reasons.contains(Reason::TargetLookalike), "{host}");
            assert_eq!(judgement.target.as_deref(), Some(target), "{host}");
        }
        // Words, and five letters without a digit.
        assert!(judged("appie-login.com").target.is_none());
        let names = Names::new(["modern.test"]);
        for (host, is_drawn) in [("my-rnodern.com", true), ("my-modem.com", false)] {
            assert_eq!(judged_by(&names, host).verdict >= Verdict::Suspect, is_drawn, "{host}");
        }
    }

    #[test]
    fn owners_carriers_fans_and_countries_are_left_alone() {
        for host in [
            "www.paypal.com",
            "paypal.com.br",
            "amazon.co.jp",
            "www.amazon.co.jp",
            "amazon.co.example.top",
            "amazon.dev.de.example.top",
            "whatsapp.es.softonic.com",
            "whatsapp.en.example.com",
            "paypal.ge.com",
            "ebay.de.example.com",
            "amazon-de.example.com",
            "www-amazon-de.proxy.example.edu",
            "www.paypal.de",
            "www.paypal.b2.example.com",
            "paypal.com4u.example.com",
            "paypal.coma.example.com",
            "www-paypal-com.proxy.example.edu",
            "www.paypal.com.proxy.example.ac.uk",
            "github.com.herokudns.com",
            "login.microsoftonline.com.example.idm.oclc.org",
            "paypal.de",
            "paypal.web.app",
            "paypal.example.com",
            "www.paypal.com.edgekey.net",
            "www-paypal-com.translate.goog",
            "www-paypal-de.translate.goog",
            "paypal.s3.amazonaws.com",
            "amazon-billing.amazonaws.com",
            "amazon-billing.aws",
            "my-deutsche--bank-de.translate.goog",
            "microsoft-support.azure.com",
            "harbour-my.sharepoint.com",
            "paypal-my.sharepoint.com",
            "google-analytics.com",
            "images-amazon.com",
            "payments-amazon.com",
            "paypal-communication.com",
            "youtube-mp3.org",
            "apple-pie.com",
            "someone.mail.paypal.com.invalid",
            "telecom.com",
            "wwwhatever.com",
            "x-com.top",
            "deutsche-bank.test",
            "deutsche-bank-fans.test",
            "bank-login.test",
            "contoso-com.access.mcas.ms",
            "docs-google-com.ezproxy.example.com",
            "www-paypal-com.cdn.ampproject.org",
            "paypal-fans.example.com",
            "google-analytics.example.com",
            "amazon.my-shop.com",
            "paypal.shop-online.com",
            "facebook-com-fans.example.com",
            "adobelogin.com",
            "mcafeesecure.com",
            "livesupport.com",
            "visasupport.com",
            "dhllogin.com",
            "myshopify.com",
        ] {
            let judgement = judged(host);
            assert_eq!(judgement.verdict, Verdict::Ok, "{host}: {:?}", judgement.target);
        }
    }

    #[test]
    fn without_the_built_in_names_carriers_and_offices_are_known() {
        let own = Names::nobody().extended(["harbour.example"]);
        for host in ["www.harbour.example.edgekey.net", "harbour-fans.test", "paypal-support.test"]
        {
            assert_eq!(judged_by(&own, host).verdict, Verdict::Ok, "{host}");
        }
        assert_eq!(judged_by(&own, "harbour-support.test").verdict, Verdict::Suspect);
    }

    #[test]
    fn what_a_hoster_gave_away_is_not_protected() {
        let (protected, own) = (Names::builtin(), Names::new(["mine.s3.amazonaws.com"]));
        for (host, is) in [
            ("amazonaws.com", true),
            ("console.amazonaws.com", true),
            ("x.s3.amazonaws.com", false),
            ("x.mine.s3.amazonaws.com", true),
            ("tax.service.gov.uk", true),
            ("www.paypal.com", true),
            ("example.org", false),
        ] {
            assert_eq!(crate::is_protected(host, &protected, &own), is, "{host}");
        }
    }
}
