//! The native module below the Python package.

use std::borrow::Cow;

use bindings_core::{BUILTIN, Found, Judged, Unit};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A link of a text, judged. Offsets count code points, as those of a slice.
#[pyclass(frozen, get_all, module = "uts58")]
struct Link {
    start: usize,
    end: usize,
    text: Py<PyString>,
    kind: &'static str,
    host: String,
    ascii: Option<String>,
    unicode: Option<String>,
    href: Option<String>,
    linked: bool,
    verdict: &'static str,
    reasons: Vec<&'static str>,
    target: Option<String>,
}

#[pymethods]
impl Link {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text.bind(py).repr()?;
        Ok(format!("<Link {text} {}:{} {}>", self.start, self.end, self.verdict))
    }
}

/// What was found of a host, a URL or a mail address.
#[pyclass(frozen, get_all, module = "uts58")]
struct Check {
    verdict: &'static str,
    reasons: Vec<&'static str>,
    ascii: String,
    unicode: String,
    target: Option<String>,
    words: Vec<String>,
}

#[pymethods]
impl Check {
    fn __repr__(&self) -> String {
        format!("<Check {} {}>", self.ascii, self.verdict)
    }
}

/// Every link and mail address of a text, in order, judged.
#[pyfunction]
fn links(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Vec<Link>> {
    let readable = readable(text)?.into_owned();
    let found = py.detach(|| bindings_core::judged_links(&readable, Unit::CodePoint, &BUILTIN));
    found.into_iter().map(|(found, judged)| link(text, found, judged)).collect()
}

fn link(text: &Bound<'_, PyString>, found: Found, judged: Judged) -> PyResult<Link> {
    let Found { start, end, kind, host, ascii, unicode, href, linked, .. } = found;
    let Judged { verdict, reasons, target, .. } = judged;
    // Sliced by Python, so that it is what stands there, surrogates too.
    let sliced =
        text.get_item(pyo3::types::PySlice::new(text.py(), start as isize, end as isize, 1))?;
    let text = sliced.cast_into::<PyString>()?.unbind();
    Ok(Link {
        start,
        end,
        text,
        kind,
        host,
        ascii,
        unicode,
        href,
        linked,
        verdict,
        reasons,
        target,
    })
}

/// The text as HTML with anchors.
#[pyfunction]
#[pyo3(signature = (text, exceptions = None))]
fn linkify(
    py: Python<'_>,
    text: &Bound<'_, PyString>,
    exceptions: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let exceptions = match exceptions {
        // Its characters would be the exceptions.
        Some(one) if one.is_instance_of::<PyString>() => {
            return Err(PyTypeError::new_err("expected an iterable of strings, found a string"));
        }
        Some(exceptions) => {
            exceptions.try_iter()?.map(|one| one?.extract()).collect::<PyResult<Vec<String>>>()?
        }
        None => Vec::new(),
    };
    let text = readable(text)?.into_owned();
    Ok(py.detach(|| bindings_core::judged_linkify(&text, &exceptions, &BUILTIN)))
}

/// Judges a host, a URL or a mail address.
#[pyfunction]
fn check(target: &Bound<'_, PyString>) -> PyResult<Check> {
    let Judged { verdict, reasons, ascii, unicode, target, words } =
        bindings_core::check(&readable(target)?, &BUILTIN);
    Ok(Check { verdict, reasons, ascii, unicode, target, words })
}

/// The text in UTF-8. A lone surrogate, which has no UTF-8, is one U+FFFD, so that code points keep their
/// places.
fn readable<'t>(text: &'t Bound<'_, PyString>) -> PyResult<Cow<'t, str>> {
    if let Ok(text) = text.to_cow() {
        return Ok(text);
    }
    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // The first byte of a surrogate is ED, the two behind it stand by themselves.
        if chunk.invalid().first() == Some(&0xED) {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    Ok(Cow::Owned(text))
}

/// The module.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Check, Link, check, linkify, links};
}
