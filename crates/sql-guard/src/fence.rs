//! The replacement of a table, and the fence around a tenant's rows.
//!
//! A database may evaluate a condition of the statement before the condition that distinguishes
//! tenants: it merges derived tables, moves conditions into them, evaluates them while it reads an
//! index. Behind a fence it does not:
//!
//! - PostgreSQL neither merges a subquery that has an `OFFSET` nor moves conditions into it. It
//!   does look through one for its statistics, and evaluates conditions on the most common values
//!   of all tenants when it plans; through a set operation it does not look, so the fence is `…
//!   UNION ALL SELECT NULL … WHERE false OFFSET 0`, which costs nothing.
//! - `MySQL` and `MariaDB` neither merge a derived table that has a `LIMIT` nor move conditions
//!   into it. The largest number of rows they know would count as no limit.

use std::collections::HashSet;

use sqlparser::ast::{BinaryOperator, Expr, Query, SelectItem, SetExpr};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::guard::{Dialect, Guard, single_query};
use crate::policy::ColumnRule;
use crate::{fold, literal};

/// What represents every value of a masked column.
const MASK: &str = "'***'";

/// More rows than any table has.
const ALL: u64 = i64::MAX as u64;

/// The words of a statement, of which its columns are some.
#[derive(Debug)]
pub(crate) struct WordSet {
    words: HashSet<String>,
    /// Whether all columns may be meant.
    all: bool,
}

impl WordSet {
    pub(crate) fn of(tokens: &[TokenWithSpan]) -> WordSet {
        let mut words = HashSet::new();
        let mut all = false;
        let mut before: Option<&Token> = None;
        for token in tokens.iter().map(|token| &token.token) {
            match token {
                Token::Word(word) => {
                    all |= word.quote_style.is_none() && word.value.eq_ignore_ascii_case("natural");
                    words.insert(fold(&word.value));
                }
                // Where double quotes are quotes of texts, they may still be those of a name.
                Token::DoubleQuotedString(text) => _ = words.insert(fold(text)),
                Token::Mul => {
                    all |= match before {
                        Some(Token::Comma | Token::Period) => true,
                        Some(Token::Word(word)) => ["select", "distinct", "all", "straight_join"]
                            .contains(&fold(&word.value).as_str()),
                        _ => false,
                    };
                }
                _ => {}
            }
            before = Some(token);
        }
        WordSet { words, all }
    }

    /// The columns of a table that the statement may name; one at least.
    fn among<'c>(&self, columns: &'c [String]) -> Vec<&'c String> {
        let mut named: Vec<&String> = columns
            .iter()
            .filter(|column| self.all || self.words.contains(&fold(column)))
            .collect();
        if named.is_empty() {
            named.extend(columns.first());
        }
        named
    }
}

impl Guard {
    /// The tenant's rows of a table behind a fence, with the columns that the statement may mean.
    pub(crate) fn fenced(
        &self,
        table: usize,
        dialect: Dialect,
        words: Option<&WordSet>,
    ) -> Option<Box<Query>> {
        let filtered = self.filtered(table, dialect)?;
        let SetExpr::Select(select) = filtered.body.as_ref() else {
            return None;
        };
        let (from, filter) = (select.from.first()?, select.selection.as_ref()?);
        let columns = &self.schema.table(table).columns;
        let columns: Vec<&String> = match words {
            Some(words) => words.among(columns),
            None => columns.iter().collect(),
        };
        let items: Vec<String> = columns
            .iter()
            .map(|column| self.item(table, column, dialect))
            .collect();
        let items = items.join(", ");
        let fence = match dialect {
            Dialect::MySql => format!("LIMIT {ALL}"),
            Dialect::PostgreSql => {
                let nothing = vec!["NULL"; columns.len()].join(", ");
                format!("UNION ALL SELECT {nothing} WHERE false OFFSET 0")
            }
        };
        single_query(
            &format!("SELECT {items} FROM {from} WHERE {filter} {fence}"),
            dialect,
        )
    }

    /// The columns that may be seen of a table or of the tenant's rows of it, `query`.
    pub(crate) fn bounded(
        &self,
        table: usize,
        mut query: Box<Query>,
        dialect: Dialect,
    ) -> Option<Box<Query>> {
        let columns = self.schema.table(table).columns.iter();
        let items: Vec<String> = columns
            .map(|column| self.item(table, column, dialect))
            .collect();
        let listed = single_query(&format!("SELECT {}", items.join(", ")), dialect)?;
        match (query.body.as_mut(), *listed.body) {
            (SetExpr::Select(select), SetExpr::Select(listed)) => {
                select.projection = listed.projection;
                Some(query)
            }
            _ => None,
        }
    }

    /// A query for the tenant's rows of a table, each as the number one; `None` for a table without
    /// a filter.
    pub(crate) fn counted(&self, table: usize, dialect: Dialect) -> Option<String> {
        let mut query = self.filtered(table, dialect)?;
        if let SetExpr::Select(select) = query.body.as_mut() {
            let one = literal::number(1);
            select.projection = vec![SelectItem::UnnamedExpr(one)];
        }
        Some(query.to_string())
    }

    /// A condition, in PostgreSQL, that a row belongs to this table itself, not to one that
    /// inherits from it.
    pub(crate) fn own_rows(&self, table: usize, dialect: Dialect) -> Option<Expr> {
        let physical = self.physical(table, dialect);
        let parts: Vec<String> = physical.iter().map(ToString::to_string).collect();
        let name = parts.join(".");
        let text = name.replace('\'', "''");
        let sql = format!("SELECT 1 WHERE {name}.tableoid = CAST('{text}' AS regclass)");
        match *single_query(&sql, dialect)?.body {
            SetExpr::Select(select) => select.selection,
            _ => None,
        }
    }

    fn item(&self, table: usize, column: &str, dialect: Dialect) -> String {
        let name = literal::spelt(column, dialect);
        match self.rule(table, column) {
            Some(ColumnRule::Masked) => format!("{MASK} AS {name}"),
            _ => name.to_string(),
        }
    }
}

/// Adds a condition to the rows behind a fence.
pub(crate) fn add(query: &mut Query, condition: Expr) {
    let mut body = query.body.as_mut();
    while let SetExpr::SetOperation { left, .. } = body {
        body = left;
    }
    if let SetExpr::Select(select) = body {
        let condition = Expr::Nested(Box::new(condition));
        select.selection = Some(match select.selection.take() {
            Some(filter) => and(filter, condition),
            None => condition,
        });
    }
}

pub(crate) fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(right),
    }
}

/// The conditions that a condition is the conjunction of, in their order.
pub(crate) fn conjuncts(condition: Expr) -> Vec<Expr> {
    let mut parts = Vec::new();
    let mut rest = condition;
    loop {
        match rest {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::And,
                right,
            } => {
                parts.push(*right);
                rest = *left;
            }
            other => {
                parts.push(other);
                parts.reverse();
                return parts;
            }
        }
    }
}
