//! `heliograph knowledge sync` and the other commands while services run: clients of the API.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use contracts::problem::STORAGE_FULL;
use contracts::tools::ToolEnvelope;
use contracts::tools::knowledge::{
    DocumentList, DocumentSummary, IngestDocumentQuery, IngestOutcome, IngestedDocument,
};
use knowledge::{FolderFile, KnowledgeResults, MediaType, Query, content_hash, files_of};
use reqwest::Method;

use crate::chat::{ChatClient, ChatError};
use crate::cli::{KnowledgeIngest, KnowledgeSync};
use crate::commands::client::with_client;
use crate::commands::plants::query_string;
use crate::terminal;

/// Interval between looks at a watched folder.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// Time after which a command signs in again: an access token is good for five minutes.
const SIGN_IN_EVERY: Duration = Duration::from_mins(3);
/// Number of times that a document is sent while the service is busy, and the time between them.
const MOST_ATTEMPTS: u32 = 10;
const AGAIN_AFTER: Duration = Duration::from_secs(3);

/// The outcome of a synchronisation.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Synced {
    /// New documents.
    pub created: usize,
    /// Documents that changed.
    pub updated: usize,
    /// Documents that are as they were.
    pub unchanged: usize,
    /// Files that cannot be read as documents.
    pub refused: usize,
    /// Files of other kinds.
    pub skipped: usize,
    /// Documents whose files were removed.
    pub deleted: usize,
}

impl std::fmt::Display for Synced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} new, {} changed, {} unchanged, {} not readable, {} skipped, {} deleted",
            self.created, self.updated, self.unchanged, self.refused, self.skipped, self.deleted
        )
    }
}

/// The bff to use, and the account.
type Place<'a> = (Option<&'a str>, Option<&'a str>);

/// `knowledge sync`.
pub(super) async fn run(
    folder: Option<&Path>,
    options: KnowledgeSync,
    at: Place<'_>,
) -> anyhow::Result<()> {
    if !options.folder.is_dir() {
        bail!("{} is not a folder", options.folder.display());
    }
    let synced = signed_in(folder, at, &options).await?;
    terminal::say(synced.to_string());
    if !options.watch {
        return Ok(());
    }
    terminal::note("watching; Ctrl-C ends it");
    let mut before = snapshot(&options.folder);
    let mut done = before.clone();
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = tokio::signal::ctrl_c() => return Ok(()),
        }
        let now = snapshot(&options.folder);
        // While two looks differ, files are being written.
        if now == before && now != done {
            match signed_in(folder, at, &options).await {
                Ok(synced) => {
                    terminal::say(synced.to_string());
                    done.clone_from(&now);
                }
                // Tried again at the next look: the services may be away.
                Err(error) => terminal::note(format!("{error:#}")),
            }
        }
        before = now;
    }
}

/// Size and time of each file.
fn snapshot(folder: &Path) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let files = files_of(&[folder.to_owned()]).unwrap_or_default();
    let seen = files.into_iter().filter_map(|file| {
        let about = std::fs::metadata(&file.path).ok()?;
        Some((file.path, about.len(), about.modified().ok()))
    });
    seen.collect()
}

/// Synchronises with as many sign-ins as it takes.
async fn signed_in(
    folder: Option<&Path>,
    at: Place<'_>,
    options: &KnowledgeSync,
) -> anyhow::Result<Synced> {
    let mut work = Work::plan(options).await?;
    while !work.is_done() {
        let until = Instant::now() + SIGN_IN_EVERY;
        with_client(folder, at, async |client| {
            work.carry_out(&client, until).await
        })
        .await?;
    }
    Ok(work.synced)
}

/// Synchronises with one sign-in.
pub async fn synchronise(client: &ChatClient, options: &KnowledgeSync) -> anyhow::Result<Synced> {
    let mut work = Work::plan(options).await?;
    let until = Instant::now() + Duration::from_hours(1);
    work.carry_out(client, until).await?;
    Ok(work.synced)
}

