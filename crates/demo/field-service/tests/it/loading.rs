//! The contents of the database after the first and after another load.

use chrono::Days;
use field_service::{Error, Existing, Loaded, Options, Secrets, TABLES, load};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};
use test_support::mariadb::TestMariaDb;

use crate::support::{demonstration, number, secrets, today};

#[tokio::test]
async fn both_companies_have_a_year_of_work() {
    let database = demonstration().await;
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    for company in [1, 2] {
        for (table, low, high) in [
            ("employee", 20, 20),
            ("customer", 200, 200),
            ("workOrder", 2_000, 2_000),
            ("workTime", 9_000, 11_000),
            ("invoice", 1_500, 2_500),
            ("inspection", 200, 500),
        ] {
            let count = format!("SELECT COUNT(*) FROM {table} WHERE companyId = {company}");
            let count = number(&mut admin, &count).await;
            assert!(
                (low..=high).contains(&count),
                "{table} of {company}: {count}"
            );
        }
    }
    for table in TABLES {
        let count = number(&mut admin, &format!("SELECT COUNT(*) FROM `{table}`")).await;
        assert!(count > 0, "{table} is empty");
    }
    assert_eq!(
        number(
            &mut admin,
            "SELECT DATEDIFF(MAX(workDate), '2026-03-13') FROM workTime"
        )
        .await,
        0
    );
}

#[tokio::test]
async fn every_foreign_key_refers_to_a_row_of_the_same_company() {
    let database = demonstration().await;
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    let keys = "SELECT CONVERT(table_name USING utf8mb4), CONVERT(column_name USING utf8mb4), \
        CONVERT(referenced_table_name USING utf8mb4) FROM information_schema.key_column_usage \
        WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL";
    let keys: Vec<(String, String, String)> =
        sqlx::query_as(keys).fetch_all(&mut admin).await.unwrap();
    assert!(keys.len() > 90, "{}", keys.len());
    for (table, column, to) in keys {
        let shared = [
            "role",
            "skill",
            "serviceLevel",
            "assetType",
            "workOrderStatus",
            "workOrderType",
            "partCategory",
        ];
        let same_company = match to.as_str() {
            shared_table if shared.contains(&shared_table) => "",
            "company" => "AND t.id = f.companyId",
            _ => "AND t.companyId = f.companyId",
        };
        let lost = format!(
            "SELECT COUNT(*) FROM `{table}` f WHERE f.`{column}` IS NOT NULL \
             AND NOT EXISTS (SELECT 1 FROM `{to}` t WHERE t.id = f.`{column}` {same_company})"
        );
        assert_eq!(
            number(&mut admin, &lost).await,
            0,
            "{table}.{column} -> {to}"
        );
    }
}

#[tokio::test]
async fn absent_employees_do_not_work_and_days_have_limits() {
    let database = demonstration().await;
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    for impossible in [
        "SELECT COUNT(*) FROM workTime w JOIN timeOff t ON t.employeeId = w.employeeId AND t.status = 'approved' \
         AND w.workDate BETWEEN t.startsOn AND t.endsOn",
        "SELECT COUNT(*) FROM workTime w JOIN employee e ON e.id = w.employeeId WHERE w.workDate > e.leftOn",
        "SELECT COUNT(*) FROM workTime WHERE hours <= 0 OR TIMESTAMPDIFF(MINUTE, startsAt, endsAt) <> hours * 60",
        "SELECT COUNT(*) FROM (SELECT SUM(hours) AS h FROM workTime GROUP BY employeeId, workDate) d WHERE d.h > 12",
        "SELECT COUNT(*) FROM invoice i JOIN (SELECT invoiceId, SUM(amount) AS paid FROM payment GROUP BY invoiceId) p \
         ON p.invoiceId = i.id WHERE p.paid <> i.totalAmount OR i.status <> 'paid'",
        "SELECT COUNT(*) FROM (SELECT crewId, SUM(isLead) AS leads FROM employeeCrew GROUP BY crewId) c WHERE c.leads <> 1",
    ] {
        assert_eq!(number(&mut admin, impossible).await, 0, "{impossible}");
    }
}

