//! The configuration of a source: `[[sources]]` of the tools service.

mod documents;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use chrono::NaiveDate;
use chrono_tz::Tz;
use configuration::{Invalid, Validate, http_url, positive, read_secret_file};
use contracts::tools::search::SourceKind;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

pub use documents::{DOCUMENT_VARIABLES, DocumentSources};

/// A search source.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceConfig {
    /// The source's name: 1 to 64 of a-z, 0-9, `_` and `-`.
    pub name: String,
    /// `postgresql`, `elasticsearch` (OpenSearch too) or `graphql`.
    pub kind: SourceKind,
    /// The address: `https://host:9200`, the GraphQL endpoint, or
    /// `postgres://role:password@host/database`. A PostgreSQL source without one is in the
    /// service's own database.
    #[serde(skip_serializing)]
    pub url: Option<SecretString>,
    /// A file that holds the URL.
    pub url_file: Option<PathBuf>,
    /// Of Elasticsearch: an API key, as `Authorization: ApiKey …` has it. Of GraphQL: a bearer
    /// token.
    #[serde(skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// The user of basic authentication.
    pub username: Option<String>,
    /// The password of basic authentication.
    #[serde(skip_serializing)]
    pub password: Option<SecretString>,
    /// A file that holds the password.
    pub password_file: Option<PathBuf>,
    /// The certificates (PEM) that the server's certificate is checked with, of a source that a
    /// tenant added.
    #[serde(skip)]
    pub ca_certificate: Option<String>,
    /// Headers sent with each request.
    #[serde(skip_serializing)]
    pub headers: BTreeMap<String, SecretString>,
    /// Files that hold values of such headers.
    pub header_files: BTreeMap<String, PathBuf>,
    /// A description of the contents, for people and models.
    pub description: Option<String>,
    /// Who may ask it: names of tenants, or `*` for all.
    pub tenants: Vec<String>,
    /// The field of every index, or column of every table, that has the tenant's name: each query
    /// is filtered by it. It is never shown as a field. Needed in the service's own database.
    pub tenant_field: Option<String>,
    /// The IANA zone of its days.
    pub time_zone: String,
    /// The day that relative dates count from: `clock`, `data` (the newest day of data that end in
    /// the past; not of a GraphQL endpoint, whose lists have no newest day to ask for), or a day,
    /// `2025-01-15`.
    pub today: Today,
    /// Limits on the cost of a query.
    pub limits: SourceLimits,
    /// What may be asked. Of a GraphQL endpoint none means all its lists.
    pub indices: Vec<IndexConfig>,
}

/// The day that relative dates count from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Today {
    /// Today in the source's zone.
    #[default]
    Clock,
    /// The newest day of the data, if they end in the past. Not for GraphQL.
    Data,
    /// This day.
    Day(NaiveDate),
}

impl From<Today> for String {
    fn from(today: Today) -> String {
        match today {
            Today::Clock => "clock".to_owned(),
            Today::Data => "data".to_owned(),
            Today::Day(day) => day.to_string(),
        }
    }
}

impl TryFrom<String> for Today {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Today, &'static str> {
        match text.as_str() {
            "clock" => Ok(Today::Clock),
            "data" => Ok(Today::Data),
            day => day
                .parse()
                .map(Today::Day)
                .map_err(|_| "must be clock, data, or a day as 2025-01-15"),
        }
    }
}

/// `[sources.limits]`: what a query may cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceLimits {
    /// Time that the source works on a query, ms.
    pub timeout_ms: u64,
    /// Maximum number of records in an answer.
    pub max_rows: u32,
    /// The records of an answer where no number is asked for.
    pub default_rows: u32,
    /// Maximum number of groups in an answer.
    pub max_groups: u32,
    /// Maximum number of records that an analysis reads.
    pub max_scan_rows: u32,
    /// A query that more records fit is put to a person first.
    pub approval_rows: u64,
    /// Maximum number of bytes in an answer.
    pub max_bytes: u64,
    /// Of GraphQL: how deep a query may be.
    pub max_depth: u32,
    /// Of GraphQL: how many values a query may ask for at most.
    pub max_cost: u64,
}

impl Default for SourceLimits {
    fn default() -> SourceLimits {
        SourceLimits {
            timeout_ms: 20_000,
            max_rows: 1_000,
            default_rows: 100,
            max_groups: 1_000,
            max_scan_rows: 50_000,
            approval_rows: 10_000,
            max_bytes: 16 * 1024 * 1024,
            max_depth: 6,
            max_cost: 100_000,
        }
    }
}

