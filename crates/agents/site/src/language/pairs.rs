//! Two periods that a message sets side by side: "October against November", "last week with the
//! week before", "June 2025 and the same month a year earlier", "worse since last week".

use std::borrow::Cow;

use chrono::{Days, Months, NaiveDate};
use contracts::tools::Period;

use super::classify::device_hints;
use super::dates::{self, Clock};
use super::keywords::{Concept as C, Keywords};
use super::limits;
use super::text::{Kind, Message, Token, number_word};

/// Words that set two periods side by side.
const COMPARES: &[&str] = &[
    "compare",
    "compares",
    "compared",
    "comparing",
    "comparison",
    "comparisons",
    "comparative",
    "difference",
    "differences",
    "differ",
    "differs",
    "versus",
    "vs",
    "than",
    "against",
    "beside",
    "change",
    "changed",
    "changes",
];

/// Words between two periods, those that can join days of one period last.
const JOINTS: &[&str] = &[
    " than ",
    " against ",
    " versus ",
    " vs ",
    " vs. ",
    " over ",
    " beside ",
    " with ",
    " from ",
    " and ",
    " to ",
];

/// Words for less than before, and for more.
const WORSE: &[&str] = &[
    "worse",
    "less",
    "lower",
    "declined",
    "decreased",
    "dropped",
    "fell",
    "fallen",
    "down",
    "weaker",
    "deteriorated",
    "worsened",
    "lost",
];
const BETTER: &[&str] = &[
    "better",
    "more",
    "higher",
    "improved",
    "increased",
    "rose",
    "risen",
    "up",
    "stronger",
    "gained",
];

/// Words for a change of either kind.
const CHANGED: &[&str] = &["changed", "change", "changes", "differ", "different"];

/// Words between a joint and its period.
const SMALL: &[&str] = &["in", "on", "of", "the", "during", "for", "that", "those"];

/// The length of a period that a message names by a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Day,
    Week,
    Month,
    Year,
}

impl Length {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "day" | "days" => Self::Day,
            "week" | "weeks" => Self::Week,
            "month" | "months" => Self::Month,
            "year" | "years" => Self::Year,
            _ => return None,
        })
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The length of a period, where it is one of these.
    fn of(period: Period) -> Option<Self> {
        let days = (period.end - period.start).num_days() + 1;
        Some(match days {
            1 => Self::Day,
            7 => Self::Week,
            28..=31 => Self::Month,
            365 | 366 => Self::Year,
            _ => return None,
        })
    }
}

/// One of the two periods.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Side<'t> {
    /// By words of its own.
    Named(Cow<'t, str>),
    /// A number of days, weeks, months or years before the other one: "the week before".
    Before(u32, Length),
    /// The days right before the other one, in the same number: "the previous one".
    Previous,
    /// The same days of the year, month or week before: "the same month last year".
    Same(Length),
}

/// The direction of a change that a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Less than before.
    Less,
    /// More than before.
    More,
}

/// Two periods that a message sets side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair<'t> {
    one: Side<'t>,
    other: Side<'t>,
}

impl Pair<'_> {
    /// Both periods, the earlier one first.
    pub(super) fn periods(&self, clock: &Clock<'_>) -> Option<(Period, Period)> {
        let named = |side: &Side<'_>| match side {
            Side::Named(words) => dates::find_by(&Message::new(words), clock)?.when.period(),
            _ => None,
        };
        let (one, other) = match (named(&self.one), named(&self.other)) {
            (Some(one), None) => (one, self.other.beside(one)?),
            (None, Some(other)) => (self.one.beside(other)?, other),
            (one, other) => (one?, other?),
        };
        if one == other {
            return None;
        }
        let order = |period: &Period| (period.start, period.end);
        Some(if order(&one) < order(&other) {
            (one, other)
        } else {
            (other, one)
        })
    }
}

