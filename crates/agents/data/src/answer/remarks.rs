//! Remarks on properties of rows that their query does not distinguish: amounts in several
//! units, rows that are marked as deleted, a tie where a list was cut, prices of one unit that were
//! added, and what the target itself says of a table or a column.

use std::sync::LazyLock;

use contracts::tools::sql::{
    ColumnDescription, DescribeTablesArguments, Measure, ResultColumn, RunSqlArguments, SqlDialect,
    SqlOutcome, SqlRun, TableDescription, TableDescriptions, ValueKind, names,
};
use regex::Regex;
use serde_json::Value;

use super::{
    query::{Shape, ordered_by, with_limit},
    template::{figure_of, is_figure},
    units::{is_amount, is_beside, is_number, units},
    values::{cut, is_time, number, spoken},
};
use crate::{
    draft::Draft,
    language::names::{bare, named, spoken_plural, words},
    simple::{quoted, quoted_table},
    state::Origin,
};

/// Tables of a query that are looked at.
const TABLES: usize = 6;
/// Columns of each.
const COLUMNS: u32 = 200;
/// Units that are named.
const UNITS: u32 = 4;

/// The argument of a sum or an average.
static ADDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:sum|avg)\s*\((?P<what>[^()]*(?:\([^()]*\)[^()]*)*)\)").ok()
});

/// A sum of one column as it is.
static SUMMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)\bsum\s*\(\s*(?:[`"\w]+\s*\.\s*)*[`"]?(?P<column>\w+)[`"]?\s*\)"#).ok()
});

/// A figure of several rows.
static AGGREGATED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:sum|avg|count|min|max)\s*\(").ok());

/// The remarks on a result.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// Amounts in several units were added: no figure of the result is an amount.
    pub(crate) mixed: Option<String>,
    /// The others.
    pub(crate) others: Vec<String>,
}

/// Looks at the tables that a query read.
pub(crate) async fn of(draft: &Draft, run: &SqlRun) -> Remarks {
    let mut remarks = Remarks::default();
    let sql = draft.work.query.sql.clone().unwrap_or_default();
    if run.rows.is_empty() || run.tables.is_empty() {
        return remarks;
    }
    remarks.others.extend(ties(draft, run, &sql).await);
    let read: Vec<String> = run.tables.iter().take(TABLES).cloned().collect();
    let tables = described(draft, run, read).await;
    remarks.mixed = mixed(draft, run, &sql, &tables).await;
    for table in &tables {
        remarks
            .others
            .extend(deleted(draft, run, &sql, table).await);
        remarks.others.extend(said_by_target(&sql, table));
        remarks.others.extend(rarely_added(&sql, table));
    }
    remarks
}

/// The remarks of the target on the rows of a table, where they were aggregated, and on the columns
/// of the query.
fn said_by_target(sql: &str, table: &TableDescription) -> Vec<String> {
    let is_aggregated = AGGREGATED.as_ref().is_some_and(|one| one.is_match(sql));
    let of_table = table.remark.iter().filter(|_| is_aggregated);
    let columns = table.columns.iter().filter(|one| says(sql, &one.name));
    let of_columns = columns.filter_map(|column| column.remark.as_ref());
    of_table.chain(of_columns).cloned().collect()
}

/// A remark on a sum of figures that do not add up: prices of one unit, rates, percents,
/// temperatures, years.
fn rarely_added(sql: &str, table: &TableDescription) -> Option<String> {
    let added: Vec<&str> = SUMMED
        .as_ref()?
        .captures_iter(sql)
        .filter_map(|found| Some(found.name("column")?.as_str()))
        .collect();
    let is_added = |column: &&ColumnDescription| {
        is_number(column)
            && added
                .iter()
                .any(|one| one.eq_ignore_ascii_case(&column.name))
    };
    table.columns.iter().filter(is_added).find_map(|column| {
        let name = words(&column.name).join(" ");
        match Measure::of(&column.name, column.description.as_deref()) {
            Measure::Rate => Some(format!(
                "This adds the {name} of each row, whatever its quantity, which is rarely meant: an average may be."
            )),
            Measure::Label => Some(format!(
                "This adds the {name} of each row, which names something: its sum has no meaning."
            )),
            Measure::Amount | Measure::Unknown => None,
        }
    })
}

