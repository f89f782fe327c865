//! Tells data from text by its first bytes.

/// Kinds of controls, and of bytes from 0x80 to 0x9F that are not UTF-8, from which bytes are data. Packed data has
/// about thirty of each in a KiB; text has none, and nobody sees a few controls in it.
const DATA_KINDS: u32 = 12;

/// Data that is not packed has at least one 0xFF in so many bytes, which fill what is free in an OLE file.
const BYTES_PER_FILLER: usize = 8;

/// Whether bytes look like no text to anybody: a reader of a lure would see that something is broken.
pub(super) fn is_data(opening: &[u8]) -> bool {
    let (mut controls, mut undecoded, mut filler) = (0_u32, 0_u32, 0_usize);
    for chunk in opening.utf8_chunks() {
        for byte in chunk.valid().bytes().filter(|byte| *byte < b' ') {
            controls |= 1 << byte;
        }
        for byte in chunk.invalid() {
            match byte {
                0x80..=0x9F => undecoded |= 1 << (byte - 0x80),
                0xFF => filler += 1,
                _ => {}
            }
        }
    }
    controls.count_ones().min(undecoded.count_ones()) >= DATA_KINDS
        || filler > 0 && filler * BYTES_PER_FILLER >= opening.len()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Bytes like those of packed data.
    pub(in super::super) fn packed() -> Vec<u8> {
        (0..1_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    }

    #[test]
    fn a_text_is_no_data_for_a_few_bytes() {
        assert!(is_data(&packed()));
        let controls: Vec<u8> = (0..32).collect();
        let (letters, _, _) = encoding_rs::WINDOWS_1251.encode("Здравствуйте, я пришёл. Ещё я.");
        for text in [&letters, "Здравствуйте, я пришёл.".as_bytes(), b"hello\x7F", b""]
        {
            assert!(!is_data(text) && !is_data(&[&controls, text].concat()), "{text:?}");
        }
    }
}
