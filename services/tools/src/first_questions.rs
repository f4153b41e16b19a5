//! The first questions to a target: made of its own tables by rules, and each of them tried.

use std::collections::HashSet;
use std::sync::Arc;

use contracts::targets::LayerQuestion;
use serde_json::{Map, Value};
use targets::join_graph::{Cardinality, Relationship};
use targets::{Asker, Catalogue, ColumnInfo, Dialect, Question, TableInfo, Target};

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
pub(crate) struct Candidate {
    kind: Kind,
    question: String,
    sql: String,
    groups: bool,
    /// Columns that have one value at most: amounts in two currencies are not added.
    one_valued: Vec<Column>,
}

/// A column, as a query writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    table: String,
    name: String,
}

/// The kinds of questions. The first ones say the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// One that comes with the target.
    Given,
    PerOther,
    TotalPerOther,
    PerCategory,
    TotalPerCategory,
    PerMonth,
    Highest,
    Count,
}

impl Candidate {
    /// A question that comes with a target.
    pub(crate) fn given(question: &Question) -> Self {
        Self {
            kind: Kind::Given,
            question: question.question.clone(),
            sql: question.sql.clone(),
            groups: false,
            one_valued: Vec::new(),
        }
    }

    /// The question and its query.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (&self.question, &self.sql)
    }

    /// The same question with another query.
    pub(crate) fn with(&self, sql: String) -> Self {
        Self {
            sql,
            ..self.clone()
        }
    }
}

/// The questions that were found to work.
#[derive(Debug, Default)]
pub(crate) struct Chosen(Vec<(Kind, LayerQuestion)>);

impl Chosen {
    pub(crate) fn is_complete(&self) -> bool {
        self.0.len() >= MOST
    }

    /// One of each kind, but for counts and those that are given: the first questions show what can
    /// be asked.
    pub(crate) fn wants(&self, candidate: &Candidate) -> bool {
        let same = self.0.iter().filter(|(kind, _)| *kind == candidate.kind);
        same.count()
            < if matches!(candidate.kind, Kind::Count | Kind::Given) {
                MOST
            } else {
                1
            }
    }

    pub(crate) fn keep(&mut self, candidate: &Candidate, rows: usize) {
        let question = LayerQuestion {
            question: candidate.question.clone(),
            sql: candidate.sql.clone(),
            rows: u32::try_from(rows).unwrap_or(u32::MAX),
        };
        self.0.push((candidate.kind, question));
    }

    pub(crate) fn questions(self) -> Vec<LayerQuestion> {
        self.0.into_iter().map(|(_, question)| question).collect()
    }
}

/// Number of rows of the answer; `None` if it does not work or says nothing.
pub(crate) async fn answers(
    target: &Arc<Target>,
    asker: &Asker,
    candidate: &Candidate,
) -> Option<usize> {
    for Column { table, name } in &candidate.one_valued {
        let sql = format!("SELECT DISTINCT {name} FROM {table} WHERE {name} IS NOT NULL LIMIT 2");
        if rows(target, asker, &sql).await?.len() > 1 {
            return None;
        }
    }
    let found = rows(target, asker, &candidate.sql).await?;
    let count = found.len();
    let has_value = found
        .first()
        .is_some_and(|row| row.values().any(|value| !value.is_null()));
    let is_telling = !candidate.groups || GROUPS.contains(&count);
    (has_value && is_telling).then_some(count)
}

async fn rows(target: &Arc<Target>, asker: &Asker, sql: &str) -> Option<Vec<Map<String, Value>>> {
    let limits = target.limits().with_max_rows(100);
    let checked = target.check(sql, &asker.tenant, limits.max_rows);
    let checked = checked.await.ok()?.ok()?;
    let found = target.run_for(asker, &checked, &limits).await.ok()?;
    Some(found.rows)
}

