//! Each way to more than reading is refused with its name, and the statement of the refusal ends
//! it.

use targets::{Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, mariadb, postgres};

/// The name of the fixture's reading role.
fn reader(fixture: &Fixture) -> String {
    let (_, rest) = fixture.reader_url.split_once("://").unwrap();
    rest.split_once(':').unwrap().0.to_owned()
}

/// A target whose role is checked before each use.
fn target(fixture: &Fixture) -> Target {
    Target::new(TargetConfig {
        role_seconds: 0,
        ..fixture.config()
    })
    .unwrap()
}

/// Runs each statement, expects the refusal to name its privilege, and ends it with the statement
/// that the refusal gives.
async fn walk(fixture: &Fixture, rows: &[(String, String)]) {
    let target = target(fixture);
    target.catalogue().await.unwrap();
    for (statement, name) in rows {
        fixture.admin.run(statement).await;
        let error = target.catalogue().await;
        let Err(error @ TargetError::Role { .. }) = error else {
            panic!("{statement}: {error:?}");
        };
        assert!(
            !error.to_string().contains("REVOKE") && !error.for_person().contains("REVOKE"),
            "{statement}: {error}"
        );
        let told = error.for_operator();
        assert!(told.contains(name), "{statement}: {told}");
        let (_, remedy) = told.split_once("Take it away: ").unwrap();
        fixture.admin.run(remedy).await;
        let again = target.catalogue().await;
        assert!(again.is_ok(), "{statement}: {told}: {again:?}");
    }
}

fn rows(list: &[(&str, &str)], change: impl Fn(&str) -> String) -> Vec<(String, String)> {
    list.iter()
        .map(|(statement, name)| (change(statement), change(name)))
        .collect()
}

