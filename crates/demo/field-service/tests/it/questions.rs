//! The example questions: every query passes the guard, runs, and returns rows of its own company
//! only.

use field_service::{POLICY, SECURE_VIEWS, TENANTS, questions};
use sql_guard::{Dialect, Guard, Policy, RowFilter, Schema, Tenant};
use sqlx::{AssertSqlSafe, MySqlConnection, Row};
use targets::PolicyFile;
use targets::dates::DateTemplate;
use test_support::mariadb::TestMariaDb;

use crate::support::{demonstration, reader, today};

/// The guard of the policy file for a company.
async fn guard(connection: &mut MySqlConnection, company: i64) -> Guard {
    let query = "SELECT CONVERT(table_name USING utf8mb4), CONVERT(column_name USING utf8mb4) FROM information_schema.columns \
        WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position";
    let columns: Vec<(String, String)> = sqlx::query_as(query).fetch_all(connection).await.unwrap();
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for (table, column) in columns {
        if SECURE_VIEWS.iter().any(|(_, view)| *view == table) || table == "demoLoad" {
            continue;
        }
        match tables.last_mut() {
            Some((name, columns)) if *name == table => columns.push(column),
            _ => tables.push((table, vec![column])),
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.toml");
    std::fs::write(&path, POLICY).unwrap();
    let file = PolicyFile::load(&path).unwrap();
    let mut policy = Policy::new(100);
    policy.secure_views = SECURE_VIEWS
        .map(|(table, view)| (table.to_owned(), view.to_owned()))
        .into();
    policy.row_filters = file.row_filters;
    policy.shared_tables = file.shared_tables;
    let schema = Schema::new(tables).unwrap();
    Guard::new(&schema, policy.for_tenant(Tenant::integer(company))).unwrap()
}

/// The rows of a query for a company, with every value as text.
async fn answer(database: &TestMariaDb, sql: &str, company: i64) -> Vec<Vec<Option<String>>> {
    let mut reader = reader(database).await;
    let guard = guard(&mut reader, company).await;
    let checked = guard
        .check(sql, Dialect::MySql)
        .unwrap_or_else(|findings| unreachable!("{sql}: {findings:?}"));
    let rows = sqlx::query(AssertSqlSafe(checked.sql.clone()))
        .fetch_all(&mut reader)
        .await;
    let rows = rows.unwrap_or_else(|error| unreachable!("{}: {error}", checked.sql));
    let value = |row: &sqlx::mysql::MySqlRow, column| {
        row.try_get_unchecked::<Option<String>, _>(column)
            .ok()
            .flatten()
    };
    rows.iter()
        .map(|row| (0..row.len()).map(|column| value(row, column)).collect())
        .collect()
}

/// The query on the day that the data treat as today.
fn on_today(sql: &str) -> String {
    let template = DateTemplate::parse(sql).unwrap();
    template.resolve(today()).unwrap()
}

#[tokio::test]
async fn a_question_that_names_a_period_follows_the_calendar() {
    let today = "2026-11-22".parse().unwrap();
    let named: Vec<(String, String)> = questions()
        .unwrap()
        .into_iter()
        .flat_map(|question| {
            // Bound dates are not changed: every period has its days.
            let bound = targets::dates::bind(&question.question, &question.sql, today).unwrap();
            assert_eq!(bound.sql, question.sql);
            assert!(!question.sql.contains("CURDATE") && !question.sql.contains("NOW("));
            let template = DateTemplate::parse(&question.sql).unwrap();
            let periods = targets::dates::periods(&question.question, &template, today);
            assert_eq!(periods.len(), bound.words.len(), "{}", question.question);
            periods.into_iter().map(|period| {
                let days = [period.from, period.until];
                let days = days.map(|day| day.map_or_else(String::new, |day| day.to_string()));
                (period.words, days.join(" "))
            })
        })
        .collect();
    let days = |words: &str| {
        let found = named.iter().find(|(named, _)| named == words);
        found.map(|(_, days)| days.as_str())
    };
    assert_eq!(days("this year"), Some("2026-01-01 2026-12-31"));
    assert_eq!(days("last week"), Some("2026-11-09 2026-11-15"));
    assert_eq!(days("next week"), Some("2026-11-23 2026-11-29"));
    assert_eq!(days("next 7 days"), Some("2026-11-23 2026-11-29"));
}

/// Gymnasium Kaiser has 28 work orders in the year from today, including planned ones.
#[tokio::test]
async fn this_year_is_the_calendar_year() {
    let database = demonstration().await;
    let questions = questions().unwrap();
    let asked = "Which customers have the most work orders this year?";
    let question = questions.iter().find(|one| one.question == asked).unwrap();
    let told = answer(&database, &on_today(&question.sql), 1).await;
    let year = chrono::Datelike::year(&today());
    let counted = format!(
        "SELECT c.name AS customer, COUNT(*) AS workOrders FROM workOrder o JOIN customer c ON c.id = o.customerId \
         WHERE YEAR(o.scheduledStart) = {year} GROUP BY c.id, c.name ORDER BY workOrders DESC, customer LIMIT 10"
    );
    assert_eq!(told, answer(&database, &counted, 1).await);
}

#[tokio::test]
async fn every_question_is_answered_for_both_companies() {
    let database = demonstration().await;
    let questions = questions().unwrap();
    assert!(questions.len() >= 12);
    for question in questions {
        let sql = on_today(&question.sql);
        let [one, two] = TENANTS.map(|(_, company)| answer(&database, &sql, company));
        let (one, two) = (one.await, two.await);
        println!(
            "{}: {} and {} rows",
            question.question,
            one.len(),
            two.len()
        );
        assert!(!one.is_empty() && !two.is_empty(), "{}", question.question);
        assert_ne!(one, two, "{}", question.question);
    }
}

#[tokio::test]
async fn the_example_question_has_the_expected_answer() {
    let database = demonstration().await;
    let question = &questions().unwrap()[0];
    assert_eq!(question.question, "How many technicians are active?");
    let active = |company| answer(&database, &question.sql, company);
    // The protocol of prepared statements returns a count in binary, so the query casts it to text.
    let mut reader = reader(&database).await;
    let guard = guard(&mut reader, 1).await;
    let checked = guard.check(&question.sql, Dialect::MySql).unwrap();
    let count: i64 = sqlx::query_scalar(AssertSqlSafe(checked.sql.clone()))
        .fetch_one(&mut reader)
        .await
        .unwrap();
    assert_eq!(count, 10);
    assert_eq!(active(1).await.len(), 1);
}

#[tokio::test]
async fn the_policy_file_names_every_table_and_view() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.toml");
    std::fs::write(&path, POLICY).unwrap();
    let policy = PolicyFile::load(&path).unwrap();
    let shared = policy.shared_tables.unwrap();
    for table in field_service::TABLES {
        assert!(
            policy.row_filters.contains_key(table) ^ shared.contains(table),
            "{table}"
        );
    }
    assert_eq!(
        policy.row_filters.len() + shared.len(),
        field_service::TABLES.len()
    );
    assert!(policy.row_filters.iter().all(|(table, filter)| {
        *filter
            == RowFilter::Column(
                if table == "company" {
                    "id"
                } else {
                    "companyId"
                }
                .to_owned(),
            )
    }));
    let expected = SECURE_VIEWS.map(|(table, view)| (table.to_owned(), view.to_owned()));
    assert_eq!(
        policy.secure_views,
        targets::SecureViews::Map(expected.into())
    );
}
