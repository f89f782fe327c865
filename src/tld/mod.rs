//! The table of top-level domains: its file, its refresh, and DNS queries.
//!
//! | question | answered by |
//! | --- | --- |
//! | which TLDs exist, without any file | [`builtin`] |
//! | is this file a list of TLDs, and a plausible one | [`list::parse`], [`list::check`] |
//! | what did the DNS answer recently | [`cache::Cache`] |
//! | what does a DNS response mean | [`dns::Response`] |
//! | may a DNS query be sent now | [`breaker::Breaker`] |
//! | is the DNS in order by what it said | [`faults::Faults`] |
//! | which table is used on this machine | `store` (with the `app` feature) |
//! | is there a newer one | `refresh` (with the `app` feature) |

pub mod breaker;
pub mod cache;
pub mod dns;
pub mod faults;
pub mod list;
#[cfg(feature = "app")]
pub mod refresh;
#[cfg(feature = "app")]
pub mod store;
use crate::engine::TldTable;

/// Version of the built-in table: the package with IANA's list, and its date.
pub const BUILTIN_VERSION: &str = "built-in tld 2.45.0, 2026-11-01";

/// Days from 1970-01-01 to the date in [`BUILTIN_VERSION`].
pub const BUILTIN_DAY: u64 = 20_758;

/// The built-in table.
pub fn builtin() -> TldTable {
    TldTable::new(tld::TLD.iter(), BUILTIN_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_table_is_plausible_by_its_own_rules() {
        let table = builtin();
        assert_eq!(list::check(&table), Ok(()));
        assert!(table.contains("com") && table.contains("xn--p1ai"));
        assert!(!table.contains("COM") && !table.contains("example"));
    }

    #[test]
    fn the_builtin_version_is_the_locked_package() {
        let lock = include_str!("../../Cargo.lock");
        let version = lock
            .split("[[package]]")
            .find(|package| package.contains("name = \"tld\"\n"))
            .and_then(|package| package.split("version = \"").nth(1))
            .and_then(|rest| rest.split('"').next())
            .unwrap();
        assert!(
            BUILTIN_VERSION.starts_with(&format!("built-in tld {version}, ")),
            "BUILTIN_VERSION says {BUILTIN_VERSION:?}, Cargo.lock says {version}"
        );
    }

    #[test]
    fn the_builtin_day_is_the_day_of_the_version() {
        let (_, date) = BUILTIN_VERSION.split_once(", ").unwrap();
        let mut numbers = date.split('-').map(|number| number.parse().unwrap());
        let mut next = || -> u64 { numbers.next().unwrap() };
        assert_eq!(list::days_from_civil(next(), next(), next()), Some(BUILTIN_DAY));
    }
}
