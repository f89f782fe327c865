//! Links: spans on character boundaries, in order, disjoint; ends as the transcription of UTS #58
//! §3.5.1 has them; what is formatted is found whole, formats to itself and keeps its parts.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use linkmilter::engine::TldTable;
use linkmilter::engine::link::{Link, Linkifier, Url, detect, format};
use linkmilter::tld;

#[path = "../../tests/common/transcription.rs"]
mod transcription;

static TLDS: LazyLock<TldTable> = LazyLock::new(tld::builtin);

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut strict = detect(&text);
    let links: Vec<Link> = strict.by_ref().collect();
    well_formed(&text, &links);
    assert!(strict.steps() <= 24 * text.len() as u64, "more than linear");
    for link in &links {
        if !link.tail.is_empty() {
            assert_eq!(link.span.end, transcription::link_end(&text, link.tail.start));
        }
    }
    let mut lenient = Linkifier::new(&*TLDS).links(&text);
    well_formed(&text, &lenient.by_ref().collect::<Vec<_>>());
    assert!(lenient.steps() <= 24 * text.len() as u64, "more than linear");

    let half = text.floor_char_boundary(text.len() / 2);
    well_formed(&text[..half], &detect(&text[..half]).collect::<Vec<_>>());

    let url = format!("http://example.com/{text}");
    let once = format(&url);
    assert_eq!(format(&once), once);
    assert_eq!(Url::parse(&once).pieces(), Url::parse(&url).pieces());
    let alone = format!(" {once} ");
    let found: Vec<_> = detect(&alone).map(|link| link.span).collect();
    assert_eq!(found, [1..alone.len() - 1]);
});

fn well_formed(text: &str, links: &[Link]) {
    let mut at = 0;
    for link in links {
        assert!(
            at <= link.span.start && link.span.start <= link.inner && link.inner < link.span.end
        );
        for part in [&link.span, &link.host, &link.tail] {
            assert!(link.span.start <= part.start && part.end <= link.span.end);
            assert!(text.get(part.clone()).is_some());
        }
        at = link.span.end;
    }
}
