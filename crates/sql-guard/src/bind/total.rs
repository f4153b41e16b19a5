//! Which expressions are total: they cannot fail, whatever the row, and they cost little.
//!
//! A total expression may are beside a row filter, because evaluating it on another tenant's row
//! reveals nothing. Every other expression, and every expression of unknown kind, is partial. What
//! is not listed here is partial: subqueries, arithmetic, regular expressions, casts, most
//! functions.

use sqlparser::ast::{
    BinaryOperator, CaseWhen, DataType, DateTimeField, DuplicateTreatment, Expr, Function,
    FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Interval, UnaryOperator, Value,
    WindowType,
};

use super::{Binder, aggregates};
use crate::fold;
use crate::guard::Dialect;
use crate::kind::ColumnKind;
use crate::scope::{Columns, Relation, Scope};

/// The value of a total expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Known(ColumnKind),
    /// A literal between quotes, which takes the type of what it is compared with before any row is
    /// read.
    Quoted,
    Null,
    /// A day or moment near the present, the same for all rows.
    Present,
    /// A value of unknown kind: it can be read and tested for `NULL`.
    Unknown,
}

use Gives::{Known, Null, Present, Quoted, Unknown};

const BOOLEAN: Option<Gives> = Some(Known(ColumnKind::Boolean));

/// More wildcards in a pattern may cost much.
const MOST_WILDCARDS: usize = 8;

