//! Logs, traces and metrics of a process: created here, once.
//!
//! Several services can share a process, and then they share its tracer and its meters: the
//! resource has `service.name = heliograph`, and the span and the metrics of each request name the
//! service that answered it (`heliograph.service`). In separate processes, each has its own name.
//!
//! Without a collector, traces are not recorded but still have ids, so that a problem's `traceId`
//! finds its log lines.

mod escape;
mod export;
mod filters;
pub mod metrics;
mod statements;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_appender_tracing::layer::OpenTelemetryTracingBridge;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use prometheus::Registry as MetricRegistry;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tracing::Subscriber;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use crate::config::{LogFormat, Signal, TelemetryConfig};
use escape::Escaping;
use export::sends;
use filters::{Gate, Logs};
use statements::Statements;

/// Time that a read of the metrics has to end when the process stops.
const LAST_READ: Duration = Duration::from_secs(1);

/// Why telemetry could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log filter is not valid.
    #[error("the log filter cannot be read")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// An exporter could not be created.
    #[error("the exporter for the collector could not be created")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
    /// The metrics could not be registered.
    #[error("the metrics could not be registered")]
    Metrics(#[source] opentelemetry_sdk::error::OTelSdkError),
    /// The process has telemetry already.
    #[error("telemetry was started before")]
    Started(#[from] tracing_subscriber::util::TryInitError),
}

/// Running telemetry. Spans, metrics and log lines are sent in batches: [`Telemetry::shutdown`]
/// sends the last ones, and so does dropping it.
#[derive(Debug)]
#[must_use = "dropping it ends the export of traces"]
pub struct Telemetry {
    providers: Option<Providers>,
    registry: MetricRegistry,
    metrics_address: Option<String>,
    metrics_listener: Option<MetricsListener>,
}

/// What serves `/metrics`. It ends when this is dropped.
#[derive(Debug)]
struct MetricsListener {
    stop: DropGuard,
    tasks: TaskTracker,
}

#[derive(Debug)]
struct Providers {
    traces: SdkTracerProvider,
    metrics: SdkMeterProvider,
    logs: Option<SdkLoggerProvider>,
}

impl Telemetry {
    /// Serves `GET /metrics` for Prometheus until [`Telemetry::shutdown`], if an address is
    /// configured: a process that ends its work is measured, too. Returns the address.
    pub async fn serve_metrics(&mut self) -> Result<Option<SocketAddr>, metrics::ListenError> {
        let Some(address) = &self.metrics_address else {
            return Ok(None);
        };
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let local = metrics::serve(address, self.registry.clone(), stop.clone(), &tasks).await?;
        self.metrics_listener = Some(MetricsListener {
            stop: stop.drop_guard(),
            tasks,
        });
        Ok(Some(local))
    }

    /// Sends the pending batches, and stops.
    pub async fn shutdown(mut self) {
        if let Some(MetricsListener { stop, tasks }) = self.metrics_listener.take() {
            drop(stop);
            tasks.close();
            let _ = timeout(LAST_READ, tasks.wait()).await;
        }
        if let Some(providers) = self.providers.take() {
            // The exporter blocks, and must not be dropped in an async context either.
            let _ = tokio::task::spawn_blocking(move || providers.stop()).await;
        }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(providers) = self.providers.take() {
            let _ = std::thread::spawn(move || providers.stop()).join();
        }
    }
}

impl Providers {
    fn stop(&self) {
        report("traces", self.traces.shutdown());
        report("metrics", self.metrics.shutdown());
        if let Some(logs) = &self.logs {
            report("log lines", logs.shutdown());
        }
    }
}

fn report(what: &str, result: OTelSdkResult) {
    if let Err(error) = result {
        tracing::warn!(%error, "the last {what} could not be sent");
    }
}

/// Adds the tenant whose data a request reads to the request's span and its log lines.
pub fn concerns_tenant(tenant: &str) {
    tracing::Span::current().record("heliograph.tenant", tenant);
}

/// Adds the tool that a request calls to the request's span and its log lines.
pub fn calls_tool(name: &str) {
    tracing::Span::current().record("gen_ai.tool.name", name);
}

/// Starts logs, traces and metrics for the whole process. Logs go to standard error; standard
/// output is the program's.
pub fn start(config: &TelemetryConfig) -> Result<Telemetry, Error> {
    let (subscriber, telemetry) = subscriber(config, BoxMakeWriter::new(std::io::stderr))?;
    subscriber.try_init()?;
    if let Some(providers) = &telemetry.providers {
        opentelemetry::global::set_meter_provider(providers.metrics.clone());
    }
    metrics::describe_build();
    Ok(telemetry)
}

/// The subscriber that [`start`] installs, for a test that needs it on one thread and its log lines
/// in a buffer.
pub fn subscriber(
    config: &TelemetryConfig,
    writer: BoxMakeWriter,
) -> Result<(impl Subscriber + Send + Sync + use<>, Telemetry), Error> {
    let traces = export::tracer_provider(config)?;
    let (metrics, registry) = export::meter_provider(config)?;
    let logs = export::logger_provider(config)?;
    let spans = tracing_opentelemetry::layer()
        .with_tracer(traces.tracer("heliograph"))
        .with_location(false)
        .with_threads(false);
    let filter = Arc::new(EnvFilter::builder().parse(&config.log_filter)?);
    let lines = Logs::new(log_layer(config.log_format, writer), Arc::clone(&filter));
    let sent = logs
        .as_ref()
        .map(|logs| Logs::new(OpenTelemetryTracingBridge::new(logs), Arc::clone(&filter)));
    let statements =
        sends(config, Signal::Traces).then(|| Statements::new(traces.tracer("heliograph")));
    let gate = Gate::new(filter, config.otlp_endpoint.is_some(), statements);
    let subscriber = Registry::default()
        .with(spans)
        .with(lines)
        .with(sent)
        .with(gate);
    let providers = Providers {
        traces,
        metrics,
        logs,
    };
    let telemetry = Telemetry {
        providers: Some(providers),
        registry,
        metrics_address: config.metrics_address.clone(),
        metrics_listener: None,
    };
    Ok((subscriber, telemetry))
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
