//! The configuration of a service: defaults in code < a TOML file < the environment.
//!
//! The file of a service has one table per section (`[http]`, `[database]`, …). The environment
//! names a key as `HELIOGRAPH_<SERVICE>__<SECTION>__<KEY>` for one service, or
//! `HELIOGRAPH__<SECTION>__<KEY>` for all of them, which works for the [`COMMON_SECTIONS`] and
//! yields to the former. Names from outside (`DATABASE_URL`, those in docs/compatibility.md)
//! are [aliases](Loader::aliases) of a key and yield to both. An empty variable counts as absent.
//!
//! A key that no section has stops the start, with its name and where it was set. Secrets are never
//! serialized and can be read from files.

mod environment;
mod place;
mod values;

use std::path::{Path, PathBuf};

use figment::error::Kind;
use figment::providers::{Format, Serialized, Toml};
use figment::value::Dict;
use figment::{Figment, Metadata, Source};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use values::{http_url, name, positive, read_secret_file, strong_secret};

use environment::Environment;

/// The sections that mean the same in each service, so that one variable can set them for all.
pub const COMMON_SECTIONS: [&str; 4] = ["http", "database", "telemetry", "identity"];

/// The services whose names variables may have.
const SERVICES: [&str; 4] = ["TOOLS", "ORCHESTRATOR", "BFF", "HELIOGRAPH"];

/// The aliases that each service has, for those of the keys that it has.
const COMMON_ALIASES: [(&str, &str); 3] = [
    ("DATABASE_URL", "database.url"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.otlp_endpoint"),
    ("RUST_LOG", "telemetry.log_filter"),
];

/// A configuration, or a section of one, that can check itself.
pub trait Validate {
    /// Environment variables that represent a key here, as (variable, key). They may depend on what
    /// is configured: a section can name the variable of its secret. They rank as
    /// [aliases](Loader::aliases) do.
    fn variables(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Reads what lies in files (`password_file`) into the fields meant for it; called once, before
    /// [`Self::validate`].
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        Ok(())
    }

    /// Refuses values that cannot work.
    fn validate(&self) -> Result<(), Invalid>;
}

/// [`Validate::read_secrets`] of each section, with the section's name in what is wrong.
pub fn read_section_secrets(sections: &mut [(&str, &mut dyn Validate)]) -> Result<(), Invalid> {
    sections
        .iter_mut()
        .try_for_each(|(name, section)| section.read_secrets().map_err(|fault| fault.within(name)))
}

/// [`Validate::variables`] of a section, with the section's name in each key.
pub fn section_variables(name: &str, section: &dyn Validate) -> Vec<(String, String)> {
    section
        .variables()
        .into_iter()
        .map(|(variable, key)| (variable, format!("{name}.{key}")))
        .collect()
}

/// [`Validate::validate`] of each section, with the section's name in what is wrong.
pub fn validate_sections(sections: &[(&str, &dyn Validate)]) -> Result<(), Invalid> {
    sections
        .iter()
        .try_for_each(|(name, section)| section.validate().map_err(|fault| fault.within(name)))
}

/// A value that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct Invalid {
    /// The key, `section.key`.
    pub key: String,
    /// The fault in its value.
    pub reason: String,
}

impl Invalid {
    /// A fault of the given key.
    pub fn new(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            reason: reason.into(),
        }
    }

    /// The same fault, seen from outside the section.
    #[must_use]
    pub fn within(self, section: &str) -> Self {
        Self {
            key: format!("{section}.{}", self.key),
            ..self
        }
    }
}

/// Why a configuration could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file that was named is not there or cannot be read.
    #[error("the configuration file {path} cannot be read")]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// Something names a key that does not exist.
    #[error("unknown key `{key}`, set by {origin}; known here: {known}")]
    UnknownKey {
        /// The whole key, `section.key`.
        key: String,
        /// The variable or file.
        origin: String,
        /// The keys that exist at that place.
        known: String,
    },
    /// A variable for all services names a section that they do not share.
    #[error(
        "{variable} names the section `{section}`, which services do not share; shared are http, database, telemetry and \
         identity, others need the service's name: HELIOGRAPH_<SERVICE>__…"
    )]
    NotShared {
        /// The variable.
        variable: String,
        /// The section.
        section: String,
    },
    /// A variable names a service that there is not.
    #[error(
        "{variable}: `{name}` is not a service. HELIOGRAPH_<SERVICE>__… takes TOOLS, ORCHESTRATOR, BFF or HELIOGRAPH (the \
         all-in-one); HELIOGRAPH__<SECTION>__… sets http, database, telemetry and identity of all of them"
    )]
    NoService {
        /// The variable.
        variable: String,
        /// The name in place of a service's.
        name: String,
    },
    /// A value has the wrong type, or the file is not TOML.
    #[error("{key} set by {origin}: {reason}")]
    Value {
        /// The whole key.
        key: String,
        /// The variable or file.
        origin: String,
        /// The fault in the value.
        reason: String,
    },
    /// A value has the right type and cannot work.
    #[error("{invalid}; set by {origin}")]
    Invalid {
        /// The key and the reason.
        invalid: Invalid,
        /// The variable, the file or the default.
        origin: String,
    },
}

