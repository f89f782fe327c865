//! A web page with comments of strangers: links become anchors, but none that imitates another.
//!
//! `echo 'see раypal.com and example.org' | cargo run -p homograph --example web_page`

use std::io;

use homograph::linkify::{Options, linkify};
use homograph::{Context, HostBounds, Names, RestrictionLevel};
use uts58::tlds::TldTable;

/// A comment as HTML.
fn comment(text: &str) -> String {
    // A real program makes these once, and reads the list of IANA:
    // data.iana.org/TLD/tlds-alpha-by-domain.txt.
    let (protected, none, tlds) =
        (Names::builtin(), Names::default(), TldTable::new(["com", "org"], ""));
    let context = Context {
        level: RestrictionLevel::HighlyRestrictive,
        protected: &protected,
        own: &none,
        blocked: &none,
        tlds: &tlds,
        bounds: HostBounds::Prose,
    };
    linkify(text, &Options::default(), &context)
}

fn main() -> io::Result<()> {
    for line in io::stdin().lines() {
        println!("<p>{}</p>", comment(&line?));
    }
    Ok(())
}

#[test]
fn a_mimic_is_shown_in_punycode_and_leads_nowhere() {
    assert_eq!(
        comment("see раypal.com and example.org"),
        "see xn--ypal-43d9g.com and <a href=\"http://example.org\">example.org</a>"
    );
}
