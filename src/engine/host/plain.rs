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
    name.as_bytes().split(|byte| *byte == b'.').all(|label| is_plain(label, &sets)).then_some(())?;
    let ascii = name.to_ascii_lowercase();
    let (_, tld) = ascii.rsplit_once('.')?;
    let sound = tld.len() > 1 && tld.bytes().all(|byte| byte.is_ascii_lowercase());
    if !sound || context.blocked.covers(&ascii) {
        return None;
    }
    let question = question(&ascii, context);
    Some(Judgement {
        unicode: ascii.clone(),
        ascii,
        question,
        span: 0..spelling.len(),
        ..Judgement::default()
    })
}

fn is_plain(label: &[u8], sets: &[&Names; 2]) -> bool {
    if label.is_empty() || label.len() > LABEL_OCTETS {
        return false;
    }
    let mut whole = LookHash::EMPTY;
    let mut token = LookHash::EMPTY;
    let mut hyphenated = false;
    for byte in label {
        match byte {
            b'-' => {
                if known(token, sets) {
                    return false;
                }
                hyphenated = true;
                token = LookHash::EMPTY;
                whole.ascii(b'-');
            }
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                whole.ascii(*byte);
                token.ascii(*byte);
            }
            _ => return false,
        }
    }
    let sound = label.first() != Some(&b'-')
        && label.last() != Some(&b'-')
        && label.get(2..4) != Some(b"--".as_slice());
    sound && !known(whole, sets) && !(hyphenated && known(token, sets))
}

fn known(look: LookHash, sets: &[&Names; 2]) -> bool {
    sets.iter().any(|names| names.has_look(look.value()))
}
