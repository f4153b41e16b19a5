//! Aggregates: what has one in it is computed from groups, after all rows of them were chosen.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Function, Query, Visit, Visitor};

use crate::fold;

/// Whether an aggregate of the query itself, not of a query within, is part of an expression.
pub(super) fn within(expression: &Expr) -> bool {
    let mut search = Search { depth: 0 };
    expression.visit(&mut search).is_break()
}

struct Search {
    /// How many queries within the expression are about.
    depth: usize,
}

impl Visitor for Search {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::Function(function) if self.depth == 0 && aggregates(function) => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The first name of a column of the query itself, outside its aggregates, that `is_column` knows.
pub(super) fn bare<'e>(
    expression: &'e Expr,
    is_column: impl Fn(&Expr) -> bool + 'e,
) -> Option<String> {
    let mut search = Bare {
        within: 0,
        is_column,
        found: None,
    };
    _ = expression.visit(&mut search);
    search.found
}

struct Bare<F> {
    /// How many queries and aggregates are about.
    within: usize,
    is_column: F,
    found: Option<String>,
}

impl<F: Fn(&Expr) -> bool> Visitor for Bare<F> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.within += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.within -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::Function(function) if aggregates(function) => self.within += 1,
            _ if self.within == 0 && (self.is_column)(expression) => {
                self.found = Some(expression.to_string());
                return ControlFlow::Break(());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if matches!(expression, Expr::Function(function) if aggregates(function)) {
            self.within -= 1;
        }
        ControlFlow::Continue(())
    }
}

fn aggregates(function: &Function) -> bool {
    let name = fold(&function.name.to_string());
    function.over.is_none() && AGGREGATES.binary_search(&name.as_str()).is_ok()
}

#[rustfmt::skip]
const AGGREGATES: &[&str] = &[
    "array_agg", "avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "corr", "count",
    "covar_pop", "covar_samp", "every", "group_concat", "json_agg", "json_arrayagg",
    "json_object_agg", "json_objectagg", "jsonb_agg", "jsonb_object_agg", "max", "min",
    "percentile_cont", "percentile_disc", "regr_intercept", "regr_r2", "regr_slope", "std",
    "stddev", "stddev_pop", "stddev_samp", "string_agg", "sum", "var_pop", "var_samp", "variance",
];

#[cfg(test)]
mod tests {
    #[test]
    fn aggregates_are_sorted() {
        assert!(super::AGGREGATES.is_sorted());
    }
}
