//! The devices of columns.

use super::is_default;
use super::words::{DAY, ENERGY, INVERTER, IRRADIANCE, OTHER_POWER, POWER, TOTAL};
use crate::numbers::{Quantity, name_and_unit};
use crate::table::mapping::{Column, Field, quantity};

/// Several columns of one field belong to several devices, if their names differ by a device;
/// otherwise the first one counts.
pub(super) fn one_of_each(columns: &mut [Column]) {
    for wanted in [
        Field::Power,
        Field::EnergyDay,
        Field::EnergyInterval,
        Field::EnergyTotal,
        Field::Irradiance,
    ] {
        let places: Vec<usize> = (0..columns.len())
            .filter(|place| columns[*place].field == wanted)
            .collect();
        if places.len() < 2 {
            continue;
        }
        let devices: Vec<Option<String>> = places
            .iter()
            .map(|place| device(&columns[*place].name))
            .collect();
        let mut distinct: Vec<_> = devices.iter().flatten().collect();
        distinct.sort();
        distinct.dedup();
        let apart = distinct.len() == places.len();
        for (nth, (place, device)) in places.into_iter().zip(devices).enumerate() {
            if apart {
                columns[place].logger = device;
            } else if nth > 0 {
                columns[place].field = Field::Keep;
                columns[place].unit = None;
            }
        }
    }
    // A table has one device per row, or one per column.
    if columns.iter().any(|column| column.field == Field::LoggerId) {
        for column in columns.iter_mut() {
            column.logger = None;
        }
    }
    let mut seen = std::collections::HashSet::new();
    for column in columns.iter_mut() {
        let is_unique = matches!(
            column.field,
            Field::LoggerId | Field::ErrorCode | Field::Status
        );
        if (is_unique || quantity(column.field).is_some())
            && !seen.insert((column.field as u8, column.logger.clone()))
        {
            column.field = Field::Keep;
            column.unit = None;
            column.logger = None;
        }
    }
}

/// Whether a name is that of one inverter, such as `WR Nord`.
pub(super) fn names_inverter(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let first = words.next().unwrap_or_default().to_lowercase();
    INVERTER.contains(&first.as_str()) && words.any(|word| !word.is_empty())
}

/// Without a column that names power or energy, columns of numbers with the names of inverters, or
/// with numbered ones, are the power of a device each: `Time, WR 1, WR 2`. A default name, such as
/// `column 2`, is not one of a device. Beside an irradiance, numbers may as well be temperatures.
pub(super) fn named_by_device(columns: &mut [Column], is_numeric: &dyn Fn(usize) -> bool) {
    let measured = |wanted: &dyn Fn(Quantity) -> bool| {
        let mut quantities = columns.iter().filter_map(|column| quantity(column.field));
        quantities.any(wanted)
    };
    let has_irradiance = measured(&|quantity| quantity == Quantity::Irradiance);
    if measured(&|quantity| quantity != Quantity::Irradiance)
        || columns.iter().any(|one| one.field == Field::LoggerId)
    {
        return;
    }
    let places: Vec<usize> = (0..columns.len())
        .filter(|place| {
            let name = columns[*place].name.to_lowercase();
            let other = OTHER_POWER.iter().any(|word| name.contains(word));
            let (_, inside) = name_and_unit(&columns[*place].name);
            let is_numbered = name.contains(char::is_alphabetic) && name.contains(char::is_numeric);
            let is_device = names_inverter(&name) || (is_numbered && !has_irradiance);
            let kept = columns[*place].field == Field::Keep && !is_default(&name);
            kept && is_device && !other && inside.is_none() && is_numeric(*place)
        })
        .collect();
    let mut names: Vec<&str> = places
        .iter()
        .map(|place| columns[*place].name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    // Of one column alone nothing says that it is a power.
    if places.len() < 2 || names.len() < places.len() {
        return;
    }
    for place in places {
        columns[place].field = Field::Power;
        columns[place].logger = Some(columns[place].name.clone());
    }
}

/// The device in the name of a column: what is left without unit and words of the field.
fn device(name: &str) -> Option<String> {
    let (name, _) = name_and_unit(name);
    let words =
        name.split(|c: char| c.is_whitespace() || matches!(c, '/' | ':' | ',' | '(' | ')' | '.'));
    let is_word = |word: &str| {
        let lower = word.to_lowercase();
        [
            &POWER[..],
            &ENERGY,
            &DAY,
            &TOTAL,
            &IRRADIANCE,
            &["ac", "active", "wirk", "strom"],
        ]
        .concat()
        .iter()
        .any(|known| lower == *known)
    };
    let rest: Vec<&str> = words
        .filter(|word| !word.is_empty() && !is_word(word))
        .collect();
    (!rest.is_empty()).then(|| rest.join(" "))
}
