//! `[[upstreams]]` of the configuration: an API of others, how its tokens are, and which of its
//! operations are tools.

mod mcp;
mod refresh;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use service_kit::config::{Invalid, Validate, http_url, name, positive, read_secret_file};

pub use mcp::McpToolConfig;
pub use refresh::{RefreshConfig, RefreshKind, ServiceKeyUsers};

/// One of `[[upstreams]]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamConfig {
    /// Its name in `/api/credentials/{upstream}`: `[a-z0-9_-]`.
    pub name: String,
    /// The protocol.
    #[serde(default)]
    pub kind: UpstreamKind,
    /// The position. Nothing that a caller says changes host or path structure. Of an MCP server,
    /// its endpoint.
    pub base_url: String,
    /// With whose rights it is read.
    #[serde(default)]
    pub access: Access,
    /// The tenants whose users may use it; `*` represents every tenant.
    #[serde(default = "every_tenant")]
    pub tenants: Vec<String>,
    /// Sent with every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The same with secret values.
    #[serde(default)]
    pub secret_headers: Vec<SecretHeader>,
    /// What its tokens are like, and how to get another.
    #[serde(default)]
    pub token: TokenConfig,
    /// Time that a call may take, the refresh of a token included. Default: less than the bff waits
    /// for an answer, so that a slow upstream is named as such.
    #[serde(default = "twenty_seconds")]
    pub timeout_ms: u64,
    /// The largest answer that is read.
    #[serde(default = "two_mebibytes")]
    pub max_response_bytes: usize,
    /// The read operations that are tools; of HTTP APIs.
    #[serde(default)]
    pub operations: Vec<OperationConfig>,
    /// The tools of an MCP server that are tools here. No other is called.
    #[serde(default)]
    pub tools: Vec<McpToolConfig>,
}

/// The protocol of an upstream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamKind {
    /// An HTTP API with JSON; `operations` says what is asked.
    #[default]
    Http,
    /// The Model Context Protocol over streamable HTTP; `tools` says what is called.
    Mcp,
}

/// With whose rights an upstream is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// The person's rights: their token is sent.
    #[default]
    Person,
    /// This service's rights, for every user of the upstream's tenants: no token is sent, only the
    /// headers of the configuration.
    Service,
}

/// A header whose value is a secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretHeader {
    /// The header.
    pub name: String,
    /// The value of the header.
    #[serde(default, skip_serializing)]
    pub value: Option<SecretString>,
    /// A file that holds it.
    #[serde(default)]
    pub value_file: Option<PathBuf>,
}

/// `[upstreams.token]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TokenConfig {
    /// The claim that names the user as the service's own identities do.
    pub subject_claim: String,
    /// What `aud` has to hold; the base URL when absent.
    pub audience: Option<String>,
    /// What `iss` of a refreshed token has to be; not looked at when absent.
    pub issuer: Option<String>,
    /// What to make of tokens that are no JWT.
    pub opaque: Opaque,
    /// The way to renew a token; absent: only tokens that users send.
    pub refresh: Option<RefreshConfig>,
}

/// What to make of tokens that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opaque {
    /// They count as run out and are refreshed first.
    Expired,
    /// They are good until the upstream says otherwise.
    Valid,
}

/// One of `[[upstreams.operations]]`: a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationConfig {
    /// The tool's name.
    pub name: String,
    /// The purpose of the operation, in words for a model.
    pub description: String,
    /// How it is asked; `POST` for operations that read with a body.
    #[serde(default)]
    pub method: Method,
    /// Below the base URL, `/api/v1/inventory/{inventory_id}`: a parameter is a whole segment.
    pub path: String,
    /// A member of the body that is the caller's subject, whatever any user says.
    #[serde(default)]
    pub caller_field: Option<String>,
    /// The parameters of the tool.
    #[serde(default)]
    pub parameters: Vec<ParameterConfig>,
    /// The part of the answer that is returned.
    #[serde(default)]
    pub response: ResponseConfig,
    /// In place of the upstream's.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// In place of the upstream's.
    #[serde(default)]
    pub max_response_bytes: Option<usize>,
}