/// The rest of a synchronisation.
struct Work<'a> {
    options: &'a KnowledgeSync,
    files: Vec<FolderFile>,
    next: usize,
    known: Option<HashMap<String, DocumentSummary>>,
    pruned: bool,
    synced: Synced,
}

impl<'a> Work<'a> {
    async fn plan(options: &'a KnowledgeSync) -> anyhow::Result<Self> {
        let folder = options.folder.clone();
        let files = tokio::task::spawn_blocking(move || files_of(&[folder])).await??;
        Ok(Self {
            options,
            files,
            next: 0,
            known: None,
            pruned: false,
            synced: Synced::default(),
        })
    }

    fn is_done(&self) -> bool {
        self.next >= self.files.len() && self.pruned
    }

    async fn carry_out(&mut self, client: &ChatClient, until: Instant) -> anyhow::Result<()> {
        let collection = &self.options.collection;
        let known = match self.known.take() {
            Some(known) => known,
            None => documents(client, Some(collection))
                .await?
                .into_iter()
                .map(|document| (document.filename.clone(), document))
                .collect(),
        };
        let known = self.known.insert(known);
        let mut names = self.files.iter().map(|file| &file.name);
        let deletes_all = !known.is_empty() && !names.any(|name| known.contains_key(name));
        if deletes_all && !self.options.delete_all && !self.options.keep {
            bail!(
                "none of the {} documents of the collection {collection:?} is in {}, so all of them would be deleted; choose another collection, or add --keep or --delete-all",
                known.len(),
                self.options.folder.display()
            );
        }
        while let Some(file) = self.files.get(self.next) {
            if Instant::now() >= until {
                return Ok(());
            }
            let place = format!("[{}/{}] {}", self.next + 1, self.files.len(), file.name);
            self.next += 1;
            if MediaType::of_name(&file.name).is_none() {
                self.synced.skipped += 1;
                terminal::note(format!("{place}: {}", skipped(&file.name)));
                continue;
            }
            let bytes = match tokio::fs::read(&file.path).await {
                Ok(bytes) => bytes,
                // It went since the folder was listed, or may not be read.
                Err(error) => {
                    self.synced.refused += 1;
                    terminal::note(format!("{place}: {error}"));
                    continue;
                }
            };
            let hash = content_hash(&bytes);
            if known
                .get(&file.name)
                .is_some_and(|one| one.content_hash == hash)
            {
                self.synced.unchanged += 1;
                continue;
            }
            match send(client, collection, &file.name, bytes).await? {
                Ok(ingested) => {
                    match ingested.outcome {
                        IngestOutcome::Created => self.synced.created += 1,
                        IngestOutcome::Updated => self.synced.updated += 1,
                        IngestOutcome::Unchanged => self.synced.unchanged += 1,
                    }
                    terminal::note(format!("{place}: {} passages", ingested.chunks));
                }
                Err(why) => {
                    self.synced.refused += 1;
                    terminal::note(format!("{place}: {why}"));
                }
            }
        }
        if !self.options.keep {
            let there: HashSet<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
            let gone = known
                .values()
                .filter(|document| !there.contains(document.filename.as_str()));
            for document in gone {
                delete(client, &document.document_id).await?;
                self.synced.deleted += 1;
                terminal::note(format!("{}: deleted", document.filename));
            }
        }
        self.pruned = true;
        Ok(())
    }
}

fn skipped(filename: &str) -> String {
    let elsewhere = MediaType::elsewhere(filename);
    format!("skipped, not a kind of document{elsewhere}")
}

/// Sends a document, again while the service is busy. The inner error is of the document.
async fn send(
    client: &ChatClient,
    collection: &str,
    filename: &str,
    bytes: Vec<u8>,
) -> anyhow::Result<Result<IngestedDocument, String>> {
    let query = IngestDocumentQuery {
        filename: filename.to_owned(),
        collection: collection.to_owned(),
    };
    let path = format!("/api/documents?{}", query_string(&query)?);
    let mut attempt = 1;
    loop {
        let kind = ("application/octet-stream", None);
        let problem = match client.upload(&path, kind, bytes.clone()).await {
            Ok(answer) => return Ok(Ok(answer.json().await?)),
            Err(ChatError::Refused(problem)) => problem,
            Err(error) => return Err(error.into()),
        };
        match problem.status {
            413 | 415 | 422 => {
                let title = problem.title;
                return Ok(Err(problem.detail.unwrap_or(title)));
            }
            429 | 503 if problem.code != STORAGE_FULL && attempt < MOST_ATTEMPTS => {
                attempt += 1;
                tokio::time::sleep(AGAIN_AFTER).await;
            }
            _ => {
                let error = anyhow::Error::from(ChatError::Refused(problem));
                return Err(error.context(format!("{filename} was not uploaded")));
            }
        }
    }
}

