//! Collections: named sets of documents, each open to certain readers.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::library::check_collection;
use crate::store::{delete_documents, lock_tenant, touch_tenant};
use crate::{Error, Library, Reader};

/// A collection of a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The id, which stays when the name changes.
    pub collection_id: Uuid,
    /// The name.
    pub name: String,
    /// The marks of its readers.
    pub readers: Vec<String>,
    /// Number of documents.
    pub documents: i64,
    /// Size of the documents, in bytes.
    pub bytes: i64,
    /// The creation of the collection.
    pub created_at: DateTime<Utc>,
    /// Whether it is open to the reader who asked.
    pub readable: bool,
}

/// A change of a collection. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct CollectionChange {
    /// The new name.
    pub name: Option<String>,
    /// The marks of the new readers.
    pub readers: Option<Vec<String>>,
}

impl Library {
    /// The collections of the reader's tenant, by name; also those that are not open to the reader,
    /// marked so, for administrators.
    pub async fn collections(&self, reader: &Reader) -> Result<Vec<Collection>, Error> {
        let found = sqlx::query_file_as!(
            Collection,
            "queries/collections.sql",
            reader.tenant,
            reader.marks(),
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(found)
    }

    /// Creates a collection; `None` when the tenant has one of this name.
    pub async fn create_collection(
        &self,
        tenant: &str,
        name: &str,
        readers: &[String],
    ) -> Result<Option<Uuid>, Error> {
        check_collection("name", name)?;
        let mut tx = self.pool.begin().await?;
        lock_tenant(&mut tx, tenant).await?;
        let created = sqlx::query_scalar!(
            "INSERT INTO tools.knowledge_collections (tenant, name, readers) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING collection_id",
            tenant,
            name,
            readers,
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(created)
    }

    /// Changes a collection from the next request on. False when the tenant has none of this id.
    pub async fn change_collection(
        &self,
        tenant: &str,
        collection_id: Uuid,
        change: &CollectionChange,
    ) -> Result<bool, Error> {
        if let Some(name) = &change.name {
            check_collection("name", name)?;
        }
        let mut tx = self.pool.begin().await?;
        lock_tenant(&mut tx, tenant).await?;
        let changed = sqlx::query!(
            "UPDATE tools.knowledge_collections SET name = coalesce($3, name), readers = coalesce($4, readers)
             WHERE tenant = $1 AND collection_id = $2",
            tenant,
            collection_id,
            change.name,
            change.readers.as_deref(),
        )
        .execute(&mut *tx)
        .await;
        let changed = match changed {
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                return Err(Error::NameTaken(change.name.clone().unwrap_or_default()));
            }
            changed => changed?.rows_affected() > 0,
        };
        tx.commit().await?;
        Ok(changed)
    }

    /// Deletes a collection with its documents; the number of these. `None` when the tenant has
    /// none of this id.
    pub async fn delete_collection(
        &self,
        tenant: &str,
        collection_id: Uuid,
    ) -> Result<Option<u64>, Error> {
        let mut tx = self.pool.begin().await?;
        // A large collection takes a while, and so does waiting for another writer.
        sqlx::query!("SET LOCAL statement_timeout = '5min'")
            .execute(&mut *tx)
            .await?;
        lock_tenant(&mut tx, tenant).await?;
        let key = sqlx::query_scalar!(
            "SELECT collection_key FROM tools.knowledge_collections WHERE tenant = $1 AND collection_id = $2",
            tenant,
            collection_id,
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(key) = key else { return Ok(None) };
        let documents = sqlx::query_scalar!(
            "SELECT document_id FROM tools.knowledge_documents WHERE tenant = $1 AND collection_key = $2 ORDER BY document_id",
            tenant,
            key,
        )
        .fetch_all(&mut *tx)
        .await?;
        let chunks = delete_documents(&mut tx, tenant, &documents).await?;
        sqlx::query!(
            "DELETE FROM tools.knowledge_collections WHERE tenant = $1 AND collection_key = $2",
            tenant,
            key,
        )
        .execute(&mut *tx)
        .await?;
        touch_tenant(&mut tx, tenant, -chunks).await?;
        tx.commit().await?;
        Ok(Some(documents.len() as u64))
    }
}
