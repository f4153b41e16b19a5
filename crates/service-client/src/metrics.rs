//! Metrics of calls to other services, by OpenTelemetry's conventions for HTTP clients.

use std::sync::LazyLock;
use std::time::Duration;

use http::Method;
use opentelemetry::metrics::Histogram;
use opentelemetry::{KeyValue, global};

/// Bounds of the durations, s.
const BOUNDS: [f64; 11] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0,
];

static CALLS: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    global::meter("heliograph")
        .f64_histogram("http.client.request.duration")
        .with_unit("s")
        .with_description(
            "Time until a service of Heliograph answered another one, by route and fault.",
        )
        .with_boundaries(BOUNDS.to_vec())
        .build()
});

/// Records a call that was answered, or was not because of a fault.
pub(crate) fn called(method: &Method, route: &str, fault: Option<&'static str>, took: Duration) {
    let mut attributes = vec![
        KeyValue::new("http.request.method", method.to_string()),
        KeyValue::new("url.template", route.to_owned()),
    ];
    attributes.extend(fault.map(|fault| KeyValue::new("error.type", fault)));
    CALLS.record(took.as_secs_f64(), &attributes);
}
