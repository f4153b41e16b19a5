//! A moment between two writes of an orchestrator, as long as the test needs.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use tokio::time::{Instant, sleep};

/// Time that a test waits for the moment.
const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// The lock that answers wait for.
const LOCK: i64 = 4_711;

/// Answers are not stored while it is there: the database blocks the process that stores one.
pub(super) struct Hold {
    connection: tokio::sync::Mutex<PoolConnection<Postgres>>,
}

impl Hold {
    pub(super) async fn answers(pool: &PgPool) -> Self {
        let mut connection = pool.acquire().await.unwrap();
        let trigger = format!(
            "CREATE FUNCTION orchestrator.hold() RETURNS trigger LANGUAGE plpgsql AS $$ \
             BEGIN PERFORM pg_advisory_xact_lock({LOCK}); RETURN NEW; END $$; \
             CREATE TRIGGER hold BEFORE INSERT ON orchestrator.messages \
             FOR EACH ROW WHEN (NEW.role = 'assistant') EXECUTE FUNCTION orchestrator.hold(); \
             SELECT pg_advisory_lock({LOCK})"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(trigger))
            .execute(&mut *connection)
            .await
            .unwrap();
        Self {
            connection: tokio::sync::Mutex::new(connection),
        }
    }

    /// Waits until a user is held.
    pub(super) async fn reached(&self, pool: &PgPool) {
        let deadline = Instant::now() + PATIENCE;
        let query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid::bigint = $1";
        loop {
            let waiting: i64 = sqlx::query_scalar(query)
                .bind(LOCK)
                .fetch_one(pool)
                .await
                .unwrap();
            if waiting > 0 {
                return;
            }
            assert!(Instant::now() < deadline, "no process stores an answer");
            sleep(PAUSE).await;
        }
    }

    /// Ends what is held, as if it had never been sent, and holds nothing any more.
    pub(super) async fn release(&self, pool: &PgPool) {
        sqlx::query(
            "SELECT pg_terminate_backend(pid) FROM pg_locks \
             WHERE locktype = 'advisory' AND NOT granted AND objid::bigint = $1",
        )
        .bind(LOCK)
        .execute(pool)
        .await
        .unwrap();
        let mut connection = self.connection.lock().await;
        sqlx::raw_sql("DROP FUNCTION orchestrator.hold CASCADE; SELECT pg_advisory_unlock_all()")
            .execute(&mut **connection)
            .await
            .unwrap();
    }
}
