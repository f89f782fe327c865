//! Languages as far as words of theirs are told from hosts: where they are official, what their sentences go on with, and
//! how their words end. By hand.

/// What is known of a language.
pub struct Language {
    /// The top-level domains of the countries where it is official, and its own.
    pub tlds: &'static [&'static str],
    /// Its words that are top-level domains of two letters, by which they may stand behind a word and a dot.
    pub words: &'static [&'static str],
    /// Vowels beyond ASCII in which forms of names end.
    pub endings: &'static [char],
    /// Letters that tell it from most others.
    pub letters: &'static [char],
    /// Endings of verbs that are made of the name of a service: `googlé`, `facebooké`.
    pub verbs: &'static [&'static str],
}

/// A language of which nothing is known.
const NONE: Language = Language { tlds: &[], words: &[], endings: &[], letters: &[], verbs: &[] };

pub const ALBANIAN: Language =
    Language { tlds: &["al", "mk"], words: &["do", "me", "ne", "se"], ..NONE };
pub const AZERBAIJANI: Language = Language { tlds: &["az"], ..NONE };
pub const BULGARIAN: Language = Language { tlds: &["bg", "бг"], ..NONE };
pub const CATALAN: Language = Language {
    tlds: &["ad", "cat", "es"],
    words: &["al", "de", "es", "la", "li", "me", "ni", "no", "se", "si", "va"],
    ..NONE
};
pub const CZECH: Language = Language {
    tlds: &["cz"],
    words: &["by", "do", "je", "ke", "ma", "mu", "na", "ne", "no", "se", "si", "to", "ve", "za"],
    endings: &['á', 'é', 'ě', 'í', 'ů', 'ý'],
    letters: &['ě', 'ř', 'ů'],
    ..NONE
};
pub const DANISH: Language = Language {
    tlds: &["dk", "fo", "gl"],
    words: &["at", "de", "er", "nu", "om", "se", "vi"],
    ..NONE
};
pub const ESTONIAN: Language = Language { tlds: &["ee"], words: &["ma", "me", "se"], ..NONE };
pub const FRENCH: Language = Language {
    tlds: &[
        "be", "bj", "ca", "cd", "cg", "ch", "ci", "cm", "fr", "ga", "ht", "lu", "mc", "mg", "ml",
        "ne", "re", "sn", "tg",
    ],
    words: &[
        "au", "ca", "de", "et", "il", "je", "la", "ma", "me", "ne", "ni", "sa", "se", "si", "va",
    ],
    verbs: &["é", "ée", "ées", "és"],
    ..NONE
};
pub const GERMAN: Language = Language {
    tlds: &["at", "be", "ch", "de", "li", "lu"],
    words: &["am", "er", "es", "im", "in", "so"],
    ..NONE
};
pub const GREEK: Language = Language { tlds: &["cy", "gr", "ελ"], ..NONE };
pub const HUNGARIAN: Language = Language {
    tlds: &["hu"],
    words: &["az", "is", "ki", "ne", "se"],
    endings: &['á', 'é'],
    letters: &['ő', 'ű'],
    ..NONE
};
pub const ICELANDIC: Language = Language { tlds: &["is"], words: &["er"], ..NONE };
pub const ITALIAN: Language = Language {
    tlds: &["ch", "it", "sm", "va"],
    words: &["al", "il", "in", "la", "li", "ma", "ne", "se", "si", "su", "va"],
    ..NONE
};
pub const LATVIAN: Language = Language {
    tlds: &["lv"],
    words: &["ar", "ir", "ka", "no", "pa", "to"],
    endings: &['ā', 'ē', 'ī', 'ū'],
    letters: &['ā', 'ē', 'ģ', 'ī', 'ķ', 'ļ', 'ņ'],
    ..NONE
};
pub const LITHUANIAN: Language = Language {
    tlds: &["lt"],
    words: &["ar", "be", "ir", "su"],
    endings: &['ą', 'ė', 'ę', 'į', 'ū', 'ų'],
    letters: &['ą', 'ė', 'ę', 'į', 'ų'],
    ..NONE
};
pub const MONGOLIAN: Language = Language { tlds: &["mn", "мон"], ..NONE };
pub const NORWEGIAN: Language = Language {
    tlds: &["no"],
    words: &["at", "de", "er", "me", "no", "om", "se", "so", "vi"],
    ..NONE
};
pub const POLISH: Language = Language {
    tlds: &["pl"],
    words: &["by", "do", "ma", "mu", "na", "no", "to", "za"],
    endings: &['ą', 'ę'],
    letters: &['ą', 'ć', 'ę', 'ł', 'ń', 'ś', 'ź', 'ż'],
    ..NONE
};
pub const PORTUGUESE: Language = Language {
    tlds: &["ao", "br", "cv", "gw", "mz", "pt", "st", "tl"],
    words: &["ao", "as", "de", "do", "eu", "me", "na", "no", "se", "vi"],
    ..NONE
};
pub const ROMANIAN: Language = Language {
    tlds: &["md", "ro"],
    words: &[
        "al", "am", "ar", "as", "au", "ca", "ci", "cu", "de", "eu", "in", "la", "ma", "ne", "ni",
        "nu", "pe", "sa", "se", "si", "va",
    ],
    endings: &['ă'],
    letters: &['ă', 'ş', 'ţ', 'ș', 'ț'],
    ..NONE
};
pub const RUSSIAN: Language =
    Language { tlds: &["by", "kg", "kz", "ru", "su", "бел", "рус", "рф"], ..NONE };
