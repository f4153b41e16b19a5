//! A mapping from the first rows of a table.

use crate::error::FileError;
use crate::format::{Format, Input};
use crate::numbers::{self, Quantity, name_and_unit, unit};

use super::mapping::{Column, Field, Mapping, quantity};
use super::source::{self, Line};

mod devices;
mod midnight;
mod times;
mod values;
mod words;

use devices::{named_by_device, names_inverter, one_of_each};
use times::{by_device_and_time, has_time, times};
use words::{DAY, DEVICE, ENERGY, FAULT, INTERVAL, IRRADIANCE, OTHER_POWER, POWER, TOTAL};

/// Number of rows that are looked at.
const ROWS: usize = 600;
/// Number of lines in which the data must begin.
const HEAD: usize = 60;

/// Guesses the mapping of a table. It may hold no value, which [`check`](super::check) says.
pub fn guess(
    format: Format,
    input: &mut dyn Input,
    sheet: Option<&str>,
) -> Result<Mapping, FileError> {
    let delimiter = if format == Format::Csv {
        let mut start = vec![0; crate::format::SAMPLE_BYTES];
        let count = read_up_to(input, &mut start)?;
        source::delimiter(&crate::text::decode(&start[..count]))
    } else {
        ','
    };
    input.rewind()?;
    let mut rows = Vec::new();
    let text = delimiter.to_string();
    source::rows(format, input, (Some(&text), sheet), &mut |line| {
        rows.push(line);
        Ok(rows.len() < ROWS)
    })?;
    input.rewind()?;
    if format == Format::Xlsx {
        midnight::complete(&mut rows);
    }
    let mut mapping = from_rows(&rows, delimiter)?;
    if format == Format::Xlsx {
        mapping.delimiter = None;
        mapping.decimal = '.';
        mapping.sheet = sheet.map(str::to_owned);
    }
    Ok(mapping)
}

fn read_up_to(input: &mut dyn Input, target: &mut [u8]) -> std::io::Result<usize> {
    let mut count = 0;
    while count < target.len() {
        match input.read(&mut target[count..])? {
            0 => break,
            more => count += more,
        }
    }
    Ok(count)
}

/// A mapping from rows.
pub(super) fn from_rows(rows: &[Line], delimiter: char) -> Result<Mapping, FileError> {
    let unknown = |why: &str| FileError::Unknown(format!("the table cannot be read: {why}"));
    let start = rows
        .iter()
        .take(HEAD)
        .position(|(_, cells)| cells.len() > 1 && has_time(cells));
    let start = start.ok_or_else(|| unknown("no row has a date with a time"))?;
    let (units, header) = head(rows, start);
    let data = rows[start..].iter();
    let data: Vec<&Line> = data.filter(|(_, cells)| cells.len() > 1).collect();
    let width = header.map_or(rows[start].1.len(), |at| rows[at].1.len());
    let name = |index: usize| {
        let cell = header
            .and_then(|at| rows[at].1.get(index))
            .map(String::as_str)
            .unwrap_or_default();
        if header.is_none() {
            format!("Column {}", source::letters(index))
        } else if cell.is_empty() {
            format!("column {}", index + 1)
        } else {
            cell.to_owned()
        }
    };
    let unit_of = |index: usize| {
        units
            .and_then(|at| rows[at].1.get(index))
            .cloned()
            .filter(|text| !text.is_empty())
    };
    let column = |index: usize| {
        data.iter()
            .filter_map(|(_, cells)| cells.get(index).map(String::as_str))
            .filter(|cell| !numbers::is_missing(cell))
            .collect::<Vec<_>>()
    };
    let times = times(width, &column)
        .ok_or_else(|| unknown("no column has a date with a time in every row"))?;
    let is_value = |index: &usize| times.field(*index).is_none();
    let decimal = values::decimal((0..width).filter(is_value).map(&column));
    let named = |index: usize| {
        let (plain_name, inside) = name_and_unit(&name(index));
        (plain_name, unit_of(index).or(inside))
    };
    let by_time = by_device_and_time(&data, &times, &|index| {
        let ((plain_name, unit_text), cells) = (named(index), column(index));
        field(&plain_name, unit_text.as_deref(), &cells, decimal, &[]) == Field::LoggerId
    });
    let mut columns: Vec<Column> = (0..width)
        .map(|index| {
            let (plain_name, unit_text) = named(index);
            let field = match times.field(index) {
                Some(field) => field,
                None => field(
                    &plain_name,
                    unit_text.as_deref(),
                    &column(index),
                    decimal,
                    &series(&by_time, index, decimal),
                ),
            };
            let unit = unit_text.filter(|text| {
                quantity(field).is_some()
                    && unit(text).map(|(quantity, _)| quantity) == quantity(field)
            });
            Column {
                name: name(index),
                field,
                unit,
                logger: None,
            }
        })
        .collect();
    let is_empty = |last: &Column, place: usize| {
        is_default(&last.name) && last.field == Field::Keep && column(place).is_empty()
    };
    while columns
        .last()
        .is_some_and(|last| is_empty(last, columns.len() - 1))
    {
        columns.pop();
    }
    one_of_each(&mut columns);
    if header.is_some() {
        named_by_device(&mut columns, &|index| {
            let cells = column(index);
            let is_number = |cell: &&&str| numbers::value_with(cell, decimal).is_some();
            let numbers = cells.iter().filter(is_number).count();
            numbers > 0 && numbers * 10 >= cells.len() * 9
        });
    }
    Ok(Mapping {
        sheet: None,
        delimiter: Some(name_of(delimiter)),
        decimal,
        header_line: header.map_or(0, |at| rows[at].0),
        units_line: units.is_some(),
        times: times.order,
        columns,
    })
}

