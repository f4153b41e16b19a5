//! The cost of the models of answers, by person and day: it is recorded, and limited.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::accounts::{QuotaOf, QuotaUse};
use conversations::{ModelUsage, Owner, Store};
use futures::{StreamExt, TryStreamExt, stream};
use llm::{ChatEvent, ChatModel, ChatRequest, ChatStream, Error, ErrorKind, ModelId, Usage};
use opentelemetry::KeyValue;
use opentelemetry::metrics::Counter;
use service_kit::clock::SharedClock;
use service_kit::problem::{ApiError, chain};
use service_kit::telemetry::metrics::meter;

use crate::config::{BudgetsConfig, WhenSpent};

/// Time limit for a look at the database. When it is unavailable, models are asked nevertheless.
const PATIENCE: Duration = Duration::from_secs(1);

static REFUSALS: LazyLock<Counter<u64>> = LazyLock::new(|| {
    meter()
        .u64_counter("heliograph.budget.refusals")
        .with_description("Questions to models, and messages, beyond a daily budget, by its scope.")
        .build()
});

/// Begins the counter at zero: Prometheus sees no increase in a series that begins with the first
/// refusal.
pub(crate) fn begin_counters() {
    for spent in [Spent::Person, Spent::Tenant] {
        REFUSALS.add(0, &[KeyValue::new("scope", spent.name())]);
    }
}

/// A budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spent {
    /// The person's own.
    Person,
    /// The budget of all persons of the tenant.
    Tenant,
}

impl Spent {
    fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Tenant => "tenant",
        }
    }
}

/// The use so far, and its limit.
pub(crate) struct Ledger {
    store: Store,
    budgets: BudgetsConfig,
    clock: SharedClock,
}

impl Ledger {
    pub(crate) fn new(store: Store, budgets: BudgetsConfig, clock: SharedClock) -> Self {
        Self {
            store,
            budgets,
            clock,
        }
    }

    /// The budget of a person that is used up today, if one is.
    async fn spent(&self, owner: &Owner) -> Option<Spent> {
        if !self.budgets.is_limited() {
            return None;
        }
        let day = self.clock.now().date_naive();
        let used = self.store.model_usage(owner, day);
        match tokio::time::timeout(PATIENCE, used).await {
            Ok(Ok((person, tenant))) => spent(&self.budgets, &person, &tenant),
            Ok(Err(error)) => {
                tracing::warn!(error = %chain(&error), "the use of models cannot be read");
                None
            }
            Err(_) => {
                tracing::warn!("the use of models cannot be read in time");
                None
            }
        }
    }

    /// Refuses a new message where the configuration says so.
    pub(crate) async fn admit_message(&self, owner: &Owner) -> Result<(), ApiError> {
        if self.budgets.when_spent == WhenSpent::Rules {
            return Ok(());
        }
        let Some(spent) = self.spent(owner).await else {
            return Ok(());
        };
        count_refusal(spent);
        let whose = match spent {
            Spent::Person => "Your",
            Spent::Tenant => "Your organisation's",
        };
        let detail = format!(
            "{whose} budget for language models is used up for today. It begins anew at 00:00 UTC."
        );
        let wait = until_next_day(self.clock.now());
        Err(ApiError::too_many_requests(detail, wait))
    }

    /// The limits of tokens, and how much of each is used today.
    pub(crate) async fn uses(&self, owner: &Owner) -> Result<Vec<QuotaUse>, conversations::Error> {
        let limits = [self.budgets.person_tokens, self.budgets.tenant_tokens];
        if limits.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let day = self.clock.now().date_naive();
        let (person, tenant) = self.store.model_usage(owner, day).await?;
        let used = [(QuotaOf::Account, person), (QuotaOf::Tenant, tenant)];
        let uses = limits.into_iter().zip(used);
        let uses = uses.filter_map(|(limit, (of, used))| Some(tokens(of, limit?, &used)));
        Ok(uses.collect())
    }

    async fn record(&self, owner: &Owner, used: Usage) {
        let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        let used = ModelUsage {
            calls: 1,
            input_tokens: count(used.input_tokens),
            cached_input_tokens: count(used.cached_input_tokens),
            output_tokens: count(used.output_tokens),
            reasoning_tokens: count(used.reasoning_tokens),
            cost_micros: count(used.cost_micros),
        };
        let day = self.clock.now().date_naive();
        let added = self.store.add_model_usage(owner, day, &used);
        match tokio::time::timeout(PATIENCE, added).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(error = %chain(&error), "the use of a model cannot be recorded");
            }
            Err(_) => tracing::warn!("the use of a model cannot be recorded in time"),
        }
    }
}

