//! On whose behalf a run works: the identity it came with, renewed when the run outlives it.

use std::sync::{Arc, Mutex, PoisonError};

use contracts::tools::upstreams::{Credential, PutCredential};
use conversations::Owner;
use secrecy::SecretString;
use serde_json::{Map, Value};
use service_kit::clock::SharedClock;
use service_kit::identity::{Identity, Standing};

use crate::identities::{Identities, NotRenewed};

/// A token that ends sooner than this is not handed out if another can be had: the call that it is
/// for takes a while.
const LEAST_SECONDS: i64 = 15;

/// Members of a context that are tokens for an upstream, the first that is there counting, and what
/// they are refreshed with. They are kept nowhere in plain.
const ACCESS_TOKENS: [&str; 2] = ["cc_access_token", "access_token"];
const REFRESH_TOKENS: [&str; 2] = ["cc_refresh_token", "refresh_token"];

/// The rights of a caller: callers with equal rights get equal answers to questions about the
/// tenant's data.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rights {
    tenant: String,
    scopes: Vec<String>,
    standing: Standing,
}

impl Rights {
    fn of(identity: &Identity) -> Self {
        Self {
            tenant: identity.tenant.clone(),
            scopes: identity.scopes.clone(),
            standing: identity.standing.clone(),
        }
    }
}

/// Who a run works for.
pub struct Caller {
    owner: Owner,
    /// The rights of the request; `None` where there is no request.
    rights: Option<Arc<Rights>>,
    held: Mutex<Option<Held>>,
    /// Warnings for the person before the answer: code and text.
    warnings: Mutex<Vec<(&'static str, String)>>,
    identities: Arc<Identities>,
    clock: SharedClock,
}

/// A token that was verified or issued.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) token: SecretString,
    /// In seconds since the epoch.
    pub(crate) expires_at: i64,
}

impl Caller {
    /// The caller of the request.
    pub(crate) fn present(
        identity: &Identity,
        identities: Arc<Identities>,
        clock: SharedClock,
    ) -> Self {
        let held = Held {
            token: identity.token.clone(),
            expires_at: identity.expires_at,
        };
        Self {
            owner: owner_of(identity),
            rights: Some(Arc::new(Rights::of(identity))),
            held: Mutex::new(Some(held)),
            warnings: Mutex::default(),
            identities,
            clock,
        }
    }

    /// The owner of a run that continues without the request it came with.
    pub(crate) fn absent(owner: Owner, identities: Arc<Identities>, clock: SharedClock) -> Self {
        Self {
            owner,
            rights: None,
            held: Mutex::new(None),
            warnings: Mutex::default(),
            identities,
            clock,
        }
    }

    /// The owner, with a token that was issued for something that works without a request.
    pub(crate) fn with_token(
        owner: Owner,
        held: Held,
        identities: Arc<Identities>,
        clock: SharedClock,
    ) -> Self {
        Self {
            owner,
            rights: None,
            held: Mutex::new(Some(held)),
            warnings: Mutex::default(),
            identities,
            clock,
        }
    }

    /// The owner of the run.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// The rights of the request; `None` where there is none.
    pub(crate) fn rights(&self) -> Option<&Arc<Rights>> {
        self.rights.as_ref()
    }

    /// A token that is good for a call now. One that has run out, with no way to another, is
    /// returned nevertheless: its receiver rejects it.
    pub(crate) async fn token(&self) -> Result<SecretString, NotRenewed> {
        let held = self.held();
        let now = self.clock.now().timestamp();
        if let Some(held) = &held
            && held.expires_at - now > LEAST_SECONDS
        {
            return Ok(held.token.clone());
        }
        match self
            .identities
            .renew(&self.owner, now + LEAST_SECONDS)
            .await
        {
            Ok(renewed) => {
                let token = renewed.token.clone();
                *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(renewed);
                Ok(token)
            }
            Err(error) => held.map(|held| held.token).ok_or(error),
        }
    }

    /// Has the person warned when the run begins.
    pub(crate) fn warn(&self, code: &'static str, text: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.push((code, text));
    }

    /// The warnings that were not yet sent.
    pub(crate) fn take_warnings(&self) -> Vec<(&'static str, String)> {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *warnings)
    }

    fn held(&self) -> Option<Held> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
    }
}

/// The owner of what this identity makes.
pub(crate) fn owner_of(identity: &Identity) -> Owner {
    Owner::new(&identity.tenant, &identity.subject)
}

/// The credential for an upstream in a context.
pub(crate) fn delegated(context: &Map<String, Value>) -> Option<PutCredential> {
    let first = |names: &[&str]| {
        names.iter().find_map(|name| {
            let named = context
                .iter()
                .find(|(key, _)| key.eq_ignore_ascii_case(name));
            let text = named?.1.as_str().map(str::trim);
            text.filter(|text| !text.is_empty()).map(Credential::new)
        })
    };
    Some(PutCredential {
        access_token: first(&ACCESS_TOKENS)?,
        refresh_token: first(&REFRESH_TOKENS),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_upstream_s_own_token_comes_first() {
        let found = |context: Value| {
            let Value::Object(context) = context else {
                panic!("an object")
            };
            let found = delegated(&context)?;
            let refresh_token = found.refresh_token.map(|token| token.expose().to_owned());
            Some((found.access_token.expose().to_owned(), refresh_token))
        };
        let both = json!({ "access_token": "a", "CC_ACCESS_TOKEN": " b ", "refresh_token": "r" });
        assert_eq!(found(both), Some(("b".to_owned(), Some("r".to_owned()))));
        let other = json!({ "access_token": "a", "cc_access_token": "" });
        assert_eq!(found(other), Some(("a".to_owned(), None)));
        assert_eq!(
            found(json!({ "access_token": 7, "refresh_token": "r" })),
            None
        );
        assert_eq!(found(json!({ "nested": { "access_token": "a" } })), None);
    }
}