/// Whether a name is that of a column without one.
fn is_default(name: &str) -> bool {
    name.to_lowercase().starts_with("column ")
}

/// A delimiter as mappings have it.
fn name_of(delimiter: char) -> String {
    match delimiter {
        '\t' => "tab".to_owned(),
        other => other.to_string(),
    }
}

/// The line of units and the line of names before the data.
fn head(rows: &[Line], start: usize) -> (Option<usize>, Option<usize>) {
    let is_units = |at: usize| {
        let cells = &rows[at].1;
        cells.iter().any(|cell| unit(cell).is_some())
            && cells.iter().all(|cell| cell.chars().count() <= 20)
    };
    let named = |at: usize| rows[at].1.iter().filter(|cell| !cell.is_empty()).count() > 1;
    match start.checked_sub(1) {
        Some(at) if is_units(at) && at > 0 && named(at - 1) => (Some(at), Some(at - 1)),
        Some(at) if named(at) => (None, Some(at)),
        _ => (None, None),
    }
}

/// The numbers of a column by device, in the order of time.
fn series(by_time: &[Vec<&Line>], index: usize, decimal: char) -> Vec<Vec<f64>> {
    let numbers = |rows: &Vec<&Line>| {
        let cells = rows.iter().filter_map(|(_, cells)| cells.get(index));
        cells
            .filter_map(|cell| numbers::value_with(cell, decimal))
            .collect()
    };
    by_time.iter().map(numbers).collect()
}

/// The field of a column. `series` has its numbers by device, in the order of time.
fn field(
    name: &str,
    unit_text: Option<&str>,
    cells: &[&str],
    decimal: char,
    series: &[Vec<f64>],
) -> Field {
    let lower = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let numbers = cells
        .iter()
        .filter(|cell| numbers::value_with(cell, decimal).is_some())
        .count();
    // Single cells can be broken.
    let numeric = numbers > 0 && numbers * 2 >= cells.len();
    let quantity = unit_text.and_then(unit).map(|(quantity, _)| quantity);
    let other_unit = unit_text.is_some() && quantity.is_none();
    if has(&FAULT) {
        return Field::ErrorCode;
    }
    if matches!(lower.as_str(), "status" | "state" | "zustand") {
        return Field::Status;
    }
    let names_device = has(&DEVICE) && !(numbers > 0 && names_inverter(&lower));
    if names_device && quantity.is_none() && !has(&POWER) && !has(&ENERGY) {
        return Field::LoggerId;
    }
    if lower == "id" && numbers == 0 {
        return Field::LoggerId;
    }
    if !numeric || other_unit {
        return Field::Keep;
    }
    if quantity == Some(Quantity::Irradiance) || (quantity.is_none() && has(&IRRADIANCE)) {
        return Field::Irradiance;
    }
    if quantity == Some(Quantity::Energy) || (quantity.is_none() && has(&ENERGY)) {
        return if has(&INTERVAL) {
            Field::EnergyInterval
        } else if has(&TOTAL) {
            Field::EnergyTotal
        } else if has(&DAY) {
            Field::EnergyDay
        } else {
            values::energy(series)
        };
    }
    // The symbol of power in formulas.
    let is_power = lower == "p" || has(&POWER);
    if (quantity == Some(Quantity::Power) || (quantity.is_none() && is_power)) && !has(&OTHER_POWER)
    {
        return Field::Power;
    }
    Field::Keep
}

/// Whether the name of a column says that it is a power, by a word or a unit.
pub fn names_power(name: &str) -> bool {
    let (plain, inside) = name_and_unit(name);
    let lower = plain.to_lowercase();
    let by_unit = inside.as_deref().and_then(unit);
    by_unit.is_some() || POWER.iter().any(|word| lower.contains(word))
}
