//! Defangs links, by the place that they are in.
//!
//! | place | edit |
//! | --- | --- |
//! | attribute that navigates or loads | every attribute of that name in the tag becomes `data-unsafe-…`, and the URL is defanged |
//! | `action`, `formaction`, `base`, `srcset`, style, refresh; a dangerous scheme in a calendar | the URL becomes `about:invalid` |
//! | characters that a reader sees | Punycode for the offending label, `hxxp`, `[.]`, `[@]`; also inside path and query |

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::ops::Range;

use super::html::{RawText, Token, Tokenizer};
use super::{Edits, Holds, Layer, MappedText, NOWHERE, Occurrence, Site, View, calendar, html};
use homograph::Judgement;
use homograph::verdict::Verdict;
use mailsplice::span::TextEdit;
use uts58::tlds::TldSet;
use uts58::unicode::{is_dot_to_somebody as is_dot, punycode};
use uts58::{Kind, Target, percent, scheme};

/// What to do with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkAction {
    /// Nothing.
    Leave,
    /// Percent-encode path, query and fragment. It mends no host, so an unsafe link is not left at that.
    PercentEncode,
    /// Show the host in Punycode. A link that deceives by more than that is defanged.
    Punycode,
    /// Make no link of it, in any place, and leave its letters: attributes are made inert, dots are put in brackets.
    Unlink,
    /// The same, and show the host in Punycode.
    Defang,
}

/// Where a tag begins, and where its name and the tag end; `None` for one that the end of the text cuts off.
#[derive(Clone, Copy, Debug)]
struct TagEnds {
    start: usize,
    ends: Option<(usize, usize)>,
}

/// Makes the edits of one view. Remembers which attributes are inert already.
#[derive(Debug)]
pub struct Defanger<'a> {
    layer: &'a Layer<'a>,
    view: &'a View<'a>,
    tlds: &'a dyn TldSet,
    /// The text of the reading.
    source: &'a str,
    renamed: BTreeSet<(usize, &'static str)>,
    /// The last tag that was read.
    tag_ends: Cell<Option<TagEnds>>,
    /// The fold of a calendar; computed when needed.
    folding: &'a OnceCell<&'static str>,
    /// The edits of the last occurrence.
    edits: Vec<TextEdit>,
}

