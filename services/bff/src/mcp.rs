//! The Model Context Protocol: the tenant's tools, each assistant as a tool, documents as resources
//! and starter questions as prompts, over streamable HTTP at `/mcp`.
//!
//! Every request carries its own credential. [`gate`] checks it and binds a session to its account;
//! [`tools`] and [`asking`] are what can be called.

mod asking;
mod batches;
mod gate;
mod prompts;
mod resources;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any_service, get};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, Reference,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use service_kit::problem::ApiError;

use crate::accounts::Account;
pub(crate) use gate::resource;

use crate::orchestrator::OnBehalf;
use crate::state::State;

/// The path of the protocol. A call of an assistant takes as long as its run.
pub(crate) const PATH: &str = "/mcp";

const INSTRUCTIONS: &str = "Heliograph answers questions about a solar site, databases, documents and records. Tools named \
    `ask_…` ask an assistant in words and return its answer in Markdown with a `thread_id`; pass that back to continue the \
    conversation. The other tools return figures and rows directly.";

/// The routes of the protocol.
pub(crate) fn routes(state: &State) -> Router<State> {
    let server = Server {
        state: state.clone(),
    };
    // Names and origins are checked for the whole service, and a cookie's origin in the gate.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let sessions = Arc::new(LocalSessionManager::default());
    let made = Arc::clone(&sessions);
    let service = StreamableHttpService::new(move || Ok(server.clone()), made, config);
    let gate = gate::Gate::new(state.clone(), sessions);
    Router::new()
        .route(PATH, any_service(service))
        .route_layer(from_fn_with_state(gate, gate::pass))
        .route(gate::METADATA, get(gate::metadata))
        .route(gate::METADATA_OF_PATH, get(gate::metadata))
}

/// The protocol's requests, each for the account that sent it.
#[derive(Clone)]
struct Server {
    state: State,
}

impl Server {
    /// The tiers, on behalf of the sender.
    fn on_behalf(&self, context: &RequestContext<RoleServer>) -> Result<OnBehalf, ErrorData> {
        let parts = context.extensions.get::<http::request::Parts>();
        let account = parts.and_then(|parts| parts.extensions.get::<Account>());
        let account = account.ok_or_else(|| {
            ErrorData::invalid_request("The request came without an account.", None)
        })?;
        Ok(OnBehalf::of(&self.state, account))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let name = Implementation::new("heliograph", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name.with_title("Heliograph"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let on_behalf = self.on_behalf(&context)?;
        let mut tools = asking::list(&on_behalf).await.map_err(failed)?;
        tools.extend(tools::list(&on_behalf).await.map_err(failed)?);
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let on_behalf = self.on_behalf(&context)?;
        match asking::assistant_of(&request.name) {
            Some(assistant) => {
                let assistant = assistant.to_owned();
                asking::ask(&on_behalf, &assistant, request, &context).await
            }
            None => tools::call(&on_behalf, request).await.map(Into::into),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let on_behalf = self.on_behalf(&context)?;
        let resources = resources::list(&on_behalf).await.map_err(failed)?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![resources::template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let on_behalf = self.on_behalf(&context)?;
        match request.r#ref {
            Reference::Resource(of) => {
                resources::complete(&on_behalf, &of.uri, &request.argument).await
            }
            // Starter questions take no arguments.
            Reference::Prompt(of) => {
                prompts::get(&on_behalf, &of.name).await?;
                Ok(CompleteResult::default())
            }
            _ => Err(ErrorData::invalid_params(
                "Only resources and prompts can be completed.",
                None,
            )),
        }
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let on_behalf = self.on_behalf(&context)?;
        resources::read(&on_behalf, &request.uri)
            .await
            .map(Into::into)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let on_behalf = self.on_behalf(&context)?;
        let prompts = prompts::list(&on_behalf).await.map_err(failed)?;
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let on_behalf = self.on_behalf(&context)?;
        prompts::get(&on_behalf, &request.name)
            .await
            .map(Into::into)
    }
}

/// A request that cannot be answered.
#[expect(
    clippy::needless_pass_by_value,
    reason = "errors are converted by value"
)]
fn failed(error: ApiError) -> ErrorData {
    let text = words(&error);
    if error.problem().status >= 500 {
        ErrorData::internal_error(text, None)
    } else {
        ErrorData::invalid_params(text, None)
    }
}

/// A call that was made and failed: its reader sees why.
fn failed_call(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// The words of an error for a person.
fn words(error: &ApiError) -> String {
    let problem = error.problem();
    problem
        .detail
        .clone()
        .unwrap_or_else(|| problem.title.clone())
}
