//! What fields and other groups of a file of RTF reach: hyperlinks with what is shown for them, what is loaded when the
//! file is opened, programs that are asked by DDE (Rich Text Format 1.9.1; ECMA-376 part 1 §17.16.5).
//!
//! An instruction has an escape of its own below that of the file: in it `\\` is a backslash.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::unseen::Unseen;
use crate::document_paths::{is_program, reaching};

/// Fields that name a file or a URL which the program loads.
const LOADING: [&str; 9] = [
    "DATABASE", "DDE", "DDEAUTO", "IMPORT", "INCLUDE", "INCLUDEPICTURE", "INCLUDETEXT", "LINK",
    "RD",
];

/// Programs of offices that answer by DDE, by the beginning of their names: `Excel.Sheet.8`. Any other one is run.
const OFFICES: [&str; 9] = [
    "access", "excel", "msaccess", "powerpnt", "powerpoint", "soffice", "visio", "winword", "word",
];

/// What fields reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The links, as anchors of a page.
    pub anchors: String,
    /// Programs that are run.
    pub programs: BTreeSet<String>,
}

impl Reached {
    /// Adds what a field reaches, of which this is shown.
    pub fn add(&mut self, instruction: &str, shown: Shown<'_>) {
        let (name, arguments) = named(instruction);
        if name.eq_ignore_ascii_case("HYPERLINK") {
            if let Some(link) = Hyperlink::of(arguments) {
                link.write(shown, &mut self.anchors);
            }
            return;
        }
        if !LOADING.iter().any(|loading| name.eq_ignore_ascii_case(loading)) {
            return;
        }
        let mut words = Arguments { rest: arguments };
        if name.get(..3).is_some_and(|front| front.eq_ignore_ascii_case("DDE"))
            && let Some(Argument::Value(program)) = words.next()
            && !is_office(program)
        {
            self.programs.insert(program.to_owned());
        }
        for word in (Arguments { rest: arguments }) {
            if let Argument::Value(path) = word {
                self.add_path(&unescaped(path));
            }
        }
    }

    /// Adds a link, of which this is shown: a URL or a path.
    pub fn add_link(&mut self, address: &str, shown: &str) {
        let address = reaching(address).map_or(Cow::Borrowed(address), Cow::Owned);
        if !address.is_empty() {
            Hyperlink { address, tip: "" }.write(Shown::whole(shown), &mut self.anchors);
        }
    }

    /// Adds a path, if it reaches anything but a file or a page.
    pub fn add_path(&mut self, path: &str) {
        if let Some(path) = reaching(path) {
            Hyperlink { address: path.into(), tip: "" }.write(Shown::default(), &mut self.anchors);
        }
    }
}

fn is_office(program: &str) -> bool {
    let begins = |name: &&str| {
        program.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(name))
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
    program.bytes().all(is_name) && !is_program(program) && OFFICES.iter().any(begins)
}

/// What is shown of a field.
#[derive(Clone, Copy, Default)]
pub struct Shown<'t> {
    text: &'t str,
    /// Where the text is in that of the file, and which of it is not seen.
    start: usize,
    unseen: Option<&'t Unseen>,
}

impl<'t> Shown<'t> {
    /// A text that is seen.
    pub fn whole(text: &'t str) -> Shown<'t> {
        Shown { text: text.trim(), start: 0, unseen: None }
    }

    /// A stretch of the text of a file, of which some is not seen.
    pub(super) fn of(text: &'t str, range: Range<usize>, unseen: &'t Unseen) -> Shown<'t> {
        let text = text.get(range.clone()).unwrap_or_default();
        let start = range.start + text.len() - text.trim_start().len();
        Shown { text: text.trim(), start, unseen: Some(unseen) }
    }

