//! Questions that are simple enough to be answered without a model: how many there are, which there
//! are, how many by what.
//!
//! Only what the catalogue settles is taken: the words have to be a table's whole name, what is
//! grouped by a column of it or a table that each of its rows belongs to. A condition is read as a
//! whole from columns and their values, days, and rows of one other table, or not at all.

mod catalogue;
mod common;
mod conditions;
mod listing;
mod most;
mod narrowed;
mod periods;
mod query;
mod top;

use std::sync::LazyLock;

use chrono::NaiveDate;
use contracts::tools::sql::{JoinEdge, PlannedJoin, SqlDialect, TableDescription};
use regex::Regex;
use serde_json::Value;

pub(crate) use catalogue::is_date;
pub(crate) use common::common;
use conditions::Limits;
use most::Ranking;
pub(crate) use most::Superlative;
use query::{Measure, Query};

use crate::language::names::{bare, named, spoken_among, words};

/// A simple question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) table: String,
    pub(crate) asks: Asks,
    /// The conditions in the question's words.
    pub(crate) limits: Limits,
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
    /// The largest or smallest sums or averages of each.
    RankedTotal {
        adds: Adds,
        measure: String,
        by: String,
        ranking: Ranking,
    },
    /// The rows with the largest or smallest figure: one of their own, or that of the rows of one
    /// other table that belong to them.
    Top {
        adds: Option<Adds>,
        measure: String,
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
        (?P<what>[^?]+?)(?:\ (?:are\ there|there\ are|do\ we\ have|do\ i\ have|we\ have|exist|in\ total|in\ all))*
        (?:\ (?:by|per|for\ each|in\ each|of\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ,]+?))?(?:\ (?:are\ there|do\ we\ have|exist))*$",
    )
    .ok()
});

/// "How many rows are in customer?"
static ROWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:please\ )?how\ many\ (?:rows|records|entries|lines)\ (?:(?:are|is)\ (?:there\ )?(?:in|of)|does|has|in|of)\ (?:the\ )?(?:table\ )?(?P<what>[\w.\ ]+?)(?:\ table)?(?:\ (?:have|has|hold|contain|got))?$").ok()
});

/// Whether there is one: how many there are says it.
static EXISTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:please\ )?(?:are\ there|is\ there|do\ we\ have|do\ you\ have|have\ we\ got)\ (?:(?:any|some|an?)\ )?(?P<what>[^?]+?)(?:\ (?:at\ all|in\ there|there))*$").ok()
});

/// "The customers, how many?"
static HOW_MANY_LAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:and|the|our|all)\ )*(?P<what>[^?]+?)\ ?[,:–-]?\ how\ many(?:\ (?:are\ there|there\ are|do\ we\ have|exist))?$").ok()
});

static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:please\ )?(?:list|show|display|give|what\ are|which\ are)\ (?:(?:me|us|the|our|all|of|a\ list\ of)\ )*(?:(?:first\ )?(?P<first>[1-9]\d{0,2})\ )?(?P<what>[^?]+?)(?:\ (?:there\ are|we\ have|please))*$").ok()
});

/// "Customers by country".
static BY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:the|our|all|please|show(?:\ me)?)\ )*(?P<what>[^?]+?)\ (?:by|per|for\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ,]+?)$").ok()
});

/// "What is the total amount of payments per currency?"
static TOTAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:please\ )?(?:(?:what(?:\ is|\ are|['’]?s)|show(?:\ me)?|give\ me|tell\ me|calculate|compute)\ )?(?:the\ )?
        (?P<adds>total|sum|overall|average|mean|avg)(?:\ (?:of\ (?:the\ )?)?(?P<measure>[\w\ ]+?))??
        \ (?:of|for|across)\ (?:(?:the|our|all)\ )*(?P<what>[^?]+?)
        (?:\ (?:by|per|for\ each|in\ each|of\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ,]+?))?$",
    )
    .ok()
});

/// Reads the words for the rows: a table, and the conditions beside its name.
type Reads<'r> = dyn Fn(&str) -> Option<(String, Limits)> + 'r;

/// The shape of a question whose rows are those of a whole table, if it has one.
pub(crate) fn shape<'a>(
    question: &str,
    tables: impl IntoIterator<Item = &'a str>,
) -> Option<Shape> {
    let tables: Vec<&str> = tables.into_iter().collect();
    let reads = |what: &str| {
        let table = named(what, tables.iter().copied())?;
        Some((table.to_owned(), Limits::default()))
    };
    read(question, &reads, &tables)
}

/// "Retired vehicles", "Which customers have no email?"
static ROWS_THAT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:please\ )?(?:(?:which|what|find|get|see)\ (?:me\ |us\ )?)?(?:(?:the|our|all|any|every)\ )*(?P<what>[^?]+)$").ok()
});

