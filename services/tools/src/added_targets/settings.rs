//! The settings of an added target as they are stored, and the target that they describe.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use contracts::targets::{
    ChangeTarget, Engine, JoinDecision, NewConnection, NewTarget, TargetConnection, TargetPolicy,
    TargetTls,
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use service_kit::problem::ApiError;
use targets::{JoinVerdict, KeptParts, Question, TargetConfig};

use crate::added::{described, is_host};

/// Everything but the password.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) description: Option<String>,
    pub(crate) connection: Option<Connection>,
    pub(crate) schemas: Vec<String>,
    pub(crate) allow_writing_role: bool,
    pub(crate) policy: TargetPolicy,
    pub(crate) joins: Vec<JoinDecision>,
    pub(crate) descriptions: BTreeMap<String, String>,
}

/// A connection without its password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Connection {
    pub(crate) engine: Engine,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) database: String,
    pub(crate) username: String,
    pub(crate) tls: TargetTls,
    pub(crate) ca_certificate: Option<String>,
}

/// The tables of a file, in the database of the service.
#[derive(Debug, Clone)]
pub(crate) struct SheetPlace {
    pub(crate) url: SecretString,
    pub(crate) schema: String,
    /// The role that reads them; `None` if the service may not create roles.
    pub(crate) role: Option<String>,
    /// Remarks for answers about a table (`table`) or a column (`table.column`).
    pub(crate) remarks: BTreeMap<String, String>,
}

impl Settings {
    /// The settings of a new target, with its password.
    pub(crate) fn of(new: NewTarget) -> Result<(Self, SecretString), ApiError> {
        let (connection, password) = Connection::of(new.connection)?;
        let settings = Self {
            description: described(new.description)?,
            connection: Some(connection),
            schemas: new.schemas,
            allow_writing_role: new.allow_writing_role,
            policy: new.policy,
            ..Self::default()
        };
        Ok((settings, password))
    }

    /// The settings after a change, and the new password if there is one.
    pub(crate) fn changed(
        &self,
        change: ChangeTarget,
    ) -> Result<(Self, Option<SecretString>), ApiError> {
        let mut changed = self.clone();
        if let Some(description) = change.description {
            changed.description = described(Some(description))?;
        }
        let mut password = None;
        if self.connection.is_none() && (change.connection.is_some() || change.password.is_some()) {
            return Err(ApiError::conflict(
                "A spreadsheet has no connection. Upload a file in its place.",
            ));
        }
        if change.connection.is_some() && change.password.is_some() {
            return Err(ApiError::invalid_field(
                "/password",
                "is for the connection as it is; another connection has a password of its own",
            ));
        }
        if let Some(connection) = change.connection {
            let (connection, secret) = Connection::of(connection)?;
            (changed.connection, password) = (Some(connection), Some(secret));
        }
        if let Some(secret) = change.password {
            check_text("/password", &secret, 1024)?;
            password = Some(secret.into());
        }
        changed.schemas = change.schemas.unwrap_or(changed.schemas);
        changed.allow_writing_role = change
            .allow_writing_role
            .unwrap_or(changed.allow_writing_role);
        changed.policy = change.policy.unwrap_or(changed.policy);
        changed.joins = change.joins.unwrap_or(changed.joins);
        if let Some(descriptions) = change.descriptions {
            let long = |text: &String| text.chars().count() > 1_000;
            if descriptions.len() > 5_000 || descriptions.values().any(long) {
                return Err(ApiError::invalid_field(
                    "/descriptions",
                    "has more than 5000 entries, or one with more than 1000 characters",
                ));
            }
            changed.descriptions = descriptions;
        }
        if self.connection.is_none() && (!changed.schemas.is_empty() || changed.allow_writing_role)
        {
            return Err(ApiError::conflict(
                "A spreadsheet has neither schemas nor a role of its own.",
            ));
        }
        Ok((changed, password))
    }

    /// The target over a database.
    pub(crate) fn database(
        &self,
        tenant: &str,
        name: &str,
        password: &SecretString,
        questions: Vec<Question>,
    ) -> Option<TargetConfig> {
        let connection = self.connection.as_ref()?;
        let kept = KeptParts {
            ca_certificate: connection.ca_certificate.clone(),
            refuse_own: true,
            ..self.kept(tenant, questions)
        };
        Some(TargetConfig {
            description: self.description.clone(),
            tenants: vec![tenant.to_owned()],
            schemas: self.schemas.clone(),
            allow_writing_role: self.allow_writing_role,
            // Many tenants may have some each.
            pool_size: 2,
            kept,
            ..TargetConfig::new(name, connection.url(password))
        })
    }

    /// The target over the tables of a file.
    pub(crate) fn sheet(
        &self,
        tenant: &str,
        name: &str,
        place: SheetPlace,
        questions: Vec<Question>,
    ) -> TargetConfig {
        let kept = KeptParts {
            only_schema: Some(place.schema.clone()),
            role: place.role.clone(),
            remarks: place.remarks,
            ..self.kept(tenant, questions)
        };
        TargetConfig {
            description: self.description.clone(),
            tenants: vec![tenant.to_owned()],
            schemas: vec![place.schema],
            // Its role is of this service's making; without one it is read as the service. Either
            // way in transactions that only read.
            allow_writing_role: true,
            pool_size: 1,
            max_overflow: 4,
            recycle_seconds: 300,
            kept,
            ..TargetConfig::new(name, place.url)
        }
    }

