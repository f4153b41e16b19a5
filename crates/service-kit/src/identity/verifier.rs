//! Taking tokens.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Claims, Identity, KeyError, Standing, TOKEN_LIFETIME_SECONDS, crypto};
use crate::client::HttpClient;
use crate::clock::SharedClock;
use crate::config::IdentityConfig;

/// A key set is small and near; who takes longer is away.
const FETCH_TIMEOUT: Duration = Duration::from_secs(3);

/// The pause after the first fetch in the background that failed while there are no keys; it
/// doubles …
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// … up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Minimum interval between two fetches, however many tokens name unknown keys.
const REFETCH_INTERVAL: Duration = Duration::from_secs(5);

/// So long at most until a key that the signer withdrew is forgotten here.
const KEYS_MAX_AGE: Duration = Duration::from_mins(10);

/// Verified tokens that are remembered; beyond it the memory starts again. A token is used for many
/// calls and a signature costs more than all else that is done for a small one.
const REMEMBERED_TOKENS: usize = 4096;

/// Why a token was not taken.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Not a JWT, or one without the claims of an identity token.
    #[error("the token is not an identity token")]
    Malformed,
    /// Signed with an algorithm that is not accepted, `none` included.
    #[error("the token is not signed with EdDSA")]
    Algorithm,
    /// Signed with a key that the signer does not publish.
    #[error("the token's key is not known")]
    UnknownKey,
    /// Not signed by whom it says.
    #[error("the token's signature is not valid")]
    Signature,
    /// Too old.
    #[error("the token has expired")]
    Expired,
    /// From the future.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// Valid for longer than any token of the signer.
    #[error("the token is valid for longer than five minutes")]
    TooLong,
    /// Its header demands an extension (`crit`); none is supported.
    #[error("the token demands an extension that is not known here")]
    Extension,
    /// Meant for another service.
    #[error("the token is not meant for this service")]
    Audience,
    /// From another issuer.
    #[error("the token's issuer is not trusted")]
    Issuer,
    /// The key set was never fetched and cannot be now.
    #[error("the signer's key set cannot be fetched")]
    KeysUnavailable(#[source] Arc<reqwest::Error>),
}

/// The source of the signer's public keys.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// At a URL, fetched when needed.
    Url(String),
    /// In a file, read once.
    File(PathBuf),
    /// Here: one process holds signer and verifier.
    Keys(JwkSet),
}

/// Verifies identity tokens.
///
/// Keys from a URL are fetched in the background ([`Verifier::keep_keys`]), so that a service
/// starts while the signer is still away, and when a token names an unknown key. While the URL does
/// not answer, the keys it gave last stay good.
pub struct Verifier {
    validation: Validation,
    leeway: i64,
    clock: SharedClock,
    remote: Option<Remote>,
    keys: RwLock<Arc<HashMap<String, DecodingKey>>>,
    remembered: Mutex<HashMap<String, Arc<Identity>>>,
}

struct Remote {
    url: String,
    client: HttpClient,
    interval: Duration,
    /// Held while fetching, so that one fetch serves all that wait for it.
    fetched: tokio::sync::Mutex<Fetched>,
}

#[derive(Default)]
struct Fetched {
    attempted: Option<Instant>,
    succeeded: Option<Instant>,
    failure: Option<Arc<reqwest::Error>>,
}

impl Verifier {
    /// A verifier with the keys that the configuration names.
    pub fn from_config(
        config: &IdentityConfig,
        client: HttpClient,
        clock: SharedClock,
    ) -> Result<Self, KeyError> {
        let source = match (&config.key_set_url, &config.key_set_file) {
            (Some(url), _) => KeySource::Url(url.clone()),
            (None, Some(path)) => KeySource::File(path.clone()),
            (None, None) => return Err(KeyError::NoSource),
        };
        Self::new(config, source, client, clock)
    }

    /// A verifier with keys from `source`, whatever the configuration says of them.
    pub fn new(
        config: &IdentityConfig,
        source: KeySource,
        client: HttpClient,
        clock: SharedClock,
    ) -> Result<Self, KeyError> {
        crypto::use_ring();
        let (keys, url) = match source {
            KeySource::Url(url) => (HashMap::new(), Some(url)),
            KeySource::File(path) => (read_keys(path)?, None),
            KeySource::Keys(set) => (usable_keys(&set), None),
        };
        let remote = url.map(|url| Remote {
            url,
            client,
            interval: REFETCH_INTERVAL,
            fetched: tokio::sync::Mutex::default(),
        });
        Ok(Self {
            validation: validation(config),
            leeway: i64::try_from(config.leeway_seconds).unwrap_or_default(),
            clock,
            remote,
            keys: RwLock::new(Arc::new(keys)),
            remembered: Mutex::default(),
        })
    }

