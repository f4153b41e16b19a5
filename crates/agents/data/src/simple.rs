//! Questions that are simple enough to be answered without a model: how many there are, which there
//! are, how many by what.
//!
//! Only what the catalogue settles is taken: the words have to be a table's whole name, what is
//! grouped by a column of it or a table that each of its rows belongs to. A condition is never
//! guessed.

mod most;

use std::sync::LazyLock;

use contracts::tools::sql::{
    ColumnDescription, JoinEdge, PlannedJoin, SqlDialect, TableDescription,
};
use regex::Regex;

use most::Ranking;
pub(crate) use most::Superlative;

use crate::{
    answer::units::{is_amount, is_beside, is_number, is_text, is_unit, units},
    language::names::{bare, named, spoken_among, words},
};

/// Maximum number of columns of a listing.
const LISTED: usize = 6;

/// Owners of all rows: their keys do not distinguish rows.
const OWNERS: [&str; 5] = [
    "company",
    "tenant",
    "organisation",
    "organization",
    "account",
];

/// Words of columns that say what a row amounts to.
const AMOUNTS: [&str; 10] = [
    "total", "amount", "price", "net", "gross", "sum", "salary", "fee", "cost", "value",
];

/// A simple question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) table: String,
    pub(crate) asks: Asks,
}

/// The request of a simple question about its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asks {
    Count,
    List,
    /// The first of them, up to this number.
    First(u32),
    /// Number of each, in these words.
    CountBy(String),
    /// The sum or the average of a column, of each where that is said.
    Total {
        adds: Adds,
        /// The words for the column; empty for the table's only amount.
        measure: String,
        by: Option<String>,
    },
    /// The largest or smallest numbers of each, in these words.
    Ranked {
        by: String,
        ranking: Ranking,
    },
}

/// How figures of several rows are made one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Adds {
    Sum,
    Average,
}

static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:please\ )?(?:(?:can|could)\ you\ )?(?:tell\ me\ )?(?:how\ many|count(?:\ (?:of|up))?|(?:what(?:\ is|['’]?s)\ the\ )?(?:total\ )?number\ of)\ (?:(?:of|the|our|all|different)\ )*
        (?P<what>[\w\ ]+?)(?:\ (?:are\ there|there\ are|do\ we\ have|do\ i\ have|we\ have|exist|in\ total|in\ all))*
        (?:\ (?:by|per|for\ each|in\ each|of\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ]+?))?(?:\ (?:are\ there|do\ we\ have|exist))*$",
    )
    .ok()
});

/// "How many rows are in customer?"
static ROWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:please\ )?how\ many\ (?:rows|records|entries|lines)\ (?:(?:are|is)\ (?:there\ )?(?:in|of)|does|has|in|of)\ (?:the\ )?(?:table\ )?(?P<what>[\w.\ ]+?)(?:\ table)?(?:\ (?:have|has|hold|contain|got))?$").ok()
});

/// Whether there is one: how many there are says it.
static EXISTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:please\ )?(?:are\ there|is\ there|do\ we\ have|do\ you\ have|have\ we\ got)\ (?:(?:any|some|an?)\ )?(?P<what>[\w\ ]+?)(?:\ (?:at\ all|in\ there|there))*$").ok()
});

/// "The customers, how many?"
static HOW_MANY_LAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:and|the|our|all)\ )*(?P<what>[\w\ ]+?)\ ?[,:–-]?\ how\ many(?:\ (?:are\ there|there\ are|do\ we\ have|exist))?$").ok()
});

static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:please\ )?(?:list|show|display|give|what\ are|which\ are)\ (?:(?:me|us|the|our|all|of|a\ list\ of)\ )*(?:(?:first\ )?(?P<first>[1-9]\d{0,2})\ )?(?P<what>[\w\ ]+?)(?:\ (?:there\ are|we\ have|please))*$").ok()
});

/// "Customers by country".
static BY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:the|our|all|please|show(?:\ me)?)\ )*(?P<what>[\w\ ]+?)\ (?:by|per|for\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ]+?)$").ok()
});

