//! Messages on their way out.

use chrono::{DateTime, Utc};
use contracts::schedules::{ScheduleDelivery, ScheduleMessageKind, ScheduleMessageStatus};
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::{Schedule, kind_name, kind_of, message_status_of};
use crate::error::Error;
use crate::runs::Worker;
use crate::store::{Owner, Store};

/// A message to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// Its id, fresh.
    pub id: Uuid,
    /// The occasion for the message.
    pub kind: ScheduleMessageKind,
    /// The subject of the mail.
    pub subject: String,
    /// The text of the mail.
    pub text: String,
    /// The body of the webhook.
    pub payload: Value,
}

/// A message that is this worker's to send.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingMessage {
    /// The id of the message.
    pub id: Uuid,
    /// The owner of its schedule.
    pub owner: Owner,
    /// The schedule.
    pub schedule_id: Uuid,
    /// The recipient of the message.
    pub delivery: ScheduleDelivery,
    /// The subject of the mail.
    pub subject: String,
    /// The text of the mail.
    pub text: String,
    /// The body of the webhook.
    pub payload: Value,
    /// Attempts, this one included.
    pub attempts: u32,
}

/// A message as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// The id of the message.
    pub id: Uuid,
    /// The occasion for the message.
    pub kind: ScheduleMessageKind,
    /// The subject of the mail.
    pub subject: String,
    /// Whether it has arrived.
    pub status: ScheduleMessageStatus,
    /// Attempts.
    pub attempts: u32,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it was delivered.
    pub sent_at: Option<DateTime<Utc>>,
}

pub(super) async fn insert(
    connection: &mut PgConnection,
    schedule: &Schedule,
    message: &NewMessage,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO orchestrator.schedule_messages
            (tenant, message_id, schedule_id, kind, subject, text, payload, next_try_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
        schedule.owner.tenant,
        message.id,
        schedule.id,
        kind_name(message.kind),
        message.subject,
        message.text,
        message.payload,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl Store {
    /// Takes messages that are to be sent and that no other worker sends.
    pub async fn pending_messages(
        &self,
        worker: Worker,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<PendingMessage>, Error> {
        let rows = sqlx::query_file!(
            "queries/pending_messages.sql",
            worker.id,
            worker.lease.as_secs_f64(),
            now,
            i64::from(limit),
        )
        .fetch_all(&self.pool)
        .await?;
        let messages = rows.into_iter().map(|row| PendingMessage {
            id: row.message_id,
            owner: Owner::new(row.tenant, row.owner),
            schedule_id: row.schedule_id,
            delivery: row.delivery.0,
            subject: row.subject,
            text: row.text,
            payload: row.payload,
            attempts: row.attempts.unsigned_abs(),
        });
        Ok(messages.collect())
    }

    /// Notes that a message was delivered.
    pub async fn message_sent(
        &self,
        message: &PendingMessage,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        sqlx::query!(
            "UPDATE orchestrator.schedule_messages
             SET status = 'sent', sent_at = $3, error = NULL, worker = NULL, lease_until = NULL
             WHERE tenant = $1 AND message_id = $2 AND status = 'pending'",
            message.owner.tenant,
            message.id,
            now,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Notes why a message was not delivered, and when it is tried again; without a time it is
    /// given up.
    pub async fn message_failed(
        &self,
        message: &PendingMessage,
        error: &str,
        next_try_at: Option<DateTime<Utc>>,
    ) -> Result<(), Error> {
        sqlx::query_file!(
            "queries/message_failed.sql",
            message.owner.tenant,
            message.id,
            error,
            next_try_at,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// The newest messages of a person's schedule, the newest first.
    pub async fn schedule_messages(
        &self,
        owner: &Owner,
        schedule: Uuid,
        limit: u32,
    ) -> Result<Vec<StoredMessage>, Error> {
        let rows = sqlx::query_file!(
            "queries/schedule_messages.sql",
            owner.tenant,
            owner.subject,
            schedule,
            i64::from(limit),
        )
        .fetch_all(&self.pool)
        .await?;
        let messages = rows.into_iter().map(|row| StoredMessage {
            id: row.message_id,
            kind: kind_of(&row.kind),
            subject: row.subject,
            status: message_status_of(&row.status),
            attempts: row.attempts.unsigned_abs(),
            error: row.error,
            created_at: row.created_at,
            sent_at: row.sent_at,
        });
        Ok(messages.collect())
    }
}
