//! Aggregations. Each level of groups is ranked within the surrounding level, as in Elasticsearch.

use contracts::tools::search::{Grouping, Interval, Measure, MeasureOp, QueryStructure};

use super::{Bind, ColumnKind, Writer, quoted};
use crate::columns::{Level, Order, group_levels};

impl Writer<'_> {
    pub(super) fn aggregation(
        &mut self,
        structure: &QueryStructure,
        tenant: Option<&str>,
        max: u32,
    ) -> String {
        let base = self.base(structure, tenant);
        let levels = group_levels(structure);
        let values: Vec<String> = (0..structure.measures.len())
            .map(|position| computed(structure, position))
            .collect();
        if levels.is_empty() {
            return format!(
                "WITH base AS ({base}) SELECT json_build_array({})::text FROM base",
                values.join(", ")
            );
        }
        let mut with = vec![format!("base AS ({base})")];
        for depth in 0..levels.len() {
            let level = self.level(structure, &levels, depth, &values);
            with.push(format!("l{depth} AS ({level})"));
        }
        let last = levels.len() - 1;
        let keys = (0..levels.len()).map(|depth| format!("g{depth}"));
        let computed = (0..values.len()).map(|position| format!("v{position}"));
        let shown: Vec<String> = keys
            .chain(computed)
            .chain(["(SELECT count(*) FROM l0)".to_owned()])
            .collect();
        let ranks: Vec<String> = (0..levels.len()).map(|depth| format!("r{depth}")).collect();
        let within = self.within(&levels, last, "");
        let max = self.bind(Bind::Integer(max.into()));
        format!(
            "WITH {} SELECT json_build_array({})::text FROM l{last}{within} ORDER BY {} LIMIT {max}",
            with.join(", "),
            shown.join(", "),
            ranks.join(", ")
        )
    }

    /// The group keys and the arguments of the measures, for each record.
    fn base(&mut self, structure: &QueryStructure, tenant: Option<&str>) -> String {
        let mut shown = Vec::new();
        for (depth, grouping) in structure.group_by.iter().enumerate() {
            if let Some(key) = self.key(grouping) {
                shown.push(format!("{key} AS g{depth}"));
            }
        }
        for (position, measure) in structure.measures.iter().enumerate() {
            if let Some(argument) = self.argument(measure) {
                shown.push(format!("{argument} AS m{position}"));
            }
        }
        if shown.is_empty() {
            shown.push("1 AS one".to_owned());
        }
        let conditions = self.conditions(structure, tenant);
        format!(
            "SELECT {} FROM {}{conditions}",
            shown.join(", "),
            self.from()
        )
    }

    fn key(&mut self, grouping: &Grouping) -> Option<String> {
        let column = self.column(&grouping.field)?;
        let name = quoted(&grouping.field);
        let Some(interval) = grouping.interval else {
            return match column.kind {
                ColumnKind::Texts => {
                    self.unsupported(&grouping.field, "grouped by");
                    None
                }
                ColumnKind::Text => Some(format!("{name} COLLATE \"C\"")),
                ColumnKind::AsText => Some(format!("{name}::text COLLATE \"C\"")),
                _ => Some(name),
            };
        };
        let unit = match interval {
            Interval::Hour => "hour",
            Interval::Day => "day",
            Interval::Week => "week",
            Interval::Month => "month",
            Interval::Quarter => "quarter",
            Interval::Year => "year",
        };
        let is_moment = column.kind == ColumnKind::Moment;
        if !is_moment && interval != Interval::Hour {
            return Some(format!("date_trunc('{unit}', {name}::timestamp)::date"));
        }
        let zone = self.bound_zone();
        Some(match interval {
            // The two hours when clocks go back stay distinct.
            Interval::Hour if is_moment => format!("date_trunc('{unit}', {name}, {zone})"),
            Interval::Hour => {
                format!("date_trunc('{unit}', {name}::timestamp) AT TIME ZONE {zone}")
            }
            _ => format!("date_trunc('{unit}', {name} AT TIME ZONE {zone})::date"),
        })
    }

    /// The argument of a measure.
    fn argument(&mut self, measure: &Measure) -> Option<String> {
        let field = measure.field.as_deref()?;
        let column = self.column(field)?;
        let name = quoted(field);
        match column.kind {
            ColumnKind::Texts if measure.op == MeasureOp::Distinct => {
                self.unsupported(field, "used in this measure");
                None
            }
            ColumnKind::AsText => Some(format!("{name}::text")),
            ColumnKind::LocalTime if measure.op != MeasureOp::Count => {
                let zone = self.bound_zone();
                Some(format!("{name} AT TIME ZONE {zone}"))
            }
            _ => Some(name),
        }
    }

    /// The groups of a level, each with its rank within the surrounding group.
    fn level(
        &mut self,
        structure: &QueryStructure,
        levels: &[Level<'_>],
        depth: usize,
        values: &[String],
    ) -> String {
        let keys: Vec<String> = (0..=depth).map(|depth| format!("base.g{depth}")).collect();
        let ranks: Vec<String> = (0..depth).map(|depth| format!("o.r{depth}")).collect();
        let grouped = [keys.clone(), ranks.clone()].concat().join(", ");
        let mut shown = vec![grouped.clone()];
        let order = levels
            .get(depth)
            .map(|level| order(structure, level, depth));
        let partition = match ranks.as_slice() {
            [] => String::new(),
            ranks => format!("PARTITION BY {} ", ranks.join(", ")),
        };
        shown.push(format!(
            "row_number() OVER ({partition}ORDER BY {}) AS r{depth}",
            order.unwrap_or_default()
        ));
        if depth + 1 == levels.len() {
            let named = values.iter().enumerate();
            shown.extend(named.map(|(position, value)| format!("{value} AS v{position}")));
        }
        let mut from = "base".to_owned();
        let mut kept = format!("base.g{depth} IS NOT NULL");
        if let Some(outer) = depth.checked_sub(1) {
            let same: Vec<String> = (0..=outer)
                .map(|depth| format!("base.g{depth} = o.g{depth}"))
                .collect();
            from = format!("base JOIN l{outer} o ON {}", same.join(" AND "));
            let within = self
                .within(levels, outer, "o.")
                .replacen(" WHERE", " AND", 1);
            kept += &within;
        }
        format!(
            "SELECT {} FROM {from} WHERE {kept} GROUP BY {grouped}",
            shown.join(", ")
        )
    }

    /// The groups of a level that are within its limit.
    fn within(&mut self, levels: &[Level<'_>], depth: usize, alias: &str) -> String {
        match levels.get(depth).and_then(|level| level.size) {
            Some(size) => {
                let size = self.bind(Bind::Integer(size.into()));
                format!(" WHERE {alias}r{depth} <= {size}")
            }
            None => String::new(),
        }
    }
}

/// The expression of a measure over a group of records of `base`.
fn computed(structure: &QueryStructure, position: usize) -> String {
    let Some(measure) = structure.measures.get(position) else {
        return "NULL".to_owned();
    };
    match (measure.op, &measure.field) {
        (MeasureOp::Count, None) => "count(*)".to_owned(),
        (MeasureOp::Count, Some(_)) => format!("count(m{position})"),
        (MeasureOp::Sum, _) => format!("coalesce(sum(m{position}), 0)"),
        (MeasureOp::Average, _) => format!("avg(m{position})::double precision"),
        (MeasureOp::Minimum, _) => format!("min(m{position})"),
        (MeasureOp::Maximum, _) => format!("max(m{position})"),
        (MeasureOp::Distinct, _) => format!("count(DISTINCT m{position})"),
    }
}

fn order(structure: &QueryStructure, level: &Level<'_>, depth: usize) -> String {
    let way = if level.descending { "DESC" } else { "ASC" };
    match level.order {
        Order::Key => format!("base.g{depth} {way}"),
        Order::Measure(by) => {
            let mut measures = structure.measures.iter();
            let position = measures.position(|measure| measure == by).unwrap_or(0);
            let value = computed(structure, position);
            format!("{value} {way} NULLS LAST, base.g{depth} ASC")
        }
    }
}
