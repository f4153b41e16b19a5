//! Which column a name means.

use sqlparser::ast::Ident;

use super::Binder;
use crate::finding::{Finding, Kind};
use crate::guard::Dialect;
use crate::policy::ColumnRule;
use crate::scope::{Columns, Name, Relation, Scope};
use crate::suggest;

impl Binder<'_> {
    /// Resolves a column; qualifier and column are respelt where case matters.
    pub(super) fn column(
        &mut self,
        qualifier: Option<&mut Ident>,
        column: &mut Ident,
        scope: &Scope,
    ) {
        let Some(qualifier) = qualifier else {
            return self.bare_column(column, scope);
        };
        let found = scope.outwards().find_map(|scope| {
            scope.relations.iter().find(|relation| {
                relation
                    .name
                    .as_ref()
                    .is_some_and(|name| name.is(qualifier, self.dialect))
            })
        });
        let Some(relation) = found else {
            return self.missing_qualifier(qualifier);
        };
        if let Some(found) = relation
            .columns
            .find(column, &self.guard.schema, self.dialect)
        {
            *column = found;
            if !self.shown && self.is_masked(relation, column) {
                self.masked(&column.value.clone());
            }
        } else {
            let seen = relation.seen(&self.guard.schema);
            self.report(suggest::unknown_column(
                &self.guard.schema,
                Some(&qualifier.value),
                &column.value,
                &[seen],
            ));
        }
        if let Some(name) = &relation.name {
            *qualifier = name.ident.clone();
        }
    }

    fn bare_column(&mut self, column: &mut Ident, scope: &Scope) {
        for scope in scope.outwards() {
            // Where a name of the select list is looked at first in one place, a column is in another.
            let masked = |relation: &Relation| self.is_masked(relation, column);
            if !self.shown && scope.relations.iter().any(masked) {
                return self.masked(&column.value.clone());
            }
            if self.alias(column, scope.aliases.first()) {
                return;
            }
            let find = |relation: &Relation| {
                relation
                    .columns
                    .find(column, &self.guard.schema, self.dialect)
            };
            let having: Vec<&Relation> = scope
                .relations
                .iter()
                .filter(|relation| find(relation).is_some())
                .collect();
            let beside: Vec<&Relation> = having
                .iter()
                .copied()
                .filter(|relation| relation.counts(&column.value))
                .collect();
            if beside.len() > 1 {
                let alias =
                    self.dialect == Dialect::MySql && self.alias(column, scope.aliases.last());
                if !alias {
                    self.report(suggest::ambiguous(&column.value, &beside));
                }
                return;
            }
            if let Some(found) = beside.first().or(having.first()).and_then(|it| find(it)) {
                *column = found;
                return;
            }
            if self.alias(column, scope.aliases.last()) {
                return;
            }
        }
        let seen: Vec<_> = scope
            .outwards()
            .flat_map(|scope| scope.relations)
            .map(|relation| relation.seen(&self.guard.schema))
            .collect();
        self.report(suggest::unknown_column(
            &self.guard.schema,
            None,
            &column.value,
            &seen,
        ));
    }

    /// Whether values of a column are not to be seen.
    fn is_masked(&self, relation: &Relation, column: &Ident) -> bool {
        match &relation.columns {
            Columns::Table(id) => self.guard.rule(*id, &column.value) == Some(ColumnRule::Masked),
            _ => false,
        }
    }

    fn masked(&mut self, column: &str) {
        let message = format!(
            "Column '{column}' is masked: it may stand in the select list by itself, where it shows ***, and in no \
             condition, join, function, grouping or order."
        );
        self.refuse(Kind::NotPermitted, message);
    }

    /// Whether a column is meant that the select list names.
    fn alias(&self, column: &mut Ident, aliases: &[Name]) -> bool {
        let found = aliases.iter().find(|alias| alias.is(column, self.dialect));
        if let Some(alias) = found {
            *column = alias.ident.clone();
        }
        found.is_some()
    }

    pub(super) fn missing_qualifier(&mut self, qualifier: &Ident) {
        let schema = &self.guard.schema;
        let finding = if schema.find(qualifier, self.dialect).is_some() {
            let message = format!(
                "Table '{}' is not in scope here: name it in FROM, or use the alias it has there.",
                qualifier.value
            );
            Finding::new(Kind::UnknownTable, message)
        } else {
            suggest::unknown_table(schema, &qualifier.value)
        };
        self.report(finding);
    }
}
