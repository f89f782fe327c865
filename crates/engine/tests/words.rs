//! Words of running text with a dot between them, lists and files: no host that anybody means.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::prose::{edited, harmless, outcome, reported, suspect, untouched};
use linkmilter_engine::Verdict;

#[test]
fn japanese_has_hiragana_and_katakana_in_one_word() {
    harmless(&[
        "首相、ベトナムへ。中国に対抗し協力を強化",
        "次の旅は、イタリアへ。世界遺産をめぐる7日間",
        "マカオへ。香港経由で",
        "この夏はグアムへ。みんなで行こう",
        "ハワイへ。ポイントも貯まる",
        "https://ハワイへ.jp/ https://へアサロン.jp/ https://ようこそヘ.jp/",
    ]);
}

#[test]
fn abbreviations_have_particles() {
    harmless(&[
        "特集、EVへ。世界の潮流",
        "出資先、OpenAIへ。中国の研究者",
        "乗換、JRへ。みんなで",
        "採用、Microsoftロ。中国",
        "AIし。世界、PC一。中国、IT十。世界、Googleノ。中国",
        "https://jrへ.com https://g7へ.jp",
        "该标准分为Ⅰ、Ⅱ。中国标准，第Ⅳ季度。香港",
        "使用α。中国学者，价格500￥。中国",
    ]);
    edited(&[
        "https://www.paypal.comへ.jp/",
        "https://microsoftへ.com/",
        "https://paypalへ.jp/",
        "https://yaho口.com/",
        "https://www.paypal.comノlogin.jp/",
        "https://paypal.com丶login.cn/",
        "https://раypal。中国",
    ]);
    reported(&["https://hell口.com"]);
    suspect(&["www.paypal.com一x。中国"]);
}

#[test]
fn acronyms_of_hebrew_have_a_sign_before_their_last_letter() {
    harmless(&["https://צה״ל.com/ צה״ל.com חב״ד.com", "https://www.ארה״ב.com", "https://ג׳ל.com"]);
    edited(&["https://\u{5F4}р\u{430}ypal.com/"]);
}

#[test]
fn numbers_stand_before_countries() {
    harmless(&[
        "١.السعودية\r\n٢.مصر\r\n٣.قطر",
        "عقد المؤتمر عام 2024م.السعودية هي الدولة المضيفة",
        "وفي ٢٠٢٣.مصر",
        "این شرکت در سال ۱۴۰۳.ایران",
        "تلفن: ۰۲۱۸۸۷۶۵۴.ایران",
        "١.info@example.com\r\n٢.info@example.de\r\n٣.example.com",
        "۱.پاکستان",
        "১.example.com",
        "১.google.com\r\n२.google.com",
    ]);
    edited(&["https://١раypal.com/", "١.раypal.com"]);
}

#[test]
fn arabic_words_are_stretched() {
    harmless(&[
        "نرحب بكم في جمهوريـة.مصر العربية",
        "بتاريخ ١٤٤٦هـ.السعودية",
        "زوروا بـمثال.السعودية",
        "https://مـثال.السعودية/ www.مثـال.com info@مـثال.مصر",
    ]);
    reported(&["https://googـle.com/", "https://www.payـpal.com/"]);
}

#[test]
fn marks_of_lists_stand_before_names() {
    harmless(&[
        "①.google.com\r\n②.example.de\r\nⅢ.example.de",
        "Ⅰ.рф\r\nⅡ.москва\r\nⅢ.Services\r\n1º.Media nº.Media 2ª.Media ½.example.com ⓐ.example.com",
        "Ⅰ．公司概况\r\nⅡ．公司治理",
        "Ⅰ.info@example.de\r\nⅡ.info@example.de",
        "1º.info@example.pt\r\n2ª.info@example.es\r\nnº.info@example.pt",
        "<a href=\"mailto:Acme™.info@example.com\">x</a>",
    ]);
    edited(&["https://ⓟaypal.com/", "https://Ⅰ.раypal.com/", "Ⅰ.раypal.com", "ⓟⓐⓨⓟⓐⓛ.com"]);
}

#[test]
fn files_have_words_between_underscores() {
    harmless(&["README_рус.md, manual_рус.zip, IT_ОАО.zip"]);
    edited(&["https://раypal_x.com/", "https://README_рус.md/"]);
}

