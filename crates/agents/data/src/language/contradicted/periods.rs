//! "In March" and the days of April.

use agent_kit::calendar;
use chrono::{Datelike, Months, NaiveDate};

use super::{
    super::{
        made_up::{Token, is_word},
        untested::Asked,
    },
    Contradiction,
    parsed::{Comparison, Op, Parsed},
    text,
};

/// A month, with its year where that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Month {
    year: Option<i32>,
    month: u32,
}

/// The position of the wanted days, by the words before a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    In,
    /// "Since March", "from March".
    From,
    After,
    Before,
    /// "Until March", "by March".
    Until,
}

/// A period that a question states.
#[derive(Debug)]
struct Said<T> {
    places: std::ops::Range<usize>,
    side: Side,
    value: T,
}

/// A day that a query compares with.
struct Day<'a> {
    comparison: &'a Comparison,
    date: NaiveDate,
    /// Whether it is said to the day.
    is_exact: bool,
}

/// The months and years of a question that no day of the query is in, or that its days go beyond.
pub(super) fn contradicted(
    asked: &[Asked],
    query: &Parsed<'_>,
    today: Option<NaiveDate>,
) -> Vec<Contradiction> {
    let days: Vec<Day<'_>> = query.comparisons.iter().filter_map(Day::of).collect();
    let mut months = months(asked);
    months.extend(today.map_or_else(Vec::new, |today| relative(asked, today)));
    let years = years(asked);
    let has_day = asked
        .iter()
        .enumerate()
        .any(|(at, one)| is_day(asked, at, one));
    // Days that are calculated are not compared.
    let calculates = ["date_sub", "date_trunc", "interval", "lag", "lead"];
    if calculates.iter().any(|word| query.has(word)) {
        return Vec::new();
    }
    let mut found = against_months(asked, query, &days, &months, has_day);
    found.extend(against_days(asked, &days));
    if found.is_empty() {
        found.extend(against_years(
            asked,
            query,
            &days,
            &years,
            months.is_empty() && !has_day,
        ));
    }
    found
}

/// "The 5th", "5 March".
fn is_day(asked: &[Asked], at: usize, one: &Asked) -> bool {
    let number = one.word.trim_end_matches(|c: char| c.is_alphabetic());
    let is_number = number
        .parse::<u32>()
        .is_ok_and(|day| (1..=31).contains(&day));
    let is_month = |at: Option<usize>| {
        let word = at.and_then(|at| asked.get(at));
        word.is_some_and(|one| month_of(&one.word).is_some())
    };
    is_number && (is_month(at.checked_sub(1)) || is_month(Some(at + 1)) || is_month(Some(at + 2)))
        || ["today", "yesterday", "week", "weeks", "quarter", "quarters"]
            .contains(&one.word.as_str())
}

fn month_of(word: &str) -> Option<u32> {
    calendar::month(|name, _| name == word)
}

/// Words between a word for a side and its period: "before the end of March".
const LEADS: &[&str] = &[
    "beginning",
    "date",
    "early",
    "end",
    "in",
    "late",
    "mid",
    "month",
    "of",
    "on",
    "season",
    "start",
    "the",
    "year",
];

fn side(asked: &[Asked], at: usize) -> Side {
    let word = |back: usize| {
        let place = at.checked_sub(back);
        place.map_or("", |place| asked[place].word.as_str())
    };
    // "2002 or later".
    let next = |ahead: usize| asked.get(at + ahead).map_or("", |one| one.word.as_str());
    if ["and", "or"].contains(&next(1)) {
        match next(2) {
            "after" | "later" | "newer" => return Side::From,
            "before" | "earlier" | "older" => return Side::Until,
            _ => {}
        }
    }
    let first = (1..=at)
        .find(|back| !LEADS.contains(&word(*back)))
        .unwrap_or(at + 1);
    match word(first) {
        "since" | "from" | "starting" => Side::From,
        "after" | "later" => Side::After,
        "before" | "earlier" => Side::Before,
        "until" | "till" | "by" | "through" | "to" => Side::Until,
        "than" => match word(first + 1) {
            "later" | "newer" | "younger" => Side::After,
            "earlier" | "older" => Side::Before,
            _ => Side::In,
        },
        _ => Side::In,
    }
}

