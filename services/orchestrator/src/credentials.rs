//! On whose behalf a run works: the identity it came with, renewed when the run outlives it.

use std::sync::{Arc, Mutex, PoisonError};

use conversations::Owner;
use secrecy::SecretString;
use serde_json::{Map, Value};
use service_kit::clock::SharedClock;
use service_kit::identity::Identity;

use crate::identities::{Identities, NotRenewed};

/// A token that ends sooner than this is not handed out if another can be had: the call that it is for takes a while.
const LEAST_SECONDS: i64 = 15;

/// Members of a context that are credentials. They are for one run at most and kept nowhere in plain.
const CREDENTIALS: [&str; 4] = [
    "access_token",
    "cc_access_token",
    "refresh_token",
    "cc_refresh_token",
];

/// Who a run works for.
pub struct Caller {
    owner: Owner,
    held: Mutex<Option<Held>>,
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
    /// Whoever sent the request.
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
            held: Mutex::new(Some(held)),
            identities,
            clock,
        }
    }

    /// The owner of a run that goes on without the request it came with.
    pub(crate) fn absent(owner: Owner, identities: Arc<Identities>, clock: SharedClock) -> Self {
        Self {
            owner,
            held: Mutex::new(None),
            identities,
            clock,
        }
    }

    /// Whose run it is.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// A token that is good for a call now. One that has run out, with no way to another, is handed out all the same: whoever gets it
    /// says no better than we could.
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

    fn held(&self) -> Option<Held> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
    }
}

/// The owner of what this identity makes.
pub(crate) fn owner_of(identity: &Identity) -> Owner {
    Owner::new(&identity.tenant, &identity.subject)
}

/// A context without its credentials, which are neither stored nor told back.
pub(crate) fn without_credentials(mut context: Map<String, Value>) -> Map<String, Value> {
    context.retain(|key, _| {
        let key = key.to_ascii_lowercase();
        !CREDENTIALS.contains(&key.as_str())
    });
    for value in context.values_mut() {
        if let Value::Object(inner) = value {
            *inner = without_credentials(std::mem::take(inner));
        }
    }
    context
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn credentials_are_taken_out_of_a_context_wherever_they_are() {
        let Value::Object(context) = json!({
            "city": "Zürich", "access_token": "a", "CC_Access_Token": "b", "nested": { "refresh_token": "c", "year": 2026 }
        }) else {
            panic!("an object")
        };
        let left = Value::Object(without_credentials(context));
        assert_eq!(
            left,
            json!({ "city": "Zürich", "nested": { "year": 2026 } })
        );
    }
}
