//! Figures of the data assistant over the same invoices in PostgreSQL, MariaDB and an SQLite file,
//! without a model, compared with sums of the rows made here: weeks over the ends of years, months,
//! quarters, the largest ones, averages, limits.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{Datelike, Days, NaiveDate};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, SqliteConnection};
use targets::TargetConfig;
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;
use tools::credentials::config::{KeyConfig, generate_key};

use crate::data_assistant::{agent_events_as, answer, rows};
use crate::demo_stack::DemoStack;

const TABLES: [&str; 2] = [
    "CREATE TABLE customer (id int PRIMARY KEY, name varchar(40) NOT NULL, country varchar(20) NOT NULL)",
    "CREATE TABLE invoice (id int PRIMARY KEY, customer_id int NOT NULL, issued_on date NOT NULL, amount decimal(10, 2) NOT NULL,
     FOREIGN KEY (customer_id) REFERENCES customer (id))",
];
const CUSTOMERS: [(&str, &str); 7] = [
    ("Ada", "UK"),
    ("Blaise", "FR"),
    ("Charles", "UK"),
    ("Dorothy", "US"),
    ("Emmy", "DE"),
    ("Felix", "DE"),
    ("Grace", "US"),
];
/// Days around the ends of years: week 53 of 2020 has the first three days of 2021.
const ENDS: [&str; 10] = [
    "2020-12-27",
    "2020-12-28",
    "2020-12-31",
    "2021-01-01",
    "2021-01-03",
    "2021-01-04",
    "2021-12-31",
    "2022-01-01",
    "2022-01-02",
    "2022-01-03",
];

struct Invoice {
    customer: usize,
    issued_on: NaiveDate,
    cents: i64,
}

fn invoices() -> Vec<Invoice> {
    let first = NaiveDate::from_ymd_opt(2020, 11, 2).unwrap();
    let ends = ENDS.iter().map(|day| day.parse().unwrap());
    let others = (0..50).map(|at| first + Days::new(at * 37 % 500));
    let days = ends.chain(others).zip(0_i64..);
    days.map(|(issued_on, at)| Invoice {
        customer: usize::try_from(at * at % 11).unwrap() % CUSTOMERS.len(),
        issued_on,
        cents: 1_000 + at * 7_919 % 50_000,
    })
    .collect()
}

fn statements() -> Vec<String> {
    let customers = CUSTOMERS.iter().zip(1..);
    let customers = customers.map(|((name, country), id)| {
        format!("INSERT INTO customer VALUES ({id}, '{name}', '{country}')")
    });
    let invoices = invoices();
    let invoices = invoices.iter().zip(1..).map(|(one, id)| {
        let (customer, day) = (one.customer + 1, one.issued_on);
        let (whole, part) = (one.cents / 100, one.cents % 100);
        format!("INSERT INTO invoice VALUES ({id}, {customer}, '{day}', {whole}.{part:02})")
    });
    let tables = TABLES.iter().map(|&table| table.to_owned());
    tables.chain(customers).chain(invoices).collect()
}

/// Rows as texts, numbers with two decimals.
type Rows = Vec<Vec<String>>;

fn number(cents: f64) -> String {
    format!("{:.2}", cents / 100.0)
}

fn count(rows: usize) -> String {
    format!("{rows}.00")
}

/// Computes a figure of the invoices of a group.
type Figure = fn(&[&Invoice]) -> String;

fn counted(of: &[&Invoice]) -> String {
    count(of.len())
}

fn cents(of: &[&Invoice]) -> f64 {
    of.iter().map(|one| one.cents).sum::<i64>() as f64
}

fn total(of: &[&Invoice]) -> String {
    number(cents(of))
}

fn average(of: &[&Invoice]) -> String {
    number(cents(of) / of.len() as f64)
}

/// A figure of each group, in the order of their keys.
fn grouped<'i>(
    all: impl IntoIterator<Item = &'i Invoice>,
    key: impl Fn(&Invoice) -> Vec<String>,
    figure: Figure,
) -> Rows {
    let mut groups: BTreeMap<Vec<String>, Vec<&Invoice>> = BTreeMap::new();
    for one in all {
        groups.entry(key(one)).or_default().push(one);
    }
    let rows = groups.into_iter().map(|(mut key, of)| {
        key.push(figure(&of));
        key
    });
    rows.collect()
}

fn whole(number: impl TryInto<usize, Error: std::fmt::Debug>) -> String {
    count(number.try_into().unwrap())
}

