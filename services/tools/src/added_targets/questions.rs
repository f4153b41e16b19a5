//! The first questions to a target: made of its own tables by rules, and each of them tried.

use std::sync::Arc;

use contracts::targets::LayerQuestion;
use targets::join_graph::{Cardinality, Relationship};
use targets::{Asker, Catalogue, ColumnInfo, Dialect, TableInfo, Target};

use crate::sql_tools::identifier_words;

/// Number of questions.
const MOST: usize = 5;
/// Tables that questions are made of: those that are joined most.
const TABLES: usize = 8;
/// Candidates that are tried at most.
const CANDIDATES: usize = 40;
/// Groups of an answer that is worth showing.
const GROUPS: std::ops::RangeInclusive<usize> = 2..=40;

/// A question that may work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    kind: Kind,
    question: String,
    sql: String,
    groups: bool,
}

/// The kinds of questions. The first ones are the most telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    PerOther,
    PerCategory,
    TotalPerCategory,
    PerMonth,
    Highest,
    Count,
}

/// The questions that were found to work.
#[derive(Debug, Default)]
pub(super) struct Chosen(Vec<(Kind, LayerQuestion)>);

impl Chosen {
    pub(super) fn is_complete(&self) -> bool {
        self.0.len() >= MOST
    }

    /// At most two of a kind: the first questions show what can be asked.
    pub(super) fn wants(&self, candidate: &Candidate) -> bool {
        let same = self.0.iter().filter(|(kind, _)| *kind == candidate.kind);
        same.count()
            < if candidate.kind == Kind::Count {
                MOST
            } else {
                1
            }
    }

    pub(super) fn keep(&mut self, candidate: &Candidate, rows: usize) {
        let question = LayerQuestion {
            question: candidate.question.clone(),
            sql: candidate.sql.clone(),
            rows: u32::try_from(rows).unwrap_or(u32::MAX),
        };
        self.0.push((candidate.kind, question));
    }

    pub(super) fn questions(self) -> Vec<LayerQuestion> {
        self.0.into_iter().map(|(_, question)| question).collect()
    }
}

/// Number of rows of the answer; `None` if it does not work or says nothing.
pub(super) async fn answers(
    target: &Arc<Target>,
    asker: &Asker,
    candidate: &Candidate,
) -> Option<usize> {
    let limits = target.limits().with_max_rows(100);
    let checked = target.check(&candidate.sql, &asker.tenant, limits.max_rows);
    let checked = checked.await.ok()?.ok()?;
    let found = target.run_for(asker, &checked, &limits).await.ok()?;
    let count = found.rows.len();
    let has_value = found
        .rows
        .first()
        .is_some_and(|row| row.values().any(|value| !value.is_null()));
    let is_telling = !candidate.groups || GROUPS.contains(&count);
    (has_value && is_telling).then_some(count)
}

/// The candidates, the most telling first, and of each kind those over the most joined tables.
pub(super) fn candidates(catalogue: &Catalogue) -> Vec<Candidate> {
    let joins = catalogue.graph.relationships();
    let mut tables: Vec<&TableInfo> = catalogue.tables.values().collect();
    let joined = |table: &TableInfo| {
        let about =
            |edge: &&Relationship| edge.from_table == table.name || edge.to_table == table.name;
        joins.iter().filter(about).count()
    };
    tables.sort_by_key(|table| {
        let rows = table.rows.unwrap_or_default();
        (std::cmp::Reverse(joined(table)), std::cmp::Reverse(rows))
    });
    tables.truncate(TABLES);
    let maker = Maker { catalogue };
    let mut found: Vec<Candidate> = Vec::new();
    for table in &tables {
        found.extend(maker.of_table(table));
    }
    for edge in joins {
        found.extend(maker.of_join(edge));
    }
    // Stable: within a kind the order of the tables stays.
    found.sort_by_key(|candidate| candidate.kind);
    let mut per_kind = 0;
    let mut last = None;
    found.retain(|candidate| {
        per_kind = if last == Some(candidate.kind) {
            per_kind + 1
        } else {
            0
        };
        last = Some(candidate.kind);
        per_kind < TABLES
    });
    found.truncate(CANDIDATES);
    found
}

struct Maker<'c> {
    catalogue: &'c Catalogue,
}

