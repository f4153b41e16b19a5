//! Maximum length of an expression's value, and of the subqueries in it.

use sqlparser::ast::{
    AccessExpr, BinaryOperator, BinaryOperator as Op, CaseWhen, Expr, Function,
    FunctionArgumentClause, FunctionArguments, Ident, SelectItem, Subscript, Value,
    WindowFrameBound, WindowSpec, WindowType,
};

use super::{
    COLUMN, GROWING, LONGEST, UNCOUNTED_SERIES, Walk, arguments, guard, series, whole_number,
};
use crate::finding::{Finding, Kind};
use crate::fold;
use crate::guard::Dialect;

/// A number, a date, a truth value.
const SHORT: f64 = 40.0;
/// Maximum number of characters that LPAD, RPAD and their like may produce.
const MOST_PADDED: u32 = 1_000;
/// Number of times that a column may be repeated.
const MOST_REPEATED: f64 = 10.0;
/// Maximum length of a generated text that an aggregate may join from many rows.
const MOST_GATHERED: f64 = 4_096.0;

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

    fn function(&mut self, function: &mut Function) -> f64 {
        let name = fold(&function.name.to_string());
        if matches!(name.as_str(), "lpad" | "rpad" | "repeat" | "space") {
            self.padded(&name, &mut function.args);
        }
        if name == "repeat" {
            self.repeated(&mut function.args);
        }
        let widths = match &mut function.args {
            FunctionArguments::None => Vec::new(),
            FunctionArguments::Subquery(query) => vec![self.query(query).width],
            FunctionArguments::List(list) => {
                let mut separator = 0.0;
                for clause in &mut list.clauses {
                    match clause {
                        FunctionArgumentClause::OrderBy(items) => self.ordered(items),
                        FunctionArgumentClause::Separator(value) => {
                            separator = literal(&value.value);
                        }
                        _ => {}
                    }
                }
                let arguments = arguments(&mut function.args);
                let mut widths: Vec<f64> = arguments
                    .into_iter()
                    .map(|argument| self.expression(argument))
                    .collect();
                widths.push(separator);
                widths
            }
        };
        if let Some(filter) = &mut function.filter {
            self.expression(filter);
        }
        self.ordered(&mut function.within_group);
        if let Some(WindowType::WindowSpec(spec)) = &mut function.over {
            self.window(spec);
        }
        if is_gathering(&name) {
            return self.gathered(function, &widths);
        }
        self.sets(&name, function, &widths);
        self.result(&name, function, &widths)
    }

    /// LPAD and its like give as many characters as a number says. One that is not written down is
    /// held within the limit, where that can be said in the statement without working anything out
    /// twice that is long.
    fn padded(&mut self, name: &str, list: &mut FunctionArguments) {
        let place = usize::from(name != "space");
        let mut arguments = arguments(list);
        let Some(length) = arguments.get_mut(place) else {
            return;
        };
        match whole_number(length) {
            Some(most) if most <= f64::from(MOST_PADDED) => {}
            None if is_negative(length) => {}
            None if is_plain(length) => {
                match guard::limit_length(length, MOST_PADDED, self.dialect) {
                    Some(limited) => **length = limited,
                    None => self.refuse("A number of characters must be a number or a simple expression."),
                }
            }
            _ => self.refuse(format!(
                "The number of characters in {} must be at most {MOST_PADDED}, and a number or a simple expression.",
                name.to_uppercase()
            )),
        }
    }

    /// REPEAT of a column multiplies data, however long it is.
    fn repeated(&mut self, list: &mut FunctionArguments) {
        let arguments = arguments(list);
        if let [text, times] = arguments.as_slice()
            && has_column(text)
            && whole_number(times).is_none_or(|times| times > MOST_REPEATED)
        {
            self.refuse(format!(
                "REPEAT takes a text that is written down; a column may be repeated {MOST_REPEATED:.0} times at most, by a number."
            ));
        }
    }

    /// An aggregate that puts together what many rows have.
    fn gathered(&mut self, function: &Function, widths: &[f64]) -> f64 {
        let name = fold(&function.name.to_string());
        let each: f64 = widths.iter().sum();
        if each > MOST_GATHERED {
            self.refuse(format!(
                "{} would put together texts of about {each:.0} bytes each; {MOST_GATHERED:.0} are allowed. Make shorter ones.",
                name.to_uppercase()
            ));
        }
        if function.over.is_some() && self.dialect == Dialect::PostgreSql {
            self.refuse(format!(
                "{} with OVER puts a text together anew for each row. Group the rows instead.",
                name.to_uppercase()
            ));
        }
        // Those of a table are data.
        (self.made * each).max(COLUMN)
    }

    /// Functions that give several rows for one.
    fn sets(&mut self, name: &str, function: &mut Function, widths: &[f64]) {
        if self.dialect != Dialect::PostgreSql || !gives_rows(name) {
            return;
        }
        let arguments = arguments(&mut function.args);
        match items(name, &arguments, widths) {
            Some(items) => self.sets *= items,
            None => self.refuse(UNCOUNTED_SERIES),
        }
    }

    /// Number of rows of a function in FROM, if it can be worked out, and the length of their
    /// values.
    pub(super) fn rows_of(
        &mut self,
        name: &str,
        arguments: &mut [&mut Expr],
    ) -> (Option<f64>, f64) {
        let mut widths = Vec::new();
        for argument in arguments.iter_mut() {
            widths.push(self.expression(argument));
        }
        let width = match name {
            "generate_series" | "generate_subscripts" => SHORT,
            _ => widths.iter().copied().fold(SHORT, f64::max),
        };
        (items(name, arguments, &widths), width)
    }

    /// The longest result of a function.
    fn result(&mut self, name: &str, function: &mut Function, widths: &[f64]) -> f64 {
        let at = |index: usize| widths.get(index).copied().unwrap_or(0.0);
        let sum: f64 = widths.iter().sum();
        match name {
            "lpad" | "rpad" | "space" => at(0)
                .max(f64::from(MOST_PADDED))
                .min(4.0 * f64::from(MOST_PADDED)),
            "repeat" => {
                let arguments = arguments(&mut function.args);
                let times = arguments.get(1).and_then(|times| whole_number(times));
                at(0) * times.unwrap_or(f64::from(MOST_PADDED))
            }
            "replace" => {
                let sought =
                    arguments(&mut function.args)
                        .get(1)
                        .and_then(|argument| match argument {
                            Expr::Value(value) => Some(literal(&value.value)),
                            _ => None,
                        });
                at(0) * (at(2) / sought.unwrap_or(1.0).max(1.0)).max(1.0)
            }
            "regexp_replace" => (at(0) + 1.0) * at(2).max(1.0) + at(0),
            "array_to_string" => at(0) * (1.0 + at(1) + at(2)),
            "concat_ws" => sum + at(0) * widths.len() as f64,
            "export_set" => 64.0 * (at(1) + at(2) + at(3)),
            "json_pretty" => at(0) * 64.0,
            "to_char" if self.dialect == Dialect::PostgreSql => COLUMN + 10.0 * at(1),
            "format" if self.dialect == Dialect::PostgreSql => self.formatted(function, widths),
            "quote" | "quote_literal" | "json_quote" | "hex" | "to_base64" | "to_json"
            | "to_jsonb" => at(0) * 6.0,
            name if SHORT_RESULTS.binary_search(&name).is_ok() => SHORT,
            _ => sum.max(SHORT),
        }
    }

    /// PostgreSQL's `format` pads as its template says: `%1000000s`.
    fn formatted(&mut self, function: &mut Function, widths: &[f64]) -> f64 {
        let arguments = arguments(&mut function.args);
        let Some(Expr::Value(value)) = arguments.first() else {
            self.refuse("The template of FORMAT must be a text that is written down.");
            return COLUMN;
        };
        let template = match &value.value {
            Value::SingleQuotedString(text) => text.clone(),
            _ => String::new(),
        };
        let numbers = template
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse::<f64>().ok());
        let longest = numbers.fold(0.0, f64::max);
        if longest > f64::from(MOST_PADDED) || template.contains('*') {
            self.refuse(format!(
                "A template of FORMAT may pad to {MOST_PADDED} characters, and not to as many as an argument says."
            ));
        }
        let places = template.matches('%').count() as f64;
        let argument = widths.iter().skip(1).copied().fold(0.0, f64::max);
        template.len() as f64 + places * argument.max(longest)
    }
}

