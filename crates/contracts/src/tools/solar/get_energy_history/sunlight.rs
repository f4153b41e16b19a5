//! The sunlight that a weather station measured.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{EnergyHistory, row, spoken};
use crate::figures;
use crate::tools::solar::Period;
use crate::ui::{ChartSeries, ChartType, DataCard, DynamicChart};

/// The sunlight of a weather station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sunlight {
    /// Irradiation of the days with readings, kWh/m².
    pub insolation_kwh_m2: f64,
    /// Each of these days, in order.
    pub days: Vec<SunlightOfDay>,
}

/// The sunlight of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SunlightOfDay {
    /// The local day.
    pub date: NaiveDate,
    /// Its irradiation, kWh/m².
    pub insolation_kwh_m2: f64,
}

impl Sunlight {
    /// The day with most sunlight, of several.
    fn sunniest(&self) -> Option<&SunlightOfDay> {
        let days = self.days.iter();
        let most = days.max_by(|a, b| a.insolation_kwh_m2.total_cmp(&b.insolation_kwh_m2));
        most.filter(|_| self.days.len() > 1)
    }

    pub(super) fn facts(&self, history: &EnergyHistory) -> Vec<String> {
        let Period { start, end } = history.period;
        let mut facts = vec![format!(
            "{} measured {} kWh/m² of sunlight from {} to {}, which is as many hours of full sun.",
            history.logger_id,
            figures::decimal(self.insolation_kwh_m2, 2),
            spoken(start),
            spoken(end)
        )];
        facts.extend(self.sunniest().map(|day| {
            format!(
                "The sunniest day was {} with {} kWh/m².",
                spoken(day.date),
                figures::decimal(day.insolation_kwh_m2, 2)
            )
        }));
        if history.days_with_data < history.days_expected {
            facts.push(format!(
                "{} of {} days have readings; the others are not filled in.",
                history.days_with_data, history.days_expected
            ));
        }
        facts
    }

    pub(super) fn card(&self, history: &EnergyHistory) -> DataCard {
        let Period { start, end } = history.period;
        let title = format!("Sunlight of {}", history.logger_id);
        let total = format!("{} kWh/m²", figures::decimal(self.insolation_kwh_m2, 2));
        let rows: Vec<Map<String, Value>> = self
            .days
            .iter()
            .map(|day| {
                row(json!({ "day": spoken(day.date), "insolationKwhM2": day.insolation_kwh_m2 }))
            })
            .collect();
        DataCard::new(title.clone())
            .note(format!("{} to {}", spoken(start), spoken(end)))
            .figure("Sunlight", total)
            .chart(DynamicChart {
                chart_type: ChartType::Bar,
                title,
                x_axis_key: "day".to_owned(),
                x_axis_label: None,
                y_axis_label: Some("Sunlight (kWh/m²)".to_owned()),
                y_axis_right_label: None,
                series: vec![ChartSeries::new("insolationKwhM2", "Sunlight", "#F97316")],
                data: rows.clone(),
                summary_stats: None,
            })
            .table(
                &[
                    ("day", "Day", ""),
                    ("insolationKwhM2", "Sunlight", "kWh/m²"),
                ],
                rows,
            )
    }
}
