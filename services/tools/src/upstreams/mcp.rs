//! A tool of an MCP server as a tool: the Model Context Protocol over streamable HTTP, as far as a
//! call needs it.
//!
//! Each call has a session of its own, so no state of one person's is ever used for another. The
//! server is promised no capability: it cannot ask a model or a person of this side for anything.
//! What it returns is data like any upstream's answer.

mod content;
mod messages;

use std::time::Duration;

use contracts::tools::upstreams::error_codes;
use contracts::tools::{ToolCategory, ToolDefinition, ToolEnvelope, ToolVisibility, json_schema};
use contracts::upstreams::OfferedTool;
use http::header::{ACCEPT, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::config::McpToolConfig;
use super::directory::Upstream;
use super::exchange::{open, read};
use super::{Content, Failure, Outgoing, UpstreamResponse, picking, safe_text};
use messages::{Reply, reply};

/// The newest revision with sessions, which is proposed; and the others that are understood.
const PROTOCOL: &str = "2025-11-25";
const UNDERSTOOD: [&str; 4] = [PROTOCOL, "2025-06-18", "2025-03-26", "2024-11-05"];

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Time limit for the end of a session.
const FAREWELL: Duration = Duration::from_secs(1);

/// Maximum number of pages of a server's list of tools.
const MOST_PAGES: u32 = 20;
/// Length at which a server's description of a tool is cut, in characters.
const MOST_WORDS: usize = 2_000;

/// The error of JSON-RPC for arguments that do not fit.
const INVALID_PARAMS: i64 = -32602;

/// A tool of a server.
pub(super) struct RemoteTool {
    /// The name of the upstream.
    upstream: String,
    config: McpToolConfig,
    timeout: Duration,
    limit: usize,
}

impl RemoteTool {
    pub(super) fn new(upstream: &Upstream, config: &McpToolConfig) -> Self {
        Self {
            upstream: upstream.name().to_owned(),
            timeout: config
                .timeout_ms
                .map_or(upstream.timeout(), Duration::from_millis),
            limit: config
                .max_response_bytes
                .unwrap_or(upstream.max_response_bytes()),
            config: config.clone(),
        }
    }

    /// Time that a call may take.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The definition of the tool for models.
    pub(super) fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: self.config.name.clone(),
            description: self.config.description.clone(),
            category: ToolCategory::Upstream,
            visibility: ToolVisibility::Hidden,
            input_schema: Value::Object(self.config.schema.clone()),
            output_schema: json_schema::<ToolEnvelope>(),
            upstream: Some(self.upstream.clone()),
        }
    }

    /// The result that is picked from an answer.
    pub(super) fn pick(&self, answer: Value, arguments: &Value) -> Value {
        picking::pick(&self.config.response, answer, arguments)
    }

    /// Calls the tool. An HTTP error is returned as it is, so that a token that has run out can be
    /// renewed.
    pub(super) async fn call(
        &self,
        upstream: &Upstream,
        arguments: &Value,
        token: Option<&SecretString>,
        secrets: &[&str],
    ) -> Result<UpstreamResponse, Failure> {
        let mut session = Session::new(upstream, token, (self.timeout, self.limit));
        let reply = if let Some(refused) = session.begin().await? {
            refused
        } else {
            let name = self.config.tool.as_deref().unwrap_or(&self.config.name);
            let call = json!({ "name": name, "arguments": arguments });
            let reply = session.request(2, "tools/call", call).await;
            session.end().await;
            reply?
        };
        let message = match reply {
            Reply::Refused(response) => return Ok(response),
            Reply::Message { message, .. } => message,
        };
        let value = self.result(&message, secrets)?;
        Ok(UpstreamResponse {
            status: StatusCode::OK,
            body: value.to_string().into_bytes(),
        })
    }

    /// The result in a response of JSON-RPC.
    fn result(&self, message: &Value, secrets: &[&str]) -> Result<Value, Failure> {
        let said = |text: &str| {
            let body = json!({ "message": text }).to_string();
            let said = safe_text::excerpt(body.as_bytes(), secrets);
            said.map_or_else(String::new, |said| format!(" It says: {said}"))
        };
        if let Some(error) = message.get("error") {
            let said = said(error["message"].as_str().unwrap_or_default());
            let text = format!("`{}` refused the call.{said}", self.upstream);
            return Err(match error["code"].as_i64() {
                Some(INVALID_PARAMS) => Failure::invalid_arguments(text),
                _ => Failure::new(error_codes::INVALID_RESPONSE, text),
            });
        }
        let Some(result) = message["result"].as_object() else {
            return Err(Failure::invalid_response(&self.upstream, "has no result"));
        };
        if result.get("isError").is_some_and(|is| is == true) {
            let text = content::words(result);
            let text = format!("`{}` could not do that.{}", self.upstream, said(&text));
            return Err(Failure::new(error_codes::TOOL_FAILED, text));
        }
        Ok(content::value(result))
    }
}

