//! The time for which conversations of a tenant are kept.
//!
//! The configuration that names the tenant wins; then the days that the tenant's administrators
//! set, within the bounds of the installation; then the configuration for all tenants. Nothing of
//! it is held in memory: each clean-up of each replica reads what is set.

use std::time::Duration;

use contracts::kept::{ChangeRetention, Retention, RetentionOf};
use conversations::OwnRetention;
use service_kit::problem::ApiError;

use crate::config::Config;

/// The ages from which something of a tenant is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ages {
    /// Threads that nothing happens to; `None`: never.
    pub(crate) threads: Option<Duration>,
    /// Events of runs that are over.
    pub(crate) runs: Duration,
}

/// What counts for a tenant whose administrators set these days.
pub(crate) fn of(config: &Config, tenant: &str, own: OwnRetention) -> Retention {
    let (conversation, days) = (&config.conversation, &config.conversation.tenant_days);
    let named = conversation.max_age_hours_of.get(tenant).copied();
    let by_default = named.unwrap_or(conversation.max_age_hours);
    let threads = RetentionOf::of(
        Some(by_default).filter(|hours| *hours > 0),
        own.threads_days,
        (days.threads_least, days.threads_most),
        named.is_some(),
    );
    let events = config.runs.keep_events_hours;
    let bounds = (days.runs_least, days.runs_most);
    let runs = RetentionOf::of(Some(events), own.runs_days, bounds, false);
    Retention {
        threads_hours: threads.hours,
        run_events_hours: runs.hours.unwrap_or(events),
        cleanup_interval_hours: conversation.cleanup_interval_hours,
        threads,
        runs,
        audit: None,
    }
}

/// The ages that count for a tenant whose administrators set these days.
pub(crate) fn ages(config: &Config, tenant: &str, own: OwnRetention) -> Ages {
    let kept = of(config, tenant, own);
    let age = |hours: u32| Duration::from_hours(hours.into());
    Ages {
        threads: kept.threads_hours.map(age),
        runs: age(kept.run_events_hours),
    }
}

/// The days of a request, if the tenant may set them.
pub(crate) fn checked(
    config: &Config,
    tenant: &str,
    change: ChangeRetention,
) -> Result<OwnRetention, ApiError> {
    let allowed = of(config, tenant, OwnRetention::default());
    for (member, days, of) in [
        ("threads_days", change.threads_days, allowed.threads),
        ("runs_days", change.runs_days, allowed.runs),
    ] {
        of.check(member, days)?;
    }
    Ok(OwnRetention {
        threads_days: change.threads_days,
        runs_days: change.runs_days,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(config: &Config, tenant: &str, threads_days: Option<u32>) -> Option<u32> {
        let own = OwnRetention {
            threads_days,
            runs_days: None,
        };
        of(config, tenant, own).threads_hours
    }

    #[test]
    fn nothing_is_deleted_unless_it_is_set() {
        let config = Config::default();
        assert_eq!(hours(&config, "acme", None), None);
        let ages = ages(&config, "acme", OwnRetention::default());
        assert_eq!(ages.threads, None);
        assert_eq!(ages.runs, Duration::from_hours(24));
    }

    #[test]
    fn the_named_tenant_wins_then_its_own_days_then_the_installation() {
        let mut config = Config::default();
        config.conversation.max_age_hours = 48;
        let named = [("acme".to_owned(), 12), ("forever".to_owned(), 0)];
        config.conversation.max_age_hours_of = named.into();
        assert_eq!(hours(&config, "acme", Some(9)), Some(12));
        assert_eq!(hours(&config, "forever", Some(9)), None);
        assert_eq!(hours(&config, "other", None), Some(48));
        assert_eq!(hours(&config, "other", Some(9)), Some(9 * 24));
        // Bounds that were made narrower later count, too.
        config.conversation.tenant_days.threads_most = 5;
        assert_eq!(hours(&config, "other", Some(9)), Some(5 * 24));
        config.conversation.tenant_days.threads_least = 3;
        assert_eq!(hours(&config, "other", Some(1)), Some(3 * 24));
    }
}
