//! Sends a request and reads the streamed answer: time-outs, size limits, refusals. Independent of
//! the wire.
//!
//! Dropping the stream drops the response, which closes the connection, or resets its stream under
//! HTTP/2.

mod body;
mod reading;

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use http::StatusCode;
use http_client::HttpClient;
use reqwest::{RequestBuilder, Response};
use tokio::time::Instant;

use crate::chat::{AnswerSize, ChatModel, ChatRequest, ChatStream, ModelId};
use crate::config::{LimitsConfig, TimeoutsConfig};
use crate::wire::ChatWire;
use crate::{Error, ErrorKind};

pub(crate) use body::body_error;
use reading::AnswerReader;

/// The limits and defaults of each call of a model.
#[derive(Debug, Clone)]
pub(crate) struct TransportSettings {
    /// Why requests with tools are refused, for providers that do not take them.
    pub(crate) no_tools: Option<String>,
    /// The time limits.
    pub(crate) timeouts: TimeoutsConfig,
    /// The size limits.
    pub(crate) limits: LimitsConfig,
    /// For requests without a temperature.
    pub(crate) temperature: Option<f32>,
    /// For requests without a limit.
    pub(crate) max_output_tokens: u32,
    /// For requests for a brief answer without a limit.
    pub(crate) classification_tokens: u32,
}

/// A chat model behind HTTP: a wire and the HTTP client.
pub(crate) struct HttpModel {
    shared: Arc<HttpParts>,
}

struct HttpParts {
    wire: Box<dyn ChatWire>,
    client: HttpClient,
    settings: TransportSettings,
}

impl HttpModel {
    /// A model behind `wire`, called through `client`.
    pub(crate) fn new(
        wire: Box<dyn ChatWire>,
        client: HttpClient,
        settings: TransportSettings,
    ) -> Self {
        Self {
            shared: Arc::new(HttpParts {
                wire,
                client,
                settings,
            }),
        }
    }
}

impl ChatModel for HttpModel {
    fn stream(&self, mut request: ChatRequest) -> ChatStream {
        let settings = &self.shared.settings;
        request.temperature = request.temperature.or(settings.temperature);
        let limit = if request.size == AnswerSize::Brief && !self.shared.wire.may_think(&request) {
            settings.classification_tokens
        } else {
            settings.max_output_tokens
        };
        request.max_output_tokens = request.max_output_tokens.or(Some(limit));
        let answer = Box::new(AnswerReader::new(self.shared.clone(), request));
        stream::unfold(answer, |mut answer| async move {
            let item = answer.next().await?;
            Some((item, answer))
        })
        .boxed()
    }

    fn id(&self) -> ModelId {
        self.shared.wire.id()
    }
}

/// Sends a request and checks the head of the response: an error status or an HTML page becomes an
/// error. The status says enough where the body of an error does not come by `due`.
pub(crate) async fn send(
    request: RequestBuilder,
    due: Instant,
    refusal: impl Fn(StatusCode, &http::HeaderMap, &str) -> Error,
) -> Result<Response, Error> {
    let response = request.send().await.map_err(body::send_error)?;
    let status = response.status();
    let is_page = body::is_page(response.headers());
    if status.is_success() && !is_page {
        return Ok(response);
    }
    let headers = response.headers().clone();
    let text = body::beginning(response, due).await;
    if is_page {
        return Err(page_error(status, &headers, &text, refusal));
    }
    Err(refusal(status, &headers, &text))
}

/// The error for an HTML page of a proxy or portal. An error status still shows the kind of
/// failure.
fn page_error(
    status: StatusCode,
    headers: &http::HeaderMap,
    page: &str,
    refusal: impl Fn(StatusCode, &http::HeaderMap, &str) -> Error,
) -> Error {
    let mut error = if status.is_success() {
        Error::new(ErrorKind::Unreadable)
    } else {
        refusal(status, headers, "")
    };
    let title = body::page_title(page);
    error.detail = Some(format!("{status} with an HTML page{title}"));
    error
}

/// The time that the body of a complete answer has to end, so that the connection can be used
/// again.
const END_OF_BODY: Duration = Duration::from_millis(50);