fn year(of: &Invoice) -> Vec<String> {
    vec![whole(of.issued_on.year())]
}

fn quarter(of: &Invoice) -> Vec<String> {
    vec![
        whole(of.issued_on.year()),
        whole(of.issued_on.month0() / 3 + 1),
    ]
}

fn month(of: &Invoice) -> Vec<String> {
    vec![whole(of.issued_on.year()), whole(of.issued_on.month())]
}

/// The Monday.
fn week(of: &Invoice) -> Vec<String> {
    let back = u64::from(of.issued_on.weekday().num_days_from_monday());
    vec![(of.issued_on - Days::new(back)).to_string()]
}

fn customer(of: &Invoice) -> Vec<String> {
    vec![CUSTOMERS[of.customer].0.to_owned()]
}

fn country(of: &Invoice) -> Vec<String> {
    vec![CUSTOMERS[of.customer].1.to_owned()]
}

/// The first rows by the last column.
fn top(mut rows: Rows, most: usize) -> Rows {
    rows.sort_by(|a, b| {
        let value = |row: &[String]| row.last().unwrap().parse::<f64>().unwrap();
        value(b).total_cmp(&value(a))
    });
    rows.truncate(most);
    rows
}

/// A question and its rows.
type Asked = (&'static str, Rows);

fn questions(all: &[Invoice]) -> Vec<Asked> {
    let of = |year: i32| all.iter().filter(move |one| one.issued_on.year() == year);
    let over: Vec<&Invoice> = all.iter().filter(|one| one.cents > 30_000).collect();
    let sums = |of: Vec<&Invoice>| grouped(of, customer, total);
    let many = grouped(all, customer, counted);
    let many = many
        .into_iter()
        .filter(|row| row[1].parse::<f64>().unwrap() > 8.0);
    let country_of = |name: &str| CUSTOMERS.iter().find(|one| one.0 == name).unwrap().1;
    let many = many.map(|row| vec![row[0].clone(), country_of(&row[0]).to_owned()]);
    vec![
        (
            "How many invoices are there per week?",
            grouped(all, week, counted),
        ),
        (
            "How many invoices are there per month?",
            grouped(all, month, counted),
        ),
        (
            "How many invoices are there per quarter?",
            grouped(all, quarter, counted),
        ),
        (
            "How many invoices are there per year?",
            grouped(all, year, counted),
        ),
        (
            "What is the total amount of invoices per week?",
            grouped(all, week, total),
        ),
        (
            "What is the average amount of invoices per week?",
            grouped(all, week, average),
        ),
        (
            "What is the total amount of invoices per quarter?",
            grouped(all, quarter, total),
        ),
        (
            "What is the total amount of invoices per month?",
            grouped(all, month, total),
        ),
        (
            "What is the total amount of invoices in 2021 per quarter?",
            grouped(of(2021), quarter, total),
        ),
        (
            "How many invoices in 2021 are there per week?",
            grouped(of(2021), week, counted),
        ),
        (
            "What is the average amount of invoices per customer?",
            grouped(all, customer, average),
        ),
        (
            "What is the average amount of invoices per country?",
            grouped(all, country, average),
        ),
        (
            "What is the total amount of invoices in 2021 per customer?",
            grouped(of(2021), customer, total),
        ),
        (
            "Top 5 customers by total amount of invoices in 2021",
            top(sums(of(2021).collect()), 5),
        ),
        (
            "Which 2 customers have the most invoices in 2021?",
            top(grouped(of(2021), customer, counted), 2),
        ),
        (
            "How many invoices have an amount over 300?",
            vec![vec![count(over.len())]],
        ),
        (
            "What is the total amount of invoices with an amount over 300?",
            vec![vec![total(&over)]],
        ),
        ("Which customers have more than 8 invoices?", many.collect()),
    ]
}

/// Questions of which it is also right to say that they cannot be answered by rules.
fn harder_questions(all: &[Invoice]) -> Vec<Asked> {
    let of_2021 = || all.iter().filter(|one| one.issued_on.year() == 2021);
    let best = || top(grouped(of_2021(), customer, total), 5);
    let sum = cents(&all.iter().collect::<Vec<_>>());
    let shares = grouped(all, customer, total).into_iter().map(|row| {
        let share = row[1].parse::<f64>().unwrap() * 10_000.0 / sum;
        vec![row[0].clone(), format!("{share:.2}")]
    });
    vec![
        ("Top 5 customers by revenue in 2021", best()),
        ("Top 5 customers by total amount in 2021", best()),
        (
            "What share of the total amount does each customer have?",
            shares.collect(),
        ),
        (
            "What percentage of the total amount of invoices is each customer?",
            Vec::new(),
        ),
    ]
}

fn text(value: &Value) -> String {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    match text.parse::<f64>() {
        Ok(number) => format!("{number:.2}"),
        Err(_) => text.strip_suffix("T00:00:00").unwrap_or(&text).to_owned(),
    }
}

/// Whether rows are the same but for the last digit: a file of SQLite has amounts as doubles.
fn are_alike(one: &[Vec<String>], other: &[Vec<String>]) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let is_alike = |(one, other): (&String, &String)| match (number(one), number(other)) {
        (Some(one), Some(other)) => (one - other).abs() < 0.011,
        _ => one == other,
    };
    let row_is_alike = |(one, other): (&Vec<String>, &Vec<String>)| {
        one.len() == other.len() && one.iter().zip(other).all(is_alike)
    };
    one.len() == other.len() && one.iter().zip(other).all(row_is_alike)
}

