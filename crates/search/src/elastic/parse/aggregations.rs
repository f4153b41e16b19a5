//! Parsing of aggregations: nested groups, and measures.

use contracts::tools::search::{Grouping, Interval, Measure, MeasureOp, SortBy};
use serde_json::{Map, Value};

use super::Reader;
use crate::columns::inner_groups;
use crate::problem::segment;

/// The default number of groups in Elasticsearch.
const DEFAULT_GROUPS: u32 = 10;

/// The number of records.
pub(super) fn count() -> Measure {
    Measure {
        op: MeasureOp::Count,
        field: None,
    }
}

/// The contents of one `aggs` object.
#[derive(Default)]
struct Within {
    /// The measures, with their names.
    measures: Vec<(String, Measure)>,
    /// The nested groups.
    groups: Option<Box<Groups>>,
    /// The limit of the surrounding groups, and its pointer.
    limit: Option<(u32, String)>,
}

/// The groups of one level.
struct Groups {
    at: String,
    grouping: Grouping,
    size: Option<u32>,
    /// The explicit order, if there is one: a name, and whether the greatest comes first.
    order: Option<(String, bool)>,
    within: Within,
}

/// The sort key that an order names.
#[derive(PartialEq)]
enum By {
    Key,
    Measure(String),
}

impl Reader<'_> {
    pub(super) fn aggregations(&mut self, value: &Value, at: &str) {
        let Some(root) = self.within(value, at, 0) else {
            return;
        };
        let mut levels: Vec<&Groups> = Vec::new();
        let mut next = root.groups.as_deref();
        while let Some(groups) = next {
            levels.push(groups);
            next = groups.within.groups.as_deref();
        }
        if root.limit.is_some() || (!levels.is_empty() && !root.measures.is_empty()) {
            self.report(
                at,
                "unsupported",
                "Groups cannot stand beside other aggregations: use a query of its own.",
            );
        }
        let inner_first = levels.iter().rev().map(|groups| &groups.within);
        let mut measures = vec![count()];
        for (_, measure) in inner_first
            .chain([&root])
            .flat_map(|within| &within.measures)
        {
            if !measures.contains(measure) {
                measures.push(measure.clone());
            }
        }
        self.structure.measures = measures;
        for (depth, groups) in levels.iter().enumerate() {
            self.origin(format!("/group_by/{depth}"), groups.at.clone());
            self.structure.group_by.push(groups.grouping.clone());
        }
        self.limits(&levels);
        self.orders(&levels);
    }

    fn within(&mut self, value: &Value, at: &str, depth: usize) -> Option<Within> {
        if depth > 3 {
            self.report(at, "too_large", "Groups can be nested three levels deep.");
            return None;
        }
        let mut within = Within::default();
        for (name, aggregation) in self.object(value, at)? {
            let at = format!("{at}/{}", segment(name));
            let (kind, options, inner) = self.aggregation(aggregation, &at)?;
            let place = format!("{at}/{}", segment(kind));
            match kind {
                "terms" | "date_histogram" => {
                    if within.groups.is_some() {
                        self.report(at, "unsupported", "Several groups must be nested.");
                        return None;
                    }
                    let mut groups = self.groups(kind, options, &place)?;
                    if let Some((key, inner)) = inner {
                        groups.within = self.within(inner, &format!("{at}/{key}"), depth + 1)?;
                    }
                    within.groups = Some(Box::new(groups));
                }
                _ if inner.is_some() => {
                    self.report(
                        at,
                        "unsupported",
                        "Only groups can have nested aggregations.",
                    );
                    return None;
                }
                "bucket_sort" => {
                    let size = self.only(options, "size", &place)?;
                    let size = self.count_of(size, &place)?;
                    within.limit = Some((size, place));
                }
                _ => {
                    let measure = self.measure(kind, options, &place)?;
                    self.origin(format!("/measures/{}", within.measures.len() + 1), &place);
                    within.measures.push((name.clone(), measure));
                }
            }
        }
        Some(within)
    }

    /// The kind of an aggregation, its options, and its nested aggregations.
    #[expect(clippy::type_complexity, reason = "three parts of one object")]
    fn aggregation<'v>(
        &mut self,
        value: &'v Value,
        at: &str,
    ) -> Option<(
        &'v str,
        &'v Map<String, Value>,
        Option<(&'v str, &'v Value)>,
    )> {
        let mut inner = None;
        let mut kind = None;
        for (key, value) in self.object(value, at)? {
            match key.as_str() {
                "aggs" | "aggregations" if inner.is_none() => inner = Some((key.as_str(), value)),
                _ if kind.is_none() => kind = Some((key.as_str(), value)),
                _ => {
                    self.unknown(key, &format!("{at}/{}", segment(key)));
                    return None;
                }
            }
        }
        let Some((kind, options)) = kind else {
            self.report(at, "invalid", "The kind of the aggregation is missing.");
            return None;
        };
        let options = self.object(options, &format!("{at}/{}", segment(kind)))?;
        Some((kind, options, inner))
    }

    fn measure(&mut self, kind: &str, options: &Map<String, Value>, at: &str) -> Option<Measure> {
        let op = match kind {
            "avg" => MeasureOp::Average,
            "sum" => MeasureOp::Sum,
            "min" => MeasureOp::Minimum,
            "max" => MeasureOp::Maximum,
            "cardinality" => MeasureOp::Distinct,
            "value_count" => MeasureOp::Count,
            _ => {
                self.unknown(kind, at);
                return None;
            }
        };
        let field = self.only(options, "field", at)?.as_str();
        if field.is_none() {
            self.report(at, "invalid", "The name of a field must be a string.");
        }
        Some(Measure {
            op,
            field: Some(field?.to_owned()),
        })
    }

    fn groups(&mut self, kind: &str, options: &Map<String, Value>, at: &str) -> Option<Groups> {
        let is_date = kind == "date_histogram";
        let Some(field) = options.get("field").and_then(Value::as_str) else {
            self.report(at, "invalid", "The field is missing.");
            return None;
        };
        let mut groups = Groups {
            at: at.to_owned(),
            grouping: Grouping {
                field: field.to_owned(),
                interval: None,
            },
            size: None,
            order: None,
            within: Within::default(),
        };
        for (key, value) in options {
            let at = format!("{at}/{}", segment(key));
            match key.as_str() {
                "field" => {}
                "order" => groups.order = Some(self.order(value, &at)?),
                "size" if !is_date => groups.size = Some(self.count_of(value, &at)?),
                "min_doc_count" if value == 1 || (is_date && value == 0) => {}
                "calendar_interval" | "interval" if is_date => {
                    groups.grouping.interval = Some(self.interval(value, &at)?);
                }
                "time_zone" if is_date => self.zone(Some(value), &at),
                // The format has no effect, because keys are always written as days.
                "format" if is_date && value.is_string() => {}
                _ => {
                    self.unknown(key, &at);
                    return None;
                }
            }
        }
        if is_date && groups.grouping.interval.is_none() {
            self.report(at, "invalid", "The 'calendar_interval' is missing.");
            return None;
        }
        Some(groups)
    }

    fn interval(&mut self, value: &Value, at: &str) -> Option<Interval> {
        let interval = match value.as_str().unwrap_or_default() {
            "hour" | "1h" => Interval::Hour,
            "day" | "1d" => Interval::Day,
            "week" | "1w" => Interval::Week,
            "month" | "1M" => Interval::Month,
            "quarter" | "1q" => Interval::Quarter,
            "year" | "1y" => Interval::Year,
            _ => {
                self.report(
                    at,
                    "unsupported",
                    "Intervals are hour, day, week, month, quarter and year.",
                );
                return None;
            }
        };
        Some(interval)
    }

    /// An order: one entry, or a list whose second entry breaks ties by the key.
    fn order(&mut self, value: &Value, at: &str) -> Option<(String, bool)> {
        let items = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        let mut orders = Vec::new();
        for item in items {
            let (name, way) = self.single(item, at)?;
            let descending = self.direction(way.as_str().unwrap_or_default(), at)?;
            let name = name.strip_suffix(".value").unwrap_or(name);
            orders.push((name.to_owned(), descending));
        }
        let ties = orders.get(1..).unwrap_or_default();
        if !ties
            .iter()
            .all(|(name, descending)| name == "_key" && !descending)
        {
            self.report(
                at,
                "unsupported",
                "Groups are ordered by one thing; the key breaks ties.",
            );
        }
        let first = orders.into_iter().next();
        if first.is_none() {
            self.report(at, "invalid", "The order is empty.");
        }
        first
    }

    fn count_of(&mut self, value: &Value, at: &str) -> Option<u32> {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        if number.is_none() {
            self.report(at, "invalid", "A whole number is expected here.");
        }
        number
    }

    /// Reads the limit of the outermost groups. Inner groups have the default limit.
    fn limits(&mut self, levels: &[&Groups]) {
        for (depth, groups) in levels.iter().enumerate() {
            let is_date = groups.grouping.interval.is_some();
            let limit = groups.within.limit.as_ref();
            if depth == 0 && is_date {
                self.structure.limit = limit.map(|(size, _)| *size);
            } else if depth == 0 && limit.is_none() {
                self.structure.limit = Some(groups.size.unwrap_or(DEFAULT_GROUPS));
            } else if let Some((_, at)) = limit {
                self.report(
                    at,
                    "unsupported",
                    "Only the outermost date groups support this limit.",
                );
            }
            let usual = inner_groups(levels.len());
            if depth > 0 && groups.size.is_some_and(|size| size != usual) {
                self.report(
                    format!("{}/size", groups.at),
                    "unsupported",
                    format!("Inner groups are limited to {usual}: leave 'size' out."),
                );
            }
            if depth == 0 {
                self.origin("/limit", format!("{}/size", groups.at));
            }
        }
    }

    fn orders(&mut self, levels: &[&Groups]) {
        let mut by_measure: Option<SortBy> = None;
        let mut inner_by_count = false;
        for (depth, groups) in levels.iter().enumerate() {
            let Some((name, descending)) = &groups.order else {
                continue;
            };
            let at = format!("{}/order", groups.at);
            let Some(by) = self.order_by(name, groups, &at) else {
                continue;
            };
            let is_date = groups.grouping.interval.is_some();
            let sort = SortBy {
                by: match &by {
                    By::Key => groups.grouping.field.clone(),
                    By::Measure(measure) => measure.clone(),
                },
                descending: *descending,
            };
            let by_count = sort.by == "count" && sort.descending;
            let same = match (&by, &by_measure) {
                (By::Key, _) => is_date && !descending,
                (By::Measure(_), Some(measure)) => *measure == sort,
                (By::Measure(_), None) => by_count,
            };
            if depth > 0 && same {
                inner_by_count |= by != By::Key && by_count;
                continue;
            }
            let fits = depth == 0
                || by == By::Key
                || (!is_date && by_measure.is_none() && !inner_by_count);
            if !fits {
                self.report(
                    at,
                    "unsupported",
                    "Inner groups must have the order of the outer ones.",
                );
                continue;
            }
            if by != By::Key {
                by_measure = Some(sort.clone());
            }
            self.origin(format!("/sort/{}", self.structure.sort.len()), at);
            self.structure.sort.push(sort);
        }
    }

    fn order_by(&mut self, name: &str, groups: &Groups, at: &str) -> Option<By> {
        match name {
            "_key" | "_term" => return Some(By::Key),
            "_count" => return Some(By::Measure("count".to_owned())),
            _ => {}
        }
        let mut measures = groups.within.measures.iter();
        let found = measures.find(|(known, _)| known == name);
        if found.is_none() {
            self.report(
                at,
                "invalid",
                format!("'{name}' is not a measure within these groups."),
            );
        }
        found.map(|(_, measure)| By::Measure(measure.name()))
    }
}
