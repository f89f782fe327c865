//! Protected names: whether a host is made to be taken for one of them.
//!
//! A protected name is recognised as a whole (`example.com` in `ехample.com` or
//! `www.example.com.attack.test`) and by its registrable label alone (`ехample.attack.test`,
//! `examp1e-login.test`). A label spelled identically never counts by itself (`amazon.de`), nor
//! does the name itself or a host below it.

use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};

use uts58::unicode::a_label::is_a_label;

use crate::Context;
use crate::characters::letters;
use crate::characters::lookalike::{LABEL_CHARS, Look, likeness};
use crate::characters::looks::{beginnings, endings, looks};
use crate::characters::reading::{LabelChar, LabelChars, Likeness};
use crate::protected::listed::{self, MIN_TOKEN};
use crate::protected::name::{Name, Reach};
use crate::protected::names::Names;
use crate::spelling::compared::{ComparedHost, Hit, HostLabels, LabelToken, tokens};
use crate::spelling::form::LabelForms;
use crate::verdict::{Reason, Verdict};

/// Shortest registrable label that is recognised under another suffix, in characters: shorter ones
/// resemble arbitrary abbreviations. In letters beyond ASCII, and in ASCII.
const BRAND_FOREIGN: usize = 4;
const BRAND_ASCII: usize = 5;

/// Shortest brand that is recognised between hyphens.
const BRAND_TOKEN: usize = 6;

/// Letters of a label that no word resembles by chance.
const LONG: usize = 6;

/// The same for the whole name, including its suffix.
const LONG_WHOLE: usize = 5;

/// Second-level labels under which a country registers only its own offices and schools.
const RESERVED: [&str; 12] =
    ["ac", "edu", "go", "gob", "gouv", "gov", "govt", "gub", "gv", "jus", "mil", "police"];

/// Lengths of labels that a word of another script may resemble by chance, in characters.
const CHANCE: RangeInclusive<usize> = 2..=3;

/// Shortest label in which ASCII for ASCII (`0` for `o`) counts.
const WHOLE_ASCII: usize = 3;

/// The worst resemblance of the host to a name of the set that it does not belong to.
pub(super) fn find(compared: &ComparedHost<'_>, names: &Names) -> Option<Hit> {
    if names.is_empty() {
        return None;
    }
    let mut best: Option<Hit> = None;
    let mut keep = |name: &Name, label: usize, verdict: Option<Verdict>| {
        if let Some(verdict) =
            verdict.filter(|verdict| best.as_ref().is_none_or(|best| best.verdict < *verdict))
        {
            best = Some(lookalike_hit(name, label, verdict));
        }
    };
    let host = OnceCell::new();
    let host = || host.get_or_init(|| HostLabels::of(compared));
    let count = compared.parts.len();
    for (at, (part, chars)) in compared.parts.iter().zip(compared.chars).enumerate() {
        // Labels of the registry matter only for whole names, which have labels after the brand.
        if at > host().registrable && names.shortest_end().is_none_or(|labels| at + labels > count)
        {
            break;
        }
        // Many names have the same label under different suffixes.
        let mut before: Option<(&str, Option<Likeness>, Option<Likeness>)> = None;
        let spelled = OnceCell::new();
        for name in candidates(part, chars.all(), names) {
            let Some((brand, look)) = name.labels.get(name.brand) else { continue };
            let known = before.take().filter(|(known, ..)| **known == **brand);
            let (_, mapped, how) = *before.insert(known.unwrap_or_else(|| {
                let mapped = likeness(chars.all(), look);
                (brand, mapped, resemblance(part, &spelled, mapped, look))
            }));
            let Some(how) = how else { continue };
            let word =
                mapped.and_then(|how| host().word(at, &part.unicode, chars.all(), name, how));
            keep(name, at, host().whole(at, name, how).max(host().label(at, name, how)).max(word));
        }
        if at <= host().registrable
            && let Some((name, verdict)) =
                brand_part(&part.unicode, chars, names, &|| !host().is_native_word(&part.unicode))
        {
            keep(name, at, Some(verdict));
        }
        for token in tokens(&part.unicode, chars, BRAND_TOKEN - 1) {
            let LabelToken { unicode, chars, .. } = token;
            for look in looks(chars, |beginning| names.begins(beginning)) {
                for name in names.by_look(look) {
                    let look = name.labels.get(name.brand).map(|(_, look)| look);
                    let Some(how) = look.and_then(|look| likeness(chars, look)) else { continue };
                    let verdict = host().token(at, unicode, name, how);
                    let word = host().word(at, unicode, chars, name, how);
                    keep(name, at, verdict.max(word.filter(|_| !token.is_in_phrase())));
                }
            }
        }
    }
    if let Some(name) = names.by_bidi(compared.unicode) {
        keep(name, host().registrable, Some(Verdict::Unsafe));
    }
    best.or_else(|| one_away(compared, host(), names))
}

