//! The filter's own header fields: how they are recognized, and the one that undoes edits.
//!
//! `X-Linkmilter-Undo` holds `v=1; z=RECIPE` in base64, or `v=1; file=DIGEST`; then `seal=…`.

use std::collections::HashMap;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::canonical;
use super::packing::{self, Bits};
use crate::edit::{Field, HeadEdit};
pub use crate::header_fields::{HeaderField, header_fields};

/// Field that reports what was found and done.
pub const SUMMARY: &str = "X-Linkmilter";
/// Field with the recipe that undoes the edits, and its seal.
pub const UNDO: &str = "X-Linkmilter-Undo";

/// Whether a field name is one of ours, or looks like one.
#[inline]
pub fn is_ours(name: &[u8]) -> bool {
    let [b'X' | b'x', ..] = name else { return false };
    let prefix = name.get(..SUMMARY.len()).unwrap_or_default();
    prefix.eq_ignore_ascii_case(SUMMARY.as_bytes())
        && matches!(name.get(SUMMARY.len()), None | Some(b'-'))
}

/// The edits that remove our fields from an incoming header, except recipes with the seal of one of our keys.
pub fn incoming(head: &[u8], keys: &[&[u8]]) -> Vec<HeadEdit> {
    if !may_hold_ours(head) {
        return Vec::new();
    }
    let ours = || header_fields(head).filter(|field| is_ours(field.name(head)));
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut edits = Vec::with_capacity(ours().count());
    for field in ours() {
        let name = field.name(head).to_ascii_lowercase();
        let sealed = !keys.is_empty()
            && name.eq_ignore_ascii_case(UNDO.as_bytes())
            && check_seal(&field.text(head), keys) == SealedBy::Ours;
        let index = seen.entry(name).or_default();
        *index += 1;
        if !sealed {
            edits.push(field.edit(head, *index, Vec::new()));
        }
    }
    edits
}

/// Whether some line begins like the names of our fields. Most headers have none.
fn may_hold_ours(head: &[u8]) -> bool {
    let begins = |at: usize| {
        let name = head.get(at..at + SUMMARY.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(SUMMARY.as_bytes()))
    };
    begins(0) || memchr::memchr_iter(b'\n', head).any(|feed| begins(feed + 1))
}

/// A header without our fields.
pub fn without_ours(head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len());
    let mut at = 0;
    for field in header_fields(head) {
        if is_ours(field.name(head)) {
            out.extend_from_slice(head.get(at..field.line.start).unwrap_or_default());
            at = field.line.end;
        }
    }
    out.extend_from_slice(head.get(at..).unwrap_or_default());
    out
}

/// A recipe, in the message or in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// The content of the field, decoded from base64.
    Inline(Vec<u8>),
    /// In the state directory, under this digest.
    Stored(String),
}

/// The field for a recipe: with the recipe itself, or with its digest if the field would exceed `cap` bytes.
pub fn undo(recipe: &[u8], cap: Option<usize>, key: Option<&[u8]>) -> (Field, Undo) {
    let fits = |text: &str| {
        cap.is_none_or(|cap| Field::folded(UNDO, text).value.len() + SEAL_BYTES <= cap)
    };
    // A longer one is not encoded in vain.
    let may_fit = cap.is_none_or(|cap| recipe.len() <= cap);
    let inline = may_fit.then(|| format!("v=1; z={}", packing::to_base64(recipe)));
    let (text, undo) = match inline.filter(|inline| fits(inline)) {
        Some(inline) => (inline, Undo::Inline(recipe.to_vec())),
        None => {
            let digest = canonical::digest(recipe);
            (format!("v=1; file={digest}"), Undo::Stored(digest))
        }
    };
    let text = match key {
        Some(key) => format!("{text}; seal={}", seal(&text, key)),
        None => text,
    };
    (Field::folded(UNDO, &text), undo)
}

