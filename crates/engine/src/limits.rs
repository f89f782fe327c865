//! Every bound of the engine: unit, default, reason.

/// Limits on hostile input. Reaching one stops the part that reached it; what was found before stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of parts nested inside one another. Real mail stays below 12; mail-parser aborts at about
    /// 33,000.
    pub depth: usize,
    /// Maximum number of parts of a message.
    pub parts: usize,
    /// Maximum bytes of one header block.
    pub header_bytes: usize,
    /// Maximum number of links of a message that are kept as findings. The rest are edited and only counted.
    pub links: usize,
    /// Maximum number of names looked up in the DNS for one message.
    pub questions: usize,
    /// Maximum number of domains of links looked up in block lists for one message.
    pub domains: usize,
    /// Steps for each byte of the message. One step is about one byte read or one code point judged.
    pub steps_per_byte: u64,
    /// Steps in addition, whatever the size.
    pub steps_base: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let structure = mailsplice::limits::Limits::default();
        Limits {
            depth: structure.depth,
            parts: structure.parts,
            header_bytes: structure.header_bytes,
            links: 50_000,
            questions: 8,
            domains: 20,
            steps_per_byte: 20,
            steps_base: 750_000,
        }
    }
}

/// One bound in words, for `docs/threats.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Name of the key under `limits` in the configuration.
    pub name: &'static str,
    /// What is counted: bytes, levels, parts.
    pub unit: &'static str,
    /// The value without a configuration, in that unit.
    pub default: u64,
    /// What it protects against, and why the default has this value.
    pub reason: &'static str,
    /// What happens to the message if it is reached.
    pub effect: &'static str,
    /// The test that reaches it.
    pub test: &'static str,
}

impl Limits {
    /// The limits of splitting.
    pub const fn structure(&self) -> mailsplice::limits::Limits {
        let Limits { depth, parts, header_bytes, .. } = *self;
        mailsplice::limits::Limits { depth, parts, header_bytes }
    }

    /// Every bound with its unit, default, reason and test.
    pub fn bounds(&self) -> [Bound; 8] {
        [
            Bound {
                name: "depth",
                unit: "parts inside one another",
                default: self.depth as u64,
                reason: "Parsers that recurse end on deep nesting; 33,000 levels abort a process. \
                         Real mail stays below 12.",
                effect: "what is deeper is read as text; `limit:depth`",
                test: "nested_messages_33000",
            },
            Bound {
                name: "parts",
                unit: "parts of a message",
                default: self.parts as u64,
                reason: "Empty parts of a few bytes each would cost memory out of proportion.",
                effect: "the rest is read as one text and as one page; `limit:parts`",
                test: "parts_beyond_the_limit",
            },
            Bound {
                name: "header_bytes",
                unit: "bytes of one header block",
                default: self.header_bytes as u64,
                reason: "A header is parsed as a whole. MTAs cut theirs at about 100 kB; those of \
                         parts have no such bound.",
                effect: "the part counts as text; `limit:header`",
                test: "part_header_beyond_the_limit",
            },
            Bound {
                name: "links",
                unit: "findings of a message",
                default: self.links as u64,
                reason: "A finding takes memory; harmless links take none.",
                effect: "further links are judged, edited and counted, and not reported one by one",
                test: "links_beyond_the_limit",
            },
            Bound {
                name: "questions",
                unit: "names looked up in the DNS for one message",
                default: self.questions as u64,
                reason: "A message must not be able to make the filter send many queries.",
                effect: "further names count as unverified",
                test: "questions_beyond_the_limit",
            },
            Bound {
                name: "domains",
                unit: "domains of links looked up in block lists for one message",
                default: self.domains as u64,
                reason: "A message must not be able to use up the queries that a list allows; few \
                         real ones lead to more domains.",
                effect: "further domains are not looked up",
                test: "domains_beyond_the_limit",
            },
            Bound {
                name: "steps_per_byte",
                unit: "steps for each byte of the message",
                default: self.steps_per_byte,
                reason: "All algorithms are linear; this is a second safeguard. Real mail \
                         takes four, and 18 at most, a small message without a charset 25; a list of \
                         fair international hosts takes 9 to 16, and one of links that deceive over 60. \
                         Twice as many are given where every link is defanged. A step is at most 200 \
                         instructions: 25 to 70 where lies are edited, up to 125 where fair hosts are judged.",
                effect: "edits found so far stay, the rest goes unread; `limit:steps`",
                test: "steps_run_out",
            },
            Bound {
                name: "steps_base",
                unit: "steps in addition",
                default: self.steps_base,
                reason: "Small messages with many layers, with pictures, with a list of links that \
                         deceive, and unlabelled ones whose charset is guessed, need a floor. Of real mail \
                         two files of yEnc without a charset took 400,000 and 440,000 beyond 20 a byte, two messages \
                         210,000 and 190,000.",
                effect: "as `steps_per_byte`",
                test: "steps_run_out",
            },
        ]
    }
}
