//! A response policy zone (RPZ) as a zone file (RFC 1035 §5.1). The owner of a record is listed,
//! `*.owner` lists what is below it. Triggers on addresses and name servers say nothing about
//! links.

/// Number of words of a record that are used: owner, TTL, class, type, target.
const USED_WORDS: usize = 5;

/// State of the parser.
#[derive(Debug, Default)]
pub(super) struct Zone {
    /// Name of the zone without the trailing dot. `None` until an SOA record or an absolute
    /// `$ORIGIN` gives it.
    apex: Option<String>,
    has_soa: bool,
    origin: ZoneName,
    /// The owner of the last record, for a record that begins with a space.
    owner: ZoneName,
    /// Open parentheses: the record continues on the next line.
    open_parentheses: usize,
    words: Vec<String>,
    blank_owner: bool,
}

/// A domain name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ZoneName {
    /// Relative to the zone. Empty for the zone itself.
    Inside(String),
    /// Absolute, without the trailing dot.
    Absolute(String),
}

/// What a line contained.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ZoneLine {
    /// This owner is listed, or is an exception. `below`: all names below it, instead of itself
    /// alone.
    Owner { name: String, below: bool, listed: bool },
    /// A comment, an empty line, or a record that lists nothing.
    Empty,
    /// Not valid.
    Invalid,
}

impl Default for ZoneName {
    fn default() -> ZoneName {
        ZoneName::Inside(String::new())
    }
}

impl Zone {
    /// Parses the next line.
    pub fn parse_line(&mut self, line: &str) -> ZoneLine {
        if self.open_parentheses == 0 {
            self.words.clear();
            self.blank_owner = line.starts_with([' ', '\t']);
        }
        if !self.split_words(line) {
            self.open_parentheses = 0;
            return ZoneLine::Invalid;
        }
        if self.open_parentheses > 0 || self.words.is_empty() {
            return ZoneLine::Empty;
        }
        let words = std::mem::take(&mut self.words);
        match words.first().filter(|first| first.starts_with('$') && !self.blank_owner) {
            Some(directive) => self.directive(directive, words.get(1)),
            None => self.record(&words),
        }
    }

    /// Whether a record is incomplete. At the end of the file it is invalid then.
    pub fn is_incomplete(&self) -> bool {
        self.open_parentheses > 0
    }

    /// Splits a line into words, without comments. Inside quotes, parentheses and semicolons are
    /// text. `false` for unbalanced quotes or parentheses.
    fn split_words(&mut self, line: &str) -> bool {
        let (mut word, mut quoted) = (String::new(), false);
        let mut chars = line.chars();
        while let Some(char) = chars.next() {
            match char {
                '\\' => word.extend(std::iter::once(char).chain(chars.next())),
                '"' => {
                    quoted = !quoted;
                    word.push(char);
                }
                _ if quoted => word.push(char),
                ';' => break,
                '(' | ')' | ' ' | '\t' => {
                    self.push_word(&mut word);
                    match char {
                        '(' => self.open_parentheses += 1,
                        ')' if self.open_parentheses == 0 => return false,
                        ')' => self.open_parentheses -= 1,
                        _ => {}
                    }
                }
                _ => word.push(char),
            }
        }
        self.push_word(&mut word);
        !quoted
    }

    fn push_word(&mut self, word: &mut String) {
        if word.is_empty() {
            return;
        }
        if self.words.len() < USED_WORDS {
            self.words.push(std::mem::take(word));
        }
        word.clear();
    }

    fn directive(&mut self, directive: &str, word: Option<&String>) -> ZoneLine {
        if directive.eq_ignore_ascii_case("$TTL") {
            return ZoneLine::Empty;
        }
        let Some(origin) = word.filter(|_| directive.eq_ignore_ascii_case("$ORIGIN")) else {
            return ZoneLine::Invalid;
        };
        self.origin = self.name(origin);
        // The first one names the zone if there is no SOA record. One outside of the zone begins
        // another zone.
        if let ZoneName::Absolute(origin) = &self.origin {
            let another = self
                .apex
                .as_ref()
                .map_or(!self.has_soa, |apex| relative_to(origin, apex).is_none());
            if another {
                self.apex = Some(origin.clone());
            }
        }
        ZoneLine::Empty
    }

