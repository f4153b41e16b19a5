//! Queries, set operations, and what orders and limits them.

use sqlparser::ast::{
    Expr, Ident, LimitClause, OrderBy, OrderByExpr, OrderByKind, Query, SelectItem, SetExpr,
    SetOperator, SetQuantifier, TableAlias, Value, With,
};

use super::select::Selected;
use super::{Binder, Cte};
use crate::finding::Kind;
use crate::fold;
use crate::guard::Dialect;
use crate::policy::ColumnRule;
use crate::schema::Meant;
use crate::scope::{Aliases, Columns, Name, Output, Relation, Scope};

impl Binder<'_> {
    /// Checks a query and returns its columns.
    pub(super) fn query(&mut self, query: &mut Query, parent: Option<&Scope>) -> Columns {
        let mut columns = Columns::Any;
        self.deeper(|binder| {
            let outer = binder.ctes.len();
            let seeding = binder.seeding.take();
            binder.foreign_clauses(query);
            if let Some(with) = &mut query.with {
                binder.with(with, parent);
            }
            binder.seeding = seeding;
            let selected = binder.body(&mut query.body, parent);
            if let Some(order_by) = &mut query.order_by {
                binder.order_by(order_by, &selected, parent);
            }
            binder.group_ordered(
                &mut query.body,
                query.order_by.as_ref(),
                &selected.relations,
            );
            let order_by = query.order_by.as_ref();
            binder.no_arbitrary_order(&query.body, order_by, &selected.relations);
            binder.limits(query, parent);
            binder.ctes.truncate(outer);
            columns = selected.columns;
        });
        columns
    }

    /// Checks a query that is part of another.
    pub(super) fn part(&mut self, query: &mut Query, parent: Option<&Scope>) -> Columns {
        let outermost = std::mem::replace(&mut self.outermost, false);
        let columns = self.query(query, parent);
        self.outermost = outermost;
        columns
    }

    fn foreign_clauses(&mut self, query: &Query) {
        if !query.locks.is_empty() {
            self.refuse(
                Kind::Locking,
                "Locking rows (FOR UPDATE, FOR SHARE) is not allowed.",
            );
        }
        if query.for_clause.is_some()
            || query.settings.is_some()
            || query.format_clause.is_some()
            || !query.pipe_operators.is_empty()
        {
            self.unsupported("A clause of another dialect");
        }
    }

    fn with(&mut self, with: &mut With, parent: Option<&Scope>) {
        let declared: Vec<Name> = with
            .cte_tables
            .iter()
            .map(|cte| Name::new(&cte.alias.name, self.dialect))
            .collect();
        for (at, cte) in with.cte_tables.iter_mut().enumerate() {
            if cte.from.is_some() {
                self.unsupported("FROM in a common table expression");
            }
            let own = cte.alias.name.clone();
            if !self.plain(&own) {
                continue;
            }
            // Some servers compare names without accents and final spaces.
            let disguised = !own.value.is_ascii() && !self.guard.reserved.is_empty();
            if disguised || self.guard.reserved.contains(&fold(own.value.trim_end())) {
                let message = format!(
                    "The name '{}' is not free; give this common table expression another one.",
                    own.value
                );
                self.refuse(Kind::NotPermitted, message);
            }
            let name = Name::new(&own, self.dialect);
            let printed = self.printed(&own);
            cte.alias.name = printed.clone();
            let declare = |columns| Cte {
                name: name.clone(),
                printed: printed.clone(),
                columns,
            };
            if with.recursive {
                let seed =
                    match self.renamed(leading_names(&cte.query.body, self.dialect), &cte.alias) {
                        columns @ Columns::List(_) => columns,
                        _ => Columns::Any,
                    };
                self.ctes.push(declare(seed));
            }
            let ahead = self.ahead.len();
            if with.recursive {
                self.ahead.extend_from_slice(&declared[at + 1..]);
            }
            self.seeding = with.recursive.then(|| self.ctes.len().saturating_sub(1));
            let columns = self.part(&mut cte.query, parent);
            self.seeding = None;
            if with.recursive {
                self.ahead.truncate(ahead);
                let seen = self.ctes.pop();
                // A column that only a later step masks was taken for one that is not.
                if let Some(mut seen) = seen
                    && seen.columns.mask_like(&columns)
                {
                    self.refuse_masked(&columns);
                }
            }
            let columns = self.renamed(columns, &cte.alias);
            self.ctes.push(declare(columns));
        }
    }

    /// `MariaDB` does not see a common table expression from everywhere within its scope, and there
    /// reads a table of the same name. So that no such table exists, not even one that the schema
    /// does not list, the expression gets an unused name. PostgreSQL sees it from everywhere, also
    /// where a table is intended: the view of `public.customer` is printed without its schema.
    /// There the expression gets an unused name if a table has the same name.
    fn printed(&mut self, name: &Ident) -> Ident {
        let is_free = |binder: &Self, name: &Ident| {
            matches!(
                binder.guard.schema.find(None, name, binder.dialect),
                Meant::Nothing
            )
        };
        if self.dialect == Dialect::PostgreSql && is_free(self, name) {
            return name.clone();
        }
        let printed = Ident {
            value: format!("cte_{}", name.value),
            ..name.clone()
        };
        if !is_free(self, &printed) {
            self.unsupported("This name of a common table expression");
        }
        printed
    }

    /// The columns under the names an alias gives them.
    pub(super) fn renamed(&mut self, columns: Columns, alias: &TableAlias) -> Columns {
        if alias.at.is_some()
            || alias
                .columns
                .iter()
                .any(|column| column.data_type.is_some())
        {
            self.unsupported("A table alias with types");
        }
        if !self.plain(&alias.name) || !alias.columns.iter().all(|column| self.plain(&column.name))
        {
            return Columns::Any;
        }
        if alias.columns.is_empty() {
            return columns;
        }
        let mut given = self.outputs(&columns).unwrap_or_default();
        for (at, column) in alias.columns.iter().enumerate() {
            let name = Name::new(&column.name, self.dialect).text().to_owned();
            match given.get_mut(at) {
                Some(output) => output.name = name,
                None => given.push(Output::plain(name)),
            }
        }
        Columns::List(given)
    }

    /// The columns of something, each with whether it is masked; nothing where they are not known.
    pub(super) fn outputs(&self, columns: &Columns) -> Option<Vec<Output>> {
        match columns {
            Columns::Any => None,
            Columns::List(outputs) => Some(outputs.clone()),
            Columns::Table(id) => {
                let table = self.guard.schema.table(*id);
                let names = table.columns.iter();
                let output = |name: &String| Output {
                    text: table.holds_texts(name),
                    name: name.clone(),
                    masked: self.guard.rule(*id, name) == Some(ColumnRule::Masked),
                };
                Some(names.map(output).collect())
            }
        }
    }

    fn body(&mut self, body: &mut SetExpr, parent: Option<&Scope>) -> Selected {
        let seeding = self.seeding.take();
        let plain = |columns| Selected {
            columns,
            aliases: Vec::new(),
            relations: Vec::new(),
        };
        match body {
            SetExpr::Select(select) => self.select(select, parent),
            SetExpr::Query(query) => {
                self.seeding = seeding;
                plain(self.query(query, parent))
            }
            SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            } => {
                if *op == SetOperator::Minus
                    || !matches!(
                        set_quantifier,
                        SetQuantifier::All | SetQuantifier::Distinct | SetQuantifier::None
                    )
                {
                    self.unsupported("This set operation");
                }
                let mut columns = Columns::Any;
                let compares =
                    *op != SetOperator::Union || !matches!(set_quantifier, SetQuantifier::All);
                self.deeper(|binder| {
                    binder.seeding = seeding;
                    columns = binder.body(left, parent).columns;
                    binder.seeding = None;
                    if let Some(recursion) = seeding.and_then(|at| binder.ctes.get_mut(at)) {
                        recursion.columns.mask_like(&columns);
                    }
                    let right = binder.body(right, parent).columns;
                    binder.same_width(&columns, &right);
                    columns.mask_like(&right);
                    if compares {
                        binder.refuse_masked(&columns);
                    }
                });
                plain(columns)
            }
            SetExpr::Values(values) => {
                let scope = Scope {
                    relations: &[],
                    aliases: Aliases::None,
                    parent,
                };
                let mut width = 0;
                for row in &mut values.rows {
                    width = row.content.len();
                    self.expressions(&mut row.content, &scope);
                    for value in &row.content {
                        self.early(value, &scope);
                    }
                }
                let (prefix, first) = if self.dialect == Dialect::MySql {
                    ("column_", 0)
                } else {
                    ("column", 1)
                };
                plain(Columns::List(
                    (first..first + width)
                        .map(|at| Output::plain(format!("{prefix}{at}")))
                        .collect(),
                ))
            }
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                self.refuse(Kind::NotARead, "Only reads are allowed.");
                plain(Columns::Any)
            }
            SetExpr::Table(_) => {
                self.unsupported("TABLE without SELECT");
                plain(Columns::Any)
            }
        }
    }

    /// Reports operands of a set operation that do not have as many columns.
    fn same_width(&mut self, left: &Columns, right: &Columns) {
        let width = |columns: &Columns| match columns {
            Columns::List(outputs) => Some(outputs.len()),
            _ => None,
        };
        if let (Some(left), Some(right)) = (width(left), width(right))
            && left != right
        {
            let message = format!(
                "The queries of a UNION, INTERSECT or EXCEPT have as many columns as each other; here one has {left} and the other {right}."
            );
            self.refuse(Kind::Syntax, message);
        }
    }

    /// Reports a number in ORDER BY or GROUP BY that is of no column of the select list, or of a
    /// masked one.
    pub(super) fn ordinal(&mut self, clause: &str, expression: &Expr, columns: &Columns) {
        let Expr::Value(value) = expression else {
            return;
        };
        let (Value::Number(digits, _), Columns::List(outputs)) = (&value.value, columns) else {
            return;
        };
        let Ok(place) = digits.parse::<usize>() else {
            return;
        };
        match place.checked_sub(1).and_then(|at| outputs.get(at)) {
            Some(output) if output.masked => self.masked(&output.name.clone()),
            Some(_) => {}
            None => {
                let message = format!(
                    "{clause} {digits} is not a column of the select list, which has {} {}.",
                    outputs.len(),
                    if outputs.len() == 1 {
                        "column"
                    } else {
                        "columns"
                    },
                );
                self.refuse(Kind::UnknownColumn, message);
            }
        }
    }

    fn order_by(&mut self, order_by: &mut OrderBy, selected: &Selected, parent: Option<&Scope>) {
        let OrderByKind::Expressions(items) = &mut order_by.kind else {
            return self.unsupported("ORDER BY ALL");
        };
        if order_by.interpolate.is_some() {
            self.unsupported("INTERPOLATE");
        }
        let output = [Relation::new(None, selected.columns.clone())];
        let relations = if selected.relations.is_empty() {
            &output[..]
        } else {
            &selected.relations
        };
        let scope = Scope::of(relations, parent);
        for item in items {
            self.order_options(item);
            let aliases = Aliases::First(&selected.aliases);
            self.with_aliases(&mut item.expr, &scope, aliases);
            self.ordinal("ORDER BY", &item.expr, &selected.columns);
            self.listed(&item.expr, &Scope { aliases, ..scope });
        }
    }

    pub(super) fn order_items(&mut self, items: &mut [OrderByExpr], scope: &Scope) {
        for item in items {
            self.order_options(item);
            self.expression(&mut item.expr, scope);
        }
    }

    fn order_options(&mut self, item: &OrderByExpr) {
        let using = matches!(
            item.options.sort,
            Some(sqlparser::ast::OrderBySort::Using(_))
        );
        if using || item.with_fill.is_some() {
            self.unsupported("This way to order");
        }
    }

    fn limits(&mut self, query: &mut Query, parent: Option<&Scope>) {
        let scope = Scope {
            relations: &[],
            aliases: Aliases::None,
            parent,
        };
        match &mut query.limit_clause {
            Some(LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            }) => {
                if !limit_by.is_empty() {
                    self.unsupported("LIMIT BY");
                }
                for expression in limit
                    .iter_mut()
                    .chain(offset.iter_mut().map(|offset| &mut offset.value))
                {
                    self.expression(expression, &scope);
                    self.early(expression, &scope);
                }
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                for expression in [offset, limit] {
                    self.expression(expression, &scope);
                    self.early(expression, &scope);
                }
            }
            None => {}
        }
        if let Some(quantity) = query
            .fetch
            .as_mut()
            .and_then(|fetch| fetch.quantity.as_mut())
        {
            self.expression(quantity, &scope);
            self.early(quantity, &scope);
        }
    }
}

