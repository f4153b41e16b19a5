//! The `WHERE` clause of a statement.

use contracts::tools::search::{Filter, FilterOp, QueryStructure};
use serde_json::Value;

use super::{Bind, Column, ColumnKind, Writer, quoted};
use crate::value::{When, next_day};

impl Writer<'_> {
    /// The `WHERE` clause for the tenant, the conditions and the days; empty if there are none.
    pub(super) fn conditions(
        &mut self,
        structure: &QueryStructure,
        tenant: Option<&str>,
    ) -> String {
        let mut all = Vec::new();
        if let (Some(column), Some(tenant)) = (&self.table.tenant_column, tenant) {
            let tenant = self.bind(Bind::Text(tenant.to_owned()));
            all.push(format!("{} = {tenant}", quoted(column)));
        } else if self.table.tenant_column.is_some() {
            // A table with tenants is never read without one.
            all.push("FALSE".to_owned());
        }
        for filter in &structure.filters {
            let mut each: Vec<String> = filter
                .alternatives()
                .iter()
                .filter_map(|filter| self.condition(filter))
                .collect();
            match each.len() {
                0 | 1 => all.append(&mut each),
                _ => all.push(format!("({})", each.join(" OR "))),
            }
        }
        if let Some(range) = &structure.time_range
            && let Some(field) = &range.field
            && let Some(column) = self.column(field)
        {
            let start = self.when(column, When::Day(range.start));
            let end = self.when(column, When::Day(next_day(range.end)));
            all.push(format!("{} >= {start}", quoted(field)));
            all.push(format!("{} < {end}", quoted(field)));
        }
        if all.is_empty() {
            return String::new();
        }
        format!(" WHERE {}", all.join(" AND "))
    }

    fn condition(&mut self, filter: &Filter) -> Option<String> {
        let column = self.column(&filter.field)?;
        let name = quoted(&filter.field);
        let compared = |sign: &str, value: String| Some(format!("{name} {sign} {value}"));
        match filter.op {
            FilterOp::Exists if column.kind == ColumnKind::Texts => {
                Some(format!("cardinality({name}) > 0"))
            }
            FilterOp::Missing if column.kind == ColumnKind::Texts => {
                Some(format!("coalesce(cardinality({name}), 0) = 0"))
            }
            FilterOp::Exists => Some(format!("{name} IS NOT NULL")),
            FilterOp::Missing => Some(format!("{name} IS NULL")),
            FilterOp::Is => self.is_any(column, &filter.values),
            // A missing value differs from every value.
            FilterOp::IsNot => self
                .is_any(column, &filter.values)
                .map(|is_any| format!("({is_any}) IS NOT TRUE")),
            FilterOp::Matches => self.words(column, filter.values.first()?),
            FilterOp::Gt => compared(">", self.bound(column, filter.values.first()?)?),
            FilterOp::Gte => compared(">=", self.bound(column, filter.values.first()?)?),
            FilterOp::Lt => compared("<", self.bound(column, filter.values.first()?)?),
            FilterOp::Lte => compared("<=", self.bound(column, filter.values.first()?)?),
        }
    }

    fn is_any(&mut self, column: &Column, values: &[Value]) -> Option<String> {
        let name = quoted(&column.name);
        let texts = || {
            let texts = values.iter().filter_map(Value::as_str);
            Bind::Texts(texts.map(str::to_owned).collect())
        };
        Some(match column.kind {
            ColumnKind::Text => format!("{name} = ANY({})", self.bind(texts())),
            ColumnKind::AsText => format!("{name}::text = ANY({})", self.bind(texts())),
            ColumnKind::Texts => format!("{name}::text[] && {}", self.bind(texts())),
            ColumnKind::Integer => {
                let values = values.iter().filter_map(Value::as_i64).collect();
                format!("{name} = ANY({})", self.bind(Bind::Integers(values)))
            }
            ColumnKind::Number => {
                let values = values.iter().filter_map(Value::as_f64).collect();
                let values = self.bind(Bind::Numbers(values));
                format!("{name}::double precision = ANY({values})")
            }
            ColumnKind::Boolean => {
                let values = values.iter().filter_map(Value::as_bool).collect();
                format!("{name} = ANY({})", self.bind(Bind::Booleans(values)))
            }
            // `check` turned a day into a range.
            ColumnKind::Day | ColumnKind::LocalTime | ColumnKind::Moment => return None,
        })
    }

    /// Requires all words, ignoring case.
    fn words(&mut self, column: &Column, value: &Value) -> Option<String> {
        let name = match column.kind {
            ColumnKind::Texts => format!("array_to_string({}, ' ')", quoted(&column.name)),
            _ => format!("{}::text", quoted(&column.name)),
        };
        let words = value.as_str()?.split_whitespace();
        let all: Vec<String> = words
            .map(|word| {
                let escaped = word
                    .replace('\\', "\\\\")
                    .replace('%', "\\%")
                    .replace('_', "\\_");
                let pattern = self.bind(Bind::Text(format!("%{escaped}%")));
                format!("{name} ILIKE {pattern}")
            })
            .collect();
        if all.is_empty() {
            return Some("TRUE".to_owned());
        }
        Some(all.join(" AND "))
    }

    fn bound(&mut self, column: &Column, value: &Value) -> Option<String> {
        Some(match column.kind {
            ColumnKind::Integer => self.bind(Bind::Integer(value.as_i64()?)),
            ColumnKind::Number => self.bind(Bind::Number(value.as_f64()?)),
            _ => self.when(column, When::read(value.as_str()?)?),
        })
    }

    /// A date in the type of the column.
    fn when(&mut self, column: &Column, when: When) -> String {
        match (column.kind, when) {
            (ColumnKind::Moment, When::Day(day)) => {
                let day = self.bind(Bind::Day(day));
                let zone = self.bound_zone();
                format!("({day}::timestamp AT TIME ZONE {zone})")
            }
            (ColumnKind::Moment, When::Moment(moment)) => self.bind(Bind::Moment(moment)),
            (_, When::Day(day)) => self.bind(Bind::Day(day)),
            (_, When::Moment(moment)) => {
                let moment = self.bind(Bind::Moment(moment));
                let zone = self.bound_zone();
                format!("({moment} AT TIME ZONE {zone})")
            }
        }
    }
}
