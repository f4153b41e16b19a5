//! A PostgreSQL source asked in GraphQL: a schema made of its indices, and documents executed over
//! the same typed queries as any other.

mod execute;
mod sdl;

use contracts::tools::search::SourceDescription;

pub(super) use self::execute::execute;
use super::schema::{GraphqlSchema, SchemaError};

/// The schema of a source's indices, and what its names represent.
#[derive(Debug)]
pub(super) struct Embedded {
    schema: GraphqlSchema,
    records: Vec<RecordType>,
}

/// An index as a type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordType {
    /// The index.
    index: String,
    /// The type.
    name: String,
    /// The root field that lists it.
    list: String,
    /// The root field that has one of it.
    single: Option<String>,
    /// The index's fields by their names in the schema.
    fields: Vec<(String, String)>,
    relations: Vec<Relation>,
}

/// A way from a record to others.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Relation {
    /// Its name in the schema.
    name: String,
    /// The other index.
    index: String,
    /// The field of this index.
    own: String,
    /// The field of the other one that has the same value.
    other: String,
    /// Whether there may be several.
    many: bool,
}

impl Embedded {
    /// Of what a source has.
    pub(super) fn of(description: &SourceDescription) -> Result<Embedded, SchemaError> {
        let (text, records) = sdl::of(&description.indices);
        let schema = GraphqlSchema::from_sdl(&text)?;
        Ok(Embedded { schema, records })
    }

    /// The schema.
    pub(super) fn schema(&self) -> &GraphqlSchema {
        &self.schema
    }

    fn of_index(&self, index: &str) -> Option<&RecordType> {
        self.records.iter().find(|record| record.index == index)
    }
}

impl RecordType {
    /// The index's field that a name of the schema is.
    fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, field)| field.as_str())
    }

    fn relation(&self, name: &str) -> Option<&Relation> {
        self.relations.iter().find(|relation| relation.name == name)
    }
}

#[cfg(test)]
mod tests;
