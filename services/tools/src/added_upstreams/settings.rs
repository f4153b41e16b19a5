//! The settings of an added upstream as they are stored, and the upstream that they describe.

use std::collections::{BTreeMap, HashSet};

use contracts::upstreams::{
    ChangeUpstream, NewUpstream, NewUpstreamEndpoint, UpstreamAccess, UpstreamEndpoint,
    UpstreamKind, UpstreamOperation, UpstreamToken, UpstreamTool,
};
use http::header::{HeaderName, HeaderValue};
use reqwest::Url;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use service_kit::config::Validate as _;
use service_kit::problem::ApiError;

use crate::added::Kept;
use crate::upstreams::config::{self, UpstreamConfig};

/// Time that a call of an added upstream may take, ms.
pub(crate) const MOST_TIMEOUT_MS: u64 = 30_000;
/// Less than the bff waits for an answer, so that a slow upstream is named as such.
const TIMEOUT_MS: u64 = 20_000;
/// The largest answer that is read.
const MOST_RESPONSE_BYTES: u64 = 2 * 1024 * 1024;
/// Number of tools of an upstream.
const MOST_TOOLS: usize = 50;
/// Size of all operations or tools, as JSON.
const MOST_BYTES: usize = 256 * 1024;

/// Everything but the credentials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) kind: UpstreamKind,
    pub(crate) endpoint: Endpoint,
    pub(crate) timeout_ms: u64,
    pub(crate) max_response_bytes: u64,
    pub(crate) operations: Vec<UpstreamOperation>,
    pub(crate) tools: Vec<UpstreamTool>,
}

/// An address without its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub(crate) base_url: String,
    pub(crate) access: UpstreamAccess,
    pub(crate) headers: Vec<String>,
    /// Without the client secret.
    pub(crate) token: Option<UpstreamToken>,
}

/// The credentials of an upstream, as they are encrypted.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Secrets {
    headers: BTreeMap<String, String>,
    client_secret: Option<String>,
}

impl Kept for Settings {
    const KIND: &'static str = "upstream";
    type Secrets = Secrets;
}

impl Settings {
    /// The settings of a new upstream, with its credentials.
    pub(crate) fn of(new: NewUpstream) -> Result<(Self, Secrets), ApiError> {
        let (endpoint, secrets) = Endpoint::of(new.endpoint)?;
        let settings = Self {
            kind: new.kind,
            endpoint,
            timeout_ms: new.timeout_ms.unwrap_or(TIMEOUT_MS),
            max_response_bytes: new.max_response_bytes.unwrap_or(MOST_RESPONSE_BYTES),
            operations: new.operations,
            tools: new.tools,
        };
        settings.check(&new.name, &secrets)?;
        Ok((settings, secrets))
    }

    /// The settings after a change, and the new credentials if there are some.
    pub(crate) fn changed(
        &self,
        name: &str,
        change: ChangeUpstream,
    ) -> Result<(Self, Option<Secrets>), ApiError> {
        let mut changed = self.clone();
        let mut secrets = None;
        if let Some(endpoint) = change.endpoint {
            let (endpoint, new) = Endpoint::of(endpoint)?;
            (changed.endpoint, secrets) = (endpoint, Some(new));
        }
        changed.timeout_ms = change.timeout_ms.unwrap_or(changed.timeout_ms);
        changed.max_response_bytes = change
            .max_response_bytes
            .unwrap_or(changed.max_response_bytes);
        changed.operations = change.operations.unwrap_or(changed.operations);
        changed.tools = change.tools.unwrap_or(changed.tools);
        changed.check(name, secrets.as_ref().unwrap_or(&Secrets::default()))?;
        Ok((changed, secrets))
    }

    /// The names of its tools.
    pub(crate) fn names(&self) -> Vec<&str> {
        let operations = self.operations.iter().map(|one| one.name.as_str());
        let tools = self.tools.iter().map(|one| one.name.as_str());
        operations.chain(tools).collect()
    }

