//! Questions of a table, and of two that are joined.

use contracts::tools::sql::Measure;
use targets::join_graph::{Cardinality, Relationship};
use targets::{Catalogue, ColumnInfo, Dialect, TableInfo};

use super::columns::{is_date, measure_of};
use super::units::{Unit, and_units, is_amount, is_unit, units_of};
use super::words::{is_german, plural, spoken};
use super::{Candidate, Kind};

/// How figures of several rows are made one: those that do not add up are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Adding {
    Total,
    Average,
}

impl Adding {
    fn of(measure: &ColumnInfo) -> Self {
        match measure_of(measure) {
            Measure::Amount => Self::Total,
            Measure::Rate | Measure::Unknown | Measure::Label => Self::Average,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Average => "average",
        }
    }

    /// A column's name behind the word: "total" is not said twice.
    fn rest_of(self, name: &str) -> String {
        let words = name.split(' ');
        let rest: Vec<&str> = words.filter(|word| *word != self.word()).collect();
        if rest.is_empty() {
            name.to_owned()
        } else {
            rest.join(" ")
        }
    }

    /// The figure with its name.
    fn of_rows(self, value: &str) -> String {
        match self {
            Self::Total => format!("SUM({value}) AS total"),
            Self::Average => format!("AVG({value}) AS average"),
        }
    }
}

/// Writes the questions of a catalogue.
pub(super) struct Maker<'c> {
    pub(super) catalogue: &'c Catalogue,
    /// English plurals of the names would be no words.
    is_german: bool,
}

impl<'c> Maker<'c> {
    pub(super) fn new(catalogue: &'c Catalogue, tables: &[&TableInfo]) -> Self {
        let columns = tables.iter().flat_map(|table| &table.columns);
        Self {
            catalogue,
            is_german: is_german(columns.map(|column| column.name.as_str())),
        }
    }

    pub(super) fn of_table(&self, table: &TableInfo) -> Vec<Candidate> {
        let name = self.many(table);
        let from = self.table(table);
        let mut found = vec![Candidate {
            kind: Kind::Count,
            question: format!("How many {name} are there?"),
            sql: format!("SELECT COUNT(*) AS number FROM {from}"),
            groups: false,
            one_valued: Vec::new(),
            figures: None,
        }];
        let category = self.category(table);
        let measure = self.measure(table);
        if let Some(category) = category {
            let (column, said) = (self.quoted(&category.name), spoken(&category.name));
            if !is_unit(category) {
                found.push(Candidate {
                    kind: Kind::PerCategory,
                    question: format!("How many {name} are there per {said}?"),
                    sql: format!(
                        "SELECT {column}, COUNT(*) AS number FROM {from} GROUP BY {column} ORDER BY number DESC"
                    ),
                    groups: true,
                    one_valued: Vec::new(),
                    figures: None,
                });
            }
            // Kilograms are not counted by currency.
            let measure = measure.filter(|measure| !is_unit(category) || is_amount(measure));
            if let Some(measure) = measure {
                let (value, adding) = (self.quoted(&measure.name), Adding::of(measure));
                for (units, one_valued) in self.added_by(table, measure, None) {
                    let by = units.iter().filter(|unit| unit.name != category.name);
                    let columns: Vec<String> =
                        by.clone().map(|unit| self.quoted(&unit.name)).collect();
                    let columns = [&[column.clone()][..], &columns].concat().join(", ");
                    found.push(Candidate {
                        kind: Kind::TotalPerCategory,
                        question: format!(
                            "What is the {} {} of {name} per {said}{}?",
                            adding.word(),
                            adding.rest_of(&spoken(&measure.name)),
                            and_units(by.copied())
                        ),
                        sql: format!(
                            "SELECT {columns}, {} FROM {from} GROUP BY {columns} ORDER BY {} DESC",
                            adding.of_rows(&value),
                            adding.word(),
                        ),
                        groups: true,
                        one_valued,
                        figures: self.doubtful(table, measure),
                    });
                }
            }
        }
        if let Some(date) = table.columns.iter().find(|column| is_date(column)) {
            let column = self.quoted(&date.name);
            found.push(Candidate {
                kind: Kind::PerMonth,
                question: format!("How many {name} are there per month of {}?", spoken(&date.name)),
                sql: format!(
                    "SELECT EXTRACT(YEAR FROM {column}) AS year, EXTRACT(MONTH FROM {column}) AS month, COUNT(*) AS number FROM {from} \
                     WHERE {column} IS NOT NULL GROUP BY EXTRACT(YEAR FROM {column}), EXTRACT(MONTH FROM {column}) ORDER BY year, month"
                ),
                groups: true,
                one_valued: Vec::new(),
                figures: None,
            });
        }
        if let (Some(label), Some(measure)) = (self.label(table), measure) {
            let (label, value) = (self.quoted(&label.name), self.quoted(&measure.name));
            found.push(Candidate {
                kind: Kind::Highest,
                question: format!(
                    "Which 10 {name} have the highest {}?",
                    spoken(&measure.name)
                ),
                sql: format!(
                    "SELECT {label}, {value} FROM {from} WHERE {value} IS NOT NULL ORDER BY {value} DESC LIMIT 10"
                ),
                groups: true,
                one_valued: self.one_valued(table, measure, &units_of(table, measure), None),
                figures: self.doubtful(table, measure),
            });
        }
        found
    }

