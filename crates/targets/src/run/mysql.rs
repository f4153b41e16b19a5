//! `MySQL` and `MariaDB`.

use futures::TryStreamExt;
use sqlx::mysql::{MySqlConnection, MySqlRow, MySqlTypeInfo};
use sqlx::{AssertSqlSafe, Column, Executor, Row, SqlSafeStr, Statement};

use super::{Cut, Gathered, Limits, Stop, Work, afford, estimate};
use crate::error::{Bound, Failure, failure};
use crate::value::mysql as value;

pub(super) async fn run(
    connection: &mut MySqlConnection,
    is_mariadb: bool,
    work: Work<'_>,
    limits: &Limits,
) -> Result<Gathered, Stop> {
    let sql = work.sql;
    sqlx::raw_sql(AssertSqlSafe(session(is_mariadb, work, limits)))
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
        return read(connection, sql, &infos, limits, gathered)
            .await
            .map_err(Stop::of_data);
    }
    gathered.estimated_rows = explained(connection, sql).await?;
    afford(gathered.estimated_rows, limits)?;
    read(connection, sql, &infos, limits, gathered).await
}

/// Reads the rows of a statement that was prepared.
async fn read(
    connection: &mut MySqlConnection,
    sql: &str,
    infos: &[MySqlTypeInfo],
    limits: &Limits,
    mut gathered: Gathered,
) -> Result<Gathered, Stop> {
    if warns(sql) {
        connection.execute(RESET_WARNINGS).await?;
    }
    connection.execute("START TRANSACTION READ ONLY").await?;
    {
        let mut rows = sqlx::query(AssertSqlSafe(sql.to_owned()))
            .persistent(false)
            .fetch(&mut *connection);
        while let Some(row) = rows.try_next().await? {
            // What is sent for a union or a function may be of another type than what was
            // announced.
            let values = (0..row.len().min(infos.len()))
                .map(|index| value::value(&row, index, row.column(index).type_info()));
            if !gathered.add(values.collect::<Result<_, _>>()?, limits) {
                // One row more than wanted is asked for at most: mostly this was the last.
                gathered.is_heard_out = rows.try_next().await?.is_none();
                drop(rows);
                if gathered.is_heard_out {
                    stopped_short(connection, sql, &mut gathered).await?;
                }
                return Ok(gathered);
            }
        }
    }
    gathered.is_heard_out = true;
    stopped_short(connection, sql, &mut gathered).await?;
    Ok(gathered)
}

/// A statement that reads no table leaves the warnings of the one before it, which may be another
/// person's. This one reads a table, and nothing of it.
const RESET_WARNINGS: &str = "SELECT 1 FROM information_schema.SCHEMATA WHERE 1 = 0";

/// Whether the result of a statement may be in its warnings.
fn warns(sql: &str) -> bool {
    let folded = sql.to_ascii_lowercase();
    [
        "recursive",
        "group_concat",
        "json_arrayagg",
        "json_objectagg",
    ]
    .iter()
    .any(|word| folded.contains(word))
}

/// The number of the warning that an aggregate did not take all of its values.
const CUT_BY_AGGREGATE: u64 = 1260;

/// Reports limits that the server mentions in warnings only: `MariaDB` ends a recursion that
/// continues for too long as if it were over, and both servers end the text of an aggregate at its
/// longest.
async fn stopped_short(
    connection: &mut MySqlConnection,
    sql: &str,
    gathered: &mut Gathered,
) -> Result<(), Stop> {
    if !warns(sql) {
        return Ok(());
    }
    let warnings = sqlx::raw_sql("SHOW WARNINGS")
        .fetch_all(&mut *connection)
        .await?;
    for warning in &warnings {
        let message = warning.try_get_unchecked::<String, _>("Message");
        if message.is_ok_and(|message| message.contains("max_recursive_iterations")) {
            return Err(Stop::Failed(Failure::Beyond(Bound::Recursion)));
        }
        let code: Option<u64> = warning.try_get_unchecked("Code").ok();
        if code == Some(CUT_BY_AGGREGATE) {
            gathered.cut.get_or_insert(Cut::Lists);
        }
    }
    Ok(())
}

