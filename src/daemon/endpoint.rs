//! `/metrics` and `/healthz` over HTTP/1.1, on a loopback address or a unix socket. The operator may choose
//! another address, and may ask for a token.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::health::{Health, Trouble};
use super::metrics::Metrics;
use super::notify::Notifier;
use crate::config::{Config, is_local};
use crate::file;
use crate::milter;
use crate::milter::endpoint::{Access, SocketFile};

/// Clients served at a time: one Prometheus, one health check and somebody with curl. For one more the oldest
/// connection is closed: an answer takes milliseconds, so that it is one that never asked.
const MAX_CONNECTIONS: usize = 16;

/// Longest life of a connection: a scrape takes milliseconds.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause after `accept` failed: descriptors may come free.
const ACCEPT_RETRY: Duration = Duration::from_millis(500);

/// Where the endpoint listens.
#[derive(Debug)]
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Pause before an address that could not be bound is tried again.
const BIND_RETRY: Duration = Duration::from_secs(30);

/// Settings of the endpoint.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    endpoint: milter::Endpoint,
    access: Access,
    token_file: Option<PathBuf>,
    /// Reachable from other hosts, and without a token.
    open_to_all: bool,
}

impl EndpointConfig {
    /// `None` if the endpoint is off.
    pub fn of(config: &Config) -> Option<EndpointConfig> {
        let address = config.metrics.listen.as_ref()?;
        let token_file = config.metrics.token_file.as_ref().map(|file| config.resolve(file));
        Some(EndpointConfig {
            endpoint: address.clone(),
            access: Access { mode: config.server.socket_mode.0, group: None },
            open_to_all: !is_local(address) && token_file.is_none(),
            token_file,
        })
    }

    /// Tries until it can be opened.
    async fn retry_open(&self) -> Opened {
        loop {
            sleep(BIND_RETRY).await;
            if let Ok(opened) = self.open() {
                return opened;
            }
        }
    }

    /// The bound socket, its file, and who may ask.
    fn open(&self) -> io::Result<Opened> {
        let guard = match &self.token_file {
            Some(file) => TokenGuard::read(file)?,
            None => TokenGuard::default(),
        };
        Ok(match milter::endpoint::Listener::bind(&self.endpoint, self.access)? {
            milter::endpoint::Listener::Inet(socket) => {
                (Listener::Tcp(TcpListener::from_std(socket)?), None, guard)
            }
            milter::endpoint::Listener::Unix(socket, file) => {
                (Listener::Unix(UnixListener::from_std(socket)?), file, guard)
            }
        })
    }
}

type Opened = (Listener, Option<SocketFile>, TokenGuard);

/// What precedes a token (RFC 6750 §2.1).
const BEARER: &[u8] = b"Bearer ";

/// Who may ask: everybody, or whoever knows the token. Hashes are compared, so that the time of a comparison
/// reveals nothing of the token.
#[derive(Clone, Debug, Default)]
pub struct TokenGuard(Option<[u8; 32]>);

impl TokenGuard {
    fn read(path: &Path) -> io::Result<TokenGuard> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("metrics.token_file {}: {error}", path.display()))
        };
        let text = file::read_text(path, file::MAX_BYTES).map_err(named)?;
        match text.lines().next().unwrap_or_default().trim() {
            "" => Err(named(io::Error::other("expected a token in its first line, found none"))),
            token => Ok(TokenGuard(Some(Sha256::digest(token).into()))),
        }
    }

    fn admits<B>(&self, request: &Request<B>) -> bool {
        let Some(hash) = self.0 else { return true };
        let header = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
        let header = header.and_then(|header| header.split_at_checked(BEARER.len()));
        // Schemes are compared without case (RFC 9110 §11.1).
        header.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(BEARER) && <[u8; 32]>::from(Sha256::digest(token)) == hash
        })
    }
}

/// Serves the endpoint for as long as the runtime lives. An address that is in use is tried again and again:
/// mail does not wait for metrics. Call it inside the runtime.
pub fn start(
    config: EndpointConfig,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    notifier: Notifier,
) {
    if config.open_to_all {
        tracing::warn!(
            "metrics: whoever reaches {} can read them; metrics.token_file asks for a token",
            config.endpoint
        );
    }
    let first = config.open();
    if let Err(error) = &first {
        let problem = format!("metrics: cannot listen at {}: {error}", config.endpoint);
        tracing::error!("{problem}; mail is not affected, it is tried again");
        health.set_trouble(Trouble::Metrics, Some(problem));
    }
    tokio::spawn(async move {
        let (listener, _removed_with_the_task, guard) = match first {
            Ok(opened) => opened,
            Err(_) => {
                let opened = config.retry_open().await;
                health.set_trouble(Trouble::Metrics, None);
                notifier.status(&health.status());
                tracing::info!("metrics: listening at {}", config.endpoint);
                opened
            }
        };
        serve(listener, Arc::new(EndpointState { metrics, health, guard })).await;
    });
}

