//! `GET /api/me/export`: everything that the services keep of the caller.

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use contracts::accounts::PersonExport;
use contracts::person::PersonRecords;
use http::header::CONTENT_DISPOSITION;
use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use service_kit::problem::ApiError;
use service_kit::web::Json;
use uuid::Uuid;

use super::people::stored;
use crate::audit::Selection;
use crate::credential::Caller;
use crate::error;
use crate::proxy::{Forward, Tier};
use crate::state::State;

/// Maximum size of an answer of an inner tier, in bytes.
const LARGEST_PART: usize = 256 * 1024 * 1024;

/// Stands for the name of someone else.
const ANOTHER: &str = "another person";

/// Entries of the audit log in a read.
const AUDIT_PAGE: i64 = 1000;

/// Collects what every service keeps. A service that is away, or a scope that the account lacks,
/// fails the export: a part would look like the whole.
pub(super) async fn export_me(
    Shared(state): Shared<State>,
    caller: Caller,
) -> Result<Response, ApiError> {
    caller.note.account(&caller.account);
    caller.require_person()?;
    let account_id = caller.account.account_id;
    let part = async |tier, path: &str| read(&state, &caller, tier, path).await;
    let all = async |tier, path: &str, name: &str| pages(&state, &caller, tier, path, name).await;
    let mut threads = Vec::new();
    for thread in all(Tier::Orchestrator, "/v1/threads?limit=100", "threads").await? {
        let Some(id) = thread["thread_id"].as_str() else {
            continue;
        };
        let path = format!("/v1/threads/{id}/export?format=json");
        threads.push(part(Tier::Orchestrator, &path).await?);
    }
    let schedules = if caller.account.has("schedules:write") {
        all(Tier::Orchestrator, "/v1/schedules", "schedules").await?
    } else {
        Vec::new()
    };
    let records = records(&state, account_id).await;
    let PersonRecords { mut records } = records.map_err(error::database)?;
    for (tier, path) in [
        (Tier::Orchestrator, "/v1/person"),
        (Tier::Tools, "/api/person"),
    ] {
        let of_tier: PersonRecords =
            serde_json::from_value(part(tier, path).await?).map_err(ApiError::upstream_failed)?;
        records.extend(of_tier.records);
    }
    let own = "/api/questions?show=own&limit=100";
    let export = PersonExport {
        exported_at: state.clock.now(),
        account: stored(&state, &caller.account.username).await?.info(),
        sessions: state
            .sessions
            .list(account_id, caller.sign_in())
            .await
            .map_err(error::database)?,
        tokens: state
            .api_keys
            .list(account_id)
            .await
            .map_err(error::database)?,
        audit: audit(&state, &caller).await?,
        threads,
        questions: without_others(
            all(Tier::Tools, own, "questions").await?,
            &caller.account.username,
        ),
        schedules,
        choices: part(Tier::Tools, "/api/choices").await?,
        credentials: part(Tier::Tools, "/api/credentials").await?,
        records,
    };
    let name = "attachment; filename=\"heliograph-export.json\"";
    Ok(([(CONTENT_DISPOSITION, name)], Json(export)).into_response())
}

/// The rows of this service that name the person and are not in a list of their own.
async fn records(state: &State, account_id: Uuid) -> Result<PersonRecords, sqlx::Error> {
    let rows = sqlx::query_file!("queries/records_of.sql", account_id)
        .fetch_all(&state.pool)
        .await?;
    Ok(rows.into_iter().map(|row| (row.table, row.row)).collect())
}

/// A name in the export: that of the person stays, that of another is not the person's to have.
fn neutral(name: String, own: &str) -> String {
    if name == own {
        name
    } else {
        ANOTHER.to_owned()
    }
}

/// Confirmed questions without the names of those who changed or released them.
fn without_others(mut questions: Vec<Value>, own: &str) -> Vec<Value> {
    for question in &mut questions {
        for role in ["confirmed_by", "edited_by", "released_by"] {
            if let Some(Value::String(name)) = question.get_mut(role) {
                *name = neutral(std::mem::take(name), own);
            }
        }
    }
    questions
}

/// Entries of the person's own acts, and of acts of others on the account, without the names of
/// others and their addresses.
async fn audit(
    state: &State,
    caller: &Caller,
) -> Result<Vec<contracts::audit::AuditEntry>, ApiError> {
    let person = caller.account.account_id;
    let own_id = Some(person.to_string());
    let own_name = &caller.account.username;
    let mut entries: Vec<contracts::audit::AuditEntry> = Vec::new();
    loop {
        let selection = Selection {
            person: Some(person),
            before: entries.last().and_then(|last| last.id.parse().ok()),
            limit: AUDIT_PAGE,
            ..Selection::default()
        };
        let page = state.audit.read(selection).await.map_err(error::database)?;
        if page.is_empty() {
            return Ok(entries);
        }
        entries.extend(page.into_iter().map(|entry| {
            if entry.actor == own_id {
                let account = entry.account_name.map(|name| neutral(name, own_name));
                return contracts::audit::AuditEntry {
                    account_name: account,
                    ..entry
                };
            }
            contracts::audit::AuditEntry {
                actor: None,
                actor_name: None,
                credential: None,
                address: None,
                ..entry
            }
        }));
    }
}

/// Every item of a list in pages.
async fn pages(
    state: &State,
    caller: &Caller,
    tier: Tier,
    path: &str,
    name: &str,
) -> Result<Vec<Value>, ApiError> {
    let mut items = Vec::new();
    let mut next = path.to_owned();
    loop {
        let mut page = read(state, caller, tier, &next).await?;
        if let Some(Value::Array(more)) = page.get_mut(name).map(Value::take) {
            items.extend(more);
        }
        match page["next_cursor"].as_str() {
            Some(cursor) => {
                let cursor: String = cursor
                    .bytes()
                    .map(|byte| match byte {
                        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                            char::from(byte).to_string()
                        }
                        other => format!("%{other:02X}"),
                    })
                    .collect();
                next = format!("{path}&cursor={cursor}");
            }
            None => return Ok(items),
        }
    }
}

/// The JSON of an inner tier.
async fn read(state: &State, caller: &Caller, tier: Tier, path: &str) -> Result<Value, ApiError> {
    let headers = HeaderMap::new();
    let request = Forward {
        tier,
        method: Method::GET,
        path,
        headers: &headers,
        body: reqwest::Body::from(Vec::new()),
        uploads: true,
    };
    let answer = state
        .upstreams
        .forward(&state.token_issuer, &caller.account, request)
        .await?;
    let body = Limited::new(answer.into_body(), LARGEST_PART)
        .collect()
        .await;
    let body = body.map_err(ApiError::upstream_failed)?.to_bytes();
    serde_json::from_slice(&body).map_err(ApiError::upstream_failed)
}
