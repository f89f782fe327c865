//! What the daemon does with a message of a family.

use std::hint::black_box;
use std::sync::LazyLock;

use linkmilter::engine::{Answers, Facts, Message, Outcome, Policy, TldTable, inspect, splice};
use linkmilter::tld;

use crate::families::Letter;

/// Made once: not of any message.
static TLDS: LazyLock<TldTable> = LazyLock::new(tld::builtin);

/// All that the daemon does with a message, but for the wire: its outcome, and the length of the body then.
pub fn judge(letter: &Letter, policy: &Policy) -> (Outcome, usize) {
    let message = Message { head: &letter.head, body: &letter.body };
    let facts = Facts::default();
    let outcome = black_box(inspect(message, &facts, policy, &*TLDS)).resolve(&Answers::new());
    let length = splice::apply(message.body, &outcome.edits).byte_len();
    (outcome, length)
}

/// What makes the tables: a host that reads as a protected name, one that reads as none, one in other letters, one of
/// words, and a name in From.
pub fn lying() -> Letter {
    let hosts = "http://p\u{430}ypal.com/ http://\u{430}bcd\u{430}.com/ http://\u{434}\u{43e}\u{43c}.com/ \
                 http://house-login.com/";
    let head = b"From: Somebody Else <somebody@house.example>\r\n".to_vec();
    Letter { head, body: hosts.as_bytes().to_vec() }
}
