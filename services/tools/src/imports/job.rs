//! The job of an import: it sends the rows of a file to ingestion, and can be continued.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use plant_files::FileError;
use service_kit::clock::SharedClock;
use sqlx::PgPool;
use sqlx::error::DatabaseError;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::logger_type;
use super::reading::{Found, Reading, Shape, Task};
use super::sent::SentRow;
use super::store::{Imports, Stored};
use crate::ingest::config::IngestConfig;
use crate::ingest::{
    self, FileRow, FileRows, Format, ImportMark, IngestError, IngestOptions, ingest_file,
};
use crate::store::LoggerRole;

/// Interval between looks for imports of other processes.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Interval between renewals of a lease, which lasts a minute.
const RENEW_EVERY: Duration = Duration::from_secs(15);
/// Number of looks between removals of old files.
const TIDY_EVERY: u32 = 1800;
/// Failures without progress after which an import waits for a user.
const MOST_FAILURES: i32 = 8;
/// Batches of rows that wait.
const SENT_BATCHES: usize = 8;
/// Tolerated advance of a logger's clock.
const FUTURE: TimeDelta = TimeDelta::days(1);

/// The jobs of a process.
#[derive(Clone)]
pub struct Jobs {
    pool: PgPool,
    clock: SharedClock,
    config: IngestConfig,
    wake: Arc<Notify>,
}

impl Jobs {
    /// Jobs that store readings in this database.
    pub fn new(pool: PgPool, clock: SharedClock, config: IngestConfig) -> Self {
        Self {
            pool,
            clock,
            config,
            wake: Arc::default(),
        }
    }

    /// Looks for work at once.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Runs imports until `shutdown`. An import that is running then is continued by the next
    /// process.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let mut looks: u32 = 0;
        while !shutdown.is_cancelled() {
            // The database may be away, or not migrated yet.
            let found = match shutdown
                .run_until_cancelled(run_next(&self.pool, &self.clock, &self.config))
                .await
            {
                Some(Ok(found)) => found,
                Some(Err(error)) => {
                    tracing::debug!(%error, "imports were not looked for");
                    false
                }
                None => return,
            };
            if looks.is_multiple_of(TIDY_EVERY)
                && let Err(error) = sqlx::query!(
                    "DELETE FROM tools.imports
                     WHERE (status = 'uploading' AND created_at < now() - interval '1 hour')
                        OR (status IN ('ready', 'refused', 'failed', 'cancelled') AND updated_at < now() - interval '7 days')"
                )
                    .execute(&self.pool)
                    .await
            {
                tracing::debug!(%error, "old files of imports were not deleted");
            }
            looks = looks.wrapping_add(1);
            if !found {
                let waited = tokio::time::timeout(LOOK_EVERY, self.wake.notified());
                let _ = shutdown.run_until_cancelled(waited).await;
            }
        }
    }
}

/// The options with which the rows of an import are checked.
pub(crate) fn ingest_options(
    stored: &super::Options,
    now: chrono::DateTime<chrono::Utc>,
) -> IngestOptions {
    IngestOptions {
        site: Some(stored.site.clone()),
        timezone: Some(stored.zone()),
        latest: now.checked_add_signed(FUTURE),
        ..IngestOptions::new(Format::Csv)
    }
}

