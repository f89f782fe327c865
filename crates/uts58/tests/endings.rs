//! Where links end in text of other scripts (`endings.tsv`): each row is a named test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use uts58::Linkifier;
use uts58::tlds::TldTable;

/// Cases from users' requests.
const CASES: usize = 23;

fn marked(text: &str) -> String {
    let tlds = TldTable::new(["com", "xn--fiqs8s"], "");
    let mut out = String::new();
    let mut at = 0;
    for link in Linkifier::new(&tlds).links(text).filter(|link| link.anchor(text, &tlds).is_some())
    {
        out.push_str(&text[at..link.inner]);
        out.push_str(&format!("⸠{}⸡", &text[link.inner..link.span.end]));
        at = link.span.end;
    }
    out + &text[at..]
}

#[test]
fn links_end_where_users_say() {
    let rows: Vec<(&str, &str)> = include_str!("endings.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').unwrap())
        .collect();
    assert_eq!(rows.len(), CASES);
    for (ending, text) in rows {
        assert_eq!(marked(&text.replace(['⸠', '⸡'], "")), text, "{ending}");
    }
}
