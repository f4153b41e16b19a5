//! SQLite files that are damaged: they are refused, and never read with other rows.

use std::io::Cursor;

use plant_files::FileError;
use plant_files::formats::sqlite::{Database, Value};

use crate::plexlog::database;

type Rows = Vec<(String, Vec<Vec<Value>>)>;

const PAGE: usize = 512;

/// All rows of all tables.
fn rows(bytes: &[u8]) -> Result<Rows, FileError> {
    let mut input = Cursor::new(bytes);
    let mut database = Database::open(&mut input)?;
    let mut all = Vec::new();
    for table in database.tables()? {
        let mut of_table = Vec::new();
        database.rows(&table, &mut |_, values| {
            of_table.push(values.to_vec());
            Ok(())
        })?;
        all.push((table.name, of_table));
    }
    database.check_pages()?;
    Ok(all)
}

async fn shop() -> Vec<u8> {
    let mut statements = vec![
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT -- as it's called, in full\n, city TEXT)".to_owned(),
        "CREATE TABLE sale (id INTEGER PRIMARY KEY, customer INTEGER, total REAL, day TEXT /* (local) */)".to_owned(),
        "CREATE TABLE note (text TEXT)".to_owned(),
        "CREATE INDEX sales ON sale (customer)".to_owned(),
        "CREATE VIEW sums AS SELECT customer, SUM(total) FROM sale GROUP BY customer".to_owned(),
    ];
    for id in 0..40 {
        statements.push(format!(
            "INSERT INTO customer VALUES ({id}, 'Customer {id}', 'City {id}')"
        ));
        statements.push(format!(
            "INSERT INTO sale VALUES ({id}, {}, {id}.5, '2026-11-{:02}')",
            id % 7,
            id % 28 + 1
        ));
    }
    statements.push("INSERT INTO note VALUES ('one')".to_owned());
    database(u32::try_from(PAGE).unwrap(), "UTF-8", &statements).await
}

#[tokio::test]
async fn a_file_whose_pages_are_lost_or_exchanged_is_refused() {
    let whole = shop().await;
    let expected = rows(&whole).unwrap();
    let counts: Vec<(&str, usize)> = expected
        .iter()
        .map(|(table, rows)| (table.as_str(), rows.len()))
        .collect();
    assert_eq!(counts, [("customer", 40), ("sale", 40), ("note", 1)]);
    assert_eq!(expected[0].1[7].len(), 3, "{:?}", expected[0].1[7]);

    let pages = whole.len() / PAGE;
    assert!(pages > 10, "{pages}");
    let mut refused = 0;
    let mut check = |damaged: &[u8], how: &str| match rows(damaged) {
        Ok(read) => assert!(read == expected, "{how}: other rows were read"),
        Err(FileError::Damaged(_)) => refused += 1,
        Err(other) => panic!("{how}: {other}"),
    };
    for page in 1..pages {
        let mut damaged = whole.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0);
        check(&damaged, &format!("page {page} is empty"));
        for other in page + 1..pages {
            let mut damaged = whole.clone();
            let (first, second) = damaged.split_at_mut(other * PAGE);
            first[page * PAGE..(page + 1) * PAGE].swap_with_slice(&mut second[..PAGE]);
            check(&damaged, &format!("pages {page} and {other} are exchanged"));
        }
        check(&whole[..page * PAGE], &format!("{page} pages"));
        check(
            &whole[..page * PAGE + 100],
            &format!("{page} pages and a part"),
        );
    }
    eprintln!("{refused} damaged files were refused");
    assert!(refused > pages * pages / 3, "{refused} of {pages} pages");
}

#[tokio::test]
async fn tables_without_row_ids_are_named_and_not_read() {
    let statements = [
        "CREATE TABLE code (id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID, STRICT",
        "INSERT INTO code VALUES ('a', 'b')",
        "CREATE TABLE kept (text TEXT DEFAULT 'WITHOUT ROWID')",
    ];
    let statements = statements.map(str::to_owned);
    let bytes = database(4096, "UTF-8", &statements).await;
    let mut input = Cursor::new(&bytes);
    let tables = Database::open(&mut input).unwrap().tables().unwrap();
    let without: Vec<(&str, bool)> = tables
        .iter()
        .map(|table| (table.name.as_str(), table.without_row_ids))
        .collect();
    assert_eq!(without, [("code", true), ("kept", false)]);
}
