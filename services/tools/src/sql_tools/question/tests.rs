//! Questions that are the same, and questions that are not.

use super::*;

fn question(text: &str) -> Question {
    let names = [
        "employee",
        "workOrder",
        "customerLocation",
        "status",
        "hoursWorked",
    ];
    Question::new(text, &Vocabulary::of(names.into_iter()))
}

#[test]
fn case_punctuation_politeness_and_number_do_not_count() {
    for (one, other) in [
        (
            "How many technicians are active?",
            "how many technicians are active",
        ),
        (
            "How many technicians are active?",
            "HOW MANY TECHNICIANS ARE ACTIVE!!",
        ),
        (
            "How many technicians are active?",
            "Hi, could you please tell me how many technicians are active? Thanks!",
        ),
        (
            "How many technicians are active?",
            "how many technician are active",
        ),
        ("Show me all employees", "list the employees"),
        ("Show employees", "list employees"),
        (
            "What's the number of work orders?",
            "what is the number of work order",
        ),
        (
            "Give me a list of work-orders",
            "display all of the work orders, please",
        ),
        ("employees' work orders", "employee work order"),
        ("How many technicians are there?", "number of technicians"),
        (
            "How many technicians are there?",
            "What is the total number of technicians?",
        ),
        ("How many technicians are there?", "count the technicians"),
        (
            "How many technicians are there?",
            "how many technicians do we have",
        ),
        (
            "How many technicians are active?",
            "number of technicians are active",
        ),
        (
            "Which employees don't have a customer location?",
            "which employee do not have customer locations",
        ),
        (
            "work orders in “Springfield”",
            "work orders in \"springfield\"",
        ),
    ] {
        assert!(
            question(one).is_same(&question(other)),
            "{one} | {other}: {} | {}",
            question(one).normalised,
            question(other).normalised
        );
        assert!((question(one).likeness(&question(other)) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn numbers_names_negations_comparisons_and_order_count() {
    for (one, other) in [
        ("top 5 customers", "top 10 customers"),
        (
            "employees who worked more than 1.5 hours",
            "employees who worked more than 15 hours",
        ),
        ("balances over -5", "balances over 5"),
        ("orders on 2024-01-31", "orders on 2024-01-30"),
        ("hours > 20", "hours < 20"),
        ("employees who are active", "employees who are not active"),
        ("employees who work", "employees who don't work"),
        ("employees with a crew", "employees without a crew"),
        ("active employees", "inactive employees"),
        ("work orders of Williams", "work orders of William"),
        ("work orders of williams", "work orders of william"),
        ("work orders of crew A", "work orders of crew"),
        ("work orders of crew a", "work orders of crew"),
        ("jobs of \"The Shop\"", "jobs of \"Shop\""),
        (
            "transfers from Springfield to Shelbyville",
            "transfers from Shelbyville to Springfield",
        ),
        ("list price of the work order", "price of the work order"),
        ("growth in %", "growth in $"),
        ("employees hired this year", "employees hired last year"),
        ("how many employees", "employees"),
        (
            "how many technicians are there",
            "how many technicians are active",
        ),
        (
            "how many crews are there in Bonn",
            "how many crews are there",
        ),
        ("the count", "how many"),
        (
            "the newest work order",
            "the newest work order of all employees",
        ),
    ] {
        let (one, other) = (question(one), question(other));
        assert!(
            !one.is_same(&other),
            "{} | {}",
            one.normalised,
            other.normalised
        );
        assert!(one.likeness(&other) < 1.0);
    }
}

#[test]
fn what_is_alike_scores_higher_than_what_is_not() {
    let asked = question("How many hours did each employee work last month?");
    let near = asked.likeness(&question("Hours worked per employee in the last month"));
    let far = asked.likeness(&question("Which customers have no location?"));
    assert!(near > 0.5, "{near}");
    assert!(far < 0.3, "{far}");
    let meant = asked.likeness_with_meaning(&question("labour by person"), 0.9);
    assert!(meant > 0.6, "{meant}");
}

#[test]
fn a_question_without_words_is_itself() {
    assert_eq!(question(" ?! ").normalised, "?!");
    assert_eq!(question("please").normalised, "please");
    assert!(!question("???").is_same(&question("!!!")));
}
