//! `heliograph serve <service>`: one service alone.

use std::path::Path;

use axum::Router;
use service_kit::clock::{RandomIds, SystemClock};
use service_kit::config::TelemetryConfig;
use service_kit::service::{self, Service};
use service_kit::telemetry::{self, Telemetry};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cli::ServiceName;
use crate::stack::{build_tools, load};

/// What a service does beside answering.
type Work = Box<dyn FnOnce(CancellationToken, &TaskTracker)>;

/// Runs the service until it is told to stop.
pub(super) async fn run(service: ServiceName, folder: Option<&Path>) -> anyhow::Result<()> {
    let (clock, ids) = (SystemClock::shared(), RandomIds::shared());
    let (telemetry, service, routes, work) = match service {
        ServiceName::Tools => {
            let config: tools::Config = load("tools", folder, &tools::config::ALIASES)?;
            let telemetry = start(&config.telemetry)?;
            let app = build_tools(&config, clock)?;
            let work: Work = Box::new(move |shutdown, tasks| app.work.start(shutdown, tasks));
            (telemetry, app.service, app.routes, Some(work))
        }
        ServiceName::Orchestrator => {
            let config: orchestrator::Config =
                load("orchestrator", folder, &orchestrator::config::ALIASES)?;
            let telemetry = start(&config.telemetry)?;
            let app = orchestrator::build(config, clock, ids).await?;
            let work: Work = Box::new(move |shutdown, tasks| app.work.start(shutdown, tasks));
            (telemetry, app.service, app.routes, Some(work))
        }
        ServiceName::Bff => {
            let config: bff::Config = load("bff", folder, &bff::config::ALIASES)?;
            let telemetry = start(&config.telemetry)?;
            let app = bff::build(config, clock, ids).await?;
            (telemetry, app.service, app.routes, None)
        }
    };
    listen(telemetry, &service, routes, work).await
}

fn start(config: &TelemetryConfig) -> anyhow::Result<Telemetry> {
    Ok(telemetry::start(config)?)
}

async fn listen(
    telemetry: Telemetry,
    service: &Service,
    routes: Router,
    work: Option<Work>,
) -> anyhow::Result<()> {
    let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
    service::cancel_on_signal(shutdown.clone())?;
    let running = service.serve(routes, shutdown.clone(), &tasks).await?;
    if let Some(work) = work {
        work(shutdown, &tasks);
    }
    tracing::info!(address = %running.local_addr, "listening");
    running.stopped().await;
    tasks.close();
    tasks.wait().await;
    telemetry.shutdown().await;
    Ok(())
}
