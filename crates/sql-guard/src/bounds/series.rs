//! Recursions that count: `SELECT n + 1 FROM series WHERE n < 31`, over numbers and days. How many
//! steps they take can be worked out from where they begin, what they add, and where they end.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Cte, Expr, Function, Interval, Select, SelectItem, SetExpr, UnaryOperator,
    Value, visit_expressions, visit_relations,
};

use super::arguments;
use crate::fold;
use crate::guard::Dialect;
use crate::scope::Name;

/// Whether a common table expression reads itself.
pub(super) fn refers_to_itself(cte: &Cte) -> bool {
    let name = &cte.alias.name.value;
    visit_relations(&cte.query, |relation| match relation.0.as_slice() {
        [part] if part.as_ident().is_some_and(|ident| ident.value == *name) => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

/// Maximum number of steps of a recursion, if it can be worked out.
pub(super) fn steps(cte: &Cte, dialect: Dialect) -> Option<f64> {
    let SetExpr::SetOperation { left, right, .. } = cte.query.body.as_ref() else {
        return None;
    };
    let (seed, step) = (select(left)?, select(right)?);
    let names = names(cte, seed, dialect);
    let ends = conjuncts(step.selection.as_ref()?);
    ends.into_iter()
        .filter_map(|end| {
            let (column, last) = end_of(end)?;
            let at = names.iter().position(|name| fold(name) == fold(&column))?;
            let first = point(item(&seed.projection, at)?)?;
            let span = added(item(&step.projection, at)?, &column)?;
            let length = last.after(first)?;
            (span > 0.0).then(|| (length / span).ceil().max(0.0) + 2.0)
        })
        .reduce(f64::min)
}

/// Maximum number of values of `generate_series`, if it can be worked out from its arguments.
pub(super) fn length_of_series(arguments: &[&mut Expr]) -> Option<f64> {
    let (first, last, step) = match arguments {
        [first, last] => (point(first)?, point(last)?, 1.0),
        [first, last, step] => (point(first)?, point(last)?, span(step)?),
        _ => return None,
    };
    let length = (last.after(first)? / step) + (TRUNCATED / step).abs() * truncations(arguments);
    length.is_finite().then(|| length.floor().max(0.0) + 1.0)
}

/// Maximum distance of the beginning of a unit from a day, in days.
const TRUNCATED: f64 = 366.0;

/// Number of the arguments that are days truncated to the beginning of a unit.
fn truncations(arguments: &[&mut Expr]) -> f64 {
    let cut = |argument: &&&mut Expr| {
        let found = visit_expressions(&***argument, |part| match part {
            Expr::Function(function) if fold(&function.name.to_string()) == "date_trunc" => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        found.is_break()
    };
    arguments.iter().filter(cut).count() as f64
}

fn select(body: &SetExpr) -> Option<&Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::Query(query) if query.with.is_none() => select(&query.body),
        _ => None,
    }
}

/// The names of the recursion's columns.
fn names(cte: &Cte, seed: &Select, dialect: Dialect) -> Vec<String> {
    let given = &cte.alias.columns;
    let of_seed = seed.projection.iter().map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Name::new(alias, dialect).text().to_owned(),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => {
            Name::new(name, dialect).text().to_owned()
        }
        _ => String::new(),
    });
    of_seed
        .enumerate()
        .map(|(at, name)| {
            given.get(at).map_or(name, |column| {
                Name::new(&column.name, dialect).text().to_owned()
            })
        })
        .collect()
}

fn item(projection: &[SelectItem], at: usize) -> Option<&Expr> {
    // A star before it would make it another column.
    let stars = projection.iter().take(at + 1).any(|item| {
        matches!(
            item,
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
        )
    });
    match projection.get(at)? {
        SelectItem::UnnamedExpr(expression)
        | SelectItem::ExprWithAlias {
            expr: expression, ..
        } if !stars => Some(expression),
        _ => None,
    }
}

fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    let (mut found, mut left) = (Vec::new(), vec![condition]);
    while let Some(condition) = left.pop() {
        match condition {
            Expr::BinaryOp {
                left: one,
                op: BinaryOperator::And,
                right: other,
            } => left.extend([one.as_ref(), other.as_ref()]),
            Expr::Nested(inner) => left.push(inner),
            other => found.push(other),
        }
    }
    found
}

