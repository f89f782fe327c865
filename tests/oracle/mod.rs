//! A slow, naive mail reader that shares no code with the engine: lines in lists, bits in strings,
//! recursion where the format nests. What it says, the engine must say.
#![allow(dead_code)] // every test binary uses some of it

/// A part that holds no further parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub path: String,
    /// As `text/html`.
    pub kind: String,
    /// First word of the label, in lower case.
    pub transfer: String,
    /// Content as it stands, encoded.
    pub raw: Vec<u8>,
}

type Line<'a> = &'a [u8];

const DEPTH: usize = 90;

/// The leaves of a message in order. Labels are read as most clients do: the first of a name.
pub fn leaves(head: &[u8], body: &[u8]) -> Vec<Leaf> {
    let mut found = Vec::new();
    let lines: Vec<Line> = body.split_inclusive(|b| *b == b'\n').collect();
    entity(&fields(&lines_of(head)), &lines, Number::top(""), "text/plain", 0, &mut found);
    found
}

fn lines_of(bytes: &[u8]) -> Vec<Line<'_>> {
    bytes.split_inclusive(|b| *b == b'\n').collect()
}

/// Header and body of a message, at the first empty line.
pub fn split(message: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let mut at = 0;
    for line in message.split_inclusive(|b| *b == b'\n') {
        if line == b"\n" || line == b"\r\n" {
            let rest = &message[at..];
            return (&message[..at], &rest[..line.len()], &rest[line.len()..]);
        }
        at += line.len();
    }
    (message, b"", b"")
}

/// How a part is numbered.
struct Number {
    prefix: String,
    top: bool,
}

impl Number {
    fn top(prefix: &str) -> Number {
        Number { prefix: prefix.to_owned(), top: true }
    }

    fn own(&self) -> String {
        if self.top { self.child(1) } else { self.prefix.clone() }
    }

    fn child(&self, number: usize) -> String {
        if self.prefix.is_empty() {
            number.to_string()
        } else {
            format!("{}.{number}", self.prefix)
        }
    }
}

fn entity(
    head: &[(String, String)],
    body: &[Line],
    number: Number,
    default: &str,
    depth: usize,
    found: &mut Vec<Leaf>,
) {
    let label = first(head, "content-type").unwrap_or_else(|| default.to_owned());
    let (kind, parameters) = parameters(&label);
    let transfer = first(head, "content-transfer-encoding").unwrap_or_default();
    let transfer = transfer_name(&transfer);
    let message = ["message/rfc822", "message/global", "message/news"].contains(&kind.as_str());
    if kind.starts_with("multipart/") && depth < DEPTH {
        let boundary = parameters
            .iter()
            .find(|(name, _)| name == "boundary")
            .map(|(_, value)| bytes(value).trim_ascii_end().to_vec())
            .filter(|boundary| !boundary.is_empty())
            .or_else(|| guessed(body));
        let parts = boundary.map(|boundary| cut(body, &boundary)).unwrap_or_default();
        if parts.is_empty() {
            if encoded(&transfer) {
                let plain = unwrap(&transfer, &body.concat());
                let head = without_encoding(head);
                entity(&head, &lines_of(&plain), number, default, depth + 1, found);
            } else {
                leaf(number.own(), "text/plain", &transfer, body.concat(), found);
            }
            return;
        }
        let default = if kind == "multipart/digest" { "message/rfc822" } else { "text/plain" };
        for (index, part) in parts.iter().enumerate() {
            let (head, body) = header(part);
            let child = Number { prefix: number.child(index + 1), top: false };
            entity(&head, &body, child, default, depth + 1, found);
        }
    } else if message && depth < DEPTH {
        let content = body.concat();
        let content = if encoded(&transfer) { unwrap(&transfer, &content) } else { content };
        let lines = lines_of(&content);
        let (head, body) = header(&lines);
        entity(&head, &body, Number::top(&number.own()), "text/plain", depth + 1, found);
    } else {
        leaf(number.own(), &kind, &transfer, body.concat(), found);
    }
}

