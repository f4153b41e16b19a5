//! The old query with a change.

use chrono::{Datelike, NaiveDate};
use contracts::tools::meanings::{FieldMapping, TermRole};
use contracts::tools::search::{
    Filter, FilterOp, Grouping, IndexDescription, Interval, Measure, MeasureOp, QueryStructure,
    SortBy, TimeRange,
};
use serde_json::Value;

use super::{EditRequest, Removal};
use crate::language::compose::{
    compared as compared_values, compose, filters, join, sortable, without_gap,
};
use crate::language::dates::{OPEN_END, OPEN_START};
use crate::words::{compared, label};

/// Number of records that are shown without a requested limit.
const USUAL_LIMIT: u32 = 100;

/// A query that was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// The query now.
    pub structure: QueryStructure,
    /// What changed, each a phrase for a sentence: `status is delivered`; empty when nothing did.
    pub changes: Vec<String>,
}

/// `old` with the change; `mapping` is of the change's terms and names. What the change does not
/// name stays as it is.
pub fn apply(
    old: &QueryStructure,
    edit: &EditRequest,
    mapping: &FieldMapping,
    index: &IndexDescription,
) -> Edited {
    let mut mapping = mapping.clone();
    mapping.entities.retain(|entity| {
        let mut removed = edit.removed.iter();
        !removed.any(|words| words.contains(&entity.mention))
    });
    let mapping = &mapping;
    let fresh = compose(&edit.request, mapping, index);
    let mut editor = Editor {
        now: old.clone(),
        old,
        edit,
        index,
        changes: Vec::new(),
    };
    editor.remove();
    editor.which();
    let wanted = filters(&edit.request, mapping);
    editor.replaced_bounds(&wanted);
    for filter in wanted {
        editor.filter(filter);
    }
    editor.time(fresh.time_range.clone());
    editor.groups(&fresh);
    editor.compare();
    editor.sort(&fresh);
    editor.rank();
    editor.limit(fresh.limit);
    editor.fields(mapping);
    Edited {
        structure: editor.now,
        changes: editor.changes,
    }
}

struct Editor<'e> {
    now: QueryStructure,
    old: &'e QueryStructure,
    edit: &'e EditRequest,
    index: &'e IndexDescription,
    changes: Vec<String>,
}

