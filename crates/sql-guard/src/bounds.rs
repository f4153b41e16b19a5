//! Work without tables, which no estimate of the database covers: rows that a statement generates
//! by crossing lists of literals or by recursion, and long texts that it builds.
//!
//! A walk over the statement, after names were resolved, works out how many rows are generated at
//! most, tables counting as one row each (how many they really have is the database's to estimate),
//! and how long a value can become that is not a column's own. Beyond the limits below the
//! statement is refused with the reason. A recursion whose number of steps cannot be worked out is
//! limited while it runs: in PostgreSQL by what is added to the statement here ([`guard`]), in
//! `MySQL` and `MariaDB` by the session's own limits, which are the crate `targets`' to set.

mod functions;
mod guard;
mod series;
mod texts;

use std::collections::HashSet;

use sqlparser::ast::{
    Cte, Distinct, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr,
    JoinConstraint, JoinOperator, LimitClause, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SetExpr, SetOperator, TableFactor, TableWithJoins, Value, With,
};

use crate::finding::{Finding, Kind};
use crate::guard::Dialect;

pub use guard::{MOST_STEPS, PADDED_TOO_FAR, TOO_LONG, TOO_MANY, TOO_WIDE};

/// Rows that a select may make up, and a recursion.
const MOST_ROWS: f64 = MOST_STEPS as f64;
/// Rows that all parts of a statement together may make up, each as often as it is worked out.
const MOST_WORK: f64 = 1_000_000.0;
/// The longest value, bytes.
const LONGEST: f64 = (1 << 20) as f64;
/// All values of generated rows.
const MOST_BYTES: f64 = (64 << 20) as f64;
/// Assumed width of a table's column: its length is data, not generated.
const COLUMN: f64 = 100.0;
/// A column of a recursion, whose texts grow with every step.
const GROWING: f64 = 1_000.0;
/// The rows of a recursion without a table, or of a series, whose steps cannot be counted.
const UNCOUNTED: f64 = 4_000.0;

/// The message for a series whose length does not follow from the statement, in a place where it
/// cannot be limited while it runs.
const UNCOUNTED_SERIES: &str = "The number of rows of this generate_series cannot be worked out from the statement. Put it into FROM without WITH ORDINALITY, or write its ends and its step down as literals.";

/// The maximum size of a query's result.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// Rows that are generated.
    rows: f64,
    /// The longest value.
    width: f64,
}

/// A common table expression.
#[derive(Debug, Clone)]
struct Known {
    name: String,
    size: Size,
    /// Whether references to it have to be limited.
    guarded: bool,
}

/// Checks a statement whose names were resolved, and limits its recursions.
pub(crate) fn check(query: &mut Query, dialect: Dialect) -> Vec<Finding> {
    let mut walk = Walk {
        dialect,
        findings: Vec::new(),
        ctes: Vec::new(),
        widths: Vec::new(),
        turns: 1.0,
        work: 0.0,
        made: 1.0,
        sets: 1.0,
        tables: 0,
    };
    walk.query(query);
    if walk.work > MOST_WORK {
        walk.refuse(format!(
            "The statement makes up about {:.0} rows that no table has, by crossing lists or in subqueries; {MOST_WORK:.0} are allowed. Cross fewer or shorter ones.",
            walk.work
        ));
    }
    walk.findings
}

struct Walk {
    dialect: Dialect,
    findings: Vec<Finding>,
    /// The common table expressions in scope, the nearest last.
    ctes: Vec<Known>,
    /// The longest column that can be named, for each select about the place, the nearest last.
    widths: Vec<f64>,
    /// Number of times that the current query is evaluated.
    turns: f64,
    /// Rows generated so far.
    work: f64,
    /// Rows that the current select generates before it is grouped.
    made: f64,
    /// Factor by which functions that return several rows multiply those of the current select.
    sets: f64,
    /// Number of tables that were met so far.
    tables: usize,
}

impl Walk {
    fn refuse(&mut self, message: impl Into<String>) {
        let finding = Finding::new(Kind::Unbounded, message);
        if self.findings.is_empty() {
            self.findings.push(finding);
        }
    }

    fn query(&mut self, query: &mut Query) -> Size {
        let outer = self.ctes.len();
        if let Some(with) = &mut query.with {
            self.with(with);
        }
        let mut size = self.body(&mut query.body);
        if let Some(order_by) = &mut query.order_by
            && let OrderByKind::Expressions(items) = &mut order_by.kind
        {
            self.widths.push(size.width);
            self.ordered(items);
            self.widths.pop();
        }
        if let Some(limit) = limit(query) {
            size.rows = size.rows.min(limit);
        }
        self.ctes.truncate(outer);
        size
    }

