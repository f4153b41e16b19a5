//! `heliograph session list | end`: sign-ins, over HTTP.

use std::path::Path;

use anyhow::Context;
use contracts::accounts::{SessionInfo, SessionKind, SessionList};
use reqwest::Method;

use super::account::escaped;
use super::client::print_lines;
use crate::chat::ChatClient;
use crate::cli::SessionCommand;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: SessionCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, place, async |client| {
        carry_out(client, command).await
    })
    .await
}

/// Runs a command and returns the lines to print.
pub async fn carry_out(
    client: &ChatClient,
    command: SessionCommand,
) -> anyhow::Result<Vec<String>> {
    match command {
        SessionCommand::List { account } => {
            let path = format!("/api/sessions{}", of(account.as_deref()));
            let answer = client.request(Method::GET, &path, None).await?;
            let list: SessionList = answer.json().await?;
            let lines: Vec<String> = list.sessions.iter().map(line).collect();
            if lines.is_empty() {
                return Ok(vec!["there is no sign-in that counts".to_owned()]);
            }
            Ok(lines)
        }
        SessionCommand::End { id, all, account } => {
            let of = of(account.as_deref());
            if all {
                let path = format!("/api/sessions{of}");
                client.request(Method::DELETE, &path, None).await?;
                return Ok(vec!["every other sign-in is ended".to_owned()]);
            }
            let id = id.context("the id of a sign-in, or --all")?;
            let path = format!("/api/sessions/{}{of}", escaped(&id));
            client.request(Method::DELETE, &path, None).await?;
            Ok(vec![format!("{id} is ended")])
        }
    }
}

/// The query that names an account.
pub(super) fn of(account: Option<&str>) -> String {
    account.map_or_else(String::new, |account| {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("account", account)
            .finish();
        format!("?{query}")
    })
}

fn line(session: &SessionInfo) -> String {
    let kind = match session.kind {
        SessionKind::Browser => "browser",
        SessionKind::Client => "client",
    };
    let current = if session.current { "  (this one)" } else { "" };
    format!(
        "{}  {kind}  signed in {}  last used {}  {}  {}{current}",
        session.id,
        session.created_at.format("%Y-%m-%d %H:%M"),
        session.last_seen_at.format("%Y-%m-%d %H:%M"),
        session.address.as_deref().unwrap_or("-"),
        session.client.as_deref().unwrap_or("-"),
    )
}