impl<'a> Defanger<'a> {
    /// For the links of one layer; `source` is the text that the layer is a view of.
    pub fn new(
        source: &'a str,
        layer: &'a Layer<'a>,
        view: &'a View<'a>,
        tlds: &'a dyn TldSet,
        folding: &'a OnceCell<&'static str>,
    ) -> Defanger<'a> {
        let (renamed, tag_ends) = (BTreeSet::new(), Cell::new(None));
        Defanger { layer, view, tlds, source, renamed, tag_ends, folding, edits: Vec::new() }
    }

    /// The edits that apply the action to an occurrence, in the text of the reading. The caller takes them out, and
    /// the memory is used again for the next occurrence.
    pub fn edits(
        &mut self,
        occurrence: &Occurrence,
        judgement: Option<&Judgement>,
        action: LinkAction,
    ) -> &mut Vec<TextEdit> {
        let mut edits = std::mem::take(&mut self.edits);
        edits.clear();
        if self.layer.edits == Edits::Possible {
            self.act(occurrence, judgement, action, &mut edits);
            self.through_layer(&mut edits);
        }
        self.edits = edits;
        &mut self.edits
    }

    /// Adds the edits that apply the action to an occurrence, in the text of the layer.
    fn act(
        &mut self,
        occurrence: &Occurrence,
        judgement: Option<&Judgement>,
        action: LinkAction,
        edits: &mut Vec<TextEdit>,
    ) {
        // Letters that are left as they are need no judgement.
        let judgement = judgement.filter(|_| action != LinkAction::Unlink);
        match (&occurrence.site, action) {
            (_, LinkAction::Leave) => {}
            // What a script does is not known: only a deceptive URL justifies breaking it.
            (Site::Attribute { holds: Holds::Script, .. }, LinkAction::PercentEncode) => {}
            (_, LinkAction::PercentEncode) => self.percent_encode(occurrence, edits),
            (_, LinkAction::Punycode) => self.punycode(occurrence, judgement, edits),
            (
                Site::Attribute { holds: Holds::Shown | Holds::Script, .. }
                | Site::Text
                | Site::Value
                | Site::HtmlText,
                LinkAction::Unlink | LinkAction::Defang,
            ) => self.defang(occurrence, judgement, edits),
            (
                Site::Attribute { tag, attribute, holds: Holds::Url, .. },
                LinkAction::Unlink | LinkAction::Defang,
            ) => {
                self.rename(*tag, attribute, edits);
                // Programs that show markup as text link what they find in it.
                match &occurrence.target {
                    Target::Link(_) => self.defang(occurrence, judgement, edits),
                    Target::Dangerous { host: Some(host), .. } => {
                        self.pieces(occurrence, edits).host(host.clone(), judgement);
                    }
                    // `ms-word:ofe|u|https://…`: the URL that it opens.
                    Target::Dangerous { host: None, scheme, span } => {
                        let inside = scheme.end..span.end;
                        self.pieces(occurrence, edits).nested(inside, self.tlds);
                    }
                }
            }
            (Site::Attribute { .. } | Site::Style, LinkAction::Unlink | LinkAction::Defang) => {
                self.pieces(occurrence, edits).replace(occurrence.span(), NOWHERE);
            }
        }
    }

    /// Inserts text right after an occurrence; edits in the text of the reading.
    pub fn insert_after(&self, occurrence: &Occurrence, text: String) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let end = occurrence.span().end;
        self.pieces(occurrence, &mut edits).replace(end..end, text);
        self.through_layer(&mut edits);
        edits
    }

    /// Puts a title on a tag, and markup behind it if there is some; edits in the text of the reading. Of two titles the
    /// first counts.
    pub fn insert_in_tag(&self, tag: usize, title: &str, text: Option<String>) -> Vec<TextEdit> {
        let Some((name_end, end)) = self.tag_ends(tag) else { return Vec::new() };
        let title = format!(" title=\"{title}\"");
        let edit = |at: usize, text: String| TextEdit { range: at..at, replacement: text.into() };
        let mut edits = vec![edit(name_end, title)];
        edits.extend(text.map(|text| edit(end, text)));
        self.through_layer(&mut edits);
        edits
    }

    /// Where the name of a tag and the tag end. `None` for one that the end of the text cuts off, which shows nothing.
    /// Called for each link of a tag, which may have many, so the last answer is kept.
    fn tag_ends(&self, start: usize) -> Option<(usize, usize)> {
        if let Some(known) = self.tag_ends.get().filter(|known| known.start == start) {
            return known.ends;
        }
        let layer = self.layer.seen.as_str();
        let mut tokens = Tokenizer::new(layer, start..layer.len(), RawText::Ignore);
        let ends = match tokens.next() {
            Some(Token::Tag(tag)) => Some((tag.name.written.end, tag.range.end)),
            _ => None,
        };
        let closes = |(_, end): &(usize, usize)| {
            end.checked_sub(1).and_then(|last| layer.as_bytes().get(last)) == Some(&b'>')
        };
        let ends = ends.filter(closes);
        self.tag_ends.set(Some(TagEnds { start, ends }));
        ends
    }

    /// Puts an anchor around these bytes of visible text.
    pub fn anchor(&self, occurrence: &Occurrence, span: Range<usize>, href: &str) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let open = format!("<a href=\"{}\">", href.replace('&', "&amp;").replace('"', "%22"));
        let Some(seen) = self.view.seen.get(occurrence.seen) else { return edits };
        // Before the first character, not after the one before it.
        let start = seen.source(span.clone()).start;
        edits.push(TextEdit { range: start..start, replacement: open.into() });
        seen.place(span.end..span.end, "</a>".into(), &mut edits);
        self.through_layer(&mut edits);
        edits
    }

    /// Writes the replacements in the text of an occurrence.
    fn pieces<'e>(
        &self,
        occurrence: &Occurrence,
        edits: &'e mut Vec<TextEdit>,
    ) -> Replacements<'a, 'e> {
        let seen = self.view.seen.get(occurrence.seen);
        Replacements { text: seen.map_or("", |seen| seen.as_str()), seen, edits }
    }

    /// Makes edits of the layer edits of the text of the reading.
    fn through_layer(&self, edits: &mut Vec<TextEdit>) {
        self.layer.seen.place_all(edits);
        if self.layer.property.is_some() {
            let newline = self.folding.get_or_init(|| calendar::folding(self.source));
            calendar::fold(self.source, newline, edits);
        }
    }

    /// Renames every attribute of that name in the tag: of duplicates the first counts, so renaming one would activate
    /// the next.
    fn rename(&mut self, tag: usize, attribute: &'static str, edits: &mut Vec<TextEdit>) {
        if !self.renamed.insert((tag, attribute)) {
            return;
        }
        let text = self.layer.seen.as_str();
        let mut tokens = Tokenizer::new(text, tag..text.len(), RawText::Ignore);
        if tokens.next().is_none() {
            return;
        }
        for found in &tokens.attributes {
            let name = text.get(found.name()).unwrap_or_default();
            if html::attribute_name(name) == Some(attribute) {
                let replacement = html::unsafe_name(attribute);
                edits.push(TextEdit { range: found.name(), replacement });
            }
        }
    }

    /// Spells a link `hxxp://xn--…[.]com/…`, so that no client links any part of it.
    fn defang(
        &self,
        occurrence: &Occurrence,
        judgement: Option<&Judgement>,
        edits: &mut Vec<TextEdit>,
    ) {
        let mut pieces = self.pieces(occurrence, edits);
        let Target::Link(link) = &occurrence.target else {
            return pieces.replace(occurrence.span(), NOWHERE);
        };
        if link.kind == Kind::Scheme {
            pieces.scheme(link.span.start..link.host.start);
        }
        if let Some(user) = &link.user {
            match link.kind {
                // `list-owner=example.org@…`: once the `@` is bracketed, a client links the rest.
                Kind::Email => pieces.nested(user.clone(), self.tlds),
                _ => pieces.dots(user.clone()),
            }
            pieces.at_sign(user.end..link.host.start);
        }
        pieces.host(link.host.clone(), judgement);
        pieces.nested(link.tail.clone(), self.tlds);
    }

    fn punycode(
        &self,
        occurrence: &Occurrence,
        judgement: Option<&Judgement>,
        edits: &mut Vec<TextEdit>,
    ) {
        let (Target::Link(link), Some(judgement)) = (&occurrence.target, judgement) else { return };
        let mut pieces = self.pieces(occurrence, edits);
        let host = pieces.text.get(link.host.clone()).unwrap_or_default();
        let differs = !host.is_ascii() || host.contains('%');
        if let Some(ascii) = ascii_form(&judgement.ascii).filter(|_| differs) {
            pieces.replace(link.host.clone(), ascii.to_owned());
        }
    }

    fn percent_encode(&self, occurrence: &Occurrence, edits: &mut Vec<TextEdit>) {
        let Target::Link(link) = &occurrence.target else { return };
        let mut pieces = self.pieces(occurrence, edits);
        let tail = pieces.text.get(link.tail.clone()).unwrap_or_default();
        for (at, c) in tail.char_indices().filter(|(_, c)| !c.is_ascii()) {
            let start = link.tail.start + at;
            let escaped = percent::encoded(c.encode_utf8(&mut [0; 4]));
            pieces.replace(start..start + c.len_utf8(), escaped);
        }
    }
}