    /// Sets the least time between two fetches of the key set.
    #[must_use]
    pub fn refetch_interval(mut self, interval: Duration) -> Self {
        if let Some(remote) = &mut self.remote {
            remote.interval = interval;
        }
        self
    }

    /// The identity that a token proves.
    pub async fn verify(&self, token: &str) -> Result<Arc<Identity>, TokenError> {
        self.refresh_aged_keys().await;
        if let Some(identity) = self.recall(token) {
            return self.check_expiry(identity.expires_at).map(|()| identity);
        }
        // An unknown algorithm, `none` among them, is already no header here.
        let header = decode_header(token).map_err(|error| refusal(&error))?;
        if header.alg != Algorithm::EdDSA {
            return Err(TokenError::Algorithm);
        }
        if header.crit.is_some() {
            return Err(TokenError::Extension);
        }
        let key = self
            .key(header.kid.as_deref().ok_or(TokenError::UnknownKey)?)
            .await?;
        let claims = decode::<Claims>(token, &key, &self.validation)
            .map_err(|error| refusal(&error))?
            .claims;
        self.check_times(&claims)?;
        if claims.sub.is_empty() || claims.tenant.is_empty() {
            return Err(TokenError::Malformed);
        }
        Ok(self.remember(token, claims))
    }

    /// Fetches the keys until they are there, and again when they are old, until `shutdown`. So a
    /// service that starts before its signer needs no request to find it.
    pub async fn keep_keys(self: Arc<Self>, shutdown: CancellationToken) {
        shutdown.run_until_cancelled(self.go_on_fetching()).await;
    }

    async fn go_on_fetching(&self) {
        let Some(remote) = &self.remote else { return };
        let mut pause = FIRST_PAUSE;
        loop {
            {
                let mut fetched = remote.fetched.lock().await;
                if self.current_keys().is_empty() || fetched.is_aged() {
                    self.fetch_now(remote, &mut fetched).await;
                }
            }
            if self.current_keys().is_empty() {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            } else {
                pause = FIRST_PAUSE;
                tokio::time::sleep(remote.interval.max(LONGEST_PAUSE)).await;
            }
        }
    }

    /// Takes these keys in place of those it has, for a process that holds signer and verifier.
    pub fn use_keys(&self, set: &JwkSet) {
        self.replace_keys(usable_keys(set));
    }

    /// Whether keys are available, fetching them when they are not: for a readiness check.
    pub async fn ready(&self) -> Result<(), TokenError> {
        if self.current_keys().is_empty() {
            self.fetch(|| !self.current_keys().is_empty()).await?;
        }
        if self.current_keys().is_empty() {
            Err(TokenError::UnknownKey)
        } else {
            Ok(())
        }
    }

    fn check_times(&self, claims: &Claims) -> Result<(), TokenError> {
        self.check_expiry(claims.exp)?;
        let latest = self.clock.now().timestamp() + self.leeway;
        if claims.iat > latest || claims.nbf.is_some_and(|begins| begins > latest) {
            return Err(TokenError::NotYetValid);
        }
        let too_long = claims.exp > latest + TOKEN_LIFETIME_SECONDS
            || claims.exp.saturating_sub(claims.iat) > TOKEN_LIFETIME_SECONDS;
        if too_long {
            return Err(TokenError::TooLong);
        }
        Ok(())
    }

    fn check_expiry(&self, expires_at: i64) -> Result<(), TokenError> {
        let expired = self.clock.now().timestamp() >= expires_at.saturating_add(self.leeway);
        if expired {
            Err(TokenError::Expired)
        } else {
            Ok(())
        }
    }

    async fn key(&self, id: &str) -> Result<DecodingKey, TokenError> {
        if let Some(key) = self.current_keys().get(id) {
            return Ok(key.clone());
        }
        self.fetch(|| self.current_keys().contains_key(id)).await?;
        self.current_keys()
            .get(id)
            .cloned()
            .ok_or(TokenError::UnknownKey)
    }

