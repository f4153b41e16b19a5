//! `[solar]` of the configuration.

use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate};

/// `[solar]`: what the analytics assume where a site says nothing, and how much they show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolarConfig {
    /// Money per kWh of sites without a tariff.
    pub rate_per_kwh: f64,
    /// kg CO2 per kWh of sites without a factor of their own.
    pub co2_kg_per_kwh: f64,
    /// What that factor represents.
    pub co2_factor_name: String,
    /// Of which year it is.
    pub co2_factor_year: i32,
    /// Maximum number of points in a power curve.
    pub curve_points: usize,
    /// Maximum number of points in a comparison.
    pub comparison_points: usize,
    /// Maximum number of anomalies, and of readings in outages, that a health check lists.
    pub anomaly_limit: usize,
    /// Maximum number of error codes that a diagnosis lists.
    pub issue_limit: usize,
}

impl Default for SolarConfig {
    fn default() -> Self {
        let factor = solar::money::DEFAULT_CO2_FACTOR;
        Self {
            rate_per_kwh: 0.20,
            co2_kg_per_kwh: factor.kg_per_kwh,
            co2_factor_name: factor.name.to_owned(),
            co2_factor_year: factor.year.into(),
            curve_points: 1000,
            comparison_points: 500,
            anomaly_limit: 100,
            issue_limit: 20,
        }
    }
}

impl Validate for SolarConfig {
    fn validate(&self) -> Result<(), Invalid> {
        for (key, value) in [
            ("rate_per_kwh", self.rate_per_kwh),
            ("co2_kg_per_kwh", self.co2_kg_per_kwh),
        ] {
            if !(0.0..=10.0).contains(&value) {
                return Err(Invalid::new(key, "must be between 0 and 10"));
            }
        }
        for (key, value) in [
            ("curve_points", self.curve_points),
            ("comparison_points", self.comparison_points),
            ("anomaly_limit", self.anomaly_limit),
            ("issue_limit", self.issue_limit),
        ] {
            if !(1..=10_000).contains(&value) {
                return Err(Invalid::new(key, "must be between 1 and 10000"));
            }
        }
        Ok(())
    }
}
