//! An IMAP account as a URL like those of RFC 5092, without a password.

use std::fmt;

use url::{Host, Url};

use crate::policy::is_loopback;

/// An account on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub user: String,
    pub host: String,
    pub port: u16,
    pub tls_mode: TlsMode,
    /// The only folder to process, in the spelling of the server (modified UTF-7). All folders
    /// without it.
    pub folder: Option<String>,
}

/// How TLS is used on the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    /// TLS from the first byte (RFC 8314 §3.2).
    Implicit,
    /// TLS after `STARTTLS`. Nothing else is sent before it.
    StartTls,
    /// No TLS: the server is on this machine.
    PlainLoopback,
}

/// What is wrong with the URL. The URL itself is not shown: it may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    #[error("expected imaps://USER@HOST, found no URL")]
    NotAUrl,
    #[error("expected imaps://USER@HOST or imap://USER@HOST, found the scheme {0:?}")]
    Scheme(String),
    #[error("expected imaps://USER@HOST, found no {0}")]
    Missing(&'static str),
    #[error(
        "found a password in the URL, where all users of this machine see it: expected it in the \
         file of --password-file"
    )]
    Password,
    #[error("expected the name of one folder after the host, found more (? or #)")]
    Extra,
    #[error("expected percent-encoded UTF-8 in the {0}")]
    NotUtf8(&'static str),
}

impl TlsMode {
    /// The port of servers that are spoken to so (RFC 8314 §3, RFC 9051 §1).
    const fn usual_port(self) -> u16 {
        match self {
            TlsMode::Implicit => 993,
            TlsMode::StartTls | TlsMode::PlainLoopback => 143,
        }
    }
}

impl Account {
    /// Parses `imaps://USER@HOST[:PORT][/FOLDER]`. Special characters in a name are percent-encoded
    /// (`%40`).
    ///
    /// # Errors
    /// See [`AccountError`].
    pub fn parse(text: &str) -> Result<Account, AccountError> {
        let url = Url::parse(text).map_err(|_| AccountError::NotAUrl)?;
        if url.password().is_some() {
            return Err(AccountError::Password);
        }
        let host = match url.host() {
            // The crate `url` does not normalize the host of a scheme that it does not know.
            Some(Host::Domain(name)) if !name.is_empty() => name.to_owned(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => ip.to_string(),
            _ => return Err(AccountError::Missing("host")),
        };
        let tls_mode = match url.scheme() {
            "imaps" => TlsMode::Implicit,
            "imap" if is_loopback(&host) => TlsMode::PlainLoopback,
            "imap" => TlsMode::StartTls,
            other => return Err(AccountError::Scheme(other.to_owned())),
        };
        if url.username().is_empty() {
            return Err(AccountError::Missing("user"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AccountError::Extra);
        }
        let folder = percent_decoded(url.path().trim_start_matches('/'), "folder")?;
        Ok(Account {
            user: percent_decoded(url.username(), "user")?,
            host,
            port: url.port().unwrap_or(tls_mode.usual_port()),
            tls_mode,
            folder: (!folder.is_empty()).then_some(folder),
        })
    }
}

/// As its user would name it: the port only where it is another than usual.
impl fmt::Display for Account {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, port) = (&self.host, self.port);
        match host.contains(':') {
            true => write!(out, "{}@[{host}]", self.user)?,
            false => write!(out, "{}@{host}", self.user)?,
        }
        match port == self.tls_mode.usual_port() {
            true => Ok(()),
            false => write!(out, ":{port}"),
        }
    }
}

fn percent_decoded(text: &str, what: &'static str) -> Result<String, AccountError> {
    let bytes = percent_encoding::percent_decode_str(text);
    bytes.decode_utf8().map(Into::into).map_err(|_| AccountError::NotUtf8(what))
}

#[cfg(test)]
mod tests {
    use TlsMode::{Implicit, PlainLoopback, StartTls};

    use super::*;

    #[test]
    fn accounts_are_read() {
        for (text, user, host, port, tls_mode, folder) in [
            ("imaps://ann@mail.example.org", "ann", "mail.example.org", 993, Implicit, None),
            ("imaps://ann@mail.example.org/", "ann", "mail.example.org", 993, Implicit, None),
            (
                "imap://a%40b.example@h:1143/L/a%20b",
                "a@b.example",
                "h",
                1143,
                StartTls,
                Some("L/a b"),
            ),
            ("imap://ann*admin@localhost", "ann*admin", "localhost", 143, PlainLoopback, None),
            ("imap://ann@127.0.0.1", "ann", "127.0.0.1", 143, PlainLoopback, None),
            ("imap://ann@[::1]", "ann", "::1", 143, PlainLoopback, None),
            ("imap://ann@192.0.2.1", "ann", "192.0.2.1", 143, StartTls, None),
            ("imap://ann@localhost.a.example", "ann", "localhost.a.example", 143, StartTls, None),
        ] {
            let (user, host) = (user.to_owned(), host.to_owned());
            let expected =
                Account { user, host, port, tls_mode, folder: folder.map(str::to_owned) };
            assert_eq!(Account::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn errors_do_not_show_the_url() {
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
