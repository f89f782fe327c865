//! The same, judged as a reader sees it.

use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use homograph::linkify::{Options, decide, linkify};
use homograph::{
    Context, HostBounds, Judgement, Known, LinkJudgement, RestrictionLevel, Verdict, explain,
    judge, judge_link,
};
use uts58::Linkifier;

pub use homograph::Names;

use super::{Counter, Found, TLDS, Take, Unit};

/// The names that are built in.
pub static BUILTIN: LazyLock<Names> = LazyLock::new(Names::builtin);
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

/// The built-in names with those of a list, which a reader knows: a host name a line, `#` begins a comment.
///
/// # Errors
/// The first lines that are no host below a public suffix, a sentence each; nothing of the list is taken then.
pub fn with_known(list: &str) -> Result<Names, Vec<String>> {
    let said = |bad: &homograph::BadName| {
        format!(
            "line {}: expected a host name below a public suffix, found {:?}",
            bad.line, bad.found
        )
    };
    match Known::parse(list) {
        Ok(known) => Ok(Names::builtin().with_known([Arc::new(known)])),
        Err(bad) => Err(bad.iter().map(said).collect()),
    }
}

fn context(names: &Names) -> Context<'_> {
    Context {
        level: RestrictionLevel::default(),
        protected: names,
        own: &NONE,
        blocked: &NONE,
        tlds: &*TLDS,
        bounds: HostBounds::Certain,
    }
}

/// The links of a text, as `linkify` decides about them, and what was found of each.
pub fn judged_links(text: &str, unit: Unit, take: Take, names: &Names) -> Vec<(Found, Judged)> {
    let mut counter = Counter::new(text, unit);
    let mut found = Vec::new();
    decide(text, &[], &context(names), take.steps(), &mut |decision| {
        let mut judged = Judged::of_link(&decision.judgement);
        judged.verdict = decision.worst.as_str();
        found.push((counter.found(&decision.link, decision.href.is_some()), judged));
        match take {
            Take::All => ControlFlow::Continue(()),
            Take::AtStart => ControlFlow::Break(()),
        }
    });
    found
}

/// The text as HTML with anchors: none of a link that may deceive, and unsafe hosts in Punycode.
pub fn judged_linkify(text: &str, exceptions: &[String], names: &Names) -> String {
    linkify(text, &Options { exceptions, ..Options::default() }, &context(names))
}

/// Judges a host; a URL or a mail address as a whole as well.
pub fn check(target: &str, names: &Names) -> Judged {
    let target = target.trim();
    let link = Linkifier::new(&*TLDS)
        .links(target)
        .find(|link| link.inner == 0 && link.span.end == target.len())
        .filter(|link| link.host.len() < target.len());
    match link {
        Some(link) => Judged::of_link(&judge_link(target, &link, &context(names))),
        None => Judged::of_host(judge(target, &context(names))),
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
            let judged = check(target, &BUILTIN);
            assert_eq!(judged.verdict, "unsafe", "{target}");
            assert_eq!(judged.target.as_deref(), Some("paypal.com"), "{target}");
            assert!(!judged.words.is_empty());
        }
        assert_eq!(
            check("例え.com", &BUILTIN),
            Judged {
                ascii: "xn--r8jz45g.com".into(),
                unicode: "例え.com".into(),
                verdict: "ok",
                ..Judged::default()
            }
        );
        assert_eq!(check("https://www.paypal.com@evil.example/", &BUILTIN).verdict, "unsafe");
    }

    #[test]
    fn what_is_linked_is_what_linkify_links() {
        for text in
            ["see example.com", "see раypal.com", "Приветexample.com", "hxxp://example[.]com"]
        {
            let linked = judged_links(text, Unit::Utf16, Take::All, &BUILTIN)
                .iter()
                .any(|(link, _)| link.linked);
            assert_eq!(judged_linkify(text, &[], &BUILTIN).contains("<a "), linked, "{text}");
        }
        assert_eq!(
            judged_linkify("example.com", &["example.com".to_owned()], &BUILTIN),
            "example.com"
        );
    }

    #[test]
    fn names_of_a_list_are_known_or_refused() {
        let names = with_known("# ours\nharbourview.example.com\nharbourview.com\n").unwrap();
        let judged = check("hаrbourview.com", &names);
        assert_eq!((judged.verdict, judged.target.as_deref()), ("unsafe", Some("harbourview.com")));
        let bad = with_known("example.com\nno host\n").unwrap_err();
        assert_eq!(bad, ["line 2: expected a host name below a public suffix, found \"no host\""]);
    }
}
