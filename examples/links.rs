//! Links of a text, with where they lead: `echo 'サーバーexample.comです' | cargo run --example links`.

use std::io::{self, Read};

use linkmilter::engine::link::{Confidence, Linkifier, detect};
use linkmilter::tld;

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;

    println!("by the letter of UTS #58:");
    for link in detect(&text) {
        println!("  {}", &text[link.span]);
    }

    println!("as a reader sees them:");
    let tlds = tld::builtin();
    for link in Linkifier::new(&tlds).links(&text) {
        let doubt = if link.confidence == Confidence::Low { " (in doubt)" } else { "" };
        let href = link.href(&text).unwrap_or_default();
        println!("  {} -> {href}{doubt}", &text[link.inner..link.span.end]);
    }
    Ok(())
}
