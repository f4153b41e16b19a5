//! What counts as a query.

use super::*;

fn reading(text: &str) -> Source {
    let mut tests = BTreeSet::new();
    let mut reading = Reading {
        workspace: Path::new("/nowhere"),
        tests: &mut tests,
        source: Source {
            path: PathBuf::from("crates/some/src/lib.rs"),
            queries: Vec::new(),
            unchecked: Vec::new(),
            reads: 0,
        },
    };
    reading.walk(text.parse().unwrap(), false).unwrap();
    reading.source
}

fn texts(text: &str) -> Vec<String> {
    let queries = reading(text).queries.into_iter();
    queries.map(|query| query.text).collect()
}

#[test]
fn the_text_of_a_macro_is_found_with_its_escapes_and_pieces() {
    let source = r##"
        fn f() {
            // sqlx::query!("a comment")
            let a = sqlx::query!("SELECT 1 \
                                  + 2", x);
            let b = query_as!(crate::Row<'_>, r#"SELECT "n" "# + "FROM t", y, "no query");
            let c = "sqlx::query!(\"a text\")";
        }
    "##;
    assert_eq!(texts(source), ["SELECT 1 + 2", "SELECT \"n\" FROM t"]);
}

#[test]
fn calls_that_are_not_checked_are_counted_outside_tests() {
    let source = r#"
        use sqlx::{Executor, query_scalar};
        fn f() {
            sqlx::query("SELECT 1");
            sqlx::query_as::<_, Row>("SELECT 1");
            query_scalar("SELECT 1");
            search.query("words");
            other::query("words");
            row.try_get(0);
        }
        fn query(words: &str) {}
        #[cfg(test)]
        mod tests {
            fn f() { sqlx::query("SELECT 2"); row.try_get(0); }
        }
        fn g() { sqlx::raw_sql(text); }
    "#;
    let read = reading(source);
    assert_eq!(
        read.unchecked,
        ["Executor", "query", "query_as", "query_scalar", "raw_sql"]
    );
    assert_eq!(read.reads, 1);
}
