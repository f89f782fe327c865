//! IPv4 addresses as browsers read them (WHATWG URL §3.5): one to four numbers, decimal, octal or
//! hexadecimal; the last one fills the remaining bytes.

use core::net::Ipv4Addr;

/// Whether a last label makes the name an address ("ends in a number"): digits, or `0x` and
/// hexadecimal digits. If [`parse`] refuses such a name, it is no host.
pub fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit()) || number(label).is_some()
}

/// The address of a name without root dot, its labels separated by full stops.
pub fn parse(name: &str) -> Option<Ipv4Addr> {
    let mut parts = [0u64; 4];
    let mut count = 0;
    for part in name.split('.') {
        *parts.get_mut(count)? = number(part)?;
        count += 1;
    }
    let (last, first) = parts.get(..count)?.split_last()?;
    if first.iter().any(|part| *part > 255) || *last >= 1 << (8 * (5 - count)) {
        return None;
    }
    let high = first.iter().zip([24, 16, 8]).fold(0, |sum, (part, place)| sum | part << place);
    u32::try_from(high | last).ok().map(Ipv4Addr::from_bits)
}

/// One number; an arbitrary too big number if it has more bits than an address.
fn number(part: &str) -> Option<u64> {
    let (digits, radix) = match part.as_bytes() {
        [] => return None,
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16),
        [b'0', rest @ ..] => (rest, 8),
        all => (all, 10),
    };
    digits.iter().try_fold(0u64, |value, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        Some((value * u64::from(radix) + u64::from(digit)).min(1 << 40))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The url crate agrees, for names that consist of numbers.
        #[test]
        fn browsers_agree(name in "(0|0x|0X)?[0-9a-f]{0,4}(\\.(0|0x)?[0-9a-f]{1,10}){0,4}") {
            let theirs = match ::url::Url::parse(&format!("http://{name}/")).ok().and_then(|url| {
                url.host().map(|host| host.to_owned())
            }) {
                Some(::url::Host::Ipv4(address)) => Some(address),
                _ => None,
            };
            let last = name.rsplit('.').next().unwrap_or_default();
            prop_assert_eq!(parse(&name).filter(|_| is_number(last)), theirs, "{}", name);
        }
    }
}
