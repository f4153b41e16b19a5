//! Questions that are simple enough to be answered without a model: how many there are, which there
//! are, how many by what.
//!
//! Only what the catalogue settles is taken: the words have to be a table's whole name, what is
//! grouped by a column of it or a table that each of its rows belongs to. A condition is never
//! guessed.

use std::sync::LazyLock;

use contracts::tools::sql::{ColumnDescription, PlannedJoin, SqlDialect, TableDescription};
use regex::Regex;

use crate::language::names::{named, spoken_plural, words};

/// Maximum number of columns of a listing.
const LISTED: usize = 6;

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

/// The shape of a question, if it has one.
pub(crate) fn shape<'a>(
    question: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<Shape> {
    let question = question
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .trim_end_matches(['?', '.', '!', ' '])
        .to_owned();
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

/// A simple question that leaves out what the one before it said, complete in itself.
pub(crate) fn continued<'a>(
    text: &str,
    before: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    let last = shape(before, tables.clone())?;
    if let Some(found) = OF_THEM.as_ref()?.captures(text) {
        let them = spoken_plural(&last.table);
        return Some(match found.name("first") {
            Some(first) => format!("List the first {} {them}", first.as_str()),
            None => format!("List all {them}"),
        });
    }
    let found = AND.as_ref()?.captures(text)?;
    let other = spoken_plural(named(&found["what"], tables)?);
    Some(match last.asks {
        Asks::Count | Asks::CountBy(_) => format!("How many {other} are there?"),
        Asks::List | Asks::First(_) => format!("List all {other}"),
    })
}

impl Shape {
    /// The tables that the question is about.
    pub(crate) fn tables<'a>(&self, tables: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut all = vec![self.table.clone()];
        if let Asks::CountBy(by) = &self.asks
            && let Some(other) = named(by, tables).filter(|other| *other != self.table)
        {
            all.push(other.to_owned());
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
            Asks::CountBy(by) => {
                if let Some(column) = named(by, table.columns.iter().map(|column| &*column.name)) {
                    let column = quote(column);
                    return Some(format!(
                        "SELECT {column}, COUNT(*) AS {count} FROM {from} GROUP BY {column} ORDER BY {count} DESC",
                        count = quote("count")
                    ));
                }
                let other = schemas.iter().find(|other| {
                    other.name != self.table && named(by, [&*other.name]).is_some()
                })?;
                self.by_owner(other, steps, dialect)
            }
        }
    }

    /// Number of rows that belong to each row of another table, and of those that belong to none:
    /// only over the one join that leads there.
    fn by_owner(
        &self,
        owner: &TableDescription,
        steps: &[PlannedJoin],
        dialect: SqlDialect,
    ) -> Option<String> {
        let [step] = steps else { return None };
        let edge = &step.edge;
        let belongs = step.choices.is_empty()
            && edge.from_table == self.table
            && edge.to_table == owner.name
            && matches!(&*edge.cardinality, "N:1" | "1:1");
        if !belongs {
            return None;
        }
        let quote = |name: &str| quoted(name, dialect);
        let name = label(owner, dialect, |column| format!("o.{}", quote(column)))?;
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
        Some(format!(
            "SELECT {name} AS {alias}, COUNT(*) AS {count} FROM {from} i LEFT JOIN {to} o ON {on} GROUP BY {key}, {name} ORDER BY {count} DESC",
            alias = quote(&words(&owner.name).join("_")),
            count = quote("count"),
            from = quoted_table(&self.table, dialect),
            to = quoted_table(&owner.name, dialect),
        ))
    }
}

/// A table's name, which may have a schema before it.
fn quoted_table(name: &str, dialect: SqlDialect) -> String {
    let parts: Vec<_> = name.split('.').map(|part| quoted(part, dialect)).collect();
    parts.join(".")
}

fn quoted(name: &str, dialect: SqlDialect) -> String {
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
    let own = words(&table.name).concat();
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

/// The columns of a listing: no keys, no bookkeeping, nothing that is not text.
fn shown(table: &TableDescription) -> Vec<&str> {
    let tells = |column: &&ColumnDescription| {
        let words = words(&column.name);
        let kind = column.data_type.to_lowercase();
        let is_key = words
            .last()
            .is_some_and(|last| last == "id" || last == "uuid");
        let is_bookkeeping = matches!(
            words.first().map(String::as_str),
            Some("created" | "updated" | "deleted" | "modified")
        );
        let is_opaque = ["blob", "binary", "bytea", "json", "geometry"]
            .iter()
            .any(|opaque| kind.contains(opaque));
        !is_key && !is_bookkeeping && !is_opaque
    };
    let told: Vec<&str> = table
        .columns
        .iter()
        .filter(tells)
        .take(LISTED)
        .map(|column| &*column.name)
        .collect();
    if told.is_empty() {
        table
            .columns
            .iter()
            .take(LISTED)
            .map(|column| &*column.name)
            .collect()
    } else {
        told
    }
}

#[cfg(test)]
mod tests;
