//! The times at which schedules are due.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::schedules::{ScheduleDelivery, ScheduleTiming};
use sqlx::types::Json;
use uuid::Uuid;

use super::{NewMessage, Row, Schedule, Task, messages};
use crate::error::Error;
use crate::runs::Worker;
use crate::store::Store;

/// A schedule whose time has come; it is this worker's for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// The schedule.
    pub schedule: Schedule,
    /// The time that has come.
    pub due_at: DateTime<Utc>,
}

/// A time at which a question is to be asked; it is this worker's for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Occurrence {
    /// The schedule.
    pub schedule: Schedule,
    /// The time.
    pub due_at: DateTime<Utc>,
    /// Earlier times that passed while nothing ran.
    pub missed: u32,
    /// The first of them.
    pub missed_since: Option<DateTime<Utc>>,
    /// Attempts, this one included.
    pub attempts: u32,
}

impl Store {
    /// Whether something of schedules is due that no worker has. One statement, so that looking
    /// costs little while nothing is.
    pub async fn is_due(&self, now: DateTime<Utc>) -> Result<bool, Error> {
        Ok(sqlx::query_file_scalar!("queries/is_due.sql", now)
            .fetch_one(&self.pool)
            .await?)
    }

    /// Takes schedules whose time has come and that no other worker has.
    pub async fn due_schedules(
        &self,
        worker: Worker,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Due>, Error> {
        let rows = sqlx::query_file_as!(
            Row,
            "queries/due_schedules.sql",
            worker.id,
            worker.lease.as_secs_f64(),
            now,
            i64::from(limit),
        )
        .fetch_all(&self.pool)
        .await?;
        let due = rows.into_iter().map(Schedule::from).filter_map(|schedule| {
            let due_at = schedule.next_at?;
            Some(Due { schedule, due_at })
        });
        Ok(due.collect())
    }

    /// Notes that a question is due at `at`, and when it is due next. `false` when another worker
    /// did so before, or the schedule was changed in between.
    pub async fn begin_occurrence(
        &self,
        due: &Due,
        (at, missed): (DateTime<Utc>, u32),
        next_at: DateTime<Utc>,
    ) -> Result<bool, Error> {
        let begun = sqlx::query_file_scalar!(
            "queries/begin_occurrence.sql",
            due.schedule.owner.tenant,
            due.schedule.id,
            due.due_at,
            at,
            i32::try_from(missed).unwrap_or(i32::MAX),
            (missed > 0).then_some(due.due_at),
            next_at,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(begun.is_some())
    }

    /// Has a question asked now, beside its times. `false` when it is being asked at this moment.
    pub async fn ask_now(&self, schedule: &Schedule, now: DateTime<Utc>) -> Result<bool, Error> {
        let begun = sqlx::query!(
            "INSERT INTO orchestrator.schedule_occurrences
                (tenant, schedule_id, due_at, next_try_at)
             VALUES ($1, $2, $3, $3) ON CONFLICT DO NOTHING",
            schedule.owner.tenant,
            schedule.id,
            now,
        )
        .execute(&self.pool)
        .await?;
        Ok(begun.rows_affected() > 0)
    }

    /// Takes questions that are to be asked and that no other worker asks.
    pub async fn due_occurrences(
        &self,
        worker: Worker,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Occurrence>, Error> {
        let rows = sqlx::query_file!(
            "queries/due_occurrences.sql",
            worker.id,
            worker.lease.as_secs_f64(),
            now,
            i64::from(limit),
        )
        .fetch_all(&self.pool)
        .await?;
        let occurrences = rows.into_iter().map(|row| Occurrence {
            schedule: Row {
                schedule_id: row.schedule_id,
                tenant: row.tenant,
                owner: row.owner,
                number: row.number,
                title: row.title,
                task: row.task,
                timing: row.timing,
                delivery: row.delivery,
                status: row.status,
                note: row.note,
                next_at: row.next_at,
                created_at: row.created_at,
            }
            .into(),
            due_at: row.due_at,
            missed: row.missed.unsigned_abs(),
            missed_since: row.missed_since,
            attempts: row.attempts.unsigned_abs(),
        });
        Ok(occurrences.collect())
    }

    /// Stores the end of an occurrence with the message about it, once: `false` when its end was
    /// stored before, and the message is not.
    pub async fn conclude_occurrence(
        &self,
        occurrence: &Occurrence,
        run_id: Option<Uuid>,
        note: Option<&str>,
        message: &NewMessage,
        now: DateTime<Utc>,
    ) -> Result<bool, Error> {
        let schedule = &occurrence.schedule;
        let mut transaction = self.pool.begin().await?;
        let ended = sqlx::query!(
            "UPDATE orchestrator.schedule_occurrences
             SET status = 'done', run_id = $4, worker = NULL, lease_until = NULL
             WHERE tenant = $1 AND schedule_id = $2 AND due_at = $3 AND status = 'due'",
            schedule.owner.tenant,
            schedule.id,
            occurrence.due_at,
            run_id,
        )
        .execute(&mut *transaction)
        .await?;
        if ended.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query!(
            "UPDATE orchestrator.schedules SET note = $3
             WHERE tenant = $1 AND schedule_id = $2 AND status = 'active'",
            schedule.owner.tenant,
            schedule.id,
            note,
        )
        .execute(&mut *transaction)
        .await?;
        messages::insert(&mut transaction, schedule, message, now).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Leaves an occurrence for another attempt.
    pub async fn postpone_occurrence(
        &self,
        occurrence: &Occurrence,
        next_try_at: DateTime<Utc>,
        note: &str,
    ) -> Result<(), Error> {
        let schedule = &occurrence.schedule;
        sqlx::query!(
            "UPDATE orchestrator.schedule_occurrences
             SET next_try_at = $4, worker = NULL, lease_until = NULL
             WHERE tenant = $1 AND schedule_id = $2 AND due_at = $3 AND status = 'due'",
            schedule.owner.tenant,
            schedule.id,
            occurrence.due_at,
            next_try_at,
        )
        .execute(&self.pool)
        .await?;
        self.note_schedule(&schedule.owner, schedule.id, Some(note))
            .await
    }

    /// Deletes occurrences, closed events and messages that are older than `age`.
    pub async fn prune_schedules(&self, now: DateTime<Utc>, age: TimeDelta) -> Result<(), Error> {
        sqlx::query_file!("queries/prune_schedules.sql", now - age)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
