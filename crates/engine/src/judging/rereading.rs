//! Hosts that are read again: as the owner's whose name they read as, and with signs between words that are glued.
//!
//! Names alone are judged by `homograph`, which web pages load; what is rare is read here.

use std::sync::Arc;

use super::mail_hosts::names_domain;
use super::prices::GLUED_HOST_STEPS;
use super::shops::is_shop;
use super::{Judge, host_steps};
use crate::outcome::{Edit, Reason, Verdict};
use homograph::{HostBounds, Judgement, Names, Section, registrable};

/// Words of those who ask for something, which stand glued to a name or to one another: `paypalaccountupdate`.
const ASKING: [&str; 29] = [
    "2fa", "account", "accounts", "auth", "billing", "com", "confirm", "customer", "helpdesk",
    "https", "konto", "login", "logon", "mfa", "okta", "otp", "recovery", "refund", "secure",
    "security", "sicherheit", "signin", "sso", "support", "unlock", "update", "verification",
    "verify", "www",
];

/// Those that products and companies have in their names as well: they count only beside another, or at a name in
/// disguise.
const OF_PRODUCTS: [&str; 7] = ["accounts", "auth", "com", "https", "secure", "sso", "www"];

/// The one of them that lures have behind a name that is no word, and nobody else.
const SECURE: &str = "secure";

/// The one of them that is a name.
const SIGN_IN: &str = "okta";

/// Letters of a name at least, and of a name with such a word.
const MIN_NAME: usize = 5;
const MIN_LABEL: usize = MIN_NAME + 3;

/// Words that are parted from a name at most.
const MOST_WORDS: usize = 4;

impl Judge<'_> {
    /// The judgement of a host, lowered if the name that it reads as is its owner's, and raised if it reads as a name
    /// once its words are parted.
    pub(super) fn reread(&mut self, judgement: Arc<Judgement>) -> Arc<Judgement> {
        match judgement.verdict {
            Verdict::Suspect => self.without_own_name(judgement),
            Verdict::Ok | Verdict::Notice => self.with_words_parted(judgement),
            Verdict::Unsafe | Verdict::Invalid => judgement,
        }
    }

    /// The judgement of a host that reads as the name of its owner (`shope.ee`), or that has the name of another as hosts
    /// of mail servers and of lists have it, without that.
    fn without_own_name(&self, judgement: Arc<Judgement>) -> Arc<Judgement> {
        let is_own = |target: &String| {
            homograph::claims::says_rightly(target, &judgement.ascii, &self.policy.protected)
        };
        let is_harmless = judgement.target.as_ref().is_some_and(is_own)
            || is_shop(&judgement)
            || judgement.reasons.contains(Reason::NameInHost) && names_domain(&judgement.ascii);
        if !is_harmless {
            return judgement;
        }
        let mut own = Judgement::clone(&judgement);
        READS_AS_NAME.into_iter().for_each(|reason| own.reasons.remove(reason));
        if !own.reasons.is_empty() {
            return judgement;
        }
        (own.verdict, own.target) = (Verdict::Ok, None);
        Arc::new(own)
    }

    /// The judgement of a host in which a name stands glued to words that ask: that of the host with hyphens between
    /// them (`paypa1login.com`, `paypalaccountupdate.com`).
    fn with_words_parted(&mut self, judgement: Arc<Judgement>) -> Arc<Judgement> {
        let may_be = |label: &[u8]| label.len() >= MIN_LABEL && may_have_word(label);
        // Labels are short: a loop is faster than a search.
        if !judgement.ascii.as_bytes().split(|byte| *byte == b'.').any(may_be) {
            return judgement;
        }
        let Some(domain) = registrable(&judgement.ascii, Section::Icann) else { return judgement };
        let policy = self.policy;
        let protected = &policy.protected;
        let parted = domain.split_once('.').and_then(|(label, suffix)| {
            let parted = Parted::of(label).filter(|parted| parted.counts(protected))?;
            Some(format!("{}.{suffix}", parted.hyphenated()))
        });
        let Some(parted) = parted else { return judgement };
        let read = self.host_alone(&parted, HostBounds::Certain);
        self.steps += GLUED_HOST_STEPS + host_steps(&parted, HostBounds::Certain, &read);
        let reads_as_name = READS_AS_NAME.into_iter().any(|reason| read.reasons.contains(reason));
        if !reads_as_name || homograph::has_owner(&judgement.ascii, protected) {
            return judgement;
        }
        let mut named = Judgement::clone(&judgement);
        named.reasons = named.reasons.union(read.reasons);
        named.verdict = Verdict::Suspect;
        named.edit = named.edit.max(Edit::Reported);
        named.target.clone_from(&read.target);
        Arc::new(named)
    }
}

/// Why a host is suspect that reads as somebody's name.
const READS_AS_NAME: [Reason; 2] = [Reason::TargetLookalike, Reason::NameInHost];

/// What words of [`ASKING`] begin and end with.
const BEGINNINGS: [[u8; 2]; ASKING.len()] = pairs(End::First);
const ENDINGS: [[u8; 2]; ASKING.len()] = pairs(End::Last);

