//! A GraphQL schema, known here: what is asked is checked against it before anything is sent.

use std::fmt;

use apollo_compiler::ast::{FieldDefinition, OperationType, Type};
use apollo_compiler::parser::Parser;
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::Valid;
use apollo_compiler::{Name, Schema};
use serde::Deserialize as _;
use serde_json::Value;

use super::introspection::{self, Introspection};

/// The query that asks a server for its schema; [`GraphqlSchema::from_introspection`] reads the
/// answer.
pub(super) fn introspection_query() -> &'static str {
    introspection::QUERY
}

/// A validated schema.
pub(super) struct GraphqlSchema {
    schema: Valid<Schema>,
    query: String,
}

impl fmt::Debug for GraphqlSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = self.schema.types.len();
        f.debug_struct("GraphqlSchema")
            .field("query", &self.query)
            .field("types", &types)
            .finish_non_exhaustive()
    }
}

/// The reason why a schema cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the GraphQL schema cannot be used: {reason}")]
pub(super) struct SchemaError {
    reason: String,
}

impl SchemaError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}

impl GraphqlSchema {
    /// Of the `data` that a server answers to [`introspection_query`].
    pub(super) fn from_introspection(data: &Value) -> Result<Self, SchemaError> {
        let found = Introspection::deserialize(data)
            .map_err(|error| SchemaError::new(format!("its introspection: {error}")))?;
        let document = introspection::document(&found)?;
        let schema = document
            .to_schema_validate()
            .map_err(|error| SchemaError::new(first(&error.errors.to_string())))?;
        Self::of(schema)
    }

    /// Of a text in the schema definition language.
    pub(super) fn from_sdl(text: &str) -> Result<Self, SchemaError> {
        let schema = Parser::new()
            .parse_schema(text, "schema.graphql")
            .and_then(Schema::validate)
            .map_err(|error| SchemaError::new(first(&error.errors.to_string())))?;
        Self::of(schema)
    }

    /// Of a schema that was changed.
    pub(super) fn pruned(schema: Schema) -> Result<Self, SchemaError> {
        let schema = schema
            .validate()
            .map_err(|error| SchemaError::new(first(&error.errors.to_string())))?;
        Self::of(schema)
    }

    fn of(schema: Valid<Schema>) -> Result<Self, SchemaError> {
        let query = schema.root_operation(OperationType::Query);
        let query = query.ok_or_else(|| SchemaError::new("it has no queries"))?;
        let query = query.to_string();
        Ok(Self { schema, query })
    }

    pub(super) fn valid(&self) -> &Valid<Schema> {
        &self.schema
    }

    /// The name of the type that queries begin at.
    pub(super) fn query_type(&self) -> &str {
        &self.query
    }

    /// What can be asked at the root.
    pub(super) fn root_fields(&self) -> Vec<&FieldDefinition> {
        self.fields_of(&self.query)
    }

    /// The fields of an object or an interface.
    pub(super) fn fields_of(&self, type_name: &str) -> Vec<&FieldDefinition> {
        match self.schema.types.get(type_name) {
            Some(ExtendedType::Object(object)) => object.fields.values().map(|f| &***f).collect(),
            Some(ExtendedType::Interface(interface)) => {
                interface.fields.values().map(|f| &***f).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether values of this type have no fields: a scalar or an enum.
    pub(super) fn is_leaf(&self, ty: &Type) -> bool {
        let definition = self.schema.types.get(ty.inner_named_type());
        definition.is_some_and(ExtendedType::is_leaf)
    }

    /// The values of an enum; `None` of any other type.
    pub(super) fn enum_values(&self, type_name: &str) -> Option<Vec<&str>> {
        let definition = self.schema.get_enum(type_name)?;
        Some(definition.values.keys().map(Name::as_str).collect())
    }
}

/// The first line of a report; the rest points into a generated text.
fn first(report: &str) -> String {
    let line = report.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("it is not valid").trim().to_owned()
}

#[cfg(test)]
mod tests;
