//! Columns that the grouped ones decide. Where `customer.id` is grouped and is the table's key,
//! `customer.name` is the same in all rows of a group. `MariaDB` refuses such a column nevertheless
//! when it checks GROUP BY, and PostgreSQL does where a query is in the table's place, which has no
//! key. So it is grouped by as well: that changes no group.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, JoinConstraint, JoinOperator, OrderBy, OrderByKind, Select,
    SelectItem, SetExpr, TableFactor, TableWithJoins, Value, Visit, visit_expressions,
};

use super::Binder;
use super::aggregates::{self, Part};
use crate::fence::conjuncts;
use crate::finding::Kind;
use crate::guard::Dialect;
use crate::scope::{Columns, Relation};
use crate::{fold, literal};

/// A column: of which relation, and its name, folded.
pub(super) type Place = (usize, String);

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

    /// Groups by the place of a selected expression in the list where it is written out again.
    /// `MariaDB` does not know all expressions again, and refuses their columns as not grouped.
    pub(super) fn group_by_place(&self, select: &mut Select) {
        let Select {
            group_by: GroupByExpr::Expressions(grouped, _),
            projection,
            ..
        } = select
        else {
            return;
        };
        if !self.is_mariadb() || !self.findings.is_empty() {
            return;
        }
        // A star has as many places as columns.
        let texts: Option<Vec<String>> = projection
            .iter()
            .map(|item| selected(item).map(unqualified))
            .collect();
        let Some(texts) = texts else { return };
        for expression in grouped {
            if matches!(
                expression,
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_)
            ) {
                continue;
            }
            let text = unqualified(expression);
            if let Some(at) = texts.iter().position(|selected| *selected == text) {
                let place = Value::Number((at + 1).to_string(), false);
                *expression = Expr::Value(place.with_empty_span());
            }
        }
    }

    /// Reports a column of the select list that is neither grouped nor within an aggregate: its
    /// value would be that of an arbitrary row. `MariaDB` reports it of tables, not of the queries
    /// that a row filter puts in their place.
    pub(super) fn no_bare_columns(&mut self, select: &Select, relations: &[Relation]) {
        let GroupByExpr::Expressions(grouped, _) = &select.group_by else {
            return;
        };
        let expressions: Vec<&Expr> = select.projection.iter().filter_map(selected).collect();
        let aggregates = || expressions.iter().any(|one| aggregates::within(one));
        if !self.is_mariadb() || !self.findings.is_empty() || (grouped.is_empty() && !aggregates())
        {
            return;
        }
        let grouped: Vec<&Expr> = grouped
            .iter()
            .map(|expression| stands_for(expression, &select.projection))
            .collect();
        let (mut columns, mut texts): (HashSet<Place>, HashSet<String>) = Default::default();
        for expression in &grouped {
            // A column is known by its place; only what is made of columns is known by its text.
            match self.source(expression, relations) {
                Some(place) => _ = columns.insert(place),
                None => _ = texts.insert(unqualified(expression)),
            }
        }
        let part = |expression: &Expr| match self.source(expression, relations) {
            Some(place) if columns.contains(&place) => Part::Grouped,
            Some(_) => Part::Bare,
            None if !texts.is_empty() && texts.contains(&unqualified(expression)) => Part::Grouped,
            None => Part::Made,
        };
        let all = || {
            let mut items = select.projection.iter();
            let item = items.find(|item| {
                matches!(
                    item,
                    SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
                )
            });
            item.filter(|_| grouped.is_empty()).map(ToString::to_string)
        };
        let mut bare = expressions
            .iter()
            .find_map(|expression| aggregates::bare(expression, part));
        bare = bare.or_else(all);
        if let Some(column) = bare {
            let message = format!(
                "'{column}' is neither in GROUP BY nor in an aggregate, so its value would be that of an arbitrary row. Group by it, aggregate it, or take the row by ORDER BY and LIMIT."
            );
            self.refuse(Kind::Syntax, message);
        }
    }

    /// The column of one of these relations that an expression is; of the first that has it, as
    /// columns that USING made one have several.
    pub(super) fn source(&self, expression: &Expr, relations: &[Relation]) -> Option<Place> {
        self.sources(expression, relations).into_iter().next()
    }

    /// The columns of these relations that an expression may be.
    fn sources(&self, expression: &Expr, relations: &[Relation]) -> Vec<Place> {
        let mut expression = expression;
        while let Expr::Nested(inner) = expression {
            expression = inner;
        }
        let (qualifier, column) = match expression {
            Expr::Identifier(column) => (None, column),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [qualifier, column] => (Some(qualifier), column),
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let mut places = Vec::new();
        for (at, relation) in relations.iter().enumerate() {
            let is_named = match (qualifier, &relation.name) {
                (None, _) => true,
                (Some(qualifier), Some(name)) => name.is(qualifier, self.dialect),
                (Some(_), None) => false,
            };
            let columns = &relation.columns;
            if is_named && let Some(found) = columns.find(column, &self.guard.schema, self.dialect)
            {
                places.push((at, fold(&found.value)));
            }
        }
        places
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
        let strictly = self.is_mariadb() || self.dialect == Dialect::PostgreSql;
        grouped && strictly && self.findings.is_empty()
    }

    fn group_by_decided(&self, select: &mut Select, relations: &[Relation], used: Vec<Place>) {
        let mut grouped = HashSet::new();
        let GroupByExpr::Expressions(expressions, _) = &select.group_by else {
            return;
        };
        for expression in expressions {
            // A name in GROUP BY is a column's first in PostgreSQL.
            let is_column = self.dialect == Dialect::PostgreSql
                && matches!(expression, Expr::Identifier(_))
                && self.source(expression, relations).is_some();
            let expression = if is_column {
                expression
            } else {
                stands_for(expression, &select.projection)
            };
            grouped.extend(self.place(expression, relations));
        }
        let mut decided = self.decided(select, relations, &grouped);
        if self.dialect == Dialect::PostgreSql {
            // Of a table itself the server knows the key.
            let replaced = replaced(&select.from);
            decided.retain(|at| replaced.len() == relations.len() && replaced[*at]);
        }
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
            let links = if self.is_mariadb() {
                self.links(select, relations, &decided)
            } else {
                Vec::new()
            };
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

    /// The equalities that hold in every row. A row that a LEFT JOIN adds, or leaves out, is
    /// decided where all of the join's condition is.
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

    /// The column of a table of the schema that an expression is, where it can be one only.
    fn place(&self, expression: &Expr, relations: &[Relation]) -> Option<Place> {
        let mut sources = self.sources(expression, relations);
        let place = sources.pop().filter(|_| sources.is_empty())?;
        let relation = &relations[place.0];
        (relation.base && matches!(relation.columns, Columns::Table(_))).then_some(place)
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

/// An expression as it reads without qualifiers and quotes, to compare it with another.
pub(super) fn unqualified(expression: &Expr) -> String {
    let text = expression.to_string().to_lowercase();
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| *letter != '`') {
        if letter == '.' {
            let name = plain
                .trim_end_matches(|c: char| c.is_alphanumeric() || c == '_')
                .len();
            // Digits before a point are a number.
            if !plain[name..].starts_with(|c: char| c.is_ascii_digit()) {
                plain.truncate(name);
                continue;
            }
        }
        plain.push(letter);
    }
    plain
}

/// The expression that a number or a name refers to in the select list.
pub(super) fn stands_for<'e>(expression: &'e Expr, projection: &'e [SelectItem]) -> &'e Expr {
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
    item.and_then(selected).unwrap_or(expression)
}

/// The expression that an item of the select list is.
pub(super) fn selected(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

/// Of each relation of a FROM clause, whether a query is in a table's place.
fn replaced(from: &[TableWithJoins]) -> Vec<bool> {
    let mut all = Vec::new();
    for tree in from {
        let joined = tree.joins.iter().map(|join| &join.relation);
        for factor in std::iter::once(&tree.relation).chain(joined) {
            match factor {
                TableFactor::NestedJoin {
                    table_with_joins, ..
                } => all.extend(replaced(std::slice::from_ref(table_with_joins))),
                factor => all.push(!matches!(factor, TableFactor::Table { .. })),
            }
        }
    }
    all
}
