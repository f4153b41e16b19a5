//! The logger that a call is about: found within the tenant, with its "now" and its range of data.

use chrono::NaiveDate;
use contracts::tools::{AvailableRange, Period};
use solar::DayFigures;
use solar::calendar::{DaySpan, local_day};
use solar::series::epoch;
use sqlx::PgConnection;

use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::{Logger, loggers};

/// Names that resemble an unknown one by at least this much are offered.
const SIMILARITY: f64 = 0.75;

/// Number of them.
const MOST_NAMES: usize = 5;

/// A logger with data.
pub(super) struct Subject {
    /// The logger.
    pub(super) logger: Logger,
    /// Its newest reading, seconds since 1970: the "now" of the call.
    pub(super) anchor: i64,
    /// The local day of that.
    pub(super) newest_day: NaiveDate,
    /// Whether that day is over.
    pub(super) historical: bool,
    /// The day by the clock where it stands.
    pub(super) today: NaiveDate,
    /// The local days of its first and newest readings.
    pub(super) available: AvailableRange,
}

impl Subject {
    /// The tenant's logger of that id. Without one, or without data, the call is answered
    /// `no_data`.
    pub(super) async fn find(
        toolbox: &SolarTools,
        conn: &mut PgConnection,
        tenant: &str,
        logger_id: &str,
    ) -> Result<Self, Error> {
        match loggers::find(conn, tenant, logger_id).await? {
            Some(logger) => Self::of(toolbox, logger),
            None => Err(unknown(conn, tenant, &[logger_id]).await?),
        }
    }

    /// A logger that was found.
    pub(super) fn of(toolbox: &SolarTools, logger: Logger) -> Result<Self, Error> {
        let (Some(first_at), Some(anchor)) = (logger.first_at, logger.anchor()) else {
            return Err(Error::no_data(format!(
                "Logger {} is known and has no readings yet.",
                logger.logger_id
            )));
        };
        let zone = logger.site.zone;
        let newest_day = local_day(anchor, zone);
        let today = toolbox.today(zone);
        // A first reading at midnight just opens its day.
        let first_day = local_day(epoch(first_at) + 1, zone).min(newest_day);
        Ok(Self {
            anchor,
            newest_day,
            historical: newest_day < today,
            today,
            available: AvailableRange {
                start: first_day,
                end: newest_day,
            },
            logger,
        })
    }

    /// The answer when no energy is known of the window, of which these are the days with readings.
    pub(super) fn no_energy_in(&self, window: Period, days: &[DayFigures]) -> Error {
        let Period { start, end } = window;
        let within = || days.iter().filter(|day| (start..=end).contains(&day.date));
        if within().next().is_none() {
            return self.nothing_in(window);
        }
        let (id, when) = (&self.logger.logger_id, spoken(window));
        let message = if within().any(|day| day.register_suspect) {
            format!(
                "{id} sent readings {when}, but what its energy register shows cannot be what it made, as after an exchange of the register. These days are left out."
            )
        } else {
            format!("{id} sent readings {when}, and none of them says what it made.")
        };
        Error::no_data_in_window(message, self.available)
    }

    /// The answer when there is nothing in the window.
    pub(super) fn nothing_in(&self, window: Period) -> Error {
        let when = spoken(window);
        let range = self.available;
        Error::no_data_in_window(
            format!(
                "{} has no data {when}. It has data from {} to {}.",
                self.logger.logger_id,
                wire::spoken(range.start),
                wire::spoken(range.end)
            ),
            range,
        )
    }
}

fn spoken(window: Period) -> String {
    let Period { start, end } = window;
    if start == end {
        format!("on {}", wire::spoken(start))
    } else {
        format!("from {} to {}", wire::spoken(start), wire::spoken(end))
    }
}

/// The period of a span.
pub(super) fn period(span: DaySpan) -> Period {
    Period {
        start: span.first,
        end: span.last,
    }
}

/// The answer when the tenant has no logger of these ids, with names that may have been meant.
pub(super) async fn unknown(
    conn: &mut PgConnection,
    tenant: &str,
    wanted: &[&str],
) -> Result<Error, Error> {
    let known = loggers::ids(conn, tenant).await?;
    let near = near(wanted, &known);
    let who = match wanted {
        [one] => format!("There is no logger {one:?}: the id is unknown."),
        several => format!(
            "There are no loggers {}: the ids are unknown.",
            quoted(several)
        ),
    };
    let hint = match (known.is_empty(), near.is_empty()) {
        (true, _) => "There are no loggers at all yet.".to_owned(),
        (false, true) => "list_loggers tells which there are.".to_owned(),
        (false, false) => format!("Similar: {}.", near.join(", ")),
    };
    Ok(Error::no_data(format!("{who} {hint}")))
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The known names that resemble a wanted one, most similar first.
fn near<'a>(wanted: &[&str], known: &'a [String]) -> Vec<&'a str> {
    let similarity = |name: &str| {
        let name = name.to_lowercase();
        wanted
            .iter()
            .map(|wanted| strsim::jaro_winkler(&wanted.to_lowercase(), &name))
            .fold(0.0, f64::max)
    };
    let mut scored: Vec<(f64, &str)> = known
        .iter()
        .map(|name| (similarity(name), name.as_str()))
        .filter(|(score, _)| *score >= SIMILARITY)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(MOST_NAMES);
    scored.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_offered_best_first() {
        let known = ["GW-INV-001", "LTI-INV-001", "WEATHER"].map(str::to_owned);
        assert_eq!(near(&["LTI-INV-01"], &known)[0], "LTI-INV-001");
        assert!(near(&["zzz"], &known).is_empty());
    }
}
