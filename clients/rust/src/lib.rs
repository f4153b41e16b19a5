//! A client of Heliograph. [`Heliograph`] signs in, renews its token and reads answers as they
//! come; [`Heliograph::api`] has every other operation of the API.
//!
//! ```no_run
//! # async fn example() -> Result<(), heliograph_client::Error> {
//! use futures_util::StreamExt;
//! use heliograph_client::{Heliograph, types::UiMessageChunk};
//!
//! let heliograph = Heliograph::sign_in("http://127.0.0.1:8080", "demo", "password").await?;
//! let mut answer = heliograph.ask("Give me the morning briefing").send().await?;
//! while let Some(event) = answer.next().await {
//!     if let UiMessageChunk::TextDelta(text) = event? {
//!         print!("{}", text.delta);
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod answer;
mod connections;
#[allow(
    clippy::all,
    clippy::pedantic,
    missing_docs,
    unused,
    reason = "written by a program"
)]
mod generated;
mod session;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use progenitor_client::{ClientHooks, OperationInfo};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Map, Value, json};

pub use answer::{Answer, Card};
pub use generated::{Client, types};
pub use session::Session;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The service refused, with its problem (RFC 9457).
    #[error("{}", refusal(.status, .problem))]
    Refused {
        /// The status.
        status: StatusCode,
        /// The problem; `null` if there was none.
        problem: Value,
    },
    /// The service cannot be reached, or its answer broke off.
    #[error("the service cannot be reached")]
    Transport(#[from] reqwest::Error),
    /// The connection to an answer broke, and could not be made again. The run continues:
    /// [`Heliograph::resume`] joins it later.
    #[error("the connection to the answer broke and could not be made again")]
    Lost(#[source] Box<Error>),
    /// An event of a stream is not what the API describes.
    #[error("an event of the answer cannot be read: {0}")]
    Event(String),
    /// A call of the API failed.
    #[error("{0}")]
    Call(String),
}

fn refusal(status: &StatusCode, problem: &Value) -> String {
    let said = ["detail", "title"]
        .iter()
        .find_map(|name| problem[*name].as_str());
    said.map_or_else(|| format!("the service answered {status}"), str::to_owned)
}

impl<E: std::fmt::Debug> From<progenitor_client::Error<E>> for Error {
    fn from(error: progenitor_client::Error<E>) -> Self {
        match error {
            progenitor_client::Error::CommunicationError(error) => Self::Transport(error),
            other => Self::Call(other.to_string()),
        }
    }
}

/// Heliograph, on behalf of an account.
#[derive(Debug, Clone)]
pub struct Heliograph {
    session: Session,
    api: Client,
}

impl Heliograph {
    /// Signs in with a name and a password.
    pub async fn sign_in(url: &str, username: &str, password: &str) -> Result<Self, Error> {
        let session = Session::sign_in(url, username, password).await?;
        Ok(Self::new(session))
    }

    /// Uses an API key.
    pub fn with_key(url: &str, key: &str) -> Result<Self, Error> {
        Ok(Self::new(Session::with_key(url, key)?))
    }

    fn new(session: Session) -> Self {
        let api = Client::new_with_client(session.url(), session.http().clone(), session.clone());
        Self { session, api }
    }

    /// Every operation that does not stream: `heliograph.api().list_loggers().send()`.
    pub fn api(&self) -> &Client {
        &self.api
    }

    /// The session, for requests of your own.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Asks. [`Question::send`] sends it.
    pub fn ask(&self, message: &str) -> Question<'_> {
        let mut body = Map::new();
        body.insert(
            "messages".to_owned(),
            json!([{ "role": "user", "content": message }]),
        );
        Question {
            heliograph: self,
            body,
        }
    }

    /// Answers a picker: the value that a person chose.
    pub fn choose(&self, thread_id: &str, value: &str) -> Question<'_> {
        self.ask(&format!("Selected: {value}")).thread(thread_id)
    }

    /// The answer that is being made in a thread, from its first event; `None` if there is none.
    pub async fn resume(&self, thread_id: &str) -> Result<Option<Answer>, Error> {
        let path = format!("/api/chat/{}/stream", encoded(thread_id));
        let response = self.send(Method::GET, &path, |request| request).await?;
        let ended = response.status() == StatusCode::NO_CONTENT;
        Ok((!ended).then(|| Answer::new(self.clone(), response)))
    }

    /// Stops the answer that is being made in a thread. What there was is kept.
    pub async fn stop(&self, thread_id: &str) -> Result<(), Error> {
        let path = format!("/api/chat/{}/stop", encoded(thread_id));
        self.send(Method::POST, &path, |request| request).await?;
        Ok(())
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        complete: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, Error> {
        let url = format!("{}{path}", self.session.url());
        let request = self.session.http().request(method, url);
        let request = request.bearer_auth(self.session.token().await?);
        accepted(complete(request).send().await?).await
    }
}

/// A message before it is sent.
#[derive(Debug)]
#[must_use = "nothing is asked before `send`"]
pub struct Question<'a> {
    heliograph: &'a Heliograph,
    body: Map<String, Value>,
}

impl Question<'_> {
    /// Continues this conversation.
    pub fn thread(self, thread_id: &str) -> Self {
        self.with("threadId", thread_id)
    }

    /// Asks this assistant: one of `GET /api/assistants`, such as `data`.
    pub fn assistant(self, assistant: &str) -> Self {
        self.with("assistant", assistant)
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.body.insert(name.to_owned(), value.into());
        self
    }

    /// Sends it, once, also when connections break. The answer is a stream of events, and is made
    /// whether it is read or not.
    pub async fn send(self) -> Result<Answer, Error> {
        let Self { heliograph, body } = self;
        let response = connections::ask(heliograph, &body).await?;
        Ok(Answer::new(heliograph.clone(), response))
    }
}

/// Characters that a segment of a path may not have.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A thread's id as one segment of a path.
fn encoded(segment: &str) -> String {
    utf8_percent_encode(segment, SEGMENT).to_string()
}

async fn accepted(response: Response) -> Result<Response, Error> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let problem = response.json().await.unwrap_or_default();
    Err(Error::Refused { status, problem })
}

/// Each call of the API has the token of the session, renewed when it is about to end.
impl ClientHooks<Session> for Client {
    async fn pre<E>(
        &self,
        request: &mut reqwest::Request,
        _info: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        use progenitor_client::ClientInfo;
        let refused = |error: Error| progenitor_client::Error::Custom(error.to_string());
        let header = self.inner().authorization().await.map_err(refused)?;
        request
            .headers_mut()
            .insert(reqwest::header::AUTHORIZATION, header);
        Ok(())
    }
}
