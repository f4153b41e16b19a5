//! The tools service.

use std::time::Duration;

use contracts::data_overview::DataOverview;
use contracts::openapi::tools::operations;
use contracts::tools::{ApiHealth, Tool, ToolDefinition, ToolEnvelope, ToolList};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::{Error, call};

/// Beyond the slowest tool, below the time that a person waits for a whole turn.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// A client of the tools service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ToolsClient {
    pub(crate) base: Url,
    pub(crate) http: HttpClient,
    timeout: Duration,
}

impl ToolsClient {
    /// A client for the service at `base_url`. An `/sse` at its end, as in old settings of
    /// `MCP_SERVER_URL`, is dropped.
    pub fn new(base_url: &str, http: HttpClient) -> Result<Self, Error> {
        let trimmed = base_url.trim_end_matches('/').trim_end_matches("/sse");
        let base = Url::parse(trimmed)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        let base = base.ok_or_else(|| Error::BaseUrl(base_url.to_owned()))?;
        Ok(Self {
            base,
            http,
            timeout: CALL_TIMEOUT,
        })
    }

    /// The same client with another time-out per call.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// An overview of the caller's tenant's data.
    pub async fn data_overview(&self, token: &SecretString) -> Result<DataOverview, Error> {
        let url = call::url::<operations::GetDataOverview>(&self.base, &[])?;
        call::send::<operations::GetDataOverview, _>(&self.http, &url, || {
            self.request::<operations::GetDataOverview>(&url, Some(token))
        })
        .await
    }

    /// Every tool with its schemas.
    pub async fn list_tools(&self, token: &SecretString) -> Result<ToolList, Error> {
        let url = call::url::<operations::ListTools>(&self.base, &[])?;
        call::send::<operations::ListTools, _>(&self.http, &url, || {
            self.request::<operations::ListTools>(&url, Some(token))
        })
        .await
    }

    /// One tool with its schemas.
    pub async fn get_tool(
        &self,
        token: &SecretString,
        name: &str,
    ) -> Result<ToolDefinition, Error> {
        check_name(name)?;
        let url = call::url::<operations::GetTool>(&self.base, &[name])?;
        call::send::<operations::GetTool, _>(&self.http, &url, || {
            self.request::<operations::GetTool>(&url, Some(token))
        })
        .await
    }

    /// Calls a tool. `Ok` with the status `error` means that the tool ran and failed for a reason a
    /// user can read.
    pub async fn call_tool(
        &self,
        token: &SecretString,
        name: &str,
        arguments: &Value,
    ) -> Result<ToolEnvelope, Error> {
        check_name(name)?;
        let url = call::url::<operations::CallTool>(&self.base, &[name])?;
        call::send::<operations::CallTool, _>(&self.http, &url, || {
            self.request::<operations::CallTool>(&url, Some(token))
                .json(arguments)
        })
        .await
    }

    /// Calls this tool with its own types: `client.call::<GetPowerCurve>(&token, &arguments)`. The
    /// result is checked to be the tool's.
    pub async fn call<T: Tool>(
        &self,
        token: &SecretString,
        arguments: &T::Arguments,
    ) -> Result<ToolEnvelope<T::Result>, Error> {
        let url = call::url::<operations::Call<T>>(&self.base, &[])?;
        call::send::<operations::Call<T>, _>(&self.http, &url, || {
            self.request::<operations::Call<T>>(&url, Some(token))
                .json(arguments)
        })
        .await
    }

    /// The service's health; needs no identity.
    pub async fn health(&self) -> Result<ApiHealth, Error> {
        let url = call::url::<operations::ApiHealth>(&self.base, &[])?;
        call::send::<operations::ApiHealth, _>(&self.http, &url, || {
            self.request::<operations::ApiHealth>(&url, None)
        })
        .await
    }

    pub(crate) fn request<O: utoipa::Path>(
        &self,
        url: &Url,
        token: Option<&SecretString>,
    ) -> RequestBuilder {
        let request = self
            .http
            .request(call::method::<O>(), url.clone())
            .timeout(self.timeout);
        match token {
            Some(token) => request.bearer_auth(token.expose_secret()),
            None => request,
        }
    }
}

/// A name that cannot be a tool's never leaves here: a model may have made it up, and `..` would be
/// another path.
fn check_name(name: &str) -> Result<(), Error> {
    let proper = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if proper {
        Ok(())
    } else {
        Err(Error::NotFound {
            detail: format!("There is no tool `{name}`."),
            available: Vec::new(),
        })
    }
}
