//! `/api/sources`: the search sources that the analyst searches.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::targets::{NewConnection, TargetConnection, TargetTestStep};
use crate::tools::search::{SourceDescription, SourceKind};

/// An address of Elasticsearch, OpenSearch or GraphQL, with its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEndpoint {
    /// The address: `https://host:9200`, or that of the GraphQL endpoint. Without a user and a
    /// password.
    #[schema(
        min_length = 1,
        max_length = 2000,
        example = "https://search.example.com:9200"
    )]
    pub url: String,
    /// Of Elasticsearch: an API key, as `Authorization: ApiKey …` has it. Of GraphQL: a bearer
    /// token. It is stored encrypted, as all credentials are, and no answer has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 4096, format = Password)]
    pub api_key: Option<String>,
    /// The user of basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    pub username: Option<String>,
    /// The password of basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1024, format = Password)]
    pub password: Option<String>,
    /// Headers sent with each request, for servers that take a key in a header of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// A search source to be added, or tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSource {
    /// The name, by which questions can name it.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[a-z0-9_-]+$",
        example = "orders"
    )]
    pub name: String,
    /// The kind.
    pub kind: SourceKind,
    /// A description of its contents, for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// The address of Elasticsearch, OpenSearch or GraphQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<NewEndpoint>,
    /// The connection to a PostgreSQL database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<NewConnection>,
    /// PostgreSQL: the schema whose tables are the indices where none are given. Default: `public`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 63)]
    pub schema: Option<String>,
    /// PostgreSQL: whether a role that may write is accepted. Queries run in transactions that only
    /// read anyway.
    #[serde(default)]
    pub allow_writing_role: bool,
    /// The field of every index, or column of every table, with the tenant's name: each query is
    /// filtered by it, and it is not shown. Needed only where the source holds data of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub tenant_field: Option<String>,
    /// The IANA zone of its days. Default: UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64, example = "Europe/Berlin")]
    pub time_zone: Option<String>,
    /// What may be asked. Without any: all tables of the schema, all indices of the cluster (200 at
    /// most), all lists of the GraphQL endpoint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 200)]
    pub indices: Vec<SourceIndex>,
}

/// Changes of a search source. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSource {
    /// A description of its contents. An empty one removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// Another address, with its credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<NewEndpoint>,
    /// Another connection, with its password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<NewConnection>,
    /// Whether a role that may write is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_writing_role: Option<bool>,
    /// The field with the tenant's name. An empty one removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub tenant_field: Option<String>,
    /// The IANA zone of its days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64)]
    pub time_zone: Option<String>,
    /// What may be asked, with its words, in place of all indices before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 200)]
    pub indices: Option<Vec<SourceIndex>>,
}

/// An index, table or list that may be asked. Its fields and their types are read from the source;
/// what stands here adds words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceIndex {
    /// Its name: of Elasticsearch that of the index or alias, without patterns.
    #[schema(min_length = 1, max_length = 255)]
    pub name: String,
    /// Of PostgreSQL: the table or view, `schema.table`. Default: the name, in the schema `public`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Of GraphQL: the field of the query type that lists it. Default: the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_field: Option<String>,
    /// A description of the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What people call its records, singular before plural.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nouns: Vec<String>,
    /// The entity that each record of it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<SourceEntity>,
    /// The field that identifies a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_field: Option<String>,
    /// The date field that is intended when none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_field: Option<String>,
    /// Fields that a list of records shows when none are asked for. Default: the first ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Words for its fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<SourceField>,
}

/// The entity of each record, and the fields that name it. The id is the index's `id_field`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SourceEntity {
    /// `port`, `vessel`.
    #[serde(rename = "type")]
    pub entity_type: String,
    /// The field with its name.
    pub name_field: String,
    /// The field with its other names: a list, or one text with them between commas or semicolons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias_field: Option<String>,
    /// The field that distinguishes records with the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description_field: Option<String>,
}

/// Words for a field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SourceField {
    /// Its name in the source, with dots for members.
    pub name: String,
    /// A description of the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Other words for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// The unit of its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The type of the entity that it names by its id or its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// The field is never shown, and queries that name it are rejected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Its values, where there are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The search sources of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceEntries {
    /// The sources, those of the configuration first.
    pub sources: Vec<SourceInfo>,
}

/// A search source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceInfo {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: SourceKind,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is in a configuration file: it cannot be changed here.
    pub fixed: bool,
    /// Whether a source of the configuration with the same name is used in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaced_by_fixed: bool,
    /// Why it cannot be asked now; absent if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Its address, for those who may change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<SourceEndpoint>,
    /// Its connection, for those who may change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<TargetConnection>,
    /// The names of the indices that may be asked; empty for all lists of a GraphQL endpoint.
    pub indices: Vec<String>,
    /// When it was added. Absent for sources of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
    /// When it was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
}

/// An address without its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceEndpoint {
    /// The address.
    pub url: String,
    /// Whether an API key is sent.
    pub has_api_key: bool,
    /// The user of basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The names of further headers that are sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
}

/// A search source with its indices and fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceDetails {
    /// The source.
    pub source: SourceInfo,
    /// The indices as they were added or changed, for those who may change them: `PATCH` takes them
    /// back. Empty for sources of the configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indices: Vec<SourceIndex>,
    /// The description of the source, with these words; `unavailable` says why it is away. Absent
    /// if it cannot be used at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<SourceDescription>,
}

/// The outcome of a test, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceTest {
    /// Whether every step passed.
    pub ok: bool,
    /// The steps in order: `host`, of PostgreSQL `connection`, `encryption`, `database`, `role` and
    /// `tables`, then `indices`; the last one is that which failed.
    pub steps: Vec<TargetTestStep>,
    /// The indices that were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indices: Vec<FoundIndex>,
}

/// An index that a test found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundIndex {
    /// The name of an index, table or list.
    pub name: String,
    /// Number of its fields.
    pub fields: u32,
}