/// "What is the total amount of payments per currency?"
static TOTAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:please\ )?(?:(?:what(?:\ is|\ are|['’]?s)|show(?:\ me)?|give\ me|tell\ me|calculate|compute)\ )?(?:the\ )?
        (?P<adds>total|sum|overall|average|mean|avg)(?:\ (?:of\ (?:the\ )?)?(?P<measure>[\w\ ]+?))??
        \ (?:of|for|across)\ (?:(?:the|our|all)\ )*(?P<what>[\w\ ]+?)
        (?:\ (?:by|per|for\ each|in\ each|of\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ]+?))?$",
    )
    .ok()
});

/// The shape of a question, if it has one.
pub(crate) fn shape<'a>(
    question: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<Shape> {
    let question = normal(question);
    if let Some(found) = ROWS.as_ref()?.captures(&question)
        && let Some(table) = named(&found["what"], tables.clone())
    {
        return Some(Shape {
            table: table.to_owned(),
            asks: Asks::Count,
        });
    }
    if let Some(found) = COUNT.as_ref()?.captures(&question) {
        let table = named(&found["what"], tables)?.to_owned();
        let asks = match found.name("by") {
            Some(by) => Asks::CountBy(by.as_str().to_owned()),
            None => Asks::Count,
        };
        return Some(Shape { table, asks });
    }
    let exists = EXISTS.as_ref()?.captures(&question);
    if let Some(found) = exists.or(HOW_MANY_LAST.as_ref()?.captures(&question)) {
        return Some(Shape {
            table: named(&found["what"], tables)?.to_owned(),
            asks: Asks::Count,
        });
    }
    let of_groups =
        total(&question, tables.clone()).or_else(|| most::shape(&question, tables.clone()));
    if of_groups.is_some() {
        return of_groups;
    }
    if let Some(found) = BY.as_ref()?.captures(&question)
        && let Some(table) = named(&found["what"], tables.clone())
    {
        return Some(Shape {
            table: table.to_owned(),
            asks: Asks::CountBy(found["by"].to_owned()),
        });
    }
    let found = LIST.as_ref()?.captures(&question)?;
    let first = found.name("first").map(|first| first.as_str().parse());
    Some(Shape {
        table: named(&found["what"], tables)?.to_owned(),
        asks: match first {
            Some(Ok(first)) => Asks::First(first),
            _ => Asks::List,
        },
    })
}

/// A question with single spaces, without the signs at its end.
fn normal(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let text = words.join(" ");
    text.trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

/// The sum or the average of a column.
fn total<'a>(question: &str, tables: impl IntoIterator<Item = &'a str>) -> Option<Shape> {
    let found = TOTAL.as_ref()?.captures(question)?;
    let adds = match &*found["adds"].to_lowercase() {
        "average" | "mean" | "avg" => Adds::Average,
        _ => Adds::Sum,
    };
    let words = |name: &str| found.name(name).map(|words| words.as_str().to_owned());
    Some(Shape {
        table: named(&found["what"], tables)?.to_owned(),
        asks: Asks::Total {
            adds,
            measure: words("measure").unwrap_or_default(),
            by: words("by"),
        },
    })
}

/// "And crews?"
static AND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:and\ |(?:and\ )?(?:what|how)\ about\ )(?:(?:the|our|all)\ )*(?P<what>[\w\ ]+?)$",
    )
    .ok()
});

/// "List them", "show me the first 10".
static OF_THEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:and|ok|okay|now|please)\ )*(?:list|show|display|give)(?:\ me|\ us)?(?:\ (?:all\ of\ )?(?:them|those)(?:\ all)?|(?:\ the)?\ first\ (?P<first>[1-9]\d{0,2})(?:\ of\ them|\ ones)?)(?:\ please)?$").ok()
});

/// "And per country?"
static PER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:and|now|ok|then|what\ about|how\ about)\ )*(?:per|by|for\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ]+?)$").ok()
});

