use std::sync::LazyLock;

use super::*;
use crate::verdict::RestrictionLevel;
use crate::{Names, judge};
use uts58::tlds::TldTable;

fn host(spelling: &str, bounds: HostBounds) -> (String, Verdict) {
    let (protected, none) = (Names::new(["paypal.com"]), Names::default());
    let tlds =
        TldTable::new(["com", "de", "xn--p1ai", "xn--3e0b707e", "xn--wgbh1c", "xn--4dbrk0ce"], "");
    let context = Context { bounds, ..crate::tests::context(&protected, &none, &tlds) };
    let judgement = judge(spelling, &context);
    (spelling[judgement.span].to_owned(), judgement.verdict)
}

#[test]
fn words_hold_no_sign_of_a_number() {
    for c in ('\u{80}'..=char::MAX).filter(|c| is_number_sign(*c)) {
        assert!(!Places::of(&format!("a{c}b.com")).has_only_words(), "{c}");
    }
}

#[test]
fn prose_is_no_part_of_a_schemeless_host() {
    for spelling in [
        "👉example.com",
        "10ー19時。example.com",
        "手順③。example.com",
        "①example.com",
        "手順①example.com",
        "¹example.com",
        "ªexample.com",
        "1\u{fe0f}\u{20e3}example.com",
        "#\u{fe0f}\u{20e3}example.com",
        "ℹ\u{fe0f}example.com",
        "03ー1234ー5678。example.com",
        "→example.com",
        "เว็บไซต์example.com",
        "サーバーexample.com",
        "בexample.com",
        "наexample.com",
        "見て👉例example.com",
        "Приветexample.com",
        "στηνexample.com",
    ] {
        assert_eq!(
            host(spelling, HostBounds::Prose),
            ("example.com".to_owned(), Verdict::Ok),
            "{spelling}"
        );
    }
    for spelling in [
        "сwww.example.com",
        "соWWW.пример.рф",
        "10ー19時。www.example.com",
        "第2ー3章．www.example.com",
        "A1ー出口。www.example.com",
        "Tーシャツ。www.example.com",
        "℡03-1234-5678。www.example.com",
        "第Ⅲ期。www.example.com",
        "1ª.www.example.com",
        "SMS-код.www.example.com",
        "1.ישראל.com",
        "12.דוגמה.com",
        "3.مثال.com",
    ] {
        assert_eq!(host(spelling, HostBounds::Prose).1, Verdict::Ok, "{spelling}");
    }
    for spelling in ["münchen.de", "пример.рф", "пример.com", "한국.한국", "डाटामेल.com"]
    {
        assert_eq!(host(spelling, HostBounds::Prose), (spelling.to_owned(), Verdict::Ok));
    }
    // A right-to-left name has no label of a number (RFC 5893 §2): no client opens the tail.
    for spelling in ["مثال2.مصر", "דוגמה10.ישראל", "دليل-7.مصر", "www.مثال2.مصر"]
    {
        assert_eq!(host(spelling, HostBounds::Prose), (spelling.to_owned(), Verdict::Ok));
    }
    assert_eq!(host("👉пример.рф", HostBounds::Prose), ("пример.рф".to_owned(), Verdict::Ok));
}

/// The name after the prose does not imitate itself.
#[test]
fn a_name_behind_prose_is_that_name() {
    for front in ["①", "¹", "ב", "в", "手順①", "1\u{fe0f}\u{20e3}"] {
        let found = host(&format!("{front}paypal.com"), HostBounds::Prose);
        assert_eq!(found, ("paypal.com".to_owned(), Verdict::Ok), "{front}");
    }
    assert_eq!(host("¹PayPal.de", HostBounds::Prose), ("PayPal.de".to_owned(), Verdict::Ok));
    assert_eq!(host("школа№5.рф", HostBounds::Prose), ("5.рф".to_owned(), Verdict::Ok));
    for lie in ["①раypal.com", "p①ypal.com", "ⓟaypal.com", "①.paypa1.com", "paypal①.com"]
    {
        assert!(host(lie, HostBounds::Prose).1 >= Verdict::Suspect, "{lie}");
    }
}

/// A part in which all letters read as the other script is no prose.
#[test]
fn deception_is_no_prose() {
    for spelling in [
        "сwww.com", "wwwс.example.com", "раypal.com", "exаmple.com", "аcmecorp.com",
        "www.аcmecorp.com", "Привет-аcme.com",
    ] {
        assert_eq!(
            host(spelling, HostBounds::Prose),
            (spelling.to_owned(), Verdict::Unsafe),
            "{spelling}"
        );
    }
    for sign in ["👉", "→", "★", "✓", "€", "☎", "🎁", "a.👉", "見て→"] {
        let (span, verdict) = host(&format!("{sign}раypal.com"), HostBounds::Prose);
        assert_eq!(verdict, Verdict::Unsafe, "{sign}");
        assert!(span.ends_with("раypal.com"), "{sign}");
    }
    for before in ["x_", "\u{200d}", "देखें"] {
        let (span, verdict) = host(&format!("{before}раypal.com"), HostBounds::Prose);
        assert_eq!((&*span, verdict), ("раypal.com", Verdict::Unsafe), "{before}");
    }
    for written in ["xn--ypal-43d9g.comhttp", "x._xn--ypal-43d9g.com"] {
        assert_eq!(host(written, HostBounds::Certain).1, Verdict::Unsafe, "{written}");
    }
    // The whole is no name; some client takes the end for one.
    let marked = host("\u{301}раypal.com", HostBounds::Certain);
    assert_eq!(marked, ("раypal.com".to_owned(), Verdict::Invalid));
    for number in ["½", "٣"] {
        let (span, verdict) = host(&format!("{number}раypal.com"), HostBounds::Prose);
        assert_eq!((span.as_str(), verdict), ("раypal.com", Verdict::Unsafe), "{number}");
    }
    let inner_a_label = host("x_xn--ypal-43d9g.com", HostBounds::Prose);
    assert_eq!(inner_a_label, ("xn--ypal-43d9g.com".to_owned(), Verdict::Unsafe));
    for after in [".html", ".php", ".1", ".x.y", "1", "_x"] {
        for bounds in [HostBounds::Prose, HostBounds::Certain] {
            let (span, verdict) = host(&format!("раypal.com{after}"), bounds);
            assert_eq!((&*span, verdict), ("раypal.com", Verdict::Unsafe), "{after}");
        }
    }
    for sign in ["→", "£", "❤\u{fe0f}"] {
        let (span, verdict) = host(&format!("{sign}раypal.com"), HostBounds::Certain);
        assert_eq!((&*span, verdict), ("раypal.com", Verdict::Unsafe), "{sign}");
        let (_, verdict) = host(&format!("{sign}paypal.com"), HostBounds::Certain);
        assert_eq!(verdict, Verdict::Suspect, "{sign}");
    }
    let joined = host("ра\u{200c}\u{200d}ypal.com", HostBounds::Prose);
    assert_eq!(joined, ("ра\u{200c}\u{200d}ypal.com".to_owned(), Verdict::Invalid));
    assert_eq!(
        host("наexample.com", HostBounds::Certain),
        ("наexample.com".to_owned(), Verdict::Suspect)
    );
}

