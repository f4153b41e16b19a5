//! Executes accepted statements and checks that they read only permitted data.
//!
//! Statements are generated, mutated and garbled. Those that the guard accepts for tenant A run on
//! PostgreSQL and `MariaDB`, with a role that can read only the replacements of the tenant's
//! tables. None may fail because of a missing permission or name an object that does not exist.
//! Each runs in two databases, which differ in the rows of tenant B, in unreadable tables and in
//! columns that are not in the schema. The rows must be the same in both; not even a count may
//! depend on B.
//!
//! `PROPTEST_CASES` sets the number of statements; the default takes about ten seconds.

mod databases;
mod grammar;

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use sql_guard::{Dialect, Guard, Policy, RowFilter, Schema, Tenant};

use databases::{Outcome, Pair};
use grammar::{Grammar, TABLES};

/// Number of generated statements if the environment sets none.
const CASES: u32 = 1500;

fn guard() -> Guard {
    let schema = Schema::new(TABLES.iter().map(|table| (table.name, table.columns()))).unwrap();
    let mut policy = Policy::new(100_000);
    for (table, view) in [
        ("employee", "secure_employee"),
        ("customer", "secure_customer"),
    ] {
        policy
            .secure_views
            .insert(table.to_owned(), view.to_owned());
    }
    for table in ["employee", "customer", "inspection", "workOrder"] {
        policy
            .row_filters
            .insert(table.to_owned(), "company_id".into());
    }
    let through = |column: &str, parent: &str| RowFilter::Through {
        column: column.to_owned(),
        parent: parent.to_owned(),
        parent_column: "id".to_owned(),
    };
    for (table, filter) in [
        ("workOrderLine", through("workOrderId", "workOrder")),
        ("part", through("lineId", "workOrderLine")),
    ] {
        policy.row_filters.insert(table.to_owned(), filter);
    }
    policy.shared_tables = Some(["note".to_owned(), "crew".to_owned()].into());
    Guard::new(&schema, policy.for_tenant(Tenant::text("A").unwrap())).unwrap()
}

/// Number of statements by outcome.
#[derive(Default)]
struct Tally(BTreeMap<String, usize>);

impl Tally {
    fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    fn of(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or_default()
    }
}

/// Words of statements whose results depend on the order of rows, on the clock or on chance.
const UNSTABLE: &[&str] = &[
    "user",
    "rand",
    "uuid",
    "now",
    "current_",
    "localtime",
    "_timestamp",
    "sysdate",
    "curdate",
    "curtime",
    "utc_",
    "row_number",
    "rank",
    "ntile",
    "lag",
    "lead",
    "_value",
    "group_concat",
    "_agg",
    "limit ",
    "fetch ",
    "distinct on",
    "offset",
    "cume_dist",
    "std",
    "var",
    "avg",
    "rows between",
];

/// Whether a statement, as written, has exactly one result. What the guard adds (fences, the row
/// limit) does not change that.
fn stable(sql: &str) -> bool {
    let sql = sql.to_lowercase();
    !UNSTABLE.iter().any(|word| sql.contains(word))
}

fn hold(dialect: Dialect, pair: &mut Pair) {
    #[expect(
        clippy::disallowed_methods,
        reason = "the number of cases is a setting of the test runner"
    )]
    let wished = std::env::var("PROPTEST_CASES");
    let cases = wished
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(CASES);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let guard = guard();
    let tally = std::cell::RefCell::new(Tally::default());
    let pair = std::cell::RefCell::new(pair);
    let statements = any::<u64>().prop_map(move |seed| Grammar::new(seed, dialect).statement());
    let held = runner.run(&statements, |sql| {
        let mut tally = tally.borrow_mut();
        tally.count("statements");
        let checked = match guard.check(&sql, dialect) {
            Ok(checked) => checked,
            Err(findings) => {
                tally.count(format!("refused: {:?}", findings[0].kind));
                return Ok(());
            }
        };
        tally.count("accepted");
        let (full, alone) = pair.borrow_mut().run(&checked.sql);
        for outcome in [&full, &alone] {
            if let Outcome::Refused(code, message) = outcome {
                tally.count(format!(
                    "{code}: {}",
                    message.chars().take(60).collect::<String>()
                ));
                let fault = format!("{sql}\n  {}\n  {code} {message}", checked.sql);
                // MariaDB does not find every common table expression in scope. No table has such a
                // name.
                let unseen = message.contains("`cte_") || message.contains(".cte_");
                let forbidden = databases::is_forbidden(dialect, code) && !unseen;
                prop_assert!(!forbidden, "{}", fault);
            }
        }
        if let (Outcome::Rows(full), Outcome::Rows(alone)) = (&full, &alone) {
            tally.count("executed");
            if stable(&sql) {
                tally.count("compared");
                if full != alone {
                    let fault = format!("{sql}\n  {}\n  {full:?}\n  {alone:?}", checked.sql);
                    return Err(TestCaseError::fail(fault));
                }
            }
        }
        Ok(())
    });
    let tally = tally.into_inner();
    #[expect(clippy::print_stdout, reason = "output for --nocapture")]
    {
        println!("{dialect:?}: {:#?}", tally.0);
    }
    held.unwrap();
    let share = |what: &str| tally.of(what) * 100 / tally.of("statements").max(1);
    assert!(
        share("executed") >= 15,
        "statements must be worth executing"
    );
    assert!(share("compared") >= 8, "and worth comparing");
}

#[test]
fn accepted_statements_touch_only_what_they_may_in_postgresql() {
    hold(Dialect::PostgreSql, &mut Pair::postgresql());
}

#[test]
fn accepted_statements_touch_only_what_they_may_in_mariadb() {
    hold(Dialect::MySql, &mut Pair::mariadb());
}
