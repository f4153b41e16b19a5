//! How large devices are: as stated, otherwise from days that are not judged, otherwise as their
//! peers.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use solar::size::{Clues, Size, SizeBasis, sizes};
use solar::{Capacity, LoggerContext};
use sqlx::PgConnection;

use crate::error::Error;
use crate::store::Logger;

/// Number of days before the judged ones that is enough; with fewer the days after them count, too.
const ENOUGH_DAYS: i64 = 5;

/// The size of each logger with a known size, by key. `firsts` and `lasts` are the days on
/// which each logger is judged.
pub(super) async fn of(
    conn: &mut PgConnection,
    loggers: &[&Logger],
    firsts: &[NaiveDate],
    lasts: &[NaiveDate],
) -> Result<HashMap<i32, Size>, Error> {
    let stated: HashMap<i32, Size> = loggers
        .iter()
        .filter_map(|logger| {
            let kw = logger.capacity_kw.filter(|kw| *kw > 0.0)?;
            let basis = SizeBasis::Stated;
            Some((logger.key, Size { kw, basis }))
        })
        .collect();
    if stated.len() == loggers.len() {
        return Ok(stated);
    }
    let keys: Vec<i32> = loggers.iter().map(|logger| logger.key).collect();
    let rows = sqlx::query_file!("queries/sizes.sql", &keys, firsts, lasts,)
        .fetch_all(conn)
        .await?;
    let mut sites: BTreeMap<i32, Vec<(i32, Clues)>> = BTreeMap::new();
    for row in rows {
        let clues = Clues {
            stated_kw: row.capacity_kw,
            best_ratio: best(row.ratio_before, row.ratio_days_before, row.ratio_around),
            best_peak_w: best(row.peak_before, row.peak_days_before, row.peak_around),
            kind: row.kind,
        };
        let device = (row.logger_key, clues);
        sites.entry(row.site_key).or_default().push(device);
    }
    let mut found = HashMap::new();
    for devices in sites.into_values() {
        let (keys, clues): (Vec<i32>, Vec<Clues>) = devices.into_iter().unzip();
        let known = keys.into_iter().zip(sizes(&clues));
        found.extend(known.filter_map(|(key, size)| Some((key, size?))));
    }
    Ok(found)
}

/// The context of a logger for the arithmetic, with its size: the stated one, otherwise the
/// estimate.
pub(super) fn context(logger: &Logger, sizes: &HashMap<i32, Size>) -> LoggerContext {
    let estimate = || sizes.get(&logger.key).copied().map(Capacity::from);
    let context = logger.context();
    LoggerContext {
        capacity: context
            .capacity
            .filter(|stated| stated.kw > 0.0)
            .or_else(estimate),
        ..context
    }
}

fn best(before: Option<f64>, days_before: Option<i64>, around: Option<f64>) -> Option<f64> {
    if days_before.is_some_and(|days| days >= ENOUGH_DAYS) {
        before
    } else {
        around
    }
}
