//! Before anything is answered: the person's credential, and what may be called.

use std::sync::Arc;

use contracts::{
    run::Source,
    tools::upstreams::{CredentialState, CredentialStatus},
};
use graph::{Command, NodeResult};

use crate::{
    graph::{MODEL, RULES},
    run::{Context, Node, access},
    state::AdvisorState,
};

/// The credential is loaded, checked, and refreshed where it has run out; then the answer begins.
pub(crate) async fn prepare(_: Arc<AdvisorState>, context: Context) -> NodeResult<AdvisorState> {
    let node = Node::from(context);
    let run = node.run();
    let source = match run.model() {
        Some(_) => Source::Model,
        None => Source::Rules,
    };
    node.route("advisor", 1.0, source).await;
    let access = access(run).await;
    if let Some(credential) = &access.credential {
        warn_of(&node, credential).await;
    }
    // Without tools there is nothing to ground a model's answer in.
    let can_ask = run.model().is_some() && !access.tools.is_empty();
    Ok(Command::goto(if can_ask { MODEL } else { RULES }))
}

/// Warns of a credential that exists and does not work. A missing one is reported when it is
/// needed.
async fn warn_of(node: &Node, credential: &CredentialStatus) {
    if !matches!(
        credential.state,
        CredentialState::Expired | CredentialState::Refused
    ) {
        return;
    }
    let code = credential.error_code.as_deref();
    let text = credential.message.as_deref();
    node.warn(
        code.unwrap_or("credential_unusable"),
        text.unwrap_or("Your access to the connected service does not work at the moment."),
    )
    .await;
}
