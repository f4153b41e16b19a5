//! The intervals that energy is summed by.

use chrono::{Datelike, Days, Months, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::spoken;
use crate::tools::solar::Period;

/// What energy is summed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnergyInterval {
    /// Local days.
    Day,
    /// Weeks from Monday to Sunday.
    Week,
    /// Calendar months.
    Month,
    /// Calendar years.
    Year,
}

impl EnergyInterval {
    /// The interval that a request names, in lower case.
    pub fn named(words: &str) -> Option<Self> {
        let says = |stems: &[&str]| {
            let mut words = words.split(|letter: char| !letter.is_alphanumeric());
            words.any(|word| stems.contains(&word))
        };
        let per = |noun: &str| {
            let ways = ["per", "by", "each", "every"];
            ways.iter()
                .any(|way| words.contains(&format!("{way} {noun}")))
        };
        if per("year") || says(&["yearly", "annual"]) {
            Some(Self::Year)
        } else if per("month") || says(&["monthly"]) {
            Some(Self::Month)
        } else if per("week") || says(&["weekly"]) {
            Some(Self::Week)
        } else if per("day") || says(&["daily"]) {
            Some(Self::Day)
        } else {
            None
        }
    }

    /// The interval for a period of this many days.
    pub fn fitting(days: i64) -> Self {
        match days {
            ..=31 => Self::Day,
            32..=184 => Self::Week,
            185..=1100 => Self::Month,
            _ => Self::Year,
        }
    }

    /// The interval that has `day`, both days included.
    pub fn around(self, day: NaiveDate) -> Period {
        let first = |first: Option<NaiveDate>| first.unwrap_or(day);
        let start = match self {
            Self::Day => day,
            Self::Week => first(
                day.checked_sub_days(Days::new(u64::from(day.weekday().num_days_from_monday()))),
            ),
            Self::Month => first(day.with_day(1)),
            Self::Year => first(NaiveDate::from_ymd_opt(day.year(), 1, 1)),
        };
        let next = match self {
            Self::Day => start.succ_opt(),
            Self::Week => start.checked_add_days(Days::new(7)),
            Self::Month => start.checked_add_months(Months::new(1)),
            Self::Year => start.checked_add_months(Months::new(12)),
        };
        let end = next.and_then(|next| next.pred_opt());
        Period {
            start,
            end: end.unwrap_or(day),
        }
    }

    /// `day`, `week`, `month` or `year`.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The same in a sentence that has said "week".
    pub(super) fn of(self, day: NaiveDate) -> String {
        match self {
            Self::Week => format!("that of {}", spoken(self.around(day).start)),
            _ => self.label(day),
        }
    }

    /// The interval that has `day` in words: `4 December 2025`, `week of 1 December 2025`,
    /// `December 2025`, `2025`.
    pub fn label(self, day: NaiveDate) -> String {
        let start = self.around(day).start;
        match self {
            Self::Day => spoken(day),
            Self::Week => format!("week of {}", spoken(start)),
            Self::Month => start.format("%B %Y").to_string(),
            Self::Year => start.year().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn intervals_follow_the_calendar() {
        use EnergyInterval::{Day, Month, Week, Year};
        for (interval, of, start, end) in [
            (Day, "2024-02-29", "2024-02-29", "2024-02-29"),
            (Week, "2024-02-29", "2024-02-26", "2024-03-03"),
            (Week, "2024-02-26", "2024-02-26", "2024-03-03"),
            (Month, "2024-02-29", "2024-02-01", "2024-02-29"),
            (Year, "2024-02-29", "2024-01-01", "2024-12-31"),
        ] {
            let period = interval.around(day(of));
            assert_eq!((period.start, period.end), (day(start), day(end)), "{of}");
        }
    }

    #[test]
    fn the_words_of_a_request_choose_the_interval() {
        for (words, interval) in [
            ("energy of inv-1 per week", Some(EnergyInterval::Week)),
            ("monthly production in 2025", Some(EnergyInterval::Month)),
            (
                "how much energy did we make each day last week?",
                Some(EnergyInterval::Day),
            ),
            ("yearly yield", Some(EnergyInterval::Year)),
            ("energy history of inv-1", None),
        ] {
            assert_eq!(EnergyInterval::named(words), interval, "{words}");
        }
    }
}
