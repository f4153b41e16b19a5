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

    /// The thread of a conversation.
    pub(crate) async fn thread(
        &self,
        account_id: Uuid,
        transcript: &[u8],
    ) -> Result<Option<String>, sqlx::Error> {
        sqlx::query_scalar!(
            "SELECT thread_id FROM bff.transcripts WHERE account_id = $1 AND transcript = $2 AND used_at > $3",
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
        sqlx::query!(
            "INSERT INTO bff.transcripts (account_id, transcript, thread_id, used_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (account_id, transcript) DO UPDATE SET thread_id = excluded.thread_id, used_at = excluded.used_at",
            account_id,
            transcript,
            thread_id,
            now,
        )
        .execute(&self.pool)
        .await?;
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
