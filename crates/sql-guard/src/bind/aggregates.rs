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
    /// Number of queries around the current place, within the expression.
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

/// The relation of an expression to the groups of its query.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The same in all rows of a group.
    Grouped,
    /// A column that may be another in each row.
    Bare,
    /// Decided by what it is made of.
    Made,
}

/// The first column of the query itself that stands bare, outside aggregates and what is grouped.
pub(super) fn bare(expression: &Expr, part: impl Fn(&Expr) -> Part) -> Option<String> {
    let mut search = Bare {
        within: 0,
        part,
        found: None,
    };
    _ = expression.visit(&mut search);
    search.found
}

struct Bare<F> {
    /// Number of queries, aggregates and grouped expressions around the current place.
    within: usize,
    part: F,
    found: Option<String>,
}

impl<F: Fn(&Expr) -> Part> Bare<F> {
    fn is_one_value(&self, expression: &Expr) -> bool {
        matches!(expression, Expr::Function(function) if aggregates(function))
            || (self.part)(expression) == Part::Grouped
    }
}

impl<F: Fn(&Expr) -> Part> Visitor for Bare<F> {
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
        if self.is_one_value(expression) {
            self.within += 1;
        } else if self.within == 0 && (self.part)(expression) == Part::Bare {
            self.found = Some(expression.to_string());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if self.is_one_value(expression) {
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
