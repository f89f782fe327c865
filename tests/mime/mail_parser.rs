//! mail-parser as a second parser: where it sees other parts than the engine.

use std::io::Write;

use linkmilter::engine::Message;
use linkmilter::engine::limits::Limits;
use linkmilter::engine::mime::{self, ClientView};
use mail_parser::{MessageParser, PartType};

use crate::corpus::messages;
use crate::oracle;

/// Most messages are read alike. The rest is listed with the number of leaves that each sees: labels in
/// conflict, lines that only one takes for a delimiter, headers without an end, panics of mail-parser.
#[test]
fn mail_parser_sees_the_same_parts() {
    let Some(messages) = messages("the second parser") else { return };
    let mut alike = 0;
    let mut others = Vec::new();
    for (name, raw) in &messages {
        let (head, separator, body) = oracle::split(raw);
        let tree = mime::parse(Message { head, body }, &Limits::default().structure());
        if !tree.bypasses.iter().all(|(_, why)| why.to_string() == "opaque") {
            others.push(format!("{name}: not read to the end: {:?}", tree.bypasses));
            continue;
        }
        let offset = head.len() + separator.len();
        let ours: Vec<(usize, usize)> = tree
            .parts
            .iter()
            .filter(|part| part.view == ClientView::Usual)
            .filter_map(mime::Part::raw_range)
            .map(|range| trimmed(raw, range.start + offset, range.end + offset))
            .collect();
        // It panics on some broken messages: one more reason to keep it off the mail path.
        match std::panic::catch_unwind(|| leaves(raw)) {
            Ok(theirs) if theirs == ours => alike += 1,
            Ok(theirs) => {
                others.push(format!("{name}: {} parts here, {} there", ours.len(), theirs.len()));
            }
            Err(_) => others.push(format!("{name}: mail-parser panics")),
        }
    }
    let list: String = others.iter().map(|line| format!("  {line}\n")).collect();
    // Not by `println!`, which a test that passes keeps to itself.
    let said = writeln!(
        std::io::stdout().lock(),
        "{alike} of {} messages split as by mail-parser; otherwise:\n{list}",
        messages.len()
    );
    said.unwrap();
    assert!(alike * 100 >= messages.len() * 97, "{} messages split otherwise", others.len());
}

/// Body ranges of the leaves that mail-parser finds, those of embedded messages among them.
fn leaves(raw: &[u8]) -> Vec<(usize, usize)> {
    let Some(message) = MessageParser::default().parse(raw) else { return Vec::new() };
    let mut found = Vec::new();
    let mut open = vec![&message];
    while let Some(message) = open.pop() {
        for part in &message.parts {
            match &part.body {
                PartType::Multipart(_) => {}
                // An encoded one has offsets of its own.
                PartType::Message(inner) => {
                    if matches!(part.encoding, mail_parser::Encoding::None) {
                        open.push(inner);
                    }
                }
                _ => found.push(trimmed(raw, part.offset_body as usize, part.offset_end as usize)),
            }
        }
    }
    found.sort_unstable();
    found
}

/// The range without line ends at its end, which one counts to the delimiter and one to the part.
fn trimmed(raw: &[u8], start: usize, end: usize) -> (usize, usize) {
    let text = raw.get(start..end).unwrap_or_default();
    let kept = text.iter().rposition(|b| !matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1);
    if kept == 0 { (start, start) } else { (start, start + kept) }
}