fn leaf(path: String, kind: &str, transfer: &str, raw: Vec<u8>, found: &mut Vec<Leaf>) {
    found.push(Leaf { path, kind: kind.to_owned(), transfer: transfer.to_owned(), raw });
}

fn encoded(transfer: &str) -> bool {
    ["base64", "quoted-printable", "x-uuencode"].contains(&transfer)
}

fn without_encoding(head: &[(String, String)]) -> Vec<(String, String)> {
    head.iter().filter(|(name, _)| name != "content-transfer-encoding").cloned().collect()
}

/// The delimiter of a multipart that declares none: the first line of the first 4096 bytes that begins
/// with `--`.
fn guessed(body: &[Line]) -> Option<Vec<u8>> {
    let all = body.concat();
    let opening = &all[..all.len().min(4096)];
    for line in opening.split(|b| *b == b'\n') {
        if line.starts_with(b"--") {
            let text = line[2..].trim_ascii_end().to_vec();
            return Some(text).filter(|text| !text.is_empty());
        }
    }
    None
}

/// Header text has one character for each byte; this is the way back.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

/// The parts between delimiter lines; the line end before a delimiter belongs to it.
fn cut<'a>(body: &[Line<'a>], boundary: &[u8]) -> Vec<Vec<Line<'a>>> {
    let mut parts: Vec<Vec<Line>> = Vec::new();
    let mut inside = false;
    let end = |parts: &mut Vec<Vec<Line<'a>>>| {
        if let Some(last) = parts.last_mut().and_then(|part| part.last_mut()) {
            *last = last.strip_suffix(b"\n").unwrap_or(last);
            *last = last.strip_suffix(b"\r").unwrap_or(last);
        }
    };
    for line in body {
        let text = line.trim_ascii_end();
        let (open, close) = match text.strip_prefix(b"--") {
            None => (false, false),
            Some(rest) => (
                rest == boundary,
                rest.strip_suffix(b"--").is_some_and(|rest| rest.trim_ascii_end() == boundary),
            ),
        };
        if open {
            if inside {
                end(&mut parts);
            }
            parts.push(Vec::new());
            inside = true;
        } else if close {
            if inside {
                end(&mut parts);
            }
            inside = false;
        } else if inside {
            parts.last_mut().unwrap().push(line);
        }
    }
    parts
}

/// The header of a part and its body.
fn header<'a>(part: &[Line<'a>]) -> (Vec<(String, String)>, Vec<Line<'a>>) {
    for (index, line) in part.iter().enumerate() {
        if matches!(*line, b"\n" | b"\r\n" | b"") {
            return (fields(&part[..index]), part[index + 1..].to_vec());
        }
        let envelope = line.starts_with(b"From ") || line.starts_with(b">From ");
        if index == 0 && field(line).is_none() && !envelope && !label_follows(&part[1..]) {
            return (Vec::new(), part.to_vec());
        }
    }
    (fields(part), Vec::new())
}

/// Whether a label stands below the first line and its folds: then that line is no text, but a field gone wrong.
fn label_follows(lines: &[Line]) -> bool {
    let folded = |line: &&Line| line.starts_with(b" ") || line.starts_with(b"\t");
    let folds: Vec<_> = lines.iter().take_while(|line| folded(line)).collect();
    let blank = folds.iter().any(|line| line.trim_ascii().is_empty());
    let label = lines.get(folds.len()).and_then(|line| field(line));
    !blank && label.is_some_and(|(name, _)| name.starts_with("content-"))
}

fn field(line: &[u8]) -> Option<(String, String)> {
    let text: String = line.iter().map(|b| char::from(*b)).collect();
    let (name, value) = text.split_once(':')?;
    let name = name.trim_end_matches([' ', '\t']);
    // NUL behind a letter is dropped by some programs, so that the line is a field.
    let plain = name.starts_with(|c| c != '\0')
        && name.chars().all(|c| ('!'..='~').contains(&c) || c == '\0');
    plain.then(|| (name.to_ascii_lowercase(), value.trim_end_matches(['\r', '\n']).to_owned()))
}

