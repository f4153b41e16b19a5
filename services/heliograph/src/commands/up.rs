//! `heliograph up`, and `heliograph` without a command: everything in one process.

use std::path::Path;
use std::time::{Duration, Instant};

use contracts::assistants::AssistantList;
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use service_kit::{service, telemetry};
use tokio_util::sync::CancellationToken;

use super::data;
use crate::chat::ChatClient;
use crate::chat::credentials::{self, Credentials};
use crate::config::Config;
use crate::demonstration::Demonstration;
use crate::fetched_model::FetchedModel;
use crate::live::LivePlant;
use crate::stack::{Stack, StackConfig};
use crate::{database, terminal};

/// Time that the question for what can be asked may take: the start does not wait for it.
const OFFERS_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts everything, prints what to try, and shuts down on request.
pub(super) async fn run(folder: Option<&Path>) -> anyhow::Result<()> {
    let started = Instant::now();
    let config = Config::load(file(folder).as_deref())?;
    let mut telemetry = telemetry::start(&config.telemetry)?;
    let shutdown = CancellationToken::new();
    service::cancel_on_signal(shutdown.clone())?;
    telemetry.serve_metrics().await?;

    terminal::say(format!("Heliograph {} starts.", env!("CARGO_PKG_VERSION")));
    let mut stack = StackConfig::load(folder)?;
    stack.check_ports()?;
    database::check_given(&config).await?;
    let today = stack.clock.now().date_naive();
    // Before anything is written into the folder.
    embedded_postgres::make_private_folder(&config.data.folder)?;
    let demonstration = Demonstration::begin(&config, &mut stack.tools, today);
    let database = database::open(&config).await?;
    let (url, origin) = (database::url(&database), database.origin());
    let keeper = database::Supervisor::new(database, shutdown.clone());
    let result = Box::pin(serve(&config, stack, &url, origin, &shutdown, started)).await;
    terminal::note("stopping");
    let end_demonstration = async {
        if let Some(demonstration) = demonstration {
            demonstration.stop().await;
        }
    };
    let (kept, ()) = tokio::join!(keeper.stop(), end_demonstration);
    telemetry.shutdown().await;
    // A database failure is the cause of a service failure, so it is reported first.
    kept.and(result)
}

async fn serve(
    config: &Config,
    mut stack: StackConfig,
    url: &SecretString,
    origin: String,
    shutdown: &CancellationToken,
    started: Instant,
) -> anyhow::Result<()> {
    stack.keep_data(url, &config.data.folder);
    stack.demonstrate(&config.data.folder)?;
    stack.tools.database_origin = Some(origin);
    data::prepare(&stack).await?;
    let live_site = if config.demo.live {
        data::prepare_live_site(&stack).await?
    } else {
        None
    };
    let admin = bff::Admin::open(&stack.bff.database, stack.clock.clone(), stack.ids.clone())?;
    let password = admin.ensure_demo(config.demo.password.clone()).await?;
    let refresh_token = admin.refresh_token(bff::accounts::DEMO_USER).await?;
    // A session of its own, since each use of a refresh token replaces it.
    let live_token = match live_site {
        Some(_) => admin.refresh_token(bff::accounts::DEMO_USER).await?,
        None => None,
    };
    admin.close().await;

    let clock = stack.clock.clone();
    let embedding = stack.tools.embedding.clone();
    let stack = Stack::start(stack).await?;
    let live = match (live_site, live_token) {
        (Some(stored), Some(token)) => {
            Some(LivePlant::start(&stack.bff_url, token, clock, stored)?)
        }
        _ => None,
    };
    let mut offered = Vec::new();
    if let Some(refresh_token) = refresh_token {
        let http = service_kit::http_client()?;
        let (client, refresh_token) =
            ChatClient::refresh(http, &stack.bff_url, &refresh_token).await?;
        credentials::save(
            &config.data.folder,
            &Credentials {
                url: stack.bff_url.clone(),
                refresh_token,
            },
        )?;
        match tokio::time::timeout(OFFERS_TIMEOUT, offers(&client)).await {
            Ok(Ok(lines)) => offered = lines,
            Ok(Err(error)) => tracing::warn!("what can be asked is not known: {error:#}"),
            Err(_) => tracing::warn!("what can be asked is not known in time"),
        }
    }
    greet(
        &stack,
        password.as_ref(),
        config.demo.password.is_some(),
        started,
        &offered,
    );
    let model = if config.data.fetch_model {
        FetchedModel::begin(&embedding, &config.data.folder, stack.library.clone())
    } else {
        None
    };
    shutdown.cancelled().await;
    if let Some(model) = model {
        model.stop().await;
    }
    if let Some(live) = live {
        live.stop().await;
    }
    stack.stop().await;
    Ok(())
}

/// The `heliograph.toml` in the configuration folder.
pub fn file(folder: Option<&Path>) -> Option<std::path::PathBuf> {
    folder
        .map(|folder| folder.join("heliograph.toml"))
        .filter(|file| file.exists())
}

/// Commands to begin with, from the data that are there: a question to each assistant, or how to
/// connect what it lacks.
async fn offers(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let answer = client.request(Method::GET, "/api/assistants", None);
    let list: AssistantList = answer.await?.json().await?;
    // Cargo names its package to a program that it runs.
    let program = match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(_) => "cargo run --",
        None => "heliograph",
    };
    let lines = list.assistants.into_iter().filter_map(|assistant| {
        if let Some(starter) = assistant.starters.first() {
            let option = match assistant.id.as_str() {
                "site" => String::new(),
                id => format!("--assistant {id} "),
            };
            return Some(format!("{program} chat {option}{:?}", starter.message));
        }
        let connect = assistant.connect.filter(|way| !way.command.is_empty())?;
        let command = connect.command.trim_start_matches("heliograph ");
        Some(format!("{program} {command}   ({})", connect.label))
    });
    Ok(lines.collect())
}

fn greet(
    stack: &Stack,
    password: Option<&SecretString>,
    chosen: bool,
    started: Instant,
    offered: &[String],
) {
    terminal::say(format!(
        "\nReady after {:.1} s.\n",
        started.elapsed().as_secs_f64()
    ));
    terminal::say(format!("  Open      {}", stack.bff_url));
    match password {
        Some(_) if chosen => {
            terminal::say("  Sign in   demo, with the password in HELIOGRAPH_DEMO_PASSWORD");
        }
        Some(password) => {
            terminal::say(format!(
                "  Sign in   demo / {}   (shown this once)",
                password.expose_secret()
            ));
        }
        None => terminal::say(
            "  Sign in   demo, with the password of the first start (`heliograph account first-administrator demo --recover` sets another)",
        ),
    }
    for (place, line) in offered.iter().enumerate() {
        let label = if place == 0 { "Ask here" } else { "" };
        terminal::say(format!("  {label:<8}  {line}"));
    }
    terminal::say(format!(
        "  APIs      {}/docs   {}/docs   {}/docs",
        stack.bff_url, stack.orchestrator_url, stack.tools_url
    ));
    terminal::say(format!("  Answers   {}\n", stack.answers));
    terminal::say("Ctrl-C stops everything.");
}