/// The fault in the answer to a question; `None` for a right one.
fn amiss((question, expected): &Asked, events: &[Value]) -> Option<String> {
    let row = |row: &Value| row.as_object().map(|row| row.values().map(text).collect());
    let mut found: Rows = rows(events).into_iter().filter_map(row).collect();
    let mut expected = expected.clone();
    if !question.starts_with("Top") {
        expected.sort();
        found.sort();
    }
    (!are_alike(&found, &expected)).then(|| {
        format!(
            "{question}\n  {found:?}\n  expected {expected:?}\n  {}\n",
            answer(events)
        )
    })
}

async fn sqlite(folder: &std::path::Path) -> String {
    let path = folder.join("shop.sqlite").to_string_lossy().into_owned();
    let mut connection = SqliteConnection::connect(&format!("sqlite://{path}?mode=rwc"))
        .await
        .unwrap();
    for statement in statements() {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_invoices_have_the_same_figures_in_each_database() {
    let postgresql = TestDatabase::empty().await.unwrap();
    let mariadb = TestMariaDb::empty().await.unwrap();
    let mut connection = MySqlConnection::connect(&mariadb.url()).await.unwrap();
    for statement in statements() {
        sqlx::raw_sql(AssertSqlSafe(statement.clone()))
            .execute(postgresql.pool())
            .await
            .unwrap();
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
    }
    let target = |tenant: &str, url: &str| TargetConfig {
        allow_writing_role: true,
        tenants: vec![tenant.to_owned()],
        ..TargetConfig::new(tenant, url.to_owned())
    };
    let targets = vec![
        target("postgresql", postgresql.url()),
        target("mariadb", &mariadb.url()),
    ];
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.tools.targets = targets;
        config
            .tools
            .credentials
            .keys
            .push(KeyConfig::new("test", generate_key()));
    }))
    .await;
    let scopes = ["chat", "tools:read", "targets:write"];
    stack
        .create_account_with("librarian", "sqlite", &scopes)
        .await;
    let librarian = stack.sign_in("librarian").await;
    let folder = tempfile::tempdir().unwrap();
    let file = sqlite(folder.path()).await;
    crate::targets::run(&librarian, &["load", "shop", &file, "--yes"])
        .await
        .unwrap();

    let all = invoices();
    let mut wrong = String::new();
    for tenant in ["postgresql", "mariadb", "sqlite"] {
        let token = stack.token_of_new(&format!("asker-{tenant}"), tenant).await;
        let questions = questions(&all);
        let must = questions.len();
        for (at, asked) in questions.iter().chain(&harder_questions(&all)).enumerate() {
            let events = agent_events_as(&stack, &token, &format!("{tenant}-{at}"), asked.0).await;
            let is_refused = at >= must && rows(&events).is_empty();
            if let Some(amiss) = amiss(asked, &events).filter(|_| !is_refused) {
                let _ = writeln!(wrong, "{tenant}: {amiss}");
            }
        }
        let most = "Which 2 customers have the most invoices in 2021?";
        let events = agent_events_as(&stack, &token, &format!("{tenant}-most"), most).await;
        let said = answer(&events);
        assert!(
            said.contains("have the most invoices in 2021: 8 each."),
            "{tenant}: {said}"
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
    stack.stop().await;
}
