//! What a header says of its body, in every way that a client may take it.

use super::header::{self, ContentType, Label};
use super::sniff;
use super::transfer::Transfer;

/// What a header says of its body.
#[derive(Clone)]
pub(super) struct Labels {
    /// The readings of Content-Type, the one most clients take first. Never empty.
    pub types: Vec<ContentType>,
    pub transfers: Vec<Transfer>,
    pub disposition: ContentType,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DefaultType {
    #[default]
    Text,
    /// In multipart/digest.
    Message,
}

impl Labels {
    /// Reads a header block: the first field of a name counts, the second is another reading.
    pub fn of(block: &[u8], default_type: DefaultType) -> Labels {
        let mut types: Vec<ContentType> = Vec::new();
        let mut transfers: Vec<Transfer> = Vec::new();
        let mut disposition = None;
        let [mut type_fields, mut transfer_fields] = [0; 2];
        for (name, value) in header::labels(block) {
            match name {
                Label::Type if type_fields < 2 => {
                    type_fields += 1;
                    let readings = ContentType::parse(&value);
                    // No subtype, no valid type (RFC 2045 §5.2): text to some, a multipart to others.
                    if readings
                        .first()
                        .is_some_and(|r| r.kind == "multipart" && r.subtype.is_empty())
                    {
                        distinct(&mut types, ContentType::parse(b"text/plain"));
                    }
                    distinct(&mut types, readings);
                }
                Label::Transfer if transfer_fields < 2 => {
                    transfer_fields += 1;
                    distinct(&mut transfers, transfer_readings(&String::from_utf8_lossy(&value)));
                }
                Label::Disposition if disposition.is_none() => {
                    disposition = ContentType::parse(&value).pop();
                }
                _ => {}
            }
        }
        if types.is_empty() {
            let kind = match default_type {
                DefaultType::Text => "text/plain",
                DefaultType::Message => "message/rfc822",
            };
            types.extend(ContentType::parse(kind.as_bytes()));
        }
        if transfers.is_empty() {
            transfers.push(Transfer::Identity);
        }
        Labels { types, transfers, disposition: disposition.unwrap_or_default() }
    }
}

/// The encodings that clients take a label for, the usual one first.
fn transfer_readings(label: &str) -> Vec<Transfer> {
    let mut found = vec![Transfer::from_label(label).unwrap_or_default()];
    // A label with a tail: clients that compare it whole read the bytes as they are.
    if label.trim().contains(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        found.push(Transfer::Identity);
    }
    found
}

fn distinct<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !known.contains(&item) {
            known.push(item);
        }
    }
}

impl Labels {
    /// message/rfc822 and its kin.
    pub fn is_message(&self) -> bool {
        self.types.first().is_some_and(sniff::is_message)
    }

    pub fn transfer(&self) -> Transfer {
        self.transfers.first().copied().unwrap_or_default()
    }
}

/// What makes two readings of a label differ.
pub(super) fn label_key(label: &ContentType) -> [Vec<u8>; 4] {
    let parameter = |name| label.parameter_bytes(name).unwrap_or_default().to_vec();
    let [kind, subtype] = [&label.kind, &label.subtype].map(|word| word.clone().into_bytes());
    [kind, subtype, parameter("boundary"), parameter("charset")]
}
