//! What is added to a recursion in PostgreSQL, which has no limit for it of its own: a row too many, or one that has grown too long, ends
//! the statement with an error whose text says so. Nothing else changes.

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, SetExpr, TableAlias, TableFactor, TableWithJoins,
};

use crate::guard::{Dialect, single_query};

/// The most rows that a recursion may give in PostgreSQL, and the most steps that it may take elsewhere.
pub const MOST_STEPS: u32 = 100_000;
/// How the error begins that says that a recursion has more rows than it may.
pub const TOO_MANY: &str = "heliograph: a recursion of too many rows";
/// How the error begins that says that a row of a recursion has grown too long.
pub const TOO_LONG: &str = "heliograph: a recursion with a row that is too long";
/// The longest row of a recursion, bytes.
const LONGEST_ROW: u32 = 10_000;

/// Puts a query in a reference's place that gives the rows of the recursion, and fails where there is one more than there may be.
/// PostgreSQL works a recursion out as far as its rows are asked for.
pub(super) fn limit_reference(factor: &mut TableFactor, dialect: Dialect) {
    let TableFactor::Table { name, alias, .. } = factor else {
        return;
    };
    let Some(own) = name.0.last().and_then(|part| part.as_ident()).cloned() else {
        return;
    };
    // Neither side of the comparison is known before there is a row.
    let sql = format!(
        "(SELECT * FROM {own} LIMIT {MOST_STEPS}) UNION ALL SELECT late.* FROM (SELECT * FROM {own} LIMIT 1 OFFSET {MOST_STEPS}) AS late \
         WHERE CAST(concat('{TOO_MANY}', random()) AS INTEGER) = 0"
    );
    let Some(subquery) = single_query(&sql, dialect) else {
        return;
    };
    let alias = alias.take().unwrap_or(TableAlias {
        explicit: true,
        name: own,
        columns: Vec::new(),
        at: None,
    });
    *factor = TableFactor::Derived {
        lateral: false,
        subquery,
        alias: Some(alias),
        sample: None,
    };
}

/// Adds a condition to each select that takes the recursion's step: the row that it starts from has not grown too long.
pub(super) fn limit_rows_of(step: &mut SetExpr, name: &str) {
    match step {
        SetExpr::Select(select) => {
            let Some(own) = select.from.iter().find_map(|from| own_name(from, name)) else {
                return;
            };
            let Some(condition) = condition(&own) else {
                return;
            };
            select.selection = Some(match select.selection.take() {
                None => condition,
                Some(given) => Expr::BinaryOp {
                    left: Box::new(Expr::Nested(Box::new(given))),
                    op: BinaryOperator::And,
                    right: Box::new(condition),
                },
            });
        }
        SetExpr::Query(query) => limit_rows_of(&mut query.body, name),
        SetExpr::SetOperation { left, right, .. } => {
            limit_rows_of(left, name);
            limit_rows_of(right, name);
        }
        _ => {}
    }
}

/// What the recursion's own rows are called in a FROM clause.
fn own_name(from: &TableWithJoins, name: &str) -> Option<Ident> {
    let joined = from.joins.iter().map(|join| &join.relation);
    std::iter::once(&from.relation)
        .chain(joined)
        .find_map(|factor| match factor {
            TableFactor::Table {
                name: table, alias, ..
            } => {
                let own = table.0.last()?.as_ident()?;
                (table.0.len() == 1 && own.value == name)
                    .then(|| alias.as_ref().map_or(own, |alias| &alias.name).clone())
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => own_name(table_with_joins, name),
            _ => None,
        })
}

fn condition(own: &Ident) -> Option<Expr> {
    let sql = format!(
        "SELECT 1 WHERE (pg_column_size({own}.*) <= {LONGEST_ROW} OR CAST(concat('{TOO_LONG}', random()) AS INTEGER) = 0)"
    );
    match *single_query(&sql, Dialect::PostgreSql)?.body {
        SetExpr::Select(select) => select.selection,
        _ => None,
    }
}
