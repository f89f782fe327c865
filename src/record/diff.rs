//! What the filter would change, as a unified diff that `patch` applies.
//!
//! The edits are known, so no lines are compared. Each edit is extended to the lines that it touches, and edits that are
//! near each other share a hunk. Bytes are written unchanged, whatever their charset.

use std::io::{self, Write};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::defang::is_hidden;
use crate::engine::Outcome;
use crate::engine::mime::Message;
use crate::engine::outcome::fields_at;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// One replacement in the raw message.
struct Change {
    range: Range<usize>,
    replacement: Vec<u8>,
}

/// Writes the diff of one message; nothing if the filter does not change it. `body` is the offset of the body in `raw`.
pub fn write(
    out: &mut dyn Write,
    name: &str,
    raw: &[u8],
    body: usize,
    outcome: &Outcome,
) -> io::Result<()> {
    let changes = changes(raw, body, outcome);
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "--- {}\n+++ {}", file_name('a', name), file_name('b', name))?;
    let mut lines = LineCounter { raw, at: 0, number: 1 };
    let mut shift: isize = 0;
    for hunk in hunks(raw, &changes) {
        let old_start = lines.number_of(hunk.lines.start);
        let old = raw.get(hunk.lines.clone()).unwrap_or_default();
        let mut text = Vec::new();
        let mut new_count = 0;
        let mut old_count = 0;
        let mut at = hunk.lines.start;
        for group in &hunk.groups {
            let before = raw.get(at..group.lines.start).unwrap_or_default();
            old_count += write_marked(&mut text, b' ', before);
            new_count += count_lines(before);
            old_count +=
                write_marked(&mut text, b'-', raw.get(group.lines.clone()).unwrap_or_default());
            new_count += write_marked(&mut text, b'+', &rewritten(raw, group));
            at = group.lines.end;
        }
        let after = raw.get(at..hunk.lines.end).unwrap_or_default();
        old_count += write_marked(&mut text, b' ', after);
        new_count += count_lines(after);
        debug_assert_eq!(old_count, count_lines(old));
        let new_start = old_start.saturating_add_signed(shift);
        writeln!(out, "@@ -{old_start},{old_count} +{new_start},{new_count} @@")?;
        out.write_all(&text)?;
        shift += new_count as isize - old_count as isize;
    }
    Ok(())
}

/// All changes in order: our header fields in the place where `rewrite` puts them, header edits, body edits.
fn changes(raw: &[u8], body: usize, outcome: &Outcome) -> Vec<Change> {
    let mut changes: Vec<Change> = outcome
        .head_edits
        .iter()
        .map(|edit| Change { range: edit.range.clone(), replacement: edit.value.clone() })
        .collect();
    if !outcome.edits.is_empty() && !outcome.fields.is_empty() {
        let line_end = line_end_of(raw, body);
        let mut fields = Vec::new();
        for field in &outcome.fields {
            let value = String::from_utf8_lossy(line_end);
            let value = field.value.replace('\n', &value);
            fields.extend_from_slice(format!("{}: {value}", field.name).as_bytes());
            fields.extend_from_slice(line_end);
        }
        let at = fields_at(Message::split(raw).head);
        changes.extend(at.map(|at| Change { range: at..at, replacement: fields }));
    }
    changes.extend(outcome.edits.iter().map(|edit| Change {
        range: body + edit.range.start..body + edit.range.end,
        replacement: edit.replacement.to_vec(),
    }));
    changes.sort_by_key(|change| change.range.start);
    changes
}

/// The line end of the message.
fn line_end_of(raw: &[u8], body: usize) -> &'static [u8] {
    if raw.get(..body).is_some_and(|head| head.ends_with(b"\r\n")) { b"\r\n" } else { b"\n" }
}

/// Changes in the same or adjacent lines, and those lines.
struct Group<'c> {
    lines: Range<usize>,
    changes: Vec<&'c Change>,
}

