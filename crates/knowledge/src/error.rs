//! What can go wrong with documents.

use crate::document::MediaType;

/// Why a document was not taken, or nothing was found.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is none of the kinds that can be read.
    #[error(
        "{filename:?} is not a kind of document that can be read: Markdown, HTML, PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), e-mail (.eml) and plain text can{}",
        MediaType::elsewhere(filename)
    )]
    UnsupportedMediaType {
        /// The document.
        filename: String,
    },
    /// It is larger than documents may be.
    #[error("the document has {bytes} bytes, more than the {limit} that it may have")]
    TooLarge {
        /// The size of the document.
        bytes: u64,
        /// The largest there may be.
        limit: u64,
    },
    /// It has more chunks than documents may have.
    #[error("the document makes {chunks} chunks, more than the {limit} that it may")]
    TooManyChunks {
        /// Number of chunks of the document.
        chunks: usize,
        /// Maximum number of chunks.
        limit: usize,
    },
    /// Its bytes cannot be made sense of.
    #[error("the document cannot be read: {0}")]
    Broken(String),
    /// It needs a password.
    #[error(
        "the document is protected by a password, or in an old Office format; save it without password as PDF, .docx, .pptx or .xlsx"
    )]
    Encrypted,
    /// There is nothing in it that could be found.
    #[error("there is no text in the document{}", .0.as_deref().map(|why| format!(": {why}")).unwrap_or_default())]
    NoText(Option<String>),
    /// Reading it took too long.
    #[error("reading the document took longer than it may")]
    TooSlow,
    /// Reading it takes more memory than it may, or its parts are nested too deeply.
    #[error(
        "reading the document takes more memory than the {} MiB that it may, or its parts are nested too deeply",
        .limit / (1024 * 1024)
    )]
    TooDemanding {
        /// The limit, bytes.
        limit: u64,
    },
    /// There is more text in it than there may be.
    #[error("the document has more text than the {limit} bytes that it may have")]
    TooMuchText {
        /// The limit, bytes.
        limit: u64,
    },
    /// Other documents are being read, and continue being read.
    #[error(
        "{readers} documents are read at once, and others come before this one; send it again later"
    )]
    Busy {
        /// Number of documents that are read at once.
        readers: usize,
    },
    /// The process that reads documents does not work.
    #[error("the document's reader does not work")]
    Reader(#[source] std::io::Error),
    /// The name of a document or of a collection cannot be stored.
    #[error("{name} {reason}")]
    InvalidName {
        /// Which name: `filename` or `collection`.
        name: &'static str,
        /// The fault in the name.
        reason: String,
    },
    /// The collection is not open to the caller.
    #[error("you may not read the collection {0:?}, so you cannot add documents to it")]
    Closed(String),
    /// Another collection has the name.
    #[error("the tenant has a collection named {0:?}")]
    NameTaken(String),
    /// A folder cannot be read to its end.
    #[error("the folder cannot be read: its listing did not come to an end")]
    FolderUnread,
    /// A file or folder cannot be read.
    #[error("{path} cannot be read")]
    File {
        /// The path of the file or folder.
        path: String,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// The database refused or is away.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// A document that ends too early.
    pub(crate) fn cut() -> Self {
        Self::Broken("it ends too early, so it was cut off; get the file again".to_owned())
    }

    /// A document whose structure is not that of its kind.
    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Broken(format!(
            "it is damaged ({what}); open it in the program that made it and save it anew, or get the file again"
        ))
    }
}
