//! How large devices are: as stated, otherwise from days that are not judged, otherwise as their
//! peers.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::NaiveDate;
use solar::size::{Clues, ENOUGH_DAYS, Size, SizeBasis, is_implausible, sizes};
use solar::{Capacity, LoggerContext};
use sqlx::PgConnection;

use crate::error::Error;
use crate::store::{Logger, LoggerRole};

/// The sizes of the loggers whose size is known.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    known: HashMap<i32, Size>,
    /// Meters of sites with inverters, by key: what they measure has a size, they have none.
    meters: HashSet<i32>,
    /// Loggers whose stated capacity is not that of what they deliver, by key.
    implausible: HashSet<i32>,
}

impl Sizes {
    /// The size of a logger, by key.
    pub(super) fn get(&self, key: i32) -> Option<Size> {
        self.known.get(&key).copied()
    }

    /// Whether the size of the logger is a stated capacity that its production contradicts.
    pub(super) fn is_implausible(&self, key: i32) -> bool {
        self.implausible.contains(&key)
    }

    /// Whether the logger is a meter beside the inverters that it measures, and no capacity is
    /// stated for it.
    pub(super) fn is_meter_without(&self, key: i32) -> bool {
        self.meters.contains(&key)
    }
}

/// The size of each logger whose size is known. `firsts` and `lasts` are the days on which each
/// logger is judged.
pub(super) async fn of(
    conn: &mut PgConnection,
    loggers: &[&Logger],
    firsts: &[NaiveDate],
    lasts: &[NaiveDate],
) -> Result<Sizes, Error> {
    let stated: HashMap<i32, Size> = loggers
        .iter()
        .filter_map(|logger| {
            let kw = logger.capacity_kw.filter(|kw| *kw > 0.0)?;
            let basis = SizeBasis::Stated;
            Some((logger.key, Size { kw, basis }))
        })
        .collect();
    let implausible: HashSet<i32> = loggers
        .iter()
        .filter(|logger| states_implausible(logger))
        .map(|logger| logger.key)
        .collect();
    if stated.len() == loggers.len() {
        return Ok(Sizes {
            known: stated,
            meters: HashSet::new(),
            implausible,
        });
    }
    let keys: Vec<i32> = loggers.iter().map(|logger| logger.key).collect();
    let rows = sqlx::query_file!("queries/sizes.sql", &keys, firsts, lasts,)
        .fetch_all(conn)
        .await?;
    let mut sites: BTreeMap<i32, Vec<(i32, Clues)>> = BTreeMap::new();
    for row in rows {
        let clues = Clues {
            stated_kw: row.capacity_kw,
            best_ratio: best(
                (row.ratio_before, row.ratio_days_before),
                (row.ratio_around, row.ratio_days_around),
            ),
            best_peak_w: best(
                (row.peak_before, row.peak_days_before),
                (row.peak_around, row.peak_days_around),
            ),
            kind: row.kind,
            is_known: are_enough(row.peak_days_around),
        };
        let device = (row.logger_key, clues);
        sites.entry(row.site_key).or_default().push(device);
    }
    let meters: HashSet<i32> = loggers
        .iter()
        .filter(|logger| logger.role == LoggerRole::Meter && !stated.contains_key(&logger.key))
        .map(|logger| logger.key)
        .collect();
    let mut found = Sizes {
        implausible,
        ..Sizes::default()
    };
    for mut devices in sites.into_values() {
        if devices.iter().any(|(key, _)| !is_meter(*key, loggers)) {
            let is_measuring = |device: &(i32, Clues)| meters.contains(&device.0);
            found.meters.extend(
                devices
                    .iter()
                    .filter(|one| is_measuring(one))
                    .map(|one| one.0),
            );
            devices.retain(|device| !is_measuring(device));
        }
        let (keys, clues): (Vec<i32>, Vec<Clues>) = devices.into_iter().unzip();
        let known = keys.into_iter().zip(sizes(&clues));
        found
            .known
            .extend(known.filter_map(|(key, size)| Some((key, size?))));
    }
    Ok(found)
}

/// Whether the row is of a meter: the others are inverters.
fn is_meter(key: i32, loggers: &[&Logger]) -> bool {
    let logger = loggers.iter().find(|logger| logger.key == key);
    logger.is_some_and(|logger| logger.role == LoggerRole::Meter)
}

/// The context of a logger for the arithmetic, with its size: the stated one, otherwise the
/// estimate.
pub(super) fn context(logger: &Logger, sizes: &Sizes) -> LoggerContext {
    let estimate = || sizes.get(logger.key).map(Capacity::from);
    let context = logger.context();
    LoggerContext {
        capacity: context
            .capacity
            .filter(|stated| stated.kw > 0.0)
            .or_else(estimate),
        ..context
    }
}

/// Whether the production of a logger contradicts its stated capacity.
fn states_implausible(logger: &Logger) -> bool {
    let stated = logger.capacity_kw.filter(|kw| *kw > 0.0);
    stated.is_some_and(|kw| is_implausible(kw, &logger.calibration, logger.irradiance_basis))
}

/// The figure of the days before the judged ones; where these are too few that of the days after
/// them, too; where those are too few, none.
fn best(
    (before, days_before): (Option<f64>, Option<i64>),
    (around, days_around): (Option<f64>, Option<i64>),
) -> Option<f64> {
    if are_enough(days_before) {
        before
    } else {
        around.filter(|_| are_enough(days_around))
    }
}

fn are_enough(days: Option<i64>) -> bool {
    days.is_some_and(|days| days >= i64::from(ENOUGH_DAYS))
}