/// Whether a label that is left as spelled, or a part of it, may resemble a name that it is judged
/// against, in any host: fast, may return `true` wrongly.
pub(super) fn may_resemble(label: &str, chars: &LabelChars, context: &Context<'_>) -> bool {
    let all = [context.protected, context.own];
    let sets = if context.own.is_empty() { &all[..1] } else { &all };
    let lists = || all.into_iter().flat_map(Names::known);
    let begins =
        |look| sets.iter().any(|names| names.begins(look)) || lists().any(|list| list.begins(look));
    let is_look = |look| {
        sets.iter().any(|names| names.is_look(look)) || lists().any(|list| list.is_look(look))
    };
    let named = |letters: &[LabelChar]| looks(letters, begins).any(is_look);
    named(chars.all())
        || tokens(label, chars, TOKEN).iter().any(|token| named(token.chars))
        || sets.iter().any(|names| {
            brand_part(label, chars, names, &|| true).is_some()
                || names.near(chars).is_some()
                || names.may_be_displayed_as(label)
        })
}

/// Letters of the shortest token that is compared with any name.
const TOKEN: usize = if BRAND_TOKEN - 1 < MIN_TOKEN { BRAND_TOKEN - 1 } else { MIN_TOKEN };

fn lookalike_hit(name: &Name, label: usize, verdict: Verdict) -> Hit {
    let target = String::from(&*name.ascii);
    Hit { target, label, verdict, reason: Reason::TargetLookalike }
}

/// A brand with one other letter, in a label with a foreign letter that nobody writes under this
/// top-level domain.
fn one_away(compared: &ComparedHost<'_>, host: &HostLabels<'_>, names: &Names) -> Option<Hit> {
    let at = host.registrable;
    let (part, chars) = (compared.parts.get(at)?, compared.chars.get(at)?);
    if part.unicode.is_ascii() {
        return None;
    }
    let name = names.near(chars).filter(|_| !host.has_native_letters(at))?;
    Some(lookalike_hit(name, at, Verdict::Suspect))
}