impl Side<'_> {
    /// The period that is named by the other one.
    fn beside(&self, other: Period) -> Option<Period> {
        match *self {
            Self::Named(_) => None,
            Self::Before(count, Length::Year) if Length::of(other) != Some(Length::Year) => {
                months_before(other, count.checked_mul(12)?)
            }
            Self::Before(count, length) => {
                let words = format!("{count} {}s before", length.noun());
                Some(dates::beside(&Message::new(&words), other)?.0)
            }
            Self::Previous => {
                if let Some(length) = Length::of(other) {
                    return Self::Before(1, length).beside(other);
                }
                let days = Days::new((other.end - other.start).num_days().try_into().ok()?);
                let end = other.start.pred_opt()?;
                let start = end.checked_sub_days(days)?;
                Some(Period { start, end })
            }
            Self::Same(Length::Year) if Length::of(other) == Some(Length::Week) => {
                days_before(other, 364)
            }
            Self::Same(Length::Year) => months_before(other, 12),
            Self::Same(Length::Month) => months_before(other, 1),
            Self::Same(Length::Week) => days_before(other, 7),
            Self::Same(Length::Day) => days_before(other, 1),
        }
    }
}

fn days_before(period: Period, days: u64) -> Option<Period> {
    Some(Period {
        start: period.start.checked_sub_days(Days::new(days))?,
        end: period.end.checked_sub_days(Days::new(days))?,
    })
}

/// The same days, a number of months before; of whole months whole months.
fn months_before(period: Period, months: u32) -> Option<Period> {
    let back = |day: NaiveDate| day.checked_sub_months(Months::new(months));
    let next = period.end.succ_opt()?;
    let ends_a_month = chrono::Datelike::day(&next) == 1;
    Some(Period {
        start: back(period.start)?,
        end: if ends_a_month {
            back(next)?.pred_opt()?
        } else {
            back(period.end)?
        },
    })
}

/// The two periods that a text sets side by side, whatever it asks of them.
pub(super) fn pair(text: &str) -> Option<Pair<'_>> {
    let keywords = Keywords::of(text);
    if keywords.has(C::Forecast) {
        return None;
    }
    over_itself(&keywords).or_else(|| {
        let compares = keywords.word(COMPARES) || moves(&keywords);
        let two = compares.then(|| two_sided(text, &keywords)).flatten();
        two.or_else(|| one_sided(text, &keywords))
    })
}

/// The two periods of which a text sets the energy, the money or the carbon dioxide side by side.
pub(super) fn two_periods(text: &str) -> Option<Pair<'_>> {
    let keywords = Keywords::of(text);
    let other = keywords.has(C::Health)
        || keywords.has(C::Diagnose)
        || keywords.has(C::Efficiency)
        || keywords.word(&[
            "ratio",
            "pr",
            "availability",
            "irradiance",
            "sunlight",
            "peak",
        ]);
    (!other).then(|| pair(text)).flatten()
}

/// The direction of the change that a text asks devices for: "which devices got worse since last
/// week?".
pub(super) fn change(text: &str) -> Option<Change> {
    let keywords = Keywords::of(text);
    if !keywords.word(&["which", "who", "what", "any"]) {
        return None;
    }
    match (keywords.word(WORSE), keywords.word(BETTER)) {
        (true, false) => Some(Change::Less),
        (false, true) => Some(Change::More),
        _ => None,
    }
}

/// Whether a text has a word for a change.
fn moves(keywords: &Keywords<'_>) -> bool {
    keywords.word(WORSE) || keywords.word(BETTER) || keywords.word(CHANGED)
}

/// "Week over week", "month on month".
fn over_itself<'t>(keywords: &Keywords<'t>) -> Option<Pair<'t>> {
    keywords.words.windows(3).find_map(|three| {
        let length = Length::named(three[0]).filter(|_| matches!(three[1], "over" | "on"))?;
        (three[0] == three[2] && length != Length::Day).then(|| running(length))
    })
}

/// The week, month or year that runs, and the one before.
fn running<'t>(length: Length) -> Pair<'t> {
    let noun = length.noun();
    Pair {
        one: Side::Named(format!("this {noun}").into()),
        other: Side::Named(format!("last {noun}").into()),
    }
}

