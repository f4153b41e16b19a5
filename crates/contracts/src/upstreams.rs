//! `/api/upstreams`: APIs and MCP servers of others, whose operations are tools of the documents
//! assistant.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::targets::TargetTestStep;

/// The protocol of an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamKind {
    /// An HTTP API with JSON; `operations` says what is asked.
    Http,
    /// The Model Context Protocol over streamable HTTP; `tools` says what is called.
    Mcp,
}

/// With whose rights an upstream is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamAccess {
    /// The person's rights: each person hands over a token (`PUT /api/credentials/{upstream}`),
    /// which is sent as a bearer token.
    #[default]
    Person,
    /// The rights of the headers, for every user of the tenant. No token is sent.
    Service,
}

/// The address of an upstream, with its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUpstreamEndpoint {
    /// The address: the part before the paths of the operations, or the endpoint of an MCP server.
    /// Without a user, a password and a query.
    #[schema(
        min_length = 1,
        max_length = 2000,
        example = "https://tracker.example.com/mcp"
    )]
    pub base_url: String,
    /// With whose rights it is read.
    #[serde(default)]
    pub access: UpstreamAccess,
    /// Headers sent with each request. The values are stored encrypted, and no answer has them.
    /// `Authorization` only with `access: service`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Of `access: person`: what the tokens are like, and how another one is had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<UpstreamToken>,
}

/// The tokens of an upstream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpstreamToken {
    /// The claim that names the user as accounts here do. Default: `sub`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub subject_claim: Option<String>,
    /// What `aud` must hold. Default: the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub audience: Option<String>,
    /// What `iss` of a renewed token must be. Default: anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub issuer: Option<String>,
    /// The state of a token that is not a JWT. Default: `expired`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<OpaqueToken>,
    /// How another token is had. Default: only from the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<UpstreamRefresh>,
}

/// What tokens that cannot be read count as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpaqueToken {
    /// As expired: they are renewed first.
    Expired,
    /// As valid until the upstream refuses them.
    Valid,
}

/// The renewal of tokens by the `refresh_token` grant of OAuth 2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpstreamRefresh {
    /// The path of the token endpoint below the address.
    #[schema(min_length = 1, max_length = 1000, example = "/oauth/token")]
    pub path: String,
    /// The client id there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1000)]
    pub client_id: Option<String>,
    /// The client secret there. It is stored encrypted, and no answer has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 4096, format = Password)]
    pub client_secret: Option<String>,
    /// Time limit, ms. Default: 10000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 30000)]
    pub timeout_ms: Option<u64>,
}

/// An upstream to be added, or tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUpstream {
    /// The name, also in `/api/credentials/{upstream}`.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[a-z0-9_-]+$",
        example = "tracker"
    )]
    pub name: String,
    /// The protocol.
    pub kind: UpstreamKind,
    /// The address, with its credentials.
    pub endpoint: NewUpstreamEndpoint,
    /// Time limit of a call, ms. Default: 20000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 30000)]
    pub timeout_ms: Option<u64>,
    /// The largest answer that is read, bytes. Default: 2 MiB, which is the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 2_097_152)]
    pub max_response_bytes: Option<u64>,
    /// HTTP: the operations that are tools. They read; nothing asks the person before a call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub operations: Vec<UpstreamOperation>,
    /// MCP: the tools of the server that are tools here. No other is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub tools: Vec<UpstreamTool>,
    /// Your own token, for the test of an upstream with `person` access. It is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 16384, format = Password)]
    pub test_token: Option<String>,
}

/// Changes of an upstream. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeUpstream {
    /// Another address, with its credentials. Tokens that persons handed over for the address
    /// before are deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<NewUpstreamEndpoint>,
    /// Time limit of a call, ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 30000)]
    pub timeout_ms: Option<u64>,
    /// The largest answer that is read, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 2_097_152)]
    pub max_response_bytes: Option<u64>,
    /// The operations in place of those before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub operations: Option<Vec<UpstreamOperation>>,
    /// The tools in place of those before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub tools: Option<Vec<UpstreamTool>>,
}

/// An operation of an HTTP API as a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpstreamOperation {
    /// The name of the tool: not that of another tool of the tenant.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[a-z0-9_]+$",
        example = "open_orders"
    )]
    pub name: String,
    /// The purpose of the operation, in words for a model.
    #[schema(min_length = 1, max_length = 2000)]
    pub description: String,
    /// `POST` for operations that read with a body. Default: `GET`.
    #[serde(default)]
    pub method: OperationMethod,
    /// The path below the address; a parameter is a whole segment: `/orders/{order_id}`.
    #[schema(min_length = 1, max_length = 1000, example = "/orders/{order_id}")]
    pub path: String,
    /// A member of the body that is set to the caller's subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub caller_field: Option<String>,
    /// The parameters of the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub parameters: Vec<OperationParameter>,
    /// The part of the answer that is returned. Default: all of it.
    #[serde(default, skip_serializing_if = "ReturnedPart::is_whole")]
    pub response: ReturnedPart,
}

