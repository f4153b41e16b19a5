//! Keys stay where they belong.

use std::io::Write;
use std::sync::{Arc, Mutex};

use http_client::external_http_client;
use llm::Models;
use test_support::provider::{Dialect, Turn};
use tracing_subscriber::fmt::MakeWriter;

use crate::support::{ask, config, fall_back_to, server};

/// Everything that is logged.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// A provider that repeats the key that it got, in every way to fail.
#[tokio::test]
async fn a_key_that_a_provider_repeats_is_in_no_error_and_no_log() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::internal_error()).await;
        let next = self::server(dialect, Turn::text("ok")).await;
        let mut config = config(&server);
        config.retries.attempts = 2;
        config.retries.base_delay_ms = 1;
        fall_back_to(&mut config, &next);
        // The fallback changed the address of the same provider: this sets it back.
        crate::support::point_at(&mut config, &server);
        let models = Models::from_config(&config, external_http_client().unwrap())
            .unwrap()
            .unwrap();
        let key = server.key();
        let said = format!("Incorrect API key provided: {key} (Authorization: Bearer {key})");
        let body = serde_json::json!({"type": "error", "error": {"type": "x", "message": said}});
        let mut shown = format!("{models:?} {} {config:?}", models.description());
        for turn in [
            Turn::status(401, body.to_string()),
            Turn::status(500, said.clone()),
            Turn::status(400, body.to_string()),
            Turn::html(502),
            Turn::raw([format!("data: {body}\n\n")]),
            Turn::raw([format!("{body}\n")]),
            Turn::raw([said.clone()]),
        ] {
            server.play(turn);
            let error = ask(&*models.chat()).await.error.unwrap();
            shown = format!("{shown} {error} {error:?}");
        }
        assert!(!shown.contains(key), "{dialect:?}: {shown}");
        let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
        assert!(
            logged.contains("the call is repeated"),
            "{dialect:?}: nothing was logged"
        );
        let telling = logged.lines().find(|line| line.contains(key));
        assert_eq!(telling, None, "{dialect:?}");
    }
}