    /// The figures of a column whose name does not say what they are: their values have to.
    fn doubtful(&self, table: &TableInfo, measure: &ColumnInfo) -> Option<Unit> {
        (measure_of(measure) == Measure::Unknown).then(|| Unit {
            table: self.table(table),
            name: self.quoted(&measure.name),
        })
    }

    /// The rows of a table, as people say them.
    fn many(&self, table: &TableInfo) -> String {
        let said = self.said(table);
        if self.is_german { said } else { plural(&said) }
    }

    /// Of two joined tables: which of one has the most of the other. Nothing if there are several
    /// ways to join them, as the question would not say which it takes.
    pub(super) fn of_tables(&self, one: &str, other: &str) -> Vec<Candidate> {
        let Ok(mut ways) = self.catalogue.graph.ways(one, other) else {
            return Vec::new();
        };
        match (ways.next(), ways.next()) {
            (Some(way), None) => self.joined(way).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// By one way: a pair of columns, or all pairs of a composite key.
    fn joined(&self, way: &[Relationship]) -> Option<Vec<Candidate>> {
        let edge = way.first()?;
        if edge.cardinality == Cardinality::OneToOne || edge.from_table == edge.to_table {
            return None;
        }
        let is_turned = edge.cardinality == Cardinality::OneToMany;
        let (many, one) = if is_turned {
            (&edge.to_table, &edge.from_table)
        } else {
            (&edge.from_table, &edge.to_table)
        };
        let (many_table, one_table) = (self.catalogue.table(many)?, self.catalogue.table(one)?);
        let label = self.quoted(&self.label(one_table)?.name);
        let mut on = Vec::new();
        let mut groups = Vec::new();
        for pair in way {
            let (from, to) = (self.quoted(&pair.from_column), self.quoted(&pair.to_column));
            let is_from_many = pair.from_table == *many;
            let (of_many, of_one) = if is_from_many { (from, to) } else { (to, from) };
            on.push(format!("m.{of_many} = o.{of_one}"));
            groups.push(format!("o.{of_one}"));
        }
        // Several rows may have one name: they are as many groups.
        let label_of_one = format!("o.{label}");
        if !groups.contains(&label_of_one) {
            groups.push(label_of_one);
        }
        let joined = |join: &str| {
            format!(
                "{} AS m {join} {} AS o ON {} GROUP BY {}",
                self.table(many_table),
                self.table(one_table),
                on.join(" AND "),
                groups.join(", "),
            )
        };
        let from = joined("JOIN");
        let many_said = self.many(many_table);
        let one_said = self.said(one_table);
        let ones_said = self.many(one_table);
        let mut found = vec![Candidate {
            kind: Kind::PerOther,
            question: format!("Which 10 {ones_said} have the most {many_said}?"),
            sql: format!(
                "SELECT o.{label}, COUNT(*) AS number FROM {from} ORDER BY number DESC LIMIT 10"
            ),
            groups: true,
            one_valued: Vec::new(),
            figures: None,
        }];
        let Some(measure) = self.measure(many_table) else {
            return Some(found);
        };
        let adding = Adding::of(measure);
        for (units, one_valued) in self.added_by(many_table, measure, Some(one_table)) {
            let by = units
                .iter()
                .map(|unit| format!(", m.{}", self.quoted(&unit.name)));
            let by = by.collect::<Vec<_>>().concat();
            found.push(Candidate {
                kind: Kind::TotalPerOther,
                question: format!(
                    "What is the {} {} of {many_said} per {one_said}{}?",
                    adding.word(),
                    adding.rest_of(&spoken(&measure.name)),
                    and_units(units.iter().copied())
                ),
                // What belongs to none is a group as well, so that the groups add up.
                sql: format!(
                    "SELECT o.{label}{by}, {} FROM {}{by} ORDER BY {} DESC",
                    adding.of_rows(&format!("m.{}", self.quoted(&measure.name))),
                    joined(if adding == Adding::Total {
                        "LEFT JOIN"
                    } else {
                        "JOIN"
                    }),
                    adding.word(),
                ),
                groups: true,
                one_valued,
                figures: self.doubtful(many_table, measure),
            });
        }
        Some(found)
    }

    /// A table as a person says it: with its schema if another table has its name.
    fn said(&self, table: &TableInfo) -> String {
        let bare = spoken(table.bare_name());
        let mut others = self.catalogue.tables.values();
        let is_shared = others.any(|other| {
            other.name != table.name && spoken(other.bare_name()).eq_ignore_ascii_case(&bare)
        });
        if is_shared { spoken(&table.name) } else { bare }
    }

    pub(super) fn table(&self, table: &TableInfo) -> String {
        match &table.schema {
            Some(schema) => format!("{}.{}", self.quoted(schema), self.quoted(table.bare_name())),
            None => self.quoted(&table.name),
        }
    }

    pub(super) fn quoted(&self, name: &str) -> String {
        match self.catalogue.dialect {
            Dialect::MySql => format!("`{}`", name.replace('`', "``")),
            Dialect::PostgreSql => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }
}
