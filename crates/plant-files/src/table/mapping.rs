//! The meaning of a table's columns.

pub use contracts::imports::{
    ColumnField as Field, ColumnMapping as Mapping, MappedColumn as Column,
};

use crate::numbers::{Quantity, unit};

/// The names that a file must have for this mapping to fit it, as one text.
pub fn shape(mapping: &Mapping) -> String {
    let names: Vec<String> = mapping
        .columns
        .iter()
        .map(|column| column.name.trim().to_lowercase())
        .collect();
    names.join("\u{1f}")
}

/// Checks a mapping that a person wrote; the error names the fault.
pub fn check(mapping: &Mapping) -> Result<(), String> {
    let count = |field: Field| {
        mapping
            .columns
            .iter()
            .filter(|column| column.field == field)
            .count()
    };
    if !matches!(mapping.decimal, '.' | ',') {
        return Err(format!(
            "the decimal mark is {:?}, not `.` or `,`",
            mapping.decimal
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
                "one column has to hold the times: `timestamp`, or `date` with `time`".to_owned(),
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
        return Err(
            "no column is known to hold power, energy or irradiance; say which does".to_owned(),
        );
    }
    for column in &mapping.columns {
        let Some(text) = &column.unit else { continue };
        if measured.contains(&column.field)
            && unit(text).map(|(quantity, _)| quantity) != quantity(column.field)
        {
            return Err(format!(
                "{text:?} of the column {:?} is not a unit of {:?}",
                column.name, column.field
            ));
        }
    }
    for (index, column) in mapping.columns.iter().enumerate() {
        let same = |other: &&Column| other.field == column.field && other.logger == column.logger;
        if measured.contains(&column.field)
            && mapping.columns[..index].iter().any(|other| same(&other))
        {
            return Err(format!(
                "two columns hold {:?} of the same device; give {:?} a `logger`",
                column.field, column.name
            ));
        }
    }
    Ok(())
}

pub(crate) fn find(mapping: &Mapping, field: Field) -> Option<usize> {
    mapping
        .columns
        .iter()
        .position(|column| column.field == field)
}

pub(crate) fn quantity(field: Field) -> Option<Quantity> {
    match field {
        Field::Power => Some(Quantity::Power),
        Field::EnergyDay | Field::EnergyInterval | Field::EnergyTotal => Some(Quantity::Energy),
        Field::Irradiance => Some(Quantity::Irradiance),
        _ => None,
    }
}
