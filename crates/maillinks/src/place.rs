//! Where in a message a link is.

use std::borrow::Cow;
use std::fmt;

/// Where in a message a link is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Running text of a text part.
    Text,
    /// Visible text of an HTML part.
    HtmlText,
    /// An attribute of an HTML element, both names in lower case.
    Attribute {
        /// Name of the element, in lower case.
        element: Cow<'static, str>,
        /// Name of the attribute, in lower case.
        attribute: Cow<'static, str>,
    },
    /// CSS inside `<style>` or a `style` attribute.
    Style,
    /// A property of a calendar part, in upper case.
    Calendar(String),
    /// A header field, its name as in the message.
    Header(String),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text => out.write_str("text"),
            Place::HtmlText => out.write_str("html-text"),
            Place::Attribute { element, attribute } => write!(out, "{element}[{attribute}]"),
            Place::Style => out.write_str("style"),
            Place::Calendar(property) => write!(out, "calendar:{property}"),
            Place::Header(name) => write!(out, "header:{name}"),
        }
    }
}
