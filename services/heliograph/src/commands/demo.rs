//! `heliograph demo data`: the demonstration database.

use std::path::Path;

use field_service::{Existing, Loaded};
use service_kit::clock::SystemClock;

use super::up;
use crate::cli::DemoCommand;
use crate::config::Config;
use crate::demonstration::{Plan, url_beside};
use crate::terminal;

/// Runs a command.
pub(super) async fn run(folder: Option<&Path>, command: DemoCommand) -> anyhow::Result<()> {
    let DemoCommand::Data { url, reset } = command;
    let config = Config::load(up::file(folder).as_deref())?;
    let plan = Plan::new(&config)?.at(url);
    let files = crate::demonstration::Files::prepare(&plan.files().folder)?;
    let existing = if reset {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let today = SystemClock::shared().now().date_naive();
    let mut is_beside = false;
    let (database, loaded) = match plan.bring(today, existing).await {
        Ok(brought) => brought,
        // Services run on this folder: their database is used.
        Err(error) => {
            let Some(url) = url_beside(&error) else {
                return Err(error);
            };
            is_beside = true;
            let plan = Plan::new(&config)?.at(Some(url));
            plan.bring(today, existing).await?
        }
    };
    terminal::say(match loaded {
        Loaded::Now { rows, elapsed } => {
            format!("loaded {rows} rows in {:.1} s", elapsed.as_secs_f64())
        }
        Loaded::Before { anchor } => {
            format!("the demonstration exists, with data up to {anchor}; --reset replaces it")
        }
    });
    match &database {
        _ if is_beside => {
            terminal::say("`heliograph` runs on this folder, and uses it for questions");
        }
        embedded_mariadb::Database::Given { .. } => {
            terminal::say("\nIn tools.toml:\n");
            terminal::say(files.explained(&database.url())?);
        }
        embedded_mariadb::Database::Embedded { .. } => terminal::say(
            "`heliograph` starts this database and uses it for questions; --url loads the demonstration into your own server",
        ),
    }
    Ok(database.stop().await?)
}
