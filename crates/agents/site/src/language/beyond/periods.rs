//! Questions about days among days and periods beside periods: "the worst day", "June compared to
//! May". The best and the worst of them by energy and two periods that are named are answered.

use contracts::tools::EnergyInterval;

use super::super::classify::device_hints;
use super::super::dates;
use super::super::keywords::{Concept as C, Keywords};
use super::super::loggers::says_all;
use super::super::text::swapped;

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
    let productive = keywords.says_any(&["most productive", "least productive"])
        && words.iter().any(|word| UNITS.contains(word));
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

/// The days, weeks, months or years of which the question picks the best or the worst by energy:
/// "best day of LTI", "when did LTI make the most?". Of several, and by other figures, there is no
/// answer.
pub(in crate::language) fn best_of(keywords: &Keywords<'_>) -> Option<EnergyInterval> {
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
    let others = [C::Money, C::Health, C::Forecast, C::Compare, C::Performance];
    if !ranks_days(keywords)
        || others.iter().any(|other| keywords.has(*other))
        || keywords.word(OTHER)
        || counted(keywords)
    {
        return None;
    }
    let ends = keywords.words.iter().any(|word| is_end(word));
    if !ends && !keywords.word(&["most", "least", "productive"]) {
        return None;
    }
    let picked = |unit: &str| {
        let words = &keywords.words;
        (0..words.len()).any(|at| {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let introduced = before.is_some_and(|before| {
                matches!(
                    *before,
                    "which" | "what" | "productive" | "single" | "energy" | "production"
                ) || is_end(before)
            });
            words[at] == unit && introduced
        })
    };
    Some(match () {
        () if picked("week") => EnergyInterval::Week,
        () if picked("month") => EnergyInterval::Month,
        () if picked("year") => EnergyInterval::Year,
        () => EnergyInterval::Day,
    })
}

/// Whether a number of days is asked for: "top 3 days".
fn counted(keywords: &Keywords<'_>) -> bool {
    let tokens: Vec<_> = keywords.tokens.iter().collect();
    tokens.windows(3).any(|three| {
        let is_number = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_digit())
                || super::super::text::number_word(text).is_some_and(|number| number > 1)
        };
        let of_end =
            is_end(three[0].text) && is_number(three[1].text) && UNITS.contains(&three[2].text);
        let of_number =
            is_number(three[0].text) && is_end(three[1].text) && UNITS.contains(&three[2].text);
        of_end || of_number
    })
}

/// The parts of a text that name the two periods of "the difference between October and November",
/// "November versus December", "more in December than in November".
pub(in crate::language) fn two_periods(text: &str) -> Option<(&str, &str)> {
    const JOINTS: &[&str] = &[
        " and ",
        " to ",
        " with ",
        " than ",
        " against ",
        " versus ",
        " vs ",
        " vs. ",
        " from ",
    ];
    let keywords = Keywords::of(text);
    let sets = keywords.has(C::Compare) || keywords.word(&["than", "against", "compared"]);
    if !sets || keywords.has(C::Health) || keywords.has(C::Forecast) || keywords.has(C::Performance)
    {
        return None;
    }
    // One mention in each part, so that a list of three is none of this.
    let named = |part: &str| {
        let mut message = super::super::text::Message::new(part);
        let (anchor, earliest) = super::super::limits::meaningless();
        let found = dates::find(&message, anchor, earliest)?;
        let period = found.when.period()?;
        found.more.is_empty().then(|| message.mask(found.span))?;
        dates::find(&message, anchor, earliest)
            .is_none()
            .then_some(period)
    };
    let mut at = JOINTS.iter().flat_map(|joint| {
        let places = text.match_indices(joint);
        places.map(move |(at, _)| (at, at + joint.len()))
    });
    at.find_map(|(end, start)| {
        let (first, second) = (&text[..end], &text[start..]);
        let (one, other) = (named(first)?, named(second)?);
        (one != other).then_some((first, second))
    })
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
