//! `heliograph mcp`: the Model Context Protocol on standard input and output, for desktop clients
//! that start a program. Each message is sent to `/mcp` of a bff; each answer is written as a line.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use eventsource_stream::Eventsource;
use futures::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use service_kit::client::HttpClient;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Stdout};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::{client, up};
use crate::cli::{BffAddress, Mcp};
use crate::config::Config;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The member of a message that names the revision, in those without a session.
const VERSION_MEMBER: &str = "io.modelcontextprotocol/protocolVersion";

/// The code of an answer that this program makes, as JSON-RPC leaves it to servers.
const FAILED: i64 = -32_000;

/// Passes messages on until standard input ends.
pub(super) async fn run(folder: Option<&Path>, options: Mcp) -> anyhow::Result<()> {
    let http = service_kit::http_client()?;
    let access = Access {
        config: Config::load(up::file(folder).as_deref())?,
        at: options.at,
    };
    let bridge = Arc::new(Bridge {
        credential: Mutex::new(access.credential(&http).await?),
        http,
        access,
        output: Mutex::new(tokio::io::stdout()),
        session: Mutex::default(),
    });
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut calls = JoinSet::new();
    while let Some(line) = lines
        .next_line()
        .await
        .context("standard input cannot be read")?
    {
        if line.trim().is_empty() {
            continue;
        }
        let message: Value = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(error) => {
                let text = format!("The message is not JSON: {error}.");
                bridge.refuse(&Value::Null, -32_700, &text).await?;
                continue;
            }
        };
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let again = Arc::clone(&bridge);
        let call = async move { again.pass(&message).await };
        match method.as_str() {
            // What follows needs the session.
            "initialize" => call.await?,
            "notifications/initialized" => {
                call.await?;
                let listening = Arc::clone(&bridge);
                calls.spawn(async move { listening.listen().await });
            }
            _ => {
                calls.spawn(call);
            }
        }
    }
    calls.shutdown().await;
    bridge.end().await;
    Ok(())
}

/// The bff, and the way to a credential for it.
struct Access {
    config: Config,
    at: BffAddress,
}

/// The bff's address and what it accepts.
#[derive(Clone)]
struct Credential {
    url: String,
    token: SecretString,
}

impl Access {
    /// Standard input belongs to the client of the protocol, so no password is asked for.
    async fn credential(&self, http: &HttpClient) -> anyhow::Result<Credential> {
        let found = client::without_asking(http, &self.config, self.at.place()).await?;
        let Some(client) = found else {
            bail!(
                "there is no credential: set HELIOGRAPH_API_KEY, or run `heliograph sign-in --server URL --user NAME` first; without --server, start the services on this machine with `heliograph`"
            );
        };
        Ok(Credential {
            url: client.url().to_owned(),
            token: client.access_token().clone(),
        })
    }
}

struct Bridge {
    http: HttpClient,
    access: Access,
    credential: Mutex<Credential>,
    output: Mutex<Stdout>,
    session: Mutex<Session>,
}

