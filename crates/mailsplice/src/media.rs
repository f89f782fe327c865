//! What a part holds, as a client would treat it.

/// What a leaf part holds, as a client would treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// text/plain, and every other inline text.
    Plain,
    /// text/plain; format=flowed (RFC 3676).
    Flowed {
        delsp: bool,
    },
    Html,
    Calendar,
    /// Not text: images, archives, office formats.
    Opaque,
    /// Not text and nothing in it to read: images, sound.
    Inert,
}