/// The shape of a question with conditions, which the columns and their values may settle.
pub(crate) fn limited<'a>(
    question: &str,
    tables: impl IntoIterator<Item = &'a str>,
) -> Option<Shape> {
    let tables: Vec<&str> = tables.into_iter().collect();
    let reads = |what: &str| conditions::subject(what, &tables);
    let shape = read(question, &reads, &tables).or_else(|| {
        let question = normal(question);
        let found = ROWS_THAT.as_ref()?.captures(&question)?;
        Some(Shape::of(reads(&found["what"])?, Asks::List))
    })?;
    (shape.limits != Limits::default()).then_some(shape)
}

fn read(question: &str, reads: &Reads<'_>, tables: &[&str]) -> Option<Shape> {
    let question = normal(question);
    if let Some(found) = ROWS.as_ref()?.captures(&question)
        && let Some(rows) = reads(&found["what"])
    {
        return Some(Shape::of(rows, Asks::Count));
    }
    if let Some(found) = COUNT.as_ref()?.captures(&question) {
        let asks = match found.name("by") {
            Some(by) => Asks::CountBy(by.as_str().to_owned()),
            None => Asks::Count,
        };
        return Some(Shape::of(reads(&found["what"])?, asks));
    }
    let exists = EXISTS.as_ref()?.captures(&question);
    if let Some(found) = exists.or(HOW_MANY_LAST.as_ref()?.captures(&question)) {
        return Some(Shape::of(reads(&found["what"])?, Asks::Count));
    }
    let of_groups = total(&question, reads)
        .or_else(|| most::shape(&question, reads))
        .or_else(|| most::by_figure(&question, reads, tables));
    if of_groups.is_some() {
        return of_groups;
    }
    if let Some(found) = BY.as_ref()?.captures(&question)
        && let Some(rows) = reads(&found["what"])
    {
        return Some(Shape::of(rows, Asks::CountBy(found["by"].to_owned())));
    }
    let found = LIST.as_ref()?.captures(&question)?;
    let first = found.name("first").map(|first| first.as_str().parse());
    let asks = match first {
        Some(Ok(first)) => Asks::First(first),
        _ => Asks::List,
    };
    Some(Shape::of(reads(&found["what"])?, asks))
}

/// A question with single spaces, without the signs at its end.
fn normal(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let text = words.join(" ");
    text.trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

/// The sum or the average of a column.
fn total(question: &str, reads: &Reads<'_>) -> Option<Shape> {
    let found = TOTAL.as_ref()?.captures(question)?;
    let adds = match &*found["adds"].to_lowercase() {
        "average" | "mean" | "avg" => Adds::Average,
        _ => Adds::Sum,
    };
    let words = |name: &str| found.name(name).map(|words| words.as_str().to_owned());
    let asks = Asks::Total {
        adds,
        measure: words("measure").unwrap_or_default(),
        by: words("by"),
    };
    Some(Shape::of(reads(&found["what"])?, asks))
}

/// "And crews?"
static AND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:and\ |(?:and\ )?(?:what|how)\ about\ )(?:(?:the|our|all)\ )*(?P<what>[^?]+?)$",
    )
    .ok()
});

/// "List them", "show me the first 10".
static OF_THEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:and|ok|okay|now|please)\ )*(?:list|show|display|give)(?:\ me|\ us)?(?:\ (?:all\ of\ )?(?:them|those)(?:\ all)?|(?:\ the)?\ first\ (?P<first>[1-9]\d{0,2})(?:\ of\ them|\ ones)?)(?:\ please)?$").ok()
});

/// "And per country?"
static PER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:(?:and|now|ok|then|what\ about|how\ about)\ )*(?:per|by|for\ each|grouped\ by)\ (?:the\ )?(?P<by>[\w\ ,]+?)$").ok()
});

/// The shape of a simple question, with conditions or without.
fn any_shape<'a>(text: &str, tables: impl IntoIterator<Item = &'a str> + Clone) -> Option<Shape> {
    shape(text, tables.clone()).or_else(|| limited(text, tables))
}

