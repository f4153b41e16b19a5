//! The several loggers that a call is about: a list, a site, or every logger of the tenant.
//!
//! Each site has its own "now", so each has its own window. A logger that stopped is judged in its
//! site's window, not in its own last days, as long as it stopped less than a month before: after
//! that it counts as taken down, and is left out, unless the call names it alone.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use contracts::tools::{LeftOut, Period, Scope, ScopeKind, Silence};
use serde_json::{Value, json};
use solar::calendar::local_day;
use sqlx::PgConnection;

use super::subject::{Subject, unknown};
use super::{SolarTools, wire};
use crate::error::Error;
pub(super) use crate::store::loggers::counted;
use crate::store::{Logger, LoggerRole, loggers};

/// A logger that is silent for longer than this, days, was taken down.
pub(super) const TAKEN_DOWN: i64 = 30;

/// Maximum number of loggers that are named one by one; more are counted.
const NAMED: usize = 3;

/// How a call names the loggers that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection<'a> {
    /// One.
    One(&'a str),
    /// A list.
    Many(&'a [String]),
    /// All loggers of a site.
    Site(&'a str),
    /// All.
    All,
}

impl<'a> Selection<'a> {
    /// The meaning of the three arguments; two of them at once contradict each other.
    pub(super) fn of(
        logger_id: Option<&'a String>,
        logger_ids: Option<&'a Vec<String>>,
        site_id: Option<&'a String>,
    ) -> Result<Self, Error> {
        let contradiction = |other: &str, first: &str| {
            Error::invalid(
                &format!("/{other}"),
                format!("contradicts {first}: name the devices in one way"),
            )
        };
        match (logger_id, logger_ids, site_id) {
            (Some(_), Some(_), _) => Err(contradiction("logger_ids", "logger_id")),
            (Some(_), _, Some(_)) => Err(contradiction("site_id", "logger_id")),
            (_, Some(_), Some(_)) => Err(contradiction("site_id", "logger_ids")),
            (Some(one), None, None) => Ok(Self::One(one)),
            (None, Some(ids), None) => {
                for (index, id) in ids.iter().enumerate() {
                    if ids[..index].contains(id) {
                        return Err(Error::invalid(
                            &format!("/logger_ids/{index}"),
                            format!("{id:?} is there twice"),
                        ));
                    }
                }
                Ok(Self::Many(ids))
            }
            (None, None, Some(site)) => Ok(Self::Site(site)),
            (None, None, None) => Ok(Self::All),
        }
    }
}

/// Several loggers with data, and those without.
pub(super) struct Subjects {
    /// The name of all of them together.
    pub(super) scope: Scope,
    /// The loggers with data, by id. Weather stations are not among them.
    pub(super) found: Vec<Subject>,
    /// The others that were asked for.
    pub(super) left_out: Vec<LeftOut>,
    /// The newest reading of each site, seconds since 1970.
    newest: HashMap<String, i64>,
}

impl Subjects {
    /// The loggers of a call that is about several. Unknown names are an answer `no_data` to the
    /// whole call.
    pub(super) async fn find(
        toolbox: &SolarTools,
        conn: &mut PgConnection,
        tenant: &str,
        wanted: Selection<'_>,
    ) -> Result<Self, Error> {
        let (ids, site) = match wanted {
            Selection::Many(ids) => (Some(ids), None),
            Selection::Site(site) => (None, Some(site)),
            Selection::One(_) | Selection::All => (None, None),
        };
        let loggers = loggers::details(conn, tenant, ids, site).await?;
        if let Some(error) = missing(conn, tenant, wanted, &loggers).await? {
            return Err(error);
        }
        let sites: BTreeSet<&str> = loggers
            .iter()
            .map(|logger| logger.site.site_id.as_str())
            .collect();
        let sites: Vec<&str> = sites.into_iter().collect();
        let newest = loggers::newest_of_sites(conn, tenant, &sites).await?;
        let named = matches!(wanted, Selection::Many(_));
        let scope = scope(wanted, &loggers);
        let (mut found, mut left_out) = (Vec::new(), Vec::new());
        for logger in loggers {
            let weather = logger.role == LoggerRole::Weather;
            if weather && !named {
                continue;
            }
            let logger_id = logger.logger_id.clone();
            let subject = if weather {
                Err(Error::impossible(format!(
                    "{logger_id} measures the weather; it delivers no energy."
                )))
            } else {
                Subject::of(toolbox, logger)
            };
            match subject {
                Ok(subject) => found.push(subject),
                Err(error) => left_out.push(excuse(logger_id, error)?),
            }
        }
        Ok(Self {
            scope,
            found,
            left_out,
            newest,
        })
    }

    /// Why a logger is left out of a window that begins on `first`: it was taken down before.
    pub(super) fn taken_down(&self, subject: &Subject, window: Period) -> Option<Error> {
        let ended = subject.available.end < window.start;
        if !ended || has_stopped(subject, window.start) {
            return None;
        }
        let newest = self.newest.get(&subject.logger.site.site_id);
        let silence = newest.and_then(|newest| silence(subject, *newest));
        Some(match silence {
            Some(silence) => {
                Error::no_data_in_window(spoken_silence(subject, silence), subject.available)
            }
            None => subject.nothing_in(window),
        })
    }

    /// The newest day of the logger's site.
    pub(super) fn newest_day(&self, subject: &Subject) -> NaiveDate {
        newest_day(subject, &self.newest)
    }

    /// Fails if no logger has a result.
    pub(super) fn or_nothing<T>(&self, answered: &[T]) -> Result<(), Error> {
        if !answered.is_empty() {
            return Ok(());
        }
        let name = &self.scope.name;
        // The reason that most may do something about goes first: days that have data.
        let in_range = self
            .left_out
            .iter()
            .filter_map(|one| one.available_range)
            .reduce(|a, b| contracts::tools::AvailableRange {
                start: a.start.min(b.start),
                end: a.end.max(b.end),
            });
        let reasons: Vec<&str> = self
            .left_out
            .iter()
            .take(NAMED)
            .map(|one| one.message.as_str())
            .collect();
        let message = if reasons.is_empty() {
            format!("There are no devices that deliver energy in {name}.")
        } else {
            format!("Nothing is known of {name} then. {}", reasons.join(" "))
        };
        Err(match in_range {
            Some(range) => Error::no_data_in_window(message, range),
            None if self
                .left_out
                .iter()
                .any(|one| one.status == contracts::tools::ToolStatus::Error) =>
            {
                Error::impossible(message)
            }
            None => Error::no_data(message),
        })
    }
}

/// A logger that has sent nothing for longer than this, seconds, while others of its site did, is
/// silent.
const SILENT: i64 = 24 * 3600;

/// The silence of a logger of whose site the newest reading is `newest`, if it is silent. Its days
/// count to today, as those of the overview do.
pub(super) fn silence(subject: &Subject, newest: i64) -> Option<Silence> {
    if newest - subject.anchor <= SILENT {
        return None;
    }
    let zone = subject.logger.site.zone;
    let days = (subject.today.max(local_day(newest, zone)) - subject.newest_day).num_days();
    Some(Silence {
        last_reading: wire::time(subject.anchor, zone),
        days: u32::try_from(days).unwrap_or(u32::MAX),
    })
}

/// The sentence about a silent logger.
pub(super) fn spoken_silence(subject: &Subject, silence: Silence) -> String {
    let days = if silence.days == 1 { "day" } else { "days" };
    format!(
        "{} has not reported since {} ({} {days}).",
        subject.logger.logger_id,
        wire::spoken(subject.newest_day),
        silence.days
    )
}

/// Whether a logger without a reading in a window that begins on `first` has stopped, rather than
/// been taken down long before.
pub(super) fn has_stopped(subject: &Subject, first: NaiveDate) -> bool {
    subject.newest_day < first && (first - subject.newest_day).num_days() <= TAKEN_DOWN
}

/// The newest day of a logger's site, which is the last day of its window when the call names none:
/// also of a logger that has stopped.
pub(super) fn newest_day(subject: &Subject, newest: &HashMap<String, i64>) -> NaiveDate {
    let site = &subject.logger.site;
    let newest = newest.get(&site.site_id).copied();
    local_day(
        newest.unwrap_or(subject.anchor).max(subject.anchor),
        site.zone,
    )
}

/// A logger's own answer, as what is said of it among others.
pub(super) fn excuse(logger_id: String, error: Error) -> Result<LeftOut, Error> {
    match error {
        Error::NoResult(none) => Ok(LeftOut {
            logger_id,
            status: none.status,
            message: none.message,
            available_range: none.available,
        }),
        other => Err(other),
    }
}

async fn missing(
    conn: &mut PgConnection,
    tenant: &str,
    wanted: Selection<'_>,
    loggers: &[Logger],
) -> Result<Option<Error>, Error> {
    Ok(match wanted {
        Selection::Many(ids) => {
            let missing: Vec<&str> = ids
                .iter()
                .filter(|id| !loggers.iter().any(|logger| logger.logger_id == **id))
                .map(String::as_str)
                .collect();
            if missing.is_empty() {
                None
            } else {
                Some(unknown(conn, tenant, &missing).await?)
            }
        }
        Selection::Site(site) if loggers.is_empty() => Some(Error::no_data(format!(
            "There is no site {site:?} with loggers."
        ))),
        Selection::One(_) | Selection::All | Selection::Site(_) if loggers.is_empty() => {
            Some(Error::no_data("There are no loggers at all yet."))
        }
        _ => None,
    })
}

fn scope(wanted: Selection<'_>, loggers: &[Logger]) -> Scope {
    let counted = loggers
        .iter()
        .filter(|logger| matches!(wanted, Selection::Many(_)) || logger.role != LoggerRole::Weather)
        .count();
    let (kind, site_id, name) = match wanted {
        Selection::Site(id) => {
            let name = loggers.first().map(|logger| logger.site.name.clone());
            (
                ScopeKind::Site,
                Some(id.to_owned()),
                name.unwrap_or_else(|| id.to_owned()),
            )
        }
        Selection::Many(ids) if ids.len() <= NAMED => (ScopeKind::Loggers, None, listed(ids)),
        Selection::Many(ids) => (ScopeKind::Loggers, None, format!("{} devices", ids.len())),
        Selection::One(id) => (ScopeKind::Loggers, None, id.to_owned()),
        Selection::All => (ScopeKind::All, None, all_devices(added(loggers))),
    };
    Scope {
        kind,
        site_id,
        name,
        devices: u32::try_from(counted).unwrap_or(u32::MAX),
    }
}

/// What to call every device.
pub(super) fn all_devices(count: usize) -> String {
    if count == 1 {
        "the only device".to_owned()
    } else {
        format!("all {count} devices")
    }
}

/// The number of loggers that a total adds up: a meter is not one of the devices that it measures.
fn added(loggers: &[Logger]) -> usize {
    let loggers: Vec<&Logger> = loggers.iter().collect();
    counted(&loggers).into_iter().filter(|adds| *adds).count()
}

fn listed(ids: &[String]) -> String {
    match ids {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Arguments that ask about the same devices again.
pub(super) fn again<T>(
    scope: &Scope,
    devices: &[T],
    id: impl Fn(&T) -> &String,
    mut arguments: Value,
) -> Value {
    match (scope.kind, &scope.site_id) {
        (ScopeKind::Site, Some(site)) => arguments["site_id"] = json!(site),
        (ScopeKind::Loggers, _) => {
            let ids: Vec<&String> = devices.iter().map(id).collect();
            arguments["logger_ids"] = json!(ids);
        }
        (ScopeKind::Site | ScopeKind::All, _) => {}
    }
    arguments
}

/// The value that all have in common.
pub(super) fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The windows of the sites that devices belong to, in the order of the first device of each.
pub(super) fn by_site<'a, T>(devices: &'a [(&'a Logger, T)]) -> Vec<(&'a Logger, Vec<&'a T>)> {
    let mut sites: Vec<(&Logger, Vec<&T>)> = Vec::new();
    for (logger, device) in devices {
        match sites
            .iter_mut()
            .find(|(first, _)| first.site.site_id == logger.site.site_id)
        {
            Some((_, members)) => members.push(device),
            None => sites.push((logger, vec![device])),
        }
    }
    sites.sort_by(|(a, _), (b, _)| a.site.site_id.cmp(&b.site.site_id));
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_in_exactly_one_way() {
        let (one, many) = ("A".to_owned(), vec!["A".to_owned(), "B".to_owned()]);
        assert_eq!(
            Selection::of(Some(&one), None, None).unwrap(),
            Selection::One("A")
        );
        assert_eq!(
            Selection::of(None, Some(&many), None).unwrap(),
            Selection::Many(&many)
        );
        assert_eq!(
            Selection::of(None, None, Some(&one)).unwrap(),
            Selection::Site("A")
        );
        assert_eq!(Selection::of(None, None, None).unwrap(), Selection::All);
        for (id, ids, site, pointer) in [
            (Some(&one), Some(&many), None, "/logger_ids"),
            (Some(&one), None, Some(&one), "/site_id"),
            (None, Some(&many), Some(&one), "/site_id"),
        ] {
            let Err(Error::Invalid(faults)) = Selection::of(id, ids, site) else {
                panic!("two ways are accepted")
            };
            assert_eq!(faults[0].pointer, pointer);
            assert!(faults[0].detail.contains("one way"));
        }
        let twice = vec!["A".to_owned(), "A".to_owned()];
        assert!(Selection::of(None, Some(&twice), None).is_err());
    }
}