/// What the endpoint shows, and who may see it.
#[derive(Debug)]
struct EndpointState {
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    guard: TokenGuard,
}

/// Serves until its task is dropped.
async fn serve(listener: Listener, state: Arc<EndpointState>) {
    // The oldest first.
    let mut open: VecDeque<AbortHandle> = VecDeque::with_capacity(MAX_CONNECTIONS);
    loop {
        let stream = match accept(&listener).await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "metrics endpoint: accept failed");
                sleep(ACCEPT_RETRY).await;
                continue;
            }
        };
        open.retain(|connection| !connection.is_finished());
        if open.len() >= MAX_CONNECTIONS
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        open.push_back(tokio::spawn(serve_client(stream, Arc::clone(&state))).abort_handle());
    }
}

async fn serve_client(stream: Box<dyn MetricsStream>, state: Arc<EndpointState>) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = answer(&request, &state);
        async { Ok::<_, Infallible>(response) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(CONNECTION_TIMEOUT).max_buf_size(16 << 10);
    // Whoever has no more to ask (`nc -N`) still waits for the answer.
    server.half_close(true);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    if let Ok(Err(error)) = timeout(CONNECTION_TIMEOUT, connection).await {
        tracing::debug!(%error, "metrics endpoint");
    }
}

trait MetricsStream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> MetricsStream for S {}

async fn accept(listener: &Listener) -> io::Result<Box<dyn MetricsStream>> {
    Ok(match listener {
        Listener::Tcp(tcp) => Box::new(tcp.accept().await?.0),
        Listener::Unix(unix) => Box::new(unix.accept().await?.0),
    })
}

fn answer<B>(request: &Request<B>, state: &EndpointState) -> Response<Full<Bytes>> {
    const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
    const PLAIN: &str = "text/plain; charset=utf-8";
    let admitted = state.guard.admits(request);
    let (status, kind, body) = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") if !admitted => {
            let text = "expected Authorization: Bearer and the token of metrics.token_file\n";
            (StatusCode::UNAUTHORIZED, PLAIN, text.to_owned())
        }
        (&Method::GET | &Method::HEAD, "/metrics") => {
            let text = state.metrics.text(SystemTime::now());
            match wants_prometheus(request) {
                true => (StatusCode::OK, PROMETHEUS, prometheus(&text)),
                false => (StatusCode::OK, OPEN_METRICS, text),
            }
        }
        (&Method::GET | &Method::HEAD, "/healthz") => {
            let (status, report) = match state.health.report() {
                Ok(report) => (StatusCode::OK, report),
                Err(report) => (StatusCode::SERVICE_UNAVAILABLE, report),
            };
            // The further lines name files of this host.
            let lines = if admitted { usize::MAX } else { 1 };
            let body = report.lines().take(lines).flat_map(|line| [line, "\n"]).collect();
            (status, PLAIN, body)
        }
        (&Method::GET | &Method::HEAD, _) => {
            (StatusCode::NOT_FOUND, PLAIN, "expected /metrics or /healthz\n".to_owned())
        }
        _ => (StatusCode::METHOD_NOT_ALLOWED, PLAIN, "expected GET\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Whether the client asks for the older text format and not for OpenMetrics.
fn wants_prometheus<B>(request: &Request<B>) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| {
        accept.contains("text/plain") && !accept.contains("application/openmetrics-text")
    })
}

/// Converts OpenMetrics to Prometheus text 0.0.4: a family has the name of its samples, and there are no units
/// and no end mark.
fn prometheus(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut help = "";
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ').map_or("", |(_, help)| help);
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' '))
        {
            let suffix = if kind == "counter" { "_total" } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(out, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}");
        } else if !line.starts_with('#') {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_of_the_older_format_has_its_type() {
        let text = prometheus(&Metrics::new().text(SystemTime::now()));
        for line in [
            "# TYPE linkmilter_reloads_total counter",
            "# TYPE linkmilter_build_info gauge",
            "# TYPE linkmilter_engine_seconds histogram",
            "# TYPE linkmilter_state_bytes gauge",
            "linkmilter_config_generation 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        assert!(!text.contains("# EOF") && !text.contains("# UNIT"));
        let typed: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
            .collect();
        for sample in text.lines().filter(|line| !line.starts_with('#')) {
            let name = sample.split(['{', ' ']).next().unwrap();
            let family = ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| name.strip_suffix(end).filter(|name| typed.contains(name)));
            assert!(family.is_some() || typed.contains(&name), "{sample}");
        }
    }
}
