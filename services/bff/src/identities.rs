//! Accounts of persons who sign in at an identity provider: created at the first sign-in, with the
//! tenant and the role that the rules give at each.

use chrono::TimeDelta;
use contracts::access::Role;
use service_kit::clock::{SharedClock, SharedIds};
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::{Account, AccountRow, is_free};
use crate::oidc::Person;

/// A person's last use is written down this often at most.
const TOUCH_INTERVAL: TimeDelta = TimeDelta::minutes(5);

/// Names that are tried for a new account until one is free.
const MOST_NAMES: u32 = 100;

/// The identities in the database.
pub(crate) struct Identities {
    pool: PgPool,
    clock: SharedClock,
    ids: SharedIds,
}

/// The answer for a person.
#[derive(Debug)]
pub(crate) enum Admission {
    /// The account.
    Admitted(Account),
    /// An administrator disabled the account.
    Disabled(Account),
}

impl Identities {
    pub(crate) fn new(pool: PgPool, clock: SharedClock, ids: SharedIds) -> Self {
        Self { pool, clock, ids }
    }

    /// The account of a person in the tenant of the rules, created here if need be.
    pub(crate) async fn admit(&self, person: &Person) -> Result<Admission, sqlx::Error> {
        if let Some(found) = self.find(person).await? {
            return Ok(found);
        }
        for attempt in 0..MOST_NAMES {
            if self.create(person, &name(person, attempt)).await? {
                break;
            }
            // The name is in use, or another replica created the account.
            if let Some(found) = self.find(person).await? {
                return Ok(found);
            }
        }
        self.find(person).await?.ok_or(sqlx::Error::RowNotFound)
    }

    async fn find(&self, person: &Person) -> Result<Option<Admission>, sqlx::Error> {
        let now = self.clock.now();
        let row = sqlx::query!(
            "SELECT a.account_id, a.username, a.tenant, a.scopes, a.role, a.groups, a.disabled_at, i.last_seen_at
             FROM bff.identities i JOIN bff.accounts a USING (account_id)
             WHERE i.issuer = $1 AND i.subject = $2 AND i.tenant = $3",
            person.issuer,
            person.subject,
            person.tenant,
        )
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let mut account = Account::from(AccountRow {
            account_id: row.account_id,
            username: row.username,
            tenant: row.tenant,
            scopes: row.scopes,
            role: row.role,
            groups: row.groups,
        });
        if row.disabled_at.is_some() {
            return Ok(Some(Admission::Disabled(account)));
        }
        if account.role != Some(person.role) {
            self.set_role(account.account_id, person.role).await?;
            account.role = Some(person.role);
            account.rank = person.role;
            account.scopes = person.role.scopes().map(str::to_owned).collect();
        }
        if account.groups != person.groups {
            sqlx::query!(
                "UPDATE bff.accounts SET groups = $2 WHERE account_id = $1",
                account.account_id,
                &person.groups,
            )
            .execute(&self.pool)
            .await?;
            account.groups.clone_from(&person.groups);
        }
        if now - row.last_seen_at > TOUCH_INTERVAL {
            sqlx::query!(
                "UPDATE bff.identities SET last_seen_at = $2 WHERE account_id = $1",
                account.account_id,
                now,
            )
            .execute(&self.pool)
            .await?;
        }
        Ok(Some(Admission::Admitted(account)))
    }

    async fn set_role(&self, account_id: Uuid, role: Role) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "UPDATE bff.accounts SET role = $2 WHERE account_id = $1",
            account_id,
            role.name(),
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Creates the account with a name; `false` when the name is in use or the person has an
    /// account.
    async fn create(&self, person: &Person, name: &str) -> Result<bool, sqlx::Error> {
        let (account_id, now) = (self.ids.new_id(), self.clock.now());
        let mut transaction = self.pool.begin().await?;
        if !is_free(&mut transaction, name).await? {
            return Ok(false);
        }
        let account = sqlx::query!(
            "INSERT INTO bff.accounts (account_id, username, tenant, scopes, role, created_at, groups)
             VALUES ($1, $2, $3, '{}', $4, $5, $6) ON CONFLICT (lower(username)) DO NOTHING",
            account_id,
            name,
            person.tenant,
            person.role.name(),
            now,
            &person.groups,
        )
        .execute(&mut *transaction)
        .await?;
        let identity = sqlx::query!(
            "INSERT INTO bff.identities (issuer, subject, tenant, account_id, created_at, last_seen_at)
             SELECT $1, $2, $3, a.account_id, $5, $5 FROM bff.accounts a WHERE a.account_id = $4
             ON CONFLICT (issuer, subject, tenant) DO NOTHING",
            person.issuer,
            person.subject,
            person.tenant,
            account_id,
            now,
        )
        .execute(&mut *transaction)
        .await?;
        let created = account.rows_affected() == 1 && identity.rows_affected() == 1;
        if created {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        Ok(created)
    }

    /// Ends the sessions here that began with a session of a provider, or all of a person.
    pub(crate) async fn end_sign_ins(
        &self,
        issuer: &str,
        session: Option<&str>,
        subject: Option<&str>,
    ) -> Result<u64, sqlx::Error> {
        let ended = sqlx::query_file!("queries/end_sign_ins.sql", issuer, session, subject)
            .execute(&self.pool)
            .await?;
        Ok(ended.rows_affected())
    }
}

/// A name for a new account: the person's, or with the provider's name if it is in use. It never
/// leads to an account that exists: an account belongs to its subject, not to its name.
fn name(person: &Person, attempt: u32) -> String {
    match attempt {
        0 => person.name.clone(),
        1 => format!("{} ({})", person.name, person.issuer_name),
        more => format!("{} ({} {more})", person.name, person.issuer_name),
    }
}