#[test]
fn joiners_stand_before_hosts() {
    harmless(&[
        "\u{200C}www.müller-bäckerei.de",
        "\u{200C}müller-bäckerei.de",
        "\u{200D}\u{200C}www.bücher.com",
    ]);
    edited(&["\u{200C}www.раypal.com", "\u{200C}раypal.com"]);
    untouched(&["\u{200C}www.example.com"]);
}

#[test]
fn servers_are_numbered() {
    harmless(&[
        "Host app13.firma.de is DOWN (app12.firma.de OK), shop33.firma.de, post3.firma.de, mon20.firma.de",
        "https://open41.example.com/",
    ]);
    suspect(&[
        "https://paypa1.example.com/",
        "https://appl3.example.com/",
        "https://app13.com/",
        "https://goog1e.example.com/",
    ]);
}

#[test]
fn a_word_before_a_host_is_a_login() {
    harmless(&[
        "git clone https://firma@dev.azure.com/firma/Projekt/_git/repo",
        "DSN=https://0123abcd@o123.ingest.sentry.io/456",
        "https://ann@bitbucket.org/firma/repo.git",
        "https://имя-пользователя:пароль@example.com/",
        "ftp://nazwa-użytkownika@ftp.example.com/",
        "https://用户名:密码@example.com/",
        "sftp://사용자@example.com/",
        "ftp://felhasználónév@ftp.example.com/",
        "https://उपयोगकर्ता@example.com/",
    ]);
    suspect(&[
        "https://paypal@example.com/",
        "https://microsoft-login@example.com/",
        "https://www.paypal.com@example.com/",
        "https://xn--80ak6aa92e@example.com/",
        "https://firma@paypa1.com/",
        "https://сбербанк@example.com/",
        "https://раураl@example.com/",
        "https://аррӏе:пароль@example.com/",
        "https://支付宝:密码@example.com/",
        "https://пользователь:раураl@example.com/",
        "https://имя／x@example.com/",
        "https://bankʔ@example.com/",
        "https://имя@paypa1.com/",
    ]);
}

#[test]
fn reports_say_what_was_sent() {
    let report = |root: &str, tag: &str, host: &str| {
        format!("<?xml version=\"1.0\"?><{root}><record><{tag}>{host}</{tag}></record></{root}>")
    };
    for tag in ["domain", "header_from", "envelope_from"] {
        let report = report("feedback", tag, "xn--80ak6aa92e.com");
        for kind in ["text/xml", "application/xml", "text/plain"] {
            assert!(!outcome(kind, &report).1, "{kind} {report}");
        }
        assert!(outcome("text/html", &report).1, "{report}");
    }
    for lie in [
        report("feedback", "domain", "аррӏе.com"),
        report("feedback", "domain", "https://xn--80ak6aa92e.com"),
        report("feedback", "domain", "https://xn--80ak6aa92e.com/"),
        report("feedback", "a", "xn--80ak6aa92e.com"),
        report("message", "domain", "xn--80ak6aa92e.com"),
    ] {
        assert!(outcome("text/xml", &lie).1, "{lie}");
    }
}

#[test]
fn marks_beside_a_host_are_no_letters_of_it() {
    let worst = |text: &str| {
        let head = "Content-Type: text/plain; charset=utf-8";
        let found = common::outcome(head, format!("{text}\r\n").as_bytes());
        found.findings.iter().map(|finding| finding.verdict).max()
    };
    for text in [
        "ⓒgoogle.com",
        "사진=ⓒgoogle.com",
        "사진ⓒamazon.com 무단전재",
        "㊙amazon.com",
        "①amazon.co.jp②rakuten.co.jp",
        "(art.1º.No reembolsable)",
        "La casa nº12.No era",
        "n.º12.de",
        "Артикул№А12.ru",
        "www.школа-№5.рф",
        "http://chase№1.com/",
        "https://школа-№5.рф/",
        "Багаж 2×23kg.1×8kg.no",
    ] {
        assert!(worst(text) <= Some(Verdict::Notice), "{text} {:?}", worst(text));
    }
    for text in [
        "ⓟaypal.com",
        "ⓒitibank.com",
        "https://ⓒgoogle.com/",
        "www.ⓒgoogle.com",
        "①раypal.com②rakuten.co.jp",
        "g0ºgle.com",
        "gооgle№12.com",
        "раураl№1.com",
        "https://www.сбербaнк-№1.рф/",
        "https://www.paypal№1.com/",
        "www.сайт№.рф",
        "e×ample.com",
    ] {
        assert!(worst(text) >= Some(Verdict::Suspect), "{text} {:?}", worst(text));
    }
}