/// A simple question that leaves out what the one before it said, complete in itself.
pub(crate) fn continued<'a>(
    text: &str,
    before: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    // The conditions of the question before hold for what continues it.
    let last = any_shape(before, tables.clone())?;
    let limits = last.limits.clone();
    let them = |table: &str| limits.around(&spoken_among(table, tables.clone()));
    if let Some(found) = OF_THEM.as_ref()?.captures(text) {
        let them = them(&last.table);
        return Some(match found.name("first") {
            Some(first) => format!("List the first {} {them}", first.as_str()),
            None => format!("List all {them}"),
        });
    }
    if let Some(found) = PER.as_ref()?.captures(text) {
        let (them, by) = (them(&last.table), &found["by"]);
        return match &last.asks {
            Asks::Count | Asks::CountBy(_) => Some(format!("How many {them} are there per {by}?")),
            // A list that is limited is of some rows, which can be counted.
            Asks::List if last.is_limited() => Some(format!("How many {them} are there per {by}?")),
            Asks::Total { adds, measure, .. } => {
                let adds = match adds {
                    Adds::Sum => "total",
                    Adds::Average => "average",
                };
                let what = format!("What is the {adds} {measure}");
                Some(format!("{} of {them} per {by}?", what.trim_end()))
            }
            _ => None,
        };
    }
    if last.is_limited() {
        return None;
    }
    let found = AND.as_ref()?.captures(text)?;
    let other = spoken_among(named(&found["what"], tables.clone())?, tables);
    Some(match last.asks {
        Asks::List | Asks::First(_) => format!("List all {other}"),
        _ => format!("How many {other} are there?"),
    })
}

/// A simple question narrowed by the message after it: "only the active ones", "and in Bonn?"
pub(crate) fn narrowed<'a>(
    text: &str,
    before: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    let last = any_shape(before, tables.clone())?;
    narrowed::question(&last, text, tables)
}

impl Shape {
    fn of((table, limits): (String, Limits), asks: Asks) -> Self {
        Self {
            table,
            asks,
            limits,
        }
    }

    /// The tables that the question is about.
    pub(crate) fn tables<'a>(&self, tables: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut all = vec![self.table.clone()];
        let tables: Vec<&str> = tables.into_iter().collect();
        all.extend(self.limits.tables(&self.table, &tables));
        let (Asks::CountBy(by)
        | Asks::Total { by: Some(by), .. }
        | Asks::Ranked { by, .. }
        | Asks::RankedTotal { by, .. }) = &self.asks
        else {
            return all;
        };
        for by in query::parts(by) {
            // "Pickup branch" is a branch.
            let mut words: Vec<&str> = by.split_whitespace().collect();
            while !words.is_empty() {
                if let Some(other) = named(&words.join(" "), tables.iter().copied()) {
                    if !all.iter().any(|one| one == other) {
                        all.push(other.to_owned());
                    }
                    break;
                }
                words.remove(0);
            }
        }
        all
    }

    /// Whether the question has conditions.
    pub(crate) fn is_limited(&self) -> bool {
        self.limits != Limits::default()
    }

    /// The columns whose values the words of the conditions may be, each with its table.
    pub(crate) fn lookups(&self, schemas: &[TableDescription]) -> Vec<(String, String)> {
        conditions::lookups(self, schemas)
    }

    /// The columns by which rows of other tables are called, each with its table, and the words of
    /// the conditions that may call one.
    pub(crate) fn names(
        &self,
        schemas: &[TableDescription],
    ) -> (Vec<(String, String)>, Vec<String>) {
        (conditions::names(self, schemas), conditions::phrases(self))
    }

    /// Whether the query may need the tables that the rows belong to.
    pub(crate) fn needs_owners(&self) -> bool {
        !matches!(self.asks, Asks::Count) || self.is_limited()
    }

    /// Whether the figure may be that of a table which the question does not name.
    pub(crate) fn needs_others(&self) -> bool {
        matches!(self.asks, Asks::Top { .. })
    }

    /// Whether the values of columns have to be known.
    pub(crate) fn needs_values(&self) -> bool {
        self.is_limited() || matches!(self.asks, Asks::Top { .. } | Asks::RankedTotal { .. })
    }

    /// A sentence for the person about the reading of the conditions or the figure.
    pub(crate) fn read_as(&self, known: &Known<'_>, dialect: SqlDialect) -> Option<String> {
        let mut schemas = known.schemas.iter();
        let table = schemas.find(|table| table.name == self.table)?;
        let mut query = Query::new(table, known, dialect);
        conditions::add(&mut query, &self.limits)?;
        if let Asks::Top { adds, measure, .. } = &self.asks
            && let Some(taken) = top::taken(&query, *adds, measure)
        {
            return Some(taken);
        }
        let read = query.conditions_in_words();
        let read = self
            .is_limited()
            .then(|| format!("The condition was read as: {read}."));
        let said = [read, self.other_keys(known, table)];
        let said: Vec<String> = said.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// The questions that can be asked instead, where several keys lead to the table that the
    /// groups are made of, and none of them is called as it is.
    pub(crate) fn ways(&self, known: &Known<'_>) -> Vec<String> {
        let Asks::CountBy(by) = &self.asks else {
            return Vec::new();
        };
        let names = || known.schemas.iter().map(|one| &*one.name);
        let find = |name: &str| known.schemas.iter().find(|one| one.name == name);
        let owner = named(by, names()).and_then(find);
        let (Some(table), Some(owner)) = (find(&self.table), owner) else {
            return Vec::new();
        };
        if catalogue::only_edge(known, table, owner).is_some() {
            return Vec::new();
        }
        let edges = catalogue::edges(known, table, owner);
        let edges = edges.filter(|edge| catalogue::belongs(edge, table, owner));
        let ways = edges.map(|edge| {
            let mut key = words(&edge.from_column);
            if key.last().is_some_and(|last| last == "id") {
                key.pop();
            }
            let them = self.limits.around(&spoken_among(&self.table, names()));
            format!("How many {them} are there per {}?", key.join(" "))
        });
        let ways: Vec<String> = ways.collect();
        if ways.len() > 1 { ways } else { Vec::new() }
    }

    /// The key that groups are made by, where others lead to the same table.
    fn other_keys(&self, known: &Known<'_>, table: &TableDescription) -> Option<String> {
        let (Asks::CountBy(by)
        | Asks::Total { by: Some(by), .. }
        | Asks::Ranked { by, .. }
        | Asks::RankedTotal { by, .. }) = &self.asks
        else {
            return None;
        };
        let owner = named(by, known.schemas.iter().map(|one| &*one.name))?;
        let owner = known.schemas.iter().find(|one| one.name == owner)?;
        let taken = catalogue::only_edge(known, table, owner)?;
        let others = catalogue::edges(known, table, owner).filter(|edge| *edge != taken);
        let others: Vec<&str> = others.map(|edge| &*edge.from_column).collect();
        let noun = words(bare(&owner.name)).join(" ");
        (!others.is_empty()).then(|| {
            format!(
                "The {noun} is that of {}; there is {}, too.",
                taken.from_column,
                others.join(" and ")
            )
        })
    }

    /// The query; `None` when the catalogue does not settle it after all.
    pub(crate) fn query(&self, known: &Known<'_>, dialect: SqlDialect) -> Option<String> {
        let mut schemas = known.schemas.iter();
        let table = schemas.find(|table| table.name == self.table)?;
        let mut query = Query::new(table, known, dialect);
        conditions::add(&mut query, &self.limits)?;
        match &self.asks {
            Asks::Count => Some(query.count()),
            Asks::List => listing::of(query, None),
            Asks::First(most) => listing::of(query, Some(*most)),
            Asks::CountBy(by) => query.grouped(by, &Measure::Count, None),
            Asks::Ranked { by, ranking } => query.grouped(by, &Measure::Count, Some(*ranking)),
            Asks::Total { adds, measure, by } => {
                let measure = query.measure(*adds == Adds::Sum, measure)?;
                match by {
                    Some(by) => query.grouped(by, &measure, None),
                    None => Some(query.of_all(&measure)),
                }
            }
            Asks::RankedTotal {
                adds,
                measure,
                by,
                ranking,
            } => {
                let measure = query.measure(*adds == Adds::Sum, measure)?;
                query.ranked(by, &measure, *ranking)
            }
            Asks::Top {
                adds,
                measure,
                ranking,
            } => top::of(query, *adds, measure, *ranking),
        }
    }
}

