//! The limits of runs at the same time: of a person, and of all persons of a tenant. Counted in the
//! database, so that replicas agree. Requests of the same instant may pass together.

use contracts::accounts::{QuotaList, QuotaOf, QuotaUse};
use conversations::{Error, Owner, Store};
use service_kit::problem::ApiError;

use crate::config::RunsConfig;
use crate::error::refusal;

/// Seconds after which a refused client tries again: answers take a few.
const AGAIN_AFTER: u64 = 5;

/// The limits that are switched on, and how much of them is used.
pub(crate) async fn uses(
    store: &Store,
    config: &RunsConfig,
    owner: &Owner,
) -> Result<QuotaList, Error> {
    let limits = [
        (QuotaOf::Account, config.max_per_person),
        (QuotaOf::Tenant, config.max_per_tenant),
    ];
    if limits.iter().all(|(_, limit)| *limit == 0) {
        return Ok(QuotaList::default());
    }
    let (person, tenant) = store.count_active_runs(owner).await?;
    let uses = limits.into_iter().filter(|(_, limit)| *limit > 0);
    let quotas = uses.map(|(of, limit)| {
        let used = match of {
            QuotaOf::Account => person,
            QuotaOf::Tenant => tenant,
        };
        QuotaUse::new("concurrent_runs", of, limit.into(), used)
    });
    Ok(QuotaList {
        quotas: quotas.collect(),
    })
}

/// Refuses, with 429, one run more than there may be.
pub(crate) async fn admit(
    store: &Store,
    config: &RunsConfig,
    owner: &Owner,
) -> Result<(), ApiError> {
    let uses = uses(store, config, owner)
        .await
        .map_err(|error| refusal(error, "run"))?;
    let Some(full) = uses.quotas.iter().find(|quota| quota.used >= quota.limit) else {
        return Ok(());
    };
    let detail = match full.of {
        QuotaOf::Account => format!(
            "{} of your messages are being answered, as many as permitted at the same time; wait for an answer, or stop one.",
            full.used
        ),
        QuotaOf::Tenant => format!(
            "{} messages of your organisation are being answered, as many as permitted at the same time.",
            full.used
        ),
    };
    Err(ApiError::too_many_requests(detail, AGAIN_AFTER))
}
