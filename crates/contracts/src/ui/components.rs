//! `render_ui_component`.

use chrono::NaiveDate;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::data_card::{CardTable, DataCard};
use crate::tools::{
    Anomaly, ComparisonMetric, ComparisonSummary, DateMismatch, DeviceState, ExcludedLogger,
    ForecastConfidence, Money, Period, SummaryStats, json_schema,
};

pub use crate::tools::HealthWord;

/// Arguments (and result) of `render_ui_component`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RenderUiComponent {
    /// What to draw.
    #[serde(flatten)]
    pub component: UiComponent,
    /// Up to three things to ask next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 3)]
    pub suggestions: Vec<Suggestion>,
}

/// The components, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "component", content = "props")]
pub enum UiComponent {
    /// A line, bar, area, scatter, composed or pie chart.
    DynamicChart(DynamicChart),
    /// The fleet at a glance.
    FleetOverview(FleetOverviewCard),
    /// Money and energy of a period.
    FinancialReport(FinancialReportCard),
    /// One logger's health.
    HealthReport(HealthReportCard),
    /// Every logger's health.
    FleetHealthReport(FleetHealthReportCard),
    /// Loggers side by side.
    ComparisonChart(ComparisonChart),
    /// Figures, a chart and a table of any tool.
    DataCard(Box<DataCard>),
    /// What could not be shown, and why.
    ErrorCard(ErrorCard),
}

impl UiComponent {
    /// The names of the components, as `component` has them.
    pub fn names() -> Vec<String> {
        let schema = json_schema::<Self>();
        let variants = schema["oneOf"].as_array().into_iter().flatten();
        variants
            .filter_map(|variant| {
                let name = &variant["properties"]["component"];
                let name = name["const"].as_str().or(name["enum"][0].as_str())?;
                Some(name.to_owned())
            })
            .collect()
    }
}

/// Something to ask next; its `action` is sent as the person's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Suggestion {
    /// The label of the button.
    #[schema(example = "Check efficiency")]
    pub label: String,
    /// The message that it sends.
    pub action: String,
    /// How prominent it is.
    pub priority: SuggestionPriority,
    /// How pressing it is.
    pub urgency: SuggestionUrgency,
    /// Why it is offered.
    pub reason: String,
}

/// How prominent a suggestion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SuggestionPriority {
    Primary,
    Secondary,
}

/// How pressing a suggestion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SuggestionUrgency {
    Urgent,
    Recommended,
    Suggested,
    Optional,
}

/// Props of `DynamicChart`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicChart {
    /// The shape of the chart.
    pub chart_type: ChartType,
    /// The title of the chart.
    pub title: String,
    /// The member of each row that is the x value.
    #[schema(example = "timestamp")]
    pub x_axis_key: String,
    /// The x axis, with its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_axis_label: Option<String>,
    /// The left y axis, with its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_axis_label: Option<String>,
    /// The right y axis, with its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_axis_right_label: Option<String>,
    /// The series of the chart.
    pub series: Vec<ChartSeries>,
    /// The rows of the chart.
    #[schema(value_type = Vec<Object>)]
    pub data: Vec<Map<String, Value>>,
    /// The figures of the series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_stats: Option<SummaryStats>,
}

/// The shape of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ChartType {
    Area,
    Bar,
    Line,
    Scatter,
    Pie,
    Composed,
}

/// One series of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartSeries {
    /// The member of each row that is the y value.
    pub data_key: String,
    /// Its name in the legend.
    pub name: String,
    /// Its shape in a composed chart.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ChartType>,
    /// Its colour, `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^#[0-9A-Fa-f]{6}$")]
    pub color: Option<String>,
    /// The member of each row that is the low end of the range around the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_key: Option<String>,
    /// The member of each row that is the high end of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_key: Option<String>,
    /// Its y axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_axis_id: Option<AxisSide>,
}

/// A y axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum AxisSide {
    Left,
    Right,
}

/// Props of `FleetOverview`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetOverviewCard {
    /// Power now, W.
    pub total_power: f64,
    /// Energy of the newest day, kWh.
    pub total_energy: f64,
    /// Inverters.
    pub device_count: u64,
    /// Of them not offline.
    pub online_count: u64,
    /// The same in percent.
    #[schema(minimum = 0, maximum = 100)]
    pub percent_online: f64,
    /// The "now" of the figures, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_timestamp: Option<String>,
    /// There when the figures are not today's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_mismatch: Option<DateMismatch>,
    /// What needs attention.
    pub alerts: Vec<UiAlert>,
    /// Each device that `deviceCount` counts.
    pub devices: Vec<FleetCardDevice>,
}

