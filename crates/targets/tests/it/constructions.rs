//! Constructions of PostgreSQL over tables with row filters: the rows are those that the server
//! gives for the tenant's own.

use targets::{Target, TargetConfig};

use crate::fixture::{ask, json, postgres};

const TABLES: &str = r#"
ALTER TABLE crew ADD COLUMN tags text[], ADD COLUMN doc jsonb;
UPDATE crew SET tags = ARRAY[name::text, 'van'], doc = jsonb_build_object('seats', id, 'name', name);
CREATE TABLE crew_old () INHERITS (crew);
INSERT INTO crew_old VALUES (4, 1, 'Old', ARRAY['old'], '{"seats": 9}'), (5, 2, 'Rivals of old', ARRAY['rival'], '{"seats": 9}');
"#;

#[tokio::test]
async fn constructions_give_what_the_server_gives_for_the_tenants_rows() {
    let fixture = postgres().await;
    fixture.admin.run(TABLES).await;
    let target = Target::new(TargetConfig { ..fixture.config() }).unwrap();
    for (sql, rows) in [
        (
            "SELECT c.id, t.tag FROM crew c CROSS JOIN LATERAL unnest(c.tags) AS t(tag) WHERE c.id < 3 ORDER BY c.id, t.tag",
            r#"[{"id":1,"tag":"North"},{"id":1,"tag":"van"},{"id":2,"tag":"South"},{"id":2,"tag":"van"}]"#,
        ),
        (
            "SELECT c.id, t.place FROM crew c, LATERAL unnest(c.tags) WITH ORDINALITY AS t(tag, place) WHERE t.tag = 'van' ORDER BY c.id",
            r#"[{"id":1,"place":2},{"id":2,"place":2}]"#,
        ),
        (
            "SELECT c.tags[1] AS first, c.doc['seats'] AS seats FROM crew c WHERE c.tags[2] = 'van' ORDER BY c.tags[1] DESC",
            r#"[{"first":"South","seats":2},{"first":"North","seats":1}]"#,
        ),
        (
            "SELECT r.seats, r.name FROM crew c, jsonb_to_record(c.doc) AS r(seats int, name text) ORDER BY r.seats",
            r#"[{"seats":1,"name":"North"},{"seats":2,"name":"South"},{"seats":9,"name":null}]"#,
        ),
        (
            "SELECT r.a FROM jsonb_to_recordset('[{\"a\": 1}, {\"a\": 2}]') AS r(a int) ORDER BY r.a",
            r#"[{"a":1},{"a":2}]"#,
        ),
        ("SELECT COUNT(*) AS n FROM crew", r#"[{"n":3}]"#),
        (
            "SELECT c.name FROM ONLY crew c ORDER BY c.id",
            r#"[{"name":"North"},{"name":"South"}]"#,
        ),
        (
            "SELECT text FROM ONLY question ORDER BY id LIMIT 1",
            r#"[{"text":"Is the ladder safe?"}]"#,
        ),
        (
            "SELECT c.id, SUM(c.id) OVER (ORDER BY c.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS before FROM crew c ORDER BY c.id",
            r#"[{"id":1,"before":null},{"id":2,"before":1},{"id":4,"before":3}]"#,
        ),
        (
            "SELECT c.id, COUNT(*) OVER (PARTITION BY c.company_id ORDER BY c.id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP) AS n FROM ONLY crew c ORDER BY c.id",
            r#"[{"id":1,"n":1},{"id":2,"n":1}]"#,
        ),
        (
            "SELECT c.id, c.name, COUNT(ec.id) AS n FROM crew c LEFT JOIN employee_crew ec ON ec.crew_id = c.id GROUP BY c.id ORDER BY c.name",
            r#"[{"id":1,"name":"North","n":1},{"id":4,"name":"Old","n":0},{"id":2,"name":"South","n":1}]"#,
        ),
        (
            "SELECT c.name, COUNT(*) AS n FROM crew c GROUP BY c.id HAVING c.tags[1] = 'North'",
            r#"[{"name":"North","n":1}]"#,
        ),
    ] {
        let found = ask(&target, sql)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert_eq!(json(&found), rows, "{sql}");
    }
}
