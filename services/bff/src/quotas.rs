//! Limits of what a user and a tenant may ask for. Counted in each replica for itself.

use contracts::accounts::{QuotaOf, QuotaUse};
use service_kit::clock::SharedClock;
use service_kit::problem::ApiError;

use crate::accounts::Account;
use crate::config::LimitsConfig;
use crate::limits::RateLimit;

/// Requests for the own limits that are answered when the limits are used up.
const LOOKS_PER_MINUTE: u32 = 12;

/// The limits, and how much of them is used.
pub(crate) struct Quotas {
    requests: RateLimit,
    tenant_requests: Option<RateLimit>,
    looks: RateLimit,
    per_minute: u32,
    at_once: u32,
    tenant_per_minute: u32,
}

impl Quotas {
    pub(crate) fn new(limits: &LimitsConfig, clock: SharedClock) -> Self {
        let (rate, burst) = (limits.requests_per_minute, limits.request_burst);
        let tenant = limits.tenant_requests_per_minute;
        Self {
            requests: RateLimit::new(rate, burst, clock.clone()),
            looks: RateLimit::new(LOOKS_PER_MINUTE, LOOKS_PER_MINUTE, clock.clone()),
            tenant_requests: (tenant > 0).then(|| RateLimit::new(tenant, tenant, clock)),
            per_minute: rate,
            at_once: burst,
            tenant_per_minute: tenant,
        }
    }

    /// Counts a request of an account.
    pub(crate) fn take_request(&self, account: &Account) -> Result<(), ApiError> {
        if let Err(seconds) = self.requests.take(&account.account_id.to_string()) {
            return Err(ApiError::too_many_requests(
                "You have sent too many requests.",
                seconds,
            ));
        }
        let tenant = self.tenant_requests.as_ref();
        match tenant.map_or(Ok(()), |limit| limit.take(&account.tenant)) {
            Ok(()) => Ok(()),
            Err(seconds) => Err(ApiError::too_many_requests(
                "The accounts of your tenant together have sent too many requests.",
                seconds,
            )),
        }
    }

    /// Counts a request of an account for its own limits. They can be read when they are used up,
    /// under a limit of their own.
    pub(crate) fn take_look(&self, account: &Account) -> Result<(), ApiError> {
        let Err(refused) = self.take_request(account) else {
            return Ok(());
        };
        let looked = self.looks.take(&account.account_id.to_string());
        looked.map_err(|_seconds| refused)
    }

    /// The limits that count for an account, and how much of each is used.
    pub(crate) fn uses(&self, account: &Account) -> Vec<QuotaUse> {
        let used = self.requests.used(&account.account_id.to_string());
        let own = |name, limit: u32| QuotaUse::new(name, QuotaOf::Account, limit.into(), used);
        // Requests at once are refused from their number on, however many a minute has.
        let mut uses = vec![
            own("requests_per_minute", self.per_minute),
            own("requests_at_once", self.at_once),
        ];
        if let Some(requests) = &self.tenant_requests {
            uses.push(QuotaUse::new(
                "requests_per_minute",
                QuotaOf::Tenant,
                self.tenant_per_minute.into(),
                requests.used(&account.tenant),
            ));
        }
        uses
    }
}
