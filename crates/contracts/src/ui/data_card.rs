//! `DataCard`: the card of every tool that has none of its own. Its data describe it, so that the
//! page and the terminal need no code for a new tool.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::components::{ChartSeries, DynamicChart};

/// Props of `DataCard`: figures, a chart and a table, each of which may be absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataCard {
    /// Title of the card.
    #[schema(example = "Energy of INV-1 by week")]
    pub title: String,
    /// A remark below the title: the days, or what to know about the figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub note: Option<String>,
    /// The figures that matter most, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 6)]
    pub figures: Vec<CardFigure>,
    /// A chart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub chart: Option<DynamicChart>,
    /// A table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub table: Option<CardTable>,
}

/// A figure of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardFigure {
    /// Name of the quantity.
    #[schema(example = "Energy")]
    pub label: String,
    /// The figure with its unit, as people read it.
    #[schema(example = "1,234.5 kWh")]
    pub value: String,
    /// What to know about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub remark: Option<String>,
}

/// A table of a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTable {
    /// The columns, the first of which names the row.
    #[schema(min_items = 1)]
    pub columns: Vec<CardColumn>,
    /// The rows; a member that a row lacks is an empty cell.
    #[schema(value_type = Vec<Object>)]
    pub rows: Vec<Map<String, Value>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardColumn {
    /// The member of each row that has its value.
    pub key: String,
    /// What its head says.
    pub label: String,
    /// The unit of its numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "kWh")]
    pub unit: Option<String>,
}

impl DataCard {
    /// A card of this title, to be filled.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            note: None,
            figures: Vec::new(),
            chart: None,
            table: None,
        }
    }

    /// The same with a remark below the title.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The same with one more figure.
    #[must_use]
    pub fn figure(mut self, label: &str, value: impl Into<String>) -> Self {
        self.figures.push(CardFigure {
            label: label.to_owned(),
            value: value.into(),
            remark: None,
        });
        self
    }

    /// The same with this chart.
    #[must_use]
    pub fn chart(mut self, chart: DynamicChart) -> Self {
        self.chart = Some(chart);
        self
    }

    /// The same with a table of these columns, each as its key, its label and its unit; the unit of
    /// texts is empty.
    #[must_use]
    pub fn table(mut self, columns: &[(&str, &str, &str)], rows: Vec<Map<String, Value>>) -> Self {
        let column = |(key, label, unit): &(&str, &str, &str)| CardColumn {
            key: (*key).to_owned(),
            label: (*label).to_owned(),
            unit: (!unit.is_empty()).then(|| (*unit).to_owned()),
        };
        self.table = Some(CardTable {
            columns: columns.iter().map(column).collect(),
            rows,
        });
        self
    }
}

impl ChartSeries {
    /// A series of these values in its own colour.
    pub fn new(data_key: &str, name: &str, color: &str) -> Self {
        Self {
            data_key: data_key.to_owned(),
            name: name.to_owned(),
            kind: None,
            color: Some(color.to_owned()),
            low_key: None,
            high_key: None,
            y_axis_id: None,
        }
    }
}

impl CardTable {
    /// The faults of the table, in words.
    pub(super) fn faults(&self) -> Vec<String> {
        let lacking = |column: &&CardColumn| {
            !self.rows.is_empty() && !self.rows.iter().any(|row| row.contains_key(&column.key))
        };
        let lacking = self.columns.iter().filter(lacking);
        let mut faults: Vec<String> = lacking
            .map(|column| format!("no row has the column \"{}\"", column.key))
            .collect();
        if self.columns.is_empty() {
            faults.push("the table has no columns".to_owned());
        }
        faults
    }
}
