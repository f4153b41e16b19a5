//! `heliograph account`.

use std::io::stdin;
use std::path::Path;

use anyhow::{Context, bail};
use bff::accounts::DEFAULT_SCOPES;
use contracts::person::{Erasure, ErasureStatus};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::json;
use service_kit::clock::{RandomIds, SystemClock};

use super::{client, data, up};
use crate::cli::AccountCommand;
use crate::config::Config;
use crate::terminal;

/// Creates an account, sets its password or scopes, or erases it.
pub(super) async fn run(folder: Option<&Path>, command: AccountCommand) -> anyhow::Result<()> {
    if let AccountCommand::Erase {
        username,
        confirm,
        url,
        user,
    } = &command
    {
        if confirm != username {
            bail!("--confirm must repeat the user name `{username}`; nothing was erased");
        }
        return erase(folder, username, (url.as_deref(), user.as_deref())).await;
    }
    data::beside_services(folder, async |stack| {
        data::migrate_all(stack).await?;
        let admin = bff::Admin::open(
            &stack.bff.database,
            SystemClock::shared(),
            RandomIds::shared(),
        )?;
        match command {
            AccountCommand::Add {
                username,
                tenant,
                mut scopes,
            } => {
                if scopes.is_empty() {
                    scopes = DEFAULT_SCOPES.map(str::to_owned).to_vec();
                }
                let account = admin
                    .create_account(&username, read_password()?, &tenant, &scopes)
                    .await?;
                terminal::say(format!(
                    "created the account {}; tenant {}",
                    account.username, account.tenant
                ));
            }
            AccountCommand::Scopes { username, scopes } => {
                if !admin.set_scopes(&username, &scopes).await? {
                    bail!("the account `{username}` does not exist");
                }
                terminal::say(format!("{username} may: {}", scopes.join(", ")));
            }
            // Handled above.
            AccountCommand::Erase { .. } => {}
            AccountCommand::Password { username } => {
                if !admin.set_password(&username, read_password()?).await? {
                    bail!("the account `{username}` does not exist");
                }
                terminal::say(format!(
                    "{username} has a new password; every session and token was revoked"
                ));
            }
        }
        admin.close().await;
        Ok(())
    })
    .await
}

/// Erases an account through the running services, as one of their administrators; otherwise in the
/// database, and the services complete the erasure when they run.
async fn erase(
    folder: Option<&Path>,
    username: &str,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    let config = Config::load(up::file(folder).as_deref())?;
    let runs = client::running(&service_kit::http_client()?, &config).await?;
    if url.is_some() || runs.is_some() {
        drop(runs);
        return client::with_client(folder, (url, user), async |client| {
            let path = format!("/api/accounts/{}", escaped(username));
            let body = json!({ "confirm": username });
            let answer = client.request(Method::DELETE, &path, Some(&body)).await?;
            let erasure: Erasure = answer.json().await?;
            terminal::say(match erasure.status {
                ErasureStatus::Erased => format!("{username} is erased in every service"),
                ErasureStatus::Pending => format!(
                    "{username} is erased; these services are not reachable and will be asked again until they have erased their data: {}",
                    erasure.waiting_for.join(", ")
                ),
            });
            Ok(())
        })
        .await;
    }
    data::beside_services(folder, async |stack| {
        data::migrate_all(stack).await?;
        let admin = bff::Admin::open(
            &stack.bff.database,
            SystemClock::shared(),
            RandomIds::shared(),
        )?;
        let erased = admin.erase(username).await?;
        admin.close().await;
        if !erased {
            bail!("the account `{username}` does not exist");
        }
        terminal::say(format!(
            "{username} cannot sign in any more; the services erase their data within seconds after they start"
        ));
        Ok(())
    })
    .await
}

/// Escapes a user name for a path segment.
fn escaped(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// Reads a line of standard input. A password there is neither in the shell history nor in the list
/// of processes.
pub(super) fn read_password() -> anyhow::Result<SecretString> {
    terminal::note("Enter the password:");
    let mut line = String::new();
    stdin()
        .read_line(&mut line)
        .context("reading the password failed")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned().into())
}
