//! `calculate_financial_savings`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CapacityBasis, EnergySource, ExcludedLogger, Flag, LeftOut, Period, Scope};
use crate::tools::{Tool, ToolCategory};

/// The tool `calculate_financial_savings`.
#[derive(Debug, Clone, Copy)]
pub struct CalculateFinancialSavings;

impl Tool for CalculateFinancialSavings {
    const NAME: &'static str = "calculate_financial_savings";
    const CATEGORY: ToolCategory = ToolCategory::Financial;
    const SUMMARY: &'static str = "Energy of a period in money and carbon.";
    const DESCRIPTION: &'static str = "Energy of a period in money and avoided CO2, of a logger, a list, a site or all (name none): one call gives the total and \
        each logger's part.";
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[("rate", "electricity_rate")];

    type Arguments = FinancialSavingsArguments;
    type Result = FinancialReport;
}

/// Arguments of `calculate_financial_savings`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FinancialSavingsArguments {
    /// One device: the answer is about it alone. Give at most one of `logger_id`, `logger_ids` and
    /// `site_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub logger_id: Option<String>,
    /// Several devices: the answer has their total, and each under `devices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1, max_items = 1000)]
    pub logger_ids: Option<Vec<String>>,
    /// Every device of this site. Without any of the three: every device of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
    /// The first local day.
    pub start_date: NaiveDate,
    /// The last local day. Default: the device's newest day; of several devices the newest day of
    /// their site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
    /// Money per kWh in the site's currency; `rate` is the same. Default: the site's tariff,
    /// otherwise 0.20.
    #[serde(default, alias = "rate", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0.01, maximum = 1.0)]
    pub electricity_rate: Option<f64>,
    /// Whether the devices are to be ranked. A day that is not over at every site is left out
    /// then, or, if it is the only one, the devices that have other hours of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ranked: bool,
}

/// Result of `calculate_financial_savings`: of one device, or the total of several with each of
/// them under `devices`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinancialReport {
    /// Always `financial_report`.
    #[serde(rename = "type")]
    #[schema(example = "financial_report")]
    pub kind: String,
    /// The logger; of several devices what `scope` calls them.
    pub logger_id: String,
    /// The scope of the totals; absent for one device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scope: Option<Scope>,
    /// The site; absent of several sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub site_id: Option<String>,
    /// The window.
    pub period: Period,
    /// Local days in it; of several devices the sum over them.
    pub days_expected: u32,
    /// Of them with energy known.
    pub days_with_data: u32,
    /// The others, listed and not filled; of several devices the days on which any of them is
    /// missing.
    pub missing_days: Vec<NaiveDate>,
    /// Energy, kWh: the sum of the days with data; of several devices the sum of those that are
    /// counted.
    pub total_energy_kwh: f64,
    /// A register's gain over days without data, kWh: it belongs to no day and is not in the total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unallocated_kwh: Option<f64>,
    /// DC nameplate, kW: stated, otherwise estimated from days outside the period, as in a
    /// comparison of the same days. Of several devices the sum of those that are counted; absent
    /// if one is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub capacity_kw: Option<f64>,
    /// The source of the capacity; absent of several devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub capacity_basis: Option<CapacityBasis>,
    /// Energy per capacity, kWh/kWp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub specific_yield: Option<f64>,
    /// The source of the energy.
    pub energy_source: EnergySource,
    /// Money per kWh, in `currency`; null when the sites' tariffs differ.
    pub electricity_rate: Option<f64>,
    /// The same; the original name, whatever the currency.
    pub electricity_rate_usd: Option<f64>,
    /// Whether no tariff was stated, so that the rate is the default of the service; of several
    /// devices, of any of them.
    #[serde(default)]
    pub default_tariff: bool,
    /// Money saved if all energy replaces purchased power, in `currency`; null when the sites'
    /// currencies differ: see `sites`.
    pub savings: Option<f64>,
    /// The same; the original name, whatever the currency.
    pub savings_usd: Option<f64>,
    /// ISO 4217 code; null when the sites' currencies differ.
    #[schema(example = "CHF")]
    pub currency: Option<String>,
    /// Avoided carbon dioxide, kg.
    pub co2_offset_kg: f64,
    /// The factor used; of sites with different factors the mean, weighted by energy.
    pub co2_factor: Co2Factor,
    /// Urban tree seedlings grown for ten years that take up as much.
    pub trees_grown_10_years: f64,
    /// The same number under the original name.
    pub trees_equivalent: f64,
    /// The expected figures of a year at this pace; only from 60 days on, and of several devices
    /// only when all have them.
    pub projected_year: Option<YearProjection>,
    /// Whether the total counts this device: a meter is not added to the inverters that it
    /// measures.
    #[serde(
        default = "super::basis::yes",
        skip_serializing_if = "super::basis::is_yes"
    )]
    #[schema(default = true)]
    pub counted: bool,
    /// Each device with the same fields, most energy first; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub devices: Vec<FinancialReport>,
    /// Each site's part; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<SiteSavings>,
    /// Devices without an answer; they are in no total.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// A day that is not over at every site, where the sites have different clocks. If it is after
    /// the period, the period was shortened to days that are over everywhere; otherwise the
    /// devices have different hours of it, except those of a `ranked` report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub unfinished_day: Option<NaiveDate>,
    /// Devices that a `ranked` report leaves out, because they have other hours of the day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_hours: Vec<ExcludedLogger>,
    /// One sentence.
    pub summary: String,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// One site's part of a total.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteSavings {
    /// The site.
    pub site_id: String,
    /// The name of the site.
    pub name: String,
    /// The window of the site.
    pub period: Period,
    /// Its counted devices with data.
    pub devices: u32,
    /// Their energy, kWh.
    pub total_energy_kwh: f64,
    /// Money per kWh.
    pub electricity_rate: f64,
    /// Whether no tariff was stated, so that the rate is the default of the service.
    #[serde(default)]
    pub default_tariff: bool,
    /// Money saved, in `currency`.
    pub savings: f64,
    /// ISO 4217 code.
    #[schema(example = "CHF")]
    pub currency: String,
    /// Avoided carbon dioxide, kg.
    pub co2_offset_kg: f64,
}

/// Carbon dioxide per energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Co2Factor {
    /// kg CO2 per kWh.
    pub value: f64,
    /// The electricity mix.
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
    /// Money, in the report's currency; null when there is none.
    pub savings: Option<f64>,
}
