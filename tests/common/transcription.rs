//! UTS #58 §3.5.1, step by step as it is written, over code points; slow, and nothing shared with the
//! engine but the two properties. S2 settles step 1, and that `i` advances once.

use linkmilter::engine::unicode::{LinkTerm, link_bracket, link_term};

/// A row of Table 3-3.
struct Row {
    initiator: &'static str,
    terminators: &'static [&'static str],
    clear_stack_open: &'static [&'static str],
}

const PATH: usize = 0;
const FRAGMENT: usize = 2;
const DIRECTIVE: usize = 3;
const TABLE: [Row; 4] = [
    Row { initiator: "/", terminators: &["?", "#"], clear_stack_open: &["/"] },
    Row { initiator: "?", terminators: &["#"], clear_stack_open: &["=", "&"] },
    Row { initiator: "#", terminators: &[":~:"], clear_stack_open: &[] },
    Row { initiator: ":~:", terminators: &[], clear_stack_open: &["&", ",", ":~:"] },
];

/// The byte offset at which a link ends whose host and port end at byte `start`.
pub fn link_end(text: &str, start: usize) -> usize {
    let cp: Vec<char> = text[start..].chars().collect();
    let n = cp.len();
    let matches =
        |what: &str, i: usize| what.chars().enumerate().all(|(at, c)| cp.get(i + at) == Some(&c));
    let mut last_safe = 0;
    let mut part: Option<usize> = None;
    let limit = 125;
    let mut open_stack: Vec<char> = Vec::new();
    let mut i = 0;
    'outer: while i < n {
        let mut previous_part = None;
        if let Some(row) = part
            && TABLE[row].terminators.iter().any(|terminator| matches(terminator, i))
        {
            previous_part = part;
            part = None;
        }
        if part.is_none() {
            let Some(row) = (PATH..=DIRECTIVE).find(|row| matches(TABLE[*row].initiator, i)) else {
                break 'outer;
            };
            part = Some(row);
            if row == DIRECTIVE && !matches!(previous_part, Some(FRAGMENT | DIRECTIVE)) {
                break 'outer;
            }
            i += TABLE[row].initiator.chars().count();
            last_safe = i;
            open_stack.clear();
            continue;
        }
        let row = part.unwrap();
        if let Some(element) =
            TABLE[row].clear_stack_open.iter().find(|element| matches(element, i))
        {
            i += element.chars().count();
            last_safe = i;
            open_stack.clear();
            continue;
        }
        match link_term(cp[i]) {
            LinkTerm::Include => last_safe = i + 1,
            LinkTerm::Soft => {}
            LinkTerm::Hard => break 'outer,
            LinkTerm::Open => {
                if open_stack.len() == limit {
                    break 'outer;
                }
                open_stack.push(cp[i]);
                last_safe = i + 1;
            }
            LinkTerm::Close => {
                let Some(last_open) = open_stack.pop() else { break 'outer };
                if link_bracket(cp[i]) != Some(last_open) {
                    break 'outer;
                }
                last_safe = i + 1;
            }
        }
        i += 1;
    }
    start + cp[..last_safe].iter().map(|c| c.len_utf8()).sum::<usize>()
}