/// The tables as they are, from the work where they are known.
async fn described(draft: &Draft, run: &SqlRun, tables: Vec<String>) -> Vec<TableDescription> {
    let known = |name: &String| {
        let mut schemas = draft.found.schemas.iter();
        schemas
            .find(|table| table.name == *name && table.omitted_columns == 0)
            .cloned()
    };
    if tables.is_empty() {
        return Vec::new();
    }
    if let Some(all) = tables.iter().map(known).collect::<Option<Vec<_>>>() {
        return all;
    }
    let arguments = DescribeTablesArguments {
        target: Some(run.target.clone()),
        tables,
        max_columns: COLUMNS,
        sample_rows: 0,
    };
    let found = draft.look_up_quietly::<TableDescriptions>(names::DESCRIBE_TABLES, &arguments);
    match found.await {
        Ok(found) => found.tables,
        Err(failed) => {
            tracing::warn!(
                reason = failed.message,
                "the tables of an answer were not described"
            );
            Vec::new()
        }
    }
}

/// The rows of another query on the same target.
async fn ask(draft: &Draft, run: &SqlRun, sql: String, max_rows: u32) -> Option<SqlRun> {
    let arguments = RunSqlArguments {
        target: Some(run.target.clone()),
        sql,
        max_rows,
    };
    let found = draft.look_up_quietly::<SqlRun>(names::RUN_SQL, &arguments);
    let found = found.await.ok()?;
    (found.outcome == SqlOutcome::Rows).then_some(found)
}

/// Whether the text of a query has a name as a word.
fn says(sql: &str, name: &str) -> bool {
    let mut words = sql.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word.eq_ignore_ascii_case(name))
}