/// The methods of operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// `GET`.
    #[default]
    Get,
    /// `POST`.
    Post,
}

/// One of `[[upstreams.operations.parameters]]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterConfig {
    /// Its name as an argument of the tool.
    pub name: String,
    /// The place of the parameter in the request.
    #[serde(rename = "in")]
    pub place: Place,
    /// Whether the tool needs it. Those of the path are always needed.
    #[serde(default)]
    pub required: bool,
    /// Its name at the upstream, when that is another.
    #[serde(default)]
    pub upstream_name: Option<String>,
    /// Its JSON Schema: `{ type = "string", pattern = "…" }`.
    pub schema: Map<String, Value>,
}

/// The place of a parameter in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A segment of the path.
    Path,
    /// The query.
    Query,
    /// A member of the JSON body.
    Body,
    /// Nowhere: the answer is filtered by it.
    Filter,
}

/// `[upstreams.operations.response]`: the part of the answer that is returned. All of it by
/// default.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResponseConfig {
    /// A JSON Pointer to the part that counts.
    pub pointer: Option<String>,
    /// The members that are kept of the part, or of each of its items: `year`, `city/name`.
    pub fields: Vec<String>,
    /// Which items are kept.
    pub filters: Vec<FilterConfig>,
    /// In which order.
    pub sort: Option<SortConfig>,
    /// Maximum number of items.
    pub limit: Option<usize>,
}

/// Keeps items by an argument; all when it is not given.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterConfig {
    /// The argument.
    pub parameter: String,
    /// The member of each item: `city/name`.
    pub field: String,
    /// How they have to agree.
    #[serde(default)]
    pub matching: Matching,
}

/// How an argument and a member have to agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// They are the same; numbers also as text.
    #[default]
    Equals,
    /// The member contains the argument, whatever the case.
    Contains,
}

/// The order of items.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SortConfig {
    /// By this member.
    pub field: String,
    /// The greatest first.
    #[serde(default)]
    pub descending: bool,
}

impl Default for TokenConfig {
    fn default() -> Self {
        Self {
            subject_claim: "sub".to_owned(),
            audience: None,
            issuer: None,
            opaque: Opaque::Expired,
            refresh: None,
        }
    }
}

impl UpstreamConfig {
    /// An upstream without operations.
    pub fn at(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: UpstreamKind::default(),
            base_url: base_url.into(),
            access: Access::default(),
            tenants: every_tenant(),
            headers: BTreeMap::new(),
            secret_headers: Vec::new(),
            token: TokenConfig::default(),
            timeout_ms: twenty_seconds(),
            max_response_bytes: two_mebibytes(),
            operations: Vec::new(),
            tools: Vec::new(),
        }
    }
}

fn every_tenant() -> Vec<String> {
    vec!["*".to_owned()]
}

fn twenty_seconds() -> u64 {
    20_000
}

fn two_mebibytes() -> usize {
    2 * 1024 * 1024
}

/// [`Validate::read_secrets`] of all.
pub(crate) fn read_secrets(upstreams: &mut [UpstreamConfig]) -> Result<(), Invalid> {
    upstreams.iter_mut().try_for_each(|upstream| {
        let name = format!("upstreams.{}", upstream.name);
        upstream.read_secrets().map_err(|fault| fault.within(&name))
    })
}

/// [`Validate::validate`] of all: each on its own, and that no name is taken twice.
pub(crate) fn validate(upstreams: &[UpstreamConfig]) -> Result<(), Invalid> {
    let mut names = HashSet::new();
    for upstream in upstreams {
        let name = format!("upstreams.{}", upstream.name);
        upstream.validate().map_err(|fault| fault.within(&name))?;
        if !names.insert(&upstream.name) {
            return Err(Invalid::new(name, "another upstream has this name"));
        }
    }
    Ok(())
}

