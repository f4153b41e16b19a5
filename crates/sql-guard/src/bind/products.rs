//! FROM clauses with tables that nothing joins: they give the product of their rows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, Select, TableFactor, TableWithJoins,
    visit_expressions,
};

use super::Binder;
use super::joins::constraint;
use crate::guard::Counted;
use crate::scope::{Columns, Relation};

impl Binder<'_> {
    /// Notes a FROM clause whose tables fall into groups that no equality joins.
    pub(super) fn products(&mut self, select: &Select, relations: &[Relation]) {
        if !self.guard.has_filters() || relations.len() < 2 {
            return;
        }
        let mut groups: Vec<usize> = (0..relations.len()).collect();
        let mut next = 0;
        for tree in &select.from {
            self.link_tree(tree, &mut next, relations, &mut groups);
        }
        if let Some(selection) = &select.selection {
            self.link(selection, relations, &mut groups);
        }
        let mut counted: BTreeMap<usize, Vec<Counted>> = BTreeMap::new();
        for (at, relation) in relations.iter().enumerate() {
            if let (true, Columns::Table(id)) = (relation.base, &relation.columns) {
                counted.entry(groups[at]).or_default().push(Counted {
                    table: self.guard.schema.table(*id).name.clone(),
                    rows: self.guard.counted(*id, self.dialect),
                });
            }
        }
        if counted.len() > 1 {
            self.products.push(counted.into_values().collect());
        }
    }

    fn link_tree(
        &self,
        tree: &TableWithJoins,
        next: &mut usize,
        relations: &[Relation],
        groups: &mut [usize],
    ) {
        let start = *next;
        self.link_factor(&tree.relation, next, relations, groups);
        for Join {
            relation,
            join_operator,
            ..
        } in &tree.joins
        {
            let joined = *next;
            self.link_factor(relation, next, relations, groups);
            match constraint(join_operator) {
                Some(JoinConstraint::On(condition)) => self.link(condition, relations, groups),
                Some(JoinConstraint::Using(_) | JoinConstraint::Natural) => {
                    unite(groups, &[start, joined]);
                }
                _ => {}
            }
        }
    }

    fn link_factor(
        &self,
        factor: &TableFactor,
        next: &mut usize,
        relations: &[Relation],
        groups: &mut [usize],
    ) {
        match factor {
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.link_tree(table_with_joins, next, relations, groups),
            TableFactor::Derived { lateral: true, .. } => {
                let all: Vec<usize> = (0..=*next).collect();
                unite(groups, &all);
                *next += 1;
            }
            _ => *next += 1,
        }
    }

    fn link(&self, condition: &Expr, relations: &[Relation], groups: &mut [usize]) {
        let mut rest = condition;
        loop {
            match rest {
                Expr::Nested(it) => rest = it,
                Expr::BinaryOp {
                    left,
                    op: BinaryOperator::And,
                    right,
                } => {
                    self.link(right, relations, groups);
                    rest = left;
                }
                Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Eq | BinaryOperator::Spaceship,
                    right,
                } => {
                    let (one, other) = (self.named(left, relations), self.named(right, relations));
                    if !one.is_empty() && !other.is_empty() {
                        unite(groups, &[one, other].concat());
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// The relations that an expression names columns of.
    fn named(&self, expression: &Expr, relations: &[Relation]) -> Vec<usize> {
        let mut named = Vec::new();
        _ = visit_expressions(expression, |expression| {
            let has = |relation: &Relation| match expression {
                Expr::Identifier(column) => {
                    let columns = &relation.columns;
                    let found = columns.find(column, &self.guard.schema, self.dialect);
                    found.is_some()
                }
                Expr::CompoundIdentifier(parts) => {
                    let name = relation.name.as_ref();
                    name.is_some_and(|name| name.is(&parts[0], self.dialect))
                }
                _ => false,
            };
            named.extend(relations.iter().position(has));
            ControlFlow::<()>::Continue(())
        });
        named
    }
}

/// Unites the groups of these members.
fn unite(groups: &mut [usize], members: &[usize]) {
    let known = |at: &&usize| **at < groups.len();
    let wanted: Vec<usize> = members.iter().filter(known).map(|at| groups[*at]).collect();
    if let Some(first) = wanted.first() {
        for group in groups.iter_mut() {
            if wanted.contains(group) {
                *group = *first;
            }
        }
    }
}