    /// Whether tokens that persons handed over for the one are for the other as well.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.endpoint.base_url == other.endpoint.base_url
            && self.endpoint.token == other.endpoint.token
            && self.endpoint.access == other.endpoint.access
    }

    /// Fails for what no configuration could have.
    fn check(&self, name: &str, secrets: &Secrets) -> Result<(), ApiError> {
        if !(1..=MOST_TIMEOUT_MS).contains(&self.timeout_ms) {
            return Err(ApiError::invalid_field(
                "/timeout_ms",
                "must be 1 to 30000 ms",
            ));
        }
        if !(1..=MOST_RESPONSE_BYTES).contains(&self.max_response_bytes) {
            return Err(ApiError::invalid_field(
                "/max_response_bytes",
                "must be 1 to 2097152 bytes",
            ));
        }
        let list = match self.kind {
            UpstreamKind::Http => "/operations",
            UpstreamKind::Mcp => "/tools",
        };
        let size = json!([self.operations, self.tools]).to_string().len();
        if self.names().len() > MOST_TOOLS || size > MOST_BYTES {
            return Err(ApiError::invalid_field(
                list,
                "has more than 50 entries, or more than 256 KiB",
            ));
        }
        let mut names = HashSet::new();
        for (at, name) in self.names().into_iter().enumerate() {
            if !names.insert(name) {
                return Err(ApiError::invalid_field(
                    format!("{list}/{at}/name"),
                    "is the name of an earlier entry",
                ));
            }
        }
        let operations = self.operations.iter().map(|one| one.description.as_str());
        let tools = self.tools.iter().map(|one| one.description.as_str());
        for (at, text) in operations.chain(tools).enumerate() {
            if text.trim().is_empty() || text.chars().count() > 2_000 {
                return Err(ApiError::invalid_field(
                    format!("{list}/{at}/description"),
                    "must have 1 to 2000 characters: a model chooses by it",
                ));
            }
        }
        self.check_schemas()?;
        let config = self.config("*", name, secrets).map_err(|why| {
            // The members were read, so that this is only about what an entry holds.
            ApiError::invalid_field(list, why)
        })?;
        config
            .validate()
            .map_err(|invalid| ApiError::invalid_field(self.pointer(&invalid.key), invalid.reason))
    }

    /// Schemas are read by this service alone: they may not point at other documents.
    fn check_schemas(&self) -> Result<(), ApiError> {
        for (at, operation) in self.operations.iter().enumerate() {
            for (place, parameter) in operation.parameters.iter().enumerate() {
                if points_elsewhere(&Value::Object(parameter.schema.clone())) {
                    return Err(elsewhere(&format!(
                        "/operations/{at}/parameters/{place}/schema"
                    )));
                }
            }
        }
        for (at, tool) in self.tools.iter().enumerate() {
            let schema = tool.schema.clone().unwrap_or_default();
            if points_elsewhere(&Value::Object(schema)) {
                return Err(elsewhere(&format!("/tools/{at}/schema")));
            }
        }
        Ok(())
    }

    /// The member of a request that a key of the configuration is.
    fn pointer(&self, key: &str) -> String {
        let mut parts: Vec<&str> = key.split('.').collect();
        let at;
        match parts.first().copied() {
            Some("base_url") => return "/endpoint/base_url".to_owned(),
            Some("secret_headers" | "headers") => return "/endpoint/headers".to_owned(),
            Some("token") => return format!("/endpoint/{}", parts.join("/")),
            Some("operations" | "tools") => {
                let names = self.names();
                let place = parts.get(1);
                let place = place.and_then(|name| names.iter().position(|one| one == name));
                at = place.unwrap_or_default().to_string();
                if let Some(name) = parts.get_mut(1) {
                    *name = &at;
                }
            }
            _ => {}
        }
        format!("/{}", parts.join("/"))
    }

    /// The upstream of a configuration that this is.
    pub(crate) fn config(
        &self,
        tenant: &str,
        name: &str,
        secrets: &Secrets,
    ) -> Result<UpstreamConfig, String> {
        fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, String> {
            serde_json::from_value(value).map_err(|error| error.to_string())
        }
        let endpoint = &self.endpoint;
        let mut config = UpstreamConfig {
            kind: read(json!(self.kind))?,
            access: read(json!(endpoint.access))?,
            tenants: vec![tenant.to_owned()],
            timeout_ms: self.timeout_ms,
            max_response_bytes: usize::try_from(self.max_response_bytes).unwrap_or(usize::MAX),
            operations: read(json!(self.operations))?,
            tools: read(json!(self.tools))?,
            ..UpstreamConfig::at(name, endpoint.base_url.clone())
        };
        for (header, value) in &secrets.headers {
            config.secret_headers.push(config::SecretHeader {
                name: header.clone(),
                value: Some(value.clone().into()),
                value_file: None,
            });
        }
        if let Some(token) = &endpoint.token {
            let known = config.token.subject_claim.clone();
            config.token.subject_claim = token.subject_claim.clone().unwrap_or(known);
            config.token.audience.clone_from(&token.audience);
            config.token.issuer.clone_from(&token.issuer);
            if let Some(opaque) = token.opaque {
                config.token.opaque = read(json!(opaque))?;
            }
            if let Some(refresh) = &token.refresh {
                let mut renewal = config::RefreshConfig::by_refresh_token(refresh.path.clone());
                renewal.client_id.clone_from(&refresh.client_id);
                renewal.client_secret = secrets.client_secret.clone().map(SecretString::from);
                renewal.timeout_ms = refresh.timeout_ms.unwrap_or(renewal.timeout_ms);
                config.token.refresh = Some(renewal);
            }
        }
        Ok(config)
    }

    /// The host and port that the upstream is reached at.
    pub(crate) fn place(&self) -> Option<(String, u16)> {
        let url = Url::parse(&self.endpoint.base_url).ok()?;
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        Some((host, url.port_or_known_default()?))
    }

    /// The address as those may see it who may change it.
    pub(crate) fn shown(&self) -> UpstreamEndpoint {
        UpstreamEndpoint {
            base_url: self.endpoint.base_url.clone(),
            headers: self.endpoint.headers.clone(),
            token: self.endpoint.token.clone(),
        }
    }
}