/// Loads a service's configuration from `file` and the process's environment, over its defaults.
pub fn load<T>(service: &str, file: Option<&Path>, aliases: &[(&str, &str)]) -> Result<T, Error>
where
    T: Serialize + DeserializeOwned + Default + Validate,
{
    Loader::new(service)
        .file(file)
        .aliases(aliases)
        .load(&T::default())
}

/// A section of earlier versions that is still read from files, and the form that says the same
/// now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replaced {
    /// The section, as `[target]` has it.
    pub section: &'static str,
    /// What to write in its place.
    pub by: &'static str,
}

/// The sources of a configuration.
#[derive(Debug, Clone)]
pub struct Loader<'a> {
    service: &'a str,
    file: Option<&'a Path>,
    aliases: Vec<(&'a str, &'a str)>,
    replaced: &'a [Replaced],
    environment: Option<Vec<(String, String)>>,
}

impl<'a> Loader<'a> {
    /// No file, no aliases, the process's environment.
    pub fn new(service: &'a str) -> Self {
        Self {
            service,
            file: None,
            aliases: COMMON_ALIASES.to_vec(),
            replaced: &[],
            environment: None,
        }
    }

    /// Reads this file, which must then exist.
    #[must_use]
    pub fn file(mut self, file: Option<&'a Path>) -> Self {
        self.file = file;
        self
    }

    /// Reads these variables too: `("AI_PROVIDER", "llm.provider")`. An alias for a section that
    /// the configuration does not have is ignored.
    #[must_use]
    pub fn aliases(mut self, aliases: &[(&'a str, &'a str)]) -> Self {
        self.aliases.extend_from_slice(aliases);
        self
    }

    /// Reads these sections too, which the defaults do not show.
    #[must_use]
    pub fn replaced(mut self, sections: &'a [Replaced]) -> Self {
        self.replaced = sections;
        self
    }

    /// Uses these variables in place of the process's environment.
    #[must_use]
    pub fn environment<I, K, V>(mut self, variables: I) -> Self
    where
        I: IntoIterator<Item = (K, V)>,
        K: Into<String>,
        V: Into<String>,
    {
        self.environment = Some(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        );
        self
    }

    /// Loads over these defaults, reads secret files and validates. Secrets in the defaults are not
    /// carried over.
    pub fn load<T>(self, defaults: &T) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned + Validate,
    {
        self.load_noting(defaults).map(|(config, _notes)| config)
    }

    /// The same, with what a person should change in the file: a line for each section of an
    /// earlier version.
    pub fn load_noting<T>(self, defaults: &T) -> Result<(T, Vec<String>), Error>
    where
        T: Serialize + DeserializeOwned + Validate,
    {
        let mut figment = Figment::from(Serialized::defaults(defaults));
        let mut sections = sections_of(&figment);
        sections.extend(self.replaced.iter().map(|old| old.section.to_owned()));
        let mut notes = Vec::new();
        if let Some(path) = self.file {
            // Looked at first, as figment takes a missing file for an empty one.
            std::fs::metadata(path).map_err(|source| Error::File {
                path: path.to_owned(),
                source,
            })?;
            figment = figment.merge(Toml::file_exact(path));
            notes = outdated(path, &figment, self.replaced);
        }
        let variables = self.environment.unwrap_or_else(process_environment);
        let mut environment =
            Environment::read(self.service, &self.aliases, &variables, &sections)?;
        let mut config: T = extract(&figment, &mut environment)?;
        let named = config.variables();
        if !named.is_empty() {
            let named = named.iter().map(|(name, key)| (&**name, &**key));
            let aliases: Vec<_> = self.aliases.iter().copied().chain(named).collect();
            environment = Environment::read(self.service, &aliases, &variables, &sections)?;
            config = extract(&figment, &mut environment)?;
        }
        let invalid = |invalid: Invalid| Error::Invalid {
            origin: origin_of_value(&figment, &environment, &invalid.key),
            invalid,
        };
        config.read_secrets().map_err(invalid)?;
        config.validate().map_err(invalid)?;
        Ok((config, notes))
    }
}

