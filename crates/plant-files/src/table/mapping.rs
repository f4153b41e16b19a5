//! The meaning of a table's columns.

use serde::{Deserialize, Serialize};

use crate::numbers::unit;
use crate::stamps::Order;

/// The way in which a table is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The sheet of a workbook; the first one with a table if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The delimiter of a CSV: one character, or `tab`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// The decimal mark, `.` or `,`.
    pub decimal: char,
    /// The line of the names, counted from 1; 0 if there is none.
    pub header_line: u64,
    /// Units are in the line below the names.
    pub units_line: bool,
    /// The way in which times are written.
    pub times: Order,
    /// The columns, in the order of the file.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The name in the file.
    pub name: String,
    /// The field that it holds.
    pub field: Field,
    /// The unit of its numbers, if it is not the field's own (W, kWh, W/m²).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The device of the column, in tables that have columns of several devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
}

/// The meaning of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Date and time.
    Timestamp,
    /// The date, beside a column of times.
    Date,
    /// The time, beside a column of dates.
    Time,
    /// The device of the row.
    LoggerId,
    /// Active AC power.
    Power,
    /// The register of the day.
    EnergyDay,
    /// The energy since the row before.
    EnergyInterval,
    /// The register that never starts again.
    EnergyTotal,
    /// Irradiance.
    Irradiance,
    /// The code or text of a fault.
    ErrorCode,
    /// The state of the device.
    Status,
    /// Another value, kept under the column's name.
    Keep,
    /// Nothing that is kept.
    Ignore,
}

impl Mapping {
    /// The names that a file must have for this mapping to fit it, as one text.
    pub fn shape(&self) -> String {
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.name.trim().to_lowercase())
            .collect();
        names.join("\u{1f}")
    }

    /// Checks a mapping that a person wrote; the error names the fault.
    pub fn check(&self) -> Result<(), String> {
        let count = |field: Field| {
            self.columns
                .iter()
                .filter(|column| column.field == field)
                .count()
        };
        if !matches!(self.decimal, '.' | ',') {
            return Err(format!(
                "the decimal mark is {:?}, not `.` or `,`",
                self.decimal
            ));
        }
        match (
            count(Field::Timestamp),
            count(Field::Date),
            count(Field::Time),
        ) {
            (1, 0, 0) | (0, 1, 1) => {}
            _ => {
                return Err(
                    "one column has to hold the times: `timestamp`, or `date` with `time`"
                        .to_owned(),
                );
            }
        }
        if count(Field::LoggerId) > 1 {
            return Err("two columns cannot both be the id of the device".to_owned());
        }
        let measured = [
            Field::Power,
            Field::EnergyDay,
            Field::EnergyInterval,
            Field::EnergyTotal,
            Field::Irradiance,
        ];
        if measured.iter().all(|field| count(*field) == 0) {
            return Err("no column holds power, energy or irradiance".to_owned());
        }
        for column in &self.columns {
            let Some(text) = &column.unit else { continue };
            if measured.contains(&column.field)
                && unit(text).map(|(quantity, _)| quantity) != column.field.quantity()
            {
                return Err(format!(
                    "{text:?} of the column {:?} is not a unit of {:?}",
                    column.name, column.field
                ));
            }
        }
        for (index, column) in self.columns.iter().enumerate() {
            let same =
                |other: &&Column| other.field == column.field && other.logger == column.logger;
            if measured.contains(&column.field)
                && self.columns[..index].iter().any(|other| same(&other))
            {
                return Err(format!(
                    "two columns hold {:?} of the same device; give {:?} a `logger`",
                    column.field, column.name
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn find(&self, field: Field) -> Option<usize> {
        self.columns.iter().position(|column| column.field == field)
    }
}

impl Field {
    pub(crate) fn quantity(self) -> Option<crate::numbers::Quantity> {
        use crate::numbers::Quantity;
        match self {
            Self::Power => Some(Quantity::Power),
            Self::EnergyDay | Self::EnergyInterval | Self::EnergyTotal => Some(Quantity::Energy),
            Self::Irradiance => Some(Quantity::Irradiance),
            _ => None,
        }
    }
}