impl Endpoint {
    fn of(new: NewUpstreamEndpoint) -> Result<(Self, Secrets), ApiError> {
        let fault = |member: &str, detail: &str| {
            Err(ApiError::invalid_field(
                format!("/endpoint/{member}"),
                detail,
            ))
        };
        let url = Url::parse(&new.base_url).ok();
        let Some(url) =
            url.filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some())
        else {
            return fault(
                "base_url",
                "must be an address that begins with https:// or http://",
            );
        };
        let has_user = !url.username().is_empty() || url.password().is_some();
        if has_user || url.query().is_some() || url.fragment().is_some() {
            return fault(
                "base_url",
                "must have no user, password, query or fragment; use `headers` for credentials",
            );
        }
        if new.base_url.len() > 2_000 {
            return fault("base_url", "is too long");
        }
        if new.headers.len() > 20 {
            return fault("headers", "has more than 20 entries");
        }
        for (name, value) in &new.headers {
            let parsed = name.parse::<HeaderName>();
            let own: &[&str] = match new.access {
                UpstreamAccess::Person => &["authorization"],
                UpstreamAccess::Service => &[],
            };
            let taken = parsed.as_ref().is_ok_and(|name| {
                own.contains(&name.as_str()) || OWN_HEADERS.contains(&name.as_str())
            });
            if taken && own.contains(&name.to_lowercase().as_str()) {
                return fault(
                    "headers",
                    "must not have Authorization with `access: person`, which sends the person's token",
                );
            }
            let unsendable = value.is_empty() || HeaderValue::from_str(value).is_err();
            if parsed.is_err() || taken || value.len() > 4_096 || unsendable {
                return fault("headers", "has a name or a value that cannot be sent");
            }
        }
        let mut token = new.token;
        if token.is_some() && new.access == UpstreamAccess::Service {
            return fault(
                "token",
                "is only for `access: person`: with `access: service` no token is sent",
            );
        }
        let refresh = token.as_mut().and_then(|token| token.refresh.as_mut());
        let client_secret = refresh.and_then(|refresh| refresh.client_secret.take());
        let endpoint = Self {
            base_url: new.base_url,
            access: new.access,
            headers: new.headers.keys().cloned().collect(),
            token,
        };
        let secrets = Secrets {
            headers: new.headers,
            client_secret,
        };
        Ok((endpoint, secrets))
    }
}

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

fn elsewhere(pointer: &str) -> ApiError {
    ApiError::invalid_field(
        pointer,
        "has a `$ref` to another document; write the schema out",
    )
}

fn points_elsewhere(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let names_a_document =
                matches!(name.as_str(), "$ref" | "$dynamicRef" | "$schema" | "$id");
            let elsewhere = value.as_str().is_some_and(|to| !to.starts_with('#'));
            (names_a_document && elsewhere && !is_dialect(name, value)) || points_elsewhere(value)
        }),
        Value::Array(items) => items.iter().any(points_elsewhere),
        _ => false,
    }
}

/// Many servers name the dialect of JSON Schema, which is known here.
fn is_dialect(name: &str, value: &Value) -> bool {
    let known = [
        "json-schema.org/draft/2020-12/schema",
        "json-schema.org/draft-07/schema",
    ];
    name == "$schema"
        && value
            .as_str()
            .is_some_and(|to| known.iter().any(|known| to.contains(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_points_at_nothing_else() {
        for (schema, elsewhere) in [
            (json!({ "$ref": "#/$defs/a" }), false),
            (
                json!({ "properties": { "a": { "$ref": "http://127.0.0.1/x" } } }),
                true,
            ),
            (json!({ "allOf": [{ "$ref": "file:///etc/passwd" }] }), true),
            (
                json!({ "$schema": "http://json-schema.org/draft-07/schema#" }),
                false,
            ),
            (json!({ "$schema": "http://127.0.0.1/x" }), true),
            (json!({ "type": "object" }), false),
        ] {
            assert_eq!(points_elsewhere(&schema), elsewhere, "{schema}");
        }
    }
}
