//! A library of many made-up passages: is what it finds what is nearest, and how long does it take?
//!
//! Vectors are made in clusters, as those of real passages are: a thousand directions at random, and around each of them passages that
//! differ a little. Questions are made in the same way.

mod made_up;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use knowledge::vectors::dot::{Best, dot};
use knowledge::vectors::{InProcess, Model, Scope, VectorStore};
use knowledge::{Library, Query, Settings};
use serde::Serialize;
use sqlx::PgPool;

use crate::Error;
use made_up::MadeUp;

/// How many are nearest.
const NEAREST: usize = 10;
/// Whose passages they are.
const TENANT: &str = "retrieval-eval";

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// How many passages there are.
    pub passages: usize,
    /// The length of their vectors.
    pub dimensions: usize,
    /// How many questions are asked.
    pub questions: usize,
}

/// What was measured. Times are medians and the slowest in a hundred.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeReport {
    /// How many passages there were.
    pub passages: usize,
    /// How long it took to take them in, with their vectors.
    pub ingest_seconds: f64,
    /// Who compared vectors.
    pub service: String,
    /// The share of the ten nearest that were found.
    pub recall_at_10: f64,
    /// The ten nearest.
    pub nearest: Times,
    /// A search by words and vectors, as a caller sees it; the question's own vector costs nothing here.
    pub hybrid: Times,
    /// The ten nearest by comparing all in this process.
    pub in_process: Times,
}

/// How long something took, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// Half took no longer.
    pub median_ms: f64,
    /// All but one in a hundred took no longer.
    pub p99_ms: f64,
}

/// Fills a migrated, empty database and measures.
pub async fn measure(
    pool: &PgPool,
    settings: Settings,
    size: Size,
    mut progress: impl FnMut(String),
) -> Result<SizeReport, Error> {
    let made_up = Arc::new(MadeUp::new(size.dimensions));
    let library = Library::new(pool.clone(), settings, Some(made_up.clone()));
    let started = Instant::now();
    fill(&library, size.passages, &mut progress).await?;
    let ingest_seconds = started.elapsed().as_secs_f64();
    let (model, scope) = described(pool, size).await?;
    let vectors = embeddings(pool, &model, size).await?;

    let store = library.vector_store().await?;
    let store = store.ok_or_else(|| Error::MadeUp("nobody compares vectors here".to_owned()))?;
    let in_process = InProcess::new(pool.clone(), usize::MAX);
    let (mut nearest_times, mut hybrid_times, mut exact_times) =
        (Vec::new(), Vec::new(), Vec::new());
    let (mut found, mut service) = (0, String::new());
    // What is loaded when it is first needed is not what is measured.
    store
        .nearest(&model, &scope, &made_up.question(0), NEAREST)
        .await?;
    in_process
        .nearest(&model, &scope, &made_up.question(0), NEAREST)
        .await?;
    progress("asking".to_owned());
    for number in 0..size.questions {
        let question = made_up.question(number);
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
            query: made_up::question_text(number),
            top_k: Some(5),
            ..Query::default()
        };
        let started = Instant::now();
        library.search(TENANT, &query).await?;
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
    for (number, document) in made_up::documents(passages).enumerate() {
        let name = format!("made-up-{number:04}.md");
        let kept = library
            .keep(TENANT, "made-up", &name, None, document.into_bytes())
            .await?;
        chunks += kept.chunks as usize;
        progress(format!("{chunks} of {passages} passages"));
    }
    if chunks != passages {
        return Err(Error::MadeUp(format!("{passages} became {chunks}")));
    }
    progress("making vectors".to_owned());
    let caught_up = library.catch_up(TENANT).await?;
    match caught_up.failure {
        Some(failure) => Err(Error::MadeUp(failure)),
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

/// All vectors with their chunks, to compare with.
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
    Err(Error::MadeUp(format!("{} have a vector", vectors.len())))
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
            "{} passages, taken in within {:.0} s\n",
            self.passages, self.ingest_seconds
        )?;
        writeln!(
            f,
            "recall@10 of {}: {:.4}\n",
            self.service, self.recall_at_10
        )?;
        writeln!(f, "{:<28} {:>10} {:>10}", "", "median ms", "p99 ms")?;
        for (name, times) in [
            ("the ten nearest", self.nearest),
            ("words and vectors", self.hybrid),
            ("all compared in this process", self.in_process),
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
