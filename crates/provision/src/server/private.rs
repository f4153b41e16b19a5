//! A private server of any kind, while it runs.

use std::fmt;
use std::path::Path;

use super::data_dir::{Password, remove_folder};
use super::{Durability, Error, Options, Progress, ServerProcess};

/// A kind of server: what differs between them.
pub trait Kind: Sized + Send + Sync + 'static {
    /// The error of a start or of a statement.
    type Error: std::error::Error + From<Error> + From<crate::Error> + Send + Sync + 'static;
    /// The folder of its data, locked by this process.
    type Folder: DataFolder;
    /// Its programs. `Display` formats their version and origin.
    type Binaries: fmt::Debug + fmt::Display + Send + Sync;
    /// The name for messages.
    const NAME: &'static str;
    /// The step of starting it, for messages.
    const STARTING: &'static str;
    /// The variable with the address of an existing database.
    const VARIABLE: &'static str;
    /// The database that every server has. Other databases are created through it.
    const MAINTENANCE: &'static str;

    /// Locks the data folder, which is created if missing.
    fn open(options: &Options) -> Result<Self::Folder, Self::Error>;

    /// Finds or downloads the programs.
    fn find(
        options: &Options,
        folder: &Self::Folder,
    ) -> impl Future<Output = Result<Self::Binaries, Self::Error>> + Send;

    /// Prepares the data: creates new ones, or stops an earlier server on existing ones.
    fn prepare(
        folder: &Self::Folder,
        binaries: &Self::Binaries,
        options: &Options,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Starts the server and waits until it accepts connections.
    fn launch(
        folder: &Self::Folder,
        binaries: &Self::Binaries,
        options: &Options,
    ) -> impl Future<Output = Result<ServerProcess, Self::Error>> + Send;

    /// The address of a database for a user whose name and password consist of letters and digits.
    fn url(user: &str, password: &str, port: u16, database: &str) -> String;

    /// Connects once, which verifies the password.
    fn connect(url: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Creates a database at an administrator's address. Does nothing if it exists.
    fn create_database(
        url: &str,
        name: &str,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Drops a database at an administrator's address. Does nothing if it does not exist.
    fn drop_database(url: &str, name: &str)
    -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// A data folder that is locked by this process.
pub trait DataFolder: fmt::Debug + Send + Sync {
    /// The folder.
    fn root(&self) -> &Path;

    /// The lifetime of the data.
    fn durability(&self) -> Durability;

    /// The administrator's password.
    fn password(&self) -> &Password;
}

/// The administrator's name on every private server.
pub const ADMINISTRATOR: &str = "heliograph";

/// A running private server. [`Server::stop`] stops it in an orderly way. Dropping it, or the end
/// of the process, also ends it.
#[derive(Debug)]
pub struct Server<K: Kind> {
    process: ServerProcess,
    /// Holds the lock. Declared after `process`, so that the server is dropped first.
    folder: K::Folder,
    binaries: K::Binaries,
    options: Options,
}

impl<K: Kind> Server<K> {
    /// Finds a server, prepares the data folder and starts the server.
    pub async fn start(options: Options) -> Result<Self, K::Error> {
        let folder = K::open(&options)?;
        let (process, binaries) = match Self::start_in(&folder, &options).await {
            Ok(started) => started,
            Err(error) => {
                if folder.durability() == Durability::ThrowAway {
                    remove_folder(folder.root())?;
                }
                return Err(error);
            }
        };
        let server = Self {
            process,
            folder,
            binaries,
            options,
        };
        K::connect(&server.url(K::MAINTENANCE)).await?;
        tracing::info!(
            server = K::NAME,
            origin = server.origin(),
            port = server.port(),
            data_dir = %server.data_dir().display(),
            "a private server is ready"
        );
        Ok(server)
    }

    async fn start_in(
        folder: &K::Folder,
        options: &Options,
    ) -> Result<(ServerProcess, K::Binaries), K::Error> {
        let binaries = K::find(options, folder).await?;
        K::prepare(folder, &binaries, options).await?;
        options.report(Progress::Step(K::STARTING));
        Ok((K::launch(folder, &binaries, options).await?, binaries))
    }

    /// The address of a database in this server. It contains the administrator's password: do not
    /// log it.
    pub fn url(&self, database: &str) -> String {
        self.url_as(ADMINISTRATOR, self.folder.password().as_str(), database)
    }

    /// The address of a database for a user whose name and password consist of letters and digits.
    pub fn url_as(&self, user: &str, password: &str, database: &str) -> String {
        K::url(user, password, self.port(), database)
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
    pub fn has_ended(&mut self) -> Result<bool, K::Error> {
        Ok(self.process.has_ended()?)
    }

    /// Restarts a server that has ended, on the same data and port, so that its address does not
    /// change.
    pub async fn restart(&mut self) -> Result<(), K::Error> {
        self.process.end().await?;
        K::prepare(&self.folder, &self.binaries, &self.options).await?;
        let options = Options {
            port: Some(self.process.port()),
            ..self.options.clone()
        };
        self.process = K::launch(&self.folder, &self.binaries, &options).await?;
        Ok(())
    }

    /// The version, and the origin of the programs.
    pub fn origin(&self) -> String {
        self.binaries.to_string()
    }

    /// The data folder. It differs from the requested one if root's server could not reach that
    /// folder.
    pub fn data_dir(&self) -> &Path {
        self.folder.root()
    }

    /// Creates the database `name`. Does nothing if it exists.
    pub async fn create_database(&self, name: &str) -> Result<(), K::Error> {
        K::create_database(&self.url(K::MAINTENANCE), name).await
    }

    /// Drops the database `name` and ends its sessions. Does nothing if it does not exist.
    pub async fn drop_database(&self, name: &str) -> Result<(), K::Error> {
        K::drop_database(&self.url(K::MAINTENANCE), name).await
    }

    /// Ends sessions, stores changes and stops. Temporary data are removed.
    pub async fn stop(self) -> Result<(), K::Error> {
        Ok(self.process.stop().await?)
    }
}
