//! Questions about days among days and periods beside periods: "the worst day", "June compared to
//! May". The best and the worst of them by energy and two periods that are named are answered.

use contracts::tools::EnergyInterval;

use super::super::classify::device_hints;
use super::super::dates;
use super::super::keywords::{Concept as C, Keywords};
use super::super::loggers::says_all;
use super::super::text::{number_word, swapped};

/// Days and longer, in words.
const UNITS: &[&str] = &[
    "day", "days", "week", "weeks", "month", "months", "year", "years", "weekend", "weekends",
    "hour", "date",
];

/// Words that pick an end.
const ENDS: &[&str] = &[
    "best",
    "worst",
    "strongest",
    "weakest",
    "highest",
    "lowest",
    "top",
    "poorest",
    "sunniest",
    "greatest",
    "record",
];

/// Words between such a word and the days: "best production day".
const BETWEEN: &[&str] = &[
    "production",
    "producing",
    "energy",
    "yield",
    "single",
    "solar",
    "output",
    "power",
    "performing",
    "generation",
    "possible",
    "daily",
    "two",
    "three",
    "four",
    "five",
    "savings",
    "harvest",
];

/// Whether the question picks days among days: "worst day of LTI", "which month was best?".
pub(super) fn ranks_days(keywords: &Keywords<'_>) -> bool {
    let words = &keywords.words;
    let unit = |index: usize| words.get(index).is_some_and(|word| UNITS.contains(word));
    let between = |index: usize| {
        words.get(index).is_some_and(|word| {
            BETWEEN.contains(word) || word.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let picked = (0..words.len()).any(|at| {
        let end = is_end(words[at]);
        end && (unit(at + 1) || between(at + 1) && unit(at + 2))
    });
    let asked = words.windows(2).any(|pair| {
        matches!(pair[0], "which" | "what") && UNITS.contains(&pair[1]) && pair[1] != "hour"
    });
    let ends = words.iter().any(|word| is_end(word));
    let extreme = ends || keywords.word(&["most", "least", "more", "better", "worse"]);
    let productive = keywords.says_any(&[
        "most productive",
        "least productive",
        "most profitable",
        "least profitable",
    ]) && words.iter().any(|word| UNITS.contains(word));
    let peak = keywords.word(&["maximum", "minimum", "max", "min"])
        && keywords.word(&["day", "days", "daily"]);
    // "What day had the most energy", "when did LTI produce the least".
    picked
        || productive
        || peak
        || asked && (extreme || keywords.has(C::Production) || keywords.has(C::Money))
        || keywords.word(&["when"])
            && (keywords.word(&["most", "least"]) || ends)
            && !one_day(keywords)
}

/// The best or the worst days, weeks, months or years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestOf {
    /// The length of each.
    pub interval: EnergyInterval,
    /// The number of them, where it is asked for.
    pub count: Option<u32>,
    /// The worst ones, not the best.
    pub worst: bool,
    /// By money, not by energy.
    pub by_money: bool,
}

/// The days, weeks, months or years of which the question picks the best or the worst by energy or
/// by money: "best day of LTI", "when did LTI make the most?", "top 3 days". By other figures,
/// there is no answer.
pub(in crate::language) fn best_of(keywords: &Keywords<'_>) -> Option<BestOf> {
    const OTHER: &[&str] = &[
        "power",
        "watt",
        "watts",
        "peak",
        "pr",
        "ratio",
        "irradiance",
        "sunlight",
        "sunniest",
        "availability",
        "hour",
        "weekend",
        "weekends",
        "record",
        "maximum",
        "minimum",
        "max",
        "min",
        "average",
    ];
    // "Best day for the bill", "which day saved the least CO2?" are by figures of other kinds.
    const OTHER_MONEY: &[&str] = &[
        "co2",
        "carbon",
        "emission",
        "emissions",
        "cost",
        "costs",
        "bill",
        "bills",
        "roi",
        "payback",
        "payoff",
        "investment",
        "invested",
        "tariff",
    ];
    let others = [C::Health, C::Forecast, C::Compare, C::Performance];
    if !ranks_days(keywords)
        || others.iter().any(|other| keywords.has(*other))
        || keywords.word(OTHER)
        || keywords.word(OTHER_MONEY)
    {
        return None;
    }
    let ends = keywords.words.iter().any(|word| is_end(word));
    if !ends && !keywords.word(&["most", "least"]) {
        return None;
    }
    let count = counted(keywords);
    if count.is_some_and(|count| count > MOST_RANKED) {
        return None;
    }
    let picked = |unit: &str| {
        let words = &keywords.words;
        (0..words.len()).any(|at| {
            // "Top 3 weeks", "the best three weeks".
            let before = words[..at].iter().rev().find(|word| !is_number(word));
            let introduced = before.is_some_and(|before| {
                matches!(
                    *before,
                    "which"
                        | "what"
                        | "productive"
                        | "profitable"
                        | "single"
                        | "energy"
                        | "production"
                ) || is_end(before)
            });
            let plural = words[at].strip_suffix('s').filter(|_| count.is_some());
            (words[at] == unit || plural == Some(unit)) && introduced
        })
    };
    let interval = match () {
        () if picked("week") => EnergyInterval::Week,
        () if picked("month") => EnergyInterval::Month,
        () if picked("year") => EnergyInterval::Year,
        () => EnergyInterval::Day,
    };
    Some(BestOf {
        interval,
        count,
        worst: keywords.word(&["worst", "weakest", "lowest", "poorest", "least", "bottom"]),
        by_money: keywords.has(C::Money),
    })
}

/// Most days that a ranking names.
const MOST_RANKED: u32 = 31;

/// The number of days that is asked for: "top 3 days", "the 2 worst weeks".
fn counted(keywords: &Keywords<'_>) -> Option<u32> {
    let tokens = &keywords.tokens;
    let number = |text: &str| {
        let digits = text.parse().ok();
        digits.or_else(|| number_word(text).filter(|number| *number > 1))
    };
    let unit = |at: usize| {
        tokens.get(at).is_some_and(|next| {
            UNITS.contains(&next.text)
                || BETWEEN.contains(&next.text)
                    && tokens
                        .get(at + 1)
                        .is_some_and(|next| UNITS.contains(&next.text))
        })
    };
    (0..tokens.len().saturating_sub(2)).find_map(|at| {
        let (one, other) = (tokens[at].text, tokens[at + 1].text);
        let count = match () {
            () if is_end(one) => number(other),
            () if is_end(other) => number(one),
            () => None,
        };
        count.filter(|_| unit(at + 2))
    })
}

fn is_number(word: &str) -> bool {
    number_word(word).is_some_and(|number| number > 1)
}

fn is_end(word: &str) -> bool {
    ENDS.contains(&word) || ENDS.iter().any(|end| swapped(word, end))
}

fn one_day(keywords: &Keywords<'_>) -> bool {
    keywords.when().is_some() && !keywords.speaks_of_days()
}

/// Whether the question sets one period beside another: "compare June to May", "more than last
/// month".
pub(super) fn sets_side_by_side(keywords: &Keywords<'_>) -> bool {
    let compares = keywords.has(C::Compare)
        || keywords.word(&["than", "improved", "improve"])
        || keywords.says("how does") && keywords.says("stack up");
    if !compares || says_all(&keywords.words) || keywords.has(C::Device) {
        return false;
    }
    let devices = device_hints(&keywords.tokens);
    let words = &keywords.words;
    let period = |index: usize| {
        let Some(word) = words.get(index) else {
            return false;
        };
        let unit = |word: &&str| {
            matches!(
                *word,
                "day" | "week" | "month" | "year" | "quarter" | "weekend"
            )
        };
        match *word {
            "today" | "yesterday" => true,
            "last" | "previous" | "this" | "the" | "a" | "prior" => {
                words.get(index + 1).is_some_and(unit)
            }
            word => dates::month(word).is_some(),
        }
    };
    (0..words.len()).any(|at| {
        let joins = matches!(
            words[at],
            "to" | "with" | "than" | "against" | "versus" | "vs" | "and"
        );
        if !joins {
            return false;
        }
        let in_it = usize::from(
            words
                .get(at + 1)
                .is_some_and(|word| matches!(*word, "in" | "on")),
        );
        let there = period(at + 1 + in_it);
        let here = at > 0 && period(at - 1) || at > 1 && period(at - 2);
        // "From June to July" is one period, and so is "of LTI and MEIER in June and July".
        let one = words[..at].contains(&"from") || words[..at].contains(&"between");
        there
            && (here && devices == 0 && !one
                // "Did LTI make more in June than in May?"
                || here && devices == 1 && !one && !matches!(words[at], "and" | "to")
                || devices <= 1 && words[at] != "and" && !one && !here)
    })
}
