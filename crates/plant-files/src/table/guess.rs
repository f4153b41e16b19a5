//! A mapping from the first rows of a table.

use std::collections::BTreeMap;

use chrono::{NaiveDateTime, TimeDelta};

use crate::error::FileError;
use crate::format::{Format, Input};
use crate::numbers::{self, Quantity, name_and_unit, unit};
use crate::stamps::{self, Order, Stamp};

use super::mapping::{Column, Field, Mapping, quantity};
use super::source::{self, Line};

mod values;

/// Number of rows that are looked at.
const ROWS: usize = 600;
/// Number of lines in which the data must begin.
const HEAD: usize = 60;

const ORDERS: [Order; 5] = [
    Order::YearFirst,
    Order::DayFirst,
    Order::MonthFirst,
    Order::UnixSeconds,
    Order::UnixMilliseconds,
];

/// Words in the names of columns, in several languages.
const OTHER_POWER: [&str; 18] = [
    "reactive", "apparent", "blind", "schein", "dc", "mpp", "string", "percent", "prozent",
    "limit", "setpoint", "factor", "faktor", "cos", "forecast", "rated", "nominal", "max",
];
/// First words of the names of inverters.
const INVERTER: [&str; 4] = ["wr", "inv", "inverter", "wechselrichter"];
const POWER: [&str; 9] = [
    "power",
    "leistung",
    "pac",
    "p_ac",
    "potencia",
    "puissance",
    "potenza",
    "vermogen",
    "activepower",
];
const ENERGY: [&str; 11] = [
    "energy",
    "energie",
    "yield",
    "ertrag",
    "generation",
    "erzeugung",
    "energia",
    "produktion",
    "production",
    "e_day",
    "eday",
];
const DAY: [&str; 10] = [
    "day", "daily", "today", "tag", "heute", "diari", "jour", "giorn", "dag", "e_d",
];
const TOTAL: [&str; 8] = [
    "total",
    "lifetime",
    "gesamt",
    "counter",
    "zähler",
    "zaehler",
    "cumul",
    "meter reading",
];
/// The energy since the row before.
const INTERVAL: [&str; 7] = [
    "interval",
    "intervall",
    "e_int",
    "eint",
    "delta",
    "increment",
    "zuwachs",
];
const IRRADIANCE: [&str; 9] = [
    "irrad",
    "einstrahlung",
    "globalstrahlung",
    "ghi",
    "poa",
    "gti",
    "pyran",
    "radiac",
    "rayonnement",
];
const DEVICE: [&str; 9] = [
    "logger",
    "inverter",
    "wechselrichter",
    "device",
    "serial",
    "seriennummer",
    "gerät",
    "inversor",
    "source_key",
];
const FAULT: [&str; 9] = [
    "error", "fault", "fehler", "störung", "stoerung", "alarm", "fallo", "défaut", "panne",
];

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
        if cell.is_empty() {
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
        last.name.starts_with("column ") && last.field == Field::Keep && column(place).is_empty()
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
            let numbers = cells
                .iter()
                .filter(|cell| numbers::value_with(cell, decimal).is_some())
                .count();
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

/// A delimiter as mappings have it.
fn name_of(delimiter: char) -> String {
    match delimiter {
        '\t' => "tab".to_owned(),
        other => other.to_string(),
    }
}

fn has_time(cells: &[String]) -> bool {
    let whole = |cell: &String| ORDERS.iter().any(|order| is_stamp(cell, *order));
    let date = |cell: &String| {
        ORDERS[..3]
            .iter()
            .any(|order| stamps::parse_date(cell, *order).is_some())
    };
    cells.iter().any(whole)
        || (cells.iter().any(date) && cells.iter().any(|cell| stamps::parse_time(cell).is_some()))
}

/// Whether a cell has a date with a time. Eight digits alone are as well a number.
fn is_stamp(cell: &str, order: Order) -> bool {
    let digits = cell.bytes().all(|byte| byte.is_ascii_digit());
    match order {
        Order::UnixSeconds => digits && cell.len() == 10 && stamps::parse(cell, order).is_ok(),
        Order::UnixMilliseconds => digits && cell.len() == 13 && stamps::parse(cell, order).is_ok(),
        order => {
            let timed = cell.contains(':')
                || (digits && matches!(cell.len(), 12 | 14))
                || cell.contains('T');
            timed && stamps::parse(cell, order).is_ok()
        }
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

/// The columns of times.
struct Times {
    whole: Option<usize>,
    date: Option<usize>,
    time: Option<usize>,
    order: Order,
}

impl Times {
    /// The time of a row on its own clock.
    fn of(&self, cells: &[String]) -> Option<NaiveDateTime> {
        let cell = |place: Option<usize>| cells.get(place?).map(String::as_str);
        if self.whole.is_some() {
            let stamp = stamps::parse(cell(self.whole)?, self.order).ok()?;
            return Some(stamp.local(chrono_tz::UTC));
        }
        let date = stamps::parse_date(cell(self.date)?, self.order)?;
        let (time, days) = stamps::parse_time(cell(self.time)?)?;
        Some(date.and_time(time) + TimeDelta::days(days))
    }

    fn field(&self, index: usize) -> Option<Field> {
        match index {
            index if Some(index) == self.whole => Some(Field::Timestamp),
            index if Some(index) == self.date => Some(Field::Date),
            index if Some(index) == self.time => Some(Field::Time),
            _ => None,
        }
    }
}

fn times<'a>(width: usize, column: &dyn Fn(usize) -> Vec<&'a str>) -> Option<Times> {
    let fits = |cells: &[&str], test: &dyn Fn(&str) -> bool| {
        !cells.is_empty() && cells.iter().filter(|cell| test(cell)).count() * 10 >= cells.len() * 9
    };
    let mut best: Option<(usize, Order)> = None;
    for index in 0..width {
        let cells = column(index);
        let orders: Vec<Order> = ORDERS
            .into_iter()
            .filter(|order| fits(&cells, &|cell| is_stamp(cell, *order)))
            .collect();
        if let Some(order) = likelier(&orders, |order| {
            cells
                .iter()
                .filter_map(|cell| stamps::parse(cell, order).ok())
                .collect()
        }) {
            best = Some((index, order));
            break;
        }
    }
    if let Some((index, order)) = best {
        return Some(Times {
            whole: Some(index),
            date: None,
            time: None,
            order,
        });
    }
    let time = (0..width).find(|index| {
        fits(&column(*index), &|cell| {
            cell.contains(':') && stamps::parse_time(cell).is_some()
        })
    })?;
    let mut dated = None;
    for index in (0..width).filter(|index| *index != time) {
        let cells = column(index);
        let orders: Vec<Order> = ORDERS[..3]
            .iter()
            .copied()
            .filter(|order| fits(&cells, &|cell| stamps::parse_date(cell, *order).is_some()))
            .collect();
        let of = |order| {
            let days = cells
                .iter()
                .filter_map(|cell| stamps::parse_date(cell, order));
            days.map(|day| Stamp::Local(day.and_time(chrono::NaiveTime::MIN)))
                .collect()
        };
        if let Some(order) = likelier(&orders, of) {
            dated = Some((index, order));
            break;
        }
    }
    let (date, order) = dated?;
    Some(Times {
        whole: None,
        date: Some(date),
        time: Some(time),
        order,
    })
}

/// Of several orders the one that gives the shortest way through the rows.
fn likelier(orders: &[Order], read: impl Fn(Order) -> Vec<Stamp>) -> Option<Order> {
    let way = |order: Order| {
        let stamps = read(order);
        let seconds = stamps.windows(2).map(|pair| {
            let (a, b) = (pair[0].local(chrono_tz::UTC), pair[1].local(chrono_tz::UTC));
            (b - a).num_seconds().abs()
        });
        seconds.sum::<i64>()
    };
    orders.iter().copied().min_by_key(|order| way(*order))
}

/// The rows of each device in the order of their times: portals write the newest row first, and
/// several devices in turn.
fn by_device_and_time<'l>(
    data: &[&'l Line],
    times: &Times,
    names_device: &dyn Fn(usize) -> bool,
) -> Vec<Vec<&'l Line>> {
    let width = data.first().map_or(0, |(_, cells)| cells.len());
    let device = (0..width).find(|index| times.field(*index).is_none() && names_device(*index));
    let mut devices: BTreeMap<&str, Vec<(NaiveDateTime, &Line)>> = BTreeMap::new();
    for line in data {
        let name = device.and_then(|index| line.1.get(index));
        if let Some(at) = times.of(&line.1) {
            let rows = devices.entry(name.map_or("", String::as_str)).or_default();
            rows.push((at, line));
        }
    }
    let in_order = |mut rows: Vec<(NaiveDateTime, &'l Line)>| {
        rows.sort_by_key(|(at, _)| *at);
        rows.into_iter().map(|(_, line)| line).collect()
    };
    devices.into_values().map(in_order).collect()
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

/// Several columns of one field belong to several devices, if their names differ by a device;
/// otherwise the first one counts.
fn one_of_each(columns: &mut [Column]) {
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
fn names_inverter(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let first = words.next().unwrap_or_default().to_lowercase();
    INVERTER.contains(&first.as_str()) && words.any(|word| !word.is_empty())
}

/// Without a column that names power or energy, columns of numbers with the names of inverters, or
/// with numbered ones, are the power of a device each: `Time, WR 1, WR 2`. A default name, such as
/// `column 2`, is not one of a device. Beside an irradiance, numbers may as well be temperatures.
fn named_by_device(columns: &mut [Column], is_numeric: &dyn Fn(usize) -> bool) {
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
            let kept = columns[*place].field == Field::Keep && !name.starts_with("column ");
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

/// Whether the name of a column says that it is a power, by a word or a unit.
pub fn names_power(name: &str) -> bool {
    let (plain, inside) = name_and_unit(name);
    let lower = plain.to_lowercase();
    let by_unit = inside.as_deref().and_then(unit);
    by_unit.is_some() || POWER.iter().any(|word| lower.contains(word))
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
