//! `heliograph threads search | export | retention`: stored conversations, over HTTP.

use std::path::Path;

use anyhow::{Context, bail};
use contracts::kept::{ChangeRetention, FoundMessages, Retention, RetentionOf};
use contracts::threads::MessageRole;
use reqwest::Method;

use super::client::with_client;
use crate::chat::ChatClient;
use crate::cli::{Days, ExportFormat, RetentionOptions, ThreadsCommand};
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
            ThreadsCommand::Retention(options) => {
                for line in retention(&client, options).await? {
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

/// Shows how long things are kept, after setting what the options name.
pub async fn retention(
    client: &ChatClient,
    options: &RetentionOptions,
) -> anyhow::Result<Vec<String>> {
    let answer = client.request(Method::GET, "/api/retention", None).await?;
    let mut kept: Retention = answer.json().await?;
    let given = [options.threads_days, options.runs_days, options.audit_days];
    if given.iter().any(Option::is_some) {
        let days = |given: Option<Days>, of: Option<RetentionOf>| match given {
            Some(days) => days.own(),
            None => of.and_then(|of| of.own_days),
        };
        let change = ChangeRetention {
            threads_days: days(options.threads_days, Some(kept.threads)),
            runs_days: days(options.runs_days, Some(kept.runs)),
            audit_days: days(options.audit_days, kept.audit),
        };
        let change = serde_json::to_value(change)?;
        let answer = client
            .request(Method::PUT, "/api/retention", Some(&change))
            .await?;
        kept = answer.json().await?;
    }
    let mut lines = vec![
        line("threads without activity", &kept.threads),
        line("events of an answer, to replay it", &kept.runs),
    ];
    lines.extend(
        kept.audit
            .map(|audit| line("entries of the audit log", &audit)),
    );
    lines.push(format!(
        "old threads are looked for every {} hours",
        kept.cleanup_interval_hours
    ));
    Ok(lines)
}

fn line(what: &str, of: &RetentionOf) -> String {
    let words = |hours: Option<u32>| match hours {
        None => "kept until they are deleted manually".to_owned(),
        Some(hours) if hours % 24 == 0 => format!("deleted after {} days", hours / 24),
        Some(hours) => format!("deleted after {hours} hours"),
    };
    let mut line = format!("{what}: {}", words(of.hours));
    if of.fixed {
        line.push_str(" (set for your tenant in the installation's configuration)");
    } else if of.own_days.is_some() {
        line.push_str(" (set by your tenant; without it: ");
        line.push_str(&words(of.default_hours));
        line.push(')');
    }
    line
}
