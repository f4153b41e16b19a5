//! The window of a call: the last days, or from a first to a last day.

use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use solar::calendar::DaySpan;

use crate::error::Error;

/// Days when the call names none.
const DAYS: u32 = 7;

/// The longest window, days: ten years.
pub(super) const LONGEST: i64 = 3660;

/// A window whose end may be left to the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    start: Option<NaiveDate>,
    end: Option<NaiveDate>,
    days: u32,
}

impl Window {
    /// The window of the arguments. `days` and `start_date` are two ways to say when it begins.
    pub(super) fn of(
        days: Option<u32>,
        start: Option<NaiveDate>,
        end: Option<NaiveDate>,
    ) -> Result<Self, Error> {
        if let (Some(days), Some(start)) = (days, start) {
            return Err(Error::invalid(
                "/days",
                format!("{days} contradicts start_date, which is {start}: give one of them"),
            ));
        }
        let window = Self {
            start,
            end,
            days: days.unwrap_or(DAYS).max(1),
        };
        if let Some(end) = end {
            window.until(end)?;
        }
        Ok(window)
    }

    /// The last day, when the call names one.
    pub(super) fn end(self) -> Option<NaiveDate> {
        self.end
    }

    /// The days of the window, where `newest` is the last day unless the call names one.
    pub(super) fn span(self, newest: NaiveDate, zone: Tz) -> Result<DaySpan, Error> {
        let (first, last) = self.until(self.end.unwrap_or(newest))?;
        Ok(DaySpan::of_days(first, last, zone))
    }

    fn until(self, last: NaiveDate) -> Result<(NaiveDate, NaiveDate), Error> {
        let Some(first) = self.start else {
            let before = Days::new(u64::from(self.days - 1));
            return Ok((last.checked_sub_days(before).unwrap_or(last), last));
        };
        if last < first {
            let pointer = if self.end.is_some() {
                "/end_date"
            } else {
                "/start_date"
            };
            return Err(Error::reversed(pointer, first, last));
        }
        if (last - first).num_days() >= LONGEST {
            return Err(Error::invalid(
                "/start_date",
                format!("a period has at most {LONGEST} days; this one ends on {last}"),
            ));
        }
        Ok((first, last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_window_is_its_days_or_its_first_day_and_never_both() {
        let span = |days, start: Option<&str>, end: Option<&str>| {
            let window = Window::of(days, start.map(date), end.map(date))?;
            let span = window.span(date("2025-12-04"), Tz::UTC)?;
            Ok::<_, Error>((span.first, span.last))
        };
        let week = (date("2025-11-28"), date("2025-12-04"));
        assert_eq!(span(None, None, None).unwrap(), week);
        assert_eq!(
            span(Some(2), None, Some("2025-11-02")).unwrap(),
            (date("2025-11-01"), date("2025-11-02"))
        );
        let november = (date("2025-11-01"), date("2025-11-30"));
        assert_eq!(
            span(None, Some("2025-11-01"), Some("2025-11-30")).unwrap(),
            november
        );
        assert!(span(Some(7), Some("2025-11-01"), None).is_err());
        assert!(span(None, Some("2025-11-02"), Some("2025-11-01")).is_err());
        assert!(span(None, Some("2005-11-02"), None).is_err());
    }
}
