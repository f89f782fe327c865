//! The limits of the engine that a configuration sets. The table of all bounds is `tests/data/bounds.tsv` of the project.

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
        let structure = mailsplice::limits::SplitLimits::default();
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

impl Limits {
    /// The limits of splitting.
    pub fn structure(&self) -> mailsplice::limits::SplitLimits {
        let Limits { depth, parts, header_bytes, .. } = *self;
        mailsplice::limits::SplitLimits { depth, parts, header_bytes, ..Default::default() }
    }
}
