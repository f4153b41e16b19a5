//! Tense and time: what is over is not said to be so now, and "this month" is the month of today.
//!
//! Each word that says when is known to fit the days of its facts when this is asked (`is_when`).
//! What a word before it makes of it, "this", "last", is decided here, and so are the verbs.

use chrono::{Datelike, Days, NaiveDate};
use contracts::tools::Period;

use super::{Fact, FactRegistry, Kind, Unit, lexicon, part::Part};

/// Words that say how something is at the moment that people ask.
pub(super) const NOW: &[&str] = &["currently", "moment", "now", "present", "right"];

/// Units of time behind "this" and "last".
const UNITS: &[&str] = &["day", "month", "week", "year"];

/// Words that make the unit behind them the one before today's.
const BEFORE: &[&str] = &["last", "past", "previous"];

/// Words that make the unit behind them today's.
const TODAYS: &[&str] = &["current", "this"];

/// Verbs of an action that continues.
const GOING_ON: &[&str] = &[
    "avoids",
    "brings",
    "costs",
    "deliver",
    "delivering",
    "delivers",
    "earn",
    "earns",
    "generate",
    "generates",
    "lasts",
    "lose",
    "loses",
    "losing",
    "make",
    "makes",
    "produce",
    "produces",
    "producing",
    "save",
    "saves",
    "yields",
];

/// Verbs that say that something is.
const IS: &[&str] = &[
    "are", "have", "has", "is", "it's", "stands", "sits", "there's",
];

/// Verbs that say that something was.
const WAS: &[&str] = &["did", "had", "was", "were"];

/// Words behind "has" that make a past of it.
const PAST: &[&str] = &["been", "ended", "had", "lasted", "lost", "recorded"];

impl Part<'_> {
    /// No verb says of days that are over, or of an outage with its end, that it continues.
    pub(super) fn tense_holds(&self, registry: &FactRegistry) -> bool {
        let goes_on = (0..self.words.len()).any(|at| {
            let next = self.words.get(at + 1).copied().unwrap_or_default();
            let progresses = ["are", "is", "it's"].contains(&self.words[at]);
            GOING_ON.contains(&self.words[at]) || progresses && next.ends_with("ing")
        });
        let is_now = self.words.iter().any(|word| NOW.contains(word));
        let is = (0..self.words.len()).any(|at| {
            let next = self.words.get(at + 1).copied().unwrap_or_default();
            let has = ["has", "have"].contains(&self.words[at]);
            IS.contains(&self.words[at]) && !(has && PAST.contains(&next))
        });
        self.facts.iter().all(|fact| {
            let over = fact.bounds.is_over || counts_outages(fact);
            let was = self.words.iter().any(|word| WAS.contains(word));
            !(fact.bounds.is_present && was)
                && !(over && (is || goes_on || is_now))
                && !(goes_on && has_ended(fact, registry))
        })
    }

    /// "This" and "last" before a unit of time, a weekday or a month mean the days of the facts.
    pub(super) fn whens_hold(&self, registry: &FactRegistry) -> bool {
        (0..self.words.len()).all(|at| {
            let word = self.words[at];
            let before = at.checked_sub(1).map_or("", |at| self.words[at]);
            let next = self.words.get(at + 1).copied().unwrap_or_default();
            let is_named = word.parse::<chrono::Weekday>().is_ok()
                || word.parse::<chrono::Month>().is_ok() && word != "may";
            let is_time = UNITS.contains(&word)
                || is_named
                || NOW.contains(&word)
                || ["today", "yesterday"].contains(&word);
            let first = (0..at)
                .rev()
                .map(|at| self.words[at])
                .find(|word| !TODAYS.contains(word) && !BEFORE.contains(word) && *word != "the");
            // The rules' own words for a single value.
            let told = |word: &str| {
                let mut facts = self.facts.iter();
                facts.all(|fact| fact.bounds.conditions.iter().any(|one| one.contains(word)))
            };
            let is_measure = || self.facts.iter().all(|fact| fact.measure.names(word));
            if makes_when(word, before, next) && !told(word) && !is_measure() {
                return false;
            }
            // "By today" ends, and does not begin, then.
            if is_time && first == Some("by") {
                return false;
            }
            // "In a month" is any month.
            if UNITS.contains(&word) && ["a", "an"].contains(&before) {
                return false;
            }
            let asks = TODAYS.contains(&before) || BEFORE.contains(&before);
            let asks = asks && UNITS.contains(&word);
            if !asks && !is_named || told(word) && (is_named || told(before)) {
                return true;
            }
            let mut periods = self.facts.iter().filter_map(|fact| fact.period);
            let Some(today) = registry.today else {
                return false;
            };
            periods.all(|period| {
                if is_named {
                    let recent = if period.start == period.end { 7 } else { 365 };
                    let since = today.checked_sub_days(Days::new(recent));
                    return before != "next" && since.is_some_and(|since| period.end >= since);
                }
                if TODAYS.contains(&before) {
                    return period.start <= today && is_same(word, period.end, today);
                }
                precedes(word, period, today)
            })
        })
    }

    /// Whether a word belongs to a time: "last" in "last week", both words of "so far".
    pub(super) fn is_of_time(&self, word: &str, registry: &FactRegistry) -> bool {
        let mut places = (0..self.words.len()).filter(|at| self.words[*at] == word);
        let next = |at: usize| self.words.get(at + 1).copied().unwrap_or_default();
        let before = |at: usize| at.checked_sub(1).map_or("", |at| self.words[at]);
        match word {
            "time" => places.all(|at| {
                let pointed = ["that", "the"].contains(&before(at));
                before(at) == "over" || pointed && at > 1 && self.words[at - 2] == "at"
            }),
            "current" | "last" | "past" | "previous" => places.all(|at| UNITS.contains(&next(at))),
            "so" => places.all(|at| next(at) == "far") && self.reaches_today(registry),
            "far" => places.all(|at| before(at) == "so"),
            _ => NOW.contains(&word) && self.facts.iter().all(|fact| fact.bounds.is_present),
        }
    }

    fn reaches_today(&self, registry: &FactRegistry) -> bool {
        self.facts.iter().all(|fact| {
            let end = fact.period.map(|period| period.end);
            end.is_some_and(|end| Some(end) == registry.today)
        })
    }
}

