//! A judgement in words: which label, which characters, what they read as, what would be done.

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};

use super::host::{Judgement, Label, LinkJudgement, reads_as};
use super::outcome::{Reason, Reasons, Verdict};
use super::policy::{LinkAction, Mode, Policy};
use super::unicode::Class;
use super::unicode::hosts::is_bidi_control;

/// Characters of one label that are explained at most; the rest are of the same kind.
const CHARACTERS: usize = 12;

/// One conspicuous character of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Character {
    pub character: char,
    /// Its Unicode name; empty when it has none.
    pub name: String,
    /// Its script, by its long name.
    pub script: &'static str,
    /// What it is taken for: lower-case ASCII.
    pub reads_as: Option<String>,
}

/// The characters of a label that a reader should know of: those beyond ASCII, as spelled and,
/// where the spelling is Punycode, as they would be shown. Each once, in order.
pub fn characters(label: &Label) -> Vec<Character> {
    let mut seen: Vec<char> = Vec::new();
    for c in label.spelling.chars().chain(label.unicode.chars()) {
        if !c.is_ascii() && !seen.contains(&c) && seen.len() < CHARACTERS {
            seen.push(c);
        }
    }
    seen.into_iter().map(Character::of).collect()
}

impl Character {
    fn of(c: char) -> Character {
        Character {
            character: c,
            name: unicode_names2::name(c).map(|name| name.to_string()).unwrap_or_default(),
            script: c.script().full_name(),
            reads_as: reads_as(c),
        }
    }

    /// `U+0430 CYRILLIC SMALL LETTER A reads as Latin a`.
    pub fn words(&self) -> String {
        let c = self.character;
        let code = u32::from(c);
        let name = if self.name.is_empty() { "(no name)" } else { &self.name };
        let mut words = format!("U+{code:04X} {name}");
        let plain: String = std::iter::once(c).nfkc().collect();
        if is_bidi_control(c) {
            words.push_str(" turns the reading direction");
        } else if Class::of(c).is_ignored() {
            words.push_str(" is not seen");
        } else if plain.is_ascii() {
            words.push_str(&format!(" is mapped to {plain}"));
        } else if let Some(text) = &self.reads_as {
            let kind = if text.bytes().all(|b| b.is_ascii_digit()) { "digit" } else { "Latin" };
            words.push_str(&format!(" reads as {kind} {text}"));
        } else if !name.to_lowercase().contains(&self.script.to_lowercase().replace('_', " ")) {
            words.push_str(&format!(" ({})", self.script));
        }
        words
    }
}

/// A link's judgement, a line each: the verdict, the hosts, their labels, characters, and what
/// the policy would do with the link in a message.
pub fn link(judgement: &LinkJudgement, policy: &Policy) -> Vec<String> {
    let mut lines = Vec::new();
    let of_hosts = judgement.hosts().fold(Reasons::EMPTY, |all, host| all.union(host.reasons));
    for reason in judgement.reasons.iter().filter(|reason| !of_hosts.contains(*reason)) {
        lines.push(format!("{} ({reason})", sentence(reason)));
    }
    if judgement.reasons.contains(Reason::Userinfo) {
        lines.push(format!("it leads to {} all the same", judgement.ascii()));
    }
    if let Some(lead) = &judgement.host {
        lines.extend(host(lead));
    }
    for inner in judgement.inner.iter().filter(|inner| inner.verdict > Verdict::Ok) {
        lines.push(format!("also holds {}:", inner.ascii));
        lines.extend(host(inner).into_iter().map(|line| format!("  {line}")));
    }
    if judgement.verdict > Verdict::Ok {
        lines.push(action(judgement, policy));
    }
    lines
}

/// A host's judgement, a line each.
pub fn host(judgement: &Judgement) -> Vec<String> {
    let mut lines = Vec::new();
    if judgement.ascii != judgement.unicode {
        lines.push(format!("{} is {} in the DNS", judgement.unicode, judgement.ascii));
    }
    if judgement.reasons.contains(Reason::NumericHost) {
        lines.push(format!("browsers go to the address {}", judgement.ascii));
    }
    if let Some(target) = &judgement.target {
        lines.push(format!("it reads as {target}, which it is not"));
    }
    let of_labels = judgement.labels.iter().fold(Reasons::EMPTY, |all, l| all.union(l.reasons));
    for reason in judgement.reasons.iter().filter(|reason| !of_labels.contains(*reason)) {
        lines.push(format!("{} ({reason})", sentence(reason)));
    }
    for found in judgement.labels.iter().filter(|label| !label.reasons.is_empty()) {
        lines.extend(label(found));
    }
    lines
}

fn label(found: &Label) -> Vec<String> {
    let mut lines: Vec<String> = found
        .reasons
        .iter()
        .map(|reason| format!("label {}: {} ({reason})", found.unicode, of_label(reason, found)))
        .collect();
    lines.extend(characters(found).iter().map(|character| format!("  {}", character.words())));
    lines
}

/// A reason with what the label says of it.
fn of_label(reason: Reason, label: &Label) -> String {
    if reason != Reason::MixedScript {
        return sentence(reason).to_owned();
    }
    let mut scripts: Vec<&str> = Vec::new();
    for c in label.unicode.chars() {
        let script = c.script();
        let name = script.full_name();
        if !matches!(script, Script::Common | Script::Inherited) && !scripts.contains(&name) {
            scripts.push(name);
        }
    }
    match scripts.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("{} and {last} letters do not belong together", rest.join(", "))
        }
        _ => sentence(reason).to_owned(),
    }
}

