//! Userinfo of running text that a careful reader ends early, and clients do not.

use super::enclosed::{caught, texts};
use super::*;

/// Any sign but those that people part words with: Mozilla goes on to the `@`.
#[test]
fn signs_behind_a_known_host() {
    let signs = "¡§«»·¿՝։؟۔׃।†‡…‖‰′″‹›※‼⁇⁕⸺？＃";
    for sign in signs.chars().chain(['\u{81}', '\u{9f}']) {
        caught("signs", &format!("https://www.paypal.com{sign}x@evil.example/"));
    }
    for url in [
        "https://www.paypal.com‖x.y-z†w@evil.example",
        "https://www.paypal.com††x@evil.example",
        "https://www.paypal.com：443@evil.example/",
        "https://www.paypal.com：443／signin@evil.example/",
        "https://www.paypal.com／signin@evil.example/x",
        "www.paypal.com＼signin@evil.example/x",
        "www.paypal.com-signin@evil.example",
        "www.paypal.com_signin@evil.example/login",
        "www.paypal.com.secure@evil.example/login",
        "http://paypal.com†x@evil.example:80/x",
        "ftp://www.paypal.com†x@evil.example/",
        "https://paypal.com†x@198.51.100.7/",
        "www.paypal.com†x@evil.example/x",
        "https://www.paypa1.com†x@evil.example/",
    ] {
        caught("signs", url);
        caught("signs", &format!("({url})"));
    }
}

/// An address that is glued to a URL.
#[test]
fn addresses_behind_a_known_host() {
    for text in [
        "https://www.paypal.com、service@paypal.com",
        "https://www.paypal.com†service@paypal.com",
        "https://www.paypal.com†somebody@gmail.com",
        "https://shop.example.org†info@example.com",
        "https://www.amazon.co.jp（info@shop.example.jp）",
        "https://www.amazon.co.jp，info@shop.example.jp",
        "https://www.amazon.co.jp：info@shop.example.jp",
        "https://www.amazon.co.jp、Email：info@shop.example.jp",
        "https://www.amazon.co.jp】info@shop.example.jp",
        "詳細はhttps://www.amazon.co.jp。お問い合わせはinfo@shop.example.jp",
        "詳細はhttps://www.amazon.co.jp※お問い合わせはinfo@shop.example.jp",
        "请登录“https://www.taobao.com”“bob@shop.example.cn”",
        "https://www.paypal.com–bob@shop.example.org",
        "www.paypal.com,bob@shop.example.org",
        "www.chris-jones@shop.example.org",
        "www.example.com-support@shop.example.org",
        "https://www.paypal.com•bob@shop.example.org",
        "https://www.facebook.com။info@shop.example.org",
        "https://www.paypal.com\u{2003}bob@shop.example.org",
        "https://www.amazon.co.jp\u{FFFD}\u{FFFD}info@shop.example.jp",
        "https://www.paypal.com/†bob@shop.example.org",
    ] {
        for message in texts(text) {
            let outcome = judge(&message);
            let fine = outcome.edits.is_empty() && outcome.verdict < Verdict::Suspect;
            assert!(fine, "{text}: {:?}", outcome.findings);
        }
    }
}

/// Punctuation of Big5 where a label says Latin 1.
#[test]
fn addresses_behind_a_known_host_in_another_charset() {
    let text = b"https://www.amazon.co.jp\xa1Ainfo@shop.example.jp\r\n";
    for message in everywhere("Content-Type: text/plain; charset=iso-8859-1\r\n", text) {
        let outcome = judge(&message);
        let fine = outcome.edits.is_empty() && outcome.verdict < Verdict::Suspect;
        assert!(fine, "{:?}", outcome.findings);
    }
}

/// Behind what reads as a slash browsers go on with the host whatever signs it has.
#[test]
fn signs_in_a_host_behind_what_reads_as_a_slash() {
    for sign in "!$&'()*+,;=~{}`".chars() {
        for slash in ['⁄', '∕', '╱', '⧸'] {
            caught("signs", &format!("https://paypal.com{slash}x{sign}.evil.com/"));
            caught("signs", &format!("https://www.paypal.com{slash}a{sign}b.evil.com/"));
            caught(
                "signs",
                &format!("https://www.paypal.com{slash}{sign}{sign}a.b{sign}b.evil.com"),
            );
        }
    }
    for text in [
        "https://www.paypal.com,www.ebay.com",
        "https://www.paypal.com!Go",
        "https://www.paypal.com(www.ebay.com)",
    ] {
        for message in texts(text) {
            assert!(judge(&message).edits.is_empty(), "{text}");
        }
    }
}
