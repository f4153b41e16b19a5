//! Generates two fictitious companies and a year of their work. The same seed and day give the same
//! rows.

mod customers;
mod dice;
mod lookups;
mod money;
mod names;
mod people;
mod reports;
mod stock;
mod work;

use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, Weekday};

use crate::rows::{Rows, v};
use dice::Dice;

/// The companies: id, name, legal name, number of technicians who have left.
const COMPANIES: [Company; 2] = [
    Company {
        id: crate::DEMO_COMPANY,
        name: "Northwind Field Service",
        legal_name: "Northwind Field Service GmbH",
        domain: "northwind.example",
        leavers: 2,
    },
    Company {
        id: crate::RIVAL_COMPANY,
        name: "Rival Technics",
        legal_name: "Rival Technics AG",
        domain: "rival.example",
        leavers: 3,
    },
];

/// The distance between the id ranges of two companies.
const ID_SPAN: i64 = 1_000_000;
/// Number of days in the past that the data cover.
const PAST: u64 = 364;
/// Number of days in the future for which work is planned.
const AHEAD: u64 = 30;

struct Company {
    id: i64,
    name: &'static str,
    legal_name: &'static str,
    domain: &'static str,
    leavers: usize,
}

/// The state for generating the rows of one company.
struct Context {
    company: &'static Company,
    anchor: NaiveDate,
    dice: Dice,
}

/// All rows, ordered so that each row refers only to earlier ones.
pub(crate) fn all(anchor: NaiveDate, seed: u64) -> Vec<Rows> {
    let mut all = lookups::all();
    let mut companies = Rows::of(
        "company",
        &[
            "id",
            "name",
            "legalName",
            "timezone",
            "currency",
            "createdAt",
        ],
    );
    for company in &COMPANIES {
        companies.push([
            v(company.id),
            v(company.name),
            v(company.legal_name),
            v("Europe/Berlin"),
            v("EUR"),
            v(at(anchor - Days::new(2000), 9)),
        ]);
    }
    all.push(companies);
    for company in &COMPANIES {
        let dice = Dice::new(seed.wrapping_add(company.id.unsigned_abs()));
        all.extend(of_company(Context {
            company,
            anchor,
            dice,
        }));
    }
    all
}

fn of_company(mut context: Context) -> Vec<Rows> {
    let people = people::make(&mut context);
    let customers = customers::make(&mut context, &people);
    let stock = stock::make(&mut context, &people);
    let work = work::make(&mut context, &people, &customers);
    let reports = reports::make(&mut context, &work);
    let money = money::make(&mut context, &people, &customers, &stock, &work);
    [
        people.rows,
        customers.rows,
        stock.rows,
        work.rows,
        reports,
        money,
    ]
    .concat()
}

impl Context {
    /// The id of the `n`th row of a table, from 1.
    fn id(&self, n: usize) -> i64 {
        (self.company.id - 1) * ID_SPAN + 1 + index(n)
    }

    fn company(&self) -> i64 {
        self.company.id
    }

    /// The id of a random row among the first `count` of a table.
    fn some_id(&mut self, count: usize) -> i64 {
        let n = self.dice.index(count);
        self.id(n)
    }

    /// A random day between `least` and `most` days ago.
    fn some_day(&mut self, least: i64, most: i64) -> NaiveDate {
        let days = self.dice.between(least, most);
        self.days_ago(days)
    }

    fn days_ago(&self, days: i64) -> NaiveDate {
        later(self.anchor, -days)
    }
}

/// An index as a number.
fn index(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn later(day: NaiveDate, days: i64) -> NaiveDate {
    let distance = Days::new(days.unsigned_abs());
    if days < 0 {
        day - distance
    } else {
        day + distance
    }
}

/// A full hour of a day.
fn at(day: NaiveDate, hour: u32) -> NaiveDateTime {
    day.and_time(NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default())
}

fn is_workday(day: NaiveDate) -> bool {
    !matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::rows::Value;

    fn friday() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, 13).unwrap()
    }

    #[test]
    fn the_same_parameters_give_the_same_rows() {
        assert_eq!(all(friday(), 1), all(friday(), 1));
        assert_ne!(all(friday(), 1), all(friday(), 2));
    }

    #[test]
    fn ids_are_unique_and_of_the_right_company() {
        let mut ids: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
        for rows in all(friday(), 1) {
            let company = rows.columns.iter().position(|name| *name == "companyId");
            for row in &rows.rows {
                let Value::Integer(id) = row[0] else {
                    panic!("{}: {row:?}", rows.table)
                };
                assert!(
                    ids.entry(rows.table).or_default().insert(id),
                    "{} {id}",
                    rows.table
                );
                if let Some(company) = company {
                    let expected = Value::Integer((id - 1) / ID_SPAN + 1);
                    assert_eq!(row[company], expected, "{}", rows.table);
                }
            }
        }
        assert_eq!(ids.len(), 45);
    }

    #[test]
    fn any_day_works_as_anchor() {
        // A Saturday, a Sunday, a Monday.
        for days in 1..4 {
            let anchor = friday() + Days::new(days);
            let rows = all(anchor, days);
            let times = rows.iter().filter(|rows| rows.table == "workTime");
            let counts: Vec<usize> = times.map(|rows| rows.rows.len()).collect();
            assert!(
                counts.iter().all(|count| (8_000..12_000).contains(count)),
                "{counts:?}"
            );
        }
    }
}
