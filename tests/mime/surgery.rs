//! Edits a message at every mark, and says where the result is not what the oracle expects.

use linkmilter::engine::Message;
use linkmilter::engine::fields::{self, Describe};
use linkmilter::engine::limits::Limits;
use linkmilter::engine::mime::{self, ClientView, Lowering, Media, TextEdit, Transfer, Tree};
use linkmilter::engine::outcome::Outcome;
use linkmilter::engine::splice::{apply, apply_head, restore};

use crate::oracle;

/// What is edited: every place that begins so.
const MARK: &str = "http";

/// What takes the place of the n-th mark of a part: shorter, as long, longer, much longer.
fn replacement(n: usize) -> &'static str {
    const FORMS: [&str; 7] = [
        "hxxp",
        "h",
        "hxxp[.]",
        "",
        "hxxp+~=?",
        "hxxp:xn--80ak6aa92e[.]example/0123456789/0123456789/0123456789/0123456789/0123456789",
        "hx",
    ];
    FORMS[n % FORMS.len()]
}

/// The edits of a text, as offsets.
fn edits(text: &str) -> Vec<TextEdit> {
    text.match_indices(MARK)
        .enumerate()
        .map(|(n, (at, _))| TextEdit {
            range: at..at + MARK.len(),
            replacement: replacement(n).to_owned().into(),
        })
        .collect()
}

/// The same, as a text.
fn replaced(text: &str) -> String {
    let mut pieces = text.split(MARK);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for (n, piece) in pieces.enumerate() {
        out.push_str(replacement(n));
        out.push_str(piece);
    }
    out
}

/// What one message came to.
#[derive(Debug, Default)]
pub struct Report {
    pub parts: usize,
    pub edits: usize,
    pub recoded: usize,
    pub undo_bytes: usize,
    /// HTML parts that got a line end beside an edit.
    pub broken_lines: usize,
    /// Parts in a charset that the oracle lacks.
    pub beyond_oracle: usize,
    /// The oracle splits or decodes the message otherwise: what its parts say afterwards is not compared.
    pub read_otherwise: bool,
    pub wrong: Vec<String>,
}

/// Splits a message, edits every mark in the first reading of every text part, checks all of it.
pub fn operate(raw: &[u8]) -> Report {
    let mut report = Report::default();
    let (head, separator, body) = oracle::split(raw);
    let message = Message { head, body };
    let tree = mime::parse(message, &Limits::default().structure());
    let leaves = oracle::leaves(head, body);
    compare(message, &tree, &leaves, &mut report);

    let mut lowering = Lowering::new(message, &tree);
    let mut texts = Vec::new();
    for (index, part) in usual(&tree) {
        let Some(reading) = mime::all_readings(message, &tree, index).next() else {
            continue;
        };
        if reading.transfer == Transfer::Uuencode {
            continue;
        }
        let edits = edits(reading.text.as_str());
        report.edits += edits.len();
        lowering.add(index, &reading, edits);
        texts.push((part.path.clone(), reading.charset.name(), part.media));
    }
    let lowered = lowering.finish();
    report.recoded = lowered.recoded.len();
    in_order(&lowered.edits, body.len(), &mut report);

    let mut outcome =
        Outcome { edits: lowered.edits, head_edits: lowered.head, ..Outcome::default() };
    let new_body = apply(body, &outcome.edits).to_vec();
    let new_head = apply_head(head, &outcome.head_edits);
    check_texts(&leaves, &oracle::leaves(&new_head, &new_body), &texts, &mut report);
    check_lines(body, &new_body, &mut report);

    fields::describe(
        &mut outcome,
        Describe {
            head,
            body,
            by: "test.example",
            rules: "default",
            recoded: &lowered.recoded,
            undo_header_bytes: None,
            seal_key: None,
        },
    );
    let changed = !outcome.edits.is_empty();
    let line_end = if separator == b"\n" { "\n" } else { "\r\n" };
    let mut filtered = new_head;
    for field in &outcome.fields {
        report.undo_bytes += if field.name == "X-Linkmilter-Undo" { field.value.len() } else { 0 };
        let value = field.value.replace('\n', line_end);
        filtered.extend_from_slice(format!("{}: {value}{line_end}", field.name).as_bytes());
    }
    match restore(&filtered, &new_body, None, |_| None) {
        Ok(restored) if restored.head == head && restored.body == body => {}
        Ok(restored) => report.wrong.push(format!(
            "restored otherwise: head {}, body {}",
            restored.head == head,
            restored.body == body
        )),
        Err(error) if changed => report.wrong.push(format!("not restored: {error}")),
        Err(_) => {}
    }
    report
}

/// The parts that most clients see.
fn usual(tree: &Tree) -> Vec<(usize, &mime::Part)> {
    tree.parts.iter().enumerate().filter(|(_, part)| part.view == ClientView::Usual).collect()
}

