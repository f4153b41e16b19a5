//! Joins as people and models write them, where databases are stricter than what is intended. All
//! of it keeps the meaning: the condition of an inner join may stand anywhere from where its tables
//! are known.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, JoinOperator, TableFactor, TableWithJoins,
    visit_expressions,
};

use crate::fold;

/// Puts the tables of a FROM clause so that every condition is behind the tables it names.
pub(super) fn settle(from: &mut Vec<TableWithJoins>) {
    for tree in from.iter_mut() {
        flatten(&mut tree.joins);
    }
    for at in (1..from.len()).rev() {
        let (before, tree) = (&from[..at], &from[at]);
        let earlier: Vec<String> = before.iter().flat_map(names).collect();
        let own: Vec<String> = names(tree).collect();
        let reaches_back = tree.joins.iter().filter_map(condition).any(|condition| {
            mentioned(condition)
                .iter()
                .any(|name| earlier.contains(name) && !own.contains(name))
        });
        if reaches_back
            && from[1..=at]
                .iter()
                .all(|tree| tree.joins.iter().all(may_follow))
        {
            for tree in from.drain(1..=at).collect::<Vec<_>>() {
                let cross = JoinOperator::CrossJoin(JoinConstraint::None);
                from[0].joins.push(Join {
                    relation: tree.relation,
                    global: false,
                    join_operator: cross,
                });
                from[0].joins.extend(tree.joins);
            }
            break;
        }
    }
    from.iter_mut().for_each(postpone);
}

/// Whether tables are joined in a way that depends on all their columns: NATURAL, or USING under a
/// star.
pub(super) fn merges(from: &[TableWithJoins], stars: bool) -> bool {
    from.iter().any(|tree| {
        let factors =
            std::iter::once(&tree.relation).chain(tree.joins.iter().map(|it| &it.relation));
        let nested = |factor: &TableFactor| match factor {
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => merges(std::slice::from_ref(table_with_joins), stars),
            _ => false,
        };
        let merging = |join: &Join| match constraint(&join.join_operator) {
            Some(JoinConstraint::Natural) => true,
            Some(JoinConstraint::Using(_)) => stars,
            _ => false,
        };
        tree.joins.iter().any(merging) || factors.into_iter().any(nested)
    })
}

/// The constraint of a join both databases may know.
pub(super) fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    use JoinOperator::Join as Plain;
    use JoinOperator::{
        CrossJoin, FullOuter, Inner, Left, LeftOuter, Right, RightOuter, StraightJoin,
    };
    match operator {
        Plain(it) | Inner(it) | Left(it) | LeftOuter(it) | Right(it) | RightOuter(it)
        | FullOuter(it) | CrossJoin(it) | StraightJoin(it) => Some(it),
        _ => None,
    }
}

/// In `MySQL` a join without a condition takes the tables before it along: the condition of `a JOIN
/// b JOIN c ON …` sees all three. The parser reads `a JOIN (b JOIN c ON …)`, which is the same for
/// these kinds of join, but hides `a`.
pub(super) fn flatten(joins: &mut Vec<Join>) {
    use JoinOperator::Join as Plain;
    use JoinOperator::{CrossJoin, Inner, Left, LeftOuter};
    let mut at = 0;
    while at < joins.len() {
        let simple = |join: &Join| {
            matches!(
                join.join_operator,
                Plain(_) | Inner(_) | CrossJoin(_) | Left(_) | LeftOuter(_)
            )
        };
        let Join {
            relation,
            join_operator: Plain(JoinConstraint::None) | Inner(JoinConstraint::None),
            ..
        } = &mut joins[at]
        else {
            at += 1;
            continue;
        };
        if let TableFactor::NestedJoin {
            table_with_joins,
            alias: None,
        } = relation
            && table_with_joins.joins.iter().all(simple)
        {
            let inner = std::mem::take(&mut table_with_joins.joins);
            let first = table_with_joins.relation.clone();
            *relation = first;
            joins[at].join_operator = CrossJoin(JoinConstraint::None);
            joins.splice((at + 1)..=at, inner);
        } else {
            at += 1;
        }
    }
}

