//! Sources in the words of the documents.

use contracts::tools::search::SourceKind;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::{IndexConfig, SourceConfig};

/// The variables by which the documents describe sources, and the keys of [`DocumentSources`] they
/// represent when that is the section `search`.
pub const DOCUMENT_VARIABLES: [(&str, &str); 3] = [
    ("ES_URL", "search.es_url"),
    ("ES_INDEX", "search.es_index"),
    ("GRAPHQL_ENDPOINT", "search.graphql_endpoint"),
];

/// `[search]`: one Elasticsearch and one GraphQL source under the original names. Each source
/// exists when its address is set.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DocumentSources {
    /// The address of Elasticsearch. Also `ES_URL`.
    #[serde(skip_serializing)]
    pub es_url: Option<SecretString>,
    /// Its indices, with commas between. Also `ES_INDEX`.
    pub es_index: Option<String>,
    /// The address of a GraphQL endpoint. Also `GRAPHQL_ENDPOINT`.
    #[serde(skip_serializing)]
    pub graphql_endpoint: Option<SecretString>,
    /// Who may ask them: names of tenants, or `*` for all. Default: `demo`.
    pub tenants: Vec<String>,
    /// The field that has the tenant's name, as [`SourceConfig::tenant_field`].
    pub tenant_field: Option<String>,
}

impl DocumentSources {
    /// The sources it describes: `elasticsearch` and `graphql`.
    pub fn sources(&self) -> Vec<SourceConfig> {
        let source = |name: &str, kind, url: &SecretString, indices| SourceConfig {
            url: Some(url.clone()),
            tenants: match self.tenants.as_slice() {
                [] => vec!["demo".to_owned()],
                tenants => tenants.to_vec(),
            },
            tenant_field: self.tenant_field.clone(),
            indices,
            ..SourceConfig::new(name, kind)
        };
        let indices = self.es_index.as_deref().unwrap_or_default().split(',');
        let indices = indices
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(|name| IndexConfig {
                name: name.to_owned(),
                nouns: vec![name.to_owned()],
                ..IndexConfig::default()
            })
            .collect();
        let elastic = self
            .es_url
            .as_ref()
            .map(|url| source("elasticsearch", SourceKind::Elasticsearch, url, indices));
        let graphql = self
            .graphql_endpoint
            .as_ref()
            .map(|url| source("graphql", SourceKind::Graphql, url, Vec::new()));
        elastic.into_iter().chain(graphql).collect()
    }
}
