//! The old query with a change.

use chrono::{Datelike, NaiveDate};
use contracts::tools::meanings::{FieldMapping, TermRole};
use contracts::tools::search::{
    Filter, FilterOp, Grouping, IndexDescription, Interval, Measure, MeasureOp, QueryStructure,
    SortBy, TimeRange,
};
use serde_json::Value;

use super::{EditRequest, Removal};
use crate::language::compose::{compared as compared_values, compose, filters, join, sortable};
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
    for filter in filters(&edit.request, mapping) {
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
                known.values.retain(|value| !filter.values.contains(value));
                known.label = None;
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
            known.values.retain(|value| !filter.values.contains(value));
            if known.values.is_empty() {
                self.now.filters[place] = filter;
            } else {
                known.label = None;
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
        self.beside(&mut range);
        let same = self.now.time_range.as_ref().is_some_and(|now| {
            (now.start, now.end, &now.field) == (range.start, range.end, &range.field)
        });
        if !same {
            self.changed(if range.start == range.end {
                format!("on {}", range.start)
            } else {
                format!("from {} to {}", range.start, range.end)
            });
            self.now.time_range = Some(range);
        }
    }

    /// The days with those before where they are to be added: spans that touch become one, months
    /// that are compared one with all between.
    fn beside(&mut self, range: &mut TimeRange) {
        let before = self.old.time_range.as_ref();
        let Some(old) = before.filter(|old| old.field == range.field) else {
            return;
        };
        let gap = range.start.max(old.start) - range.end.min(old.end);
        let touch = gap.num_days() <= 1;
        let months = is_months(old.start, old.end) && is_months(range.start, range.end);
        if self.edit.compares && months || self.edit.widens && touch {
            range.start = old.start.min(range.start);
            range.end = old.end.max(range.end);
        } else if self.edit.compares || self.edit.widens {
            self.changed(
                "only these days, because two spans of days that do not touch cannot be asked at once"
                    .to_owned(),
            );
        }
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
        // Of an order that is gone the first are no longer the first.
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

/// A condition in words: `status is delivered`.
fn described(filter: &Filter) -> String {
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
