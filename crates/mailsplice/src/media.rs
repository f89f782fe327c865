//! What a part holds, as a client would treat it.

/// What a leaf part holds, as a client would treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// text/plain, and every other inline text.
    Plain,
    /// text/plain; format=flowed (RFC 3676).
    Flowed {
        /// Whether a space before a soft line end goes away with it (RFC 3676 §4.2).
        delsp: bool,
    },
    /// text/html and its like, XHTML and SVG among them.
    Html,
    /// text/calendar (RFC 5545), and what has its syntax.
    Calendar,
    /// Not text: images, archives, office formats.
    Opaque,
    /// Not text and nothing in it to read: images, sound.
    Inert,
}