fn year_of(word: &str) -> Option<i32> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    word.parse().ok().filter(|_| is_year)
}

fn months(asked: &[Asked]) -> Vec<Said<Month>> {
    let found = asked.iter().enumerate().filter_map(|(at, one)| {
        let month = month_of(&one.word)?;
        // "May" and "march" are words, too.
        let is_name = !["may", "march"].contains(&one.word.as_str()) || one.is_capital && at > 0;
        let year = (at + 1..=at + 3)
            .filter_map(|at| asked.get(at))
            .find_map(|one| year_of(&one.word));
        is_name.then_some(Said {
            places: at..at + 1,
            side: side(asked, at),
            value: Month { year, month },
        })
    });
    found.collect()
}

/// "Last month", "this month".
fn relative(asked: &[Asked], today: NaiveDate) -> Vec<Said<Month>> {
    let found = asked.windows(2).enumerate().filter_map(|(at, two)| {
        let back = match two[0].word.as_str() {
            "last" | "previous" => 1,
            "current" | "this" => 0,
            _ => return None,
        };
        let day = today.checked_sub_months(Months::new(back))?;
        (two[1].word == "month").then_some(Said {
            places: at..at + 2,
            side: side(asked, at),
            value: Month {
                year: Some(day.year()),
                month: day.month(),
            },
        })
    });
    found.collect()
}

fn years(asked: &[Asked]) -> Vec<Said<i32>> {
    const LEADS: &[&str] = &[
        "after", "and", "before", "between", "by", "during", "earlier", "for", "from", "in", "of",
        "or", "season", "since", "through", "till", "to", "until", "year", "years",
    ];
    let found = asked.iter().enumerate().filter_map(|(at, one)| {
        let value = year_of(&one.word)?;
        let before = at.checked_sub(1).map(|at| asked[at].word.as_str())?;
        let earlier = at.checked_sub(2).map_or("", |at| asked[at].word.as_str());
        let is_later = before == "than" && ["earlier", "later"].contains(&earlier);
        let is_year = LEADS.contains(&before) || is_later || month_of(before).is_some();
        is_year.then_some(Said {
            places: at..at + 1,
            side: side(asked, at),
            value,
        })
    });
    found.collect()
}

impl<'a> Day<'a> {
    fn of(comparison: &'a Comparison) -> Option<Self> {
        // `DATE '2026-03-01'`; what is calculated from a day is another one.
        let text = comparison.right.iter().find_map(|one| match one {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        })?;
        let is_plain = comparison.right.iter().all(|one| match one {
            Token::Text(_) => true,
            Token::Word(word) => {
                ["cast", "date", "timestamp", "time", "as", "with", "zone"].contains(&word.as_str())
            }
            Token::Sign(sign) => ['(', ')', ':'].contains(sign),
            Token::Number(_) => false,
        });
        let (date, is_exact) = date(text)?;
        is_plain.then_some(Self {
            comparison,
            date,
            is_exact,
        })
    }

    fn is_lower(&self) -> bool {
        matches!(self.comparison.op, Op::Above | Op::AtLeast)
    }

    fn is_upper(&self) -> bool {
        matches!(self.comparison.op, Op::Below | Op::AtMost)
    }

    /// The last day within.
    fn last(&self) -> NaiveDate {
        let is_open = self.comparison.op == Op::Below && self.is_exact;
        let before = self.date.pred_opt().filter(|_| is_open);
        before.unwrap_or(self.date)
    }

    /// The first day within.
    fn first(&self) -> NaiveDate {
        let is_open = self.comparison.op == Op::Above && self.is_exact;
        let next = self.date.succ_opt().filter(|_| is_open);
        next.unwrap_or(self.date)
    }
}

/// A day, or the first of a month: "2026-03-05", "2026-03", "2026-03%".
fn date(text: &str) -> Option<(NaiveDate, bool)> {
    let text = text.trim_end_matches(['%', '-']);
    let part = |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse().ok());
    let year = text.get(..4).and_then(|part| part.parse::<i32>().ok())?;
    let month = text.get(4..5).filter(|sign| *sign == "-").and(part(5, 7))?;
    let day = text.get(7..8).filter(|sign| *sign == "-").and(part(8, 10));
    let date = NaiveDate::from_ymd_opt(year, month, day.unwrap_or(1))?;
    Some((date, day.is_some()))
}

