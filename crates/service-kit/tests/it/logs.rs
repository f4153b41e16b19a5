//! The contents of the log, line by line.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get as on_get;
use contracts::health::ReadinessStatus;
use contracts::problem::Problem;
use service_kit::config::{HttpConfig, LogFormat, TelemetryConfig};
use service_kit::health::Checks;
use service_kit::problem::ApiError;
use service_kit::telemetry::{self, Telemetry};
use test_support::callsites::register_callsites;
use tracing::subscriber::DefaultGuard;
use tracing::{Level, debug, enabled, info};

use crate::lines::Lines;
use crate::support::{call, get, problem};

const REQUESTS: usize = 100;

/// Logs of this thread. What is returned keeps them going.
fn logging(config: &TelemetryConfig) -> (Lines, DefaultGuard, Telemetry) {
    let lines = Lines::default();
    let (subscriber, telemetry) = telemetry::subscriber(config, lines.writer()).unwrap();
    (
        lines,
        tracing::subscriber::set_default(subscriber),
        telemetry,
    )
}

fn filtered(filter: &str, format: LogFormat) -> TelemetryConfig {
    TelemetryConfig {
        log_filter: filter.to_owned(),
        log_format: format,
        ..TelemetryConfig::named("sample")
    }
}

/// Asks as sqlx does around each statement: whether lines would be written that then are not.
fn ask_in_vain() {
    for _ in 0..3 {
        let _ = enabled!(target: "sqlx::query", Level::DEBUG);
        let _ = enabled!(target: "sqlx::query", Level::INFO);
        let _ = enabled!(target: "sqlx::query", Level::TRACE);
    }
}

fn routes() -> Router {
    Router::new().route(
        "/query",
        on_get(|| async {
            ask_in_vain();
            let work = tracing::info_span!("work", step = 1);
            work.in_scope(|| {
                ask_in_vain();
                info!(target: "orchestrator::history", "a window of history");
                ask_in_vain();
                debug!(target: "orchestrator::history", "its details");
                debug!(target: "tools::store", "not asked for");
            });
            ask_in_vain();
            "ok"
        }),
    )
}

#[tokio::test]
async fn with_a_directive_for_a_target_no_line_and_no_span_is_lost() {
    for endpoint in [None, Some("http://127.0.0.1:9".to_owned())] {
        for format in [LogFormat::Text, LogFormat::Json] {
            let config = TelemetryConfig {
                otlp_endpoint: endpoint.clone(),
                ..filtered("info,orchestrator=debug,sqlx=off", format)
            };
            register_callsites(call(routes(), HttpConfig::on_port(0), get("/query"))).await;
            let (lines, on_this_thread, telemetry) = logging(&config);
            for _ in 0..REQUESTS {
                call(routes(), HttpConfig::on_port(0), get("/query")).await;
            }
            drop(on_this_thread);
            telemetry.shutdown().await;
            for words in ["a window of history", "its details", "answered"] {
                let found = lines.with(words);
                assert_eq!(found.len(), REQUESTS, "{format:?} {words}");
                let with_ids = found
                    .iter()
                    .filter(|line| line.contains("request_id") && line.contains("trace_id"));
                assert_eq!(with_ids.count(), REQUESTS, "{format:?} {words}");
            }
            let inner = lines.with("its details");
            assert!(inner.iter().all(|line| line.contains("work")), "{inner:?}");
            assert!(lines.with("not asked for").is_empty());
            assert_eq!(lines.text().lines().count(), 3 * REQUESTS);
        }
    }
}

#[tokio::test]
async fn a_plain_filter_loses_nothing_either() {
    register_callsites(call(routes(), HttpConfig::on_port(0), get("/query"))).await;
    let (lines, on_this_thread, _telemetry) = logging(&filtered("info", LogFormat::Text));
    for _ in 0..REQUESTS {
        call(routes(), HttpConfig::on_port(0), get("/query")).await;
    }
    drop(on_this_thread);
    assert_eq!(lines.with("a window of history").len(), REQUESTS);
    assert_eq!(lines.with("answered").len(), REQUESTS);
    assert_eq!(lines.text().lines().count(), 2 * REQUESTS);
}

