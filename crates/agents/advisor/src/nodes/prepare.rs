//! Before anything is answered: the person's credential, and what may be called.

use std::sync::Arc;

use agent_kit::{Stage, Transient};
use contracts::{
    run::Source,
    tools::upstreams::{CredentialState, CredentialStatus},
};
use graph::{Command, Context, NodeResult};

use crate::{
    dialogue::{Dialogue, offered},
    state::{AdvisorState, Change, Next},
};

/// Document 003's order: the credential is loaded, checked, and refreshed where it has run out; then the answer begins.
pub(crate) async fn prepare(
    state: Arc<AdvisorState>,
    context: Context<AdvisorState>,
) -> NodeResult<AdvisorState> {
    let turn = state.turn()?;
    let stage = Stage::new(context, Arc::clone(&turn.performance));
    let source = match stage.performance().model() {
        Some(_) => Source::Model,
        None => Source::Rules,
    };
    stage.route("advisor", 1.0, source).await;
    let tools = Arc::clone(stage.performance().tools());
    let (credential, definitions) = futures::join!(turn.credentials.ensure(), tools.definitions());
    if let Some(credential) = &credential {
        warn_of(&stage, credential).await;
    }
    let listed = definitions.unwrap_or_else(|error| {
        let source = &error as &dyn std::error::Error;
        tracing::warn!(error = source, "the tools could not be listed");
        Arc::new([])
    });
    let tools = offered(&listed, &turn.options.knowledge_tool, credential.as_ref());
    let mut changes = vec![];
    // Without tools there is nothing to ground a model's answer in.
    if stage.performance().model().is_some() && !tools.is_empty() {
        let dialogue = Dialogue::begin(&turn, &tools, credential.as_ref());
        changes.push(Change::Dialogue(Transient(Some(Arc::new(dialogue)))));
        changes.push(Change::Next(Next::Model));
    } else {
        changes.push(Change::Next(Next::Rules));
    }
    changes.push(Change::Tools(Transient(Some(Arc::new(tools)))));
    Ok(Command::updates(changes.into_iter().map(Into::into)))
}

/// A credential that was there and does not work is worth a word; that there is none is told when it is missed.
async fn warn_of(stage: &Stage<AdvisorState>, credential: &CredentialStatus) {
    if !matches!(
        credential.state,
        CredentialState::Expired | CredentialState::Refused
    ) {
        return;
    }
    let code = credential.error_code.as_deref();
    let text = credential.message.as_deref();
    stage
        .warn(
            code.unwrap_or("credential_unusable"),
            text.unwrap_or("Your access to the connected service does not work at the moment."),
        )
        .await;
}
