//! The providers of traces, metrics and logs, and the exporters to an OTLP collector.

use opentelemetry::KeyValue;
use opentelemetry_otlp::{LogExporter, MetricExporter, Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use prometheus::Registry;

use super::Error;
use crate::clock::RandomIds;
use crate::config::{Signal, TelemetryConfig};

/// The paths of OTLP/HTTP, below the collector's base URL.
const TRACES_PATH: &str = "/v1/traces";
const METRICS_PATH: &str = "/v1/metrics";
const LOGS_PATH: &str = "/v1/logs";

pub(super) fn tracer_provider(config: &TelemetryConfig) -> Result<SdkTracerProvider, Error> {
    let builder = SdkTracerProvider::builder().with_resource(resource(config));
    let Some(url) = url(config, Signal::Traces) else {
        return Ok(builder.with_sampler(Sampler::AlwaysOff).build());
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(url)
        .build()?;
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.sample_ratio)));
    Ok(builder
        .with_sampler(sampler)
        .with_batch_exporter(exporter)
        .build())
}

/// The provider of meters, and the registry that `/metrics` shows.
pub(super) fn meter_provider(
    config: &TelemetryConfig,
) -> Result<(SdkMeterProvider, Registry), Error> {
    let registry = Registry::new();
    let reader = opentelemetry_prometheus::exporter()
        .with_registry(registry.clone())
        // Labels of the scope say "heliograph" on every line.
        .scope_info_enabled(false)
        .build()
        .map_err(Error::Metrics)?;
    let mut builder = SdkMeterProvider::builder()
        .with_resource(resource(config))
        .with_reader(reader);
    if let Some(url) = url(config, Signal::Metrics) {
        let exporter = MetricExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(url)
            .build()?;
        builder = builder.with_periodic_exporter(exporter);
    }
    Ok((builder.build(), registry))
}

pub(super) fn logger_provider(
    config: &TelemetryConfig,
) -> Result<Option<SdkLoggerProvider>, Error> {
    let Some(url) = url(config, Signal::Logs) else {
        return Ok(None);
    };
    let exporter = LogExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(url)
        .build()?;
    let provider = SdkLoggerProvider::builder()
        .with_resource(resource(config))
        .with_batch_exporter(exporter)
        .build();
    Ok(Some(provider))
}

/// The attributes of this process in everything that it exports.
fn resource(config: &TelemetryConfig) -> Resource {
    let instance = RandomIds::shared().new_id().to_string();
    Resource::builder()
        .with_service_name(config.service_name.clone())
        .with_attributes([
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", instance),
        ])
        .build()
}

/// Whether a signal is sent to a collector.
pub(super) fn sends(config: &TelemetryConfig, signal: Signal) -> bool {
    config.otlp_endpoint.is_some() && config.otlp_signals.contains(&signal)
}

/// The collector's URL for a signal, if it is sent.
fn url(config: &TelemetryConfig, signal: Signal) -> Option<String> {
    let endpoint = config.otlp_endpoint.as_deref()?;
    if !sends(config, signal) {
        return None;
    }
    // The blocking clients on purpose: batches are exported from threads without a reactor, where
    // the async ones panic. They take the TLS back end of the process.
    http_client::use_ring();
    let path = match signal {
        Signal::Traces => TRACES_PATH,
        Signal::Metrics => METRICS_PATH,
        Signal::Logs => LOGS_PATH,
    };
    Some(format!("{}{path}", base_of(endpoint)))
}

/// The endpoint may be the base, or the URL for traces.
fn base_of(endpoint: &str) -> &str {
    let base = endpoint.trim_end_matches('/');
    base.strip_suffix(TRACES_PATH).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_may_be_the_base_or_the_url_for_traces() {
        let mut config = TelemetryConfig::named("sample");
        config.otlp_signals = vec![Signal::Traces, Signal::Logs];
        for endpoint in [
            "http://collector:4318",
            "http://collector:4318/",
            "http://collector:4318/v1/traces",
        ] {
            config.otlp_endpoint = Some(endpoint.to_owned());
            let traces = url(&config, Signal::Traces);
            assert_eq!(traces.as_deref(), Some("http://collector:4318/v1/traces"));
            let logs = url(&config, Signal::Logs);
            assert_eq!(logs.as_deref(), Some("http://collector:4318/v1/logs"));
            assert_eq!(url(&config, Signal::Metrics), None);
        }
    }
}