/// The column that a condition holds below a point, and the point.
fn end_of(condition: &Expr) -> Option<(String, Point)> {
    let Expr::BinaryOp { left, op, right } = condition else {
        return None;
    };
    let (low, high) = match op {
        BinaryOperator::Lt | BinaryOperator::LtEq => (left, right),
        BinaryOperator::Gt | BinaryOperator::GtEq => (right, left),
        _ => return None,
    };
    // `n + 1 < 31` ends as `n < 31` does, a step sooner.
    let column = column(low).or_else(|| counted(low).map(|(column, _)| column))?;
    Some((column, point(high)?))
}

fn column(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(name) => Some(name.value.clone()),
        Expr::CompoundIdentifier(parts) => parts.last().map(|name| name.value.clone()),
        Expr::Nested(inner) => column(inner),
        Expr::Cast { expr, .. } => column(expr),
        _ => None,
    }
}

/// The step that is added to this column.
fn added(expression: &Expr, to: &str) -> Option<f64> {
    let (column, span) = counted(expression)?;
    (fold(&column) == fold(to)).then_some(span)
}

/// A column and what is added to it: numbers, or days.
fn counted(expression: &Expr) -> Option<(String, f64)> {
    match expression {
        Expr::Nested(inner) => counted(inner),
        Expr::Cast { expr, .. } => counted(expr),
        Expr::BinaryOp { left, op, right } => {
            let sign = match op {
                BinaryOperator::Plus => 1.0,
                BinaryOperator::Minus => -1.0,
                _ => return None,
            };
            match (column(left), column(right)) {
                (Some(column), None) => Some((column, sign * span(right)?)),
                (None, Some(column)) if sign > 0.0 => Some((column, span(left)?)),
                _ => None,
            }
        }
        Expr::Function(function) => {
            let name = fold(&function.name.to_string());
            let mut list = function.args.clone();
            let arguments = arguments(&mut list);
            match (name.as_str(), arguments.as_slice()) {
                ("date" | "timestamp", [inner]) => counted(inner),
                ("date_add" | "adddate", [of, by]) => Some((column(of)?, span(by)?)),
                ("date_sub" | "subdate", [of, by]) => Some((column(of)?, -span(by)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A number, or an interval in days.
fn span(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Nested(inner) => span(inner),
        Expr::Cast { expr, .. } => span(expr),
        Expr::Interval(interval) => days(interval),
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => Some(-span(expr)?),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            Value::SingleQuotedString(text) => of_words(text),
            _ => None,
        },
        _ => None,
    }
}

fn days(interval: &Interval) -> Option<f64> {
    let Some(unit) = &interval.leading_field else {
        return span(&interval.value);
    };
    let count = match interval.value.as_ref() {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) | Value::SingleQuotedString(digits) => {
                digits.trim().parse::<f64>().ok()?
            }
            _ => return None,
        },
        other => span(other)?,
    };
    Some(count * length(&fold(&unit.to_string()))?)
}

/// `1 day`, `2 hours`.
fn of_words(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace();
    let (count, unit) = (words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    Some(count.parse::<f64>().ok()? * length(&fold(unit))?)
}

/// The shortest that a unit can be, in days.
fn length(unit: &str) -> Option<f64> {
    Some(match unit.trim_end_matches('s') {
        "microsecond" => 1.0 / 86_400e6,
        "second" | "sec" => 1.0 / 86_400.0,
        "minute" | "min" => 1.0 / 1_440.0,
        "hour" => 1.0 / 24.0,
        "day" => 1.0,
        "week" => 7.0,
        "month" | "mon" => 28.0,
        "quarter" => 90.0,
        "year" => 365.0,
        _ => return None,
    })
}

/// A number, a day, or a number of days from today.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Point {
    Number(f64),
    Day(f64),
    FromToday(f64),
}

impl Point {
    fn after(self, first: Point) -> Option<f64> {
        match (self, first) {
            (Point::Number(last), Point::Number(first))
            | (Point::Day(last), Point::Day(first))
            | (Point::FromToday(last), Point::FromToday(first)) => Some(last - first),
            _ => None,
        }
    }

    fn plus(self, span: f64) -> Point {
        match self {
            Point::Number(at) => Point::Number(at + span),
            Point::Day(at) => Point::Day(at + span),
            Point::FromToday(at) => Point::FromToday(at + span),
        }
    }
}

fn point(expression: &Expr) -> Option<Point> {
    match expression {
        Expr::Nested(inner) => point(inner),
        Expr::Cast { expr, .. } | Expr::Convert { expr, .. } => point(expr),
        Expr::TypedString(typed) => of_value(&typed.value.value),
        Expr::Value(value) => of_value(&value.value),
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => match point(expr)? {
            Point::Number(at) => Some(Point::Number(-at)),
            _ => None,
        },
        Expr::BinaryOp { left, op, right } => {
            let sign = match op {
                BinaryOperator::Plus => 1.0,
                BinaryOperator::Minus => -1.0,
                _ => return None,
            };
            Some(point(left)?.plus(sign * span(right)?))
        }
        Expr::Function(function) => of_function(function),
        _ => None,
    }
}

fn of_function(function: &Function) -> Option<Point> {
    let name = fold(&function.name.to_string());
    let mut list = function.args.clone();
    let arguments = arguments(&mut list);
    match (name.as_str(), arguments.as_slice()) {
        (
            "curdate" | "current_date" | "now" | "current_timestamp" | "localtimestamp" | "sysdate"
            | "utc_date" | "utc_timestamp",
            [],
        ) => Some(Point::FromToday(0.0)),
        ("date" | "timestamp" | "str_to_date" | "to_date", [of, ..]) | ("date_trunc", [_, of]) => {
            point(of)
        }
        ("date_add" | "adddate", [of, by]) => Some(point(of)?.plus(span(by)?)),
        ("date_sub" | "subdate", [of, by]) => Some(point(of)?.plus(-span(by)?)),
        _ => None,
    }
}

fn of_value(value: &Value) -> Option<Point> {
    match value {
        Value::Number(digits, _) => digits.parse().ok().map(Point::Number),
        Value::SingleQuotedString(text) => day(text).map(Point::Day),
        _ => None,
    }
}

/// `2026-01-31`, `2026-01-31 12:30:00`: days since the year 0.
fn day(text: &str) -> Option<f64> {
    let (date, time) = text
        .split_once([' ', 'T'])
        .map_or((text, None), |(date, time)| (date, Some(time)));
    let parts: Vec<i64> = date
        .split('-')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let [year, month, day] = parts.as_slice() else {
        return None;
    };
    let valid = (0..=9999).contains(year) && (1..=12).contains(month) && (1..=31).contains(day);
    if !valid {
        return None;
    }
    // Years that begin in March have their leap day at their end.
    let (year, month) = (year - i64::from(*month < 3), (month + 9) % 12);
    let whole = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day;
    let time = time.map_or(Some(0.0), |time| {
        let mut units = time.trim_end_matches('Z').split(':');
        let hours: f64 = units.next()?.parse().ok()?;
        let minutes: f64 = units.next().unwrap_or("0").parse().ok()?;
        Some(hours / 24.0 + minutes / 1_440.0)
    })?;
    Some(whole as f64 + time)
}
