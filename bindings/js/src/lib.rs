//! The module of wasm below the npm package. It speaks in plain objects; `package/api.js` gives them the
//! shape that its users see.

use bindings_core::{Found, Take, Unit};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Whether the text may hold a link at all.
#[wasm_bindgen]
pub fn pretest(text: &str) -> bool {
    bindings_core::pretest(text)
}

#[cfg(not(feature = "judge"))]
mod plain {
    use super::{Array, Unit, object, take, wasm_bindgen};

    /// The links of a text, or only the first, of one that begins with a link.
    #[wasm_bindgen]
    pub fn links(text: &str, at_start: bool) -> Array {
        bindings_core::links(text, Unit::Utf16, take(at_start)).iter().map(object).collect()
    }

    /// The text as HTML.
    #[wasm_bindgen]
    pub fn linkify(text: &str) -> String {
        bindings_core::linkify(text)
    }

    /// Whether there is a link that `linkify` makes an anchor of.
    #[wasm_bindgen]
    pub fn test(text: &str) -> bool {
        bindings_core::test(text)
    }
}

#[cfg(feature = "judge")]
mod judging {
    use std::sync::{PoisonError, RwLock};

    use bindings_core::{BUILTIN, Judged, Names, judged_linkify, judged_links, with_known};

    use super::{Array, JsValue, Object, Take, Unit, object, or_null, set, take, wasm_bindgen};

    /// The names that a page set, if any.
    static NAMES: RwLock<Option<Names>> = RwLock::new(None);

    fn with_names<T>(act: impl FnOnce(&Names) -> T) -> T {
        let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
        act(names.as_ref().unwrap_or(&BUILTIN))
    }

    /// Takes a list of names that readers know, in place of the one before. What is wrong with it, if anything: it
    /// is not taken then.
    #[wasm_bindgen]
    pub fn know(list: &str) -> Array {
        match with_known(list) {
            Ok(names) => {
                *NAMES.write().unwrap_or_else(PoisonError::into_inner) = Some(names);
                Array::new()
            }
            Err(bad) => words(bad.iter().map(String::as_str)),
        }
    }

    /// The links of a text, or only the first, of one that begins with a link; judged.
    #[wasm_bindgen]
    pub fn links(text: &str, at_start: bool) -> Array {
        let links = with_names(|names| judged_links(text, Unit::Utf16, take(at_start), names));
        links.iter().map(|(found, judged)| with_judgement(object(found), judged)).collect()
    }

    /// The text as HTML; no anchor where something may deceive.
    #[wasm_bindgen]
    pub fn linkify(text: &str) -> String {
        with_names(|names| judged_linkify(text, &[], names))
    }

    /// Whether there is a link that `linkify` makes an anchor of.
    #[wasm_bindgen]
    pub fn test(text: &str) -> bool {
        with_names(|names| judged_links(text, Unit::Utf16, Take::All, names))
            .iter()
            .any(|(found, _)| found.linked)
    }

    /// Judges a host, a URL or a mail address.
    #[wasm_bindgen]
    pub fn check(target: &str) -> Object {
        let judged = with_names(|names| bindings_core::check(target, names));
        let object = with_judgement(Object::new(), &judged);
        set(&object, "ascii", judged.ascii);
        set(&object, "unicode", judged.unicode);
        object
    }

    fn with_judgement(object: Object, judged: &Judged) -> Object {
        set(&object, "verdict", judged.verdict);
        set(&object, "reasons", words(judged.reasons.iter().copied()));
        set(&object, "target", or_null(judged.target.as_ref()));
        set(&object, "words", words(judged.words.iter().map(String::as_str)));
        object
    }

    fn words<'a>(words: impl Iterator<Item = &'a str>) -> Array {
        words.map(JsValue::from_str).collect()
    }
}

fn take(at_start: bool) -> Take {
    match at_start {
        true => Take::AtStart,
        false => Take::All,
    }
}

fn object(found: &Found) -> Object {
    let object = Object::new();
    // Both are at most the length of a string of JavaScript, far below 2^53.
    set(&object, "start", found.start as f64);
    set(&object, "end", found.end as f64);
    set(&object, "kind", found.kind);
    set(&object, "schema", found.schema.as_str());
    set(&object, "host", found.host.as_str());
    set(&object, "ascii", or_null(found.ascii.as_ref()));
    set(&object, "unicode", or_null(found.unicode.as_ref()));
    set(&object, "href", or_null(found.href.as_ref()));
    set(&object, "linked", found.linked);
    object
}

fn set(object: &Object, field: &str, value: impl Into<JsValue>) {
    // A plain object takes any field.
    let _ = Reflect::set(object, &field.into(), &value.into());
}

/// What is absent is `null`, not `undefined`: the field is there.
fn or_null(value: Option<&String>) -> JsValue {
    value.map_or(JsValue::NULL, |value| value.into())
}
