//! Expressions: those known to compute from what is in scope, and no others.

use sqlparser::ast::{
    AccessExpr, BinaryOperator, CastFormat, CastKind, CeilFloorKind, DateTimeField, Expr, Ident,
    Interval, ObjectName, Subscript, Value,
};

use super::Binder;
use crate::finding::Kind;
use crate::guard::Dialect;
use crate::literal;
use crate::scope::Scope;

/// Operators in one chain (`a OR b OR …`).
const LONGEST_CHAIN: usize = 1000;

impl Binder<'_> {
    pub(super) fn expressions(&mut self, expressions: &mut [Expr], scope: &Scope) {
        for expression in expressions {
            self.expression(expression, scope);
        }
    }

    /// Checks an expression. A chain of operators leans to the left and is walked without going
    /// deeper.
    pub(super) fn expression(&mut self, expression: &mut Expr, scope: &Scope) {
        let mut rest = expression;
        for _ in 0..LONGEST_CHAIN {
            match rest {
                Expr::BinaryOp { left, op, right } => {
                    self.operator(op);
                    if matches!(
                        op,
                        BinaryOperator::Eq | BinaryOperator::NotEq | BinaryOperator::Spaceship
                    ) {
                        self.no_text_as_zero(left, right, scope);
                        self.no_text_as_zero(right, left, scope);
                    }
                    self.expression_below(right, scope);
                    rest = left;
                }
                other => return self.expression_below(other, scope),
            }
        }
        self.refuse(
            Kind::TooLarge,
            "The statement has too long a chain of operators.",
        );
    }

    fn expression_below(&mut self, expression: &mut Expr, scope: &Scope) {
        self.deeper(|binder| match expression {
            Expr::BinaryOp { .. } => binder.expression(expression, scope),
            _ => binder.single(expression, scope),
        });
    }

    fn single(&mut self, expression: &mut Expr, scope: &Scope) {
        match expression {
            Expr::Identifier(name) => {
                if self.plain(name) {
                    self.column(None, name, scope);
                }
            }
            Expr::CompoundIdentifier(parts) => self.compound(parts, scope),
            Expr::Value(value) => self.literal(&mut value.value),
            Expr::TypedString(typed) => {
                self.data_type(&typed.data_type);
                self.literal(&mut typed.value.value);
            }
            // In PostgreSQL this is a text of the type `_…`, an array, which may look names up in
            // the catalogue.
            Expr::Prefixed { prefix, value }
                if self.dialect == Dialect::MySql
                    && prefix.value.starts_with('_')
                    && literal::is_plain(prefix)
                    && matches!(**value, Expr::Value(_)) =>
            {
                self.expression(value, scope);
            }
            Expr::Interval(interval) => self.interval(interval, scope),
            Expr::Function(function) => self.function(function, scope),
            Expr::Subquery(query) => {
                let columns = self.part(query, Some(scope));
                self.refuse_masked(&columns);
            }
            Expr::Exists { subquery, .. } => _ = self.part(subquery, Some(scope)),
            Expr::InSubquery { expr, subquery, .. } => {
                self.expression(expr, scope);
                let columns = self.part(subquery, Some(scope));
                self.refuse_masked(&columns);
            }
            Expr::MatchAgainst {
                columns,
                match_value,
                ..
            } => {
                for name in columns {
                    self.matched_column(name, scope);
                }
                self.literal(&mut match_value.value);
            }
            Expr::Cast {
                kind,
                expr,
                data_type,
                format,
                ..
            } => {
                if *kind == CastKind::DoubleColon && self.dialect == Dialect::MySql {
                    self.refuse(
                        Kind::Syntax,
                        "This database has no cast with two colons. Write CAST(value AS type).",
                    );
                }
                self.expression(expr, scope);
                self.data_type(data_type);
                match format {
                    None => {}
                    Some(CastFormat::Value(value)) => self.literal(&mut value.value),
                    Some(CastFormat::ValueAtTimeZone(..)) => self.unsupported("This cast"),
                }
            }
            Expr::Convert {
                expr,
                data_type,
                charset,
                styles,
                is_try: false,
                target_before_value: false,
            } if styles.is_empty() => {
                self.expression(expr, scope);
                if let Some(data_type) = data_type {
                    self.data_type(data_type);
                }
                if let Some(charset) = charset {
                    self.unqualified(charset);
                }
            }
            Expr::Collate { expr, collation } => {
                self.expression(expr, scope);
                self.unqualified(collation);
            }
            Expr::CompoundFieldAccess { root, access_chain } => {
                self.access(root, access_chain, scope);
            }
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                for set in sets {
                    self.expressions(set, scope);
                }
            }
            other => self.compute(other, scope),
        }
    }

    /// Expressions that are made of only others.
    #[expect(clippy::too_many_lines, reason = "one flat match")]
    fn compute(&mut self, expression: &mut Expr, scope: &Scope) {
        match expression {
            Expr::Nested(it)
            | Expr::IsFalse(it)
            | Expr::IsNotFalse(it)
            | Expr::IsTrue(it)
            | Expr::IsNotTrue(it)
            | Expr::IsNull(it)
            | Expr::IsNotNull(it)
            | Expr::IsUnknown(it)
            | Expr::IsNotUnknown(it)
            | Expr::UnaryOp { expr: it, .. } => self.expression(it, scope),
            Expr::Extract { field, expr, .. } => {
                self.unit(field);
                self.expression(expr, scope);
            }
            Expr::Ceil { expr, field } | Expr::Floor { expr, field } => {
                match field {
                    CeilFloorKind::DateTimeField(field) => self.unit(field),
                    CeilFloorKind::Scale(value) => self.literal(&mut value.value),
                }
                self.expression(expr, scope);
            }
            Expr::IsDistinctFrom(one, other)
            | Expr::IsNotDistinctFrom(one, other)
            | Expr::AtTimeZone {
                timestamp: one,
                time_zone: other,
            }
            | Expr::Position {
                expr: one,
                r#in: other,
            } => {
                self.expression(one, scope);
                self.expression(other, scope);
            }
            Expr::AnyOp {
                left,
                right,
                compare_op,
                ..
            }
            | Expr::AllOp {
                left,
                right,
                compare_op,
            } => {
                self.operator(compare_op);
                self.expression(left, scope);
                self.expression(right, scope);
            }
            Expr::InList { expr, list, .. } => {
                for item in &*list {
                    self.no_text_as_zero(expr, item, scope);
                }
                self.expression(expr, scope);
                self.expressions(list, scope);
            }
            Expr::Between {
                expr, low, high, ..
            } => {
                for it in [expr, low, high] {
                    self.expression(it, scope);
                }
            }
            Expr::Like {
                expr,
                pattern,
                escape_char,
                any: false,
                ..
            }
            | Expr::ILike {
                expr,
                pattern,
                escape_char,
                any: false,
                ..
            }
            | Expr::SimilarTo {
                expr,
                pattern,
                escape_char,
                ..
            } => self.all([Some(expr), Some(pattern), escape_char.as_mut()], scope),
            Expr::RLike { expr, pattern, .. } => self.all([Some(expr), Some(pattern)], scope),
            Expr::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => {
                self.all(
                    [Some(expr), substring_from.as_mut(), substring_for.as_mut()],
                    scope,
                );
            }
            Expr::Trim {
                expr,
                trim_what,
                trim_characters,
                ..
            } => {
                self.all([Some(expr), trim_what.as_mut()], scope);
                self.expressions(trim_characters.as_deref_mut().unwrap_or_default(), scope);
            }
            Expr::Overlay {
                expr,
                overlay_what,
                overlay_from,
                overlay_for,
            } => {
                self.all(
                    [
                        Some(expr),
                        Some(overlay_what),
                        Some(overlay_from),
                        overlay_for.as_mut(),
                    ],
                    scope,
                );
            }
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                self.all([operand.as_mut(), else_result.as_mut()], scope);
                for when in conditions {
                    self.expression(&mut when.condition, scope);
                    self.expression(&mut when.result, scope);
                }
            }
            Expr::Tuple(items) => self.expressions(items, scope),
            Expr::Array(array) => self.expressions(&mut array.elem, scope),
            Expr::MemberOf(member) => {
                self.all([Some(&mut member.value), Some(&mut member.array)], scope);
            }
            _ => self.unsupported("This kind of expression"),
        }
    }

    fn all<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = Option<&'e mut Box<Expr>>>,
        scope: &Scope,
    ) {
        for expression in expressions.into_iter().flatten() {
            self.expression(expression, scope);
        }
    }

    /// `table.column`, or with the schema's own name before it.
    fn compound(&mut self, parts: &mut Vec<Ident>, scope: &Scope) {
        if !parts.iter().all(|part| self.plain(part)) {
            return;
        }
        if parts.len() == 3 {
            let Some(schema) = self.permitted_schema(&parts[0].clone()) else {
                return;
            };
            if !self.is_of_schema(&parts[1], schema.as_deref(), scope) {
                return self.missing_qualifier(&parts[1].clone());
            }
            parts.remove(0);
        }
        match parts.as_mut_slice() {
            [qualifier, column] => self.column(Some(qualifier), column, scope),
            _ => self.refuse(
                Kind::OtherSchema,
                "A column is named by its table and its name only.",
            ),
        }
    }

    fn matched_column(&mut self, name: &mut ObjectName, scope: &Scope) {
        let parts: Option<Vec<Ident>> =
            name.0.iter().map(|part| part.as_ident().cloned()).collect();
        let Some(parts) = parts else {
            return self.unsupported("A computed name");
        };
        let mut column = match parts.len() {
            1 => Expr::Identifier(parts[0].clone()),
            _ => Expr::CompoundIdentifier(parts),
        };
        self.single(&mut column, scope);
        match column {
            Expr::Identifier(ident) => *name = vec![ident].into(),
            Expr::CompoundIdentifier(parts) => *name = parts.into(),
            _ => {}
        }
    }

    fn access(&mut self, root: &mut Expr, chain: &mut Vec<AccessExpr>, scope: &Scope) {
        let named = self.qualified(root, chain, scope);
        if named == 0 {
            self.expression(root, scope);
        }
        for access in chain.iter_mut().skip(named) {
            match access {
                AccessExpr::Subscript(Subscript::Index { index }) => self.expression(index, scope),
                AccessExpr::Subscript(Subscript::Slice {
                    lower_bound,
                    upper_bound,
                    stride: None,
                }) if self.dialect == Dialect::PostgreSql => {
                    for bound in [lower_bound, upper_bound].into_iter().flatten() {
                        self.expression(bound, scope);
                    }
                }
                _ => self.unsupported("This way into a value"),
            }
        }
    }

    /// The column that a way into a value begins with, where it is written with its table:
    /// `c.tags[1]` reads as `c`, and in it `tags`. How many steps of the way are the column's name.
    fn qualified(&mut self, root: &mut Expr, chain: &mut Vec<AccessExpr>, scope: &Scope) -> usize {
        let Expr::Identifier(first) = root else {
            return 0;
        };
        let mut parts = vec![first.clone()];
        parts.extend(chain.iter().map_while(|access| match access {
            AccessExpr::Dot(Expr::Identifier(name)) => Some(name.clone()),
            _ => None,
        }));
        let steps = parts.len() - 1;
        if steps == 0 {
            return 0;
        }
        self.compound(&mut parts, scope);
        let mut spelt = parts.into_iter();
        if let Some(first) = spelt.next() {
            *root = Expr::Identifier(first);
        }
        let spelt: Vec<AccessExpr> = spelt
            .map(|name| AccessExpr::Dot(Expr::Identifier(name)))
            .collect();
        let named = spelt.len();
        chain.splice(..steps, spelt);
        named
    }

    pub(super) fn literal(&mut self, value: &mut Value) {
        if matches!(value, Value::Placeholder(_)) {
            self.refuse(Kind::Variable, "Placeholders are not allowed.");
        } else if !literal::settle(value, self.dialect) {
            self.unsupported("This kind of literal");
        }
    }

    fn operator(&mut self, operator: &BinaryOperator) {
        match operator {
            BinaryOperator::Assignment => self.refuse(Kind::Variable, "Variables are not allowed."),
            BinaryOperator::StringConcat if self.dialect == Dialect::MySql => self.refuse(
                Kind::Syntax,
                "The operator || is OR in this database, and joins no texts. Write CONCAT(a, b), or OR.",
            ),
            BinaryOperator::Arrow | BinaryOperator::LongArrow if self.is_mariadb() => self.refuse(
                Kind::Syntax,
                "MariaDB has no -> and ->>. Write JSON_EXTRACT(document, path), or JSON_VALUE(document, path) for a text.",
            ),
            BinaryOperator::Custom(_) | BinaryOperator::PGCustomBinaryOperator(_) => {
                self.unsupported("This operator");
            }
            _ => {}
        }
    }

    fn interval(&mut self, interval: &mut Interval, scope: &Scope) {
        self.expression(&mut interval.value, scope);
        interval
            .leading_field
            .iter()
            .for_each(|field| self.unit(field));
        interval
            .last_field
            .iter()
            .for_each(|field| self.unit(field));
    }

    fn unit(&mut self, field: &DateTimeField) {
        if let DateTimeField::Custom(name) = field {
            self.plain(name);
        }
    }
}
