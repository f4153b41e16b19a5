//! Maximum length of an expression's value, and of the subqueries in it.

use sqlparser::ast::{
    AccessExpr, BinaryOperator, BinaryOperator as Op, CaseWhen, Expr, Ident, SelectItem, Subscript,
    Value, WindowFrameBound, WindowSpec,
};

use super::{COLUMN, LONGEST, Walk};
use crate::finding::{Finding, Kind};
use crate::fold;

/// A number, a date, a truth value.
pub(super) const SHORT: f64 = 40.0;

impl Walk {
    /// Walks an expression; the longest that its value can be.
    pub(super) fn expression(&mut self, expression: &mut Expr) -> f64 {
        let width = self.width(expression);
        if width > LONGEST {
            self.refuse(format!(
                "The statement makes texts of about {width:.0} bytes; {LONGEST:.0} are allowed. Make shorter ones."
            ));
            return LONGEST;
        }
        width
    }

    /// A chain of operators leans to the left and is walked without going deeper.
    fn chain(&mut self, expression: &mut Expr) -> f64 {
        let (mut rest, mut width) = (expression, 0.0);
        while let Expr::BinaryOp { left, right, .. } = rest {
            width += self.expression(right);
            rest = left;
        }
        // Of an operator that does not put its sides together the sum is too large, never too
        // small.
        width + self.expression(rest)
    }

    #[expect(clippy::too_many_lines, reason = "one flat match")]
    fn width(&mut self, expression: &mut Expr) -> f64 {
        match expression {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.column(),
            Expr::Value(value) => literal(&value.value),
            Expr::TypedString(typed) => literal(&typed.value.value),
            Expr::Prefixed { value, .. } => self.expression(value),
            Expr::BinaryOp { op, .. } => {
                let short = is_short(op);
                let width = self.chain(expression);
                if short { SHORT } else { width }
            }
            Expr::Function(function) => self.function(function),
            Expr::Subquery(query) => self.query(query).width,
            Expr::Exists { subquery, .. } => {
                self.query(subquery);
                SHORT
            }
            Expr::InSubquery { expr, subquery, .. } => {
                self.expression(expr);
                self.query(subquery);
                SHORT
            }
            Expr::Cast {
                expr, data_type, ..
            } => self.expression(expr).max(declared(&data_type.to_string())),
            Expr::Convert {
                expr, data_type, ..
            } => {
                let declared = data_type
                    .as_ref()
                    .map_or(0.0, |data_type| declared(&data_type.to_string()));
                self.expression(expr).max(declared)
            }
            Expr::Nested(it) | Expr::UnaryOp { expr: it, .. } | Expr::Collate { expr: it, .. } => {
                self.expression(it)
            }
            Expr::IsFalse(it)
            | Expr::IsNotFalse(it)
            | Expr::IsTrue(it)
            | Expr::IsNotTrue(it)
            | Expr::IsNull(it)
            | Expr::IsNotNull(it)
            | Expr::IsUnknown(it)
            | Expr::IsNotUnknown(it)
            | Expr::Extract { expr: it, .. }
            | Expr::Ceil { expr: it, .. }
            | Expr::Floor { expr: it, .. } => self.short([&mut **it]),
            Expr::IsDistinctFrom(one, other)
            | Expr::IsNotDistinctFrom(one, other)
            | Expr::AtTimeZone {
                timestamp: one,
                time_zone: other,
            }
            | Expr::Position {
                expr: one,
                r#in: other,
            }
            | Expr::AnyOp {
                left: one,
                right: other,
                ..
            }
            | Expr::AllOp {
                left: one,
                right: other,
                ..
            }
            | Expr::RLike {
                expr: one,
                pattern: other,
                ..
            } => self.short([&mut **one, &mut **other]),
            Expr::InList { expr, list, .. } => {
                self.all(list);
                self.short([&mut **expr])
            }
            Expr::Between {
                expr, low, high, ..
            } => self.short([&mut **expr, &mut **low, &mut **high]),
            Expr::Like {
                expr,
                pattern,
                escape_char,
                ..
            }
            | Expr::ILike {
                expr,
                pattern,
                escape_char,
                ..
            }
            | Expr::SimilarTo {
                expr,
                pattern,
                escape_char,
                ..
            } => {
                let escape = escape_char.iter_mut().map(|it| &mut **it);
                self.short([&mut **expr, &mut **pattern].into_iter().chain(escape))
            }
            Expr::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => {
                for it in [substring_from, substring_for].into_iter().flatten() {
                    self.expression(it);
                }
                self.expression(expr)
            }
            Expr::Trim {
                expr,
                trim_what,
                trim_characters,
                ..
            } => {
                if let Some(what) = trim_what {
                    self.expression(what);
                }
                self.all(trim_characters.as_deref_mut().unwrap_or_default());
                self.expression(expr)
            }
            Expr::Overlay {
                expr,
                overlay_what,
                overlay_from,
                overlay_for,
            } => {
                self.expression(overlay_from);
                if let Some(length) = overlay_for {
                    self.expression(length);
                }
                self.expression(expr) + self.expression(overlay_what)
            }
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                if let Some(operand) = operand {
                    self.expression(operand);
                }
                let mut width: f64 = 1.0;
                for CaseWhen { condition, result } in conditions {
                    self.expression(condition);
                    width = width.max(self.expression(result));
                }
                match else_result {
                    Some(result) => width.max(self.expression(result)),
                    None => width,
                }
            }
            Expr::Tuple(items) => self.sum(items),
            Expr::Array(array) => self.sum(&mut array.elem),
            Expr::Interval(interval) => self.short([&mut *interval.value]),
            Expr::CompoundFieldAccess { root, access_chain } => {
                for access in access_chain {
                    match access {
                        AccessExpr::Subscript(Subscript::Index { index }) => {
                            self.expression(index);
                        }
                        AccessExpr::Subscript(Subscript::Slice {
                            lower_bound,
                            upper_bound,
                            ..
                        }) => {
                            for bound in [lower_bound, upper_bound].into_iter().flatten() {
                                self.expression(bound);
                            }
                        }
                        AccessExpr::Dot(_) => {}
                    }
                }
                self.expression(root)
            }
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                for set in sets {
                    self.all(set);
                }
                SHORT
            }
            Expr::MemberOf(member) => self.short([&mut *member.value, &mut *member.array]),
            Expr::MatchAgainst { .. } => SHORT,
            _ => {
                self.findings.push(Finding::new(
                    Kind::Unsupported,
                    "This kind of expression is not supported.",
                ));
                COLUMN
            }
        }
    }

    fn short<'e>(&mut self, expressions: impl IntoIterator<Item = &'e mut Expr>) -> f64 {
        for expression in expressions {
            self.expression(expression);
        }
        SHORT
    }

    fn sum(&mut self, expressions: &mut [Expr]) -> f64 {
        expressions
            .iter_mut()
            .map(|expression| self.expression(expression) + 4.0)
            .sum()
    }

    pub(super) fn window(&mut self, spec: &mut WindowSpec) {
        self.all(&mut spec.partition_by);
        self.ordered(&mut spec.order_by);
        if let Some(frame) = &mut spec.window_frame {
            for bound in [Some(&mut frame.start_bound), frame.end_bound.as_mut()]
                .into_iter()
                .flatten()
            {
                if let WindowFrameBound::Preceding(Some(rows))
                | WindowFrameBound::Following(Some(rows)) = bound
                {
                    self.expression(rows);
                }
            }
        }
    }
}

