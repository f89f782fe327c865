//! The way to an account: TCP, TLS, log in.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use imap_codec::imap_types::command::CommandBody;
use imap_codec::imap_types::core::AString;
use imap_codec::imap_types::response::{Capability, Data, GreetingKind};
use imap_codec::imap_types::secret::Secret;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::account::{Account, Way};
use super::wire::{Connection, Error, Said};

/// How long a server may take to be reached.
const REACHED: Duration = Duration::from_secs(30);

/// How long a server may be silent: it may have to read a mailbox first.
const SILENCE: Duration = Duration::from_secs(120);

/// What there is between us and the server.
#[derive(Debug)]
pub enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.read(bytes),
            Stream::Tls(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(stream) => stream.flush(),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}

/// Why there is no way.
#[derive(Debug, thiserror::Error)]
pub enum NoWay {
    #[error("{host}: {source}")]
    Reach { host: String, source: io::Error },
    #[error("expected certificates in PEM: {0}")]
    Roots(String),
    #[error("{0}: expected a name that a certificate can have")]
    Name(String),
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error("the password or the name of the user cannot be said over IMAP: {0}")]
    Unspeakable(String),
    #[error(
        "expected a server with UIDPLUS (RFC 4315): without it only all deleted messages can be removed, those of others too"
    )]
    NoUidPlus,
    #[error(
        "expected a server that takes a password, found LOGINDISABLED: nothing was said to it; imaps: may do"
    )]
    NoLogin,
    #[error(transparent)]
    Imap(#[from] Error),
}

/// A connection that is logged in to an account.
///
/// # Errors
/// When the server cannot be reached, shows no certificate of the roots (or of `roots`, PEM), takes no
/// password, does not know the account, or cannot remove one message alone.
pub fn dial(
    account: &Account,
    password: &str,
    roots: Option<&[u8]>,
    most: u64,
) -> Result<Connection<Stream>, NoWay> {
    let tcp =
        reach(account).map_err(|source| NoWay::Reach { host: account.host.clone(), source })?;
    let (mut connection, greeting) = match account.way {
        Way::Loopback => greeted(Stream::Plain(tcp), most)?,
        Way::Tls => greeted(secured(account, tcp, roots)?, most)?,
        Way::StartTls => {
            let (mut plain, _) = greeted(tcp, most)?;
            plain.run(CommandBody::StartTLS, |_| {})?;
            let stream = secured(account, plain.into_inner(), roots)?;
            // What was said in front of the handshake, PREAUTH as well, anybody may have said.
            (Connection::new(stream, most), GreetingKind::Ok)
        }
    };
    if greeting != GreetingKind::PreAuth {
        if can(&mut connection, &Capability::LoginDisabled)? {
            return Err(NoWay::NoLogin);
        }
        let text = |text: &str| {
            AString::try_from(text.to_owned())
                .map_err(|error| NoWay::Unspeakable(error.to_string()))
        };
        let login = CommandBody::Login {
            username: text(&account.user)?,
            password: Secret::new(text(password)?),
        };
        connection.run(login, |_| {})?;
    }
    // Asked again: many say more to those who are logged in.
    match can(&mut connection, &Capability::UidPlus)? {
        true => Ok(connection),
        false => Err(NoWay::NoUidPlus),
    }
}

/// Whether the server names a capability.
fn can<S: Read + Write>(
    connection: &mut Connection<S>,
    wanted: &Capability<'_>,
) -> Result<bool, Error> {
    let mut named = false;
    connection.run(CommandBody::Capability, |said| {
        if let Said::Data(Data::Capability(all)) = said {
            named |= all.as_ref().contains(wanted);
        }
    })?;
    Ok(named)
}

fn greeted<S: Read + Write>(stream: S, most: u64) -> Result<(Connection<S>, GreetingKind), Error> {
    let mut connection = Connection::new(stream, most);
    let greeting = connection.greeting()?;
    Ok((connection, greeting))
}

/// The first of its addresses that answers.
fn reach(account: &Account) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no address");
    for address in (account.host.as_str(), account.port).to_socket_addrs()? {
        // Without TLS the password stays on the machine, whatever a table of names says.
        if account.way == Way::Loopback && !address.ip().is_loopback() {
            continue;
        }
        match TcpStream::connect_timeout(&address, REACHED) {
            Ok(stream) => {
                stream.set_read_timeout(Some(SILENCE))?;
                stream.set_write_timeout(Some(SILENCE))?;
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn secured(account: &Account, tcp: TcpStream, roots: Option<&[u8]>) -> Result<Stream, NoWay> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted(roots)?)
        .with_no_client_auth();
    let name = ServerName::try_from(account.host.clone())
        .map_err(|_| NoWay::Name(account.host.clone()))?;
    let client = ClientConnection::new(Arc::new(config), name)?;
    Ok(Stream::Tls(Box::new(StreamOwned::new(client, tcp))))
}

fn trusted(roots: Option<&[u8]>) -> Result<RootCertStore, NoWay> {
    let mut store = RootCertStore::empty();
    let Some(pem) = roots else {
        store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(store);
    };
    let failed = NoWay::Roots;
    for found in CertificateDer::pem_slice_iter(pem) {
        let found = found.map_err(|error| failed(error.to_string()))?;
        store.add(found).map_err(|error| failed(error.to_string()))?;
    }
    if store.is_empty() { Err(failed("found none".to_owned())) } else { Ok(store) }
}