/// Groups whose context overlaps, with the context.
struct Hunk<'c> {
    lines: Range<usize>,
    groups: Vec<Group<'c>>,
}

fn hunks<'c>(raw: &[u8], changes: &'c [Change]) -> Vec<Hunk<'c>> {
    let mut groups: Vec<Group<'c>> = Vec::new();
    for change in changes {
        let insertion =
            change.range.is_empty() && line_start(raw, change.range.start) == change.range.start;
        let lines = if insertion {
            change.range.clone()
        } else {
            line_start(raw, change.range.start)..line_end(raw, change.range.end)
        };
        match groups.last_mut() {
            Some(group) if lines.start < group.lines.end => {
                group.lines.end = group.lines.end.max(lines.end);
                group.changes.push(change);
            }
            _ => groups.push(Group { lines, changes: vec![change] }),
        }
    }
    let mut hunks: Vec<Hunk<'c>> = Vec::new();
    for group in groups {
        let lines = context_start(raw, group.lines.start)..context_end(raw, group.lines.end);
        match hunks.last_mut() {
            Some(hunk) if lines.start <= hunk.lines.end => {
                hunk.lines.end = lines.end;
                hunk.groups.push(group);
            }
            _ => hunks.push(Hunk { lines, groups: vec![group] }),
        }
    }
    hunks
}

fn rewritten(raw: &[u8], group: &Group<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = group.lines.start;
    for change in &group.changes {
        out.extend_from_slice(raw.get(at..change.range.start).unwrap_or_default());
        out.extend_from_slice(&change.replacement);
        at = change.range.end;
    }
    out.extend_from_slice(raw.get(at..group.lines.end).unwrap_or_default());
    out
}

/// Writes lines with a mark in front of each; returns their number.
fn write_marked(out: &mut Vec<u8>, mark: u8, lines: &[u8]) -> usize {
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        out.push(mark);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
    count_lines(lines)
}

fn count_lines(lines: &[u8]) -> usize {
    memchr_iter(b'\n', lines).count() + usize::from(!lines.is_empty() && !lines.ends_with(b"\n"))
}

fn line_start(raw: &[u8], at: usize) -> usize {
    raw.get(..at).and_then(|before| memrchr(b'\n', before)).map_or(0, |newline| newline + 1)
}

/// End of the line that holds the byte before `at`, line end included.
fn line_end(raw: &[u8], at: usize) -> usize {
    let from = at.max(1) - 1;
    raw.get(from..)
        .and_then(|rest| memchr(b'\n', rest))
        .map_or(raw.len(), |newline| from + newline + 1)
}

fn context_start(raw: &[u8], mut at: usize) -> usize {
    for _ in 0..CONTEXT {
        at = line_start(raw, at.saturating_sub(1));
    }
    at
}

fn context_end(raw: &[u8], mut at: usize) -> usize {
    for _ in 0..CONTEXT {
        if at < raw.len() {
            at = line_end(raw, at + 1);
        }
    }
    at
}

/// Finds line numbers, from 1, in ascending order of offsets.
struct LineCounter<'r> {
    raw: &'r [u8],
    at: usize,
    number: usize,
}

impl LineCounter<'_> {
    fn number_of(&mut self, offset: usize) -> usize {
        self.number +=
            memchr_iter(b'\n', self.raw.get(self.at..offset).unwrap_or_default()).count();
        self.at = offset;
        self.number
    }
}

