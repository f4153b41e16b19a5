//! The rights with which a schedule works: those that its owner has at that time.

use std::sync::Arc;

use secrecy::ExposeSecret;
use service_kit::problem::chain;

use crate::credentials::Caller;
use crate::state::State;
use conversations::Owner;

/// The scopes that a schedule needs.
pub(crate) const SCOPES: [&str; 3] = ["chat", "tools:read", "schedules:write"];

/// Why a schedule cannot work now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoRights {
    /// Its owner may not have it any more, for this reason.
    Lost(String),
    /// The rights cannot be determined at the moment.
    Unknown(String),
}

/// The owner, as they are at this moment: a token that was issued before does not count.
pub(crate) async fn now(state: &State, owner: &Owner) -> Result<Arc<Caller>, NoRights> {
    let held = state.identities.fresh(owner).await.map_err(|error| {
        if error.may_pass() {
            tracing::warn!(error = %chain(&error), "there is no identity for a schedule at the moment");
            NoRights::Unknown("The accounts cannot be asked at the moment.".to_owned())
        } else if error.is_refusal() {
            NoRights::Lost("The account is locked, or does not exist any more.".to_owned())
        } else {
            NoRights::Unknown(
                "No issuer of identities is configured (identity_renewal), so nothing can work without its user."
                    .to_owned(),
            )
        }
    })?;
    let identity = state.verifier.verify(held.token.expose_secret()).await;
    let identity = identity.map_err(|error| {
        tracing::warn!(error = %chain(&error), "the identity for a schedule cannot be verified");
        NoRights::Unknown("The identity cannot be verified at the moment.".to_owned())
    })?;
    let missing = SCOPES.iter().find(|scope| !identity.has_scope(scope));
    if let Some(scope) = missing {
        return Err(NoRights::Lost(format!(
            "The account no longer has the scope `{scope}`."
        )));
    }
    Ok(Arc::new(Caller::with_token(
        owner.clone(),
        held,
        Arc::clone(&state.identities),
        state.clock.clone(),
    )))
}
