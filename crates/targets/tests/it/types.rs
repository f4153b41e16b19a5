//! Values of every type, there and back.

use targets::ValueKind::{self, Binary, Boolean, Date, DateTime, Json, Number, Other, Text, Time};

use crate::fixture::{Fixture, limits, unchecked};

/// A column's type, a value as it is written, what it is, and what it becomes.
type Case = (&'static str, &'static str, ValueKind, &'static str);

const MARIADB: &[Case] = &[
    ("TINYINT(1)", "1", Boolean, "true"),
    ("TINYINT(1)", "7", Boolean, "7"),
    ("TINYINT", "-128", Number, "-128"),
    ("TINYINT UNSIGNED", "255", Number, "255"),
    ("SMALLINT", "-32768", Number, "-32768"),
    ("SMALLINT UNSIGNED", "65535", Number, "65535"),
    ("MEDIUMINT", "-8388608", Number, "-8388608"),
    ("MEDIUMINT UNSIGNED", "16777215", Number, "16777215"),
    ("INT", "-2147483648", Number, "-2147483648"),
    ("INT UNSIGNED", "4294967295", Number, "4294967295"),
    ("BIGINT", "9007199254740992", Number, "9007199254740992"),
    (
        "BIGINT",
        "-9223372036854775808",
        Number,
        "\"-9223372036854775808\"",
    ),
    (
        "BIGINT UNSIGNED",
        "18446744073709551615",
        Number,
        "\"18446744073709551615\"",
    ),
    ("FLOAT", "0.1", Number, "0.1"),
    ("DOUBLE", "-1.5e300", Number, "-1.5e+300"),
    ("DECIMAL(10,2)", "1234.50", Number, "1234.5"),
    (
        "DECIMAL(30,10)",
        "12345678901234567890.1234567891",
        Number,
        "\"12345678901234567890.1234567891\"",
    ),
    ("YEAR", "2024", Number, "2024"),
    ("BIT(1)", "b'1'", Number, "1"),
    ("BIT(12)", "b'100000000001'", Number, "2049"),
    ("DATE", "'2024-02-29'", Date, "\"2024-02-29\""),
    ("TIME", "'08:30:00'", Time, "\"08:30:00\""),
    ("TIME(3)", "'-101:30:00.250'", Time, "\"-101:30:00.25\""),
    (
        "DATETIME",
        "'2024-02-29 23:59:58'",
        DateTime,
        "\"2024-02-29T23:59:58\"",
    ),
    (
        "DATETIME(6)",
        "'2024-02-29 00:00:00.000001'",
        DateTime,
        "\"2024-02-29T00:00:00.000001\"",
    ),
    (
        "TIMESTAMP",
        "'2024-02-29 12:00:00'",
        DateTime,
        "\"2024-02-29T12:00:00Z\"",
    ),
    ("CHAR(4)", "'ab'", Text, "\"ab\""),
    ("VARCHAR(20)", "'Größe 🌞'", Text, "\"Größe 🌞\""),
    (
        "VARCHAR(20) CHARACTER SET latin1",
        "'Größe'",
        Text,
        "\"Größe\"",
    ),
    ("VARCHAR(20) COLLATE utf8mb4_bin", "'Ab'", Text, "\"Ab\""),
    ("TEXT", "'a\\nb'", Text, "\"a\\nb\""),
    ("LONGTEXT", "''", Text, "\"\""),
    ("JSON", "'{\"a\": [1]}'", Text, "\"{\\\"a\\\": [1]}\""),
    ("ENUM('low','high')", "'high'", Text, "\"high\""),
    ("SET('a','b')", "'a,b'", Text, "\"a,b\""),
    (
        "UUID",
        "'6ccd780c-baba-1026-9564-5b8c656024db'",
        Text,
        "\"6ccd780c-baba-1026-9564-5b8c656024db\"",
    ),
    ("BINARY(3)", "x'00ff41'", Binary, "\"AP9B\""),
    ("VARBINARY(9)", "x'FFFE'", Binary, "\"//4=\""),
    ("BLOB", "x'80'", Binary, "\"gA==\""),
    ("INT", "NULL", Number, "null"),
    ("DATE", "NULL", Date, "null"),
];

const POSTGRESQL: &[Case] = &[
    ("bool", "true", Boolean, "true"),
    ("int2", "-32768", Number, "-32768"),
    ("int4", "-2147483648", Number, "-2147483648"),
    ("int8", "9007199254740992", Number, "9007199254740992"),
    (
        "int8",
        "-9223372036854775808",
        Number,
        "\"-9223372036854775808\"",
    ),
    ("float4", "0.1", Number, "0.1"),
    ("float8", "-1.5e300", Number, "-1.5e+300"),
    ("float8", "'NaN'", Number, "\"NaN\""),
    ("numeric(10,2)", "1234.50", Number, "1234.5"),
    (
        "numeric",
        "12345678901234567890.1234567891",
        Number,
        "\"12345678901234567890.1234567891\"",
    ),
    ("numeric", "'NaN'", Number, "\"NaN\""),
    ("date", "'2024-02-29'", Date, "\"2024-02-29\""),
    ("time", "'08:30:00.5'", Time, "\"08:30:00.5\""),
    ("timetz", "'08:30:00+02'", Time, "\"08:30:00+02\""),
    (
        "timestamp",
        "'2024-02-29 23:59:58.25'",
        DateTime,
        "\"2024-02-29T23:59:58.25\"",
    ),
    (
        "timestamptz",
        "'2024-02-29 12:00:00+02'",
        DateTime,
        "\"2024-02-29T10:00:00Z\"",
    ),
    ("timestamp", "'infinity'", DateTime, "\"infinity\""),
    ("interval", "'1 day 02:00:00'", Other, "\"P1DT2H\""),
    ("char(4)", "'ab'", Text, "\"ab  \""),
    ("varchar(20)", "'Größe 🌞'", Text, "\"Größe 🌞\""),
    ("text", "E'a\\nb'", Text, "\"a\\nb\""),
    (
        "uuid",
        "'6ccd780c-baba-1026-9564-5b8c656024db'",
        Text,
        "\"6ccd780c-baba-1026-9564-5b8c656024db\"",
    ),
    ("json", "'{\"a\": [1, null]}'", Json, "{\"a\":[1,null]}"),
    ("jsonb", "'[true]'", Json, "[true]"),
    ("bytea", "'\\x00ff41'", Binary, "\"AP9B\""),
    ("int4[]", "'{1,NULL,3}'", Json, "[1,null,3]"),
    (
        "text[]",
        "'{{a,\"b,c\"},{\"\",d}}'",
        Json,
        "[[\"a\",\"b,c\"],[\"\",\"d\"]]",
    ),
    ("numeric[]", "'{0.10}'", Json, "[0.1]"),
    (
        "timestamptz[]",
        "'{2024-01-01 00:00:00+00}'",
        Json,
        "[\"2024-01-01T00:00:00Z\"]",
    ),
    ("mood", "'glad'", Text, "\"glad\""),
    ("mood[]", "'{glad,sad}'", Json, "[\"glad\",\"sad\"]"),
    ("posint", "5", Number, "5"),
    ("inet", "'10.0.0.1/24'", Other, "\"10.0.0.1/24\""),
    ("int4range", "'[1,5)'", Other, "\"[1,5)\""),
    ("point", "'(1,2)'", Other, "\"(1,2)\""),
    ("int4", "NULL", Number, "null"),
    ("text[]", "NULL", Json, "null"),
];

async fn round_trip(fixture: &Fixture, cases: &[Case]) {
    let columns: Vec<String> = cases
        .iter()
        .enumerate()
        .map(|(index, case)| format!("c{index} {} NULL", case.0))
        .collect();
    let values: Vec<&str> = cases.iter().map(|case| case.1).collect();
    let sql = format!(
        "CREATE TABLE every_type ({}); INSERT INTO every_type VALUES ({});",
        columns.join(", "),
        values.join(", ")
    );
    fixture.admin.run(&sql).await;
    let target = fixture.admin_target();
    let rows = target
        .run(&unchecked("SELECT * FROM every_type"), &limits(&target))
        .await
        .unwrap();
    let row = &rows.rows[0];
    for (index, (column, (data_type, written, kind, read))) in
        rows.columns.iter().zip(cases).enumerate()
    {
        assert_eq!(column.kind, *kind, "{data_type} {written}");
        assert_eq!(
            row[&format!("c{index}")].to_string(),
            *read,
            "{data_type} {written}"
        );
    }
    assert_eq!(rows.columns.len(), cases.len());
}

#[tokio::test]
async fn types_of_mariadb() {
    round_trip(&crate::fixture::mariadb().await, MARIADB).await;
}

#[tokio::test]
async fn types_of_postgresql() {
    let fixture = crate::fixture::postgres().await;
    fixture
        .admin
        .run("CREATE TYPE mood AS ENUM ('glad', 'sad'); CREATE DOMAIN posint AS int CHECK (VALUE > 0)")
        .await;
    round_trip(&fixture, POSTGRESQL).await;
}

#[tokio::test]
async fn types_of_expressions() {
    for fixture in crate::fixture::both().await {
        let target = fixture.admin_target();
        let sql = "SELECT count(*) AS n, sum(id) AS s, avg(id) AS a, max(name) AS m, 1 + 0.5 AS d, NULL AS nothing, 'x' AS t FROM crew";
        let rows = target.run(&unchecked(sql), &limits(&target)).await.unwrap();
        let row = serde_json::to_string(&rows.rows[0]).unwrap();
        assert_eq!(
            row, r#"{"n":3,"s":6,"a":2.0,"m":"South","d":1.5,"nothing":null,"t":"x"}"#,
            "{}",
            fixture.dialect
        );
        // What one branch of a union widens is read as it comes.
        let rows = target
            .run(
                &unchecked("SELECT 1 AS v UNION ALL SELECT 2.5 ORDER BY 1"),
                &limits(&target),
            )
            .await
            .unwrap();
        let values: Vec<f64> = rows
            .rows
            .iter()
            .filter_map(|row| row["v"].as_f64())
            .collect();
        assert_eq!(values, [1.0, 2.5]);
    }
}
