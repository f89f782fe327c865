//! The native module below the Python package.

use std::borrow::Cow;

use bindings_core::{BUILTIN, Found, Judged, Take, Unit};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A link of a text, judged. Offsets count code points, as those of a slice.
#[pyclass(frozen, get_all, module = "uts58")]
struct Link {
    start: usize,
    end: usize,
    text: Py<PyString>,
    kind: String,
    host: String,
    ascii: Option<String>,
    unicode: Option<String>,
    href: Option<String>,
    linked: bool,
    verdict: String,
    reasons: Vec<String>,
    target: Option<String>,
}

/// All that a link is, in the order of its fields.
type LinkParts = (
    usize,
    usize,
    Py<PyString>,
    String,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    bool,
    String,
    Vec<String>,
    Option<String>,
);

#[pymethods]
impl Link {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text.bind(py).repr()?;
        Ok(format!("<Link {text} {}:{} {}>", self.start, self.end, self.verdict))
    }

    fn __eq__(&self, py: Python<'_>, other: &Link) -> PyResult<bool> {
        self.parts(py).into_pyobject(py)?.eq(other.parts(py))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.start, self.end, self.text.clone_ref(py)).into_pyobject(py)?.hash()
    }

    /// For `pickle`, which takes values to other processes, and `copy`.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (LinkParts,))> {
        Ok((maker(py, "_link")?, (self.parts(py),)))
    }
}

impl Link {
    fn parts(&self, py: Python<'_>) -> LinkParts {
        (
            self.start,
            self.end,
            self.text.clone_ref(py),
            self.kind.clone(),
            self.host.clone(),
            self.ascii.clone(),
            self.unicode.clone(),
            self.href.clone(),
            self.linked,
            self.verdict.clone(),
            self.reasons.clone(),
            self.target.clone(),
        )
    }
}

/// The link of these parts.
#[pyfunction]
fn _link(parts: LinkParts) -> Link {
    let (start, end, text, kind, host, ascii, unicode, href, linked, verdict, reasons, target) =
        parts;
    Link { start, end, text, kind, host, ascii, unicode, href, linked, verdict, reasons, target }
}

/// What was found of a host, a URL or a mail address.
#[pyclass(frozen, get_all, eq, hash, module = "uts58")]
#[derive(PartialEq, Eq, Hash)]
struct Check {
    verdict: String,
    reasons: Vec<String>,
    ascii: String,
    unicode: String,
    target: Option<String>,
    words: Vec<String>,
}

/// All that a judgement is, in the order of its fields.
type CheckParts = (String, Vec<String>, String, String, Option<String>, Vec<String>);

#[pymethods]
impl Check {
    fn __repr__(&self) -> String {
        format!("<Check {} {}>", self.ascii, self.verdict)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (CheckParts,))> {
        let parts = (
            self.verdict.clone(),
            self.reasons.clone(),
            self.ascii.clone(),
            self.unicode.clone(),
            self.target.clone(),
            self.words.clone(),
        );
        Ok((maker(py, "_check")?, (parts,)))
    }
}

/// The judgement of these parts.
#[pyfunction]
fn _check(parts: CheckParts) -> Check {
    let (verdict, reasons, ascii, unicode, target, words) = parts;
    Check { verdict, reasons, ascii, unicode, target, words }
}

/// The function of this module that makes a value of its parts.
fn maker<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("uts58._native")?.getattr(name)
}

fn owned(words: Vec<&str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// Every link and mail address of a text, in order, judged.
#[pyfunction]
fn links(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Vec<Link>> {
    let readable = readable(text)?.into_owned();
    let found =
        py.detach(|| bindings_core::judged_links(&readable, Unit::CodePoint, Take::All, &BUILTIN));
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
        kind: kind.to_owned(),
        host,
        ascii,
        unicode,
        href,
        linked,
        verdict: verdict.to_owned(),
        reasons: owned(reasons),
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
            let text = |one: PyResult<Bound<'_, PyAny>>| {
                Ok(readable(one?.cast::<PyString>()?)?.into_owned())
            };
            exceptions.try_iter()?.map(text).collect::<PyResult<Vec<String>>>()?
        }
        None => Vec::new(),
    };
    let text = readable(text)?.into_owned();
    Ok(py.detach(|| bindings_core::judged_linkify(&text, &exceptions, &BUILTIN)))
}

/// Judges a host, a URL or a mail address.
#[pyfunction]
fn check(py: Python<'_>, target: &Bound<'_, PyString>) -> PyResult<Check> {
    let target = readable(target)?.into_owned();
    let Judged { verdict, reasons, ascii, unicode, target, words } =
        py.detach(|| bindings_core::check(&target, &BUILTIN));
    let (verdict, reasons) = (verdict.to_owned(), owned(reasons));
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
    use super::{_check, _link, Check, Link, check, linkify, links};
}
