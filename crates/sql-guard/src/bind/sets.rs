//! Functions that give rows, in FROM: PostgreSQL's set-returning functions, and `JSON_TABLE`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, JsonTableColumn, JsonTableColumnErrorHandling,
    ObjectName, ObjectNamePart, TableAlias, TableFactor, TableFunctionArgs, visit_expressions,
};

use super::Binder;
use crate::fold;
use crate::guard::Dialect;
use crate::scope::{Columns, Name, Output, Relation, Scope};

/// Functions that may are in FROM, with the names of their columns; without one the column is
/// called as the function, or as its alias.
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

/// Functions whose columns stand with their types behind them.
const OF_RECORDS: [&str; 4] = [
    "json_to_record",
    "json_to_recordset",
    "jsonb_to_record",
    "jsonb_to_recordset",
];

/// A call in FROM, as the parser reads it without LATERAL.
fn call(
    name: Vec<ObjectNamePart>,
    args: Vec<FunctionArg>,
    with_ordinality: bool,
    alias: Option<TableAlias>,
) -> TableFactor {
    let is_unnest = matches!(
        name.as_slice(),
        [ObjectNamePart::Identifier(name)] if name.quote_style.is_none() && fold(&name.value) == "unnest"
    );
    let arrays = args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(array)) => Some(array.clone()),
        _ => None,
    });
    match arrays.collect() {
        Some(array_exprs) if is_unnest => TableFactor::UNNEST {
            alias,
            array_exprs,
            with_offset: false,
            with_offset_alias: None,
            with_ordinality,
        },
        _ => TableFactor::Table {
            name: ObjectName(name),
            alias,
            args: Some(TableFunctionArgs {
                args,
                settings: None,
            }),
            with_hints: Vec::new(),
            version: None,
            with_ordinality,
            partitions: Vec::new(),
            json_path: None,
            sample: None,
            index_hints: Vec::new(),
        },
    }
}

impl Binder<'_> {
    /// A function in FROM. It sees what is before it.
    pub(super) fn set_function(
        &mut self,
        factor: &mut TableFactor,
        relations: &mut Vec<Relation>,
        parent: Option<&Scope>,
    ) {
        // A function sees what is before it with LATERAL and without.
        if let TableFactor::Function {
            name,
            args,
            with_ordinality,
            alias,
            ..
        } = factor
        {
            *factor = call(
                std::mem::take(&mut name.0),
                std::mem::take(args),
                *with_ordinality,
                alias.take(),
            );
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
        if self.dialect == Dialect::PostgreSql
            && let Some(name) = name.as_deref().filter(|name| OF_RECORDS.contains(name))
        {
            return self.records(name, arguments, alias, with_ordinality, about);
        }
        let known = IN_FROM
            .iter()
            .find(|(known, _)| Some(*known) == name.as_deref());
        let (Some((name, columns)), Dialect::PostgreSql) = (known, self.dialect) else {
            self.unsupported("A table function or this kind of table");
            return Relation::new(None, Columns::Any);
        };
        self.arguments_in_from(arguments, about);
        let columns: &[&str] = if columns.is_empty() { &[""] } else { columns };
        self.given(name, columns, alias, with_ordinality)
    }

    fn arguments_in_from(&mut self, arguments: &mut [FunctionArg], about: &Scope) {
        for argument in arguments {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => {
                    self.lateral(expression, about);
                }
                _ => self.unsupported("This kind of argument"),
            }
        }
    }

    /// A function whose rows have the columns that its alias names, each with a type:
    /// `json_to_recordset(…) AS r(id int, name text)`.
    fn records(
        &mut self,
        function: &str,
        arguments: &mut [FunctionArg],
        alias: &mut Option<TableAlias>,
        with_ordinality: bool,
        about: &Scope,
    ) -> Relation {
        self.arguments_in_from(arguments, about);
        let Some(alias) = alias.as_mut().filter(|_| !with_ordinality) else {
            self.unsupported(&format!(
                "{function} without the columns of its rows, or with ordinality,"
            ));
            return Relation::new(None, Columns::Any);
        };
        alias.explicit = true;
        self.plain(&alias.name);
        if alias.columns.is_empty() || alias.at.is_some() {
            self.unsupported(&format!("{function} without the columns of its rows"));
        }
        let mut outputs = Vec::new();
        for column in &alias.columns {
            self.plain(&column.name);
            match &column.data_type {
                Some(data_type) => self.data_type(data_type),
                None => self.unsupported(&format!("A column of {function} without its type")),
            }
            let name = Name::new(&column.name, self.dialect);
            outputs.push(Output::plain(name.text()));
        }
        let name = Name::new(&alias.name, self.dialect);
        Relation::new(Some(name), Columns::List(outputs))
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

    /// The names of a function's columns; a column without a name is called as the alias, or as the
    /// function.
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
