//! Accepting connections, and ending them: softly first, then hard.
//!
//! axum's own `serve` waits for the last connection for ever; a stream that a client keeps open would keep the process up.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A client that takes longer to send its request's head holds a connection for nothing.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// When the process is out of file descriptors, accepting again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then gives requests in flight `drain` to finish, then cuts what is left.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: CancellationToken,
    drain: Duration,
) {
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            // Keeps the set from growing with connections long gone.
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => serve_connection(&mut connections, &graceful, &router, stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(drain, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!(
            connections = connections.len(),
            "cut connections that did not finish in time"
        );
    }
    connections.shutdown().await;
}

fn serve_connection(
    connections: &mut JoinSet<()>,
    graceful: &GracefulShutdown,
    router: &Router,
    stream: TcpStream,
    peer: SocketAddr,
) {
    // Small frames of a stream must not wait for more to come. A failure only costs latency.
    let _ = stream.set_nodelay(true);
    let router = router.clone();
    let service = TowerToHyperService::new(tower::service_fn(
        move |request: Request<hyper::body::Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            tower::ServiceExt::oneshot(router.clone(), request)
        },
    ));
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    let connection = builder
        .serve_connection_with_upgrades(TokioIo::new(stream), service)
        .into_owned();
    let connection = graceful.watch(connection);
    connections.spawn(async move {
        // A client that goes away is no fault of ours.
        if let Err(error) = connection.await {
            tracing::debug!(%error, %peer, "a connection ended early");
        }
    });
}
