//! Edits a word of a message, then undoes the edit: `cargo run -p mailsplice --example undo`

use mailsplice::limits::SplitLimits;
use mailsplice::span::TextEdit;
use mailsplice::splice::{self, RestoreError, fields, undo};
use mailsplice::{Message, mime};

const MESSAGE: &str = "Subject: Lunch\r\n\
    Content-Type: text/plain; charset=utf-8\r\n\
    Content-Transfer-Encoding: base64\r\n\
    \r\n\
    Y2Fmw6kgYXQgZWlnaHQgbydjbG9jaw==\r\n";

/// The header block, with the recipe in it, and the body after `eight` has become `nine`.
fn edited(message: Message<'_>) -> (Vec<u8>, Vec<u8>) {
    let tree = mime::parse(message, &SplitLimits::default());
    let mut edits = Vec::new();
    if let Some(reading) = mime::all_readings(message, &tree, 0).next()
        && let Some(at) = reading.text.as_str().find("eight")
    {
        let edit = TextEdit { range: at..at + 5, replacement: "nine".into() };
        edits = mime::lower(message, &tree, 0, &reading, &[edit]).edits;
    }
    let recipe = undo::recipe(message.head, message.body, &edits, &[]);
    let (field, _) = fields::undo(&recipe, None, None);
    let mut head = message.head.to_vec();
    head.extend(format!("{}: {}\r\n", field.name, field.value.replace('\n', "\r\n")).bytes());
    (head, splice::apply(message.body, &edits).to_vec())
}

fn main() -> Result<(), RestoreError> {
    let message = Message::split(MESSAGE.as_bytes());
    let (head, body) = edited(message);
    print!("{}\r\n{}", String::from_utf8_lossy(&head), String::from_utf8_lossy(&body));
    let restored = splice::restore(&head, &body, None, |_| None)?;
    println!("restored, byte for byte: {}", restored.body == message.body);
    Ok(())
}

#[test]
fn the_edit_stays_in_base64_and_goes_without_a_trace() {
    let message = Message::split(MESSAGE.as_bytes());
    let (head, body) = edited(message);
    assert_eq!(body, b"Y2Fmw6kgYXQgbmluZSBvJ2Nsb2Nr\r\n");
    let restored = splice::restore(&head, &body, None, |_| None).unwrap();
    assert_eq!((restored.head, restored.body), (message.head.to_vec(), message.body.to_vec()));
}