/// One conversation with a server.
struct Session<'a> {
    upstream: &'a Upstream,
    token: Option<&'a SecretString>,
    timeout: Duration,
    limit: usize,
    /// Beside the upstream's own.
    headers: HeaderMap,
}

/// The answer of a server to the request for its tools.
pub(super) enum Listed {
    Tools(Vec<OfferedTool>),
    /// HTTP says no.
    Refused(UpstreamResponse),
}

/// The tools that a server offers.
pub(super) async fn list(
    upstream: &Upstream,
    token: Option<&SecretString>,
) -> Result<Listed, Failure> {
    let limits = (upstream.timeout(), upstream.max_response_bytes());
    let mut session = Session::new(upstream, token, limits);
    if let Some(Reply::Refused(refused)) = session.begin().await? {
        return Ok(Listed::Refused(refused));
    }
    let listed = session.list().await;
    session.end().await;
    listed
}

impl<'a> Session<'a> {
    fn new(
        upstream: &'a Upstream,
        token: Option<&'a SecretString>,
        (timeout, limit): (Duration, usize),
    ) -> Self {
        Self {
            upstream,
            token,
            timeout,
            limit,
            headers: HeaderMap::from_iter([(
                ACCEPT,
                HeaderValue::from_static("application/json, text/event-stream"),
            )]),
        }
    }

    /// The tools of the server, page by page.
    async fn list(&self) -> Result<Listed, Failure> {
        let mut tools = Vec::new();
        let mut cursor = Value::Null;
        for id in 2..2 + MOST_PAGES {
            let params = if cursor.is_null() {
                json!({})
            } else {
                json!({ "cursor": cursor })
            };
            let message = match self.request(id, "tools/list", params).await? {
                Reply::Message { message, .. } => message,
                Reply::Refused(refused) => return Ok(Listed::Refused(refused)),
            };
            let result = &message["result"];
            let Some(page) = result["tools"].as_array() else {
                let name = self.upstream.name();
                return Err(Failure::invalid_response(name, "has no list of tools"));
            };
            tools.extend(page.iter().filter_map(offered));
            cursor = result["nextCursor"].clone();
            if !cursor.is_string() {
                break;
            }
        }
        Ok(Listed::Tools(tools))
    }

    /// Agrees on a revision. Returns what the server answered if it refused.
    async fn begin(&mut self) -> Result<Option<Reply>, Failure> {
        let client = json!({ "name": "heliograph", "version": env!("CARGO_PKG_VERSION") });
        let hello =
            json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client });
        let (message, session) = match self.request(1, "initialize", hello).await? {
            Reply::Message { message, session } => (message, session),
            refused @ Reply::Refused(_) => return Ok(Some(refused)),
        };
        let agreed = message["result"]["protocolVersion"].as_str();
        let Some(agreed) = agreed.and_then(|it| UNDERSTOOD.into_iter().find(|one| *one == it))
        else {
            return Err(Failure::invalid_response(
                self.upstream.name(),
                "is of a revision of MCP that is not understood",
            ));
        };
        self.headers
            .insert(VERSION, HeaderValue::from_static(agreed));
        if let Some(session) = session {
            self.headers.insert(SESSION, session);
        }
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let response = self.send(&ready).await?;
        if response.status().is_success() {
            return Ok(None);
        }
        let refused = read(self.upstream, response, self.limit).await?;
        Ok(Some(Reply::Refused(refused)))
    }

    /// Sends a request and waits for its response.
    async fn request(&self, id: u32, method: &str, params: Value) -> Result<Reply, Failure> {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let response = self.send(&request).await?;
        reply(self, response, id).await
    }

    /// Sends a message.
    async fn send(&self, message: &Value) -> Result<reqwest::Response, Failure> {
        let content = Content {
            media_type: "application/json",
            bytes: message.to_string().into_bytes(),
        };
        self.ask(Method::POST, Some(content)).await
    }

    /// Ends the session. Servers may refuse this.
    async fn end(&self) {
        if self.headers.contains_key(SESSION) {
            let farewell = self.ask(Method::DELETE, None);
            let _ = tokio::time::timeout(FAREWELL, farewell).await;
        }
    }

    async fn ask(
        &self,
        method: Method,
        content: Option<Content>,
    ) -> Result<reqwest::Response, Failure> {
        let request = Outgoing {
            method,
            url: self.upstream.base().clone(),
            headers: self.headers.clone(),
            content,
            timeout: self.timeout,
            limit: self.limit,
        };
        open(self.upstream, &request, self.token).await
    }
}

/// A tool of a server's list.
fn offered(tool: &Value) -> Option<OfferedTool> {
    let said = tool["description"].as_str().or(tool["title"].as_str());
    Some(OfferedTool {
        name: tool["name"].as_str()?.to_owned(),
        description: said.unwrap_or_default().chars().take(MOST_WORDS).collect(),
        schema: tool["inputSchema"].as_object().cloned().unwrap_or_default(),
        only_reads: tool["annotations"]["readOnlyHint"].as_bool(),
    })
}
