//! Metrics of model calls, by OpenTelemetry's semantic conventions for generative AI. They are
//! recorded with the process's meter provider; without one, recording does nothing.

use std::sync::LazyLock;

use opentelemetry::metrics::{Counter, Histogram, Meter};
use opentelemetry::{KeyValue, global};

use crate::Usage;
use crate::chat::ModelId;

/// Bounds for durations, s, from the conventions.
const DURATIONS: [f64; 14] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/// Bounds for the time of a token, s, from the conventions.
const PER_TOKEN: [f64; 14] = [
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.5,
];

/// Bounds for numbers of tokens, from the conventions.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

struct Instruments {
    duration: Histogram<f64>,
    first_chunk: Histogram<f64>,
    per_token: Histogram<f64>,
    tokens: Histogram<u64>,
    cached_tokens: Counter<u64>,
    thought_tokens: Counter<u64>,
    cost: Counter<f64>,
    retries: Counter<u64>,
    circuit_opened: Counter<u64>,
}

static INSTRUMENTS: LazyLock<Instruments> = LazyLock::new(|| {
    let meter = global::meter("heliograph");
    Instruments {
        duration: seconds(
            &meter,
            "gen_ai.client.operation.duration",
            "Duration of a call of a model, with its retries, to the end of its stream.",
        ),
        first_chunk: seconds(
            &meter,
            "gen_ai.client.operation.time_to_first_chunk",
            "Time from a call of a model to the first piece of its answer.",
        ),
        per_token: meter
            .f64_histogram("heliograph.model.time_per_output_token")
            .with_unit("s")
            .with_description("Time of each token of an answer after its first piece.")
            .with_boundaries(PER_TOKEN.to_vec())
            .build(),
        tokens: meter
            .u64_histogram("gen_ai.client.token.usage")
            .with_unit("{token}")
            .with_description("Tokens that a call read (input) and wrote (output).")
            .with_boundaries(TOKENS.to_vec())
            .build(),
        cached_tokens: meter
            .u64_counter("heliograph.model.cached_tokens")
            .with_description("Input tokens that a provider read from its cache.")
            .build(),
        thought_tokens: meter
            .u64_counter("heliograph.model.thought_tokens")
            .with_description("Output tokens that are thoughts of a model.")
            .build(),
        cost: meter
            .f64_counter("heliograph.model.cost")
            .with_description("Cost of answers, in the currency of the configured prices.")
            .build(),
        retries: meter
            .u64_counter("heliograph.model.retries")
            .with_description("Calls of a model that were repeated before their first token.")
            .build(),
        circuit_opened: meter
            .u64_counter("heliograph.model.circuit_opened")
            .with_description("Times that a model failed so often that it is not called any more.")
            .build(),
    }
});

fn seconds(meter: &Meter, name: &'static str, description: &'static str) -> Histogram<f64> {
    meter
        .f64_histogram(name)
        .with_unit("s")
        .with_description(description)
        .with_boundaries(DURATIONS.to_vec())
        .build()
}

/// The attributes of one call in all its metrics.
#[derive(Debug, Clone)]
pub(super) struct CallAttributes([KeyValue; 3]);

impl CallAttributes {
    pub(super) fn new(operation: &'static str, provider: &str, model: &ModelId) -> Self {
        Self([
            KeyValue::new("gen_ai.operation.name", operation),
            KeyValue::new("gen_ai.provider.name", provider.to_owned()),
            KeyValue::new("gen_ai.request.model", model.model.to_string()),
        ])
    }

    fn with(&self, key: &'static str, value: &'static str) -> Vec<KeyValue> {
        let mut attributes = self.0.to_vec();
        attributes.push(KeyValue::new(key, value));
        attributes
    }

    pub(super) fn first_chunk(&self, seconds: f64) {
        INSTRUMENTS.first_chunk.record(seconds, &self.0);
    }

    pub(super) fn per_token(&self, seconds: f64) {
        INSTRUMENTS.per_token.record(seconds, &self.0[1..]);
    }

    pub(super) fn tokens(&self, usage: Usage) {
        for (kind, tokens) in [
            ("input", usage.input_tokens),
            ("output", usage.output_tokens),
        ] {
            if tokens > 0 {
                let attributes = self.with("gen_ai.token.type", kind);
                INSTRUMENTS.tokens.record(tokens, &attributes);
            }
        }
        for (counter, tokens) in [
            (&INSTRUMENTS.cached_tokens, usage.cached_input_tokens),
            (&INSTRUMENTS.thought_tokens, usage.reasoning_tokens),
        ] {
            if tokens > 0 {
                counter.add(tokens, &self.0[1..]);
            }
        }
        if usage.cost_micros > 0 {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let cost = usage.cost_micros as f64 / 1_000_000.0;
            INSTRUMENTS.cost.add(cost, &self.0[1..]);
        }
    }

    /// Records the end of a call. `error` is its `error.type`, if it did not succeed.
    pub(super) fn ended(&self, seconds: f64, error: Option<&'static str>) {
        match error {
            Some(error) => {
                let attributes = self.with("error.type", error);
                INSTRUMENTS.duration.record(seconds, &attributes);
            }
            None => INSTRUMENTS.duration.record(seconds, &self.0),
        }
    }
}

/// Begins the counters of a model at zero. Prometheus sees no increase in a series that begins with
/// the first event, so the first open circuit would be in no figure and no alert.
pub(crate) fn begin_counters(model: &ModelId) {
    let attributes = of_model(model);
    for counter in [
        &INSTRUMENTS.cached_tokens,
        &INSTRUMENTS.thought_tokens,
        &INSTRUMENTS.retries,
        &INSTRUMENTS.circuit_opened,
    ] {
        counter.add(0, &attributes);
    }
    INSTRUMENTS.cost.add(0.0, &attributes);
}

/// Records that a call is repeated.
pub(crate) fn retried(model: &ModelId) {
    INSTRUMENTS.retries.add(1, &of_model(model));
}

/// Records that a model's circuit opened.
pub(crate) fn circuit_opened(model: &ModelId) {
    INSTRUMENTS.circuit_opened.add(1, &of_model(model));
}

fn of_model(model: &ModelId) -> [KeyValue; 2] {
    [
        KeyValue::new("gen_ai.provider.name", model.provider.as_str().to_owned()),
        KeyValue::new("gen_ai.request.model", model.model.to_string()),
    ]
}
