//! The columns of times.

use std::collections::BTreeMap;

use chrono::{NaiveDateTime, TimeDelta};

use crate::stamps::{self, Order, Stamp};
use crate::table::mapping::Field;
use crate::table::source::Line;

const ORDERS: [Order; 5] = [
    Order::YearFirst,
    Order::DayFirst,
    Order::MonthFirst,
    Order::UnixSeconds,
    Order::UnixMilliseconds,
];

pub(super) fn has_time(cells: &[String]) -> bool {
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

/// The columns of times.
pub(super) struct Times {
    whole: Option<usize>,
    date: Option<usize>,
    time: Option<usize>,
    pub(super) order: Order,
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

    pub(super) fn field(&self, index: usize) -> Option<Field> {
        match index {
            index if Some(index) == self.whole => Some(Field::Timestamp),
            index if Some(index) == self.date => Some(Field::Date),
            index if Some(index) == self.time => Some(Field::Time),
            _ => None,
        }
    }
}

pub(super) fn times<'a>(width: usize, column: &dyn Fn(usize) -> Vec<&'a str>) -> Option<Times> {
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
pub(super) fn by_device_and_time<'l>(
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
