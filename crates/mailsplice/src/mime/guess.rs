//! Guesses the charset of unlabelled bytes, like the detectors of mail programs.

use super::charset::Charset;
use super::header::line_after;

/// A guess at the charset of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Guess {
    pub charsets: Vec<Charset>,
    /// Bytes that the detector read.
    pub detected: usize,
}

/// Fewer bytes outside ASCII than this are too few to guess the charset of a text.
const LETTERS: usize = 16;

/// Bytes that are tested together.
const BLOCK: usize = 64;

/// Most bytes between the start of a link and a letter of its host.
pub(super) const HOST: usize = 253;

/// The bytes that are not UTF-8 and follow the start of a link in the same word. There a guess is used even if
/// it is uncertain.
fn bytes_of_links(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let mut end = 0;
    let odd = bytes.utf8_chunks().filter_map(move |chunk| {
        let at = end + chunk.valid().len();
        end = at + chunk.invalid().len();
        (end > at).then_some((at, chunk.invalid()))
    });
    let announced = move |at: usize| {
        let before = bytes.get(at.saturating_sub(HOST)..at).unwrap_or_default();
        let word = before.rsplit(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        let www = |four: &[u8]| four.eq_ignore_ascii_case(b"www.");
        memchr::memchr3(b':', b'@', b'\\', word).is_some()
            || memchr::memmem::find(word, b"//").is_some()
            || word.windows(4).any(www)
    };
    odd.take(LETTERS).filter(move |(at, _)| announced(*at)).flat_map(|(_, odd)| odd).copied()
}

/// Bytes of lines outside ASCII in which letters are looked for.
const SEARCHED: usize = 8 << 10;

/// Bytes that the detector is given, letters outside ASCII and what is near them. Of 36 real texts that have more, none
/// is guessed differently from all it has in [`SEARCHED`] bytes.
pub const DETECTED: usize = 2 << 10;

/// The number of parts, from the first, for which the detector is given [`DETECTED`] bytes.
pub const DETECTED_PARTS: usize = 4;

/// Bytes that it is given of each further part: digests of unlabelled mail have many parts. Of 178 real texts that have
/// more, two are guessed differently.
pub const DETECTED_FURTHER: usize = 512;

/// Bytes that the detector is given of a part; the first part is 0.
pub(super) fn detection_bytes(part: usize) -> usize {
    if part < DETECTED_PARTS { DETECTED } else { DETECTED_FURTHER }
}

/// Bytes of ASCII beside a letter outside it that the detector is given: it compares neighbours, and looks a few bytes
/// around signs (`3º`, `n.º 1`).
const BESIDE: usize = 8;

/// A line without the middle of its long stretches of ASCII, of which the detector learns nothing.
fn near_letters(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let letters = rest.iter().take_while(|byte| !byte.is_ascii()).count();
        let ascii = rest.get(letters..)?.iter().take_while(|byte| byte.is_ascii()).count();
        let (given, skipped) = match ascii > 2 * BESIDE {
            true => (letters + BESIDE, ascii - 2 * BESIDE),
            false => (letters + ascii, 0),
        };
        let (stretch, after) = rest.split_at_checked(given)?;
        rest = after.get(skipped..)?;
        Some(stretch)
    })
}

/// Guesses the charset of unlabelled bytes: by chardetng, like Firefox and Thunderbird; and IBM866, like mbstring, if
/// there would be symbols of Western charsets in a host. The detector is given at most `max_bytes`.
pub(super) fn guessed(bytes: &[u8], max_bytes: usize) -> Guess {
    let blocks = bytes.chunks(BLOCK).filter(|block| !block.is_ascii());
    let many = blocks.flatten().filter(|byte| !byte.is_ascii()).nth(LETTERS).is_some();
    let mut linked = bytes_of_links(bytes).peekable();
    if !many && linked.peek().is_none() {
        return Guess::default();
    }
    let sign = linked.any(|byte| (0x80..0xB0).contains(&byte));
    let (given, is_whole) = letters(bytes, max_bytes);
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    // Where the text goes on, half of a letter at the end is no error.
    detector.feed(&given, is_whole);
    let guess = detector.guess(None, chardetng::Utf8Detection::Deny);
    let dos = sign.then_some(encoding_rs::IBM866).filter(|_| !many);
    let charsets = std::iter::once(guess).chain(dos).map(Charset::Known).collect();
    Guess { charsets, detected: given.len() }
}

