//! Running a checked statement within limits.

mod estimate;
mod measured;
#[cfg(feature = "mariadb")]
mod mysql;
mod postgres;

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use sqlx::pool::PoolConnection;
use sqlx::{Connection, Database, Executor};
use tokio::sync::mpsc::Sender;
use tracing::{Instrument, field};

use crate::connection::{Kind, Pool};
use crate::error::{Failure, Safe};
use crate::value::ValueKind;
use crate::{TargetConfig, TargetError};

/// Limits on the rows that a statement reads, and on its duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of returned rows.
    pub max_rows: u64,
    /// Maximum number of bytes, as JSON.
    pub max_bytes: u64,
    /// Time that the database may work.
    pub timeout: Duration,
    /// Maximum number of rows that the database may expect to read; `None`: any.
    pub max_estimated_rows: Option<u64>,
    /// Maximum number of bytes of temporary tables.
    pub max_temp_bytes: u64,
}

impl Limits {
    pub(crate) fn of(config: &TargetConfig) -> Limits {
        Limits {
            max_rows: config.max_rows,
            max_bytes: config.max_bytes,
            timeout: config.statement_timeout(),
            max_estimated_rows: Some(config.max_estimated_rows).filter(|&rows| rows > 0),
            max_temp_bytes: config.max_temp_bytes,
        }
    }

    /// The same with at most `rows` rows.
    #[must_use]
    pub fn with_max_rows(self, rows: u64) -> Limits {
        Limits {
            max_rows: self.max_rows.min(rows),
            ..self
        }
    }
}

/// The result of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The columns, with labels of their own each, also when there is no row.
    pub columns: Vec<ResultColumn>,
    /// The rows, by label, in the order of the columns.
    pub rows: Vec<Map<String, Value>>,
    /// Whether there were more: a limit cut them.
    pub truncated: bool,
    /// Which limit.
    pub cut: Option<Cut>,
    /// Time that it took.
    pub elapsed: Duration,
    /// Number of rows that the database expected to read; absent where it does not report it.
    pub estimated_rows: Option<f64>,
}

/// A limit that cut a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The limit on rows.
    Rows,
    /// The limit on bytes: the next row would not have fitted.
    Bytes,
    /// The limit on lists: the database did not put all values into one that `GROUP_CONCAT` or a
    /// JSON aggregate makes.
    Lists,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// The column's label.
    pub name: String,
    /// What its values are.
    pub kind: ValueKind,
}

/// Beyond the database's own timeout: what the way there and back may take.
const GRACE: Duration = Duration::from_secs(2);

/// The statement to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work<'s> {
    pub(crate) sql: &'s str,
    /// Whether it reads a table with a row filter. What the database says of its plan may then be
    /// of rows that are not to be seen, and so may what it says of a failure: neither is asked for
    /// or shown.
    pub(crate) filtered: bool,
    /// Whether the tenant's rows are behind a fence.
    #[cfg_attr(
        not(feature = "mariadb"),
        expect(dead_code, reason = "MariaDB's optimiser needs a setting for it")
    )]
    pub(crate) fenced: bool,
    /// The receiver of PostgreSQL's rows as they come in. `None`: the result.
    pub(crate) sink: Option<&'s Sender<Part>>,
}

/// A part of a result that is sent as it comes in.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// The columns, once, before the rows.
    Columns(Vec<ResultColumn>),
    /// The next rows.
    Rows(Vec<Map<String, Value>>),
}

/// Runs a statement. One that meets a connection which has just died is asked again on another: it
/// only reads.
pub(crate) async fn run(
    pool: &Pool,
    work: Work<'_>,
    limits: &Limits,
    safe: &Safe,
) -> Result<Rows, TargetError> {
    let system = match pool.kind() {
        #[cfg(feature = "mariadb")]
        Kind::MySql(_) if pool.is_mariadb() => "mariadb",
        #[cfg(feature = "mariadb")]
        Kind::MySql(_) => "mysql",
        Kind::PostgreSql(_) => "postgresql",
    };
    // Without the statement: it has the values of the question.
    let span = tracing::info_span!(
        "statement",
        otel.name = "SELECT",
        otel.kind = "client",
        otel.status_code = field::Empty,
        db.system.name = system,
        db.operation.name = "SELECT",
        heliograph.target = safe.target(),
        db.response.returned_rows = field::Empty,
    );
    let outcome = asked(pool, work, limits, safe)
        .instrument(span.clone())
        .await;
    match &outcome {
        Ok(rows) => span.record("db.response.returned_rows", rows.rows.len()),
        Err(_) => span.record("otel.status_code", "ERROR"),
    };
    outcome
}

