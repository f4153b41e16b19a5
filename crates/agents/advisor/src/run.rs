//! The state that the nodes of one run share.

use std::sync::{Arc, OnceLock};

use agent_kit::{
    NodeContext, RunContext, ToolLoop, ToolSet, ToolSetCache, offered_tool, passages::Passages,
};
use contracts::tools::{
    ToolCategory, ToolDefinition,
    upstreams::{CredentialState, CredentialStatus},
};
use tokio::sync::OnceCell;

use crate::{AdvisorSettings, prompt, state::AdvisorState};

pub(crate) type Run = RunContext<AdvisorRun>;
pub(crate) type Context = graph::Context<AdvisorState, Run>;
pub(crate) type Node = NodeContext<AdvisorState, Run>;

/// What only the advisor's nodes share within a run.
#[derive(Debug)]
pub struct AdvisorRun {
    pub(crate) settings: Arc<AdvisorSettings>,
    tool_sets: Arc<ToolSetCache>,
    access: OnceCell<Access>,
    /// The model's findings when the rules took over.
    pub(crate) found: OnceLock<Passages>,
}

/// The data that the person can be answered from.
#[derive(Debug)]
pub(crate) struct Access {
    /// The credential for the upstream; `None` when there is no upstream.
    pub(crate) credential: Option<CredentialStatus>,
    /// What may be called.
    pub(crate) tools: Arc<[ToolDefinition]>,
}

impl AdvisorRun {
    pub(crate) fn new(settings: Arc<AdvisorSettings>, tool_sets: Arc<ToolSetCache>) -> Self {
        Self {
            settings,
            tool_sets,
            access: OnceCell::new(),
            found: OnceLock::new(),
        }
    }
}

/// The data that the person can be answered from. Determined once; this refreshes the credential if
/// needed.
pub(crate) async fn access(run: &Run) -> &Access {
    let find_out = async || {
        let (credential, definitions) =
            futures::join!(run.credentials.ensure(), run.tools().definitions());
        let listed = definitions.unwrap_or_else(|error| {
            let source = &error as &dyn std::error::Error;
            tracing::warn!(error = source, "the tools could not be listed");
            Arc::new([])
        });
        let knowledge_tool = &run.assistant.settings.knowledge_tool;
        Access {
            tools: offered(&listed, knowledge_tool, credential.as_ref()),
            credential,
        }
    };
    run.assistant.access.get_or_init(find_out).await
}

/// The model's conversation with the tools, from its beginning.
pub(crate) fn tool_loop(run: &Run, access: &Access) -> ToolLoop {
    let make = |tools: &[ToolDefinition]| ToolSet::new(tools.iter().map(offered_tool));
    ToolLoop::new(
        prompt::system(run, access.credential.as_ref()),
        run.assistant.tool_sets.of(&access.tools, make),
        prompt::messages(run),
        prompt::known(run),
        run.assistant.settings.tool_limits(),
    )
}

/// The tools that the advisor may offer: documents, the upstream's where the person has something
/// to show there, and those of other upstreams, which are listed only for those who can use them.
fn offered(
    definitions: &[ToolDefinition],
    knowledge_tool: &str,
    credential: Option<&CredentialStatus>,
) -> Arc<[ToolDefinition]> {
    let can_be_used = |one: &ToolDefinition| match (&one.upstream, credential) {
        (Some(upstream), Some(credential)) if *upstream != credential.upstream => true,
        (Some(_), None) => true,
        (_, credential) => {
            credential.is_some_and(|credential| credential.state != CredentialState::Missing)
        }
    };
    let is_offered = |one: &&ToolDefinition| match one.category {
        ToolCategory::Documents => one.name == knowledge_tool,
        ToolCategory::Upstream => can_be_used(one),
        _ => false,
    };
    definitions.iter().filter(is_offered).cloned().collect()
}
