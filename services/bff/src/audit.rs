//! The audit log: who did what to what, when and from where.
//!
//! A layer around the operations writes an entry for each request that may change something beyond
//! the caller's own conversations, whatever its outcome. What was acted on is known to handlers
//! only: they note it in the request's [`Note`]. The table is append-only; a trigger sees to it.

mod layer;
mod note;
mod retention;

use chrono::{DateTime, Utc};
use contracts::accounts::CredentialKind;
use contracts::audit::{AuditEntry, AuditOutcome};
use http::StatusCode;
use service_kit::client_address::ClientAddress;
use service_kit::clock::SharedClock;
use service_kit::problem::chain;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

pub(crate) use layer::record;
pub(crate) use note::Note;
pub(crate) use retention::{delete_old, keep_only_recent};

/// The target of the log lines. With `log_format = "json"` each entry is a line of JSON.
const TARGET: &str = "audit";

/// The log in the database.
pub(crate) struct AuditLog {
    pool: PgPool,
    clock: SharedClock,
}

/// A new entry.
#[derive(Debug, Default)]
struct Entry {
    tenant: Option<String>,
    actor: Option<Uuid>,
    account: Option<Uuid>,
    credential: Option<CredentialKind>,
    action: String,
    object: Option<String>,
    status: StatusCode,
    address: Option<String>,
    request_id: Option<String>,
}

/// The entries that are asked for. What is `None` does not limit them.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) tenant: Option<String>,
    pub(crate) before: Option<i64>,
    pub(crate) action: Option<String>,
    pub(crate) actor: Option<Uuid>,
    /// The account that acted or was acted on.
    pub(crate) person: Option<Uuid>,
    pub(crate) outcome: Option<AuditOutcome>,
    pub(crate) since: Option<DateTime<Utc>>,
    pub(crate) until: Option<DateTime<Utc>>,
    pub(crate) limit: i64,
}

impl AuditLog {
    pub(crate) fn new(pool: PgPool, clock: SharedClock) -> Self {
        Self { pool, clock }
    }

    /// Writes an entry, to the table and to the log. An entry that cannot be stored is in the log
    /// alone, which says so.
    async fn write(&self, entry: Entry) {
        let (outcome, status) = (outcome(entry.status), entry.status.as_u16());
        tracing::info!(
            target: TARGET,
            action = entry.action,
            outcome = outcome_name(outcome),
            status,
            tenant = entry.tenant,
            actor = entry.actor.map(tracing::field::display),
            account = entry.account.map(tracing::field::display),
            credential = entry.credential.map(credential_name),
            object = entry.object,
            client.address = entry.address,
            "audit"
        );
        let stored = sqlx::query!(
            "INSERT INTO bff.audit (at, tenant, actor, account, credential, action, object, status, address, request_id)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            self.clock.now(),
            entry.tenant,
            entry.actor,
            entry.account,
            entry.credential.map(credential_name),
            entry.action,
            entry.object,
            i16::try_from(status).unwrap_or(i16::MAX),
            entry.address,
            entry.request_id,
        )
        .execute(&self.pool)
        .await;
        if let Err(error) = stored {
            tracing::error!(
                target: TARGET,
                action = entry.action,
                error = %chain(&error),
                "an entry of the audit log could not be stored"
            );
        }
    }

    /// Writes that a recipient of a mail used its link, on an account's schedule.
    pub(crate) async fn by_link(
        &self,
        action: &str,
        (account, tenant): (Uuid, String),
        object: String,
        address: ClientAddress,
    ) {
        let entry = Entry {
            tenant: Some(tenant),
            account: Some(account),
            action: action.to_owned(),
            object: Some(object),
            status: StatusCode::OK,
            address: layer::address_of(address),
            request_id: layer::request_id(),
            ..Entry::default()
        };
        self.write(entry).await;
    }

    /// Entries, the newest first.
    pub(crate) async fn read(&self, selection: Selection) -> Result<Vec<AuditEntry>, sqlx::Error> {
        let (lowest, highest) = match selection.outcome {
            None => (0, 999),
            Some(AuditOutcome::Done) => (0, 399),
            Some(AuditOutcome::Refused) => (400, 499),
            Some(AuditOutcome::Failed) => (500, 999),
        };
        let rows = sqlx::query_file!(
            "queries/audit.sql",
            selection.tenant,
            selection.before,
            selection.action,
            selection.actor,
            lowest,
            highest,
            selection.since,
            selection.until,
            selection.limit,
            selection.person,
        )
        .fetch_all(&self.pool)
        .await?;
        let entries = rows.into_iter().map(|row| {
            let status = u16::try_from(row.status).unwrap_or_default();
            AuditEntry {
                id: row.audit_id.to_string(),
                at: row.at,
                tenant: row.tenant,
                actor: row.actor.map(|id| id.to_string()),
                actor_name: row.actor_name,
                credential: row.credential.as_deref().and_then(credential_of),
                action: row.action,
                object: row.object,
                account_name: row.account_name,
                outcome: outcome(StatusCode::from_u16(status).unwrap_or_default()),
                status,
                address: row.address,
                request_id: row.request_id,
            }
        });
        Ok(entries.collect())
    }
}

/// Removes an erased person from the log. The entries stay: that something was done is not about
/// the person.
pub(crate) async fn forget(
    connection: &mut PgConnection,
    subject: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"SELECT set_config('bff.audit_erased', $1, true) AS "set!""#,
        subject.to_string(),
    )
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query_file!("queries/audit_forget.sql", subject)
        .execute(&mut *connection)
        .await?;
    Ok(())
}

fn outcome(status: StatusCode) -> AuditOutcome {
    if status.is_server_error() {
        AuditOutcome::Failed
    } else if status.is_client_error() {
        AuditOutcome::Refused
    } else {
        AuditOutcome::Done
    }
}

fn outcome_name(outcome: AuditOutcome) -> &'static str {
    match outcome {
        AuditOutcome::Done => "done",
        AuditOutcome::Refused => "refused",
        AuditOutcome::Failed => "failed",
    }
}

const CREDENTIALS: [(CredentialKind, &str); 4] = [
    (CredentialKind::Session, "session"),
    (CredentialKind::Token, "token"),
    (CredentialKind::ApiKey, "api_key"),
    (CredentialKind::Issuer, "issuer"),
];

fn credential_name(kind: CredentialKind) -> &'static str {
    let named = CREDENTIALS.iter().find(|(one, _)| *one == kind);
    named.map_or("", |(_, name)| name)
}

fn credential_of(name: &str) -> Option<CredentialKind> {
    let named = CREDENTIALS.iter().find(|(_, one)| *one == name);
    named.map(|(kind, _)| *kind)
}
