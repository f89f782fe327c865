//! Lists that are asked by DNS whether they have a domain: what is asked, and what an answer means.
//!
//! The forms are those of the lists' own documents: [DBL](https://www.spamhaus.org/faqs/domain-blocklist/),
//! [SURBL](https://surbl.org/lists), [URIBL](https://uribl.com/about.shtml). All answer with an address of
//! 127.0.0.0/8 that is a code, or with NXDOMAIN. RFC 5782 §2.1 and §3 have the rest.

use std::fmt;
use std::net::Ipv4Addr;

use crate::engine::outcome::Verdict;

/// What a list answers with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Spamhaus' DBL: the last number is a code.
    Dbl,
    /// SURBL: the last number is a set of bits, one a source.
    Surbl,
    /// URIBL: the same; black and red count, grey does not.
    Uribl,
    /// Some other one: every code is a listing, but for those that all lists refuse with.
    #[default]
    Any,
}

/// Which codes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// These and those in between.
    Range(Ipv4Addr, Ipv4Addr),
    /// 127.0.0.x with one of these bits.
    Bits(u8),
}

/// Codes, and what a domain is that has one; without a verdict what the list says of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    pub codes: Codes,
    pub verdict: Option<Verdict>,
}

/// A list that is asked.
#[derive(Clone, PartialEq, Eq)]
pub struct Blocklist {
    /// The operator's name for it.
    pub name: String,
    /// Behind the domain, without root dot. The operator's key stands in it: it is told to nobody.
    pub zone: String,
    pub form: Form,
    /// What is listed.
    pub verdict: Verdict,
    /// What counts before the form does.
    pub meanings: Vec<Meaning>,
}

impl fmt::Debug for Blocklist {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Blocklist").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a list says of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Listed(Verdict),
    Clean,
    /// It does not answer whoever asks in this way: too often, by a public resolver, without a key.
    Refused,
    /// It answered with nothing that means anything here, as a resolver does that invents addresses.
    Odd,
    /// No answer, or none in time.
    Unanswered,
}

/// Codes by which lists say that they do not answer, whatever their form (Spamhaus).
const REFUSALS: [u8; 3] = [127, 255, 255];

impl Blocklist {
    /// The name to look up for a domain in lower-case ASCII form, without root dot.
    pub fn question(&self, domain: &str) -> String {
        format!("{domain}.{}", self.zone)
    }

    /// What the addresses of an answer mean; of several the worst counts, and a refusal before all.
    pub fn said(&self, addresses: &[Ipv4Addr]) -> Said {
        let said = || addresses.iter().map(|address| self.of_address(*address));
        if addresses.is_empty() {
            return Said::Clean;
        }
        if said().any(|said| said == Said::Refused) {
            return Said::Refused;
        }
        let verdicts = said().filter_map(|said| match said {
            Said::Listed(verdict) => Some(verdict),
            _ => None,
        });
        match verdicts.max() {
            Some(verdict) => Said::Listed(verdict),
            None if said().all(|said| said == Said::Clean) => Said::Clean,
            None => Said::Odd,
        }
    }

    fn of_address(&self, address: Ipv4Addr) -> Said {
        let numbers = address.octets();
        if numbers[0] != 127 {
            return Said::Odd;
        }
        if numbers[..3] == REFUSALS || self.form.refuses(numbers) {
            return Said::Refused;
        }
        let own = self.meanings.iter().find(|meaning| meaning.codes.hold(address));
        match own {
            Some(meaning) => Said::Listed(meaning.verdict.unwrap_or(self.verdict)),
            None => self.form.said(numbers, self.verdict),
        }
    }
}

impl Form {
    const fn refuses(self, numbers: [u8; 4]) -> bool {
        match self {
            Form::Surbl | Form::Uribl => matches!(numbers, [127, 0, 0, 1]),
            Form::Dbl | Form::Any => false,
        }
    }

    const fn said(self, numbers: [u8; 4], verdict: Verdict) -> Said {
        let listed = match (self, numbers) {
            // 255: an address was asked for in the place of a name. That says nothing of other questions.
            (Form::Dbl, [127, 0, 1, code]) => matches!(code, 2..=254),
            (Form::Surbl, [127, 0, 0, bits]) => bits & !1 != 0,
            // Black and red. Grey is bulk mail that somebody did not ask for.
            (Form::Uribl, [127, 0, 0, bits]) if bits & (2 | 8) == 0 && bits & 4 != 0 => {
                return Said::Clean;
            }
            (Form::Uribl, [127, 0, 0, bits]) => bits & (2 | 8) != 0,
            // RFC 5782 §2.1: 127.0.0.1 should not be used.
            (Form::Any, [127, _, _, _]) => !matches!(numbers, [127, 0, 0, 1]),
            _ => false,
        };
        if listed { Said::Listed(verdict) } else { Said::Odd }
    }
}

impl Codes {
    fn hold(self, address: Ipv4Addr) -> bool {
        match self {
            Codes::Range(first, last) => (first..=last).contains(&address),
            Codes::Bits(wanted) => match address.octets() {
                [127, 0, 0, bits] => bits & wanted != 0,
                _ => false,
            },
        }
    }