/// The recipe could not be stored: removes the field that refers to it, and notes that in the summary.
pub fn undo_lost(fields: &mut Vec<Field>) {
    fields.retain(|field| field.name != UNDO);
    note(fields, LOST);
}

/// Adds `name=word` to the summary, on a line of its own.
pub fn note(fields: &mut [Field], text: &str) {
    for summary in fields.iter_mut().filter(|field| field.name == SUMMARY) {
        summary.value.push_str(";\n ");
        summary.value.push_str(&Field::folded("", text).value);
    }
}

/// Bytes that a seal adds to the field.
const SEAL_BYTES: usize = 56;

/// HMAC-SHA-256 over the value without its white space, in base64.
fn seal(text: &str, key: &[u8]) -> String {
    mac(text, key).map_or_else(String::new, |mac| packing::to_base64(&mac.finalize().into_bytes()))
}

fn mac(text: &str, key: &[u8]) -> Option<Hmac<Sha256>> {
    // HMAC takes keys of any length (RFC 2104 §3), so this is never `None`.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(b"linkmilter undo 1\n");
    let dense: String = text.split_ascii_whitespace().collect();
    mac.update(dense.as_bytes());
    Some(mac)
}

/// Who sealed a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealedBy {
    /// Sealed with a key of ours.
    Ours,
    /// A seal, but not with a key of ours.
    Foreign,
    /// No seal, or no key to check it with.
    Unknown,
}

/// Who sealed an undo value; `keys` are all keys that we seal or sealed with.
pub fn check_seal(value: &str, keys: &[&[u8]]) -> SealedBy {
    let Some((text, sealed)) = split_seal(value).filter(|_| !keys.is_empty()) else {
        return SealedBy::Unknown;
    };
    let dense: String = sealed.split_ascii_whitespace().collect();
    let Some(found) = packing::from_base64(dense.as_bytes(), Bits::Any) else {
        return SealedBy::Foreign;
    };
    let verifies = |key: &&[u8]| mac(text, key).is_some_and(|mac| mac.verify_slice(&found).is_ok());
    if keys.iter().any(verifies) { SealedBy::Ours } else { SealedBy::Foreign }
}

/// An undo value without its seal, and the seal: its last part. White space between the parts may have gone.
fn split_seal(value: &str) -> Option<(&str, &str)> {
    let (text, last) = value.rsplit_once(';')?;
    let (name, sealed) = last.split_once('=')?;
    (name.trim() == "seal").then_some((text, sealed))
}

/// Whether the message has a recipe, sealed or not.
pub fn has_recipe(head: &[u8]) -> bool {
    header_fields(head).any(|field| field.is_named(head, UNDO.as_bytes()))
}

/// The item of a summary for a message without an edited link that was changed nevertheless: a tag in its Subject, a
/// banner, anchors.
pub const MARKED: &str = "marked=yes";

/// The item of a summary whose recipe could not be stored.
const LOST: &str = "undo=lost";

/// Whether our summary says that nothing was changed. A message without a summary was not filtered.
pub fn is_unedited(head: &[u8]) -> bool {
    let mut summaries = summaries(head).peekable();
    let untouched = |summary: String| has_item(&summary, "edited=0") && !has_item(&summary, MARKED);
    summaries.peek().is_some() && summaries.all(untouched)
}

/// Whether our summary says that the recipe could not be stored.
pub fn is_undo_lost(head: &[u8]) -> bool {
    summaries(head).any(|summary| has_item(&summary, LOST))
}

fn summaries(head: &[u8]) -> impl Iterator<Item = String> + '_ {
    let summaries = header_fields(head).filter(|field| field.is_named(head, SUMMARY.as_bytes()));
    summaries.map(|field| field.text(head))
}

fn has_item(summary: &str, item: &str) -> bool {
    summary.split(';').any(|part| part.trim() == item)
}

