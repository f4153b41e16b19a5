//! The configuration of a target: `[[targets]]` of the tools service.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use configuration::{Invalid, Validate, positive, read_secret_file};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sql_guard::Dialect;

use crate::kept::KeptParts;

/// A target database.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetConfig {
    /// The target's name, in lower case.
    pub name: String,
    /// `mysql://role:password@host/database` (also `mariadb://`) or
    /// `postgres://role:password@host/database`.
    #[serde(skip_serializing)]
    pub url: Option<SecretString>,
    /// A file that holds the URL.
    pub url_file: Option<PathBuf>,
    /// A description of the contents, for people and models.
    pub description: Option<String>,
    /// Who may ask it: names of tenants, or `*` for all.
    pub tenants: Vec<String>,
    /// The tenants' values in the columns of the row filters. Empty: the tenant's name everywhere.
    /// Otherwise a tenant that is missing here may not ask.
    pub tenant_ids: BTreeMap<String, TenantId>,
    /// A validated join graph. Absent: the database is introspected and the result cleaned.
    pub graph_file: Option<PathBuf>,
    /// PostgreSQL: the schemas whose tables are shown. Tables of the first go by their own names,
    /// those of the others by `schema.table`. Empty: the schemas of the role's search path.
    pub schemas: Vec<String>,
    /// Secure views, row filters and hidden tables; see [`PolicyFile`](crate::PolicyFile).
    pub policy_file: Option<PathBuf>,
    /// Questions with queries that answer them, for every tenant: a JSON list of `question` and
    /// `sql`.
    pub questions_file: Option<PathBuf>,
    /// Variables set on each connection, which secure views read: `aesKey` for `@aesKey`, `app.key`
    /// in PostgreSQL.
    #[serde(skip_serializing)]
    pub session_variables: BTreeMap<String, SecretString>,
    /// Files that hold values of such variables.
    pub session_variable_files: BTreeMap<String, PathBuf>,
    /// Relationships below this confidence are not joined over.
    pub confidence_threshold: f64,
    /// Connections that are kept.
    pub pool_size: u32,
    /// Connections beyond those, closed after use.
    pub max_overflow: u32,
    /// The age at which a connection is replaced.
    pub recycle_seconds: u64,
    /// Time that a query waits for a connection.
    pub acquire_timeout_ms: u64,
    /// Statements that one person may have running at once; the others wait.
    pub statements_per_user: u32,
    /// Statements that the people of one tenant may have running at once, where the target is for
    /// several.
    pub statements_per_tenant: u32,
    /// Statements of one person that may wait.
    pub waiting_statements_per_user: u32,
    /// Statements of all that may wait.
    pub waiting_statements: u32,
    /// Time that a statement waits for its turn.
    pub queue_timeout_ms: u64,
    /// Time that the database works on one statement.
    pub statement_timeout_ms: u64,
    /// Maximum number of rows in a result.
    pub max_rows: u64,
    /// Maximum number of bytes in a result, as JSON.
    pub max_bytes: u64,
    /// Maximum number of bytes in temporary tables and files of a statement, if the database
    /// permits the target's role to set it.
    pub max_temp_bytes: u64,
    /// A statement that the database expects to read more rows for is refused. 0: no limit.
    pub max_estimated_rows: u64,
    /// Maximum number of sample rows of a table.
    pub sample_rows: u64,
    /// Length at which long sample values are cut, in characters.
    pub sample_value_chars: usize,
    /// After how long the catalogue is read again. 0: never.
    pub catalogue_seconds: u64,
    /// Minimum pause before the catalogue is read again because of a name that it does not have.
    /// 0: no pause.
    pub catalogue_pause_seconds: u64,
    /// After how long the role is looked at again. 0: each time that the target is asked.
    pub role_seconds: u64,
    /// Whether the role may do more than read. Otherwise a role that may write, or that is a
    /// superuser, is refused.
    pub allow_writing_role: bool,
    /// The parts of a target that is kept in a database instead of in files; not a setting.
    #[serde(skip)]
    pub kept: KeptParts,
}

/// A tenant's value in a row filter's column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TenantId {
    /// A number.
    Integer(i64),
    /// A text.
    Text(String),
}