impl HostLabels<'_> {
    /// The whole name, at the end of the host or left of its registrable label. `how` is the
    /// resemblance of the label at `at` to the registrable one of the name.
    fn whole(&self, at: usize, name: &Name, how: Likeness) -> Option<Verdict> {
        let start = at.checked_sub(name.brand)?;
        let end = start + name.labels.len();
        let ends = end == self.parts.len();
        if !ends && end > self.registrable {
            return None;
        }
        let mut worst = how;
        let span = self.parts.get(start..end)?;
        let chars = self.chars.get(start..end)?;
        let others = span.iter().zip(chars).zip(&name.labels).enumerate();
        for (_, ((part, chars), (_, look))) in others.filter(|(index, _)| *index != name.brand) {
            let mapped = likeness(chars.all(), look);
            worst = worst.max(resemblance(part, &OnceCell::new(), mapped, look)?);
        }
        let short = name.labels.get(name.brand).is_some_and(|(_, look)| look.len() < WHOLE_ASCII);
        match worst {
            Likeness::Rough | Likeness::Alike if is_chance(span, name) => Some(Verdict::Notice),
            // The name as its own country writes it (`монобанк.ua`).
            Likeness::Rough | Likeness::Alike
                if ends && self.is_native_word(&span.get(name.brand)?.unicode) =>
            {
                None
            }
            // Spelled identically: only the position may mislead.
            Likeness::Same => None,
            Likeness::Ascii if short => Some(Verdict::Notice),
            Likeness::Marks | Likeness::Hidden
                if self.is_accented_original(name, &span.get(name.brand)?.unicode) =>
            {
                None
            }
            // Under the suffix of the name itself, five letters are enough; but if its country uses
            // such letters, it may be the full name (`itaú.com.br`).
            Likeness::Marks | Likeness::Hidden if ends => {
                let home = self.has_native_spelling(name, &span.get(name.brand)?.unicode);
                let long = name.brand_len() >= LONG_WHOLE;
                match (home, long) {
                    (true, _) => Some(Verdict::Suspect),
                    (false, true) => Some(Verdict::Unsafe),
                    (false, false) => verdict(worst, name, true),
                }
            }
            other => self.verdict_of(other, name, &span.get(name.brand)?.unicode),
        }
    }

    /// The registrable label alone, under any suffix.
    fn label(&self, at: usize, name: &Name, how: Likeness) -> Option<Verdict> {
        let (part, chars) = (self.parts.get(at)?, self.chars.get(at)?);
        let (_, look) = name.labels.get(name.brand)?;
        let how = self.counts_for_label(at, name, how)?;
        // A word of another language in its own country is that word (`мета.рф`), but not a long
        // one that equals the name letter by letter (`аррӏе.рф`).
        let chance = look.len() < BRAND_ASCII || chars.read_as_latin().is_none();
        if how >= Likeness::Foreign && chance && self.is_native_word(&part.unicode) {
            return None;
        }
        let enough = if how >= Likeness::Foreign { BRAND_FOREIGN } else { BRAND_ASCII };
        let accented = matches!(how, Likeness::Marks | Likeness::Hidden)
            && self.is_accented_original(name, &part.unicode);
        // Four letters with accents that nobody writes under this top-level domain.
        let strange =
            how == Likeness::Marks && look.len() == BRAND_FOREIGN && !self.has_native_letters(at);
        if look.len() < enough && !strange || accented {
            return None;
        }
        self.verdict_of(how, name, &part.unicode)
    }

    fn verdict_of(&self, how: Likeness, name: &Name, label: &str) -> Option<Verdict> {
        let marks = matches!(how, Likeness::Marks | Likeness::Hidden);
        if marks && self.has_native_spelling(name, label) {
            return Some(Verdict::Suspect);
        }
        verdict(how, name, label.contains(|c: char| c.is_ascii_alphabetic()))
    }

    /// Whether name and host are under the same national suffix and all letters belong to the
    /// country: it may be the full name (`crédit-agricole.fr`).
    fn has_native_spelling(&self, name: &Name, label: &str) -> bool {
        let tld = self.parts.last().map(|part| part.ascii.as_str()).unwrap_or_default();
        let theirs = name.labels.last().map(|(label, _)| label.as_ref()).unwrap_or_default();
        if tld.len() != 2 || tld != theirs {
            return false;
        }
        let home = letters::of_tld(tld);
        label.chars().all(|c| c.is_ascii() || !letters::main(c).and(home).is_empty())
    }

    /// Whether the host is the name with the accents of its country, under the same registry of
    /// governments and schools (`impôts.gouv.fr`): nobody else can have it.
    fn is_accented_original(&self, name: &Name, label: &str) -> bool {
        let theirs = name.labels.iter().skip(name.brand + 1).map(|(label, _)| label.as_ref());
        let ours = self.parts.iter().skip(self.registrable + 1).map(|part| part.unicode.as_str());
        theirs.clone().count() > 1
            && theirs.clone().next().is_some_and(|first| RESERVED.contains(&first))
            && ours.eq(theirs)
            && self.has_native_spelling(name, label)
    }

    /// A piece of a label between hyphens that resembles the registrable label of the name by
    /// `how`.
    fn token(&self, at: usize, token: &str, name: &Name, how: Likeness) -> Option<Verdict> {
        let (_, look) = name.labels.get(name.brand)?;
        let how = self.counts_for_label(at, name, how)?;
        // With the suffix of the name itself, five letters are enough.
        let own = self.ends_as(at, &name.ascii) && how >= Likeness::Marks;
        let enough = if own { LONG_WHOLE } else { BRAND_TOKEN };
        let plain = look.len() < enough || how > Likeness::Foreign && self.is_native_word(token);
        if plain { None } else { self.verdict_of(how, name, token) }
    }

    /// The label, or a piece of it between hyphens, that imitates a name which is a common word or
    /// has five letters: legitimate owners of the word use its own letters.
    fn word(
        &self,
        at: usize,
        label: &str,
        chars: &[LabelChar],
        name: &Name,
        how: Likeness,
    ) -> Option<Verdict> {
        let (_, look) = name.labels.get(name.brand)?;
        // A brand that is too short for mail to be edited because of a piece.
        let piece = look.len() == LONG_WHOLE && chars.len() < self.chars.get(at)?.len();
        if name.reach == Reach::Brand && !piece || at > self.registrable || label.is_ascii() {
            return None;
        }
        let own = self.ends_as(at, &name.ascii) && look.len() >= LONG_WHOLE;
        if own && how >= Likeness::Marks && !self.is_accented_original(name, label) {
            return Some(Verdict::Suspect);
        }
        // No word of a language is made of twins and reads so, not even at home (`аррӏерау.ru`).
        if how == Likeness::Foreign && look.len() >= MIN_TOKEN && is_foreign(label) {
            return Some(Verdict::Unsafe);
        }
        listed::judge(self, at, chars, &name.ascii, look, how)
    }

    /// `None` for a resemblance that never counts for a label alone.
    fn counts_for_label(&self, at: usize, name: &Name, how: Likeness) -> Option<Likeness> {
        let counts = name.reach == Reach::Brand && at <= self.registrable && how > Likeness::Same;
        counts.then_some(how)
    }
}

