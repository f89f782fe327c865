//! What the strings of a script come to: joined by `+`, in variables and templates, written as numbers, in base64, in
//! escapes of URLs. No script is run: a string is read for what a page usually makes of it (`document.write(atob("…"))`).

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use super::super::encoded::octets_into;
use super::super::script::{self, unescape_into};
use super::constants::{Constants, is_of_word, word_length};
use super::entity;
use super::{Builder, MappedText};
use mailsplice::mime::Charset;
use uts58::base64;

/// Maximum number of times that what was decoded is read as a script with strings of its own.
const ROUNDS: usize = 2;

/// The least digits of base64 that are decoded: shorter ones hold no URL.
const LEAST_DIGITS: usize = 8;

/// Functions that decode a string, by parts of their names.
const DECODERS: [&[u8]; 4] = [b"atob", b"unescape", b"decodeURI", FROM_CODE];

/// `String.fromCharCode`, `String.fromCodePoint`.
const FROM_CODE: &[u8] = b"fromC";

/// Reads what the strings of a script come to, where that is not what is written: each text that it may show or open,
/// mapped to its source, one at a time. Returns how many bytes were read.
pub fn read(script: &MappedText<'_>, mut take: impl FnMut(MappedText<'static>)) -> u64 {
    let mut reader = ScriptReader { take: &mut take, steps: 0 };
    let mut decoded = None;
    for _ in 0..ROUNDS {
        let Some(next) = reader.round(decoded.as_ref().unwrap_or(script)) else { break };
        (reader.take)(plain(&next));
        decoded = Some(next);
    }
    reader.steps
}

struct ScriptReader<'f> {
    take: &'f mut dyn FnMut(MappedText<'static>),
    steps: u64,
}

impl ScriptReader<'_> {
    /// Reads one script, and returns what its strings decode to.
    fn round(&mut self, source: &MappedText<'_>) -> Option<MappedText<'static>> {
        let script = source.as_str();
        let mut decodes = names_decoder(script);
        if !decodes && !may_join(script) {
            return None;
        }
        let mut values = values(script, decodes, Joint::Plus);
        self.steps += script.len() as u64;
        if !decodes && names_decoder(values.as_str()) {
            decodes = true;
            values = self::values(script, true, Joint::Plus);
            self.steps += script.len() as u64;
        }
        if memmem::find(script.as_bytes(), b".join(").is_some() {
            let lists = self::values(script, false, Joint::Comma);
            self.steps += script.len() as u64;
            (self.take)(lists.through(source));
        }
        if values.as_str().is_empty() {
            return None;
        }
        let values = values.through(source);
        self.steps += values.as_str().len() as u64;
        let decoded = decodes.then(|| decoded(values.as_str()).through(&values));
        (self.take)(values);
        decoded.filter(|decoded| !decoded.as_str().is_empty())
    }
}

/// What was decoded, without escapes of scripts and pages.
fn plain(decoded: &MappedText<'_>) -> MappedText<'static> {
    let text = decoded.as_str();
    let entities = entity::attribute(text, 0..text.len());
    script::unescaped(entities).over(decoded)
}

fn names_decoder(script: &str) -> bool {
    DECODERS.iter().any(|name| memmem::find(script.as_bytes(), name).is_some())
}

/// Whether a script has strings, and what joins them.
fn may_join(script: &str) -> bool {
    let script = script.as_bytes();
    let names = |name: &str| memmem::find(script, name.as_bytes()).is_some();
    let joins = memchr(b'+', script).is_some() || names(".join(") || names(CONCAT) || names("${");
    joins && memchr3(b'"', b'\'', b'`', script).is_some()
}

/// What joins strings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `+`, and the function that does the same.
    Plus,
    /// In a list that is joined.
    Comma,
}

const CONCAT: &str = ".concat(";

/// Part of an expression.
enum Operand {
    /// What is between quotes.
    String(Range<usize>),
    /// The same, with names in it that hold strings.
    Template(Range<usize>),
    /// A name that holds one.
    ElementName(Range<usize>),
    /// Numbers of characters, with what separates them.
    Numbers(Range<usize>),
}