impl Binder<'_> {
    /// Notes an expression that may be evaluated before rows are filtered.
    pub(super) fn early(&mut self, expression: &Expr, scope: &Scope) {
        if !self.needs.early && self.guard.has_filters() {
            self.needs.early = self.total(expression, scope).is_none();
        }
    }

    /// Notes an expression that is evaluated after rows of the table itself are filtered.
    pub(super) fn late(&mut self, expression: &Expr, scope: &Scope) {
        if !self.needs.late && self.guard.has_filters() {
            self.needs.late = self.total(expression, scope).is_none();
        }
    }

    /// Notes an expression of the select list, of GROUP BY or of ORDER BY. In the outermost query
    /// no condition can take it along to where rows are read. Elsewhere a condition of the query
    /// around it may, unless it is an aggregate.
    pub(super) fn listed(&mut self, expression: &Expr, scope: &Scope) {
        if self.outermost || (scope.parent.is_none() && aggregates::within(expression)) {
            self.late(expression, scope);
        } else {
            self.early(expression, scope);
        }
    }

    /// The value of an expression if it is total.
    pub(super) fn total(&self, expression: &Expr, scope: &Scope) -> Option<Gives> {
        match expression {
            Expr::Identifier(column) => self.read(None, column, scope),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [qualifier, column] => self.read(Some(qualifier), column, scope),
                _ => None,
            },
            Expr::Value(value) => literal(&value.value),
            Expr::TypedString(typed) => {
                matches!(typed.data_type, DataType::Date | DataType::Timestamp(..))
                    .then_some(Known(ColumnKind::Date))
            }
            Expr::Nested(it) => self.total(it, scope),
            Expr::UnaryOp { op, expr } => self.unary(*op, expr, scope),
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right, scope),
            Expr::IsNull(it) | Expr::IsNotNull(it) => self.total(it, scope).and(BOOLEAN),
            Expr::IsTrue(it)
            | Expr::IsNotTrue(it)
            | Expr::IsFalse(it)
            | Expr::IsNotFalse(it)
            | Expr::IsUnknown(it)
            | Expr::IsNotUnknown(it) => self.condition(it, scope),
            Expr::IsDistinctFrom(one, other) | Expr::IsNotDistinctFrom(one, other) => {
                self.compared([one, other].map(AsRef::as_ref), scope)
            }
            Expr::InList { expr, list, .. } => list
                .iter()
                .all(|item| self.compared([expr, item], scope).is_some())
                .then_some(Known(ColumnKind::Boolean)),
            Expr::Between {
                expr, low, high, ..
            } => self
                .compared([expr, low], scope)
                .and_then(|_| self.compared([expr, high], scope)),
            Expr::Like {
                expr,
                pattern,
                escape_char: None,
                any: false,
                ..
            } => self.like(expr, pattern, scope),
            Expr::Extract { field, expr, .. } if self.is_part(field) => {
                let of = self.total(expr, scope)?;
                matches!(of, Present | Known(ColumnKind::Date))
                    .then_some(Known(ColumnKind::Decimal))
            }
            Expr::Cast {
                expr,
                data_type: DataType::Date,
                format: None,
                ..
            } => match self.total(expr, scope)? {
                Present => Some(Present),
                Quoted | Null | Known(ColumnKind::Date) => Some(Known(ColumnKind::Date)),
                _ => None,
            },
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(
                operand.as_deref(),
                conditions,
                else_result.as_deref(),
                scope,
            ),
            Expr::Function(function) => self.call(function, scope),
            _ => None,
        }
    }

    /// A condition that is total.
    fn condition(&self, expression: &Expr, scope: &Scope) -> Option<Gives> {
        match self.total(expression, scope)? {
            Known(ColumnKind::Boolean) | Null => BOOLEAN,
            Known(kind) if kind.is_number() && self.dialect == Dialect::MySql => BOOLEAN,
            _ => None,
        }
    }

    /// A column: of what relation, and whether reading it may fail.
    fn read(&self, qualifier: Option<&Ident>, column: &Ident, scope: &Scope) -> Option<Gives> {
        for scope in scope.outwards() {
            if let Some(qualifier) = qualifier {
                let named = |relation: &&Relation| {
                    let name = relation.name.as_ref();
                    name.is_some_and(|name| name.is(qualifier, self.dialect))
                };
                match scope.relations.iter().find(named) {
                    Some(relation) => return self.held(relation, column),
                    None => continue,
                }
            }
            // What the select list names is looked at there.
            let mut aliases = scope.aliases.first().iter().chain(scope.aliases.last());
            if aliases.any(|alias| alias.is(column, self.dialect)) {
                return Some(Unknown);
            }
            let mut holding = scope.relations.iter().filter(|relation| {
                let columns = &relation.columns;
                columns
                    .find(column, &self.guard.schema, self.dialect)
                    .is_some()
            });
            if let Some(relation) = holding.next() {
                let gives = self.held(relation, column)?;
                let same = holding.all(|other| self.held(other, column) == Some(gives));
                return same.then_some(gives);
            }
        }
        None
    }

    fn held(&self, relation: &Relation, column: &Ident) -> Option<Gives> {
        match &relation.columns {
            Columns::Table(id) if !self.guard.views.contains_key(id) => {
                let table = self.guard.schema.table(*id);
                match table.kinds[table.position(column, self.dialect)?] {
                    Some(ColumnKind::Computed) => None,
                    Some(kind) => Some(Known(kind)),
                    None => Some(Unknown),
                }
            }
            // What is behind it is looked at where it is written.
            Columns::List(_) if !relation.base => Some(Unknown),
            _ => None,
        }
    }

    fn unary(&self, op: UnaryOperator, of: &Expr, scope: &Scope) -> Option<Gives> {
        match (op, of) {
            (UnaryOperator::Not, it) => self.condition(it, scope),
            (UnaryOperator::Minus | UnaryOperator::Plus, Expr::Value(value)) => {
                literal(&value.value).filter(|it| matches!(it, Known(kind) if kind.is_number()))
            }
            _ => None,
        }
    }

    fn binary(
        &self,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
        scope: &Scope,
    ) -> Option<Gives> {
        match op {
            BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => self
                .condition(left, scope)
                .and_then(|_| self.condition(right, scope)),
            BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
            | BinaryOperator::Spaceship => self.compared([left, right], scope),
            BinaryOperator::Plus | BinaryOperator::Minus => self.moved(left, right, scope),
            _ => None,
        }
    }

    /// A moment near the present, some days or months on or back. `MySQL` gives `NULL` for a moment
    /// out of range.
    fn moved(&self, from: &Expr, by: &Expr, scope: &Scope) -> Option<Gives> {
        match self.total(from, scope)? {
            Present => {}
            Known(ColumnKind::Date) if self.dialect == Dialect::MySql => {}
            _ => return None,
        }
        let small = match by {
            Expr::Interval(interval) => is_small(interval),
            Expr::Value(value) => {
                self.dialect == Dialect::PostgreSql
                    && matches!(&value.value, Value::Number(days, _) if days.parse().is_ok_and(|days: u32| days <= 10_000))
            }
            _ => false,
        };
        // Moved once more it may leave the range.
        small.then_some(Known(ColumnKind::Date))
    }

    fn compared(&self, sides: [&Expr; 2], scope: &Scope) -> Option<Gives> {
        let [one, other] = sides;
        let (one, other) = (self.total(one, scope)?, self.total(other, scope)?);
        self.comparable(one, other)
            .then_some(Known(ColumnKind::Boolean))
    }

    pub(super) fn comparable(&self, one: Gives, other: Gives) -> bool {
        match (one, other) {
            (Null, _) | (_, Null) | (Quoted, Quoted | Known(_)) | (Known(_), Quoted) => true,
            (Unknown, _) | (_, Unknown) => false,
            (Present, it) | (it, Present) => {
                matches!(it, Present | Quoted | Known(ColumnKind::Date))
            }
            (Known(one), Known(other)) => {
                let boolean = |kind| kind == ColumnKind::Boolean;
                one == other
                    || (one.is_number() && other.is_number())
                    || (self.dialect == Dialect::MySql
                        && ((boolean(one) && other.is_number())
                            || (boolean(other) && one.is_number())))
            }
        }
    }

    /// A pattern that ends in an escape fails on some texts only.
    fn like(&self, of: &Expr, pattern: &Expr, scope: &Scope) -> Option<Gives> {
        let of = self.total(of, scope)?;
        let text = match self.dialect {
            Dialect::MySql => matches!(of, Known(_)),
            Dialect::PostgreSql => of == Known(ColumnKind::Text),
        };
        let simple = match pattern {
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(pattern) => {
                    !pattern.contains('\\') && pattern.matches('%').count() <= MOST_WILDCARDS
                }
                _ => false,
            },
            _ => false,
        };
        (text && simple).then_some(Known(ColumnKind::Boolean))
    }

    fn case(
        &self,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&Expr>,
        scope: &Scope,
    ) -> Option<Gives> {
        let mut results = Vec::new();
        for when in conditions {
            match operand {
                Some(operand) => self.compared([operand, &when.condition], scope)?,
                None => self.condition(&when.condition, scope)?,
            };
            results.push(&when.result);
        }
        results.extend(otherwise);
        self.one_of(results, scope)
    }

    /// One value of several that are of one kind.
    fn one_of<'e>(
        &self,
        values: impl IntoIterator<Item = &'e Expr>,
        scope: &Scope,
    ) -> Option<Gives> {
        let mut common = Null;
        for value in values {
            let gives = self.total(value, scope)?;
            common = match (common, gives) {
                (Null, it) | (it, Null) => it,
                (one, other) if one == other => one,
                (Known(one), Known(other)) if one.is_number() && other.is_number() => {
                    Known(ColumnKind::Decimal)
                }
                (Quoted, Known(ColumnKind::Text)) | (Known(ColumnKind::Text), Quoted) => {
                    Known(ColumnKind::Text)
                }
                _ => return None,
            };
        }
        Some(if common == Quoted {
            Known(ColumnKind::Text)
        } else {
            common
        })
    }

    /// A part that every date has; PostgreSQL fails on the hour of a day.
    fn is_part(&self, field: &DateTimeField) -> bool {
        match field {
            DateTimeField::Year
            | DateTimeField::Month
            | DateTimeField::Day
            | DateTimeField::Week(None)
            | DateTimeField::Quarter
            | DateTimeField::Dow
            | DateTimeField::Doy
            | DateTimeField::Isodow
            | DateTimeField::Epoch => true,
            DateTimeField::Hour | DateTimeField::Minute | DateTimeField::Second => {
                self.dialect == Dialect::MySql
            }
            _ => false,
        }
    }

    fn call(&self, function: &Function, scope: &Scope) -> Option<Gives> {
        let name = fold(&function.name.to_string());
        let arguments = arguments(function)?;
        if function.null_treatment.is_some() || !function.within_group.is_empty() {
            return None;
        }
        if let Some(filter) = &function.filter {
            self.condition(filter, scope)?;
        }
        if let ("date_add" | "date_sub" | "adddate" | "subdate", [Some(from), Some(by)]) =
            (name.as_str(), arguments.as_slice())
            && matches!(by, Expr::Interval(_))
        {
            return self.moved(from, by, scope);
        }
        let mut given = Vec::new();
        for argument in &arguments {
            given.push(match argument {
                Some(argument) => self.total(argument, scope)?,
                None => Unknown,
            });
        }
        match &function.over {
            None => {}
            Some(WindowType::WindowSpec(spec))
                if spec.window_frame.is_none() && spec.window_name.is_none() =>
            {
                let ordered = spec.order_by.iter().map(|item| &item.expr);
                for part in spec.partition_by.iter().chain(ordered) {
                    self.total(part, scope)?;
                }
            }
            Some(_) => return None,
        }
        self.computed(&name, &arguments, &given, scope, function.over.is_some())
    }

    fn computed(
        &self,
        name: &str,
        arguments: &[Option<&Expr>],
        given: &[Gives],
        scope: &Scope,
        over: bool,
    ) -> Option<Gives> {
        let mysql = self.dialect == Dialect::MySql;
        let exact = |kind: ColumnKind| kind.is_number() && kind != ColumnKind::Float;
        match (name, given) {
            ("count", _) => Some(Known(ColumnKind::Integer)),
            ("row_number" | "rank" | "dense_rank", []) if over => Some(Known(ColumnKind::Integer)),
            ("min" | "max", [Known(kind)]) => Some(Known(*kind)),
            ("sum" | "avg", [Known(kind)]) if exact(*kind) => Some(Known(ColumnKind::Decimal)),
            _ if over => None,
            (
                "current_date"
                | "current_timestamp"
                | "now"
                | "localtimestamp"
                | "transaction_timestamp"
                | "statement_timestamp",
                [],
            )
            | ("date", [Present]) => Some(Present),
            ("curdate" | "utc_date" | "utc_timestamp", []) if mysql => Some(Present),
            ("date_trunc", [Quoted, Present]) => {
                is_unit_of_truncation(arguments.first()?.as_ref()?).then_some(Present)
            }
            ("coalesce" | "ifnull", [_, ..]) => {
                self.one_of(arguments.iter().copied().flatten(), scope)
            }
            ("lower" | "upper" | "lcase" | "ucase", [Known(ColumnKind::Text)]) => {
                Some(Known(ColumnKind::Text))
            }
            ("length" | "char_length" | "character_length", [Known(ColumnKind::Text)]) => {
                Some(Known(ColumnKind::Integer))
            }
            (
                "year" | "month" | "day" | "dayofmonth" | "dayofweek" | "dayofyear" | "weekday"
                | "quarter" | "hour" | "minute" | "second" | "week" | "weekofyear",
                [Known(ColumnKind::Date) | Present],
            ) if mysql => Some(Known(ColumnKind::Integer)),
            ("date", [Known(ColumnKind::Date)]) => Some(Known(ColumnKind::Date)),
            ("last_day", [Known(ColumnKind::Date) | Present]) if mysql => {
                Some(Known(ColumnKind::Date))
            }
            _ => None,
        }
    }
}