fn fields(lines: &[Line]) -> Vec<(String, String)> {
    let mut found: Vec<Option<(String, String)>> = Vec::new();
    for line in lines {
        if (line.starts_with(b" ") || line.starts_with(b"\t"))
            && let Some(Some((_, value))) = found.last_mut()
        {
            let text: String = line.iter().map(|b| char::from(*b)).collect();
            value.push_str(text.trim_end_matches(['\r', '\n']));
            continue;
        }
        found.push(field(line));
    }
    found.into_iter().flatten().collect()
}

fn first(head: &[(String, String)], name: &str) -> Option<String> {
    head.iter().find(|(found, _)| found == name).map(|(_, value)| value.clone())
}

fn transfer_name(label: &str) -> String {
    let label = label.trim_start_matches([' ', '\t', '"', '\'']).to_ascii_lowercase();
    let word: String =
        label.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    match word.as_str() {
        "base-64" => "base64".to_owned(),
        "quoted_printable" => "quoted-printable".to_owned(),
        "uuencode" | "x-uue" | "uue" => "x-uuencode".to_owned(),
        "base64" | "quoted-printable" | "x-uuencode" => word,
        _ => "8bit".to_owned(),
    }
}

/// `kind/subtype`, then plain parameters, then those of RFC 2231.
fn parameters(label: &str) -> (String, Vec<(String, String)>) {
    let mut characters: Vec<char> = label.chars().collect();
    characters.reverse();
    let kind = token(&mut characters, "/;").to_ascii_lowercase();
    skip(&mut characters, "");
    let mut subtype = String::new();
    if characters.last() == Some(&'/') {
        characters.pop();
        subtype = token(&mut characters, ";").to_ascii_lowercase();
    }
    let mut plain = Vec::new();
    let mut pieces: Vec<(String, u32, String)> = Vec::new();
    loop {
        skip(&mut characters, ";,");
        if characters.is_empty() {
            break;
        }
        let name = token(&mut characters, "=;").to_ascii_lowercase();
        skip(&mut characters, "");
        if characters.last() != Some(&'=') {
            if name.is_empty() {
                characters.pop();
            }
            continue;
        }
        characters.pop();
        skip(&mut characters, "");
        let value = if characters.last() == Some(&'"') {
            characters.pop();
            let mut value = String::new();
            while let Some(c) = characters.pop() {
                match c {
                    '"' => break,
                    '\\' => value.extend(characters.pop()),
                    c => value.push(c),
                }
            }
            value
        } else {
            token(&mut characters, ";")
        };
        match name.split_once('*') {
            None => plain.push((name, value)),
            Some((base, tail)) => {
                let number = tail.trim_end_matches('*');
                let value = if tail.is_empty() || tail.ends_with('*') {
                    percent(if value.matches('\'').count() > 1 {
                        value.splitn(3, '\'').last().unwrap()
                    } else {
                        &value
                    })
                } else {
                    value
                };
                if let Ok(number) = if number.is_empty() { Ok(0) } else { number.parse() } {
                    pieces.push((base.to_owned(), number, value));
                }
            }
        }
    }
    pieces.sort();
    for (name, number, value) in pieces {
        match plain.iter_mut().rev().find(|(known, _)| *known == name) {
            Some((_, joined)) if number > 0 => joined.push_str(&value),
            Some(_) => {}
            None => plain.push((name, value)),
        }
    }
    (if subtype.is_empty() { kind } else { format!("{kind}/{subtype}") }, plain)
}