/// Whether "time" or "date" says with its neighbours when or how something is: "on time", "to
/// date", "for the time being".
fn makes_when(word: &str, before: &str, next: &str) -> bool {
    let of_when = ["from", "in", "on", "over", "that", "this", "to"];
    word == "time" && (of_when.contains(&before) || next == "being")
        || word == "date" && ["in", "on", "over", "to"].contains(&before)
}

/// Whether a unit of time has both days.
fn is_same(unit: &str, day: NaiveDate, today: NaiveDate) -> bool {
    match unit {
        "day" => day == today,
        "week" => day.iso_week() == today.iso_week(),
        "month" => (day.year(), day.month()) == (today.year(), today.month()),
        _ => day.year() == today.year(),
    }
}

/// Whether a period is the unit of time before today's.
fn precedes(unit: &str, period: Period, today: NaiveDate) -> bool {
    let last = match unit {
        "day" => today.pred_opt(),
        "week" => today.checked_sub_days(Days::new(7)),
        "month" => today.with_day(1).and_then(|day| day.pred_opt()),
        _ => NaiveDate::from_ymd_opt(today.year() - 1, 12, 31),
    };
    let is_last = last.is_some_and(|last| is_same(unit, period.end, last));
    is_last && is_same(unit, period.start, period.end)
}

/// Whether a fact counts outages or what else is over when it is counted.
fn counts_outages(fact: &Fact) -> bool {
    let mut labels = fact.measure.label.split(' ');
    fact.kind == Kind::Value
        && labels.any(|label| ["anomaly", "outage", "outages"].contains(&label))
}

/// Whether an amount is of days that do not end today.
fn has_ended(fact: &Fact, registry: &FactRegistry) -> bool {
    let amount = matches!(
        fact.unit,
        Unit::Energy | Unit::Mass | Unit::Money(_) | Unit::Power | Unit::Kilowatts
    );
    let expected = super::Measure::of("expected");
    let mut labels = fact.measure.label.split(' ');
    let is_expected = labels.any(|label| expected.names(label));
    let is_today =
        |period: Period| Some(period.end) == registry.today && period.start == period.end;
    amount
        && fact.number.is_some()
        && !is_expected
        && !lexicon::is_qualifier(&fact.measure.label)
        && fact.period.is_some_and(|period| !is_today(period))
}
