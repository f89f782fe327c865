//! The kind of content of a part, as a client would treat it.

/// The kind of content of a leaf part, as a client would treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// text/plain, and every other inline text.
    Plain,
    /// text/plain; format=flowed (RFC 3676).
    Flowed {
        /// Whether a space before a soft line end is deleted with it (RFC 3676 §4.2).
        delsp: bool,
    },
    /// text/html and similar types, including XHTML and SVG.
    Html,
    /// XML that no program shows as a page: its elements are fields of data.
    Xml,
    /// text/calendar (RFC 5545), and formats with the same syntax.
    Calendar,
    /// Not text: images, archives, office formats.
    Opaque,
    /// Not text and nothing to read inside: images, sound.
    Inert,
}

impl Media {
    /// Whether tags in it are markup.
    pub fn is_markup(self) -> bool {
        matches!(self, Media::Html | Media::Xml)
    }
}
