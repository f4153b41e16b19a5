//! Sort orders without ties.

use contracts::tools::search::{FieldType, Grouping, Measure, SortBy};

use super::Checker;
use crate::problem::{nearest, problem};

impl Checker<'_> {
    /// The order of records: the requested one, otherwise the newest first. The id breaks ties.
    pub(super) fn record_order(&mut self, asked: &[SortBy]) -> Vec<SortBy> {
        let mut order: Vec<SortBy> = Vec::new();
        for (position, sort) in asked.iter().enumerate() {
            let Some(field) = self.exact_field(&sort.by, &format!("/sort/{position}/by")) else {
                continue;
            };
            if !order.iter().any(|before| before.by == field.name) {
                order.push(SortBy {
                    by: field.name.to_owned(),
                    descending: sort.descending,
                });
            }
        }
        let index = self.index;
        if asked.is_empty() {
            let date = index.date_field.as_deref();
            let date = date.and_then(|name| self.fields.find(name));
            order.extend(
                date.filter(|field| field.field_type == FieldType::Date)
                    .map(|field| SortBy {
                        by: field.name.to_owned(),
                        descending: true,
                    }),
            );
        }
        let id = index.id_field.as_deref();
        let id = id.and_then(|name| self.fields.find(name)?.exact());
        if let Some(id) = id
            && !order.iter().any(|before| before.by == id.name)
        {
            order.push(SortBy {
                by: id.name.to_owned(),
                descending: false,
            });
        }
        order
    }

    /// The order of groups, in the form from which [`crate::columns::group_levels`] derives the
    /// order of each level: first the order of the outermost groups, then the measure if it orders
    /// only inner groups, then the fields of inner groups.
    pub(super) fn group_order(
        &mut self,
        asked: &[SortBy],
        groups: &[Grouping],
        measures: &[Measure],
    ) -> Vec<SortBy> {
        let Some((outermost, inner)) = groups.split_first() else {
            return Vec::new();
        };
        let mut by_measure: Option<SortBy> = None;
        let mut by_field: Vec<SortBy> = Vec::new();
        for (position, sort) in asked.iter().enumerate() {
            let exact = self
                .fields
                .find(&sort.by)
                .and_then(super::super::fields::Field::exact);
            let name = exact.map_or(sort.by.as_str(), |field| field.name);
            let sort = SortBy {
                by: name.to_owned(),
                descending: sort.descending,
            };
            if groups.iter().any(|group| group.field == name) {
                if !by_field.iter().any(|before| before.by == name) {
                    by_field.push(sort);
                }
            } else if measures.iter().any(|measure| measure.name() == sort.by) {
                if by_measure.is_some() {
                    self.report(
                        format!("/sort/{position}"),
                        "unsupported",
                        "Groups are ordered by one measure.",
                    );
                }
                by_measure = Some(sort);
            } else {
                self.unknown_order(position, &sort.by, groups, measures);
            }
        }
        let of = |group: &Grouping| by_field.iter().find(|sort| sort.by == group.field).cloned();
        let mut order = Vec::new();
        if let Some(first) = of(outermost) {
            order.push(first);
            // The measure also orders inner groups that have no order of their own. Their default
            // is the number of records.
            let orders = inner
                .iter()
                .any(|group| group.interval.is_none() && of(group).is_none());
            let usual = |sort: &SortBy| sort.by == "count" && sort.descending;
            order.extend(by_measure.filter(|sort| orders && !usual(sort)));
        } else {
            order.push(by_measure.unwrap_or_else(|| usual_order(outermost)));
        }
        // Inner dates are always in chronological order.
        let inner = inner.iter().filter_map(|group| {
            of(group).filter(|sort| group.interval.is_none() || sort.descending)
        });
        order.extend(inner);
        order
    }

    fn unknown_order(
        &mut self,
        position: usize,
        name: &str,
        groups: &[Grouping],
        measures: &[Measure],
    ) {
        let mut unknown = problem(
            format!("/sort/{position}/by"),
            "unknown_field",
            format!("'{name}' is neither a measure nor a grouping of this aggregation."),
        );
        let names: Vec<String> = measures.iter().map(Measure::name).collect();
        let names = names.iter().map(String::as_str);
        unknown.suggestions = nearest(
            name,
            names.chain(groups.iter().map(|group| group.field.as_str())),
        );
        self.problems.push(unknown);
    }
}

/// Dates in chronological order, everything else by the number of records.
fn usual_order(group: &Grouping) -> SortBy {
    match group.interval {
        Some(_) => SortBy {
            by: group.field.clone(),
            descending: false,
        },
        None => SortBy {
            by: "count".to_owned(),
            descending: true,
        },
    }
}