#[expect(clippy::too_many_lines, reason = "one row per privilege")]
#[tokio::test]
async fn every_privilege_of_postgresql_beyond_reading_is_refused() {
    let fixture = postgres().await;
    let role = reader(&fixture);
    let (_, database) = fixture.reader_url.rsplit_once('/').unwrap();
    let database = database.split('?').next().unwrap().to_owned();
    let change = |text: &str| {
        text.replace("R_", &format!("{role}_"))
            .replace("ROLE_", &role)
            .replace("BASE_", &database)
    };
    fixture
        .admin
        .run(&change(
            "CREATE ROLE R_w; CREATE ROLE R_w2; GRANT R_w TO R_w2; CREATE SEQUENCE numbers; CREATE SCHEMA apart; \
             CREATE TABLE apart.own (id INT); CREATE FUNCTION apart.one() RETURNS INT LANGUAGE sql AS 'SELECT 1'; \
             SELECT lo_create(4711); SELECT lo_create(4712)",
        ))
        .await;
    let listed = rows(
        &[
            ("ALTER ROLE ROLE_ SUPERUSER", "has SUPERUSER."),
            ("ALTER ROLE ROLE_ CREATEROLE", "has CREATEROLE."),
            ("ALTER ROLE ROLE_ CREATEDB", "has CREATEDB."),
            ("ALTER ROLE ROLE_ BYPASSRLS", "has BYPASSRLS."),
            ("ALTER ROLE ROLE_ REPLICATION", "has REPLICATION."),
            (
                "ALTER ROLE R_w SUPERUSER; GRANT R_w2 TO ROLE_",
                "SUPERUSER as a member of R_w through R_w2",
            ),
            (
                "ALTER ROLE R_w NOSUPERUSER CREATEROLE; GRANT R_w TO ROLE_",
                "CREATEROLE as a member of R_w.",
            ),
            (
                "ALTER ROLE R_w NOCREATEROLE; GRANT pg_write_all_data TO ROLE_",
                "membership in pg_write_all_data",
            ),
            (
                "GRANT pg_write_server_files TO ROLE_",
                "membership in pg_write_server_files",
            ),
            (
                "GRANT pg_read_server_files TO ROLE_",
                "membership in pg_read_server_files",
            ),
            (
                "GRANT pg_execute_server_program TO ROLE_",
                "membership in pg_execute_server_program",
            ),
            (
                "GRANT pg_write_all_data TO R_w; GRANT R_w2 TO ROLE_",
                "membership in pg_write_all_data through R_w2",
            ),
            (
                "REVOKE pg_write_all_data FROM R_w; GRANT DELETE ON crew TO R_w; GRANT R_w2 TO ROLE_",
                "DELETE on public.crew as a member of R_w through R_w2",
            ),
            ("GRANT INSERT ON crew TO ROLE_", "INSERT on public.crew"),
            ("GRANT UPDATE ON crew TO ROLE_", "UPDATE on public.crew"),
            ("GRANT DELETE ON crew TO ROLE_", "DELETE on public.crew"),
            ("GRANT TRUNCATE ON crew TO ROLE_", "TRUNCATE on public.crew"),
            (
                "GRANT REFERENCES ON crew TO ROLE_",
                "REFERENCES on public.crew",
            ),
            ("GRANT TRIGGER ON crew TO ROLE_", "TRIGGER on public.crew"),
            (
                "GRANT UPDATE (name) ON crew TO ROLE_",
                "UPDATE (name) on public.crew",
            ),
            ("GRANT INSERT ON crew TO PUBLIC", "INSERT on public.crew"),
            ("GRANT INSERT ON apart.own TO ROLE_", "INSERT on apart.own"),
            (
                "GRANT USAGE ON SEQUENCE numbers TO ROLE_",
                "USAGE on public.numbers",
            ),
            (
                "GRANT UPDATE ON SEQUENCE numbers TO ROLE_",
                "UPDATE on public.numbers",
            ),
            (
                "GRANT CREATE ON SCHEMA public TO ROLE_",
                "CREATE on schema public",
            ),
            (
                "GRANT CREATE ON SCHEMA apart TO PUBLIC",
                "CREATE on schema apart",
            ),
            (
                "GRANT CREATE ON DATABASE BASE_ TO ROLE_",
                "CREATE on database BASE_",
            ),
            (
                "GRANT ALL ON DATABASE BASE_ TO ROLE_",
                "CREATE on database BASE_",
            ),
            (
                "GRANT UPDATE ON LARGE OBJECT 4711 TO ROLE_",
                "UPDATE on large object 4711",
            ),
            (
                "ALTER LARGE OBJECT 4712 OWNER TO ROLE_",
                "ownership of large object 4712",
            ),
            (
                "ALTER TABLE apart.own OWNER TO ROLE_",
                "ownership of apart.own",
            ),
            (
                "ALTER SCHEMA apart OWNER TO ROLE_",
                "ownership of schema apart",
            ),
            (
                "ALTER FUNCTION apart.one() OWNER TO ROLE_",
                "ownership of function apart.one",
            ),
            (
                "ALTER TABLE apart.own OWNER TO R_w; GRANT R_w2 TO ROLE_",
                "ownership of apart.own as a member of R_w through R_w2",
            ),
        ],
        change,
    );
    walk(&fixture, &listed).await;
    // A privilege to read is accepted.
    let target = target(&fixture);
    for statement in [
        "GRANT pg_read_all_data TO ROLE_",
        "GRANT SELECT ON SEQUENCE numbers TO ROLE_",
        "GRANT USAGE ON SCHEMA apart TO ROLE_",
        "GRANT SELECT ON LARGE OBJECT 4711 TO ROLE_",
    ] {
        fixture.admin.run(&change(statement)).await;
        target.catalogue().await.unwrap();
    }
}

