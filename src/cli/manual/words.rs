//! Text of the manual that is in no definition.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::engine::outcome::Verdict;

/// A name and what is said of it.
pub type Described = (String, String);

/// The words of `words.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManualWords {
    pub about: Vec<String>,
    pub fields: Vec<Described>,
    pub layers: Vec<String>,
    pub judging: Vec<String>,
    pub incomplete: Vec<Described>,
    /// The page, the command line, and what it does.
    pub examples: Vec<(String, String, String)>,
    pub files: Vec<Described>,
    pub environment: Vec<Described>,
    /// What the exit code 1 says, by command.
    pub negative: Vec<Described>,
    pub failed: String,
    pub failed_in_part: String,
    pub try_later: String,
    pub signals: Vec<Described>,
}

const FILE: &str = include_str!("words.toml");

/// The words, of which a test says that they can be read.
pub static WORDS: LazyLock<ManualWords> =
    LazyLock::new(|| toml::from_str(FILE).unwrap_or_default());

pub const fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "Nothing to report.",
        Verdict::Notice => "Unusual, and reported; a reader is not deceived.",
        Verdict::Suspect => "May deceive a reader. Reported; edited by the profile strict.",
        Verdict::Unsafe => "Deceives a reader. Edited by the profiles enforce and strict.",
        Verdict::Invalid => {
            "No client should follow it. Edited like unsafe where some client opens it all the same."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_read() {
        let words: Result<ManualWords, _> = toml::from_str(FILE);
        assert!(words.is_ok(), "{words:?}");
    }
}
