//! Whether what a source holds has changed since it was read, without reading it again.

use contracts::tools::search::QueryStructure;

use super::{Engine, EntityIndex, Source};
use crate::{SourceError, graphql};

/// The contents of an index at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Number of records; `None` if the source does not report it.
    pub records: Option<u64>,
    /// Two that are equal are of the same values, as far as [`is_certain`](Self::is_certain) says
    /// so.
    pub mark: String,
    /// Whether every change of a value makes another mark. Otherwise only the number of records is
    /// compared.
    pub is_certain: bool,
}

impl Source {
    /// The fingerprint of an index's entities: PostgreSQL hashes these fields, Elasticsearch counts
    /// its changes, and a GraphQL endpoint reports only the number of records.
    pub async fn fingerprint(
        &self,
        tenant: &str,
        index: &EntityIndex,
        fields: &[String],
    ) -> Result<Fingerprint, SourceError> {
        let description = self.describe(tenant).await?;
        let described = self.index(&description, &index.index)?;
        let all = QueryStructure {
            index: index.index.clone(),
            ..QueryStructure::default()
        };
        let counted = |records: Option<u64>| Fingerprint {
            mark: records.map_or_else(String::new, |records| records.to_string()),
            records,
            is_certain: false,
        };
        match self.engine() {
            Engine::Postgres(database) => {
                let schema = self.schema().await?;
                let table = schema.table(&index.index);
                let found = match table {
                    Some(table) => {
                        let config = self.config();
                        database.fingerprint(config, table, fields, tenant).await?
                    }
                    None => None,
                };
                Ok(match found {
                    Some((records, figure)) => Fingerprint {
                        records: Some(records),
                        mark: format!("{records}-{figure}"),
                        is_certain: true,
                    },
                    None => counted(None),
                })
            }
            Engine::Elastic(cluster) => {
                let records = cluster
                    .count(&self.of_index(tenant, described, &all))
                    .await?;
                let changes = cluster.changes(self.config(), &index.index).await;
                Ok(match changes {
                    Some(changes) => Fingerprint {
                        records: Some(records),
                        mark: format!("{records}-{changes}"),
                        is_certain: true,
                    },
                    None => counted(Some(records)),
                })
            }
            Engine::Graphql(_) => {
                let records =
                    graphql::estimate(self, tenant, &description, described, &all).await?;
                Ok(counted(records))
            }
        }
    }
}
