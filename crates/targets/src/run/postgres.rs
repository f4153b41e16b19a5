//! PostgreSQL.

use futures::TryStreamExt;
use serde_json::Value;
use sqlx::postgres::{PgConnection, PgTypeInfo};
use sqlx::{AssertSqlSafe, Column, Executor, SqlSafeStr, Statement};

use super::measured::measured;
use super::{Cut, Gathered, Limits, Part, Stop, Work, afford, estimate};
use crate::value::postgres as value;

/// Number of rows that are asked for at a time: what a limit cuts was not fetched much further.
const BATCH: u64 = 200;
/// Length of a row, in bytes, from which a batch is not read to its end.
const LONG_ROW: u64 = 64 * 1024;

pub(super) async fn run(
    connection: &mut PgConnection,
    work: Work<'_>,
    limits: &Limits,
) -> Result<Gathered, Stop> {
    let sql = work.sql;
    // All rows of the cursor are wanted, so it is to be planned like any query.
    let begin = format!(
        "BEGIN READ ONLY; SET LOCAL statement_timeout = {}; SET LOCAL cursor_tuple_fraction = 1",
        limits.timeout.as_millis().max(1)
    );
    sqlx::raw_sql(AssertSqlSafe(begin))
        .execute(&mut *connection)
        .await?;
    // Prepared, a text is one statement or none.
    let statement = connection
        .prepare(AssertSqlSafe(sql.to_owned()).into_sql_str())
        .await?;
    let infos: Vec<_> = statement
        .columns()
        .iter()
        .map(|column| column.type_info().clone())
        .collect();
    let labels = statement
        .columns()
        .iter()
        .zip(&infos)
        .map(|(column, info)| (column.name().to_owned(), value::kind(info)));
    let mut gathered = Gathered::new(labels);
    if work.filtered {
        return read(connection, work, &infos, limits, gathered)
            .await
            .map_err(Stop::of_data);
    }
    let explain = AssertSqlSafe(format!("EXPLAIN (FORMAT JSON) {sql}"));
    let plan: Value = sqlx::query_scalar(explain)
        .persistent(false)
        .fetch_one(&mut *connection)
        .await?;
    gathered.estimated_rows = estimate::postgres(&plan);
    afford(gathered.estimated_rows, limits)?;
    read(connection, work, &infos, limits, gathered).await
}

/// Reads the rows of a statement that was prepared.
async fn read(
    connection: &mut PgConnection,
    work: Work<'_>,
    infos: &[PgTypeInfo],
    limits: &Limits,
    mut gathered: Gathered,
) -> Result<Gathered, Stop> {
    let sql = work.sql;
    let measured = measured(sql, infos, limits.max_bytes);
    let read = measured.as_deref().unwrap_or(sql);
    let declare = AssertSqlSafe(format!("DECLARE heliograph NO SCROLL CURSOR FOR {read}"));
    sqlx::query(declare)
        .persistent(false)
        .execute(&mut *connection)
        .await?;
    let batch = BATCH.min(limits.max_rows + 1);
    if let Some(sink) = work.sink {
        // A receiver that has ended shows at the first rows.
        let _ = sink.send(Part::Columns(gathered.columns.clone())).await;
    }
    'batches: loop {
        let fetch = AssertSqlSafe(format!("FETCH FORWARD {batch} FROM heliograph"));
        let mut rows = sqlx::raw_sql(fetch).fetch(&mut *connection);
        let mut count = 0;
        while let Some(row) = rows.try_next().await? {
            count += 1;
            if measured.is_some() && value::is_true(&row, 0)? {
                gathered.cut = Some(Cut::Bytes);
                break 'batches;
            }
            let first = usize::from(measured.is_some());
            let values = (first..)
                .zip(infos)
                .map(|(index, info)| value::value(&row, index, info));
            if !gathered.add(values.collect::<Result<_, _>>()?, limits) {
                break 'batches;
            }
        }
        drop(rows);
        let is_taken = match work.sink {
            Some(sink) => gathered.send(sink).await,
            None => true,
        };
        if count < batch || !is_taken {
            break;
        }
    }
    // What is left of a batch is read before the next statement, unless that may be much.
    gathered.is_heard_out = gathered.average_row() < LONG_ROW;
    Ok(gathered)
}
