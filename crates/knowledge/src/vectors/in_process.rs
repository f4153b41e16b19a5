//! Exact comparison in this process, with vectors kept in memory.
//!
//! A tenant's vectors of a model lie in one piece of memory. Before each search the tenant's
//! version, which the scope holds, shows whether another process, or this one, has changed
//! anything; then removed vectors are dropped and new ones are loaded. When all tenants' vectors
//! exceed the budget, those that were searched longest ago are dropped; a tenant whose vectors
//! alone exceed it is compared in batches and not kept.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use contracts::tools::knowledge::VectorService;
use futures::TryStreamExt;
use sqlx::PgPool;
use uuid::Uuid;

use super::dot::{Best, dot};
use super::{Hit, Model, Nearest, Scope, VectorStore};

/// Number of vectors that are compared between two looks at the clock.
const BATCH: usize = 2_000;

/// Exact comparison in this process.
#[derive(Debug)]
pub struct InProcess {
    pool: PgPool,
    budget: usize,
    kept: Mutex<Kept>,
    /// One loads at a time, so that many searches after a change load once.
    loading: tokio::sync::Mutex<()>,
}

type Key = (i32, String);

#[derive(Debug, Default)]
struct Kept {
    matrices: HashMap<Key, (Arc<Matrix>, u64)>,
    /// Counts searches: the lower, the longer ago.
    now: u64,
}

/// A tenant's vectors of a model at a version.
#[derive(Debug, Default)]
struct Matrix {
    version: i64,
    dimensions: usize,
    chunks: Vec<i64>,
    /// The document of each chunk, by its place in `documents`.
    owners: Vec<u32>,
    documents: Vec<Uuid>,
    /// One vector after the other.
    numbers: Vec<f32>,
}

impl InProcess {
    /// Keeps at most `budget` bytes of vectors.
    pub fn new(pool: PgPool, budget: usize) -> Self {
        Self {
            pool,
            budget,
            kept: Mutex::default(),
            loading: tokio::sync::Mutex::default(),
        }
    }

    /// Number of bytes of kept vectors.
    pub fn bytes(&self) -> usize {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.matrices
            .values()
            .map(|(matrix, _)| matrix.bytes())
            .sum()
    }

    /// The scope's vectors at its version or a later one.
    async fn matrix(&self, model: &Model, scope: &Scope) -> Result<Arc<Matrix>, sqlx::Error> {
        let key = (model.key, scope.tenant.clone());
        if let Some(matrix) = self.current(&key, scope.version) {
            return Ok(matrix);
        }
        let _one = self.loading.lock().await;
        if let Some(matrix) = self.current(&key, scope.version) {
            return Ok(matrix);
        }
        let older = self.any(&key);
        let matrix = Arc::new(self.load(model, scope, older.as_deref()).await?);
        self.keep(key, &matrix);
        Ok(matrix)
    }

    fn current(&self, key: &Key, version: i64) -> Option<Arc<Matrix>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.now += 1;
        let now = kept.now;
        let (matrix, used) = kept.matrices.get_mut(key)?;
        if matrix.version < version {
            return None;
        }
        *used = now;
        Some(Arc::clone(matrix))
    }

    fn any(&self, key: &Key) -> Option<Arc<Matrix>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.matrices.get(key).map(|(matrix, _)| Arc::clone(matrix))
    }

    /// Keeps a matrix, and lets go of those that were used longest ago while there is too much.
    fn keep(&self, key: Key, matrix: &Arc<Matrix>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.now += 1;
        let now = kept.now;
        kept.matrices.insert(key, (Arc::clone(matrix), now));
        loop {
            let bytes: usize = kept.matrices.values().map(|(m, _)| m.bytes()).sum();
            if bytes <= self.budget {
                return;
            }
            let oldest = kept.matrices.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            kept.matrices.remove(&oldest);
        }
    }

    /// The scope's tenant's vectors: those that an older matrix has from there, the others from the
    /// database.
    async fn load(
        &self,
        model: &Model,
        scope: &Scope,
        older: Option<&Matrix>,
    ) -> Result<Matrix, sqlx::Error> {
        let ids = sqlx::query_file_scalar!("queries/vector_chunks.sql", model.key, scope.tenant,)
            .fetch_all(&self.pool)
            .await?;
        let present: HashSet<i64> = ids.iter().copied().collect();
        let mut matrix = Matrix {
            version: scope.version,
            dimensions: model.dimensions,
            ..Matrix::default()
        };
        matrix.numbers.reserve_exact(ids.len() * model.dimensions);
        let mut places = HashMap::new();
        let mut known = HashSet::new();
        for at in 0..older.map_or(0, |older| older.chunks.len()) {
            let Some(older) = older else { break };
            let chunk = older.chunks[at];
            if present.contains(&chunk) {
                let document = older.documents[older.owners[at] as usize];
                matrix.push(&mut places, chunk, document, older.vector(at));
                known.insert(chunk);
            }
        }
        let missing: Vec<i64> = ids.into_iter().filter(|id| !known.contains(id)).collect();
        for missing in missing.chunks(BATCH) {
            let mut rows = sqlx::query_file!(
                "queries/vectors_of_chunks.sql",
                model.key,
                scope.tenant,
                missing,
            )
            .fetch(&self.pool);
            while let Some(row) = rows.try_next().await? {
                if row.embedding.len() == model.dimensions {
                    matrix.push(&mut places, row.chunk_id, row.document_id, &row.embedding);
                }
            }
        }
        Ok(matrix)
    }

    /// Compares without keeping, a batch of vectors at a time.
    async fn stream(
        &self,
        model: &Model,
        scope: &Scope,
        query: &[f32],
        limit: usize,
    ) -> Result<Vec<(f32, i64)>, sqlx::Error> {
        let mut best = Best::of(limit);
        let mut rows = sqlx::query_file!(
            "queries/vectors_of_scope.sql",
            model.key,
            scope.tenant,
            scope.documents.as_deref(),
        )
        .fetch(&self.pool);
        while let Some(row) = rows.try_next().await? {
            if row.embedding.len() == query.len() {
                best.offer(dot(&row.embedding, query), row.chunk_id);
            }
        }
        Ok(best.into_vec())
    }
}