    fn with(&mut self, with: &mut With) {
        for cte in &mut with.cte_tables {
            let known = if with.recursive && series::refers_to_itself(cte) {
                self.recursion(cte)
            } else {
                Known {
                    name: cte.alias.name.value.clone(),
                    size: self.query(&mut cte.query),
                    guarded: false,
                }
            };
            self.ctes.push(known);
        }
    }

    /// A common table expression that reads itself.
    fn recursion(&mut self, cte: &mut Cte) -> Known {
        let name = cte.alias.name.value.clone();
        let steps = series::steps(cte, self.dialect);
        let outer = self.ctes.len();
        if let Some(with) = &mut cte.query.with {
            self.with(with);
        }
        let own = |size: Size| Known {
            name: name.clone(),
            size,
            guarded: false,
        };
        let (seed, step, with_table) = if let SetExpr::SetOperation {
            op: SetOperator::Union,
            left,
            right,
            ..
        } = cte.query.body.as_mut()
        {
            self.ctes.push(own(Size {
                rows: 1.0,
                width: GROWING,
            }));
            let seed = self.body(left);
            let tables = self.tables;
            let step = self.body(right);
            if self.dialect == Dialect::PostgreSql {
                guard::limit_rows_of(right, &name);
            }
            (seed, step, self.tables > tables)
        } else {
            self.refuse("A recursive common table expression is a UNION of where it begins and of what follows.");
            return own(Size {
                rows: 1.0,
                width: GROWING,
            });
        };
        self.ctes.truncate(outer);
        let rows = match steps {
            _ if step.rows > 1.0 => multiplied(seed.rows, step.rows, steps),
            // As many as a table has, which is the database's to estimate.
            _ if with_table => 1.0,
            Some(steps) => seed.rows * steps,
            None => UNCOUNTED.max(seed.rows),
        };
        if rows > MOST_ROWS {
            let made = if rows.is_finite() {
                format!("about {rows:.0} rows")
            } else {
                "any number of rows, more with every step".to_owned()
            };
            self.refuse(format!(
                "The recursion '{}' makes {made}; {MOST_ROWS:.0} are allowed. End it sooner, or take larger steps.",
                shown(&name, self.dialect)
            ));
        }
        self.work += self.turns * rows;
        Known {
            name,
            size: Size {
                rows,
                // What is computed from a row of the recursion is short; what takes its text along
                // may grow with it.
                width: seed.width.max(step.width.min(GROWING)),
            },
            guarded: self.dialect == Dialect::PostgreSql,
        }
    }

