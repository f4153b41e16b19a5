//! The user's own server, or a private one.

use crate::{Error, Options, Server, start};

/// Where a program's database comes from.
#[derive(Debug)]
pub enum Database {
    /// The user named one (`HELIOGRAPH_MARIADB_URL`); nothing was started.
    Given {
        /// Its address, password included.
        url: GivenUrl,
    },
    /// We run a server of our own.
    Embedded {
        /// The server.
        server: Box<Server>,
        /// The database within it.
        name: String,
    },
}

/// An address with a password in it: kept out of `Debug`.
#[derive(Clone)]
pub struct GivenUrl(String);

impl Database {
    /// Takes the address that the user gave; else starts a private server and makes the database `name` in it.
    pub async fn open(given: Option<String>, options: Options, name: &str) -> Result<Self, Error> {
        if let Some(url) = given {
            tracing::info!("using the database that HELIOGRAPH_MARIADB_URL names");
            return Ok(Self::Given { url: GivenUrl(url) });
        }
        let server = start(options).await?;
        server.create_database(name).await?;
        Ok(Self::Embedded {
            server: Box::new(server),
            name: name.to_owned(),
        })
    }

    /// The address to connect to, as an administrator. It holds the password.
    pub fn url(&self) -> String {
        match self {
            Self::Given { url } => url.0.clone(),
            Self::Embedded { server, name } => server.url(name),
        }
    }

    /// Where the database comes from, in words for logs; holds no secret.
    pub fn origin(&self) -> String {
        match self {
            Self::Given { .. } => "HELIOGRAPH_MARIADB_URL".to_owned(),
            Self::Embedded { server, .. } => {
                format!(
                    "embedded MariaDB {} ({})",
                    server.version(),
                    server.provenance()
                )
            }
        }
    }

    /// Whether it is a private server that has ended by itself.
    pub fn has_ended(&mut self) -> Result<bool, Error> {
        match self {
            Self::Given { .. } => Ok(false),
            Self::Embedded { server, .. } => server.has_ended(),
        }
    }

    /// Starts a private server that has ended again; its address stays what it was.
    pub async fn restart(&mut self) -> Result<(), Error> {
        match self {
            Self::Given { .. } => Ok(()),
            Self::Embedded { server, .. } => server.restart().await,
        }
    }

    /// Stops the private server, if it is one.
    pub async fn stop(self) -> Result<(), Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_given_address_is_used_and_nothing_is_started() {
        let options = Options::durable("/nonexistent/data", "/nonexistent/cache");
        let database = Database::open(Some("mysql://u:secret@h/db".to_owned()), options, "x")
            .await
            .unwrap();
        assert_eq!(database.url(), "mysql://u:secret@h/db");
        assert_eq!(database.origin(), "HELIOGRAPH_MARIADB_URL");
        assert!(!format!("{database:?}").contains("secret"));
        database.stop().await.unwrap();
    }
}
