//! Whose mail: a URL in the manner of RFC 5092, without a password.

use std::net::IpAddr;

use url::{Host, Url};

/// An account on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub user: String,
    pub host: String,
    pub port: u16,
    pub way: Way,
    /// The only folder that is looked into, as the server spells it (modified UTF-7); all without it.
    pub folder: Option<String>,
}

/// How the connection is kept from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// TLS from the first byte (RFC 8314 §3.2).
    Tls,
    /// TLS after `STARTTLS`; without it nothing is said.
    StartTls,
    /// The server is this machine.
    Loopback,
}

/// What is wrong with the URL. It is never shown: somebody may have put a password into it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAccount {
    #[error("expected imaps://USER@HOST, found no URL ({0})")]
    NoUrl(url::ParseError),
    #[error("expected imaps://USER@HOST or imap://USER@HOST, found the scheme {0:?}")]
    Scheme(String),
    #[error("expected imaps://USER@HOST, found no {0}")]
    Without(&'static str),
    #[error(
        "found a password in the URL, where all users of this machine see it: expected it in the \
         file of --password-file"
    )]
    Password,
    #[error("expected the name of one folder behind the host, found more (? or #)")]
    More,
    #[error("expected UTF-8 behind the percent signs of the {0}")]
    NoText(&'static str),
}

impl Account {
    /// The account of `imaps://USER@HOST[:PORT][/FOLDER]`. What is special in a name stands there as
    /// `%40`.
    ///
    /// # Errors
    /// See [`NoAccount`].
    pub fn parse(text: &str) -> Result<Account, NoAccount> {
        let url = Url::parse(text).map_err(NoAccount::NoUrl)?;
        if url.password().is_some() {
            return Err(NoAccount::Password);
        }
        let host = match url.host() {
            // The crate reads hosts of schemes that it does not know as they stand.
            Some(Host::Domain(name)) if !name.is_empty() => name.to_owned(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => ip.to_string(),
            _ => return Err(NoAccount::Without("host")),
        };
        let (port, way) = match url.scheme() {
            "imaps" => (993, Way::Tls),
            "imap" if is_loopback(&host) => (143, Way::Loopback),
            "imap" => (143, Way::StartTls),
            other => return Err(NoAccount::Scheme(other.to_owned())),
        };
        if url.username().is_empty() {
            return Err(NoAccount::Without("user"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(NoAccount::More);
        }
        let folder = plain(url.path().trim_start_matches('/'), "folder")?;
        Ok(Account {
            user: plain(url.username(), "user")?,
            host,
            port: url.port().unwrap_or(port),
            way,
            folder: (!folder.is_empty()).then_some(folder),
        })
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn plain(text: &str, what: &'static str) -> Result<String, NoAccount> {
    let bytes = percent_encoding::percent_decode_str(text);
    bytes.decode_utf8().map(Into::into).map_err(|_| NoAccount::NoText(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_read() {
        for (text, user, host, port, way, folder) in [
            ("imaps://ann@mail.example.org", "ann", "mail.example.org", 993, Way::Tls, None),
            ("imaps://ann@mail.example.org/", "ann", "mail.example.org", 993, Way::Tls, None),
            (
                "imap://a%40b.example@h:1143/Lists/a%20b",
                "a@b.example",
                "h",
                1143,
                Way::StartTls,
                Some("Lists/a b"),
            ),
            ("imap://ann*admin@localhost", "ann*admin", "localhost", 143, Way::Loopback, None),
            ("imap://ann@127.0.0.1", "ann", "127.0.0.1", 143, Way::Loopback, None),
            ("imap://ann@[::1]", "ann", "::1", 143, Way::Loopback, None),
            ("imap://ann@192.0.2.1", "ann", "192.0.2.1", 143, Way::StartTls, None),
            (
                "imap://ann@localhost.example.org",
                "ann",
                "localhost.example.org",
                143,
                Way::StartTls,
                None,
            ),
        ] {
            let (user, host) = (user.to_owned(), host.to_owned());
            let expected = Account { user, host, port, way, folder: folder.map(str::to_owned) };
            assert_eq!(Account::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_account_is_told_without_its_text() {
        for (text, said) in [
            ("mail.example.org", "found no URL"),
            ("https://ann@mail.example.org", "scheme \"https\""),
            ("imaps://mail.example.org", "found no user"),
            ("imaps://", "found no"),
            ("imaps://ann:s3cret@mail.example.org", "--password-file"),
            ("imaps://ann@mail.example.org/a?b", "found more"),
            ("imaps://ann@mail.example.org/%ff", "UTF-8"),
        ] {
            let error = Account::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