/// The session that began with `initialize`.
#[derive(Debug, Default, Clone)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl Bridge {
    /// Passes a message on, and what it is answered with back.
    async fn pass(&self, message: &Value) -> anyhow::Result<()> {
        let id = &message["id"];
        match self.try_pass(message).await {
            Ok(()) => Ok(()),
            // A notification has no answer.
            Err(error) if id.is_null() => {
                tracing::warn!("a message could not be passed on: {error:#}");
                Ok(())
            }
            Err(error) => self.refuse(id, FAILED, &format!("{error:#}")).await,
        }
    }

    async fn try_pass(&self, message: &Value) -> anyhow::Result<()> {
        let mut response = self.send(message).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            // The token of a folder lasts for minutes; the next one is asked for.
            let fresh = self.access.credential(&self.http).await?;
            *self.credential.lock().await = fresh;
            response = self.send(message).await?;
        }
        let status = response.status();
        let begins = message["method"] == "initialize";
        if begins && let Some(session) = response.headers().get(SESSION) {
            self.session.lock().await.id = Some(session.clone());
        }
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            return self.forward(response).await;
        }
        let body = response.text().await?;
        if status == StatusCode::ACCEPTED || (status.is_success() && body.is_empty()) {
            return Ok(());
        }
        let answer: Value = serde_json::from_str(&body).unwrap_or_default();
        if answer["jsonrpc"] == "2.0" {
            return self.answer(&answer).await;
        }
        let why = answer["detail"].as_str().unwrap_or(&body);
        bail!("the service answered {status}: {why}")
    }

    async fn send(&self, message: &Value) -> anyhow::Result<reqwest::Response> {
        let credential = self.credential.lock().await.clone();
        let request = self
            .http
            .post(format!("{}/mcp", credential.url))
            .bearer_auth(credential.token.expose_secret())
            .headers(self.headers(message).await)
            .body(message.to_string());
        Ok(request.send().await?)
    }

    async fn headers(&self, message: &Value) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let both = "application/json, text/event-stream";
        headers.insert(ACCEPT, HeaderValue::from_static(both));
        let params = &message["params"];
        if let Some(version) = params["_meta"][VERSION_MEMBER].as_str() {
            // A revision without sessions: each request says what it is in its headers, too.
            let named = params["name"].as_str().or_else(|| params["uri"].as_str());
            let said = [
                (VERSION, Some(version)),
                (METHOD, message["method"].as_str()),
                (NAME, named),
            ];
            for (name, value) in said {
                if let Some(Ok(value)) = value.map(HeaderValue::from_str) {
                    headers.insert(name, value);
                }
            }
            return headers;
        }
        let session = self.session.lock().await.clone();
        for (name, value) in [(SESSION, session.id), (VERSION, session.version)] {
            if let Some(value) = value {
                headers.insert(name, value);
            }
        }
        headers
    }

    /// Writes the messages that the service sends on its own, for as long as there is a session.
    async fn listen(&self) -> anyhow::Result<()> {
        if self.session.lock().await.id.is_none() {
            return Ok(());
        }
        let credential = self.credential.lock().await.clone();
        let request = self
            .http
            .get(format!("{}/mcp", credential.url))
            .bearer_auth(credential.token.expose_secret())
            .headers(self.headers(&Value::Null).await);
        let response = request.send().await?;
        if response.status().is_success() {
            self.forward(response).await?;
        }
        Ok(())
    }

    /// Writes each event of a stream as a line.
    async fn forward(&self, response: reqwest::Response) -> anyhow::Result<()> {
        let mut events = response.bytes_stream().eventsource();
        while let Some(event) = events.next().await {
            let event = event.context("the answer broke off")?;
            if let Ok(answer) = serde_json::from_str::<Value>(&event.data) {
                self.answer(&answer).await?;
            }
        }
        Ok(())
    }

    async fn answer(&self, answer: &Value) -> anyhow::Result<()> {
        if let Some(version) = answer["result"]["protocolVersion"].as_str() {
            self.session.lock().await.version = HeaderValue::from_str(version).ok();
        }
        let mut output = self.output.lock().await;
        output.write_all(format!("{answer}\n").as_bytes()).await?;
        Ok(output.flush().await?)
    }

    async fn refuse(&self, id: &Value, code: i64, text: &str) -> anyhow::Result<()> {
        let error =
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } });
        self.answer(&error).await
    }

    /// Ends the session.
    async fn end(&self) {
        if self.session.lock().await.id.is_none() {
            return;
        }
        let credential = self.credential.lock().await.clone();
        let request = self
            .http
            .request(Method::DELETE, format!("{}/mcp", credential.url))
            .bearer_auth(credential.token.expose_secret())
            .headers(self.headers(&Value::Null).await);
        if let Err(error) = request.send().await {
            tracing::debug!(%error, "the session cannot be ended");
        }
    }
}