/// `knowledge ingest` over HTTP.
pub(super) async fn ingest(client: &ChatClient, options: &KnowledgeIngest) -> anyhow::Result<()> {
    if options.prune {
        bail!("--prune is for a database that no service uses; use `knowledge sync FOLDER`");
    }
    let paths = options.paths.clone();
    let files = tokio::task::spawn_blocking(move || files_of(&paths)).await??;
    let mut synced = Synced::default();
    for (number, file) in (1..).zip(&files) {
        let place = format!("[{number}/{}] {}", files.len(), file.path.display());
        if MediaType::of_name(&file.name).is_none() {
            synced.skipped += 1;
            terminal::note(format!("{place}: {}", skipped(&file.name)));
            continue;
        }
        let bytes = tokio::fs::read(&file.path)
            .await
            .with_context(|| format!("cannot read {}", file.path.display()))?;
        match send(client, &options.collection, &file.name, bytes).await? {
            Ok(ingested) => {
                let count = match ingested.outcome {
                    IngestOutcome::Created => &mut synced.created,
                    IngestOutcome::Updated => &mut synced.updated,
                    IngestOutcome::Unchanged => &mut synced.unchanged,
                };
                *count += 1;
                terminal::note(format!("{place}: {} passages", ingested.chunks));
            }
            Err(why) => {
                synced.refused += 1;
                terminal::note(format!("{place}: {why}"));
            }
        }
    }
    terminal::say(synced.to_string());
    let taken = synced.created + synced.updated + synced.unchanged;
    if taken == 0 {
        bail!("none of the documents could be read");
    }
    if options.strict && synced.refused > 0 {
        bail!("{} files could not be read", synced.refused);
    }
    Ok(())
}

/// The documents that the account reads.
pub(super) async fn documents(
    client: &ChatClient,
    collection: Option<&str>,
) -> anyhow::Result<Vec<DocumentSummary>> {
    let query = query_string(&serde_json::json!({ "collection": collection }))?;
    let path = format!("/api/documents?{query}");
    let list: DocumentList = client
        .request(Method::GET, &path, None)
        .await?
        .json()
        .await?;
    Ok(list.documents)
}

/// `knowledge delete` over HTTP.
pub(super) async fn delete_named(
    client: &ChatClient,
    collection: &str,
    filenames: &[String],
) -> anyhow::Result<()> {
    let known = documents(client, Some(collection)).await?;
    let mut unknown = Vec::new();
    for filename in filenames {
        match known.iter().find(|one| one.filename == *filename) {
            Some(document) => {
                delete(client, &document.document_id).await?;
                terminal::say(format!("{collection}/{filename} is deleted"));
            }
            None => unknown.push(filename.as_str()),
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

async fn delete(client: &ChatClient, document_id: &str) -> anyhow::Result<()> {
    let path = format!("/api/documents/{document_id}");
    match client.request(Method::DELETE, &path, None).await {
        Ok(_) => Ok(()),
        // Another user deleted it.
        Err(ChatError::Refused(problem)) if problem.status == 404 => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// `knowledge search` over HTTP.
pub(super) async fn search(client: &ChatClient, query: &Query) -> anyhow::Result<KnowledgeResults> {
    let arguments = serde_json::to_value(query)?;
    let found: ToolEnvelope<KnowledgeResults> = client
        .request(
            Method::POST,
            "/api/tools/knowledge_search",
            Some(&arguments),
        )
        .await?
        .json()
        .await?;
    found.result.context("the search has no result")
}