impl Matrix {
    fn bytes(&self) -> usize {
        self.numbers.len() * size_of::<f32>() + self.chunks.len() * 12
    }

    fn vector(&self, at: usize) -> &[f32] {
        &self.numbers[at * self.dimensions..(at + 1) * self.dimensions]
    }

    fn push(
        &mut self,
        places: &mut HashMap<Uuid, u32>,
        chunk: i64,
        document: Uuid,
        vector: &[f32],
    ) {
        let owner = *places.entry(document).or_insert_with(|| {
            self.documents.push(document);
            u32::try_from(self.documents.len() - 1).unwrap_or(u32::MAX)
        });
        self.chunks.push(chunk);
        self.owners.push(owner);
        self.numbers.extend_from_slice(vector);
    }

    fn nearest(&self, documents: Option<&[Uuid]>, query: &[f32], limit: usize) -> Vec<(f32, i64)> {
        let wanted: Option<Vec<bool>> = documents.map(|documents| {
            let documents: HashSet<&Uuid> = documents.iter().collect();
            self.documents
                .iter()
                .map(|document| documents.contains(document))
                .collect()
        });
        let mut best = Best::of(limit);
        for (at, vector) in self.numbers.chunks_exact(self.dimensions).enumerate() {
            let is_wanted = wanted
                .as_ref()
                .is_none_or(|wanted| wanted[self.owners[at] as usize]);
            if is_wanted {
                best.offer(dot(vector, query), self.chunks[at]);
            }
        }
        best.into_vec()
    }
}

#[async_trait]
impl VectorStore for InProcess {
    /// Does nothing: a search compares versions itself.
    async fn refresh(&self, _: &Model, _: &str, _: Option<&[Uuid]>) -> Result<(), sqlx::Error> {
        Ok(())
    }

    async fn maintain(&self, _: &Model) -> Result<(), sqlx::Error> {
        Ok(())
    }

    async fn nearest(
        &self,
        model: &Model,
        scope: &Scope,
        query: &[f32],
        limit: usize,
    ) -> Result<Nearest, sqlx::Error> {
        let tenant_chunks = sqlx::query_scalar!(
            "SELECT chunks FROM tools.knowledge_tenants WHERE tenant = $1",
            scope.tenant,
        )
        .fetch_optional(&self.pool)
        .await?
        .unwrap_or_default();
        let bytes = usize::try_from(tenant_chunks)
            .unwrap_or_default()
            .saturating_mul(model.dimensions * size_of::<f32>());
        let best = if bytes > self.budget {
            self.stream(model, scope, query, limit).await?
        } else {
            let matrix = self.matrix(model, scope).await?;
            let (documents, query) = (scope.documents.clone(), query.to_vec());
            tokio::task::spawn_blocking(move || matrix.nearest(documents.as_deref(), &query, limit))
                .await
                .map_err(|_| sqlx::Error::WorkerCrashed)?
        };
        Ok(Nearest {
            hits: best
                .into_iter()
                .map(|(cosine, chunk_id)| Hit { chunk_id, cosine })
                .collect(),
            service: VectorService::InProcessExact,
        })
    }
}