/// One device on the fleet card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetCardDevice {
    /// The logger.
    pub logger_id: String,
    /// The state of the device.
    pub state: DeviceState,
    /// Power, W.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<f64>,
    /// Energy of the newest day, kWh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<f64>,
}

/// Something that needs attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UiAlert {
    /// The severity of the alert.
    #[serde(rename = "type")]
    pub kind: AlertType,
    /// A sentence.
    pub message: String,
}

/// The severity of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum AlertType {
    Info,
    Warning,
    Error,
}

/// Props of `FinancialReport`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinancialReportCard {
    /// The logger.
    pub logger_id: String,
    /// Energy, kWh.
    pub energy_generated: f64,
    /// Money, in `currency`; absent when several sites have different currencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub savings: Option<f64>,
    /// ISO 4217 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Money per kWh; absent when several sites have different tariffs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub electricity_rate: Option<f64>,
    /// Avoided carbon dioxide, kg.
    pub co2_offset: f64,
    /// Urban tree seedlings grown for ten years.
    pub trees_equivalent: f64,
    /// The window.
    pub period: Period,
    /// Days of the window without data; of several devices those on which one of them has none.
    pub missing_days: u64,
    /// Each device's part, most energy first; empty of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<FinancialCardDevice>,
    /// The coming days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<ForecastCard>,
}

/// One device's part of a financial report on several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinancialCardDevice {
    /// The logger.
    pub logger_id: String,
    /// Energy, kWh.
    pub energy: f64,
    /// Money, in `currency`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub savings: Option<f64>,
    /// ISO 4217 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Avoided carbon dioxide, kg.
    pub co2_offset: f64,
    /// Whether the total counts it: a meter is not added to its inverters.
    pub counted: bool,
}

/// The forecast on the financial card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastCard {
    /// Sum of the days, kWh.
    pub total_predicted: f64,
    /// The days.
    pub days: Vec<ForecastCardDay>,
}

/// One day of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastCardDay {
    /// The day.
    pub date: NaiveDate,
    /// Expected energy, kWh.
    pub predicted_energy: f64,
    /// Lower end of the range, kWh.
    pub range_min: f64,
    /// Upper end, kWh.
    pub range_max: f64,
    /// The range's width in a word.
    pub confidence: ForecastConfidence,
}

/// Props of `HealthReport`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthReportCard {
    /// The logger.
    pub logger_id: String,
    /// The window in words.
    pub period: String,
    /// The score; absent when there is too little to judge by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100)]
    pub health_score: Option<f64>,
    /// The score in a word.
    #[serde(default)]
    pub health_status: HealthWord,
    /// Every anomaly found; the list may be shorter.
    pub anomaly_count: u64,
    /// The anomalies, oldest first.
    pub anomalies: Vec<Anomaly>,
    /// Energy lost in outages and on dead days, kWh.
    pub lost_kwh: f64,
    /// The same in money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_money: Option<Money>,
    /// 1 - energy lost while it stood still / expected energy: whether it ran, not how well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub availability: Option<f64>,
    /// Energy that it made less than its peers, or than it usually makes, while it ran, kWh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortfall_kwh: Option<f64>,
    /// Its yield per capacity against its peers', percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vs_peers_pct: Option<f64>,
}

/// Props of `FleetHealthReport`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetHealthReportCard {
    /// The window in words.
    pub period: String,
    /// Loggers looked at.
    pub total_loggers: u64,
    /// Mean of the known scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100)]
    pub avg_health_score: Option<f64>,
    /// Anomalies of all.
    pub total_anomalies: u64,
    /// Loggers with at least one.
    pub loggers_with_issues: u64,
    /// Each logger.
    pub loggers: Vec<FleetHealthRow>,
}