/// Runs the oldest import that is due. `false` if there is none.
pub async fn run_next(
    pool: &PgPool,
    clock: &SharedClock,
    config: &IngestConfig,
) -> Result<bool, sqlx::Error> {
    let worker = Uuid::new_v4();
    let claimed = sqlx::query_file!("queries/imports_claim.sql", worker)
        .fetch_optional(pool)
        .await?;
    let Some(claimed) = claimed else {
        return Ok(false);
    };
    let Some(stored) = Imports::new(pool.clone())
        .get(&claimed.tenant, claimed.import_id)
        .await?
    else {
        return Ok(true);
    };
    let renewing = tokio::spawn(renew(pool.clone(), claimed.import_id, worker));
    let renewing = AbortOnDropHandle::new(renewing);
    let job = Job {
        pool,
        tenant: &claimed.tenant,
        worker,
        stored: &stored,
    };
    let ended = job.run(clock, config).await;
    drop(renewing);
    match ended {
        Ok(()) => job.finish().await?,
        Err(Ended::Lost) => {
            tracing::info!(import = %claimed.import_id, "an import was cancelled or is continued elsewhere");
        }
        Err(Ended::Retry(problem)) => {
            let last = claimed.failures + 1 >= MOST_FAILURES;
            tracing::warn!(import = %claimed.import_id, problem, "an import was interrupted");
            job.fail(
                if last { "failed" } else { "queued" },
                &problem,
                claimed.failures,
            )
            .await?;
        }
        Err(Ended::Failed(problem)) => job.fail("failed", &problem, claimed.failures).await?,
    }
    Ok(true)
}

async fn renew(pool: PgPool, import: Uuid, worker: Uuid) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let renewed = sqlx::query!(
            "UPDATE tools.imports SET lease_until = now() + interval '60 seconds' WHERE import_id = $1 AND worker = $2 AND status = 'running'",
            import,
            worker,
        );
        if let Err(error) = renewed.execute(&pool).await {
            tracing::debug!(%error, "the lease of an import was not renewed");
        }
    }
}

/// Why an attempt ended early.
enum Ended {
    /// The import does not belong to this worker any more.
    Lost,
    /// Another attempt may succeed.
    Retry(String),
    /// No other attempt can succeed.
    Failed(String),
}

struct Job<'a> {
    pool: &'a PgPool,
    tenant: &'a str,
    worker: Uuid,
    stored: &'a Stored,
}

