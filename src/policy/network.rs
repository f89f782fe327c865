//! Networks in CIDR notation.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// An address and a prefix length. An address alone is a network of one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// Host bits are zero; IPv4-mapped IPv6 addresses are IPv4.
    address: IpAddr,
    /// Bits: 0 to 32 or to 128.
    prefix: u32,
}

/// Why a text is no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    #[error("expected an IP address before the slash")]
    Address,
    #[error("expected a prefix length of at most {0} bits")]
    Prefix(u32),
    #[error("the address has bits set beyond its prefix; did you mean {0}?")]
    HostBits(Network),
}

impl Network {
    /// Whether it holds every address of its kind.
    pub fn is_everything(&self) -> bool {
        self.prefix == 0
    }

    /// Whether the address belongs to the network; `::ffff:192.0.2.1` is 192.0.2.1.
    pub fn contains(&self, address: IpAddr) -> bool {
        masked(address.to_canonical(), self.prefix) == Some(self.address)
    }
}

/// Whether a host, a name or an address, can only be this machine (RFC 6761 §6.3).
pub fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Network, NetworkError> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NetworkError::Address)?;
        let address = address.to_canonical();
        let widest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            Some(prefix) => prefix.parse().map_err(|_| NetworkError::Prefix(widest))?,
            None => widest,
        };
        let network = masked(address, prefix).ok_or(NetworkError::Prefix(widest))?;
        let network = Network { address: network, prefix };
        if network.address != address {
            return Err(NetworkError::HostBits(network));
        }
        Ok(network)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.address, self.prefix)
    }
}

/// The address with all bits beyond the prefix cleared; `None` if the prefix is too long for it.
fn masked(address: IpAddr, prefix: u32) -> Option<IpAddr> {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32_u32.checked_sub(prefix)?).unwrap_or(0);
            Some(IpAddr::from((v4.to_bits() & mask).to_be_bytes()))
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128_u32.checked_sub(prefix)?).unwrap_or(0);
            Some(IpAddr::from((v6.to_bits() & mask).to_be_bytes()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses_and_no_others() {
        for (network, inside, outside) in [
            ("192.0.2.0/24", "192.0.2.255", "192.0.3.0"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("::/0", "2001:db8::1", "203.0.113.9"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("192.0.2.0/25", "::ffff:192.0.2.127", "::ffff:192.0.2.128"),
            ("::ffff:192.0.2.1", "192.0.2.1", "::1"),
        ] {
            let parsed: Network = network.parse().unwrap();
            assert!(parsed.contains(inside.parse().unwrap()), "{inside} in {network}");
            assert!(!parsed.contains(outside.parse().unwrap()), "{outside} not in {network}");
        }
    }

    #[test]
    fn what_is_no_network_says_why() {
        for (text, why) in [
            ("example.com", "expected an IP address before the slash"),
            ("192.0.2.0/33", "expected a prefix length of at most 32 bits"),
            ("192.0.2.0/x", "expected a prefix length of at most 32 bits"),
            ("::/129", "expected a prefix length of at most 128 bits"),
            (
                "192.0.2.9/24",
                "the address has bits set beyond its prefix; did you mean 192.0.2.0/24?",
            ),
        ] {
            assert_eq!(text.parse::<Network>().unwrap_err().to_string(), why, "{text}");
        }
    }
}
