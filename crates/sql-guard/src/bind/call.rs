//! Calls of functions, and windows.

use std::fmt::Write as _;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause,
    FunctionArgumentList, FunctionArguments, Ident, Value, WindowFrameBound, WindowSpec,
    WindowType,
};

use super::Binder;
use crate::finding::{Finding, Kind};
use crate::scope::{Columns, Relation, Scope};
use crate::{fold, frames, functions};

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
        let missing = name.as_ref().and_then(|name| {
            let own = |own: &String| fold(own) == *name;
            let server = self.guard.policy.server?;
            let message = server.lacks(name)?;
            (!self.guard.policy.functions.iter().any(own)).then_some(message)
        });
        if let Some(message) = missing {
            return self.refuse(Kind::Function, message);
        }
        let knows_zones = self.guard.policy.server.is_none_or(|it| it.knows_zones);
        if name.as_deref() == Some("convert_tz") && !knows_zones && names_zone(&function.args) {
            return self.refuse(
                Kind::Function,
                "Function 'CONVERT_TZ' knows no time zone by name on this server, whose time zone tables are empty: it would give NULL. Give the offsets of the zones from UTC.",
            );
        }
        let Some(name) = name.clone().filter(permitted) else {
            let near = name.map_or_else(Vec::new, |name| functions::near(&name, self.dialect));
            let mut message = format!("Function '{text}' is not allowed.");
            if let Some(first) = near.first() {
                _ = write!(message, " Did you mean '{first}'?");
            }
            return self.report(Finding {
                suggestions: near,
                ..Finding::new(Kind::Function, message)
            });
        };
        if function.uses_odbc_syntax || !matches!(function.parameters, FunctionArguments::None) {
            self.unsupported("This way to call a function");
        }
        match &mut function.args {
            FunctionArguments::None => {}
            FunctionArguments::Subquery(query) => {
                let columns = self.part(query, Some(scope));
                self.refuse_masked(&columns);
            }
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
                FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(row)))
                    if functions::takes_row(function, self.dialect) && self.is_row(row, scope) =>
                {
                    self.row(row, scope);
                }
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => {
                    self.expression(expression, scope);
                }
                FunctionArg::ExprNamed {
                    name: Expr::Identifier(name),
                    arg: FunctionArgExpr::Expr(expression),
                    operator: FunctionArgOperator::RightArrow | FunctionArgOperator::Assignment,
                }
                | FunctionArg::Named {
                    name,
                    arg: FunctionArgExpr::Expr(expression),
                    operator: FunctionArgOperator::RightArrow | FunctionArgOperator::Assignment,
                } if functions::takes_names(function, self.dialect) => {
                    self.plain(name);
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

    /// Whether a name means a whole row: no column is called so, and a table is.
    fn is_row(&self, name: &Ident, scope: &Scope) -> bool {
        let has = |relation: &Relation| {
            let columns = &relation.columns;
            let found = columns.find(name, &self.guard.schema, self.dialect);
            found.is_some() || matches!(columns, Columns::Any)
        };
        let columns = scope.outwards().flat_map(|scope| scope.relations).any(has);
        !columns && self.row_named(name, scope).is_some()
    }

    fn row_named(&self, name: &Ident, scope: &Scope) -> Option<Ident> {
        let mut relations = scope.outwards().flat_map(|scope| scope.relations);
        relations.find_map(|relation| {
            let own = relation.name.as_ref()?;
            own.is(name, self.dialect).then(|| own.ident.clone())
        })
    }

    /// A whole row: of a table, the columns that may be seen, see `Binder::bounded`.
    fn row(&mut self, name: &mut Ident, scope: &Scope) {
        if self.plain(name)
            && let Some(own) = self.row_named(name, scope)
        {
            *name = own;
        }
    }

    pub(super) fn window(&mut self, spec: &mut WindowSpec, scope: &Scope) {
        if let Some(name) = &spec.window_name {
            self.plain(name);
        }
        for expression in &mut spec.partition_by {
            if !frames::is_marker(expression) {
                self.expression(expression, scope);
            }
        }
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

/// Whether an argument is the name of a time zone, not an offset.
fn names_zone(arguments: &FunctionArguments) -> bool {
    let FunctionArguments::List(list) = arguments else {
        return false;
    };
    list.args.iter().skip(1).any(|argument| {
        let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) = argument else {
            return false;
        };
        match &value.value {
            Value::SingleQuotedString(zone) | Value::DoubleQuotedString(zone) => {
                !zone.starts_with(['+', '-'])
            }
            _ => false,
        }
    })
}