/// What the detector is given, and whether it is all there is.
fn letters(bytes: &[u8], max_bytes: usize) -> (Vec<u8>, bool) {
    let mut given = Vec::with_capacity(max_bytes.min(bytes.len()));
    let mut left = SEARCHED;
    let mut at = 0;
    while at < bytes.len() {
        let end = line_after(bytes, at);
        let line = bytes.get(at..end).unwrap_or_default();
        at = end;
        // Lines of ASCII give no information.
        if line.is_ascii() {
            continue;
        }
        for stretch in near_letters(line.get(..left).unwrap_or(line)) {
            let room = max_bytes - given.len();
            given.extend_from_slice(stretch.get(..room).unwrap_or(stretch));
            if stretch.len() > room {
                return (given, false);
            }
        }
        if line.len() >= left {
            return (given, false);
        }
        left -= line.len();
    }
    (given, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charsets(bytes: &[u8]) -> Vec<Charset> {
        guessed(bytes, DETECTED).charsets
    }

    #[test]
    fn further_parts_are_guessed_by_their_beginning() {
        let line = encoding_rs::WINDOWS_1251
            .encode("Пожалуйста, подтвердите ваш адрес.\r\n")
            .0
            .into_owned();
        for (part, max_bytes) in
            [(0, DETECTED), (DETECTED_PARTS - 1, DETECTED), (DETECTED_PARTS, 512)]
        {
            let guess = guessed(&line.repeat(1_000), detection_bytes(part));
            let expected = vec![Charset::Known(encoding_rs::WINDOWS_1251)];
            assert_eq!((guess.detected, guess.charsets), (max_bytes, expected), "{part}");
        }
    }

    #[test]
    fn long_stretches_of_ascii_are_not_given_to_the_detector() {
        let given = |line: &[u8]| near_letters(line).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let long = [b"\xE9".as_slice(), &[b'x'; 40], b"\xE9\xE8", &[b'y'; 16], b"\n"].concat();
        let expected = [
            [b"\xE9".as_slice(), &[b'x'; 8]].concat(),
            vec![b'x'; 8],
            [b"\xE9\xE8".as_slice(), &[b'y'; 8]].concat(),
            b"yyyyyyy\n".to_vec(),
        ];
        assert_eq!(given(&long), expected);
        let short = b"caf\xE9 au lait\n";
        assert_eq!(given(short).concat(), short);
        assert_eq!(given(b""), [b""; 0]);
    }

    #[test]
    fn a_letter_that_is_cut_is_no_error() {
        let korean = encoding_rs::EUC_KR.encode("이메일 주소를 확인하십시오 ").0.into_owned();
        let text = korean.repeat(SEARCHED / korean.len() + 1);
        for max_bytes in DETECTED - 8..DETECTED {
            let guess = guessed(&text, max_bytes);
            let expected = vec![Charset::Known(encoding_rs::EUC_KR)];
            assert_eq!((guess.detected, guess.charsets), (max_bytes, expected));
        }
        for blanks in 0..8 {
            let long = [vec![b' '; blanks], text.clone()].concat();
            let (given, is_whole) = letters(&long, usize::MAX);
            assert_eq!((given.len(), is_whole), (SEARCHED, false));
        }
    }

    #[test]
    fn a_guess_at_the_charset_rests_on_lines_outside_ascii() {
        let russian = encoding_rs::WINDOWS_1251
            .encode("Пожалуйста, подтвердите ваш адрес электронной почты.\r\n")
            .0
            .into_owned();
        let expected = vec![Charset::Known(encoding_rs::WINDOWS_1251)];
        assert_eq!(charsets(&russian), expected);
        let ascii = b"Please confirm your address.\r\n".repeat(SEARCHED / 10);
        assert_eq!(charsets(&[ascii.as_slice(), &russian].concat()), expected);
        assert_eq!(
            charsets(&[russian.repeat(SEARCHED / 10).as_slice(), b"\x80\xFF"].concat()),
            expected
        );
        assert_eq!(charsets(b"caf\xE9\r\n"), [], "too little to tell");
        let dos = charsets(b"see https://\xE0\xA0ypal.com/ now\r\n");
        assert_eq!(dos.last(), Some(&Charset::Known(encoding_rs::IBM866)));
    }
}
