//! The settings of the all-in-one process, besides the services' own configurations.

use std::path::{Path, PathBuf};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use service_kit::config::{Error, Invalid, Loader, TelemetryConfig, Validate, read_secret_file};

/// Settings of `heliograph` itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The database settings.
    pub database: OwnDatabase,
    /// The settings of the first user.
    pub demo: Demo,
    /// The settings of the demonstration database.
    pub mariadb: OwnMariaDb,
    /// The data folder.
    pub data: Data,
    /// Commands that use services.
    #[serde(default)]
    pub client: Client,
    /// Logs and traces of the process.
    pub telemetry: TelemetryConfig,
}

/// `[database]`: an existing database, or how to run a private one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnDatabase {
    /// The database URL. Without it, a private PostgreSQL is started. Also `DATABASE_URL`.
    #[serde(default, skip_serializing)]
    pub url: Option<SecretString>,
    /// A file with the URL.
    pub url_file: Option<PathBuf>,
    /// The folder with `postgres` and `initdb` for the private server. Also `HELIOGRAPH_PG_BIN`.
    pub pg_bin: Option<PathBuf>,
}

/// `[demo]`: the first user, and the data of the demonstration.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demo {
    /// The password of the user `demo` on the first start. Also `HELIOGRAPH_DEMO_PASSWORD`.
    #[serde(default, skip_serializing)]
    pub password: Option<SecretString>,
    /// A file with the password.
    pub password_file: Option<PathBuf>,
    /// Whether the demonstration has a site that is measured now. Also `HELIOGRAPH_DEMO_LIVE`.
    pub live: bool,
}

impl Default for Demo {
    fn default() -> Self {
        Self {
            password: None,
            password_file: None,
            live: true,
        }
    }
}

/// `[mariadb]`: the demonstration database for questions. It is used if no other target is
/// configured.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnMariaDb {
    /// Whether the demonstration database is enabled. Also `HELIOGRAPH_DEMO_DATABASE`.
    pub enabled: bool,
    /// The administrator URL of the server to load it into. Without it, a private MariaDB is
    /// started. Also `HELIOGRAPH_MARIADB_URL`.
    #[serde(default, skip_serializing)]
    pub url: Option<SecretString>,
    /// A file with the URL.
    pub url_file: Option<PathBuf>,
    /// The folder with `mariadbd` for the private server. Also `HELIOGRAPH_MARIADB_BIN`.
    pub bin: Option<PathBuf>,
}

/// `[data]`: the data folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The folder of the private database, the conversations and the fetched server binaries. Also
    /// `HELIOGRAPH_DATA_DIR`.
    pub folder: PathBuf,
    /// Whether the embedding model is fetched in the background if none is there and none is
    /// configured. Also `HELIOGRAPH_FETCH_MODEL`.
    #[serde(default = "yes")]
    pub fetch_model: bool,
}

fn yes() -> bool {
    true
}

/// `[client]`: commands that use services.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// The API key in place of a sign-in. Also `HELIOGRAPH_API_KEY`.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file with the key.
    #[serde(default)]
    pub api_key_file: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            database: OwnDatabase::default(),
            demo: Demo::default(),
            mariadb: OwnMariaDb {
                enabled: true,
                url: None,
                url_file: None,
                bin: None,
            },
            data: Data {
                folder: PathBuf::from(".heliograph"),
                fetch_model: true,
            },
            client: Client::default(),
            // The log shares the terminal with the commands' output. `RUST_LOG=info` logs each
            // request.
            telemetry: TelemetryConfig {
                log_filter: "warn".to_owned(),
                ..TelemetryConfig::named("heliograph")
            },
        }
    }
}

impl Validate for Config {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        let (database, demo, client) = (&mut self.database, &mut self.demo, &mut self.client);
        read_secret_file(
            "api_key",
            &mut client.api_key,
            client.api_key_file.as_deref(),
        )
        .map_err(|fault| fault.within("client"))?;
        read_secret_file("url", &mut database.url, database.url_file.as_deref())
            .map_err(|fault| fault.within("database"))?;
        let mariadb = &mut self.mariadb;
        read_secret_file("url", &mut mariadb.url, mariadb.url_file.as_deref())
            .map_err(|fault| fault.within("mariadb"))?;
        read_secret_file(
            "password",
            &mut demo.password,
            demo.password_file.as_deref(),
        )
        .map_err(|fault| fault.within("demo"))
    }

    fn validate(&self) -> Result<(), Invalid> {
        self.telemetry
            .validate()
            .map_err(|fault| fault.within("telemetry"))
    }
}

impl Config {
    /// Reads the environment and an optional file.
    pub fn load(file: Option<&Path>) -> Result<Self, Error> {
        Self::loader(file).load(&Self::default())
    }

    fn loader(file: Option<&Path>) -> Loader<'_> {
        // All services and commands accept `DATABASE_URL`.
        Loader::new("heliograph").file(file).aliases(&[
            ("HELIOGRAPH_PG_BIN", "database.pg_bin"),
            ("HELIOGRAPH_DATA_DIR", "data.folder"),
            ("HELIOGRAPH_FETCH_MODEL", "data.fetch_model"),
            ("HELIOGRAPH_API_KEY", "client.api_key"),
            ("HELIOGRAPH_DEMO_PASSWORD", "demo.password"),
            ("HELIOGRAPH_DEMO_LIVE", "demo.live"),
            ("HELIOGRAPH_DEMO_DATABASE", "mariadb.enabled"),
            ("HELIOGRAPH_MARIADB_URL", "mariadb.url"),
            ("HELIOGRAPH_MARIADB_BIN", "mariadb.bin"),
        ])
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn the_promised_variables_are_heard() {
        let variables = [
            ("DATABASE_URL", "postgres://u:p@h/d"),
            ("HELIOGRAPH_PG_BIN", "/opt/pg/bin"),
            ("HELIOGRAPH_DATA_DIR", "/srv/heliograph"),
            ("HELIOGRAPH_FETCH_MODEL", "false"),
            ("HELIOGRAPH_API_KEY", "hk_of_a_program"),
            ("HELIOGRAPH_DEMO_PASSWORD", "0123456789"),
            ("HELIOGRAPH_DEMO_LIVE", "false"),
            ("HELIOGRAPH_DEMO_DATABASE", "false"),
            ("HELIOGRAPH_MARIADB_URL", "mysql://u:p@h/d"),
            ("HELIOGRAPH_MARIADB_BIN", "/opt/mariadb/bin"),
        ];
        let config = Config::loader(None)
            .environment(variables)
            .load(&Config::default())
            .unwrap();
        let secret = |secret: Option<SecretString>| secret.unwrap().expose_secret().to_owned();
        assert_eq!(secret(config.database.url), "postgres://u:p@h/d");
        assert_eq!(config.database.pg_bin.unwrap(), Path::new("/opt/pg/bin"));
        assert_eq!(config.data.folder, Path::new("/srv/heliograph"));
        assert!(!config.data.fetch_model);
        assert!(!config.demo.live);
        assert_eq!(secret(config.client.api_key), "hk_of_a_program");
        assert!(!config.mariadb.enabled);
        assert_eq!(secret(config.mariadb.url), "mysql://u:p@h/d");
        assert_eq!(config.mariadb.bin.unwrap(), Path::new("/opt/mariadb/bin"));
        assert_eq!(
            secret(config.demo.password),
            "0123456789",
            "a number's leading zero is kept"
        );
    }
}
