//! The ten solar tools. Each is a module with a `run`: one or a few queries, the arithmetic of the crate `solar`, and the contract's
//! result with its guidance.

mod analyze_inverter_health;
mod arguments;
mod calculate_financial_savings;
mod calculate_performance_ratio;
mod compare_loggers;
mod diagnose_error_codes;
mod forecast_production;
mod get_fleet_overview;
mod get_power_curve;
mod guidance;
mod health_check;
mod list_loggers;
mod subject;
mod wire;

use chrono::NaiveDate;
use chrono_tz::Tz;
use contracts::tools::{ToolDefinition, ToolEnvelope, definitions, names};
use serde::Serialize;
use serde_json::Value;
use service_kit::clock::SharedClock;
use solar::series::epoch;
use sqlx::PgPool;

use crate::config::SolarConfig;
use crate::error::Error;
use arguments::Arguments;

pub use arguments::SchemaError;
pub use health_check::check as check_health;

/// Everything that the tools work with.
pub struct Toolbox {
    pool: PgPool,
    settings: SolarConfig,
    clock: SharedClock,
    definitions: Vec<ToolDefinition>,
    arguments: Arguments,
}

impl Toolbox {
    /// Tools over this database. Fails only when a schema of the contract is broken.
    pub fn new(
        pool: PgPool,
        settings: SolarConfig,
        clock: SharedClock,
    ) -> Result<Self, SchemaError> {
        let definitions = definitions();
        Ok(Self {
            pool,
            settings,
            clock,
            arguments: Arguments::of(&definitions)?,
            definitions,
        })
    }

    /// What each tool is for and takes.
    pub fn definitions(&self) -> &[ToolDefinition] {
        &self.definitions
    }

    /// One tool's definition.
    pub fn definition(&self, name: &str) -> Result<&ToolDefinition, Error> {
        self.definitions
            .iter()
            .find(|definition| definition.name == name)
            .ok_or_else(|| {
                Error::UnknownTool(self.definitions.iter().map(|d| d.name.clone()).collect())
            })
    }

    /// Calls a tool for a tenant; returns the envelope as JSON.
    pub async fn call(&self, tenant: &str, name: &str, arguments: Value) -> Result<Vec<u8>, Error> {
        self.definition(name)?;
        let arguments = self.arguments.check(name, arguments)?;
        let mut answer = self.run(tenant, name, &arguments).await;
        // After a restart of the server the pool may hold connections that are gone. All tools only read, so asking again is safe,
        // until none of them is left.
        for _ in 0..=self.pool.num_idle() {
            match answer {
                Err(error) if error.is_lost_connection() => {
                    answer = self.run(tenant, name, &arguments).await;
                }
                _ => break,
            }
        }
        match answer {
            Err(Error::NoResult(no_result)) => Ok(serde_json::to_vec(&no_result.into_envelope())?),
            answer => answer,
        }
    }

    async fn run(&self, tenant: &str, name: &str, arguments: &Value) -> Result<Vec<u8>, Error> {
        macro_rules! tool {
            ($tool:ident) => {
                json(&$tool::run(self, tenant, arguments::read(arguments)?).await?)
            };
        }
        match name {
            names::LIST_LOGGERS => tool!(list_loggers),
            names::GET_FLEET_OVERVIEW => tool!(get_fleet_overview),
            names::ANALYZE_INVERTER_HEALTH => tool!(analyze_inverter_health),
            names::GET_POWER_CURVE => tool!(get_power_curve),
            names::COMPARE_LOGGERS => tool!(compare_loggers),
            names::CALCULATE_FINANCIAL_SAVINGS => tool!(calculate_financial_savings),
            names::CALCULATE_PERFORMANCE_RATIO => tool!(calculate_performance_ratio),
            names::FORECAST_PRODUCTION => tool!(forecast_production),
            names::DIAGNOSE_ERROR_CODES => tool!(diagnose_error_codes),
            names::HEALTH_CHECK => tool!(health_check),
            _ => Err(Error::UnknownTool(Vec::new())),
        }
    }

    /// The present day of a site.
    fn today(&self, zone: Tz) -> NaiveDate {
        solar::calendar::local_day(epoch(self.clock.now()), zone)
    }
}

fn json<T: Serialize>(envelope: &ToolEnvelope<T>) -> Result<Vec<u8>, Error> {
    Ok(serde_json::to_vec(envelope)?)
}