    /// `127.0.1.4`, `127.0.1.4-127.0.1.6`, `bits 24`.
    fn parse(text: &str) -> Option<Codes> {
        if let Some(bits) = text.strip_prefix("bits ") {
            return bits.trim().parse().ok().filter(|bits| *bits != 0).map(Codes::Bits);
        }
        let address = |text: &str| text.trim().parse::<Ipv4Addr>().ok();
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (address(first)?, address(last)?);
        let code = |address: Ipv4Addr| address.octets()[0] == 127;
        (code(first) && code(last) && first <= last).then_some(Codes::Range(first, last))
    }
}

impl std::str::FromStr for Meaning {
    type Err = ();

    /// Codes, or codes with a verdict: `127.0.1.4-127.0.1.6 = unsafe`.
    fn from_str(text: &str) -> Result<Meaning, ()> {
        let (codes, verdict) = match text.split_once('=') {
            None => (text, None),
            Some((codes, verdict)) => (codes, Some(verdict.trim())),
        };
        let verdict = match verdict {
            None => None,
            Some("suspect") => Some(Verdict::Suspect),
            Some("unsafe") => Some(Verdict::Unsafe),
            Some(_) => return Err(()),
        };
        Ok(Meaning { codes: Codes::parse(codes.trim()).ok_or(())?, verdict })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(form: Form, meanings: &[&str]) -> Blocklist {
        Blocklist {
            name: "x".to_owned(),
            zone: "key.list.example".to_owned(),
            form,
            verdict: Verdict::Suspect,
            meanings: meanings.iter().map(|text| text.parse().unwrap()).collect(),
        }
    }

    #[test]
    fn codes_of_every_form_mean_what_the_lists_say() {
        const SUSPECT: Said = Said::Listed(Verdict::Suspect);
        for (form, address, said) in [
            (Form::Dbl, "127.0.1.2", SUSPECT),
            (Form::Dbl, "127.0.1.106", SUSPECT),
            (Form::Dbl, "127.0.1.254", SUSPECT),
            (Form::Dbl, "127.0.1.255", Said::Odd),
            (Form::Dbl, "127.0.1.1", Said::Odd),
            (Form::Dbl, "127.255.255.254", Said::Refused),
            (Form::Dbl, "127.0.0.2", Said::Odd),
            (Form::Surbl, "127.0.0.8", SUSPECT),
            (Form::Surbl, "127.0.0.200", SUSPECT),
            (Form::Surbl, "127.0.0.1", Said::Refused),
            (Form::Surbl, "127.0.1.8", Said::Odd),
            (Form::Uribl, "127.0.0.2", SUSPECT),
            (Form::Uribl, "127.0.0.4", Said::Clean),
            (Form::Uribl, "127.0.0.6", SUSPECT),
            (Form::Uribl, "127.0.0.1", Said::Refused),
            (Form::Any, "127.1.2.3", SUSPECT),
            (Form::Any, "127.0.0.1", Said::Odd),
            (Form::Any, "127.255.255.255", Said::Refused),
            // A resolver that answers for names that are not.
            (Form::Any, "192.0.2.80", Said::Odd),
            (Form::Dbl, "192.0.2.80", Said::Odd),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(list(form, &[]).said(&[address]), said, "{form:?} {address}");
        }
    }

    #[test]
    fn of_several_codes_the_worst_counts_and_a_refusal_before_all() {
        let list = list(Form::Surbl, &["bits 8 = unsafe", "127.0.0.64"]);
        let said = |addresses: &[&str]| {
            let addresses: Vec<Ipv4Addr> =
                addresses.iter().map(|address| address.parse().unwrap()).collect();
            list.said(&addresses)
        };
        assert_eq!(said(&[]), Said::Clean);
        assert_eq!(said(&["127.0.0.64"]), Said::Listed(Verdict::Suspect));
        assert_eq!(said(&["127.0.0.72"]), Said::Listed(Verdict::Unsafe));
        assert_eq!(said(&["127.0.0.64", "127.0.0.8"]), Said::Listed(Verdict::Unsafe));
        assert_eq!(said(&["127.0.0.8", "127.255.255.254"]), Said::Refused);
        assert_eq!(said(&["127.0.0.64", "192.0.2.1"]), Said::Listed(Verdict::Suspect));
    }

    #[test]
    fn codes_are_written_in_three_ways() {
        for text in ["127.0.1.4", "127.0.1.4-127.0.1.6 = unsafe", " bits 24 = suspect"] {
            assert!(text.parse::<Meaning>().is_ok(), "{text}");
        }
        for text in
            ["", "128.0.0.1", "127.0.1.6-127.0.1.4", "bits 0", "bits 256", "127.0.1.4 = bad", "4"]
        {
            assert!(text.parse::<Meaning>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_zone_is_told_to_nobody() {
        assert!(!format!("{:?}", list(Form::Dbl, &[])).contains("key"));
    }
}
