//! Real queries and their broken variants.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use sql_guard::{Dialect, Guard, Kind, Policy, Schema};

fn fixture(name: &str) -> Vec<Value> {
    let path = format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

fn guards() -> HashMap<String, Guard> {
    let guard = |line: &Value| {
        let tables = line["tables"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, table)| (name.clone(), texts(&table["columns"])));
        Guard::new(&Schema::new(tables).unwrap(), Policy::new(1000)).unwrap()
    };
    fixture("schemas.jsonl")
        .iter()
        .map(|line| (line["db"].as_str().unwrap().to_owned(), guard(line)))
        .collect()
}

fn check(
    guards: &HashMap<String, Guard>,
    line: &Value,
) -> Result<sql_guard::Checked, Vec<sql_guard::Finding>> {
    guards[line["db"].as_str().unwrap()].check(line["sql"].as_str().unwrap(), Dialect::MySql)
}

#[test]
fn no_real_query_is_refused() {
    let guards = guards();
    let mut refused = Vec::new();
    for case in fixture("cases.jsonl") {
        match check(&guards, &case) {
            Ok(checked) => {
                let mut tables: Vec<String> = checked
                    .tables
                    .iter()
                    .map(|name| name.to_lowercase())
                    .collect();
                let mut used: Vec<String> = texts(&case["tables_used"])
                    .iter()
                    .map(|name| name.to_lowercase())
                    .collect();
                tables.sort();
                used.sort();
                assert_eq!(tables, used, "{case}");
            }
            Err(findings) => refused.push(format!("{}: {findings:?}", case["sql"])),
        }
    }
    println!("false refusals: {}", refused.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn broken_queries_are_refused_with_the_right_suggestion() {
    let guards = guards();
    let (mut refused, mut hinted, mut rows) = (0_u32, 0_u32, BTreeMap::<String, [u32; 3]>::new());
    let (mut mutants, mut of_other_table, mut missed) = (0_u32, 0_u32, Vec::new());
    for mutant in fixture("mutants.jsonl") {
        let kind = mutant["kind"].as_str().unwrap();
        let row = rows.entry(kind.to_owned()).or_default();
        mutants += 1;
        row[0] += 1;
        let Err(findings) = check(&guards, &mutant) else {
            missed.push(format!("{} {}", mutant["broken"], mutant["sql"]));
            continue;
        };
        refused += 1;
        row[1] += 1;
        let hints = texts(&mutant["hint_tables"]);
        let broken = mutant["broken"].as_str().unwrap();
        let right = findings.iter().any(|finding| {
            let about = matches!(finding.kind, Kind::UnknownColumn | Kind::UnknownTable)
                && finding.message.contains(broken);
            let suggested = |hint: &String| {
                finding
                    .suggestions
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(hint))
            };
            about && !hints.is_empty() && hints.iter().all(suggested)
        });
        row[2] += u32::from(right);
        if kind == "column_of_other_table" {
            of_other_table += 1;
            hinted += u32::from(right);
        }
    }
    for (kind, [all, refused, right]) in &rows {
        println!("{kind:<22} {all:>5} {refused:>5} refused {right:>5} suggestions right");
    }
    let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole);
    println!(
        "refused {:.3} %, suggestions {:.2} %",
        share(refused, mutants) * 100.0,
        share(hinted, of_other_table) * 100.0
    );
    assert!(share(refused, mutants) >= 0.999, "{}", missed.join("\n"));
    assert!(share(hinted, of_other_table) >= 0.95);
}