/// The values of expressions that join strings, each on a line; of single strings as well, if `single`.
fn values(script: &str, single: bool, joint: Joint) -> MappedText<'static> {
    let mut out = Builder::default();
    let mut constants = Constants::of(script);
    let mut operands = Vec::new();
    let mut at = 0;
    while let Some(start) = next_start(script, at, single, &constants) {
        at = start + 1;
        operands.clear();
        let mut end = start;
        while let Some((operand, behind)) = operand(script, end, &constants) {
            operands.push(operand);
            at = behind;
            match joined_at(script, behind, joint) {
                Some(next) => end = next,
                None => break,
            }
        }
        let expression = start..at;
        let is_shown = match operands.as_slice() {
            [] => continue,
            [Operand::String(inside)] => {
                // Its last quote may as well be the first one of the next string.
                at = start + 1;
                single && !inside.is_empty()
            }
            [Operand::ElementName(_)] => false,
            _ => true,
        };
        let mut value = Builder::default();
        let text = if is_shown { &mut out } else { &mut value };
        if is_shown {
            text.separate(start);
        }
        let from = text.len();
        for operand in &operands {
            match operand {
                Operand::String(inside) => unescape_into(text, script, inside.clone()),
                Operand::Template(inside) => constants.add_template(text, inside.clone()),
                Operand::ElementName(name) => constants.add(text, name.clone()),
                Operand::Numbers(list) => characters(text, script, list.clone()),
            }
        }
        let string = text.as_str().get(from..).unwrap_or_default();
        let held = constants.assign(expression.clone(), string);
        if let Some(held) = held {
            out.separate(start);
            out.unit(&held, expression);
        }
    }
    out.finish()
}

/// Where an operand may begin: a quote that is not escaped, `fromCharCode`, a name that holds a string, and a list of
/// numbers, if `lists`.
fn next_start(script: &str, from: usize, lists: bool, constants: &Constants<'_>) -> Option<usize> {
    let bytes = script.as_bytes();
    let mut at = from;
    // The rest of a word that began before, or the name of what an object has.
    let before = from.checked_sub(1).and_then(|at| bytes.get(at)).copied();
    if before.is_some_and(is_of_word) {
        at += word_length(bytes.get(at..)?);
    }
    loop {
        match bytes.get(at)? {
            b'"' | b'\'' | b'`' => return Some(at),
            b'[' if lists => return Some(at),
            b'f' | b'S' if is_from_code(bytes.get(at..)?).is_some() => return Some(at),
            b'\\' => at += 2,
            b'.' => {
                at += 1;
                let rest = bytes.get(at..)?;
                at += if is_from_code(rest).is_some() { 0 } else { word_length(rest) };
            }
            byte if is_of_word(*byte) => match constants.name_at(at) {
                Some(_) => return Some(at),
                None => at += word_length(bytes.get(at..)?),
            },
            _ => at += 1,
        }
    }
}

/// The length of `String.fromCharCode(` or the like at the start.
fn is_from_code(script: &[u8]) -> Option<usize> {
    let name = script.strip_prefix(b"String.").unwrap_or(script);
    let rest = ["fromCharCode(", "fromCodePoint("]
        .iter()
        .find_map(|call| name.strip_prefix(call.as_bytes()))?;
    Some(script.len() - rest.len())
}

/// The operand that begins here, and where it ends.
fn operand(script: &str, at: usize, constants: &Constants<'_>) -> Option<(Operand, usize)> {
    let rest = script.as_bytes().get(at..)?;
    let quote = *rest.first()?;
    if matches!(quote, b'"' | b'\'' | b'`') {
        let end = string_end(rest.get(1..)?, quote)? + at + 1;
        let inside = at + 1..end;
        let operand = match quote == b'`' && constants.fills(inside.clone()) {
            true => Operand::Template(inside),
            false => Operand::String(inside),
        };
        return Some((operand, end + 1));
    }
    if is_of_word(quote)
        && is_from_code(rest).is_none()
        && let Some(name) = constants.name_at(at)
    {
        return Some((Operand::ElementName(name.clone()), name.end));
    }
    let opening = if quote == b'[' { 1 } else { is_from_code(rest)? };
    let list = rest.get(opening..)?;
    let is_list = |byte: &&u8| {
        byte.is_ascii_hexdigit()
            || matches!(byte, b'x' | b'X' | b',' | b' ' | b'\t' | b'\r' | b'\n')
    };
    let length = list.iter().take_while(is_list).count();
    matches!(list.get(length), Some(b')' | b']')).then_some(())?;
    let from = at + opening;
    Some((Operand::Numbers(from..from + length), from + length + 1))
}

