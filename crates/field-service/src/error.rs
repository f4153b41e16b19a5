//! Why the demonstration is not there.

/// Why the demonstration could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database holds something else, which is not ours to remove.
    #[error("the database `{database}` has other tables ({table}, …); name an empty one")]
    Foreign {
        /// The database.
        database: String,
        /// One of the tables.
        table: String,
    },
    /// The data that are there were encrypted with another key.
    #[error(
        "the demonstration in `{database}` was loaded with another key; load it anew with --reset"
    )]
    OtherKey {
        /// The database.
        database: String,
    },
    /// A name or a secret that would have to be quoted.
    #[error("{0} may have letters, digits and underscores only")]
    NotPlain(&'static str),
    /// The example questions are malformed.
    #[error("the example questions can not be read")]
    Questions(#[source] serde_json::Error),
    /// Another process loads, and does not end.
    #[error("another process loads the demonstration")]
    Busy,
    /// The database refused or is away.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}