async fn asked(
    pool: &Pool,
    work: Work<'_>,
    limits: &Limits,
    safe: &Safe,
) -> Result<Rows, TargetError> {
    let started = Instant::now();
    let mut outcome = once(pool, work, limits).await;
    // Rows that were sent cannot be taken back.
    let is_lost = matches!(
        &outcome,
        Err(Stop::Failed(Failure::Away(crate::Away::ConnectionLost)))
    );
    if is_lost && work.sink.is_none() {
        outcome = once(pool, work, limits).await;
    }
    let found = outcome.map_err(|stop| match stop {
        Stop::Failed(failure) => {
            let limit = limits.max_estimated_rows.unwrap_or_default();
            TargetError::of(failure, safe, limits.timeout, limit)
        }
        Stop::TooExpensive { estimated, limit } => TargetError::TooExpensive {
            estimated: Some(estimated),
            limit,
        },
    })?;
    Ok(Rows {
        elapsed: started.elapsed(),
        ..found
    })
}

async fn once(pool: &Pool, statement: Work<'_>, limits: &Limits) -> Result<Rows, Stop> {
    let sorted = |error: sqlx::Error| Stop::Failed(pool.sorted(&error));
    let deadline = limits.timeout + GRACE;
    let late = || Err(Stop::Failed(Failure::TimedOut));
    match pool.kind() {
        #[cfg(feature = "mariadb")]
        Kind::MySql(connections) => {
            let mut connection = connections.acquire().await.map_err(sorted)?;
            let work = mysql::run(&mut connection, pool.is_mariadb(), statement, limits);
            let outcome = tokio::time::timeout(deadline, work)
                .await
                .unwrap_or_else(|_| late());
            finish(connection, outcome).await
        }
        Kind::PostgreSql(connections) => {
            let mut connection = connections.acquire().await.map_err(sorted)?;
            let work = postgres::run(&mut connection, statement, limits);
            let outcome = tokio::time::timeout(deadline, work)
                .await
                .unwrap_or_else(|_| late());
            finish(connection, outcome).await
        }
    }
}

/// Ends the transaction and gives the connection back, or closes it where an answer is still in
/// progress.
async fn finish<DB>(
    mut connection: PoolConnection<DB>,
    outcome: Result<Gathered, Stop>,
) -> Result<Rows, Stop>
where
    DB: Database,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
{
    let is_heard_out = match &outcome {
        Ok(gathered) => gathered.is_heard_out,
        Err(
            Stop::TooExpensive { .. }
            | Stop::Failed(
                Failure::Wrong(_)
                | Failure::UnknownName(_)
                | Failure::OfData
                | Failure::Denied(_)
                | Failure::NoFunction(_)
                | Failure::TooExpensive
                | Failure::Beyond(_),
            ),
        ) => true,
        Err(Stop::Failed(_)) => false,
    };
    let at_rest = is_heard_out
        && matches!(
            tokio::time::timeout(GRACE, (&mut *connection).execute("ROLLBACK")).await,
            Ok(Ok(_))
        );
    if !at_rest {
        // What it says to this is of no interest.
        let _ = connection.detach().close_hard().await;
    }
    outcome.map(Gathered::into_rows)
}

/// Why a statement was not run to its end.
#[derive(Debug)]
enum Stop {
    Failed(Failure),
    TooExpensive { estimated: f64, limit: u64 },
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Stop {
        Stop::Failed(crate::error::failure(&error))
    }
}

impl Stop {
    /// The same for a statement that reads a table with a row filter, once its rows are looked at.
    fn of_data(self) -> Stop {
        match self {
            Stop::Failed(Failure::Wrong(_)) => Stop::Failed(Failure::OfData),
            other => other,
        }
    }
}

/// Fails if more is expected than is allowed.
fn afford(estimated: Option<f64>, limits: &Limits) -> Result<(), Stop> {
    match (estimated, limits.max_estimated_rows) {
        #[expect(clippy::cast_precision_loss, reason = "a limit on an estimate")]
        (Some(estimated), Some(limit)) if estimated > limit as f64 => {
            Err(Stop::TooExpensive { estimated, limit })
        }
        _ => Ok(()),
    }
}

/// Rows as they come in, until a limit is met.
#[derive(Debug)]
struct Gathered {
    columns: Vec<ResultColumn>,
    rows: Vec<Map<String, Value>>,
    /// Number of rows that were sent already.
    sent: u64,
    bytes: u64,
    cut: Option<Cut>,
    estimated_rows: Option<f64>,
    /// Whether the database has nothing more to say to the statement.
    is_heard_out: bool,
}

