//! Maximum length of a function's result, and the number of rows that it gives.

use sqlparser::ast::{
    BinaryOperator as Op, Expr, Function, FunctionArgumentClause, FunctionArguments, Value,
    WindowType,
};

use super::texts::{SHORT, literal};
use super::{COLUMN, GROWING, UNCOUNTED_SERIES, Walk, arguments, guard, series, whole_number};
use crate::fold;
use crate::guard::Dialect;

/// Maximum number of characters that LPAD, RPAD and their like may produce.
const MOST_PADDED: u32 = 1_000;
/// Number of times that a column may be repeated.
const MOST_REPEATED: f64 = 10.0;
/// Maximum length of a generated text that an aggregate may join from many rows.
const MOST_GATHERED: f64 = 4_096.0;

impl Walk {
    pub(super) fn function(&mut self, function: &mut Function) -> f64 {
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
