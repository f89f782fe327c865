//! `/metrics` and `/healthz` over HTTP/1.1, on a loopback address or a unix socket.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::health::Health;
use super::metrics::Metrics;

/// Scrapers served at a time: one Prometheus, one health check and somebody with curl.
const CONNECTIONS: usize = 16;

/// Longest life of a connection: a scrape takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait when `accept` fails: descriptors may come free.
const BACK_OFF: Duration = Duration::from_millis(500);

/// Where the endpoint listens.
#[derive(Debug)]
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Serves until its task is dropped.
pub async fn serve(listener: Listener, metrics: Arc<Metrics>, health: Arc<Health>) {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // Closed never, so there is always a permit to wait for.
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else {
            return;
        };
        let stream = match accept(&listener).await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "metrics endpoint: accept failed");
                sleep(BACK_OFF).await;
                continue;
            }
        };
        let (metrics, health) = (Arc::clone(&metrics), Arc::clone(&health));
        tokio::spawn(async move {
            let _permit = permit;
            let service = service_fn(|request: Request<Incoming>| {
                let response = answer(&request, &metrics, &health);
                async { Ok::<_, Infallible>(response) }
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(16 << 10);
            let served = match stream {
                Stream::Tcp(stream) => {
                    timeout(PATIENCE, server.serve_connection(stream, service)).await
                }
                Stream::Unix(stream) => {
                    timeout(PATIENCE, server.serve_connection(stream, service)).await
                }
            };
            if let Ok(Err(error)) = served {
                tracing::debug!(%error, "metrics endpoint");
            }
        });
    }
}

enum Stream {
    Tcp(TokioIo<tokio::net::TcpStream>),
    Unix(TokioIo<tokio::net::UnixStream>),
}

async fn accept(listener: &Listener) -> io::Result<Stream> {
    Ok(match listener {
        Listener::Tcp(tcp) => Stream::Tcp(TokioIo::new(tcp.accept().await?.0)),
        Listener::Unix(unix) => Stream::Unix(TokioIo::new(unix.accept().await?.0)),
    })
}

fn answer<B>(request: &Request<B>, metrics: &Metrics, health: &Health) -> Response<Full<Bytes>> {
    const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    const PLAIN: &str = "text/plain; charset=utf-8";
    let (status, kind, body) = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") => {
            (StatusCode::OK, OPEN_METRICS, metrics.text(SystemTime::now()))
        }
        (&Method::GET | &Method::HEAD, "/healthz") => match health.report() {
            Ok(line) => (StatusCode::OK, PLAIN, format!("{line}\n")),
            Err(line) => (StatusCode::SERVICE_UNAVAILABLE, PLAIN, format!("{line}\n")),
        },
        (&Method::GET | &Method::HEAD, _) => {
            (StatusCode::NOT_FOUND, PLAIN, "expected /metrics or /healthz\n".to_owned())
        }
        _ => (StatusCode::METHOD_NOT_ALLOWED, PLAIN, "expected GET\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-store"));
    response
}
