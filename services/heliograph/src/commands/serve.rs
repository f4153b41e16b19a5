//! `heliograph serve <service>`: one service alone.

use std::path::Path;

use anyhow::Context;
use service_kit::clock::{RandomIds, SystemClock};
use service_kit::config::TelemetryConfig;
use service_kit::service;
use service_kit::telemetry::{self, Telemetry};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::alone::{self, Started, Surroundings};
use crate::cli::ServiceName;
use crate::stack::load;

/// Runs the service until a stop is requested. Fails if the service cannot begin.
pub(super) async fn run(service: ServiceName, folder: Option<&Path>) -> anyhow::Result<()> {
    let surroundings = Surroundings {
        clock: SystemClock::shared(),
        ids: RandomIds::shared(),
        shutdown: CancellationToken::new(),
        tasks: TaskTracker::new(),
    };
    let (telemetry, started) = match service {
        ServiceName::Tools => {
            let config: tools::Config = load("tools", folder, &tools::config::ALIASES)?;
            let telemetry = start(&config.telemetry)?;
            (telemetry, alone::tools(config, &surroundings).await?)
        }
        ServiceName::Orchestrator => {
            let config: orchestrator::Config =
                load("orchestrator", folder, &orchestrator::config::ALIASES)?;
            let telemetry = start(&config.telemetry)?;
            let started = Box::pin(alone::orchestrator(config, &surroundings)).await?;
            (telemetry, started)
        }
        ServiceName::Bff => {
            let config: bff::Config = load("bff", folder, &bff::config::ALIASES)?;
            let telemetry = start(&config.telemetry)?;
            (telemetry, alone::bff(config, &surroundings).await?)
        }
    };
    stopped(telemetry, started, surroundings).await
}

fn start(config: &TelemetryConfig) -> anyhow::Result<Telemetry> {
    Ok(telemetry::start(config)?)
}

async fn stopped(
    telemetry: Telemetry,
    started: Started,
    surroundings: Surroundings,
) -> anyhow::Result<()> {
    let Started { running, begun } = started;
    service::cancel_on_signal(surroundings.shutdown.clone())?;
    tracing::info!(address = %running.local_addr, "listening");
    running.stopped().await;
    surroundings.tasks.close();
    surroundings.tasks.wait().await;
    telemetry.shutdown().await;
    begun.await.context("the service did not begin")?
}
