//! Unusable lines are reported, and the other lines are counted.

use std::path::PathBuf;

use sql_eval::{Dialect, Files, evaluate};
use tempfile::TempDir;

const SCHEMAS: &str = r#"
{"db":"a","version":1,"tables":{"t":{"columns":["id","u_id","x"]},"u":{"columns":["id","y"]}},"relationships":[{"from_table":"t","from_column":"u_id","to_table":"u","to_column":"id","type":"foreign_key","confidence":1.0}]}
{"version":1,"tables":{}}
{"db":"b","version":7,"tables":{}}
no json
{"db":"a","version":1,"tables":{}}
"#;

const CASES: &str = r#"
{"id":"right","db":"a","sql":"SELECT x FROM t JOIN u ON t.u_id = u.id","tables_used":["t","u"],"gold_join_edges":[["T","u_id","U","id"]]}
{"id":"other columns","db":"a","sql":"SELECT x FROM t JOIN u ON t.id = u.id","tables_used":["t","u"],"gold_join_edges":[["t","id","u","id"]]}
{"id":"refused","db":"a","sql":"SELECT z FROM t","tables_used":["t"],"gold_join_edges":[]}
{"id":"nowhere","db":"c","sql":"SELECT 1"}

{"id":"three ends","db":"a","sql":"SELECT 1","gold_join_edges":[["t","id","u"]]}
{"db":"a"}
"#;

const MUTANTS: &str = r#"
{"db":"a","kind":"column_of_other_table","sql":"SELECT y FROM t","broken":"y","hint_tables":["U","v"]}
{"db":"a","kind":"misspelt_column","sql":"SELECT x FROM t","broken":"x_"}
{"db":"a","kind":"misspelt_column","sql":"\u0000(((","broken":"?","question":null}
"#;

fn files(folder: &TempDir, mutants: bool) -> Files {
    let write = |name: &str, text: &[u8]| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let mut cases = b"\xef\xbb\xbf".to_vec();
    cases.extend(CASES.trim_start().bytes());
    cases.extend(b"{\"db\":\"\xff\"}");
    Files {
        schemas: write("schemas.jsonl", SCHEMAS.as_bytes()),
        cases: write("cases.jsonl", &cases),
        mutants: mutants.then(|| write("mutants.jsonl", MUTANTS.as_bytes())),
        dialect: Dialect::MySql,
    }
}

#[test]
fn unusable_lines_are_reported_and_do_not_end_the_evaluation() {
    let folder = TempDir::new().unwrap();
    let report = evaluate(&files(&folder, true)).unwrap();
    let skipped: Vec<(&str, usize)> = report
        .skipped
        .iter()
        .map(|skipped| (skipped.file.as_str(), skipped.line))
        .collect();
    assert_eq!(
        skipped,
        [
            ("cases.jsonl", 4),
            ("cases.jsonl", 6),
            ("cases.jsonl", 7),
            ("cases.jsonl", 8),
            ("schemas.jsonl", 3),
            ("schemas.jsonl", 4),
            ("schemas.jsonl", 5),
            ("schemas.jsonl", 6),
        ]
    );
    let summary = report.summary();
    assert_eq!((summary.statements, summary.false_refusals), (3, 1));
    assert_eq!(report.checks.refused[0].id, "refused");
    assert_eq!((summary.mutants, summary.missed_errors), (3, 1));
    assert_eq!(summary.suggestions_right, Some(1.0));
    assert_eq!(report.checks.all_mutants().suggested_all, 0);
    assert_eq!(
        (summary.joins_compared, summary.joins_equal),
        (1, Some(1.0))
    );
    assert_eq!(summary.joins_equal_of_all, Some(0.5));
    let details = report.details(9);
    assert!(details.contains("'z' does NOT exist") && details.contains("schemas.jsonl line 5"));
}

#[test]
fn shares_without_queries_are_missing() {
    let folder = TempDir::new().unwrap();
    let summary = evaluate(&files(&folder, false)).unwrap().summary();
    assert_eq!(summary.mutants_refused, None);
    let text = serde_json::to_string(&summary).unwrap();
    assert!(text.contains(r#""suggestions_right":null"#), "{text}");
}

#[test]
fn a_missing_file_is_an_error() {
    let folder = TempDir::new().unwrap();
    let mut files = files(&folder, false);
    files.cases = folder.path().join("none.jsonl");
    let error = evaluate(&files).unwrap_err().to_string();
    assert!(error.ends_with("none.jsonl cannot be read"), "{error}");
}
