//! Lines of requests that ask a real database, counted.

use std::io::Write;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use service_kit::config::TelemetryConfig;
use service_kit::telemetry;
use test_support::callsites::register_callsites;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use crate::bench::{Bench, With, get};

const REQUESTS: usize = 60;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn every_request_has_its_line_with_a_directive_for_a_target() {
    let bench = Bench::configured(|config| {
        config.limits.request_burst = 1_000;
        config.limits.requests_per_minute = 100_000;
    })
    .await;
    let session = bench.session().await;
    register_callsites(bench.me(get("/auth/me").session(&session))).await;
    for filter in ["info", "info,bff=debug", "info,orchestrator=debug"] {
        let lines = Lines::default();
        let kept = lines.clone();
        let config = TelemetryConfig {
            log_filter: filter.to_owned(),
            ..TelemetryConfig::named("bff")
        };
        let writer = BoxMakeWriter::new(move || kept.clone());
        let (subscriber, _telemetry) = telemetry::subscriber(&config, writer).unwrap();
        let on_this_thread = tracing::subscriber::set_default(subscriber);
        for _ in 0..REQUESTS {
            let status = bench.me(get("/auth/me").session(&session)).await;
            assert_eq!(status, StatusCode::OK);
        }
        drop(on_this_thread);
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let answered = text.lines().filter(|line| {
            line.contains("answered") && line.contains("request_id=") && line.contains("trace_id=")
        });
        assert_eq!(answered.count(), REQUESTS, "{filter}");
    }
}
