use super::*;

#[test]
fn charsets_of_one_byte_decode_as_byte_by_byte() {
    for label in ["windows-1252", "windows-1251", "koi8-u", "iso-8859-8", "windows-874", "ibm866"] {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        let all: Vec<u8> = (1..=255).collect();
        // With all bytes above ASCII, and with a few.
        for bytes in all.chunks(60).chain([all.as_slice()]) {
            let apart: String = bytes
                .iter()
                .map(|byte| encoding.decode_without_bom_handling(&[*byte]).0.into_owned())
                .collect();
            assert_eq!(single::single_byte(bytes, encoding).as_str(), apart, "{label}");
        }
    }
}
