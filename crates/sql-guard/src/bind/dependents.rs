//! Columns that the grouped ones decide. Where `customer.id` is grouped and is the table's key, `customer.name` is the same in all rows
//! of a group. `MariaDB` refuses such a column all the same when it checks GROUP BY, so it is grouped by as well: that changes no group.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, OrderBy, OrderByKind,
    Select, SelectItem, SetExpr, TableFactor, Value, Visit, visit_expressions,
};

use super::{Binder, aggregates};
use crate::fence::conjuncts;
use crate::finding::Kind;
use crate::scope::{Columns, Relation};
use crate::{fold, literal};

/// A column: of which relation, and its name, folded.
type Place = (usize, String);

/// What one column being known says of another.
struct Link {
    from: Place,
    to: Place,
}

impl Binder<'_> {
    /// Groups by the columns of the select list and of HAVING that are decided.
    pub(super) fn group_dependents(&mut self, select: &mut Select, relations: &[Relation]) {
        if self.is_grouped_strictly(select) {
            let mut used = Vec::new();
            self.places(&select.projection, relations, &mut used);
            self.places(&select.having, relations, &mut used);
            self.group_by_decided(select, relations, used);
        }
    }

    /// Reports a column that stands beside an aggregate where nothing is grouped: its value would be that of some row. `MariaDB` reports
    /// it of tables, not of the queries that a fence makes of them.
    pub(super) fn no_bare_columns(&mut self, select: &Select, relations: &[Relation]) {
        let is_grouped = match &select.group_by {
            GroupByExpr::Expressions(expressions, _) => !expressions.is_empty(),
            GroupByExpr::All(_) => true,
        };
        if is_grouped || !self.is_mariadb() || !self.findings.is_empty() {
            return;
        }
        let expressions = || {
            select.projection.iter().filter_map(|item| match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                    Some(expr)
                }
                _ => None,
            })
        };
        if !expressions().any(aggregates::within) {
            return;
        }
        let is_column = |expression: &Expr| self.is_column(expression, relations);
        let bare = expressions()
            .find_map(|expression| aggregates::bare(expression, is_column))
            .or_else(|| {
                let wildcard = select.projection.iter().find(|item| {
                    matches!(
                        item,
                        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
                    )
                });
                wildcard.map(ToString::to_string)
            });
        if let Some(column) = bare {
            let message = format!(
                "'{column}' stands beside an aggregate without GROUP BY, so its value would be that of an arbitrary row. Group by it, aggregate it, or take the row by ORDER BY and LIMIT."
            );
            self.refuse(Kind::Syntax, message);
        }
    }

    /// Whether it names a column of these relations.
    fn is_column(&self, expression: &Expr, relations: &[Relation]) -> bool {
        let has = |relation: &Relation, column: &Ident| {
            let found = relation
                .columns
                .find(column, &self.guard.schema, self.dialect);
            found.is_some()
        };
        match expression {
            Expr::Identifier(column) => relations.iter().any(|relation| has(relation, column)),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [qualifier, column] => relations.iter().any(|relation| {
                    let name = relation.name.as_ref();
                    name.is_some_and(|name| name.is(qualifier, self.dialect))
                        && has(relation, column)
                }),
                _ => false,
            },
            _ => false,
        }
    }

    /// Groups by the columns of ORDER BY that are decided.
    pub(super) fn group_ordered(
        &mut self,
        body: &mut SetExpr,
        order_by: Option<&OrderBy>,
        relations: &[Relation],
    ) {
        let (SetExpr::Select(select), Some(order_by)) = (body, order_by) else {
            return;
        };
        if let OrderByKind::Expressions(items) = &order_by.kind
            && self.is_grouped_strictly(select)
        {
            let mut used = Vec::new();
            for item in items {
                let named = |alias: &str| {
                    let given = |item: &SelectItem| matches!(item, SelectItem::ExprWithAlias { alias: own, .. } if fold(&own.value) == fold(alias));
                    select.projection.iter().any(given)
                };
                match &item.expr {
                    Expr::Identifier(name) if named(&name.value) => {}
                    expression => self.places(expression, relations, &mut used),
                }
            }
            self.group_by_decided(select, relations, used);
        }
    }

    fn is_grouped_strictly(&self, select: &Select) -> bool {
        let grouped = match &select.group_by {
            GroupByExpr::Expressions(expressions, modifiers) => {
                !expressions.is_empty() && modifiers.is_empty()
            }
            GroupByExpr::All(_) => false,
        };
        grouped && self.is_mariadb() && self.findings.is_empty()
    }

    fn group_by_decided(&self, select: &mut Select, relations: &[Relation], used: Vec<Place>) {
        let mut grouped = HashSet::new();
        let GroupByExpr::Expressions(expressions, _) = &select.group_by else {
            return;
        };
        for expression in expressions {
            let expression = stands_for(expression, &select.projection);
            grouped.extend(self.place(expression, relations));
        }
        let decided = self.decided(select, relations, &grouped);
        let GroupByExpr::Expressions(expressions, _) = &mut select.group_by else {
            return;
        };
        for place in used {
            if decided.contains(&place.0) && grouped.insert(place.clone()) {
                let (relation, column) = place;
                expressions.extend(self.spelt(&relations[relation], &column));
            }
        }
    }

    /// The relations of which the grouped columns decide the row.
    fn decided(
        &self,
        select: &Select,
        relations: &[Relation],
        grouped: &HashSet<Place>,
    ) -> HashSet<usize> {
        let mut decided = HashSet::new();
        loop {
            let links = self.links(select, relations, &decided);
            let before = decided.len();
            for (at, relation) in relations.iter().enumerate() {
                let Columns::Table(id) = relation.columns else {
                    continue;
                };
                let key = &self.guard.schema.table(id).key;
                let known = |column: &String| {
                    let place = (at, fold(column));
                    grouped.contains(&place)
                        || links.iter().any(|link| {
                            link.to == place
                                && (grouped.contains(&link.from) || decided.contains(&link.from.0))
                        })
                };
                if relation.base && !key.is_empty() && key.iter().all(known) {
                    decided.insert(at);
                }
            }
            if decided.len() == before {
                return decided;
            }
        }
    }

    /// The equalities that hold in every row. A row that a LEFT JOIN adds, or leaves out, is decided where all of the join's condition is.
    fn links(
        &self,
        select: &Select,
        relations: &[Relation],
        decided: &HashSet<usize>,
    ) -> Vec<Link> {
        let mut links = Vec::new();
        for condition in select.selection.iter().cloned().flat_map(conjuncts) {
            self.link_columns(&condition, relations, None, &mut links);
        }
        let mut joined = 0;
        for tree in &select.from {
            let factors =
                std::iter::once(&tree.relation).chain(tree.joins.iter().map(|join| &join.relation));
            if factors
                .into_iter()
                .any(|factor| matches!(factor, TableFactor::NestedJoin { .. }))
            {
                return Vec::new();
            }
            for join in &tree.joins {
                joined += 1;
                let (condition, only) = match &join.join_operator {
                    JoinOperator::Join(JoinConstraint::On(condition))
                    | JoinOperator::Inner(JoinConstraint::On(condition)) => (condition, None),
                    JoinOperator::Left(JoinConstraint::On(condition))
                    | JoinOperator::LeftOuter(JoinConstraint::On(condition)) => {
                        let mut named = Vec::new();
                        self.places(condition, relations, &mut named);
                        let known = |(relation, _): &Place| {
                            *relation == joined || decided.contains(relation)
                        };
                        if !named.iter().all(known) {
                            continue;
                        }
                        (condition, Some(joined))
                    }
                    _ => continue,
                };
                for condition in conjuncts(condition.clone()) {
                    self.link_columns(&condition, relations, only, &mut links);
                }
            }
            joined += 1;
        }
        links
    }

    /// `only`: the one relation that is decided by the equality.
    fn link_columns(
        &self,
        condition: &Expr,
        relations: &[Relation],
        only: Option<usize>,
        links: &mut Vec<Link>,
    ) {
        let condition = match condition {
            Expr::Nested(inner) => inner,
            other => other,
        };
        let Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } = condition
        else {
            return;
        };
        if let (Some(one), Some(other)) =
            (self.place(left, relations), self.place(right, relations))
        {
            for (from, to) in [(&one, &other), (&other, &one)] {
                if only.is_none_or(|only| to.0 == only) {
                    links.push(Link {
                        from: from.clone(),
                        to: to.clone(),
                    });
                }
            }
        }
    }

    /// The columns of tables of the schema in something.
    fn places(&self, of: &impl Visit, relations: &[Relation], places: &mut Vec<Place>) {
        _ = visit_expressions(of, |expression| {
            places.extend(self.place(expression, relations));
            ControlFlow::<()>::Continue(())
        });
    }

    fn place(&self, expression: &Expr, relations: &[Relation]) -> Option<Place> {
        let (at, column) = match expression {
            Expr::Nested(inner) => return self.place(inner, relations),
            Expr::Identifier(column) => {
                let mut having = relations.iter().enumerate().filter(|(_, relation)| {
                    let columns = &relation.columns;
                    let found = columns.find(column, &self.guard.schema, self.dialect);
                    found.is_some()
                });
                let (at, _) = having.next()?;
                if having.next().is_some() {
                    return None;
                }
                (at, column)
            }
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [qualifier, column] => {
                    let named = |relation: &Relation| {
                        let name = relation.name.as_ref();
                        name.is_some_and(|name| name.is(qualifier, self.dialect))
                    };
                    (relations.iter().position(named)?, column)
                }
                _ => return None,
            },
            _ => return None,
        };
        let Columns::Table(id) = relations[at].columns else {
            return None;
        };
        let found = self.guard.schema.table(id).find(column, self.dialect)?;
        relations[at].base.then(|| (at, fold(found)))
    }

    fn spelt(&self, relation: &Relation, column: &str) -> Option<Expr> {
        let Columns::Table(id) = relation.columns else {
            return None;
        };
        let columns = &self.guard.schema.table(id).columns;
        let column = columns.iter().find(|name| fold(name) == column)?;
        let name = relation.name.as_ref()?.ident.clone();
        let column = literal::spelt_column(column, self.dialect);
        Some(Expr::CompoundIdentifier(vec![name, column]))
    }
}

/// What a number or a name of the select list stands for.
fn stands_for<'e>(expression: &'e Expr, projection: &'e [SelectItem]) -> &'e Expr {
    let item = match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits
                .parse::<usize>()
                .ok()
                .and_then(|place| projection.get(place.checked_sub(1)?)),
            _ => None,
        },
        Expr::Identifier(name) => projection.iter().find(|item| {
            matches!(item, SelectItem::ExprWithAlias { alias, .. } if fold(&alias.value) == fold(&name.value))
        }),
        _ => None,
    };
    match item {
        Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => expr,
        _ => expression,
    }
}
