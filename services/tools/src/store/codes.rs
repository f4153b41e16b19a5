//! Error codes of readings: the runs that ingestion keeps, or the readings themselves as long as
//! the runs of a logger are not computed yet.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Map, Value};
use solar::calendar::{DaySpan, local_day};
use solar::errors::{EVENT_PAUSE_SECONDS, carries_code};
use solar::series::epoch;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::limits;
use crate::metrics::read_rows;

/// The members of a reading's metadata that hold codes.
pub type Metadata = Map<String, Value>;

/// Local days of a logger in a zone.
#[derive(Debug, Clone, Copy)]
pub struct Days {
    /// The logger.
    pub logger_key: i32,
    /// The zone of its site.
    pub zone: Tz,
    /// The days.
    pub span: DaySpan,
}

/// Readings of a local day with the same codes, no two of them further apart than
/// [`EVENT_PAUSE_SECONDS`].
#[derive(Debug, Clone, PartialEq)]
pub struct CodeRun {
    /// The earliest reading.
    pub first_at: DateTime<Utc>,
    /// The latest.
    pub last_at: DateTime<Utc>,
    /// Number of readings.
    pub readings: i32,
    /// The codes: one object, more only where several rows have the same second.
    pub codes: Vec<Metadata>,
}

/// The runs of several loggers, by key; loggers without any are left out.
pub async fn load(
    conn: &mut PgConnection,
    asked: &[Days],
) -> Result<HashMap<i32, Vec<CodeRun>>, sqlx::Error> {
    let (keys, after, until) = ranges(asked);
    let rows = sqlx::query_file!("queries/code_runs.sql", &keys, &after, &until)
        .fetch_all(&mut *conn)
        .await?;
    read_rows(rows.len());
    let mut found: HashMap<i32, Vec<CodeRun>> = HashMap::new();
    let mut not_kept = Vec::new();
    for row in rows {
        if !row.codes_kept {
            not_kept.push(row.logger_key);
        }
        if let (Some(first_at), Some(last_at), Some(readings), Some(codes)) =
            (row.first_at, row.last_at, row.readings, row.codes)
        {
            found.entry(row.logger_key).or_default().push(CodeRun {
                first_at,
                last_at,
                readings,
                codes: codes.0,
            });
        }
    }
    if !not_kept.is_empty() {
        let asked = asked.iter().copied();
        let asked: Vec<Days> = asked
            .filter(|days| not_kept.contains(&days.logger_key))
            .collect();
        found.extend(of_readings(conn, &asked).await?);
    }
    Ok(found)
}

/// The same runs, from the readings.
pub async fn of_readings(
    conn: &mut PgConnection,
    asked: &[Days],
) -> Result<HashMap<i32, Vec<CodeRun>>, sqlx::Error> {
    let zones: HashMap<i32, Tz> = asked
        .iter()
        .map(|days| (days.logger_key, days.zone))
        .collect();
    let (keys, after, until) = ranges(asked);
    let rows = sqlx::query_file!("queries/coded_readings.sql", &keys, &after, &until)
        .fetch_all(conn)
        .await?;
    read_rows(rows.len());
    let mut found: HashMap<i32, Folding> = HashMap::new();
    for row in rows {
        let Some(zone) = zones.get(&row.logger_key) else {
            continue;
        };
        if carries_code(&row.metadata.0) {
            let folding = found
                .entry(row.logger_key)
                .or_insert_with(|| Folding::new(*zone));
            folding.take(row.timestamp, row.metadata.0);
        }
    }
    let runs = found
        .into_iter()
        .map(|(key, folding)| (key, folding.finish()));
    Ok(runs.collect())
}

