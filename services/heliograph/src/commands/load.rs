//! `heliograph load`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use secrecy::SecretString;

use super::{data, up};
use crate::chat::ChatClient;
use crate::cli::Load;
use crate::config::Config;
use crate::load::{Processes, Round, Usage, quantile, run_round};
use crate::stack::StackConfig;
use crate::{database, terminal};

/// Starts the services, sends the rounds, reports.
pub(super) async fn run(folder: Option<&Path>, options: Load) -> anyhow::Result<()> {
    let config = Config::load(up::file(folder).as_deref())?;
    let database = database::open(&config).await?;
    let result = measure(folder, &config, &database::url(&database), &options).await;
    database.stop().await?;
    result
}

async fn measure(
    folder: Option<&Path>,
    config: &Config,
    url: &SecretString,
    options: &Load,
) -> anyhow::Result<()> {
    let mut stack = StackConfig::load(folder)?;
    stack.keep_data(url, &config.data.folder);
    stack.take_free_ports();
    stack.introduce()?;
    data::prepare(&stack).await?;
    let admin = bff::Admin::open(&stack.bff.database, stack.clock.clone(), stack.ids.clone())?;
    admin.ensure_demo(config.demo.password.clone()).await?;
    let token = admin
        .refresh_token(bff::accounts::DEMO_USER)
        .await?
        .context("there is no account named `demo`")?;
    admin.close().await;

    let http = service_kit::http_client()?;
    let program = std::env::current_exe().context("this program has no path")?;
    let processes =
        Processes::start(&program, &stack, url, &config.data.folder, &[], &http).await?;
    let bff_url = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let (client, _) = ChatClient::refresh(http, &bff_url, &token).await?;
    let client = Arc::new(client);

    run_round(Arc::clone(&client), &options.message, 1, 20).await;
    terminal::say(format!(
        "\"{}\", {} turns a round, after 20 to warm up\n",
        options.message, options.turns
    ));
    terminal::say("streams  turns/s  errors   first byte ms p50/p99      whole ms p50/p99");
    let mut failed = 0;
    for &streams in &options.streams {
        let before = processes.usage();
        let round = run_round(
            Arc::clone(&client),
            &options.message,
            streams,
            options.turns,
        )
        .await;
        report(&round, &before, &processes.usage());
        failed += round.errors.iter().map(|(_, count)| count).sum::<usize>();
    }
    processes.stop().await;
    if failed > 0 {
        bail!("{failed} turns failed");
    }
    Ok(())
}

fn report(round: &Round, before: &[(&'static str, Usage)], after: &[(&'static str, Usage)]) {
    let rate = round.answered as f64 / round.elapsed.as_secs_f64();
    let errors: usize = round.errors.iter().map(|(_, count)| count).sum();
    terminal::say(format!(
        "{:>7}  {rate:>7.0}  {errors:>6}   {:>10} / {:<10}  {:>10} / {:<10}",
        round.streams,
        ms(quantile(&round.first_byte, 0.5)),
        ms(quantile(&round.first_byte, 0.99)),
        ms(quantile(&round.whole, 0.5)),
        ms(quantile(&round.whole, 0.99)),
    ));
    for (error, count) in &round.errors {
        terminal::say(format!("         {count} x {error}"));
    }
    for ((service, before), (_, after)) in before.iter().zip(after) {
        let used = after.cpu_seconds - before.cpu_seconds;
        let each = 1000.0 * used / (round.answered.max(1) as f64);
        terminal::say(format!(
            "         {service:<13} {used:>6.2} s CPU, {each:>6.2} ms a turn, {:>5.0} MiB",
            after.memory_mib
        ));
    }
}

fn ms(time: Duration) -> String {
    format!("{:.1}", 1000.0 * time.as_secs_f64())
}
