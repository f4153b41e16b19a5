//! Differences of the servers: functions, groups, lists that are cut, and each dialect's own
//! constructs.

use serde_json::{Value, json};
use targets::TargetConfig;

use crate::sql_targets::{Site, TestTarget, mariadb, postgresql};

async fn run(site: &Site, sql: &str) -> Value {
    site.call("demo", "run_sql", json!({ "sql": sql })).await
}

/// Each statement gives these rows.
async fn gives(site: &Site, expected: &[(&str, &str)]) {
    for (sql, rows) in expected {
        let answer = run(site, sql).await;
        assert_eq!(
            answer["result"]["rows"].to_string(),
            *rows,
            "{sql}: {answer}"
        );
    }
}

/// The site, with functions that the policy allows.
async fn with_functions(target: &TestTarget, functions: &str) -> Site {
    let file = target.config.policy_file.as_ref().unwrap();
    let policy = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, format!("functions = {functions}\n{policy}")).unwrap();
    Site::over(vec![target.config.clone()]).await
}

#[tokio::test]
async fn mariadb_gives_no_value_of_an_arbitrary_row() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    for (sql, outcome) in [
        ("SELECT MAX(wage), name FROM employee", "refused"),
        (
            "SELECT e.name, MAX(e.wage) + 1 FROM (SELECT name, wage FROM employee) e",
            "refused",
        ),
        ("SELECT *, COUNT(*) FROM crew", "refused"),
        (
            "SELECT company_id, name, COUNT(*) FROM crew GROUP BY company_id",
            "refused",
        ),
        // Every text that begins with no number is 0 here, also one that a view decrypts.
        ("SELECT COUNT(*) FROM employee WHERE name = 0", "refused"),
        (
            "SELECT COUNT(*) FROM (SELECT name AS called FROM crew) c WHERE called = 0",
            "refused",
        ),
    ] {
        let answer = run(&site, sql).await;
        assert_eq!(answer["result"]["outcome"], outcome, "{sql}: {answer}");
    }
    gives(
        &site,
        &[
            (
                "SELECT c.id, c.name, COUNT(w.id) AS n FROM crew c LEFT JOIN work_order w ON w.crew_id = c.id GROUP BY c.id ORDER BY c.name",
                r#"[{"id":1,"name":"demo-north","n":1},{"id":2,"name":"demo-south","n":1}]"#,
            ),
            (
                "SELECT c.name, COUNT(*) AS n FROM work_order w JOIN crew c ON c.id = w.crew_id GROUP BY w.crew_id ORDER BY n, c.name",
                r#"[{"name":"demo-north","n":1},{"name":"demo-south","n":1}]"#,
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_list_that_the_server_cuts_is_told() {
    let target = mariadb().await;
    let config = TargetConfig {
        max_bytes: 20_000,
        ..target.config.clone()
    };
    let site = Site::over(vec![config]).await;
    for list in [
        "GROUP_CONCAT(REPEAT('x', 900))",
        "JSON_ARRAYAGG(REPEAT('x', 900))",
    ] {
        let sql = format!("SELECT {list} AS list FROM work_time");
        let answer = run(&site, &sql).await;
        let result = &answer["result"];
        assert_eq!(result["truncated"], true, "{answer}");
        assert_eq!(result["truncated_by"], "lists", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("does not have all of its values"),
            "{message}"
        );
    }
    // The warning is that statement's, and not of one after it.
    let other = run(&site, "SELECT GROUP_CONCAT('a') AS list").await;
    assert_eq!(other["result"]["truncated"], false, "{other}");
    let whole = run(
        &site,
        "SELECT GROUP_CONCAT(id ORDER BY id) AS list FROM crew",
    )
    .await;
    assert_eq!(whole["result"]["rows"].to_string(), r#"[{"list":"1,2"}]"#);
    assert_eq!(whole["result"]["truncated"], false);
    assert!(whole["result"].get("truncated_by").is_none());
}

#[tokio::test]
async fn functions_that_the_server_does_not_have_are_findings() {
    let target = mariadb().await;
    let site = with_functions(&target, r#"["frobnicate"]"#).await;
    for (sql, words) in [
        (
            "SELECT ANY_VALUE(name) FROM employee",
            "Use MIN(…) or MAX(…) instead",
        ),
        (
            "SELECT id FROM crew WHERE REGEXP_LIKE(name, 'a')",
            "text REGEXP pattern",
        ),
        (
            "SELECT STRFTIME('%Y', opened_at) FROM work_order",
            "DATE_FORMAT",
        ),
    ] {
        let answer = run(&site, sql).await;
        assert_eq!(answer["result"]["outcome"], "refused", "{sql}: {answer}");
        let finding = &answer["result"]["findings"][0];
        assert_eq!(finding["kind"], "function", "{answer}");
        let message = finding["message"].as_str().unwrap();
        assert!(
            message.contains("MariaDB") && message.contains(words),
            "{message}"
        );
    }
    let near = run(&site, "SELECT SUBSTRIN(name, 1) FROM crew").await;
    let message = near["result"]["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("Did you mean 'SUBSTRING'?"), "{message}");
    // One that the operator allows and the server does not have.
    let unknown = run(&site, "SELECT FROBNICATE(id) FROM crew").await;
    assert_eq!(unknown["result"]["outcome"], "rejected", "{unknown}");
    let message = unknown["message"].as_str().unwrap();
    assert!(message.to_uppercase().contains("FROBNICATE"), "{message}");
}

#[tokio::test]
async fn what_the_server_says_helps_a_correction() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    for (sql, words) in [
        (
            "SELECT id FROM question WHERE text REGEXP '('",
            "parenthesis",
        ),
        (
            "SELECT id FROM question ORDER BY text COLLATE latin1_swedish_ci",
            "latin1_swedish_ci",
        ),
    ] {
        let answer = run(&site, sql).await;
        assert_eq!(answer["result"]["outcome"], "rejected", "{sql}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(words), "{sql}: {message}");
    }
    let lateral =
        "SELECT q.id FROM question q, LATERAL (SELECT c.id FROM crew c WHERE c.id = q.id) x";
    let lateral = run(&site, lateral).await;
    assert_eq!(lateral["result"]["outcome"], "refused", "{lateral}");
}

#[tokio::test]
async fn a_text_of_too_many_characters_is_refused_with_the_reason() {
    for target in [mariadb().await, postgresql().await] {
        let site = Site::over(vec![target.config.clone()]).await;
        for sql in [
            "SELECT LPAD('a', t.id * 10, 'b') AS text FROM work_time t",
            "SELECT REPEAT('a', t.id * 10) AS text FROM work_time t",
        ] {
            let answer = run(&site, sql).await;
            assert_eq!(
                answer["result"]["outcome"], "too_expensive",
                "{sql}: {answer}"
            );
            let message = answer["message"].as_str().unwrap();
            assert!(message.contains("more than 1000 characters"), "{message}");
        }
        let short = "SELECT LPAD('a', c.id * 2, 'b') AS text FROM crew c ORDER BY c.id";
        gives(&site, &[(short, r#"[{"text":"ba"},{"text":"bbba"}]"#)]).await;
    }
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let answer = run(&site, "SELECT LPAD('a', c.id * 2, 'b') FROM crew c").await;
    let name = &answer["result"]["columns"][0]["name"];
    assert_eq!(name, "LPAD('a', c.id * 2, 'b')", "{answer}");
}

#[tokio::test]
async fn constructs_of_mariadb_run() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    gives(
        &site,
        &[
            (
                "SELECT EXTRACT(YEAR_MONTH FROM opened_at) AS v FROM work_order WHERE id = 1",
                r#"[{"v":202601}]"#,
            ),
            (
                "SELECT DATE('2026-03-01') + INTERVAL '1-2' YEAR_MONTH AS v",
                r#"[{"v":"2027-05-01"}]"#,
            ),
            (
                "SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id) OVER () AS v FROM crew",
                r#"[{"v":1.5}]"#,
            ),
            ("SELECT SQL_NO_CACHE HIGH_PRIORITY COUNT(*) AS v FROM crew", r#"[{"v":2}]"#),
            ("TABLE question", r#"[{"id":1,"text":"Is the site clean?"}]"#),
            ("SELECT CONCAT(SPACE(2), REPEAT('ab', 2)) AS v", r#"[{"v":"  abab"}]"#),
            // No date is none, not the year 0.
            (
                "SELECT id, STR_TO_DATE('00/00/0000', '%d/%m/%Y') AS v FROM crew ORDER BY id LIMIT 1",
                r#"[{"id":1,"v":null}]"#,
            ),
            (
                "SELECT j.n, j.a FROM JSON_TABLE('[{\"a\": 1}, {\"a\": 5}]', '$[*]' COLUMNS (n FOR ORDINALITY, a INT PATH '$.a')) AS j ORDER BY j.n",
                r#"[{"n":1,"a":1},{"n":2,"a":5}]"#,
            ),
            ("SELECT VERSION() LIKE '%MariaDB%' AS v, DATABASE() IS NOT NULL AS w", r#"[{"v":1,"w":1}]"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn constructs_of_postgresql_run() {
    let target = postgresql().await;
    let site = Site::over(vec![target.config.clone()]).await;
    gives(
        &site,
        &[
            ("SELECT generate_series(1, 3) AS n", r#"[{"n":1},{"n":2},{"n":3}]"#),
            (
                "SELECT d::date AS d FROM generate_series('2026-01-30'::date, '2026-02-01', '1 day') AS d",
                r#"[{"d":"2026-01-30"},{"d":"2026-01-31"},{"d":"2026-02-01"}]"#,
            ),
            (
                "SELECT n FROM generate_series(1, (SELECT COUNT(*) FROM crew)) AS n",
                r#"[{"n":1},{"n":2}]"#,
            ),
            (
                "SELECT c.id, s.n FROM crew c CROSS JOIN LATERAL generate_series(1, c.id) AS s(n) ORDER BY 1, 2",
                r#"[{"id":1,"n":1},{"id":2,"n":1},{"id":2,"n":2}]"#,
            ),
            (
                "SELECT t.v, t.i FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS t(v, i)",
                r#"[{"v":"a","i":1},{"v":"b","i":2}]"#,
            ),
            (
                "SELECT elem ->> 'a' AS v FROM jsonb_array_elements('[{\"a\": 1}, {\"a\": 2}]'::jsonb) AS elem",
                r#"[{"v":"1"},{"v":"2"}]"#,
            ),
            (
                "SELECT e.key, e.value::text AS value FROM json_each('{\"a\": 1}') e",
                r#"[{"key":"a","value":"1"}]"#,
            ),
            (
                "SELECT w FROM regexp_split_to_table('a,b', ',') AS w",
                r#"[{"w":"a"},{"w":"b"}]"#,
            ),
            ("SELECT (ARRAY[1, 2, 3])[1:2] AS v", r#"[{"v":[1,2]}]"#),
            (
                r"SELECT E'it\'s' AS a, U&'\0041' AS b, $$it's$$ AS c",
                r#"[{"a":"it's","b":"A","c":"it's"}]"#,
            ),
            (
                "SELECT row_to_json(c) AS v FROM crew c WHERE c.id = 1",
                r#"[{"v":{"id":1,"company_id":1,"name":"demo-north"}}]"#,
            ),
            (
                "SELECT json_agg(q ORDER BY q.id) AS v FROM (SELECT id FROM crew) q",
                r#"[{"v":[{"id":1},{"id":2}]}]"#,
            ),
            (
                "SELECT make_interval(days => 3) = INTERVAL '3 days' AS v",
                r#"[{"v":true}]"#,
            ),
            (
                "SELECT id FROM crew WHERE to_tsvector('simple', name) @@ plainto_tsquery('simple', 'demo-north')",
                r#"[{"id":1}]"#,
            ),
            (
                "SELECT COUNT(*) AS n FROM crew TABLESAMPLE BERNOULLI (100)",
                r#"[{"n":2}]"#,
            ),
            ("SELECT ROW(1, 2) = ROW(1, 2) AS v", r#"[{"v":true}]"#),
            ("SELECT encode('abc'::bytea, 'hex') AS v", r#"[{"v":"616263"}]"#),
            ("SELECT (regexp_match('a1', '[0-9]'))[1] AS v", r#"[{"v":"1"}]"#),
            (
                "SELECT jsonb_path_query('[1, 2]'::jsonb, '$[*]')::text AS v",
                r#"[{"v":"1"},{"v":"2"}]"#,
            ),
        ],
    )
    .await;
    let endless =
        "SELECT COUNT(*) FROM generate_series(1, (SELECT 1000000 + COUNT(*) FROM crew)) AS n";
    let endless = run(&site, endless).await;
    assert_eq!(endless["result"]["outcome"], "too_expensive", "{endless}");
}

#[tokio::test]
async fn whole_rows_show_what_the_policy_shows() {
    let target = postgresql().await;
    let file = target.config.policy_file.as_ref().unwrap();
    let policy = std::fs::read_to_string(file).unwrap();
    let rules = "[columns.crew]\ncompany_id = \"hidden\"\nname = \"masked\"\n";
    std::fs::write(file, format!("{policy}\n{rules}")).unwrap();
    let site = Site::over(vec![target.config.clone()]).await;
    let masked = r#"[{"v":{"id":1,"name":"***"}}]"#;
    for sql in [
        "SELECT row_to_json(c) AS v FROM (SELECT id, name FROM crew) c WHERE c.id = 1",
        "SELECT to_json(c) AS v FROM (SELECT c.id, c.name FROM crew c) c WHERE c.id = 1",
    ] {
        gives(&site, &[(sql, masked)]).await;
    }
    let rows = run(&site, "SELECT json_agg(crew) AS v FROM crew").await;
    let text = rows["result"]["rows"].to_string();
    assert!(
        text.contains("***") && !text.contains("demo-north"),
        "{text}"
    );
    assert!(
        !text.contains("company_id") && !text.contains("rival"),
        "{text}"
    );
}
