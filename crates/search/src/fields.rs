//! The fields of an index by the names that queries use.

use contracts::tools::search::{FieldDescription, FieldType, IndexDescription};

use crate::problem::nearest;

/// The fields of an index.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    index: &'a IndexDescription,
}

/// A field, or the exact subfield of a text field.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The name that queries use.
    pub name: &'a str,
    /// The type of the field; for an exact subfield a keyword.
    pub field_type: FieldType,
    /// The description of the field; for an exact subfield, of the field it belongs to.
    pub described: &'a FieldDescription,
}

impl<'a> Fields<'a> {
    /// The fields of an index.
    pub fn of(index: &'a IndexDescription) -> Fields<'a> {
        Fields { index }
    }

    /// Finds a field by name.
    pub fn find(self, name: &str) -> Option<Field<'a>> {
        self.index.fields.iter().find_map(|described| {
            if described.name == name {
                return Some(Field {
                    name: &described.name,
                    field_type: described.field_type,
                    described,
                });
            }
            let exact = described.exact_field.as_deref()?;
            (exact == name).then_some(Field {
                name: exact,
                field_type: FieldType::Keyword,
                described,
            })
        })
    }

    /// The names most similar to `name`.
    pub fn nearest(self, name: &str) -> Vec<String> {
        nearest(
            name,
            self.index.fields.iter().map(|field| field.name.as_str()),
        )
    }
}

impl<'a> Field<'a> {
    /// The field itself, or for a text field the subfield that compares, sorts and groups whole
    /// values. Some text fields have none.
    pub fn exact(self) -> Option<Field<'a>> {
        match self.field_type {
            FieldType::Text => self.described.exact_field.as_deref().map(|name| Field {
                name,
                field_type: FieldType::Keyword,
                described: self.described,
            }),
            _ => Some(self),
        }
    }
}
