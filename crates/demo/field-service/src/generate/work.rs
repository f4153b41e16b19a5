//! Work orders, their crews, and the working hours.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveDate, TimeDelta};

use super::customers::{Asset, Customers};
use super::lookups::{
    ASSET_TYPES, CANCELLED, COMPLETED, IN_PROGRESS, INVOICED, NEW, ON_HOLD, ORDER_TYPES, SCHEDULED,
};
use super::names::{person, phone};
use super::people::People;
use super::{AHEAD, Context, PAST, at, index, is_workday, later};
use crate::rows::{Hundredths, Rows, Secret, v};

const ORDERS: usize = 2_000;
/// Work is done on the planned day and on the next.
const PLANNED_DAYS: i64 = 2;

/// The work orders, as the other generators need them.
pub(super) struct Work {
    pub orders: Vec<Order>,
    pub rows: Vec<Rows>,
}

pub(super) struct Order {
    pub id: i64,
    pub customer: i64,
    pub asset: Asset,
    /// The index in the list of order types, from 1.
    pub kind: i64,
    pub status: i64,
    pub day: NaiveDate,
    /// The employees who worked on the order, with the number of quarter-hours.
    pub worked: BTreeMap<i64, i64>,
}

pub(super) fn make(context: &mut Context, people: &People, customers: &Customers) -> Work {
    let (mut orders, order_rows) = orders(context, people, customers);
    let times = work_times(context, people, &mut orders);
    let crews = crews(context, people, &orders);
    let rows = [vec![order_rows], crews, vec![times]].concat();
    Work { orders, rows }
}

