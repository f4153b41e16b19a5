//! A client of the bff's API.

use contracts::bff::TokenResponse;
use contracts::chat::UiMessageChunk;
use contracts::problem::Problem;
use eventsource_stream::Eventsource;
use futures::{Stream, StreamExt};
use reqwest::{Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::{Value, json};
use service_kit::client::HttpClient;

use super::rejoined::{Place, Rejoined};

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// Connecting to the bff failed, or the connection was lost.
    #[error("{0}")]
    Connection(#[from] reqwest::Error),
    /// The bff rejected the request.
    #[error("{}", refusal(.0))]
    Refused(Box<Problem>),
    /// The response is not a valid stream.
    #[error("the response is not valid: {0}")]
    Unreadable(String),
}

/// The words of a refusal, with the names that would have been known.
fn refusal(problem: &Problem) -> String {
    let words = problem.detail.as_deref().unwrap_or(&problem.title);
    if problem.available.is_empty() {
        return words.to_owned();
    }
    format!("{words} (known: {})", problem.available.join(", "))
}

/// A signed-in client.
pub struct ChatClient {
    http: HttpClient,
    url: String,
    access_token: SecretString,
    assistant: Option<String>,
    timezone: Option<String>,
}

impl ChatClient {
    /// Signs in with a user name and a password.
    pub async fn sign_in(
        http: HttpClient,
        url: &str,
        username: &str,
        password: &SecretString,
    ) -> Result<(Self, SecretString), ChatError> {
        let body = json!({ "username": username, "password": password.expose_secret() });
        Self::tokens(http, url, "/auth/token", &body).await
    }

    /// Signs in with a refresh token. The client returned has the next one.
    pub async fn refresh(
        http: HttpClient,
        url: &str,
        refresh_token: &SecretString,
    ) -> Result<(Self, SecretString), ChatError> {
        let body = json!({ "refresh_token": refresh_token.expose_secret() });
        Self::tokens(http, url, "/auth/refresh", &body).await
    }

    /// A client with an API key, or with any other bearer token.
    pub fn with_token(http: HttpClient, url: &str, token: SecretString) -> Self {
        Self {
            http,
            url: url.to_owned(),
            access_token: token,
            assistant: None,
            timezone: None,
        }
    }

    async fn tokens(
        http: HttpClient,
        url: &str,
        path: &str,
        body: &impl Serialize,
    ) -> Result<(Self, SecretString), ChatError> {
        let answer = http.post(format!("{url}{path}")).json(body).send().await?;
        let tokens: TokenResponse = accepted(answer).await?.json().await?;
        let client = Self {
            http,
            url: url.to_owned(),
            access_token: tokens.access_token.into(),
            assistant: None,
            timezone: None,
        };
        Ok((client, tokens.refresh_token.into()))
    }

    /// The URL of the bff.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What requests are sent with; it lasts for minutes.
    pub fn access_token(&self) -> &SecretString {
        &self.access_token
    }

    /// The same client, with this assistant for new threads.
    #[must_use]
    pub fn with_assistant(mut self, assistant: Option<String>) -> Self {
        self.assistant = assistant;
        self
    }

    /// The same client, for a person in this time zone.
    #[must_use]
    pub fn with_timezone(mut self, timezone: Option<String>) -> Self {
        self.timezone = timezone;
        self
    }

    /// The body of a message.
    fn message(&self, message: &str, thread: &str) -> Value {
        json!({
            "threadId": thread,
            "assistant": self.assistant,
            "timezone": self.timezone,
            "messages": [{ "role": "user", "content": message }],
        })
    }

    /// Sends a message and returns the stream of chunks, up to `[DONE]`.
    pub async fn ask(
        &self,
        message: &str,
        thread: &str,
    ) -> Result<impl Stream<Item = Result<UiMessageChunk<'static>, ChatError>> + use<>, ChatError>
    {
        let body = self.message(message, thread);
        let request = self.http.post(format!("{}/api/chat", self.url));
        let answer = request
            .bearer_auth(self.access_token.expose_secret())
            .json(&body)
            .send()
            .await?;
        Ok(chunks(accepted(answer).await?))
    }

    /// Sends a message. The chunks of the answer are read to its end, also when connections break:
    /// see [`Rejoined`].
    pub async fn ask_to_end(&self, message: &str, thread: &str) -> Result<Rejoined, ChatError> {
        let body = self.message(message, thread);
        let place = Place {
            http: self.http.clone(),
            url: self.url.clone(),
            access_token: self.access_token.clone(),
        };
        Rejoined::ask(place, body).await
    }

    /// Sends any request of the API, with an optional JSON body. Returns the response if it is a
    /// success.
    pub async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<reqwest::Response, ChatError> {
        let mut request = self
            .http
            .request(method, format!("{}{path}", self.url))
            .bearer_auth(self.access_token.expose_secret());
        if let Some(body) = body {
            request = request.json(body);
        }
        accepted(request.send().await?).await
    }

    /// Sends a file, with its media type and encoding. Returns the response if it is a success.
    pub async fn upload(
        &self,
        path: &str,
        (media_type, encoding): (&str, Option<&str>),
        file: impl Into<reqwest::Body>,
    ) -> Result<reqwest::Response, ChatError> {
        let mut request = self
            .http
            .post(format!("{}{path}", self.url))
            .bearer_auth(self.access_token.expose_secret())
            .header("content-type", media_type)
            .body(file);
        if let Some(encoding) = encoding {
            request = request.header("content-encoding", encoding);
        }
        accepted(request.send().await?).await
    }

    /// Stops the run in a thread. Its last chunks still arrive.
    pub async fn stop(&self, thread: &str) -> Result<(), ChatError> {
        let request = self
            .http
            .post(format!("{}/api/chat/{thread}/stop", self.url));
        let answer = request
            .bearer_auth(self.access_token.expose_secret())
            .send()
            .await?;
        accepted(answer).await.map(drop)
    }

    /// Joins the run in a thread from its first chunk; `None` if no run is active.
    pub async fn join(
        &self,
        thread: &str,
    ) -> Result<
        Option<impl Stream<Item = Result<UiMessageChunk<'static>, ChatError>> + use<>>,
        ChatError,
    > {
        let url = format!("{}/api/chat/{thread}/stream", self.url);
        let request = self.http.get(url);
        let answer = request
            .bearer_auth(self.access_token.expose_secret())
            .send()
            .await?;
        let answer = accepted(answer).await?;
        Ok((answer.status() != StatusCode::NO_CONTENT).then(|| chunks(answer)))
    }
}

/// The chunks of a stream, up to `[DONE]`.
fn chunks(
    answer: reqwest::Response,
) -> impl Stream<Item = Result<UiMessageChunk<'static>, ChatError>> + use<> {
    let frames = answer.bytes_stream().eventsource();
    let chunks = frames.map(|frame| {
        let frame = frame.map_err(|error| ChatError::Unreadable(error.to_string()))?;
        if frame.data == "[DONE]" {
            return Ok(None);
        }
        let chunk = serde_json::from_str(&frame.data);
        chunk
            .map(Some)
            .map_err(|error| ChatError::Unreadable(error.to_string()))
    });
    chunks.filter_map(|chunk| std::future::ready(chunk.transpose()))
}

/// The response if it is a success, or the problem.
pub(super) async fn accepted(answer: reqwest::Response) -> Result<reqwest::Response, ChatError> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let unknown = || {
        Problem::new(
            status.as_u16(),
            "unknown",
            status.canonical_reason().unwrap_or("Unknown error"),
        )
    };
    Err(ChatError::Refused(Box::new(
        answer.json().await.unwrap_or_else(|_| unknown()),
    )))
}