/// The verdict for a resemblance. Short names are resembled by chance: six letters are needed if
/// only diacritics differ, or if glyphs are rough and the word has no Latin letter.
fn verdict(how: Likeness, name: &Name, latin: bool) -> Option<Verdict> {
    let long = name.brand_len() >= LONG;
    match how {
        Likeness::Same => None,
        Likeness::Faint => Some(Verdict::Notice),
        Likeness::Ascii => Some(Verdict::Suspect),
        Likeness::Marks | Likeness::Rough if !long => Some(Verdict::Suspect),
        Likeness::Alike if !long && !latin => Some(Verdict::Suspect),
        _ => Some(Verdict::Unsafe),
    }
}

/// Whether it is a word of two or three letters, none of them Latin, which may resemble an
/// abbreviation by chance (`рис` and `pnc`); one letter beside digits (`ก11`) is no word.
fn is_chance(span: &[LabelForms], name: &Name) -> bool {
    let short = name.labels.get(name.brand).is_some_and(|(_, look)| CHANCE.contains(&look.len()));
    short && span.get(name.brand).is_some_and(|part| is_foreign(&part.unicode))
}

/// Whether the label has no Latin letter and no digit of ASCII.
fn is_foreign(label: &str) -> bool {
    !label.contains(|c: char| c.is_ascii_alphanumeric())
}

/// How a label resembles the name, in the raw spelling and mapped: mail shows the raw one, and
/// capitals matter (`fƖipkart`). If it is mapped to the name, it is the name. `spelled` keeps what the raw spelling reads
/// as, for the next name.
fn resemblance(
    part: &LabelForms,
    spelled: &OnceCell<LabelChars>,
    mapped: Option<Likeness>,
    look: &Look,
) -> Option<Likeness> {
    if mapped == Some(Likeness::Same) || part.spelling == part.unicode || is_a_label(&part.spelling)
    {
        return mapped;
    }
    let spelled = spelled.get_or_init(|| LabelChars::of(part.spelling.chars()));
    let spelled = likeness(spelled.all(), look);
    match (mapped, spelled) {
        // Only the capitals are twins, and they are what a reader sees (`ЕВАУ`).
        (Some(Likeness::Alike | Likeness::Rough), Some(Likeness::Foreign)) => spelled,
        _ => mapped.max(spelled),
    }
}

/// The names that the label may resemble, as mapped and as spelled.
fn candidates<'a>(part: &LabelForms, chars: &[LabelChar], names: &'a Names) -> Vec<&'a Name> {
    let find = |chars: &[LabelChar]| looks(chars, |beginning| names.begins(beginning));
    let mut found: Vec<&Name> = find(chars).flat_map(|look| names.by_look(look)).collect();
    if part.spelling != part.unicode && !is_a_label(&part.spelling) {
        let spelled = part.spelling.chars().flat_map(char::to_lowercase);
        if !spelled.clone().eq(part.unicode.chars()) {
            let looks = find(LabelChars::of(spelled).all());
            found.extend(looks.flat_map(|look| names.by_look(look)));
        }
    }
    found
}

