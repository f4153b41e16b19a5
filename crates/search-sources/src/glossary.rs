//! The configuration's words for what a source says of its indices.

use contracts::tools::search::{FieldDescription, FieldType, IndexDescription};

use crate::{IndexConfig, SourceConfig};

/// A field as the source describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundField {
    pub(crate) name: String,
    pub(crate) field_type: FieldType,
    pub(crate) exact_field: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) synonyms: Vec<String>,
    pub(crate) values: Vec<String>,
    pub(crate) entity_type: Option<String>,
}

impl FoundField {
    pub(crate) fn new(name: impl Into<String>, field_type: FieldType) -> FoundField {
        FoundField {
            name: name.into(),
            field_type,
            exact_field: None,
            description: None,
            synonyms: Vec::new(),
            values: Vec::new(),
            entity_type: None,
        }
    }
}

/// An index of its fields: without the tenant's and the hidden ones, with the configuration's
/// words. What the configuration names and the source does not have is left out.
pub(crate) fn describe(
    config: &SourceConfig,
    index: &IndexConfig,
    found: Vec<FoundField>,
) -> IndexDescription {
    let seen = |field: &FoundField| {
        let is_tenant = config.tenant_field.as_ref() == Some(&field.name);
        let hidden = index.field(&field.name).is_some_and(|words| words.hidden);
        !is_tenant && !hidden
    };
    let fields: Vec<FieldDescription> = found
        .into_iter()
        .filter(seen)
        .map(|field| with_words(field, index))
        .collect();
    let has = |name: &&String| {
        let known = fields.iter().any(|field| &field.name == *name);
        if !known {
            tracing::warn!(
                source = config.name,
                index = index.name,
                field = *name,
                "the configuration names a field that the source does not have"
            );
        }
        known
    };
    IndexDescription {
        name: index.name.clone(),
        description: index.description.clone(),
        nouns: index.nouns.clone(),
        entity_type: index.entity.as_ref().map(|it| it.entity_type.clone()),
        id_field: index.id_field.as_ref().filter(has).cloned(),
        date_field: index.date_field.as_ref().filter(has).cloned(),
        shown: index.shown.iter().filter(has).cloned().collect(),
        fields,
    }
}

fn with_words(field: FoundField, index: &IndexConfig) -> FieldDescription {
    let words = index.field(&field.name).cloned().unwrap_or_default();
    let mut synonyms = words.synonyms;
    synonyms.extend(field.synonyms);
    FieldDescription {
        name: field.name,
        field_type: field.field_type,
        description: words.description.or(field.description),
        synonyms,
        unit: words.unit,
        entity_type: words.entity_type.or(field.entity_type),
        exact_field: field.exact_field,
        values: if words.values.is_empty() {
            field.values
        } else {
            words.values
        },
    }
}
