//! Periods by name: "last week", "past 24 hours", "this month", "in 2025", "Q3", "week of Nov 3",
//! "all time".

use chrono::{Datelike, NaiveDate, Weekday};

use super::calendar::{
    back, full_year, monday, month, month_days, months_back, quarter_days, year_days,
};
use super::{Meaning, Parsed, Reader, Year};

/// Lengths of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Hour,
    Day,
    Weekend,
    Week,
    Fortnight,
    Month,
    Quarter,
    Year,
}

/// The unit of a word.
pub(super) fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "hour" | "hours" | "hrs" | "h" => Unit::Hour,
        "day" | "days" => Unit::Day,
        "weekend" | "weekends" => Unit::Weekend,
        "week" | "weeks" | "wk" | "weak" => Unit::Week,
        "fortnight" => Unit::Fortnight,
        "month" | "months" | "mth" => Unit::Month,
        "quarter" | "quarters" => Unit::Quarter,
        "year" | "years" => Unit::Year,
        _ => return None,
    })
}

/// The unit of a word with a letter too few, too many or wrong, as in a text behind "last".
fn slip(word: &str) -> Option<Unit> {
    let near = |name: &str| {
        word.len() >= 4
            && word.as_bytes().first() == name.as_bytes().first()
            && strsim::osa_distance(word, name) == 1
    };
    let unit = [
        ("month", Unit::Month),
        ("week", Unit::Week),
        ("year", Unit::Year),
        ("weekend", Unit::Weekend),
    ];
    unit.into_iter()
        .find(|(name, _)| near(name))
        .map(|(_, unit)| unit)
}

