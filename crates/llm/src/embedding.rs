//! Embeddings over HTTP: batches, retries, checks of the vectors.

use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use http_client::HttpClient;
use reqwest::Response;
use tracing::Instrument;

use crate::circuit::Circuit;
use crate::resilient::Policy;
use crate::telemetry::ObservedCall;
use crate::wire::EmbeddingWire;
use crate::{Embedder, EmbeddingKind, Error, ErrorKind, ModelId, Usage, retry, transport};

/// The longest response that is read: twice a full batch of long vectors.
const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// An embedding model behind HTTP, with retries, circuit and telemetry.
pub(crate) struct HttpEmbedder {
    wire: Box<dyn EmbeddingWire>,
    client: HttpClient,
    settings: EmbedderSettings,
    circuit: Circuit,
    id: ModelId,
}

/// The limits of each request of an [`HttpEmbedder`].
#[derive(Debug, Clone)]
pub(crate) struct EmbedderSettings {
    /// Maximum number of texts in a request, unless the provider takes fewer.
    pub(crate) batch: usize,
    /// The time limit of one request.
    pub(crate) timeout: Duration,
    /// Retries, circuit, limits and telemetry.
    pub(crate) policy: Policy,
}

impl HttpEmbedder {
    /// A model behind `wire`, called through `client`.
    pub(crate) fn new(
        wire: Box<dyn EmbeddingWire>,
        client: HttpClient,
        settings: EmbedderSettings,
    ) -> Self {
        let id = wire.id();
        Self {
            wire,
            client,
            circuit: Circuit::new(id.clone(), &settings.policy.circuit),
            settings,
            id,
        }
    }
}

#[async_trait]
impl Embedder for HttpEmbedder {
    async fn embed(&self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        let batch = self.settings.batch.min(self.wire.batch()).max(1);
        for texts in texts.chunks(batch) {
            let mut call = ObservedCall::embeddings(
                &self.id,
                &self.settings.policy.telemetry_name,
                self.wire.dimensions(),
            );
            let answer = self
                .embed_batch(texts, kind)
                .instrument(call.span())
                .await
                .and_then(|more| self.check(more, texts.len(), vectors.first()));
            match answer {
                Ok(more) => {
                    call.tokens(Usage::default());
                    self.settings
                        .policy
                        .meter
                        .answered(&self.id, Usage::default());
                    vectors.extend(more);
                }
                Err(error) => {
                    call.failed(&error);
                    self.settings.policy.meter.failed(&self.id);
                    return Err(error);
                }
            }
        }
        Ok(vectors)
    }

    fn id(&self) -> ModelId {
        self.id.clone()
    }

    fn dimensions(&self) -> Option<usize> {
        self.wire.dimensions()
    }
}

impl HttpEmbedder {
    async fn embed_batch(
        &self,
        texts: &[String],
        kind: EmbeddingKind,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let policy = &self.settings.policy;
        let mut number = 1;
        loop {
            let error = match self.attempt(texts, kind).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            let pause = retry::pause(&policy.retries, number, &error);
            let Some(pause) = pause.filter(|_| self.circuit.is_closed()) else {
                return Err(error);
            };
            tracing::warn!(model = %self.id, %error, attempt = number, "a request for embeddings failed and is repeated");
            tokio::time::sleep(pause).await;
            number += 1;
        }
    }

    async fn attempt(&self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
        let mut attempt = self.circuit.enter()?;
        let _permit = self.settings.policy.in_flight.enter(None).await?;
        let answer = match tokio::time::timeout(self.settings.timeout, self.ask(texts, kind)).await
        {
            Ok(answer) => answer,
            Err(_) => Err(Error::new(ErrorKind::Timeout)),
        };
        match &answer {
            Ok(_) => attempt.succeeded(),
            Err(error) => attempt.failed(error),
        }
        answer
    }

    async fn ask(&self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
        let request = self.wire.request(&self.client, texts, kind);
        let due = tokio::time::Instant::now() + self.settings.timeout;
        let response = transport::send(request, due, |status, headers, body| {
            self.wire.refusal(status, headers, body)
        })
        .await?;
        self.wire.read(&whole(response).await?, texts.len())
    }

    /// Requires one vector per text, all of one length, of finite numbers.
    fn check(
        &self,
        vectors: Vec<Vec<f32>>,
        texts: usize,
        earlier: Option<&Vec<f32>>,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let unreadable = |what: String| Err(Error::new(ErrorKind::Unreadable).with_detail(what));
        if vectors.len() != texts {
            return unreadable(format!("{} vectors for {texts} texts", vectors.len()));
        }
        let length = self
            .wire
            .dimensions()
            .or_else(|| earlier.or(vectors.first()).map(Vec::len))
            .unwrap_or_default();
        match vectors.iter().find(|vector| vector.len() != length) {
            Some(vector) => {
                return unreadable(format!(
                    "a vector of {} numbers, expected {length}",
                    vector.len()
                ));
            }
            None if length == 0 && texts > 0 => return unreadable("empty vectors".to_owned()),
            None => {}
        }
        if vectors.iter().flatten().any(|number| !number.is_finite()) {
            return unreadable("a vector contains a number that is not finite".to_owned());
        }
        Ok(vectors)
    }
}

/// Reads a whole body, up to a limit.
async fn whole(response: Response) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let mut body = response.bytes_stream();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk.map_err(transport::body_error)?);
        if bytes.len() > MAX_ANSWER_BYTES {
            return Err(Error::new(ErrorKind::TooLarge));
        }
    }
    String::from_utf8(bytes).map_err(|_| {
        Error::new(ErrorKind::Unreadable).with_detail("the response is not valid UTF-8")
    })
}
