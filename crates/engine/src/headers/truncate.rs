//! Cuts a header that has too many fields or addresses.

use mailsplice::splice::fields::HeaderField;

/// Maximum number of fields of a header that are read: each takes some hundred bytes of memory, however short it is.
/// Real mail has a few hundred at most.
const FIELDS: usize = 10_000;

/// Maximum number of separators of addresses in a header: each address takes some fifty bytes of memory, and each
/// separator may have one. No server takes a header with as many.
const ADDRESSES: usize = 100_000;

/// The beginning of a header that has more than [`FIELDS`] or [`ADDRESSES`], and the fields in it.
pub(super) fn truncated<'h>(
    head: &'h [u8],
    agreed_fields: Option<&'h [HeaderField]>,
) -> Option<(&'h [u8], Option<&'h [HeaderField]>)> {
    // A header of fewer bytes has fewer: most need no search.
    let listed =
        head.get(ADDRESSES..).and_then(|_| memchr::memchr2_iter(b',', b';', head).nth(ADDRESSES));
    let (end, fields) = match agreed_fields {
        Some(fields) => {
            let whole = |at| fields.partition_point(|field| field.line.end <= at);
            let most = listed.map_or(FIELDS, whole).min(FIELDS);
            (fields.get(most)?.line.start, fields.get(..most))
        }
        None => {
            let begins = |end: &usize| !matches!(head.get(end + 1), Some(b' ' | b'\t' | b'\n'));
            let ends = memchr::memchr2_iter(b'\r', b'\n', head).filter(begins);
            let end = ends.map(|end| end + 1).nth(FIELDS - 1);
            (end.into_iter().chain(listed).min()?, None)
        }
    };
    let beginning = head.get(..end).filter(|beginning| beginning.len() < head.len())?;
    Some((beginning, fields))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailsplice::splice::fields::header_fields;

    #[test]
    fn fields_of_a_header_are_bounded() {
        for field in ["To:g\r\n", "To:g\n", "To:g\r\n h\r\n", "To:g\n\th\n"] {
            let most = field.repeat(FIELDS);
            let over = field.repeat(FIELDS + 1);
            for agree in [true, false] {
                let fields: Vec<_> = header_fields(over.as_bytes()).collect();
                let [all, some] = [&fields[..], &fields[..FIELDS]].map(|f| agree.then_some(f));
                assert_eq!(truncated(most.as_bytes(), some), None, "{field:?}");
                let cut = truncated(over.as_bytes(), all);
                assert_eq!(cut, Some((most.as_bytes(), some)), "{field:?} {agree}");
            }
        }
    }

    #[test]
    fn lists_of_a_header_are_bounded() {
        for sign in [",", ";"] {
            let head = |signs: usize| format!("From: a\r\nTo: {}\r\nCc: b\r\n", sign.repeat(signs));
            let (most, over) = (head(ADDRESSES), head(ADDRESSES + 1));
            let fields: Vec<_> = header_fields(over.as_bytes()).collect();
            assert_eq!(truncated(most.as_bytes(), None), None);
            assert_eq!(truncated(most.as_bytes(), Some(&fields)), None);
            let cut = truncated(over.as_bytes(), Some(&fields));
            assert_eq!(cut, Some((&b"From: a\r\n"[..], Some(&fields[..1]))));
            let (cut, fields) = truncated(over.as_bytes(), None).unwrap();
            assert_eq!((cut, fields), (&most.as_bytes()[..most.len() - 9], None));
        }
    }
}