/// A line for each section of an earlier version that a file has.
fn outdated(path: &Path, layers: &Figment, replaced: &[Replaced]) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let set = |old: &&Replaced| layers.find_metadata(old.section).is_some();
    replaced
        .iter()
        .filter(set)
        .map(|old| {
            let line = place::line_of(&text, old.section)
                .map(|line| format!(", line {line}"))
                .unwrap_or_default();
            format!(
                "[{}] in {}{line} is the form of an earlier version and still works; write {} in its place",
                old.section,
                path.display(),
                old.by
            )
        })
        .collect()
}

/// The process's variables; those that are not Unicode cannot be configuration.
fn process_environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The top-level keys of the defaults.
fn sections_of(defaults: &Figment) -> Vec<String> {
    let defaults = defaults.extract::<Dict>().unwrap_or_default();
    defaults.into_keys().collect()
}

/// A variable's value is taken as it stands, and only parsed when its key turns out not to be a
/// string: so a password of digits keeps its leading zeros. Each turn of the loop settles one
/// variable.
fn extract<T: DeserializeOwned>(
    layers: &Figment,
    environment: &mut Environment,
) -> Result<T, Error> {
    loop {
        let error = match layers
            .clone()
            .merge(Serialized::defaults(environment.values()))
            .extract::<T>()
        {
            Ok(config) => return Ok(config),
            Err(error) => error,
        };
        let wrong_type = matches!(error.kind, Kind::InvalidType(..));
        if !(wrong_type && environment.parse(&error.path.join("."))) {
            return Err(describe(layers, environment, &error));
        }
    }
}

fn describe(layers: &Figment, environment: &Environment, error: &figment::Error) -> Error {
    let key = error.path.join(".");
    match &error.kind {
        Kind::UnknownField(field, known) => {
            // The path ends with the field or with the section around it, depending on where it was
            // noticed.
            let key = match error.path.last() {
                Some(last) if last == field => key,
                Some(_) => format!("{key}.{field}"),
                None => field.clone(),
            };
            Error::UnknownKey {
                origin: origin(layers, environment, &key),
                key,
                known: known.join(", "),
            }
        }
        kind => {
            let origin = match &error.metadata {
                Some(metadata) if key.is_empty() => named(metadata),
                _ => origin(layers, environment, &key),
            };
            Error::Value {
                key: if key.is_empty() {
                    "a value".to_owned()
                } else {
                    key
                },
                origin,
                reason: kind.to_string(),
            }
        }
    }
}

/// Who set the value of a key, which may be in a file that another key names.
fn origin_of_value(layers: &Figment, environment: &Environment, key: &str) -> String {
    let file_key = format!("{key}_file");
    let is_set = |key: &str| {
        environment.variable(key).is_some()
            || layers
                .find_metadata(key)
                .is_some_and(|metadata| metadata.source.is_some())
    };
    if !is_set(key) && is_set(&file_key) {
        origin(layers, environment, &file_key)
    } else {
        origin(layers, environment, key)
    }
}

/// Who set a key: the variable, the file with the line, or the defaults. What an entry of a list
/// lacks or has is the list's own: no default has entries.
fn origin(layers: &Figment, environment: &Environment, key: &str) -> String {
    if let Some(variable) = environment.variable(key) {
        return variable.to_owned();
    }
    let list = key
        .split('.')
        .position(|part| part.parse::<usize>().is_ok())
        .map(|at| key.split('.').take(at).collect::<Vec<_>>().join("."));
    let found = layers
        .find_metadata(key)
        .or_else(|| layers.find_metadata(&list?));
    let Some(metadata) = found else {
        return "the defaults".to_owned();
    };
    let line = metadata
        .source
        .as_ref()
        .and_then(Source::file_path)
        .and_then(|path| std::fs::read_to_string(path).ok())
        .and_then(|text| place::line_of(&text, key));
    match line {
        Some(line) => format!("{}, line {line}", named(metadata)),
        None => named(metadata),
    }
}

fn named(metadata: &Metadata) -> String {
    match metadata.source.as_ref().and_then(Source::file_path) {
        Some(path) => path.display().to_string(),
        None => "the defaults".to_owned(),
    }
}