/// A reason in words.
pub const fn sentence(reason: Reason) -> &'static str {
    match reason {
        Reason::IdnaInvalid => "it is no valid host name",
        Reason::BidiControl => "a character in it turns the reading direction",
        Reason::MixedScript => "its letters do not belong together",
        Reason::StatusRestricted => "it holds characters that identifiers should not hold",
        Reason::CompatForm => "it is written with styled or width forms of letters",
        Reason::NumberMix => "it mixes digits of two systems",
        Reason::MarkAbuse => "it has combining marks where none belong",
        Reason::SeparatorLookalike => "it holds characters that read as a separator",
        Reason::WholeScript => "all its letters read as Latin ones, and none is",
        Reason::TargetLookalike => "it is made to be taken for a protected name",
        Reason::DangerousScheme => "its scheme runs code, reads files or starts programs",
        Reason::Userinfo => "something stands before an at sign in front of the host",
        Reason::DigitLookalike => "its letters read as digits",
        Reason::TldLetter => "it has letters that no language under this top-level domain has",
        Reason::NumericHost => "it is an address written so that people do not see it",
        Reason::TextHrefMismatch => "the visible text is another host than the one it leads to",
        Reason::DisplayNameHost => "the sender's name is another host than that of the address",
        Reason::AlternativeMismatch => "the other version of the message leads to other domains",
        Reason::HtmlObfuscated => "markup changes how the host reads",
        Reason::InvisibleRemoved => "it holds characters that are not seen",
        Reason::DotVariant => "its labels are separated by other dots than the full stop",
        Reason::EmbeddedUrl => "it holds another URL",
        Reason::ScriptPath => "its path or query mixes scripts",
        Reason::HyphenPrefix => "it has hyphens at positions three and four but is no A-label",
        Reason::EncodedHost => "plain letters of the host are percent-encoded",
        Reason::Listed => "it is on the block list",
        Reason::TldSyntax => "it does not end like a top-level domain",
        Reason::TldUnknown => "there is no such top-level domain",
        Reason::TldUnverified => "the DNS did not confirm the top-level domain",
    }
}

/// What the filter would do with the link, in a message under this policy.
pub fn action(judgement: &LinkJudgement, policy: &Policy) -> String {
    let own =
        judgement.reasons.iter().filter_map(|reason| policy.reason_actions.get(&reason)).max();
    let chosen = own.or_else(|| policy.verdict_actions.get(&judgement.verdict)).copied();
    if policy.allowed.covers(judgement.ascii()) {
        return "in a message the filter would leave it as it is: its host is on the allow list"
            .to_owned();
    }
    let words = match (policy.mode, chosen) {
        (Mode::ReportOnly, _) => "report it and change nothing",
        (_, Some(LinkAction::Leave)) => "leave it as it is",
        (_, Some(LinkAction::PercentEncode)) => "percent-encode its path",
        (_, Some(LinkAction::Punycode)) => "show its host in Punycode",
        (_, Some(LinkAction::Unlink)) => "make it no link",
        (_, Some(LinkAction::Defang)) => "take it apart",
        (mode, None) if judgement.verdict >= threshold(mode) => "take it apart",
        (_, None) if judgement.verdict == Verdict::Suspect => {
            "report it; the strict mode would take it apart"
        }
        (_, None) => "report it",
    };
    format!("in a message the filter would {words}")
}

fn threshold(mode: Mode) -> Verdict {
    if mode == Mode::Strict { Verdict::Suspect } else { Verdict::Unsafe }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::host::{Context, Glue, Names, Navigation, judge_url};
    use crate::engine::tlds::TldTable;

    fn lines(url: &str) -> Vec<String> {
        let (protected, none) = (Names::new(["paypal.com"]), Names::default());
        let tlds = TldTable::new(["com", "example"], "");
        let context = Context {
            level: Policy::default().level,
            protected: &protected,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            glue: Glue::None,
        };
        link(&judge_url(url, Navigation::Navigates, &context), &Policy::default())
    }

    #[test]
    fn a_lookalike_in_words() {
        assert_eq!(
            lines("https://раypal.com/"),
            [
                "раypal.com is xn--ypal-43d9g.com in the DNS",
                "it reads as paypal.com, which it is not",
                "label раypal: Cyrillic and Latin letters do not belong together (mixed-script)",
                "label раypal: it is made to be taken for a protected name (target-lookalike)",
                "  U+0440 CYRILLIC SMALL LETTER ER reads as Latin p",
                "  U+0430 CYRILLIC SMALL LETTER A reads as Latin a",
                "in a message the filter would take it apart",
            ]
        );
        assert!(lines("https://example.com/").is_empty());
    }

    #[test]
    fn what_is_wrong_beside_the_host() {
        assert_eq!(
            lines("https://paypal.com@attack.example/"),
            [
                "something stands before an at sign in front of the host (userinfo)",
                "it leads to attack.example all the same",
                "in a message the filter would take it apart",
            ]
        );
        assert!(
            lines("http://pay\u{ad}pal.com/")
                .contains(&"  U+00AD SOFT HYPHEN is not seen".to_owned())
        );
    }
}