/// Functions that give several rows for one, in PostgreSQL.
fn gives_rows(name: &str) -> bool {
    matches!(
        name,
        "generate_series"
            | "generate_subscripts"
            | "json_array_elements"
            | "json_array_elements_text"
            | "json_each"
            | "json_each_text"
            | "json_object_keys"
            | "json_to_record"
            | "json_to_recordset"
            | "jsonb_array_elements"
            | "jsonb_array_elements_text"
            | "jsonb_each"
            | "jsonb_each_text"
            | "jsonb_object_keys"
            | "jsonb_path_query"
            | "jsonb_to_record"
            | "jsonb_to_recordset"
            | "regexp_matches"
            | "regexp_split_to_table"
            | "string_to_table"
            | "unnest"
    )
}

/// Number of rows that a function makes; nothing for a series whose ends are not written down.
fn items(name: &str, arguments: &[&mut Expr], widths: &[f64]) -> Option<f64> {
    if name == "generate_series" {
        return series::length_of_series(arguments);
    }
    let of = |(argument, width): (&&mut Expr, &f64)| match &**argument {
        Expr::Array(array) => array.elem.len() as f64,
        argument if has_column(argument) => width / GROWING,
        _ => *width,
    };
    let items = arguments.iter().zip(widths).map(of);
    Some(items.fold(1.0, f64::max))
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

/// Whether a function puts values of many rows into one.
fn is_gathering(name: &str) -> bool {
    matches!(
        name,
        "string_agg"
            | "group_concat"
            | "array_agg"
            | "json_agg"
            | "jsonb_agg"
            | "json_arrayagg"
            | "json_object_agg"
            | "jsonb_object_agg"
            | "json_objectagg"
    )
}

/// Functions whose results are short, whatever they are given.
const SHORT_RESULTS: &[&str] = &[
    "adddate",
    "age",
    "avg",
    "char_length",
    "character_length",
    "count",
    "curdate",
    "current_date",
    "date",
    "date_add",
    "date_bin",
    "date_part",
    "date_sub",
    "date_trunc",
    "datediff",
    "day",
    "dayofweek",
    "dayofyear",
    "dense_rank",
    "hour",
    "instr",
    "length",
    "locate",
    "make_date",
    "makedate",
    "md5",
    "minute",
    "month",
    "ntile",
    "octet_length",
    "position",
    "quarter",
    "rank",
    "row_number",
    "sha1",
    "strpos",
    "subdate",
    "timestampadd",
    "timestampdiff",
    "week",
    "weekday",
    "year",
];

fn literal(value: &Value) -> f64 {
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

fn is_negative(expression: &Expr) -> bool {
    matches!(expression, Expr::UnaryOp { op: sqlparser::ast::UnaryOperator::Minus, expr } if whole_number(expr).is_some())
}

/// Whether an expression is a little arithmetic over columns, which may stand twice.
fn is_plain(expression: &Expr) -> bool {
    fn parts(expression: &Expr) -> Option<usize> {
        match expression {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => Some(1),
            Expr::Nested(inner) => parts(inner),
            Expr::BinaryOp {
                left,
                op: Op::Plus | Op::Minus | Op::Multiply,
                right,
            } => Some(parts(left)? + parts(right)?),
            Expr::Function(function)
                if matches!(
                    fold(&function.name.to_string()).as_str(),
                    "length" | "char_length" | "character_length"
                ) && function.over.is_none() =>
            {
                let FunctionArguments::List(list) = &function.args else {
                    return None;
                };
                match list.args.as_slice() {
                    [
                        sqlparser::ast::FunctionArg::Unnamed(
                            sqlparser::ast::FunctionArgExpr::Expr(
                                Expr::Identifier(_) | Expr::CompoundIdentifier(_),
                            ),
                        ),
                    ] => Some(1),
                    _ => None,
                }
            }
            _ => None,
        }
    }
    parts(expression).is_some_and(|parts| parts <= 8)
}

/// Whether an expression has a column in it, or what may have one.
fn has_column(expression: &Expr) -> bool {
    let found = sqlparser::ast::visit_expressions(expression, |part| match part {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Subquery(_) => {
            std::ops::ControlFlow::Break(())
        }
        _ => std::ops::ControlFlow::Continue(()),
    });
    found.is_break()
}

#[cfg(test)]
mod tests {
    #[test]
    fn short_results_are_sorted() {
        assert!(super::SHORT_RESULTS.is_sorted());
    }
}