/// The tables that rows of these belong to, by the names of their keys.
fn parents(draft: &Draft, tables: &[TableDescription]) -> Vec<String> {
    let candidates = || draft.found.candidates.iter().map(|table| &*table.name);
    let columns = tables.iter().flat_map(|table| &table.columns);
    let mut found: Vec<String> = Vec::new();
    for column in columns {
        let words = words(&column.name);
        let parent = match words.split_last() {
            Some((last, first)) if last == "id" && !first.is_empty() => first.join(" "),
            _ => continue,
        };
        let is_new = |name: &str| {
            tables.iter().all(|table| table.name != name) && !found.iter().any(|one| one == name)
        };
        if let Some(name) = named(&parent, candidates()).filter(|name| is_new(name))
            && found.len() < TABLES
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// Amounts were added whose units the query does not look at.
async fn mixed(
    draft: &Draft,
    run: &SqlRun,
    sql: &str,
    tables: &[TableDescription],
) -> Option<String> {
    let added: Vec<&str> = ADDED
        .as_ref()?
        .captures_iter(sql)
        .filter_map(|found| Some(found.name("what")?.as_str()))
        .collect();
    let is_added = |column: &&ColumnDescription| {
        is_amount(column) && added.iter().any(|what| says(what, &column.name))
    };
    let amounts = tables.iter().flat_map(|table| &table.columns);
    let amount = amounts.clone().find(is_added)?;
    // The lines of an invoice are in its currency.
    let own_units = tables.iter().flat_map(units).count();
    let parents = match own_units {
        0 => described(draft, run, parents(draft, tables)).await,
        _ => Vec::new(),
    };
    for table in tables.iter().chain(&parents) {
        for unit in units(table).filter(|unit| !says(sql, &unit.name)) {
            // `purchase_currency` is beside `purchase_price` and not beside `rent`.
            if !is_beside(&amount.name, &unit.name, table) {
                continue;
            }
            let column = quoted(&unit.name, draft.dialect());
            let from = quoted_table(&table.name, draft.dialect());
            let sql = format!(
                "SELECT DISTINCT {column} FROM {from} WHERE {column} IS NOT NULL ORDER BY {column}"
            );
            let Some(found) = ask(draft, run, sql, UNITS).await else {
                continue;
            };
            let values = found.rows.iter().filter_map(|row| row.values().next());
            let values: Vec<String> = values
                .map(|value| cut(&spoken(value, ValueKind::Text, &unit.name), 20))
                .collect();
            if values.len() > 1 {
                let more = if found.truncated { ", …" } else { "" };
                return Some(format!(
                    "The amounts of {} are in several units ({} {}{more}), and this query adds them as if they were in one: no figure below \
                     is an amount in any of them. Ask per {} instead.",
                    bare(&table.name),
                    unit.name,
                    values.join(", "),
                    words(&unit.name).join(" ")
                ));
            }
        }
    }
    None
}

/// Rows that are marked as deleted and that the query does not leave out.
async fn deleted(
    draft: &Draft,
    run: &SqlRun,
    sql: &str,
    table: &TableDescription,
) -> Option<String> {
    let (column, marked) = table.columns.iter().find_map(|column| {
        let condition = marks_deleted(column, draft.dialect())?;
        Some((column, condition))
    })?;
    if says(sql, &column.name) || draft.work.query.origin == Origin::Person {
        return None;
    }
    let from = quoted_table(&table.name, draft.dialect());
    let count = format!("SELECT COUNT(*) AS marked FROM {from} WHERE {marked}");
    let Some(found) = ask(draft, run, count, 1).await else {
        return Some(format!(
            "Rows of {} that are marked as deleted ({}) are not left out.",
            bare(&table.name),
            column.name
        ));
    };
    let count = found.rows.first()?.values().next()?;
    let what = spoken_plural(bare(&table.name));
    match number(count)?.as_str() {
        "0" => None,
        "1" => Some(format!(
            "1 of all {what} is marked as deleted ({}), and is not left out.",
            column.name
        )),
        count => Some(format!(
            "{count} of all {what} are marked as deleted ({}), and are not left out.",
            column.name
        )),
    }
}

/// The condition for rows that a column marks as deleted.
fn marks_deleted(column: &ColumnDescription, dialect: SqlDialect) -> Option<String> {
    let words = words(&column.name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let name = quoted(&column.name, dialect);
    let kind = column.data_type.to_lowercase();
    match words.as_slice() {
        ["deleted", "at" | "on" | "date" | "time"] | ["deletion", "date" | "time"] => {
            Some(format!("{name} IS NOT NULL"))
        }
        ["deleted"] | ["is", "deleted"] | ["deleted", "flag"] => {
            if kind.contains("date") || kind.contains("time") {
                Some(format!("{name} IS NOT NULL"))
            } else if kind.starts_with("bool") {
                Some(format!("{name} = TRUE"))
            } else if is_number(column) || kind.starts_with("tinyint") {
                Some(format!("{name} <> 0"))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// The number of results with the figure of the last one that a limit let through.
async fn ties(draft: &Draft, run: &SqlRun, sql: &str) -> Option<String> {
    let shape = Shape::of(sql);
    let most = draft.limits().max_query_rows;
    if !shape.is_ordered || !shape.cuts(run.rows.len()) || run.truncated || run.rows.len() < 2 {
        return None;
    }
    let is_figure = |column: &&ResultColumn| is_figure(column, &shape) && !is_time(column);
    let figures: Vec<&ResultColumn> = run.columns.iter().filter(is_figure).collect();
    let figure = match (ordered_by(sql), figures.as_slice()) {
        (Some(by), figures) => *figures
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(&by))?,
        (None, [only]) => *only,
        (None, _) => return None,
    };
    let of = |run: &SqlRun| -> Option<Vec<f64>> {
        let rows = run.rows.iter();
        rows.map(|row| figure_of(row, &figure.name)).collect()
    };
    let shown = of(run)?;
    // The list is ordered by it.
    let falls = shown.windows(2).all(|pair| pair[0] >= pair[1]);
    let rises = shown.windows(2).all(|pair| pair[0] <= pair[1]);
    if !falls && !rises {
        return None;
    }
    let last = *shown.last()?;
    let all = ask(draft, run, with_limit(sql, most.saturating_add(1))?, most).await?;
    let tied = |figures: &[f64]| {
        figures
            .iter()
            .filter(|one| one.total_cmp(&last).is_eq())
            .count()
    };
    let rows = all.rows.iter();
    let figures: Vec<f64> = rows
        .filter_map(|row| figure_of(row, &figure.name))
        .collect();
    let (total, seen) = (tied(&figures), tied(&shown));
    if total <= seen {
        return None;
    }
    let is_open = all.truncated
        && figures
            .last()
            .is_some_and(|end| end.total_cmp(&last).is_eq());
    let more = if is_open { "more than " } else { "" };
    let value = run.rows.last()?.get(&figure.name).unwrap_or(&Value::Null);
    let value = spoken(value, figure.kind, &figure.name);
    let total = number(&Value::from(total))?;
    Some(format!(
        "The list ends within a tie: {more}{total} have {value}, and {seen} of them {} shown.",
        if seen == 1 { "is" } else { "are" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, Option<&str>)], remark: Option<&str>) -> TableDescription {
        let columns = columns.iter().map(|(name, remark)| ColumnDescription {
            name: (*name).to_owned(),
            data_type: "double precision".to_owned(),
            nullable: true,
            unique: false,
            description: None,
            remark: remark.map(ToOwned::to_owned),
        });
        TableDescription {
            name: "sales".to_owned(),
            description: None,
            remark: remark.map(ToOwned::to_owned),
            columns: columns.collect(),
            omitted_columns: 0,
            samples: Vec::new(),
        }
    }

    #[test]
    fn what_the_target_says_is_said_of_the_columns_of_the_query() {
        let sales = table(
            &[("amount", Some("2 cells are empty.")), ("price", None)],
            Some("Row 9 is a sum."),
        );
        for (sql, said) in [
            (
                "SELECT SUM(amount) FROM sales",
                &["Row 9 is a sum.", "2 cells are empty."][..],
            ),
            ("SELECT COUNT(*) FROM sales", &["Row 9 is a sum."]),
            ("SELECT AVG(price) FROM sales", &["Row 9 is a sum."]),
            ("SELECT \"amount\" FROM sales", &["2 cells are empty."]),
            ("SELECT price FROM sales", &[]),
        ] {
            assert_eq!(said_by_target(sql, &sales), said, "{sql}");
        }
    }

    #[test]
    fn a_sum_of_prices_of_one_unit_has_a_remark() {
        let lines = table(
            &[
                ("unit_price", None),
                ("amount", None),
                ("discount_percent", None),
                ("price", None),
                ("avg_delay", None),
                ("year", None),
            ],
            None,
        );
        for (sql, is_said) in [
            ("SELECT SUM(unit_price) AS total FROM sales", true),
            ("SELECT sum( `sales`.`unit_price` ) FROM sales", true),
            ("SELECT SUM(t0.\"discount_percent\") FROM sales t0", true),
            ("SELECT SUM(unit_price * quantity) FROM sales", false),
            ("SELECT AVG(unit_price) FROM sales", false),
            ("SELECT SUM(amount) FROM sales", false),
            ("SELECT SUM(price) FROM sales", true),
            ("SELECT SUM(avg_delay) FROM sales", true),
            ("SELECT SUM(year) FROM sales", true),
        ] {
            assert_eq!(rarely_added(sql, &lines).is_some(), is_said, "{sql}");
        }
    }
}
