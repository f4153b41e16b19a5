//! Selects, and what their clauses can name.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident,
    NamedWindowExpr, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind,
    SelectModifiers, WildcardAdditionalOptions, visit_expressions, visit_expressions_mut,
};

use super::query::{column_name, output_name};
use super::{Binder, aggregates, joins};
use crate::fence::conjuncts;
use crate::finding::Kind;
use crate::guard::Dialect;
use crate::scope::{Aliases, Columns, Merged, Name, Output, Relation, Scope};
use crate::{fold, functions, literal};

/// The names that a select passes to the clauses after it.
pub(super) struct Selected {
    pub(super) columns: Columns,
    /// Names given in the select list, and those of columns in it.
    pub(super) aliases: Vec<Name>,
    pub(super) relations: Vec<Relation>,
}

impl Binder<'_> {
    pub(super) fn select(&mut self, select: &mut Select, parent: Option<&Scope>) -> Selected {
        // How the server goes about it is its own affair, as with index hints.
        if let Some(given) = &mut select.select_modifiers {
            given.high_priority = false;
            given.sql_no_cache = false;
            if *given == SelectModifiers::default() {
                select.select_modifiers = None;
            }
        }
        self.foreign_parts(select);
        let mut relations = Vec::new();
        joins::settle(&mut select.from);
        let star = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_));
        let stars = select.projection.iter().any(star);
        let merging = joins::merges(&select.from, stars);
        let bounded = merging || self.has_rows(select);
        let around = std::mem::replace(&mut self.bounded, bounded);
        for from in &mut select.from {
            self.joined(from, &mut relations, parent);
        }
        self.bounded = around;
        self.distinct_names(&relations);
        let scope = Scope::of(&relations, parent);
        if !merging {
            self.spell_stars(&mut select.projection, &relations);
        }
        let (columns, aliases) = self.projection(&mut select.projection, &scope);
        if let Some(Distinct::On(expressions)) = &mut select.distinct {
            let aliases = Aliases::First(&aliases);
            for expression in expressions {
                self.with_aliases(expression, &scope, aliases);
                self.listed(expression, &Scope { aliases, ..scope });
            }
        }
        if let Some(selection) = &mut select.selection {
            self.expression(selection, &scope);
            self.no_aggregates("WHERE", selection, parent);
            self.early(selection, &scope);
        }
        if select.distinct.is_some() {
            self.refuse_masked(&columns);
        }
        self.group_by(&mut select.group_by, &scope, &aliases, &columns);
        if let Some(having) = &mut select.having {
            let aliases = match self.dialect {
                Dialect::MySql => Aliases::Last(&aliases),
                Dialect::PostgreSql => Aliases::None,
            };
            self.expression(having, &Scope { aliases, ..scope });
            self.grouped(having, &select.projection, &scope);
        }
        for window in &mut select.named_window {
            self.plain(&window.0);
            match &mut window.1 {
                NamedWindowExpr::NamedWindow(name) => _ = self.plain(name),
                NamedWindowExpr::WindowSpec(spec) => {
                    self.window(spec, &scope);
                    let ordered = spec.order_by.iter().map(|item| &item.expr);
                    for expression in spec.partition_by.iter().chain(ordered) {
                        self.listed(expression, &scope);
                    }
                }
            }
        }
        self.group_dependents(select, &relations);
        self.no_bare_columns(select, &relations);
        self.group_by_place(select);
        self.products(select, &relations);
        self.move_behind_fences(select, &relations, parent);
        Selected {
            columns,
            aliases,
            relations,
        }
    }

    /// Whether whole rows may be used in a select or in its parts: whole rows of a table have all
    /// of its columns.
    fn has_rows(&self, select: &Select) -> bool {
        if self.dialect != Dialect::PostgreSql {
            return false;
        }
        let found = visit_expressions(select, |expression| {
            let takes = match expression {
                Expr::Function(function) => {
                    functions::takes_row(&fold(&function.name.to_string()), self.dialect)
                        && match &function.args {
                            FunctionArguments::List(list) => list.args.iter().any(|argument| {
                                matches!(
                                    argument,
                                    FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(
                                        _
                                    )))
                                )
                            }),
                            _ => false,
                        }
                }
                _ => false,
            };
            if takes {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        found.is_break()
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

    /// Notes the conditions on groups: those without an aggregate may be evaluated on single rows.
    /// A name that the select list gives represents what it names, unless it is a column's as well,
    /// which the database may take it for.
    fn grouped(&mut self, having: &Expr, projection: &[SelectItem], scope: &Scope) {
        if !self.guard.has_filters() {
            return;
        }
        let is_column = |name: &Ident| {
            let mut relations = scope.relations.iter();
            relations.any(|relation| {
                let columns = &relation.columns;
                columns
                    .find(name, &self.guard.schema, self.dialect)
                    .is_some()
            })
        };
        let mut having = having.clone();
        _ = visit_expressions_mut(&mut having, |expression| {
            let named = projection
                .iter()
                .find_map(|item| match (&*expression, item) {
                    (Expr::Identifier(name), SelectItem::ExprWithAlias { expr, alias })
                        if fold(&alias.value) == fold(&name.value) && !is_column(name) =>
                    {
                        Some(expr.clone())
                    }
                    _ => None,
                });
            if let Some(named) = named {
                *expression = Expr::Nested(Box::new(named));
            }
            ControlFlow::<()>::Continue(())
        });
        for condition in conjuncts(having) {
            if scope.parent.is_none() && aggregates::within(&condition) {
                self.late(&condition, scope);
            } else {
                self.early(&condition, scope);
            }
        }
    }

    /// Reports an aggregate where rows are chosen or grouped, before there are groups.
    pub(super) fn no_aggregates(
        &mut self,
        clause: &str,
        expression: &Expr,
        parent: Option<&Scope>,
    ) {
        // Within a query around it, an aggregate may be of that query's groups.
        if parent.is_none() && aggregates::within(expression) {
            let message = format!(
                "An aggregate (COUNT, SUM, AVG, …) cannot stand in {clause}. Put the condition into HAVING, or aggregate in a subquery and filter its result."
            );
            self.refuse(Kind::Syntax, message);
        }
    }

    fn projection(&mut self, items: &mut [SelectItem], scope: &Scope) -> (Columns, Vec<Name>) {
        let (mut names, mut aliases, mut known) = (Vec::new(), Vec::new(), true);
        for item in items {
            match item {
                SelectItem::UnnamedExpr(expression) => {
                    let masked = self.item(expression, scope);
                    let text = self.is_text(expression, scope);
                    if let Some(column) = column_name(expression) {
                        aliases.push(Name {
                            masked,
                            ..Name::new(column, self.dialect)
                        });
                    }
                    names.push(Output {
                        name: output_name(expression, self.dialect),
                        masked,
                        text,
                    });
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    let masked = self.item(expr, scope);
                    let text = self.is_text(expr, scope);
                    self.plain(alias);
                    let name = Name {
                        masked,
                        ..Name::new(alias, self.dialect)
                    };
                    names.push(Output {
                        name: name.text().to_owned(),
                        masked,
                        text,
                    });
                    aliases.push(name);
                }
                SelectItem::ExprWithAliases { .. } => {
                    self.unsupported("Several aliases for one expression");
                }
                SelectItem::Wildcard(options) => {
                    self.bare_star(options);
                    let all: Option<Vec<_>> =
                        scope.relations.iter().map(|it| self.starred(it)).collect();
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

    /// The columns that a star takes from a relation: those that USING or NATURAL made one with
    /// others stand once.
    fn starred(&self, relation: &Relation) -> Option<Vec<Output>> {
        let outputs = self.outputs(&relation.columns)?;
        match &relation.merged {
            Merged::Unknown => None,
            Merged::Names(_) => {
                let own = |output: &Output| relation.counts(&output.name);
                Some(outputs.into_iter().filter(own).collect())
            }
        }
    }

    /// An expression of the select list; a masked column may be one, and no part of one. Whether it
    /// is one.
    fn item(&mut self, expression: &mut Expr, scope: &Scope) -> bool {
        let mut masked = false;
        if let Expr::Subquery(query) = expression {
            let mut columns = Columns::Any;
            self.deeper(|binder| columns = binder.part(query, Some(scope)));
            masked = columns.masked().is_some();
        } else {
            self.shown = column_name(expression).is_some();
            self.expression(expression, scope);
            self.shown = false;
            masked |= self.shows_masked(expression, scope);
        }
        self.listed(expression, scope);
        masked
    }

    /// Writes down the columns that stars represent, of tables of the schema: a table may have
    /// columns that the schema does not list, and those are never shown.
    fn spell_stars(&mut self, items: &mut Vec<SelectItem>, relations: &[Relation]) {
        if !relations.iter().any(|relation| relation.base) {
            return;
        }
        for item in std::mem::take(items) {
            match &item {
                SelectItem::Wildcard(options) => {
                    self.bare_star(options);
                    for relation in relations {
                        self.spell_star(items, relation);
                    }
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    options,
                ) => {
                    self.bare_star(options);
                    let Some(qualifier) = self.unqualified(name).cloned() else {
                        continue;
                    };
                    let named = |name: &Name| name.is(&qualifier, self.dialect);
                    let starred = relations
                        .iter()
                        .find(|relation| relation.name.as_ref().is_some_and(named));
                    match starred {
                        Some(relation) if relation.base => self.spell_star(items, relation),
                        _ => items.push(item),
                    }
                }
                _ => items.push(item),
            }
        }
    }

    fn spell_star(&mut self, items: &mut Vec<SelectItem>, relation: &Relation) {
        let names = relation.columns.names(&self.guard.schema);
        match (&relation.name, names) {
            (Some(name), Some(columns)) if relation.base && !columns.is_empty() => {
                items.extend(columns.iter().map(|column| {
                    let column = literal::spelt_column(column, self.dialect);
                    let parts = vec![name.ident.clone(), column];
                    SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts))
                }));
            }
            (Some(name), _) if !relation.base => {
                let name = vec![name.ident.clone()].into();
                items.push(SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    WildcardAdditionalOptions::default(),
                ));
            }
            _ => self.unsupported("A star over a table without known columns, or without a name,"),
        }
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
    ) -> Option<Vec<Output>> {
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
        self.outputs(&relation.columns)
    }

    fn group_by(
        &mut self,
        group_by: &mut GroupByExpr,
        scope: &Scope,
        aliases: &[Name],
        columns: &Columns,
    ) {
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
                let aliases = Aliases::Last(aliases);
                for expression in expressions {
                    self.with_aliases(expression, scope, aliases);
                    self.ordinal("GROUP BY", expression, columns);
                    self.no_aggregates("GROUP BY", expression, scope.parent);
                    self.listed(expression, &Scope { aliases, ..*scope });
                }
            }
        }
    }

    /// An expression of a clause that may name what the select list names: `MySQL` looks for such
    /// names anywhere in it, PostgreSQL only if the name is all there is.
    pub(super) fn with_aliases(&mut self, expression: &mut Expr, scope: &Scope, aliases: Aliases) {
        let alone = matches!(expression, Expr::Identifier(_));
        let aliases = if alone || self.dialect == Dialect::MySql {
            aliases
        } else {
            Aliases::None
        };
        self.expression(expression, &Scope { aliases, ..*scope });
    }
}