/// Moves conditions of inner joins that name a table joined later to where that is joined.
fn postpone(tree: &mut TableWithJoins) {
    use JoinOperator::Join as Plain;
    use JoinOperator::{CrossJoin, Inner};
    let inner = |join: &Join| {
        matches!(
            join.join_operator,
            Plain(JoinConstraint::On(_))
                | Inner(JoinConstraint::On(_))
                | CrossJoin(JoinConstraint::None)
        )
    };
    if !tree.joins.iter().all(inner) {
        return;
    }
    for at in 0..tree.joins.len() {
        let Some(condition) = condition(&tree.joins[at]) else {
            continue;
        };
        let names = mentioned(condition);
        let later = |join: &Join| name(&join.relation).is_some_and(|name| names.contains(&name));
        let Some(place) = tree
            .joins
            .iter()
            .rposition(later)
            .filter(|place| *place > at)
        else {
            continue;
        };
        let (before, after) = tree.joins.split_at_mut(place);
        if let (
            Plain(JoinConstraint::On(moved)) | Inner(JoinConstraint::On(moved)),
            Plain(JoinConstraint::On(kept)) | Inner(JoinConstraint::On(kept)),
        ) = (&before[at].join_operator, &mut after[0].join_operator)
        {
            let nested = |expression: &Expr| Box::new(Expr::Nested(Box::new(expression.clone())));
            *kept = Expr::BinaryOp {
                left: nested(moved),
                op: BinaryOperator::And,
                right: nested(kept),
            };
            before[at].join_operator = CrossJoin(JoinConstraint::None);
        }
    }
}

/// Whether a join means the same with more tables before it.
fn may_follow(join: &Join) -> bool {
    use JoinOperator::Join as Plain;
    use JoinOperator::{CrossJoin, Inner, Left, LeftOuter};
    matches!(
        &join.join_operator,
        Plain(JoinConstraint::On(_))
            | Inner(JoinConstraint::On(_))
            | Left(JoinConstraint::On(_))
            | LeftOuter(JoinConstraint::On(_))
            | CrossJoin(JoinConstraint::None)
    )
}

fn condition(join: &Join) -> Option<&Expr> {
    use JoinOperator::Join as Plain;
    use JoinOperator::{Inner, Left, LeftOuter};
    match &join.join_operator {
        Plain(JoinConstraint::On(condition))
        | Inner(JoinConstraint::On(condition))
        | Left(JoinConstraint::On(condition))
        | LeftOuter(JoinConstraint::On(condition)) => Some(condition),
        _ => None,
    }
}

fn names(tree: &TableWithJoins) -> impl Iterator<Item = String> {
    std::iter::once(&tree.relation)
        .chain(tree.joins.iter().map(|join| &join.relation))
        .filter_map(name)
}

/// The qualifier of a table's columns.
fn name(factor: &TableFactor) -> Option<String> {
    match factor {
        TableFactor::Table {
            alias: Some(alias), ..
        }
        | TableFactor::Derived {
            alias: Some(alias), ..
        } => Some(fold(&alias.name.value)),
        TableFactor::Table { name, .. } => {
            name.0.last()?.as_ident().map(|ident| fold(&ident.value))
        }
        _ => None,
    }
}

/// The qualifiers in an expression.
fn mentioned(expression: &Expr) -> Vec<String> {
    let mut names = Vec::new();
    _ = visit_expressions(expression, |expression| {
        if let Expr::CompoundIdentifier(parts) = expression
            && let [qualifier, _] = parts.as_slice()
        {
            names.push(fold(&qualifier.value));
        }
        ControlFlow::<()>::Continue(())
    });
    names
}