impl Default for TargetConfig {
    fn default() -> TargetConfig {
        TargetConfig {
            name: String::new(),
            url: None,
            url_file: None,
            description: None,
            tenants: Vec::new(),
            tenant_ids: BTreeMap::new(),
            graph_file: None,
            schemas: Vec::new(),
            policy_file: None,
            questions_file: None,
            session_variables: BTreeMap::new(),
            session_variable_files: BTreeMap::new(),
            confidence_threshold: 0.70,
            pool_size: 5,
            max_overflow: 10,
            recycle_seconds: 3600,
            acquire_timeout_ms: 5_000,
            statements_per_user: 3,
            statements_per_tenant: 10,
            waiting_statements_per_user: 20,
            waiting_statements: 200,
            queue_timeout_ms: 10_000,
            statement_timeout_ms: 30_000,
            max_rows: 10_000,
            max_bytes: 8 * 1024 * 1024,
            max_temp_bytes: 1024 * 1024 * 1024,
            max_estimated_rows: 50_000_000,
            sample_rows: 5,
            sample_value_chars: 100,
            catalogue_seconds: 3600,
            catalogue_pause_seconds: 5,
            role_seconds: 30,
            allow_writing_role: false,
            kept: KeptParts::default(),
        }
    }
}

impl TargetConfig {
    /// A target of this name and address, open to every tenant, with the defaults otherwise.
    pub fn new(name: impl Into<String>, url: impl Into<SecretString>) -> TargetConfig {
        TargetConfig {
            name: name.into(),
            url: Some(url.into()),
            tenants: vec!["*".to_owned()],
            ..TargetConfig::default()
        }
    }

    /// How it writes SQL, by its address; `None` if there is no address or one of another kind.
    pub fn dialect(&self) -> Option<Dialect> {
        let (scheme, _) = self.url.as_ref()?.expose_secret().split_once("://")?;
        match scheme {
            "mysql" | "mariadb" => Some(Dialect::MySql),
            "postgres" | "postgresql" => Some(Dialect::PostgreSql),
            _ => None,
        }
    }

    /// Whether a tenant may ask it.
    pub fn is_for(&self, tenant: &str) -> bool {
        self.tenants
            .iter()
            .any(|name| name == "*" || name == tenant)
            && (self.tenant_ids.is_empty() || self.tenant_ids.contains_key(tenant))
    }

    /// A tenant that may ask it. A target for all tenants names none, and each tenant sees the
    /// same rows unless a policy separates them.
    pub(crate) fn any_tenant(&self) -> String {
        let mut named = self.tenants.iter().chain(self.tenant_ids.keys());
        let found = named.find(|name| *name != "*" && self.is_for(name));
        found.map_or_else(|| "heliograph".to_owned(), Clone::clone)
    }

    /// Whether more than one tenant may ask it.
    pub(crate) fn is_shared(&self) -> bool {
        self.tenants.len() > 1 || self.tenants.iter().any(|name| name == "*")
    }

    pub(crate) fn statement_timeout(&self) -> Duration {
        Duration::from_millis(self.statement_timeout_ms)
    }
}

impl Validate for TargetConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("url", &mut self.url, self.url_file.as_deref())?;
        for (name, path) in &self.session_variable_files {
            let mut value = self.session_variables.remove(name);
            read_secret_file("session_variable", &mut value, Some(path)).map_err(|fault| {
                Invalid::new(format!("session_variable_files.{name}"), fault.reason)
            })?;
            self.session_variables
                .extend(value.map(|value| (name.clone(), value)));
        }
        Ok(())
    }

    fn validate(&self) -> Result<(), Invalid> {
        configuration::name("name", &self.name, true)?;
        let Some(dialect) = self.dialect() else {
            return Err(Invalid::new(
                "url",
                "must begin with mysql://, mariadb:// or postgres:// (or come from url_file)",
            ));
        };
        if self.tenants.is_empty() {
            return Err(Invalid::new(
                "tenants",
                "must name who may ask, or be [\"*\"]",
            ));
        }
        let mut ids = HashSet::new();
        for (tenant, id) in &self.tenant_ids {
            let folded = match id {
                TenantId::Integer(id) => id.to_string(),
                TenantId::Text(id) => id.trim().to_lowercase(),
            };
            if folded.is_empty() || !ids.insert(folded) {
                return Err(Invalid::new(
                    format!("tenant_ids.{tenant}"),
                    "is empty or another tenant's",
                ));
            }
        }
        schema_names(&self.schemas, dialect)?;
        for name in self.session_variables.keys() {
            variable_name(name, dialect)?;
        }
        if !(0.0..=1.0).contains(&self.confidence_threshold) {
            return Err(Invalid::new(
                "confidence_threshold",
                "must be between 0 and 1",
            ));
        }
        positive("pool_size", u64::from(self.pool_size))?;
        positive("recycle_seconds", self.recycle_seconds)?;
        positive("acquire_timeout_ms", self.acquire_timeout_ms)?;
        for (key, count) in [
            ("statements_per_user", self.statements_per_user),
            ("statements_per_tenant", self.statements_per_tenant),
            (
                "waiting_statements_per_user",
                self.waiting_statements_per_user,
            ),
            ("waiting_statements", self.waiting_statements),
        ] {
            positive(key, u64::from(count))?;
        }
        positive("queue_timeout_ms", self.queue_timeout_ms)?;
        positive("statement_timeout_ms", self.statement_timeout_ms)?;
        positive("max_rows", self.max_rows)?;
        positive("max_bytes", self.max_bytes)?;
        positive("max_temp_bytes", self.max_temp_bytes)
    }
}

