//! The tenant's condition in another user's document, for endpoints that several tenants share.
//!
//! Each list of records that have the tenant's field is filtered by it in the query itself; each
//! such record is asked for the field as well, and one of another tenant is left out of the answer,
//! however it was reached. What cannot be filtered so is refused.

use apollo_compiler::ast::{FieldDefinition, Type};
use apollo_compiler::executable::{Field, Selection, SelectionSet, Value as Literal};
use apollo_compiler::{Name, Node};
use contracts::tools::search::QueryProblem;
use search::problem;
use serde_json::{Map, Value};

use super::build;
use super::rewrite::{Draft, set_argument};
use super::schema::GraphqlSchema;
use super::shape::{self, ListRoot, Within};
use super::validate::CheckedQuery;
use crate::SourceConfig;

/// The alias under which each record's tenant is requested.
pub(super) const KEY: &str = "heliographTenant";

/// What each query of a source is filtered by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guard<'a> {
    field: Option<&'a str>,
    tenant: &'a str,
}

impl<'a> Guard<'a> {
    pub(super) fn of(config: &'a SourceConfig, tenant: &'a str) -> Self {
        Self {
            field: config.tenant_field.as_deref(),
            tenant,
        }
    }

    /// The query with the condition in it.
    pub(super) fn guarded(
        &self,
        schema: &GraphqlSchema,
        checked: &CheckedQuery,
    ) -> Result<Draft, QueryProblem> {
        let none = || problem("/query", "invalid", "There is no query in the document.");
        let mut draft = Draft::of(checked).ok_or_else(none)?;
        if let Some(field) = self.field {
            let Draft {
                operation,
                variables,
            } = &mut draft;
            let mut writer = Writer {
                schema,
                field,
                tenant: self.tenant,
                variables,
            };
            writer.set(&mut operation.selection_set, At::Root)?;
        }
        Ok(draft)
    }

    /// The answer without other tenants' records, and without the fields that this crate added.
    pub(super) fn cleaned(&self, mut data: Map<String, Value>) -> Map<String, Value> {
        if self.field.is_some() {
            for value in data.values_mut() {
                self.clean(value);
            }
        }
        data
    }

    fn clean(&self, value: &mut Value) {
        match value {
            Value::Array(values) => {
                for value in values.iter_mut() {
                    self.clean(value);
                }
                values.retain(|value| !value.is_null());
            }
            Value::Object(members) => {
                let owner = members.remove(KEY);
                if owner.is_some_and(|owner| owner.as_str() != Some(self.tenant)) {
                    *value = Value::Null;
                } else {
                    members.values_mut().for_each(|member| self.clean(member));
                }
            }
            _ => {}
        }
    }
}

/// The place of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Root,
    Record,
    /// In what stands around the records of a list that is filtered.
    List,
}

struct Writer<'a> {
    schema: &'a GraphqlSchema,
    field: &'a str,
    tenant: &'a str,
    variables: &'a mut Map<String, Value>,
}

impl Writer<'_> {
    fn set(&mut self, set: &mut SelectionSet, at: At) -> Result<(), QueryProblem> {
        for selection in &mut set.selections {
            match selection {
                Selection::Field(field) => self.visit(field.make_mut(), at)?,
                Selection::InlineFragment(fragment) => {
                    self.set(&mut fragment.make_mut().selection_set, at)?;
                }
                Selection::FragmentSpread(_) => return Err(refused("fragments")),
            }
        }
        Ok(())
    }

    fn visit(&mut self, field: &mut Field, at: At) -> Result<(), QueryProblem> {
        if field.response_key() == KEY {
            return Err(refused(KEY));
        }
        let ty = field.ty().clone();
        if self.schema.is_leaf(&ty) {
            return match at {
                At::Root if field.name != "__typename" => Err(refused(&field.name)),
                _ => Ok(()),
            };
        }
        let named = ty.inner_named_type();
        let object = self.schema.valid().get_object(named).is_some();
        if !object || named == self.schema.query_type() {
            return Err(refused(&field.name));
        }
        let own = shape::leaf(self.schema, named, self.field);
        let inner = match own {
            Some(own) => {
                if ty.is_list() && at != At::List {
                    self.filter(field, &ty)?;
                }
                self.set(&mut field.selection_set, At::Record)?;
                return ask(&mut field.selection_set, own);
            }
            None => self.around(field, &ty, at)?,
        };
        self.set(&mut field.selection_set, inner)
    }

    /// A field around records, or without a tenant: filtered, if its records have one.
    fn around(&mut self, field: &mut Field, ty: &Type, at: At) -> Result<At, QueryProblem> {
        if at == At::List {
            return Ok(At::List);
        }
        let list = shape::list_within(self.schema, ty);
        let owned =
            list.is_some_and(|(_, item)| shape::leaf(self.schema, item, self.field).is_some());
        if owned {
            self.filter(field, ty)?;
            return Ok(At::List);
        }
        // A record without a tenant is returned as part of one of the tenant's records, not on its
        // own.
        if at == At::Root {
            return Err(refused(&field.name));
        }
        Ok(At::Record)
    }

    fn filter(&mut self, field: &mut Field, ty: &Type) -> Result<(), QueryProblem> {
        let definition = field.definition.clone();
        let (within, item) = shape::list_within(self.schema, ty).unwrap_or((Within::Plain, ""));
        let list = ListRoot {
            field: &definition,
            within,
            item,
            total: None,
        };
        let way = build::equality(self.schema, &list, self.field);
        let (argument, path) = way.ok_or_else(|| refused(&field.name))?;
        let tenant = Literal::String(self.tenant.to_owned());
        let Some((member, rest)) = path.split_first() else {
            set_argument(field, argument, tenant);
            return Ok(());
        };
        let name = |name: &str| Name::new(name).map_err(|_| refused(name));
        let mut condition = tenant;
        let mut value = Value::from(self.tenant);
        for step in rest.iter().rev() {
            condition = Literal::Object(vec![(name(step)?, Node::new(condition))]);
            value = Value::Object(Map::from_iter([((*step).to_owned(), value)]));
        }
        let given = field.arguments.iter().find(|given| given.name == argument);
        let members = match given.map(|given| &*given.value) {
            Some(Literal::Variable(variable)) => {
                let variable = self.variables.entry(variable.as_str());
                let known = variable.or_insert(Value::Null);
                if !known.is_object() {
                    *known = Value::Object(Map::new());
                }
                if let Value::Object(members) = known {
                    members.insert((*member).to_owned(), value);
                }
                return Ok(());
            }
            Some(Literal::Object(members)) => members.clone(),
            _ => Vec::new(),
        };
        let others = members.into_iter().filter(|(known, _)| known != *member);
        let own = (name(member)?, Node::new(condition));
        let all = others.chain([own]).collect();
        set_argument(field, argument, Literal::Object(all));
        Ok(())
    }
}

/// Asks a record for its tenant.
fn ask(set: &mut SelectionSet, own: &FieldDefinition) -> Result<(), QueryProblem> {
    let alias = Name::new(KEY).map_err(|_| refused(KEY))?;
    let mut field = Field::new(own.name.clone(), Node::new(own.clone()));
    field.alias = Some(alias);
    set.push(field);
    Ok(())
}

fn refused(name: &str) -> QueryProblem {
    let text = format!("'{name}' cannot be asked: what is another tenant's could not be left out.");
    problem("/query", "not_allowed", text)
}

#[cfg(test)]
mod tests;
