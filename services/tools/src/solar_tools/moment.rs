//! The progress of a day at each site.

use chrono::{NaiveDate, Offset, Timelike};
use contracts::tools::Period;
use solar::calendar::{instant, local_day};
use solar::sun::{is_night, transit};

use super::subject::Subject;
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::Site;

/// No night lasts longer, seconds.
pub(super) const LONGEST_NIGHT: i64 = 16 * 3600;

/// From this hour on no production is left of a day, where the position of the site is unknown.
const EVENING: u32 = 22;

/// The progress of a day at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// It has not begun.
    NotBegun,
    /// It has begun. Sites with the same distance from UTC, in seconds, have the same hours of it.
    Running {
        /// The distance.
        offset: i32,
    },
    /// It is over, or its sun has set.
    Over,
}

/// The present of several sites: the clock's, or their newest reading if they ended before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment(i64);

impl Moment {
    /// From the newest reading of the sites and the clock, seconds since 1970.
    pub(super) fn of(newest: i64, clock: i64) -> Self {
        Self(if (0..=LONGEST_NIGHT).contains(&(clock - newest)) {
            clock
        } else {
            newest
        })
    }

    /// Seconds since 1970.
    pub(super) fn seconds(self) -> i64 {
        self.0
    }

    /// The distance of a site's clock from UTC, seconds.
    pub(super) fn offset(self, site: &Site) -> i32 {
        let local = instant(self.0 - 1).with_timezone(&site.zone);
        local.offset().fix().local_minus_utc()
    }

    /// The progress of a day at a site.
    pub(super) fn progress(self, site: &Site, date: NaiveDate) -> Progress {
        let today = local_day(self.0, site.zone);
        if date > today {
            Progress::NotBegun
        } else if date < today || self.is_evening(site) {
            Progress::Over
        } else {
            Progress::Running {
                offset: self.offset(site),
            }
        }
    }

    fn is_evening(self, site: &Site) -> bool {
        if let Some(position) = site.position {
            let noon = transit(self.0, position.longitude);
            self.0 as f64 > noon && is_night(self.0, position)
        } else {
            let local = instant(self.0 - 1).with_timezone(&site.zone);
            local.hour() >= EVENING
        }
    }
}

/// Of a day that has run for less than this, seconds, the readings that are there say nothing.
const JUST_BEGUN: u32 = 2 * 3600;

/// [`begun`] without a day that has only just begun, of which next to no readings can be there.
pub(super) fn judged(
    toolbox: &SolarTools,
    subject: &Subject,
    period: Period,
) -> Result<Period, Error> {
    let period = begun(toolbox, subject, period)?;
    let site = &subject.logger.site;
    let now = toolbox.clock.now().with_timezone(&site.zone);
    let just_begun = period.end == now.date_naive() && now.num_seconds_from_midnight() < JUST_BEGUN;
    match period.end.pred_opt().filter(|_| just_begun) {
        None => Ok(period),
        Some(end) if end >= period.start => Ok(Period { end, ..period }),
        Some(_) => {
            let message = format!(
                "{} has only just begun at {}.",
                wire::spoken(period.end),
                site.name
            );
            Err(Error::no_data_in_window(message, subject.available))
        }
    }
}

/// The days of a period that have begun by the clock where a device stands: a day that has not
/// begun is not missing.
pub(super) fn begun(
    toolbox: &SolarTools,
    subject: &Subject,
    period: Period,
) -> Result<Period, Error> {
    let site = &subject.logger.site;
    let last = toolbox.today(site.zone).max(subject.newest_day);
    if period.start > last {
        let message = format!(
            "{} has not begun at {}.",
            wire::spoken(period.start),
            site.name
        );
        return Err(Error::no_data_in_window(message, subject.available));
    }
    Ok(Period {
        start: period.start,
        end: period.end.min(last),
    })
}

#[cfg(test)]
mod tests {
    use solar::Position;

    use super::*;

    fn site(zone: chrono_tz::Tz, position: Option<Position>) -> Site {
        Site {
            site_id: "s".to_owned(),
            name: "S".to_owned(),
            zone,
            position,
            tariff_per_kwh: None,
            currency: "EUR".to_owned(),
            co2_factor: None,
        }
    }

    fn at(text: &str) -> Moment {
        let time: chrono::DateTime<chrono::Utc> = text.parse().unwrap();
        Moment(time.timestamp())
    }

    #[test]
    fn a_day_is_not_over_everywhere_at_once() {
        let date: NaiveDate = "2026-06-15".parse().unwrap();
        let phoenix = site(chrono_tz::America::Phoenix, None);
        let zurich = site(chrono_tz::Europe::Zurich, None);
        let auckland = site(chrono_tz::Pacific::Auckland, None);
        let noon = at("2026-06-15T10:30:00Z");
        let running = |offset| Progress::Running { offset };
        assert_eq!(noon.progress(&zurich, date), running(7200));
        assert_eq!(noon.progress(&phoenix, date), running(-7 * 3600));
        assert_eq!(noon.progress(&auckland, date), Progress::Over);
        let before = at("2026-06-14T13:00:00Z");
        assert_eq!(before.progress(&auckland, date), running(12 * 3600));
        assert_eq!(before.progress(&zurich, date), Progress::NotBegun);
    }

    #[test]
    fn a_day_ends_with_its_sun() {
        let date: NaiveDate = "2026-06-15".parse().unwrap();
        let berlin = Position {
            latitude: 52.5,
            longitude: 13.4,
        };
        let known = site(chrono_tz::Europe::Berlin, Some(berlin));
        let unknown = site(chrono_tz::Europe::Berlin, None);
        for (time, with, without) in [
            ("2026-06-15T01:00:00Z", false, false),
            ("2026-06-15T18:00:00Z", false, false),
            ("2026-06-15T20:30:00Z", true, true),
            ("2026-12-15T16:00:00Z", true, false),
        ] {
            let day = if time.contains("-12-") {
                "2026-12-15".parse().unwrap()
            } else {
                date
            };
            let over = |site: &Site| at(time).progress(site, day) == Progress::Over;
            assert_eq!((over(&known), over(&unknown)), (with, without), "{time}");
        }
    }

    #[test]
    fn the_present_of_old_data_is_their_newest_reading() {
        assert_eq!(Moment::of(1000, 5000).seconds(), 5000);
        assert_eq!(Moment::of(1000, 1000 + 17 * 3600).seconds(), 1000);
        assert_eq!(Moment::of(1000, 900).seconds(), 1000);
    }
}
