//! Users, employees, their skills, absence and vehicles.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::lookups::{APPRENTICE, DISPATCHER, ESTIMATOR, MANAGER, OFFICE, SKILLS, TECHNICIAN};
use super::names::{CITIES, Person, person, phone, street};
use super::{Context, PAST, at, index, later};
use crate::rows::{Hundredths, Rows, Secret, v};

/// The staff of a company: technicians, some of whom have left, and others.
const TECHNICIANS: usize = 12;
const APPRENTICES: usize = 3;
const OTHERS: [i64; 5] = [DISPATCHER, DISPATCHER, ESTIMATOR, MANAGER, OFFICE];

const VANS: [(&str, &str); 3] = [
    ("VW", "Transporter"),
    ("Ford", "Transit"),
    ("Opel", "Vivaro"),
];

/// The employees, as the other generators need them.
pub(super) struct People {
    pub employees: Vec<Employee>,
    /// The user accounts of the office staff.
    pub office_users: Vec<i64>,
    pub rows: Vec<Rows>,
}

pub(super) struct Employee {
    pub id: i64,
    pub user: i64,
    pub is_field: bool,
    pub is_apprentice: bool,
    pub left_on: Option<NaiveDate>,
    /// Days of approved absence.
    pub away: BTreeSet<NaiveDate>,
}

impl People {
    pub(super) fn field(&self) -> impl Iterator<Item = (usize, &Employee)> {
        self.employees
            .iter()
            .filter(|employee| employee.is_field)
            .enumerate()
    }

    /// The dispatcher, who approves requests and manages the stock.
    pub(super) fn dispatcher(&self) -> i64 {
        self.employees[TECHNICIANS + APPRENTICES].id
    }
}

pub(super) fn make(context: &mut Context) -> People {
    let mut people = People {
        employees: Vec::new(),
        office_users: Vec::new(),
        rows: Vec::new(),
    };
    let technicians = [TECHNICIAN; TECHNICIANS];
    let roles = technicians
        .into_iter()
        .chain([APPRENTICE; APPRENTICES])
        .chain(OTHERS);
    let roles: Vec<i64> = roles.collect();
    let (users, employees) = accounts(context, &roles, &mut people);
    let time_off = time_off(context, &mut people);
    let skills = skills(context, &people);
    let (vehicles, assignments) = vehicles(context, &people);
    let rule = overtime_rule(context);
    people.rows = vec![
        users,
        employees,
        skills,
        time_off,
        rule,
        vehicles,
        assignments,
    ];
    people
}

fn accounts(context: &mut Context, roles: &[i64], people: &mut People) -> (Rows, Rows) {
    let (mut users, mut employees) = (user_table(), employee_table());
    let company = context.company();
    for (n, role) in roles.iter().copied().enumerate() {
        let id = context.id(n);
        let Person { first, last } = person(n + usize::try_from(company).unwrap_or(0) * 45);
        let email = Person { first, last }.email(context.company.domain);
        // Those who left are technicians. They left at different times within the year.
        let left_on = (n < context.company.leavers).then(|| context.days_ago(40 + index(n) * 70));
        let hired = context.some_day(500, 3800);
        let made = at(hired, 8);
        let active = left_on.is_none();
        let seen = active.then(|| at(context.some_day(0, 9), 7));
        let secret = |text: &str| Secret(text.to_owned());
        users.push([
            v(id),
            v(company),
            v(role),
            v(secret(first)),
            v(secret(last)),
            v(email.clone()),
            v(active),
            v(seen),
            v(made),
            v(made),
        ]);
        let rate = match role {
            TECHNICIAN => context.dice.between(46, 68) * 50,
            APPRENTICE => 1_450,
            MANAGER => 5_200,
            _ => context.dice.between(48, 60) * 50,
        };
        let city = context.dice.pick(&CITIES);
        let address = Secret(format!("{}, {}", street(&mut context.dice).0, city.0));
        let number = format!("E-{:03}", n + 1);
        employees.push([
            v(id),
            v(company),
            v(id),
            v(role),
            v(number),
            v(secret(first)),
            v(secret(last)),
            v(email),
            v(phone(&mut context.dice)),
            v(address),
            v(Secret(Hundredths(rate).to_string())),
            v(Hundredths(4_000)),
            v(hired),
            v(left_on),
            v(active),
            v(context.id(18)),
            v(context.id(18)),
            v(made),
            v(made),
        ]);
        people.employees.push(Employee {
            id,
            user: id,
            is_field: matches!(role, TECHNICIAN | APPRENTICE),
            is_apprentice: role == APPRENTICE,
            left_on,
            away: BTreeSet::new(),
        });
        if matches!(role, DISPATCHER | OFFICE) {
            people.office_users.push(id);
        }
    }
    (users, employees)
}

