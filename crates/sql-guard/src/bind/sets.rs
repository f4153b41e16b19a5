//! Functions that give rows, in FROM: PostgreSQL's set-returning functions, and `JSON_TABLE`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, JsonTableColumn, JsonTableColumnErrorHandling,
    ObjectName, TableAlias, TableFactor, TableFunctionArgs, visit_expressions,
};

use super::Binder;
use crate::fold;
use crate::guard::Dialect;
use crate::scope::{Columns, Name, Output, Relation, Scope};

/// Functions that may stand in FROM, with the names of their columns; without one the column is called as the function, or as
/// its alias.
#[rustfmt::skip]
const IN_FROM: &[(&str, &[&str])] = &[
    ("generate_series", &[]), ("generate_subscripts", &[]), ("json_array_elements", &["value"]),
    ("json_array_elements_text", &["value"]), ("json_each", &["key", "value"]),
    ("json_each_text", &["key", "value"]), ("json_object_keys", &[]),
    ("jsonb_array_elements", &["value"]), ("jsonb_array_elements_text", &["value"]),
    ("jsonb_each", &["key", "value"]), ("jsonb_each_text", &["key", "value"]),
    ("jsonb_object_keys", &[]), ("jsonb_path_query", &[]), ("regexp_matches", &[]),
    ("regexp_split_to_table", &[]), ("string_to_table", &[]), ("unnest", &[]),
];

impl Binder<'_> {
    /// A function in FROM. It sees what stands before it.
    pub(super) fn set_function(
        &mut self,
        factor: &mut TableFactor,
        relations: &mut Vec<Relation>,
        parent: Option<&Scope>,
    ) {
        // A function sees what stands before it with LATERAL and without.
        if let TableFactor::Function {
            name,
            args,
            with_ordinality,
            alias,
            ..
        } = factor
        {
            *factor = TableFactor::Table {
                name: ObjectName(std::mem::take(&mut name.0)),
                alias: alias.take(),
                args: Some(TableFunctionArgs {
                    args: std::mem::take(args),
                    settings: None,
                }),
                with_hints: Vec::new(),
                version: None,
                with_ordinality: *with_ordinality,
                partitions: Vec::new(),
                json_path: None,
                sample: None,
                index_hints: Vec::new(),
            };
        }
        let about = Scope::of(relations, parent);
        let relation = match factor {
            TableFactor::Table {
                name,
                args: Some(args),
                alias,
                with_ordinality,
                ..
            } => {
                let function = match name.0.as_slice() {
                    [part] => part.as_ident().cloned(),
                    _ => None,
                };
                if args.settings.is_some() {
                    self.unsupported("A table function with settings");
                }
                let relation = self.called(
                    function.as_ref(),
                    &mut args.args,
                    alias,
                    *with_ordinality,
                    &about,
                );
                if let Some(function) = function {
                    *name = vec![Ident::new(fold(&function.value))].into();
                }
                relation
            }
            TableFactor::UNNEST {
                alias,
                array_exprs,
                with_offset: false,
                with_offset_alias: None,
                with_ordinality,
            } if self.dialect == Dialect::PostgreSql => {
                for expression in array_exprs.iter_mut() {
                    self.lateral(expression, &about);
                }
                let width = array_exprs.len();
                self.given("unnest", &vec![""; width], alias, *with_ordinality)
            }
            TableFactor::JsonTable {
                json_expr,
                json_path,
                columns,
                alias,
            } if self.dialect == Dialect::MySql => {
                self.lateral(json_expr, &about);
                self.literal(&mut json_path.value);
                let mut names = Vec::new();
                self.json_columns(columns, &mut names);
                let Some(alias) = alias else {
                    self.unsupported("JSON_TABLE without an alias");
                    relations.push(Relation::new(None, Columns::Any));
                    return;
                };
                alias.explicit = true;
                let columns = Columns::List(names.into_iter().map(Output::plain).collect());
                let columns = self.renamed(columns, alias);
                Relation::new(Some(Name::new(&alias.name, self.dialect)), columns)
            }
            _ => {
                self.unsupported("A table function or this kind of table");
                Relation::new(None, Columns::Any)
            }
        };
        relations.push(relation);
    }

    fn called(
        &mut self,
        function: Option<&Ident>,
        arguments: &mut [FunctionArg],
        alias: &mut Option<TableAlias>,
        with_ordinality: bool,
        about: &Scope,
    ) -> Relation {
        let name = function.map(|function| fold(&function.value));
        let known = IN_FROM
            .iter()
            .find(|(known, _)| Some(*known) == name.as_deref());
        let (Some((name, columns)), Dialect::PostgreSql) = (known, self.dialect) else {
            self.unsupported("A table function or this kind of table");
            return Relation::new(None, Columns::Any);
        };
        for argument in arguments {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => {
                    self.lateral(expression, about);
                }
                _ => self.unsupported("This kind of argument"),
            }
        }
        let columns: &[&str] = if columns.is_empty() { &[""] } else { columns };
        self.given(name, columns, alias, with_ordinality)
    }

    /// An argument. One with columns is worked out on rows before they are filtered.
    fn lateral(&mut self, expression: &mut Expr, about: &Scope) {
        self.expression(expression, about);
        let found = visit_expressions(expression, |part| match part {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Subquery(_) => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        self.needs.early |= found.is_break();
    }

    /// What a function's rows are called; a column without a name is called as the alias, or as the function.
    fn given(
        &mut self,
        function: &str,
        columns: &[&str],
        alias: &mut Option<TableAlias>,
        with_ordinality: bool,
    ) -> Relation {
        let name = match alias {
            Some(alias) => alias.name.clone(),
            None => Ident::new(function),
        };
        let called = Name::new(&name, self.dialect);
        let mut outputs: Vec<Output> = columns
            .iter()
            .map(|column| match *column {
                "" => Output::plain(called.text()),
                column => Output::plain(column),
            })
            .collect();
        let single = outputs.len() == 1 && !with_ordinality;
        if with_ordinality {
            outputs.push(Output::plain("ordinality"));
        }
        let mut columns = Columns::List(outputs);
        let mut renamed = false;
        if let Some(alias) = alias {
            alias.explicit = true;
            renamed = !alias.columns.is_empty();
            columns = self.renamed(columns, alias);
        }
        Relation {
            is_value: single && !renamed,
            ..Relation::new(Some(called), columns)
        }
    }

    fn json_columns(&mut self, columns: &mut [JsonTableColumn], names: &mut Vec<String>) {
        for column in columns {
            match column {
                JsonTableColumn::Named(column) => {
                    self.plain(&column.name);
                    self.data_type(&column.r#type);
                    self.literal(&mut column.path.value);
                    for handling in [&mut column.on_empty, &mut column.on_error]
                        .into_iter()
                        .flatten()
                    {
                        match handling {
                            JsonTableColumnErrorHandling::Default(value) => {
                                self.literal(&mut value.value);
                            }
                            JsonTableColumnErrorHandling::Null
                            | JsonTableColumnErrorHandling::Error => {}
                        }
                    }
                    names.push(column.name.value.clone());
                }
                JsonTableColumn::ForOrdinality(name) => {
                    self.plain(name);
                    names.push(name.value.clone());
                }
                JsonTableColumn::Nested(nested) => {
                    self.literal(&mut nested.path.value);
                    self.deeper(|binder| binder.json_columns(&mut nested.columns, names));
                }
            }
        }
    }
}
