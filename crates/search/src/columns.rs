//! The columns of a checked query's rows. They are the same for all engines.

use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;
use contracts::tools::search::{
    FieldType, Grouping, IndexDescription, Interval, Measure, MeasureOp, QueryStructure,
    ResultColumn,
};
use serde_json::Value;

use crate::fields::Fields;

/// Maximum number of outermost groups with inner groups. Multiplied by [`inner_groups`] it stays
/// well below the maximum number of buckets of Elasticsearch.
pub(crate) const MAX_NESTED_GROUPS: u32 = 100;

/// Maximum number of groups within each outer group.
pub(crate) fn inner_groups(levels: usize) -> u32 {
    if levels > 2 { 20 } else { 100 }
}

/// The order and the maximum number of the groups of one level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Level<'a> {
    /// The field, and the interval for dates.
    pub(crate) grouping: &'a Grouping,
    /// The sort key. Group keys break ties in ascending order.
    pub(crate) order: Order<'a>,
    /// Whether the greatest comes first.
    pub(crate) descending: bool,
    /// Maximum number of groups. Dates within other groups have no limit.
    pub(crate) size: Option<u32>,
}

/// The sort key of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order<'a> {
    /// The keys of the groups.
    Key,
    /// The value of a measure.
    Measure(&'a Measure),
}

/// The levels of a checked aggregation, outermost first.
pub(crate) fn group_levels(structure: &QueryStructure) -> Vec<Level<'_>> {
    let measure = |name: &str| {
        let mut measures = structure.measures.iter();
        measures.find(|measure| measure.name() == name)
    };
    let is_group = |name: &str| structure.group_by.iter().any(|group| group.field == name);
    let mut by_measure = structure.sort.iter().filter(|sort| !is_group(&sort.by));
    let by_measure = by_measure.find_map(|sort| Some((measure(&sort.by)?, sort.descending)));
    let usual = structure.measures.first().map(|count| (count, true));
    let levels = structure.group_by.iter().enumerate();
    levels
        .map(|(depth, grouping)| {
            let own = structure.sort.iter().find(|sort| sort.by == grouping.field);
            let is_date = grouping.interval.is_some();
            let applies = depth == 0 || !is_date;
            let (order, descending) = match (own, by_measure.filter(|_| applies).or(usual)) {
                (Some(own), _) => (Order::Key, own.descending),
                (None, Some((measure, descending))) if applies => {
                    (Order::Measure(measure), descending)
                }
                (None, _) => (Order::Key, false),
            };
            let size = match depth {
                0 => structure.limit,
                _ => (!is_date).then(|| inner_groups(structure.group_by.len())),
            };
            Level {
                grouping,
                order,
                descending,
                size,
            }
        })
        .collect()
}

/// The columns of a checked query's rows.
pub fn columns(structure: &QueryStructure, index: &IndexDescription) -> Vec<ResultColumn> {
    let fields = Fields::of(index);
    let plain = |name: &str| {
        let field = fields.find(name);
        ResultColumn {
            name: name.to_owned(),
            label: words(field.map_or(name, |field| &field.described.name)),
            field_type: field.map(|field| field.field_type),
            unit: field.and_then(|field| field.described.unit.clone()),
        }
    };
    if structure.measures.is_empty() {
        return structure.fields.iter().map(|name| plain(name)).collect();
    }
    let groups = structure.group_by.iter().map(|grouping| {
        let column = plain(&grouping.field);
        match grouping.interval {
            Some(interval) => ResultColumn {
                label: format!("{} of {}", interval_word(interval), column.label),
                ..column
            },
            None => column,
        }
    });
    let measures = structure.measures.iter().map(|measure| {
        let of = measure.field.as_deref().map(plain);
        let counts = matches!(measure.op, MeasureOp::Count | MeasureOp::Distinct);
        ResultColumn {
            name: measure.name(),
            label: match &of {
                Some(of) => format!("{} {}", measure_word(measure.op), of.label),
                None => "count".to_owned(),
            },
            field_type: if counts {
                Some(FieldType::Long)
            } else if measure.op == MeasureOp::Average {
                Some(FieldType::Double)
            } else {
                of.as_ref().and_then(|of| of.field_type)
            },
            unit: of.filter(|_| !counts).and_then(|of| of.unit),
        }
    });
    groups.chain(measures).collect()
}

/// The key of a date group from the moment at which it begins: the day in the zone, and for hours
/// the time.
pub(crate) fn bucket_day(begins: DateTime<Utc>, interval: Interval, zone: Tz) -> Value {
    let local = begins.with_timezone(&zone);
    match interval {
        Interval::Hour => local.to_rfc3339_opts(SecondsFormat::Secs, true).into(),
        _ => local.date_naive().to_string().into(),
    }
}

pub(crate) fn interval_word(interval: Interval) -> &'static str {
    match interval {
        Interval::Hour => "hour",
        Interval::Day => "day",
        Interval::Week => "week",
        Interval::Month => "month",
        Interval::Quarter => "quarter",
        Interval::Year => "year",
    }
}

pub(crate) fn measure_word(op: MeasureOp) -> &'static str {
    match op {
        MeasureOp::Count => "count of",
        MeasureOp::Sum => "sum of",
        MeasureOp::Average => "average",
        MeasureOp::Minimum => "minimum",
        MeasureOp::Maximum => "maximum",
        MeasureOp::Distinct => "distinct",
    }
}

/// A field name as separate words.
fn words(name: &str) -> String {
    name.replace(['_', '.'], " ")
}