/// The arguments, `None` for a star; nothing if there is more to the call than a list of
/// expressions.
fn arguments(function: &Function) -> Option<Vec<Option<&Expr>>> {
    match &function.args {
        FunctionArguments::None => Some(Vec::new()),
        FunctionArguments::Subquery(_) => None,
        FunctionArguments::List(list) => {
            let plain = list.clauses.is_empty()
                && list.duplicate_treatment != Some(DuplicateTreatment::All);
            let argument = |argument: &FunctionArg| {
                matches!(
                    argument,
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(_) | FunctionArgExpr::Wildcard)
                )
            };
            if !plain || !list.args.iter().all(argument) {
                return None;
            }
            Some(
                list.args
                    .iter()
                    .map(|argument| match argument {
                        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
                        _ => None,
                    })
                    .collect(),
            )
        }
    }
}

fn literal(value: &Value) -> Option<Gives> {
    match value {
        Value::Number(digits, _) => Some(Known(if digits.bytes().all(|b| b.is_ascii_digit()) {
            ColumnKind::Integer
        } else {
            ColumnKind::Decimal
        })),
        Value::SingleQuotedString(_) => Some(Quoted),
        Value::Boolean(_) => BOOLEAN,
        Value::Null => Some(Null),
        _ => None,
    }
}