impl Job<'_> {
    async fn run(&self, clock: &SharedClock, config: &IngestConfig) -> Result<(), Ended> {
        let import = &self.stored.import;
        let (Some(format), Some(preview)) = (import.format, &import.preview) else {
            return Err(Ended::Failed(
                "the import has no preview; upload the file again".to_owned(),
            ));
        };
        let found = Found {
            format,
            mapping: preview.mapping.clone(),
            is_remembered: preview.mapping_remembered,
        };
        let task = Task {
            filename: import.filename.clone(),
            size: import.size_bytes,
            options: self.stored.options.clone(),
            shape: Shape::Found(found),
        };
        let mut options = ingest_options(&self.stored.options, clock.now());
        options.logger_type = logger_type(format);
        let file = Imports::new(self.pool.clone()).file(self.stored.id, import.size_bytes);
        let config = config.clone();
        let (sender, receiver) = mpsc::channel(SENT_BATCHES);
        let (rows, done) = (FileRows::new(&options), import.progress.rows_done);
        let reading = tokio::spawn(async move {
            let (mut reading, _) = Reading::start(file, &task, &config).await?;
            let mut feeder = Feeder {
                rows,
                sender,
                skip: done,
            };
            while let Some(batch) = reading.batch().await? {
                feeder.feed(batch.rows).await?;
            }
            Ok::<_, FileError>(())
        });
        let reading = AbortOnDropHandle::new(reading);
        let mark = ImportMark {
            import: self.stored.id,
            worker: self.worker,
            done,
        };
        let stored = ingest_file(
            self.pool,
            self.tenant,
            &options,
            Arc::new(self.roles()),
            mark,
            receiver,
        )
        .await;
        let read = reading
            .await
            .map_err(|error| Ended::Retry(format!("the file was not read: {error}")))?;
        if let Err(failure) = stored {
            return Err(ended(failure.error));
        }
        read.map_err(|error| match error {
            FileError::Io(error) => {
                Ended::Retry(format!("the stored file cannot be read: {error}"))
            }
            error => Ended::Failed(error.to_string()),
        })?;
        if done > 0 {
            self.settle().await.map_err(ended)?;
        }
        Ok(())
    }

    /// The roles of the devices, as the preview shows them.
    fn roles(&self) -> HashMap<String, LoggerRole> {
        let loggers = self
            .stored
            .import
            .preview
            .iter()
            .flat_map(|preview| &preview.loggers);
        let role = |name: &str| match name {
            "meter" => Some(LoggerRole::Meter),
            "weather" => Some(LoggerRole::Weather),
            _ => None,
        };
        loggers
            .filter_map(|logger| Some((logger.logger_id.clone(), role(&logger.role)?)))
            .collect()
    }

    /// Settles the figures of devices whose rows an earlier attempt stored.
    async fn settle(&self) -> Result<(), IngestError> {
        let preview = self
            .stored
            .import
            .preview
            .iter()
            .flat_map(|preview| &preview.loggers);
        let ids: Vec<String> = preview.map(|logger| logger.logger_id.clone()).collect();
        let keys = sqlx::query_scalar!(
            "SELECT logger_key FROM tools.loggers WHERE tenant = $1 AND logger_id = ANY($2) ORDER BY logger_key",
            self.tenant,
            &ids,
        )
        .fetch_all(self.pool)
        .await?;
        ingest::settle(self.pool, &keys).await
    }

    async fn finish(&self) -> Result<(), sqlx::Error> {
        let import = &self.stored.import;
        let (refused, empty) = import
            .preview
            .as_ref()
            .map_or((0, 0), |preview| (preview.refused, preview.empty));
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let mut transaction = self.pool.begin().await?;
        let done = sqlx::query_file!(
            "queries/imports_done.sql",
            self.stored.id,
            self.worker,
            number(refused),
            number(empty)
        )
        .execute(&mut *transaction)
        .await?;
        // The readings are stored; the file is not needed any more.
        if done.rows_affected() > 0 {
            sqlx::query!(
                "DELETE FROM tools.import_chunks WHERE import_id = $1",
                self.stored.id
            )
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await
    }

    async fn fail(&self, status: &str, problem: &str, failures: i32) -> Result<(), sqlx::Error> {
        let seconds = f64::from(5 * 2_i32.pow(failures.clamp(0, 6).unsigned_abs()));
        sqlx::query_file!(
            "queries/imports_failed.sql",
            self.stored.id,
            self.worker,
            status,
            problem,
            seconds
        )
        .execute(self.pool)
        .await
        .map(drop)
    }
}

/// The consequence of a failure of ingestion for an import, in words for its user.
fn ended(error: IngestError) -> Ended {
    match error {
        IngestError::Lost => Ended::Lost,
        IngestError::Database(error) => {
            let code = error.as_database_error().and_then(DatabaseError::code);
            let reason = match code.as_deref() {
                Some("53100") => {
                    "the disk of the database is full; the import continues at the same row when there is room"
                }
                Some("25006") => {
                    "the database accepts no writes; the import continues when it does"
                }
                _ => "the database failed or is away; the import continues when it is back",
            };
            tracing::warn!(%error, "an import could not store a batch");
            Ended::Retry(reason.to_owned())
        }
        error => Ended::Failed(error.to_string()),
    }
}

/// Sends rows from the process that reads to ingestion.
struct Feeder {
    rows: FileRows,
    sender: mpsc::Sender<Vec<FileRow>>,
    /// Rows that an earlier attempt stored.
    skip: u64,
}

impl Feeder {
    async fn feed(&mut self, mut sent: Vec<SentRow>) -> Result<(), FileError> {
        let stored = usize::try_from(self.skip).map_or(sent.len(), |skip| skip.min(sent.len()));
        self.skip -= stored as u64;
        let rows = sent.drain(stored..).map(|row| self.rows.row(row.row()));
        let batch: Vec<FileRow> = rows.collect();
        if batch.is_empty() {
            return Ok(());
        }
        let sent = self.sender.send(batch).await;
        sent.map_err(|_| FileError::Stopped)
    }
}
