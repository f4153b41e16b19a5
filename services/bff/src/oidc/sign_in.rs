//! Sign-ins of browsers at a provider: begun here, continued there, ended here.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::SharedClock;
use sha2::{Digest, Sha256};
use sqlx::PgPool;

use super::{Person, Provider, ProviderError};
use crate::secret;

/// Time that a person has for signing in at the provider.
const PATIENCE: TimeDelta = TimeDelta::minutes(10);

/// The reason for which a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    /// It was not begun in this browser, or too long ago, or it has ended.
    #[error("the sign-in was not begun in this browser, or has expired")]
    Unknown,
    /// The person or the provider ended it.
    #[error("the identity provider ended the sign-in: {0}")]
    Denied(String),
    /// No rule fits the person.
    #[error("no rule fits the person")]
    NotAllowed,
    /// The provider did not do its part.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// The sign-ins in the database.
pub(crate) struct SignIns {
    pool: PgPool,
    clock: SharedClock,
}

/// A sign-in that has begun.
pub(crate) struct Begun {
    /// The address at the provider.
    pub(crate) url: String,
    /// The secret of the browser: another browser cannot end the sign-in.
    pub(crate) browser: SecretString,
}

/// A person who signed in at a provider.
pub(crate) struct SignedIn {
    pub(crate) person: Person,
    /// The session at the provider.
    pub(crate) session: Option<String>,
}

/// The parameters that a provider sends with a browser.
pub(crate) struct CallbackParameters<'a> {
    pub(crate) state: &'a str,
    pub(crate) code: Option<&'a str>,
    pub(crate) error: Option<&'a str>,
    pub(crate) issuer: Option<&'a str>,
}

impl SignIns {
    pub(crate) fn new(pool: PgPool, clock: SharedClock) -> Self {
        Self { pool, clock }
    }

    /// Begins a sign-in at a provider.
    pub(crate) async fn begin(&self, provider: &Provider) -> Result<Begun, SignInError> {
        let metadata = provider.present().await?;
        let (state, browser) = (secret::generate(), secret::generate());
        let (nonce, verifier) = (secret::generate(), secret::generate());
        let now = self.clock.now();
        sqlx::query!("DELETE FROM bff.sign_ins WHERE expires_at < $1", now)
            .execute(&self.pool)
            .await?;
        sqlx::query!(
            "INSERT INTO bff.sign_ins (state_hash, browser_hash, issuer, nonce, pkce_verifier, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            secret::hash(state.expose_secret()),
            secret::hash(browser.expose_secret()),
            provider.config().issuer,
            nonce.expose_secret(),
            verifier.expose_secret(),
            now + PATIENCE,
        )
        .execute(&self.pool)
        .await?;
        let config = provider.config();
        let mut scope = vec!["openid"];
        scope.extend(
            config
                .scopes
                .iter()
                .map(String::as_str)
                .filter(|one| *one != "openid"),
        );
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose_secret().as_bytes()));
        let odd = |_| ProviderError::Answer {
            name: config.name.clone(),
            what: "an authorization endpoint that is not a URL".to_owned(),
        };
        let mut url = reqwest::Url::parse(&metadata.authorization_endpoint).map_err(odd)?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &config.client_id)
            .append_pair("redirect_uri", &provider.addresses().redirect)
            .append_pair("scope", &scope.join(" "))
            .append_pair("state", state.expose_secret())
            .append_pair("nonce", nonce.expose_secret())
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(Begun {
            url: url.into(),
            browser,
        })
    }

    /// Ends a sign-in with the provider's answer. Each can be ended once.
    pub(crate) async fn finish(
        &self,
        provider: &Provider,
        browser: &str,
        answer: CallbackParameters<'_>,
    ) -> Result<SignedIn, SignInError> {
        let config = provider.config();
        let begun = sqlx::query!(
            "DELETE FROM bff.sign_ins
             WHERE state_hash = $1 AND browser_hash = $2 AND issuer = $3 AND expires_at >= $4
             RETURNING nonce, pkce_verifier",
            secret::hash(answer.state),
            secret::hash(browser),
            config.issuer,
            self.clock.now(),
        )
        .fetch_optional(&self.pool)
        .await?;
        let begun = begun.ok_or(SignInError::Unknown)?;
        // RFC 9207: the answer of another provider.
        if answer.issuer.is_some_and(|issuer| issuer != config.issuer) {
            return Err(SignInError::Provider(super::JwtError::Issuer.into()));
        }
        if let Some(error) = answer.error {
            return Err(SignInError::Denied(error.chars().take(100).collect()));
        }
        let code = answer.code.ok_or(SignInError::Unknown)?;
        let redirect_uri = provider.addresses().redirect;
        let verified = provider
            .exchange(code, &begun.pkce_verifier, &redirect_uri, &begun.nonce)
            .await?;
        let person = Person::of(config, &verified.claims).ok_or(SignInError::NotAllowed)?;
        Ok(SignedIn {
            person,
            session: verified.text("sid").map(str::to_owned),
        })
    }
}
