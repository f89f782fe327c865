//! Connecting to an account: TCP, TLS, login.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use imap_codec::imap_types::command::CommandBody;
use imap_codec::imap_types::core::AString;
use imap_codec::imap_types::response::{Capability, Data, GreetingKind};
use imap_codec::imap_types::secret::Secret;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{self, CertificateDer};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::account::{Account, TlsMode};
use super::wire::{Connection, Error, Untagged};
use crate::file;

/// Time to connect to one address of a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Time without any byte from the server, or without taking any of ours. It may have to read a
/// mailbox first.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);

/// The stream to the server, with TLS or without.
pub type ImapStream = Box<dyn ReadWrite>;

pub trait ReadWrite: Read + Write {}
impl<S: Read + Write> ReadWrite for S {}

/// Why no connection was made.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("cannot connect: {}", file::reason(.0))]
    Tcp(io::Error),
    #[error("expected certificates in PEM: {0}")]
    Roots(String),
    #[error("{0}: expected a name that a certificate can have")]
    ServerName(String),
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error("the user name or the password cannot be sent over IMAP: {0}")]
    NotSendable(String),
    #[error(
        "expected a server with UIDPLUS (RFC 4315): without it only all deleted messages can be removed, those of others too"
    )]
    NoUidPlus,
    #[error(
        "expected a server that accepts a password, found LOGINDISABLED: no password was sent; imaps: may work"
    )]
    LoginDisabled,
    #[error(transparent)]
    Imap(#[from] Error),
}

/// Connects and logs in. `roots` are certificates (PEM) to trust instead of the built-in roots;
/// `max_message` is the size limit of a message in bytes.
///
/// # Errors
/// When the server cannot be reached, its certificate is not trusted, it accepts no password, it
/// refuses the login, or it cannot remove a single message (no UIDPLUS).
pub fn connect(
    account: &Account,
    password: &str,
    roots: Option<&[u8]>,
    max_message: u64,
) -> Result<Connection<ImapStream>, ConnectError> {
    let tcp = connect_tcp(account).map_err(ConnectError::Tcp)?;
    let (mut connection, greeting) = match account.tls_mode {
        TlsMode::PlainLoopback => read_greeting(Box::new(tcp) as ImapStream, max_message)?,
        TlsMode::Implicit => read_greeting(start_tls(account, tcp, roots)?, max_message)?,
        TlsMode::StartTls => {
            let (mut plain, _) = read_greeting(tcp, max_message)?;
            plain.run(CommandBody::StartTLS, |_| {})?;
            let stream = start_tls(account, plain.into_inner(), roots)?;
            // Ignore the greeting before the handshake, PREAUTH as well: anybody on the path may
            // have sent it.
            (Connection::new(stream, max_message), GreetingKind::Ok)
        }
    };
    if greeting != GreetingKind::PreAuth {
        if has_capability(&mut connection, &Capability::LoginDisabled)? {
            return Err(ConnectError::LoginDisabled);
        }
        let text = |text: &str| {
            AString::try_from(text.to_owned())
                .map_err(|error| ConnectError::NotSendable(error.to_string()))
        };
        let login = CommandBody::Login {
            username: text(&account.user)?,
            password: Secret::new(text(password)?),
        };
        connection.run(login, |_| {})?;
    }
    // Ask again: many servers list more capabilities after the login.
    match has_capability(&mut connection, &Capability::UidPlus)? {
        true => Ok(connection),
        false => Err(ConnectError::NoUidPlus),
    }
}

/// Whether the server has a capability.
fn has_capability<S: Read + Write>(
    connection: &mut Connection<S>,
    wanted: &Capability<'_>,
) -> Result<bool, Error> {
    let mut has = false;
    connection.run(CommandBody::Capability, |response| {
        if let Untagged::Data(Data::Capability(all)) = response {
            has |= all.as_ref().contains(wanted);
        }
    })?;
    Ok(has)
}

fn read_greeting<S: Read + Write>(
    stream: S,
    max_message: u64,
) -> Result<(Connection<S>, GreetingKind), Error> {
    let mut connection = Connection::new(stream, max_message);
    let greeting = connection.greeting()?;
    Ok((connection, greeting))
}

/// Connects to the first address of the host that accepts.
fn connect_tcp(account: &Account) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no address");
    for address in (account.host.as_str(), account.port).to_socket_addrs()? {
        // Without TLS the password must stay on this machine, whatever the DNS or /etc/hosts says.
        if account.tls_mode == TlsMode::PlainLoopback && !address.ip().is_loopback() {
            continue;
        }
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                stream.set_read_timeout(Some(IDLE_TIMEOUT))?;
                stream.set_write_timeout(Some(IDLE_TIMEOUT))?;
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn start_tls(
    account: &Account,
    tcp: TcpStream,
    roots: Option<&[u8]>,
) -> Result<ImapStream, ConnectError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(root_store(roots)?)
        .with_no_client_auth();
    let name = pki_types::ServerName::try_from(account.host.clone())
        .map_err(|_| ConnectError::ServerName(account.host.clone()))?;
    let client = ClientConnection::new(Arc::new(config), name)?;
    Ok(Box::new(StreamOwned::new(client, tcp)))
}

fn root_store(roots: Option<&[u8]>) -> Result<RootCertStore, ConnectError> {
    let mut store = RootCertStore::empty();
    let Some(pem) = roots else {
        store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(store);
    };
    let failed = ConnectError::Roots;
    for found in CertificateDer::pem_slice_iter(pem) {
        let found = found.map_err(|error| failed(error.to_string()))?;
        store.add(found).map_err(|error| failed(error.to_string()))?;
    }
    if store.is_empty() { Err(failed("found none".to_owned())) } else { Ok(store) }
}
