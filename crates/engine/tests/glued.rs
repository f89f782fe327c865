//! What stands directly next to a host, and is no part of it to whoever wrote it; and words with accents.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use linkmilter_engine::{Outcome, Verdict};

/// The outcome of a line of text.
fn outcome(text: &str) -> Outcome {
    common::outcome("Content-Type: text/plain; charset=utf-8", format!("{text}\r\n").as_bytes())
}

/// The worst verdict of what is found in a text, and whether something is edited.
fn judged(text: &str) -> (Verdict, bool) {
    let outcome = outcome(text);
    let worst = outcome.findings.iter().map(|finding| finding.verdict).max();
    (worst.unwrap_or_default(), !outcome.edits.is_empty())
}

#[track_caller]
fn is_fine(text: &str) {
    let (verdict, edited) = judged(text);
    assert!(verdict <= Verdict::Notice && !edited, "{text}: {verdict:?}, {edited}");
}

#[track_caller]
fn is_edited(text: &str) {
    let (verdict, edited) = judged(text);
    assert!(verdict >= Verdict::Unsafe && edited, "{text}: {verdict:?}, {edited}");
}

#[test]
fn a_sentence_goes_on_with_an_abbreviation() {
    for text in [
        "Expte.Nº 1234/2026",
        "Proc.Nº 55",
        "Escriba a info@gmail.com.Nº de pedido: 5",
        "Visite https://www.example.com.Nº 12",
        "info@huber.de.Mª José",
    ] {
        is_fine(text);
    }
    for text in [
        "Visit https://www.paypal.com.Nº 12",
        "service@paypal.com.Nº 5",
        "https://paypaº.com",
        "www.paypal.Nº 5",
        "https://www.huber.Nº 5",
    ] {
        is_edited(text);
    }
}

#[test]
fn two_names_with_a_sign_between_them() {
    for text in [
        "ann@huber.co.jp・www.huber.co.jp",
        "https://huber.co.jp・www.huber.co.jp",
        "ann@huber.de・www.meier.de",
        "ann@gmail.com丨www.google.com",
        "ann@gmail.com丨www.meier.de",
    ] {
        is_fine(text);
    }
    for text in [
        "service@paypal.com・www.evil.com",
        "https://huber.co.jp・www.evil.com",
        "https://www.paypal.com・www.evil.com",
        "https://www.paypal.com丨x.sharepoint.com",
    ] {
        is_edited(text);
    }
}

/// Everybody can have a mailbox there, so that nobody takes the site for the provider's.
#[test]
fn a_mailbox_and_a_site_with_a_sign_between_them() {
    for sign in ["·", "│", "┃", "∙", "❘", "∥", "¦", "★", "📧", "🌐", "☎\u{FE0F}", "✉\u{FE0F}"]
    {
        for text in [
            format!("ann@gmail.com{sign}www.huber-bau.de"),
            format!("Tel. 030 1234 {sign}ann@outlook.com{sign}www.huber-bau.de"),
            format!("ann@gmx.de{sign}www.huber-bau.de/kontakt"),
            format!("info@huber-bau.de{sign}www.huber-bau.de"),
        ] {
            is_fine(&text);
        }
        let (verdict, _) = judged(&format!("service@paypal.com{sign}www.evil.com"));
        assert!(verdict >= Verdict::Suspect, "{sign}");
    }
    let (verdict, _) = judged("ann@gmail.com★www.paypa1.com");
    assert!(verdict >= Verdict::Suspect);
    for text in ["info@huber-bau.de│huber-bau.de", "ann@gmail.com│huber-bau.de"] {
        is_fine(text);
    }
    is_edited("service@paypal.com│evil.com");
}