    /// Fetches the key set, unless `satisfied` by a concurrent fetch, or the last one was just now.
    /// An error only when there are no keys to continue with.
    async fn fetch(&self, satisfied: impl Fn() -> bool) -> Result<(), TokenError> {
        let Some(remote) = &self.remote else {
            return Ok(());
        };
        let mut fetched = remote.fetched.lock().await;
        if satisfied() {
            return Ok(());
        }
        if fetched
            .attempted
            .is_none_or(|attempt| attempt.elapsed() >= remote.interval)
        {
            self.fetch_now(remote, &mut fetched).await;
        }
        match &fetched.failure {
            Some(failure) if self.current_keys().is_empty() => {
                Err(TokenError::KeysUnavailable(Arc::clone(failure)))
            }
            _ => Ok(()),
        }
    }

    async fn fetch_now(&self, remote: &Remote, fetched: &mut Fetched) {
        fetched.attempted = Some(Instant::now());
        match remote.fetch().await {
            Ok(set) => {
                fetched.succeeded = Some(Instant::now());
                fetched.failure = None;
                self.replace_keys(usable_keys(&set));
            }
            Err(error) => {
                tracing::warn!(error = %crate::problem::chain(&error), "the key set could not be fetched");
                fetched.failure = Some(Arc::new(error));
            }
        }
    }

    /// Fetches keys that are old, so that one that was withdrawn is forgotten. If a fetch is
    /// already in progress, a caller continues with the old ones.
    async fn refresh_aged_keys(&self) {
        let Some(remote) = &self.remote else { return };
        let aged = match remote.fetched.try_lock() {
            Ok(fetched) => fetched.is_aged(),
            Err(_) => false,
        };
        if aged {
            // With old keys available, failing is not an error.
            let _ = self.fetch(|| false).await;
        }
    }

    fn current_keys(&self) -> Arc<HashMap<String, DecodingKey>> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace_keys(&self, keys: HashMap<String, DecodingKey>) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        // A token of a withdrawn key must not be remembered as good.
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn recall(&self, token: &str) -> Option<Arc<Identity>> {
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(token)
            .cloned()
    }

    fn remember(&self, token: &str, claims: Claims) -> Arc<Identity> {
        let identity = Arc::new(Identity {
            subject: claims.sub,
            name: claims.name,
            tenant: claims.tenant,
            scopes: claims
                .scope
                .split_ascii_whitespace()
                .map(str::to_owned)
                .collect(),
            token: token.into(),
            expires_at: claims.exp,
            session: claims.sid,
            standing: Standing {
                role: claims.role,
                groups: claims.groups,
            },
        });
        let mut remembered = self
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED_TOKENS {
            remembered.clear();
        }
        remembered.insert(token.to_owned(), Arc::clone(&identity));
        identity
    }
}

impl Fetched {
    fn is_aged(&self) -> bool {
        self.succeeded
            .is_some_and(|success| success.elapsed() >= KEYS_MAX_AGE)
    }
}

impl Remote {
    async fn fetch(&self) -> Result<JwkSet, reqwest::Error> {
        let response = self
            .client
            .get(&self.url)
            .timeout(FETCH_TIMEOUT)
            .send()
            .await?;
        response.error_for_status()?.json().await
    }
}

/// The library does not check expiry, because it would read the machine's clock.
fn validation(config: &IdentityConfig) -> Validation {
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_audience(&[&config.audience]);
    validation.set_issuer(&[&config.issuer]);
    validation.set_required_spec_claims(&["aud", "exp", "iss", "sub"]);
    validation.validate_exp = false;
    validation
}

fn read_keys(path: PathBuf) -> Result<HashMap<String, DecodingKey>, KeyError> {
    let text = std::fs::read(&path).map_err(|source| KeyError::File { path, source })?;
    Ok(usable_keys(&serde_json::from_slice(&text)?))
}

/// The Ed25519 keys of a set, by id. The signer has no other kind.
fn usable_keys(set: &JwkSet) -> HashMap<String, DecodingKey> {
    set.keys
        .iter()
        .filter_map(|jwk| Some((jwk.common.key_id.clone()?, ed25519_key(jwk)?)))
        .collect()
}

fn ed25519_key(jwk: &Jwk) -> Option<DecodingKey> {
    match &jwk.algorithm {
        AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => {
            let key = DecodingKey::from_ed_components(&pair.x).ok()?;
            // The library slices the first 32 bytes without looking.
            (key.try_get_as_bytes().ok()?.len() == 32).then_some(key)
        }
        _ => None,
    }
}

fn refusal(error: &jsonwebtoken::errors::Error) -> TokenError {
    match error.kind() {
        ErrorKind::InvalidSignature => TokenError::Signature,
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName => TokenError::Algorithm,
        ErrorKind::InvalidAudience => TokenError::Audience,
        ErrorKind::InvalidIssuer => TokenError::Issuer,
        _ => TokenError::Malformed,
    }
}
