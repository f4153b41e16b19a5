//! The query of a simple question, from the catalogue and what was looked up beside it.

mod groups;
mod intervals;
mod measures;

use std::fmt::Write as _;

use contracts::tools::sql::{JoinEdge, SqlDialect, TableDescription};

use super::{
    Known,
    catalogue::{only_edge, pairs},
    listing::called,
    quoted, quoted_table,
};

use crate::language::names::{bare, words};

pub(super) use {groups::parts, measures::Measure};

/// A column of the table itself, or of one that is joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    Own(String),
    /// The number of the join, and the column.
    Joined(usize, String),
}

/// A part of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Sql(String),
    Field(Field),
    /// Parts that a person reads in other words.
    Worded(Vec<Part>, String),
}

/// A condition that the rows meet.
pub(super) type Condition = Vec<Part>;

/// A table that is joined: to the table of the query, or to one that is joined before it.
struct Join<'k> {
    edge: &'k JoinEdge,
    owner: &'k TableDescription,
    from: Option<usize>,
}

/// A query in the making.
pub(super) struct Query<'k> {
    pub(super) table: &'k TableDescription,
    pub(super) known: &'k Known<'k>,
    pub(super) dialect: SqlDialect,
    joins: Vec<Join<'k>>,
    pub(super) conditions: Vec<Condition>,
}

/// A column of a listing.
pub(super) enum Shown {
    Field(Field),
    /// What names the row of a joined table.
    Label(usize),
}

impl<'k> Query<'k> {
    pub(super) fn new(
        table: &'k TableDescription,
        known: &'k Known<'k>,
        dialect: SqlDialect,
    ) -> Self {
        Self {
            table,
            known,
            dialect,
            joins: Vec::new(),
            conditions: Vec::new(),
        }
    }

    fn quote(&self, name: &str) -> String {
        quoted(name, self.dialect)
    }

    /// A column as the query writes it: with the alias of its table where several are read.
    fn of(&self, field: &Field) -> String {
        match field {
            Field::Own(name) if self.joins.is_empty() => self.quote(name),
            Field::Own(name) => format!("i.{}", self.quote(name)),
            Field::Joined(at, name) => format!("{}.{}", alias(*at), self.quote(name)),
        }
    }

    /// The number of a join to another table, which is made once.
    pub(super) fn join(&mut self, edge: &'k JoinEdge) -> Option<usize> {
        self.join_from(None, edge)
    }

    /// The same from a table that is joined already.
    fn join_from(&mut self, from: Option<usize>, edge: &'k JoinEdge) -> Option<usize> {
        let is_same = |one: &Join<'_>| one.edge == edge && one.from == from;
        if let Some(at) = self.joins.iter().position(is_same) {
            return Some(at);
        }
        let mut schemas = self.known.schemas.iter();
        let owner = schemas.find(|table| table.name == edge.to_table)?;
        self.joins.push(Join { edge, owner, from });
        Some(self.joins.len() - 1)
    }

    /// The number of the last one of joins that lead from one table to the next.
    fn join_along(&mut self, way: &[&'k JoinEdge]) -> Option<usize> {
        let mut at = None;
        for edge in way {
            at = Some(self.join_from(at, edge)?);
        }
        at
    }

    /// The joins by which each row belongs to one row of another table, if there is one way to it.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&'k JoinEdge, &'k TableDescription)> {
        let (known, own) = (self.known, self.table);
        known.schemas.iter().filter_map(move |owner| {
            let edge = only_edge(known, own, owner)?;
            Some((edge, owner))
        })
    }

