//! Schedules of persons, the times at which they are due, what alerts found, and the messages that
//! go out.
//!
//! Times are the caller's clock (`now`), so that tests can move it; leases are the database's. A
//! lease only keeps replicas from doing the same work at once: that a result is stored once is
//! decided by the statement that stores it.

mod alerts;
mod due;
mod messages;

use chrono::{DateTime, Utc};
use contracts::schedules::{
    ScheduleDelivery, ScheduleMessageKind, ScheduleMessageStatus, ScheduleStatus, ScheduleTiming,
};
use contracts::tools::AlertCondition;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::Error;
use crate::store::{Owner, Store};

pub use alerts::{AlertChange, OpenEvent};
pub use due::{Due, Occurrence};
pub use messages::{NewMessage, PendingMessage, StoredMessage};

/// The task of a schedule: a question or an alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Task {
    /// It asks a question at set times.
    Question {
        /// The message.
        question: String,
        /// Who is asked.
        assistant: String,
    },
    /// It watches for something.
    Alert {
        /// What for.
        alert: AlertCondition,
    },
}

/// A schedule that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSchedule {
    /// Its id, fresh.
    pub id: Uuid,
    /// The name of the schedule, for lists and subjects.
    pub title: String,
    /// The question that it asks, or the alert that it checks.
    pub task: Task,
    /// When; none for an alert.
    pub timing: Option<ScheduleTiming>,
    /// The recipient of the result.
    pub delivery: ScheduleDelivery,
    /// The first time.
    pub next_at: DateTime<Utc>,
    /// The same key again finds the schedule that was made with it.
    pub request_key: Option<String>,
}

/// A stored schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// The id of the schedule.
    pub id: Uuid,
    /// The tenant and user that the schedule belongs to.
    pub owner: Owner,
    /// The number by which its owner refers to it, from 1. It is never given to another one.
    pub number: u32,
    /// The name of the schedule, for lists and subjects.
    pub title: String,
    /// The question that it asks, or the alert that it checks.
    pub task: Task,
    /// When; none for an alert.
    pub timing: Option<ScheduleTiming>,
    /// The recipient of the result.
    pub delivery: ScheduleDelivery,
    /// Whether it works.
    pub status: ScheduleStatus,
    /// Why it was stopped, or why its last run or check failed.
    pub note: Option<String>,
    /// The next time.
    pub next_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// The content of a schedule: two with the same would send each message twice.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a> {
    /// The question that it asks, or the alert that it checks.
    pub task: &'a Task,
    /// When; none for an alert.
    pub timing: Option<&'a ScheduleTiming>,
    /// The recipient of the result.
    pub delivery: &'a ScheduleDelivery,
}

/// Whether a schedule has this content.
pub type IsSame = fn(&Schedule, &Content<'_>) -> bool;

/// The outcome of a creation or a change.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// The schedule as it is stored.
    Done(Schedule),
    /// Nothing was stored: this schedule of the owner is the same.
    Same(Schedule),
    /// Nothing was stored: the owner has as many as there can be.
    Full,
}

/// A row of `schedules`.
struct Row {
    schedule_id: Uuid,
    tenant: String,
    owner: String,
    number: i32,
    title: String,
    task: Json<Task>,
    timing: Option<Json<ScheduleTiming>>,
    delivery: Json<ScheduleDelivery>,
    status: String,
    note: Option<String>,
    next_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

impl From<Row> for Schedule {
    fn from(row: Row) -> Self {
        Self {
            id: row.schedule_id,
            owner: Owner::new(row.tenant, row.owner),
            number: row.number.unsigned_abs(),
            title: row.title,
            task: row.task.0,
            timing: row.timing.map(|timing| timing.0),
            delivery: row.delivery.0,
            status: status_of(&row.status),
            note: row.note,
            next_at: row.next_at,
            created_at: row.created_at,
        }
    }
}

/// A change of a schedule by its owner. What is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SchedulePatch {
    /// Whether it works, with the next time if it does.
    pub status: Option<(ScheduleStatus, Option<DateTime<Utc>>)>,
    /// The new name, for lists and subjects.
    pub title: Option<String>,
    /// The new question or alert.
    pub task: Option<Task>,
    /// The new times at which the question is asked; none for an alert.
    pub timing: Option<Option<ScheduleTiming>>,
    /// The new recipient.
    pub delivery: Option<ScheduleDelivery>,
    /// The next time, of an active one.
    pub next_at: Option<DateTime<Utc>>,
}

