//! The old query with a change.

mod conditions;
mod days;
mod spoken;

use contracts::tools::meanings::{FieldMapping, TermRole};
use contracts::tools::search::{IndexDescription, Measure, MeasureOp, QueryStructure, SortBy};

use super::{EditRequest, Removal};
use crate::language::compose::{compared as compared_values, compose, filters, sortable};
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
    /// Why the change cannot be made, a sentence for the person.
    pub refusal: Option<String>,
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
        refusal: None,
    };
    editor.remove();
    editor.which();
    let wanted = filters(&edit.request, mapping);
    if edit.alternative {
        editor.alternatives(&wanted);
    } else {
        editor.replaced_bounds(&wanted);
        for filter in wanted {
            editor.filter(filter);
        }
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
        refusal: editor.refusal,
    }
}

struct Editor<'e> {
    now: QueryStructure,
    old: &'e QueryStructure,
    edit: &'e EditRequest,
    index: &'e IndexDescription,
    changes: Vec<String>,
    refusal: Option<String>,
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

    /// Other groups or figures.
    fn groups(&mut self, fresh: &QueryStructure) {
        // "By month", of the date whose days were asked for.
        let mut fresh = fresh.clone();
        let asked = &self.edit.request.group_by;
        let plain = asked.iter().any(|group| group.term.is_none());
        let days = self.now.time_range.as_ref();
        if let Some(field) = days.and_then(|days| days.field.clone()).filter(|_| plain) {
            for group in &mut fresh.group_by {
                if group.interval.is_some() && self.index.date_field.as_ref() == Some(&group.field)
                {
                    group.field.clone_from(&field);
                }
            }
        }
        let fresh = &fresh;
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
