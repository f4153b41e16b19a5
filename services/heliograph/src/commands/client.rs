//! A client of the services, for commands that use the public API.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use secrecy::SecretString;
use service_kit::client::HttpClient;

use super::{data, password, up};
use crate::chat::credentials::{self, Credentials, SavedSignIn};
use crate::chat::{ChatClient, ChatError};
use crate::config::Config;
use crate::stack::{Stack, StackConfig};
use crate::{database, terminal};

/// Time in which services on this machine say that they run.
const LOOK: Duration = Duration::from_secs(2);

/// Runs `task` with a client: of the bff at `url`, otherwise of the services on this machine,
/// otherwise of services that are started for this command. These have data of their own: if other
/// services run, a command in a new folder would put data where nothing finds them, so it is
/// refused.
///
/// The client has the API key of the environment, otherwise a saved sign-in, otherwise the sign-in
/// of a user whose password is asked for, which is then saved.
pub(super) async fn with_client<T>(
    folder: Option<&Path>,
    (url, user): (Option<&str>, Option<&str>),
    task: impl AsyncFnOnce(ChatClient) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let http = service_kit::http_client()?;
    let config = Config::load(up::file(folder).as_deref())?;
    if let Some(client) = without_asking(&http, &config, (url, user)).await? {
        return task(client).await;
    }
    match named(&config, url) {
        Some(at) if url.is_some() || user.is_some() => {
            let user = user.unwrap_or(bff::accounts::DEMO_USER);
            task(with_password(&http, &config, &at, user).await?).await
        }
        _ => {
            check_alone(&http, folder, &config).await?;
            Box::pin(with_own_services(http, folder, &config, task)).await
        }
    }
}

/// The same for a command that returns the lines to print.
pub(super) async fn print_lines(
    folder: Option<&Path>,
    place: (Option<&str>, Option<&str>),
    task: impl AsyncFnOnce(&ChatClient) -> anyhow::Result<Vec<String>>,
) -> anyhow::Result<()> {
    with_client(folder, place, async |client| {
        for line in task(&client).await? {
            terminal::say(line);
        }
        Ok(())
    })
    .await
}

/// The same for a question, which leaves nothing behind that is missed elsewhere.
pub(super) async fn with_client_for_a_question<T>(
    folder: Option<&Path>,
    place: (Option<&str>, Option<&str>),
    task: impl AsyncFnOnce(ChatClient) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let http = service_kit::http_client()?;
    let config = Config::load(up::file(folder).as_deref())?;
    if place == (None, None) && config.client.api_key.is_none() {
        return match running(&http, &config).await? {
            Some(client) => task(client).await,
            None => Box::pin(with_own_services(http, folder, &config, task)).await,
        };
    }
    with_client(folder, place, task).await
}

/// Fails if services run on this machine that are not of this folder, which has no data yet.
async fn check_alone(
    http: &HttpClient,
    folder: Option<&Path>,
    config: &Config,
) -> anyhow::Result<()> {
    if config.data.folder.exists() || config.database.url.is_some() {
        return Ok(());
    }
    let url = StackConfig::load(folder)?.bff_url();
    let asked = http.get(format!("{url}/health/live")).timeout(LOOK);
    let asked = asked.send().await;
    if asked.is_ok_and(|answer| answer.status().is_success()) {
        bail!(
            "the folder {} has no data yet, and services of another folder run at {url}; name them with --server {url} --user NAME, or run the command in their folder",
            config.data.folder.display()
        );
    }
    Ok(())
}

/// A client that needs neither a password nor services that are started for it.
pub(super) async fn without_asking(
    http: &HttpClient,
    config: &Config,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<Option<ChatClient>> {
    let named = named(config, url);
    if let Some(key) = &config.client.api_key {
        let Some(url) = named else {
            bail!(
                "an API key is set (HELIOGRAPH_API_KEY), but no services run on this machine; name them with --server"
            );
        };
        return Ok(Some(ChatClient::with_token(
            http.clone(),
            &url,
            key.clone(),
        )));
    }
    match (named, user) {
        (Some(at), _) if url.is_some() || user.is_some() => saved(http, config, &at, user).await,
        (None, Some(_)) => bail!("no services run on this machine; name them with --server"),
        _ => running(http, config).await,
    }
}

/// The server at `url`, otherwise the one on this machine.
pub(super) fn named(config: &Config, url: Option<&str>) -> Option<String> {
    let here = || credentials::load(&config.data.folder).map(|saved| saved.url);
    url.map(|url| server(url).to_owned()).or_else(here)
}

/// The URL of a server as it is saved.
pub(super) fn server(url: &str) -> &str {
    url.trim_end_matches('/')
}

/// A client with the saved sign-in at a server, if the server still accepts it.
pub(super) async fn saved(
    http: &HttpClient,
    config: &Config,
    url: &str,
    user: Option<&str>,
) -> anyhow::Result<Option<ChatClient>> {
    let folder = &config.data.folder;
    if credentials::load_sign_in(folder, url, user).is_none() {
        return Ok(None);
    }
    let _lock = credentials::lock(folder)?;
    // Another command may have used the token that was there before the lock.
    let Some(saved) = credentials::load_sign_in(folder, url, user) else {
        return Ok(None);
    };
    match ChatClient::refresh(http.clone(), url, &saved.refresh_token).await {
        Ok((client, refresh_token)) => {
            let renewed = SavedSignIn {
                refresh_token,
                ..saved
            };
            credentials::save_sign_in(folder, renewed)?;
            Ok(Some(client))
        }
        Err(ChatError::Refused(problem)) if problem.status == 401 => Ok(None),
        Err(error) => Err(unreachable(url, error)),
    }
}

/// A client of a user whose password is asked for. The sign-in is saved.
pub(super) async fn with_password(
    http: &HttpClient,
    config: &Config,
    url: &str,
    user: &str,
) -> anyhow::Result<ChatClient> {
    let password = password::ask(&format!("Password of {user} at {url}"))?;
    let signed_in = ChatClient::sign_in(http.clone(), url, user, &password).await;
    let (client, refresh_token) = signed_in.map_err(|error| unreachable(url, error))?;
    let _lock = credentials::lock(&config.data.folder)?;
    credentials::save_sign_in(
        &config.data.folder,
        SavedSignIn {
            url: url.to_owned(),
            user: user.to_owned(),
            refresh_token,
        },
    )?;
    Ok(client)
}

fn unreachable(url: &str, error: ChatError) -> anyhow::Error {
    let connects = !matches!(&error, ChatError::Connection(error) if error.is_connect());
    let error = anyhow::Error::from(error);
    if connects {
        error
    } else {
        error.context(format!("cannot connect to {url}"))
    }
}

/// A client of the services on this machine, if they run.
async fn running(http: &HttpClient, config: &Config) -> anyhow::Result<Option<ChatClient>> {
    if credentials::load(&config.data.folder).is_none() {
        return Ok(None);
    }
    let _lock = credentials::lock(&config.data.folder)?;
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
                "{} is running but does not accept this folder's sign-in; use --user NAME, or restart it",
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
    terminal::note(format!(
        "no services are running; starting them for this answer, with the data in {}",
        config.data.folder.display()
    ));
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
        None => bail!("the account `demo` does not exist; use --server and --user"),
    }
}