/// The candidates: those that say the most first, and of each kind those over the most joined
/// tables.
pub(crate) fn candidates(catalogue: &Catalogue) -> Vec<Candidate> {
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
    let columns = tables.iter().flat_map(|table| &table.columns);
    let maker = Maker {
        catalogue,
        is_german: is_german(columns.map(|column| column.name.as_str())),
    };
    let mut found: Vec<Candidate> = Vec::new();
    for table in &tables {
        found.extend(maker.of_table(table));
    }
    let mut seen = HashSet::new();
    for edge in joins {
        let (one, other) = (&*edge.from_table, &*edge.to_table);
        if seen.insert((one.min(other), one.max(other))) {
            found.extend(maker.of_tables(one, other));
        }
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
    /// English plurals of the names would be no words.
    is_german: bool,
}

impl Maker<'_> {
    fn of_table(&self, table: &TableInfo) -> Vec<Candidate> {
        let name = self.many(table);
        let from = self.table(table);
        let mut found = vec![Candidate {
            kind: Kind::Count,
            question: format!("How many {name} are there?"),
            sql: format!("SELECT COUNT(*) AS number FROM {from}"),
            groups: false,
            one_valued: Vec::new(),
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
                });
            }
            // Kilograms are not counted by currency.
            let measure = measure.filter(|measure| !is_unit(category) || is_amount(measure));
            if let Some(measure) = measure {
                let value = self.quoted(&measure.name);
                for (units, one_valued) in self.added_by(table, measure, None) {
                    let by = units.iter().filter(|unit| unit.name != category.name);
                    let columns: Vec<String> =
                        by.clone().map(|unit| self.quoted(&unit.name)).collect();
                    let columns = [&[column.clone()][..], &columns].concat().join(", ");
                    found.push(Candidate {
                        kind: Kind::TotalPerCategory,
                        question: format!(
                            "What is the total {} of {name} per {said}{}?",
                            spoken(&measure.name),
                            and_units(by.copied())
                        ),
                        sql: format!(
                            "SELECT {columns}, SUM({value}) AS total FROM {from} GROUP BY {columns} ORDER BY total DESC"
                        ),
                        groups: true,
                        one_valued,
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
            });
        }
        found
    }

    /// The rows of a table, as people say them.
    fn many(&self, table: &TableInfo) -> String {
        let said = self.said(table);
        if self.is_german { said } else { plural(&said) }
    }

    /// Of two joined tables: which of one has the most of the other. Nothing if there are several
    /// ways to join them, as the question would not say which it takes.
    fn of_tables(&self, one: &str, other: &str) -> Vec<Candidate> {
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
        }];
        let Some(measure) = self.measure(many_table) else {
            return Some(found);
        };
        for (units, one_valued) in self.added_by(many_table, measure, Some(one_table)) {
            let by = units
                .iter()
                .map(|unit| format!(", m.{}", self.quoted(&unit.name)));
            let by = by.collect::<Vec<_>>().concat();
            found.push(Candidate {
                kind: Kind::TotalPerOther,
                question: format!(
                    "What is the total {} of {many_said} per {one_said}{}?",
                    spoken(&measure.name),
                    and_units(units.iter().copied())
                ),
                // What belongs to none is a group as well, so that the groups add up.
                sql: format!(
                    "SELECT o.{label}{by}, SUM(m.{}) AS total FROM {}{by} ORDER BY total DESC",
                    self.quoted(&measure.name),
                    joined("LEFT JOIN"),
                ),
                groups: true,
                one_valued,
            });
        }
        Some(found)
    }

    /// The ways to add the amounts of a table, by the units that group them: without any where all
    /// amounts have the same units, and otherwise by those that are next to the amounts. `group`
    /// is a table whose rows are the groups, so that its units are the same in each of them.
    fn added_by<'t>(
        &self,
        table: &'t TableInfo,
        measure: &ColumnInfo,
        group: Option<&TableInfo>,
    ) -> Vec<(Vec<&'t ColumnInfo>, Vec<Column>)> {
        let units = units_of(table, measure);
        let plain = (Vec::new(), self.one_valued(table, measure, &units, group));
        if units.is_empty() {
            return vec![plain];
        }
        vec![plain, (units, self.one_valued(table, measure, &[], group))]
    }

    /// These columns of a table, and the units of the tables that its rows belong to: an invoice's
    /// currency is that of its lines.
    fn one_valued(
        &self,
        table: &TableInfo,
        measure: &ColumnInfo,
        units: &[&ColumnInfo],
        group: Option<&TableInfo>,
    ) -> Vec<Column> {
        let joins = self.catalogue.graph.relationships().iter();
        let parents: HashSet<&str> = joins
            .filter_map(|edge| match edge.cardinality {
                Cardinality::OneToMany if edge.to_table == table.name => Some(&*edge.from_table),
                Cardinality::OneToMany => None,
                _ if edge.from_table == table.name => Some(&*edge.to_table),
                _ => None,
            })
            .collect();
        let parents = self.catalogue.tables.values().filter(|parent| {
            let is_group = group.is_some_and(|group| group.name == parent.name);
            parents.contains(&*parent.name) && parent.name != table.name && !is_group
        });
        let column = |table: &TableInfo, unit: &ColumnInfo| Column {
            table: self.table(table),
            name: self.quoted(&unit.name),
        };
        let own = units.iter().map(|unit| column(table, unit));
        let theirs = parents.flat_map(|parent| {
            let units = units_of(parent, measure).into_iter();
            units.map(move |unit| column(parent, unit))
        });
        own.chain(theirs).collect()
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

    /// A column of few values: by its name, or of a short text.
    fn category<'t>(&self, table: &'t TableInfo) -> Option<&'t ColumnInfo> {
        const NAMES: [&str; 15] = [
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
        let other = texts
            .clone()
            .find(|column| !is_of_one_row(column) && !is_unit(column));
        named
            .or(other)
            .or_else(|| texts.find(|column| is_unit(column)))
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

/// The columns that say what the amounts of a row are in. Nothing for what says it itself:
/// kilograms have no currency.
fn units_of<'t>(table: &'t TableInfo, measure: &ColumnInfo) -> Vec<&'t ColumnInfo> {
    let units = table.columns.iter().filter(|column| is_unit(column));
    units.filter(|_| is_amount(measure)).collect()
}