fn count_refusal(spent: Spent) {
    REFUSALS.add(1, &[KeyValue::new("scope", spent.name())]);
}

/// A limit of tokens, and how much of it is used.
fn tokens(of: QuotaOf, limit: u64, used: &ModelUsage) -> QuotaUse {
    let count = |tokens: i64| u64::try_from(tokens).unwrap_or_default();
    QuotaUse {
        cached: Some(count(used.cached_input_tokens)),
        reasoning: Some(count(used.reasoning_tokens)),
        ..QuotaUse::new("model_tokens_per_day", of, limit, count(used.tokens()))
    }
}

/// The budget that is used up.
fn spent(budgets: &BudgetsConfig, person: &ModelUsage, tenant: &ModelUsage) -> Option<Spent> {
    let over = |used: &ModelUsage, tokens: Option<u64>, cost: Option<f64>| {
        let used_tokens = u64::try_from(used.tokens()).unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let used_cost = used.cost_micros as f64 / 1_000_000.0;
        tokens.is_some_and(|most| used_tokens >= most) || cost.is_some_and(|most| used_cost >= most)
    };
    if over(person, budgets.person_tokens, budgets.person_cost) {
        Some(Spent::Person)
    } else if over(tenant, budgets.tenant_tokens, budgets.tenant_cost) {
        Some(Spent::Tenant)
    } else {
        None
    }
}

/// Seconds until a day of UTC begins.
fn until_next_day(now: DateTime<Utc>) -> u64 {
    let day = 24 * 60 * 60;
    let passed = now.timestamp().rem_euclid(day);
    u64::try_from(day - passed).unwrap_or_default()
}

/// A model whose use by one person is recorded and limited.
pub(crate) struct Metered {
    model: Arc<dyn ChatModel>,
    ledger: Arc<Ledger>,
    owner: Owner,
}

impl Metered {
    pub(crate) fn new(model: Arc<dyn ChatModel>, ledger: Arc<Ledger>, owner: Owner) -> Self {
        Self {
            model,
            ledger,
            owner,
        }
    }
}

impl ChatModel for Metered {
    fn stream(&self, request: ChatRequest) -> ChatStream {
        let (model, ledger) = (Arc::clone(&self.model), Arc::clone(&self.ledger));
        let owner = self.owner.clone();
        stream::once(async move {
            if let Some(spent) = ledger.spent(&owner).await {
                count_refusal(spent);
                return Err(Error::new(ErrorKind::OverBudget).with_detail(spent.name()));
            }
            let recorded = model.stream(request).then(move |event| {
                let (ledger, owner) = (Arc::clone(&ledger), owner.clone());
                async move {
                    // Before the end is seen, so that the next question counts it.
                    if let Ok(ChatEvent::Finished(finished)) = &event {
                        ledger.record(&owner, finished.usage).await;
                    }
                    event
                }
            });
            Ok(recorded)
        })
        .try_flatten()
        .boxed()
    }

    fn id(&self) -> ModelId {
        self.model.id()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(tokens: i64, cost_micros: i64) -> ModelUsage {
        ModelUsage {
            input_tokens: tokens,
            cost_micros,
            ..ModelUsage::default()
        }
    }

    #[test]
    fn the_budget_of_the_person_is_looked_at_first() {
        let budgets = BudgetsConfig {
            person_tokens: Some(100),
            tenant_tokens: Some(500),
            tenant_cost: Some(0.5),
            ..BudgetsConfig::default()
        };
        let none = used(0, 0);
        assert_eq!(spent(&budgets, &used(99, 0), &used(499, 0)), None);
        assert_eq!(
            spent(&budgets, &used(100, 0), &used(500, 0)),
            Some(Spent::Person)
        );
        assert_eq!(spent(&budgets, &none, &used(500, 0)), Some(Spent::Tenant));
        assert_eq!(
            spent(&budgets, &none, &used(0, 500_000)),
            Some(Spent::Tenant)
        );
        assert_eq!(
            spent(&BudgetsConfig::default(), &used(i64::MAX, 0), &none),
            None
        );
        assert!(!BudgetsConfig::default().is_limited());
    }

    #[test]
    fn a_day_begins_at_midnight() {
        let at = |time: &str| until_next_day(time.parse().unwrap());
        assert_eq!(at("2026-11-21T23:59:30Z"), 30);
        assert_eq!(at("2026-11-21T00:00:00Z"), 86_400);
    }
}