/// What a firm writes in its own letters is as harmless: nothing but letters stands in either name.
#[test]
fn an_address_and_a_site_in_letters_of_any_language_with_a_sign_between_them() {
    for sign in ["·", "│", "•", "★", "・"] {
        for [address, site] in [
            ["info@müller-möbel.de", "www.müller-möbel.de"],
            ["ann@gmail.com", "www.müller-möbel.de"],
            ["info@книги-почтой.рф", "www.книги-почтой.рф"],
            ["info@書店.jp", "www.書店.jp"],
            ["info@पुस्तक.भारत", "www.पुस्तक.भारत"],
        ] {
            is_fine(&format!("Tel. 0221/1234{sign}{address}{sign}{site}"));
            is_fine(&format!("{address}{sign}{site}/kontakt"));
        }
        // Links end in front of a bullet.
        if sign == "•" {
            continue;
        }
        for lie in [
            format!("service@paypal.com{sign}www.müller.de"),
            format!("info@müller.de{sign}www.pаypal.com"),
            format!("info@müller.com⁄login{sign}www.müller.de"),
        ] {
            let (verdict, _) = judged(&lie);
            assert!(verdict >= Verdict::Suspect, "{lie}: {verdict:?}");
        }
    }
}

#[test]
fn one_letter_words_before_a_name() {
    for text in ["באתר Google.com וFacebook.com יש", "ב-Google.com ובGoogle.com"] {
        is_fine(text);
    }
    let (verdict, edited) = judged("Заказ сAmazon.com приехал");
    assert!(verdict <= Verdict::Suspect && !edited, "{verdict:?}, {edited}");
    for text in ["Заказ сitibank.com приехал", "Заказ сItibank.com приехал", "see сAmazon.com"]
    {
        is_edited(text);
    }
}

#[test]
fn a_suffix_behind_a_joiner_is_no_host() {
    for html in ["<b>Booking</b>&zwnj;.com", "Alle .com, &zwnj;.de und &zwj;.net"] {
        let outcome = common::outcome("Content-Type: text/html; charset=utf-8", html.as_bytes());
        assert!(outcome.verdict <= Verdict::Notice, "{html}: {:?}", outcome.findings);
    }
}

#[test]
fn signs_of_lists_and_phonetic_letters_are_no_hosts() {
    for text in [
        "siehe¹www.example.com",
        "siehe¹www.google.com",
        "①huber.de ②meier.de",
        "〇huber.comについて",
        "ⓘhuber.com ℡huber.com Ⅳwww.huber.com",
        "以下です。・google.com ・yahoo.co.jp",
        "方法如下。①google.com ②outlook.com",
        "\u{1B}[1mпрезидент.рф\u{1B}[0m \u{1B}[38;5;1mпрезидент.рф",
        "gato /ˈɡa.to/, gola /ˈɡo.la/, sama [ˈsɑ.ma]",
    ] {
        is_fine(text);
    }
    for text in [
        "https://①huber.com/",
        "https://siehe¹paypal.com/",
        "https://方法如下。①google.com/",
        "https://ˈɡoogle.com/",
        "\u{1B}[1mр\u{430}ypal.com",
    ] {
        is_edited(text);
    }
}

#[test]
fn a_mark_before_a_pasted_address_changes_nothing() {
    let edited = |html: &str| common::is_edited("text/html; charset=utf-8", html.as_bytes());
    assert!(!edited("<a href=\"mailto:\u{200E}info@example.com\">x</a>"));
    assert!(edited("<a href=\"mailto:\u{202E}info@example.com\">x</a>"));
    assert!(edited("<a href=\"mailto:in\u{200E}fo@example.com\">x</a>"));
    assert!(edited("<a href=\"mailto:\u{200E}info@p\u{430}ypal.com\">x</a>"));
}

#[test]
fn addresses_and_sites_stand_next_to_each_other_with_any_sign_between_them() {
    for sign in "│┃○◦×‐‑─━╱⁄∕÷›‹→•●■▪・".chars() {
        is_fine(&format!("info@huber.de{sign}www.huber.de"));
        is_fine(&format!("www.huber.de{sign}www.huber.de/shop"));
        // A sign that ends a host to readers may hide one.
        if !linkmilter_engine::host::ends_host_to_a_reader(sign) {
            is_fine(&format!("info@huber.de{sign}www.meier.de"));
        }
        // Links end in front of others.
        if !"│┃×‐─━╱÷›".contains(sign) {
            continue;
        }
        for lie in [
            format!("https://www.paypal.com{sign}www.meier.de"),
            format!("info@paypal.com{sign}www.meier.de"),
            format!("https://www.paypal.com{sign}login.meier.de/x"),
        ] {
            let (verdict, _) = judged(&lie);
            assert!(verdict >= Verdict::Suspect, "{lie}: {verdict:?}");
        }
    }
}