/// Whether a comparison is of the number or the name of a month, or of a year.
fn is_of(comparison: &Comparison, unit: &str, formats: &[&str]) -> bool {
    comparison.left.iter().any(|one| match one {
        Token::Word(word) => {
            let mut words = word.split('_');
            word == unit || words.any(|word| word == unit) || word.ends_with(unit) && unit == "year"
        }
        Token::Text(text) => text == unit || formats.contains(&text.as_str()),
        Token::Number(_) | Token::Sign(_) => false,
    })
}

/// The months that a query names by their number or name, each with its comparison.
fn numbered<'q>(query: &'q Parsed<'_>) -> Vec<(&'q Comparison, u32)> {
    let found = query.comparisons.iter().filter_map(|one| {
        let month = match one.text().map(str::to_lowercase) {
            Some(text) => {
                let name = text.trim_matches(['%', ' ']);
                calendar::month(|month, _| {
                    month == name || name.len() == 3 && month.starts_with(name)
                })
            }
            None => None,
        };
        let number = || {
            let value: u32 = one.number()?.parse().ok()?;
            is_of(one, "month", &["%m", "MM", "%c"]).then_some(value)
        };
        Some((one, month.or_else(number)?))
    });
    found.collect()
}

fn against_months(
    asked: &[Asked],
    query: &Parsed<'_>,
    days: &[Day<'_>],
    months: &[Said<Month>],
    has_day: bool,
) -> Vec<Contradiction> {
    let numbered = numbered(query);
    let single = months.len() == 1 && !has_day;
    let mut found = Vec::new();
    for one in months {
        let wanted = one.value;
        let is_month = |date: NaiveDate| {
            date.month() == wanted.month && wanted.year.is_none_or(|year| date.year() == year)
        };
        let next = |date: NaiveDate| {
            date.checked_sub_months(Months::new(1))
                .is_some_and(is_month)
        };
        let against = if let Some((first, _)) = numbered.first() {
            let has = numbered.iter().any(|(comparison, month)| {
                *month == wanted.month && comparison.op != Op::IsNot
                    || comparison.op.orders() && single && one.side != Side::In
            });
            let is_between = numbered.iter().filter(|(one, _)| one.op.orders()).count() > 1;
            (!has && !is_between).then_some(*first)
        } else {
            let touches = |day: &&Day<'_>| {
                is_month(day.date)
                    || is_month(day.first())
                    || is_month(day.last())
                    || next(day.date)
            };
            if days.iter().any(|day| touches(&day)) {
                single.then(|| beyond(days, one.side, is_month)).flatten()
            } else {
                days.first()
                    .filter(|_| !spans(days, wanted))
                    .map(|day| day.comparison)
            }
        };
        found.extend(against.map(|against| words(asked, &one.places, against)));
    }
    found
}

