//! Banners at the top of a message: that it comes from outside, that its author is not known here, that links in it
//! were defanged.
//!
//! They are inserted in the first text and the first HTML of what a client shows first, in every alternative, and
//! never inside a signature or an encryption. They are insertions like every other edit: in the recipe, in the charset
//! and the encoding of their part.

use std::collections::HashSet;

use super::fields::defanged;
use super::finding::{Candidate, Findings};
use super::notices;
use super::notices::phrases::{Ours, Phrase};
use super::outcome::{Done, Finding, Verdict};
use super::parts::has_one_charset;
use super::policy::words::Own;
use super::policy::{Mode, Wording};
use super::{Case, Contact, Side, explain};
use mailsplice::edit::LineEnd;
use mailsplice::media::Media;
use mailsplice::mime::{self, ClientView, Part, Reading, Tree};
use mailsplice::span::TextEdit;
use mailsplice::splice::fields::is_sealed;

/// One kind of banner: how to get its words from ours, and from the operator's.
#[derive(Clone, Copy)]
struct BannerKind {
    ours: Ours,
    operators: fn(&Own) -> Option<&str>,
}

const LINKS: BannerKind =
    BannerKind { ours: Ours::MisleadingLinks, operators: |own| own.links.as_deref() };
const DISABLED: BannerKind = BannerKind { ours: Ours::DisabledLinks, ..LINKS };
const EXTERNAL: BannerKind =
    BannerKind { ours: Ours::External, operators: |own| own.external.as_deref() };
const FIRST_CONTACT: BannerKind =
    BannerKind { ours: Ours::FirstContact, operators: |own| own.first_contact.as_deref() };

impl BannerKind {
    /// The words for a language, if there are any.
    fn built_in(self, language: &str) -> Option<Phrase<'static>> {
        self.ours.in_language(&notices::tag_of(language))
    }

    /// The words in ASCII, for a part that can hold no others: English if the language has none.
    fn in_ascii(self, language: &str) -> &'static str {
        let words = self.built_in(language).and_then(|(_, ascii)| ascii);
        words.unwrap_or_else(|| self.ours.in_english().0)
    }
}

/// Maximum number of hosts that a banner names.
const HOSTS: usize = 3;

/// Adds the banners that the policy asks for, once: not if the message begins with them already.
pub fn add(case: Case<'_>, tree: &Tree, found: &mut Findings) {
    let policy = case.policy;
    if policy.exempt.is_some() || policy.mode == Mode::ReportOnly {
        return;
    }
    let outside = case.facts.side == Side::Outside;
    let external = policy.banner.external.as_ref().filter(|_| outside);
    let unknown = outside && case.facts.contact == Contact::First;
    let first = policy.banner.first_contact.as_ref().filter(|_| unknown);
    let edited = || found.candidates.iter().filter(|found| found.finding.done == Done::Edited);
    let links = policy.banner.links.as_ref().filter(|_| edited().next().is_some());
    let misleads = edited().any(|found| found.finding.verdict >= Verdict::Suspect);
    if external.is_none() && first.is_none() && links.is_none() {
        return;
    }
    let values = TemplateValues::of(&found.candidates);
    let links = links.map(|wording| values.named(wording));
    let banners = [
        (external, EXTERNAL),
        (first, FIRST_CONTACT),
        (links.as_ref(), if misleads { LINKS } else { DISABLED }),
    ];
    let sealed = is_sealed(case.message.head, &policy.known_keys());
    for part in first_parts(tree) {
        let Some(entry) = tree.parts.get(part) else { continue };
        let Some(reading) = mime::all_readings(case.message, tree, part).next() else { continue };
        let top = PartTop { case, tree, part, entry, reading: &reading, values: &values, sealed };
        found.banners.extend(top.edit(banners).map(|edit| (part, edit)));
    }
}

/// The parts that a client shows first: the first text, and its alternative.
fn first_parts(tree: &Tree) -> Vec<usize> {
    let mut found: Vec<(usize, &Part)> = Vec::new();
    for (index, part) in tree.parts.iter().enumerate().filter(|(_, part)| is_shown(part)) {
        let is_alternative = match found.first() {
            None => true,
            Some((_, first)) => {
                first.alternative.is_some() && first.alternative == part.alternative
            }
        };
        if is_alternative && found.iter().all(|(_, known)| is_html(known) != is_html(part)) {
            found.push((index, part));
        }
    }
    found.into_iter().map(|(index, _)| index).collect()
}

/// Whether a part is text that most clients show, not signed and not encrypted.
fn is_shown(part: &Part) -> bool {
    let around = &part.surroundings;
    let text = matches!(part.media, Media::Plain | Media::Flowed { .. } | Media::Html);
    let labelled = matches!(part.label.as_str(), "" | "text/plain" | "text/html");
    let free = around.signed.is_empty() && !around.attachment && !around.sealed;
    part.view == ClientView::Usual && text && labelled && free
}

fn is_html(part: &Part) -> bool {
    part.media == Media::Html
}

/// The values for a template.
struct TemplateValues {
    hosts: String,
    reason: String,
}

impl TemplateValues {
    fn of(candidates: &[Candidate]) -> TemplateValues {
        let mut worst: Vec<&Finding> = candidates
            .iter()
            .map(|candidate| &candidate.finding)
            .filter(|finding| finding.done == Done::Edited)
            .collect();
        worst.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
        let mut seen = HashSet::new();
        let named = worst.iter().map(|finding| finding.ascii.as_str());
        let mut hosts = named.filter(|host| !host.is_empty() && seen.insert(*host));
        let mut first: Vec<String> = hosts.by_ref().take(HOSTS).map(defanged).collect();
        match hosts.count() {
            0 if first.is_empty() => first.push("a link".to_owned()),
            0 => {}
            more => first.push(format!("{more} more")),
        }
        let misleading = worst.first().filter(|finding| finding.verdict >= Verdict::Notice);
        let reason = misleading.and_then(|finding| finding.reasons.iter().next());
        let reason = reason.map_or("a rule of this mail server", explain::sentence).to_owned();
        TemplateValues { hosts: first.join(", "), reason }
    }