/// Where a string ends. Only `` ` `` allows line ends inside.
fn string_end(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        let found = at + memchr3(quote, b'\\', b'\n', rest.get(at..)?)?;
        match rest.get(found)? {
            b'\\' => at = found + 2,
            b'\n' if quote != b'`' => return None,
            b'\n' => at = found + 1,
            _ => return Some(found),
        }
    }
}

/// Where the operand behind a joint begins.
fn joined_at(script: &str, at: usize, joint: Joint) -> Option<usize> {
    let blank = |from: usize| {
        let rest = script.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    };
    let at = blank(at);
    let rest = script.as_bytes().get(at..)?;
    let sign = if joint == Joint::Comma { b',' } else { b'+' };
    if rest.first() == Some(&sign) {
        return Some(blank(at + 1));
    }
    let call = rest.strip_prefix(b")").unwrap_or(rest);
    let call = call.strip_prefix(CONCAT.as_bytes()).filter(|_| joint == Joint::Plus)?;
    Some(blank(script.len() - call.len()))
}

/// Adds the characters of a list of numbers.
fn characters(out: &mut Builder, script: &str, list: Range<usize>) {
    let mut at = list.start;
    for number in script.get(list).unwrap_or_default().split(',') {
        let written = number.trim_ascii();
        let hex = written.strip_prefix("0x").or_else(|| written.strip_prefix("0X"));
        let code = match hex {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => written.parse(),
        };
        if let Some(c) = code.ok().and_then(char::from_u32) {
            out.unit(c.encode_utf8(&mut [0; 4]), at..at + number.len());
        }
        at += number.len() + 1;
    }
}

/// What values decode to, each on a line.
fn decoded(values: &str) -> MappedText<'static> {
    let mut out = Builder::default();
    let mut at = 0;
    for value in values.split('\n') {
        if let Some(text) = base64_text(value) {
            out.separate(at);
            out.unit(&text, at..at + value.len());
        } else if memchr(b'%', value.as_bytes()).is_some() {
            out.separate(at);
            percent_decoded(&mut out, value, at);
        }
        at += value.len() + 1;
    }
    out.finish()
}

/// The text of a value in base64; `None` if it is none, or data.
fn base64_text(value: &str) -> Option<String> {
    let value = value.trim_ascii();
    let is_digit = |byte: u8| base64::digit(byte).is_some() || byte == b'=';
    if value.len() < LEAST_DIGITS || !value.bytes().all(is_digit) {
        return None;
    }
    let bytes = base64::decode(value.as_bytes());
    let is_data = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if bytes.iter().any(is_data) {
        return None;
    }
    // The function itself makes a character of each byte.
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|wrong| wrong.into_bytes().into_iter().map(char::from).collect()),
    )
}

