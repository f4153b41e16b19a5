//! Expressions: those known to compute from what is in scope, and no others.

use sqlparser::ast::{
    AccessExpr, BinaryOperator, CastFormat, CeilFloorKind, DataType, DateTimeField, Expr, Function,
    FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArgumentList, FunctionArguments,
    Ident, Interval, ObjectName, Subscript, Value, WindowFrameBound, WindowSpec, WindowType,
};

use super::Binder;
use crate::finding::Kind;
use crate::scope::Scope;
use crate::{fold, functions, literal};

/// Operators in one chain (`a OR b OR …`).
const LONGEST_CHAIN: usize = 1000;

impl Binder<'_> {
    pub(super) fn expressions(&mut self, expressions: &mut [Expr], scope: &Scope) {
        for expression in expressions {
            self.expression(expression, scope);
        }
    }

    /// Checks an expression. A chain of operators leans to the left and is walked without going deeper.
    pub(super) fn expression(&mut self, expression: &mut Expr, scope: &Scope) {
        let mut rest = expression;
        for _ in 0..LONGEST_CHAIN {
            match rest {
                Expr::BinaryOp { left, op, right } => {
                    self.operator(op);
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
            Expr::Prefixed { prefix, value }
                if prefix.value.starts_with('_') && literal::is_plain(prefix) =>
            {
                self.expression(value, scope);
            }
            Expr::Interval(interval) => self.interval(interval, scope),
            Expr::Function(function) => self.function(function, scope),
            Expr::Subquery(query) => _ = self.query(query, Some(scope)),
            Expr::Exists { subquery, .. } => _ = self.query(subquery, Some(scope)),
            Expr::InSubquery { expr, subquery, .. } => {
                self.expression(expr, scope);
                self.query(subquery, Some(scope));
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
                expr,
                data_type,
                format,
                ..
            } => {
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

    /// Expressions that are made of nothing but others.
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
            if !self.own_schema(&parts[0].clone()) {
                return;
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

    fn access(&mut self, root: &mut Expr, chain: &mut [AccessExpr], scope: &Scope) {
        self.expression(root, scope);
        for access in chain {
            match access {
                AccessExpr::Subscript(Subscript::Index { index }) => self.expression(index, scope),
                _ => self.unsupported("This way into a value"),
            }
        }
    }

    fn literal(&mut self, value: &mut Value) {
        if matches!(value, Value::Placeholder(_)) {
            self.refuse(Kind::Variable, "Placeholders are not allowed.");
        } else if !literal::settle(value, self.dialect) {
            self.unsupported("This kind of literal");
        }
    }

    fn operator(&mut self, operator: &BinaryOperator) {
        match operator {
            BinaryOperator::Assignment => self.refuse(Kind::Variable, "Variables are not allowed."),
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

    /// Casting to a name of the catalogue looks things up in it, and types of a user's making are not known.
    fn data_type(&mut self, data_type: &DataType) {
        let text = fold(&data_type.to_string());
        let punctuation = |c: char| " (),[]".contains(c);
        let known = |word: &str| {
            word.bytes().all(|byte| byte.is_ascii_digit())
                || TYPE_WORDS.binary_search(&word).is_ok()
        };
        if !text
            .split(punctuation)
            .filter(|word| !word.is_empty())
            .all(known)
        {
            self.unsupported("This type");
        }
    }

    fn function(&mut self, function: &mut Function, scope: &Scope) {
        let text = function.name.to_string();
        let name = match function.name.0.as_slice() {
            [part] => part.as_ident().map(|ident| fold(&ident.value)),
            _ => None,
        };
        let permitted = |name: &String| {
            functions::is_harmless(name, self.dialect)
                || self
                    .guard
                    .policy
                    .functions
                    .iter()
                    .any(|own| fold(own) == *name)
        };
        let Some(name) = name.filter(permitted) else {
            return self.refuse(Kind::Function, format!("Function '{text}' is not allowed."));
        };
        if function.uses_odbc_syntax || !matches!(function.parameters, FunctionArguments::None) {
            self.unsupported("This way to call a function");
        }
        match &mut function.args {
            FunctionArguments::None => {}
            FunctionArguments::Subquery(query) => _ = self.query(query, Some(scope)),
            FunctionArguments::List(list) => self.arguments(&name, list, scope),
        }
        if let Some(filter) = &mut function.filter {
            self.expression(filter, scope);
        }
        self.order_items(&mut function.within_group, scope);
        match &mut function.over {
            Some(WindowType::WindowSpec(spec)) => self.window(spec, scope),
            Some(WindowType::NamedWindow(name)) => _ = self.plain(name),
            None => {}
        }
    }

    fn arguments(&mut self, function: &str, list: &mut FunctionArgumentList, scope: &Scope) {
        let units = functions::takes_unit(function, self.dialect);
        for (position, argument) in list.args.iter_mut().enumerate() {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(unit)))
                    if units && position == 0 && is_unit(unit) => {}
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => {
                    self.expression(expression, scope);
                }
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) if function == "count" => {}
                _ => self.unsupported("This kind of argument"),
            }
        }
        for clause in &mut list.clauses {
            match clause {
                FunctionArgumentClause::OrderBy(items) => self.order_items(items, scope),
                FunctionArgumentClause::Separator(value) => self.literal(&mut value.value),
                FunctionArgumentClause::IgnoreOrRespectNulls(_) => {}
                _ => self.unsupported("This clause of a function"),
            }
        }
    }

    pub(super) fn window(&mut self, spec: &mut WindowSpec, scope: &Scope) {
        if let Some(name) = &spec.window_name {
            self.plain(name);
        }
        self.expressions(&mut spec.partition_by, scope);
        self.order_items(&mut spec.order_by, scope);
        if let Some(frame) = &mut spec.window_frame {
            for bound in [Some(&mut frame.start_bound), frame.end_bound.as_mut()]
                .into_iter()
                .flatten()
            {
                if let WindowFrameBound::Preceding(Some(rows))
                | WindowFrameBound::Following(Some(rows)) = bound
                {
                    self.expression(rows, scope);
                }
            }
        }
    }
}

/// The words that names of built-in types are made of.
const TYPE_WORDS: &[&str] = &[
    "bigint",
    "binary",
    "bit",
    "blob",
    "bool",
    "boolean",
    "bytea",
    "char",
    "character",
    "citext",
    "date",
    "datetime",
    "day",
    "dec",
    "decimal",
    "double",
    "float",
    "float4",
    "float8",
    "hour",
    "inet",
    "int",
    "int2",
    "int4",
    "int8",
    "integer",
    "interval",
    "json",
    "jsonb",
    "longtext",
    "mediumint",
    "mediumtext",
    "minute",
    "money",
    "month",
    "name",
    "national",
    "nchar",
    "numeric",
    "nvarchar",
    "precision",
    "real",
    "second",
    "signed",
    "smallint",
    "text",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "tinyint",
    "tinytext",
    "to",
    "unsigned",
    "uuid",
    "varbinary",
    "varchar",
    "varying",
    "with",
    "without",
    "year",
    "zone",
];

fn is_unit(name: &Ident) -> bool {
    let units = [
        "microsecond",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
    ];
    name.quote_style.is_none() && units.contains(&fold(&name.value).trim_start_matches("sql_tsi_"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn type_words_are_sorted() {
        assert!(super::TYPE_WORDS.is_sorted());
    }
}
