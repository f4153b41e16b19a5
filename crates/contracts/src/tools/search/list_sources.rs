//! `list_sources`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{QueryType, SourceKind};
use crate::tools::{Tool, ToolCategory};

/// The tool `list_sources`.
#[derive(Debug, Clone, Copy)]
pub struct ListSources;

impl Tool for ListSources {
    const NAME: &'static str = "list_sources";
    const CATEGORY: ToolCategory = ToolCategory::Search;
    const SUMMARY: &'static str = "The search sources with their indices and fields.";
    const DESCRIPTION: &'static str = "Lists the search sources with their indices and fields, and the day that relative dates count from.";

    type Arguments = ListSourcesArguments;
    type Result = SourceList;
}

/// Arguments of `list_sources`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSourcesArguments {
    /// Only this source. Default: every source of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
}

/// Result of `list_sources`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceList {
    /// The sources of the tenant, in the order of the configuration.
    pub sources: Vec<SourceDescription>,
}

/// A source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceDescription {
    /// The name of the target.
    pub name: String,
    /// The operator's description of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kind of the source.
    pub kind: SourceKind,
    /// How it can be asked.
    pub query_types: Vec<QueryType>,
    /// Its IANA zone.
    pub time_zone: String,
    /// The day that relative dates count from: today, or the newest day of data that end in the
    /// past.
    pub today: NaiveDate,
    /// The source of that day.
    pub today_from: TodayFrom,
    /// Why its indices are not known at the moment: it is away. Then there are none here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// What can be asked.
    pub indices: Vec<IndexDescription>,
}

/// The source of a source's day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodayFrom {
    /// It is today.
    Clock,
    /// The data end then.
    Data,
    /// The operator fixed it.
    Configuration,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IndexDescription {
    /// Its name: `shipments`.
    pub name: String,
    /// A description of the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What people call its records, singular before plural: `shipment`, `shipments`.
    pub nouns: Vec<String>,
    /// The type of entity that a record of it is: `vessel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// The field that identifies a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_field: Option<String>,
    /// The date field that is intended when none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_field: Option<String>,
    /// Fields that a list of records shows when none are asked for, in order.
    pub shown: Vec<String>,
    /// The fields of the index.
    pub fields: Vec<FieldDescription>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FieldDescription {
    /// Its name in the source, with dots for members: `actual_arrival`, `port.name`.
    pub name: String,
    /// The type of the field.
    pub field_type: FieldType,
    /// A description of the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Other words for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// Its unit: `h`, `kg`, `TEU`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The type of the entity that it names by its id or its name: `port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// The subfield with the whole value, of a text field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact_field: Option<String>,
    /// Its values, where there are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    /// A text that is compared as a whole.
    Keyword,
    /// A text that is searched by its words.
    Text,
    /// A whole number.
    Long,
    /// A number.
    Double,
    /// A day or a time.
    Date,
    /// Yes or no.
    Boolean,
}

impl FieldType {
    /// Whether it can be added up.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Long | Self::Double)
    }
}