    fn body(&mut self, body: &mut SetExpr) -> Size {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation {
                left, op, right, ..
            } => {
                let (left, right) = (self.body(left), self.body(right));
                Size {
                    rows: match op {
                        SetOperator::Intersect => left.rows.min(right.rows),
                        SetOperator::Union => left.rows + right.rows,
                        _ => left.rows,
                    },
                    width: left.width.max(right.width),
                }
            }
            SetExpr::Values(values) => {
                let mut width: f64 = 1.0;
                for row in &mut values.rows {
                    for expression in &mut row.content {
                        width = width.max(self.expression(expression));
                    }
                }
                let rows = values.rows.len() as f64;
                self.work += self.turns * rows;
                Size { rows, width }
            }
            _ => Size {
                rows: 1.0,
                width: COLUMN,
            },
        }
    }

    fn select(&mut self, select: &mut Select) -> Size {
        let (made_around, sets_around) = (self.made, self.sets);
        self.widths.push(COLUMN);
        let rows = self.from(&mut select.from);
        self.made = rows;
        self.sets = 1.0;
        let turns = self.turns;
        self.turns = turns * rows;
        for from in &mut select.from {
            self.conditions(from);
        }
        let width = self.clauses(select);
        self.turns = turns;
        self.widths.pop();
        let rows = if one_row(select) {
            1.0
        } else {
            rows * self.sets
        };
        let most = rows.max(self.made);
        (self.made, self.sets) = (made_around, sets_around);
        self.work += turns * most;
        if most > MOST_ROWS {
            self.refuse(format!(
                "The statement makes up about {most:.0} rows that no table has, by crossing lists of values; {MOST_ROWS:.0} are allowed. Cross fewer or shorter ones."
            ));
        }
        if most > 1.0 && most * width > MOST_BYTES {
            self.refuse(format!(
                "The statement makes up about {most:.0} rows of texts of {width:.0} bytes; {MOST_BYTES:.0} bytes are allowed. Make shorter texts or fewer rows."
            ));
        }
        Size { rows, width }
    }

    /// Maximum number of rows that a FROM clause generates, tables not counted.
    fn from(&mut self, from: &mut [TableWithJoins]) -> f64 {
        let mut rows = 1.0;
        for from in from {
            rows *= self.factor(&mut from.relation, rows);
            for join in &mut from.joins {
                rows *= self.factor(&mut join.relation, rows);
            }
        }
        rows
    }

    /// `before`: the rows of what is before it, for each of which a LATERAL query is worked out.
    fn factor(&mut self, factor: &mut TableFactor, before: f64) -> f64 {
        let size = match factor {
            TableFactor::Table { args: Some(_), .. }
            | TableFactor::UNNEST { .. }
            | TableFactor::JsonTable { .. } => self.table_function(factor, before),
            TableFactor::Table { name, .. } => {
                let known = match name.0.as_slice() {
                    [part] => part.as_ident().and_then(|ident| {
                        let named = |known: &&Known| known.name == ident.value;
                        self.ctes.iter().rev().find(named).cloned()
                    }),
                    _ => None,
                };
                if let Some(known) = known {
                    if known.guarded {
                        guard::limit_reference(factor, self.dialect);
                    }
                    known.size
                } else {
                    self.tables += 1;
                    Size {
                        rows: 1.0,
                        width: COLUMN,
                    }
                }
            }
            TableFactor::Derived {
                lateral, subquery, ..
            } => {
                let turns = self.turns;
                if *lateral {
                    self.turns = turns * before;
                }
                let size = self.query(subquery);
                self.turns = turns;
                size
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => {
                let rows = self.from(std::slice::from_mut(table_with_joins));
                Size { rows, width: 0.0 }
            }
            _ => Size {
                rows: 1.0,
                width: COLUMN,
            },
        };
        if let Some(width) = self.widths.last_mut() {
            *width = width.max(size.width);
        }
        size.rows
    }

    /// The size of a function in FROM, if it can be worked out. Its results for a column are data.
    fn table_function(&mut self, factor: &mut TableFactor, before: f64) -> Size {
        let turns = self.turns;
        self.turns = turns * before;
        let mut uncounted = false;
        let size = match &mut *factor {
            TableFactor::Table {
                name,
                args: Some(args),
                with_ordinality,
                ..
            } => {
                let name = crate::fold(&name.to_string());
                let mut given = expressions(&mut args.args);
                let (rows, width) = self.rows_of(&name, &mut given);
                uncounted = rows.is_none();
                if uncounted && *with_ordinality {
                    self.refuse(UNCOUNTED_SERIES);
                }
                Size {
                    rows: rows.unwrap_or(UNCOUNTED),
                    width,
                }
            }
            TableFactor::UNNEST { array_exprs, .. } => {
                let mut given: Vec<&mut Expr> = array_exprs.iter_mut().collect();
                let (rows, width) = self.rows_of("unnest", &mut given);
                Size {
                    rows: rows.unwrap_or(UNCOUNTED),
                    width,
                }
            }
            TableFactor::JsonTable { json_expr, .. } => {
                let (rows, width) = self.rows_of("json_table", &mut [json_expr]);
                Size {
                    rows: rows.unwrap_or(UNCOUNTED),
                    width,
                }
            }
            _ => Size {
                rows: 1.0,
                width: COLUMN,
            },
        };
        self.turns = turns;
        if uncounted {
            guard::limit_series(factor);
        }
        size
    }

    /// What tables are joined by.
    fn conditions(&mut self, from: &mut TableWithJoins) {
        let mut factors = vec![&mut from.relation];
        for join in &mut from.joins {
            if let Some(JoinConstraint::On(condition)) = constraint(&mut join.join_operator) {
                self.expression(condition);
            }
            factors.push(&mut join.relation);
        }
        for factor in factors {
            if let TableFactor::NestedJoin {
                table_with_joins, ..
            } = factor
            {
                self.conditions(table_with_joins);
            }
        }
    }

    /// Everything in a select that is worked out for its rows; the width of its longest column.
    fn clauses(&mut self, select: &mut Select) -> f64 {
        let mut width: f64 = 1.0;
        for item in &mut select.projection {
            width = width.max(match item {
                SelectItem::UnnamedExpr(expression) => {
                    // Under MySQL a column without a name is called as it is written.
                    let written = (self.dialect == Dialect::MySql && texts::is_padded(expression))
                        .then(|| expression.to_string());
                    let width = self.expression(expression);
                    if let Some(written) = written.filter(|text| *text != expression.to_string()) {
                        *item = texts::labelled(expression.clone(), &written);
                    }
                    width
                }
                SelectItem::ExprWithAlias {
                    expr: expression, ..
                } => self.expression(expression),
                _ => self.column(),
            });
        }
        // Names of the select list may are in these.
        if let Some(nearest) = self.widths.last_mut() {
            *nearest = nearest.max(width);
        }
        if let Some(Distinct::On(expressions)) = &mut select.distinct {
            self.all(expressions);
        }
        for condition in [&mut select.selection, &mut select.having]
            .into_iter()
            .flatten()
        {
            self.expression(condition);
        }
        if let GroupByExpr::Expressions(expressions, _) = &mut select.group_by {
            self.all(expressions);
        }
        for window in &mut select.named_window {
            if let sqlparser::ast::NamedWindowExpr::WindowSpec(spec) = &mut window.1 {
                self.window(spec);
            }
        }
        width
    }

    fn ordered(&mut self, items: &mut [OrderByExpr]) {
        for item in items {
            self.expression(&mut item.expr);
        }
    }

    fn all(&mut self, expressions: &mut [Expr]) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    /// The longest column that can be named here.
    fn column(&self) -> f64 {
        self.widths.iter().copied().fold(COLUMN, f64::max)
    }
}

