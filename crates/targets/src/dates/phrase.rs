//! Words that name a period by its distance from today, and the days that such a period may begin
//! and end with.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::anchor::{Anchor, Base};

/// An expression of time in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// A period whose days are known.
    Phrase(Phrase),
    /// Words for a time that moves along, whose days are not known: "recently", "last Monday".
    Vague(String),
}

/// A period by its distance from today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// As the question has it.
    pub(super) words: String,
    /// The days that it may begin with, the most usual first.
    pub(super) starts: Vec<Anchor>,
    /// The days that it may end with.
    pub(super) ends: Vec<(Anchor, End)>,
    /// The month that it is, if it is one.
    pub(super) month: Option<Anchor>,
    /// The year that it is, if it is one.
    pub(super) year: Option<Anchor>,
    /// It is today: a query that reads what is now needs no day for it.
    pub(super) is_now: bool,
}

/// How an end is in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The first day after the period.
    Exclusive,
    /// Its last day.
    Inclusive,
}

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// "the last 30 days", "next two weeks".
static ROLLING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?P<which>last|past|previous|next|coming|following)\s+(?P<count>\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few|couple\s+of|several)\s+(?P<unit>day|week|month|quarter|year|hour|minute)s?\b",
    )
});

/// "this week", "the last year".
static CALENDAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)(?P<the>\bthe\s+)?\b(?P<which>this|current|last|past|previous|next|coming)\s+(?:calendar\s+)?(?P<unit>week|month|quarter|year)\b",
    )
});

/// "year to date".
static TO_DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?P<unit>week|month|quarter|year)[\s-]to[\s-]date|(?P<short>wtd|mtd|qtd|ytd))\b",
    )
});

static DAYS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?P<day>today|yesterday|tomorrow)\b"));

/// Times that move along and that no rule here knows the days of.
static VAGUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)\b(?:
            (?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a\ few|several)\s+(?:day|week|month|quarter|year|hour)s?\s+(?:ago|from\ now)
          | (?:last|this|next|past|previous|on|since|until|till|by|before|after|every|each)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days?
          | (?:this|last|next)\s+(?:morning|afternoon|evening|night|weekend|spring|summer|autumn|fall|winter|day|hour)
          | tonight | recent(?:ly)? | lately | these\ days | so\ far | weekend
        )\b",
    )
});

/// A month or a quarter, which needs its year to stay what it is.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:in|since|during|for|until|till|of|by|from|to|this|last|next|before|after|and)\s+(?:january|february|march|april|may|june|july|august|september|october|november|december)|q[1-4])\b",
    )
});

/// A year right behind a month or a day: "March 2026", "3 March, 2026".
static ITS_YEAR: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?\s*(?:of\s+)?(?:19|20)\d{2}\b"));