/// The facts about the tables of a question.
#[derive(Debug, Clone)]
pub(crate) struct Known<'k> {
    /// The tables of the question, and those that their rows belong to.
    pub(crate) schemas: &'k [TableDescription],
    pub(crate) edges: Vec<JoinEdge>,
    /// Values of columns that conditions may name.
    pub(crate) values: Vec<ColumnValues>,
    pub(crate) today: Option<NaiveDate>,
}

/// The values that a column has, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnValues {
    pub(crate) table: String,
    pub(crate) column: String,
    pub(crate) values: Vec<Value>,
}

impl<'k> Known<'k> {
    pub(crate) fn of(schemas: &'k [TableDescription], steps: &[PlannedJoin]) -> Self {
        let edges = steps
            .iter()
            .flat_map(|step| std::iter::once(&step.edge).chain(&step.choices));
        Self {
            schemas,
            edges: edges.cloned().collect(),
            values: Vec::new(),
            today: None,
        }
    }

    /// Adds joins that the plan does not have.
    pub(crate) fn with(mut self, more: &[JoinEdge]) -> Self {
        for edge in more {
            let is_same = |one: &JoinEdge| {
                one.from_table == edge.from_table
                    && one.from_column == edge.from_column
                    && one.to_table == edge.to_table
                    && one.to_column == edge.to_column
            };
            if !self.edges.iter().any(is_same) {
                self.edges.push(edge.clone());
            }
        }
        self
    }
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

#[cfg(test)]
mod tests;