/// Refuses schemas that cannot be shown.
fn schema_names(schemas: &[String], dialect: Dialect) -> Result<(), Invalid> {
    if !schemas.is_empty() && dialect == Dialect::MySql {
        return Err(Invalid::new(
            "schemas",
            "is for PostgreSQL; a MySQL or MariaDB target has the one database that its url names",
        ));
    }
    for (at, name) in schemas.iter().enumerate() {
        let plain = !name.is_empty()
            && !name.contains(['.', '"', '\'', '`', '\\'])
            && !name.contains(char::is_control);
        let own = name.starts_with("pg_") || name == "information_schema";
        if !plain || own || schemas[..at].contains(name) {
            return Err(Invalid::new(
                "schemas",
                format!(
                    "'{name}' cannot be used: each must be the name of a schema once, without dots and quotes, and not of the database's own catalogue"
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses names that could be more than a name: they are in a statement.
fn variable_name(name: &str, dialect: Dialect) -> Result<(), Invalid> {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let key = format!("session_variables.{name}");
    match dialect {
        Dialect::MySql if !word(name) => {
            Err(Invalid::new(key, "must be a word of letters, digits and _"))
        }
        Dialect::PostgreSql
            if !name
                .split_once('.')
                .is_some_and(|(class, rest)| word(class) && word(rest)) =>
        {
            Err(Invalid::new(
                key,
                "must be two words with a dot between, as app.key",
            ))
        }
        _ => Ok(()),
    }
}

/// The variables by which the documents describe one `MySQL` target, and the keys of
/// [`DocumentTarget`] they represent when that is the section `target`.
pub const DOCUMENT_VARIABLES: [(&str, &str); 6] = [
    ("DB_HOST", "target.host"),
    ("DB_PORT", "target.port"),
    ("DB_USER", "target.user"),
    ("DB_PWD", "target.password"),
    ("DB_NAME", "target.database"),
    ("DB_ENCRYPT_KEY", "target.encryption_key"),
];

/// `[target]`: one `MySQL` target under the original names. It exists when `host` or `database` is
/// set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DocumentTarget {
    /// The server. Also `DB_HOST`.
    pub host: Option<String>,
    /// Its port. Also `DB_PORT`.
    pub port: u16,
    /// The role. Also `DB_USER`.
    pub user: String,
    /// Its password. Also `DB_PWD`.
    #[serde(skip_serializing)]
    pub password: Option<SecretString>,
    /// The database, whose name becomes the target's. Also `DB_NAME`.
    pub database: Option<String>,
    /// The key that the secure views decrypt with, as `@aesKey`. Also `DB_ENCRYPT_KEY`.
    #[serde(skip_serializing)]
    pub encryption_key: Option<SecretString>,
    /// Who may ask it: names of tenants, or `*` for all.
    pub tenants: Vec<String>,
    /// As [`TargetConfig::policy_file`].
    pub policy_file: Option<PathBuf>,
    /// As [`TargetConfig::graph_file`].
    pub graph_file: Option<PathBuf>,
    /// As [`TargetConfig::allow_writing_role`].
    pub allow_writing_role: bool,
}

impl Default for DocumentTarget {
    fn default() -> DocumentTarget {
        DocumentTarget {
            host: None,
            port: 3306,
            user: "root".to_owned(),
            password: None,
            database: None,
            encryption_key: None,
            tenants: vec!["demo".to_owned()],
            policy_file: None,
            graph_file: None,
            allow_writing_role: false,
        }
    }
}

impl DocumentTarget {
    /// The target it describes, if any. The original system's other session variables
    /// (`@customerIds`, …) are always NULL there, as unset variables are.
    pub fn target(&self) -> Option<TargetConfig> {
        if self.host.is_none() && self.database.is_none() {
            return None;
        }
        let host = self.host.as_deref().unwrap_or("127.0.0.1");
        let database = self.database.as_deref().unwrap_or("crewos");
        let password = self
            .password
            .as_ref()
            .map_or("", |password| password.expose_secret());
        let host = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        let url = format!(
            "mysql://{}:{}@{host}:{}/{}",
            encoded(&self.user),
            encoded(password),
            self.port,
            encoded(database)
        );
        let name: String = database
            .to_lowercase()
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '_' {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        let key = self
            .encryption_key
            .clone()
            .map(|key| ("aesKey".to_owned(), key));
        Some(TargetConfig {
            tenants: self.tenants.clone(),
            policy_file: self.policy_file.clone(),
            graph_file: self.graph_file.clone(),
            allow_writing_role: self.allow_writing_role,
            session_variables: key.into_iter().collect(),
            ..TargetConfig::new(name, url)
        })
    }
}

/// A part of a URL, with everything but letters and digits percent-encoded.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(change: impl FnOnce(&mut TargetConfig)) -> String {
        let mut config = TargetConfig::new("field", "mysql://u:p@h/d");
        change(&mut config);
        config.validate().unwrap_err().to_string()
    }

    #[test]
    fn faults_name_their_key() {
        assert!(
            TargetConfig::new("field", "postgres://u@h/d")
                .validate()
                .is_ok()
        );
        assert!(fault(|it| it.name = "Field".to_owned()).starts_with("name:"));
        assert!(fault(|it| it.url = Some("sqlite://x".into())).starts_with("url:"));
        assert!(fault(|it| it.tenants.clear()).starts_with("tenants:"));
        assert!(fault(|it| it.pool_size = 0).starts_with("pool_size:"));
        let injected = fault(|it| {
            it.session_variables
                .insert("k = 1, @x".to_owned(), "v".into());
        });
        assert!(injected.starts_with("session_variables."), "{injected}");
        let same = fault(|it| {
            it.tenant_ids
                .insert("a".to_owned(), TenantId::Text("One".to_owned()));
            it.tenant_ids
                .insert("b".to_owned(), TenantId::Text("one".to_owned()));
        });
        assert!(same.contains("another tenant's"), "{same}");
    }

    #[test]
    fn a_tenant_without_an_id_may_not_ask_where_ids_are_given() {
        let mut config = TargetConfig::new("field", "mysql://u:p@h/d");
        assert!(config.is_for("rival"));
        config
            .tenant_ids
            .insert("demo".to_owned(), TenantId::Integer(1));
        assert!(config.is_for("demo") && !config.is_for("rival"));
        assert_eq!(config.any_tenant(), "demo");
        config.tenant_ids.clear();
        assert_eq!(config.any_tenant(), "heliograph");
    }

    #[test]
    fn the_documents_variables_make_one_mysql_target() {
        assert!(DocumentTarget::default().target().is_none());
        let target = DocumentTarget {
            host: Some("db".to_owned()),
            password: Some("p@ss/word".into()),
            database: Some("crewOS".to_owned()),
            encryption_key: Some("k".into()),
            ..DocumentTarget::default()
        }
        .target()
        .unwrap();
        assert_eq!(target.name, "crewos");
        assert_eq!(
            target.url.as_ref().unwrap().expose_secret(),
            "mysql://root:p%40ss%2Fword@db:3306/crewOS"
        );
        assert!(target.session_variables.contains_key("aesKey"));
        assert!(target.validate().is_ok());
        assert!(!format!("{target:?}").contains("word@"));
    }
}