fn two_sided<'t>(text: &'t str, keywords: &Keywords<'_>) -> Option<Pair<'t>> {
    let of_devices = keywords.has(C::Device) || hints(&keywords.tokens) > 1;
    let mut places = JOINTS.iter().flat_map(|joint| {
        let places = text.match_indices(joint);
        places.map(move |(at, _)| (*joint, at, at + joint.len()))
    });
    places.find_map(|(joint, end, start)| {
        let (first, second) = (text.get(..end)?, text.get(start..)?);
        let found = named(first)?;
        let other = side(second)?;
        if other == Side::Named(second.into()) && named(second)?.1 == found.1 {
            return None;
        }
        let lead = Keywords::of(first.get(..found.0)?);
        let devices_first = lead.has(C::Device) || hints(&lead.tokens) > 0;
        let mention = Keywords::of(first.get(found.0..)?);
        // The days of "from 1 June" begin with their preposition.
        let before = match mention.words.first() {
            Some(word @ (&"from" | &"since" | &"between")) => word,
            _ => lead.words.last().copied().unwrap_or_default(),
        };
        // "Of LTI and MEIER in June and July", "from June to July" are one period.
        let is_one = match joint {
            " and " => {
                !compares(keywords)
                    || of_devices && devices_first
                    || before == "between" && !keywords.word(&["difference", "differences"])
            }
            " to " | " from " => {
                !compares(keywords) || matches!(before, "from" | "between" | "since")
            }
            _ => false,
        };
        // "LTI in June with MEIER in July": each has days of its own.
        let own = hints_of(first) > 0 && hints_of(second) > 0;
        // The one before "this month" is a month, however much of this one is over.
        let length = mention.words.iter().find_map(|word| {
            let month = dates::month(word).map(|_| Length::Month);
            Length::named(word).or(month)
        });
        let other = match (other, length) {
            (Side::Previous, Some(length)) => Side::Before(1, length),
            (other, _) => other,
        };
        (!is_one && !own).then(|| Pair {
            one: Side::Named(first.into()),
            other,
        })
    })
}

/// Whether words compare, and do not only rank.
fn compares(keywords: &Keywords<'_>) -> bool {
    keywords.word(COMPARES)
}

/// "More than last month", "compare with the previous week", "worse since last week": beside the
/// week, month or year that runs.
fn one_sided<'t>(text: &str, keywords: &Keywords<'_>) -> Option<Pair<'t>> {
    let (start, _) = named(text)?;
    // The days of "since last week" begin with the joint.
    let since = text.get(start..)?.starts_with("since ");
    let start = start + if since { "since ".len() } else { 0 };
    let lead = Keywords::of(text.get(..start)?);
    let mut before = lead
        .words
        .iter()
        .rev()
        .skip_while(|word| SMALL.contains(word));
    let joint = before.next()?;
    let joins = match *joint {
        "than" | "against" | "versus" | "vs" => true,
        "with" | "to" => compares(keywords),
        "since" | "from" | "over" => moves(keywords) && !keywords.has(C::Money),
        _ => false,
    };
    let rest = Keywords::of(text.get(start..)?);
    let [first, second, ..] = rest.words.as_slice() else {
        return None;
    };
    let length = Length::named(second)
        .filter(|length| *length != Length::Day && matches!(*first, "last" | "previous" | "prior"));
    joins.then(|| length.map(running)).flatten()
}

/// The start of the one mention of days in a part of a text, and its days; `None` if it has
/// several, so that a list of three is none of two periods.
fn named(part: &str) -> Option<(usize, Period)> {
    let mut message = Message::new(part);
    let (anchor, earliest) = limits::meaningless();
    let found = dates::find(&message, anchor, earliest)?;
    let period = found.when.period()?;
    let start = found.span.start;
    found.more.is_empty().then(|| message.mask(found.span))?;
    let only = dates::find(&message, anchor, earliest).is_none();
    only.then_some((start, period))
}

/// The period that the part behind a joint names, alone or by the other one.
fn side(part: &str) -> Option<Side<'_>> {
    let keywords = Keywords::of(part);
    let words = &keywords.words;
    let behind = words.iter().position(|word| !SMALL.contains(word))?;
    let words = &words[behind..];
    if words[0] == "same" {
        let back = words.windows(2).find_map(|pair| match pair {
            ["last" | "previous", length] | [length, "before" | "earlier" | "ago" | "prior"] => {
                Length::named(length)
            }
            _ => None,
        });
        return back.map(Side::Same);
    }
    before(words).or_else(|| named(part).map(|_| Side::Named(part.into())))
}

