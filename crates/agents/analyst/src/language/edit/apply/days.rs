//! The days of the old query, and other ones.

use chrono::{Datelike, NaiveDate};

use contracts::tools::search::{Filter, FilterOp, Grouping, Interval, TimeRange};
use serde_json::Value;

use super::Editor;
use super::spoken::spoken_days;
use crate::language::compose::without_gap;
use crate::language::edit::events::date_of;

impl Editor<'_> {
    /// Months beside each other, where the days were widened to hold both.
    pub(super) fn compared_months(&self) -> Option<Grouping> {
        let range = self.now.time_range.as_ref()?;
        let old = self.old.time_range.as_ref()?;
        let wider = range.start < old.start || range.end > old.end;
        let field = range.field.as_ref().or(self.index.date_field.as_ref())?;
        (wider && is_months(range.start, range.end)).then(|| Grouping {
            field: field.clone(),
            interval: Some(Interval::Month),
        })
    }

    /// Other days; the date that they are of stays, unless a verb says another.
    pub(super) fn time(&mut self, fresh: Option<TimeRange>) {
        let Some(mut range) = fresh else {
            return;
        };
        let words = self.edit.request.time_words.as_ref();
        let verb = words.is_some_and(|words| Some(words) != range.kind.as_ref());
        if let Some(date) = date_of(self.old, self.index).filter(|_| !verb) {
            range.field = Some(date);
        }
        // On these days it has happened.
        let of_days = range.field.clone();
        self.now
            .filters
            .retain(|known| known.op != FilterOp::Exists || Some(&known.field) != of_days.as_ref());
        let gap = self.beside(&mut range);
        let held = self.old.time_range.as_ref();
        let holds = held.is_some_and(|old| range.start <= old.start && range.end >= old.end);
        if self.edit.alternative && !holds {
            self.refusal = Some(format!(
                "I cannot ask for {} beside what was asked: the days do not touch, or the query has none. Ask for each in a request of its own.",
                spoken_days(range.start, range.end).trim_start_matches("in ")
            ));
            return;
        }
        if let Some(field) = range.field.as_ref().or(self.index.date_field.as_ref()) {
            // What was between months that were compared before.
            self.now
                .filters
                .retain(|known| known.or.is_empty() || known.field != *field);
            let without = gap.and_then(|gap| without_gap(field, gap));
            self.now.filters.extend(without);
            // "Due tomorrow" of what was overdue: the new days are not before today.
            let due = self.edit.request.terms.iter();
            let due = due.clone().any(|term| term.op == Some(FilterOp::Missing));
            let field = field.clone();
            self.now.filters.retain(|known| {
                known.field != field || !(excludes(known, &range) || due && is_bound(known.op))
            });
        }
        let same = self.now.time_range.as_ref().is_some_and(|now| {
            (now.start, now.end, &now.field) == (range.start, range.end, &range.field)
        });
        if !same {
            self.changed(match gap {
                Some((gap, next)) => {
                    let until = gap.pred_opt().unwrap_or(gap);
                    format!(
                        "{} beside {}",
                        spoken_days(range.start, until).trim_start_matches("in "),
                        spoken_days(next, range.end).trim_start_matches("in ")
                    )
                }
                None => spoken_days(range.start, range.end),
            });
            self.now.time_range = Some(range);
        }
    }

    /// The days with those before where they are to be added: spans that touch become one, months
    /// that are compared one with all between.
    pub(super) fn beside(&mut self, range: &mut TimeRange) -> Option<(NaiveDate, NaiveDate)> {
        let before = self.old.time_range.as_ref();
        let old = before.filter(|old| old.field == range.field)?;
        let gap = range.start.max(old.start) - range.end.min(old.end);
        let touch = gap.num_days() <= 1;
        let months = is_months(old.start, old.end) && is_months(range.start, range.end);
        if self.edit.compares && months || self.edit.widens && touch {
            let gap = (old.end.min(range.end), old.start.max(range.start));
            range.start = old.start.min(range.start);
            range.end = old.end.max(range.end);
            let next = gap.0.succ_opt().filter(|next| *next < gap.1)?;
            return Some((next, gap.1));
        } else if self.edit.compares || self.edit.widens {
            self.changed(
                "only these days, because two spans of days that do not touch cannot be asked at once"
                    .to_owned(),
            );
        }
        None
    }
}

fn is_bound(op: FilterOp) -> bool {
    matches!(
        op,
        FilterOp::Gt | FilterOp::Gte | FilterOp::Lt | FilterOp::Lte
    )
}

/// Whether a bound of a date leaves none of these days.
fn excludes(filter: &Filter, range: &TimeRange) -> bool {
    let day = filter.values.first().and_then(Value::as_str);
    let Some(day) = day.and_then(|day| day.get(..10)?.parse::<NaiveDate>().ok()) else {
        return false;
    };
    match filter.op {
        FilterOp::Lt => range.start >= day,
        FilterOp::Lte => range.start > day,
        FilterOp::Gt | FilterOp::Gte => range.end < day,
        _ => false,
    }
}

/// Whole months of a calendar.
fn is_months(start: NaiveDate, end: NaiveDate) -> bool {
    start.day() == 1 && end.succ_opt().is_some_and(|next| next.day() == 1)
}
