//! Words on top of a message: that it comes from outside, that its author is not known here, that links in it
//! were taken apart.
//!
//! They stand in the first text and the first HTML of what a client shows first, in every alternative,
//! and in what a signature or an encryption covers never. They are insertions like every other edit:
//! in the recipe, in the charset and the encoding of their part.

use super::content;
use super::fields::defanged;
use super::finding::{Candidate, Findings};
use super::notices;
use super::outcome::{Done, Finding};
use super::parts::agree;
use super::policy::{Mode, Wording};
use super::words::{Own, primary};
use super::{Case, Contact, Side, explain};
use mailsplice::media::Media;
use mailsplice::mime::{self, Part, Reading, Tree, View};
use mailsplice::span::TextEdit;
use mailsplice::splice::fields::is_sealed;

/// What is said in one language.
struct Said {
    /// Primary language tag.
    tag: &'static str,
    /// Links were taken apart.
    links: &'static str,
    /// The message is from outside.
    external: &'static str,
    /// Nobody here is known to have had mail from its author.
    first: &'static str,
}

const WORDS: &[Said] = &[
    Said {
        tag: "ar",
        links: "تم تعطيل روابط مضللة في هذه الرسالة.",
        external: "هذه الرسالة من خارج المؤسسة.",
        first: "لا تُعرف هنا رسائل سابقة من هذا العنوان.",
    },
    Said {
        tag: "de",
        links: "In dieser Nachricht wurden irreführende Links abgeschaltet.",
        external: "Diese Nachricht kommt von außerhalb des Hauses.",
        first: "Von dieser Adresse ist hier keine frühere Nachricht bekannt.",
    },
    ENGLISH,
    Said {
        tag: "es",
        links: "En este mensaje se han desactivado enlaces engañosos.",
        external: "Este mensaje viene de fuera de la organización.",
        first: "Aquí no consta ningún mensaje anterior de esta dirección.",
    },
    Said {
        tag: "fr",
        links: "Des liens trompeurs ont été désactivés dans ce message.",
        external: "Ce message vient de l’extérieur de l’organisation.",
        first: "Aucun message antérieur de cette adresse n’est connu ici.",
    },
    Said {
        tag: "ja",
        links: "このメッセージの紛らわしいリンクを無効にしました。",
        external: "このメッセージは組織の外部から届きました。",
        first: "このアドレスからの以前のメールは確認されていません。",
    },
    Said {
        tag: "ru",
        links: "Обманчивые ссылки в этом письме отключены.",
        external: "Это письмо пришло извне организации.",
        first: "Более ранних писем с этого адреса здесь не известно.",
    },
    Said {
        tag: "zh",
        links: "此邮件中的误导性链接已停用。",
        external: "此邮件来自组织外部。",
        first: "此处没有来自该地址的更早邮件记录。",
    },
];

const ENGLISH: Said = Said {
    tag: "en",
    links: "Misleading links in this message were disabled.",
    external: "This message comes from outside the organization.",
    first: "No earlier message from this address is known here.",
};