/// A simple question that leaves out what the one before it said, complete in itself.
pub(crate) fn continued<'a>(
    text: &str,
    before: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    let last = shape(before, tables.clone())?;
    if let Some(found) = OF_THEM.as_ref()?.captures(text) {
        let them = spoken_among(&last.table, tables);
        return Some(match found.name("first") {
            Some(first) => format!("List the first {} {them}", first.as_str()),
            None => format!("List all {them}"),
        });
    }
    if let Some(found) = PER.as_ref()?.captures(text) {
        let (them, by) = (spoken_among(&last.table, tables), &found["by"]);
        return match &last.asks {
            Asks::Count | Asks::CountBy(_) => Some(format!("How many {them} are there per {by}?")),
            Asks::Total { adds, measure, .. } => {
                let adds = match adds {
                    Adds::Sum => "total",
                    Adds::Average => "average",
                };
                let what = format!("What is the {adds} {measure}");
                Some(format!("{} of {them} per {by}?", what.trim_end()))
            }
            Asks::List | Asks::First(_) | Asks::Ranked { .. } => None,
        };
    }
    let found = AND.as_ref()?.captures(text)?;
    let other = spoken_among(named(&found["what"], tables.clone())?, tables);
    Some(match last.asks {
        Asks::Count | Asks::CountBy(_) | Asks::Total { .. } | Asks::Ranked { .. } => {
            format!("How many {other} are there?")
        }
        Asks::List | Asks::First(_) => format!("List all {other}"),
    })
}