#[tokio::test]
async fn every_privilege_of_mariadb_beyond_reading_is_refused() {
    let fixture = mariadb().await;
    let role = reader(&fixture);
    let (_, database) = fixture.reader_url.rsplit_once('/').unwrap();
    let database = database.split('?').next().unwrap().to_owned();
    let change = |text: &str| {
        text.replace("ROLE_", &format!("`{role}`@`%`"))
            .replace("R_", &format!("{role}_"))
            .replace("BASE_", &database)
    };
    for statement in [
        "CREATE ROLE R_w; CREATE ROLE R_w2; CREATE ROLE R_r; GRANT R_w TO R_w2",
        "GRANT INSERT ON BASE_.crew TO R_w",
        "GRANT SELECT ON BASE_.crew TO R_r",
    ] {
        fixture.admin.run(&change(statement)).await;
    }
    let mut listed = Vec::new();
    for privilege in [
        "INSERT",
        "UPDATE",
        "DELETE",
        "CREATE",
        "DROP",
        "ALTER",
        "INDEX",
        "TRIGGER",
        "EVENT",
        "CREATE VIEW",
        "CREATE ROUTINE",
        "ALTER ROUTINE",
        "CREATE TEMPORARY TABLES",
        "LOCK TABLES",
        "DELETE HISTORY",
    ] {
        listed.push((
            change(&format!("GRANT {privilege} ON BASE_.* TO ROLE_")),
            change(&format!("{privilege} on `BASE_`.*")),
        ));
    }
    for privilege in [
        "FILE",
        "SUPER",
        "RELOAD",
        "SHUTDOWN",
        "CREATE USER",
        "REPLICATION SLAVE",
        "CONNECTION ADMIN",
        "SET USER",
    ] {
        listed.push((
            change(&format!("GRANT {privilege} ON *.* TO ROLE_")),
            change(&format!("{privilege} on *.*")),
        ));
    }
    listed.extend(rows(
        &[
            (
                "GRANT UPDATE (name) ON BASE_.crew TO ROLE_",
                "UPDATE (`name`) on `BASE_`.`crew`",
            ),
            (
                "GRANT SELECT ON BASE_.question TO ROLE_ WITH GRANT OPTION",
                "GRANT OPTION on `BASE_`.`question`",
            ),
            (
                "GRANT INSERT ON BASE_.crew TO PUBLIC",
                "INSERT on `BASE_`.`crew`",
            ),
            ("GRANT PROXY ON CURRENT_USER() TO ROLE_", "PROXY on "),
            (
                "GRANT R_w TO ROLE_",
                "INSERT on `BASE_`.`crew` by the role `R_w`",
            ),
            (
                "GRANT R_w2 TO ROLE_",
                "INSERT on `BASE_`.`crew` by the role `R_w2`",
            ),
        ],
        change,
    ));
    walk(&fixture, &listed).await;
    let target = target(&fixture);
    for statement in [
        "GRANT R_r TO ROLE_",
        "GRANT SHOW VIEW ON BASE_.* TO ROLE_",
        "GRANT REFERENCES ON BASE_.* TO ROLE_",
        "GRANT PROCESS, SHOW DATABASES ON *.* TO ROLE_",
    ] {
        fixture.admin.run(&change(statement)).await;
        target.catalogue().await.unwrap();
    }
}

#[tokio::test]
async fn a_role_without_select_is_refused_as_that() {
    let fixture = postgres().await;
    let role = reader(&fixture);
    fixture
        .admin
        .run(&format!(
            "REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM {role}"
        ))
        .await;
    let config = TargetConfig {
        policy_file: None,
        ..fixture.config()
    };
    let without = Target::new(config).unwrap();
    let nothing = without.catalogue().await.unwrap().nothing.clone();
    assert_eq!(
        nothing.unwrap().why(),
        "The database 'field' has 6 tables, and the role that it is read with may read none: it has SELECT on no table or view."
    );

    let fixture = mariadb().await;
    let role = reader(&fixture);
    fixture
        .admin
        .run(&format!(
            "REVOKE ALL PRIVILEGES, GRANT OPTION FROM '{role}'@'%'"
        ))
        .await;
    let error = fixture.target().catalogue().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The database 'field' knows the role that it is read with, but the role has no privilege on it: the role needs SELECT on tables or views."
    );
}