impl SourceLimits {
    /// Time that the source works on a query.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    fn validate(&self) -> Result<(), Invalid> {
        positive("timeout_ms", self.timeout_ms)?;
        positive("default_rows", u64::from(self.default_rows))?;
        positive("max_groups", u64::from(self.max_groups))?;
        positive("max_scan_rows", u64::from(self.max_scan_rows))?;
        positive("max_bytes", self.max_bytes)?;
        positive("max_depth", u64::from(self.max_depth))?;
        positive("max_cost", self.max_cost)?;
        // Elasticsearch's own limits: `index.max_result_window`, and buckets well below
        // `search.max_buckets`.
        for (key, value) in [("max_rows", self.max_rows), ("max_groups", self.max_groups)] {
            if value > 10_000 {
                return Err(Invalid::new(key, "must be at most 10000"));
            }
        }
        if self.default_rows > self.max_rows {
            return Err(Invalid::new(
                "default_rows",
                "must not be more than max_rows",
            ));
        }
        Ok(())
    }
}

/// `[[sources.indices]]`: one index, table or list. Its fields and their types are read from the
/// source; what stands here adds words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IndexConfig {
    /// Its name: of Elasticsearch that of the index or alias, without patterns.
    pub name: String,
    /// Of PostgreSQL: the table or view, `schema.table`. Default: the name, in the schema `public`.
    pub table: Option<String>,
    /// Of GraphQL: the field of the query type that lists it. Default: the name.
    pub root_field: Option<String>,
    /// A description of the records.
    pub description: Option<String>,
    /// What people call its records, singular before plural.
    pub nouns: Vec<String>,
    /// The entity that each record of it is.
    pub entity: Option<EntityConfig>,
    /// The field that identifies a record.
    pub id_field: Option<String>,
    /// The date field that is intended when none is named.
    pub date_field: Option<String>,
    /// Fields that a list of records shows when none are asked for. Default: the first ten.
    pub shown: Vec<String>,
    /// Words for its fields.
    pub fields: Vec<FieldConfig>,
}

/// `[sources.indices.entity]`: what a record is, and which of its fields name it. The id is the
/// index's `id_field`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EntityConfig {
    /// `port`, `vessel`.
    #[serde(rename = "type")]
    pub entity_type: String,
    /// The field with its name.
    pub name_field: String,
    /// The field with its other names: a list, or one text with them between commas or semicolons.
    pub alias_field: Option<String>,
    /// The field that distinguishes records with the same name.
    pub description_field: Option<String>,
}

/// `[[sources.indices.fields]]`: words for a field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FieldConfig {
    /// Its name in the source, with dots for members.
    pub name: String,
    /// A description of the values.
    pub description: Option<String>,
    /// Other words for it.
    pub synonyms: Vec<String>,
    /// The unit of its values.
    pub unit: Option<String>,
    /// The type of the entity that it names by its id or its name.
    pub entity_type: Option<String>,
    /// The field is never shown, and queries that name it are rejected.
    pub hidden: bool,
    /// Its values, where there are few.
    pub values: Vec<String>,
}

impl Default for SourceConfig {
    fn default() -> SourceConfig {
        SourceConfig {
            name: String::new(),
            kind: SourceKind::Postgresql,
            url: None,
            url_file: None,
            api_key: None,
            api_key_file: None,
            username: None,
            password: None,
            password_file: None,
            ca_certificate: None,
            headers: BTreeMap::new(),
            header_files: BTreeMap::new(),
            description: None,
            tenants: Vec::new(),
            tenant_field: None,
            time_zone: "UTC".to_owned(),
            today: Today::Clock,
            limits: SourceLimits::default(),
            indices: Vec::new(),
        }
    }
}

impl SourceConfig {
    /// A source of this name and kind, open to every tenant, with the defaults otherwise.
    pub fn new(name: impl Into<String>, kind: SourceKind) -> SourceConfig {
        SourceConfig {
            name: name.into(),
            kind,
            tenants: vec!["*".to_owned()],
            ..SourceConfig::default()
        }
    }

    /// Whether a tenant may ask it.
    pub fn is_for(&self, tenant: &str) -> bool {
        self.tenants
            .iter()
            .any(|name| name == "*" || name == tenant)
    }

    /// The configuration of an index.
    pub fn index(&self, name: &str) -> Option<&IndexConfig> {
        self.indices.iter().find(|index| index.name == name)
    }

    /// Its zone; UTC where the name is none, which [`Validate`] refuses.
    pub fn zone(&self) -> Tz {
        self.time_zone.parse().unwrap_or(Tz::UTC)
    }

