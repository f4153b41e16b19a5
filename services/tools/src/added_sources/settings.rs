//! The settings of an added source as they are stored, and the source that they describe.

use std::collections::BTreeMap;

use contracts::sources::{ChangeSource, NewEndpoint, NewSource, SourceEndpoint, SourceIndex};
use contracts::targets::{Engine, NewConnection, TargetConnection};
use contracts::tools::search::SourceKind;
use http::header::{HeaderName, HeaderValue};
use reqwest::Url;
use search_sources::{IndexConfig, SourceConfig};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use service_kit::config::Validate as _;
use service_kit::problem::ApiError;

use crate::added::described;
use crate::added_targets::{self, Connection};

/// Headers that belong to the connection and to what is sent.
const OWN_HEADERS: [&str; 8] = [
    "host",
    "connection",
    "content-length",
    "content-type",
    "transfer-encoding",
    "te",
    "upgrade",
    "accept",
];

/// Everything but the credentials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) kind: SourceKind,
    pub(crate) description: Option<String>,
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) connection: Option<Connection>,
    pub(crate) schema: Option<String>,
    pub(crate) allow_writing_role: bool,
    pub(crate) tenant_field: Option<String>,
    pub(crate) time_zone: String,
    pub(crate) indices: Vec<SourceIndex>,
}

/// An address without its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) username: Option<String>,
    pub(crate) has_api_key: bool,
    pub(crate) headers: Vec<String>,
}

/// The credentials of a source, as they are encrypted.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Secrets {
    password: Option<String>,
    api_key: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

impl Settings {
    /// The settings of a new source, with its credentials.
    pub(crate) fn of(new: NewSource) -> Result<(Self, Secrets), ApiError> {
        let mut settings = Self {
            kind: new.kind,
            description: described(new.description)?,
            endpoint: None,
            connection: None,
            schema: new.schema,
            allow_writing_role: new.allow_writing_role,
            tenant_field: new.tenant_field,
            time_zone: new.time_zone.unwrap_or_else(|| "UTC".to_owned()),
            indices: new.indices,
        };
        let secrets = settings.connect(new.endpoint, new.connection)?;
        let secrets = secrets.ok_or_else(|| settings.misplaced())?;
        settings.check(&new.name)?;
        Ok((settings, secrets))
    }

    /// The settings after a change, and the new credentials if there are some.
    pub(crate) fn changed(
        &self,
        name: &str,
        change: ChangeSource,
    ) -> Result<(Self, Option<Secrets>), ApiError> {
        let mut changed = self.clone();
        if change.description.is_some() {
            changed.description = described(change.description)?;
        }
        let secrets = changed.connect(change.endpoint, change.connection)?;
        changed.allow_writing_role = change
            .allow_writing_role
            .unwrap_or(changed.allow_writing_role);
        if let Some(field) = change.tenant_field {
            changed.tenant_field = Some(field).filter(|field| !field.is_empty());
        }
        changed.time_zone = change.time_zone.unwrap_or(changed.time_zone);
        changed.indices = change.indices.unwrap_or(changed.indices);
        changed.check(name)?;
        Ok((changed, secrets))
    }

    /// Whether the source must be tested before it replaces another: words alone need no test.
    pub(crate) fn reaches_as(&self, other: &Self) -> bool {
        let places = |settings: &Self| -> Vec<(String, Option<String>, Option<String>)> {
            let indices = settings.indices.iter();
            let place = |index: &SourceIndex| {
                (
                    index.name.clone(),
                    index.table.clone(),
                    index.root_field.clone(),
                )
            };
            indices.map(place).collect()
        };
        self.endpoint == other.endpoint
            && self.connection == other.connection
            && self.allow_writing_role == other.allow_writing_role
            && self.tenant_field == other.tenant_field
            && places(self) == places(other)
    }