impl Validate for UpstreamConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        for header in &mut self.secret_headers {
            read_secret_file("value", &mut header.value, header.value_file.as_deref())
                .map_err(|fault| fault.within("secret_headers"))?;
        }
        let Some(refresh) = &mut self.token.refresh else {
            return Ok(());
        };
        read_secret_file(
            "service_key",
            &mut refresh.service_key,
            refresh.service_key_file.as_deref(),
        )
        .and_then(|()| {
            read_secret_file(
                "client_secret",
                &mut refresh.client_secret,
                refresh.client_secret_file.as_deref(),
            )
        })
        .map_err(|fault| fault.within("token.refresh"))
    }

    fn validate(&self) -> Result<(), Invalid> {
        name("name", &self.name, true)?;
        http_url("base_url", &self.base_url)?;
        positive("timeout_ms", self.timeout_ms)?;
        positive("max_response_bytes", self.max_response_bytes as u64)?;
        if self
            .secret_headers
            .iter()
            .any(|header| header.value.is_none())
        {
            return Err(Invalid::new("secret_headers.value", "is missing"));
        }
        if let Some(refresh) = &self.token.refresh {
            refresh
                .validate()
                .map_err(|fault| fault.within("token.refresh"))?;
        }
        match self.kind {
            UpstreamKind::Http if !self.tools.is_empty() => {
                return Err(Invalid::new("tools", "are those of `kind = \"mcp\"`"));
            }
            UpstreamKind::Mcp if !self.operations.is_empty() => {
                return Err(Invalid::new(
                    "operations",
                    "are those of `kind = \"http\"`; name the server's tools in `tools`",
                ));
            }
            UpstreamKind::Http | UpstreamKind::Mcp => {}
        }
        if self.access == Access::Service && self.token.refresh.is_some() {
            return Err(Invalid::new(
                "token.refresh",
                "is not used with `access = \"service\"`, which sends no token",
            ));
        }
        for operation in &self.operations {
            let name = format!("operations.{}", operation.name);
            operation.validate().map_err(|fault| fault.within(&name))?;
        }
        for tool in &self.tools {
            let name = format!("tools.{}", tool.name);
            tool.validate().map_err(|fault| fault.within(&name))?;
        }
        Ok(())
    }
}

impl Validate for OperationConfig {
    fn validate(&self) -> Result<(), Invalid> {
        name("name", &self.name, false)?;
        if let Some(timeout) = self.timeout_ms {
            positive("timeout_ms", timeout)?;
        }
        if self.method == Method::Get
            && (self.caller_field.is_some()
                || self.parameters.iter().any(|p| p.place == Place::Body))
        {
            return Err(Invalid::new("method", "GET has no body"));
        }
        let of_path = |name: &str| {
            let parameter = self.parameters.iter().find(|p| p.name == name);
            parameter.is_some_and(|parameter| parameter.place == Place::Path)
        };
        let mut placed = 0;
        for name in self.path.split('/').filter_map(placeholder) {
            placed += 1;
            if !of_path(name) {
                return Err(Invalid::new(
                    "path",
                    format!("{{{name}}} is no parameter of the path"),
                ));
            }
        }
        let of_path = self.parameters.iter().filter(|p| p.place == Place::Path);
        if of_path.count() != placed {
            return Err(Invalid::new(
                "path",
                "does not hold each parameter of the path once",
            ));
        }
        if !self.path.starts_with('/')
            || self.path.contains(['?', '#', '\\'])
            || self.path.contains("..")
        {
            return Err(Invalid::new(
                "path",
                "must begin with / and be a path alone",
            ));
        }
        for filter in &self.response.filters {
            if !self.parameters.iter().any(|p| p.name == filter.parameter) {
                return Err(Invalid::new(
                    "response.filters",
                    format!("`{}` is no parameter", filter.parameter),
                ));
            }
        }
        Ok(())
    }
}

/// The name in a segment like `{name}`.
pub(crate) fn placeholder(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}