impl Shape {
    /// The tables that the question is about.
    pub(crate) fn tables<'a>(&self, tables: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut all = vec![self.table.clone()];
        let (Asks::CountBy(by) | Asks::Total { by: Some(by), .. } | Asks::Ranked { by, .. }) =
            &self.asks
        else {
            return all;
        };
        let tables: Vec<&str> = tables.into_iter().collect();
        // "Pickup branch" is a branch.
        let mut words: Vec<&str> = by.split_whitespace().collect();
        while !words.is_empty() {
            if let Some(other) = named(&words.join(" "), tables.iter().copied()) {
                if other != self.table {
                    all.push(other.to_owned());
                }
                break;
            }
            words.remove(0);
        }
        all
    }

    /// The query; `None` when the catalogue does not settle it after all.
    pub(crate) fn query(
        &self,
        schemas: &[TableDescription],
        steps: &[PlannedJoin],
        dialect: SqlDialect,
    ) -> Option<String> {
        let table = schemas.iter().find(|table| table.name == self.table)?;
        let quote = |name: &str| quoted(name, dialect);
        let from = quoted_table(&self.table, dialect);
        match &self.asks {
            Asks::Count => Some(format!("SELECT COUNT(*) AS {} FROM {from}", quote("count"))),
            Asks::List => {
                let columns: Vec<_> = shown(table).iter().map(|name| quote(name)).collect();
                (!columns.is_empty()).then(|| format!("SELECT {} FROM {from}", columns.join(", ")))
            }
            Asks::First(most) => {
                let columns: Vec<_> = shown(table).iter().map(|name| quote(name)).collect();
                let key = table.columns.iter().find(|column| column.unique);
                let order =
                    key.map_or_else(String::new, |key| format!(" ORDER BY {}", quote(&key.name)));
                (!columns.is_empty()).then(|| {
                    format!(
                        "SELECT {} FROM {from}{order} LIMIT {most}",
                        columns.join(", ")
                    )
                })
            }
            Asks::CountBy(by) => self.grouped(by, &Figure::count(None), schemas, steps, dialect),
            Asks::Ranked { by, ranking } => {
                let figure = Figure::count(Some(*ranking));
                self.grouped(by, &figure, schemas, steps, dialect)
            }
            Asks::Total { adds, measure, by } => {
                let figure = figure(table, *adds, measure, by.as_deref(), dialect)?;
                match by {
                    Some(by) => self.grouped(by, &figure, schemas, steps, dialect),
                    None => Some(figure.of_all(&from, dialect)),
                }
            }
        }
    }

    /// A figure of each value of a column, or of each row of another table.
    fn grouped(
        &self,
        by: &str,
        figure: &Figure,
        schemas: &[TableDescription],
        steps: &[PlannedJoin],
        dialect: SqlDialect,
    ) -> Option<String> {
        let table = schemas.iter().find(|table| table.name == self.table)?;
        if let Some(column) = named(by, table.columns.iter().map(|column| &*column.name)) {
            let names = [column].into_iter();
            let others = figure.units.iter().map(|unit| &**unit);
            let columns: Vec<String> = names
                .chain(others.filter(|unit| *unit != column))
                .map(|column| quoted(column, dialect))
                .collect();
            let columns = columns.join(", ");
            return Some(format!(
                "SELECT {columns}, {sql} AS {name} FROM {from}{named} GROUP BY {columns} ORDER BY {end}",
                sql = figure.sql,
                name = quoted(figure.name, dialect),
                from = quoted_table(&self.table, dialect),
                named = match figure.ranking {
                    Some(_) => format!(" WHERE {} IS NOT NULL", quoted(column, dialect)),
                    None => String::new(),
                },
                end = figure.end(dialect),
            ));
        }
        let is_owner = |other: &&TableDescription| {
            let said = words(by);
            let own = words(bare(&other.name)).len();
            let last = said.len().checked_sub(own).map(|at| said[at..].join(" "));
            other.name != self.table
                && (named(by, [&*other.name]).is_some()
                    || last.is_some_and(|last| named(&last, [&*other.name]).is_some()))
        };
        let owner = schemas.iter().find(is_owner)?;
        self.by_owner(by, figure, owner, steps, dialect)
    }

    /// A figure of the rows that belong to each row of another table, and of those that belong to
    /// none: only over the one join that leads there, or the one that is named.
    fn by_owner(
        &self,
        by: &str,
        figure: &Figure,
        owner: &TableDescription,
        steps: &[PlannedJoin],
        dialect: SqlDialect,
    ) -> Option<String> {
        let [step] = steps else { return None };
        let said = words(by);
        let is_named = |edge: &&JoinEdge| {
            let mut key = words(&edge.from_column);
            if key.last().is_some_and(|last| last == "id") {
                key.pop();
            }
            key == said
        };
        let edges = || std::iter::once(&step.edge).chain(&step.choices);
        let is_table = named(by, [&*owner.name]).is_some();
        let edge = if is_table {
            Some(&step.edge).filter(|_| step.choices.is_empty())?
        } else {
            edges().find(is_named)?
        };
        let belongs = edge.from_table == self.table
            && edge.to_table == owner.name
            && matches!(&*edge.cardinality, "N:1" | "1:1");
        if !belongs {
            return None;
        }
        let quote = |name: &str| quoted(name, dialect);
        let pairs = std::iter::once((&edge.from_column, &edge.to_column)).chain(
            edge.and
                .iter()
                .map(|pair| (&pair.from_column, &pair.to_column)),
        );
        let (conditions, keys): (Vec<String>, Vec<String>) = pairs
            .map(|(foreign, key)| {
                let key = format!("o.{}", quote(key));
                (format!("i.{} = {key}", quote(foreign)), key)
            })
            .unzip();
        let (on, key) = (conditions.join(" AND "), keys.join(", "));
        let name = label(owner, dialect, |column| format!("o.{}", quote(column)))
            .or_else(|| Some(format!("o.{}", quote(identity(owner)?))))?;
        let mut units = String::new();
        for unit in &figure.units {
            units.extend([", i.", &quote(unit)]);
        }
        let from = format!("{} i", quoted_table(&self.table, dialect));
        let to = format!("{} o", quoted_table(&owner.name, dialect));
        let (sql, from) = match figure.ranking {
            None => (
                figure.sql_of("i", dialect),
                format!("{from} LEFT JOIN {to}"),
            ),
            Some(Ranking { fewest: false, .. }) => {
                (figure.sql_of("i", dialect), format!("{from} JOIN {to}"))
            }
            // Those without any are the fewest.
            Some(Ranking { fewest: true, .. }) => (
                format!("COUNT(i.{})", quote(&edge.from_column)),
                format!("{to} LEFT JOIN {from}"),
            ),
        };
        Some(format!(
            "SELECT {name} AS {alias}{units}, {sql} AS {count} FROM {from} ON {on} GROUP BY {key}, {name}{units} ORDER BY {end}",
            alias = quote(&said.join("_")),
            count = quote(figure.name),
            end = figure.end(dialect),
        ))
    }
}

