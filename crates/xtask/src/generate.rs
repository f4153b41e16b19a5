//! `cargo xtask generate`.

use std::path::Path;
use std::time::{Duration, Instant};

use demo_park::{LargeOptions, generate_large};
use heliograph::commands::data;
use heliograph::terminal;

use crate::cli::Generate;

/// Interval between progress messages.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Generates a large fleet in an empty tenant.
pub(crate) async fn run(folder: Option<&Path>, options: Generate) -> anyhow::Result<()> {
    data::with_database(folder, async |stack| {
        data::migrate_all(stack).await?;
        let pool = tools::database::pool(&stack.tools.database)?;
        let options = LargeOptions {
            loggers: options.loggers,
            days: options.days,
            step_minutes: options.step_minutes,
            sites: options.sites,
            tenant: options.tenant,
            seed: options.seed,
        };
        let mut told = Instant::now();
        let report = generate_large(&pool, &options, |progress| {
            if told.elapsed() >= PROGRESS_INTERVAL {
                told = Instant::now();
                terminal::note(progress.to_string());
            }
        })
        .await?;
        terminal::say(format!(
            "{} readings: stored in {:.0} s, daily figures in {:.0} s",
            report.rows,
            report.storing.as_secs_f64(),
            report.rolling_up.as_secs_f64()
        ));
        pool.close().await;
        Ok(())
    })
    .await
}