/// What prose, names and what is between them may be made of.
#[rustfmt::skip]
const PIECES: [&str; 72] = [
    "ב", "בג", "נמל", "ס", "о", "на", "Привет", "привет", "στην", "ο", "見て", "お", "ノ", "ー", "一", "工", "へ",
    "เว็บ", "ไซต์", "า", "देखें", "ं", "مثال", "ه", "한국", "აბ", "ոսօ", "①", "№5", "²", "½", "٣", "👉", "→", "\u{301}",
    "\u{200d}", "é", "ı", "İ", "ß", "·", "ʼ", "-", "-", "_", "--", ".", "。", "．", "xn--", "xn--ypal-43d9g", "www.",
    "1", "42", "a", "W", "com", "paypal", "PayPal", "paypa1", "раураl", "раypal", "mail", "mail.ru", "google",
    "gооgle", "accounts.google.com", "my-paypal", "faceböck", "lédger", "приват", "itaú",
];

#[rustfmt::skip]
const ENDS: [&str; 14] = [
    ".com", ".de", ".рф", ".com.br", ".co.uk", ".top", ".com-login.top", ".com.verify.top", ".ישראל", ".github.io",
    ".html", "", ".com.", ".jp",
];

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 4_000, failure_persistence: None, ..Default::default() })]

    /// What is not judged would not have counted.
    #[test]
    fn readings_are_left_out_only_where_they_do_not_count(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 1..6),
        end in proptest::sample::select(&ENDS[..]),
    ) {
        let spelling = [pieces.concat().as_str(), end].concat();
        same_without_shortcut(&spelling);
    }
}

/// Fails if judging all readings of a spelling has another result, whatever it is judged against.
fn same_without_shortcut(spelling: &str) {
    static BUILTIN: LazyLock<Names> = LazyLock::new(Names::builtin);
    static FEW: LazyLock<Names> = LazyLock::new(|| {
        Names::new([
            "נמל.example", "itau.com.br", "приват.ru", "accounts.google.com", "mail.ru", "ab.de",
        ])
    });
    static TLDS: LazyLock<TldTable> = LazyLock::new(|| {
        TldTable::new(["com", "de", "top", "io", "br", "uk", "jp", "xn--p1ai"], "")
    });
    let none = Names::default();
    for (protected, own) in [(&*BUILTIN, &none), (&*BUILTIN, &*FEW), (&*FEW, &none)] {
        for (level, blocked) in [
            (RestrictionLevel::default(), &none),
            (RestrictionLevel::AsciiOnly, &none),
            (RestrictionLevel::default(), &FEW),
        ] {
            let (bounds, tlds) = (HostBounds::Prose, &*TLDS);
            let context = Context { level, protected, own, blocked, tlds, bounds };
            let places = Places::of(spelling);
            let all = judge_but(spelling, places, &context, |_, _| false);
            assert_eq!(judge_starts(spelling, places, &context), all, "{spelling}");
        }
    }
}

/// Most prose before a plain host costs one judgement.
#[cfg(feature = "shortcuts")]
#[test]
fn prose_before_a_plain_host_is_not_judged() {
    let (builtin, none) = (Names::builtin(), Names::default());
    let tlds = TldTable::new(["com"], "");
    let bounds = HostBounds::Prose;
    let context = Context { bounds, ..crate::tests::context(&builtin, &none, &tlds) };
    let stays = |label: &str, host: &str| {
        BoundsReading::of(1, &format!("-{host}"), &context).surely_stays(label, &context)
    };
    for prose in ["בג", "見て", "на", "Приветствие", "στην", "ดู", "サーバー"]
    {
        let prose = prose.to_lowercase();
        assert!(stays(&format!("{prose}xz7"), "xz7.com"), "{prose}");
    }
    for (label, host) in [("בג42", "42.com"), ("한국7", "7.com"), ("მუ42", "42.com")] {
        assert!(stays(label, host), "{label}");
    }
    for (label, host) in
        [("аcme", "cme.com"), ("בpaypal", "paypal.com"), ("п1", "a.com"), ("Яxz7", "xz7.com")]
    {
        assert!(!stays(label, host), "{label}");
    }
    assert!(!stays("בpaypal", "paypal.com"), "a protected name");
    assert!(!stays("а", "a.com"), "a twin");
}
