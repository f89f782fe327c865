//! What the MTA says about a message before its body.

use std::net::IpAddr;

use super::upstream::TrustedField;

/// How a message came to the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Path {
    /// Over SMTP: there is a client that can be rejected.
    #[default]
    Smtpd,
    /// Through Postfix's `non_smtpd_milters`: from the sendmail command, a mailing-list program, cron.
    NonSmtpd,
}

word_enum! {
    /// Where a message is going.
    pub enum Direction {
        /// From outside, unauthenticated.
        Inbound = "inbound",
        /// From an authenticated client or a listed network.
        Outbound = "outbound",
        /// Submitted on this host ([`Path::NonSmtpd`]).
        Local = "local",
    }
}

/// Whether the message came through a mailing list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListMail {
    #[default]
    No,
    Yes,
}

/// The envelope, and the few header fields that select settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Address of MAIL FROM, without angle brackets; empty for bounces.
    pub sender: String,
    /// Addresses of RCPT TO, without angle brackets, in order.
    pub recipients: Vec<String>,
    /// The SMTP client's address; none on the non-smtpd path and over unix sockets.
    pub client: Option<IpAddr>,
    /// Login name of an authenticated client (macro `{auth_authen}`).
    pub authenticated: Option<String>,
    pub path: Path,
    pub list_mail: ListMail,
    pub author: Author,
    /// Values of the Authentication-Results fields, from the top.
    pub auth_results: Vec<String>,
    /// Fields of our own servers that rules check ([`super::Policies::trusted_fields`]).
    pub trusted_fields: Vec<TrustedField>,
}

/// Who the From field says wrote the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// No From field yet.
    #[default]
    Absent,
    /// One From field with this address and no other.
    One(String),
    /// Several fields or addresses, or none that can be read. Such an author is never exempt.
    Unclear,
}

impl Envelope {
    /// Reads a header field, as far as it selects settings.
    ///
    /// From gives [`Envelope::author`], Authentication-Results is stored, and List-Id, List-Post (RFC 2369, RFC 2919) and
    /// `Precedence: list` make it list mail.
    pub fn observe(&mut self, name: &str, value: &str) {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("From") {
            self.author = match (&self.author, only_address(value)) {
                (Author::Absent, Some(address)) => Author::One(address),
                _ => Author::Unclear,
            };
        } else if is("Authentication-Results") {
            self.auth_results.push(value.to_owned());
        } else if is("List-Id")
            || is("List-Post")
            || (is("Precedence") && value.trim().eq_ignore_ascii_case("list"))
        {
            self.list_mail = ListMail::Yes;
        }
    }
}

/// The address of a From field that holds exactly one.
fn only_address(value: &str) -> Option<String> {
    let field = format!("From: {}\r\n\r\n", value.trim());
    let message = mail_parser::MessageParser::new().parse_headers(field.as_bytes())?;
    let mut addresses = message.from()?.iter();
    let first = addresses.next()?;
    if addresses.next().is_some() {
        return None;
    }
    first.address().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn author(values: &[&str]) -> Author {
        let mut envelope = Envelope::default();
        for value in values {
            envelope.observe("from", value);
        }
        envelope.author
    }

    #[test]
    fn one_from_field_with_one_address_names_the_author() {
        for (value, address) in [
            ("Ann <ann@example.com>", "ann@example.com"),
            (" \"bank@example.org\" <mallory@example.net>", "mallory@example.net"),
            ("=?utf-8?q?bank=40example.org?= <mallory@example.net>", "mallory@example.net"),
        ] {
            assert_eq!(author(&[value]), Author::One(address.to_owned()), "{value}");
        }
    }

    #[test]
    fn two_from_addresses_name_nobody() {
        assert_eq!(author(&[]), Author::Absent);
        for values in [
            &["ann@example.com, bob@example.com"][..],
            &["ann@example.com", "bob@example.com"],
            &["ann@example.com", "bob@example.com", "ann@example.com"],
            &["", "ann@example.com"],
            &[""],
        ] {
            assert_eq!(author(values), Author::Unclear, "{values:?}");
        }
    }

    #[test]
    fn list_headers_make_list_mail() {
        for (name, value, expected) in [
            ("List-ID", "<l.example.org>", ListMail::Yes),
            ("list-post", "<mailto:l@example.org>", ListMail::Yes),
            ("Precedence", " List ", ListMail::Yes),
            ("Precedence", "bulk", ListMail::No),
            ("Subject", "list", ListMail::No),
        ] {
            let mut envelope = Envelope::default();
            envelope.observe(name, value);
            assert_eq!(envelope.list_mail, expected, "{name}: {value}");
        }
    }
}
