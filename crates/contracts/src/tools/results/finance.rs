//! `calculate_financial_savings`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EnergySource, Flag, Period};

/// Result of `calculate_financial_savings`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinancialReport {
    /// Always `financial_report`.
    #[serde(rename = "type")]
    #[schema(example = "financial_report")]
    pub kind: String,
    /// The logger.
    pub logger_id: String,
    /// The window.
    pub period: Period,
    /// Local days in it.
    pub days_expected: u32,
    /// Of them with energy known.
    pub days_with_data: u32,
    /// The others, listed and not filled.
    pub missing_days: Vec<NaiveDate>,
    /// Energy of the days with data, kWh: their sum.
    pub total_energy_kwh: f64,
    /// What a register gained over days without data, kWh: it belongs to no day and is not in the total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unallocated_kwh: Option<f64>,
    /// Where it comes from.
    pub energy_source: EnergySource,
    /// Money per kWh, in `currency`.
    pub electricity_rate: f64,
    /// The same; the documents' name, whatever the currency.
    pub electricity_rate_usd: f64,
    /// Money saved if all energy replaces purchased power, in `currency`.
    pub savings: f64,
    /// The same; the documents' name, whatever the currency.
    pub savings_usd: f64,
    /// ISO 4217 code.
    #[schema(example = "CHF")]
    pub currency: String,
    /// Avoided carbon dioxide, kg.
    pub co2_offset_kg: f64,
    /// The factor used.
    pub co2_factor: Co2Factor,
    /// Urban tree seedlings grown for ten years that take up as much.
    pub trees_grown_10_years: f64,
    /// The same number under the documents' name.
    pub trees_equivalent: f64,
    /// What a year would bring at this pace; only from 60 days on.
    pub projected_year: Option<YearProjection>,
    /// One sentence.
    pub summary: String,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// Carbon dioxide per energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Co2Factor {
    /// kg CO2 per kWh.
    pub value: f64,
    /// What it stands for.
    #[schema(example = "US average, delivered")]
    pub name: String,
    /// Of which year.
    pub year: i32,
}

/// A projection to a year; never a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct YearProjection {
    /// Energy, kWh.
    pub energy_kwh: f64,
    /// Money, in the report's currency.
    pub savings: f64,
}