impl SchedulePatch {
    /// The schedule of another id that is the same as schedule `id` after the change.
    fn same_of(
        &self,
        id: Uuid,
        all: Vec<Schedule>,
        is_same: IsSame,
    ) -> Result<Option<Schedule>, Error> {
        let before = all.iter().find(|schedule| schedule.id == id);
        let before = before.ok_or(Error::NotFound)?.clone();
        let timing = self.timing.as_ref().unwrap_or(&before.timing);
        let after = Content {
            task: self.task.as_ref().unwrap_or(&before.task),
            timing: timing.as_ref(),
            delivery: self.delivery.as_ref().unwrap_or(&before.delivery),
        };
        // Of two that were the same before, each can be changed in how it is written.
        if is_same(&before, &after) {
            return Ok(None);
        }
        let mut others = all.into_iter().filter(|schedule| schedule.id != id);
        Ok(others.find(|other| is_same(other, &after)))
    }
}

impl Store {
    /// Creates a schedule, or finds the one that was made with its key, unless its owner has the
    /// same (`is_same`) or `most` of them.
    pub async fn create_schedule(
        &self,
        owner: &Owner,
        new: &NewSchedule,
        most: u32,
        now: DateTime<Utc>,
        is_same: IsSame,
    ) -> Result<Saved, Error> {
        let mut transaction = self.pool.begin().await?;
        let all = locked(&mut transaction, owner).await?;
        if let Some(key) = &new.request_key
            && let Some(id) = schedule_of_key(&mut transaction, owner, key).await?
        {
            let made = all.into_iter().find(|schedule| schedule.id == id);
            return made.map(Saved::Done).ok_or(Error::NotFound);
        }
        let content = Content {
            task: &new.task,
            timing: new.timing.as_ref(),
            delivery: &new.delivery,
        };
        if let Some(same) = all.into_iter().find(|one| is_same(one, &content)) {
            return Ok(Saved::Same(same));
        }
        let row = sqlx::query_file_as!(
            Row,
            "queries/create_schedule.sql",
            owner.tenant,
            new.id,
            owner.subject,
            new.title,
            Json(&new.task) as _,
            new.timing.as_ref().map(Json) as _,
            Json(&new.delivery) as _,
            new.next_at,
            new.request_key,
            now,
            i64::from(most),
        )
        .fetch_optional(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(row.map_or(Saved::Full, |row| Saved::Done(row.into())))
    }

    /// A person's schedules, the oldest first.
    pub async fn schedules(&self, owner: &Owner) -> Result<Vec<Schedule>, Error> {
        all(&mut *self.pool.acquire().await?, owner).await
    }

    /// A schedule of this person.
    pub async fn schedule(&self, owner: &Owner, id: Uuid) -> Result<Schedule, Error> {
        let row = sqlx::query_as!(
            Row,
            r#"SELECT schedule_id, tenant, owner, number, title, task AS "task: Json<Task>",
                timing AS "timing: Json<ScheduleTiming>",
                delivery AS "delivery: Json<ScheduleDelivery>", status, note, next_at, created_at
             FROM orchestrator.schedules WHERE tenant = $1 AND owner = $2 AND schedule_id = $3"#,
            owner.tenant,
            owner.subject,
            id,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(row.into())
    }

    /// Changes a schedule of this person, unless it would become the same (`is_same`) as another
    /// one of this person. Another task begins without the events of the former one.
    pub async fn patch_schedule(
        &self,
        owner: &Owner,
        id: Uuid,
        patch: &SchedulePatch,
        is_same: IsSame,
    ) -> Result<Saved, Error> {
        let mut transaction = self.pool.begin().await?;
        if patch.task.is_some() || patch.timing.is_some() || patch.delivery.is_some() {
            let all = locked(&mut transaction, owner).await?;
            if let Some(same) = patch.same_of(id, all, is_same)? {
                return Ok(Saved::Same(same));
            }
        }
        let row = sqlx::query_file_as!(
            Row,
            "queries/patch_schedule.sql",
            owner.tenant,
            owner.subject,
            id,
            patch.status.map(|(status, _)| name_of(status)),
            patch
                .status
                .and_then(|(_, next_at)| next_at)
                .or(patch.next_at),
            patch.title,
            patch.task.as_ref().map(Json) as _,
            patch.timing.is_some(),
            patch.timing.as_ref().and_then(Option::as_ref).map(Json) as _,
            patch.delivery.as_ref().map(Json) as _,
        )
        .fetch_one(&mut *transaction)
        .await?;
        if let Some(task) = &patch.task {
            sqlx::query_file!(
                "queries/forget_task.sql",
                owner.tenant,
                id,
                matches!(task, Task::Alert { .. }),
            )
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(Saved::Done(row.into()))
    }

    /// Deletes a schedule of this person, with its messages.
    pub async fn delete_schedule(&self, owner: &Owner, id: Uuid) -> Result<(), Error> {
        let gone = sqlx::query!(
            "DELETE FROM orchestrator.schedules
             WHERE tenant = $1 AND owner = $2 AND schedule_id = $3",
            owner.tenant,
            owner.subject,
            id,
        )
        .execute(&self.pool)
        .await?;
        if gone.rows_affected() == 0 {
            return Err(Error::NotFound);
        }
        Ok(())
    }

    /// Deletes every schedule of a person, and how far they were numbered.
    pub async fn forget_schedules(&self, owner: &Owner) -> Result<(), Error> {
        sqlx::query!(
            "WITH schedules AS (
                DELETE FROM orchestrator.schedules WHERE tenant = $1 AND owner = $2
             )
             DELETE FROM orchestrator.schedule_numbers WHERE tenant = $1 AND owner = $2",
            owner.tenant,
            owner.subject,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Stops a schedule whose owner may not have it any more. Nothing of it is sent from now on.
    pub async fn stop_schedule(&self, owner: &Owner, id: Uuid, reason: &str) -> Result<(), Error> {
        sqlx::query_file!("queries/stop_schedule.sql", owner.tenant, id, reason)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Notes why the last run or check of a schedule failed, or that it did not.
    pub async fn note_schedule(
        &self,
        owner: &Owner,
        id: Uuid,
        note: Option<&str>,
    ) -> Result<(), Error> {
        sqlx::query!(
            "UPDATE orchestrator.schedules SET note = $3
             WHERE tenant = $1 AND schedule_id = $2 AND status = 'active'
               AND note IS DISTINCT FROM $3",
            owner.tenant,
            id,
            note,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// The schedules of a person. Until the transaction ends, others that create or change schedules
/// of this person wait, so that what is decided by the list stays true.
async fn locked(connection: &mut PgConnection, owner: &Owner) -> Result<Vec<Schedule>, Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('orchestrator.schedules ' || $1 || ' ' || $2, 0))::text",
        owner.tenant,
        owner.subject,
    )
    .fetch_one(&mut *connection)
    .await?;
    all(connection, owner).await
}

async fn all(connection: &mut PgConnection, owner: &Owner) -> Result<Vec<Schedule>, Error> {
    let rows = sqlx::query_file_as!(Row, "queries/schedules_of.sql", owner.tenant, owner.subject)
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().map(Schedule::from).collect())
}

/// The schedule that was made with a key.
async fn schedule_of_key(
    connection: &mut PgConnection,
    owner: &Owner,
    key: &str,
) -> Result<Option<Uuid>, Error> {
    let made = sqlx::query_scalar!(
        "SELECT schedule_id FROM orchestrator.schedules
         WHERE tenant = $1 AND owner = $2 AND request_key = $3",
        owner.tenant,
        owner.subject,
        key,
    )
    .fetch_optional(connection)
    .await?;
    Ok(made)
}

fn name_of(status: ScheduleStatus) -> &'static str {
    match status {
        ScheduleStatus::Active => "active",
        ScheduleStatus::Paused => "paused",
        ScheduleStatus::Stopped => "stopped",
    }
}

fn status_of(name: &str) -> ScheduleStatus {
    match name {
        "active" => ScheduleStatus::Active,
        "paused" => ScheduleStatus::Paused,
        _ => ScheduleStatus::Stopped,
    }
}

const KINDS: [(ScheduleMessageKind, &str); 4] = [
    (ScheduleMessageKind::Answer, "answer"),
    (ScheduleMessageKind::AlertBegun, "alert_begun"),
    (ScheduleMessageKind::AlertOver, "alert_over"),
    (ScheduleMessageKind::Test, "test"),
];

/// The name of a kind of messages in the database and, after `schedule.`, in webhooks.
pub fn kind_name(kind: ScheduleMessageKind) -> &'static str {
    let named = KINDS.iter().find(|(one, _)| *one == kind);
    named.map_or("test", |(_, name)| name)
}

fn kind_of(name: &str) -> ScheduleMessageKind {
    let named = KINDS.iter().find(|(_, one)| *one == name);
    named.map_or(ScheduleMessageKind::Test, |(kind, _)| *kind)
}

fn message_status_of(name: &str) -> ScheduleMessageStatus {
    match name {
        "sent" => ScheduleMessageStatus::Sent,
        "failed" => ScheduleMessageStatus::Failed,
        _ => ScheduleMessageStatus::Pending,
    }
}
