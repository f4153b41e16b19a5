//! `heliograph chat "…"`.

use std::path::Path;
use std::pin::pin;

use anyhow::bail;
use futures::StreamExt;
use secrecy::SecretString;
use service_kit::client::HttpClient;

use super::{account, data, up};
use crate::chat::credentials::{self, Credentials};
use crate::chat::{ChatClient, ChatError, Renderer};
use crate::cli::Chat;
use crate::config::Config;
use crate::stack::{Stack, StackConfig};
use crate::{database, terminal};

/// Asks, and shows the answer as it comes.
pub(super) async fn run(folder: Option<&Path>, options: Chat) -> anyhow::Result<()> {
    let http = service_kit::http_client()?;
    if let Some(url) = &options.url {
        let user = options.user.as_deref().unwrap_or(bff::accounts::DEMO_USER);
        let password = account::read_password()?;
        let (client, _) =
            ChatClient::sign_in(http, url.trim_end_matches('/'), user, &password).await?;
        return ask(client, &options).await;
    }
    let config = Config::load(up::file(folder).as_deref())?;
    match running(&http, &config).await? {
        Some(client) => ask(client, &options).await,
        None => Box::pin(ask_own_services(http, folder, &config, &options)).await,
    }
}

/// A client of the services that run on this machine, if they do.
async fn running(http: &HttpClient, config: &Config) -> anyhow::Result<Option<ChatClient>> {
    let Some(kept) = credentials::load(&config.data.folder) else {
        return Ok(None);
    };
    match ChatClient::refresh(http.clone(), &kept.url, &kept.refresh_token).await {
        Ok((client, refresh_token)) => {
            credentials::save(
                &config.data.folder,
                &Credentials {
                    url: kept.url,
                    refresh_token,
                },
            )?;
            Ok(Some(client))
        }
        Err(ChatError::Connection(error)) if error.is_connect() => Ok(None),
        Err(ChatError::Refused(_)) => {
            bail!(
                "{} runs but does not know this folder's token; restart it, or use --url",
                kept.url
            )
        }
        Err(error) => Err(error.into()),
    }
}

/// Starts the services, for one answer.
async fn ask_own_services(
    http: HttpClient,
    folder: Option<&Path>,
    config: &Config,
    options: &Chat,
) -> anyhow::Result<()> {
    terminal::note("nothing is running here; starting the services for this answer");
    let database = database::open(config).await?;
    let answered = Box::pin(async {
        let mut stack = StackConfig::load(folder)?;
        stack.keep_data(&database::url(&database), &config.data.folder);
        stack.demonstrate(&config.data.folder)?;
        stack.take_free_ports();
        data::prepare(&stack).await?;
        let refresh_token = demo_token(&stack, config).await?;
        let stack = Stack::start(stack).await?;
        let (client, _) = ChatClient::refresh(http, &stack.bff_url, &refresh_token).await?;
        let answered = ask(client, options).await;
        stack.stop().await;
        answered
    })
    .await;
    database.stop().await?;
    answered
}

async fn demo_token(stack: &StackConfig, config: &Config) -> anyhow::Result<SecretString> {
    let admin = bff::Admin::open(&stack.bff.database, stack.clock.clone(), stack.ids.clone())?;
    admin.ensure_demo(config.demo.password.clone()).await?;
    let token = admin.refresh_token(bff::accounts::DEMO_USER).await?;
    admin.close().await;
    match token {
        Some(token) => Ok(token),
        None => bail!("there is no account named `demo`; use --url and --user"),
    }
}

async fn ask(client: ChatClient, options: &Chat) -> anyhow::Result<()> {
    let client = client.with_assistant(options.assistant.clone());
    let made_up = format!("terminal-{}", std::process::id());
    let thread = options.thread.as_deref().unwrap_or(&made_up);
    let mut chunks = pin!(client.ask(&options.message, thread).await?);
    let mut renderer = Renderer::default();
    let mut stopped = false;
    loop {
        tokio::select! {
            chunk = chunks.next() => match chunk {
                Some(chunk) => terminal::write(&renderer.show(&chunk?)),
                None => break,
            },
            // The answer would go on without us. What there is of it still comes, unless somebody has no patience at all.
            _ = tokio::signal::ctrl_c() => {
                if std::mem::replace(&mut stopped, true) {
                    bail!("stopped");
                }
                client.stop(thread).await?;
            }
        }
    }
    terminal::note(format!("to go on: chat --thread {thread} \"…\""));
    if renderer.failed() {
        bail!("the answer broke off");
    }
    Ok(())
}
