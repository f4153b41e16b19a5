//! Conversations of clients that send the whole of one with each message: the thread of each, found
//! by a hash of what was said before.

use chrono::TimeDelta;
use service_kit::clock::SharedClock;
use sqlx::PgPool;
use uuid::Uuid;

/// A conversation that nothing was added to for this time begins again in another thread.
const REMEMBERED: TimeDelta = TimeDelta::days(90);

/// The conversations in the database.
pub(crate) struct Transcripts {
    pool: PgPool,
    clock: SharedClock,
}

impl Transcripts {
    pub(crate) fn new(pool: PgPool, clock: SharedClock) -> Self {
        Self { pool, clock }
    }

    /// Takes the thread of a conversation, which is another one for each of those that are alike.
    pub(crate) async fn thread(
        &self,
        account_id: Uuid,
        transcript: &[u8],
    ) -> Result<Option<String>, sqlx::Error> {
        sqlx::query_file_scalar!(
            "queries/thread_of_transcript.sql",
            account_id,
            transcript,
            self.clock.now() - REMEMBERED,
        )
        .fetch_optional(&self.pool)
        .await
    }

    /// Keeps the thread of a conversation, and forgets those of long ago.
    pub(crate) async fn keep(
        &self,
        account_id: Uuid,
        transcript: &[u8],
        thread_id: &str,
    ) -> Result<(), sqlx::Error> {
        let now = self.clock.now();
        let mut transaction = self.pool.begin().await?;
        sqlx::query!(
            "UPDATE bff.transcripts SET is_end = false
             WHERE account_id = $1 AND thread_id = $2 AND is_end AND transcript <> $3",
            account_id,
            thread_id,
            transcript,
        )
        .execute(&mut *transaction)
        .await?;
        sqlx::query!(
            "INSERT INTO bff.transcripts (account_id, transcript, thread_id, used_at, is_end)
             VALUES ($1, $2, $3, $4, true)
             ON CONFLICT (account_id, transcript, thread_id)
             DO UPDATE SET used_at = excluded.used_at, is_end = true",
            account_id,
            transcript,
            thread_id,
            now,
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        sqlx::query!(
            "DELETE FROM bff.transcripts WHERE account_id = $1 AND used_at <= $2",
            account_id,
            now - REMEMBERED,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