/// A brand that a part of the label reads as, with a letter beyond ASCII in that part:
/// `lédgerlive`, `trėzorwallet`. The part begins or ends the label or a token of it: from each such
/// position the letters are followed as long as some name matches. What is no twin may count for nothing: a word of
/// another alphabet at home has such parts by chance (`монетарный.рф`).
fn brand_part<'a>(
    label: &str,
    chars: &LabelChars,
    names: &'a Names,
    rough: &dyn Fn() -> bool,
) -> Option<(&'a Name, Verdict)> {
    if label.is_ascii() || chars.len() <= BRAND_TOKEN {
        return None;
    }
    let piece_is = |piece: &Range<usize>| {
        let letters = chars.all().get(piece.clone())?;
        let mut named =
            looks(letters, |look| names.begins(look)).flat_map(|look| names.by_look(look));
        named.find_map(|name| {
            let (_, brand) = name.labels.get(name.brand)?;
            let how = likeness(letters, brand)?;
            let counts =
                how >= Likeness::Marks && brand.len() >= BRAND_TOKEN && name.reach == Reach::Brand;
            (counts && (how <= Likeness::Foreign || rough())).then_some((name, Verdict::Suspect))
        })
    };
    pieces(chars.all(), names).iter().find_map(piece_is)
}

/// Letters without which no part of a label is read. On a web page every byte counts.
const READ: usize = if cfg!(target_family = "wasm") { 0 } else { BRAND_TOKEN };

