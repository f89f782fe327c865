//! The header fields of a recall: `X-Linkmilter` with `recall=HOSTS`, and the undo recipe.

use crate::engine::splice::fields::{SUMMARY, UNDO, header_fields};
use crate::engine::splice::is_ours;

/// Marks a recall in the summary field.
pub(super) const RECALL: &str = "recall=";

/// The hosts of each recall in a header, the last recall first. Anybody may have written these
/// fields.
pub fn recalls(head: &[u8]) -> impl Iterator<Item = Vec<String>> {
    header_fields(head)
        .filter(|field| field.is_named(head, SUMMARY.as_bytes()))
        .map(|field| recalled_hosts(&field.text(head)))
        .filter(|hosts| !hosts.is_empty())
}

/// The hosts in the summary field of a recall.
fn recalled_hosts(summary: &str) -> Vec<String> {
    let hosts = summary.split("; ").find_map(|part| part.strip_prefix(RECALL));
    // A name that is too long for a line was folded.
    let unfolded = |host: &str| host.split_ascii_whitespace().collect::<String>();
    hosts.map_or_else(Vec::new, |hosts| hosts.split(',').map(unfolded).collect())
}

/// The header fields of the last recall. The recipe is the last of them.
pub(super) struct LastRecall {
    pub hosts: Vec<String>,
    pub recipe: Option<String>,
    /// Bytes of the header that these fields take.
    pub end: usize,
}

impl LastRecall {
    pub fn of(head: &[u8]) -> Option<LastRecall> {
        let mut last: Option<LastRecall> = None;
        for field in header_fields(head) {
            let first = last.is_none();
            let at = last.as_ref().map_or(0, |last| last.end);
            let summary = field.is_named(head, SUMMARY.as_bytes());
            let belongs = field.line.start == at && is_ours(field.name(head)) && summary == first;
            if !belongs {
                break;
            }
            let text = field.text(head);
            let last = last.get_or_insert_with(|| LastRecall {
                hosts: recalled_hosts(&text),
                recipe: None,
                end: 0,
            });
            last.end = field.line.end;
            if field.is_named(head, UNDO.as_bytes()) {
                last.recipe = Some(text);
                break;
            }
        }
        last.filter(|last| !last.hosts.is_empty())
    }
}