    /// The operator's words for links, with hosts and reason filled in.
    fn named(&self, wording: &Wording) -> Wording {
        match wording {
            Wording::BuiltIn => Wording::BuiltIn,
            Wording::Own(template) => Wording::Own(self.fill(template)),
        }
    }

    fn fill(&self, template: &str) -> String {
        template.replace("{host}", &self.hosts).replace("{reason}", &self.reason)
    }
}

/// The top of one part, where banners are inserted.
struct PartTop<'a> {
    case: Case<'a>,
    tree: &'a Tree,
    part: usize,
    entry: &'a Part,
    reading: &'a Reading<'a>,
    values: &'a TemplateValues,
    /// Whether a recipe under our seal says that the organization edited the message before.
    sealed: bool,
}

impl PartTop<'_> {
    fn edit(&self, banners: [(Option<&Wording>, BannerKind); 3]) -> Option<TextEdit> {
        let text = self.reading.text.as_str();
        // An empty part is not shown; a message without a body has no place for a banner.
        if text.trim().is_empty() {
            return None;
        }
        let at =
            if is_html(self.entry) { maillinks::top_of_html(text)? } else { top_of_text(text) };
        let mut here = text.get(at..).unwrap_or_default();
        let language = self.language();
        let mut replacement = String::new();
        for (wording, banner) in banners {
            let words = wording.map(|wording| match wording {
                Wording::BuiltIn => self.values.fill(self.words(language, banner)),
                Wording::Own(words) => words.clone(),
            });
            match self.after_banner(here, words.as_deref(), banner) {
                Some(rest) => here = rest,
                None => {
                    let text = words.map(|words| self.banner_text(&words, banner));
                    replacement.push_str(&text.unwrap_or_default());
                }
            }
        }
        (!replacement.is_empty())
            .then(|| TextEdit { range: at..at, replacement: replacement.into() })
    }

    /// Whether the words can be written in every charset in which a client reads this part.
    fn fits(&self, words: &str) -> bool {
        words.is_ascii()
            || (self.entry.declares(self.reading.charset)
                && self.reading.holds(words)
                && has_one_charset(self.case.message, self.tree, self.part, self.reading))
    }

    fn language(&self) -> &str {
        let Case { facts, message, policy, .. } = self.case;
        facts
            .language
            .as_deref()
            .or_else(|| notices::of_header(message.head, &policy.words))
            .or_else(|| notices::of_script(self.reading.text.as_str()))
            .unwrap_or("en")
    }

    /// The words for a language; English if there are none.
    fn words(&self, language: &str, banner: BannerKind) -> &str {
        let own = |language: &str| {
            self.case.policy.words.of(language).and_then(|(_, own)| (banner.operators)(own))
        };
        own(language)
            .or_else(|| Some(banner.built_in(language)?.0))
            .or_else(|| own("en"))
            .unwrap_or_else(|| banner.ours.in_english().0)
    }

    /// The text after a banner that is there already. The words that this host would write count whoever wrote them,
    /// and so does their ASCII form if the part may not have been able to hold them. If another host of the
    /// organization wrote in another language, this is noticed only next to a recipe under our seal: then the words of
    /// every language count. Without a seal a sender could choose a language that the readers do not know.
    fn after_banner<'t>(
        &self,
        here: &'t str,
        words: Option<&str>,
        banner: BannerKind,
    ) -> Option<&'t str> {
        let here = here.trim_start();
        let strip = |words: &str| here.strip_prefix(self.framed(words).trim());
        let either = |words: &str| {
            let always = is_html(self.entry) || words.is_ascii();
            let in_ascii = || strip(banner.in_ascii(self.language()));
            strip(words).or_else(|| if always { None } else { in_ascii() })
        };
        let own = self.case.policy.words.all().filter_map(banner.operators);
        let own = || own.map(|words| self.values.fill(words)).find_map(|words| strip(&words));
        let ours = [banner.ours, LINKS.ours, DISABLED.ours];
        let of_phrase = |(words, ascii): Phrase<'static>| strip(words).or_else(|| strip(ascii?));
        let known = || ours.iter().flat_map(|ours| ours.in_all()).find_map(of_phrase).or_else(own);
        words.and_then(either).or_else(|| if self.sealed { known() } else { None })
    }

    /// The banner with the words that this part can hold.
    fn banner_text(&self, words: &str, banner: BannerKind) -> String {
        let fits = is_html(self.entry) || self.fits(words);
        self.framed(if fits { words } else { banner.in_ascii(self.language()) })
    }

    /// Words with what separates them from the text.
    fn framed(&self, words: &str) -> String {
        let message = self.case.message;
        let around = [self.reading.text.as_str().as_bytes(), message.body, message.head];
        let end = LineEnd::of_first(around).as_str();
        if is_html(self.entry) {
            let words = notices::escaped(words);
            // On lines of their own: the line at this place may have the maximal length already.
            return format!("{end}<p dir=\"auto\"><strong>{words}</strong></p><hr>{end}");
        }
        format!("[{words}]{end}{end}")
    }
}

/// The offset after a byte order mark.
fn top_of_text(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}
