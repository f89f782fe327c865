//! The judgement of one target, as `check --json` prints it: one object a line. Every field is always there, `null` if it
//! is empty. The types below are the schema.

use serde::Serialize;

use super::SCHEMA_VERSION;
use crate::engine::check::{Checked, Fate, TargetPlace};
use crate::engine::explain;
use crate::engine::host::{Judgement, Label};
use crate::engine::outcome::Reasons;
use crate::engine::policy::Policy;

/// One target judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgementRecord {
    /// The target as it was given.
    pub input: String,
    /// `host`, `url` or `address`.
    pub kind: &'static str,
    pub verdict: &'static str,
    /// Reason codes, in the order of the documentation.
    pub reasons: Vec<&'static str>,
    /// What that means in a message: `inert` (no client opens it), `word` (a word of running text with a dot in it),
    /// `told` (reported; edited with profile strict), `link` (edited where it is meant as a link), `anywhere` (bare
    /// words included).
    pub edit: &'static str,
    /// The host in ASCII (A-labels); empty when there is none.
    pub ascii: String,
    /// The host in Unicode (U-labels).
    pub unicode: String,
    /// The protected name that it reads as.
    pub target: Option<String>,
    /// The lists that name it or a host inside it, as keys of the configuration.
    pub lists: Vec<String>,
    /// The labels that have reasons.
    pub labels: Vec<LabelRecord>,
    /// Hosts inside it: of URLs, of a userinfo, of further addressees.
    pub inner: Vec<InnerRecord>,
    /// What the filter would do with it, place by place.
    pub places: Vec<PlaceRecord>,
    /// The same in words, line by line.
    pub explanation: Vec<String>,
    /// Version of this format.
    pub schema: u32,
}

/// A label that has reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LabelRecord {
    pub spelling: String,
    pub ascii: String,
    pub unicode: String,
    pub verdict: &'static str,
    pub reasons: Vec<&'static str>,
    /// Its characters beyond ASCII, each once.
    pub characters: Vec<CharacterRecord>,
}

/// A character, and what it reads as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CharacterRecord {
    /// `U+0430`.
    pub code: String,
    pub name: String,
    pub script: &'static str,
    pub reads_as: Option<String>,
}

/// What the filter would do with the target in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceRecord {
    /// `attribute`, `text` or `calendar`.
    pub place: &'static str,
    /// `no-link`, `leave`, `exempt`, `report`, or how it is edited: `percent-encode`, `punycode`,
    /// `unlink`, `defang`.
    pub action: &'static str,
}

/// A host inside the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InnerRecord {
    pub ascii: String,
    pub unicode: String,
    pub verdict: &'static str,
    pub reasons: Vec<&'static str>,
    pub target: Option<String>,
}

impl JudgementRecord {
    /// The record of a target, explained as this policy would act. `places_of_list` says where a list names it, by the
    /// key of the list, a line each.
    pub fn new(
        input: &str,
        checked: &Checked,
        policy: &Policy,
        places_of_list: impl Fn(&str) -> Vec<String>,
    ) -> Self {
        let link = &checked.link;
        let mut explanation = explain::link(link);
        explanation.extend(checked.lists.iter().flat_map(|list| places_of_list(list)));
        explanation.extend(checked.void_lists.iter().map(|list| {
            format!("in {list}, in vain: lists of others take no host that is protected, allowed or yours")
        }));
        if link.hosts().all(|host| host.ascii.is_empty()) && link.reasons.is_empty() {
            explanation.push("no host in it".to_owned());
        }
        explanation.extend(checked.words(policy));
        let labels = link.host.iter().flat_map(|host| &host.labels);
        JudgementRecord {
            input: input.to_owned(),
            kind: checked.kind.as_str(),
            verdict: link.verdict.as_str(),
            reasons: codes(link.reasons),
            edit: link.edit.as_str(),
            ascii: link.ascii().to_owned(),
            unicode: link.unicode().to_owned(),
            target: link.target().map(str::to_owned),
            lists: checked.lists.clone(),
            labels: labels
                .filter(|label| !label.reasons.is_empty())
                .map(LabelRecord::new)
                .collect(),
            inner: link.inner.iter().map(InnerRecord::new).collect(),
            places: checked.fates.iter().map(PlaceRecord::new).collect(),
            explanation,
            schema: SCHEMA_VERSION,
        }
    }
}

impl LabelRecord {
    fn new(label: &Label) -> Self {
        LabelRecord {
            spelling: label.spelling.clone(),
            ascii: label.ascii.clone(),
            unicode: label.unicode.clone(),
            verdict: label.verdict.as_str(),
            reasons: codes(label.reasons),
            characters: explain::characters(label)
                .into_iter()
                .map(|found| CharacterRecord {
                    code: format!("U+{:04X}", u32::from(found.character)),
                    name: found.name,
                    script: found.script,
                    reads_as: found.reads_as,
                })
                .collect(),
        }
    }
}

impl PlaceRecord {
    fn new((place, fate): &(TargetPlace, Fate)) -> Self {
        PlaceRecord { place: place.as_str(), action: fate.as_str() }
    }
}

impl InnerRecord {
    fn new(host: &Judgement) -> Self {
        InnerRecord {
            ascii: host.ascii.clone(),
            unicode: host.unicode.clone(),
            verdict: host.verdict.as_str(),
            reasons: codes(host.reasons),
            target: host.target.clone(),
        }
    }
}

fn codes(reasons: Reasons) -> Vec<&'static str> {
    reasons.iter().map(|reason| reason.code()).collect()
}