    fn write(self, page: &mut String) {
        let end = self.start + self.text.len();
        let mut at = self.start;
        let unseen = self.unseen.into_iter().flat_map(|unseen| unseen.within(self.start..end));
        let piece = |range: Range<usize>| {
            self.text.get(range.start - self.start..range.end - self.start).unwrap_or_default()
        };
        for hidden in unseen {
            uts58::html::escape(piece(at..hidden.start), page);
            page.push_str("<span style=\"display:none\">");
            uts58::html::escape(piece(hidden.clone()), page);
            page.push_str("</span>");
            at = hidden.end;
        }
        uts58::html::escape(piece(at..end), page);
    }
}

/// A field that is a hyperlink: `HYPERLINK "https://example.com/" \\o "tip"`.
struct Hyperlink<'t> {
    address: Cow<'t, str>,
    /// What is shown for it under the mouse.
    tip: &'t str,
}

impl<'t> Hyperlink<'t> {
    fn of(arguments: &'t str) -> Option<Hyperlink<'t>> {
        let mut words = Arguments { rest: arguments };
        let (mut address, mut tip) = ("", "");
        while let Some(word) = words.next() {
            match word {
                Argument::Value(argument) if address.is_empty() => address = argument,
                Argument::Value(_) => {}
                // A new window, and a place in a picture: they have no argument.
                Argument::Switch("n" | "m") => {}
                Argument::Switch("o") => tip = words.argument(),
                Argument::Switch(_) => {
                    words.argument();
                }
            }
        }
        let address = unescaped(address);
        let address = reaching(&address).map_or(address, Cow::Owned);
        (!address.is_empty()).then_some(Hyperlink { address, tip })
    }

    fn write(&self, shown: Shown<'_>, page: &mut String) {
        page.push_str("<a href=\"");
        uts58::html::escape(&self.address, page);
        if !self.tip.is_empty() {
            page.push_str("\" title=\"");
            uts58::html::escape(self.tip, page);
        }
        page.push_str("\">");
        shown.write(page);
        page.push_str("</a> ");
    }
}

/// The name of a field, and what is behind it.
fn named(instruction: &str) -> (&str, &str) {
    let instruction = instruction.trim_start();
    let name = instruction.bytes().take_while(u8::is_ascii_alphabetic).count();
    instruction.split_at_checked(name).unwrap_or((instruction, ""))
}

/// The arguments and switches of an instruction.
struct Arguments<'t> {
    rest: &'t str,
}

enum Argument<'t> {
    /// Without its quotes.
    Value(&'t str),
    /// Its letter.
    Switch(&'t str),
}

impl<'t> Arguments<'t> {
    /// The argument of a switch; empty if another one follows.
    fn argument(&mut self) -> &'t str {
        let behind = self.rest;
        match self.next() {
            Some(Argument::Value(argument)) => argument,
            _ => {
                self.rest = behind;
                ""
            }
        }
    }
}

impl<'t> Iterator for Arguments<'t> {
    type Item = Argument<'t>;

    fn next(&mut self) -> Option<Argument<'t>> {
        let text = self.rest.trim_start();
        // Two of them begin a path.
        if let Some(switch) = text.strip_prefix('\\').filter(|switch| !switch.starts_with('\\')) {
            let letter = switch.chars().next()?.len_utf8();
            let (letter, rest) = switch.split_at_checked(letter)?;
            self.rest = rest;
            return Some(Argument::Switch(letter));
        }
        let is_quote = |c: char| matches!(c, '"' | '“' | '”');
        let (argument, rest) = match text.strip_prefix(is_quote) {
            Some(quoted) => quoted.split_once(is_quote).unwrap_or((quoted, "")),
            None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
        };
        self.rest = rest;
        (!text.is_empty()).then_some(Argument::Value(argument))
    }
}

/// An argument without its escapes: of the backslashes of a path each is written twice, and by hand once.
fn unescaped(argument: &str) -> Cow<'_, str> {
    if !argument.contains("\\\\") {
        return Cow::Borrowed(argument);
    }
    let path = argument.replace("\\\\", "\\");
    let is_path = argument.starts_with("\\\\") && !path.starts_with("\\\\");
    Cow::Owned(if is_path { ["\\", &path].concat() } else { path })
}