#[test]
fn a_word_with_accents_is_no_more_like_a_name_than_without() {
    for text in ["https://www.poštni.si/", "info@poštni.si", "poštni.si"] {
        is_fine(text);
    }
    for text in [
        "https://www.postnĺ.si/",
        "https://paypaí.sk/",
        "https://páypal.si/",
        "https://www.gmaıl.com/",
        "https://goögle.com/",
    ] {
        is_edited(text);
    }
}

#[test]
fn a_joiner_between_a_word_of_any_language_and_a_host() {
    for word in ["see", "für", "musée", "você", "για", "для", "на"] {
        for host in ["www.huber-kanzlei.de", "huber-kanzlei.de", "www.paypal.com"] {
            for joiner in ['\u{200c}', '\u{200d}'] {
                is_fine(&format!("x {word}{joiner}{host} y"));
            }
        }
    }
    for text in ["для\u{200c}paypal-login.com", "p\u{430}y\u{200c}pal.com", "pä\u{200c}ypal.com"]
    {
        let (verdict, _) = judged(text);
        assert!(verdict >= Verdict::Suspect, "{text}: {verdict:?}");
    }
    for text in [
        "https://pä\u{200c}ypal.com/",
        "р\u{430}ур\u{430}\u{200c}l.com",
        "www.p\u{430}y\u{200c}pal.com",
    ] {
        is_edited(text);
    }
}

#[test]
fn numbers_of_lists_in_digits_of_any_script() {
    let digits = ["౧", "੧", "୧", "൧", "௧", "۱", "१", "১", "๑", "૧", "೧", "၁", "១", "໑", "༡", "١"];
    for digit in digits {
        for host in ["www.huber-kanzlei.de", "huber-kanzlei.de", "www.paypal.com"] {
            is_fine(&format!("{digit}-{host}"));
            is_fine(&format!("{digit}_{host}"));
        }
        is_fine(&format!("{digit}www.huber-kanzlei.de"));
    }
    is_fine("۰۲۱-۱۲۳۴-www.huber.de");
    for text in ["০ffice.com", "g০০gle.com", "g౦౦gle.com", "https://౧-www.huber.de", "౦-ffice.com"]
    {
        let (verdict, _) = judged(text);
        assert!(verdict >= Verdict::Suspect, "{text}: {verdict:?}");
    }
    is_edited("https://g০০gle.com");
}

#[test]
fn letters_and_keys_are_marks_of_lists() {
    for mark in ["1\u{fe0f}\u{20e3}.", "12\u{20e3}.", "б.", "ア.", "ბ.", "①·"] {
        is_fine(&format!("{mark}huber-kanzlei.de"));
    }
    for mark in ["1\u{fe0f}\u{20e3}.", "б.", "ア.", "ბ."] {
        is_fine(&format!("{mark}paypal.com"));
    }
    for text in ["б.p\u{430}ypal.com", "①·paypal.com", "https://①·huber.de", "п.paypal-login.com"]
    {
        let (verdict, _) = judged(text);
        assert!(verdict >= Verdict::Suspect, "{text}: {verdict:?}");
    }
}

