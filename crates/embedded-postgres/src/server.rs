//! A running private server, as callers see it.

use std::path::{Path, PathBuf};

use provision::server::data_dir::remove_folder;
use provision::server::{PrivateServer, ServerProcess};
use sqlx::{Connection, PgConnection};

use crate::binaries::{self, Binaries};
use crate::cluster::{Folder, SUPERUSER};
use crate::launch::launch;
use crate::{Durability, Error, Options, Progress, Provenance, Version, databases};

/// The database that every cluster has; ours are made from there.
const MAINTENANCE: &str = "postgres";

/// A running private server. [`Server::stop`] ends it in order; dropping it, or the end of the process, ends it as well.
#[derive(Debug)]
pub struct Server {
    process: ServerProcess,
    /// Kept for its lock, and after `process`, so that the server goes first.
    folder: Folder,
    binaries: Binaries,
    options: Options,
    has_pgvector: bool,
}

/// The user's own database, or one in a private server.
pub type Database = provision::server::Database<Server>;

/// Finds a server, prepares the data folder and starts.
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
    /// Asks the started server what it can do, which also shows that our password is the right one.
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

    /// The address of a database in this server. It holds the superuser's password: do not log it.
    pub fn url(&self, database: &str) -> String {
        let (password, port) = (self.folder.password.as_str(), self.port());
        format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// The port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.process.port()
    }

    /// The process id of the server, `None` when it has ended.
    pub fn pid(&self) -> Option<i32> {
        self.process.pid().map(nix::unistd::Pid::as_raw)
    }

    /// Whether the server has ended without being told to by [`Server::stop`]: it crashed, or was killed.
    pub fn has_ended(&mut self) -> Result<bool, Error> {
        Ok(self.process.has_ended()?)
    }

    /// Starts a server that has ended again, on the same data and the same port, so that its address stays what it was.
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

    /// The server's version.
    pub fn version(&self) -> &Version {
        &self.binaries.version
    }

    /// Where the server's programs came from.
    pub fn provenance(&self) -> Provenance {
        self.binaries.provenance
    }

    /// Whether `CREATE EXTENSION vector` will work.
    pub fn has_pgvector(&self) -> bool {
        self.has_pgvector
    }

    /// Where the data are. Not where they were wanted when root's server could not reach that folder.
    pub fn data_dir(&self) -> &Path {
        &self.folder.root
    }

    /// The server's log of this start.
    pub fn log_file(&self) -> PathBuf {
        self.folder.log()
    }

    /// Makes the database `name`; does nothing when it exists.
    pub async fn create_database(&self, name: &str) -> Result<(), Error> {
        let mut connection = self.connect().await?;
        databases::create(&mut connection, name).await?;
        Ok(connection.close().await?)
    }

    /// Makes the database `name` as a copy of `template`, which nobody may be connected to.
    pub async fn create_database_from_template(
        &self,
        name: &str,
        template: &str,
    ) -> Result<(), Error> {
        let mut connection = self.connect().await?;
        databases::create_from_template(&mut connection, name, template).await?;
        Ok(connection.close().await?)
    }

    /// Drops the database `name`, ending its sessions; does nothing when there is none.
    pub async fn drop_database(&self, name: &str) -> Result<(), Error> {
        let mut connection = self.connect().await?;
        databases::drop(&mut connection, name).await?;
        Ok(connection.close().await?)
    }

    /// Ends sessions, writes a checkpoint and stops. Throw-away data are removed.
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
