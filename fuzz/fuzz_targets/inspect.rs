//! Any bytes as a message: the engine does not panic, every edit is in order and within the body, an
//! unedited message is itself, an edited one comes back from its recipe, a second run edits nothing.
//!
//! Seeds: `corpus/*.eml`. Run: `tests/run fuzz`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linkmilter::engine::outcome::Bypass;
use linkmilter::engine::policy::Defang;
use linkmilter::engine::{Answers, Facts, Message, Policy, TldTable, inspect, splice};

fuzz_target!(|bytes: &[u8]| {
    let (way, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let split = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) = match split {
        Some(at) => (&bytes[..at + 2], &bytes[at + 4..]),
        None => (&b"Content-Type: text/html; charset=utf-8\r\n"[..], bytes),
    };
    let tlds = TldTable::new(["com", "org", "jp", "xn--p1ai"], "");
    let policy = Policy {
        defang: if way & 1 == 0 { Defang::All } else { Defang::Judged },
        undo_header_bytes: None,
        ..Policy::default()
    };
    let message = Message { head, body };
    let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
    let mut at = 0;
    for edit in &outcome.edits {
        assert!(at <= edit.range.start && edit.range.start <= edit.range.end);
        assert!(edit.range.end <= body.len());
        at = edit.range.end;
    }
    let edited = splice::apply(body, &outcome.edits).to_vec();
    if outcome.edits.is_empty() {
        assert_eq!(edited, body);
        return;
    }
    let new_head = splice::apply_head(head, &outcome.head_edits);
    // A header that begins with white space continues whatever stands before it.
    if head.first().is_some_and(u8::is_ascii_graphic) {
        let mut new = Vec::new();
        for field in &outcome.fields {
            let value = field.value.replace('\n', "\r\n");
            new.extend_from_slice(format!("{}: {value}\r\n", field.name).as_bytes());
        }
        new.extend_from_slice(&new_head);
        let restored = splice::restore(&new, &edited, None, |_| None).expect("a recipe that fits");
        assert_eq!(restored.body, body);
    }
    // What a limit cut off stays unread, and it may be another stretch the second time.
    if outcome.bypasses.iter().all(|(_, why)| matches!(why, Bypass::Opaque)) {
        let message = Message { head: &new_head, body: &edited };
        let again = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
        assert_eq!(again.edits, [], "left in {:?}", String::from_utf8_lossy(&edited));
    }
});