    fn validate_address(&self) -> Result<(), Invalid> {
        let url = self.url.as_ref().map(ExposeSecret::expose_secret);
        match (self.kind, url) {
            (SourceKind::Postgresql, None) if self.tenant_field.is_none() => Err(Invalid::new(
                "tenant_field",
                "must be there for a source in the service's own database",
            )),
            (SourceKind::Postgresql, None) => Ok(()),
            (SourceKind::Postgresql, Some(url))
                if url.starts_with("postgres://") || url.starts_with("postgresql://") =>
            {
                Ok(())
            }
            (SourceKind::Postgresql, Some(_)) => Err(Invalid::new(
                "url",
                "must begin with postgres:// (or come from url_file)",
            )),
            (_, None) => Err(Invalid::new("url", "must be there, or come from url_file")),
            (_, Some(url)) => http_url("url", url),
        }
    }
}

impl Validate for SourceConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("url", &mut self.url, self.url_file.as_deref())?;
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())?;
        read_secret_file(
            "password",
            &mut self.password,
            self.password_file.as_deref(),
        )?;
        for (name, path) in &self.header_files {
            let mut value = self.headers.remove(name);
            read_secret_file("header", &mut value, Some(path))
                .map_err(|fault| Invalid::new(format!("header_files.{name}"), fault.reason))?;
            self.headers
                .extend(value.map(|value| (name.clone(), value)));
        }
        Ok(())
    }

    fn validate(&self) -> Result<(), Invalid> {
        configuration::name("name", &self.name, true)?;
        self.validate_address()?;
        if self.api_key.is_some() && self.username.is_some() {
            return Err(Invalid::new(
                "api_key",
                "must not be given together with username",
            ));
        }
        if self.tenants.is_empty() {
            return Err(Invalid::new(
                "tenants",
                "must name who may ask, or be [\"*\"]",
            ));
        }
        if self.time_zone.parse::<Tz>().is_err() {
            return Err(Invalid::new(
                "time_zone",
                "must be the name of an IANA zone",
            ));
        }
        self.limits
            .validate()
            .map_err(|fault| fault.within("limits"))?;
        if self.kind == SourceKind::Graphql && self.today == Today::Data {
            return Err(Invalid::new(
                "today",
                "must be clock or a day, as 2025-01-15: a GraphQL endpoint cannot be asked for the newest day of its data",
            ));
        }
        if self.indices.is_empty() && self.kind != SourceKind::Graphql {
            return Err(Invalid::new("indices", "must name what may be asked"));
        }
        let mut names = HashSet::new();
        for (position, index) in self.indices.iter().enumerate() {
            let within = |fault: Invalid| fault.within(&format!("indices.{position}"));
            if !names.insert(index.name.as_str()) {
                return Err(within(Invalid::new("name", "is another index's too")));
            }
            index.validate(self.kind).map_err(within)?;
        }
        Ok(())
    }
}

impl IndexConfig {
    fn validate(&self, kind: SourceKind) -> Result<(), Invalid> {
        // A pattern, a list or a path would reach more than one index.
        let plain = !self.name.is_empty()
            && self.name.len() <= 255
            && !self.name.starts_with(['_', '-', '+', '.'])
            && self
                .name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        if !plain {
            return Err(Invalid::new(
                "name",
                "must be letters, digits, _, - and ., and begin with a letter or digit",
            ));
        }
        if self.table.is_some() && kind != SourceKind::Postgresql {
            return Err(Invalid::new("table", "is only for PostgreSQL"));
        }
        if self.root_field.is_some() && kind != SourceKind::Graphql {
            return Err(Invalid::new("root_field", "is only for GraphQL"));
        }
        if let Some(entity) = &self.entity {
            if entity.entity_type.is_empty() || entity.name_field.is_empty() {
                return Err(Invalid::new("entity", "must have type and name_field"));
            }
            if self.id_field.is_none() {
                return Err(Invalid::new(
                    "id_field",
                    "must be there, as entities are found by it",
                ));
            }
        }
        if self.fields.iter().any(|field| field.name.is_empty()) {
            return Err(Invalid::new("fields", "must each have a name"));
        }
        Ok(())
    }

    /// Whether a source of this kind can have such an index.
    pub(crate) fn is_valid(&self, kind: SourceKind) -> bool {
        self.validate(kind).is_ok()
    }

    /// The configuration of a field.
    pub fn field(&self, name: &str) -> Option<&FieldConfig> {
        self.fields.iter().find(|field| field.name == name)
    }
}

#[cfg(test)]
mod tests;
