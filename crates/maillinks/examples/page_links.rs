//! The links of a message on standard input, a line each: where it is, what is between, whether a reader sees it.
//! `cargo run -p maillinks --example page_links < message.eml`

use std::io::{self, Read};

use mailsplice::limits::SplitLimits;
use mailsplice::{Message, mime};
use uts58::tlds::{TldSet, TldTable};

/// Each link of each part, in every way that programs may read it.
fn links(raw: &[u8], tlds: &dyn TldSet) -> Vec<String> {
    let message = Message::split(raw);
    let tree = mime::parse(message, &SplitLimits::default());
    let mut found = Vec::new();
    for part in 0..tree.parts.len() {
        for reading in mime::all_readings(message, &tree, part) {
            for layer in maillinks::layers(reading.text.as_str(), reading.media) {
                let view = maillinks::read(&layer, tlds, 10_000);
                for one in &view.occurrences {
                    let text = view.seen.get(one.seen).map_or("", |seen| seen.as_str());
                    let link = text.get(one.span()).unwrap_or_default();
                    found.push(format!("{} {link} {:?}", one.place(&layer), one.visibility()));
                }
            }
        }
    }
    found
}

fn main() -> io::Result<()> {
    let mut raw = Vec::new();
    io::stdin().read_to_end(&mut raw)?;
    // A real program reads the list of IANA: data.iana.org/TLD/tlds-alpha-by-domain.txt.
    let tlds = TldTable::new(["com", "org"], "");
    links(&raw, &tlds).iter().for_each(|line| println!("{line}"));
    Ok(())
}

#[test]
fn a_page_shows_one_link_and_leads_to_another() {
    let raw = "Content-Type: text/html; charset=utf-8\r\n\r\n\
        <p>See <a href=\"https://evil.example.com/\">www.paypal.com</a>\r\n";
    let found = links(raw.as_bytes(), &TldTable::new(["com"], ""));
    assert!(
        found.iter().any(|link| link.starts_with("a[href] https://evil.example.com/ ")),
        "{found:?}"
    );
    assert!(found.iter().any(|link| link.starts_with("html-text www.paypal.com ")), "{found:?}");
}