/// `a/NAME` or `b/NAME`, on one line. Where a character acts on a terminal or cannot be seen, its bytes are octal in
/// quotes, as git writes them and `patch` reads them.
fn file_name(side: char, name: &str) -> String {
    let name = name.trim_start_matches('/');
    if !name.contains(is_hidden) && !name.contains('"') {
        return format!("{side}/{name}");
    }
    let mut out = format!("\"{side}/");
    for character in name.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            hidden if is_hidden(hidden) => {
                for byte in hidden.encode_utf8(&mut [0; 4]).bytes() {
                    out.push_str(&format!("\\{byte:03o}"));
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::outcome::{Field, RawEdit};

    fn diff(raw: &str, edits: &[(&str, &str)]) -> String {
        let body = raw.find("\n\n").unwrap() + 2;
        let mut found: Vec<RawEdit> = edits
            .iter()
            .map(|(old, new)| {
                let start = raw[body..].find(old).unwrap();
                RawEdit {
                    range: start..start + old.len(),
                    replacement: new.as_bytes().to_vec().into(),
                }
            })
            .collect();
        found.sort_by_key(|edit| edit.range.start);
        let fields = vec![Field { name: "X-Linkmilter", value: "v=1;\n edited=1".to_owned() }];
        let outcome = Outcome { edits: found, fields, ..Outcome::default() };
        let mut out = Vec::new();
        write(&mut out, "/mail/1.eml", raw.as_bytes(), body, &outcome).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_edit() {
        let raw = "A: b\n\none\ntwo\nthree\nsee http://bad.example now\nfive\nsix\nseven\neight\n";
        assert_eq!(
            diff(raw, &[("http://bad.example", "hxxp://bad[.]example")]),
            "--- a/mail/1.eml\n+++ b/mail/1.eml\n\
             @@ -1,9 +1,11 @@\n+X-Linkmilter: v=1;\n+ edited=1\n A: b\n \n one\n two\n three\n\
             -see http://bad.example now\n+see hxxp://bad[.]example now\n five\n six\n seven\n"
        );
    }

    #[test]
    fn no_newline_at_the_end() {
        let text = diff("A: b\n\nhttp://bad.example", &[("http://bad.example", "x")]);
        assert!(text.ends_with(
            "-http://bad.example\n\\ No newline at end of file\n+x\n\\ No newline at end of file\n"
        ));
    }

    #[test]
    fn an_unchanged_message_has_no_diff() {
        let mut out = Vec::new();
        write(&mut out, "x", b"A: b\n\ntext\n", 6, &Outcome::default()).unwrap();
        assert!(out.is_empty());
    }

    #[test]
    fn names_do_not_act_on_a_terminal() {
        assert_eq!(file_name('a', "/m/b c!\u{e9}.eml"), "a/m/b c!\u{e9}.eml");
        assert_eq!(file_name('b', "a\u{202e}b"), r#""b/a\342\200\256b""#);
        assert_eq!(file_name('a', "a\u{1b}\n\"\\"), r#""a/a\033\012\"\\""#);
        assert_eq!(file_name('a', "a\u{200b}\u{2066}"), r#""a/a\342\200\213\342\201\246""#);
    }

    #[test]
    fn git_apply_takes_the_diff() {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<String> = (0..60).map(|n| format!("line {n} u{n}.example end")).collect();
        let raw = format!("A: b\nC: d\n\n{}\n", lines.join("\n"));
        let text = diff(
            &raw,
            &[
                ("u3.example", "U3\nX"),
                ("u5.example", "U5"),
                ("u40.example", ""),
                ("u59.example", "Z"),
            ],
        );
        // Names in quotes are read likewise.
        let name = "mail/\u{202e}\n1.eml";
        let text = text.replace("a/mail/1.eml", &file_name('a', name));
        let text = text.replace("b/mail/1.eml", &file_name('b', name));
        std::fs::create_dir(folder.path().join("mail")).unwrap();
        std::fs::write(folder.path().join(name), &raw).unwrap();
        std::fs::write(folder.path().join("diff"), text).unwrap();
        let run = std::process::Command::new("git")
            .args(["apply", "diff"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let patched = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let expected = raw
            .replace("A: b\n", "X-Linkmilter: v=1;\n edited=1\nA: b\n")
            .replace("u3.example", "U3\nX")
            .replace("u5.example", "U5")
            .replace("u40.example", "")
            .replace("u59.example", "Z");
        assert_eq!(patched, expected);
    }
}
