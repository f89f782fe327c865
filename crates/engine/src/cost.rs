//! What a message cost, in steps: pieces of work of bounded size.

/// Where in the engine steps are spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The fields of the message's header.
    Header,
    /// Splitting into parts, second readings of labels, unwrapping of encoded messages.
    Structure,
    /// Transfer encodings and charsets.
    Decoding,
    /// Finding links in text and markup.
    Reading,
    /// Pixels of pictures that are searched for codes. They have a bound of their own, and take nothing from the budget
    /// of a message.
    Pictures,
    /// Judging hosts, keeping what was found.
    Judging,
    /// The pass over the raw bytes, whatever their structure.
    Net,
    /// Turning edits into raw edits, and making them.
    Edits,
}

impl Stage {
    /// Every stage, in processing order.
    pub const ALL: [Stage; 8] = [
        Stage::Header,
        Stage::Structure,
        Stage::Decoding,
        Stage::Reading,
        Stage::Pictures,
        Stage::Judging,
        Stage::Net,
        Stage::Edits,
    ];

    /// The word used in explanations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Stage::Header => "header",
            Stage::Structure => "structure",
            Stage::Decoding => "decoding",
            Stage::Reading => "reading",
            Stage::Pictures => "pictures",
            Stage::Judging => "judging",
            Stage::Net => "net",
            Stage::Edits => "edits",
        }
    }
}

/// Steps by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost([u64; 8]);

impl Cost {
    pub(super) fn add(&mut self, stage: Stage, steps: u64) {
        if let Some(sum) = self.0.get_mut(stage as usize) {
            *sum = sum.saturating_add(steps);
        }
    }

    /// The steps of a stage.
    pub fn of(&self, stage: Stage) -> u64 {
        self.0.get(stage as usize).copied().unwrap_or_default()
    }

    /// All steps.
    pub fn all(&self) -> u64 {
        self.0.iter().fold(0, |sum, steps| sum.saturating_add(*steps))
    }
}
