//! Checking a name and a password, with limits that stop guessing and leave the owner of an account
//! in.
//!
//! Attempts are counted by address and by name. When a name's limit is used up, its owner still
//! gets in from an address that is known to the account; a wrong password there is answered as
//! everywhere else, so that no answer shows whether a name exists.

use contracts::bff::Credentials;
use http::HeaderMap;
use http::header::USER_AGENT;
use secrecy::SecretString;
use service_kit::client_address::ClientAddress;
use service_kit::clock::SharedClock;
use service_kit::problem::ApiError;
use sha2::{Digest, Sha256};
use sqlx::PgPool;

use crate::accounts::{Account, Accounts};
use crate::config::LimitsConfig;
use crate::error;
use crate::known_addresses::KnownAddresses;
use crate::limits::RateLimit;

/// The longest name of an account, and the longest password, in characters.
const LONGEST_NAME: usize = 128;
const LONGEST_PASSWORD: usize = 1024;

/// The longest name of a program that is kept.
const LONGEST_CLIENT: usize = 200;

/// The place that a sign-in came from, for the list of sign-ins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    /// The client's address.
    pub(crate) address: Option<String>,
    /// The client's program, as it names itself.
    pub(crate) client: Option<String>,
    /// The identity provider.
    pub(crate) issuer: Option<String>,
    /// The session at the identity provider.
    pub(crate) issuer_session: Option<String>,
}

impl Origin {
    /// The place that a request came from.
    pub(crate) fn of(address: ClientAddress, headers: &HeaderMap) -> Self {
        let program = headers.get(USER_AGENT).and_then(|name| name.to_str().ok());
        Self {
            address: Some(address.0.to_string()),
            client: program.map(|name| name.chars().take(LONGEST_CLIENT).collect()),
            ..Self::default()
        }
    }
}

/// The way from a name and a password to an account.
pub(crate) struct SignIn {
    names: RateLimit,
    addresses: RateLimit,
    known: KnownAddresses,
}

/// One attempt, for the log. The name is logged as a hash: it may be a password that was typed in
/// the wrong field.
struct Attempt<'a> {
    username: &'a str,
    address: ClientAddress,
}

impl SignIn {
    pub(crate) fn new(limits: &LimitsConfig, pool: PgPool, clock: SharedClock) -> Self {
        let (names, burst) = (limits.logins_per_minute, limits.login_burst);
        let (addresses, address_burst) = (
            limits.logins_per_minute_per_address,
            limits.login_burst_per_address,
        );
        Self {
            names: RateLimit::new(names, burst, clock.clone()),
            addresses: RateLimit::new(addresses, address_burst, clock.clone()),
            known: KnownAddresses::new(pool, clock),
        }
    }

    /// The account of a name and its password.
    pub(crate) async fn check(
        &self,
        accounts: &Accounts,
        credentials: Credentials,
        address: ClientAddress,
    ) -> Result<Account, ApiError> {
        bounded("/username", &credentials.username, LONGEST_NAME)?;
        bounded("/password", &credentials.password, LONGEST_PASSWORD)?;
        let username = credentials.username;
        let attempt = Attempt {
            username: &username,
            address,
        };
        self.addresses
            .take(&address.network().to_string())
            .map_err(|seconds| attempt.limited("address", seconds))?;
        let within_limit = self.names.take(&username.to_lowercase());
        if let Err(seconds) = within_limit
            && !self.known.knows(address).await.map_err(error::database)?
        {
            return Err(attempt.limited("name", seconds));
        }
        let password = SecretString::from(credentials.password);
        let verified = accounts
            .verify(&username, password, address.network())
            .await;
        let account = verified.map_err(error::account)?;
        let admitted = match (&account, within_limit) {
            (None, _) => false,
            (Some(_), Ok(())) => true,
            (Some(account), Err(_)) => {
                let known = self.known.knows_of(account.account_id, address).await;
                known.map_err(error::database)?
            }
        };
        match (account, within_limit) {
            (Some(account), _) if admitted => {
                let remembered = self.known.remember(account.account_id, address).await;
                remembered.map_err(error::database)?;
                Ok(account)
            }
            (_, Err(seconds)) => Err(attempt.limited("name", seconds)),
            (_, Ok(())) => Err(attempt.wrong()),
        }
    }
}

impl Attempt<'_> {
    fn limited(&self, by: &'static str, seconds: u64) -> ApiError {
        tracing::warn!(
            username_hash = self.username_hash(),
            client.address = %self.address.0,
            limit = by,
            "a sign-in was refused: too many attempts"
        );
        ApiError::too_many_requests("There were too many attempts to sign in.", seconds)
    }

    fn wrong(&self) -> ApiError {
        tracing::warn!(
            username_hash = self.username_hash(),
            client.address = %self.address.0,
            "a sign-in failed: wrong name or password"
        );
        ApiError::unauthorized("The name or the password is wrong.")
    }

    /// The beginning of what `printf %s NAME | sha256sum` prints, the name in lower case.
    fn username_hash(&self) -> String {
        let digest = Sha256::digest(self.username.to_lowercase().as_bytes());
        let beginning = digest
            .iter()
            .take(8)
            .fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
        format!("{beginning:016x}")
    }
}

fn bounded(pointer: &str, text: &str, longest: usize) -> Result<(), ApiError> {
    // Bytes first: counting the characters of a long text takes time.
    let fits = text.len() <= 4 * longest && text.chars().count() <= longest;
    if text.is_empty() || !fits {
        return Err(ApiError::invalid_field(
            pointer,
            format!("must have 1 to {longest} characters"),
        ));
    }
    Ok(())
}
