//! `heliograph eval retrieval`: measures document search in a temporary database.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use embedded_postgres::Options;
use knowledge::{Folder, Library, Reader};
use retrieval_eval::size::{Size, measure};
use retrieval_eval::{LabelledQuestion, evaluate, questions};
use serde::Serialize;
use tools::config::Config as ToolsConfig;
use tools::knowledge_tools;

use super::up;
use crate::cli::EvalRetrieval;
use crate::config::Config;
use crate::stack::{StackConfig, use_fetched_model};
use crate::terminal;

/// Number of questions about synthetic passages.
const MADE_UP_QUESTIONS: usize = 200;
/// The length of synthetic vectors.
const MADE_UP_DIMENSIONS: usize = 384;

/// Runs an evaluation and prints its report.
pub(super) async fn run(folder: Option<&Path>, options: EvalRetrieval) -> anyhow::Result<()> {
    let config = Config::load(up::file(folder).as_deref())?;
    let mut tools = StackConfig::load(folder)?.tools;
    match &options.model_dir {
        Some(directory) => {
            tools.embedding.provider = Some(llm::ProviderName::LOCAL);
            tools.embedding.model_dir = Some(directory.clone());
        }
        None => use_fetched_model(&mut tools.embedding, &config.data.folder),
    }
    let mut throw_away = Options::throw_away(config.data.folder.join("cache"));
    throw_away.bin.clone_from(&config.database.pg_bin);
    throw_away.progress = Arc::new(|step| terminal::note(step.to_string()));
    let server = embedded_postgres::start(throw_away)
        .await
        .context("no database")?;
    tools.database.url = Some(server.url("postgres").into());
    let measured = in_database(&tools, &options).await;
    server.stop().await?;
    measured
}

async fn in_database(tools: &ToolsConfig, options: &EvalRetrieval) -> anyhow::Result<()> {
    let pool = tools::database::pool(&tools.database)?;
    tools::migrate(&pool).await?;
    let embedder = knowledge_tools::embedder(&tools.embedding)?;
    let library = knowledge_tools::library(&tools.knowledge, pool.clone(), embedder)?;
    if let Some(passages) = options.vectors {
        let size = Size {
            passages,
            dimensions: MADE_UP_DIMENSIONS,
            questions: MADE_UP_QUESTIONS,
        };
        let settings = library.settings().clone();
        let report = measure(&pool, settings, size, terminal::note).await?;
        return tell(&report, &report.to_string(), options.json);
    }
    let questions = labelled(options)?;
    fill(&library, options).await?;
    let report = evaluate(&library, &pool, demo_documents::TENANT, &questions).await?;
    tell(&report, &report.to_string(), options.json)?;
    for (mode, found) in report.modes.iter().filter(|_| options.verbose) {
        terminal::note(format!("{mode}: not among the first five"));
        for miss in &found.missed {
            let rank = miss.rank.map_or("-".to_owned(), |rank| rank.to_string());
            terminal::note(format!("  {rank:>3}  {}", miss.question));
        }
    }
    pool.close().await;
    Ok(())
}

fn labelled(options: &EvalRetrieval) -> anyhow::Result<Vec<LabelledQuestion>> {
    let Some(file) = &options.questions else {
        return Ok(questions(demo_documents::QUESTIONS)?);
    };
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    questions(&text).with_context(|| file.display().to_string())
}

/// Ingests the documents of a folder, or the demo documents.
async fn fill(library: &Library, options: &EvalRetrieval) -> anyhow::Result<()> {
    match &options.documents {
        Some(path) => {
            let folder = Folder {
                paths: vec![path.clone()],
                reader: Reader::of_all(demo_documents::TENANT),
                collection: "manuals".to_owned(),
                prune: false,
            };
            let report = library.ingest_path(&folder, |_| {}).await?;
            for (path, error) in &report.refused {
                terminal::note(format!("{}: {error}", path.display()));
            }
        }
        None => {
            demo_documents::seed(library).await?;
        }
    }
    let caught_up = library.catch_up(demo_documents::TENANT).await?;
    match caught_up.failure {
        Some(failure) => Err(anyhow::anyhow!(failure).context("computing the vectors failed")),
        None => Ok(()),
    }
}

fn tell(report: &impl Serialize, table: &str, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        terminal::say(serde_json::to_string_pretty(report)?);
    } else {
        terminal::write(table);
    }
    Ok(())
}
