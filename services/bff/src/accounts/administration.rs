//! Listing and changing accounts.

use chrono::{DateTime, Utc};
use contracts::access::Role;
use contracts::accounts::AccountInfo;
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::{Account, AccountError, AccountRow, Accounts, NO_ADDRESS};
use crate::access::Grant;
use crate::passwords;

/// An account with everything that its administrators see.
#[derive(Debug)]
pub(crate) struct Stored {
    /// The account.
    pub(crate) account: Account,
    has_password: bool,
    issuer: Option<String>,
    disabled_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

/// A change of an account. What is `None` stays.
#[derive(Debug, Default)]
pub(crate) struct Change {
    pub(crate) grant: Option<Grant>,
    pub(crate) disabled: Option<bool>,
    pub(crate) password: Option<SecretString>,
    pub(crate) groups: Option<Vec<String>>,
}

impl Stored {
    /// Whether the account signs in here.
    pub(crate) fn has_password(&self) -> bool {
        self.has_password
    }

    /// The account, on the wire.
    pub(crate) fn info(self) -> AccountInfo {
        AccountInfo {
            id: self.account.account_id.to_string(),
            username: self.account.username,
            tenant: self.account.tenant,
            role: self.account.role,
            scopes: self.account.scopes,
            groups: self.account.groups,
            has_password: self.has_password,
            issuer: self.issuer,
            disabled_at: self.disabled_at,
            created_at: self.created_at,
        }
    }
}

impl Accounts {
    /// The accounts of a tenant, or of all, by name, after a name.
    pub(crate) async fn list(
        &self,
        tenant: Option<&str>,
        after: Option<&str>,
        limit: i64,
    ) -> Result<Vec<Stored>, sqlx::Error> {
        self.select(tenant, after, None, limit).await
    }

    /// An account by its name, also a disabled one.
    pub(crate) async fn stored(&self, username: &str) -> Result<Option<Stored>, sqlx::Error> {
        let found = self.select(None, None, Some(username), 1).await?;
        Ok(found.into_iter().next())
    }

    async fn select(
        &self,
        tenant: Option<&str>,
        after: Option<&str>,
        named: Option<&str>,
        limit: i64,
    ) -> Result<Vec<Stored>, sqlx::Error> {
        let rows = sqlx::query_file!("queries/accounts.sql", tenant, after, named, limit)
            .fetch_all(&self.pool)
            .await?;
        let stored = rows.into_iter().map(|row| Stored {
            account: Account::from(AccountRow {
                account_id: row.account_id,
                username: row.username,
                tenant: row.tenant,
                scopes: row.scopes,
                role: row.role,
                groups: row.groups,
            }),
            has_password: row.has_password,
            issuer: row.issuer,
            disabled_at: row.disabled_at,
            created_at: row.created_at,
        });
        Ok(stored.collect())
    }

    /// Changes an account. A new password ends its sessions and tokens, and so does disabling it.
    pub(crate) async fn change(
        &self,
        account: &Account,
        change: Change,
    ) -> Result<(), AccountError> {
        let password_hash = match change.password {
            Some(password) => {
                let words = [account.username.as_str(), account.tenant.as_str()];
                passwords::check(password.expose_secret(), &words)?;
                Some(self.hashing.hash(password, NO_ADDRESS).await?)
            }
            None => None,
        };
        let id = account.account_id;
        let mut transaction = self.pool.begin().await?;
        if let Some(grant) = &change.grant {
            sqlx::query!(
                "UPDATE bff.accounts SET role = $2, scopes = $3 WHERE account_id = $1",
                id,
                grant.role().map(Role::name),
                &grant.scopes(),
            )
            .execute(&mut *transaction)
            .await?;
        }
        if let Some(disabled) = change.disabled {
            sqlx::query!(
                "UPDATE bff.accounts SET disabled_at = CASE WHEN $2 THEN coalesce(disabled_at, $3) END WHERE account_id = $1",
                id,
                disabled,
                self.clock.now(),
            )
            .execute(&mut *transaction)
            .await?;
        }
        if let Some(groups) = &change.groups {
            sqlx::query!(
                "UPDATE bff.accounts SET groups = $2 WHERE account_id = $1",
                id,
                groups,
            )
            .execute(&mut *transaction)
            .await?;
        }
        if let Some(password_hash) = &password_hash {
            sqlx::query!(
                "UPDATE bff.accounts SET password_hash = $2 WHERE account_id = $1",
                id,
                password_hash,
            )
            .execute(&mut *transaction)
            .await?;
        }
        if password_hash.is_some() || change.disabled == Some(true) {
            end_sign_ins(&mut transaction, id, None).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Sets a new password, and ends every sign-in of the account save the session of this id.
    pub(crate) async fn set_own_password(
        &self,
        account: &Account,
        password: SecretString,
        kept_session: Option<Uuid>,
    ) -> Result<(), AccountError> {
        let words = [account.username.as_str(), account.tenant.as_str()];
        passwords::check(password.expose_secret(), &words)?;
        let password_hash = self.hashing.hash(password, NO_ADDRESS).await?;
        let mut transaction = self.pool.begin().await?;
        sqlx::query!(
            "UPDATE bff.accounts SET password_hash = $2 WHERE account_id = $1",
            account.account_id,
            password_hash,
        )
        .execute(&mut *transaction)
        .await?;
        end_sign_ins(&mut transaction, account.account_id, kept_session).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Creates an account that manages every tenant, on the command line; `false` when there is one
    /// that is not disabled.
    pub(crate) async fn has_administrator(&self) -> Result<bool, sqlx::Error> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM bff.accounts
               WHERE role = 'installation_administrator' AND disabled_at IS NULL) AS "any!""#
        )
        .fetch_one(&self.pool)
        .await
    }
}

/// Ends the sessions of an account save one, and all its refresh and access tokens.
async fn end_sign_ins(
    connection: &mut sqlx::PgConnection,
    account_id: Uuid,
    kept_session: Option<Uuid>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM bff.sessions WHERE account_id = $1 AND session_id IS DISTINCT FROM $2",
        account_id,
        kept_session,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "DELETE FROM bff.refresh_tokens WHERE account_id = $1",
        account_id
    )
    .execute(&mut *connection)
    .await?;
    Ok(())
}