/// One logger's health.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetHealthRow {
    /// The logger.
    pub logger_id: String,
    /// Its brand or format.
    pub logger_type: String,
    /// The score; absent when there is too little to judge by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100)]
    pub health_score: Option<f64>,
    /// Anomalies found.
    pub anomaly_count: u64,
    /// Energy lost in outages and on dead days, kWh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_kwh: Option<f64>,
    /// `healthy`, `warning`, `critical`, or `unknown` when it could not be judged.
    pub status: HealthWord,
    /// Why it could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Props of `ComparisonChart`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonChart {
    /// The compared quantity.
    pub metric: ComparisonMetric,
    /// The window in words.
    pub period: String,
    /// Which loggers.
    pub logger_ids: Vec<String>,
    /// Each logger's figures, best first.
    pub loggers: Vec<LoggerComparison>,
    /// The best, by specific yield.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// The worst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<String>,
    /// (best - worst) / best, percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_percent: Option<f64>,
    /// Always `line`.
    pub chart_type: ChartType,
    /// The chart's title.
    pub title: String,
    /// Always `timestamp`.
    pub x_axis_key: String,
    /// The y axis, with its unit.
    pub y_axis_label: String,
    /// One series per logger of the chart.
    pub series: Vec<ChartSeries>,
    /// The rows of the comparison.
    #[schema(value_type = Vec<Object>)]
    pub data: Vec<Map<String, Value>>,
    /// The figures by logger.
    pub summary_stats: IndexMap<String, ComparisonSummary>,
    /// Loggers that were asked for and are not compared, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<ExcludedLogger>,
    /// Energy of all compared loggers together, kWh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_kwh: Option<f64>,
}

/// One logger of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoggerComparison {
    /// The logger.
    pub logger_id: String,
    /// Its colour in the chart.
    pub color: String,
    /// The figures of the logger.
    #[serde(flatten)]
    pub figures: ComparisonSummary,
}

/// Props of `ErrorCard`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorCard {
    /// A few words.
    pub title: String,
    /// A sentence.
    pub message: String,
    /// Up to three particulars.
    #[schema(max_items = 3)]
    pub details: Vec<String>,
}

impl RenderUiComponent {
    /// What in the props is out of range, in words; empty when all is well.
    pub fn validate(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut percent = |name: &str, value: Option<f64>| {
            if let Some(value) = value
                && !(0.0..=100.0).contains(&value)
            {
                faults.push(format!("{name} is {value}, not between 0 and 100"));
            }
        };
        match &self.component {
            UiComponent::FleetOverview(card) => percent("percentOnline", Some(card.percent_online)),
            UiComponent::HealthReport(card) => percent("healthScore", card.health_score),
            UiComponent::FleetHealthReport(card) => {
                percent("avgHealthScore", card.avg_health_score);
                card.loggers
                    .iter()
                    .for_each(|row| percent(&row.logger_id, row.health_score));
            }
            UiComponent::DynamicChart(chart) => {
                check_series(&chart.series, &chart.data, &mut faults);
            }
            UiComponent::ComparisonChart(chart) => {
                check_series(&chart.series, &chart.data, &mut faults);
            }
            UiComponent::DataCard(card) => {
                if let Some(chart) = &card.chart {
                    check_series(&chart.series, &chart.data, &mut faults);
                }
                faults.extend(card.table.iter().flat_map(CardTable::faults));
            }
            UiComponent::FinancialReport(_) | UiComponent::ErrorCard(_) => {}
        }
        if self.suggestions.len() > 3 {
            faults.push(format!("{} suggestions, at most 3", self.suggestions.len()));
        }
        faults
    }
}

/// A series whose key no row has would draw an empty chart.
fn check_series(series: &[ChartSeries], data: &[Map<String, Value>], faults: &mut Vec<String>) {
    for one in series {
        if !data.is_empty() && !data.iter().any(|row| row.contains_key(&one.data_key)) {
            faults.push(format!("no row has the series \"{}\"", one.data_key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_named_as_on_the_wire() {
        let names = UiComponent::names();
        assert_eq!(names.len(), 8);
        let card = UiComponent::DataCard(Box::new(DataCard::new("Nothing")));
        let card = serde_json::to_value(card).unwrap();
        assert!(names.iter().any(|name| card["component"] == name.as_str()));
    }

    #[test]
    fn a_data_card_without_what_its_columns_and_series_name_is_faulty() {
        let row = Map::from_iter([("day".to_owned(), Value::from("Monday"))]);
        let card = DataCard::new("Days").table(
            &[("day", "Day", ""), ("energy", "Energy", "kWh")],
            vec![row],
        );
        let card = RenderUiComponent {
            component: UiComponent::DataCard(Box::new(card)),
            suggestions: Vec::new(),
        };
        assert_eq!(card.validate(), ["no row has the column \"energy\""]);
    }
}