#[tokio::test]
async fn sensitive_columns_are_encrypted() {
    let database = demonstration().await;
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    let plain =
        "SELECT COUNT(*) FROM employee WHERE HEX(firstName) = HEX('Anna') OR email LIKE '%@%'";
    assert_eq!(number(&mut admin, plain).await, 0);
    let wrong = "SELECT COUNT(AES_DECRYPT(firstName, 'another key')) FROM employee";
    assert_eq!(number(&mut admin, wrong).await, 0);
    let right = format!(
        "SELECT COUNT(AES_DECRYPT(firstName, '{}')) FROM employee",
        secrets().aes_key
    );
    assert_eq!(number(&mut admin, &right).await, 40);
}

#[tokio::test]
async fn a_second_load_keeps_the_data_and_a_reset_replaces_them() {
    let database = TestMariaDb::empty().await.unwrap();
    let url = database.url();
    let mut options = Options::new(secrets(), today());
    let Loaded::Now { rows, elapsed } = load(&url, &options, |_| {}).await.unwrap() else {
        unreachable!("an empty database is loaded")
    };
    println!("{rows} rows in {elapsed:?}");
    let (one, two) = tokio::join!(load(&url, &options, |_| {}), load(&url, &options, |_| {}));
    for again in [one, two] {
        assert_eq!(again.unwrap(), Loaded::Before { anchor: today() });
    }

    let other = Options::new(Secrets::random(), today());
    let error = load(&url, &other, |_| {}).await.unwrap_err();
    assert!(matches!(error, Error::OtherKey { .. }), "{error}");

    // An interrupted load has no marker.
    let mut admin = MySqlConnection::connect(&url).await.unwrap();
    admin.execute("DELETE FROM demoLoad").await.unwrap();
    admin.execute("DELETE FROM payment").await.unwrap();
    assert!(matches!(
        load(&url, &options, |_| {}).await.unwrap(),
        Loaded::Now { .. }
    ));
    assert!(number(&mut admin, "SELECT COUNT(*) FROM payment").await > 1_000);

    options.existing = Existing::Replace;
    options.anchor = today() + Days::new(30);
    assert!(matches!(
        load(&url, &options, |_| {}).await.unwrap(),
        Loaded::Now { .. }
    ));
    options.existing = Existing::Keep;
    let kept = load(&url, &options, |_| {}).await.unwrap();
    assert_eq!(
        kept,
        Loaded::Before {
            anchor: options.anchor
        }
    );
}

#[tokio::test]
async fn a_database_with_other_tables_is_not_changed() {
    let database = TestMariaDb::empty().await.unwrap();
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    admin
        .execute("CREATE TABLE precious (n INT)")
        .await
        .unwrap();
    for existing in [Existing::Keep, Existing::Replace] {
        let options = Options {
            existing,
            ..Options::new(secrets(), today())
        };
        let error = load(&database.url(), &options, |_| {}).await.unwrap_err();
        assert!(error.to_string().contains("precious"), "{error}");
    }
}

#[tokio::test]
async fn secrets_that_would_need_quoting_are_rejected() {
    let mut bad = secrets();
    bad.reader_password = "x' OR '1".to_owned();
    let error = load(
        "mysql://unknown@127.0.0.1:1/x",
        &Options::new(bad, today()),
        |_| {},
    )
    .await;
    assert!(matches!(error, Err(Error::NotPlain(_))));
    assert!(!format!("{:?}", secrets()).contains(&secrets().aes_key));
}

#[tokio::test]
async fn the_schema_has_the_tables_that_the_list_names() {
    let database = demonstration().await;
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    let names = "SELECT CONVERT(table_name USING utf8mb4) FROM information_schema.tables \
        WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'";
    let mut names: Vec<String> = sqlx::query_scalar(names)
        .fetch_all(&mut admin)
        .await
        .unwrap();
    names.retain(|name| name != "demoLoad");
    names.sort();
    let mut expected = TABLES.map(str::to_owned);
    expected.sort();
    assert_eq!(names, expected);
    let bare = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() \
        AND table_type = 'BASE TABLE' AND table_comment = ''";
    assert_eq!(number(&mut admin, bare).await, 0);
    admin
        .execute(AssertSqlSafe("DO 1".to_owned()))
        .await
        .unwrap();
}
