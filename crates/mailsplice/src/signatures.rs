//! Signatures of mail that an edit may break.

use std::fmt;

/// Who signs, and how: each kind has verifiers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Signature {
    /// DomainKeys Identified Mail (RFC 6376).
    Dkim,
    /// The message signature of a chain of receivers (RFC 8617 §4.1.2).
    Arc,
    /// multipart/signed of S/MIME (RFC 8551 §3.5.3).
    Smime,
    /// multipart/signed of OpenPGP (RFC 3156 §5).
    PgpMime,
    /// A cleartext signature of OpenPGP (RFC 9580 §7).
    PgpInline,
    /// multipart/signed of a protocol that is not known.
    Multipart,
}

impl Signature {
    const ALL: [Signature; 6] = [
        Signature::Dkim,
        Signature::Arc,
        Signature::Smime,
        Signature::PgpMime,
        Signature::PgpInline,
        Signature::Multipart,
    ];

    /// The word in header fields, log and journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Signature::Dkim => "dkim",
            Signature::Arc => "arc",
            Signature::Smime => "smime",
            Signature::PgpMime => "pgp-mime",
            Signature::PgpInline => "pgp-inline",
            Signature::Multipart => "multipart",
        }
    }

    /// The kind of a multipart/signed, by its parameter `protocol` (RFC 1847 §2.1).
    pub(crate) fn of_protocol(protocol: Option<&str>) -> Signature {
        let protocol = protocol.unwrap_or_default().trim().to_ascii_lowercase();
        match protocol.as_str() {
            "application/pkcs7-signature" | "application/x-pkcs7-signature" => Signature::Smime,
            "application/pgp-signature" => Signature::PgpMime,
            _ => Signature::Multipart,
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A set of kinds of signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signatures(u8);

impl Signatures {
    /// Adds a kind.
    pub fn insert(&mut self, signature: Signature) {
        self.0 |= 1 << signature as u8;
    }

    /// Whether a kind is in it.
    pub const fn contains(self, signature: Signature) -> bool {
        self.0 & 1 << signature as u8 != 0
    }

    /// Whether no kind is in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds, those of the message as a whole first.
    pub fn iter(self) -> impl Iterator<Item = Signature> {
        Signature::ALL.into_iter().filter(move |signature| self.contains(*signature))
    }
}

impl FromIterator<Signature> for Signatures {
    fn from_iter<I: IntoIterator<Item = Signature>>(kinds: I) -> Signatures {
        let mut all = Signatures::default();
        kinds.into_iter().for_each(|kind| all.insert(kind));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_each_kind_once() {
        assert!(Signatures::default().is_empty());
        let mut set = Signatures::from_iter([Signature::Multipart, Signature::Dkim]);
        set.insert(Signature::Dkim);
        assert_eq!(set.iter().map(Signature::as_str).collect::<Vec<_>>(), ["dkim", "multipart"]);
        let all = Signatures::from_iter(Signature::ALL);
        assert!(all.iter().eq(Signature::ALL));
    }
}
