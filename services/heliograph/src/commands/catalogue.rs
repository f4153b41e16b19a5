//! `heliograph catalogue refresh`: reads target databases again, over HTTP.

use std::path::Path;

use anyhow::bail;
use contracts::tools::ToolEnvelope;
use contracts::tools::refresh::{ChangedTable, RefreshedTarget};
use contracts::tools::sql::{TableList, names};
use reqwest::Method;
use serde_json::json;

use super::client::with_client;
use crate::chat::ChatClient;
use crate::cli::CatalogueCommand;
use crate::terminal;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: CatalogueCommand,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    with_client(folder, (url, user), async |client| {
        let CatalogueCommand::Refresh { target } = &command;
        let refreshed = refresh(&client, target.as_deref()).await?;
        for line in refreshed.lines {
            terminal::say(line);
        }
        if !refreshed.failed.is_empty() {
            bail!("not read again: {}", refreshed.failed.join(", "));
        }
        Ok(())
    })
    .await
}

/// The outcome of reading targets again.
#[derive(Debug, Default)]
pub struct Refreshed {
    /// The lines to print, one target after the other.
    pub lines: Vec<String>,
    /// The targets that were not read.
    pub failed: Vec<String>,
}

/// Reads one target again, or all targets of the tenant. The others are read if one fails.
pub async fn refresh(client: &ChatClient, target: Option<&str>) -> anyhow::Result<Refreshed> {
    let targets = match target {
        Some(target) => vec![target.to_owned()],
        None => all(client).await?,
    };
    let mut refreshed = Refreshed::default();
    for target in targets {
        match read_again(client, &target).await {
            Ok(read) => refreshed.lines.extend(told(&read)),
            Err(error) => {
                refreshed.lines.push(format!("{target}: not read again"));
                refreshed.lines.push(format!("  {error:#}"));
                refreshed.failed.push(target);
            }
        }
    }
    Ok(refreshed)
}

async fn read_again(client: &ChatClient, target: &str) -> anyhow::Result<RefreshedTarget> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if target.is_empty() || !target.chars().all(is_name) {
        bail!("`{target}` is not a valid name of a target database");
    }
    let path = format!("/api/targets/{target}/refresh");
    let answer = client.request(Method::POST, &path, None).await?;
    Ok(answer.json().await?)
}

/// The names of all targets.
async fn all(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let path = format!("/api/tools/{}", names::LIST_TABLES);
    let answer = client
        .request(Method::POST, &path, Some(&json!({ "limit": 1 })))
        .await?;
    let list: ToolEnvelope<TableList> = answer.json().await?;
    // The result contains the names of all targets, also of those that do not answer.
    let Some(list) = list.result else {
        bail!(
            "{}",
            list.message
                .unwrap_or_else(|| "no target database is available".to_owned())
        );
    };
    Ok(list.targets.into_iter().map(|target| target.name).collect())
}

fn told(read: &RefreshedTarget) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {} tables, {} relationships",
        read.target, read.tables, read.relationships
    )];
    let tables = [("new", &read.added), ("gone", &read.removed)];
    for (what, names) in tables {
        lines.extend(names.iter().map(|name| format!("  {what:<8} {name}")));
    }
    lines.extend(read.changed.iter().map(changed));
    if lines.len() == 1 {
        lines.push("  nothing changed".to_owned());
    }
    lines
}

fn changed(table: &ChangedTable) -> String {
    let signed = |sign: &str, names: &[String]| -> Vec<String> {
        names.iter().map(|name| format!("{sign}{name}")).collect()
    };
    let mut columns = signed("+", &table.added);
    columns.extend(signed("-", &table.removed));
    columns.extend(signed("~", &table.retyped));
    format!("  changed  {}: {}", table.name, columns.join(" "))
}
