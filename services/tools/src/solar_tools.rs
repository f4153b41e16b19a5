//! The solar tools. Each is a module with a `run`: one or a few queries, the arithmetic of the
//! crate `solar`, and the contract's result with its guidance.

mod analyze_inverter_health;
mod calculate_financial_savings;
mod calculate_performance_ratio;
mod check_alert;
mod compare_loggers;
pub mod config;
mod diagnose_error_codes;
mod forecast_production;
mod get_energy_history;
mod get_fleet_overview;
mod get_power_curve;
mod guidance;
mod health_check;
mod hours;
mod list_loggers;
mod moment;
mod remarks;
mod sizes;
mod subject;
mod subjects;
mod window;
mod wire;

use async_trait::async_trait;
use chrono::NaiveDate;
use chrono_tz::Tz;
use contracts::tools::{Descriptor, registry};
use service_kit::clock::SharedClock;
use service_kit::database::Kept;
use solar::series::epoch;
use sqlx::PgPool;

use crate::error::Error;
use crate::store::Site;
use crate::toolbox::{Call, Family, dispatch};
use config::SolarConfig;

pub use health_check::check as check_health;

/// Connections that are kept between calls.
const KEPT: usize = 4;

/// The solar tools and what they work with.
pub struct SolarTools {
    pool: PgPool,
    /// For the queries of tools, each of which takes less than a round trip.
    kept: Kept,
    settings: SolarConfig,
    clock: SharedClock,
}

/// The price of a kWh at a site.
#[derive(Debug, Clone, Copy)]
struct Tariff {
    rate: f64,
    /// Whether the site has none, so that it is the default of the service.
    is_default: bool,
}

impl SolarTools {
    /// The price of a kWh at a site.
    fn tariff(&self, site: &Site) -> Tariff {
        Tariff {
            rate: site.tariff_per_kwh.unwrap_or(self.settings.rate_per_kwh),
            is_default: site.tariff_per_kwh.is_none(),
        }
    }

    /// Tools over this database.
    pub fn new(pool: PgPool, settings: SolarConfig, clock: SharedClock) -> Self {
        Self {
            kept: Kept::new(pool.clone(), KEPT),
            pool,
            settings,
            clock,
        }
    }

    async fn run(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        let tenant = &call.caller.tenant;
        contracts::solar_tools!(dispatch [self, call, tenant])
    }

    /// The present day of a site.
    fn today(&self, zone: Tz) -> NaiveDate {
        solar::calendar::local_day(epoch(self.clock.now()), zone)
    }
}

#[async_trait]
impl Family for SolarTools {
    fn tools(&self) -> &'static [Descriptor] {
        registry::SOLAR
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        let mut answer = self.run(call).await;
        // After a restart of the server the pool may hold dead connections. All tools only read, so
        // asking again is safe, until none of them is left.
        for _ in 0..=self.pool.size() {
            match answer {
                Err(error) if error.is_lost_connection() => answer = self.run(call).await,
                _ => break,
            }
        }
        answer
    }
}
