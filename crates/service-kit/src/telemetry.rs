//! Logs and traces of a process: made here, once.
//!
//! Several services can share a process, and then they share its tracer: the resource says
//! `service.name = heliograph`, and the span of each request says which service answered it
//! (`heliograph.service`). Run apart, each has its own name.
//!
//! Without a collector, traces are not recorded but still have ids, so that a problem's `traceId`
//! finds its log lines.

mod escape;
mod filters;

use std::sync::Arc;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::Subscriber;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use crate::config::{LogFormat, TelemetryConfig};
use escape::Escaping;
use filters::{Gate, Logs};

/// The path that OTLP/HTTP has for traces, below the collector's base URL.
const TRACES_PATH: &str = "/v1/traces";

/// Why telemetry could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log filter is not one.
    #[error("the log filter cannot be read")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// The exporter could not be made.
    #[error("the trace exporter could not be made")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
    /// The process has telemetry already.
    #[error("telemetry was started before")]
    Started(#[from] tracing_subscriber::util::TryInitError),
}

/// Running telemetry. Spans are sent in batches: [`Telemetry::shutdown`] sends the last one, and so
/// does dropping it.
#[derive(Debug)]
#[must_use = "dropping it ends the export of traces"]
pub struct Telemetry {
    provider: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Sends what is still waiting, and stops.
    pub async fn shutdown(mut self) {
        if let Some(provider) = self.provider.take() {
            // The exporter blocks, and must not be dropped in an async context either.
            let _ = tokio::task::spawn_blocking(move || stop(&provider)).await;
        }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(provider) = self.provider.take() {
            let _ = std::thread::spawn(move || stop(&provider)).join();
        }
    }
}

/// Starts logs and traces for the whole process. Logs go to standard error; standard output is the
/// program's.
pub fn start(config: &TelemetryConfig) -> Result<Telemetry, Error> {
    let (subscriber, telemetry) = subscriber(config, BoxMakeWriter::new(std::io::stderr))?;
    subscriber.try_init()?;
    Ok(telemetry)
}

/// What [`start`] installs, for a test that needs it on one thread and its log lines in a buffer.
pub fn subscriber(
    config: &TelemetryConfig,
    writer: BoxMakeWriter,
) -> Result<(impl Subscriber + Send + Sync + use<>, Telemetry), Error> {
    let provider = tracer_provider(config)?;
    let traces = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("heliograph"))
        .with_location(false)
        .with_threads(false);
    let filter = Arc::new(EnvFilter::builder().parse(&config.log_filter)?);
    let logs = Logs::new(log_layer(config.log_format, writer), Arc::clone(&filter));
    let gate = Gate::new(filter, config.otlp_endpoint.is_some());
    let subscriber = Registry::default().with(traces).with(logs).with(gate);
    Ok((
        subscriber,
        Telemetry {
            provider: Some(provider),
        },
    ))
}

fn log_layer<S>(format: LogFormat, writer: BoxMakeWriter) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let layer = tracing_subscriber::fmt::layer().with_writer(Escaping(writer));
    match format {
        LogFormat::Text => layer.with_ansi(false).boxed(),
        // The list of spans ends with the current one, which is not written a second time.
        LogFormat::Json => layer
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .boxed(),
    }
}

fn tracer_provider(config: &TelemetryConfig) -> Result<SdkTracerProvider, Error> {
    let resource = Resource::builder()
        .with_service_name(config.service_name.clone())
        .build();
    let builder = SdkTracerProvider::builder().with_resource(resource);
    let Some(endpoint) = &config.otlp_endpoint else {
        return Ok(builder.with_sampler(Sampler::AlwaysOff).build());
    };
    http_client::use_ring();
    // The blocking client on purpose: spans are exported from a thread without a reactor, where the
    // async one panics.
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(traces_url(endpoint))
        .build()?;
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.sample_ratio)));
    Ok(builder
        .with_sampler(sampler)
        .with_batch_exporter(exporter)
        .build())
}

fn traces_url(endpoint: &str) -> String {
    let base = endpoint.trim_end_matches('/');
    if base.ends_with(TRACES_PATH) {
        base.to_owned()
    } else {
        format!("{base}{TRACES_PATH}")
    }
}

fn stop(provider: &SdkTracerProvider) {
    if let Err(error) = provider.shutdown() {
        tracing::warn!(%error, "the last traces could not be sent");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_may_be_the_base_or_the_whole_url() {
        assert_eq!(
            traces_url("http://collector:4318/"),
            "http://collector:4318/v1/traces"
        );
        assert_eq!(
            traces_url("http://collector:4318/v1/traces"),
            "http://collector:4318/v1/traces"
        );
    }
}