/// Whether a text is padded or repeated in an expression.
pub(super) fn is_padded(expression: &Expr) -> bool {
    let found = sqlparser::ast::visit_expressions(expression, |part| match part {
        Expr::Function(function)
            if matches!(
                fold(&function.name.to_string()).as_str(),
                "lpad" | "rpad" | "repeat" | "space"
            ) =>
        {
            std::ops::ControlFlow::Break(())
        }
        _ => std::ops::ControlFlow::Continue(()),
    });
    found.is_break()
}

/// An item of the select list under the label that it has as it was written.
pub(super) fn labelled(expression: Expr, written: &str) -> SelectItem {
    let fits = written.len() <= LONGEST_LABEL
        && !written.contains(['`', '\\'])
        && !written.contains(char::is_control);
    let label = if fits { written } else { "text" };
    SelectItem::ExprWithAlias {
        expr: expression,
        alias: Ident::with_quote('`', label),
    }
}

/// The longest name that a column may have, with room for letters of several bytes.
const LONGEST_LABEL: usize = 200;

/// Whether an operator gives a number or a truth value.
fn is_short(operator: &BinaryOperator) -> bool {
    matches!(
        operator,
        Op::Plus
            | Op::Minus
            | Op::Multiply
            | Op::Divide
            | Op::Modulo
            | Op::Gt
            | Op::Lt
            | Op::GtEq
            | Op::LtEq
            | Op::Spaceship
            | Op::Eq
            | Op::NotEq
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::MyIntegerDivide
            | Op::Regexp
    )
}

pub(super) fn literal(value: &Value) -> f64 {
    match value {
        Value::Number(digits, _) => digits.len() as f64,
        Value::SingleQuotedString(text)
        | Value::DoubleQuotedString(text)
        | Value::NationalStringLiteral(text)
        | Value::EscapedStringLiteral(text)
        | Value::HexStringLiteral(text)
        | Value::SingleQuotedByteStringLiteral(text) => text.len() as f64,
        _ => 1.0,
    }
}

/// The length that a type has in its name: some types fill their values up to it.
fn declared(data_type: &str) -> f64 {
    let numbers = data_type
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok());
    numbers.fold(0.0, f64::max)
}
