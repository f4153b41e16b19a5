//! The floor of a load: a server that only sends the events of a recorded answer, without asking
//! anything for them. What a service costs beyond it is the service's own.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context, ensure};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use futures::stream;
use heliograph::chat::ChatClient;
use heliograph::terminal;
use serde_json::json;
use service_kit::client::HttpClient;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use super::proc::{self, Usage};

/// The server as a process of its own, so that its CPU time is known. Dropping this stops it.
pub(crate) struct Floor {
    child: Child,
    client: Arc<ChatClient>,
    /// Number of events of the answer.
    pub(crate) events: usize,
    /// Number of bytes of the answer.
    pub(crate) bytes: usize,
}

impl Floor {
    /// Asks the services once, and starts a server that repeats their answer.
    pub(crate) async fn start(
        program: &Path,
        folder: &Path,
        (client, message): (&ChatClient, &str),
        http: HttpClient,
    ) -> anyhow::Result<Self> {
        let body = json!({
            "threadId": "load-floor",
            "messages": [{ "role": "user", "content": message }],
        });
        let answer = client
            .request(Method::POST, "/api/chat", Some(&body))
            .await?;
        let text = answer.text().await?;
        let file = folder.join("load-floor.txt");
        tokio::fs::write(&file, &text).await?;
        let mut child = Command::new(program)
            .arg("floor")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start the floor")?;
        let output = child.stdout.take().context("the floor has no output")?;
        let mut url = String::new();
        BufReader::new(output).read_line(&mut url).await?;
        ensure!(!url.is_empty(), "the floor did not start");
        let client = ChatClient::with_token(http, url.trim(), "none".into());
        Ok(Self {
            child,
            client: Arc::new(client),
            events: events(&text).len(),
            bytes: text.len(),
        })
    }

    pub(crate) fn client(&self) -> Arc<ChatClient> {
        Arc::clone(&self.client)
    }

    pub(crate) fn usage(&self) -> Usage {
        let pid = self.child.id();
        pid.and_then(proc::usage_of).unwrap_or_default()
    }
}

/// `cargo xtask floor`: sends the events in a file to each request, one by one, until it is
/// stopped.
pub(crate) async fn serve(file: PathBuf) -> anyhow::Result<()> {
    let text = tokio::fs::read_to_string(&file).await;
    let text = text.with_context(|| format!("{} cannot be read", file.display()))?;
    let events: Arc<[Bytes]> = events(&text).into_iter().map(Bytes::from).collect();
    let routes = Router::new()
        .route("/api/chat", post(answer))
        .with_state(events);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    terminal::say(format!("http://{}", listener.local_addr()?));
    // As the services do: small frames must not wait for each other.
    let listener = listener.tap_io(|stream| {
        // A failure only costs latency.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, routes).await?;
    Ok(())
}

async fn answer(State(events): State<Arc<[Bytes]>>, _request: Bytes) -> Response {
    let all = stream::unfold((events, 0), |(events, next)| async move {
        let event = events.get(next)?.clone();
        Some((Ok::<_, std::convert::Infallible>(event), (events, next + 1)))
    });
    let headers = [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache"),
    ];
    (headers, Body::from_stream(all)).into_response()
}

/// The events of a stream, each with the empty line after it.
fn events(text: &str) -> Vec<String> {
    text.split_inclusive("\n\n").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_consists_of_its_events() {
        let text = "data: {\"a\":1}\n\nid: 2\ndata: [DONE]\n\n";
        assert_eq!(events(text).concat(), text);
        assert_eq!(events(text).len(), 2);
    }
}
