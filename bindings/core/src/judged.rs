//! The same, judged as a reader sees it.

use std::sync::LazyLock;

use homograph::linkify::{Options, decide, linkify};
use homograph::{
    Context, HostBounds, Judgement, LinkJudgement, Names, RestrictionLevel, Verdict, explain,
    judge, judge_link,
};
use uts58::Linkifier;

use super::{Counter, Found, TLDS, Unit};

static PROTECTED: LazyLock<Names> = LazyLock::new(Names::builtin);
static NONE: LazyLock<Names> = LazyLock::new(Names::default);

/// What was found of a host or a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// `ok`, `notice`, `suspect`, `unsafe` or `invalid`.
    pub verdict: &'static str,
    /// Codes of the reasons.
    pub reasons: Vec<&'static str>,
    /// The host in A-label form, empty when there is none.
    pub ascii: String,
    /// The host in U-label form.
    pub unicode: String,
    /// The well-known name that it reads as.
    pub target: Option<String>,
    /// The judgement in words, a sentence each.
    pub words: Vec<String>,
}

fn context() -> Context<'static> {
    Context {
        level: RestrictionLevel::default(),
        protected: &PROTECTED,
        own: &NONE,
        blocked: &NONE,
        tlds: &*TLDS,
        bounds: HostBounds::Certain,
    }
}

/// The links of a text, as `linkify` decides about them, and what was found of each.
pub fn judged_links(text: &str, unit: Unit) -> Vec<(Found, Judged)> {
    let mut counter = Counter::new(text, unit);
    let mut found = Vec::new();
    decide(text, &[], &context(), |decision| {
        let mut judged = Judged::of_link(&decision.judgement);
        judged.verdict = decision.worst.as_str();
        found.push((counter.found(&decision.link, decision.href.is_some()), judged));
    });
    found
}

/// The text as HTML with anchors: none of a link that may deceive, and unsafe hosts in Punycode.
pub fn judged_linkify(text: &str, exceptions: &[String]) -> String {
    linkify(text, &Options { exceptions, ..Options::default() }, &context())
}

/// Judges a host; a URL or a mail address as a whole as well.
pub fn check(target: &str) -> Judged {
    let target = target.trim();
    let link = Linkifier::new(&*TLDS)
        .links(target)
        .find(|link| link.inner == 0 && link.span.end == target.len())
        .filter(|link| link.host.len() < target.len());
    match link {
        Some(link) => Judged::of_link(&judge_link(target, &link, &context())),
        None => Judged::of_host(judge(target, &context())),
    }
}

impl Judged {
    fn of_link(judgement: &LinkJudgement) -> Judged {
        Judged {
            verdict: judgement.verdict.as_str(),
            reasons: judgement.reasons.iter().map(|reason| reason.code()).collect(),
            ascii: judgement.ascii().to_owned(),
            unicode: judgement.unicode().to_owned(),
            target: judgement.target().map(str::to_owned),
            words: match judgement.verdict {
                Verdict::Ok => Vec::new(),
                _ => explain::link(judgement),
            },
        }
    }

    fn of_host(judgement: Judgement) -> Judged {
        let (verdict, reasons) = (judgement.verdict, judgement.reasons);
        let host = Some(judgement.into());
        Judged::of_link(&LinkJudgement { verdict, reasons, host, ..LinkJudgement::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_judged_alone_and_inside_a_url_or_address() {
        for target in ["раypal.com", "https://раypal.com/x", "me@раypal.com", " раypal.com\n"]
        {
            let judged = check(target);
            assert_eq!(judged.verdict, "unsafe", "{target}");
            assert_eq!(judged.target.as_deref(), Some("paypal.com"), "{target}");
            assert!(!judged.words.is_empty());
        }
        assert_eq!(
            check("例え.com"),
            Judged {
                ascii: "xn--r8jz45g.com".into(),
                unicode: "例え.com".into(),
                verdict: "ok",
                ..Judged::default()
            }
        );
        assert_eq!(check("https://www.paypal.com@evil.example/").verdict, "unsafe");
    }

    #[test]
    fn what_is_linked_is_what_linkify_links() {
        for text in
            ["see example.com", "see раypal.com", "Приветexample.com", "hxxp://example[.]com"]
        {
            let linked = judged_links(text, Unit::Utf16).iter().any(|(link, _)| link.linked);
            assert_eq!(judged_linkify(text, &[]).contains("<a "), linked, "{text}");
        }
        assert_eq!(judged_linkify("example.com", &["example.com".to_owned()]), "example.com");
    }
}
