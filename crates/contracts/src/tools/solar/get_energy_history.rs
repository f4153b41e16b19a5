//! `get_energy_history`.

mod card;
mod interval;
mod sentences;
mod sunlight;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{EnergySource, Flag, LeftOut, Period, Scope, ScopeKind};
use crate::tools::{AskedFor, DaysAsked, DevicesAsked, Subject, Tool, ToolCategory};
use crate::ui::UiComponent;

pub use interval::EnergyInterval;
pub use sunlight::{Sunlight, SunlightOfDay};

/// The tool `get_energy_history`.
#[derive(Debug, Clone, Copy)]
pub struct GetEnergyHistory;

impl Tool for GetEnergyHistory {
    const NAME: &'static str = "get_energy_history";
    const CATEGORY: ToolCategory = ToolCategory::Monitoring;
    const SUMMARY: &'static str = "Energy by day, week, month or year.";
    const DESCRIPTION: &'static str = "Energy of each day, week, month or year of a period, of a logger, a list, a site or all (name none), with the highest and \
         the lowest of them and each logger's total. Use it for questions about days beside days or months beside months.";
    const ASKED_FOR: Option<AskedFor> = Some(AskedFor {
        phrases: &[
            "per day",
            "by day",
            "each day",
            "every day",
            "day by day",
            "daily",
            "per week",
            "by week",
            "each week",
            "every week",
            "week by week",
            "weekly",
            "per month",
            "by month",
            "each month",
            "every month",
            "month by month",
            "monthly",
            "per year",
            "by year",
            "each year",
            "every year",
            "year by year",
            "yearly",
            "energy history",
            "production history",
        ],
        with: &[
            "energy",
            "production",
            "produce",
            "produced",
            "yield",
            "yields",
            "kwh",
            "generation",
            "generate",
            "generated",
            "output",
            "deliver",
            "delivered",
            "harvest",
        ],
        without: &[
            "money", "save", "saved", "savings", "earn", "earned", "cost", "costs", "co2",
            "carbon", "tariff", "ratio", "ratios", "pr", "forecast", "predict", "expect",
            "expected", "health", "error", "errors", "fault", "faults", "outage", "outages",
            "compare", "average",
        ],
        devices: DevicesAsked::OneOrAll,
        days: DaysAsked::Intervals,
        working: "Adding up the energy",
    });

    type Arguments = EnergyHistoryArguments;
    type Result = EnergyHistory;

    fn arguments(subject: Subject) -> Option<EnergyHistoryArguments> {
        let period = subject.period?;
        Some(EnergyHistoryArguments {
            interval: EnergyInterval::named(&subject.words),
            logger_id: subject.logger_id,
            logger_ids: subject.logger_ids,
            site_id: subject.site_id,
            start_date: period.start,
            end_date: Some(period.end),
        })
    }

    fn facts(history: &EnergyHistory) -> Vec<String> {
        match &history.sunlight {
            Some(sunlight) => sunlight.facts(history),
            None => history.facts(),
        }
    }

    fn card(history: &EnergyHistory) -> Option<UiComponent> {
        let card = match &history.sunlight {
            Some(sunlight) => sunlight.card(history),
            None => history.card(),
        };
        Some(UiComponent::DataCard(Box::new(card)))
    }
}

/// Arguments of `get_energy_history`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyHistoryArguments {
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
    /// The last local day; a period has at most 3,660 days. Default: the device's newest day; of
    /// several devices the newest day of their sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
    /// Length of the intervals. Default: days up to 31 days, weeks up to half a year, months
    /// up to three years, otherwise years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub interval: Option<EnergyInterval>,
}

/// Result of `get_energy_history`: of one device, or of several together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnergyHistory {
    /// Always `energy_history`.
    #[serde(rename = "type")]
    #[schema(example = "energy_history")]
    pub kind: String,
    /// The logger; of several devices what `scope` calls them.
    pub logger_id: String,
    /// The devices together; absent of one device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scope: Option<Scope>,
    /// The days.
    pub period: Period,
    /// Length of the intervals.
    pub interval: EnergyInterval,
    /// Energy of the whole period, kWh.
    pub total_energy_kwh: f64,
    /// Days of the period, of several devices each device's.
    pub days_expected: u32,
    /// Of them those with data. The others are not filled in.
    pub days_with_data: u32,
    /// What lifetime registers gained over days without data, kWh: of no day, and not in the total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub unallocated_kwh: Option<f64>,
    /// Each interval of the period, in order.
    pub periods: Vec<EnergyPeriod>,
    /// The interval with most energy, of those that are complete; absent of fewer than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub highest: Option<EnergyPeriod>,
    /// The interval with least energy, of those that are complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lowest: Option<EnergyPeriod>,
    /// Each device's total, most energy first; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceEnergy>,
    /// Devices without data in the period, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The sunlight of a weather station, which delivers no energy; absent of other devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sunlight: Option<Sunlight>,
    /// The source of the energy.
    pub energy_source: EnergySource,
    /// The result in a few sentences.
    pub summary: String,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

impl EnergyHistory {
    /// The devices that the energy is of: all, or those with data where some have none.
    fn subject(&self) -> String {
        let counted = || self.devices.iter().filter(|one| one.counted);
        let with_data = counted().count();
        let some = self.scope.as_ref().is_some_and(|scope| {
            scope.kind == ScopeKind::All
                && u32::try_from(with_data).is_ok_and(|n| n < scope.devices)
        });
        match (some, counted().next()) {
            (true, Some(only)) if with_data == 1 => only.logger_id.clone(),
            (true, Some(_)) => format!("{with_data} devices"),
            _ => self.logger_id.clone(),
        }
    }
}

/// One day, week, month or year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnergyPeriod {
    /// Its first day within the period asked for.
    pub start: NaiveDate,
    /// Its last day within it.
    pub end: NaiveDate,
    /// Its energy, kWh; absent without data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub energy_kwh: Option<f64>,
    /// Its days, of several devices each device's.
    pub days_expected: u32,
    /// Of them those with data.
    pub days_with_data: u32,
    /// Whether it is a whole day, week, month or year with data on each day.
    pub complete: bool,
}

/// One device's energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceEnergy {
    /// The logger.
    pub logger_id: String,
    /// Its energy, kWh.
    pub energy_kwh: f64,
    /// Its days with data.
    pub days_with_data: u32,
    /// Whether the total counts it: a meter is not added to the inverters that it measures.
    pub counted: bool,
}

fn spoken(day: NaiveDate) -> String {
    day.format("%-d %B %Y").to_string()
}

fn row(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(row) => row,
        _ => Map::new(),
    }
}
