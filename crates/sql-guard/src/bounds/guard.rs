//! The expression that limits a recursion in PostgreSQL, which has no limit of its own: too many
//! rows, or a row that has grown too long, end the statement with an error whose text says so.
//! Nothing else changes.

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, SelectItem, SetExpr, TableAlias, TableAliasColumnDef, TableFactor,
    TableWithJoins,
};

use crate::guard::{Dialect, single_query};

/// Maximum number of rows of a recursion in PostgreSQL, and of its steps elsewhere.
pub const MOST_STEPS: u32 = 100_000;
/// How the error begins that says that a recursion has more rows than it may.
pub const TOO_MANY: &str = "heliograph: a recursion of too many rows";
/// How the error begins that says that a row of a recursion has grown too long.
pub const TOO_LONG: &str = "heliograph: a recursion with a row that is too long";
/// How the error begins that says that LPAD or its like would make a text of more characters than
/// it may, in PostgreSQL.
pub const TOO_WIDE: &str = "heliograph: a text of more characters than it may have";
/// The same in `MySQL` and `MariaDB`: the number in the error, which nothing else in a statement
/// has.
pub const PADDED_TOO_FAR: &str = "9223372036854775000";
/// The longest row of a recursion, bytes.
const LONGEST_ROW: u32 = 10_000;

/// Puts a query in a reference's place that gives the rows of the recursion, and fails where there
/// is one more than there may be. PostgreSQL works a recursion out as far as its rows are asked
/// for.
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

/// Puts a query in the place of a `generate_series` in FROM whose rows cannot be counted: it gives
/// them, and fails where there is one more than there may be. PostgreSQL works a series in a select
/// list out as far as its rows are asked for; one in FROM, whole.
pub(super) fn limit_series(factor: &mut TableFactor) {
    let TableFactor::Table {
        name,
        args: Some(args),
        alias,
        ..
    } = factor
    else {
        return;
    };
    let arguments: Vec<String> = args.args.iter().map(ToString::to_string).collect();
    let series = format!("SELECT generate_series({}) AS v", arguments.join(", "));
    let sql = format!(
        "({series} LIMIT {MOST_STEPS}) UNION ALL SELECT late.v FROM ({series} LIMIT 1 OFFSET {MOST_STEPS}) AS late \
         WHERE CAST(concat('{TOO_MANY}', random()) AS INTEGER) = 0"
    );
    let Some(subquery) = single_query(&sql, Dialect::PostgreSql) else {
        return;
    };
    let own = name.0.last().and_then(|part| part.as_ident()).cloned();
    let mut alias = alias.take().unwrap_or(TableAlias {
        explicit: true,
        name: own.unwrap_or_else(|| Ident::new("generate_series")),
        columns: Vec::new(),
        at: None,
    });
    if alias.columns.is_empty() {
        alias.columns.push(TableAliasColumnDef {
            name: alias.name.clone(),
            data_type: None,
        });
    }
    *factor = TableFactor::Derived {
        lateral: true,
        subquery,
        alias: Some(alias),
        sample: None,
    };
}

/// A number of characters, `counted`, that fails where it is more than `most`.
pub(super) fn limit_length(counted: &Expr, most: u32, dialect: Dialect) -> Option<Expr> {
    let too_many = match dialect {
        Dialect::PostgreSql => format!("CAST(concat('{TOO_WIDE}', random()) AS INTEGER)"),
        Dialect::MySql => format!("CAST(({counted}) AS SIGNED) + {PADDED_TOO_FAR}"),
    };
    let sql = format!("SELECT CASE WHEN ({counted}) > {most} THEN {too_many} ELSE ({counted}) END");
    match *single_query(&sql, dialect)?.body {
        SetExpr::Select(select) => match select.projection.into_iter().next()? {
            SelectItem::UnnamedExpr(expression) => Some(expression),
            _ => None,
        },
        _ => None,
    }
}

/// Adds a condition to each select that takes the recursion's step: the row that it starts from has
/// not grown too long.
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

/// The name of the recursion's own rows in a FROM clause.
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

/// Of functions that statements may call anyway: roles may have lost the right to others.
fn condition(own: &Ident) -> Option<Expr> {
    let sql = format!(
        "SELECT 1 WHERE (octet_length(concat({own}.*)) <= {LONGEST_ROW} OR CAST(concat('{TOO_LONG}', random()) AS INTEGER) = 0)"
    );
    match *single_query(&sql, Dialect::PostgreSql)?.body {
        SetExpr::Select(select) => select.selection,
        _ => None,
    }
}
