//! `cargo xtask load`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use heliograph::chat::ChatClient;
use heliograph::commands::{data, up};
use heliograph::config::Config;
use heliograph::stack::StackConfig;
use heliograph::{database, terminal};
use secrecy::SecretString;
use service_kit::client::HttpClient;

use crate::cli::Load;
use crate::load::database::Database;
use crate::load::floor::Floor;
use crate::load::long_thread::{self, Times};
use crate::load::processes::CHECKPOINTS;
use crate::load::report::{Measured, Used, ms, report};
use crate::load::resumable::{self, Point};
use crate::load::soak::{self, User};
use crate::load::{Binaries, HeldModel, Processes, quantile, run_round};

/// The default message.
const QUESTION: &str = "Morning briefing";

/// Turns before the measured ones.
const WARM_UP: usize = 20;

/// Turns of the floor at least. A turn costs it so little that fewer would not be measured.
const FLOOR_TURNS: usize = 3_000;

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
    let processes = if options.one_process {
        Processes::start_one(&binaries, &stack, url, folder, environment, &http).await?
    } else {
        let orchestrators = options.orchestrators.into();
        Processes::start_several(
            &binaries,
            &stack,
            url,
            folder,
            environment,
            &http,
            orchestrators,
        )
        .await?
    };
    let bff_url = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let user = Arc::new(User::sign_in(http.clone(), &bff_url, &token).await?);
    let database = Database::new(tools::database::pool(&stack.tools.database)?).await?;

    let measured = match &model {
        None => {
            let load = Running {
                user,
                processes: &processes,
                database: &database,
                folder,
                options,
            };
            match options.soak {
                None => load.rounds(&program, http).await,
                Some(turns) => load.soak(turns).await,
            }
        }
        Some(model) => {
            let client = user.client().await?;
            held_rounds(&client, &processes, model, &stack, options).await
        }
    };
    processes.stop().await;
    database.close().await;
    measured
}

/// A load of chats that end as soon as possible.
struct Running<'a> {
    user: Arc<User>,
    processes: &'a Processes,
    database: &'a Database,
    folder: &'a Path,
    options: &'a Load,
}

impl Running<'_> {
    fn message(&self) -> &str {
        self.options.message.as_deref().unwrap_or(QUESTION)
    }

    /// Runs rounds, each beside one of the floor.
    async fn rounds(&self, program: &Path, http: HttpClient) -> anyhow::Result<()> {
        let (message, turns) = (self.message(), self.options.turns);
        run_round(self.user.client().await?, message, 1, WARM_UP).await;
        let client = self.user.client().await?;
        let floor = Floor::start(program, self.folder, (&client, message), http).await?;
        run_round(floor.client(), message, 1, WARM_UP).await;
        terminal::say(format!(
            "\"{message}\", {turns} turns a round after {WARM_UP}, {} events and {} bytes each\n",
            floor.events, floor.bytes
        ));
        let mut failed = 0;
        let mut counts = self.database.counts().await?;
        for &streams in &self.options.streams {
            let enough = turns.max(FLOOR_TURNS);
            let least = measured(floor.client(), message, (streams, enough), || {
                vec![("floor", floor.usage())]
            });
            let least = least.await;
            let client = self.user.client().await?;
            let services = measured(client, message, (streams, turns), || {
                let mut used = self.processes.usage();
                used.extend(self.database.usage().map(|usage| ("PostgreSQL", usage)));
                used
            });
            let services = services.await;
            let now = self.database.counts().await?;
            report(&services, &least, (counts, now));
            counts = now;
            failed += services
                .round
                .errors
                .iter()
                .map(|(_, count)| count)
                .sum::<usize>();
        }
        if failed > 0 {
            bail!("{failed} turns failed");
        }
        Ok(())
    }

    async fn soak(&self, turns: usize) -> anyhow::Result<()> {
        let streams = self.options.streams.first().copied().unwrap_or(1);
        let checkpoints = self.folder.join(CHECKPOINTS);
        soak::run(
            Arc::clone(&self.user),
            self.message(),
            (streams, turns),
            self.processes,
            self.database,
            checkpoints,
        )
        .await
    }
}

async fn measured(
    client: Arc<ChatClient>,
    message: &str,
    (streams, turns): (usize, usize),
    used: impl Fn() -> Used,
) -> Measured {
    let before = used();
    let round = run_round(client, message, streams, turns).await;
    Measured {
        round,
        before,
        after: used(),
    }
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
