//! Amounts in the currency of the company that they belong to, and prices per unit.

use serde_json::json;

use super::*;

fn schemas() -> Vec<TableDescription> {
    vec![
        typed(
            "company",
            &[("id", "int", true), ("currency", "char(3)", false)],
        ),
        typed(
            "invoice",
            &[
                ("id", "int", true),
                ("companyId", "int", false),
                ("netAmount", "decimal(9,2)", false),
                ("totalAmount", "decimal(9,2)", false),
            ],
        ),
        typed(
            "part",
            &[
                ("id", "int", true),
                ("companyId", "int", false),
                ("name", "varchar(20)", false),
                ("unit", "varchar(10)", false),
                ("unitPrice", "decimal(9,2)", false),
            ],
        ),
    ]
}

fn query(question: &str, currencies: &[&str]) -> Option<String> {
    let schemas = schemas();
    let names = || schemas.iter().map(|table| &*table.name);
    let shape = any_shape(question, names())?;
    let steps =
        ["invoice", "part"].map(|table| step((table, "companyId"), ("company", "id"), "N:1"));
    let mut known = Known::of(&schemas, &steps);
    known.today = NaiveDate::from_ymd_opt(2026, 11, 30);
    let wanted = ("company".to_owned(), "currency".to_owned());
    assert!(shape.lookups(&schemas).contains(&wanted) || !question.contains("EUR"));
    known.values = vec![
        ColumnValues {
            table: wanted.0,
            column: wanted.1,
            values: currencies.iter().map(|code| json!(code)).collect(),
        },
        ColumnValues {
            table: "part".to_owned(),
            column: "unit".to_owned(),
            values: vec![json!("kg"), json!("pc")],
        },
    ];
    shape.query(&known, SqlDialect::Mysql)
}

#[test]
fn amounts_are_compared_in_the_currency_of_their_company() {
    for (question, condition) in [
        ("invoices over 10000", "`totalAmount` > 10000"),
        (
            "invoices over 10000 EUR",
            "i.`totalAmount` > 10000 AND o.`currency` = 'EUR'",
        ),
        (
            "How many invoices are over 10,000 EUR?",
            "i.`totalAmount` > 10000 AND o.`currency` = 'EUR'",
        ),
        (
            "invoices with a net amount below 500 EUR",
            "i.`netAmount` < 500 AND o.`currency` = 'EUR'",
        ),
    ] {
        let query = query(question, &["EUR"]).unwrap_or_else(|| panic!("{question}"));
        assert!(
            query.replace("o2.", "o.").contains(condition),
            "{question}: {query}"
        );
    }
    assert_eq!(query("invoices over 10000 CHF", &["EUR"]), None);
}

#[test]
fn the_largest_are_those_by_the_column_that_is_named() {
    for (question, order) in [
        ("top 5 invoices by total amount", "`totalAmount` DESC"),
        ("top 5 invoices by net amount", "`netAmount` DESC"),
        ("top 3 parts by unit price", "`unitPrice` DESC"),
        ("Which 3 parts have the lowest unit price?", "`unitPrice`"),
    ] {
        let found = query(question, &["EUR"]).unwrap_or_else(|| panic!("{question}"));
        let (_, ordered) = found.split_once(" ORDER BY ").unwrap();
        let ordered = ordered.trim_start_matches("i.");
        assert!(ordered.starts_with(order), "{question}: {found}");
    }
    // Of several currencies, no amount is the largest.
    assert_eq!(
        query("top 5 invoices by total amount", &["CHF", "EUR"]),
        None
    );
}

#[test]
fn currencies_have_names_in_other_languages() {
    for currency in ["waehrung", "währung", "Belegwährung", "devise", "moneda"] {
        let columns = [
            ("id", "int", true),
            ("kunde", "text", false),
            ("betrag", "numeric", false),
            (currency, "text", false),
        ];
        let schemas = [typed("auftrag", &columns)];
        let names = || schemas.iter().map(|table| &*table.name);
        for question in [
            "total betrag of auftrag",
            "total betrag of auftrag per kunde",
        ] {
            let shape = shape(question, names()).unwrap();
            let known = Known::of(&schemas, &[]);
            let sql = shape.query(&known, SqlDialect::Postgresql).unwrap();
            let (_, groups) = sql
                .split_once("GROUP BY")
                .unwrap_or_else(|| panic!("{sql}"));
            assert!(groups.contains(currency), "{sql}");
        }
    }
}