/// Adds a value with its escapes decoded: `%D1%80`, and `%u0440` of the function `unescape`.
fn percent_decoded(out: &mut Builder, value: &str, start: usize) {
    let mut at = 0;
    while let Some(rest) = value.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.find('%').unwrap_or(rest.len());
        out.linear(rest.get(..plain).unwrap_or_default(), start + at);
        at += plain;
        let Some(escape) = value.get(at..).filter(|rest| !rest.is_empty()) else { break };
        let unit = escape.strip_prefix("%u").and_then(script::unit).and_then(char::from_u32);
        if let Some(c) = unit {
            out.unit(c.encode_utf8(&mut [0; 4]), start + at..start + at + 6);
            at += 6;
            continue;
        }
        let length = octets_into(out, escape, start + at, (b'%', Charset::Utf8));
        at += length;
        if length == 0 {
            out.linear("%", start + at);
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(script: &str) -> Vec<String> {
        let mut texts = Vec::new();
        read(&MappedText::slice(script, 7), |text| texts.push(text.as_str().to_owned()));
        texts
    }

    #[test]
    fn strings_are_joined() {
        for (script, joined) in [
            ("location='https://xn--'+'ypal-43d9g.com'", "https://xn--ypal-43d9g.com"),
            ("a=\"b\\\"c\" + 'd' +\n`e\nf`; g='h'", "b\"cde\nf"),
            ("x=/'/;a='b'+'c'", "bc"),
            ("a='b'+String.fromCharCode(46, 0x440)+'c'", "b.\u{440}c"),
            ("a=window.String.fromCharCode(1088,1072)", "\u{440}\u{430}"),
            ("a=fromCodePoint(1088,1072)", "\u{440}\u{430}"),
            ("a='b'+c+'d';e='f'+'g';h='i'+'j'", "fg\nij"),
            ("a='b\\\nc'+'d'", "bcd"),
            ("a='b'.concat('c').concat( \"d\")", "bcd"),
            ("['b', 'c','d'].join('')", "bcd"),
            ("var a='b',c = \"d\";location=a+c", "bd"),
            ("let a='b\\x63';x=a+'d'", "bcd"),
            ("a='b';location=`${a}c${x}`", "bc${x}"),
            ("a='b';a+='c'", "bc"),
            ("a='b';a='d';x='c'+a", "cd"),
            ("window.a='b';c=a;x=c+'d'", "bd"),
        ] {
            assert_eq!(texts(script), [joined], "{script}");
        }
        for script in [
            "", "'a'", "a+b", "'a'+b+'c'", "'a\n'+'b", "'a'+", "\\'a'+'", "a='b'+c;d=a+e",
            "a=='b';x=a+a", "a='b';x.a+y.a", "a='b';x=`c`+y", "a+='b'",
        ] {
            assert_eq!(texts(script), [""; 0], "{script}");
        }
        read(&MappedText::slice("'a'+'b'", 7), |text| {
            assert_eq!((text.source(0..1), text.source(1..2)), (8..9, 12..13));
        });
    }

    #[test]
    fn strings_are_decoded_where_a_script_does_that() {
        for (script, decoded) in [
            ("document.write(atob('aHR0cHM6Ly9hLmI='))", "https://a.b"),
            ("p='aHR0cHM6'+'Ly9hLmI=';w[\"at\"+\"ob\"](p)", "https://a.b"),
            ("unescape('https%3A//%u0440%D1%80.b')", "https://\u{440}\u{440}.b"),
            ("decodeURIComponent('%5cx41&#1088;%zz%')", "A\u{440}%zz%"),
            ("f=String.fromCharCode;[104,0x74,]", "ht"),
        ] {
            let texts = texts(script);
            assert!(texts.iter().any(|text| text == decoded), "{script} {texts:?}");
        }
        // `eval(atob("…"))` of a script with strings of its own.
        let inner = "YT1hdG9iKCdhSFIwY0hNNicrJ0x5OWhMbUk9Jyk=";
        assert_eq!(texts(&format!("eval(atob('{inner}'))")).last().unwrap(), "https://a.b");
        // Data, and words.
        for script in ["atob('iVBORw0KGgo=')", "atob('short')", "x('aHR0cHM6Ly9hLmI=')"] {
            assert!(texts(script).len() < 2, "{script} {:?}", texts(script));
        }
    }

    #[test]
    fn strings_take_linear_time() {
        for piece in [
            "'", "\"'`", "'\\'", "'a'+", "[", "[1,", "fromCharCode(1,", "'a' ", "\\", "%", "'%d1",
            "a='b';", "a='b'+a;", "a+='';", "`${a}`+", "`${", "a+", ".a",
        ] {
            let script = format!("atob{}", piece.repeat(200_000 / piece.len()));
            let steps = read(&MappedText::slice(&script, 0), |_| ());
            assert!(steps < 20 * script.len() as u64, "{piece}");
        }
    }
}
