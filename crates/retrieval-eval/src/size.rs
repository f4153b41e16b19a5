//! Recall and latency of a library with many synthetic passages.
//!
//! The vectors form clusters, like those of real passages: a thousand random directions, and
//! passages that deviate a little from them. Questions are generated in the same way.

mod synthetic;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use knowledge::vectors::dot::{Best, dot};
use knowledge::vectors::{InProcess, Model, Scope, VectorStore};
use knowledge::{Library, Query, Reader, Settings};
use serde::Serialize;
use sqlx::PgPool;

use crate::Error;
use synthetic::Synthetic;

/// Number of nearest passages.
const NEAREST: usize = 10;
/// The tenant of the passages.
const TENANT: &str = "retrieval-eval";

/// The size of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of passages.
    pub passages: usize,
    /// The length of the vectors.
    pub dimensions: usize,
    /// Number of questions.
    pub questions: usize,
}

/// The results of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeReport {
    /// Number of passages.
    pub passages: usize,
    /// The time to ingest them with their vectors, in seconds.
    pub ingest_seconds: f64,
    /// The service that compared vectors.
    pub service: String,
    /// The share of the ten nearest passages that were found.
    pub recall_at_10: f64,
    /// The vector search for the ten nearest.
    pub nearest: Times,
    /// The hybrid search as a caller sees it. Embedding the question takes no time here.
    pub hybrid: Times,
    /// An exhaustive search for the ten nearest in this process.
    pub in_process: Times,
}

/// Durations in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// The median.
    pub median_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
}

/// Fills a migrated, empty database and measures searches.
pub async fn measure(
    pool: &PgPool,
    settings: Settings,
    size: Size,
    mut progress: impl FnMut(String),
) -> Result<SizeReport, Error> {
    let synthetic = Arc::new(Synthetic::new(size.dimensions));
    let library = Library::new(pool.clone(), settings, Some(synthetic.clone()));
    let started = Instant::now();
    fill(&library, size.passages, &mut progress).await?;
    let ingest_seconds = started.elapsed().as_secs_f64();
    let (model, scope) = described(pool, size).await?;
    let vectors = embeddings(pool, &model, size).await?;

    let store = library.vector_store().await?;
    let store =
        store.ok_or_else(|| Error::Synthetic("vector search is not available".to_owned()))?;
    let in_process = InProcess::new(pool.clone(), usize::MAX);
    let (mut nearest_times, mut hybrid_times, mut exact_times) =
        (Vec::new(), Vec::new(), Vec::new());
    let (mut found, mut service) = (0, String::new());
    // The first use loads the index; that is not measured.
    store
        .nearest(&model, &scope, &synthetic.question(0), NEAREST)
        .await?;
    in_process
        .nearest(&model, &scope, &synthetic.question(0), NEAREST)
        .await?;
    progress("asking".to_owned());
    for number in 0..size.questions {
        let question = synthetic.question(number);
        let started = Instant::now();
        let nearest = store.nearest(&model, &scope, &question, NEAREST).await?;
        nearest_times.push(started.elapsed());
        service = format!("{:?}", nearest.service);
        let exact = exact(&vectors, &question);
        found += nearest
            .hits
            .iter()
            .filter(|hit| exact.contains(&hit.chunk_id))
            .count();

        let started = Instant::now();
        in_process
            .nearest(&model, &scope, &question, NEAREST)
            .await?;
        exact_times.push(started.elapsed());

        let query = Query {
            query: synthetic::question_text(number),
            top_k: Some(5),
            ..Query::default()
        };
        let started = Instant::now();
        library.search(&Reader::of_all(TENANT), &query).await?;
        hybrid_times.push(started.elapsed());
    }
    Ok(SizeReport {
        passages: size.passages,
        ingest_seconds,
        service,
        recall_at_10: found as f64 / (size.questions * NEAREST.min(size.passages)) as f64,
        nearest: Times::of(nearest_times),
        hybrid: Times::of(hybrid_times),
        in_process: Times::of(exact_times),
    })
}

