//! `heliograph account`.

use std::io::stdin;
use std::path::Path;

use anyhow::{Context, bail};
use bff::accounts::DEFAULT_SCOPES;
use secrecy::SecretString;
use service_kit::clock::{RandomIds, SystemClock};

use super::data;
use crate::cli::AccountCommand;
use crate::terminal;

/// Makes an account or sets a password.
pub(super) async fn run(folder: Option<&Path>, command: AccountCommand) -> anyhow::Result<()> {
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
                    "{} may sign in; tenant {}",
                    account.username, account.tenant
                ));
            }
            AccountCommand::Password { username } => {
                if !admin.set_password(&username, read_password()?).await? {
                    bail!("there is no account named `{username}`");
                }
                terminal::say(format!(
                    "{username} has a new password; every session and token has ended"
                ));
            }
        }
        admin.close().await;
        Ok(())
    })
    .await
}

/// A line of standard input, so that the password is in no history and no list of processes.
pub(super) fn read_password() -> anyhow::Result<SecretString> {
    terminal::note("password, on one line:");
    let mut line = String::new();
    stdin()
        .read_line(&mut line)
        .context("no password could be read")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned().into())
}
