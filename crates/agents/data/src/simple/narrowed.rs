//! Messages that narrow the question before them: "only the active ones", "and in Bonn?", "only
//! those over 5".

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::Regex;

use super::{Adds, Asks, Limits, Shape, periods};
use crate::language::{
    names::{named, spoken_among, spoken_plural},
    pattern,
};

static ONLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:and|but|now|ok|please)\s+)*(?:only|just)\s+(?:(?:the|those|these|ones|that|which|who|are)\s+)*(?P<what>[^?]+?)(?:\s+(?:ones|of\s+them|of\s+those))?$",
    )
});
static WHERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:and|but|now|what\s+about|how\s+about)\s+)*(?P<what>(?:in|from|at|since|after|before|during)\s+[^?]+)$",
    )
});
static OTHER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^(?:and|what\s+about|how\s+about)\s+(?P<what>[\w ,.&/-]+)$"));
static SIZE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:with\s+)?(?P<sign>over|above|more\s+than|under|below|fewer\s+than|less\s+than|at\s+least|at\s+most|exactly)\s+(?P<number>\d+)$",
    )
});

/// Words that conditions behind a name begin with.
const BEHIND: [&str; 24] = [
    "in", "from", "at", "of", "with", "without", "after", "before", "since", "until", "during",
    "between", "over", "above", "under", "below", "more", "less", "fewer", "having", "on", "not",
    "neither", "for",
];

/// The question before with the condition that the message adds, or has in place of one of its
/// kind.
pub(super) fn question<'a>(
    last: &Shape,
    text: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let mut limits = last.limits.clone();
    if let Some(found) = ONLY.as_ref()?.captures(text) {
        let what = &found["what"];
        if let (Asks::CountBy(by), Some(size)) = (&last.asks, SIZE.as_ref()?.captures(what)) {
            let them = limits.around(&spoken_among(&last.table, tables.clone()));
            let groups = spoken_plural(named(by, tables)?);
            let (sign, number) = (&size["sign"], &size["number"]);
            return Some(format!("{groups} with {sign} {number} {them}"));
        }
        let first = what.split_whitespace().next()?.to_lowercase();
        if BEHIND.contains(&&*first) {
            add(&mut limits, what);
        } else {
            let before = format!("{what} {}", limits.before);
            before.trim().clone_into(&mut limits.before);
        }
    } else if let Some(found) = WHERE.as_ref()?.captures(text) {
        add(&mut limits, &found["what"]);
    } else {
        // "And Kiel?" behind "in Bonn".
        let other = &OTHER.as_ref()?.captures(text)?["what"];
        let before = super::conditions::plainly(&limits.after);
        let (begin, value) = before.split_once(' ')?;
        let is_place = ["in", "from", "at", "of", "for"].contains(&&*begin.to_lowercase());
        if !is_place || is_period(before) || value.contains(" with") {
            return None;
        }
        limits.after = format!("{begin} {other}");
    }
    let them = limits.around(&spoken_among(&last.table, tables));
    whole(&last.asks, &them)
}

/// Adds a condition behind the name, in place of one of its kind if that is the only one.
fn add(limits: &mut Limits, what: &str) {
    let before = super::conditions::plainly(&limits.after).to_owned();
    let is_replaced = WHERE
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(&before))
        && is_period(&before) == is_period(what);
    limits.after = if is_replaced {
        what.to_owned()
    } else {
        format!("{before} {what}").trim().to_owned()
    };
}

/// Whether the words are days, of any year.
fn is_period(text: &str) -> bool {
    let day = NaiveDate::from_ymd_opt(2000, 1, 1);
    day.is_some_and(|day| periods::read(text, periods::Clock::of(day)).is_some())
}

/// The question for rows in these words.
fn whole(asks: &Asks, them: &str) -> Option<String> {
    Some(match asks {
        Asks::Count => format!("How many {them} are there?"),
        Asks::CountBy(by) => format!("How many {them} are there per {by}?"),
        Asks::List => format!("List all {them}"),
        Asks::First(first) => format!("List the first {first} {them}"),
        Asks::Total { adds, measure, by } => {
            let adds = match adds {
                Adds::Sum => "total",
                Adds::Average => "average",
            };
            let what = format!("What is the {adds} {measure}");
            let by = by
                .as_ref()
                .map_or_else(String::new, |by| format!(" per {by}"));
            format!("{} of {them}{by}?", what.trim_end())
        }
        Asks::Ranked { .. } | Asks::RankedTotal { .. } | Asks::Top { .. } => return None,
    })
}
