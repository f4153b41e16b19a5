//! The database of the user, or a private one.

use std::path::Path;

use super::{Kind, Options, Server};

/// The database of a program.
#[derive(Debug)]
pub enum Database<K: Kind> {
    /// An existing database of the user. Nothing was started.
    Given {
        /// The address with the password.
        url: GivenUrl,
    },
    /// A private server of this process.
    Embedded {
        /// The private server.
        server: Box<Server<K>>,
        /// The name of the database in the server.
        name: String,
    },
}

/// An address with a password, which `Debug` hides.
#[derive(Clone)]
pub struct GivenUrl(String);

impl<K: Kind> Database<K> {
    /// Uses the given address. Without one, starts a private server and creates the database `name`
    /// in it.
    pub async fn open(
        given: Option<String>,
        options: Options,
        name: &str,
    ) -> Result<Self, K::Error> {
        if let Some(url) = given {
            tracing::info!("using the database that {} names", K::VARIABLE);
            return Ok(Self::Given { url: GivenUrl(url) });
        }
        let server = Server::start(options).await?;
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
            Self::Given { .. } => K::VARIABLE.to_owned(),
            Self::Embedded { server, .. } => format!("embedded {} {}", K::NAME, server.origin()),
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
    pub fn has_ended(&mut self) -> Result<bool, K::Error> {
        match self {
            Self::Given { .. } => Ok(false),
            Self::Embedded { server, .. } => server.has_ended(),
        }
    }

    /// Restarts a private server that has ended. Its address does not change.
    pub async fn restart(&mut self) -> Result<(), K::Error> {
        match self {
            Self::Given { .. } => Ok(()),
            Self::Embedded { server, .. } => server.restart().await,
        }
    }

    /// Stops a private server.
    pub async fn stop(self) -> Result<(), K::Error> {
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
