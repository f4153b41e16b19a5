//! Answers that choose a day or a range.

use chrono::NaiveDate;
use contracts::tools::Period;

use super::{Argument, Choice, Offered, PickerAnswer, Reply, only_fillers, shortened};
use crate::language::extraction::earliest;
use crate::language::text::{Message, normalize};
use crate::language::{Horizon, When, dates};
use crate::narrative::format;

pub(super) fn parse(reply: &Reply<'_>, offered: &Offered, horizon: &Horizon<'_>) -> PickerAnswer {
    let first = offered.min_date.unwrap_or_else(|| earliest(horizon));
    let last = offered.max_date.unwrap_or(horizon.anchor);
    // Presets come as tokens: `last_7_days`.
    let text = joined(reply.text).unwrap_or_else(|| reply.text.replace('_', " "));
    let mut message = Message::new(&text);
    let Some(found) = dates::find(&message, last, first) else {
        return whole(&message, first, last, offered).unwrap_or_else(|| reply.refused(not_a_date));
    };
    message.mask(found.span);
    let rest = message.text().replace('\u{1}', " ");
    if !only_fillers(&rest) {
        return reply.refused(not_a_date);
    }
    match found.when {
        When::NotADate { phrase } => PickerAnswer::Invalid {
            reason: not_a_date(&shortened(&phrase)),
        },
        When::Day(day) => taken(
            Period {
                start: day,
                end: day,
            },
            false,
            offered,
            (first, last),
        ),
        When::Apart(_) => PickerAnswer::Invalid {
            reason: "Please choose one period.".to_owned(),
        },
        When::Range(period) => taken(period, found.relative, offered, (first, last)),
    }
}

/// The two days of a list as a range.
fn joined(text: &str) -> Option<String> {
    let (start, end) = text.trim_matches(['[', ']']).split_once(',')?;
    let day = |text: &str| text.trim().trim_matches('"').parse::<NaiveDate>().ok();
    Some(format!("{}:{}", day(start)?, day(end)?))
}

/// "All of it", "everything": the whole range, where a range is asked for.
fn whole(
    message: &Message<'_>,
    first: NaiveDate,
    last: NaiveDate,
    offered: &Offered,
) -> Option<PickerAnswer> {
    let text = normalize(message.text());
    let all = matches!(
        text.trim().trim_end_matches(['.', '!']),
        "all" | "everything" | "all of it" | "all data" | "the whole range" | "max"
    );
    (all && offered.argument == Argument::DateRange).then_some(PickerAnswer::Chosen(Choice::Range(
        Period {
            start: first,
            end: last,
        },
    )))
}

fn taken(
    period: Period,
    relative: bool,
    offered: &Offered,
    (first, last): (NaiveDate, NaiveDate),
) -> PickerAnswer {
    let outside = || PickerAnswer::Invalid {
        reason: format!("I only have data {}.", format::from_to(first, last)),
    };
    match offered.argument {
        Argument::Date if period.start == period.end => {
            if (first..=last).contains(&period.start) {
                PickerAnswer::Chosen(Choice::Day(period.start))
            } else {
                outside()
            }
        }
        Argument::Date => PickerAnswer::Invalid {
            reason: "Please choose a single day.".to_owned(),
        },
        _ => {
            // "Last 30 days" means as much of them as there is; a range by the calendar means
            // exactly that.
            let period = if relative {
                Period {
                    start: period.start.max(first),
                    end: period.end.min(last),
                }
            } else {
                period
            };
            let within = period.start >= first && period.end <= last && period.start <= period.end;
            if within {
                PickerAnswer::Chosen(Choice::Range(period))
            } else {
                outside()
            }
        }
    }
}

fn not_a_date(text: &str) -> String {
    format!("\"{text}\" isn't a date I can use.")
}