/// Data and logs are pasted as they are written. What is behind the escape is what is meant.
#[test]
fn what_is_left_of_an_escape_is_no_letter_of_a_host() {
    for text in [
        r#"{"message": "see\npaypal.com/x"}"#,
        r#"{"message": "see\r\ngithub.com"}"#,
        r#"row\tfacebook.com\t5"#,
        "google.com^M\r\n^Mgoogle.com^M",
        r#"\x22сбербанк.рф\x22"#,
        r#"\u003cсбербанк.рф\u003e"#,
        "url=3Dсбербанк.рф",
        "=0Aсбербанк.рф",
        "\u{1B}[1mсбербанк.рф\u{1B}[0m",
        "\\033[1mсбербанк.рф",
        "[0mсбербанк.рф",
    ] {
        is_fine(text);
    }
    // Markup whose quoted-printable was not undone.
    for text in ["<a href=3Dсбербанк.рф>x</a>", "<a href=3D\"https://сбербанк.рф\">x</a>"]
    {
        is_fine(text);
    }
    is_edited("<a href=3Dраypal.com>x</a>");
    for text in ["\\nраypal.com", "=3Dраypal.com", "[0mраypal.com", "\\x22раypal.com"] {
        is_edited(text);
    }
    for text in ["npaypal.com", r#"https://\npaypal.com"#, r#"a\ppaypal.com"#] {
        assert_eq!(judged(text).0, Verdict::Suspect, "{text}");
    }
}

/// All of it leads below the domain of the site.
#[test]
fn a_site_behind_words_and_a_sign() {
    for text in [
        "감사합니다.홈페이지▶www.huber.kr",
        "안내.홈페이지·www.huber.kr",
        "以上です。詳細.サイト→www.huber.jp",
        "30.11.2026.կայք՝www.huber.com",
        "оплата.сайт№www.пример.рф",
        "वेबसाइट.वेबसाइटऽwww.huber.com",
    ] {
        is_fine(text);
    }
    for text in [
        "안내.홈페이지▶www.раypal.com",
        "раураӏ.соm▶www.evil.com",
        "감사.раураӏ▶www.evil.com",
        "감사.ｐａｙｐａｌ▶www.evil.com",
        "감사.𝗽𝗮𝘆𝗽𝗮𝗹▶www.evil.com",
        "감사합니다.홈페이지▶www.paypa1.com",
    ] {
        let (verdict, _) = judged(text);
        assert!(verdict >= Verdict::Suspect, "{text}");
    }
}

/// Browsers make letters of them, and nobody reads one there.
#[test]
fn signs_of_numbers_and_measures_inside_a_host() {
    for text in [
        "www.1ª-mano.com",
        "http://www.2º-eso.com/",
        "www.nº1.com",
        "www.½preis.de",
        "www.1½-zimmer.de",
        "www.4×4-garage.fr",
        "www.10×10.de",
        "www.∞-loop.com",
        "www.第①章.com",
    ] {
        is_fine(text);
    }
    for text in
        ["www.paypal³.com", "www.1ªpple.com", "http://siehe¹paypal.com/", "www.facebo∞k.com"]
    {
        let (verdict, _) = judged(text);
        assert!(verdict >= Verdict::Suspect, "{text}");
    }
}

/// Letters that look like an apostrophe are part of a word; they end no host, and known names have none.
#[test]
fn apostrophes_that_are_letters() {
    for text in [
        "www.пʼятниця.com",
        "www.обʼєднані.org",
        "www.oʻzbekiston.com",
        "www.cʼhall.fr",
        "www.maʼno.com",
        "www.qurʾan.com",
        "www.sääʹm.fi",
        "ʻwww.huber-bau.deʼ",
    ] {
        is_fine(text);
    }
    for text in
        ["www.googleʼs.com", "www.huber.comʼlogin.example.org", "ʼpaypal.com", "www.ʼpaypal.com"]
    {
        let (verdict, _) = judged(text);
        assert!(verdict >= Verdict::Suspect, "{text}");
    }
}

/// Letters in circles, and of notes, in front of an address or a site.
#[test]
fn letters_of_contacts_and_notes() {
    for text in [
        "❶www.huber-bau.de❷www.meier-bau.de",
        "ⓣ 030 1234 ⓔann@huber-bau.deⓦwww.huber-bau.de",
        "ᵃwww.huber-bau.de",
        "ᵇhttp://www.huber-bau.de/",
    ] {
        is_fine(text);
    }
    is_edited("service@paypal.comⓦwww.evil.com");
}

#[test]
fn hyphens_of_word_processors_in_hosts_of_any_script() {
    for text in ["www.لوبایی‐لولوا.com", "www.müller–möbel.de", "http://www.книги‑почтой.рф/"]
    {
        is_fine(text);
    }
    is_edited("www.раypal‐login.com");
}
