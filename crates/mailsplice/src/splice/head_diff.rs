//! The edits that turn the current header into the original: a filter can ask an MTA only for such edits.

use std::collections::BTreeMap;

use super::fields::header_fields;
use crate::edit::HeadEdit;

/// The edits that turn the fields of `now` into those of `before`: for each name the same values in the
/// same order. If `now` has more fields of a name, the last ones are deleted. The order of fields with
/// different names is not changed; no signature depends on it (RFC 6376 §5.4.2).
///
/// A field that `now` lacks is not added again: a filter removes only its own fields.
pub fn changed_fields(now: &[u8], before: &[u8]) -> Vec<HeadEdit> {
    let mut wanted: BTreeMap<Vec<u8>, Vec<&[u8]>> = BTreeMap::new();
    for field in header_fields(before) {
        let value = before.get(field.value.clone()).unwrap_or_default();
        wanted.entry(field.name(before).to_ascii_lowercase()).or_default().push(value);
    }
    let mut seen: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut edits = Vec::new();
    for field in header_fields(now) {
        let name = field.name(now).to_ascii_lowercase();
        let index = seen.entry(name.clone()).or_default();
        let value = wanted.get(&name).and_then(|values| values.get(*index)).copied();
        *index += 1;
        if value == now.get(field.value.clone()) {
            continue;
        }
        edits.push(field.edit(now, *index, value.map_or_else(Vec::new, non_empty)));
    }
    edits
}

/// A value that keeps the field: an empty one would remove it.
fn non_empty(value: &[u8]) -> Vec<u8> {
    if value.is_empty() { b" ".to_vec() } else { value.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice::apply_head;

    #[test]
    fn the_header_becomes_what_it_was() {
        let now = b"X-Linkmilter: v=1\r\nReceived: b\r\nSubject: [tag] one\r\n two\r\nX-Linkmilter-Undo: v=1;\r\n z=A\r\n\
            Received: a\r\nTo: x\r\nContent-Transfer-Encoding: quoted-printable\r\n";
        let before = b"Received: b\r\nSubject: one\r\n two\r\nReceived: a\r\nTo: x\r\n";
        let edits = changed_fields(now, before);
        assert_eq!(apply_head(now, &edits), before);
        assert_eq!(changed_fields(before, before), []);
    }

    #[test]
    fn an_empty_value_stays_a_field() {
        let edits = changed_fields(b"Subject: [tag]\r\nTo: x\r\n", b"Subject:\r\nTo: x\r\n");
        assert_eq!(apply_head(b"Subject: [tag]\r\nTo: x\r\n", &edits), b"Subject: \r\nTo: x\r\n");
    }

    #[test]
    fn of_several_the_last_goes_and_values_keep_their_order() {
        let now = b"A: 1\r\nB: x\r\nA: 2\r\nA: 3\r\n";
        let before = b"A: 1\r\nB: x\r\nA: 3\r\n";
        assert_eq!(apply_head(now, &changed_fields(now, before)), b"A: 1\r\nB: x\r\nA: 3\r\n");
    }
}
