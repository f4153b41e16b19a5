//! Binding, draining, stopping.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use futures::FutureExt;
use service_kit::config::HttpConfig;
use service_kit::http_client;
use service_kit::service::{Error, Service, cancel_on_signal};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::support::serve;

/// A route that says when it was entered and answers when it may.
fn held(entered: &Arc<Notify>, release: &Arc<Notify>) -> Router {
    let (entered, release) = (Arc::clone(entered), Arc::clone(release));
    Router::new().route(
        "/held",
        get(move || {
            let (entered, release) = (Arc::clone(&entered), Arc::clone(&release));
            async move {
                entered.notify_one();
                release.notified().await;
                "done"
            }
        }),
    )
}

#[tokio::test]
async fn draining_refuses_new_connections_and_finishes_what_is_in_flight() {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let running = serve("held", HttpConfig::on_port(0), held(&entered, &release)).await;
    let address = running.service.local_addr;
    let request = http_client()
        .unwrap()
        .get(format!("{}/held", running.service.base_url()));
    let request = tokio::spawn(request.send());
    entered.notified().await;

    running.shutdown.cancel();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    release.notify_one();
    let response = request.await.unwrap().unwrap();
    assert_eq!(response.text().await.unwrap(), "done");
    running.service.stopped().await;
}

#[tokio::test]
async fn what_does_not_finish_in_time_is_cut() {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let http = HttpConfig {
        drain_timeout_ms: 20,
        ..HttpConfig::on_port(0)
    };
    let running = serve("held", http, held(&entered, &release)).await;
    let request = http_client()
        .unwrap()
        .get(format!("{}/held", running.service.base_url()));
    let request = tokio::spawn(request.send());
    entered.notified().await;

    running.shutdown.cancel();
    running.service.stopped().await;
    assert!(request.await.unwrap().is_err());
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_stop() {
    let running = serve(
        "idle",
        HttpConfig::on_port(0),
        Router::new().route("/", get(|| async { "ok" })),
    )
    .await;
    let client = http_client().unwrap();
    let response = client.get(running.service.base_url()).send().await.unwrap();
    assert_eq!(response.text().await.unwrap(), "ok");
    running.shutdown.cancel();
    running.service.stopped().await;
}

#[tokio::test]
async fn handlers_learn_the_peer_s_address() {
    let peer =
        get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() });
    let running = serve(
        "peer",
        HttpConfig::on_port(0),
        Router::new().route("/", peer),
    )
    .await;
    let response = http_client()
        .unwrap()
        .get(running.service.base_url())
        .send()
        .await
        .unwrap();
    assert_eq!(response.text().await.unwrap(), "127.0.0.1");
}

#[tokio::test]
async fn a_taken_port_is_refused_at_once() {
    let running = serve("first", HttpConfig::on_port(0), Router::new()).await;
    let second = Service::new(
        "second",
        HttpConfig::on_port(running.service.local_addr.port()),
    );
    let result = second
        .serve(Router::new(), CancellationToken::new(), &TaskTracker::new())
        .now_or_never();
    let error = match result {
        Some(Err(error)) => error,
        other => panic!("{:?}", other.map(|running| running.is_ok())),
    };
    assert!(matches!(error, Error::Bind { .. }), "{error:?}");
}

#[tokio::test]
async fn a_termination_signal_asks_for_the_stop() {
    let shutdown = CancellationToken::new();
    cancel_on_signal(shutdown.clone()).unwrap();
    // The only signal that any test here may send: a second one would end the process.
    let pid = std::process::id().to_string();
    let status = tokio::process::Command::new("kill")
        .args(["-TERM", &pid])
        .status()
        .await
        .unwrap();
    assert!(status.success());
    shutdown.cancelled().await;
}
