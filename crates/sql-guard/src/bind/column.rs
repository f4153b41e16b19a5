//! Which column a name means.

use sqlparser::ast::{Expr, Ident, Value};

use super::Binder;
use crate::finding::{Finding, Kind};
use crate::guard::Dialect;
use crate::policy::ColumnRule;
use crate::schema::Meant;
use crate::scope::{Columns, Name, Relation, Scope};
use crate::suggest;

/// Functions of `MySQL` and `MariaDB` that give texts.
const TEXTS: &[&str] = &[
    "concat",
    "concat_ws",
    "group_concat",
    "left",
    "lcase",
    "lower",
    "lpad",
    "ltrim",
    "monthname",
    "dayname",
    "replace",
    "right",
    "rpad",
    "rtrim",
    "substr",
    "substring",
    "trim",
    "ucase",
    "upper",
];

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
            // Where a name of the select list is looked at first in one place, a column is in
            // another.
            let masked = |relation: &Relation| self.is_masked(relation, column);
            if !self.shown && scope.relations.iter().any(masked) {
                return self.masked(&column.value.clone());
            }
            if let Some(masked) = self.alias(column, scope.aliases.first()) {
                return self.named_by_alias(column, masked);
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
                let named = match self.dialect {
                    Dialect::MySql => self.alias(column, scope.aliases.last()),
                    Dialect::PostgreSql => None,
                };
                match named {
                    Some(masked) => self.named_by_alias(column, masked),
                    None => self.report(suggest::ambiguous(&column.value, &beside)),
                }
                return;
            }
            if let Some(found) = beside.first().or(having.first()).and_then(|it| find(it)) {
                *column = found;
                return;
            }
            if let Some(masked) = self.alias(column, scope.aliases.last()) {
                return self.named_by_alias(column, masked);
            }
            let value = scope.relations.iter().find_map(|relation| {
                let name = relation.name.as_ref().filter(|_| relation.is_value)?;
                name.is(column, self.dialect).then(|| name.ident.clone())
            });
            if let Some(name) = value {
                *column = name;
                return;
            }
        }
        let is_table = scope.outwards().any(|scope| {
            let mut names = scope.relations.iter().filter_map(|it| it.name.as_ref());
            names.any(|name| name.is(column, self.dialect))
        });
        if is_table {
            let message = format!(
                "'{0}' is a table here, not a column. Name its columns, or write {0}.* for all of them.",
                column.value
            );
            return self.refuse(Kind::UnknownColumn, message);
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

    /// Whether a qualifier means a table of this schema; `None`: of the first.
    pub(super) fn is_of_schema(
        &self,
        qualifier: &Ident,
        schema: Option<&str>,
        scope: &Scope,
    ) -> bool {
        let named = |relation: &&Relation| {
            let name = relation.name.as_ref();
            name.is_some_and(|name| name.is(qualifier, self.dialect))
        };
        let found = scope
            .outwards()
            .find_map(|scope| scope.relations.iter().find(named));
        found.is_none_or(|relation| match &relation.columns {
            Columns::Table(id) => {
                let place = self.guard.schema.table(*id).place.as_ref();
                place.map(|place| place.schema.as_str()) == schema
            }
            _ => schema.is_none(),
        })
    }

    /// Whether values of a column are not to be seen.
    pub(super) fn is_masked(&self, relation: &Relation, column: &Ident) -> bool {
        match &relation.columns {
            Columns::Table(id) => self.guard.rule(*id, &column.value) == Some(ColumnRule::Masked),
            columns => columns
                .output(column, self.dialect)
                .is_some_and(|output| output.masked),
        }
    }

    /// Whether an item of the select list is a masked column.
    pub(super) fn shows_masked(&self, expression: &Expr, scope: &Scope) -> bool {
        let (qualifier, column) = match expression {
            Expr::Identifier(column) => (None, column),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [qualifier, column] => (Some(qualifier), column),
                _ => return false,
            },
            _ => return false,
        };
        let holds = |relation: &&Relation| match (qualifier, &relation.name) {
            (Some(qualifier), Some(name)) => name.is(qualifier, self.dialect),
            (Some(_), None) => false,
            (None, _) => {
                let columns = &relation.columns;
                let found = columns.find(column, &self.guard.schema, self.dialect);
                found.is_some()
            }
        };
        scope.outwards().any(|scope| {
            let mut holding = scope.relations.iter().filter(holds);
            holding.any(|relation| self.is_masked(relation, column))
        })
    }

    /// Reports a text that is compared with the number 0, which `MySQL` and `MariaDB` take every
    /// text for that begins with no number.
    pub(super) fn no_text_as_zero(&mut self, text: &Expr, number: &Expr, scope: &Scope) {
        let Expr::Value(value) = number else { return };
        let Value::Number(digits, _) = &value.value else {
            return;
        };
        let is_zero = digits.parse::<f64>().is_ok_and(|number| number == 0.0);
        if self.dialect != Dialect::MySql || !is_zero || !self.is_text(text, scope) {
            return;
        }
        let message = format!(
            "'{text}' holds texts, and {digits} is a number: this database takes each text that begins with no number for 0, so the comparison would hold for all of these. Put the value in quotes."
        );
        self.refuse(Kind::Syntax, message);
    }

    /// Whether an expression is a column that holds texts, or a text that is made of others.
    pub(super) fn is_text(&self, expression: &Expr, scope: &Scope) -> bool {
        let (qualifier, column) = match expression {
            Expr::Nested(inner) | Expr::Trim { expr: inner, .. } => {
                return self.is_text(inner, scope);
            }
            Expr::Function(function) => {
                let name = function.name.to_string();
                return TEXTS.contains(&name.to_lowercase().as_str());
            }
            Expr::Identifier(column) => (None, column),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [qualifier, column] => (Some(qualifier), column),
                _ => return false,
            },
            _ => return false,
        };
        let is_named = |relation: &&Relation| match (qualifier, &relation.name) {
            (Some(qualifier), Some(name)) => name.is(qualifier, self.dialect),
            (Some(_), None) => false,
            (None, _) => true,
        };
        let holds = |relation: &Relation| match &relation.columns {
            Columns::Table(id) => {
                let table = self.guard.schema.table(*id);
                let at = table.position(column, self.dialect)?;
                Some(table.holds_texts(&table.columns[at]))
            }
            columns => match columns.output(column, self.dialect) {
                Some(output) => Some(output.text),
                None => columns
                    .find(column, &self.guard.schema, self.dialect)
                    .map(|_| false),
            },
        };
        scope
            .outwards()
            .find_map(|scope| scope.relations.iter().filter(is_named).find_map(holds))
            .unwrap_or_default()
    }

    /// Reports a masked column that a query gives where its value is used.
    pub(super) fn refuse_masked(&mut self, columns: &Columns) {
        if let Some(output) = columns.masked() {
            self.masked(&output.name.clone());
        }
    }

    pub(super) fn masked(&mut self, column: &str) {
        let message = format!(
            "Column '{column}' is masked: it may stand in the select list by itself, where it shows ***, and in no \
             condition, join, function, grouping or order."
        );
        self.refuse(Kind::NotPermitted, message);
    }

    /// Whether a column that the select list names is masked, if one is intended.
    fn alias(&self, column: &mut Ident, aliases: &[Name]) -> Option<bool> {
        let alias = aliases
            .iter()
            .find(|alias| alias.is(column, self.dialect))?;
        *column = alias.ident.clone();
        Some(alias.masked)
    }

    fn named_by_alias(&mut self, column: &Ident, masked: bool) {
        if masked && !self.shown {
            self.masked(&column.value.clone());
        }
    }

    pub(super) fn missing_qualifier(&mut self, qualifier: &Ident) {
        let schema = &self.guard.schema;
        let known = schema.find(None, qualifier, self.dialect);
        let finding = if matches!(known, Meant::Nothing) {
            suggest::unknown_table(schema, &qualifier.value)
        } else {
            let message = format!(
                "Table '{}' is not in scope here: name it in FROM, or use the alias it has there.",
                qualifier.value
            );
            Finding::new(Kind::UnknownTable, message)
        };
        self.report(finding);
    }
}
