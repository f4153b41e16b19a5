//! The user's own database, or a private one.

/// A private server with databases in it.
pub trait PrivateServer: Sized + Send + Sync {
    /// How it is started.
    type Options: Send;
    /// Why it is not there.
    type Error: std::error::Error + Send + Sync + 'static;
    /// What a person calls it.
    const NAME: &'static str;
    /// The variable by which a user names a database of their own.
    const VARIABLE: &'static str;

    /// Finds a server, prepares its data and starts it.
    fn start(options: Self::Options) -> impl Future<Output = Result<Self, Self::Error>> + Send;

    /// Makes the database `name`; does nothing when it exists.
    fn create_database(&self, name: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The address of a database in it. It holds a password.
    fn url(&self, database: &str) -> String;

    /// Its version, and where its programs came from.
    fn origin(&self) -> String;

    /// Whether it has ended by itself.
    fn has_ended(&mut self) -> Result<bool, Self::Error>;

    /// Starts it again after it has ended, on the same data and port.
    fn restart(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Stops it. Data that are thrown away are removed.
    fn stop(self) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// Where a program's database comes from.
#[derive(Debug)]
pub enum Database<S> {
    /// The user named one; nothing was started.
    Given {
        /// Its address, password included.
        url: GivenUrl,
    },
    /// We run a server of our own.
    Embedded {
        /// The server.
        server: Box<S>,
        /// The database within it.
        name: String,
    },
}

/// An address with a password in it: kept out of `Debug`.
#[derive(Clone)]
pub struct GivenUrl(String);

impl<S: PrivateServer> Database<S> {
    /// Takes the address that the user gave; else starts a private server and makes the database `name` in it.
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

    /// The address to connect to. It holds the password.
    pub fn url(&self) -> String {
        match self {
            Self::Given { url } => url.0.clone(),
            Self::Embedded { server, name } => server.url(name),
        }
    }

    /// Where the database comes from, in words for logs and `/health`; holds no secret.
    pub fn origin(&self) -> String {
        match self {
            Self::Given { .. } => S::VARIABLE.to_owned(),
            Self::Embedded { server, .. } => format!("embedded {} {}", S::NAME, server.origin()),
        }
    }

    /// Whether it is a private server that has ended by itself.
    pub fn has_ended(&mut self) -> Result<bool, S::Error> {
        match self {
            Self::Given { .. } => Ok(false),
            Self::Embedded { server, .. } => server.has_ended(),
        }
    }

    /// Starts a private server that has ended again; its address stays what it was.
    pub async fn restart(&mut self) -> Result<(), S::Error> {
        match self {
            Self::Given { .. } => Ok(()),
            Self::Embedded { server, .. } => server.restart().await,
        }
    }

    /// Stops the private server, if it is one.
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