/// Puts the runs of some days of a logger in place of those that are stored.
pub async fn replace(
    conn: &mut PgConnection,
    days: Days,
    runs: &[CodeRun],
) -> Result<(), sqlx::Error> {
    let (after, until) = limits(days.span);
    sqlx::query_file!(
        "queries/code_runs_forget.sql",
        days.logger_key,
        after,
        until,
    )
    .execute(&mut *conn)
    .await?;
    if runs.is_empty() {
        return Ok(());
    }
    let first_at: Vec<DateTime<Utc>> = runs.iter().map(|run| run.first_at).collect();
    let last_at: Vec<DateTime<Utc>> = runs.iter().map(|run| run.last_at).collect();
    let readings: Vec<i32> = runs.iter().map(|run| run.readings).collect();
    let codes: Vec<Json<&Vec<Metadata>>> = runs.iter().map(|run| Json(&run.codes)).collect();
    sqlx::query_file!(
        "queries/code_runs_store.sql",
        days.logger_key,
        &first_at,
        &last_at,
        &readings,
        &codes as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn ranges(asked: &[Days]) -> (Vec<i32>, Vec<DateTime<Utc>>, Vec<DateTime<Utc>>) {
    let keys = asked.iter().map(|days| days.logger_key).collect();
    let after = asked.iter().map(|days| limits(days.span).0).collect();
    let until = asked.iter().map(|days| limits(days.span).1).collect();
    (keys, after, until)
}

/// Builds runs of readings that come in the order of time.
struct Folding {
    zone: Tz,
    /// The end of the local day of the newest reading.
    day_end: DateTime<Utc>,
    /// Runs of that day that may continue, by their codes.
    open: HashMap<Vec<Metadata>, CodeRun>,
    closed: Vec<CodeRun>,
    /// The newest second: all its rows make one reading.
    pending: Option<CodeRun>,
}

impl Folding {
    fn new(zone: Tz) -> Self {
        Self {
            zone,
            day_end: DateTime::<Utc>::MIN_UTC,
            open: HashMap::new(),
            closed: Vec::new(),
            pending: None,
        }
    }

    fn take(&mut self, at: DateTime<Utc>, metadata: Metadata) {
        match &mut self.pending {
            Some(pending) if at <= self.day_end && epoch(pending.last_at) == epoch(at) => {
                pending.last_at = at;
                if !pending.codes.contains(&metadata) {
                    pending.codes.push(metadata);
                }
                return;
            }
            _ => self.place_pending(),
        }
        if at > self.day_end {
            self.closed.extend(self.open.drain().map(|(_, run)| run));
            self.day_end = end_of_day(at, self.zone);
        }
        self.pending = Some(CodeRun {
            first_at: at,
            last_at: at,
            readings: 1,
            codes: vec![metadata],
        });
    }

    /// The newest reading continues the open run with its codes, or begins one.
    fn place_pending(&mut self) {
        let Some(reading) = self.pending.take() else {
            return;
        };
        let continues =
            |run: &CodeRun| epoch(reading.first_at) - epoch(run.last_at) <= EVENT_PAUSE_SECONDS;
        match self.open.get_mut(&reading.codes) {
            Some(run) if continues(run) => {
                run.last_at = reading.last_at;
                run.readings += 1;
            }
            _ => {
                let before = self.open.insert(reading.codes.clone(), reading);
                self.closed.extend(before);
            }
        }
    }

    fn finish(mut self) -> Vec<CodeRun> {
        self.place_pending();
        self.closed.extend(self.open.into_values());
        self.closed.sort_by_key(|run| run.first_at);
        self.closed
    }
}

/// The end of the local day of an instant.
fn end_of_day(at: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
    limits(DaySpan::of_day(local_day(epoch(at), zone), zone)).1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn runs(zone: Tz, readings: &[(&str, Value)]) -> Vec<(String, String, i32, usize)> {
        let mut folding = Folding::new(zone);
        for (at, metadata) in readings {
            folding.take(at.parse().unwrap(), metadata.as_object().unwrap().clone());
        }
        let runs = folding.finish().into_iter();
        runs.map(|run| {
            let of = |at: DateTime<Utc>| at.format("%d %H:%M:%S%.f").to_string();
            (
                of(run.first_at),
                of(run.last_at),
                run.readings,
                run.codes.len(),
            )
        })
        .collect()
    }

    #[test]
    fn a_run_ends_with_its_day_with_a_pause_and_with_other_codes() {
        let (a, b) = (json!({"errorCode": "A"}), json!({"errorCode": "B"}));
        let found = runs(
            chrono_tz::Europe::Berlin,
            &[
                ("2024-06-01T10:00:00Z", a.clone()),
                ("2024-06-01T10:05:00Z", b.clone()),
                ("2024-06-01T10:30:00Z", a.clone()),
                ("2024-06-01T10:35:00Z", b),
                ("2024-06-01T11:00:01Z", a.clone()),
                ("2024-06-01T21:59:59Z", a.clone()),
                ("2024-06-01T22:00:00Z", a.clone()),
                ("2024-06-01T22:00:00.5Z", a.clone()),
                ("2024-06-01T22:00:01Z", a.clone()),
                ("2024-06-01T22:10:00Z", a),
            ],
        );
        let expected = [
            ("01 10:00:00", "01 10:30:00", 2, 1),
            ("01 10:05:00", "01 10:35:00", 2, 1),
            ("01 11:00:01", "01 11:00:01", 1, 1),
            ("01 21:59:59", "01 22:00:00.500", 2, 1),
            ("01 22:00:01", "01 22:10:00", 2, 1),
        ];
        let expected: Vec<_> = expected
            .map(|(first, last, readings, codes)| {
                (first.to_owned(), last.to_owned(), readings, codes)
            })
            .into();
        assert_eq!(found, expected);
    }

    #[test]
    fn rows_of_one_second_are_one_reading() {
        let found = runs(
            chrono_tz::UTC,
            &[
                ("2024-06-01T10:00:00.1Z", json!({"errorCode": "A"})),
                ("2024-06-01T10:00:00.2Z", json!({"errorCode": "A"})),
                ("2024-06-01T10:00:00.3Z", json!({"alarm": "A"})),
            ],
        );
        let one = (
            "01 10:00:00.100".to_owned(),
            "01 10:00:00.300".to_owned(),
            1,
            2,
        );
        assert_eq!(found, [one]);
    }
}