/// What `MariaDB` must not do where rows are behind a fence. A derived table with a LIMIT is enough
/// of one today; these are the ways in which the server moves conditions, should that change.
/// `MySQL` knows other names, and has the LIMIT.
const SWITCHES: [&str; 6] = [
    "condition_pushdown_for_derived",
    "condition_pushdown_for_subquery",
    "condition_pushdown_from_having",
    "split_materialized",
    "index_condition_pushdown",
    "mrr",
];

/// The bounds of how long an aggregate's text may be: the least that servers take, and what several
/// of them may take of memory.
const LEAST_TEXT: u64 = 1024;
const MOST_TEXT: u64 = 16 << 20;

/// Timeouts, the limits on recursions and temporary tables, and the limit on the rows that a join
/// may read: the server's own, as the target's role may not explain a view whose tables it cannot
/// read. With a row filter that limit would reveal rows that must not be seen.
fn session(is_mariadb: bool, work: Work<'_>, limits: &Limits) -> String {
    let (steps, space) = (sql_guard::MOST_STEPS, limits.max_temp_bytes);
    let switches = if is_mariadb {
        let state = if work.fenced { "off" } else { "default" };
        let states = SWITCHES.map(|switch| format!("{switch}={state}"));
        format!(", optimizer_switch = '{}'", states.join(","))
    } else {
        String::new()
    };
    let timeout = if is_mariadb {
        format!(
            "max_statement_time = {:.3}, max_recursive_iterations = {steps}, tmp_disk_table_size = {space}",
            limits.timeout.as_secs_f64()
        )
    } else {
        format!(
            "max_execution_time = {}, cte_max_recursion_depth = {steps}",
            limits.timeout.as_millis()
        )
    };
    // A list that is cut still fits into a result.
    let timeout = format!(
        "{timeout}, group_concat_max_len = {}",
        (limits.max_bytes / 2).clamp(LEAST_TEXT, MOST_TEXT)
    );
    match limits.max_estimated_rows.filter(|_| !work.filtered) {
        Some(rows) => {
            format!("SET SESSION {timeout}{switches}, max_join_size = {rows}, sql_big_selects = 0")
        }
        None => format!("SET SESSION {timeout}{switches}, sql_big_selects = 1"),
    }
}

/// The rows that the database expects to read; `None` if the target's role does not see the plan.
async fn explained(connection: &mut MySqlConnection, sql: &str) -> Result<Option<f64>, Stop> {
    let plan = sqlx::query(AssertSqlSafe(format!("EXPLAIN {sql}")))
        .persistent(false)
        .fetch_all(&mut *connection)
        .await;
    match plan {
        Ok(rows) => Ok(estimate::mysql(rows.iter().map(step))),
        Err(error) => match failure(&error) {
            Failure::Denied(_) => Ok(None),
            other => Err(Stop::Failed(other)),
        },
    }
}

fn step(row: &MySqlRow) -> estimate::Step {
    let text = |name: &str| {
        let bytes: Option<Vec<u8>> = row.try_get_unchecked(name).ok().flatten();
        bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    estimate::Step {
        select: row.try_get_unchecked::<Option<i64>, _>("id").ok().flatten(),
        kind: text("select_type").unwrap_or_default(),
        rows: text("rows")
            .and_then(|rows| rows.parse().ok())
            .or_else(|| number(row, "rows")),
        filtered: number(row, "filtered"),
    }
}

fn number(row: &MySqlRow, name: &str) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let whole = || {
        row.try_get::<Option<u64>, _>(name)
            .ok()
            .flatten()
            .map(|value| value as f64)
    };
    row.try_get::<Option<f64>, _>(name)
        .ok()
        .flatten()
        .or_else(whole)
}
