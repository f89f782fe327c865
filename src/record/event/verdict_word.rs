//! Verdicts in JSON, as words.

use serde::{Deserialize, Deserializer, Serializer, de};

use crate::engine::outcome::Verdict;

pub fn serialize<S: Serializer>(verdict: &Verdict, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(verdict.as_str())
}

pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Verdict, D::Error> {
    let word = String::deserialize(input)?;
    Verdict::from_name(&word)
        .ok_or_else(|| de::Error::custom(format_args!("expected a verdict, found {word:?}")))
}