/// A figure of several rows.
struct Figure {
    sql: String,
    name: &'static str,
    /// Columns that say what it is in: figures in two of them are not added.
    units: Vec<String>,
    /// The groups that are asked for, if not all.
    ranking: Option<Ranking>,
}

impl Figure {
    /// The number of rows.
    fn count(ranking: Option<Ranking>) -> Self {
        Self {
            sql: "COUNT(*)".to_owned(),
            name: "count",
            units: Vec::new(),
            ranking,
        }
    }

    /// How the groups are ordered, and how many there are.
    fn end(&self, dialect: SqlDialect) -> String {
        let name = quoted(self.name, dialect);
        match self.ranking {
            None => format!("{name} DESC"),
            Some(Ranking { most, fewest }) => {
                let order = if fewest { "" } else { " DESC" };
                format!("{name}{order} LIMIT {most}")
            }
        }
    }

    /// The figure of all rows, of each unit.
    fn of_all(&self, from: &str, dialect: SqlDialect) -> String {
        let (sql, name) = (&self.sql, quoted(self.name, dialect));
        let units = self.units.iter().map(|unit| quoted(unit, dialect));
        let units = units.collect::<Vec<_>>().join(", ");
        if units.is_empty() {
            format!("SELECT {sql} AS {name} FROM {from}")
        } else {
            format!("SELECT {units}, {sql} AS {name} FROM {from} GROUP BY {units} ORDER BY {units}")
        }
    }

    /// The figure of a table with another name.
    fn sql_of(&self, alias: &str, dialect: SqlDialect) -> String {
        let quote = match dialect {
            SqlDialect::Mysql => '`',
            SqlDialect::Postgresql => '"',
        };
        self.sql
            .replacen(&format!("({quote}"), &format!("({alias}.{quote}"), 1)
    }
}

/// The sum or average of the column that the words name, by what it is in.
fn figure(
    table: &TableDescription,
    adds: Adds,
    measure: &str,
    by: Option<&str>,
    dialect: SqlDialect,
) -> Option<Figure> {
    let figures = || table.columns.iter().filter(|column| is_number(column));
    let column = if measure.is_empty() {
        let mut amounts = figures().filter(|column| {
            let words = words(&column.name);
            ["total", "amount", "sum"].contains(&&*words.concat())
        });
        amounts.next().filter(|_| amounts.next().is_none())?
    } else {
        let name = named(measure, figures().map(|column| &*column.name))?;
        figures().find(|column| column.name == name)?
    };
    if column.unique || words(&column.name).last().is_some_and(|last| last == "id") {
        return None;
    }
    let units =
        units(table).filter(|unit| is_amount(column) && is_beside(&column.name, &unit.name, table));
    let units = units.filter(|unit| by.is_none_or(|by| named(by, [&*unit.name]).is_none()));
    let quoted = quoted(&column.name, dialect);
    let (sql, name) = match adds {
        Adds::Sum => (format!("SUM({quoted})"), "total"),
        Adds::Average => (format!("AVG({quoted})"), "average"),
    };
    Some(Figure {
        sql,
        name,
        units: units.map(|unit| unit.name.clone()).collect(),
        ranking: None,
    })
}

/// The column that identifies the rows of a table without a name.
fn identity(table: &TableDescription) -> Option<&str> {
    let mut unique = table.columns.iter().filter(|column| column.unique);
    let text = unique.clone().find(|column| is_text(column));
    text.or_else(|| unique.next()).map(|column| &*column.name)
}

/// A table's name, which may have a schema before it.
pub(crate) fn quoted_table(name: &str, dialect: SqlDialect) -> String {
    let parts: Vec<_> = name.split('.').map(|part| quoted(part, dialect)).collect();
    parts.join(".")
}

