//! How every service is configured, traced, authenticated, answers errors, drains and stops.
//!
//! A service writes its routes and its configuration; everything around a request is here, once. In
//! reading order: [`config`] and [`telemetry`] start a process; [`service`] frames a router and
//! serves it until it is stopped; [`web`], [`problem`] and [`identity`] are what handlers see;
//! [`client`] and [`database`] are the ways out. The crate knows no domain.
//!
//! ```no_run
//! use service_kit::{config, docs, health, service, telemetry};
//! use tokio_util::{sync::CancellationToken, task::TaskTracker};
//!
//! #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Config {
//!     http: config::HttpConfig,
//!     telemetry: config::TelemetryConfig,
//! }
//!
//! impl Default for Config {
//!     fn default() -> Self {
//!         let telemetry = config::TelemetryConfig::named("tools");
//!         Self { http: config::HttpConfig::on_port(4000), telemetry }
//!     }
//! }
//!
//! impl config::Validate for Config {
//!     fn validate(&self) -> Result<(), config::Invalid> {
//!         config::validate_sections(&[("http", &self.http), ("telemetry", &self.telemetry)])
//!     }
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let config: Config = config::load("tools", None, &[])?;
//! let telemetry = telemetry::start(&config.telemetry)?;
//! let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
//! service::cancel_on_signal(shutdown.clone())?;
//! # let api = serde_json::json!({});
//! let routes = axum::Router::new()
//!     .merge(health::routes(health::Checks::new("tools")))
//!     .merge(docs::routes(api));
//! let service = service::Service::new("tools", config.http);
//! let running = service.serve(routes, shutdown, &tasks).await?;
//! tracing::info!(address = %running.local_addr, "listening");
//! tasks.close();
//! tasks.wait().await;
//! telemetry.shutdown().await;
//! # Ok(())
//! # }
//! ```

pub mod config;

pub mod telemetry;

pub mod service;

pub mod program;

pub mod web;

pub mod problem;

pub mod identity;

pub mod client_address;

pub mod health;

pub mod docs;

pub mod database;

pub use ::clock;
pub use ::http_client::{self as client, context, external_http_client, http_client};