fn user_table() -> Rows {
    Rows::of(
        "user",
        &[
            "id",
            "companyId",
            "roleId",
            "firstName",
            "lastName",
            "email",
            "isActive",
            "lastLoginAt",
            "createdAt",
            "updatedAt",
        ],
    )
}

fn employee_table() -> Rows {
    Rows::of(
        "employee",
        &[
            "id",
            "companyId",
            "userId",
            "roleId",
            "employeeNumber",
            "firstName",
            "lastName",
            "email",
            "phone",
            "address",
            "hourlyRate",
            "weeklyHours",
            "hiredOn",
            "leftOn",
            "isActive",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    )
}

fn time_off(context: &mut Context, people: &mut People) -> Rows {
    let mut rows = Rows::of(
        "timeOff",
        &[
            "id",
            "companyId",
            "employeeId",
            "type",
            "startsOn",
            "endsOn",
            "status",
            "approvedBy",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    );
    let dispatcher = people.dispatcher();
    for employee in &mut people.employees {
        for (kind, length) in [
            ("vacation", 9),
            ("vacation", 4),
            ("sick", 2),
            ("training", 1),
        ] {
            let start = context.some_day(-20, i64::try_from(PAST).unwrap_or(0));
            let end = later(start, length);
            let asked = context.dice.percent(8) && start > context.anchor;
            if !asked {
                employee
                    .away
                    .extend(start.iter_days().take_while(|day| *day <= end));
            }
            let (status, by) = if asked {
                ("requested", None)
            } else {
                ("approved", Some(dispatcher))
            };
            let made = at(later(start, -14), 10);
            rows.push([
                v(context.id(rows.rows.len())),
                v(context.company()),
                v(employee.id),
                v(kind),
                v(start),
                v(end),
                v(status),
                v(by),
                v(employee.user),
                v(employee.user),
                v(made),
                v(made),
            ]);
        }
    }
    rows
}

fn skills(context: &mut Context, people: &People) -> Rows {
    let mut rows = Rows::of(
        "employeeSkill",
        &[
            "id",
            "companyId",
            "employeeId",
            "skillId",
            "level",
            "certifiedUntil",
        ],
    );
    for (n, employee) in people.field() {
        let count = if employee.is_apprentice { 1 } else { 3 };
        for offset in 0..count {
            let skill = index((n * 3 + offset * 2) % SKILLS) + 1;
            let until = (skill != 7).then(|| later(context.anchor, context.dice.between(-30, 700)));
            rows.push([
                v(context.id(rows.rows.len())),
                v(context.company()),
                v(employee.id),
                v(skill),
                v(context.dice.between(1, 3)),
                v(until),
            ]);
        }
    }
    rows
}

fn vehicles(context: &mut Context, people: &People) -> (Rows, Rows) {
    let mut vehicles = Rows::of(
        "vehicle",
        &[
            "id",
            "companyId",
            "registration",
            "make",
            "model",
            "modelYear",
            "mileageKm",
            "nextServiceOn",
            "isActive",
        ],
    );
    let mut assignments = Rows::of(
        "vehicleAssignment",
        &[
            "id",
            "companyId",
            "vehicleId",
            "employeeId",
            "assignedFrom",
            "assignedUntil",
        ],
    );
    for (n, employee) in people
        .field()
        .filter(|(_, employee)| !employee.is_apprentice)
    {
        let id = context.id(n);
        let (make, model) = VANS[n % VANS.len()];
        vehicles.push([
            v(id),
            v(context.company()),
            v(format!("HH-FS {}", 100 + id % 900)),
            v(make),
            v(model),
            v(context.dice.between(2017, 2024)),
            v(context.dice.between(12, 190) * 1000),
            v(later(context.anchor, context.dice.between(-10, 200))),
            v(true),
        ]);
        assignments.push([
            v(id),
            v(context.company()),
            v(id),
            v(employee.id),
            v(context.some_day(370, 480)),
            v(employee.left_on),
        ]);
    }
    (vehicles, assignments)
}

fn overtime_rule(context: &Context) -> Rows {
    let mut rows = Rows::of(
        "overtimeRule",
        &[
            "id",
            "companyId",
            "name",
            "weeklyThresholdHours",
            "multiplier",
            "validFrom",
        ],
    );
    rows.push([
        v(context.id(0)),
        v(context.company()),
        v("Weekly overtime"),
        v(Hundredths(4_000)),
        v(Hundredths(150)),
        v(context.days_ago(1500)),
    ]);
    rows
}
