//! Accounts: a name, a password, a tenant, a role.

mod administration;
mod taken;

use std::net::{IpAddr, Ipv4Addr};

use contracts::access::Role;
use contracts::names::{self, NameFault};
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::database::{Kept, reason};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::access::{self, Grant};
use crate::hashing::{Busy, HashingQueue};
use crate::passwords;

pub(crate) use administration::{Change, Stored};
pub(crate) use taken::is_free;

/// The tenant whose data the demo shows.
pub const DEMO_TENANT: &str = "demo";

/// The account of the first start.
pub const DEMO_USER: &str = "demo";

/// Who hashes a password on the command line.
const NO_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Why an account could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The name is in use.
    #[error("an account named `{0}` exists")]
    Exists(String),
    /// The name cannot be one.
    #[error("a name has 1 to 128 characters")]
    Name,
    /// The name has characters that it cannot have.
    #[error("a name {0}")]
    NameFault(NameFault),
    /// The password is too short.
    #[error("a password has at least {} characters", passwords::SHORTEST)]
    Password,
    /// The password is too long.
    #[error("a password has at most 1024 characters")]
    LongPassword,
    /// The password is easily guessed.
    #[error("the password is easily guessed: {0}")]
    WeakPassword(String),
    /// The tenant cannot be one.
    #[error("a tenant has 1 to 64 characters, and no blanks around it")]
    Tenant,
    /// The tenant has characters that it cannot have.
    #[error("a tenant {0}")]
    TenantFault(NameFault),
    /// The tenant is another one that is seen as one that exists.
    #[error("the tenant `{tenant}` looks like the tenant `{known}`, which exists")]
    TenantAlike {
        /// As it was asked for.
        tenant: String,
        /// The tenant that exists.
        known: String,
    },
    /// No account may have this.
    #[error("{}", access::no_scope(.0))]
    Scope(String),
    /// Hashing failed.
    #[error("the password cannot be hashed")]
    Hash(#[from] argon2::password_hash::Error),
    /// Too many passwords are being hashed.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The hashing task ended early.
    #[error("hashing was interrupted")]
    Interrupted(#[from] tokio::task::JoinError),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// An account that may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its stable id, `sub` in tokens.
    pub account_id: Uuid,
    /// The name for signing in.
    pub username: String,
    /// The tenant whose data the account sees.
    pub tenant: String,
    /// The scopes of the account.
    pub scopes: Vec<String>,
    /// The role that the scopes come from; `None` when they are listed.
    pub role: Option<Role>,
    /// The role that decides which collections of documents the account reads: its role, otherwise
    /// the highest one whose scopes it has.
    pub rank: Role,
    /// The groups, which open collections of documents, too.
    pub groups: Vec<String>,
}

/// An account as it is stored.
#[derive(Debug)]
pub(crate) struct AccountRow {
    pub(crate) account_id: Uuid,
    pub(crate) username: String,
    pub(crate) tenant: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) role: Option<String>,
    pub(crate) groups: Vec<String>,
}

impl From<AccountRow> for Account {
    fn from(row: AccountRow) -> Self {
        let role = row.role.as_deref().and_then(Role::from_name);
        let rank = role.unwrap_or_else(|| rank(&row.scopes));
        Self {
            account_id: row.account_id,
            username: row.username,
            tenant: row.tenant,
            scopes: role.map_or(row.scopes, |role| {
                role.scopes().map(str::to_owned).collect()
            }),
            role,
            rank,
            groups: row.groups,
        }
    }
}

/// The highest role whose scopes are all among these.
fn rank(scopes: &[String]) -> Role {
    let has_all = |role: &Role| {
        let mut needed = role.scopes();
        needed.all(|scope| scopes.iter().any(|own| own == scope))
    };
    let highest = Role::ALL.into_iter().rev().find(has_all);
    highest.unwrap_or(Role::Viewer)
}

/// Connections that are kept between requests.
const KEPT: usize = 4;

/// The accounts in the database.
pub struct Accounts {
    pool: PgPool,
    /// For what each request asks.
    kept: Kept,
    clock: SharedClock,
    ids: SharedIds,
    hashing: HashingQueue,
}

impl Accounts {
    /// The accounts of this database.
    pub fn new(pool: PgPool, clock: SharedClock, ids: SharedIds) -> Self {
        Self {
            kept: Kept::new(pool.clone(), KEPT),
            pool,
            clock,
            ids,
            hashing: HashingQueue::new(),
        }
    }

