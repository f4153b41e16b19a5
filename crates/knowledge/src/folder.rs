//! Taking in files and folders, with progress.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::store::hex;
use crate::{Error, IngestedDocument, Library, MediaType, Reader};

/// The files to ingest.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Files, or folders, with all that is in them.
    pub paths: Vec<PathBuf>,
    /// The tenant that owns the documents, and the collections that are open.
    pub reader: Reader,
    /// The collection.
    pub collection: String,
    /// Whether documents of the collection go that were under these folders and are not there any
    /// more.
    pub prune: bool,
}

/// The result of all files.
#[derive(Debug, Default)]
pub struct FolderReport {
    /// Files that were ingested.
    pub ingested: Vec<IngestedDocument>,
    /// Files that were not, each with the reason.
    pub refused: Vec<(PathBuf, Error)>,
    /// Files of kinds that cannot be read.
    pub skipped: Vec<PathBuf>,
    /// Documents that were deleted.
    pub pruned: Vec<String>,
    /// Chunks without a vector, of the whole tenant.
    pub chunks_without_vector: u64,
    /// Why vectors were not made.
    pub embedder_failure: Option<String>,
}

/// The progress of a run.
#[derive(Debug)]
pub struct FileReport<'a> {
    /// Which file, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
    /// The path of the file.
    pub path: &'a Path,
    /// The outcome.
    pub outcome: FileOutcome<'a>,
}

/// The outcome of one file.
#[derive(Debug)]
pub enum FileOutcome<'a> {
    /// It is in.
    Ingested(&'a IngestedDocument),
    /// It cannot be read.
    Refused(&'a Error),
    /// It is of a kind that cannot be read.
    Skipped,
}

/// A file and the name that its document has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The name of the document.
    pub name: String,
}

impl Library {
    /// Ingests files and folders, and reports the result of each file to `progress`. A file that
    /// cannot be read is reported and the others are ingested; an error of the database ends the
    /// run. Vectors are computed in full batches across files; a failing embedder is reported and
    /// does not end the run.
    pub async fn ingest_path(
        &self,
        folder: &Folder,
        mut progress: impl FnMut(FileReport<'_>) + Send,
    ) -> Result<FolderReport, Error> {
        let paths = folder.paths.clone();
        let found = tokio::task::spawn_blocking(move || files_of(&paths))
            .await
            .map_err(|_panicked| Error::FolderUnread)??;
        let mut report = FolderReport::default();
        let mut waiting = 0;
        let of = found.len();
        for (number, file) in (1..).zip(&found) {
            let outcome = self.take_file(folder, file).await;
            if let Ok(Some(ingested)) = &outcome {
                waiting += ingested.chunks_without_vector as usize;
            }
            if let Err(error @ Error::Database(_)) = outcome {
                return Err(error);
            }
            progress(FileReport {
                number,
                of,
                path: &file.path,
                outcome: match &outcome {
                    Ok(Some(ingested)) => FileOutcome::Ingested(ingested),
                    Ok(None) => FileOutcome::Skipped,
                    Err(error) => FileOutcome::Refused(error),
                },
            });
            match outcome {
                Ok(Some(ingested)) => report.ingested.push(ingested),
                Ok(None) => report.skipped.push(file.path.clone()),
                Err(error) => report.refused.push((file.path.clone(), error)),
            }
            if waiting >= self.settings().embedding_batch && report.embedder_failure.is_none() {
                report.embedder_failure = self
                    .embed_missing(folder.reader.tenant(), None)
                    .await?
                    .failure;
                waiting = 0;
            }
        }
        if folder.prune {
            self.prune(folder, &found, &mut report).await?;
        }
        let caught_up = self.catch_up(folder.reader.tenant()).await?;
        report.chunks_without_vector = caught_up.left;
        report.embedder_failure = report.embedder_failure.or(caught_up.failure);
        Ok(report)
    }

    /// Takes a file in; `None` when it is of no kind that can be read.
    async fn take_file(
        &self,
        folder: &Folder,
        file: &FolderFile,
    ) -> Result<Option<IngestedDocument>, Error> {
        if MediaType::of_name(&file.name).is_none() {
            return Ok(None);
        }
        let limit = self.settings().max_document_bytes;
        let cannot = |source| Error::File {
            path: file.path.display().to_string(),
            source,
        };
        let bytes = tokio::fs::metadata(&file.path).await.map_err(cannot)?.len();
        if bytes > limit {
            return Err(Error::TooLarge { bytes, limit });
        }
        let bytes = tokio::fs::read(&file.path).await.map_err(cannot)?;
        self.keep(&folder.reader, &folder.collection, &file.name, None, bytes)
            .await
            .map(Some)
    }

    /// Deletes documents that came from these folders and whose files no longer exist.
    async fn prune(
        &self,
        folder: &Folder,
        found: &[FolderFile],
        report: &mut FolderReport,
    ) -> Result<(), Error> {
        let there: HashSet<&str> = found.iter().map(|file| file.name.as_str()).collect();
        let is_whole = folder.paths.iter().any(|path| path.is_dir());
        if !is_whole {
            return Ok(());
        }
        let documents = self
            .documents(&folder.reader, Some(&folder.collection))
            .await?;
        for document in documents {
            if !there.contains(document.filename.as_str())
                && self
                    .delete_named(&folder.reader, &folder.collection, &document.filename)
                    .await?
            {
                report.pruned.push(document.filename);
            }
        }
        Ok(())
    }
}

/// The files under these paths in the order of their names. A file within a folder is called by its
/// path from there, a file that was named alone by its own name.
pub fn files_of(paths: &[PathBuf]) -> Result<Vec<FolderFile>, Error> {
    let mut found = Vec::new();
    for path in paths {
        let cannot = |path: &Path, source| Error::File {
            path: path.display().to_string(),
            source,
        };
        let meta = std::fs::metadata(path).map_err(|error| cannot(path, error))?;
        if !meta.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            found.push(FolderFile {
                path: path.clone(),
                name: name.into_owned(),
            });
            continue;
        }
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(&folder).map_err(|error| cannot(&folder, error))?;
            for entry in entries {
                let entry = entry.map_err(|error| cannot(&folder, error))?;
                let kind = entry
                    .file_type()
                    .map_err(|error| cannot(&entry.path(), error))?;
                if entry.file_name().to_string_lossy().starts_with('.') {
                    continue;
                }
                // Links are not followed: they may lead in circles, or out.
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() {
                    found.push(FolderFile {
                        name: name_within(path, &entry.path()),
                        path: entry.path(),
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.path == b.path);
    Ok(found)
}

/// The hash of a document's bytes, as lists of documents show it.
pub fn content_hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The path of a file from a folder, with slashes whatever the system has.
fn name_within(folder: &Path, file: &Path) -> String {
    let within = file.strip_prefix(folder).unwrap_or(file);
    let parts: Vec<_> = within
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}