/// "The week before", "two months earlier", "the previous week", "the previous one", "last".
fn before<'t>(words: &[&str]) -> Option<Side<'t>> {
    let is_before = |word: Option<&&str>| {
        word.is_some_and(|word| matches!(*word, "before" | "earlier" | "prior"))
    };
    let ends = |at: usize| {
        words.get(at).is_none_or(|word| {
            !matches!(*word, "yesterday" | "last" | "this") && dates::month(word).is_none()
        })
    };
    let (count, at) = match words[0] {
        "a" | "one" => (1, 1),
        word => number_word(word).map_or((1, 0), |count| (count, 1)),
    };
    if let Some(length) = words.get(at).and_then(|word| Length::named(word))
        && is_before(words.get(at + 1))
        && ends(at + 2)
    {
        return Some(Side::Before(count, length));
    }
    match words {
        ["previous" | "preceding" | "prior", one, ..] => match Length::named(one) {
            Some(length) => Some(Side::Before(1, length)),
            None => matches!(*one, "one" | "period").then_some(Side::Previous),
        },
        ["one" | "period", next, ..] if is_before(Some(next)) => Some(Side::Previous),
        ["last"] | ["last", "one" | "period", ..] => Some(Side::Previous),
        _ => None,
    }
}

/// The devices and sites that tokens name.
fn hints(tokens: &[Token<'_>]) -> usize {
    let masked = tokens
        .iter()
        .filter(|token| token.is("\u{1}") && !token.glued)
        .count();
    let sites = tokens
        .iter()
        .filter(|token| token.kind == Kind::Word && token.is("site"));
    device_hints(tokens) + masked + sites.count()
}

fn hints_of(text: &str) -> usize {
    hints(&Keywords::of(text).tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn periods(text: &str) -> Option<String> {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let clock = Clock::at(day("2025-11-12"), day("2023-01-01"));
        let text = super::super::text::normalize(text);
        let (earlier, later) = two_periods(&text)?.periods(&clock)?;
        let shown = |period: Period| format!("{}..{}", period.start, period.end);
        Some(format!("{} {}", shown(earlier), shown(later)))
    }

    #[test]
    fn two_periods_of_many_wordings() {
        let weeks = "2025-10-27..2025-11-02 2025-11-03..2025-11-09";
        let months = "2025-10-01..2025-10-31 2025-11-01..2025-11-12";
        let running = "2025-11-03..2025-11-09 2025-11-10..2025-11-12";
        for (text, expected) in [
            ("Compare last week with the week before", weeks),
            (
                "Compare last week with the week before for all devices",
                weeks,
            ),
            ("last week vs the previous week per device", weeks),
            ("last week compared to the one before", weeks),
            ("Compare October with November for all devices", months),
            ("Compare October and November per device", months),
            ("this month vs last month for each inverter", months),
            ("how does this month compare to last?", months),
            (
                "did all inverters make more this month than last month?",
                months,
            ),
            ("did we make more than last month?", months),
            ("month over month per device", months),
            ("which devices got worse since last week?", running),
            ("which inverters improved over last week?", running),
            (
                "3 June versus 10 June",
                "2025-06-03..2025-06-03 2025-06-10..2025-06-10",
            ),
            (
                "October 2025 against October 2024",
                "2024-10-01..2024-10-31 2025-10-01..2025-10-31",
            ),
            (
                "compare October with the same month last year",
                "2024-10-01..2024-10-31 2025-10-01..2025-10-31",
            ),
            (
                "compare february 2025 with the same month a year earlier",
                "2024-02-01..2024-02-29 2025-02-01..2025-02-28",
            ),
            (
                "how did October do against the year before?",
                "2024-10-01..2024-10-31 2025-10-01..2025-10-31",
            ),
            (
                "yesterday vs the day before",
                "2025-11-10..2025-11-10 2025-11-11..2025-11-11",
            ),
        ] {
            assert_eq!(periods(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn one_period_is_none_of_two() {
        for text in [
            "compare all devices in June and July",
            "compare LTI and MEIER in June and July",
            "rank the inverters in June and July",
            "compare all devices from 1 June to 10 June",
            "compare all devices between June and July",
            "did LTI make more than MEIER last month?",
            "compare LTI with MEIER last week",
            "compare LTI-INV-001 in June with MEIER-INV-001 in July",
            "compare the devices since last week",
            "energy of LTI in June and July",
            "compare the forecast with last week",
            "compare the performance ratio of LTI in June with July",
        ] {
            assert_eq!(periods(text), None, "{text}");
        }
    }
}
