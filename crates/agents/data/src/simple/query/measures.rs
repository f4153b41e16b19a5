//! The figure that a query computes: a count, a sum or an average, and its units.

use contracts::tools::sql::TableDescription;

use super::{
    super::{ColumnValues, catalogue::figure},
    Condition, Field, Part, Query,
};
use crate::answer::units::{is_amount, is_beside, units};

/// What several rows are made one by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Measure {
    Count,
    Sum(String),
    Average(String),
}

impl Query<'_> {
    /// The sum or the average of the column that the words name.
    pub(in super::super) fn measure(&self, is_sum: bool, measure: &str) -> Option<Measure> {
        let column = figure(self.table, measure)?;
        let name = column.name.clone();
        Some(if is_sum {
            Measure::Sum(name)
        } else {
            Measure::Average(name)
        })
    }

    /// The columns that say what an amount is in: of its table, or of the one table that its rows
    /// belong to. The lines of an invoice are in its currency.
    pub(in super::super) fn units(&mut self, measure: &Measure) -> Vec<Field> {
        let (Measure::Sum(name) | Measure::Average(name)) = measure else {
            return Vec::new();
        };
        let mut columns = self.table.columns.iter();
        let Some(column) = columns.find(|column| column.name == *name) else {
            return Vec::new();
        };
        if !is_amount(column) {
            return Vec::new();
        }
        let of = |table: &TableDescription| -> Vec<String> {
            let units = units(table).filter(|unit| is_beside(name, &unit.name, table));
            units.map(|unit| unit.name.clone()).collect()
        };
        let own = of(self.table);
        if units(self.table).next().is_some() {
            return own.into_iter().map(Field::Own).collect();
        }
        let mut owners = self.owners().filter(|(_, owner)| !of(owner).is_empty());
        let (Some((edge, owner)), None) = (owners.next(), owners.next()) else {
            return Vec::new();
        };
        drop(owners);
        let Some(at) = self.join(edge) else {
            return Vec::new();
        };
        let units = of(owner).into_iter();
        units.map(|unit| Field::Joined(at, unit)).collect()
    }

    /// What several rows are made one by, as the query writes it.
    pub(super) fn figure(&self, measure: &Measure) -> (String, &'static str) {
        let of = |name: &String| self.of(&Field::Own(name.clone()));
        match measure {
            Measure::Count => ("COUNT(*)".to_owned(), "count"),
            Measure::Sum(name) => (format!("SUM({})", of(name)), "total"),
            Measure::Average(name) => (format!("AVG({})", of(name)), "average"),
        }
    }

    /// The figure of all rows, of each unit.
    pub(in super::super) fn of_all(mut self, measure: &Measure) -> String {
        let units = self.units(measure);
        let (sql, name) = self.figure(measure);
        let name = self.quote(name);
        let units: Vec<String> = units.iter().map(|unit| self.of(unit)).collect();
        let units = units.join(", ");
        let (from, filter) = (self.from("LEFT JOIN"), self.filter(&[]));
        if units.is_empty() {
            format!("SELECT {sql} AS {name} FROM {from}{filter}")
        } else {
            format!(
                "SELECT {units}, {sql} AS {name} FROM {from}{filter} GROUP BY {units} ORDER BY {units}"
            )
        }
    }

    /// The table and the name of a column.
    pub(in super::super) fn names<'n>(&'n self, field: &'n Field) -> (&'n str, &'n str) {
        match field {
            Field::Own(name) => (&self.table.name, name),
            Field::Joined(at, name) => (&self.joins[*at].owner.name, name),
        }
    }

    /// Whether a column is known to have one value at most, or a condition takes one of them.
    pub(in super::super) fn is_one(&self, field: &Field) -> bool {
        let (table, column) = self.names(field);
        let is_of = |one: &&ColumnValues| one.table == *table && one.column == *column;
        let values = self.known.values.iter().find(is_of);
        let is_single = |values: &ColumnValues| {
            values
                .values
                .iter()
                .filter(|value| !value.is_null())
                .count()
                <= 1
        };
        let is_chosen = |condition: &Condition| {
            let part = Part::Field(field.clone());
            let at = condition.iter().position(|one| *one == part);
            let test = at.and_then(|at| condition.get(at + 1));
            matches!(test, Some(Part::Sql(test)) if test.starts_with(" = "))
        };
        values.is_some_and(is_single) || self.conditions.iter().any(is_chosen)
    }
}
