//! Measures how well passages are found, and how fast.
//!
//! [`evaluate`] asks a library questions whose passage is known, by words alone, by vectors alone and by both, and says how high the
//! passage stood. [`size::measure`] fills a library with as many made-up passages as one likes and compares its answers with the exact
//! ones. `heliograph eval retrieval` prints both.

mod error;
mod figures;
mod questions;
mod report;

pub mod size;

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use knowledge::{Library, Query, SearchMode};
use sqlx::PgPool;

pub use error::Error;
pub use figures::Figures;
pub use questions::{Question, questions};
pub use report::{Miss, ModeReport, Report};

/// How many passages are looked at.
const DEPTH: u32 = 10;
/// How the library may be asked.
const MODES: [(&str, SearchMode); 3] = [
    ("text", SearchMode::Text),
    ("vector", SearchMode::Vector),
    ("hybrid", SearchMode::Hybrid),
];

/// The name of a passage: its document and its place there.
type Passage = (String, u32);

/// Asks a tenant's library every question in every mode. Without an embedder text is the only mode. A question whose passage is in no
/// document is an error: it would measure nothing.
pub async fn evaluate(
    library: &Library,
    pool: &PgPool,
    tenant: &str,
    questions: &[Question],
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
        // No vectors are to be had.
        if ranks.len() < questions.len() {
            continue;
        }
        report
            .modes
            .insert(name.to_owned(), summary(&ranks, slowest));
    }
    Ok(report)
}

/// The passages in their order; `None` where the mode can not be had.
async fn ask(
    library: &Library,
    tenant: &str,
    question: &Question,
    mode: SearchMode,
    report: &mut Report,
) -> Result<Option<Vec<Passage>>, Error> {
    let query = Query {
        query: question.question.clone(),
        top_k: Some(DEPTH),
        mode,
        ..Query::default()
    };
    let found = library.search(tenant, &query).await?;
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

fn summary(ranks: &[(&Question, Option<usize>)], mut times: Vec<Duration>) -> ModeReport {
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

/// All passages of the tenant with their text, blanks evened out.
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

/// The passages that answer each question: those of its document that hold its words.
fn relevant(
    passages: &[(Passage, String)],
    questions: &[Question],
) -> Result<Vec<HashSet<Passage>>, Error> {
    let of = |question: &Question| {
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