    /// Connections for what each request asks.
    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Creates an account.
    pub async fn create(
        &self,
        username: &str,
        password: SecretString,
        tenant: &str,
        grant: &Grant,
    ) -> Result<Account, AccountError> {
        let username = checked_name(username)?;
        check_tenant(tenant)?;
        passwords::check(password.expose_secret(), &[&username, tenant])?;
        if let Grant::Scopes(scopes) = grant {
            check_scopes(scopes)?;
        }
        let password_hash = self.hashing.hash(password, NO_ADDRESS).await?;
        let mut transaction = self.pool.begin().await?;
        if !is_free(&mut transaction, &username).await? {
            return Err(AccountError::Exists(username));
        }
        tenant_is_new(&mut transaction, tenant).await?;
        let account = sqlx::query_as!(
            AccountRow,
            "INSERT INTO bff.accounts (account_id, username, password_hash, tenant, scopes, role, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (lower(username)) DO NOTHING
             RETURNING account_id, username, tenant, scopes, role, groups",
            self.ids.new_id(),
            username,
            password_hash,
            tenant,
            &grant.scopes(),
            grant.role().map(Role::name),
            self.clock.now(),
        )
        .fetch_optional(&mut *transaction)
        .await?;
        transaction.commit().await?;
        let account = account.map(Account::from);
        account.ok_or(AccountError::Exists(username))
    }

    /// Fails for a tenant that is not there, and is seen as one that is.
    pub(crate) async fn check_tenant(&self, tenant: &str) -> Result<(), AccountError> {
        let mut connection = self.pool.acquire().await?;
        tenant_is_new(&mut connection, tenant).await
    }