    /// The conditions after `WHERE`, or nothing.
    fn filter(&self, more: &[String]) -> String {
        let mut all: Vec<String> = self.rendered();
        all.extend_from_slice(more);
        if all.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", all.join(" AND "))
        }
    }

    /// The conditions as a person reads them: columns by their names, those of other tables with
    /// the names of these.
    pub(super) fn conditions_in_words(&self) -> String {
        let conditions = self.conditions.iter().map(|parts| {
            let parts = parts.iter().map(|part| match part {
                Part::Sql(sql) | Part::Worded(_, sql) => sql.clone(),
                Part::Field(Field::Own(name)) => name.clone(),
                Part::Field(Field::Joined(at, name)) => {
                    format!(
                        "{} {name}",
                        words(bare(&self.joins[*at].owner.name)).join(" ")
                    )
                }
            });
            parts.collect::<String>()
        });
        conditions.collect::<Vec<_>>().join(" AND ")
    }

    fn rendered(&self) -> Vec<String> {
        let conditions = self.conditions.iter();
        conditions.map(|parts| self.sql(parts)).collect()
    }

    fn sql(&self, parts: &[Part]) -> String {
        let parts = parts.iter().map(|part| match part {
            Part::Sql(sql) => sql.clone(),
            Part::Field(field) => self.of(field),
            Part::Worded(parts, _) => self.sql(parts),
        });
        parts.collect()
    }

    /// The reading, or nothing: joins of one that fails are not kept.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let joins = self.joins.len();
        let found = read(self);
        if found.is_none() {
            self.joins.truncate(joins);
        }
        found
    }

    /// The values of a key that the rows have, those of groups of them that a test holds for.
    pub(super) fn keys(&self, key: &[&str], having: Option<&str>) -> String {
        let key: Vec<String> = key
            .iter()
            .map(|column| self.of(&Field::Own((*column).to_owned())))
            .collect();
        let known: Vec<String> = key.iter().map(|one| format!("{one} IS NOT NULL")).collect();
        let key = key.join(", ");
        let groups = having.map_or_else(String::new, |having| {
            format!(" GROUP BY {key} HAVING {having}")
        });
        format!(
            "SELECT {key} FROM {}{}{groups}",
            self.from("LEFT JOIN"),
            self.filter(&known)
        )
    }

    /// The tables after `FROM`.
    fn from(&self, kind: &str) -> String {
        let own = quoted_table(&self.table.name, self.dialect);
        if self.joins.is_empty() {
            return own;
        }
        let mut from = format!("{own} i");
        for at in 0..self.joins.len() {
            let owner = quoted_table(&self.joins[at].owner.name, self.dialect);
            let on = self.on(at);
            let _ = write!(from, " {kind} {owner} {} ON {on}", alias(at));
        }
        from
    }

    /// The condition of a join.
    fn on(&self, at: usize) -> String {
        let join = &self.joins[at];
        let from = join.from.map_or_else(|| "i".to_owned(), alias);
        let pairs = pairs(join.edge);
        let pairs = pairs.map(|(foreign, key)| {
            format!(
                "{from}.{} = {}.{}",
                self.quote(foreign),
                alias(at),
                self.quote(key)
            )
        });
        pairs.collect::<Vec<_>>().join(" AND ")
    }

    /// The number of rows.
    pub(super) fn count(&self) -> String {
        format!(
            "SELECT COUNT(*) AS {} FROM {}{}",
            self.quote("count"),
            self.from("LEFT JOIN"),
            self.filter(&[])
        )
    }

    /// Rows with these columns: a field, and what it is called if not by its own name.
    pub(super) fn list(
        &self,
        shown: &[(Shown, Option<String>)],
        first: Option<u32>,
        by: Option<(&str, bool)>,
    ) -> String {
        let columns: Vec<String> = shown
            .iter()
            .map(|(shown, name)| {
                let sql = match shown {
                    Shown::Field(field) => self.of(field),
                    Shown::Label(at) => self.label(*at).unwrap_or_default(),
                };
                match name {
                    Some(name) => format!("{sql} AS {}", self.quote(name)),
                    None => sql,
                }
            })
            .collect();
        let key = self.table.columns.iter().find(|column| column.unique);
        let key = key.filter(|_| first.is_some());
        let key = key.map(|key| self.of(&Field::Own(key.name.clone())));
        let by = by.map(|(name, falls)| (self.of(&Field::Own(name.to_owned())), falls));
        let known = by.iter().map(|(column, _)| format!("{column} IS NOT NULL"));
        let known: Vec<String> = known.collect();
        let by = by.map(|(column, falls)| {
            if falls {
                format!("{column} DESC")
            } else {
                column
            }
        });
        let order: Vec<String> = by.into_iter().chain(key).collect();
        let order = if order.is_empty() {
            String::new()
        } else {
            format!(" ORDER BY {}", order.join(", "))
        };
        let limit = first.map_or_else(String::new, |first| format!(" LIMIT {first}"));
        format!(
            "SELECT {} FROM {}{}{order}{limit}",
            columns.join(", "),
            self.from("LEFT JOIN"),
            self.filter(&known)
        )
    }

    /// What names a row of a joined table.
    fn label(&self, at: usize) -> Option<String> {
        let column = |name: &str| format!("{}.{}", alias(at), self.quote(name));
        let owner = self.joins[at].owner;
        called(owner, self.dialect, column)
    }
}

fn alias(at: usize) -> String {
    if at == 0 {
        "o".to_owned()
    } else {
        format!("o{}", at + 1)
    }
}