impl Maker<'_> {
    fn of_table(&self, table: &TableInfo) -> Vec<Candidate> {
        let name = spoken(table.bare_name());
        let from = self.table(table);
        let mut found = vec![Candidate {
            kind: Kind::Count,
            question: format!("How many {name} are there?"),
            sql: format!("SELECT COUNT(*) AS number FROM {from}"),
            groups: false,
        }];
        let category = self.category(table);
        let measure = self.measure(table);
        if let Some(category) = category {
            let (column, said) = (self.quoted(&category.name), spoken(&category.name));
            found.push(Candidate {
                kind: Kind::PerCategory,
                question: format!("How many {name} are there per {said}?"),
                sql: format!(
                    "SELECT {column}, COUNT(*) AS number FROM {from} GROUP BY {column} ORDER BY number DESC"
                ),
                groups: true,
            });
            if let Some(measure) = measure {
                let value = self.quoted(&measure.name);
                found.push(Candidate {
                    kind: Kind::TotalPerCategory,
                    question: format!(
                        "What is the total {} of {name} per {said}?",
                        spoken(&measure.name)
                    ),
                    sql: format!(
                        "SELECT {column}, SUM({value}) AS total FROM {from} GROUP BY {column} ORDER BY total DESC"
                    ),
                    groups: true,
                });
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
            });
        }
        found
    }

    /// Of two joined tables: which of one has the most of the other.
    fn of_join(&self, edge: &Relationship) -> Option<Candidate> {
        if edge.cardinality == Cardinality::OneToOne || edge.from_table == edge.to_table {
            return None;
        }
        let (many, one) = match edge.cardinality {
            Cardinality::OneToMany => (
                (&edge.to_table, &edge.to_column),
                (&edge.from_table, &edge.from_column),
            ),
            _ => (
                (&edge.from_table, &edge.from_column),
                (&edge.to_table, &edge.to_column),
            ),
        };
        let (many_table, one_table) = (self.catalogue.table(many.0)?, self.catalogue.table(one.0)?);
        let label = self.quoted(&self.label(one_table)?.name);
        let (of_many, of_one) = (self.quoted(many.1), self.quoted(one.1));
        Some(Candidate {
            kind: Kind::PerOther,
            question: format!(
                "Which 10 {} have the most {}?",
                spoken(one_table.bare_name()),
                spoken(many_table.bare_name())
            ),
            sql: format!(
                "SELECT o.{label}, COUNT(*) AS number FROM {} AS m JOIN {} AS o ON m.{of_many} = o.{of_one} GROUP BY o.{label} ORDER BY number DESC LIMIT 10",
                self.table(many_table),
                self.table(one_table),
            ),
            groups: true,
        })
    }

    /// A column of few values: by its name, or of a short text.
    fn category<'t>(&self, table: &'t TableInfo) -> Option<&'t ColumnInfo> {
        const NAMES: [&str; 16] = [
            "status",
            "state",
            "type",
            "kind",
            "category",
            "region",
            "country",
            "city",
            "gender",
            "department",
            "priority",
            "group",
            "channel",
            "brand",
            "currency",
            "product",
        ];
        let mut texts = table
            .columns
            .iter()
            .filter(|column| is_text(column) && !column.unique && !self.is_joined(table, column));
        let named = texts.clone().find(|column| {
            let words = identifier_words(&column.name);
            words.iter().any(|word| NAMES.contains(&word.as_str()))
        });
        named.or_else(|| texts.next())
    }

    /// A column with amounts.
    fn measure<'t>(&self, table: &'t TableInfo) -> Option<&'t ColumnInfo> {
        let is_id = |column: &ColumnInfo| {
            let words = identifier_words(&column.name);
            words.last().is_some_and(|word| {
                [
                    "id", "no", "number", "code", "key", "year", "month", "zip", "phone",
                ]
                .contains(&word.as_str())
            })
        };
        let columns = table.columns.iter().filter(|column| {
            is_number(column) && !column.unique && !is_id(column) && !self.is_joined(table, column)
        });
        let (mut first, mut decimal) = (None, None);
        for column in columns {
            first = first.or(Some(column));
            let lower = column.data_type.to_lowercase();
            if decimal.is_none() && !lower.contains("int") {
                decimal = Some(column);
            }
        }
        decimal.or(first)
    }

    /// The column by which a row is called.
    fn label<'t>(&self, table: &'t TableInfo) -> Option<&'t ColumnInfo> {
        let columns = table.columns.iter();
        let texts = columns.filter(|column| is_text(column) && !self.is_joined(table, column));
        let texts: Vec<&ColumnInfo> = texts.collect();
        let named = texts.iter().find(|column| {
            let words = identifier_words(&column.name);
            words
                .iter()
                .any(|word| ["name", "title", "label"].contains(&word.as_str()))
        });
        named.or_else(|| texts.first()).copied()
    }

    fn is_joined(&self, table: &TableInfo, column: &ColumnInfo) -> bool {
        let ends = |edge: &Relationship| {
            (edge.from_table == table.name && edge.from_column == column.name)
                || (edge.to_table == table.name && edge.to_column == column.name)
        };
        self.catalogue.graph.relationships().iter().any(ends)
    }

    fn table(&self, table: &TableInfo) -> String {
        match &table.schema {
            Some(schema) => format!("{}.{}", self.quoted(schema), self.quoted(table.bare_name())),
            None => self.quoted(&table.name),
        }
    }

    fn quoted(&self, name: &str) -> String {
        match self.catalogue.dialect {
            Dialect::MySql => format!("`{}`", name.replace('`', "``")),
            Dialect::PostgreSql => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }
}

/// A name as a person says it: `workOrder` as `work order`.
fn spoken(name: &str) -> String {
    let words = identifier_words(name);
    if words.is_empty() {
        name.to_owned()
    } else {
        words.join(" ")
    }
}

fn is_text(column: &ColumnInfo) -> bool {
    let kind = column.data_type.to_lowercase();
    kind.contains("char") || kind.contains("text") || kind.starts_with("enum")
}

fn is_number(column: &ColumnInfo) -> bool {
    let kind = column.data_type.to_lowercase();
    let is = |part: &str| kind.contains(part);
    (is("int") && !is("interval") && !is("point") && kind != "tinyint(1)")
        || is("numeric")
        || is("decimal")
        || is("double")
        || is("float")
        || is("real")
}

fn is_date(column: &ColumnInfo) -> bool {
    let kind = column.data_type.to_lowercase();
    kind.contains("date") || kind.contains("timestamp")
}
