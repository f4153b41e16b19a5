//! Total conditions on one table, moved behind the fence around its rows, where indexes serve them.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, Join, JoinOperator, Select, TableFactor, TableWithJoins, Value, visit_expressions,
    visit_expressions_mut,
};

use super::Binder;
use crate::fence::{add, and, conjuncts};
use crate::literal;
use crate::scope::{Columns, Relation, Scope};

impl Binder<'_> {
    /// Notes the equality that USING represents.
    pub(super) fn early_equality(&mut self, column: &Ident, left: &[Relation], right: &[Relation]) {
        let gives = |side| {
            let column = Expr::Identifier(column.clone());
            self.total(&column, &Scope::of(side, None))
        };
        match (gives(left), gives(right)) {
            (Some(one), Some(other)) if self.comparable(one, other) => {}
            _ => self.needs.early = true,
        }
    }

    /// Moves conditions of WHERE to the tables that they are about.
    pub(super) fn move_behind_fences(
        &mut self,
        select: &mut Select,
        relations: &[Relation],
        parent: Option<&Scope>,
    ) {
        if self.fencing.is_none() {
            return;
        }
        let Some(selection) = select.selection.take() else {
            return;
        };
        let mut factors = Vec::new();
        for tree in &mut select.from {
            gather(tree, false, &mut factors);
        }
        let scope = Scope::of(relations, parent);
        let mut kept = Vec::new();
        for condition in conjuncts(selection) {
            let owner = self
                .owner(&condition, &scope)
                .filter(|_| factors.len() == relations.len());
            match owner.map(|owner| (&relations[owner], &mut factors[owner])) {
                Some((relation, (factor, false))) => {
                    self.put_behind(factor, relation, condition);
                }
                _ => kept.push(condition),
            }
        }
        select.selection = kept.into_iter().reduce(and);
    }

    /// Moves the parts of a join's condition that are about only the table that is joined, `place`
    /// of the scope.
    pub(super) fn move_condition(
        &mut self,
        factor: &mut TableFactor,
        place: usize,
        condition: &mut Expr,
        scope: &Scope,
    ) {
        let single = place + 1 == scope.relations.len();
        if self.fencing.is_none() || !single {
            return;
        }
        let mut kept = Vec::new();
        for part in conjuncts(condition.clone()) {
            if self.owner(&part, scope) == Some(place) {
                self.put_behind(factor, &scope.relations[place], part);
            } else {
                kept.push(part);
            }
        }
        let all = || Expr::Value(Value::Boolean(true).into());
        *condition = kept.into_iter().reduce(and).unwrap_or_else(all);
    }

    /// The only relation that a total condition refers to in this scope, if rows of it are behind a
    /// fence.
    fn owner(&self, condition: &Expr, scope: &Scope) -> Option<usize> {
        self.total(condition, scope)?;
        let relations = scope.relations;
        let mut owners = Vec::new();
        let known = visit_expressions(condition, |expression| {
            let owner = match expression {
                Expr::Identifier(column) => {
                    let mut having = (0..relations.len()).filter(|&at| {
                        let columns = &relations[at].columns;
                        columns
                            .find(column, &self.guard.schema, self.dialect)
                            .is_some()
                    });
                    having.next().filter(|_| having.next().is_none())
                }
                Expr::CompoundIdentifier(parts) => relations.iter().position(|relation| {
                    let name = relation.name.as_ref();
                    name.is_some_and(|name| name.is(&parts[0], self.dialect))
                }),
                _ => return ControlFlow::Continue(()),
            };
            match owner {
                Some(owner) => {
                    owners.push(owner);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(()),
            }
        });
        let first = *owners.first()?;
        let same = known.is_continue() && owners.iter().all(|owner| *owner == first);
        match relations[first].columns {
            Columns::Table(id) if same && relations[first].base => {
                self.guard.filtered(id, self.dialect).map(|_| first)
            }
            _ => None,
        }
    }

    /// Adds a condition to the rows behind a fence, over the columns of the table itself.
    fn put_behind(&self, factor: &mut TableFactor, relation: &Relation, mut condition: Expr) {
        let (TableFactor::Derived { subquery, .. }, Columns::Table(id)) =
            (factor, &relation.columns)
        else {
            return;
        };
        let (table, schema) = (
            self.guard.physical(*id, self.dialect),
            self.guard.schema.table(*id),
        );
        _ = visit_expressions_mut(&mut condition, |expression| {
            let column = match &*expression {
                Expr::Identifier(column) => Some(column),
                Expr::CompoundIdentifier(parts) => parts.last(),
                _ => None,
            };
            let found = column.and_then(|column| schema.find(column, self.dialect));
            if let Some(found) = found {
                let column = literal::spelt_column(found, self.dialect);
                let parts = table.iter().cloned().chain([column]);
                *expression = Expr::CompoundIdentifier(parts.collect());
            }
            ControlFlow::<()>::Continue(())
        });
        add(subquery, condition);
    }
}

/// The tables of a FROM clause in their order, and of each whether a join may put NULL in the place
/// of its rows.
fn gather<'t>(
    tree: &'t mut TableWithJoins,
    nullable: bool,
    factors: &mut Vec<(&'t mut TableFactor, bool)>,
) {
    use JoinOperator::{CrossJoin, Inner, Left, LeftOuter, Right, RightOuter, StraightJoin};
    let start = factors.len();
    gather_factor(&mut tree.relation, nullable, factors);
    for Join {
        relation,
        join_operator,
        ..
    } in &mut tree.joins
    {
        let (before, own) = match join_operator {
            JoinOperator::Join(_) | Inner(_) | CrossJoin(_) | StraightJoin(_) => (false, false),
            Left(_) | LeftOuter(_) => (false, true),
            Right(_) | RightOuter(_) => (true, false),
            _ => (true, true),
        };
        for (_, earlier) in &mut factors[start..] {
            *earlier |= before;
        }
        gather_factor(relation, nullable || own, factors);
    }
}

fn gather_factor<'t>(
    factor: &'t mut TableFactor,
    nullable: bool,
    factors: &mut Vec<(&'t mut TableFactor, bool)>,
) {
    match factor {
        TableFactor::NestedJoin {
            table_with_joins, ..
        } => gather(table_with_joins, nullable, factors),
        other => factors.push((other, nullable)),
    }
}
