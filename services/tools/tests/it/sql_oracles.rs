//! An answer never reveals what a statement does on rows that the tenant may not see: two databases
//! that differ only in another tenant's rows answer the same bytes, whatever fails, wherever.
//!
//! The constructions are kinds of failures, each in every position in which a database may evaluate
//! it, and some made by hand. Each fails on one row: that of the other tenant whose secret begins
//! as guessed. In the first database there is such a row, in the second it has another secret.

mod constructions;
mod worlds;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::sql_targets::Site;
use constructions::{Construction, constructions};
use worlds::{World, mariadb, postgresql};

/// The answers of `demo`, whose rows both databases have.
async fn answers(site: &Site, constructions: &[Construction], tenant: &str) -> Vec<Value> {
    let mut answers = Vec::new();
    for construction in constructions {
        let sql = &construction.sql;
        let mut answer = site.call(tenant, "run_sql", json!({ "sql": sql })).await;
        if let Some(result) = answer["result"].as_object_mut() {
            result.remove("elapsed_ms");
        }
        answers.push(answer);
    }
    answers
}

/// The beginnings of the fences of `MariaDB` and PostgreSQL.
const FENCES: [&str; 2] = [" LIMIT 9223372036854775807)", " UNION ALL SELECT NULL"];

/// A statement as it would be without its fences.
fn without_fences(sql: &str) -> String {
    let mut sql = sql.replace(FENCES[0], ")");
    while let Some(start) = sql.find(FENCES[1]) {
        let end = " OFFSET 0";
        let length = sql[start..].find(end).unwrap() + end.len();
        sql.replace_range(start..start + length, "");
    }
    sql
}

fn outcome(answer: &Value) -> &str {
    answer["result"]["outcome"].as_str().unwrap_or_default()
}

async fn nothing_is_told(worlds: [World; 2], dialect: &str) {
    let constructions = constructions(dialect);
    assert!(constructions.len() >= 200, "{}", constructions.len());
    let [one_world, other_world] = worlds;
    let one = one_world.site().await;
    let other = other_world.site().await;

    let (first, second) = (
        answers(&one, &constructions, "demo").await,
        answers(&other, &constructions, "demo").await,
    );
    let mut told = Vec::new();
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for ((construction, first), second) in constructions.iter().zip(&first).zip(&second) {
        *outcomes.entry(outcome(first)).or_default() += 1;
        let (first, second) = (first.to_string(), second.to_string());
        if first != second {
            told.push(format!(
                "{} in {}: {}\n  {first}\n  {second}",
                construction.kind, construction.position, construction.sql
            ));
        }
    }
    assert!(
        told.is_empty(),
        "{dialect}: {} of {} tell of another tenant's rows:\n{}",
        told.len(),
        constructions.len(),
        told.join("\n")
    );
    let ran = outcomes.get("rows").copied().unwrap_or_default();
    assert!(
        ran * 10 > constructions.len() * 9,
        "most must run for the suite to show anything: {outcomes:?}\n{}",
        constructions
            .iter()
            .zip(&first)
            .filter(|(_, answer)| outcome(answer) != "rows")
            .map(|(construction, answer)| format!("{}\n  {}", construction.sql, answer["message"]))
            .collect::<Vec<_>>()
            .join("\n")
    );

    // The constructions are worth something: the owner of the row does meet the failures.
    let failing: Vec<Construction> = constructions
        .iter()
        .filter(|construction| construction.fails)
        .cloned()
        .collect();
    let owner = answers(&one, &failing, "rival").await;
    let rejected = |answer: &&Value| outcome(answer) == "rejected";
    let failed = owner.iter().filter(rejected).count();
    assert!(
        failed * 10 > failing.len() * 8,
        "{failed} of {}",
        failing.len()
    );
    for (construction, answer) in failing.iter().zip(&owner) {
        let message = answer["message"].as_str().unwrap_or_default();
        let general = outcome(answer) != "rejected"
            || message.starts_with("The database could not work out the query for these rows");
        assert!(general, "{}: {message}", construction.sql);
        assert!(answer["result"].get("estimated_rows").is_none(), "{answer}");
    }

    // The probes find nothing because of the fences, so the rows have to be behind them.
    let merged: Vec<String> = first
        .iter()
        .filter_map(|answer| answer["result"]["sql"].as_str())
        .filter(|sql| sql.contains(FENCES[0]) || sql.contains(FENCES[1]))
        .map(without_fences)
        .collect();
    let (first, second) = (
        one_world.failures(&merged).await,
        other_world.failures(&merged).await,
    );
    let telling = first.iter().zip(&second).filter(|(a, b)| a != b).count();
    assert!(telling > 20, "{telling} of {}", merged.len());

    // Checked statements are not run: they cannot reveal rows at all.
    for construction in constructions.iter().step_by(7) {
        let check = json!({ "sql": construction.sql });
        assert_eq!(
            one.call("demo", "check_sql", check.clone()).await,
            other.call("demo", "check_sql", check).await,
        );
    }
}

#[tokio::test]
async fn postgresql_tells_nothing_of_another_tenants_rows() {
    nothing_is_told(
        [postgresql(true).await, postgresql(false).await],
        "postgresql",
    )
    .await;
}

#[tokio::test]
async fn mariadb_tells_nothing_of_another_tenants_rows() {
    nothing_is_told([mariadb(true).await, mariadb(false).await], "mariadb").await;
}
