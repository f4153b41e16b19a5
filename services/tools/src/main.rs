//! Runs the tools service alone: `tools [CONFIG.toml]`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use service_kit::clock::SystemClock;
use service_kit::identity::Verifier;
use service_kit::{config, http_client, service, telemetry};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::config::{ALIASES, Config};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let config: Config = config::load("tools", file.as_deref(), &ALIASES)?;
    let telemetry = telemetry::start(&config.telemetry)?;
    let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
    service::cancel_on_signal(shutdown.clone())?;

    let clock = SystemClock::shared();
    let verifier = Verifier::from_config(&config.identity, http_client()?, Arc::clone(&clock))?;
    let app = tools::build(&config, Arc::new(verifier), clock)?;
    tools::migrate(&app.pool)
        .await
        .context("the migrations failed")?;
    let running = app.service.serve(app.routes, shutdown, &tasks).await?;
    tracing::info!(address = %running.local_addr, "listening");

    tasks.close();
    tasks.wait().await;
    telemetry.shutdown().await;
    Ok(())
}