    fn connect(
        &mut self,
        endpoint: Option<NewEndpoint>,
        connection: Option<NewConnection>,
    ) -> Result<Option<Secrets>, ApiError> {
        match (self.kind, endpoint, connection) {
            (_, None, None) => Ok(None),
            (SourceKind::Postgresql, None, Some(new)) => {
                if new.engine != Engine::Postgresql {
                    return Err(ApiError::invalid_field(
                        "/connection/engine",
                        "must be postgresql: a MySQL or MariaDB database is added as a target",
                    ));
                }
                let (connection, password) = Connection::of(new)?;
                self.connection = Some(connection);
                Ok(Some(Secrets {
                    password: Some(password.expose_secret().to_owned()),
                    ..Secrets::default()
                }))
            }
            (SourceKind::Elasticsearch | SourceKind::Graphql, Some(new), None) => {
                let (endpoint, secrets) = Endpoint::of(new)?;
                self.endpoint = Some(endpoint);
                Ok(Some(secrets))
            }
            _ => Err(self.misplaced()),
        }
    }

    fn misplaced(&self) -> ApiError {
        match self.kind {
            SourceKind::Postgresql => ApiError::invalid_field(
                "/connection",
                "is required for a source in PostgreSQL, in place of an endpoint",
            ),
            _ => ApiError::invalid_field(
                "/endpoint",
                "is required for this kind of source, in place of a connection",
            ),
        }
    }

    /// Fails for what no configuration could have.
    fn check(&self, name: &str) -> Result<(), ApiError> {
        let mut config = self.config("*", name, &Secrets::default());
        if config.indices.is_empty() {
            // They are discovered.
            config.indices.push(IndexConfig {
                name: "any".to_owned(),
                ..IndexConfig::default()
            });
        }
        if self.schema.is_some() && self.kind != SourceKind::Postgresql {
            return Err(ApiError::invalid_field("/schema", "is only for PostgreSQL"));
        }
        if self.indices.len() > 200 || self.indices.iter().any(|it| it.fields.len() > 1_000) {
            return Err(ApiError::invalid_field(
                "/indices",
                "has more than 200 entries, or one with more than 1000 fields",
            ));
        }
        if self.tenant_field.as_deref() == Some("") {
            return Err(ApiError::invalid_field("/tenant_field", "is empty"));
        }
        config.validate().map_err(|invalid| {
            let pointer = match invalid.key.as_str() {
                "url" => "/endpoint/url".to_owned(),
                key => format!("/{}", key.replace('.', "/")),
            };
            ApiError::invalid_field(pointer, invalid.reason)
        })
    }

    /// The source over an address.
    pub(crate) fn config(&self, tenant: &str, name: &str, secrets: &Secrets) -> SourceConfig {
        let secret = |text: &Option<String>| text.clone().map(SecretString::from);
        let indices = serde_json::to_value(&self.indices).and_then(serde_json::from_value);
        let mut config = SourceConfig {
            description: self.description.clone(),
            tenants: vec![tenant.to_owned()],
            tenant_field: self.tenant_field.clone(),
            time_zone: self.time_zone.clone(),
            indices: indices.unwrap_or_default(),
            ..SourceConfig::new(name, self.kind)
        };
        if let Some(connection) = &self.connection {
            let password = secret(&secrets.password).unwrap_or_default();
            config.url = Some(connection.url(&password));
            config.ca_certificate.clone_from(&connection.ca_certificate);
        }
        if let Some(endpoint) = &self.endpoint {
            config.url = Some(endpoint.url.clone().into());
            config.username.clone_from(&endpoint.username);
            config.password = secret(&secrets.password);
            config.api_key = secret(&secrets.api_key);
            let headers = secrets.headers.iter();
            let headers = headers.map(|(name, value)| (name.clone(), value.clone().into()));
            config.headers = headers.collect();
        }
        config
    }