/// One of the things that are said: the words of ours for it, and those of the operator.
#[derive(Clone, Copy)]
struct Of(fn(&Said) -> &'static str, fn(&Own) -> Option<&str>);

const OF_LINKS: Of = Of(|said| said.links, |own| own.links.as_deref());
const OF_OUTSIDE: Of = Of(|said| said.external, |own| own.external.as_deref());
const OF_FIRST: Of = Of(|said| said.first, |own| own.first_contact.as_deref());

/// Hosts that a banner names at most.
const HOSTS: usize = 3;

/// Adds what the policy wants on top, once: a message that begins with the words does not get them again.
pub fn add(case: Case<'_>, tree: &Tree, found: &mut Findings) {
    let policy = case.policy;
    if policy.exempt.is_some() || policy.mode == Mode::ReportOnly {
        return;
    }
    let outside = case.facts.side == Side::Outside;
    let external = policy.banner.external.as_ref().filter(|_| outside);
    let unknown = outside && case.facts.contact == Contact::First;
    let first = policy.banner.first_contact.as_ref().filter(|_| unknown);
    let edited = || found.candidates.iter().any(|found| found.finding.done == Done::Edited);
    let links = policy.banner.links.as_ref().filter(|_| edited());
    if external.is_none() && first.is_none() && links.is_none() {
        return;
    }
    let about = About::of(&found.candidates);
    let links = links.map(|wording| about.named(wording));
    let asked = [(external, OF_OUTSIDE), (first, OF_FIRST), (links.as_ref(), OF_LINKS)];
    let sealed = is_sealed(case.message.head, &policy.known_keys());
    for part in tops(tree) {
        let Some(entry) = tree.parts.get(part) else { continue };
        let Some(reading) = mime::all_readings(case.message, tree, part).next() else { continue };
        let top = Top { case, tree, part, entry, reading: &reading, about: &about, sealed };
        found.tops.extend(top.edit(asked).map(|edit| (part, edit)));
    }
}

/// The parts that a client shows first: the first text, and what stands beside it as an alternative.
fn tops(tree: &Tree) -> Vec<usize> {
    let mut found: Vec<(usize, &Part)> = Vec::new();
    for (index, part) in tree.parts.iter().enumerate().filter(|(_, part)| is_shown(part)) {
        let beside = match found.first() {
            None => true,
            Some((_, first)) => {
                first.alternative.is_some() && first.alternative == part.alternative
            }
        };
        if beside && found.iter().all(|(_, known)| is_html(known) != is_html(part)) {
            found.push((index, part));
        }
    }
    found.into_iter().map(|(index, _)| index).collect()
}

/// Whether a part is text that most clients show and that nothing seals.
fn is_shown(part: &Part) -> bool {
    let around = &part.surroundings;
    let text = matches!(part.media, Media::Plain | Media::Flowed { .. } | Media::Html);
    let labelled = matches!(part.label.as_str(), "" | "text/plain" | "text/html");
    let free = !around.signed && !around.attachment && !around.sealed;
    part.view == View::Usual && text && labelled && free
}

fn is_html(part: &Part) -> bool {
    part.media == Media::Html
}

/// What a template can name.
struct About {
    hosts: String,
    reason: String,
}

impl About {
    fn of(candidates: &[Candidate]) -> About {
        let mut worst: Vec<&Finding> = candidates
            .iter()
            .map(|candidate| &candidate.finding)
            .filter(|finding| finding.done == Done::Edited && !finding.ascii.is_empty())
            .collect();
        worst.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
        let mut hosts: Vec<String> = Vec::new();
        for finding in &worst {
            let host = defanged(&finding.ascii);
            if hosts.len() < HOSTS && !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        let reason = worst.first().and_then(|finding| finding.reasons.iter().next());
        let reason = reason.map_or_else(String::new, |reason| explain::sentence(reason).to_owned());
        About { hosts: hosts.join(", "), reason }
    }

    /// The operator's words for links, with what they name.
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

/// The top of one part.
struct Top<'a> {
    case: Case<'a>,
    tree: &'a Tree,
    part: usize,
    entry: &'a Part,
    reading: &'a Reading<'a>,
    about: &'a About,
    /// Whether a recipe under our seal says that the house edited it before.
    sealed: bool,
}

impl Top<'_> {
    fn edit(&self, asked: [(Option<&Wording>, Of); 3]) -> Option<TextEdit> {
        let text = self.reading.text.as_str();
        // Nobody reads a part without a word; a message without a body has no place for one.
        if text.trim().is_empty() {
            return None;
        }
        let at = if is_html(self.entry) { content::top_of_html(text)? } else { top_of_text(text) };
        let mut here = text.get(at..).unwrap_or_default();
        let language = self.language();
        let mut replacement = String::new();
        for (wording, of) in asked {
            let words = wording.map(|wording| match wording {
                Wording::BuiltIn => self.about.fill(self.words(language, of)),
                Wording::Own(words) => words.clone(),
            });
            match self.behind(here, words.as_deref(), of) {
                Some(rest) => here = rest,
                None => {
                    let said = words.map(|words| self.said(&words, of));
                    replacement.push_str(&said.unwrap_or_default());
                }
            }
        }
        (!replacement.is_empty()).then_some(TextEdit { range: at..at, replacement })
    }

    /// Whether words can stand in this part, in whichever charset a client reads it.
    fn fits(&self, words: &str) -> bool {
        words.is_ascii()
            || (self.entry.declares(self.reading.charset)
                && self.reading.holds(words)
                && agree(self.case.message, self.tree, self.part, self.reading))
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

    /// The words for a language; in English for those that nobody has words for.
    fn words(&self, language: &str, Of(of, of_operator): Of) -> &str {
        let own = |language: &str| {
            self.case.policy.words.of(language).and_then(|(_, own)| of_operator(own))
        };
        let built_in = |language: &str| {
            let primary = primary(language);
            WORDS.iter().find(|said| said.tag == primary).map(of)
        };
        own(language)
            .or_else(|| built_in(language))
            .or_else(|| own("en"))
            .unwrap_or_else(|| of(&ENGLISH))
    }

    /// The text behind a mark of an earlier run. What this host would write says the same, whoever wrote
    /// it; the ASCII form too, where its words may not have been able to stand. In which language another
    /// host of the house could write, it may not find again: beside a recipe under our seal the words of
    /// every language count. Without one a sender could choose a language that nobody here reads.
    fn behind<'t>(&self, here: &'t str, words: Option<&str>, of: Of) -> Option<&'t str> {
        let here = here.trim_start();
        let ascii = in_ascii(of);
        let stands = |words: &str| here.strip_prefix(self.framed(words).trim());
        let either = |words: &str| {
            let always = is_html(self.entry) || words.is_ascii();
            stands(words).or_else(|| if always { None } else { stands(ascii) })
        };
        let Of(of, of_operator) = of;
        let own = self.case.policy.words.all().filter_map(of_operator);
        let own = || own.map(|words| self.about.fill(words)).find_map(|words| stands(&words));
        let known = || WORDS.iter().find_map(|all| stands(of(all))).or_else(own);
        words.and_then(either).or_else(|| if self.sealed { known() } else { None })
    }

    /// The words as they can stand in this part.
    fn said(&self, words: &str, of: Of) -> String {
        self.framed(if is_html(self.entry) || self.fits(words) { words } else { in_ascii(of) })
    }

    /// Words with what sets them apart from the text.
    fn framed(&self, words: &str) -> String {
        let text = self.reading.text.as_str();
        let end = if text.contains('\n') && !text.contains("\r\n") { "\n" } else { "\r\n" };
        if is_html(self.entry) {
            let words = notices::escaped(words);
            // Lines of their own: the one that they stand in may be as long as lines can be.
            return format!("{end}<p dir=\"auto\"><strong>{words}</strong></p><hr>{end}");
        }
        format!("[{words}]{end}{end}")
    }
}

/// The words where a part can hold no others.
fn in_ascii(Of(of, _): Of) -> &'static str {
    of(&ENGLISH)
}

/// Behind a byte order mark.
fn top_of_text(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}
