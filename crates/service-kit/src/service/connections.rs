//! Accepting connections, and ending them: softly first, then hard.
//!
//! axum's own `serve` waits for the last connection forever; a stream that a client keeps open
//! would keep the process up. It also keeps a connection on which nothing is sent.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use contracts::problem::Problem;
use http::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::activity::{Activity, Tracked};
use super::capacity::{Capacity, Place};
use super::refused::{Refusing, last_answer};
use crate::clock::SharedIds;

/// When the process is out of file descriptors, accepting again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Time that a connection that is asked to end may still do nothing.
const GRACE: Duration = Duration::from_secs(1);

/// How connections are kept.
#[derive(Clone)]
pub(super) struct Keeping {
    /// Time that a connection may stay open without a request.
    pub(super) idle: Duration,
    /// Time that requests in flight have to finish when the service stops.
    pub(super) drain: Duration,
    pub(super) ids: SharedIds,
}

/// Serves until `shutdown`, then gives requests in flight time to finish, then cuts what is left.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: CancellationToken,
    mut capacity: Capacity,
    keeping: Keeping,
) {
    let (mut connections, full) = (JoinSet::new(), no_place());
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            // Removes ended connections, so that the set does not grow.
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match capacity.take(peer.ip()) {
                    Some(place) => {
                        let connection = connection(router.clone(), stream, peer, keeping.clone(), shutdown.clone());
                        connections.spawn(holding(place, connection));
                    }
                    // As much as fits; a client that does not read it sees the close.
                    None => drop(stream.try_write(&full)),
                },
                Err(error) => {
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(keeping.drain, finished).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "cut connections that did not finish in time"
        );
    }
    connections.shutdown().await;
}

/// The answer to a client for which there is no place.
fn no_place() -> Vec<u8> {
    let status = StatusCode::SERVICE_UNAVAILABLE.as_u16();
    let problem = Problem::new(status, "too_many_connections", "Too many connections").with_detail(
        "As many connections are open as the service allows, in all or from your address.",
    );
    last_answer(&problem, "retry-after: 5")
}

async fn holding(place: Place, connection: impl Future<Output = ()>) {
    connection.await;
    drop(place);
}

/// One connection, to its end.
async fn connection(
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
    keeping: Keeping,
    shutdown: CancellationToken,
) {
    // Small frames of a stream must not wait for more to come. A failure only costs latency.
    let _ = stream.set_nodelay(true);
    let activity = Activity::new();
    let requests = activity.clone();
    let service = TowerToHyperService::new(tower::service_fn(
        move |request: Request<hyper::body::Incoming>| {
            let in_flight = requests.begin();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            let answer = tower::ServiceExt::oneshot(router.clone(), request);
            async move {
                let response = answer.await?;
                Ok::<Response<Tracked>, Infallible>(
                    response.map(|body| Tracked::new(body, in_flight)),
                )
            }
        },
    ));
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(keeping.idle);
    builder.http2().timer(TokioTimer::new());
    let io = TokioIo::new(Refusing::new(stream, activity.clone(), keeping.ids));
    let mut served = pin!(builder.serve_connection_with_upgrades(io, service));
    let (mut ending, mut patience) = (false, keeping.idle);
    loop {
        tokio::select! {
            result = served.as_mut() => {
                // A client that goes away is not a fault of the service.
                if let Err(error) = result {
                    tracing::debug!(%error, %peer, "a connection ended early");
                }
                return;
            }
            () = shutdown.cancelled(), if !ending => {}
            () = activity.idle_for(patience) => {
                tracing::debug!(%peer, "ending a connection without a request");
                if ending {
                    return;
                }
            }
        }
        // Requests in flight are finished, however long they take; then it has to end soon.
        served.as_mut().graceful_shutdown();
        (ending, patience) = (true, GRACE.min(keeping.idle));
        activity.restart();
    }
}
