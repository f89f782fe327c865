//! A chat program: typed text becomes HTML, its links become anchors.
//!
//! `echo 'サーバーexample.comです <3' | cargo run -p uts58 --example chat`

use std::io;

use uts58::html::linkify;
use uts58::tlds::TldTable;

/// The typed text as HTML.
fn bubble(typed: &str, tlds: &TldTable) -> String {
    format!("<p dir=\"auto\">{}</p>", linkify(typed, tlds))
}

fn main() -> io::Result<()> {
    // A real program reads the list of IANA: data.iana.org/TLD/tlds-alpha-by-domain.txt.
    let tlds = TldTable::new(["com", "org", "xn--p1ai"], "");
    for typed in io::stdin().lines() {
        println!("{}", bubble(&typed?, &tlds));
    }
    Ok(())
}

#[test]
fn links_are_anchors_and_markup_is_text() {
    let tlds = TldTable::new(["com"], "");
    assert_eq!(
        bubble("サーバーexample.comです <3", &tlds),
        "<p dir=\"auto\">サーバー<a href=\"http://example.com\">example.com</a>です &lt;3</p>"
    );
}