async fn fill(
    library: &Library,
    passages: usize,
    progress: &mut impl FnMut(String),
) -> Result<(), Error> {
    let mut chunks = 0;
    for (number, document) in synthetic::documents(passages).enumerate() {
        let name = format!("synthetic-{number:04}.md");
        let kept = library
            .keep(
                &Reader::of_all(TENANT),
                "synthetic",
                &name,
                None,
                document.into_bytes(),
            )
            .await?;
        chunks += kept.chunks as usize;
        progress(format!("{chunks} of {passages} passages"));
    }
    if chunks != passages {
        return Err(Error::Synthetic(format!("{passages} became {chunks}")));
    }
    progress("making vectors".to_owned());
    let caught_up = library.catch_up(TENANT).await?;
    match caught_up.failure {
        Some(failure) => Err(Error::Synthetic(failure)),
        None => Ok(()),
    }
}

async fn described(pool: &PgPool, size: Size) -> Result<(Model, Scope), Error> {
    let newest = sqlx::query!(
        "SELECT model_key, name FROM tools.knowledge_models ORDER BY model_key DESC LIMIT 1"
    )
    .fetch_one(pool)
    .await?;
    let tenant = sqlx::query!(
        "SELECT chunks, version FROM tools.knowledge_tenants WHERE tenant = $1",
        TENANT,
    )
    .fetch_one(pool)
    .await?;
    let model = Model {
        key: newest.model_key,
        name: newest.name,
        dimensions: size.dimensions,
    };
    let scope = Scope {
        tenant: TENANT.to_owned(),
        documents: None,
        chunks: tenant.chunks.unsigned_abs(),
        version: tenant.version,
    };
    Ok((model, scope))
}

/// All vectors with their chunks, for the exhaustive search.
async fn embeddings(
    pool: &PgPool,
    model: &Model,
    size: Size,
) -> Result<Vec<(i64, Vec<f32>)>, Error> {
    let rows = sqlx::query!(
        "SELECT c.chunk_id, e.embedding
         FROM tools.knowledge_chunks c
         JOIN tools.knowledge_embeddings e ON e.model_key = $1 AND e.tenant = c.tenant AND e.content_hash = c.content_hash
         WHERE c.tenant = $2",
        model.key,
        TENANT,
    )
    .fetch_all(pool)
    .await?;
    let vectors: Vec<(i64, Vec<f32>)> = rows
        .into_iter()
        .map(|row| (row.chunk_id, row.embedding))
        .collect();
    if vectors.len() == size.passages {
        return Ok(vectors);
    }
    Err(Error::Synthetic(format!("{} have a vector", vectors.len())))
}

fn exact(vectors: &[(i64, Vec<f32>)], question: &[f32]) -> Vec<i64> {
    let mut best = Best::of(NEAREST);
    for (chunk, vector) in vectors {
        best.offer(dot(vector, question), *chunk);
    }
    best.into_vec()
        .into_iter()
        .map(|(_, chunk)| chunk)
        .collect()
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: usize| {
            let index = (times.len() * share / 100).min(times.len().saturating_sub(1));
            times
                .get(index)
                .map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Self {
            median_ms: at(50),
            p99_ms: at(99),
        }
    }
}

impl fmt::Display for SizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} passages, ingested in {:.0} s\n",
            self.passages, self.ingest_seconds
        )?;
        writeln!(
            f,
            "recall@10 of {}: {:.4}\n",
            self.service, self.recall_at_10
        )?;
        writeln!(f, "{:<28} {:>10} {:>10}", "", "median ms", "p99 ms")?;
        for (name, times) in [
            ("vector search", self.nearest),
            ("hybrid search", self.hybrid),
            ("exhaustive search", self.in_process),
        ] {
            writeln!(
                f,
                "{name:<28} {:>10.2} {:>10.2}",
                times.median_ms, times.p99_ms
            )?;
        }
        Ok(())
    }
}
