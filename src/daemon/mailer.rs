//! Sends our own mail: over SMTP, by the sendmail command, or into a directory. All through lettre.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{
    Address, AsyncFileTransport, AsyncSendmailTransport, AsyncSmtpTransport, AsyncTransport,
    Message, Tokio1Executor,
};
use tokio::time::timeout;

use super::seal::{self, Seal};
use crate::engine::link::to_ascii;
use crate::file;
use crate::policy::is_loopback;
use crate::record::printable;

/// Where our own mail goes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailRoute {
    /// Sender in From and in the envelope.
    pub from: String,
    pub to: Vec<String>,
    pub transport: Transport,
}

/// How mail is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    Smtp(Smtp),
    /// A command that takes a message as sendmail does.
    Sendmail(PathBuf),
    /// A directory that gets one file for each message. It is made if it does not exist.
    File(PathBuf),
}

/// An SMTP server that takes our mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smtp {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    /// User and password.
    pub login: Option<(String, String)>,
    /// A PEM file with the authority that signed the server's certificate, in addition to the public ones.
    pub authority: Option<PathBuf>,
    /// Longest time from connecting to the last answer.
    pub timeout: Duration,
}

/// Encryption of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// For a server on this host only: no password is sent without encryption elsewhere.
    None,
    /// STARTTLS; without it no mail is sent.
    Starttls,
    /// TLS from the first byte.
    Implicit,
}

