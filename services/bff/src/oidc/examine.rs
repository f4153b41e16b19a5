//! The test of a provider, step by step.

use contracts::issuers::IssuerTest;
use contracts::targets::TargetTestStep;
use service_kit::problem::chain;

use super::jwt::Keys;
use super::provider::{Metadata, Provider, ProviderError, oauth_error};

/// A code that no provider gave out.
const NO_CODE: &str = "a-test-of-the-client";

/// A verifier of the length that the standard asks for.
const NO_VERIFIER: &str = "a-test-of-the-client-that-begins-no-sign-in-";

/// Errors of providers that do not know the client, or not by this secret.
const UNKNOWN_CLIENT: [&str; 2] = ["invalid_client", "unauthorized_client"];

/// The outcome of a test.
pub(crate) struct Examined {
    steps: Vec<TargetTestStep>,
    /// The member of the settings that the failed step is about.
    pub(crate) pointer: &'static str,
}

/// A step that failed: the member that is to be changed, and why.
struct Failed(&'static str, String);

impl Examined {
    /// Why the last step failed.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.steps.last()?.problem.as_deref()
    }

    /// The outcome on the wire.
    pub(crate) fn outcome(self, provider: &Provider) -> IssuerTest {
        IssuerTest {
            ok: self.problem().is_none(),
            steps: self.steps,
            addresses: provider.addresses(),
        }
    }

    fn note<T>(&mut self, step: &str, outcome: Result<T, Failed>) -> Option<T> {
        let (found, problem) = match outcome {
            Ok(found) => (Some(found), None),
            Err(Failed(pointer, why)) => {
                self.pointer = pointer;
                (None, Some(why))
            }
        };
        self.steps.push(TargetTestStep {
            step: step.to_owned(),
            ok: problem.is_none(),
            problem,
        });
        found
    }
}

impl Provider {
    /// Tests the provider with the settings as they are.
    pub(crate) async fn examine(&self) -> Examined {
        let mut examined = Examined {
            steps: Vec::new(),
            pointer: "",
        };
        // The steps end with the first that fails.
        let _ = self.take_steps(&mut examined).await;
        examined
    }

    async fn take_steps(&self, examined: &mut Examined) -> Option<()> {
        let host = self.test_host().await;
        examined.note("host", host)?;
        let found = self.discover().await.map_err(|error| {
            let what = format!("The discovery document {}", self.discovery_url());
            Failed("/issuer", told(&what, &error))
        });
        let metadata = examined.note("discovery", found)?;
        examined.note("issuer", self.test_issuer(&metadata))?;
        let unprotected = metadata.unprotected().map_or(Ok(()), |url| {
            Err(Failed(
                "/issuer",
                format!("The issuer names the endpoint {url}, which is not encrypted."),
            ))
        });
        examined.note("endpoints", unprotected)?;
        let keys = self.test_keys(&metadata).await;
        examined.note("keys", keys)?;
        let client = self.test_client(&metadata).await;
        examined.note("client", client)
    }

    async fn test_host(&self) -> Result<(), Failed> {
        let failed = |why: String| Failed("/issuer", why);
        let url = reqwest::Url::parse(&self.config().issuer);
        let url = url.map_err(|error| failed(format!("The issuer is not a URL: {error}.")))?;
        let resolved = self.reach.resolve(&url).await;
        resolved.map_err(|error| failed(error.to_string()))
    }

    fn test_issuer(&self, metadata: &Metadata) -> Result<(), Failed> {
        if metadata.issuer == self.config().issuer {
            return Ok(());
        }
        let named: String = metadata.issuer.chars().take(200).collect();
        Err(Failed(
            "/issuer",
            format!("The discovery document names the issuer {named}. Enter it exactly like this."),
        ))
    }

    async fn test_keys(&self, metadata: &Metadata) -> Result<(), Failed> {
        let failed = |why: String| Failed("/issuer", why);
        let keys = self.keys(metadata).await.map_err(|error| {
            let what = format!("The document of keys {}", metadata.jwks_uri);
            failed(told(&what, &error))
        })?;
        if keys.are_usable() {
            return Ok(());
        }
        Err(failed(format!(
            "The document of keys {} has no key that signatures can be checked with (RSA, EC or Ed25519).",
            metadata.jwks_uri
        )))
    }

    /// Sends a code that is none: the provider rejects the code if it accepts the client.
    async fn test_client(&self, metadata: &Metadata) -> Result<(), Failed> {
        let pointer = if self.config().client_secret.is_some() {
            "/client_secret"
        } else {
            "/client_id"
        };
        let redirect = self.addresses().redirect;
        let request = self.token_request(metadata, NO_CODE, NO_VERIFIER, &redirect);
        let (status, body) = self.ask(request).await.map_err(|error| {
            let what = format!("The token endpoint {}", metadata.token_endpoint);
            Failed("/issuer", told(&what, &error))
        })?;
        if status.is_server_error() {
            let endpoint = &metadata.token_endpoint;
            let why = format!("The token endpoint {endpoint} answered with status {status}.");
            return Err(Failed("/issuer", why));
        }
        match oauth_error(&body) {
            Some(error) if UNKNOWN_CLIENT.contains(&error.as_str()) => Err(Failed(
                pointer,
                format!(
                    "The issuer does not accept the client id and the secret ({error}). Compare both with its settings of this client."
                ),
            )),
            _ => Ok(()),
        }
    }
}

impl Keys {
    /// Whether a key is of a kind that is known.
    fn are_usable(&self) -> bool {
        self.kinds()
            .any(|kind| ["RSA", "EC", "OKP"].contains(&kind))
    }
}

/// A sentence for a request that failed.
fn told(what: &str, error: &ProviderError) -> String {
    match error {
        ProviderError::Away { source, .. } => {
            format!("{what} cannot be read: {}.", chain(source))
        }
        ProviderError::Answer { what: answer, .. } => {
            format!("{what} cannot be read: the answer is {}.", answer.trim())
        }
        ProviderError::Down { status, .. } => {
            format!("{what} cannot be read: the answer is status {status}.")
        }
        ProviderError::Refused { source, .. } => source.to_string(),
        ProviderError::Token(_) => format!("{what} cannot be read: {error}."),
    }
}
