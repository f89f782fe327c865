//! What `tests/run peers` asks of Rust: reads a JSON array of texts, writes an object: finder -> array of the
//! links of each text, as they stand in it; `format` holds what `uts58::format` makes of each text.

use std::io::{self, Read};

use bindings_core::{Take, Unit, links};
use linkify::{LinkFinder, LinkKind};
use serde_json::json;

fn main() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let texts: Vec<String> = serde_json::from_str(&input)?;
    let mut finder = LinkFinder::new();
    finder
        .url_must_have_scheme(false)
        .url_can_be_iri(true)
        .kinds(&[LinkKind::Url, LinkKind::Email]);
    let by_finder =
        |text: &String| finder.links(text).map(|link| link.as_str().to_owned()).collect();
    let by_letter = |text: &String| {
        uts58::detect(text).filter_map(|link| Some(text.get(link.span)?.to_owned())).collect()
    };
    let answer = json!({
        "linkify": texts.iter().map(by_finder).collect::<Vec<Vec<String>>>(),
        "detect": texts.iter().map(by_letter).collect::<Vec<Vec<String>>>(),
        "uts58": texts.iter().map(|text| linked(text)).collect::<Vec<Vec<String>>>(),
        "format": texts.iter().map(|text| uts58::format(text)).collect::<Vec<String>>(),
    });
    println!("{answer}");
    Ok(())
}

/// The links that `linkify` makes anchors of.
fn linked(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let spelled =
        |start: usize, end: usize| chars.get(start..end).unwrap_or_default().iter().collect();
    let links = links(text, Unit::CodePoint, Take::All).into_iter().filter(|link| link.linked);
    links.map(|link| spelled(link.start, link.end)).collect()
}
