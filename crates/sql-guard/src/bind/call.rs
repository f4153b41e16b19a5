//! Calls of functions, and windows.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArgumentList,
    FunctionArguments, Ident, WindowFrameBound, WindowSpec, WindowType,
};

use super::Binder;
use crate::finding::Kind;
use crate::scope::Scope;
use crate::{fold, functions};

impl Binder<'_> {
    pub(super) fn function(&mut self, function: &mut Function, scope: &Scope) {
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
            FunctionArguments::Subquery(query) => _ = self.part(query, Some(scope)),
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
