//! Variables of a script that hold a string: `var a="https://www.exam",b="ple.com";location=a+b`. Nothing is run: a name
//! is worth what was assigned to it last, from the start of the script to its end, whatever its scope.

use std::collections::HashMap;
use std::ops::Range;

use super::super::script::unescape_into;
use super::Builder;

/// Maximum number of names, and bytes of what one holds: of a URL scripts make no more pieces.
const NAMES: usize = 256;
const BYTES: usize = 512;

/// Bytes that names are replaced by, besides twice the script.
const LEAST_ROOM: usize = 4 << 10;

/// The strings that names hold.
pub struct Constants<'s> {
    script: &'s str,
    held: HashMap<&'s str, String>,
    /// How many bytes names may still be replaced by.
    room: usize,
}

impl<'s> Constants<'s> {
    pub fn of(script: &'s str) -> Constants<'s> {
        Constants { script, held: HashMap::new(), room: 2 * script.len() + LEAST_ROOM }
    }

    /// The name that begins here, if it holds a string.
    pub fn name_at(&self, at: usize) -> Option<Range<usize>> {
        let end = at + word_length(self.script.as_bytes().get(at..)?);
        self.held.contains_key(self.script.get(at..end)?).then_some(at..end)
    }

    /// Adds what a name holds in its place.
    pub fn add(&mut self, out: &mut Builder, name: Range<usize>) {
        let held = self.script.get(name.clone()).and_then(|name| self.held.get(name));
        if let Some(held) = held.filter(|held| held.len() <= self.room) {
            self.room -= held.len();
            out.unit(held, name);
        }
    }

    /// Adds a template, with the names in it replaced.
    pub fn add_template(&mut self, out: &mut Builder, inside: Range<usize>) {
        let mut done = inside.start;
        while let Some(hole) = self.hole(done..inside.end) {
            unescape_into(out, self.script, done..hole.start);
            self.add(out, hole.start + HOLE.len()..hole.end - 1);
            done = hole.end;
        }
        unescape_into(out, self.script, done..inside.end);
    }

    /// Whether a template has a name that holds a string.
    pub fn fills(&self, inside: Range<usize>) -> bool {
        self.hole(inside).is_some()
    }

    /// The first `${name}` of a template whose name holds a string.
    fn hole(&self, inside: Range<usize>) -> Option<Range<usize>> {
        let text = self.script.get(inside.clone())?;
        let mut holes = text.match_indices(HOLE).map(|(at, _)| inside.start + at);
        holes.find_map(|at| {
            let name = self.name_at(at + HOLE.len())?;
            let is_whole = self.script.as_bytes().get(name.end) == Some(&b'}');
            (is_whole && name.end < inside.end).then_some(at..name.end + 1)
        })
    }

    /// Notes what the expression that begins and ends here assigns to a name: what of it is a string, and nothing else.
    /// What the name then holds, if the string was added to it.
    pub fn assign(&mut self, expression: Range<usize>, string: &str) -> Option<String> {
        let (name, adds) = assigned(self.script.get(..expression.start)?)?;
        let before = self.held.remove(name);
        if before.is_none() && (adds || self.held.len() >= NAMES) {
            return None;
        }
        let mut held = before.filter(|_| adds).unwrap_or_default();
        if goes_on(self.script.get(expression.end..)?) || held.len() + string.len() > BYTES {
            return None;
        }
        held.push_str(string);
        let shown = (adds && held.len() <= self.room).then(|| held.clone());
        self.room -= shown.as_ref().map_or(0, String::len);
        self.held.insert(name, held);
        shown
    }
}

/// What opens the place of a value in a template.
const HOLE: &str = "${";

/// Whether a byte may be of a name.
pub fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// The length of the word at the start.
pub fn word_length(script: &[u8]) -> usize {
    script.iter().take_while(|byte| is_of_word(**byte)).count()
}

/// The name to which an expression behind this is assigned, and whether it is added to what that holds: `a=`, `a +=`.
fn assigned(before: &str) -> Option<(&str, bool)> {
    const OTHERS: [char; 12] = ['=', '!', '<', '>', '-', '*', '/', '%', '&', '|', '^', '?'];
    let before = before.trim_ascii_end().strip_suffix('=')?;
    let added = before.strip_suffix('+');
    let before = added.unwrap_or(before);
    if before.ends_with(OTHERS) {
        return None;
    }
    let before = before.trim_ascii_end();
    let length = before.bytes().rev().take_while(|byte| is_of_word(*byte)).count();
    let name = before.get(before.len() - length..)?;
    (!name.is_empty()).then_some((name, added.is_some()))
}

/// Whether an expression is more than the strings before.
fn goes_on(behind: &str) -> bool {
    behind.trim_ascii_start().starts_with(['+', '.', '[', '(', '?', '-', '*', '/', '%'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_assigned() {
        for (before, expected) in [
            ("var a = ", Some(("a", false))),
            ("x.b+=", Some(("b", true))),
            ("$_1=\n", Some(("$_1", false))),
            ("a==", None),
            ("a>=", None),
            ("=", None),
            ("a", None),
        ] {
            assert_eq!(assigned(before), expected, "{before}");
        }
    }

    #[test]
    fn constants_of_scripts_are_bounded() {
        let script = "a=''";
        let mut constants = Constants::of(script);
        let expression = 2..4;
        assert_eq!(constants.assign(expression.clone(), &"x".repeat(BYTES + 1)), None);
        assert_eq!(constants.name_at(0), None);
        assert_eq!(constants.assign(expression, &"x".repeat(BYTES)), None);
        assert_eq!(constants.name_at(0), Some(0..1));
        let mut out = Builder::default();
        for _ in 0..2 * LEAST_ROOM {
            constants.add(&mut out, 0..1);
        }
        assert!((LEAST_ROOM - BYTES..=LEAST_ROOM + 2 * script.len()).contains(&out.len()));
        let script: String = (0..=NAMES).map(|at| format!("a{at}='';")).collect();
        let mut constants = Constants::of(&script);
        for (at, _) in script.match_indices("''") {
            constants.assign(at..at + 2, "x");
        }
        assert_eq!(constants.held.len(), NAMES);
    }
}
