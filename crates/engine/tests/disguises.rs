//! Twins of known names in spellings that clients link and browsers map.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{edited, untouched};

#[test]
fn twins_of_known_names() {
    for host in [
        "www.раypal－login.com",
        "https://xn－－ypal-43d9g.com/x",
        "https://APPLΕ.COM",
        "CНASE.COM",
    ] {
        for kind in ["text/plain", "text/html"] {
            let body = format!("Please log in at {host} now.\r\n");
            edited(&format!("{kind}; charset=utf-8"), body.as_bytes());
        }
    }
    for host in ["www.example.com－example.org", "https://example.com－example.org/"] {
        let body = format!("see {host} now\r\n");
        untouched("text/plain; charset=utf-8", body.as_bytes());
    }
}

/// UTS #46 maps invisible characters to nothing, however many there are.
#[test]
fn invisible_characters_do_not_count() {
    for c in ["\u{ad}", "\u{200b}", "\u{fe0f}"] {
        let link = |before: &str, behind: &str| {
            let many = c.repeat(3_000);
            format!("<a href=\"https://{before}{many}{behind}/x\">here</a>\r\n")
        };
        edited("text/html; charset=utf-8", link("рау", "pal.com").as_bytes());
        untouched("text/html; charset=utf-8", link("exam", "ple.com").as_bytes());
    }
}

/// Letters and signs that read as a question mark, a hash, a slash, a dot or a hyphen.
#[test]
fn signs_behind_known_names() {
    for host in [
        "www.paypal.comʔlogin.example.com",
        "paypal.comɂx.example.com",
        "www.paypal.com♯login.example.com",
        "paypal.com⌗login.example.com",
        "www.paypal.com÷login.example.com",
        "paypal‧com.login.example.com",
        "paypal.com∙login.example.com",
        "paypal.comᐧlogin.example.com",
        "paypal.comꞏlogin.example.com",
        "www.paypal·login.com",
        "www.paypalꟷlogin.com",
    ] {
        let body = format!("<a href=\"https://{host}/\">here</a>\r\n");
        edited("text/html; charset=utf-8", body.as_bytes());
    }
    for host in ["www.col·legi.cat", "paral·lel.com", "skʔu.example.com", "www.musicʔs.com"] {
        let body = format!("<a href=\"https://{host}/\">here</a>\r\n");
        untouched("text/html; charset=utf-8", body.as_bytes());
    }
}
