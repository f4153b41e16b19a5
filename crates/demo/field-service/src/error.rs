//! Errors of loading the demonstration.

/// Why the demonstration was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database contains other tables. The loader does not remove them.
    #[error("the database `{database}` has other tables ({table}, …); choose an empty database")]
    Foreign {
        /// The name of the database.
        database: String,
        /// One of the other tables.
        table: String,
    },
    /// The existing data were encrypted with another key.
    #[error(
        "the demonstration in `{database}` was loaded with another key; load it anew with --reset"
    )]
    OtherKey {
        /// The name of the database.
        database: String,
    },
    /// A name or a secret has characters that would need quoting.
    #[error("{0} must consist of letters, digits and underscores")]
    NotPlain(&'static str),
    /// The example questions are malformed.
    #[error("the example questions are not valid JSON")]
    Questions(#[source] serde_json::Error),
    /// Another process was still loading after the maximum wait.
    #[error("another process loads the demonstration")]
    Busy,
    /// The database rejected a statement or is not reachable.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}