impl Editor<'_> {
    fn changed(&mut self, what: String) {
        if !self.changes.contains(&what) {
            self.changes.push(what);
        }
    }

    fn remove(&mut self) {
        let mut gone: Vec<usize> = Vec::new();
        for removal in &self.edit.removals {
            match removal {
                Removal::Time if self.now.time_range.take().is_some() => {
                    self.changed("no limit to the days".to_owned());
                }
                Removal::Filters if !self.old.filters.is_empty() => {
                    gone = (0..self.old.filters.len()).collect();
                }
                Removal::Filter(place) => gone.push(*place),
                Removal::Value(place, value) => self.without_value(*place, *value),
                Removal::OtherValues(place, value) => self.only_value(*place, *value),
                Removal::Groups if !self.now.measures.is_empty() => {
                    self.now.group_by.clear();
                    self.now.measures.clear();
                    self.now.sort.clear();
                    self.changed("records instead of groups".to_owned());
                }
                Removal::Sort if !self.now.sort.is_empty() => {
                    self.now.sort.clear();
                    self.changed("no order".to_owned());
                }
                Removal::Limit if self.now.limit.take().is_some() => {
                    self.changed("no limit".to_owned());
                }
                Removal::Field(field) => self.hide(field),
                _ => {}
            }
        }
        for (place, filter) in self.old.filters.iter().enumerate() {
            if gone.contains(&place) {
                self.now.filters.retain(|known| known != filter);
                self.changed(format!("any {}", compared(filter)));
            }
        }
    }

    /// Of several values one is wanted no longer.
    fn without_value(&mut self, place: usize, value: usize) {
        let Some(old) = self.old.filters.get(place) else {
            return;
        };
        let Some(now) = self.now.filters.iter_mut().find(|known| *known == old) else {
            return;
        };
        let Some(gone) = now.values.get(value).cloned() else {
            return;
        };
        now.values.remove(value);
        let mut name = spoken(&gone);
        if let Some(label) = &old.label {
            let mut labels: Vec<&str> = label.split(" or ").collect();
            if labels.len() == old.values.len() {
                labels.remove(value).clone_into(&mut name);
                now.label = Some(labels.join(" or "));
            } else {
                now.label = None;
            }
        }
        self.changed(format!("without {name}"));
    }

    /// Of several values one is wanted only.
    fn only_value(&mut self, place: usize, value: usize) {
        let Some(old) = self.old.filters.get(place) else {
            return;
        };
        let Some(now) = self.now.filters.iter_mut().find(|known| *known == old) else {
            return;
        };
        let Some(kept) = now.values.get(value).cloned() else {
            return;
        };
        now.label = old.label.as_ref().and_then(|label| {
            let labels: Vec<&str> = label.split(" or ").collect();
            let label = labels
                .get(value)
                .filter(|_| labels.len() == old.values.len());
            label.map(|label| (*label).to_owned())
        });
        now.values = vec![kept];
        let phrase = described(now);
        self.changed(phrase);
    }

    /// "Which shipment is that?": the record with the extreme that was computed, or the first one.
    fn which(&mut self) {
        if !self.edit.removals.contains(&Removal::Extreme) {
            return;
        }
        let mut figures = self
            .now
            .measures
            .iter()
            .filter(|measure| measure.field.is_some());
        let only = figures
            .next()
            .filter(|_| figures.next().is_none() && self.now.group_by.is_empty());
        let extreme = only.and_then(|measure| match measure.op {
            MeasureOp::Maximum => Some((measure.field.clone()?, true)),
            MeasureOp::Minimum => Some((measure.field.clone()?, false)),
            _ => None,
        });
        if let Some((field, descending)) = extreme {
            let way = if descending { "greatest" } else { "least" };
            self.changed(format!("the record with the {way} {}", label(&field)));
            self.now.measures.clear();
            let mut shown = self.shown();
            if !shown.contains(&field) {
                shown.push(field.clone());
                self.now.fields = shown;
            }
            self.now.sort = vec![SortBy {
                by: field,
                descending,
            }];
            self.now.limit = Some(1);
        } else if self.now.measures.is_empty() && !self.now.sort.is_empty() {
            self.limit(Some(1));
        }
    }

    /// A new bound takes the place of the old ones of the same number: of an exact amount, and of
    /// one with which no number would be left. Bounds that leave a span narrow it together.
    fn replaced_bounds(&mut self, wanted: &[Filter]) {
        let number = |filter: &Filter| match filter.values.as_slice() {
            [value] => value.as_f64(),
            _ => None,
        };
        for new in wanted {
            let Some(value) = number(new) else { continue };
            let both = wanted
                .iter()
                .filter(|other| other.field == new.field)
                .count()
                > 1;
            let gone = |known: &Filter| {
                if known.field != new.field || self.old.filters.iter().all(|old| old != known) {
                    return false;
                }
                let Some(before) = number(known) else {
                    return false;
                };
                let apart = match (kind(new.op), kind(known.op)) {
                    (1, 2) => value >= before,
                    (2, 1) => value <= before,
                    _ => true,
                };
                both || apart
            };
            let before = self.now.filters.len();
            self.now
                .filters
                .retain(|known| !gone(known) || known == new);
            if self.now.filters.len() < before {
                self.changed(described(new));
            }
        }
    }

    fn hide(&mut self, field: &String) {
        let mut shown = self.shown();
        shown.retain(|known| known != field);
        // A list without any field would show all of them.
        if shown.is_empty() {
            return;
        }
        self.now.fields = shown;
        self.changed(format!("without {}", label(field)));
    }

    fn shown(&self) -> Vec<String> {
        if self.now.fields.is_empty() {
            self.index.shown.clone()
        } else {
            self.now.fields.clone()
        }
    }

    /// A condition takes the place of those of its kind on its field, or joins them.
    fn filter(&mut self, filter: Filter) {
        let before = self.now.filters.clone();
        let phrase = described(&filter);
        let field = filter.field.clone();
        match filter.op {
            FilterOp::Is => self.is(filter),
            FilterOp::IsNot => self.is_not(filter),
            _ => {
                let kind = kind(filter.op);
                let field = filter.field.clone();
                let same = |known: &Filter| known.field == field && self::kind(known.op) == kind;
                // An exact value says more than a bound.
                let new_bounds = before.iter().any(|known| known == &filter);
                if new_bounds {
                    return;
                }
                let place = self.now.filters.iter().position(same);
                self.now.filters.retain(|known| !same(known));
                let place = place.unwrap_or(self.now.filters.len());
                self.now
                    .filters
                    .insert(place.min(self.now.filters.len()), filter);
            }
        }
        if !same_conditions(&self.now.filters, &before) {
            let joined = self
                .now
                .filters
                .iter()
                .find(|known| (self.edit.compares || self.edit.widens) && known.field == field);
            let phrase = joined.map_or(phrase, described);
            self.changed(phrase);
        }
    }

    /// Each of what is compared is a group of its own.
    fn compare(&mut self) {
        if !self.edit.compares || self.now.group_by.len() > 2 {
            return;
        }
        let group = compared_values(&self.now.filters, self.index)
            .or_else(|| self.compared_months())
            .filter(|group| !self.now.group_by.contains(group));
        let Some(group) = group else { return };
        self.changed(format!("by {}", label(&group.field)));
        self.now.group_by.push(group);
        if self.now.measures.is_empty() {
            self.now.fields.clear();
            self.now.measures.push(Measure {
                op: MeasureOp::Count,
                field: None,
            });
        }
        self.now.limit = None;
        self.now.sort.clear();
    }

    /// Months beside each other, where the days were widened to hold both.
    fn compared_months(&self) -> Option<Grouping> {
        let range = self.now.time_range.as_ref()?;
        let old = self.old.time_range.as_ref()?;
        let wider = range.start < old.start || range.end > old.end;
        let field = range.field.as_ref().or(self.index.date_field.as_ref())?;
        (wider && is_months(range.start, range.end)).then(|| Grouping {
            field: field.clone(),
            interval: Some(Interval::Month),
        })
    }

    fn is(&mut self, filter: Filter) {
        let compares = |known: &Filter| {
            known.field == filter.field && matches!(known.op, FilterOp::Is | FilterOp::IsNot)
        };
        let known = self.now.filters.iter().position(compares);
        // Without a condition on the field they are in already.
        if self.edit.widens && known.is_none() && !self.edit.adds {
            return;
        }
        if let Some(place) = known.filter(|_| self.edit.widens || self.edit.compares) {
            let known = &mut self.now.filters[place];
            if known.op == FilterOp::Is {
                join(known, filter);
            } else {
                take_away(known, &filter.values);
                if known.values.is_empty() {
                    self.now.filters.remove(place);
                }
            }
            return;
        }
        let place = self.now.filters.iter().position(compares);
        self.now.filters.retain(|known| !compares(known));
        // "From Hamburg" of what went to Hamburg: the same thing in another place.
        let moved = |known: &Filter| {
            known.op == FilterOp::Is
                && known.label.is_some()
                && known.label == filter.label
                && known.values == filter.values
        };
        self.now.filters.retain(|known| !moved(known));
        let place = place.unwrap_or(self.now.filters.len());
        self.now
            .filters
            .insert(place.min(self.now.filters.len()), filter);
    }

    fn is_not(&mut self, filter: Filter) {
        let same = |known: &Filter, op| known.field == filter.field && known.op == op;
        // Of several values that are wanted, those are wanted no longer.
        if let Some(place) = self
            .now
            .filters
            .iter()
            .position(|known| same(known, FilterOp::Is))
        {
            let known = &mut self.now.filters[place];
            take_away(known, &filter.values);
            if known.values.is_empty() {
                self.now.filters[place] = filter;
            }
            return;
        }
        match self
            .now
            .filters
            .iter_mut()
            .find(|known| same(known, FilterOp::IsNot))
        {
            Some(known) => join(known, filter),
            None => self.now.filters.push(filter),
        }
    }

    /// Other days; the date that they are of stays, unless a verb says another.
    fn time(&mut self, fresh: Option<TimeRange>) {
        let Some(mut range) = fresh else {
            return;
        };
        let words = self.edit.request.time_words.as_ref();
        let verb = words.is_some_and(|words| Some(words) != range.kind.as_ref());
        if let Some(old) = self.old.time_range.as_ref().filter(|_| !verb) {
            range.field.clone_from(&old.field);
        }
        let gap = self.beside(&mut range);
        if let Some(field) = range.field.as_ref().or(self.index.date_field.as_ref()) {
            // What was between months that were compared before.
            self.now
                .filters
                .retain(|known| known.or.is_empty() || known.field != *field);
            let without = gap.and_then(|gap| without_gap(field, gap));
            self.now.filters.extend(without);
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
    fn beside(&mut self, range: &mut TimeRange) -> Option<(NaiveDate, NaiveDate)> {
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

    /// Other groups or figures.
    fn groups(&mut self, fresh: &QueryStructure) {
        let computes = !self.edit.request.measures.is_empty();
        if fresh.group_by.is_empty() && !computes {
            return;
        }
        let before = (self.now.group_by.clone(), self.now.measures.clone());
        let was_records = self.now.measures.is_empty();
        if !fresh.group_by.is_empty() {
            if self.edit.widens && !was_records {
                for group in &fresh.group_by {
                    if !self.now.group_by.contains(group) && self.now.group_by.len() < 3 {
                        self.now.group_by.push(group.clone());
                    }
                }
            } else {
                self.now.group_by.clone_from(&fresh.group_by);
            }
        }
        if computes || was_records {
            self.now.measures.clone_from(&fresh.measures);
        }
        if (&self.now.group_by, &self.now.measures) == (&before.0, &before.1) {
            return;
        }
        self.now.fields.clear();
        if was_records {
            // A limit of records says nothing about groups.
            let limit = self.now.limit.take();
            if let Some(limit) = limit.filter(|limit| *limit < USUAL_LIMIT) {
                self.changed(format!("of all that fit, not only of the first {limit}"));
            }
        }
        let (measures, groups) = (self.now.measures.clone(), self.now.group_by.clone());
        self.sort_follows(&before.1);
        let sorted = !self.now.sort.is_empty();
        self.now.sort.retain(|sort| {
            sortable(sort.by.clone(), &measures, &groups).as_ref() == Some(&sort.by)
        });
        // Without the order, the first records are no longer the first.
        if sorted && self.now.sort.is_empty() && !was_records {
            self.now.limit = None;
        }
        let computed: Vec<String> = measures
            .iter()
            .map(|measure| label(&measure.name()))
            .collect();
        let by: Vec<String> = groups.iter().map(|group| label(&group.field)).collect();
        self.changed(if by.is_empty() {
            computed.join(" and ")
        } else {
            format!("{} by {}", computed.join(" and "), by.join(" and "))
        });
    }

    /// The groups by their figure: by the one that was asked for, not by the count beside it.
    fn rank(&mut self) {
        let Some(descending) = self.edit.ranks else {
            return;
        };
        let figure = self
            .now
            .measures
            .iter()
            .find(|measure| measure.field.is_some());
        let Some(figure) = figure.or(self.now.measures.first()) else {
            return;
        };
        let sort = SortBy {
            by: figure.name(),
            descending,
        };
        if self.now.sort.first() != Some(&sort) {
            let way = if descending { "greatest" } else { "least" };
            self.changed(format!("sorted by {}, the {way} first", label(&sort.by)));
            self.now.sort = vec![sort];
        }
    }

    /// An order by a figure is by the figure that takes the place of it.
    fn sort_follows(&mut self, before: &[Measure]) {
        let ([new], [sort]) = (self.now.measures.as_slice(), self.now.sort.as_mut_slice()) else {
            return;
        };
        if before.iter().any(|measure| measure.name() == sort.by) && !self.now.group_by.is_empty() {
            sort.by = new.name();
        }
    }

    fn sort(&mut self, fresh: &QueryStructure) {
        let wanted = self.edit.wants(TermRole::Sort) || !self.edit.request.sort.is_empty();
        if !wanted || fresh.sort.is_empty() {
            return;
        }
        let (measures, groups) = (&self.now.measures, &self.now.group_by);
        let sort: Vec<_> = fresh
            .sort
            .iter()
            .filter_map(|sort| {
                let by = sortable(sort.by.clone(), measures, groups)?;
                Some(contracts::tools::search::SortBy { by, ..sort.clone() })
            })
            .collect();
        if sort.is_empty() || sort == self.now.sort {
            return;
        }
        let first = &sort[0];
        let way = if first.descending {
            ", the greatest first"
        } else {
            ""
        };
        let phrase = format!("sorted by {}{way}", label(&first.by));
        if measures.is_empty() {
            // What records are sorted by is shown.
            let mut shown = self.shown();
            let known = |field: &String| self.index.fields.iter().any(|known| known.name == *field);
            let new: Vec<String> = sort
                .iter()
                .map(|sort| sort.by.clone())
                .filter(|field| known(field) && !shown.contains(field))
                .collect();
            if !new.is_empty() {
                shown.extend(new);
                self.now.fields = shown;
            }
        }
        self.now.sort = sort;
        self.changed(phrase);
    }

    fn limit(&mut self, limit: Option<u32>) {
        if limit.is_some() && limit != self.now.limit {
            self.now.limit = limit;
            if let Some(limit) = limit {
                self.changed(format!("at most {limit}"));
            }
        }
    }

    /// More fields; groups have none.
    fn fields(&mut self, mapping: &FieldMapping) {
        if !self.now.measures.is_empty() {
            return;
        }
        let selected = mapping
            .fields
            .iter()
            .filter(|field| field.role == TermRole::Select);
        let mut shown = self.shown();
        let mut new = Vec::new();
        for field in selected {
            if !shown.contains(&field.field) {
                shown.push(field.field.clone());
                new.push(format!("with {}", label(&field.field)));
            }
        }
        if !new.is_empty() {
            self.now.fields = shown;
            for what in new {
                self.changed(what);
            }
        }
    }
}

/// Whether conditions are the same, whatever they are called.
fn same_conditions(one: &[Filter], other: &[Filter]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            (&one.field, one.op, &one.values) == (&other.field, other.op, &other.values)
        })
}