pub(crate) fn quoted(name: &str, dialect: SqlDialect) -> String {
    match dialect {
        SqlDialect::Mysql => format!("`{}`", name.replace('`', "``")),
        SqlDialect::Postgresql => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// What names a row of a table; nothing where there is no row.
fn label(
    table: &TableDescription,
    dialect: SqlDialect,
    column: impl Fn(&str) -> String,
) -> Option<String> {
    let of = |wanted: &str| {
        let mut columns = table.columns.iter();
        columns
            .find(|column| words(&column.name).concat() == wanted)
            .map(|found| &*found.name)
    };
    let own = words(bare(&table.name)).concat();
    let whole = ["name", "fullname", "displayname", "title", "label"]
        .into_iter()
        .find_map(of)
        .or_else(|| of(&format!("{own}name")));
    if let Some(name) = whole {
        return Some(column(name));
    }
    let (first, last) = (of("firstname")?, of("lastname")?);
    let (first, last) = (column(first), column(last));
    Some(match dialect {
        SqlDialect::Mysql => format!("CONCAT({first}, ' ', {last})"),
        SqlDialect::Postgresql => format!("{first} || ' ' || {last}"),
    })
}

/// The columns of a listing: no keys, no bookkeeping, nothing that is not text. Rows that have no
/// name of their own are shown with the keys of what they belong to, amounts with their units, and
/// an amount takes the place of what says the least.
fn shown(table: &TableDescription) -> Vec<&str> {
    let has_name = label(table, SqlDialect::Mysql, str::to_owned).is_some();
    let names_itself = has_name
        || table
            .columns
            .iter()
            .any(|column| column.unique && is_text(column));
    let is_key = |column: &ColumnDescription| {
        let words = words(&column.name);
        words
            .last()
            .is_some_and(|last| last == "id" || last == "uuid")
    };
    let tells = |column: &&ColumnDescription| {
        let words = words(&column.name);
        let kind = column.data_type.to_lowercase();
        let is_bookkeeping = matches!(
            words.first().map(String::as_str),
            Some("created" | "updated" | "deleted" | "modified")
        );
        let is_opaque = ["blob", "binary", "bytea", "json", "geometry"]
            .iter()
            .any(|opaque| kind.contains(opaque));
        let is_parent =
            !names_itself && !column.unique && words.len() > 1 && !OWNERS.contains(&&*words[0]);
        (!is_key(column) || is_parent) && !is_bookkeeping && !is_opaque
    };
    let told: Vec<&ColumnDescription> = table.columns.iter().filter(tells).collect();
    let mut chosen: Vec<&ColumnDescription> = told.iter().take(LISTED).copied().collect();
    // What the rows amount to, and in what.
    let is_money = |column: &&&ColumnDescription| {
        let words = words(&column.name);
        let is = |word: &String| AMOUNTS.contains(&&**word);
        is_amount(column) && words.iter().any(is)
    };
    let mut wanted: Vec<&ColumnDescription> = Vec::new();
    if !chosen.iter().any(|column| is_money(&column)) {
        wanted.extend(told.iter().find(is_money).copied());
    }
    let amounts: Vec<&ColumnDescription> = chosen
        .iter()
        .chain(&wanted)
        .filter(|column| is_amount(column))
        .copied()
        .collect();
    let beside = |unit: &&ColumnDescription| {
        let mut amounts = amounts.iter();
        amounts.any(|amount| is_beside(&amount.name, &unit.name, table))
    };
    wanted.extend(units(table).filter(beside));
    wanted.retain(|column| chosen.iter().all(|one| one.name != column.name));
    for column in wanted {
        if chosen.len() >= LISTED
            && let Some(at) = chosen
                .iter()
                .rposition(|one| !is_amount(one) && !is_unit(&one.name))
        {
            chosen.remove(at);
        }
        chosen.push(column);
    }
    // In the table's order.
    let columns = table.columns.iter();
    let chosen = columns.filter(|column| chosen.iter().any(|one| one.name == column.name));
    let chosen: Vec<&str> = chosen.map(|column| &*column.name).collect();
    if chosen.is_empty() {
        let all = table.columns.iter().take(LISTED);
        all.map(|column| &*column.name).collect()
    } else {
        chosen
    }
}

#[cfg(test)]
mod tests;
