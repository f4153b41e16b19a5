//! Notes of a handler for the audit entry of its request.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use contracts::accounts::CredentialKind;
use http::StatusCode;
use http::request::Parts;
use uuid::Uuid;

use crate::accounts::Account;

/// Shared by the layer and the handler of a request. Without the layer it leads nowhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct Note(Arc<Mutex<Noted>>);

/// The things that are noted.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted {
    pub(super) actor: Option<Uuid>,
    pub(super) actor_tenant: Option<String>,
    pub(super) credential: Option<CredentialKind>,
    pub(super) account: Option<Uuid>,
    pub(super) account_tenant: Option<String>,
    pub(super) object: Option<String>,
    pub(super) status: Option<StatusCode>,
}

impl Note {
    /// The account that acts, and its credential.
    pub(crate) fn actor(&self, account: &Account, credential: Option<CredentialKind>) {
        let mut noted = self.noted();
        noted.actor = Some(account.account_id);
        noted.actor_tenant = Some(account.tenant.clone());
        noted.credential = credential;
    }

    /// The account that is acted on.
    pub(crate) fn account(&self, account: &Account) {
        let mut noted = self.noted();
        noted.account = Some(account.account_id);
        noted.account_tenant = Some(account.tenant.clone());
    }

    /// The thing that is acted on, where the path does not name it.
    pub(crate) fn object(&self, object: impl Into<String>) {
        self.noted().object = Some(object.into());
    }

    /// The outcome, where the status of the response is not that: a response that leads a browser
    /// to a page, and the result of a test.
    pub(crate) fn status(&self, status: StatusCode) {
        self.noted().status = Some(status);
    }

    /// An account that is erased is not named, neither as the one that acted.
    pub(crate) fn erased(&self, account_id: Uuid) {
        let mut noted = self.noted();
        noted.actor = noted.actor.filter(|id| *id != account_id);
        noted.account = noted.account.filter(|id| *id != account_id);
    }

    pub(super) fn take(&self) -> Noted {
        self.noted().clone()
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Note {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
