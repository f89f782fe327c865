//! Block lists that are queried over DNS: the name to query, and what an answer means.
//!
//! The answer formats are those of the lists' documentation:
//! [DBL](https://www.spamhaus.org/faqs/domain-blocklist/), [SURBL](https://surbl.org/lists),
//! [URIBL](https://uribl.com/about.shtml). All answer with an address of 127.0.0.0/8 that is a
//! code, or with NXDOMAIN. RFC 5782 §2.1 and §3 describe the rest.

use std::fmt;
use std::net::Ipv4Addr;

use crate::engine::outcome::Verdict;

word_enum! {
    /// How the answers of a list are coded.
    #[derive(Default)]
    pub enum AnswerFormat {
        /// Spamhaus DBL: the last octet is a code.
        Dbl = "dbl",
        /// SURBL: the last octet is a bit set, one bit per source.
        Surbl = "surbl",
        /// URIBL: a bit set as well. Black and red count, grey does not.
        Uribl = "uribl",
        /// Any other list: every code is a listing, except the codes that all lists use to refuse.
        #[default]
        Any = "any",
    }
}

/// A set of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// All addresses from the first to the last, both included.
    Range(Ipv4Addr, Ipv4Addr),
    /// 127.0.0.x with one of these bits.
    Bits(u8),
}

/// Codes, and the verdict on a domain with one of them. Without a verdict, that of the list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    pub codes: Codes,
    pub verdict: Option<Verdict>,
}

/// A block list to query.
#[derive(Clone, PartialEq, Eq)]
pub struct Blocklist {
    /// The operator's name for it.
    pub name: String,
    /// Appended to the domain, without the trailing dot. It contains the operator's key, so it is
    /// never logged.
    pub zone: String,
    pub format: AnswerFormat,
    /// The verdict on a listed domain.
    pub verdict: Verdict,
    /// These take precedence over the format.
    pub meanings: Vec<Meaning>,
}

impl fmt::Debug for Blocklist {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Blocklist").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The answer of a list about a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlocklistAnswer {
    Listed(Verdict),
    Clean,
    /// The list does not serve this client: too many queries, a public resolver, or no key.
    Refused,
    /// An answer without a meaning here, as from a resolver that invents addresses.
    Unexpected,
    /// No response, or none in time.
    Unanswered,
}

/// Prefix of the codes by which all lists say that they refuse (Spamhaus).
const REFUSAL_PREFIX: [u8; 3] = [127, 255, 255];

impl Blocklist {
    /// The name to query for a domain in lower-case ASCII form, without the trailing dot.
    pub fn query_name(&self, domain: &str) -> String {
        format!("{domain}.{}", self.zone)
    }

    /// What the addresses of a response mean. A refusal takes precedence, then the worst verdict
    /// counts.
    pub fn interpret(&self, addresses: &[Ipv4Addr]) -> BlocklistAnswer {
        let answers = || addresses.iter().map(|address| self.interpret_address(*address));
        if addresses.is_empty() {
            return BlocklistAnswer::Clean;
        }
        if answers().any(|answer| answer == BlocklistAnswer::Refused) {
            return BlocklistAnswer::Refused;
        }
        let verdicts = answers().filter_map(|answer| match answer {
            BlocklistAnswer::Listed(verdict) => Some(verdict),
            _ => None,
        });
        match verdicts.max() {
            Some(verdict) => BlocklistAnswer::Listed(verdict),
            None if answers().all(|answer| answer == BlocklistAnswer::Clean) => {
                BlocklistAnswer::Clean
            }
            None => BlocklistAnswer::Unexpected,
        }
    }

    fn interpret_address(&self, address: Ipv4Addr) -> BlocklistAnswer {
        let octets = address.octets();
        if octets[0] != 127 {
            return BlocklistAnswer::Unexpected;
        }
        if octets[..3] == REFUSAL_PREFIX || self.format.is_refusal(octets) {
            return BlocklistAnswer::Refused;
        }
        let meaning = self.meanings.iter().find(|meaning| meaning.codes.contain(address));
        match meaning {
            Some(meaning) => BlocklistAnswer::Listed(meaning.verdict.unwrap_or(self.verdict)),
            None => self.format.interpret(octets, self.verdict),
        }
    }
}

impl AnswerFormat {
    const fn is_refusal(self, octets: [u8; 4]) -> bool {
        match self {
            AnswerFormat::Surbl | AnswerFormat::Uribl => matches!(octets, [127, 0, 0, 1]),
            AnswerFormat::Dbl | AnswerFormat::Any => false,
        }
    }

