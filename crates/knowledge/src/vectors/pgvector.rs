//! pgvector: a table of `halfvec(n)` per model, compared exactly while it is small, by an HNSW
//! index from a size on.
//!
//! The tables `tools.knowledge_vectors_<model_key>` are made when they are first needed: no
//! migration can count on the extension, and only the model knows the length of its vectors. Chunks
//! that go take their vectors with them. So the statements that name such a table are written at
//! run time, and the compiler does not check them; all values are bound.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use contracts::tools::knowledge::VectorService;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Row};
use uuid::Uuid;

use super::{Hit, Model, Nearest, Scope, VectorStore};
use crate::settings::Settings;

/// `halfvec`'s limit for an index.
const MAX_INDEXED: usize = 4_000;
/// Rows up to this size stay in their table's pages, where comparing needs no second look-up.
const MAX_INLINE: usize = 3_600;
/// Number of vectors that an index may look at for a search with filters, before it is asked to
/// compare all.
const MAX_SCANNED: u32 = 100_000;

/// Vectors in pgvector.
#[derive(Debug)]
pub struct Pgvector {
    pool: PgPool,
    /// The schema of the extension, quoted.
    schema: String,
    index_from: u64,
    ef_search: u32,
    /// The models whose tables are there.
    ready: Mutex<HashSet<i32>>,
}

impl Pgvector {
    /// Opens the store, creating the extension when the server has it and permits this. `None` when
    /// the extension is not available.
    pub async fn open(pool: &PgPool, settings: &Settings) -> Result<Option<Self>, sqlx::Error> {
        let mut schema = extension_schema(pool).await?;
        if schema.is_none() && is_available(pool).await? {
            let created = sqlx::query!("CREATE EXTENSION IF NOT EXISTS vector")
                .execute(pool)
                .await;
            // Another process may have been faster, or permission may be missing: the next look
            // decides.
            if let Err(error) = created {
                tracing::info!(%error, "the extension vector is there and was not created");
            }
            schema = extension_schema(pool).await?;
        }
        Ok(schema.map(|schema| Self {
            pool: pool.clone(),
            schema,
            index_from: settings.index_from,
            ef_search: settings.ef_search,
            ready: Mutex::default(),
        }))
    }

    /// Sees to it that the model's table is there.
    async fn ensure(&self, model: &Model) -> Result<(), sqlx::Error> {
        if self.lock().contains(&model.key) {
            return Ok(());
        }
        let (key, schema, n) = (model.key, &self.schema, model.dimensions);
        let storage = if n * 2 <= MAX_INLINE * 2 {
            "PLAIN"
        } else {
            "EXTERNAL"
        };
        let mut tx = self.pool.begin().await?;
        advisory_lock(&mut tx, key).await?;
        let statements = format!(
            "CREATE TABLE IF NOT EXISTS tools.knowledge_vectors_{key} (
                 chunk_id bigint PRIMARY KEY REFERENCES tools.knowledge_chunks ON DELETE CASCADE,
                 document_id uuid NOT NULL,
                 tenant text NOT NULL,
                 embedding {schema}.halfvec({n}) NOT NULL
             );
             ALTER TABLE tools.knowledge_vectors_{key} ALTER COLUMN embedding SET STORAGE {storage};
             CREATE INDEX IF NOT EXISTS knowledge_vectors_{key}_document ON tools.knowledge_vectors_{key} (tenant, document_id);"
        );
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        self.lock().insert(key);
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<i32>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares all vectors of the scope.
    async fn exact(
        &self,
        model: &Model,
        scope: &Scope,
        query: &[f32],
        limit: i64,
    ) -> Result<Vec<Hit>, sqlx::Error> {
        // The sum keeps the planner from the index.
        let order = format!("{} + 0", self.distance(model));
        hits(&self.select(model, &order), scope, query, limit, &self.pool).await
    }

    /// Asks the index.
    async fn indexed(
        &self,
        model: &Model,
        scope: &Scope,
        query: &[f32],
        limit: i64,
    ) -> Result<Vec<Hit>, sqlx::Error> {
        let mut tx = self.pool.begin().await?;
        let ef_search = i64::from(self.ef_search).max(limit).min(1_000);
        // Filters apply to what the index finds: it continues until there is enough.
        sqlx::query_file!(
            "queries/hnsw_settings.sql",
            ef_search.to_string(),
            MAX_SCANNED.to_string(),
        )
        .fetch_one(&mut *tx)
        .await?;
        let order = self.distance(model);
        let hits = hits(&self.select(model, &order), scope, query, limit, &mut *tx).await?;
        tx.commit().await?;
        Ok(hits)
    }

    fn distance(&self, model: &Model) -> String {
        let (schema, n) = (&self.schema, model.dimensions);
        format!("(embedding OPERATOR({schema}.<#>) $1::real[]::{schema}.halfvec({n}))")
    }

    fn select(&self, model: &Model, order: &str) -> String {
        format!(
            "SELECT chunk_id, -{} AS cosine
             FROM tools.knowledge_vectors_{}
             WHERE tenant = $2 AND ($3::uuid[] IS NULL OR document_id = ANY($3))
             ORDER BY {order}
             LIMIT $4",
            self.distance(model),
            model.key
        )
    }

