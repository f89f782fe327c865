//! Finds the fields of a raw header (RFC 5322 §2.2).

/// The value of the first field of that name. The name is compared without case.
pub fn field<'h>(head: &'h [u8], name: &str) -> Option<&'h [u8]> {
    named(head, &[name]).next().map(|(_, value)| value)
}

/// Names and values of the fields with these names, compared without case. Most fields have other names: a
/// line that begins with another letter is skipped without being parsed.
pub fn named<'h>(head: &'h [u8], names: &[&str]) -> impl Iterator<Item = (&'h [u8], &'h [u8])> {
    let mut rest = head;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let here = rest;
            let end = memchr::memchr(b'\n', here).map_or(here.len(), |end| end + 1);
            rest = here.get(end..).unwrap_or_default();
            let may_match = |name: &&str| here.first().map(u8::to_ascii_lowercase) == first(name);
            if !names.iter().any(may_match) {
                continue;
            }
            let (name, value) = fields(here).next()?;
            if names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())) {
                return Some((name, value));
            }
        }
        None
    })
}

fn first(name: &str) -> Option<u8> {
    name.as_bytes().first().map(u8::to_ascii_lowercase)
}

/// Names and values of the fields; values include their folds.
pub fn fields(head: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = head;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (field, after) = rest.split_at(field_length(rest));
        rest = after;
        let colon = field.iter().position(|&byte| byte == b':').unwrap_or(field.len());
        let (name, value) = field.split_at(colon);
        Some((name.trim_ascii_end(), value.get(1..).unwrap_or_default()))
    })
}

/// Bytes up to the first line end that is not followed by a fold.
fn field_length(head: &[u8]) -> usize {
    let mut at = 0;
    while let Some(end) = memchr::memchr(b'\n', head.get(at..).unwrap_or_default()) {
        at += end + 1;
        if !matches!(head.get(at), Some(b' ' | b'\t')) {
            return at;
        }
    }
    head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_belong_to_their_field() {
        let head = b"A: 1\r\nB : 2\r\n\tfold: x\r\nC:\r\nno colon\r\n";
        let found: Vec<(&[u8], &[u8])> = fields(head).collect();
        let expected: Vec<(&[u8], &[u8])> = vec![
            (b"A", b" 1\r\n"),
            (b"B", b" 2\r\n\tfold: x\r\n"),
            (b"C", b"\r\n"),
            (b"no colon", b""),
        ];
        assert_eq!(found, expected);
        let named: Vec<_> = named(head, &["b", "No", "C"]).collect();
        assert_eq!(named, expected[1..3]);
        assert_eq!(field(b" A: 0\r\nA\r\n : 1\r\nAB: 2", "a"), Some(&b" 1\r\n"[..]));
    }
}
