//! Letters of one language that the suffix of a host does not have: `şikâyet.com`, `sigurðsson.com`.

use super::{HostBounds, Judge, Judgement};

/// Letters beyond ASCII that people write in one language, those of its loan words and names among them.
const LETTERS: [&str; 4] = ["áéíóúýðþæöø", "çğıöşüâîû", "çəğıöşü", "æøåäöüéèêóòôà"];

/// Such letters of a label that tell its language; one alone may stand for another letter (`meðical`).
const TELLING: usize = 2;

/// How people are called after their fathers, in whose names English words stand by chance (`garðarsson`).
const PATRONYMICS: [&str; 2] = ["sson", "dottir"];

/// Looking for English words in a label.
const ENGLISH_STEPS: u64 = 320;

impl Judge<'_> {
    /// Whether the letters of a host that its top-level domain does not have are of one language, and it comes near no
    /// known name; where a label has one such letter, no English word either.
    pub(super) fn is_of_one_language(&mut self, host: &Judgement) -> bool {
        let labels =
            || host.unicode.split('.').filter(|label| !label.is_ascii()).map(without_numbers);
        if !labels().all(is_in_one_language) {
            return false;
        }
        for label in labels().filter(|label| others(label).count() < TELLING) {
            self.steps += ENGLISH_STEPS;
            if !PATRONYMICS.iter().any(|end| label.ends_with(end))
                && homograph::claims::reads_as_english(label)
            {
                return false;
            }
        }
        // As most and as few readers read it.
        let words: Vec<&str> = host.unicode.split('.').map(without_numbers).collect();
        let words = words.join(".");
        [LetterReading::First, LetterReading::Last].into_iter().all(|reading| {
            let plain: String = words.chars().map(|c| read_plainly(c, reading)).collect();
            let plain = self.host(&plain, HostBounds::Certain);
            plain.unicode.is_ascii() && self.names_nobody_known(&plain)
        })
    }
}

/// Which of the readings of a letter.
#[derive(Clone, Copy)]
enum LetterReading {
    First,
    Last,
}

/// A letter as it is read, or itself.
fn read_plainly(c: char, reading: LetterReading) -> String {
    let mut read = homograph::claims::all_readings(c);
    let read = match reading {
        _ if c.is_ascii() => None,
        LetterReading::First => read.next(),
        LetterReading::Last => read.last(),
    };
    read.map_or_else(|| c.into(), str::to_owned)
}

fn others(label: &str) -> impl Iterator<Item = char> {
    label.chars().filter(|c| !c.is_ascii())
}

/// A label of words without the numbers before and behind them: `gəncə24`, `1-şəki`. One of ASCII is left as it is.
fn without_numbers(label: &str) -> &str {
    if label.is_ascii() {
        return label;
    }
    let of_number = |c: char| c.is_ascii_digit() || c == '-';
    let words = label.trim_end_matches(of_number);
    let behind_number = words.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('-');
    behind_number.unwrap_or(words)
}

/// Whether a label has letters of one language alone. No word begins with an `ð`.
fn is_in_one_language(label: &str) -> bool {
    let is_plain = |c: char| !c.is_ascii() || c.is_ascii_lowercase() || c == '-';
    label.chars().all(is_plain)
        && !label.split('-').any(|word| word.starts_with('ð'))
        && LETTERS.iter().any(|letters| others(label).all(|c| letters.contains(c)))
}

#[cfg(test)]
mod tests {
    use crate::Verdict;
    use crate::tests::from_a_stranger;

    #[test]
    fn letters_of_one_language_stand_below_any_suffix() {
        for host in [
            "fréttablaðið.com",
            "háskóli-íslands.org",
            "morgunblaðið.com",
            "grünerløkka.com",
            "şikâyet.com",
            "imkânı.com",
            "şəki.com",
            "dünəndən.com",
            "xoş-gəldiniz.org",
            "sigurðsson.com",
            "veður.com",
            "www.guðmundur.net",
            "þorsteinn.org",
            "əliyev.com",
            "məktub.com",
            "guðmundur-and-co.shop",
            "garðarsson.com",
            "www.viðarsdottir.org",
            "gəncə24.com",
            "bakı-şəhər-2000.net",
            "1-bókabúð.com",
            "24-şəki-365.shop",
        ] {
            let (verdict, edited) = from_a_stranger(&format!("https://{host}/x"));
            assert!(verdict <= Verdict::Notice && !edited, "{host} {verdict:?}");
        }
        for host in [
            "meðical.com", "þaper.com", "bistriţa.com", "mymeðicalcenter.com", "reðdit.com",
            "meðium.com", "þaypal.com", "dropþox.com", "pəypəl.com", "cloud-ðata.com",
            "ðaypal.com", "þaypál.com", "ðropböx.com", "ðiaÿuxœgywt.com", "ð1j7dáð.com",
            "þaypal-lögin.com", "ðe-dóm.com", "nəşflix.com", "fəcəbook.com", "pəypəl24.com",
            "24-fəcəbook.com", "nəşflix-365.com", "gə1ncə.com", "1ðaypal.com",
        ] {
            let (verdict, _) = from_a_stranger(&format!("https://{host}/x"));
            assert!(verdict >= Verdict::Suspect, "{host} {verdict:?}");
        }
    }
}