    /// The database as a target, to test the connection and the role; with the password.
    pub(crate) fn target(&self, secrets: &Secrets) -> (added_targets::Settings, SecretString) {
        let mut schemas: Vec<String> = self.schema.iter().cloned().collect();
        for index in &self.indices {
            let table = index.table.as_deref().unwrap_or(&index.name);
            let schema = table.split_once('.').map_or("public", |(schema, _)| schema);
            if !schemas.iter().any(|known| known == schema) {
                schemas.push(schema.to_owned());
            }
        }
        let settings = added_targets::Settings {
            connection: self.connection.clone(),
            schemas,
            allow_writing_role: self.allow_writing_role,
            ..added_targets::Settings::default()
        };
        (
            settings,
            secrets.password.clone().unwrap_or_default().into(),
        )
    }

    /// The host and port that the source is reached at.
    pub(crate) fn place(&self) -> Option<(String, u16)> {
        if let Some(connection) = &self.connection {
            return Some((connection.host.clone(), connection.port));
        }
        let url = Url::parse(&self.endpoint.as_ref()?.url).ok()?;
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        Some((host, url.port_or_known_default()?))
    }

    /// The connection as those may see it who may change it.
    pub(crate) fn shown_connection(&self) -> Option<TargetConnection> {
        let settings = added_targets::Settings {
            connection: self.connection.clone(),
            schemas: self.schema.iter().cloned().collect(),
            allow_writing_role: self.allow_writing_role,
            ..added_targets::Settings::default()
        };
        settings.shown()
    }

    /// The address likewise.
    pub(crate) fn shown_endpoint(&self) -> Option<SourceEndpoint> {
        self.endpoint.as_ref().map(|endpoint| SourceEndpoint {
            url: endpoint.url.clone(),
            has_api_key: endpoint.has_api_key,
            username: endpoint.username.clone(),
            headers: endpoint.headers.clone(),
        })
    }
}

impl Endpoint {
    fn of(new: NewEndpoint) -> Result<(Self, Secrets), ApiError> {
        let fault = |member: &str, detail: &str| {
            Err(ApiError::invalid_field(
                format!("/endpoint/{member}"),
                detail,
            ))
        };
        let url = Url::parse(&new.url).ok();
        let Some(url) =
            url.filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some())
        else {
            return fault(
                "url",
                "must be an address that begins with https:// or http://",
            );
        };
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return fault(
                "url",
                "must have no user, password or fragment; use `username` and `password`",
            );
        }
        let long = |text: &Option<String>, most: usize| {
            text.as_ref()
                .is_some_and(|text| text.is_empty() || text.len() > most)
        };
        if new.url.len() > 2_000 {
            return fault("url", "is too long");
        }
        for (member, text, most) in [
            ("api_key", &new.api_key, 4_096),
            ("username", &new.username, 256),
            ("password", &new.password, 1_024),
        ] {
            let unsendable = text
                .as_ref()
                .is_some_and(|text| HeaderValue::from_str(text).is_err());
            if long(text, most) || member != "password" && unsendable {
                return fault(
                    member,
                    "is empty, too long, or has a character that cannot be sent",
                );
            }
        }
        if new.password.is_some() != new.username.is_some() {
            return fault("username", "and `password` belong together");
        }
        if new.api_key.is_some() && new.username.is_some() {
            return fault("api_key", "must not be given together with `username`");
        }
        for (name, value) in &new.headers {
            let parsed: Result<HeaderName, _> = name.parse();
            let taken = OWN_HEADERS.contains(&name.to_lowercase().as_str());
            if parsed.is_err()
                || taken
                || value.len() > 4_096
                || HeaderValue::from_str(value).is_err()
            {
                return fault("headers", "has a name or a value that cannot be sent");
            }
        }
        if new.headers.len() > 20 {
            return fault("headers", "has more than 20 entries");
        }
        let endpoint = Self {
            url: new.url,
            username: new.username,
            has_api_key: new.api_key.is_some(),
            headers: new.headers.keys().cloned().collect(),
        };
        let secrets = Secrets {
            password: new.password,
            api_key: new.api_key,
            headers: new.headers,
        };
        Ok((endpoint, secrets))
    }
}
