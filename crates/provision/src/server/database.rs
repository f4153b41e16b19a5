//! The database of the user, or a private one.

use std::path::Path;

/// A private server with databases.
pub trait PrivateServer: Sized + Send + Sync {
    /// The options for starting it.
    type Options: Send;
    /// The error of a start.
    type Error: std::error::Error + Send + Sync + 'static;
    /// The name for messages.
    const NAME: &'static str;
    /// The variable with the address of an existing database.
    const VARIABLE: &'static str;

    /// Finds a server, prepares its data and starts it.
    fn start(options: Self::Options) -> impl Future<Output = Result<Self, Self::Error>> + Send;

    /// Creates the database `name`. Does nothing if it exists.
    fn create_database(&self, name: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The address of a database in the server. It contains a password.
    fn url(&self, database: &str) -> String;

    /// The version, and the origin of the programs.
    fn origin(&self) -> String;

    /// The folder of its data.
    fn data_dir(&self) -> &Path;

    /// Whether it has ended unexpectedly.
    fn has_ended(&mut self) -> Result<bool, Self::Error>;

    /// Restarts it on the same data and port.
    fn restart(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Stops it and removes temporary data.
    fn stop(self) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// The database of a program.
#[derive(Debug)]
pub enum Database<S> {
    /// An existing database of the user. Nothing was started.
    Given {
        /// The address with the password.
        url: GivenUrl,
    },
    /// A private server of this process.
    Embedded {
        /// The private server.
        server: Box<S>,
        /// The name of the database in the server.
        name: String,
    },
}

/// An address with a password, which `Debug` hides.
#[derive(Clone)]
pub struct GivenUrl(String);

impl<S: PrivateServer> Database<S> {
    /// Uses the given address. Without one, starts a private server and creates the database `name`
    /// in it.
    pub async fn open(
        given: Option<String>,
        options: S::Options,
        name: &str,
    ) -> Result<Self, S::Error> {
        if let Some(url) = given {
            tracing::info!("using the database that {} names", S::VARIABLE);
            return Ok(Self::Given { url: GivenUrl(url) });
        }
        let server = S::start(options).await?;
        server.create_database(name).await?;
        Ok(Self::Embedded {
            server: Box::new(server),
            name: name.to_owned(),
        })
    }

    /// The address of the database. It contains the password.
    pub fn url(&self) -> String {
        match self {
            Self::Given { url } => url.0.clone(),
            Self::Embedded { server, name } => server.url(name),
        }
    }

    /// The origin of the database as text for logs and `/health`, without secrets.
    pub fn origin(&self) -> String {
        match self {
            Self::Given { .. } => S::VARIABLE.to_owned(),
            Self::Embedded { server, .. } => format!("embedded {} {}", S::NAME, server.origin()),
        }
    }

    /// The folder of a private server's data.
    pub fn data_dir(&self) -> Option<&Path> {
        match self {
            Self::Given { .. } => None,
            Self::Embedded { server, .. } => Some(server.data_dir()),
        }
    }

    /// Whether a private server has ended unexpectedly.
    pub fn has_ended(&mut self) -> Result<bool, S::Error> {
        match self {
            Self::Given { .. } => Ok(false),
            Self::Embedded { server, .. } => server.has_ended(),
        }
    }

    /// Restarts a private server that has ended. Its address does not change.
    pub async fn restart(&mut self) -> Result<(), S::Error> {
        match self {
            Self::Given { .. } => Ok(()),
            Self::Embedded { server, .. } => server.restart().await,
        }
    }

    /// Stops a private server.
    pub async fn stop(self) -> Result<(), S::Error> {
        match self {
            Self::Given { .. } => Ok(()),
            Self::Embedded { server, .. } => server.stop().await,
        }
    }
}

impl std::fmt::Debug for GivenUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GivenUrl(…)")
    }
}