/// Writes replacements in the text of a link, in order.
struct Replacements<'t, 'e> {
    text: &'t str,
    seen: Option<&'t MappedText<'t>>,
    /// In the text of the layer.
    edits: &'e mut Vec<TextEdit>,
}

impl Replacements<'_, '_> {
    fn replace(&mut self, range: Range<usize>, replacement: impl Into<Cow<'static, str>>) {
        if let Some(seen) = self.seen {
            seen.place(range, replacement.into(), self.edits);
        }
    }

    /// Replaces the scheme at the end of `range` or at its start: `http` by `hxxp`, `ftp` by `fxp`.
    fn scheme(&mut self, range: Range<usize>) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let Some(colon) = text.find(':') else { return };
        let name = text.get(..colon).unwrap_or_default();
        if let Some(scheme) = scheme::linked_at_end(name) {
            let end = range.start + colon;
            self.replace(end - scheme.name.len()..end, scheme.dead);
        }
    }

    fn at_sign(&mut self, range: Range<usize>) {
        if let Some(at) = self.text.get(range.clone()).and_then(|text| text.find('@')) {
            let at = range.start + at;
            self.bracket(at..at + 1, "[@]");
        }
    }

    /// Puts a sign in brackets, unless it is in some. A program that reads the value strictly as a URL still takes it
    /// for a sign then.
    fn bracket(&mut self, range: Range<usize>, bracketed: &'static str) {
        let (before, after) = (self.text.get(..range.start), self.text.get(range.end..));
        let opened = before.is_some_and(|before| before.ends_with(['[', '(', '{']));
        if !(opened && after.is_some_and(|after| after.starts_with([']', ')', '}']))) {
            self.replace(range, bracketed);
        }
    }

    fn dots(&mut self, range: Range<usize>) {
        let piece = self.text.get(range.clone()).unwrap_or_default();
        for (at, dot) in piece.char_indices().filter(|(_, c)| is_dot(*c)) {
            let start = range.start + at;
            self.bracket(start..start + dot.len_utf8(), "[.]");
        }
    }

    /// Brackets full stops inside words, `a.b`, but not those that end a sentence or make an ellipsis.
    fn full_stops(&mut self, range: Range<usize>) {
        let text = self.text;
        let piece = text.get(range.clone()).unwrap_or_default();
        for (at, _) in piece.match_indices('.') {
            let start = range.start + at;
            let before = text.get(..start).and_then(|text| text.chars().next_back());
            let after = text.get(start + 1..).and_then(|text| text.chars().next());
            if before.is_some_and(is_of_word) && after.is_some_and(is_of_word) {
                self.replace(start..start + 1, "[.]");
            }
        }
    }

    /// Spells deceptive labels in Punycode, and puts dots in brackets.
    fn host(&mut self, whole: Range<usize>, judgement: Option<&Judgement>) {
        let host = self.text.get(whole.clone()).unwrap_or_default();
        if host.starts_with('[') {
            return;
        }
        // S27: prose attached to the host is not part of it, except its full stops, since a client may read otherwise.
        // The judgement of a partly defanged host is for all of it.
        let is_defanged = host.bytes().any(|byte| matches!(byte, b'[' | b'(' | b'{'));
        let range = match judgement.filter(|_| !is_defanged).map(|judgement| &judgement.span) {
            Some(span) if !span.is_empty() && span.end <= host.len() => {
                whole.start + span.start..whole.start + span.end
            }
            _ => whole.clone(),
        };
        self.full_stops(whole.start..range.start);
        self.dots(range.end..whole.end);
        let host = self.text.get(range.clone()).unwrap_or_default();
        // Browsers decode escapes before they read labels (WHATWG URL §3.5).
        let decoded = judgement.filter(|_| host.contains('%') && !is_defanged);
        if let Some(ascii) = decoded.and_then(|host| ascii_form(&host.ascii)) {
            return self.replace(range, ascii.replace('.', "[.]"));
        }
        if !host.is_ascii() || is_defanged {
            return self.labels(range, judgement);
        }
        for (at, _) in host.bytes().enumerate().filter(|(_, byte)| *byte == b'.') {
            self.replace(range.start + at..range.start + at + 1, "[.]");
        }
    }

    /// Spells those labels in Punycode that deceive, all of a host that does and has none, and puts the dots between
    /// them in brackets.
    fn labels(&mut self, range: Range<usize>, judgement: Option<&Judgement>) {
        let text = self.text;
        let verdict = judgement.map_or(Verdict::Ok, |judgement| judgement.verdict);
        let has_bad_label = judgement.is_some_and(|judgement| {
            judgement.labels.iter().any(|label| label.verdict >= Verdict::Unsafe)
        });
        let mut at = range.start;
        for spelled in text.get(range.clone()).unwrap_or_default().split(is_dot) {
            // `[.]` is split at its dot: what is in brackets stays so.
            let label = spelled.trim_start_matches([']', ')', '}']);
            at += spelled.len() - label.len();
            let bracketed = label.ends_with(['[', '(', '{']);
            let label = label.trim_end_matches(['[', '(', '{']);
            let end = at + label.len();
            let known = judgement.and_then(|judgement| {
                judgement.labels.iter().find(|entry| entry.spelling == label)
            });
            let is_bad = match known {
                Some(entry) if has_bad_label => entry.verdict >= Verdict::Unsafe,
                _ => verdict >= Verdict::Suspect,
            };
            if is_bad && !label.is_ascii() {
                let ascii = known.and_then(|entry| ascii_form(&entry.ascii)).map(str::to_owned);
                self.replace(at..end, ascii.unwrap_or_else(|| raw_punycode(label)));
            }
            if bracketed {
                at = end + 2;
                continue;
            }
            if let Some(dot) = text.get(end..range.end).and_then(|rest| rest.chars().next()) {
                self.replace(end..end + dot.len_utf8(), "[.]");
                at = end + dot.len_utf8();
            }
        }
    }

    /// Defangs schemes, hosts and addresses inside path, query and fragment.
    fn nested(&mut self, range: Range<usize>, tlds: &dyn TldSet) {
        let text = self.text;
        let tail = text.get(range.clone()).unwrap_or_default();
        // Nearly every link ends with its host or a slash.
        if matches!(tail, "" | "/") {
            return;
        }
        let bytes = tail.as_bytes();
        let mut at = 0;
        for word in tail.split(|c: char| !(c.is_alphanumeric() || is_dot(c) || "-_".contains(c))) {
            let end = at + word.len();
            // The digits of an escaped sign are no letters of the host behind it: `%2Fexample.com`.
            let escape = percent::behind_sign(tail, at) - at;
            let (at_word, word) = (at + escape, word.get(escape..).unwrap_or_default());
            let here = range.start + at_word..range.start + end;
            match bytes.get(end) {
                Some(b':') if scheme::linked_at_end(word).is_some() => {
                    self.scheme(here.start..here.end + 1);
                }
                Some(b'@') => self.at_sign(here.end..here.end + 1),
                _ => {}
            }
            let previous = at.checked_sub(1).and_then(|before| bytes.get(before));
            let announced =
                previous == Some(&b'@') || tail.get(..at).is_some_and(|head| head.ends_with("//"));
            if word.contains(is_dot) && (announced || is_host_shaped(word, tlds)) {
                self.nested_host(here);
            }
            at = end
                + tail.get(end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
    }

    fn nested_host(&mut self, range: Range<usize>) {
        let text = self.text;
        let host = text.get(range.clone()).unwrap_or_default();
        let mut at = range.start;
        for label in host.split(is_dot) {
            let end = at + label.len();
            if !label.is_ascii() {
                self.replace(at..end, raw_punycode(label));
            }
            if let Some(dot) = text.get(end..range.end).and_then(|rest| rest.chars().next()) {
                self.replace(end..end + dot.len_utf8(), "[.]");
                at = end + dot.len_utf8();
            }
        }
    }
}

/// Whether a character is a letter or digit, or invisible between them.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

/// Whether a client may link the word by itself: an IPv4 address, or a host under a TLD.
fn is_host_shaped(word: &str, tlds: &dyn TldSet) -> bool {
    let word = word.trim_end_matches(is_dot);
    // Rewriters write `http-3A__192.0.2.1`: a client begins the address after the signs.
    let address = word.rsplit(['_', '-']).next().unwrap_or_default();
    let digits = address
        .split('.')
        .all(|label| !label.is_empty() && label.bytes().all(|c| c.is_ascii_digit()));
    if digits {
        return address.split('.').count() == 4;
    }
    // Every label but the first: a client may end a host at `example.at` of `example.at.home`. Client programs take
    // any two letters for a country.
    word.split(is_dot).skip(1).any(|label| {
        let country = label.len() == 2 && label.bytes().all(|c| c.is_ascii_alphabetic());
        country || !label.is_ascii() || tlds.exists(&label.to_ascii_lowercase())
    })
}

/// The ASCII form of what was judged, if it has one.
fn ascii_form(ascii: &str) -> Option<&str> {
    (!ascii.is_empty() && ascii.is_ascii()).then_some(ascii)
}

/// The A-label of a label, valid or not.
fn raw_punycode(label: &str) -> String {
    punycode::in_ascii(&label.chars().flat_map(char::to_lowercase).collect::<String>())
}