/// Whether the message has a recipe with the seal of one of the keys.
pub fn is_sealed(head: &[u8], keys: &[&[u8]]) -> bool {
    !keys.is_empty()
        && undo_values(head).iter().any(|value| check_seal(value, keys) == SealedBy::Ours)
}

/// The values of our undo fields, in order, unfolded to single spaces.
pub(super) fn undo_values(head: &[u8]) -> Vec<String> {
    header_fields(head)
        .filter(|field| field.is_named(head, UNDO.as_bytes()))
        .map(|field| field.text(head))
        .collect()
}

/// The recipe of an undo value.
pub(super) fn parse_undo(value: &str) -> Option<Undo> {
    let mut version = None;
    let mut content = None;
    for part in value.split(';') {
        let (name, value) = part.split_once('=')?;
        match name.trim() {
            "v" => version = Some(value.trim() == "1"),
            "z" => content = Some(Undo::Inline(packing::from_base64(value.as_bytes(), Bits::Any)?)),
            "file" => {
                let digest: String = value.split_ascii_whitespace().collect();
                let plain = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
                content = plain.then(|| Undo::Stored(digest.to_ascii_lowercase()));
            }
            _ => {}
        }
    }
    content.filter(|_| version == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_from_outside_go_and_sealed_recipes_stay() {
        let (sealed, _) = undo(b"recipe", None, Some(b"key"));
        let sealed = sealed.value.replace('\n', "\r\n");
        let head = format!(
            "Subject: x\r\nX-Linkmilter: v=1; verdict=ok\r\nx-linkmilter-undo: v=1; z=AAAA\r\n\
             X-Linkmilter-Undo: {sealed}\r\nX-Linkmilterish: stays\r\n"
        );
        let found: Vec<(String, usize)> = incoming(head.as_bytes(), &[b"key"])
            .into_iter()
            .map(|edit| (edit.name, edit.index))
            .collect();
        let want = [("X-Linkmilter".to_owned(), 1), ("x-linkmilter-undo".to_owned(), 1)];
        assert_eq!(found, want);
        assert_eq!(incoming(head.as_bytes(), &[b"other"]).len(), 3);
        assert_eq!(incoming(head.as_bytes(), &[]).len(), 3);
        assert_eq!(incoming(head.as_bytes(), &[b"new", b"key"]).len(), 2, "an older key of ours");
        assert_eq!(without_ours(head.as_bytes()), b"Subject: x\r\nX-Linkmilterish: stays\r\n");
    }

    #[test]
    fn a_seal_is_found_without_the_white_space() {
        let (field, _) = undo(b"recipe", None, Some(b"key"));
        let dense: String = field.value.split_ascii_whitespace().collect();
        assert!(dense.contains(";seal="));
        for value in [field.value.replace('\n', ""), dense] {
            assert_eq!(check_seal(&value, &[b"key"]), SealedBy::Ours, "{value}");
            assert_eq!(check_seal(&value, &[b"other"]), SealedBy::Foreign, "{value}");
            assert_eq!(parse_undo(&value), Some(Undo::Inline(b"recipe".to_vec())), "{value}");
        }
    }

    #[test]
    fn a_message_that_was_not_edited_is_told_from_one_that_was_not_filtered() {
        let unedited = |head: &str| is_unedited(head.as_bytes());
        assert!(unedited("X-Linkmilter: v=1; by=a; verdict=ok; links=1;\r\n edited=0\r\n"));
        assert!(!unedited("X-Linkmilter: v=1; by=a; links=1; edited=1; undo=lost\r\n"));
        assert!(!unedited("Subject: edited=0\r\n"));
        let tagged = "X-Linkmilter: v=1; by=a; links=1; edited=0; marked=yes;\r\n undo=lost\r\n";
        assert!(!unedited(tagged), "there is a tag that nothing takes off");
        assert!(is_undo_lost(tagged.as_bytes()) && !is_undo_lost(b"X-Linkmilter: edited=0\r\n"));
    }
}
