//! A client of the services, for commands that use the public API.

use std::path::Path;

use anyhow::bail;
use secrecy::SecretString;
use service_kit::client::HttpClient;

use super::{account, data, up};
use crate::chat::credentials::{self, Credentials};
use crate::chat::{ChatClient, ChatError};
use crate::config::Config;
use crate::stack::{Stack, StackConfig};
use crate::{database, terminal};

/// Runs `work` with a client: of the bff at `url`, otherwise of the services on this machine,
/// otherwise of services that are started for this command.
pub(super) async fn with_client<T>(
    folder: Option<&Path>,
    (url, user): (Option<&str>, Option<&str>),
    task: impl AsyncFnOnce(ChatClient) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let http = service_kit::http_client()?;
    if let Some(url) = url {
        let user = user.unwrap_or(bff::accounts::DEMO_USER);
        let password = account::read_password()?;
        let (client, _) =
            ChatClient::sign_in(http, url.trim_end_matches('/'), user, &password).await?;
        return task(client).await;
    }
    let config = Config::load(up::file(folder).as_deref())?;
    match running(&http, &config).await? {
        Some(client) => task(client).await,
        None => Box::pin(with_own_services(http, folder, &config, task)).await,
    }
}

/// A client of the services on this machine, if they run.
pub(super) async fn running(
    http: &HttpClient,
    config: &Config,
) -> anyhow::Result<Option<ChatClient>> {
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
                "{} is running but does not accept this folder's token; restart it, or use --url",
                kept.url
            )
        }
        Err(error) => Err(error.into()),
    }
}

/// Starts the services for one command.
async fn with_own_services<T>(
    http: HttpClient,
    folder: Option<&Path>,
    config: &Config,
    task: impl AsyncFnOnce(ChatClient) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    terminal::note("no services are running; starting them for this answer");
    let database = database::open(config).await?;
    let done = Box::pin(async {
        let mut stack = StackConfig::load(folder)?;
        stack.keep_data(&database::url(&database), &config.data.folder);
        stack.demonstrate(&config.data.folder)?;
        stack.take_free_ports();
        data::prepare(&stack).await?;
        let refresh_token = demo_token(&stack, config).await?;
        let stack = Stack::start(stack).await?;
        let (client, _) = ChatClient::refresh(http, &stack.bff_url, &refresh_token).await?;
        let done = task(client).await;
        stack.stop().await;
        done
    })
    .await;
    database.stop().await?;
    done
}

async fn demo_token(stack: &StackConfig, config: &Config) -> anyhow::Result<SecretString> {
    let admin = bff::Admin::open(&stack.bff.database, stack.clock.clone(), stack.ids.clone())?;
    admin.ensure_demo(config.demo.password.clone()).await?;
    let token = admin.refresh_token(bff::accounts::DEMO_USER).await?;
    admin.close().await;
    match token {
        Some(token) => Ok(token),
        None => bail!("the account `demo` does not exist; use --url and --user"),
    }
}