    const fn interpret(self, octets: [u8; 4], verdict: Verdict) -> BlocklistAnswer {
        let listed = match (self, octets) {
            // 255 means that an address was queried instead of a name. That says nothing about
            // other queries.
            (AnswerFormat::Dbl, [127, 0, 1, code]) => matches!(code, 2..=254),
            (AnswerFormat::Surbl, [127, 0, 0, bits]) => bits & !1 != 0,
            // Black and red are listings. Grey is unsolicited bulk mail.
            (AnswerFormat::Uribl, [127, 0, 0, bits]) if bits & (2 | 8) == 0 && bits & 4 != 0 => {
                return BlocklistAnswer::Clean;
            }
            (AnswerFormat::Uribl, [127, 0, 0, bits]) => bits & (2 | 8) != 0,
            // RFC 5782 §2.1: 127.0.0.1 should not be used.
            (AnswerFormat::Any, [127, _, _, _]) => !matches!(octets, [127, 0, 0, 1]),
            _ => false,
        };
        if listed { BlocklistAnswer::Listed(verdict) } else { BlocklistAnswer::Unexpected }
    }
}

impl Codes {
    fn contain(self, address: Ipv4Addr) -> bool {
        match self {
            Codes::Range(first, last) => (first..=last).contains(&address),
            Codes::Bits(wanted) => match address.octets() {
                [127, 0, 0, bits] => bits & wanted != 0,
                _ => false,
            },
        }
    }

    /// Parses `127.0.1.4`, `127.0.1.4-127.0.1.6`, or `bits 24`.
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

    /// Parses codes, or codes with a verdict: `127.0.1.4-127.0.1.6 = unsafe`.
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

    fn list(format: AnswerFormat, meanings: &[&str]) -> Blocklist {
        Blocklist {
            name: "x".to_owned(),
            zone: "key.list.example".to_owned(),
            format,
            verdict: Verdict::Suspect,
            meanings: meanings.iter().map(|text| text.parse().unwrap()).collect(),
        }
    }

    #[test]
    fn codes_of_every_form_mean_what_the_lists_say() {
        const SUSPECT: BlocklistAnswer = BlocklistAnswer::Listed(Verdict::Suspect);
        for (format, address, expected) in [
            (AnswerFormat::Dbl, "127.0.1.2", SUSPECT),
            (AnswerFormat::Dbl, "127.0.1.106", SUSPECT),
            (AnswerFormat::Dbl, "127.0.1.254", SUSPECT),
            (AnswerFormat::Dbl, "127.0.1.255", BlocklistAnswer::Unexpected),
            (AnswerFormat::Dbl, "127.0.1.1", BlocklistAnswer::Unexpected),
            (AnswerFormat::Dbl, "127.255.255.254", BlocklistAnswer::Refused),
            (AnswerFormat::Dbl, "127.0.0.2", BlocklistAnswer::Unexpected),
            (AnswerFormat::Surbl, "127.0.0.8", SUSPECT),
            (AnswerFormat::Surbl, "127.0.0.200", SUSPECT),
            (AnswerFormat::Surbl, "127.0.0.1", BlocklistAnswer::Refused),
            (AnswerFormat::Surbl, "127.0.1.8", BlocklistAnswer::Unexpected),
            (AnswerFormat::Uribl, "127.0.0.2", SUSPECT),
            (AnswerFormat::Uribl, "127.0.0.4", BlocklistAnswer::Clean),
            (AnswerFormat::Uribl, "127.0.0.6", SUSPECT),
            (AnswerFormat::Uribl, "127.0.0.1", BlocklistAnswer::Refused),
            (AnswerFormat::Any, "127.1.2.3", SUSPECT),
            (AnswerFormat::Any, "127.0.0.1", BlocklistAnswer::Unexpected),
            (AnswerFormat::Any, "127.255.255.255", BlocklistAnswer::Refused),
            // A resolver that invents addresses for missing names.
            (AnswerFormat::Any, "192.0.2.80", BlocklistAnswer::Unexpected),
            (AnswerFormat::Dbl, "192.0.2.80", BlocklistAnswer::Unexpected),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(list(format, &[]).interpret(&[address]), expected, "{format:?} {address}");
        }
    }

    #[test]
    fn of_several_codes_the_worst_counts_and_a_refusal_before_all() {
        let list = list(AnswerFormat::Surbl, &["bits 8 = unsafe", "127.0.0.64"]);
        let interpret = |addresses: &[&str]| {
            let addresses: Vec<Ipv4Addr> =
                addresses.iter().map(|address| address.parse().unwrap()).collect();
            list.interpret(&addresses)
        };
        assert_eq!(interpret(&[]), BlocklistAnswer::Clean);
        assert_eq!(interpret(&["127.0.0.64"]), BlocklistAnswer::Listed(Verdict::Suspect));
        assert_eq!(interpret(&["127.0.0.72"]), BlocklistAnswer::Listed(Verdict::Unsafe));
        assert_eq!(
            interpret(&["127.0.0.64", "127.0.0.8"]),
            BlocklistAnswer::Listed(Verdict::Unsafe)
        );
        assert_eq!(interpret(&["127.0.0.8", "127.255.255.254"]), BlocklistAnswer::Refused);
        assert_eq!(
            interpret(&["127.0.0.64", "192.0.2.1"]),
            BlocklistAnswer::Listed(Verdict::Suspect)
        );
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
    fn debug_output_does_not_show_the_zone() {
        assert!(!format!("{:?}", list(AnswerFormat::Dbl, &[])).contains("key"));
    }
}