#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn pairs(end: End) -> [[u8; 2]; ASKING.len()] {
    let mut pairs = [[0; 2]; ASKING.len()];
    let mut at = 0;
    while at < pairs.len() {
        let word = ASKING[at].as_bytes();
        let from = if let End::First = end { 0 } else { word.len() - 2 };
        pairs[at] = [word[from], word[from + 1]];
        at += 1;
    }
    pairs
}

/// Whether a label begins or ends with two letters of a word of [`ASKING`]: most do not.
fn may_have_word(label: &[u8]) -> bool {
    label.first_chunk().is_some_and(|pair| BEGINNINGS.contains(pair))
        || label.last_chunk().is_some_and(|pair| ENDINGS.contains(pair))
}

/// A label, parted into the words that ask at both ends and the rest.
struct Parted<'l> {
    front: Vec<&'static str>,
    name: &'l str,
    /// From the last one on.
    after: Vec<&'static str>,
}

impl Parted<'_> {
    fn of(label: &str) -> Option<Parted<'_>> {
        let mut parted = Parted { front: Vec::new(), name: label, after: Vec::new() };
        while parted.words() < MOST_WORDS && parted.part_word() {}
        (parted.words() > 0).then_some(parted)
    }

    fn words(&self) -> usize {
        self.front.len() + self.after.len()
    }

    /// Parts one more word from the name, the longest one.
    fn part_word(&mut self) -> bool {
        let trimmed = |rest: &str| rest.trim_matches('-').len() >= MIN_NAME;
        let longest = |is: &dyn Fn(&str) -> bool| {
            ASKING.into_iter().filter(|word| is(word)).max_by_key(|word| word.len())
        };
        let name = self.name;
        if let Some(word) = longest(&|word| name.strip_suffix(word).is_some_and(trimmed)) {
            self.after.push(word);
            self.name =
                name.get(..name.len() - word.len()).unwrap_or_default().trim_end_matches('-');
            return true;
        }
        if let Some(word) = longest(&|word| name.strip_prefix(word).is_some_and(trimmed)) {
            self.front.push(word);
            self.name = name.get(word.len()..).unwrap_or_default().trim_start_matches('-');
            return true;
        }
        false
    }

    /// Whether the words ask for something, the name is one in lures alone, or has a number in it.
    fn counts(&self, protected: &Names) -> bool {
        let words = || self.front.iter().chain(&self.after);
        let asks = words().any(|word| !OF_PRODUCTS.contains(word));
        let is_secured = || {
            self.after.contains(&SECURE) && homograph::claims::is_distinctive(self.name, protected)
        };
        asks || is_secured()
            || self.words() > 1
            || self.name.bytes().any(|byte| byte.is_ascii_digit())
    }

    fn hyphenated(&self) -> String {
        // A service of logins asks for one.
        let asked = |word: &&'static str| if *word == SIGN_IN { "login" } else { *word };
        let front = self.front.iter().map(asked).chain([self.name]);
        front.chain(self.after.iter().rev().map(asked)).collect::<Vec<_>>().join("-")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Dmarc, Facts, Message, Policy, TldTable, Verdict, inspect};

    /// The verdict of a link to the host, and whose name it reads as.
    fn judged(host: &str) -> (Verdict, String) {
        let body = format!("https://{host}/\n");
        let message = Message { head: b"From: x@example.org\n", body: body.as_bytes() };
        let tlds = TldTable::new(["com", "ee", "eu", "hr", "net", "org", "pl"], "");
        let facts = Facts { dmarc: Dmarc::Unknown, ..Facts::default() };
        let outcome = inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new());
        let targets = outcome.findings.into_iter().filter_map(|finding| finding.target);
        (outcome.verdict, targets.collect())
    }

    #[test]
    fn any_word_may_be_at_either_end() {
        for word in super::ASKING {
            for label in [format!("{word}xxxxx"), format!("xxxxx{word}")] {
                assert!(super::may_have_word(label.as_bytes()), "{label}");
            }
        }
        assert!(!super::may_have_word(b"example"));
    }

    #[test]
    fn words_glued_to_a_name_and_to_one_another_are_parted() {
        for host in [
            "paypa1login.com",
            "paypellogin.com",
            "loginpaypa1.com",
            "paypa1com.net",
            "paypalaccountupdate.com",
            "paypal-securelogin.com",
            "paypalcomlogin.com",
            "wwwpaypallogin.com",
            "paypal2fa.com",
            "paypal-okta.com",
            "paypalsecure.com",
        ] {
            assert_eq!(judged(host), (Verdict::Suspect, "paypal.com".to_owned()), "{host}");
        }
        for host in [
            "adobelogin.com", "mcafeesecure.com", "outlooksecure.com", "examplelogin.com",
            "securelogin.com", "loginaccountupdate.com", "telecom.com", "onelogin.com",
            "customersupport.com",
        ] {
            assert!(judged(host).0 < Verdict::Suspect, "{host}");
        }
    }

    #[test]
    fn hosts_that_read_as_their_owners_name_are_his() {
        for host in
            ["shope.ee", "wwnorton.com", "tiktokv.eu", "www.credit-agricole.pl", "www.otpbanka.hr"]
        {
            assert_eq!(judged(host), (Verdict::Ok, String::new()), "{host}");
        }
        for host in ["shopee-login.com", "tiktokv.net"] {
            assert_eq!(judged(host).0, Verdict::Suspect, "{host}");
        }
    }
}
