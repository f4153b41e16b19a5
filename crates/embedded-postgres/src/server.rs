//! A running private server.

use std::path::{Path, PathBuf};

use provision::server::data_dir::remove_folder;
use provision::server::{PrivateServer, ServerProcess};
use sqlx::{Connection, PgConnection};

use crate::binaries::{self, Binaries};
use crate::cluster::{Folder, SUPERUSER};
use crate::launch::launch;
use crate::{Durability, Error, Options, Progress, Provenance, Version, databases};

/// The database that every cluster has. Other databases are created through it.
const MAINTENANCE: &str = "postgres";

/// A running private server. [`Server::stop`] stops it in an orderly way. Dropping it, or the end
/// of the process, also ends it.
#[derive(Debug)]
pub struct Server {
    process: ServerProcess,
    /// Holds the lock. Declared after `process`, so that the server is dropped first.
    folder: Folder,
    binaries: Binaries,
    options: Options,
    has_pgvector: bool,
}

/// The user's own database, or one in a private server.
pub type Database = provision::server::Database<Server>;

/// Finds a server, prepares the data folder and starts the server.
pub async fn start(options: Options) -> Result<Server, Error> {
    let folder = Folder::open(&options)?;
    let result = start_in(&folder, &options).await;
    match result {
        Ok((process, binaries)) => Server::meet(process, folder, binaries, options).await,
        Err(error) => {
            if folder.durability == Durability::ThrowAway {
                remove_folder(&folder.root)?;
            }
            Err(error)
        }
    }
}

async fn start_in(folder: &Folder, options: &Options) -> Result<(ServerProcess, Binaries), Error> {
    let binaries = binaries::find(options, &folder.account).await?;
    folder.prepare(&binaries, options).await?;
    options.report(Progress::Starting);
    Ok((launch(&binaries, folder, options).await?, binaries))
}

impl Server {
    /// Queries the capabilities of the started server. This also verifies the password.
    async fn meet(
        process: ServerProcess,
        folder: Folder,
        binaries: Binaries,
        options: Options,
    ) -> Result<Self, Error> {
        let mut server = Self {
            process,
            folder,
            binaries,
            options,
            has_pgvector: false,
        };
        let mut connection = server.connect().await?;
        let query = "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')";
        server.has_pgvector = sqlx::query_scalar(query).fetch_one(&mut connection).await?;
        connection.close().await?;
        tracing::info!(
            version = %server.binaries.version,
            provenance = %server.binaries.provenance,
            pgvector = server.has_pgvector,
            port = server.port(),
            data_dir = %server.data_dir().display(),
            "embedded PostgreSQL is ready"
        );
        Ok(server)
    }

    /// The address of a database in this server. It contains the superuser's password: do not log
    /// it.
    pub fn url(&self, database: &str) -> String {
        let (password, port) = (self.folder.password.as_str(), self.port());
        format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// The port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.process.port()
    }

    /// The process id of the server; `None` if it has ended.
    pub fn pid(&self) -> Option<i32> {
        self.process.pid().map(nix::unistd::Pid::as_raw)
    }

    /// Whether the server has ended without [`Server::stop`], because it crashed or was killed.
    pub fn has_ended(&mut self) -> Result<bool, Error> {
        Ok(self.process.has_ended()?)
    }

    /// Restarts a server that has ended, on the same data and port, so that its address does not
    /// change.
    pub async fn restart(&mut self) -> Result<(), Error> {
        self.process.end().await?;
        self.folder.prepare(&self.binaries, &self.options).await?;
        let options = Options {
            port: Some(self.process.port()),
            ..self.options.clone()
        };
        self.process = launch(&self.binaries, &self.folder, &options).await?;
        Ok(())
    }

    /// The version of the server.
    pub fn version(&self) -> &Version {
        &self.binaries.version
    }

    /// The origin of the server's programs.
    pub fn provenance(&self) -> Provenance {
        self.binaries.provenance
    }

    /// Whether the server supports `CREATE EXTENSION vector`.
    pub fn has_pgvector(&self) -> bool {
        self.has_pgvector
    }

    /// The data folder. It differs from the requested one if root's server could not reach that
    /// folder.
    pub fn data_dir(&self) -> &Path {
        &self.folder.root
    }

    /// The log file of this start.
    pub fn log_file(&self) -> PathBuf {
        self.folder.log()
    }

    /// Creates the database `name`. Does nothing if it exists.
    pub async fn create_database(&self, name: &str) -> Result<(), Error> {
        let mut connection = self.connect().await?;
        databases::create(&mut connection, name).await?;
        Ok(connection.close().await?)
    }

    /// Creates the database `name` as a copy of `template`, which must not have any connections.
    pub async fn create_database_from_template(
        &self,
        name: &str,
        template: &str,
    ) -> Result<(), Error> {
        let mut connection = self.connect().await?;
        databases::create_from_template(&mut connection, name, template).await?;
        Ok(connection.close().await?)
    }

    /// Drops the database `name` and ends its sessions. Does nothing if it does not exist.
    pub async fn drop_database(&self, name: &str) -> Result<(), Error> {
        let mut connection = self.connect().await?;
        databases::drop(&mut connection, name).await?;
        Ok(connection.close().await?)
    }

    /// Ends sessions, writes a checkpoint and stops. Temporary data are removed.
    pub async fn stop(self) -> Result<(), Error> {
        Ok(self.process.stop().await?)
    }

    async fn connect(&self) -> Result<PgConnection, Error> {
        Ok(PgConnection::connect(&self.url(MAINTENANCE)).await?)
    }
}

impl PrivateServer for Server {
    type Options = Options;
    type Error = Error;
    const NAME: &'static str = "PostgreSQL";
    const VARIABLE: &'static str = "DATABASE_URL";

    async fn start(options: Options) -> Result<Self, Error> {
        start(options).await
    }

    async fn create_database(&self, name: &str) -> Result<(), Error> {
        self.create_database(name).await
    }

    fn url(&self, database: &str) -> String {
        self.url(database)
    }

    fn origin(&self) -> String {
        format!("{} ({})", self.version(), self.provenance())
    }

    fn data_dir(&self) -> &Path {
        self.data_dir()
    }

    fn has_ended(&mut self) -> Result<bool, Error> {
        self.has_ended()
    }

    async fn restart(&mut self) -> Result<(), Error> {
        self.restart().await
    }

    async fn stop(self) -> Result<(), Error> {
        self.stop().await
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
