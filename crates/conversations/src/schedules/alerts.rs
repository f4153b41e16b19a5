//! What alerts found. Each event is stored once when it begins and once when it is over, with the
//! messages about it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Due, NewMessage, Schedule, messages};
use crate::error::Error;
use crate::store::{Owner, Store};

/// An event that is the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenEvent {
    /// The schedule.
    pub schedule_id: Uuid,
    /// The key of the event: the site and the device.
    pub key: String,
    /// In a sentence.
    pub text: String,
    /// When it was found.
    pub opened_at: DateTime<Utc>,
}

/// The differences that a check found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlertChange {
    /// Events that have begun: key and sentence.
    pub begun: Vec<(String, String)>,
    /// Keys of events that are over.
    pub over: Vec<String>,
    /// The messages about them.
    pub messages: Vec<NewMessage>,
    /// Why the check failed, if it did.
    pub note: Option<String>,
}

impl Store {
    /// The events that are the case by this person's alerts, or by one of them.
    pub async fn open_events(
        &self,
        owner: &Owner,
        schedule: Option<Uuid>,
    ) -> Result<Vec<OpenEvent>, Error> {
        Ok(sqlx::query_file_as!(
            OpenEvent,
            "queries/open_events.sql",
            owner.tenant,
            owner.subject,
            schedule,
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// Stores what a check found, its messages, and the time of the next check, all or nothing.
    /// `false` when another worker stored a check of that time before, or the schedule was changed
    /// in between; then nothing is stored.
    pub async fn record_check(
        &self,
        due: &Due,
        change: &AlertChange,
        next_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, Error> {
        let schedule = &due.schedule;
        let mut transaction = self.pool.begin().await?;
        let ours = sqlx::query!(
            "UPDATE orchestrator.schedules
             SET next_at = $4, note = $5, worker = NULL, lease_until = NULL
             WHERE tenant = $1 AND schedule_id = $2 AND next_at = $3 AND status = 'active'",
            schedule.owner.tenant,
            schedule.id,
            due.due_at,
            next_at,
            change.note,
        )
        .execute(&mut *transaction)
        .await?;
        if ours.rows_affected() == 0 {
            return Ok(false);
        }
        let (keys, texts): (Vec<String>, Vec<String>) = change.begun.iter().cloned().unzip();
        sqlx::query!(
            "INSERT INTO orchestrator.schedule_events
                (tenant, schedule_id, event_key, opened_at, text)
             SELECT $1, $2, begun.event_key, $3, begun.text
             FROM unnest($4::text[], $5::text[]) AS begun (event_key, text)",
            schedule.owner.tenant,
            schedule.id,
            now,
            &keys,
            &texts,
        )
        .execute(&mut *transaction)
        .await?;
        sqlx::query!(
            "UPDATE orchestrator.schedule_events SET closed_at = $3
             WHERE tenant = $1 AND schedule_id = $2 AND closed_at IS NULL
               AND event_key = ANY ($4)",
            schedule.owner.tenant,
            schedule.id,
            now,
            &change.over,
        )
        .execute(&mut *transaction)
        .await?;
        for message in &change.messages {
            messages::insert(&mut transaction, schedule, message, now).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Writes a message of a schedule that is about nothing stored, such as a test.
    pub async fn add_message(
        &self,
        schedule: &Schedule,
        message: &NewMessage,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let mut connection = self.pool.acquire().await?;
        messages::insert(&mut connection, schedule, message, now).await?;
        Ok(())
    }
}
