//! `heliograph knowledge sync | ingest | list | delete | search | model`: documents.

pub mod sync;

use std::path::Path;

use anyhow::{Context, bail};
use knowledge::{
    DocumentSummary, FileOutcome, FileReport, Folder, FolderReport, IngestOutcome,
    KnowledgeResults, Library, Query, Reader,
};
use service_kit::problem::chain;
use tools::knowledge_tools;

use super::client::with_client;
use super::data::{migrate_all, with_database};
use super::model;
use super::plants::services_run;
use crate::cli::{KnowledgeCommand, KnowledgeIngest, KnowledgeSearch};
use crate::stack::StackConfig;
use crate::terminal;

/// Number of characters of a passage that are shown.
const SHOWN_CHARACTERS: usize = 400;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: KnowledgeCommand,
    at: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    let command = match command {
        KnowledgeCommand::Model { into } => return model::run(folder, into).await,
        KnowledgeCommand::Sync(options) => return sync::run(folder, options, at).await,
        command => command,
    };
    if at.0.is_some() || at.1.is_some() || services_run(folder).await? {
        return over_http(folder, command, at).await;
    }
    with_database(folder, async |stack| {
        migrate_all(stack).await?;
        let library = library(stack)?;
        match command {
            KnowledgeCommand::Ingest(options) => ingest(&library, options).await,
            KnowledgeCommand::List { tenant, collection } => {
                let reader = operator(tenant.as_deref());
                list(&library.documents(&reader, collection.as_deref()).await?);
                Ok(())
            }
            KnowledgeCommand::Delete {
                filenames,
                tenant,
                collection,
            } => {
                let reader = operator(tenant.as_deref());
                delete(&library, &reader, &collection, &filenames).await
            }
            KnowledgeCommand::Search(options) => {
                let reader = operator(options.tenant.as_deref());
                show(&library.search(&reader, &query(options)).await?);
                Ok(())
            }
            // These commands need no database.
            KnowledgeCommand::Model { .. } | KnowledgeCommand::Sync(_) => Ok(()),
        }
    })
    .await
}

/// The commands as clients of the services.
async fn over_http(
    folder: Option<&Path>,
    command: KnowledgeCommand,
    at: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    let tenant = match &command {
        KnowledgeCommand::Ingest(options) => &options.tenant,
        KnowledgeCommand::Search(options) => &options.tenant,
        KnowledgeCommand::List { tenant, .. } | KnowledgeCommand::Delete { tenant, .. } => tenant,
        _ => &None,
    };
    if tenant.is_some() {
        bail!(
            "--tenant is for a database that no service uses; the services use the tenant of your account"
        );
    }
    with_client(folder, at, async |client| match command {
        KnowledgeCommand::Ingest(options) => sync::ingest(&client, &options).await,
        KnowledgeCommand::List { collection, .. } => {
            list(&sync::documents(&client, collection.as_deref()).await?);
            Ok(())
        }
        KnowledgeCommand::Delete {
            filenames,
            collection,
            ..
        } => sync::delete_named(&client, &collection, &filenames).await,
        KnowledgeCommand::Search(options) => {
            show(&sync::search(&client, &query(options)).await?);
            Ok(())
        }
        KnowledgeCommand::Model { .. } | KnowledgeCommand::Sync(_) => Ok(()),
    })
    .await
}

/// Who works on the database itself reads all collections of a tenant.
fn operator(tenant: Option<&str>) -> Reader {
    Reader::of_all(tenant.unwrap_or(bff::accounts::DEMO_TENANT))
}

fn query(options: KnowledgeSearch) -> Query {
    Query {
        query: options.question,
        top_k: options.top_k,
        collections: options.collections,
        ..Query::default()
    }
}

/// The library, configured as in the tools service.
fn library(stack: &StackConfig) -> anyhow::Result<Library> {
    let pool = tools::database::pool(&stack.tools.database)?;
    let embedder = knowledge_tools::embedder(&stack.tools.embedding)?;
    match &embedder {
        Some(embedder) => terminal::note(format!("embeddings: {}", embedder.id())),
        None => terminal::note("embeddings: none; only text search is available"),
    }
    Ok(knowledge_tools::library(
        &stack.tools.knowledge,
        pool,
        embedder,
    )?)
}

