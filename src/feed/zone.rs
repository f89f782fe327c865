//! A response policy zone as a zone file (RFC 1035 §5.1): the owner of a record is what is listed,
//! `*.owner` what is below it; triggers on addresses and name servers say nothing of links.

/// Words of a record that say something: owner, TTL, class, type, target.
const WORDS: usize = 5;

/// Where in a zone file we are.
#[derive(Debug, Default)]
pub(super) struct Zone {
    /// Name of the zone, without its last dot. Nothing until a record of authority (SOA) or an absolute
    /// `$ORIGIN` says it.
    apex: Option<String>,
    authority: bool,
    origin: Name,
    /// The owner of the last record, for one that begins with a space.
    owner: Name,
    /// A record that goes on on the next line, with the parentheses that are open.
    open: usize,
    words: Vec<String>,
    blank_owner: bool,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// Below the zone; empty for the zone itself.
    Inside(String),
    /// From the root, without its last dot.
    Absolute(String),
}

/// What a record says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// What this owner names is listed, or an exception, all below it or it alone.
    Owner { name: String, below: bool, listed: bool },
    /// A comment, an empty line, a record that lists nothing.
    Nothing,
    /// Something else.
    Odd,
}

impl Default for Name {
    fn default() -> Name {
        Name::Inside(String::new())
    }
}

impl Zone {
    /// The next line.
    pub fn line(&mut self, line: &str) -> Said {
        if self.open == 0 {
            self.words.clear();
            self.blank_owner = line.starts_with([' ', '\t']);
        }
        if !self.take_words(line) {
            self.open = 0;
            return Said::Odd;
        }
        if self.open > 0 || self.words.is_empty() {
            return Said::Nothing;
        }
        let words = std::mem::take(&mut self.words);
        match words.first().filter(|first| first.starts_with('$') && !self.blank_owner) {
            Some(directive) => self.directive(directive, words.get(1)),
            None => self.record(&words),
        }
    }

    /// Whether a record goes on: at the end such a one is none.
    pub fn is_open(&self) -> bool {
        self.open > 0
    }

    /// The words outside of comments. Parentheses and semicolons inside quotes are text; false for quotes
    /// or parentheses that have no end or no beginning.
    fn take_words(&mut self, line: &str) -> bool {
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
                    self.keep(&mut word);
                    match char {
                        '(' => self.open += 1,
                        ')' if self.open == 0 => return false,
                        ')' => self.open -= 1,
                        _ => {}
                    }
                }
                _ => word.push(char),
            }
        }
        self.keep(&mut word);
        !quoted
    }

    fn keep(&mut self, word: &mut String) {
        if word.is_empty() {
            return;
        }
        if self.words.len() < WORDS {
            self.words.push(std::mem::take(word));
        }
        word.clear();
    }

    fn directive(&mut self, directive: &str, word: Option<&String>) -> Said {
        if directive.eq_ignore_ascii_case("$TTL") {
            return Said::Nothing;
        }
        let Some(origin) = word.filter(|_| directive.eq_ignore_ascii_case("$ORIGIN")) else {
            return Said::Odd;
        };
        self.origin = self.name(origin);
        // The first one names the zone where no record of authority does; one outside of the zone begins
        // another.
        if let Name::Absolute(origin) = &self.origin {
            let another =
                self.apex.as_ref().map_or(!self.authority, |apex| below(origin, apex).is_none());
            if another {
                self.apex = Some(origin.clone());
            }
        }
        Said::Nothing
    }

    fn record(&mut self, words: &[String]) -> Said {
        let mut words = words.iter();
        if !self.blank_owner {
            let Some(owner) = words.next() else { return Said::Nothing };
            self.owner = self.name(owner);
        }
        let mut rest = words.skip_while(|word| word.eq_ignore_ascii_case("IN") || is_time(word));
        let kind = rest.next().map(|kind| kind.to_ascii_uppercase()).unwrap_or_default();
        match kind.as_str() {
            "SOA" => {
                self.authority = true;
                if let Name::Absolute(owner) = &self.owner {
                    self.apex = Some(owner.clone());
                }
                return Said::Nothing;
            }
            "NS" | "RRSIG" | "NSEC" | "NSEC3" | "NSEC3PARAM" | "DNSKEY" | "DS" | "CDS"
            | "CDNSKEY" | "ZONEMD" | "MX" | "SRV" | "PTR" | "CAA" => {
                return Said::Nothing;
            }
            "CNAME" | "A" | "AAAA" | "TXT" | "HTTPS" | "SVCB" => {}
            _ => return Said::Odd,
        }
        let Some(owner) = self.inside() else { return Said::Odd };
        let trigger = owner.rsplit('.').next().unwrap_or_default();
        if owner.is_empty() || trigger.starts_with("rpz-") {
            return Said::Nothing;
        }
        let target = rest.next().filter(|_| kind == "CNAME");
        let target = target.map(|target| target.trim_end_matches('.').to_ascii_lowercase());
        // A name that leads to itself is how exceptions were written before they had a word.
        let excepted = target.is_some_and(|target| {
            target == "rpz-passthru" || target == "rpz-tcp-only" || target == owner
        });
        let (name, below) = match owner.strip_prefix("*.") {
            Some(name) => (name.to_owned(), true),
            None => (owner, false),
        };
        Said::Owner { name, below, listed: !excepted }
    }

    /// The owner without the zone. Nothing of one that stands outside of it, or when nobody said its name.
    fn inside(&self) -> Option<String> {
        match &self.owner {
            Name::Inside(name) => Some(name.clone()),
            Name::Absolute(name) => below(name, self.apex.as_deref()?).map(str::to_owned),
        }
    }

    fn name(&self, word: &str) -> Name {
        let word = word.to_ascii_lowercase();
        if let Some(absolute) = word.strip_suffix('.') {
            return Name::Absolute(absolute.to_owned());
        }
        let joined = |origin: &str| match (word.as_str(), origin) {
            ("@", origin) => origin.to_owned(),
            (word, "") => word.to_owned(),
            (word, origin) => format!("{word}.{origin}"),
        };
        match &self.origin {
            Name::Inside(origin) => Name::Inside(joined(origin)),
            Name::Absolute(origin) => Name::Absolute(joined(origin)),
        }
    }
}

/// The name without the zone that it is below, or that it is.
fn below<'n>(name: &'n str, apex: &str) -> Option<&'n str> {
    if apex.is_empty() {
        return Some(name);
    }
    let rest = name.strip_suffix(apex)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_suffix('.') }
}

/// `300`, `1h30m`.
fn is_time(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_digit())
        && word.bytes().all(|b| b.is_ascii_digit() || b"smhdwSMHDW".contains(&b))
}
