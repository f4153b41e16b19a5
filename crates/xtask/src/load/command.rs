//! `cargo xtask load`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use heliograph::chat::ChatClient;
use heliograph::commands::{data, up};
use heliograph::config::Config;
use heliograph::stack::StackConfig;
use heliograph::{database, terminal};
use secrecy::SecretString;

use crate::cli::Load;
use crate::load::long_thread::{self, Times};
use crate::load::resumable::{self, Point};
use crate::load::{Binaries, HeldModel, Processes, Round, Usage, quantile, run_round};

/// The default message.
const QUESTION: &str = "Morning briefing";

/// The default message for a model. The rules pass it to the model at once.
const MODELS_QUESTION: &str = "Power curve of GW-INV-001 on Nov 29";

/// Starts the services, runs the rounds and prints the report.
pub(crate) async fn run(folder: Option<&Path>, options: Load) -> anyhow::Result<()> {
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
        .context("the account `demo` does not exist")?;
    admin.close().await;

    let held = options.resumable.is_some() || options.long_thread.is_some();
    let model = if held {
        Some(HeldModel::start(options.resumable.is_none()).await?)
    } else {
        None
    };
    let environment = model.as_ref().map(HeldModel::environment);
    let environment = environment.as_ref().map_or(&[][..], |pairs| &pairs[..]);
    let http = service_kit::http_client()?;
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let binaries = Binaries::beside(&program)?;
    let folder = &config.data.folder;
    let processes = Processes::start(&binaries, &stack, url, folder, environment, &http).await?;
    let bff_url = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let (client, _) = ChatClient::refresh(http, &bff_url, &token).await?;

    let measured = match &model {
        None => rounds(Arc::new(client), &processes, options).await,
        Some(model) => held_rounds(&client, &processes, model, &stack, options).await,
    };
    processes.stop().await;
    measured
}

/// Runs rounds of chats that end as soon as possible.
async fn rounds(
    client: Arc<ChatClient>,
    processes: &Processes,
    options: &Load,
) -> anyhow::Result<()> {
    let message = options.message.as_deref().unwrap_or(QUESTION);
    run_round(Arc::clone(&client), message, 1, 20).await;
    terminal::say(format!(
        "\"{message}\", {} turns a round, after 20 to warm up\n",
        options.turns
    ));
    terminal::say("streams  turns/s  errors   first byte ms p50/p99      whole ms p50/p99");
    let mut failed = 0;
    for &streams in &options.streams {
        let before = processes.usage();
        let round = run_round(Arc::clone(&client), message, streams, options.turns).await;
        report(&round, &before, &processes.usage());
        failed += round.errors.iter().map(|(_, count)| count).sum::<usize>();
    }
    if failed > 0 {
        bail!("{failed} turns failed");
    }
    Ok(())
}

/// Runs the measurements that need a controlled model.
async fn held_rounds(
    client: &ChatClient,
    processes: &Processes,
    model: &HeldModel,
    stack: &StackConfig,
    options: &Load,
) -> anyhow::Result<()> {
    let message = options.message.as_deref().unwrap_or(MODELS_QUESTION);
    if let Some(streams) = options.resumable {
        let points = resumable::run(client, processes, model, message, streams).await?;
        report_resumable(streams, &points);
    }
    if let Some(messages) = options.long_thread {
        let pool = tools::database::pool(&stack.tools.database)?;
        let ids = [stack.ids.new_id(), stack.ids.new_id()];
        let account = bff::accounts::DEMO_USER;
        let times = long_thread::run(
            client,
            &pool,
            account,
            ids,
            messages.into(),
            message,
            options.turns,
        );
        report_long_thread(messages, &times.await?);
        pool.close().await;
    }
    Ok(())
}

fn report_resumable(streams: usize, points: &[Point]) {
    terminal::say(format!("{streams} streams that stay open; resident MiB\n"));
    for point in points {
        let took = point.took.as_secs_f64();
        let used = point
            .usage
            .iter()
            .map(|(service, usage)| format!("{service} {:.0}", usage.memory_mib));
        terminal::say(format!(
            "{:<26} {took:>7.1} s   {}",
            point.what,
            used.collect::<Vec<_>>().join(", ")
        ));
    }
}

fn report_long_thread(messages: u32, times: &Times) {
    terminal::say(format!(
        "{} turns each, one after the other; whole ms p50/p99\n",
        times.short.len()
    ));
    for (what, times) in [
        ("20 messages".to_owned(), &times.short),
        (format!("{messages} messages"), &times.long),
    ] {
        terminal::say(format!(
            "{what:<18} {:>8} / {}",
            ms(quantile(times, 0.5)),
            ms(quantile(times, 0.99))
        ));
    }
    let [short, long] = [&times.short, &times.long].map(|times| quantile(times, 0.5).as_secs_f64());
    terminal::say(format!("ratio of medians   {:>8.2}", long / short));
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
