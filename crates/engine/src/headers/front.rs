//! The front of a header that has more fields than anybody reads.

use mailsplice::splice::fields::HeaderField;

/// Fields of a header that are read: each takes some hundred bytes of memory, however short it is. Real mail has
/// a few hundred at most.
const FIELDS: usize = 10_000;

/// The front of a header that has more fields than [`FIELDS`], and those in it.
pub(super) fn front<'h>(
    head: &'h [u8],
    agreed: Option<&'h [HeaderField]>,
) -> Option<(&'h [u8], Option<&'h [HeaderField]>)> {
    let end = match agreed {
        Some(fields) => fields.get(FIELDS)?.line.start,
        None => {
            let begins = |end: &usize| !matches!(head.get(end + 1), Some(b' ' | b'\t' | b'\n'));
            memchr::memchr2_iter(b'\r', b'\n', head).filter(begins).nth(FIELDS - 1)? + 1
        }
    };
    let front = head.get(..end).filter(|front| front.len() < head.len())?;
    Some((front, agreed.and_then(|fields| fields.get(..FIELDS))))
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
                assert_eq!(front(most.as_bytes(), some), None, "{field:?}");
                let cut = front(over.as_bytes(), all);
                assert_eq!(cut, Some((most.as_bytes(), some)), "{field:?} {agree}");
            }
        }
    }
}