async fn ingest(library: &Library, options: KnowledgeIngest) -> anyhow::Result<()> {
    let folder = Folder {
        paths: options.paths,
        reader: operator(options.tenant.as_deref()),
        collection: options.collection,
        prune: options.prune,
    };
    let report = library
        .ingest_path(&folder, |file| tell(&file))
        .await
        .context("not all documents were ingested")?;
    terminal::say(summary(&report));
    if let Some(failure) = &report.embedder_failure {
        terminal::note(format!(
            "{} chunks have no vector yet ({failure}); the next run or the tools service will compute them",
            report.chunks_without_vector
        ));
    }
    if report.ingested.is_empty() {
        bail!("none of the documents could be read");
    }
    if options.strict && !report.refused.is_empty() {
        bail!("{} files could not be read", report.refused.len());
    }
    Ok(())
}

/// Prints the result for a file. Unchanged files are not listed.
fn tell(file: &FileReport<'_>) {
    let place = format!("[{}/{}] {}", file.number, file.of, file.path.display());
    match &file.outcome {
        FileOutcome::Ingested(ingested) => {
            let what = match ingested.outcome {
                IngestOutcome::Created => format!("{} chunks", ingested.chunks),
                IngestOutcome::Updated => format!(
                    "{} chunks, {} of them new, {} gone",
                    ingested.chunks, ingested.chunks_written, ingested.chunks_deleted
                ),
                IngestOutcome::Unchanged => "unchanged".to_owned(),
            };
            terminal::note(format!("{place}: {what}"));
        }
        FileOutcome::Refused(error) => terminal::note(format!("{place}: {}", chain(*error))),
        FileOutcome::Skipped => terminal::note(format!("{place}: skipped, no document")),
    }
}

fn summary(report: &FolderReport) -> String {
    let count = |outcome| {
        let files = report.ingested.iter();
        files.filter(|file| file.outcome == outcome).count()
    };
    format!(
        "{} new, {} changed, {} unchanged, {} not readable, {} skipped, {} deleted",
        count(IngestOutcome::Created),
        count(IngestOutcome::Updated),
        count(IngestOutcome::Unchanged),
        report.refused.len(),
        report.skipped.len(),
        report.pruned.len()
    )
}

fn list(documents: &[DocumentSummary]) {
    for document in documents {
        let missing = match document.chunks_without_vector {
            0 => String::new(),
            missing => format!(", {missing} without a vector"),
        };
        terminal::say(format!(
            "{}/{}  {} chunks{missing}, {} bytes, {}",
            document.collection,
            document.filename,
            document.chunks,
            document.bytes,
            document.updated_at.format("%Y-%m-%d %H:%M")
        ));
    }
    terminal::note(format!("{} documents", documents.len()));
}

async fn delete(
    library: &Library,
    reader: &Reader,
    collection: &str,
    filenames: &[String],
) -> anyhow::Result<()> {
    let mut unknown = Vec::new();
    for filename in filenames {
        if library.delete_named(reader, collection, filename).await? {
            terminal::say(format!("{collection}/{filename} is deleted"));
        } else {
            unknown.push(filename.as_str());
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    bail!(
        "{} not found in the collection {collection}",
        unknown.join(", ")
    )
}

fn show(found: &KnowledgeResults) {
    for (number, passage) in (1..).zip(&found.results) {
        let page = passage.page.map(|page| format!(", page {page}"));
        terminal::say(format!(
            "{number}. {}/{}, chunk {}{}  (score {:.2}, words {}, vector {})",
            passage.collection,
            passage.filename,
            passage.chunk_index,
            page.unwrap_or_default(),
            passage.score,
            rank(passage.text_rank),
            rank(passage.vector_rank)
        ));
        if !passage.headings.is_empty() {
            terminal::say(format!("   {}", passage.headings.join(" > ")));
        }
        terminal::say(format!("   {}\n", shown(&passage.content)));
    }
    if let Some(reason) = &found.reason {
        terminal::note(format!("reason: {reason}"));
    }
}

fn rank(rank: Option<u32>) -> String {
    rank.map_or("-".to_owned(), |rank| format!("#{rank}"))
}

/// The start of a passage on one line.
fn shown(content: &str) -> String {
    let line = content.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHOWN_CHARACTERS {
        return line;
    }
    let start: String = line.chars().take(SHOWN_CHARACTERS).collect();
    format!("{start}…")
}
