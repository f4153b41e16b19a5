//! Validation of the shown fields, the groupings and the measures.

use contracts::tools::search::{FieldType, Grouping, Interval, Measure, MeasureOp};

use super::Checker;
use crate::columns::MAX_NESTED_GROUPS;

/// Number of shown fields if neither the query nor the index names any.
const SHOWN: usize = 10;

impl Checker<'_> {
    /// The fields of each record. An exact subfield is replaced by its field, because records have
    /// no subfields.
    pub(super) fn shown(&mut self, asked: &[String]) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for (position, name) in asked.iter().enumerate() {
            if let Some(field) = self.field(name, &format!("/fields/{position}")) {
                shown.push(field.described.name.clone());
            }
        }
        if asked.is_empty() {
            let fields = self.index.fields.iter().map(|field| &field.name);
            shown = if self.index.shown.is_empty() {
                fields.take(SHOWN).cloned().collect()
            } else {
                self.index.shown.clone()
            };
        }
        let mut seen = std::collections::HashSet::new();
        shown.retain(|name| seen.insert(name.clone()));
        shown
    }

    pub(super) fn groups(&mut self, asked: &[Grouping]) -> Vec<Grouping> {
        let mut groups: Vec<Grouping> = Vec::new();
        for (position, grouping) in asked.iter().enumerate() {
            let pointer = format!("/group_by/{position}");
            let Some(field) = self.exact_field(&grouping.field, &format!("{pointer}/field")) else {
                continue;
            };
            let is_date = field.field_type == FieldType::Date;
            if field.field_type == FieldType::Double {
                self.report(
                    format!("{pointer}/field"),
                    "wrong_type",
                    format!(
                        "'{}' is a number with decimals. It cannot be grouped by.",
                        field.name
                    ),
                );
            }
            if grouping.interval.is_some() && !is_date {
                self.report(
                    format!("{pointer}/interval"),
                    "wrong_type",
                    format!("'{}' is not a date field: it has no intervals.", field.name),
                );
            }
            if groups.iter().any(|group| group.field == field.name) {
                self.report(
                    pointer,
                    "invalid",
                    format!("The query groups by '{}' twice.", field.name),
                );
            }
            groups.push(Grouping {
                field: field.name.to_owned(),
                interval: is_date.then(|| grouping.interval.unwrap_or(Interval::Day)),
            });
        }
        groups
    }

    /// The measures. The number of records always comes first, because every source returns it
    /// anyway.
    pub(super) fn measures(&mut self, asked: &[Measure]) -> Vec<Measure> {
        let mut measures = vec![Measure {
            op: MeasureOp::Count,
            field: None,
        }];
        for (position, measure) in asked.iter().enumerate() {
            if let Some(measure) = self.measure(measure, &format!("/measures/{position}"))
                && !measures.contains(&measure)
            {
                measures.push(measure);
            }
        }
        measures
    }

    fn measure(&mut self, measure: &Measure, pointer: &str) -> Option<Measure> {
        let at = format!("{pointer}/field");
        let Some(name) = &measure.field else {
            if measure.op != MeasureOp::Count {
                self.report(at, "invalid", "The measure needs a field.");
                return None;
            }
            return Some(measure.clone());
        };
        let field = match measure.op {
            MeasureOp::Distinct | MeasureOp::Count => self.exact_field(name, &at)?,
            _ => self.field(name, &at)?,
        };
        let fits = match measure.op {
            MeasureOp::Count | MeasureOp::Distinct => true,
            MeasureOp::Minimum | MeasureOp::Maximum => {
                field.field_type.is_number() || field.field_type == FieldType::Date
            }
            MeasureOp::Sum | MeasureOp::Average => field.field_type.is_number(),
        };
        if !fits {
            self.report(at, "wrong_type", format!("'{name}' is not a number field."));
            return None;
        }
        Some(Measure {
            op: measure.op,
            field: Some(field.name.to_owned()),
        })
    }

    /// Maximum number of groups. Groups by date alone need no limit, because their source has none.
    pub(super) fn group_limit(&mut self, asked: Option<u32>, groups: &[Grouping]) -> Option<u32> {
        let outermost = groups.first()?;
        let most = match groups.len() {
            1 => self.limits.max_groups,
            _ => self.limits.max_groups.min(MAX_NESTED_GROUPS),
        };
        let default = self.limits.default_rows.min(most);
        let default = outermost.interval.is_none().then_some(default);
        self.limit(asked, default, most)
    }
}
