//! Tokens that the models of answers read and wrote, by person and day.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use database_kit::Kept;
use sqlx::Connection;

use crate::error::Error;
use crate::store::{Owner, Store};
use crate::together::Statement;

/// The use of models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// Answers of models.
    pub calls: i64,
    /// Tokens read, those from a cache among them.
    pub input_tokens: i64,
    /// Tokens read from a provider's cache.
    pub cached_input_tokens: i64,
    /// Tokens written, thoughts among them.
    pub output_tokens: i64,
    /// Tokens of thoughts.
    pub reasoning_tokens: i64,
    /// The cost in millionths of the currency of the prices.
    pub cost_micros: i64,
}

impl ModelUsage {
    /// Tokens read and written.
    pub fn tokens(&self) -> i64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl Store {
    /// Adds to what a person has used on a day, together with what others add at the same time.
    /// When this is dropped it is not added, unless it is on its way.
    pub async fn add_model_usage(
        &self,
        owner: &Owner,
        day: NaiveDate,
        used: &ModelUsage,
    ) -> Result<(), Error> {
        Ok(self.used.ask((owner.clone(), day, *used)).await?)
    }

    /// The number of active and waiting runs of a person, and of all persons of the tenant.
    pub async fn count_active_runs(&self, owner: &Owner) -> Result<(u64, u64), Error> {
        let row = sqlx::query!(
            r#"SELECT count(*) FILTER (WHERE owner = $2) AS "person!", count(*) AS "tenant!"
               FROM orchestrator.runs
               WHERE tenant = $1 AND status IN ('running', 'queued')"#,
            owner.tenant,
            owner.subject,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok((row.person.unsigned_abs(), row.tenant.unsigned_abs()))
    }

    /// The use of a person, and of all persons of the tenant, on a day.
    pub async fn model_usage(
        &self,
        owner: &Owner,
        day: NaiveDate,
    ) -> Result<(ModelUsage, ModelUsage), Error> {
        let rows = sqlx::query!(
            "SELECT owner, calls, input_tokens, cached_input_tokens, output_tokens,
                reasoning_tokens, cost_micros
             FROM orchestrator.model_usage WHERE tenant = $1 AND day = $2",
            owner.tenant,
            day,
        )
        .fetch_all(&self.pool)
        .await?;
        let (mut person, mut tenant) = (ModelUsage::default(), ModelUsage::default());
        for row in rows {
            let used = ModelUsage {
                calls: row.calls,
                input_tokens: row.input_tokens,
                cached_input_tokens: row.cached_input_tokens,
                output_tokens: row.output_tokens,
                reasoning_tokens: row.reasoning_tokens,
                cost_micros: row.cost_micros,
            };
            tenant.add(used);
            if row.owner == owner.subject {
                person = used;
            }
        }
        Ok((person, tenant))
    }

    /// Takes the person out of what they have used. The tenant's share of it stays.
    pub async fn forget_model_usage(&self, owner: &Owner) -> Result<(), Error> {
        sqlx::query_file!(
            "queries/forget_model_usage.sql",
            owner.tenant,
            owner.subject,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// Adds what models used. The answers of a person on a day change one row, which the answers that
/// end at the same time would each wait for.
#[derive(Clone)]
pub(crate) struct AddUsage(pub(crate) Kept);

impl Statement for AddUsage {
    type Request = (Owner, NaiveDate, ModelUsage);
    type Values = Self::Request;
    type Answer = ();

    fn values(request: Self::Request) -> Result<Self::Values, sqlx::Error> {
        Ok(request)
    }

    fn size(_: &Self::Request) -> usize {
        size_of::<Self::Request>()
    }

    async fn send(&self, requests: &[Self::Request]) -> Result<Vec<()>, sqlx::Error> {
        // In one order, so that two transactions never wait for each other's rows.
        let mut sums = BTreeMap::<_, ModelUsage>::new();
        for (owner, day, used) in requests {
            let key = (&owner.tenant, &owner.subject, *day);
            sums.entry(key).or_default().add(*used);
        }
        let mut connection = self.0.acquire().await?;
        let mut transaction = connection.begin().await?;
        for ((tenant, subject, day), used) in sums {
            sqlx::query_file!(
                "queries/add_model_usage.sql",
                tenant,
                day,
                subject,
                used.calls,
                used.input_tokens,
                used.cached_input_tokens,
                used.output_tokens,
                used.reasoning_tokens,
                used.cost_micros,
            )
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        connection.keep();
        Ok(vec![(); requests.len()])
    }
}

impl ModelUsage {
    fn add(&mut self, more: Self) {
        self.calls += more.calls;
        self.input_tokens += more.input_tokens;
        self.cached_input_tokens += more.cached_input_tokens;
        self.output_tokens += more.output_tokens;
        self.reasoning_tokens += more.reasoning_tokens;
        self.cost_micros += more.cost_micros;
    }
}
