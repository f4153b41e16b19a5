//! Queries, set operations, selects, and what their clauses can name.

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, LimitClause, NamedWindowExpr, OrderBy, OrderByExpr,
    OrderByKind, Query, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind,
    SelectModifiers, SetExpr, SetOperator, SetQuantifier, TableAlias, WildcardAdditionalOptions,
    With,
};

use super::{Binder, joins};
use crate::finding::Kind;
use crate::fold;
use crate::guard::Dialect;
use crate::scope::{Columns, Name, Relation, Scope};

/// What a select gives to the clauses that come after it.
struct Selected {
    columns: Columns,
    /// Names given in the select list.
    aliases: Vec<Name>,
    relations: Vec<Relation>,
}

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
        for cte in &mut with.cte_tables {
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
            if with.recursive {
                let seed =
                    match self.renamed(leading_names(&cte.query.body, self.dialect), &cte.alias) {
                        columns @ Columns::List(_) => columns,
                        _ => Columns::Any,
                    };
                self.ctes.push((name.clone(), seed));
            }
            let columns = self.query(&mut cte.query, parent);
            if with.recursive {
                self.ctes.pop();
            }
            let columns = self.renamed(columns, &cte.alias);
            self.ctes.push((name, columns));
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
                    aliases: &[],
                    parent,
                };
                let mut width = 0;
                for row in &mut values.rows {
                    width = row.content.len();
                    self.expressions(&mut row.content, &scope);
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

    fn select(&mut self, select: &mut Select, parent: Option<&Scope>) -> Selected {
        self.foreign_parts(select);
        let mut relations = Vec::new();
        joins::settle(&mut select.from);
        for from in &mut select.from {
            self.joined(from, &mut relations, parent);
        }
        let scope = Scope::of(&relations, parent);
        if let Some(Distinct::On(expressions)) = &mut select.distinct {
            self.expressions(expressions, &scope);
        }
        let (columns, aliases) = self.projection(&mut select.projection, &scope);
        if let Some(selection) = &mut select.selection {
            self.expression(selection, &scope);
        }
        self.group_by(&mut select.group_by, &scope, &aliases);
        if let Some(having) = &mut select.having {
            let aliases = if self.dialect == Dialect::MySql {
                aliases.as_slice()
            } else {
                &[]
            };
            self.expression(having, &Scope { aliases, ..scope });
        }
        for window in &mut select.named_window {
            self.plain(&window.0);
            match &mut window.1 {
                NamedWindowExpr::NamedWindow(name) => _ = self.plain(name),
                NamedWindowExpr::WindowSpec(spec) => self.window(spec, &scope),
            }
        }
        Selected {
            columns,
            aliases,
            relations,
        }
    }

    /// Parts of a select that other dialects have, or that do more than read.
    fn foreign_parts(&mut self, select: &Select) {
        if select.into.is_some() {
            self.refuse(Kind::Into, "INTO is not allowed.");
        }
        if !select.optimizer_hints.is_empty() {
            self.refuse(Kind::ExecutableComment, "Optimizer hints are not allowed.");
        }
        let harmless = SelectModifiers {
            straight_join: true,
            ..SelectModifiers::default()
        };
        let modified = select
            .select_modifiers
            .as_ref()
            .is_some_and(|given| *given != harmless && *given != SelectModifiers::default());
        let foreign = select.top.is_some()
            || select.exclude.is_some()
            || !select.lateral_views.is_empty()
            || select.prewhere.is_some()
            || !select.connect_by.is_empty()
            || !select.cluster_by.is_empty()
            || !select.distribute_by.is_empty()
            || !select.sort_by.is_empty()
            || select.qualify.is_some()
            || select.value_table_mode.is_some()
            || select.flavor != SelectFlavor::Standard;
        if modified || foreign {
            self.unsupported("A clause of another dialect");
        }
    }

    fn projection(&mut self, items: &mut [SelectItem], scope: &Scope) -> (Columns, Vec<Name>) {
        let (mut names, mut aliases, mut known) = (Vec::new(), Vec::new(), true);
        for item in items {
            match item {
                SelectItem::UnnamedExpr(expression) => {
                    self.expression(expression, scope);
                    names.push(output_name(expression, self.dialect));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    self.expression(expr, scope);
                    self.plain(alias);
                    let name = Name::new(alias, self.dialect);
                    names.push(name.text().to_owned());
                    aliases.push(name);
                }
                SelectItem::ExprWithAliases { .. } => {
                    self.unsupported("Several aliases for one expression");
                }
                SelectItem::Wildcard(options) => {
                    self.bare_star(options);
                    let all: Option<Vec<_>> = scope
                        .relations
                        .iter()
                        .map(|it| it.columns.names(&self.guard.schema))
                        .collect();
                    known &= all.is_some();
                    names.extend(all.unwrap_or_default().into_iter().flatten());
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    options,
                ) => {
                    self.bare_star(options);
                    let columns = self.qualified_star(name, scope);
                    known &= columns.is_some();
                    names.extend(columns.unwrap_or_default());
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _) => {
                    self.unsupported("A star of an expression");
                }
            }
        }
        (
            if known {
                Columns::List(names)
            } else {
                Columns::Any
            },
            aliases,
        )
    }

    fn bare_star(&mut self, options: &WildcardAdditionalOptions) {
        let WildcardAdditionalOptions {
            wildcard_token: _,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        let plain = opt_ilike.is_none()
            && opt_exclude.is_none()
            && opt_except.is_none()
            && opt_replace.is_none();
        if !plain || opt_rename.is_some() || opt_alias.is_some() {
            self.unsupported("A star with options");
        }
    }

    fn qualified_star(
        &mut self,
        name: &mut sqlparser::ast::ObjectName,
        scope: &Scope,
    ) -> Option<Vec<String>> {
        let qualifier = self.unqualified(name)?.clone();
        let named = |relation: &&Relation| {
            relation
                .name
                .as_ref()
                .is_some_and(|name| name.is(&qualifier, self.dialect))
        };
        // The star of an outer query's table is refused by every database.
        let Some(relation) = scope.relations.iter().find(named) else {
            self.missing_qualifier(&qualifier);
            return None;
        };
        let own = relation
            .name
            .as_ref()
            .map_or(qualifier, |name| name.ident.clone());
        *name = vec![own].into();
        relation.columns.names(&self.guard.schema)
    }

    fn group_by(&mut self, group_by: &mut GroupByExpr, scope: &Scope, aliases: &[Name]) {
        match group_by {
            GroupByExpr::All(_) => self.unsupported("GROUP BY ALL"),
            GroupByExpr::Expressions(expressions, modifiers) => {
                use sqlparser::ast::GroupByWithModifier::{Cube, Rollup};
                if !modifiers
                    .iter()
                    .all(|modifier| matches!(modifier, Rollup | Cube))
                {
                    self.unsupported("This modifier of GROUP BY");
                }
                for expression in expressions {
                    self.with_aliases(expression, scope, aliases);
                }
            }
        }
    }

    /// An expression of a clause that may name what the select list names: `MySQL` looks for such names anywhere in it,
    /// PostgreSQL only if the name is all there is.
    fn with_aliases(&mut self, expression: &mut Expr, scope: &Scope, aliases: &[Name]) {
        let alone = matches!(expression, Expr::Identifier(_));
        let aliases = if alone || self.dialect == Dialect::MySql {
            aliases
        } else {
            &[]
        };
        self.expression(expression, &Scope { aliases, ..*scope });
    }

    fn order_by(&mut self, order_by: &mut OrderBy, selected: &Selected, parent: Option<&Scope>) {
        let OrderByKind::Expressions(items) = &mut order_by.kind else {
            return self.unsupported("ORDER BY ALL");
        };
        if order_by.interpolate.is_some() {
            self.unsupported("INTERPOLATE");
        }
        let output = [Relation {
            name: None,
            columns: selected.columns.clone(),
        }];
        let relations = if selected.relations.is_empty() {
            &output[..]
        } else {
            &selected.relations
        };
        let scope = Scope::of(relations, parent);
        for item in items {
            self.order_options(item);
            self.with_aliases(&mut item.expr, &scope, &selected.aliases);
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
            aliases: &[],
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
                }
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                self.expression(offset, &scope);
                self.expression(limit, &scope);
            }
            None => {}
        }
        if let Some(quantity) = query
            .fetch
            .as_mut()
            .and_then(|fetch| fetch.quantity.as_mut())
        {
            self.expression(quantity, &scope);
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

/// The name a column has that was given none.
fn output_name(expression: &Expr, dialect: Dialect) -> String {
    let kept = |ident: &Ident| Name::new(ident, dialect).text().to_owned();
    match expression {
        Expr::Identifier(name) => kept(name),
        Expr::CompoundIdentifier(parts) => parts.last().map(kept).unwrap_or_default(),
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