/// The same parts, with the same bytes and the same text.
fn compare(message: Message<'_>, tree: &Tree, leaves: &[oracle::Leaf], report: &mut Report) {
    let parts = usual(tree);
    let parts: Vec<_> = parts
        .into_iter()
        // Blocks of uuencode in a text are parts of the engine only.
        .filter(|(_, part)| {
            part.transfer() != Transfer::Uuencode || leaves.iter().any(|l| l.path == part.path)
        })
        .collect();
    report.parts += parts.len();
    let ours: Vec<&str> = parts.iter().map(|(_, part)| part.path.as_str()).collect();
    let theirs: Vec<&str> = leaves.iter().map(|leaf| leaf.path.as_str()).collect();
    if ours != theirs {
        report.read_otherwise = true;
        report.wrong.push(format!("parts {ours:?}, the oracle says {theirs:?}"));
        return;
    }
    for ((index, part), leaf) in parts.iter().zip(leaves) {
        let ours = tree.content(message, *index);
        // Programs differ over which bytes are the content: the engine reads those of the oracle as well.
        let mut same_path = (0..tree.parts.len()).filter(|at| tree.parts[*at].path == leaf.path);
        if ours != leaf.raw && same_path.any(|at| tree.content(message, at) == leaf.raw) {
            report.read_otherwise = true;
            continue;
        }
        if ours != leaf.raw && !holds_blocks(tree, &part.path) {
            let same = ours.iter().zip(&leaf.raw).take_while(|(a, b)| a == b).count();
            let (ours, theirs) = (ours.len(), leaf.raw.len());
            report.read_otherwise = true;
            report.wrong.push(format!(
                "{}: other bytes from {same} on: {ours}, the oracle has {theirs}",
                part.path
            ));
            continue;
        }
        let Some(reading) = mime::all_readings(message, tree, *index).next() else {
            continue;
        };
        let bytes = oracle::unwrap(&leaf.transfer, &leaf.raw);
        match oracle::text(&reading.charset.name(), &bytes) {
            None => report.beyond_oracle += 1,
            Some(text) if text == reading.text.as_str() => {}
            Some(text) => {
                let same =
                    text.bytes().zip(reading.text.as_str().bytes()).take_while(|(a, b)| a == b);
                report.read_otherwise = true;
                report.wrong.push(format!(
                    "{}: other text in {} from byte {}",
                    part.path,
                    reading.charset.name(),
                    same.count()
                ));
            }
        }
    }
}

/// Whether a text part was unwrapped for the uuencoded blocks in it.
fn holds_blocks(tree: &Tree, path: &str) -> bool {
    let prefix = format!("{path}.");
    tree.parts.iter().any(|part| part.path.starts_with(&prefix))
}

fn in_order(edits: &[linkmilter::engine::outcome::RawEdit], length: usize, report: &mut Report) {
    let mut at = 0;
    for edit in edits {
        if edit.range.start < at || edit.range.end < edit.range.start || edit.range.end > length {
            report.wrong.push(format!("edit {:?} out of order", edit.range));
        }
        at = edit.range.end;
    }
}

/// Every part says what it said, with the marks replaced and nothing else.
fn check_texts(
    before: &[oracle::Leaf],
    after: &[oracle::Leaf],
    texts: &[(String, String, Media)],
    report: &mut Report,
) {
    if before.len() != after.len() {
        report.wrong.push(format!("{} parts became {}", before.len(), after.len()));
        return;
    }
    for (old, new) in before.iter().zip(after) {
        let Some((_, charset, media)) = texts.iter().find(|(path, ..)| *path == old.path) else {
            if old.raw != new.raw {
                report.wrong.push(format!("{}: no text, but edited", old.path));
            }
            continue;
        };
        let read =
            |leaf: &oracle::Leaf| oracle::text(charset, &oracle::unwrap(&leaf.transfer, &leaf.raw));
        let (Some(old_text), Some(new_text)) = (read(old), read(new)) else { continue };
        let want = replaced(&old_text);
        if want == new_text {
            continue;
        }
        let joined = |text: &str| text.replace(['\r', '\n'], "");
        if *media == Media::Html && joined(&want) == joined(&new_text) {
            report.broken_lines += 1;
            continue;
        }
        let same = want.bytes().zip(new_text.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| {
            String::from_utf8_lossy(
                &text.as_bytes()[same.saturating_sub(20)..(same + 40).min(text.len())],
            )
            .into_owned()
        };
        report.wrong.push(format!(
            "{} ({charset}, {}): after the edit {:?}, expected {:?}",
            old.path,
            new.transfer,
            near(&new_text),
            near(&want)
        ));
    }
}

/// No edit makes a line over 998 bytes.
fn check_lines(old: &[u8], new: &[u8], report: &mut Report) {
    let longest = |bytes: &[u8]| {
        bytes
            .split(|b| *b == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line).len())
            .max()
            .unwrap_or(0)
    };
    let (before, after) = (longest(old), longest(new));
    if after > before.max(998) {
        report.wrong.push(format!("a line of {after} bytes; the longest was {before}"));
    }
}