#[tokio::test]
async fn a_failing_readiness_check_is_logged_when_it_changes_and_not_at_each_probe() {
    let (lines, on_this_thread, _telemetry) = logging(&filtered("info", LogFormat::Text));
    let reason = Arc::new(Mutex::new(Some("refused")));
    let now = Arc::clone(&reason);
    let checks = Checks::new("sample").check("database", move || {
        let reason = *now.lock().unwrap();
        async move {
            match reason {
                Some(reason) => Err(reason.into()),
                None => Ok(None),
            }
        }
    });
    for next in [Some("refused"), Some("timed out"), None, Some("refused")] {
        *reason.lock().unwrap() = next;
        for _ in 0..3 {
            assert_eq!(
                checks.run().await.status == ReadinessStatus::Ready,
                next.is_none()
            );
        }
    }
    drop(on_this_thread);
    assert_eq!(lines.with("a readiness check failed").len(), 3);
    assert_eq!(lines.with("timed out").len(), 1);
    assert_eq!(lines.with("a readiness check passes again").len(), 1);
}

#[tokio::test]
async fn what_is_away_is_a_warning_and_what_broke_is_an_error() {
    let (lines, on_this_thread, _telemetry) = logging(&filtered("info", LogFormat::Text));
    let _ = ApiError::unavailable("Busy.", std::io::Error::other("full")).into_response();
    let _ = ApiError::internal(std::io::Error::other("broken")).into_response();
    drop(on_this_thread);
    let text = lines.text();
    assert!(lines.with("unavailable")[0].contains("WARN"), "{text}");
    assert!(
        lines.with("answered with a server error")[0].contains("ERROR"),
        "{text}"
    );
}

#[tokio::test]
async fn a_directive_for_a_span_is_heard() {
    let (lines, on_this_thread, _telemetry) =
        logging(&filtered("warn,[work{step=1}]=debug", LogFormat::Text));
    call(routes(), HttpConfig::on_port(0), get("/query")).await;
    drop(on_this_thread);
    assert_eq!(lines.with("its details").len(), 1, "{}", lines.text());
    assert_eq!(lines.with("answered").len(), 0, "{}", lines.text());
}

#[tokio::test]
async fn the_ids_of_a_server_error_are_in_its_line_whatever_the_filter_and_the_format() {
    for filter in ["warn", "info", "error"] {
        for format in [LogFormat::Text, LogFormat::Json] {
            let (lines, on_this_thread, _telemetry) = logging(&filtered(filter, format));
            let fails =
                on_get(|| async { ApiError::internal(std::io::Error::other("the disk is full")) });
            let routes = Router::new().route("/", fails);
            let told: Problem = problem(call(routes, HttpConfig::on_port(0), get("/")).await).await;
            drop(on_this_thread);
            let found = lines.with("the disk is full");
            assert_eq!(found.len(), 1, "{}", lines.text());
            let (request_id, trace_id) = (told.request_id.unwrap(), told.trace_id.unwrap());
            for id in [&request_id, &trace_id] {
                let times = found[0].matches(id.as_str()).count();
                assert_eq!(times, 1, "{filter} {format:?}: {id} in {}", found[0]);
            }
        }
    }
}

#[tokio::test]
async fn a_span_is_written_once() {
    let (lines, on_this_thread, _telemetry) = logging(&filtered("info", LogFormat::Json));
    call(routes(), HttpConfig::on_port(0), get("/query")).await;
    drop(on_this_thread);
    let line = lines.with("answered").remove(0);
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(line.get("span").is_none(), "{line}");
    assert_eq!(line["spans"].as_array().unwrap().len(), 1, "{line}");
    assert_eq!(line["spans"][0]["url.path"], "/query");
}

#[tokio::test]
async fn words_of_others_stay_on_their_line_and_steer_no_terminal() {
    let foreign = "bad\nERROR forged line\r\x1b[2J\u{9b}31m\u{202e}\0";
    for format in [LogFormat::Text, LogFormat::Json] {
        let (lines, on_this_thread, _telemetry) = logging(&filtered("info", format));
        let error = std::io::Error::other(foreign);
        info!(reason = foreign, debugged = ?foreign, %error, "a provider said {foreign}");
        drop(on_this_thread);
        let text = lines.text();
        assert_eq!(text.lines().count(), 1, "{text:?}");
        let harmful = |letter: char| letter.is_control() || letter == '\u{202e}';
        assert!(!text.trim_end().contains(harmful), "{format:?} {text:?}");
        assert!(text.contains("forged line"), "{text}");
    }
}
