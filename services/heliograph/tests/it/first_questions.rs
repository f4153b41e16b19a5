//! The first questions of a target: only amounts are added.

use crate::demo_stack::DemoStack;
use crate::targets::{details, run, write};

/// Rows of a table, with a category of two values and numbers of each column.
fn table(header: &str, row: impl Fn(u32) -> String) -> String {
    let rows = (0..12).map(|at| {
        let category = if at % 2 == 0 { "pump" } else { "valve" };
        format!("part {at},{category},{}\n", row(at))
    });
    format!("item,category,{header}\n{}", rows.collect::<String>())
}

#[tokio::test(flavor = "multi_thread")]
async fn only_amounts_are_added_and_prices_are_averaged() {
    let stack = DemoStack::start().await;
    let scopes = ["chat", "tools:read", "targets:write", "questions:approve"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let ada = stack.sign_in("ada").await;
    let folder = tempfile::tempdir().unwrap();
    for (name, text, wanted) in [
        (
            "orders",
            table(
                "unit_price,tax_rate,temperature,model_year,quantity",
                |at| {
                    format!(
                        "{}.5,19.5,{}.5,{},{}",
                        at * 7,
                        20 + at,
                        2000 + at,
                        at * at % 7
                    )
                },
            ),
            "What is the total quantity of orders per category?",
        ),
        (
            "goods",
            table("model_year,price", |at| {
                format!("{},{}.5", 2000 + at, at * 7 % 5)
            }),
            "What is the average price of goods per category?",
        ),
        (
            "readings",
            table("temperature", |at| format!("{}.5", 20 + at % 5)),
            "What is the average temperature of readings per category?",
        ),
        // The name says nothing, and the values are years.
        (
            "cars",
            table("built", |at| (1990 + at % 5).to_string()),
            "How many cars are there per category?",
        ),
    ] {
        let file = write(folder.path(), &format!("{name}.csv"), &text);
        run(&ada, &["load", name, &file, "--yes"]).await.unwrap();
        let questions = details(&ada, name).await.layer.unwrap().questions;
        let asked: Vec<&str> = questions.iter().map(|one| one.question.as_str()).collect();
        assert!(asked.contains(&wanted), "{asked:?}");
        for question in &questions {
            let sql = &question.sql;
            assert!(
                !sql.contains("SUM(") || sql.contains("SUM(\"quantity\")"),
                "{sql}"
            );
            for column in ["model_year", "built"] {
                assert!(!sql.contains(column), "{sql}");
            }
        }
    }
    stack.stop().await;
}
