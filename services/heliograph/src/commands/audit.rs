//! `heliograph audit`: the audit log, over HTTP.

use std::path::Path;

use contracts::audit::{AuditEntry, AuditList, AuditOutcome};
use reqwest::Method;

use super::client::print_lines;
use crate::chat::ChatClient;
use crate::cli::AuditOptions;

/// Entries in a request.
const PAGE: u32 = 200;

/// Prints the log.
pub(super) async fn run(
    folder: Option<&Path>,
    options: AuditOptions,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, place, async |client| {
        carry_out(client, &options).await
    })
    .await
}

/// Reads the log and returns the lines to print.
pub async fn carry_out(client: &ChatClient, options: &AuditOptions) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut cursor: Option<String> = None;
    while lines.len() < options.limit as usize {
        let left = options.limit - u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", &left.min(PAGE).to_string());
        for (key, value) in [
            ("tenant", &options.tenant),
            ("action", &options.action),
            ("actor", &options.actor),
            ("outcome", &options.outcome),
            ("since", &options.since),
            ("until", &options.until),
            ("cursor", &cursor),
        ] {
            if let Some(value) = value {
                query.append_pair(key, value);
            }
        }
        let path = format!("/api/audit?{}", query.finish());
        let answer = client.request(Method::GET, &path, None).await?;
        let page: AuditList = answer.json().await?;
        for entry in &page.entries {
            lines.push(if options.json {
                serde_json::to_string(entry)?
            } else {
                line(entry)
            });
        }
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    Ok(lines)
}

fn line(entry: &AuditEntry) -> String {
    let outcome = match entry.outcome {
        AuditOutcome::Done => "done",
        AuditOutcome::Refused => "refused",
        AuditOutcome::Failed => "failed",
    };
    let mut line = format!(
        "{}  {}  {}  {outcome} ({})",
        entry.at.format("%Y-%m-%d %H:%M:%S"),
        entry.actor_name.as_deref().unwrap_or("-"),
        entry.action,
        entry.status,
    );
    let object = entry.account_name.as_ref().or(entry.object.as_ref());
    for part in [object, entry.address.as_ref()].into_iter().flatten() {
        line.push_str("  ");
        line.push_str(part);
    }
    line
}
