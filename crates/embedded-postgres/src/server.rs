//! PostgreSQL as a kind of private server.

use provision::server::{Kind, ServerProcess};
use sqlx::{Connection, PgConnection};

use crate::binaries::{self, Binaries};
use crate::cluster::Folder;
use crate::{Error, Options, databases, launch};

/// PostgreSQL.
#[derive(Debug)]
pub struct Postgres;

/// A running private server.
pub type Server = provision::server::Server<Postgres>;

/// The user's own database, or one in a private server.
pub type Database = provision::server::Database<Postgres>;

/// Finds a server, prepares the data folder and starts the server.
pub async fn start(options: Options) -> Result<Server, Error> {
    Server::start(options).await
}

impl Kind for Postgres {
    type Error = Error;
    type Folder = Folder;
    type Binaries = Binaries;
    const NAME: &'static str = "PostgreSQL";
    const STARTING: &'static str = "starting PostgreSQL";
    const VARIABLE: &'static str = "DATABASE_URL";
    const MAINTENANCE: &'static str = "postgres";

    fn open(options: &Options) -> Result<Folder, Error> {
        Folder::open(options)
    }

    async fn find(options: &Options, folder: &Folder) -> Result<Binaries, Error> {
        binaries::find(options, &folder.account).await
    }

    async fn prepare(folder: &Folder, binaries: &Binaries, options: &Options) -> Result<(), Error> {
        folder.prepare(binaries, options).await
    }

    async fn launch(
        folder: &Folder,
        binaries: &Binaries,
        options: &Options,
    ) -> Result<ServerProcess, Error> {
        launch::launch(binaries, folder, options).await
    }

    fn url(user: &str, password: &str, port: u16, database: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    async fn connect(url: &str) -> Result<(), Error> {
        Ok(PgConnection::connect(url).await?.close().await?)
    }

    async fn create_database(url: &str, name: &str) -> Result<(), Error> {
        let mut connection = PgConnection::connect(url).await?;
        databases::create(&mut connection, name).await?;
        Ok(connection.close().await?)
    }

    async fn drop_database(url: &str, name: &str) -> Result<(), Error> {
        let mut connection = PgConnection::connect(url).await?;
        databases::drop(&mut connection, name).await?;
        Ok(connection.close().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_given_address_is_used_and_nothing_is_started() {
        let options = Options::durable("/nonexistent/data", "/nonexistent/cache");
        let database = Database::open(Some("postgres://u:secret@h/db".to_owned()), options, "x")
            .await
            .unwrap();
        assert_eq!(database.url(), "postgres://u:secret@h/db");
        assert_eq!(database.origin(), "DATABASE_URL");
        assert!(!format!("{database:?}").contains("secret"));
        database.stop().await.unwrap();
    }
}