/// The parts of a label that may read as a brand, in order: long enough, with a letter beyond
/// ASCII, and not the whole label.
fn pieces(letters: &[LabelChar], names: &Names) -> Vec<Range<usize>> {
    let counts = |start: usize, end: usize| {
        let foreign = |letter: &LabelChar| !letter.c.is_ascii();
        (BRAND_TOKEN..letters.len()).contains(&(end - start))
            && start < LABEL_CHARS
            && letters.get(start..end).is_some_and(|piece| piece.iter().any(foreign))
    };
    // Pairs of the type that is sorted elsewhere: every other type costs 1 kB of a web page.
    let mut pieces: Vec<(u64, u32)> = Vec::new();
    let mut add = |start: usize, end: usize| {
        if counts(start, end)
            && let (Ok(start), Ok(end)) = (u64::try_from(start), u32::try_from(end))
        {
            pieces.push((start, end));
        }
    };
    let is_edge =
        |at: Option<usize>| at.and_then(|at| letters.get(at)).is_none_or(|letter| letter.c == '-');
    for at in 0..=letters.len() {
        let (before, rest) = letters.split_at_checked(at).unwrap_or_default();
        if is_edge(at.checked_sub(1)) && rest.len() >= READ {
            beginnings(rest, |look| names.begins(look), |look| names.is_look(look.value()))
                .for_each(|length| add(at, at + length));
        }
        if is_edge(Some(at)) && at >= READ {
            endings(before, |look| names.ends(look), |look| names.is_backwards(look))
                .for_each(|length| add(at - length, at));
        }
    }
    pieces.sort_unstable();
    let piece = |(start, end)| Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?);
    pieces.into_iter().filter_map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::domain::SuffixLengths;
    use crate::spelling::form::HostForms;

    fn hit(host: &str) -> Option<(String, Verdict)> {
        let names = Names::new([
            "example.com", "modern.example", "paypal.com", "=turkiye.gov.tr", "=signal.example",
            "=impots.gouv.fr", "zaire.fr", "monobank.ua", "נמל.example",
        ]);
        compared(host, |compared| {
            let hit = find(compared, &names).filter(|_| !names.covers(compared.ascii));
            hit.map(|hit| (hit.target, hit.verdict))
        })
    }

    fn compared<T>(host: &str, look: impl FnOnce(&ComparedHost<'_>) -> T) -> T {
        let form = HostForms::read(host);
        let chars: Vec<LabelChars> =
            form.parts.iter().map(|part| LabelChars::of(part.unicode.chars())).collect();
        look(&ComparedHost {
            parts: &form.parts,
            chars: &chars,
            ascii: &form.ascii,
            unicode: &form.unicode,
            suffixes: SuffixLengths::of(&form.ascii),
        })
    }

    fn marked(host: &str) -> Option<Verdict> {
        hit(host).map(|(_, verdict)| verdict)
    }

    #[test]
    fn whole_names() {
        assert_eq!(hit("ехample.com"), Some(("example.com".to_owned(), Verdict::Unsafe)));
        assert_eq!(marked("www.éxample.com"), Some(Verdict::Unsafe));
        assert_eq!(marked("www.example.com"), None);
        assert_eq!(marked("paypa1.com"), Some(Verdict::Suspect));
        assert_eq!(marked("paypal.com.br"), None);
    }

    #[test]
    fn labels_alone() {
        assert_eq!(marked("раураl.attack.test"), Some(Verdict::Unsafe));
        assert_eq!(marked("paypal.de"), None);
        assert_eq!(marked("раураӏ.рф"), Some(Verdict::Unsafe));
        assert_eq!(marked("paypa1-login.test"), Some(Verdict::Suspect));
        assert_eq!(marked("türkiye.com.tr"), None);
    }

    /// By chance a part of a word comes near a name; what is made of twins does not.
    #[test]
    fn parts_of_words_at_home() {
        let names = Names::new(["moneta.example", "paypal.com"]);
        let is_marked = |host: &str| compared(host, |compared| find(compared, &names)).is_some();
        for fine in ["монетарный.рф", "монетарна.укр", "самолета.bg", "монетаристичком.срб"]
        {
            assert!(!is_marked(fine), "{fine}");
        }
        for lure in [
            "раураӏвход.рф",
            "раураӏ-вход.рф",
            "входраураӏ.ru",
            "монетаmarket.com",
            "монетарный.com",
        ] {
            assert!(is_marked(lure), "{lure}");
        }
    }

    /// `в` only comes near a `b`, but `В` is one to a reader.
    #[test]
    fn capitals_are_twins_of_capitals() {
        for host in ["ЕХАМРLЕ.com", "EXAМPLE.com", "ΕΧΑΜΡLΕ.com", "www.EXAМPLE.COM"] {
            assert_eq!(marked(host), Some(Verdict::Unsafe), "{host}");
        }
        assert_eq!(marked("ПРИМЕР.com"), None);
    }

    /// A name that is a common word is recognised in letters that are not those of the country.
    #[test]
    fn words_in_disguise() {
        for host in [
            "sígnal.com", "sìgnal-login.com", "my-sigŋal.com", "mon-türkiye.com",
            "assurés-zaïre.fr", "zaïre-france.fr", "my-zāire.com",
        ] {
            assert_eq!(marked(host), Some(Verdict::Suspect), "{host}");
        }
        for host in [
            "signal.com", "my-signal.com", "türkiye.com.tr", "mon-türkiye.com.tr", "sígnals.com",
            "impôts.gouv.fr", "mes-impôts.fr", "la-zaïre-musique.com", "mon-zaïre.be",
        ] {
            assert_eq!(marked(host), None, "{host}");
        }
    }

    #[test]
    fn a_country_writes_names_in_its_own_letters() {
        assert_eq!(marked("монобанк.ua"), None);
        assert_eq!(marked("mоnоbаnk.ua"), Some(Verdict::Unsafe));
        assert_eq!(marked("монобанк.com"), Some(Verdict::Unsafe));
        assert_eq!(marked("раураӏ.com"), Some(Verdict::Unsafe));
    }

    /// Letters that are all twins need no hyphen around the name.
    #[test]
    fn names_glued_in_twins() {
        for host in [
            "раураӏһеӏр.com",
            "ехаӏраураӏ.com",
            "раураӏѕ.ua",
            "раураӏ-һеӏр.ru",
            "аса-раураӏѕ.com",
            "ꓑꓮꓬꓑꓮꓡꓲꓓ.com",
        ] {
            assert_eq!(marked(host), Some(Verdict::Unsafe), "{host}");
        }
        for host in ["ароса.com", "хороссера.ru", "серго.ru"] {
            assert_eq!(marked(host), None, "{host}");
        }
    }

    /// Two accented letters are no word of a native script.
    #[test]
    fn accents_alone_are_no_script_of_their_own() {
        compared("éá.com", |compared| assert!(!HostLabels::of(compared).has_native_letters(0)));
    }

    /// `modem.example` beside a protected `modern.example` is not marked.
    #[test]
    fn words_are_words() {
        assert!(marked("modem.example").is_none_or(|verdict| verdict <= Verdict::Notice));
        assert_eq!(marked("mödern.example"), Some(Verdict::Unsafe));
    }
}