/// Whether a month is within days that are further apart.
fn spans(days: &[Day<'_>], wanted: Month) -> bool {
    let Some(year) = wanted.year else {
        return days.len() > 2;
    };
    let Some(first) = NaiveDate::from_ymd_opt(year, wanted.month, 1) else {
        return true;
    };
    days.iter().any(|day| day.is_lower() && day.date <= first)
        && days.iter().any(|day| day.is_upper() && day.date >= first)
        && days.len() > 2
}

/// The days of a question, "2026-03-05", that the query has on their wrong side.
fn against_days(asked: &[Asked], days: &[Day<'_>]) -> Vec<Contradiction> {
    let found = asked.iter().enumerate().filter_map(|(at, one)| {
        let (wanted, true) = date(&one.word)? else {
            return None;
        };
        let side = side(asked, at);
        let next = wanted.succ_opt();
        let near = |day: &&Day<'_>| day.date == wanted || Some(day.date) == next;
        let fits = |day: &Day<'_>| match side {
            Side::From | Side::After => day.is_lower(),
            Side::Before | Side::Until => day.is_upper(),
            Side::In => true,
        };
        let is_denied = asked.iter().any(|one| super::denies(&one.word));
        let against = if days.iter().any(|day| near(&day)) {
            let fits = is_denied || days.iter().any(|day| near(&day) && fits(day));
            days.iter().find(near).filter(|_| !fits)
        } else {
            days.first()
        };
        against.map(|day| words(asked, &(at..at + 1), day.comparison))
    });
    found.collect()
}

fn words(asked: &[Asked], places: &std::ops::Range<usize>, against: &Comparison) -> Contradiction {
    Contradiction::Words {
        said: text(asked, places.clone()),
        reads: against.written(),
    }
}

/// The bound of a query that is on the wrong side of a period, or is not where the period ends.
fn beyond<'q>(
    days: &[Day<'q>],
    side: Side,
    is_in: impl Fn(NaiveDate) -> bool,
) -> Option<&'q Comparison> {
    let lower: Vec<&Day<'_>> = days.iter().filter(|day| day.is_lower()).collect();
    let upper: Vec<&Day<'_>> = days.iter().filter(|day| day.is_upper()).collect();
    let only = |there: &[&Day<'q>], other: &[&Day<'q>]| {
        there
            .first()
            .filter(|_| other.is_empty())
            .map(|day| day.comparison)
    };
    match side {
        Side::From | Side::After => only(&upper, &lower),
        Side::Before | Side::Until => only(&lower, &upper),
        Side::In => {
            let ([lower], [upper]) = (lower.as_slice(), upper.as_slice()) else {
                return None;
            };
            // A day too many does not make another period.
            let ends = is_in(upper.last()) || upper.date.pred_opt().is_some_and(&is_in);
            if !is_in(lower.first()) {
                Some(lower.comparison)
            } else if !ends {
                Some(upper.comparison)
            } else {
                None
            }
        }
    }
}

fn against_years(
    asked: &[Asked],
    query: &Parsed<'_>,
    days: &[Day<'_>],
    years: &[Said<i32>],
    is_whole: bool,
) -> Vec<Contradiction> {
    let single = years.len() == 1;
    let numbers: Vec<(&Comparison, i32)> = query
        .comparisons
        .iter()
        .filter_map(|one| {
            let is_year = is_of(one, "year", &["%Y", "YYYY"])
                && !one.right.iter().any(|one| is_word(one, "interval"));
            let value = one
                .number()
                .or_else(|| one.text().map(|text| text.trim_end_matches(['%', '-'])))?;
            let year = year_of(value)?;
            let is_said = years.iter().any(|said| said.value == year) && one.op.orders();
            (is_year || is_said || one.text().is_some()).then_some((one, year))
        })
        .collect();
    let mut found = Vec::new();
    for one in years {
        let wanted = one.value;
        let against = if numbers.is_empty() {
            let near = |day: &&Day<'_>| {
                [
                    day.date.year(),
                    day.first().year(),
                    day.last().year(),
                    day.date.year() - 1,
                ]
                .contains(&wanted)
            };
            if days.iter().any(|day| near(&day)) {
                let is_in = |date: NaiveDate| date.year() == wanted;
                (single && (is_whole || one.side != Side::In))
                    .then(|| beyond(days, one.side, is_in))
                    .flatten()
            } else {
                days.first()
                    .filter(|_| days.len() < 3)
                    .map(|day| day.comparison)
            }
        } else {
            let fits = |op: Op, year: i32| match (one.side, op) {
                (Side::In, Op::IsNot) => false,
                (Side::After, Op::AtLeast) => year == wanted + 1,
                (Side::Before, Op::AtMost) => year == wanted - 1,
                (Side::In, Op::Above | Op::Below) if single => (year - wanted).abs() == 1,
                (Side::From | Side::After, Op::Above | Op::AtLeast)
                | (Side::Before | Side::Until, Op::Below | Op::AtMost) => {
                    (year - wanted).abs() <= 1
                }
                (Side::After | Side::From, Op::Below | Op::AtMost)
                | (Side::Before, Op::Above | Op::AtLeast)
                    if single =>
                {
                    false
                }
                _ => year == wanted,
            };
            let is_denied = asked.iter().any(|one| super::denies(&one.word));
            let has = numbers
                .iter()
                .any(|(comparison, year)| fits(comparison.op, *year));
            let is_between = numbers.len() > 1 && numbers.iter().all(|(one, _)| one.op.orders());
            numbers
                .first()
                .filter(|_| !has && !is_denied && (single || !is_between))
                .map(|(comparison, _)| *comparison)
        };
        found.extend(against.map(|against| words(asked, &one.places, against)));
    }
    found
}