    fn kept(&self, tenant: &str, questions: Vec<Question>) -> KeptParts {
        let verdict = |decision: &JoinDecision| JoinVerdict {
            from_table: decision.from_table.clone(),
            from_column: decision.from_column.clone(),
            to_table: decision.to_table.clone(),
            to_column: decision.to_column.clone(),
            holds: decision.holds,
        };
        KeptParts {
            tenant: Some(tenant.to_owned()),
            policy: serde_json::to_value(&self.policy).unwrap_or_default(),
            questions,
            joins: self.joins.iter().map(verdict).collect(),
            descriptions: self.descriptions.clone(),
            ..KeptParts::default()
        }
    }

    /// The connection as those may see it who may change it.
    pub(crate) fn shown(&self) -> Option<TargetConnection> {
        let connection = self.connection.as_ref()?;
        Some(TargetConnection {
            engine: connection.engine,
            host: connection.host.clone(),
            port: connection.port,
            database: connection.database.clone(),
            username: connection.username.clone(),
            tls: connection.tls,
            has_ca_certificate: connection.ca_certificate.is_some(),
            schemas: self.schemas.clone(),
            allow_writing_role: self.allow_writing_role,
        })
    }
}

/// Fails for a text that a connection cannot have. Without a password, the driver would look for
/// one of the service's own.
fn check_text(pointer: &str, text: &str, most: usize) -> Result<(), ApiError> {
    let fault = |detail| Err(ApiError::invalid_field(pointer, detail));
    if text.is_empty() {
        return fault("is required");
    }
    if text.chars().count() > most || text.contains('\0') {
        return fault("is too long, or has a NUL character");
    }
    Ok(())
}

impl Connection {
    pub(crate) fn of(new: NewConnection) -> Result<(Self, SecretString), ApiError> {
        let fault = |member: &str, detail: &str| {
            Err(ApiError::invalid_field(
                format!("/connection/{member}"),
                detail,
            ))
        };
        if !is_host(&new.host) {
            return fault("host", "is not the name or the address of a host");
        }
        for (member, text, most) in [
            ("database", &new.database, 64),
            ("username", &new.username, 64),
            ("password", &new.password, 1024),
        ] {
            check_text(&format!("/connection/{member}"), text, most)?;
        }
        if new.port == Some(0) {
            return fault("port", "must be between 1 and 65535");
        }
        if let Some(pem) = &new.ca_certificate
            && (pem.len() > 65_536 || !pem.contains("-----BEGIN CERTIFICATE-----"))
        {
            return fault(
                "ca_certificate",
                "must be certificates in PEM, at most 64 KiB",
            );
        }
        let port = new.port.unwrap_or(match new.engine {
            Engine::Postgresql => 5432,
            Engine::Mysql => 3306,
        });
        let connection = Self {
            engine: new.engine,
            host: new.host,
            port,
            database: new.database,
            username: new.username,
            tls: new.tls,
            ca_certificate: new.ca_certificate,
        };
        Ok((connection, new.password.into()))
    }

    /// The address with the password. Every part is encoded, so that none can add an option.
    pub(crate) fn url(&self, password: &SecretString) -> SecretString {
        let (scheme, key) = match self.engine {
            Engine::Postgresql => ("postgres", "sslmode"),
            Engine::Mysql => ("mysql", "ssl-mode"),
        };
        let mode = match (self.engine, self.tls) {
            (Engine::Postgresql, TargetTls::Off) => "disable",
            (Engine::Postgresql, TargetTls::Preferred) => "prefer",
            (Engine::Postgresql, TargetTls::Required) => "require",
            (Engine::Postgresql, TargetTls::Verified) => "verify-full",
            (Engine::Mysql, TargetTls::Off) => "DISABLED",
            (Engine::Mysql, TargetTls::Preferred) => "PREFERRED",
            (Engine::Mysql, TargetTls::Required) => "REQUIRED",
            (Engine::Mysql, TargetTls::Verified) => "VERIFY_IDENTITY",
        };
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        format!(
            "{scheme}://{}:{}@{host}:{}/{}?{key}={mode}",
            encoded(&self.username),
            encoded(password.expose_secret()),
            self.port,
            encoded(&self.database),
        )
        .into()
    }
}

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

    fn new(host: &str, password: &str) -> NewConnection {
        NewConnection {
            engine: Engine::Postgresql,
            host: host.to_owned(),
            port: None,
            database: "erp?host=/tmp".to_owned(),
            username: "reader@corp".to_owned(),
            password: password.to_owned(),
            tls: TargetTls::Verified,
            ca_certificate: None,
        }
    }

    #[test]
    fn no_part_of_an_address_becomes_an_option() {
        let (connection, password) = Connection::of(new("db.example.com", "a/b?c&d=e#")).unwrap();
        assert_eq!(
            connection.url(&password).expose_secret(),
            "postgres://reader%40corp:a%2Fb%3Fc%26d%3De%23@db.example.com:5432/erp%3Fhost%3D%2Ftmp?sslmode=verify-full"
        );
        assert!(Connection::of(new("/var/run", "x")).is_err());
        assert!(Connection::of(new("db", "")).is_err());
        let (v6, password) = Connection::of(new("::1", "x")).unwrap();
        assert!(v6.url(&password).expose_secret().contains("@[::1]:5432/"));
    }
}