/// Whether a column says what amounts are in.
fn is_unit(column: &ColumnInfo) -> bool {
    const NAMES: [&str; 5] = ["currency", "ccy", "unit", "units", "uom"];
    let words = identifier_words(&column.name);
    let is_named = words.iter().any(|word| NAMES.contains(&word.as_str()));
    is_named && is_text(column) && !column.unique
}

/// Whether the unit of a column's figures is not in its own name.
fn is_amount(column: &ColumnInfo) -> bool {
    const MEASURED: [&str; 21] = [
        "kg", "km", "kwh", "cm", "mm", "ml", "hours", "hour", "minutes", "days", "weight",
        "distance", "length", "height", "width", "percent", "pct", "age", "year", "rating",
        "stock",
    ];
    let words = identifier_words(&column.name);
    !words.iter().any(|word| MEASURED.contains(&word.as_str()))
}

/// Whether the texts of a column are a row's own: its name, its number, its address.
fn is_of_one_row(column: &ColumnInfo) -> bool {
    const NAMES: [&str; 26] = [
        "name",
        "title",
        "label",
        "isbn",
        "ean",
        "sku",
        "imo",
        "vin",
        "serial",
        "no",
        "nr",
        "number",
        "code",
        "id",
        "uuid",
        "email",
        "mail",
        "phone",
        "fax",
        "url",
        "address",
        "street",
        "description",
        "comment",
        "notes",
        "note",
    ];
    let words = identifier_words(&column.name);
    words
        .last()
        .is_some_and(|word| NAMES.contains(&word.as_str()))
}

/// Units as further groups of a question.
fn and_units<'c>(units: impl Iterator<Item = &'c ColumnInfo>) -> String {
    let said: Vec<String> = units
        .map(|unit| format!(" and {}", spoken(&unit.name)))
        .collect();
    said.concat()
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

/// Words of German names of columns that are no English ones.
const GERMAN: [&str; 20] = [
    "anzahl",
    "artikel",
    "bestellung",
    "betrag",
    "bezeichnung",
    "datum",
    "gewicht",
    "kunde",
    "kunden",
    "menge",
    "nummer",
    "ort",
    "plz",
    "preis",
    "rechnung",
    "strasse",
    "straße",
    "titel",
    "umsatz",
    "vorname",
];

/// Whether names of columns are German: at least two of their words are.
fn is_german<'n>(columns: impl Iterator<Item = &'n str>) -> bool {
    let words = columns.flat_map(identifier_words);
    let german: HashSet<String> = words
        .map(|word| word.to_lowercase())
        .filter(|word| GERMAN.contains(&word.as_str()))
        .collect();
    german.len() > 1
}

/// More than one of something, as English has it mostly.
fn plural(name: &str) -> String {
    let before_last = name.chars().rev().nth(1);
    let is_vowel = before_last.is_some_and(|letter| "aeiou".contains(letter));
    match name.strip_suffix('y') {
        Some(stem) if !is_vowel => format!("{stem}ies"),
        _ if name.ends_with('s') || name.ends_with("data") => name.to_owned(),
        _ if name.ends_with("ch") || name.ends_with("sh") || name.ends_with('x') => {
            format!("{name}es")
        }
        _ => format!("{name}s"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_as_people_say_them() {
        let said = |name: &str| plural(&spoken(name));
        assert_eq!(said("workOrder"), "work orders");
        assert_eq!(said("sales_category"), "sales categories");
        assert_eq!(said("day"), "days");
        assert_eq!(said("SALES"), "sales");
    }

    /// "kundens" and "bestellungens" are words of no language.
    #[test]
    fn german_names_have_no_english_plural() {
        assert!(is_german(["kunde_id", "bestell_datum", "Ort"].into_iter()));
        assert!(!is_german(["customer_id", "ort", "date"].into_iter()));
    }

    fn column(name: &str, kind: &str) -> ColumnInfo {
        ColumnInfo {
            name: name.to_owned(),
            data_type: kind.to_owned(),
            nullable: true,
            unique: false,
            comment: None,
            remark: None,
        }
    }

    #[test]
    fn what_says_its_own_unit_has_no_other_and_a_name_is_no_category() {
        for (name, is) in [
            ("cost", true),
            ("amount", true),
            ("food_kg", false),
            ("distanceKm", false),
            ("labour_hours", false),
        ] {
            assert_eq!(is_amount(&column(name, "numeric")), is, "{name}");
        }
        for (name, is) in [
            ("isbn", true),
            ("name", true),
            ("firstName", true),
            ("email", true),
            ("status", false),
            ("species", false),
        ] {
            assert_eq!(is_of_one_row(&column(name, "text")), is, "{name}");
        }
        assert!(is_unit(&column("cost_unit", "text")) && !is_unit(&column("cost_unit", "int")));
    }
}