/// Rows that are multiplied with every step.
fn multiplied(seed: f64, by: f64, steps: Option<f64>) -> f64 {
    match steps {
        Some(steps) => seed * by.powf(steps.min(1_000.0)),
        None => f64::INFINITY,
    }
}

/// A common table expression as the statement named it.
fn shown(name: &str, dialect: Dialect) -> &str {
    match dialect {
        Dialect::MySql => name.strip_prefix("cte_").unwrap_or(name),
        Dialect::PostgreSql => name,
    }
}

/// The number in a query's LIMIT.
fn limit(query: &Query) -> Option<f64> {
    let limit = match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit, .. }) => limit.as_ref(),
        Some(LimitClause::OffsetCommaLimit { limit, .. }) => Some(limit),
        None => None,
    };
    limit.and_then(whole_number)
}

/// A whole number that is written down.
fn whole_number(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        Expr::Nested(inner) => whole_number(inner),
        _ => None,
    }
}

/// Whether a select gives one row because it has an aggregate and no groups.
fn one_row(select: &Select) -> bool {
    let grouped = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(expressions, _) => !expressions.is_empty(),
    };
    let aggregates: HashSet<&str> = ["count", "sum", "min", "max", "avg"].into();
    let is_aggregate = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(Expr::Function(function))
        | SelectItem::ExprWithAlias {
            expr: Expr::Function(function),
            ..
        } => {
            function.over.is_none()
                && aggregates.contains(crate::fold(&function.name.to_string()).as_str())
        }
        _ => false,
    };
    !grouped && select.projection.iter().any(is_aggregate)
}

fn constraint(operator: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    use JoinOperator::{
        CrossJoin, FullOuter, Inner, Join, Left, LeftOuter, Right, RightOuter, StraightJoin,
    };
    match operator {
        Join(it) | Inner(it) | Left(it) | LeftOuter(it) | Right(it) | RightOuter(it)
        | FullOuter(it) | CrossJoin(it) | StraightJoin(it) => Some(it),
        _ => None,
    }
}

/// The arguments of a call that are expressions.
fn arguments(arguments: &mut FunctionArguments) -> Vec<&mut Expr> {
    match arguments {
        FunctionArguments::List(list) => expressions(&mut list.args),
        _ => Vec::new(),
    }
}

fn expressions(arguments: &mut [FunctionArg]) -> Vec<&mut Expr> {
    arguments
        .iter_mut()
        .filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expression))
            | FunctionArg::Named {
                arg: FunctionArgExpr::Expr(expression),
                ..
            }
            | FunctionArg::ExprNamed {
                arg: FunctionArgExpr::Expr(expression),
                ..
            } => Some(expression),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
