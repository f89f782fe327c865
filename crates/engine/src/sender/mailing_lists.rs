//! Mailing lists (RFC 2369) that put a member's name in front of their own address.

use mail_parser::{HeaderName, Message};

use homograph::is_or_below;
use uts58::mailto::mailto_addresses;

/// Hosts of lists that anybody can read and whose fields no member writes.
const LIST_HOSTS: [&str; 6] = [
    "freelists.org", "googlegroups.com", "groups.io", "listserv.dfn.de", "lists.sourceforge.net",
    "yahoogroups.com",
];

pub fn is_list_host(host: &str) -> bool {
    LIST_HOSTS.iter().any(|known| is_or_below(host, known))
}

/// The address of the mailing list that a message came through (RFC 2369 §2: URLs in angle brackets).
pub fn list_address(message: &Message<'_>) -> Option<String> {
    let post = message.header(HeaderName::ListPost)?.as_text()?;
    let mut urls = post.split(['<', '>']).map(str::trim);
    urls.find_map(|url| mailto_addresses(url).into_iter().next())
}

/// What stands between the member of a list and the list: `Ann via Example List`.
const VIA: &str = " via ";

fn via(name: &str) -> Option<usize> {
    name.to_ascii_lowercase().find(VIA)
}

/// The member whom a list names.
pub fn before_via(name: &str) -> Option<&str> {
    via(name).and_then(|at| name.get(..at))
}

/// A list says that it is not the member, so that only the name behind counts.
pub fn name_after_via(name: &str) -> &str {
    via(name).and_then(|at| name.get(at + VIA.len()..)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Dmarc, Facts, Message, Policy, TldTable, Verdict, inspect};

    #[test]
    fn a_list_may_name_its_member_by_a_site_or_an_address() {
        let verdict = |name: &str, host: &str, post: &str, dmarc: Dmarc| {
            let head = format!("From: \"{name}\" <accounts@{host}>\n{post}");
            let message = Message { head: head.as_bytes(), body: b"" };
            let recipient_domains = vec!["harbour.org".to_owned()];
            let facts = Facts { dmarc, recipient_domains, ..Facts::default() };
            let tlds = TldTable::new(["com", "org", "net"], "");
            inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new()).verdict
        };
        let post = "List-Post: <mailto:accounts@example.net>\n";
        for name in [
            "'Booking.com' via Accounts",
            "'service@paypal.com' via Accounts",
            "'Ann at Booking.com' via Accounts",
        ] {
            let of = |host, post, dmarc| verdict(name, host, post, dmarc);
            assert_eq!(of("example.net", post, Dmarc::Pass), Verdict::Notice, "{name}");
            assert_eq!(of("harbour.org", "", Dmarc::Pass), Verdict::Notice, "{name}");
            assert_eq!(of("harbour.org", "", Dmarc::Unknown), Verdict::Suspect, "{name}");
            assert_eq!(of("example.net", post, Dmarc::Unknown), Verdict::Suspect, "{name}");
            assert_eq!(of("example.net", "", Dmarc::Pass), Verdict::Suspect, "{name}");
            assert_eq!(of("evil.com", post, Dmarc::Pass), Verdict::Suspect, "{name}");
            let own = "List-Post: <mailto:accounts@gmail.com>\n";
            assert_eq!(of("gmail.com", own, Dmarc::Pass), Verdict::Suspect, "{name}");
        }
        for name in ["Booking.com", "Ann via Booking.com", "Booking.com via service@paypal.com"] {
            assert_eq!(verdict(name, "example.net", post, Dmarc::Pass), Verdict::Suspect, "{name}");
        }
        let free = "List-Post: <mailto:accounts@gmail.com>\n";
        let found = verdict("PayPal via Accounts", "gmail.com", free, Dmarc::Pass);
        assert_eq!(found, Verdict::Suspect);
    }
}
