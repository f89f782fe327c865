//! The fields of a message that the daemon asks for by name.

use crate::engine::splice::fields::header_fields;

/// The value of the first field of that name. The name is compared without case.
pub fn field<'h>(head: &'h [u8], name: &str) -> Option<&'h [u8]> {
    fields(head)
        .find(|(found, _)| found.eq_ignore_ascii_case(name.as_bytes()))
        .map(|(_, value)| value)
}

/// Names and values of the fields; values include their folds.
pub fn fields(head: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    header_fields(head)
        .map(|field| (field.name(head), head.get(field.value.clone()).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        assert_eq!(field(b" A: 0\r\nA\r\n : 1\r\nAB: 2", "a"), Some(&b" 1"[..]));
    }
}