fn percent(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(c) = rest.chars().next() {
        let code = rest.strip_prefix('%').and_then(|r| r.get(..2));
        let digits = code.filter(|code| code.chars().all(|c| c.is_ascii_hexdigit()));
        if let Some(byte) = digits.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            out.push(char::from(byte));
            rest = &rest[3..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn token(characters: &mut Vec<char>, ends: &str) -> String {
    skip(characters, "");
    let mut word = String::new();
    while let Some(c) = characters.last() {
        if c.is_ascii_whitespace() || ends.contains(*c) {
            break;
        }
        word.push(*c);
        characters.pop();
    }
    word
}

fn skip(characters: &mut Vec<char>, more: &str) {
    loop {
        match characters.last() {
            Some(c) if c.is_ascii_whitespace() || more.contains(*c) => drop(characters.pop()),
            Some('(') => {
                let mut depth = 0;
                while let Some(c) = characters.pop() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    if depth == 0 {
                        break;
                    }
                }
            }
            _ => return,
        }
    }
}

/// What a transfer encoding wraps.
pub fn unwrap(transfer: &str, raw: &[u8]) -> Vec<u8> {
    match transfer {
        "base64" => base64(raw),
        "quoted-printable" => quoted_printable(raw),
        "x-uuencode" => uuencode(raw),
        _ => raw.to_vec(),
    }
}

fn base64(raw: &[u8]) -> Vec<u8> {
    let alphabet: Vec<u8> =
        (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain([b'+', b'/']).collect();
    let mut out = Vec::new();
    let mut bits: Vec<bool> = Vec::new();
    let mut flush = |bits: &mut Vec<bool>| {
        let whole = if bits.len() == 6 { 0 } else { bits.len() / 8 };
        for byte in bits.chunks(8).take(whole) {
            out.push(byte.iter().fold(0, |all, bit| all << 1 | u8::from(*bit)));
        }
        bits.clear();
    };
    for byte in raw {
        if *byte == b'=' {
            flush(&mut bits);
        } else if let Some(value) = alphabet.iter().position(|letter| letter == byte) {
            bits.extend((0..6).rev().map(|bit| value >> bit & 1 == 1));
            if bits.len() == 24 {
                flush(&mut bits);
            }
        }
    }
    flush(&mut bits);
    out
}

/// Soft breaks go first, the lines between them are read by themselves.
fn quoted_printable(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let (line, end, next) = quoted_line(rest);
        let mut at = 0;
        while at < line.len() {
            match hexadecimal(&line[at..]) {
                Some(value) => {
                    out.push(value);
                    at += 3;
                }
                None => {
                    out.push(line[at]);
                    at += 1;
                }
            }
        }
        out.extend_from_slice(end);
        rest = next;
    }
    out
}

/// The byte that an escape at the start says.
fn hexadecimal(text: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(text.strip_prefix(b"=")?.get(..2)?).ok()?;
    let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
    u8::from_str_radix(digits, 16).ok().filter(|_| plain)
}

/// What stands on the first line, its line end if it has a hard one, and what follows. A line ends at LF, or where
/// nothing printable stands between `=` and a line end, which is CR as well.
fn quoted_line(raw: &[u8]) -> (&[u8], &[u8], &[u8]) {
    for (at, byte) in raw.iter().enumerate() {
        let behind = &raw[at + 1..];
        if *byte == b'\n' {
            let line = &raw[..at];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let blank = |b: &&u8| [b' ', b'\t'].contains(*b);
            let shown = line.len() - line.iter().rev().take_while(blank).count();
            return (&line[..shown], &raw[line.len()..=at], behind);
        }
        if *byte == b'='
            && let Some(next) = behind_soft_break(behind)
        {
            return (&raw[..at], b"", next);
        }
    }
    (raw, b"", b"")
}

/// What follows a soft break, behind its `=`.
fn behind_soft_break(text: &[u8]) -> Option<&[u8]> {
    let invisible = |b: &u8| *b == b' ' || b.is_ascii_control() && *b != b'\n';
    let gap = text.iter().position(|b| !invisible(b)).unwrap_or(text.len());
    let (gap, next) = text.split_at(gap);
    match next.split_first() {
        // LF CR is a line end as well.
        Some((b'\n', next)) => Some(match next {
            [b'\r', b'\n', ..] | [b'\r'] => next,
            _ => next.strip_prefix(b"\r").unwrap_or(next),
        }),
        _ if gap.contains(&b'\r') => text.splitn(2, |b| *b == b'\r').nth(1),
        next => next.is_none().then_some(b""),
    }
}

fn uuencode(raw: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> =
        raw.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    let begin = lines.iter().position(|line| line.starts_with(b"begin "));
    let mut out = Vec::new();
    for line in &lines[begin.map_or(0, |begin| begin + 1)..] {
        if *line == b"end" {
            break;
        }
        let letters = |bytes: &[u8]| bytes.iter().all(|b| (b' '..=b'`').contains(b));
        if line.is_empty() || !letters(line) {
            continue;
        }
        let length = usize::from(line[0] - b' ') % 64;
        let whole = length.div_ceil(3) * 4;
        let data = &line[1..];
        if length == 0 || data.is_empty() || data.len() > whole + 2 {
            continue;
        }
        let mut bits = Vec::new();
        for byte in &data[..data.len().min(whole)] {
            bits.extend((0..6).rev().map(|bit| ((byte - b' ') % 64) >> bit & 1 == 1));
        }
        // A unit that is cut short is filled up; units that are missing are missing.
        bits.resize((bits.len().div_ceil(24) * 24).min(length * 8), false);
        out.extend(bits.chunks(8).map(|b| b.iter().fold(0, |all, bit| all << 1 | u8::from(*bit))));
    }
    out
}

/// Text in a charset, by a decoder that knows nothing of spans. `None`: not one of its own.
pub fn text(charset: &str, bytes: &[u8]) -> Option<String> {
    match charset {
        "utf-8" => {
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        "utf-16le" | "utf-16be" => Some(utf16(charset == "utf-16be", bytes)),
        "utf-7" => Some(utf7(bytes)),
        _ => {
            let encoding = encoding_rs::Encoding::for_label_no_replacement(charset.as_bytes())?;
            Some(encoding.decode_without_bom_handling(bytes).0.into_owned())
        }
    }
}

fn utf16(big: bool, bytes: &[u8]) -> String {
    let (big, bytes) = match bytes {
        [0xFE, 0xFF, rest @ ..] => (true, rest),
        [0xFF, 0xFE, rest @ ..] => (false, rest),
        bytes => (big, bytes),
    };
    let units = bytes.chunks(2).filter(|pair| pair.len() == 2).map(|pair| {
        let (a, b) = (u16::from(pair[0]), u16::from(pair[1]));
        if big { a << 8 | b } else { b << 8 | a }
    });
    let mut text: String = char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect();
    if bytes.len() % 2 == 1 {
        text.push('\u{FFFD}');
    }
    text
}

fn utf7(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut rest = bytes;
    while let Some((byte, tail)) = rest.split_first() {
        if *byte != b'+' {
            let direct: Vec<u8> = rest.iter().copied().take_while(|b| *b != b'+').collect();
            out.push_str(&String::from_utf8_lossy(&direct));
            rest = &rest[direct.len()..];
            continue;
        }
        let in_set = |b: &u8| b.is_ascii_alphanumeric() || *b == b'+' || *b == b'/';
        let shifted: Vec<u8> = tail.iter().copied().take_while(in_set).collect();
        rest = &tail[shifted.len()..];
        if shifted.is_empty() {
            out.push('+');
        } else {
            let plain = base64(&[shifted.as_slice(), b"AAAA"].concat());
            let size = shifted.len() * 6 / 16 * 2;
            out.push_str(&utf16(true, &plain[..size]));
        }
        rest = rest.strip_prefix(b"-").unwrap_or(rest);
    }
    out
}
