//! The fast path: a host of ASCII letters, digits, dots, hyphens and underscores that nobody has
//! anything to say of. One pass over the bytes, two allocations.

use super::lookalike::LookHash;
use super::names::Names;
use super::{Context, Judgement, question};

const LABEL_OCTETS: usize = 63;
const NAME_CHARACTERS: usize = 253;

/// The judgement of an inconspicuous host; `None` when the host needs a closer look.
pub(super) fn judge(spelling: &str, context: &Context<'_>) -> Option<Judgement> {
    let name = spelling.strip_suffix('.').unwrap_or(spelling);
    if name.is_empty() || name.len() > NAME_CHARACTERS {
        return None;
    }
    let sets = [context.protected, context.own];
    let mut familiar = false;
    for label in name.as_bytes().split(|byte| *byte == b'.') {
        familiar |= read(label, &sets)? == Look::Familiar;
    }
    let ascii = name.to_ascii_lowercase();
    let (_, tld) = ascii.rsplit_once('.')?;
    let sound = tld.len() > 1 && tld.bytes().all(|byte| byte.is_ascii_lowercase());
    // What looks like a protected name is most often just that.
    if !sound
        || familiar && !sets.iter().any(|names| names.covers(&ascii))
        || context.blocked.covers(&ascii)
    {
        return None;
    }
    let question = question(&ascii, context);
    let unicode = ascii.clone();
    Some(Judgement { ascii, unicode, question, span: 0..spelling.len(), ..Judgement::default() })
}

/// Whether a label looks like a protected name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Unknown,
    Familiar,
}

/// Reads a label; `None` when it is not plain.
fn read(label: &[u8], sets: &[&Names; 2]) -> Option<Look> {
    if label.is_empty() || label.len() > LABEL_OCTETS {
        return None;
    }
    let mut whole = LookHash::EMPTY;
    let mut token = LookHash::EMPTY;
    let mut familiar = false;
    let mut hyphenated = false;
    for byte in label {
        match byte {
            b'-' => {
                familiar |= known(token, sets);
                hyphenated = true;
                token = LookHash::EMPTY;
                whole.ascii(b'-');
            }
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                whole.ascii(*byte);
                token.ascii(*byte);
            }
            _ => return None,
        }
    }
    let sound = label.first() != Some(&b'-')
        && label.last() != Some(&b'-')
        && label.get(2..4) != Some(b"--".as_slice());
    familiar |= known(whole, sets) || hyphenated && known(token, sets);
    sound.then_some(if familiar { Look::Familiar } else { Look::Unknown })
}

fn known(look: LookHash, sets: &[&Names; 2]) -> bool {
    sets.iter().any(|names| names.has_look(look.value()))
}