    async fn has_index(&self, model: &Model) -> Result<bool, sqlx::Error> {
        let index = format!("tools.knowledge_vectors_{}_hnsw", model.key);
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid) AS "has_index!""#,
            index,
        )
        .fetch_one(&self.pool)
        .await
    }
}

#[async_trait]
impl VectorStore for Pgvector {
    async fn refresh(
        &self,
        model: &Model,
        tenant: &str,
        documents: Option<&[Uuid]>,
    ) -> Result<(), sqlx::Error> {
        self.ensure(model).await?;
        let (key, schema, n) = (model.key, &self.schema, model.dimensions);
        let statement = format!(
            "INSERT INTO tools.knowledge_vectors_{key} (chunk_id, document_id, tenant, embedding)
             SELECT c.chunk_id, c.document_id, c.tenant, e.embedding::{schema}.halfvec({n})
             FROM tools.knowledge_chunks c
             JOIN tools.knowledge_embeddings e ON e.model_key = $1 AND e.tenant = c.tenant AND e.content_hash = c.content_hash
             WHERE c.tenant = $2 AND ($3::uuid[] IS NULL OR c.document_id = ANY($3))
               AND NOT EXISTS (SELECT FROM tools.knowledge_vectors_{key} v WHERE v.chunk_id = c.chunk_id)
             ORDER BY c.chunk_id
             FOR KEY SHARE OF c
             ON CONFLICT DO NOTHING"
        );
        let mut tx = self.pool.begin().await?;
        without_time_limit(&mut tx).await?;
        sqlx::query(AssertSqlSafe(statement))
            .bind(key)
            .bind(tenant)
            .bind(documents)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    async fn maintain(&self, model: &Model) -> Result<(), sqlx::Error> {
        self.ensure(model).await?;
        if model.dimensions > MAX_INDEXED || self.has_index(model).await? {
            return Ok(());
        }
        let (key, schema) = (model.key, &self.schema);
        let count = format!("SELECT count(*) FROM tools.knowledge_vectors_{key}");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .fetch_one(&self.pool)
            .await?;
        if u64::try_from(count).unwrap_or_default() < self.index_from {
            return Ok(());
        }
        tracing::info!(model = %model.name, vectors = count, "building an index of vectors");
        let mut tx = self.pool.begin().await?;
        advisory_lock(&mut tx, key).await?;
        without_time_limit(&mut tx).await?;
        // Workers share memory that containers are often short of.
        let statements = format!(
            "SET LOCAL maintenance_work_mem = '512MB';
             SET LOCAL max_parallel_maintenance_workers = 0;
             CREATE INDEX IF NOT EXISTS knowledge_vectors_{key}_hnsw ON tools.knowledge_vectors_{key}
             USING hnsw (embedding {schema}.halfvec_ip_ops) WITH (m = 16, ef_construction = 100);"
        );
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    async fn nearest(
        &self,
        model: &Model,
        scope: &Scope,
        query: &[f32],
        limit: usize,
    ) -> Result<Nearest, sqlx::Error> {
        self.ensure(model).await?;
        let rows = i64::try_from(limit).unwrap_or(i64::MAX);
        if scope.chunks >= self.index_from && self.has_index(model).await? {
            let hits = self.indexed(model, scope, query, rows).await?;
            if hits.len() >= limit {
                return Ok(Nearest {
                    hits,
                    service: VectorService::PgvectorHnsw,
                });
            }
        }
        Ok(Nearest {
            hits: self.exact(model, scope, query, rows).await?,
            service: VectorService::PgvectorExact,
        })
    }
}

async fn hits<'c>(
    select: &str,
    scope: &Scope,
    query: &[f32],
    limit: i64,
    executor: impl sqlx::PgExecutor<'c>,
) -> Result<Vec<Hit>, sqlx::Error> {
    let rows = sqlx::query(AssertSqlSafe(select.to_owned()))
        .bind(query)
        .bind(&scope.tenant)
        .bind(scope.documents.as_deref())
        .bind(limit)
        .fetch_all(executor)
        .await?;
    rows.iter()
        .map(|row| {
            let cosine: f64 = row.try_get("cosine")?;
            #[expect(clippy::cast_possible_truncation, reason = "it was computed of halves")]
            let cosine = cosine as f32;
            Ok(Hit {
                chunk_id: row.try_get("chunk_id")?,
                cosine,
            })
        })
        .collect()
}

async fn extension_schema(pool: &PgPool) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT quote_ident(n.nspname) AS "schema!" FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
           WHERE e.extname = 'vector' AND to_regtype(quote_ident(n.nspname) || '.halfvec') IS NOT NULL"#
    )
    .fetch_optional(pool)
    .await
}

async fn is_available(pool: &PgPool) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') AS "is_available!""#
    )
    .fetch_one(pool)
    .await
}

/// One process at a time changes a model's table.
async fn advisory_lock(conn: &mut PgConnection, key: i32) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('heliograph.knowledge_vectors', $1::integer::bigint))",
        key,
    )
    .execute(conn)
    .await
    .map(drop)
}

async fn without_time_limit(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("SET LOCAL statement_timeout = 0")
        .execute(conn)
        .await
        .map(drop)
}
