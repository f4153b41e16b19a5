//! Measures the quality and the speed of passage retrieval.
//!
//! [`evaluate`] asks a library questions with a known passage, by text search, by vector search and
//! by both, and reports the rank of the passage. [`size::measure`] fills a library with any number
//! of synthetic passages and compares its results with exact ones. `heliograph eval retrieval`
//! prints both.

mod error;
mod figures;
mod questions;
mod report;

pub mod size;

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use knowledge::{Library, Query, Reader, SearchMode};
use sqlx::PgPool;

pub use error::Error;
pub use figures::Figures;
pub use questions::{LabelledQuestion, questions};
pub use report::{Miss, ModeReport, Report};

/// Number of passages per search.
const DEPTH: u32 = 10;
/// The search modes.
const MODES: [(&str, SearchMode); 3] = [
    ("text", SearchMode::Text),
    ("vector", SearchMode::Vector),
    ("hybrid", SearchMode::Hybrid),
];

/// A passage: its document and its position there.
type Passage = (String, u32);

/// Runs every question in every mode on the library of a tenant. Without an embedder, text is the
/// only mode. A question whose passage is in no document is an error, because it would measure
/// nothing.
pub async fn evaluate(
    library: &Library,
    pool: &PgPool,
    tenant: &str,
    questions: &[LabelledQuestion],
) -> Result<Report, Error> {
    let passages = passages(pool, tenant).await?;
    let relevant = relevant(&passages, questions)?;
    let mut report = Report {
        questions: questions.len(),
        passages: passages.len(),
        ..Report::default()
    };
    for (name, mode) in MODES {
        let mut ranks = Vec::with_capacity(questions.len());
        let mut slowest = Vec::with_capacity(questions.len());
        for (question, relevant) in questions.iter().zip(&relevant) {
            let started = Instant::now();
            let Some(found) = ask(library, tenant, question, mode, &mut report).await? else {
                break;
            };
            slowest.push(started.elapsed());
            let rank = found.iter().position(|passage| relevant.contains(passage));
            ranks.push((question, rank));
        }
        // Vectors are not available.
        if ranks.len() < questions.len() {
            continue;
        }
        report
            .modes
            .insert(name.to_owned(), summary(&ranks, slowest));
    }
    Ok(report)
}

/// The passages in order of rank; `None` if the mode is not available.
async fn ask(
    library: &Library,
    tenant: &str,
    question: &LabelledQuestion,
    mode: SearchMode,
    report: &mut Report,
) -> Result<Option<Vec<Passage>>, Error> {
    let query = Query {
        query: question.question.clone(),
        top_k: Some(DEPTH),
        mode,
        ..Query::default()
    };
    let found = library.search(&Reader::of_all(tenant), &query).await?;
    if found.mode != mode {
        return Ok(None);
    }
    report.model = found.model.or_else(|| report.model.take());
    let passages = found
        .results
        .into_iter()
        .map(|found| (found.filename, found.chunk_index));
    Ok(Some(passages.collect()))
}

fn summary(ranks: &[(&LabelledQuestion, Option<usize>)], mut times: Vec<Duration>) -> ModeReport {
    let mut by_kind: BTreeMap<String, Vec<Option<usize>>> = BTreeMap::new();
    for (question, rank) in ranks {
        by_kind
            .entry(question.kind.clone())
            .or_default()
            .push(*rank);
    }
    let all: Vec<Option<usize>> = ranks.iter().map(|(_, rank)| *rank).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    ModeReport {
        figures: Figures::of(&all),
        by_kind: by_kind
            .iter()
            .map(|(kind, ranks)| (kind.clone(), Figures::of(ranks)))
            .collect(),
        median_ms: median.as_secs_f64() * 1e3,
        missed: ranks
            .iter()
            .filter(|(_, rank)| rank.is_none_or(|rank| rank >= 5))
            .map(|(question, rank)| Miss {
                question: question.question.clone(),
                rank: rank.map(|rank| rank + 1),
            })
            .collect(),
    }
}

/// All passages of the tenant with their text and normalised white space.
async fn passages(pool: &PgPool, tenant: &str) -> Result<Vec<(Passage, String)>, sqlx::Error> {
    let rows = sqlx::query_file!("queries/passages.sql", tenant,)
        .fetch_all(pool)
        .await?;
    let passages = rows.into_iter().map(|row| {
        (
            (row.filename, row.chunk_index.unsigned_abs()),
            evened(&row.content),
        )
    });
    Ok(passages.collect())
}

/// The passages that answer each question: those of its document that contain its words.
fn relevant(
    passages: &[(Passage, String)],
    questions: &[LabelledQuestion],
) -> Result<Vec<HashSet<Passage>>, Error> {
    let of = |question: &LabelledQuestion| {
        let words = evened(&question.contains);
        let holding = passages.iter().filter(|((filename, _), content)| {
            *filename == question.filename && content.contains(&words)
        });
        let found: HashSet<Passage> = holding.map(|(passage, _)| passage.clone()).collect();
        if found.is_empty() {
            return Err(Error::NoPassage(question.clone()));
        }
        Ok(found)
    };
    questions.iter().map(of).collect()
}

fn evened(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
