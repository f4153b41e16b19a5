//! Commands for accounts on the command line, beside the running service.

use contracts::access::Role;
use secrecy::SecretString;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::config::DatabaseConfig;
use sqlx::PgPool;

use crate::access::Grant;
use crate::accounts::{Account, AccountError, Accounts, Change};
use crate::config::SessionConfig;
use crate::erasure::GoesOn;
use crate::sign_in::Origin;
use crate::tokens::RefreshTokens;
use crate::{Config, Error, database, erasure};

/// The accounts of a migrated database.
pub struct Admin {
    pool: PgPool,
    accounts: Accounts,
    refresh_tokens: RefreshTokens,
    clock: SharedClock,
    ids: SharedIds,
}

impl Admin {
    /// Opens the database.
    pub fn open(
        config: &DatabaseConfig,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, Error> {
        let pool = database::pool(config)?;
        let session: SessionConfig = Config::default().session;
        Ok(Self {
            accounts: Accounts::new(pool.clone(), clock.clone(), ids.clone()),
            refresh_tokens: RefreshTokens::new(pool.clone(), clock.clone(), ids.clone(), &session),
            clock,
            ids,
            pool,
        })
    }

    /// Creates an account.
    pub async fn create_account(
        &self,
        username: &str,
        password: SecretString,
        tenant: &str,
        scopes: &[String],
    ) -> Result<Account, AccountError> {
        let grant = Grant::Scopes(scopes.to_vec());
        self.accounts
            .create(username, password, tenant, &grant)
            .await
    }

    /// Creates an account with a role.
    pub async fn create_with_role(
        &self,
        username: &str,
        password: SecretString,
        tenant: &str,
        role: Role,
    ) -> Result<Account, AccountError> {
        let grant = Grant::Role(role);
        self.accounts
            .create(username, password, tenant, &grant)
            .await
    }

    /// Gives access to an account back: sets its password, has it manage the installation, and
    /// enables it. `false` when there is no such account.
    pub async fn recover(
        &self,
        username: &str,
        password: SecretString,
    ) -> Result<bool, AccountError> {
        let Some(stored) = self.accounts.stored(username).await? else {
            return Ok(false);
        };
        let change = Change {
            grant: Some(Grant::Role(Role::InstallationAdministrator)),
            disabled: Some(false),
            password: Some(password),
            groups: None,
        };
        self.accounts.change(&stored.account, change).await?;
        Ok(true)
    }

    /// Whether some account manages every tenant and is not disabled.
    pub async fn has_administrator(&self) -> Result<bool, sqlx::Error> {
        self.accounts.has_administrator().await
    }

    /// Sets a new password and ends every session of the account. `false` when there is no such
    /// account.
    pub async fn set_password(
        &self,
        username: &str,
        password: SecretString,
    ) -> Result<bool, AccountError> {
        self.accounts.set_password(username, password).await
    }

    /// Sets what an account may do. `false` when there is no such account.
    pub async fn set_scopes(
        &self,
        username: &str,
        scopes: &[String],
    ) -> Result<bool, AccountError> {
        self.accounts.set_scopes(username, scopes).await
    }

    /// Takes an account away at once, and has the bff erase what the services keep of its person
    /// when it runs. `false` when there is no such account.
    pub async fn erase(&self, username: &str) -> Result<bool, sqlx::Error> {
        let Some((account_id, _)) = erasure::find(&self.pool, username).await? else {
            return Ok(false);
        };
        let place = (self.ids.new_id(), self.clock.now());
        let begun = erasure::begin(&self.pool, place, account_id, GoesOn::Elsewhere).await?;
        Ok(begun.is_some())
    }

    /// Creates the demo account when there is no account at all. Without a given password, one is
    /// generated, and returned to be shown once.
    pub async fn ensure_demo(
        &self,
        password: Option<SecretString>,
    ) -> Result<Option<SecretString>, AccountError> {
        self.accounts.ensure_demo(password).await
    }

    /// A refresh token for an account, for a client on the machine of the user who runs the
    /// service; `None` when there is no such account.
    pub async fn refresh_token(&self, username: &str) -> Result<Option<SecretString>, sqlx::Error> {
        match self.accounts.find_by_name(username).await? {
            Some(account) => {
                let origin = Origin {
                    client: Some("heliograph on this machine".to_owned()),
                    ..Origin::default()
                };
                let begun = self.refresh_tokens.begin(account.account_id, &origin);
                let issued = begun.await?;
                Ok(Some(issued.token))
            }
            None => Ok(None),
        }
    }

    /// Closes the database.
    pub async fn close(self) {
        self.pool.close().await;
    }
}