fn orders(context: &mut Context, people: &People, customers: &Customers) -> (Vec<Order>, Rows) {
    let mut rows = Rows::of(
        "workOrder",
        &[
            "id",
            "companyId",
            "workOrderNumber",
            "title",
            "description",
            "workOrderStatusId",
            "workOrderTypeId",
            "priority",
            "customerId",
            "customerLocationId",
            "assetId",
            "contractId",
            "siteContactName",
            "siteContactPhone",
            "scheduledStart",
            "scheduledEnd",
            "completedAt",
            "estimatedHours",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    );
    let first = context.days_ago(i64::try_from(PAST).unwrap_or(0));
    let count = usize::try_from(PAST + AHEAD).unwrap_or(0) + 1;
    let days: Vec<NaiveDate> = first
        .iter_days()
        .take(count)
        .filter(|day| is_workday(*day))
        .collect();
    let mut orders = Vec::with_capacity(ORDERS);
    for n in 0..ORDERS {
        let day = days[n * days.len() / ORDERS];
        let place = &customers.places[context.dice.index(customers.places.len())];
        let asset = place.assets[context.dice.index(place.assets.len())];
        let kind = context.dice.pick(&[1, 1, 1, 2, 2, 2, 3, 4, 4, 5]);
        let status = status(context, day);
        let (_, thing, _) = ASSET_TYPES[asset.kind];
        let (code, _, verb) = ORDER_TYPES[usize::try_from(kind - 1).unwrap_or(0)];
        let priority = match code {
            "emergency" => "urgent",
            "repair" => context.dice.pick(&["normal", "normal", "high"]),
            _ => context.dice.pick(&["low", "normal", "normal"]),
        };
        let title = format!("{verb} {}", thing.to_lowercase());
        let description = format!(
            "{title}. Ask for the key at the reception, order {} of the year.",
            n + 1
        );
        let start = at(day, u32::try_from(context.dice.between(7, 13)).unwrap_or(8));
        let hours = context.dice.between(2, 6);
        let completed = (matches!(status, COMPLETED | INVOICED))
            .then(|| at(later(day, context.dice.between(0, 1)), 16));
        let clerk = context.dice.pick(&people.office_users);
        let made = at(later(day, -context.dice.between(1, 14)), 9);
        let id = context.id(n);
        rows.push([
            v(id),
            v(context.company()),
            v(format!("WO-{:05}", n + 1)),
            v(title),
            v(Secret(description)),
            v(status),
            v(kind),
            v(priority),
            v(place.customer),
            v(place.id),
            v(asset.id),
            v(place.contract),
            v(Secret(person(n + 200).full())),
            v(phone(&mut context.dice)),
            v(start),
            v(start + TimeDelta::hours(hours)),
            v(completed),
            v(Hundredths(hours * 100)),
            v(clerk),
            v(clerk),
            v(made),
            v(completed.unwrap_or(made)),
        ]);
        orders.push(Order {
            id,
            customer: place.customer,
            asset,
            kind,
            status,
            day,
            worked: BTreeMap::new(),
        });
    }
    (orders, rows)
}

fn status(context: &mut Context, day: NaiveDate) -> i64 {
    let age = (context.anchor - day).num_days();
    let chance = context.dice.between(1, 100);
    match (age, chance) {
        (..0, 1..=12) => NEW,
        (..0, _) => SCHEDULED,
        (0, _) | (1..=7, 5..=20) => IN_PROGRESS,
        (_, 1..=4) => CANCELLED,
        (1..=7, 21..=28) | (_, 5..=6) => ON_HOLD,
        (1..=7, _) | (_, 7..=14) => COMPLETED,
        _ => INVOICED,
    }
}

/// Teams of two work through the orders. The hours of a day vary around those of the contract.
fn work_times(context: &mut Context, people: &People, orders: &mut [Order]) -> Rows {
    let mut rows = Rows::of(
        "workTime",
        &[
            "id",
            "companyId",
            "employeeId",
            "workOrderId",
            "workDate",
            "startsAt",
            "endsAt",
            "hours",
            "travelHours",
            "isApproved",
            "approvedBy",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    );
    let first = orders.first().map_or(context.anchor, |order| order.day);
    let days = first
        .iter_days()
        .take_while(|day| *day <= context.anchor)
        .filter(|day| is_workday(*day));
    for (nth_day, day) in days.collect::<Vec<_>>().into_iter().enumerate() {
        let is_due = |order: &Order| {
            let age = (day - order.day).num_days();
            // Weekends are skipped.
            (0..PLANNED_DAYS).contains(&age) || (age == 3 && nth_day % 5 == 0)
        };
        let due = orders
            .iter()
            .enumerate()
            .filter(|(_, order)| order.status != CANCELLED && is_due(order));
        let due: Vec<usize> = due.map(|(at, _)| at).collect();
        for (nth, employee) in people.field() {
            let gone = employee.left_on.is_some_and(|left| left < day);
            if gone || employee.away.contains(&day) || due.is_empty() {
                continue;
            }
            let jobs = context
                .dice
                .pick(&[2, 2, 3, 3, 3, 3, 3, 3, 3, 4])
                .min(due.len());
            let mut quarters = day_quarters(context, nth, nth_day, employee.is_apprentice);
            let mut start = at(day, 7) + TimeDelta::minutes(30);
            for job in 0..jobs {
                let left = index(jobs - job);
                let own = if left == 1 {
                    quarters
                } else {
                    quarters / left + context.dice.between(-2, 2)
                };
                quarters -= own;
                let order = &mut orders[due[(nth / 2 * 3 + nth_day + job) % due.len()]];
                *order.worked.entry(employee.id).or_default() += own;
                let end = start + TimeDelta::minutes(15 * own);
                let approved = day < context.anchor - TimeDelta::days(5);
                let hundredths = |quarters: i64| Hundredths(quarters * 25);
                rows.push([
                    v(context.id(rows.rows.len())),
                    v(context.company()),
                    v(employee.id),
                    v(order.id),
                    v(day),
                    v(start),
                    v(end),
                    v(hundredths(own)),
                    v(hundredths(context.dice.between(1, 3).min(own))),
                    v(approved),
                    v(approved.then(|| people.dispatcher())),
                    v(employee.user),
                    v(employee.user),
                    v(at(day, 18)),
                    v(at(day, 18)),
                ]);
                start = end;
            }
        }
    }
    rows
}

/// Number of quarter-hours that an employee works on a day. Two employees work long days, a third
/// one every other week.
fn day_quarters(context: &mut Context, nth: usize, nth_day: usize, is_apprentice: bool) -> i64 {
    let extra = match nth {
        4 | 7 => context.dice.between(4, 8),
        9 if (nth_day / 5).is_multiple_of(2) => context.dice.between(2, 6),
        _ => 0,
    };
    let usual = if is_apprentice {
        30
    } else {
        context.dice.between(30, 33)
    };
    usual + extra
}

/// The crews of past and future orders.
fn crews(context: &mut Context, people: &People, orders: &[Order]) -> Vec<Rows> {
    let mut crews = Rows::of(
        "crew",
        &[
            "id",
            "companyId",
            "workOrderId",
            "name",
            "startsOn",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    );
    let mut members = Rows::of(
        "employeeCrew",
        &[
            "id",
            "companyId",
            "crewId",
            "employeeId",
            "isLead",
            "createdAt",
        ],
    );
    let mut plan = Rows::of(
        "schedule",
        &[
            "id",
            "companyId",
            "employeeId",
            "workOrderId",
            "startsAt",
            "endsAt",
            "status",
        ],
    );
    let present: Vec<i64> = people
        .field()
        .filter(|(_, e)| e.left_on.is_none())
        .map(|(_, e)| e.id)
        .collect();
    for order in orders {
        let planned = || -> BTreeSet<i64> {
            let at = usize::try_from(order.id).unwrap_or(0);
            [
                present[at % present.len()],
                present[(at + 1) % present.len()],
            ]
            .into()
        };
        let crew_members: BTreeSet<i64> = match order.status {
            SCHEDULED => planned(),
            _ => order.worked.keys().copied().collect(),
        };
        if crew_members.is_empty() {
            continue;
        }
        let id = context.id(crews.rows.len());
        let clerk = context.dice.pick(&people.office_users);
        let made = at(later(order.day, -1), 15);
        crews.push([
            v(id),
            v(context.company()),
            v(order.id),
            v(format!("Crew {}", crews.rows.len() + 1)),
            v(order.day),
            v(clerk),
            v(clerk),
            v(made),
            v(made),
        ]);
        for (nth, member) in crew_members.into_iter().enumerate() {
            members.push([
                v(context.id(members.rows.len())),
                v(context.company()),
                v(id),
                v(member),
                v(nth == 0),
                v(made),
            ]);
            if nth < 2 {
                let status = match order.status {
                    SCHEDULED => context.dice.pick(&["planned", "confirmed"]),
                    IN_PROGRESS | ON_HOLD => "confirmed",
                    _ => "done",
                };
                plan.push([
                    v(context.id(plan.rows.len())),
                    v(context.company()),
                    v(member),
                    v(order.id),
                    v(at(order.day, 8)),
                    v(at(order.day, 12)),
                    v(status),
                ]);
            }
        }
    }
    vec![crews, members, plan]
}
