//! The energy of a period on a card.

use serde_json::{Map, Value, json};

use super::{EnergyHistory, row, spoken};
use crate::figures;
use crate::tools::solar::Period;
use crate::ui::{ChartSeries, ChartType, DataCard, DynamicChart};

impl EnergyHistory {
    /// The card with the figures, the chart and the table.
    pub(super) fn card(&self) -> DataCard {
        let noun = self.interval.noun();
        let Period { start, end } = self.period;
        let title = format!("Energy of {} by {noun}", self.subject());
        let mut card = DataCard::new(title.clone())
            .note(format!("{} to {}", spoken(start), spoken(end)))
            .figure("Energy", figures::energy(self.total_energy_kwh));
        for (label, one) in [("Highest", &self.highest), ("Lowest", &self.lowest)] {
            if let Some(one) = one {
                let energy = figures::energy(one.energy_kwh.unwrap_or_default());
                let when = self.interval.label(one.start);
                card = card.figure(&format!("{label} {noun}"), format!("{energy}, {when}"));
            }
        }
        if self.days_with_data < self.days_expected {
            let days = format!("{} of {}", self.days_with_data, self.days_expected);
            let label = if self.scope.is_some() {
                "Days with data, counted for each device"
            } else {
                "Days with data"
            };
            card = card.figure(label, days);
        }
        let rows: Vec<Map<String, Value>> = self
            .periods
            .iter()
            .map(|one| row(json!({ "period": self.interval.label(one.start), "energyKwh": one.energy_kwh })))
            .collect();
        card = card.chart(DynamicChart {
            chart_type: ChartType::Bar,
            title,
            x_axis_key: "period".to_owned(),
            x_axis_label: None,
            y_axis_label: Some("Energy (kWh)".to_owned()),
            y_axis_right_label: None,
            series: vec![ChartSeries::new("energyKwh", "Energy", "#F59E0B")],
            data: rows.clone(),
            summary_stats: None,
        });
        if self.devices.is_empty() {
            card.table(
                &[("period", "Period", ""), ("energyKwh", "Energy", "kWh")],
                rows,
            )
        } else {
            let devices = self.devices.iter().map(|one| {
                row(json!({ "device": one.logger_id, "energyKwh": one.energy_kwh, "days": one.days_with_data }))
            });
            card.table(
                &[
                    ("device", "Device", ""),
                    ("energyKwh", "Energy", "kWh"),
                    ("days", "Days with data", ""),
                ],
                devices.collect(),
            )
        }
    }
}
