//! Queries, set operations, and what orders and limits them.

use sqlparser::ast::{
    Expr, Ident, LimitClause, OrderBy, OrderByExpr, OrderByKind, Query, SelectItem, SetExpr,
    SetOperator, SetQuantifier, TableAlias, With,
};

use super::select::Selected;
use super::{Binder, Cte};
use crate::finding::Kind;
use crate::fold;
use crate::guard::Dialect;
use crate::scope::{Aliases, Columns, Name, Relation, Scope};

impl Binder<'_> {
    /// Checks a query and tells its columns.
    pub(super) fn query(&mut self, query: &mut Query, parent: Option<&Scope>) -> Columns {
        let mut columns = Columns::Any;
        self.deeper(|binder| {
            let outer = binder.ctes.len();
            binder.foreign_clauses(query);
            if let Some(with) = &mut query.with {
                binder.with(with, parent);
            }
            let selected = binder.body(&mut query.body, parent);
            if let Some(order_by) = &mut query.order_by {
                binder.order_by(order_by, &selected, parent);
            }
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
            let columns = self.part(&mut cte.query, parent);
            if with.recursive {
                self.ahead.truncate(ahead);
                self.ctes.pop();
            }
            let columns = self.renamed(columns, &cte.alias);
            self.ctes.push(declare(columns));
        }
    }

    /// `MariaDB` does not see a common table expression from everywhere within its scope, and there takes its name for a
    /// table's. So that no such table is there, not even one that the schema does not tell, it gets a name that none has.
    fn printed(&mut self, name: &Ident) -> Ident {
        match self.dialect {
            Dialect::PostgreSql => name.clone(),
            Dialect::MySql => {
                let printed = Ident {
                    value: format!("cte_{}", name.value),
                    ..name.clone()
                };
                if self.guard.schema.find(&printed, self.dialect).is_some() {
                    self.unsupported("This name of a common table expression");
                }
                printed
            }
        }
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
        let mut names: Vec<String> = alias
            .columns
            .iter()
            .map(|column| Name::new(&column.name, self.dialect).text().to_owned())
            .collect();
        let rest = columns.names(&self.guard.schema).unwrap_or_default();
        names.extend(rest.into_iter().skip(names.len()));
        Columns::List(names)
    }

    fn body(&mut self, body: &mut SetExpr, parent: Option<&Scope>) -> Selected {
        let plain = |columns| Selected {
            columns,
            aliases: Vec::new(),
            relations: Vec::new(),
        };
        match body {
            SetExpr::Select(select) => self.select(select, parent),
            SetExpr::Query(query) => plain(self.query(query, parent)),
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
                self.deeper(|binder| {
                    columns = binder.body(left, parent).columns;
                    binder.body(right, parent);
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
                        .map(|at| format!("{prefix}{at}"))
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

/// The names of the first select of a set operation, before it has been looked at; not known where it has a star.
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
                .collect::<Option<_>>()
                .map_or(Columns::Any, Columns::List)
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
                Columns::List(names) => names.into_iter().next().unwrap_or_default(),
                _ => String::new(),
            }
        }
        _ => expression.to_string(),
    }
}