    fn record(&mut self, words: &[String]) -> ZoneLine {
        let mut words = words.iter();
        if !self.blank_owner {
            let Some(owner) = words.next() else { return ZoneLine::Empty };
            self.owner = self.name(owner);
        }
        let mut rest = words.skip_while(|word| word.eq_ignore_ascii_case("IN") || is_ttl(word));
        let record_type =
            rest.next().map(|record_type| record_type.to_ascii_uppercase()).unwrap_or_default();
        match record_type.as_str() {
            "SOA" => {
                self.has_soa = true;
                if let ZoneName::Absolute(owner) = &self.owner {
                    self.apex = Some(owner.clone());
                }
                return ZoneLine::Empty;
            }
            "NS" | "RRSIG" | "NSEC" | "NSEC3" | "NSEC3PARAM" | "DNSKEY" | "DS" | "CDS"
            | "CDNSKEY" | "ZONEMD" | "MX" | "SRV" | "PTR" | "CAA" => {
                return ZoneLine::Empty;
            }
            "CNAME" | "A" | "AAAA" | "TXT" | "HTTPS" | "SVCB" => {}
            _ => return ZoneLine::Invalid,
        }
        let Some(owner) = self.owner_in_zone() else { return ZoneLine::Invalid };
        let trigger = owner.rsplit('.').next().unwrap_or_default();
        if owner.is_empty() || trigger.starts_with("rpz-") {
            return ZoneLine::Empty;
        }
        let target = rest.next().filter(|_| record_type == "CNAME");
        let target = target.map(|target| target.trim_end_matches('.').to_ascii_lowercase());
        // A CNAME to itself is the old form of an exception.
        let excepted = target.is_some_and(|target| {
            target == "rpz-passthru" || target == "rpz-tcp-only" || target == owner
        });
        let (name, below) = match owner.strip_prefix("*.") {
            Some(name) => (name.to_owned(), true),
            None => (owner, false),
        };
        ZoneLine::Owner { name, below, listed: !excepted }
    }

    /// The owner relative to the zone. `None` when it is outside of it, or the name of the zone is
    /// unknown.
    fn owner_in_zone(&self) -> Option<String> {
        match &self.owner {
            ZoneName::Inside(name) => Some(name.clone()),
            ZoneName::Absolute(name) => relative_to(name, self.apex.as_deref()?).map(str::to_owned),
        }
    }

    fn name(&self, word: &str) -> ZoneName {
        let word = word.to_ascii_lowercase();
        if let Some(absolute) = word.strip_suffix('.') {
            return ZoneName::Absolute(absolute.to_owned());
        }
        let joined = |origin: &str| match (word.as_str(), origin) {
            ("@", origin) => origin.to_owned(),
            (word, "") => word.to_owned(),
            (word, origin) => format!("{word}.{origin}"),
        };
        match &self.origin {
            ZoneName::Inside(origin) => ZoneName::Inside(joined(origin)),
            ZoneName::Absolute(origin) => ZoneName::Absolute(joined(origin)),
        }
    }
}

/// The name relative to the zone, empty for the zone itself. `None` when it is outside.
fn relative_to<'n>(name: &'n str, apex: &str) -> Option<&'n str> {
    if apex.is_empty() {
        return Some(name);
    }
    let rest = name.strip_suffix(apex)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_suffix('.') }
}

/// A TTL: `300`, `1h30m`.
fn is_ttl(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_digit())
        && word.bytes().all(|b| b.is_ascii_digit() || b"smhdwSMHDW".contains(&b))
}