    /// Sets a new password; every session and token of the account ends. `false` when there is no
    /// such account.
    pub async fn set_password(
        &self,
        username: &str,
        password: SecretString,
    ) -> Result<bool, AccountError> {
        passwords::check(password.expose_secret(), &[username])?;
        let password_hash = self.hashing.hash(password, NO_ADDRESS).await?;
        let mut transaction = self.pool.begin().await?;
        let account = sqlx::query_scalar!(
            "UPDATE bff.accounts SET password_hash = $2 WHERE lower(username) = lower($1) RETURNING account_id",
            username,
            password_hash,
        )
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(account_id) = account else {
            return Ok(false);
        };
        sqlx::query!("DELETE FROM bff.sessions WHERE account_id = $1", account_id)
            .execute(&mut *transaction)
            .await?;
        sqlx::query!(
            "DELETE FROM bff.refresh_tokens WHERE account_id = $1",
            account_id
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Sets what an account may do, from its next request on. `false` when there is no such
    /// account.
    pub async fn set_scopes(
        &self,
        username: &str,
        scopes: &[String],
    ) -> Result<bool, AccountError> {
        check_scopes(scopes)?;
        let done = sqlx::query!(
            "UPDATE bff.accounts SET scopes = $2, role = NULL WHERE lower(username) = lower($1)",
            username,
            scopes,
        )
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Creates the demo account on the first start, when there is no account at all. The password
    /// is returned only when it is created here, so that it can be shown once.
    pub async fn ensure_demo(
        &self,
        password: Option<SecretString>,
    ) -> Result<Option<SecretString>, AccountError> {
        let any = sqlx::query_scalar!(r#"SELECT EXISTS (SELECT 1 FROM bff.accounts) AS "any!""#)
            .fetch_one(&self.pool)
            .await?;
        if any {
            return Ok(None);
        }
        let password = password.unwrap_or_else(crate::secret::generate);
        let grant = Grant::Role(Role::InstallationAdministrator);
        match self
            .create(DEMO_USER, password.clone(), DEMO_TENANT, &grant)
            .await
        {
            Ok(_) => Ok(Some(password)),
            // Another replica was faster, and printed its password.
            Err(AccountError::Exists(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The account that this name and password belong to. An unknown name takes as long as a wrong
    /// password. The queue for hashing is shared fairly between addresses.
    pub async fn verify(
        &self,
        username: &str,
        password: SecretString,
        from: IpAddr,
    ) -> Result<Option<Account>, AccountError> {
        // Names are stored composed; those of earlier releases as they came.
        let row = sqlx::query!(
            "SELECT password_hash, account_id, username, tenant, scopes, role, groups
             FROM bff.accounts WHERE lower(username) IN (lower($1), lower($2)) AND disabled_at IS NULL
             ORDER BY lower(username) = lower($1) DESC LIMIT 1",
            username,
            names::composed(username),
        )
        .fetch_optional(&self.pool)
        .await?;
        // An account of an identity provider has no password.
        let found = row.and_then(|row| {
            let account = AccountRow {
                account_id: row.account_id,
                username: row.username,
                tenant: row.tenant,
                scopes: row.scopes,
                role: row.role,
                groups: row.groups,
            };
            Some((Account::from(account), row.password_hash?))
        });
        let Some((account, password_hash)) = found else {
            self.hashing.hash(password, from).await?;
            return Ok(None);
        };
        let matches = self.hashing.verify(password, password_hash, from).await?;
        Ok(matches.then_some(account))
    }

    /// An account by its id, unless it is disabled.
    pub async fn find(&self, account_id: Uuid) -> Result<Option<Account>, sqlx::Error> {
        let found = sqlx::query_as!(
            AccountRow,
            "SELECT account_id, username, tenant, scopes, role, groups FROM bff.accounts WHERE account_id = $1 AND disabled_at IS NULL",
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(found.map(Account::from))
    }

    /// An account by its id, unless it is disabled or the family of refresh tokens has ended that
    /// an access token belongs to.
    pub(crate) async fn find_of_family(
        &self,
        account_id: Uuid,
        family: Uuid,
    ) -> Result<Option<Account>, sqlx::Error> {
        let first = self.of_family(account_id, family).await;
        if first.as_ref().is_err_and(|error| reason(error).is_some()) {
            // The server was away for a moment; this only reads.
            self.kept.forget();
            return self.of_family(account_id, family).await;
        }
        first
    }

    async fn of_family(
        &self,
        account_id: Uuid,
        family: Uuid,
    ) -> Result<Option<Account>, sqlx::Error> {
        let mut connection = self.kept.acquire().await?;
        let found = sqlx::query_as!(
            AccountRow,
            "SELECT a.account_id, a.username, a.tenant, a.scopes, a.role, a.groups FROM bff.accounts a
             WHERE a.account_id = $1 AND a.disabled_at IS NULL
               AND EXISTS (SELECT FROM bff.refresh_tokens r WHERE r.family = $2 AND r.account_id = $1)",
            account_id,
            family,
        )
        .fetch_optional(&mut *connection)
        .await?;
        connection.keep();
        Ok(found.map(Account::from))
    }

    /// An account by its name, unless it is disabled.
    pub(crate) async fn find_by_name(
        &self,
        username: &str,
    ) -> Result<Option<Account>, sqlx::Error> {
        let found = sqlx::query_as!(
            AccountRow,
            "SELECT account_id, username, tenant, scopes, role, groups FROM bff.accounts
             WHERE lower(username) = lower($1) AND disabled_at IS NULL",
            username,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(found.map(Account::from))
    }
}

/// A name as it is stored.
pub(crate) fn checked_name(username: &str) -> Result<String, AccountError> {
    let username = names::checked_strictly(username).map_err(AccountError::NameFault)?;
    let fits = (1..=128).contains(&username.chars().count());
    fits.then_some(username).ok_or(AccountError::Name)
}

/// Tenants are compared as they are written: one that would be stored in another form is refused.
pub(crate) fn check_tenant(tenant: &str) -> Result<(), AccountError> {
    let stored = names::checked_strictly(tenant).map_err(AccountError::TenantFault)?;
    let fits = stored == tenant && (1..=64).contains(&tenant.chars().count());
    fits.then_some(()).ok_or(AccountError::Tenant)
}

/// Fails for a tenant that is not there, and is seen as one that is.
async fn tenant_is_new(connection: &mut PgConnection, tenant: &str) -> Result<(), AccountError> {
    match taken::tenant_like(connection, tenant).await? {
        Some(known) => Err(AccountError::TenantAlike {
            tenant: tenant.to_owned(),
            known,
        }),
        None => Ok(()),
    }
}

/// A misspelt scope would allow nothing, without a word.
fn check_scopes(scopes: &[String]) -> Result<(), AccountError> {
    match access::unknown_scope(scopes) {
        Some(scope) => Err(AccountError::Scope(scope.to_owned())),
        None => Ok(()),
    }
}
