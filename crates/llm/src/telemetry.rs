//! One span per call, and its metrics, by OpenTelemetry's semantic conventions for generative AI.
//!
//! A call with its retries is one span; each retry is an event in it. Prompts and answers are
//! recorded only when configuration says so.

mod content;
pub(crate) mod metrics;

use opentelemetry::{Array, StringValue, Value};
use tokio::time::Instant;
use tracing::{Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::chat::{ChatEvent, ChatRequest, FinishReason, Finished, ModelId, ResponseFormat};
use crate::{Error, ErrorKind, Usage};

use content::CollectedAnswer;
use metrics::CallAttributes;

/// The span of a call, from before its first attempt until it ends or is dropped.
#[derive(Debug)]
pub(crate) struct ObservedCall {
    span: Span,
    attributes: CallAttributes,
    error: Option<&'static str>,
    started: Instant,
    /// When the first piece of the answer came.
    first_at: Option<Instant>,
    over: bool,
    output: Option<CollectedAnswer>,
}

impl ObservedCall {
    /// Begins a chat call. `provider` is the provider's name in traces.
    pub(crate) fn chat(
        model: &ModelId,
        provider: &str,
        request: &ChatRequest,
        record_content: bool,
    ) -> Self {
        let span = chat_span(model, provider, request);
        if record_content {
            content::record_input(&span, request);
        }
        Self {
            span,
            attributes: CallAttributes::new("chat", provider, model),
            error: None,
            started: Instant::now(),
            first_at: None,
            over: false,
            output: record_content.then(CollectedAnswer::default),
        }
    }

    /// Begins a request for embeddings.
    pub(crate) fn embeddings(model: &ModelId, provider: &str, dimensions: Option<usize>) -> Self {
        let span = tracing::info_span!(
            "embeddings",
            otel.name = format!("embeddings {}", model.model),
            otel.kind = "client",
            otel.status_code = field::Empty,
            error.r#type = field::Empty,
            gen_ai.operation.name = "embeddings",
            gen_ai.provider.name = provider,
            gen_ai.request.model = &*model.model,
            gen_ai.embeddings.dimension.count = dimensions,
            gen_ai.usage.input_tokens = field::Empty,
        );
        Self {
            span,
            attributes: CallAttributes::new("embeddings", provider, model),
            error: None,
            started: Instant::now(),
            first_at: None,
            over: false,
            output: None,
        }
    }

    /// The span, to run code inside it.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Records an event of the answer.
    pub(crate) fn event(&mut self, event: &ChatEvent) {
        if self.first_at.is_none() {
            self.first_at = Some(Instant::now());
            let seconds = self.started.elapsed().as_secs_f64();
            self.span
                .record("gen_ai.response.time_to_first_chunk", seconds);
            self.attributes.first_chunk(seconds);
        }
        if let Some(output) = &mut self.output {
            output.add(event);
        }
        if let ChatEvent::Finished(finished) = event {
            self.finished(finished);
        }
    }

    fn finished(&mut self, finished: &Finished) {
        let reason = reason_name(finished.reason);
        let reasons = Array::String(vec![StringValue::from(reason)]);
        self.span
            .set_attribute("gen_ai.response.finish_reasons", Value::Array(reasons));
        if let Some(model) = &finished.model {
            self.span.record("gen_ai.response.model", model.as_str());
        }
        if let Some(output) = &self.output {
            output.record(&self.span, reason);
        }
        // The first token is there when the time begins.
        if let (Some(first), Some(more)) =
            (self.first_at, finished.usage.output_tokens.checked_sub(1))
            && more > 0
        {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let each = first.elapsed().as_secs_f64() / more as f64;
            self.attributes.per_token(each);
        }
        self.tokens(finished.usage);
    }

    /// Records the usage of a call that succeeded.
    pub(crate) fn tokens(&mut self, usage: Usage) {
        self.over = true;
        self.attributes.tokens(usage);
        let counts = [
            ("gen_ai.usage.input_tokens", usage.input_tokens),
            (
                "gen_ai.usage.cache_read.input_tokens",
                usage.cached_input_tokens,
            ),
            ("gen_ai.usage.output_tokens", usage.output_tokens),
            (
                "gen_ai.usage.reasoning.output_tokens",
                usage.reasoning_tokens,
            ),
        ];
        for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            self.span.record(name, count);
        }
    }

    /// Records that the call failed.
    pub(crate) fn failed(&mut self, error: &Error) {
        self.over = true;
        self.span.record("otel.status_code", "ERROR");
        let error = error_type(error.kind);
        self.span.record("error.type", error);
        self.error = Some(error);
    }
}

impl Drop for ObservedCall {
    fn drop(&mut self) {
        // The caller went away; this is not a failure of the model.
        if !self.over {
            self.span.record("error.type", "cancelled");
            self.error = Some("cancelled");
        }
        let seconds = self.started.elapsed().as_secs_f64();
        self.attributes.ended(seconds, self.error);
    }
}

fn chat_span(model: &ModelId, provider: &str, request: &ChatRequest) -> Span {
    tracing::info_span!(
        "chat",
        otel.name = format!("chat {}", model.model),
        otel.kind = "client",
        otel.status_code = field::Empty,
        error.r#type = field::Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = &*model.model,
        gen_ai.request.stream = true,
        gen_ai.request.temperature = request.temperature.map(f64::from),
        gen_ai.request.max_tokens = request.max_output_tokens,
        gen_ai.output.r#type = output_type(&request.response),
        gen_ai.response.model = field::Empty,
        gen_ai.response.time_to_first_chunk = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.usage.cache_read.input_tokens = field::Empty,
        gen_ai.usage.reasoning.output_tokens = field::Empty,
        gen_ai.system_instructions = field::Empty,
        gen_ai.input.messages = field::Empty,
        gen_ai.output.messages = field::Empty,
    )
}

fn output_type(response: &ResponseFormat) -> &'static str {
    match response {
        ResponseFormat::Text => "text",
        ResponseFormat::Json { .. } => "json",
    }
}

fn reason_name(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Refusal => "refusal",
    }
}

/// A failure as `error.type` names it.
fn error_type(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Connect => "connect",
        ErrorKind::Timeout => "timeout",
        ErrorKind::RateLimited => "rate_limited",
        ErrorKind::Overloaded => "overloaded",
        ErrorKind::Provider => "provider",
        ErrorKind::Unauthorized => "unauthorized",
        ErrorKind::UnknownModel => "unknown_model",
        ErrorKind::BadRequest => "bad_request",
        ErrorKind::Truncated => "truncated",
        ErrorKind::Unreadable => "unreadable",
        ErrorKind::TooLarge => "too_large",
        ErrorKind::Blocked => "blocked",
        ErrorKind::CircuitOpen => "circuit_open",
        ErrorKind::Busy => "busy",
        ErrorKind::OverBudget => "over_budget",
    }
}
