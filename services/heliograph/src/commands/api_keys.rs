//! `heliograph key create | list | revoke`: API keys, over HTTP.

use std::path::Path;

use contracts::accounts::{ApiKeyInfo, ApiKeyList, CreatedApiKey};
use reqwest::Method;
use serde_json::json;

use super::account::escaped;
use super::client::with_client;
use super::sessions::of;
use crate::chat::ChatClient;
use crate::cli::KeyCommand;
use crate::terminal;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: KeyCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    with_client(folder, place, async |client| {
        let creates = matches!(command, KeyCommand::Create { .. });
        for line in carry_out(&client, command).await? {
            terminal::say(line);
        }
        if creates {
            terminal::note("Store the key now: it cannot be shown again.");
        }
        Ok(())
    })
    .await
}

/// Runs a command and returns the lines to print. A new key is a line of its own, for scripts.
pub async fn carry_out(client: &ChatClient, command: KeyCommand) -> anyhow::Result<Vec<String>> {
    match command {
        KeyCommand::Create { name, scopes, days } => {
            let mut body = json!({ "name": name });
            if !scopes.is_empty() {
                body["scopes"] = scopes.into();
            }
            if let Some(days) = days {
                body["expires_in_days"] = days.into();
            }
            let answer = client
                .request(Method::POST, "/api/tokens", Some(&body))
                .await?;
            let created: CreatedApiKey = answer.json().await?;
            Ok(vec![created.token])
        }
        KeyCommand::List { account } => {
            let path = format!("/api/tokens{}", of(account.as_deref()));
            let answer = client.request(Method::GET, &path, None).await?;
            let list: ApiKeyList = answer.json().await?;
            let lines: Vec<String> = list.tokens.iter().map(line).collect();
            if lines.is_empty() {
                return Ok(vec!["no API keys".to_owned()]);
            }
            Ok(lines)
        }
        KeyCommand::Revoke { id, account } => {
            let of = of(account.as_deref());
            let path = format!("/api/tokens/{}{of}", escaped(&id));
            client.request(Method::DELETE, &path, None).await?;
            Ok(vec![format!("{id} is revoked")])
        }
    }
}

fn line(key: &ApiKeyInfo) -> String {
    let used = match key.last_used_at {
        Some(at) => format!("last used {}", at.format("%Y-%m-%d %H:%M")),
        None => "never used".to_owned(),
    };
    format!(
        "{}  {}…  {}  {}  expires {}  {used}",
        key.id,
        key.prefix,
        key.name,
        key.scopes.join(","),
        key.expires_at.format("%Y-%m-%d"),
    )
}