/// Every word of time in a question that moves along, in order.
pub(super) fn found_in(question: &str) -> Vec<Found> {
    let mut found: Vec<(usize, usize, Found)> = Vec::new();
    for (pattern, read) in [
        (&*ROLLING, rolling as fn(&Captures<'_>) -> Found),
        (&*CALENDAR, calendar),
        (&*TO_DATE, to_date),
        (&*DAYS, day),
        (&*VAGUE, vague),
    ] {
        for captures in pattern.iter().flat_map(|it| it.captures_iter(question)) {
            let Some(whole) = captures.get(0) else {
                continue;
            };
            let is_taken = found
                .iter()
                .any(|(start, end, _)| whole.start() < *end && *start < whole.end());
            if !is_taken {
                found.push((whole.start(), whole.end(), read(&captures)));
            }
        }
    }
    for named in NAMED.iter().flat_map(|it| it.find_iter(question)) {
        let has_year = ITS_YEAR
            .as_ref()
            .is_some_and(|year| year.is_match(&question[named.end()..]));
        if !has_year {
            let words = named.as_str().to_owned();
            found.push((named.start(), named.end(), Found::Vague(words)));
        }
    }
    found.sort_by_key(|(start, _, _)| *start);
    let mut found: Vec<Found> = found.into_iter().map(|(_, _, found)| found).collect();
    // "so far this year" is this year.
    if found.iter().any(|found| matches!(found, Found::Phrase(_))) {
        found.retain(|found| !matches!(found, Found::Vague(words) if words == "so far"));
    }
    found
}

fn vague(captures: &Captures<'_>) -> Found {
    Found::Vague(captures[0].to_lowercase())
}

fn day(captures: &Captures<'_>) -> Found {
    let words = captures["day"].to_lowercase();
    let shift = match words.as_str() {
        "yesterday" => -1,
        "tomorrow" => 1,
        _ => 0,
    };
    Found::Phrase(Phrase {
        words,
        starts: vec![Anchor::new(Base::Day, shift)],
        ends: vec![
            (Anchor::new(Base::Day, shift + 1), End::Exclusive),
            (Anchor::new(Base::Day, shift), End::Inclusive),
        ],
        month: None,
        year: None,
        is_now: shift == 0,
    })
}

fn to_date(captures: &Captures<'_>) -> Found {
    let unit = captures.name("unit").map_or_else(
        || match captures["short"].to_lowercase().as_str() {
            "wtd" => Base::Week,
            "mtd" => Base::Month,
            "qtd" => Base::Quarter,
            _ => Base::Year,
        },
        |unit| base(unit.as_str()),
    );
    let mut phrase = calendar_unit(captures[0].to_lowercase(), unit, 0);
    phrase.ends.rotate_left(2);
    Found::Phrase(phrase)
}

fn calendar(captures: &Captures<'_>) -> Found {
    let unit = base(&captures["unit"]);
    let which = captures["which"].to_lowercase();
    let shift = match which.as_str() {
        "this" | "current" => 0,
        "next" | "coming" => 1,
        _ => -1,
    };
    let the = captures.name("the").map_or("", |the| the.as_str());
    let words = captures[0][the.len()..].to_lowercase();
    let mut phrase = calendar_unit(words, unit, shift);
    // "The past year" may as well be the twelve months up to now, "last year" may not.
    if shift == -1 && (which == "past" || !the.is_empty()) {
        let rolling = rolling_unit(String::new(), unit, -1);
        phrase.starts.extend(rolling.starts);
        phrase.ends.extend(rolling.ends);
    }
    Found::Phrase(phrase)
}

fn calendar_unit(words: String, unit: Base, shift: i32) -> Phrase {
    let start = Anchor::new(unit, shift);
    let after = Anchor::new(unit, shift + 1);
    let mut ends = vec![
        (after, End::Exclusive),
        (after.plus_days(-1), End::Inclusive),
    ];
    if shift == 0 {
        ends.push((Anchor::new(Base::Day, 1), End::Exclusive));
        ends.push((Anchor::new(Base::Day, 0), End::Inclusive));
    }
    Phrase {
        words,
        starts: vec![start],
        ends,
        month: (unit == Base::Month).then_some(start),
        year: (unit == Base::Year).then_some(start),
        is_now: false,
    }
}

fn rolling(captures: &Captures<'_>) -> Found {
    let words = captures[0].to_lowercase();
    let unit = captures["unit"].to_lowercase();
    let Some(count) = count(&captures["count"]).filter(|count| {
        *count > 0 && *count <= 3_000 && !["hour", "minute"].contains(&unit.as_str())
    }) else {
        return Found::Vague(words);
    };
    let forward = ["next", "coming", "following"].contains(&&*captures["which"].to_lowercase());
    let count = if forward { count } else { -count };
    Found::Phrase(rolling_unit(words, base(&unit), count))
}

/// A number of units up to now, or from now on; also as whole ones of the calendar.
fn rolling_unit(words: String, unit: Base, count: i32) -> Phrase {
    let far = match unit {
        Base::Day | Base::SameDay => Anchor::new(Base::Day, count),
        Base::Week => Anchor::new(Base::Day, count * 7),
        Base::Month => Anchor::new(Base::SameDay, count),
        Base::Quarter => Anchor::new(Base::SameDay, count * 3),
        Base::Year => Anchor::new(Base::SameDay, count * 12),
    };
    let today = Anchor::new(Base::Day, 0);
    let whole = |shift| Anchor::new(unit, shift);
    let (mut starts, mut ends) = if count < 0 {
        (
            vec![far, far.plus_days(1)],
            vec![
                (today.plus_days(1), End::Exclusive),
                (today, End::Inclusive),
            ],
        )
    } else {
        (
            vec![today, today.plus_days(1)],
            vec![(far.plus_days(1), End::Exclusive), (far, End::Inclusive)],
        )
    };
    if unit != Base::Day {
        let (first, after) = if count < 0 {
            (count, 0)
        } else {
            (1, count + 1)
        };
        starts.push(whole(first));
        ends.push((whole(after), End::Exclusive));
        ends.push((whole(after).plus_days(-1), End::Inclusive));
    }
    Phrase {
        words,
        starts,
        ends,
        month: None,
        year: None,
        is_now: false,
    }
}

fn base(unit: &str) -> Base {
    match unit.to_lowercase().as_str() {
        "week" => Base::Week,
        "month" => Base::Month,
        "quarter" => Base::Quarter,
        "year" => Base::Year,
        _ => Base::Day,
    }
}

fn count(text: &str) -> Option<i32> {
    const WORDS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let lower = text.to_lowercase();
    (1..)
        .zip(WORDS)
        .find_map(|(number, word)| (word == lower).then_some(number))
        .or_else(|| lower.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(question: &str) -> Vec<String> {
        found_in(question)
            .into_iter()
            .map(|found| match found {
                Found::Phrase(phrase) => phrase.words,
                Found::Vague(words) => format!("?{words}"),
            })
            .collect()
    }

    #[test]
    fn words_that_move_along_are_found() {
        for (question, found) in [
            ("How many hours were worked last week?", vec!["last week"]),
            ("Orders so far this year", vec!["this year"]),
            ("Hours in the last 30 days", vec!["last 30 days"]),
            ("Orders of the next two weeks", vec!["next two weeks"]),
            ("Revenue year to date", vec!["year to date"]),
            (
                "compare last week with this week",
                vec!["last week", "this week"],
            ),
            ("Who is off today?", vec!["today"]),
            ("What failed in the last 24 hours?", vec!["?last 24 hours"]),
            ("Orders in March", vec!["?in March"]),
            ("Orders in March 2026", vec![]),
            ("Orders on 3 March 2026 and in 2025", vec![]),
            ("Who worked last Monday?", vec!["?last monday"]),
            ("What changed recently?", vec!["?recently"]),
            ("Which crews are there?", vec![]),
            ("Who may lead a crew?", vec![]),
        ] {
            assert_eq!(words(question), found, "{question}");
        }
    }
}