fn is_unit_of_truncation(unit: &Expr) -> bool {
    match unit {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(unit) => matches!(
                fold(unit).as_str(),
                "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" | "second"
            ),
            _ => false,
        },
        _ => false,
    }
}

/// Whether an interval moves the present by no more than some centuries: `INTERVAL 7 DAY`,
/// `INTERVAL '1 year 2 months'`.
fn is_small(interval: &Interval) -> bool {
    let Expr::Value(value) = interval.value.as_ref() else {
        return false;
    };
    let (Value::Number(text, _) | Value::SingleQuotedString(text)) = &value.value else {
        return false;
    };
    let unit = interval
        .leading_field
        .as_ref()
        .map(|unit| fold(&unit.to_string()));
    if interval.last_field.is_some() {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().chain(unit.as_deref()).collect();
    !words.is_empty()
        && words.len() <= 6
        && words.chunks(2).all(|pair| match pair {
            [amount, unit] => amount.parse().is_ok_and(|amount: u32| amount <= most(unit)),
            _ => false,
        })
}

/// Maximum amount of a unit in an interval: a few centuries.
fn most(unit: &str) -> u32 {
    match fold(unit).trim_end_matches('s') {
        "year" | "quarter" | "month" => 300,
        "week" | "day" | "hour" | "minute" | "second" => 10_000,
        _ => 0,
    }
}