/// Bosnian, Croatian, Montenegrin and Serbian.
pub const SERBO_CROATIAN: Language = Language {
    tlds: &["ba", "hr", "me", "rs", "срб"],
    words: &["bi", "do", "ga", "je", "me", "mu", "na", "ne", "ni", "se", "si", "su", "to", "za"],
    ..NONE
};
pub const SLOVAK: Language = Language {
    tlds: &["sk"],
    words: &["by", "do", "je", "ma", "mu", "na", "ne", "no", "sa", "si", "so", "su", "to", "za"],
    endings: &['á', 'é', 'í', 'ú', 'ý'],
    letters: &['ľ', 'ĺ', 'ŕ'],
    ..NONE
};
pub const SLOVENE: Language = Language {
    tlds: &["si"],
    words: &[
        "bi", "do", "ga", "in", "je", "ki", "me", "mu", "na", "ne", "ni", "se", "si", "so", "za",
    ],
    ..NONE
};
pub const SPANISH: Language = Language {
    tlds: &[
        "ar", "bo", "cl", "co", "cr", "cu", "do", "ec", "es", "gq", "gt", "hn", "mx", "ni", "pa",
        "pe", "pr", "py", "sv", "uy", "ve",
    ],
    words: &["al", "de", "es", "la", "me", "ni", "no", "se", "si", "su", "va", "ve"],
    verbs: &["á", "é", "eá", "eé", "eó", "ó"],
    ..NONE
};
pub const SWEDISH: Language =
    Language { tlds: &["ax", "fi", "se"], words: &["de", "ni", "nu", "om", "se", "vi"], ..NONE };
pub const TURKISH: Language = Language { tlds: &["cy", "tr"], ..NONE };
pub const UKRAINIAN: Language = Language { tlds: &["ua", "укр"], ..NONE };

/// No language: what words of Cyrillic have as well.
pub const GENERIC: Language = Language { tlds: &["com", "net", "org"], ..NONE };

/// Those whose names have forms that end in a vowel beyond ASCII.
pub const WITH_ENDINGS: [Language; 7] =
    [CZECH, HUNGARIAN, LATVIAN, LITHUANIAN, POLISH, ROMANIAN, SLOVAK];

/// Those with verbs from names of services.
pub const WITH_VERBS: [Language; 2] = [FRENCH, SPANISH];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_top_level_domains_in_order() {
        for language in [
            ALBANIAN, AZERBAIJANI, BULGARIAN, CATALAN, CZECH, DANISH, ESTONIAN, FRENCH, GERMAN,
            GREEK, HUNGARIAN, ICELANDIC, ITALIAN, LATVIAN, LITHUANIAN, MONGOLIAN, NORWEGIAN,
            POLISH, PORTUGUESE, ROMANIAN, RUSSIAN, SERBO_CROATIAN, SLOVAK, SLOVENE, SPANISH,
            SWEDISH, TURKISH, UKRAINIAN,
        ] {
            assert!(language.tlds.is_sorted() && language.words.is_sorted(), "{:?}", language.tlds);
            assert!(language.words.iter().all(|word| word.len() == 2), "{:?}", language.words);
        }
    }
}
