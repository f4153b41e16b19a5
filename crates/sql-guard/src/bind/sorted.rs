//! ORDER BY of groups and of distinct rows. `MariaDB` sorts them by a column that is neither
//! selected nor grouped by the value of an arbitrary row, where other servers report an error: the
//! first row of the result is arbitrary, then.

use std::collections::HashSet;

use sqlparser::ast::{Distinct, Expr, GroupByExpr, OrderBy, OrderByKind, SelectItem, SetExpr};

use super::aggregates::{self, Part};
use super::dependents::{selected, stands_for, unqualified};
use super::{Binder, dependents::Place};
use crate::finding::Kind;
use crate::scope::Relation;

impl Binder<'_> {
    /// Reports a column of ORDER BY that may have several values for a row of the result.
    pub(super) fn no_arbitrary_order(
        &mut self,
        body: &SetExpr,
        order_by: Option<&OrderBy>,
        relations: &[Relation],
    ) {
        let (SetExpr::Select(select), Some(order_by)) = (body, order_by) else {
            return;
        };
        let OrderByKind::Expressions(items) = &order_by.kind else {
            return;
        };
        let is_distinct = matches!(select.distinct, Some(Distinct::Distinct));
        let grouped: Vec<&Expr> = match &select.group_by {
            GroupByExpr::Expressions(grouped, _) => grouped.iter().collect(),
            GroupByExpr::All(_) => return,
        };
        let has_wildcard = select.projection.iter().any(|item| {
            matches!(
                item,
                SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
            )
        });
        if !self.is_mariadb() || !self.findings.is_empty() || has_wildcard {
            return;
        }
        let settled: Vec<&Expr> = if is_distinct {
            select.projection.iter().filter_map(selected).collect()
        } else if grouped.is_empty() {
            return;
        } else {
            grouped
                .into_iter()
                .map(|expression| stands_for(expression, &select.projection))
                .collect()
        };
        let (mut columns, mut texts): (HashSet<Place>, HashSet<String>) = Default::default();
        for expression in settled {
            match self.source(expression, relations) {
                Some(place) => _ = columns.insert(place),
                None => _ = texts.insert(unqualified(expression)),
            }
        }
        let part = |expression: &Expr| match self.source(expression, relations) {
            Some(place) if columns.contains(&place) => Part::Grouped,
            Some(_) => Part::Bare,
            None if texts.contains(&unqualified(expression)) => Part::Grouped,
            None => Part::Made,
        };
        let of_result = |expression: &&Expr| {
            // A place or a name of the select list was looked at there.
            !matches!(expression, Expr::Value(_))
                && std::ptr::eq(stands_for(expression, &select.projection), *expression)
        };
        let bare = items
            .iter()
            .map(|item| &item.expr)
            .filter(of_result)
            .find_map(|expression| aggregates::bare(expression, part));
        if let Some(column) = bare {
            let what = if is_distinct {
                "a row of SELECT DISTINCT"
            } else {
                "a group"
            };
            let message = format!(
                "'{column}' in ORDER BY may have several values for {what}, so the order would be that of arbitrary rows. Sort by what is selected, or by an aggregate with GROUP BY."
            );
            self.refuse(Kind::Syntax, message);
        }
    }
}