/// Whole months of a calendar.
fn is_months(start: NaiveDate, end: NaiveDate) -> bool {
    start.day() == 1 && end.succ_opt().is_some_and(|next| next.day() == 1)
}

/// Conditions that take each other's place.
fn kind(op: FilterOp) -> u8 {
    match op {
        FilterOp::Is | FilterOp::IsNot => 0,
        FilterOp::Gt | FilterOp::Gte => 1,
        FilterOp::Lt | FilterOp::Lte => 2,
        FilterOp::Exists | FilterOp::Missing => 3,
        FilterOp::Matches => 4,
    }
}

/// Days in words: whole months by their names.
fn spoken_days(start: NaiveDate, end: NaiveDate) -> String {
    let month = start.day() == 1 && end.succ_opt().is_some_and(|next| next.day() == 1);
    if start == end {
        format!("on {start}")
    } else if month && (start.year(), start.month()) == (end.year(), end.month()) {
        format!("in {}", start.format("%B %Y"))
    } else if start <= OPEN_START {
        format!("until {end}")
    } else if end >= OPEN_END {
        format!("from {start} on")
    } else {
        format!("from {start} to {end}")
    }
}

/// Takes values away from a condition, with their names.
fn take_away(filter: &mut Filter, gone: &[Value]) {
    let labels: Option<Vec<String>> = filter.label.as_ref().and_then(|label| {
        let labels: Vec<String> = label.split(" or ").map(str::to_owned).collect();
        (labels.len() == filter.values.len()).then_some(labels)
    });
    let kept: Vec<usize> = (0..filter.values.len())
        .filter(|at| !gone.contains(&filter.values[*at]))
        .collect();
    filter.label = labels.map(|labels| {
        let kept: Vec<&str> = kept.iter().map(|at| labels[*at].as_str()).collect();
        kept.join(" or ")
    });
    filter.values.retain(|value| !gone.contains(value));
}

/// A condition in words: `status is delivered`.
fn described(filter: &Filter) -> String {
    if !filter.or.is_empty() {
        let each: Vec<String> = filter.alternatives().iter().map(described).collect();
        return each.join(" or ");
    }
    if let Some(state) = crate::summary::adjective(filter) {
        return format!("only what is {state}");
    }
    let values = filter.label.clone().unwrap_or_else(|| {
        let values: Vec<String> = filter.values.iter().map(spoken).collect();
        values.join(" or ")
    });
    let field = compared(filter);
    match filter.op {
        FilterOp::Is => format!("{field} is {values}"),
        FilterOp::IsNot => format!("{field} is not {values}"),
        FilterOp::Gt => format!("{field} is over {values}"),
        FilterOp::Gte => format!("{field} is at least {values}"),
        FilterOp::Lt => format!("{field} is under {values}"),
        FilterOp::Lte => format!("{field} is at most {values}"),
        FilterOp::Exists => format!("{field} is known"),
        FilterOp::Missing => format!("{field} is not known"),
        FilterOp::Matches => format!("{field} has {values}"),
    }
}

fn spoken(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace('_', " "),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}
