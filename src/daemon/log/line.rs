//! One log event as one line: as text, as JSON, and in the protocol of journald.

use std::fmt::{self, Write};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level};

use crate::record::time::Timestamp;

/// Target, and name in JSON, of the line of one message. Its text says everything, so its fields are for machines
/// only.
pub const MESSAGE_TARGET: &str = "message";

/// Longest line and longest value, in characters: below what journald takes in one datagram.
const MAX_CHARS: usize = 8_192;

/// syslog's facility for mail (RFC 5424 §6.2.1).
const FACILITY_MAIL: u8 = 2;

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineForm {
    Text,
    Json,
    /// The native protocol of journald: one datagram for each line.
    Journald,
}

/// A log event as text. All of it is printable ASCII.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    time: Timestamp,
    level: Level,
    /// What kind of event it is: the same text each time.
    name: String,
    message: String,
    /// Sorted by name.
    fields: Vec<(&'static str, Value)>,
}

impl LogLine {
    /// A line with nothing but a message.
    pub fn new(time: Timestamp, level: Level, message: &str) -> LogLine {
        let message = printable(message);
        LogLine { time, level, name: message.clone(), message, fields: Vec::new() }
    }

    /// The message, followed by the error (`error`) and the other fields, as far as this form shows them.
    pub fn of(event: &Event<'_>, time: Timestamp, form: LineForm) -> LogLine {
        let is_message = event.metadata().target() == MESSAGE_TARGET;
        let mut fields =
            Fields { message_only: is_message && form == LineForm::Text, ..Fields::default() };
        event.record(&mut fields);
        let Fields { mut message, mut fields, .. } = fields;
        fields.sort_unstable_by_key(|(name, _)| *name);
        let name = if is_message {
            MESSAGE_TARGET.to_owned()
        } else {
            let name = printable(&message);
            append_fields(&mut message, &fields);
            name
        };
        let level = *event.metadata().level();
        LogLine { time, level, name, message: printable(&message), fields }
    }

    /// The line in this form, with a line end if the form has one. In JSON the key `line` holds its text, beside
    /// the fields, and `message` names the kind of event.
    pub fn bytes(&self, form: LineForm) -> Vec<u8> {
        match form {
            LineForm::Text => {
                format!("{} {} {}\n", self.time, self.level, self.message).into_bytes()
            }
            LineForm::Json => self.json(),
            LineForm::Journald => self.journald(),
        }
    }

    fn json(&self) -> Vec<u8> {
        let mut object = Map::new();
        object.insert("timestamp".to_owned(), self.time.to_string().into());
        object.insert("level".to_owned(), self.level.as_str().into());
        object.insert("message".to_owned(), self.name.as_str().into());
        object.insert("line".to_owned(), self.message.as_str().into());
        for (name, value) in &self.fields {
            object.entry(*name).or_insert_with(|| value.clone());
        }
        let mut bytes = Value::Object(object).to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }

    /// Lines of `NAME=value`: no value holds a line end.
    fn journald(&self) -> Vec<u8> {
        let mut out = String::new();
        let priority = match self.level {
            Level::ERROR => 3,
            Level::WARN => 4,
            Level::INFO => 6,
            _ => 7,
        };
        // Writing to a String cannot fail, here and below.
        let _ = write!(
            out,
            "MESSAGE={}\nPRIORITY={priority}\nSYSLOG_FACILITY={FACILITY_MAIL}\n\
             SYSLOG_IDENTIFIER=linkmilter\nSYSLOG_PID={}\n",
            self.message,
            std::process::id()
        );
        for (name, value) in &self.fields {
            let _ = writeln!(out, "LINKMILTER_{}={}", name.to_uppercase(), shown(value));
        }
        out.into_bytes()
    }
}

/// Appends the fields to the message: the error after a colon, the others in brackets.
fn append_fields(message: &mut String, fields: &[(&str, Value)]) {
    if let Some((_, error)) = fields.iter().find(|(name, _)| *name == "error") {
        let _ = write!(message, ": {}", shown(error));
    }
    let rest: Vec<String> = fields
        .iter()
        .filter(|(name, value)| *name != "error" && !is_empty(value))
        .map(|(name, value)| format!("{name}={}", shown(value)))
        .collect();
    if !rest.is_empty() {
        let _ = write!(message, " ({})", rest.join(", "));
    }
}

fn is_empty(value: &Value) -> bool {
    value == &Value::from(0) || value.as_str() == Some("")
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The text as one line: line ends become `; `, and what is not printable ASCII is written as its code.
fn printable(text: &str) -> String {
    if text.len() <= MAX_CHARS && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars().take(MAX_CHARS) {
        match c {
            '\n' => out.push_str("; "),
            ' '..='~' => out.push(c),
            '\r' => {}
            _ => out.extend(c.escape_unicode()),
        }
    }
    out
}

#[derive(Debug, Default)]
struct Fields {
    message: String,
    fields: Vec<(&'static str, Value)>,
    /// Whether all fields but the message are skipped.
    message_only: bool,
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl FnOnce() -> Value) {
        if !self.message_only {
            self.fields.push((field.name(), value()));
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            _ => self.put(field, || printable(value).into()),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, || value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, || value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, || value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> LogLine {
        let mut line = LogLine::new(
            Timestamp(1_763_715_635_123),
            Level::ERROR,
            "not kept: disk\nfull \u{202e}\u{7}",
        );
        line.fields = vec![("more", 3.into()), ("path", "/var".into())];
        line
    }

    #[test]
    fn the_same_line_in_every_form() {
        let message = r"not kept: disk; full \u{202e}\u{7}";
        let text = String::from_utf8(line().bytes(LineForm::Text)).unwrap();
        assert_eq!(text, format!("2025-11-21T09:00:35.123Z ERROR {message}\n"));
        let json: Value = serde_json::from_slice(&line().bytes(LineForm::Json)).unwrap();
        assert_eq!((&json["line"], &json["more"]), (&message.into(), &3.into()));
        let sent = String::from_utf8(line().bytes(LineForm::Journald)).unwrap();
        let lines: Vec<&str> = sent.lines().collect();
        assert_eq!(lines[0], format!("MESSAGE={message}"));
        for field in
            ["PRIORITY=3", "SYSLOG_FACILITY=2", "LINKMILTER_PATH=/var", "LINKMILTER_MORE=3"]
        {
            assert!(lines.contains(&field), "{field} in {sent}");
        }
        assert!(lines.iter().all(|line| line.contains('=')), "{sent}");
    }

    #[test]
    fn error_and_fields_follow_the_message() {
        let mut message = "no digest".to_owned();
        let fields = [("error", "refused".into()), ("more", 0.into()), ("tries", 2.into())];
        append_fields(&mut message, &fields);
        assert_eq!(message, "no digest: refused (tries=2)");
    }
}
