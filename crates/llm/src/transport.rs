//! Sends a request and reads its answer while it comes: time-outs, sizes, refusals, the order of things. Knows no provider.
//!
//! Dropping the stream drops the response, which closes the connection, or resets its stream under HTTP/2.

mod body;
mod reading;

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use http::StatusCode;
use http_client::HttpClient;
use reqwest::{RequestBuilder, Response};

use crate::chat::{ChatModel, ChatRequest, ChatStream, ModelId};
use crate::config::{LimitsConfig, TimeoutsConfig};
use crate::wire::ChatWire;
use crate::{Error, ErrorKind};

pub(crate) use body::body_error;
use reading::Answer;

/// What holds for each call of a model.
#[derive(Debug, Clone)]
pub(crate) struct TransportSettings {
    /// Why requests with tools are refused, for providers that do not take them.
    pub(crate) no_tools: Option<String>,
    /// How long we wait.
    pub(crate) timeouts: TimeoutsConfig,
    /// How much we take.
    pub(crate) limits: LimitsConfig,
    /// For requests that do not say.
    pub(crate) temperature: Option<f32>,
    /// For requests that do not say.
    pub(crate) max_output_tokens: u32,
}

/// A model behind HTTP: a provider's translation, and the client that carries it.
pub(crate) struct HttpModel {
    shared: Arc<Shared>,
}

struct Shared {
    wire: Box<dyn ChatWire>,
    client: HttpClient,
    settings: TransportSettings,
}

impl HttpModel {
    /// Speaks through `client` as `wire` says.
    pub(crate) fn new(
        wire: Box<dyn ChatWire>,
        client: HttpClient,
        settings: TransportSettings,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
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
        request.max_output_tokens = request
            .max_output_tokens
            .or(Some(settings.max_output_tokens));
        let answer = Box::new(Answer::new(self.shared.clone(), request));
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

/// Sends, and looks at what comes back before its body: a refusal or a page for people is no answer.
pub(crate) async fn send(
    request: RequestBuilder,
    refusal: impl Fn(StatusCode, &http::HeaderMap, &str) -> Error,
) -> Result<Response, Error> {
    let response = request.send().await.map_err(body::send_error)?;
    let status = response.status();
    let is_page = body::is_page(response.headers());
    if status.is_success() && !is_page {
        return Ok(response);
    }
    let headers = response.headers().clone();
    let text = body::beginning(response).await;
    if is_page {
        return Err(page_error(status, &headers, &text, refusal));
    }
    Err(refusal(status, &headers, &text))
}

/// A proxy's or a portal's page where JSON should be. With an error status that still says what kind of failure it is.
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

/// So long an answer that is complete may take to end its body, so that the connection can be used again.
const END_PATIENCE: Duration = Duration::from_millis(50);