/// The names of the first select of a set operation, before it has been looked at; not known where
/// it has a star.
fn leading_names(body: &SetExpr, dialect: Dialect) -> Columns {
    match body {
        SetExpr::SetOperation { left, .. } => leading_names(left, dialect),
        SetExpr::Query(query) => leading_names(&query.body, dialect),
        SetExpr::Select(select) => {
            let name = |item: &SelectItem| match item {
                SelectItem::UnnamedExpr(expression) => Some(output_name(expression, dialect)),
                SelectItem::ExprWithAlias { alias, .. } => {
                    Some(Name::new(alias, dialect).text().to_owned())
                }
                _ => None,
            };
            select
                .projection
                .iter()
                .map(name)
                .collect::<Option<Vec<String>>>()
                .map_or(Columns::Any, |names| {
                    Columns::List(names.into_iter().map(Output::plain).collect())
                })
        }
        _ => Columns::Any,
    }
}

/// The column that an expression is, if it is nothing else.
pub(super) fn column_name(expression: &Expr) -> Option<&Ident> {
    match expression {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    }
}

/// The name a column has that was given none.
pub(super) fn output_name(expression: &Expr, dialect: Dialect) -> String {
    let kept = |ident: &Ident| Name::new(ident, dialect).text().to_owned();
    if let Some(column) = column_name(expression) {
        return kept(column);
    }
    match expression {
        Expr::Function(function) if dialect == Dialect::PostgreSql => {
            fold(&function.name.to_string())
        }
        Expr::Cast { expr, .. } if dialect == Dialect::PostgreSql => output_name(expr, dialect),
        Expr::Case { .. } if dialect == Dialect::PostgreSql => "case".to_owned(),
        Expr::Subquery(query) if dialect == Dialect::PostgreSql => {
            match leading_names(&query.body, dialect) {
                Columns::List(names) => names
                    .into_iter()
                    .next()
                    .map_or_else(String::new, |output| output.name),
                _ => String::new(),
            }
        }
        _ => expression.to_string(),
    }
}