impl Reader<'_> {
    /// A period by name.
    pub(super) fn period(&self, at: usize) -> Parsed {
        self.part(at)
            .or_else(|| self.last(at))
            .or_else(|| self.this(at))
            .or_else(|| self.counted(at))
            .or_else(|| self.week_of(at))
            .or_else(|| self.quarter(at))
            .or_else(|| self.year(at))
            .or_else(|| self.all_time(at))
    }

    /// "Last week", "past 30 days", "the previous month", "last November".
    fn last(&self, at: usize) -> Parsed {
        let calendar = self.is(at, &["last", "previous", "prior"]);
        if !calendar && !self.is(at, &["past", "trailing", "preceding", "recent"]) {
            return None;
        }
        if let Some((count, next)) = self.count(at + 1)
            && let Some(unit) = self.word(next).and_then(unit)
        {
            return self.rolling(count, unit, next + 1);
        }
        let word = self.word(at + 1)?;
        if let Some(unit) = unit(word).or_else(|| slip(word)) {
            // "Past days", "last hours" say nothing about how many; "last day" is a day.
            let several = word.ends_with('s') && unit != Unit::Weekend;
            return match (several, calendar) {
                (true, _) => None,
                (false, true) => self.before_this(unit, at + 2),
                (false, false) => self.rolling(1, unit, at + 2),
            };
        }
        let named = month(word).filter(|_| calendar && self.number(at + 2, 1..5).is_none())?;
        let first = month_days(self.now.year(), self.now.month())?.0;
        let days = [0, 1]
            .into_iter()
            .filter_map(|ago| month_days(self.now.year() - ago, named))
            .find(|(start, _)| *start < first)?;
        Some((self.clipped(days, Year::Guessed), at + 2))
    }

    /// The `count` units that end with the anchor.
    fn rolling(&self, count: u32, unit: Unit, next: usize) -> Parsed {
        let count = count.max(1);
        let days = |days: u32| back(self.anchor, days.saturating_sub(1));
        let several = count > 1;
        let start = match unit {
            // Figures are for whole days.
            Unit::Hour if !count.is_multiple_of(24) => return None,
            Unit::Hour => days(count / 24),
            Unit::Day => days(count),
            Unit::Weekend if several => return None,
            Unit::Weekend => return self.before_this(unit, next),
            Unit::Week => days(count.checked_mul(7)?),
            Unit::Fortnight => days(count.checked_mul(14)?),
            Unit::Month if several => back_from(self.anchor, count),
            Unit::Month => days(30),
            Unit::Quarter => back_from(self.anchor, count.checked_mul(3)?),
            Unit::Year if several => back_from(self.anchor, count.checked_mul(12)?),
            Unit::Year => days(365),
        };
        relative(start, self.anchor, next)
    }

    /// The calendar's unit before the anchor's.
    fn before_this(&self, unit: Unit, next: usize) -> Parsed {
        let monday = monday(self.now);
        let month = month_days(self.now.year(), self.now.month())?.0;
        let (start, end) = match unit {
            Unit::Hour => return None,
            Unit::Day => (self.anchor, self.anchor),
            Unit::Weekend => (back(monday, 2), back(monday, 1)),
            Unit::Week => (back(monday, 7), back(monday, 1)),
            Unit::Fortnight => (back(monday, 14), back(monday, 1)),
            Unit::Month => (months_back(month, 1), back(month, 1)),
            Unit::Quarter => {
                let before = months_back(quarter_start(self.now)?, 3);
                (before, back(quarter_start(self.now)?, 1))
            }
            Unit::Year => year_days(self.now.year() - 1)?,
        };
        relative(start, end, next)
    }

    /// "This week", "the current month", "year to date", up to the anchor.
    fn this(&self, at: usize) -> Parsed {
        if self.is(at, &["ytd"]) {
            return self.up_to_date(year_days(self.now.year())?.0, at + 1);
        }
        if self.is(at, &["mtd"]) {
            return self.up_to_date(month_days(self.now.year(), self.now.month())?.0, at + 1);
        }
        let to_date = self.is(at + 1, &["to"]) && self.is(at + 2, &["date"]);
        let this = self.is(at, &["this", "current"]);
        let (of, next) = if this {
            (unit(self.word(at + 1)?)?, at + 2)
        } else {
            (unit(self.word(at)?).filter(|_| to_date)?, at + 3)
        };
        let start = match of {
            Unit::Hour => return None,
            Unit::Day => self.now,
            Unit::Weekend => return self.weekend(next),
            Unit::Week | Unit::Fortnight => monday(self.now),
            Unit::Month => month_days(self.now.year(), self.now.month())?.0,
            Unit::Quarter => quarter_start(self.now)?,
            Unit::Year => year_days(self.now.year())?.0,
        };
        self.up_to_date(start, next)
    }

    /// From `start` to the newest day; a period that begins after it ends today.
    fn up_to_date(&self, start: NaiveDate, next: usize) -> Parsed {
        let end = if start <= self.anchor {
            self.anchor
        } else {
            self.now
        };
        relative(start, end, next)
    }

    /// "Over 7 days", "for two weeks", "at the weekend".
    fn counted(&self, at: usize) -> Parsed {
        if self.is(at, &["weekend"]) && !self.after(at, &["next", "coming"]) {
            return self.weekend(at + 1);
        }
        if self.ahead
            || !self.after(at, &["over", "for", "within", "during", "of"])
            || self.is(at, &["a", "an"])
        {
            return None;
        }
        let (count, next) = self.count(at)?;
        let unit = unit(self.word(next)?)?;
        if self.is(next + 1, &["ago", "ahead", "from", "forecast"]) {
            None
        } else {
            self.rolling(count, unit, next + 1)
        }
    }

    /// "This weekend", "over the weekend": on a Saturday or Sunday the one that runs, otherwise the
    /// last one.
    fn weekend(&self, next: usize) -> Parsed {
        let saturday = match self.now.weekday() {
            Weekday::Sat => self.now,
            Weekday::Sun => back(self.now, 1),
            _ => return self.before_this(Unit::Weekend, next),
        };
        relative(saturday, self.now, next)
    }

    /// "The last two weekends": each of them, the earliest first.
    pub(super) fn weekends(&self, at: usize) -> Option<(Vec<Meaning>, usize)> {
        if self.ahead || !self.is(at, &["last", "previous", "past", "recent"]) {
            return None;
        }
        let (count, next) = self.count(at + 1)?;
        if count < 2 || !self.is(next, &["weekends"]) {
            return None;
        }
        let monday = monday(self.now);
        let before = |weeks: u32| {
            relative(
                back(monday, 7 * weeks - 5),
                back(monday, 7 * weeks - 6),
                next,
            )
        };
        let weekends: Vec<Meaning> = (1..=count.min(MOST_WEEKENDS))
            .rev()
            .filter_map(|weeks| before(weeks).map(|(meaning, _)| meaning))
            .collect();
        Some((weekends, next + 1))
    }

    /// "Week of Nov 3", "week 45".
    fn week_of(&self, at: usize) -> Parsed {
        if !self.is(at, &["week", "cw"]) {
            return None;
        }
        if self.after(at, &["each", "every", "per"]) {
            return None;
        }
        if self.is(at + 1, &["of"]) {
            let start = at + 2 + usize::from(self.is(at + 2, &["the"]));
            let (
                Meaning::Days {
                    start: day,
                    end,
                    year,
                    ..
                },
                next,
            ) = self.day(start)?
            else {
                return None;
            };
            // "The week of October" is none of its weeks.
            if day != end {
                return None;
            }
            return Some((
                self.clipped((monday(day), super::calendar::forth(monday(day), 6)), year),
                next,
            ));
        }
        let week = self.number(at + 1, 1..3)?;
        let in_year = |year| NaiveDate::from_isoywd_opt(year, week, Weekday::Mon);
        let (year, next) = match self.number(at + 2, 4..5) {
            Some(year) => (full_year(year, 4), at + 3),
            None => (self.anchor.year(), at + 2),
        };
        let start = in_year(year)
            .filter(|start| *start <= self.anchor || next == at + 3)
            .or_else(|| in_year(year - 1));
        Some((
            start.map_or(Meaning::Impossible, |start| {
                self.clipped((start, super::calendar::forth(start, 6)), Year::Said)
            }),
            next,
        ))
    }

    /// "Q3", "Q3 2025", "the third quarter".
    fn quarter(&self, at: usize) -> Parsed {
        let spelt = ["first", "second", "third", "fourth"];
        let named = self
            .word(at)
            .and_then(|word| spelt.iter().position(|other| *other == word))
            .filter(|_| self.is(at + 1, &["quarter"]) && !self.is(at + 2, &["of", "in"]))
            .and_then(|at| u32::try_from(at + 1).ok());
        let short = || {
            self.number(at + 1, 1..2).filter(|quarter| {
                (1..=4).contains(quarter) && self.is(at, &["q"]) && self.touching(at, 2)
            })
        };
        let quarter = named.or_else(short)?;
        if let Some(year) = self.number(at + 2, 4..5) {
            return Some((
                self.clipped(quarter_days(full_year(year, 4), quarter)?, Year::Said),
                at + 3,
            ));
        }
        let this =
            quarter_days(self.anchor.year(), quarter).filter(|(start, _)| *start <= self.anchor);
        Some((
            self.clipped(
                this.or_else(|| quarter_days(self.anchor.year() - 1, quarter))?,
                Year::Guessed,
            ),
            at + 2,
        ))
    }

    /// "In 2025".
    fn year(&self, at: usize) -> Parsed {
        let year = full_year(self.number(at, 4..5)?, 4);
        let whole = !self.mark(at + 1, &["-", "/", "."])
            || self.number(at + 2, 1..3).is_none()
            || !self.touching(at, 3);
        let introduced = whole
            && self.after(
                at,
                &[
                    "in",
                    "for",
                    "during",
                    "of",
                    "year",
                    "since",
                    "all",
                    "throughout",
                ],
            );
        (introduced && (1990..2100).contains(&year))
            .then(|| Some((self.clipped(year_days(year)?, Year::Said), at + 1)))?
    }

    /// "All time", "since the beginning".
    fn all_time(&self, at: usize) -> Parsed {
        const PHRASES: &[&[&str]] = &[
            &["all", "time"],
            &["whole", "period"],
            &["entire", "period"],
            &["since", "the", "beginning"],
            &["since", "it", "began"],
            &["since", "it", "started"],
            &["since", "it", "exists"],
            &["since", "it", "was", "installed"],
            &["since", "it", "went", "online"],
            &["since", "they", "began"],
            &["since", "they", "started"],
            &["since", "they", "were", "installed"],
            &["since", "its", "installation"],
            &["since", "the", "installation"],
            &["since", "commissioning"],
            &["since", "the", "start"],
            &["since", "start"],
            &["since", "installation"],
            &["lifetime"],
            &["whole", "time"],
        ];
        let phrase = PHRASES.iter().find(|phrase| {
            phrase
                .iter()
                .zip(at..)
                .all(|(word, index)| self.is(index, &[word]))
        })?;
        self.whole(at + phrase.len())
    }

    /// "In total", "so far", "ever": all days with data. Only when the message names no others.
    pub(super) fn in_total(&self, at: usize) -> Parsed {
        const PHRASES: &[&[&str]] = &[
            &["in", "total"],
            &["in", "all"],
            &["so", "far"],
            &["ever"],
            &["altogether"],
            &["all", "together"],
            &["to", "date"],
            &["until", "now"],
            &["up", "to", "now"],
            &["till", "now"],
        ];
        let phrase = PHRASES.iter().find(|phrase| {
            let mut words = phrase.iter().zip(at..);
            words.all(|(word, index)| self.is(index, &[word]))
        })?;
        // "In all inverters" and "in total energy" are something else.
        let next = at + phrase.len();
        let more = self.word(next).is_some_and(|word| {
            matches!(*phrase, ["in", "all" | "total"] | ["all", "together"])
                && !matches!(
                    word,
                    "please" | "then" | "by" | "with" | "of" | "for" | "and" | "did" | "have"
                )
        });
        if more {
            return None;
        }
        self.whole(next)
    }

    fn whole(&self, next: usize) -> Parsed {
        relative(self.earliest.min(self.anchor), self.anchor, next)
    }
}

/// Most weekends that one message names.
const MOST_WEEKENDS: u32 = 8;

/// No data are older; it keeps "the last 9999 years" within what a calendar can count.
const DAWN: i32 = 1950;

fn relative(start: NaiveDate, end: NaiveDate, next: usize) -> Parsed {
    let start = start.max(year_days(DAWN)?.0);
    (start <= end).then_some((
        Meaning::Days {
            start,
            end,
            year: Year::Said,
            relative: true,
        },
        next,
    ))
}

/// The first day of the `months` months that end with `anchor`.
fn back_from(anchor: NaiveDate, months: u32) -> NaiveDate {
    months_back(anchor, months).succ_opt().unwrap_or(anchor)
}

fn quarter_start(day: NaiveDate) -> Option<NaiveDate> {
    quarter_days(day.year(), day.month0() / 3 + 1).map(|(start, _)| start)
}