/// Why no mail was sent.
#[derive(Debug, thiserror::Error)]
pub enum MailerError {
    #[error("expected a mail address, found {found:?}: {source}")]
    Address {
        found: String,
        #[source]
        source: lettre::address::AddressError,
    },
    #[error("digest.to: expected at least one recipient, found none")]
    NoRecipient,
    #[error(
        "a password needs encryption on the way to {0}; expected starttls or implicit, found none"
    )]
    PasswordWithoutTls(String),
    #[error("certificate authority {}: {source}", path.display())]
    Authority {
        path: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("the message cannot be built: {0}")]
    Message(#[from] lettre::error::Error),
    #[error("SMTP server {server}: {source}")]
    Smtp {
        server: String,
        #[source]
        source: lettre::transport::smtp::Error,
    },
    #[error("SMTP server {server}: expected all answers within {} s, found none", within.as_secs())]
    Timeout { server: String, within: Duration },
    #[error("command {}: {source}", command.display())]
    Sendmail {
        command: PathBuf,
        #[source]
        source: lettre::transport::sendmail::Error,
    },
    #[error("directory {}: {source}", directory.display())]
    File {
        directory: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Composes our own mail: ASCII text in 7bit, marked as automatic (RFC 3834), sealed if there is a key.
///
/// # Errors
/// An address is invalid. A line break or any other control character in an address is refused.
pub fn compose(
    route: &MailRoute,
    host_name: &str,
    subject: &str,
    text: &str,
    seal: Option<&Seal>,
) -> Result<Message, MailerError> {
    let id = format!("<{}@{}>", unique_id(), printable::host(host_name));
    let text = seven_bit(text);
    let mut builder = Message::builder()
        .from(mailbox(&route.from)?)
        .subject(printable::label(subject))
        .message_id(Some(id.clone()))
        .date_now()
        .raw_header(raw_header("Auto-Submitted", "auto-generated"));
    if route.to.is_empty() {
        return Err(MailerError::NoRecipient);
    }
    for address in &route.to {
        builder = builder.to(mailbox(address)?);
    }
    if let Some(seal) = seal {
        builder = builder.raw_header(raw_header(seal::FIELD, &seal.value(&id, text.as_bytes())));
    }
    // Encoded here: lettre panics at lines above 76 characters, and long names make such lines.
    let body = Body::dangerous_pre_encoded(text.into_bytes(), ContentTransferEncoding::SevenBit);
    let part = SinglePart::builder().header(ContentType::TEXT_PLAIN).body(body);
    Ok(builder.singlepart(part)?)
}

/// Sends a message and waits until it is accepted.
///
/// # Errors
/// The transport fails or refuses the message.
pub async fn send(route: &MailRoute, message: Message) -> Result<(), MailerError> {
    match &route.transport {
        Transport::Smtp(smtp) => {
            let server = format!("{}:{}", smtp.host, smtp.port);
            // The timeout of lettre is for connecting only: a server that then sends nothing would block us.
            match timeout(smtp.timeout, connection(smtp)?.send(message)).await {
                Ok(Ok(_)) => {}
                Ok(Err(source)) => return Err(MailerError::Smtp { server, source }),
                Err(_) => return Err(MailerError::Timeout { server, within: smtp.timeout }),
            }
        }
        Transport::Sendmail(command) => {
            AsyncSendmailTransport::<Tokio1Executor>::new_with_command(command)
                .send(message)
                .await
                .map_err(|source| MailerError::Sendmail { command: command.clone(), source })?;
        }
        Transport::File(directory) => {
            let failed = |source| MailerError::File { directory: directory.clone(), source };
            let made = DirBuilder::new().recursive(true).mode(0o750).create(directory);
            made.map_err(|error| failed(error.into()))?;
            let transport = AsyncFileTransport::<Tokio1Executor>::new(directory);
            transport.send(message).await.map_err(|error| failed(error.into()))?;
        }
    }
    Ok(())
}

fn connection(smtp: &Smtp) -> Result<AsyncSmtpTransport<Tokio1Executor>, MailerError> {
    if smtp.encryption == Encryption::None && smtp.login.is_some() && !is_loopback(&smtp.host) {
        return Err(MailerError::PasswordWithoutTls(smtp.host.clone()));
    }
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&smtp.host)
        .port(smtp.port)
        .timeout(Some(smtp.timeout))
        .tls(match smtp.encryption {
            Encryption::None => Tls::None,
            Encryption::Starttls => Tls::Required(tls_parameters(smtp)?),
            Encryption::Implicit => Tls::Wrapper(tls_parameters(smtp)?),
        });
    if let Some((user, password)) = &smtp.login {
        builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
    }
    Ok(builder.build())
}

fn tls_parameters(smtp: &Smtp) -> Result<TlsParameters, MailerError> {
    let mut builder = TlsParameters::builder(smtp.host.clone());
    if let Some(path) = &smtp.authority {
        let wrong = |source| MailerError::Authority { path: path.clone(), source };
        let pem = file::read(path, file::MAX_BYTES).map_err(|error| wrong(error.into()))?;
        let authority = Certificate::from_pem(&pem).map_err(|error| wrong(error.into()))?;
        builder = builder.add_root_certificate(authority);
    }
    let server = format!("{}:{}", smtp.host, smtp.port);
    builder.build().map_err(|source| MailerError::Smtp { server, source })
}

/// An address with its domain in ASCII form, if the local part is ASCII. SMTPUTF8 is then only needed for local
/// parts that have no ASCII form (RFC 6531 §3.2).
fn mailbox(text: &str) -> Result<Mailbox, MailerError> {
    let wrong = |source| MailerError::Address { found: text.to_owned(), source };
    let address: Address = text.parse().map_err(wrong)?;
    if text.chars().any(char::is_control) {
        return Err(wrong(lettre::address::AddressError::InvalidInput));
    }
    if !address.user().is_ascii() {
        return Ok(Mailbox::new(None, address));
    }
    let domain = to_ascii(address.domain()).unwrap_or_else(|| address.domain().into());
    Ok(Mailbox::new(None, Address::new(address.user(), domain).map_err(wrong)?))
}

fn raw_header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// The text as 7bit (RFC 2045 §2.7): printable ASCII in lines of at most 998 octets that end in
/// CRLF. Any other character becomes `?`, and a longer line is split.
fn seven_bit(text: &str) -> String {
    const LINE_BYTES: usize = 998;
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines() {
        for (column, char) in line.chars().enumerate() {
            if column > 0 && column % LINE_BYTES == 0 {
                out.push_str("\r\n");
            }
            out.push(if matches!(char, ' '..='~') { char } else { '?' });
        }
        out.push_str("\r\n");
    }
    out
}

/// The left side of a Message-ID: time and process id, as many mailers make it.
fn unique_id() -> String {
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}.{:x}.linkmilter", now.as_nanos(), std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_makes_a_mail() {
        let route = MailRoute {
            from: "linkmilter@mx.example".into(),
            to: vec!["ops@example.org".into()],
            transport: Transport::File("/".into()),
        };
        let text = format!("short\n{}\na\rb\u{e9}\n", "x".repeat(2_500));
        let mail = compose(&route, "mx.example", "subject\r\nBcc: evil", &text, None).unwrap();
        let mail = String::from_utf8(mail.formatted()).unwrap();
        assert!(mail.is_ascii() && !mail.contains("\nBcc"));
        assert!(mail.split("\r\n").all(|line| line.len() <= 998 && !line.contains(['\r', '\n'])));
        assert!(mail.trim_end().ends_with("\r\na?b?"), "{mail}");
        assert_eq!(mail.matches("Content-Transfer-Encoding: 7bit").count(), 1);
    }
}