impl Gathered {
    fn new(columns: impl IntoIterator<Item = (String, ValueKind)>) -> Gathered {
        let mut gathered = Gathered {
            columns: Vec::new(),
            rows: Vec::new(),
            sent: 0,
            bytes: 0,
            cut: None,
            estimated_rows: None,
            is_heard_out: false,
        };
        for (label, kind) in columns {
            let name = gathered.free_label(&label);
            gathered.columns.push(ResultColumn { name, kind });
        }
        gathered
    }

    /// A label that no column before has: `id`, `id_2`, `id_3`.
    fn free_label(&self, label: &str) -> String {
        let label = if label.is_empty() { "column" } else { label };
        let taken = |name: &str| self.columns.iter().any(|column| column.name == name);
        let mut name = label.to_owned();
        let mut count = 1;
        while taken(&name) {
            count += 1;
            name = format!("{label}_{count}");
        }
        name
    }

    /// Adds a row, or says that a limit leaves no room for it.
    fn add(&mut self, values: Vec<Value>, limits: &Limits) -> bool {
        let labels = self
            .columns
            .iter()
            .map(|column| column.name.len() as u64 + 4)
            .sum::<u64>();
        let bytes = self.bytes + labels + values.iter().map(length).sum::<u64>();
        if self.count() >= limits.max_rows {
            self.cut = Some(Cut::Rows);
            return false;
        }
        if bytes > limits.max_bytes {
            self.cut = Some(Cut::Bytes);
            return false;
        }
        self.bytes = bytes;
        self.rows.push(
            self.columns
                .iter()
                .map(|column| column.name.clone())
                .zip(values)
                .collect(),
        );
        true
    }

    /// Number of rows so far.
    fn count(&self) -> u64 {
        self.sent + self.rows.len() as u64
    }

    /// Sends the rows that came in. `false`: they are taken no more.
    async fn send(&mut self, sink: &Sender<Part>) -> bool {
        let rows = std::mem::take(&mut self.rows);
        self.sent += rows.len() as u64;
        rows.is_empty() || sink.send(Part::Rows(rows)).await.is_ok()
    }

    /// Average length of the rows so far, bytes.
    fn average_row(&self) -> u64 {
        self.bytes / self.count().max(1)
    }

    fn into_rows(self) -> Rows {
        Rows {
            columns: self.columns,
            rows: self.rows,
            truncated: self.cut.is_some(),
            cut: self.cut,
            elapsed: Duration::ZERO,
            estimated_rows: self.estimated_rows,
        }
    }
}

/// About how many bytes a value takes as JSON.
fn length(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64 + 2,
        Value::Array(items) => items.iter().map(|item| length(item) + 1).sum::<u64>() + 2,
        Value::Object(members) => {
            members
                .iter()
                .map(|(key, value)| key.len() as u64 + 4 + length(value))
                .sum::<u64>()
                + 2
        }
        Value::Number(_) => 8,
        Value::Bool(_) | Value::Null => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max_rows: u64, max_bytes: u64) -> Limits {
        Limits {
            max_rows,
            max_bytes,
            timeout: Duration::from_secs(1),
            max_estimated_rows: None,
            max_temp_bytes: 1 << 30,
        }
    }

    #[test]
    fn no_column_is_lost_to_another_of_its_name() {
        let labels = ["id", "id", "id_2", ""].map(|label| (label.to_owned(), ValueKind::Number));
        let mut gathered = Gathered::new(labels);
        assert!(gathered.add((0..4).map(Value::from).collect(), &limits(1, 1000)));
        let row = serde_json::to_string(&gathered.rows[0]).unwrap();
        assert_eq!(row, r#"{"id":0,"id_2":1,"id_2_2":2,"column":3}"#);
    }

    #[test]
    fn limits_cut_and_say_so() {
        let mut gathered = Gathered::new([("a".to_owned(), ValueKind::Text)]);
        assert!(gathered.add(vec!["x".repeat(50).into()], &limits(10, 100)));
        assert_eq!(gathered.cut, None);
        assert!(!gathered.add(vec!["x".repeat(50).into()], &limits(10, 100)));
        assert_eq!(gathered.cut, Some(Cut::Bytes));
        assert_eq!(gathered.rows.len(), 1);
        assert!(!gathered.add(vec![Value::Null], &limits(1, 1000)));
    }
}
