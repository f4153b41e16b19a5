//! A certified provider (`oidc-provider` of npm) and a real browser. `tests/sso` says what is done.

use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use service_kit::clock::{RandomIds, SystemClock};
use test_support::npm::{self, OLDEST_NODE, skipped, text};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::AUDIENCE;
use crate::bench::{Bench, PASSWORD};
use crate::browser::chromium;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sso");

const SECRET: &str = "a secret of this test";

/// A port that is free now.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certified_provider_is_added_on_the_page_and_a_browser_signs_in_and_out_there() {
    let folder = match npm::install(FILES, "sso", env!("CARGO_TARGET_TMPDIR"), OLDEST_NODE) {
        Ok(folder) => folder,
        Err(why) => return skipped("no browser signed in at a provider", &why),
    };
    let Some(program) = chromium() else { return };
    let issuer = format!("http://localhost:{}", free_port());
    // The issuer is added on the page.
    let bench = Bench::configured(|config| {
        config.http.port = free_port();
        config.limits.request_burst = 1000;
        config.oidc.allow_loopback = true;
        config.oidc.encryption_key = Some(STANDARD.encode([7; 32]).into());
    })
    .await;
    // On the clock of the provider.
    let app = bff::build(
        bench.config.clone(),
        SystemClock::shared(),
        RandomIds::shared(),
    )
    .await
    .unwrap();
    let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
    let running = app.service.serve(app.routes, shutdown, &tasks).await;
    let _running = running.unwrap();
    let mut script = Command::new("node");
    script
        .arg("sso.mjs")
        .current_dir(folder)
        .env("ISSUER", &issuer)
        .env(
            "HELIOGRAPH_URL",
            format!("http://localhost:{}", bench.config.http.port),
        )
        .env("PASSWORD_OF_DEMO", PASSWORD)
        .env("AUDIENCE", AUDIENCE)
        .env("CLIENT_SECRET", SECRET)
        .env("CHROMIUM", program);
    let output = tokio::task::spawn_blocking(move || script.output())
        .await
        .unwrap()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}