/// The methods of operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names say it")]
pub enum OperationMethod {
    #[default]
    Get,
    Post,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationParameter {
    /// Its name as an argument of the tool.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// The place of the parameter in the request.
    #[serde(rename = "in")]
    pub place: ParameterPlace,
    /// Whether the tool needs it. Those of the path are always needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Its name at the upstream, if that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_name: Option<String>,
    /// Its JSON Schema, for example `{"type": "string", "maxLength": 40}`.
    #[schema(value_type = Object)]
    pub schema: Map<String, Value>,
}

/// The place of a parameter in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterPlace {
    /// A segment of the path.
    Path,
    /// The query.
    Query,
    /// A member of the JSON body.
    Body,
    /// Nowhere: the answer is filtered by it.
    Filter,
}

/// A tool of an MCP server as a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpstreamTool {
    /// The name of the tool here: not that of another tool of the tenant.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[a-z0-9_]+$",
        example = "open_tickets"
    )]
    pub name: String,
    /// Its name at the server, if that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub tool: Option<String>,
    /// The purpose of the tool, in words for a model.
    #[schema(min_length = 1, max_length = 2000)]
    pub description: String,
    /// The JSON Schema of its arguments, of `type: object`. Default: no arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub schema: Option<Map<String, Value>>,
    /// The part of the answer that is returned. Default: all of it.
    #[serde(default, skip_serializing_if = "ReturnedPart::is_whole")]
    pub response: ReturnedPart,
}

/// The part of an answer that is returned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReturnedPart {
    /// A JSON Pointer to the part.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/issues")]
    pub pointer: Option<String>,
    /// The members that are kept of the part, or of each of its items: `year`, `city/name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The items that are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<ItemFilter>,
    /// The order of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<ItemOrder>,
    /// Maximum number of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl ReturnedPart {
    /// Whether it is the whole answer.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }
}

/// Keeps items by an argument; all when it is not given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemFilter {
    /// The argument.
    pub parameter: String,
    /// The member of each item: `city/name`.
    pub field: String,
    /// How they must agree. Default: `equals`.
    #[serde(default)]
    pub matching: ItemMatching,
}

/// How an argument and a member must agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemMatching {
    /// They are the same; numbers also as text.
    #[default]
    Equals,
    /// The member contains the argument, whatever the case.
    Contains,
}

/// The order of items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemOrder {
    /// By this member.
    pub field: String,
    /// The greatest first.
    #[serde(default)]
    pub descending: bool,
}

/// The upstreams of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpstreamList {
    /// The upstreams, those of the configuration first.
    pub upstreams: Vec<UpstreamInfo>,
}

/// An upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpstreamInfo {
    /// The name.
    pub name: String,
    /// The protocol.
    pub kind: UpstreamKind,
    /// With whose rights it is read.
    pub access: UpstreamAccess,
    /// Whether it is in a configuration file: it cannot be changed here.
    pub fixed: bool,
    /// Whether an upstream of the configuration with the same name is used in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaced_by_fixed: bool,
    /// Why it cannot be asked now; absent if it can. Only the list looks at each upstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Its address, for those who may change it. Absent for upstreams of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<UpstreamEndpoint>,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// When it was added. Absent for upstreams of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
    /// When it was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
}

/// An address without its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpstreamEndpoint {
    /// The address.
    pub base_url: String,
    /// The names of the headers that are sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// The form of the tokens, without the client secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<UpstreamToken>,
}

/// An upstream with its operations or tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpstreamDetails {
    /// The upstream.
    pub upstream: UpstreamInfo,
    /// Time limit of a call, ms.
    pub timeout_ms: u64,
    /// The largest answer that is read, bytes.
    pub max_response_bytes: u64,
    /// HTTP: the operations, for those who may change them: `PATCH` takes them back. Empty for
    /// upstreams of the configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<UpstreamOperation>,
    /// MCP: the tools, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<UpstreamTool>,
}

/// The outcome of a test, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpstreamTest {
    /// Whether every step passed.
    pub ok: bool,
    /// The steps in order: `host`, `connection`, then `operations` (those of an HTTP API that need
    /// no arguments are asked) or `tools` (whether the MCP server has those that are named); the
    /// last one is that which failed. With `access: person` the last one is `connection`: to ask
    /// more takes the token of a person.
    pub steps: Vec<TargetTestStep>,
    /// MCP: the tools that the server has, in its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<OfferedTool>,
}

/// A tool that an MCP server offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferedTool {
    /// Its name there.
    pub name: String,
    /// The server's description of it.
    pub description: String,
    /// The JSON Schema of its arguments, as the server has it.
    #[schema(value_type = Object)]
    pub schema: Map<String, Value>,
    /// Whether the server says that it only reads (`readOnlyHint`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_reads: Option<bool>,
}
