//! `heliograph threads search | export | retention`: stored conversations, over HTTP.

use std::path::Path;

use anyhow::{Context, bail};
use contracts::kept::{FoundMessages, Retention};
use contracts::threads::MessageRole;
use reqwest::Method;

use super::client::with_client;
use crate::chat::ChatClient;
use crate::cli::{ExportFormat, ThreadsCommand};
use crate::terminal;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: ThreadsCommand,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    with_client(folder, (url, user), async |client| {
        match &command {
            ThreadsCommand::Search { words, limit } => {
                for line in search(&client, words, *limit).await? {
                    terminal::say(line);
                }
            }
            ThreadsCommand::Export {
                thread,
                format,
                output,
            } => {
                let text = export(&client, thread, *format).await?;
                match output {
                    Some(file) => std::fs::write(file, text)
                        .with_context(|| format!("cannot write {}", file.display()))?,
                    None => terminal::write(&text),
                }
            }
            ThreadsCommand::Retention => {
                for line in retention(&client).await? {
                    terminal::say(line);
                }
            }
        }
        Ok(())
    })
    .await
}

/// The messages that contain some words, one per line.
pub async fn search(client: &ChatClient, words: &str, limit: u32) -> anyhow::Result<Vec<String>> {
    let query: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("q", words)
        .append_pair("limit", &limit.to_string())
        .finish();
    let path = format!("/api/messages/search?{query}");
    let answer = client.request(Method::GET, &path, None).await?;
    let found: FoundMessages = answer.json().await?;
    if found.messages.is_empty() {
        return Ok(vec!["no message contains these words".to_owned()]);
    }
    let line = |message: &contracts::kept::FoundMessage| {
        let who = match message.role {
            MessageRole::User => "you",
            MessageRole::Assistant => "assistant",
            MessageRole::System => "system",
        };
        let snippet: String = message
            .snippet
            .iter()
            .map(|part| {
                let text = part.text.split_whitespace().collect::<Vec<_>>().join(" ");
                let (before, after) = (
                    if part.text.starts_with(char::is_whitespace) {
                        " "
                    } else {
                        ""
                    },
                    if part.text.ends_with(char::is_whitespace) {
                        " "
                    } else {
                        ""
                    },
                );
                if part.hit {
                    format!("[{text}]")
                } else {
                    format!("{before}{text}{after}")
                }
            })
            .collect();
        format!(
            "{}  {}  {who}: {snippet}",
            message.created_at.format("%Y-%m-%d %H:%M"),
            message.thread_id
        )
    };
    Ok(found.messages.iter().map(line).collect())
}

/// Exports a whole thread.
pub async fn export(
    client: &ChatClient,
    thread: &str,
    format: ExportFormat,
) -> anyhow::Result<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    if thread.is_empty() || !thread.chars().all(plain) {
        bail!("`{thread}` is not the id of a thread");
    }
    let format = match format {
        ExportFormat::Json => "json",
        ExportFormat::Markdown => "markdown",
    };
    let path = format!("/api/threads/{thread}/export?format={format}");
    let answer = client.request(Method::GET, &path, None).await?;
    Ok(answer.text().await?)
}

async fn retention(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let answer = client.request(Method::GET, "/api/retention", None).await?;
    let kept: Retention = answer.json().await?;
    let threads = match kept.threads_hours {
        Some(hours) => format!(
            "threads are deleted after {hours} hours without activity (checked every {} hours)",
            kept.cleanup_interval_hours
        ),
        None => "threads are kept until they are deleted manually".to_owned(),
    };
    Ok(vec![
        threads,
        format!(
            "the events of an answer can be replayed for {} hours",
            kept.run_events_hours
        ),
    ])
}
