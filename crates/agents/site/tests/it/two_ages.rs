//! The owner of two sites, one of which has been silent for months: what leans on the question
//! before, what was to be had, and what is said first.

use contracts::tools::{LoggerSummary, names};
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    owner,
    plant_owner::{Asked, check, of_sites},
};

const HEALTH: &str = names::ANALYZE_INVERTER_HEALTH;
const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const COMPARE: &str = names::COMPARE_LOGGERS;
const RATIO: &str = names::CALCULATE_PERFORMANCE_RATIO;

fn of(logger_id: &str) -> Value {
    json!({ "logger_id": logger_id })
}

#[tokio::test]
async fn a_comparison_is_continued_by_its_other_side_and_other_days() {
    let two = json!(["LIN-INV-1", "LIN-INV-2"]);
    let on =
        |metric: &str, date: &str| json!({ "logger_ids": two, "metric": metric, "date": date });
    let threads: Vec<Vec<Asked>> = vec![
        vec![
            (
                "Compare LIN-INV-1 and LIN-INV-2 on 17 November",
                COMPARE,
                on("power", "2025-11-17"),
                "",
                "",
            ),
            ("on energy", COMPARE, on("energy", "2025-11-17"), "", ""),
            (
                "and on 20 November",
                COMPARE,
                on("energy", "2025-11-20"),
                "",
                "",
            ),
        ],
        vec![
            (
                "Compare LIN-INV-1 and LIN-INV-2 in November",
                COMPARE,
                json!({ "logger_ids": two }),
                "",
                "",
            ),
            (
                "on power",
                COMPARE,
                json!({ "logger_ids": two, "metric": "power", "end_date": "2025-11-30" }),
                "",
                "",
            ),
            (
                "by energy?",
                COMPARE,
                json!({ "logger_ids": two, "metric": "energy", "end_date": "2025-11-30" }),
                "",
                "",
            ),
        ],
        vec![
            (
                "best inverter of Hof Lindenau in November",
                COMPARE,
                json!({ "end_date": "2025-11-30" }),
                "",
                "",
            ),
            (
                "on power",
                COMPARE,
                json!({ "metric": "power", "end_date": "2025-11-30" }),
                "",
                "",
            ),
        ],
    ];
    check(owner::plant, threads).await;
}

#[tokio::test]
async fn an_end_of_what_was_ranked_keeps_its_site_and_days() {
    let four = json!(["LIN-INV-1", "LIN-INV-2", "LIN-INV-3", "LIN-INV-4"]);
    let all = json!({ "logger_ids": four, "end_date": "2025-11-30" });
    let rank = "Rank the inverters of Hof Lindenau in November";
    let health = "health of all inverters of Hof Lindenau in November";
    let threads: Vec<Vec<Asked>> = vec![
        vec![
            (rank, COMPARE, all.clone(), "", ""),
            ("top 2", COMPARE, all.clone(), "best 2 of 4 devices", ""),
            (
                "and the worst two",
                COMPARE,
                all.clone(),
                "2 of 4 devices",
                "",
            ),
        ],
        vec![
            (rank, COMPARE, all.clone(), "", ""),
            (
                "which one is the second best?",
                COMPARE,
                all.clone(),
                "second best",
                "",
            ),
        ],
        vec![
            (health, HEALTH, all.clone(), "", ""),
            (
                "which one is worst?",
                HEALTH,
                all.clone(),
                "same health score",
                "",
            ),
        ],
        vec![
            (
                "Check the health of LIN-INV-1 and LIN-INV-2 on 20 November",
                HEALTH,
                json!({ "end_date": "2025-11-20" }),
                "",
                "",
            ),
            (
                "who is the best?",
                HEALTH,
                json!({ "logger_ids": ["LIN-INV-1", "LIN-INV-2"], "end_date": "2025-11-20" }),
                "same health score",
                "",
            ),
        ],
    ];
    check(owner::plant, threads).await;
}

#[tokio::test]
async fn a_number_is_that_of_an_inverter() {
    let on = |id: &str| json!({ "logger_id": id, "end_date": "2025-11-30" });
    let threads: Vec<Vec<Asked>> = vec![vec![
        (
            "PR of LIN-INV-1 in November",
            RATIO,
            on("LIN-INV-1"),
            "",
            "",
        ),
        ("and for number 2?", RATIO, on("LIN-INV-2"), "", ""),
        ("and #3", RATIO, on("LIN-INV-3"), "", ""),
    ]];
    check(owner::plant, threads).await;
}

#[tokio::test]
async fn what_was_to_be_had_and_what_is_missing_is_in_the_health_report() {
    let on = |date: &str| json!({ "logger_id": "LIN-INV-1", "end_date": date });
    let alone =
        |message, arguments: Value| -> Vec<Asked> { vec![(message, HEALTH, arguments, "", "")] };
    let threads: Vec<Vec<Asked>> = vec![
        alone(
            "How much would LIN-INV-1 have made on 13 November?",
            on("2025-11-13"),
        ),
        alone(
            "what should LIN-INV-1 have produced on 13 November",
            on("2025-11-13"),
        ),
        alone("when did LIN-INV-1 start to underperform?", of("LIN-INV-1")),
        alone(
            "How much did LIN-INV-1 lose in November compared with its neighbours?",
            on("2025-11-30"),
        ),
        alone("did LIN-INV-1 miss data on 13 November?", on("2025-11-13")),
        alone("Did LIN-INV-1 report on 13 November?", on("2025-11-13")),
        alone("which days did LIN-INV-1 make nothing?", of("LIN-INV-1")),
        vec![(
            "how sunny was it in November?",
            RATIO,
            json!({ "end_date": "2025-11-30" }),
            "The sun brought",
            "",
        )],
        vec![(
            "energy of Hof Lindenau including the meter in November",
            SAVINGS,
            json!({ "logger_ids": ["LIN-INV-1", "LIN-INV-2", "LIN-INV-3", "LIN-INV-4", "LIN-METER"] }),
            "",
            "",
        )],
        vec![(
            "Which site saved more CO2 in November?",
            SAVINGS,
            json!({ "end_date": "2025-11-30" }),
            "Old Mill avoided the most CO2, 125 kg; Hay Barn 62.5 kg.",
            "",
        )],
        vec![(
            "which site saved the most money in November?",
            SAVINGS,
            json!({ "end_date": "2025-11-30" }),
            "Old Mill saved the most money",
            "",
        )],
    ];
    check(owner::plant, threads).await;
}

/// The plant with Mesa Ranch silent since 15 July, and data of the other site since September.
fn aged() -> Vec<LoggerSummary> {
    let mut plant = owner::plant();
    for one in &mut plant {
        let (first, last) = if one.site_id == "mesa" {
            ("2025-06-01T06:00:00+00:00", "2025-07-15T19:55:00+00:00")
        } else {
            ("2025-09-01T06:00:00+00:00", "2025-12-04T19:55:00+00:00")
        };
        one.earliest_data = first.parse().ok();
        one.latest_data = last.parse().ok();
    }
    plant
}

#[tokio::test]
async fn another_site_is_asked_about_the_same_days() {
    let tools = Double::with_loggers(aged()).always(SAVINGS, Ending::Answers(of_sites()));
    let mut chat = Chat::new(tools);
    for (message, start) in [
        ("Energy of Hof Lindenau in September", "2025-09-01"),
        ("and of Mesa Ranch?", "2025-09-01"),
    ] {
        chat.tools.calls();
        chat.say(message).await;
        let calls = chat.tools.calls_of(SAVINGS);
        assert_eq!(calls[0]["start_date"], start, "{message}: {calls:?}");
    }
}

#[tokio::test]
async fn a_site_that_is_silent_is_said_to_be_before_anything_else() {
    let since = "Mesa Ranch has not reported since 15 July 2025 (143 days).";
    for (message, introduction) in [
        (
            "health of Mesa Ranch",
            "I'll check the health of your system.",
        ),
        (
            "Check the health of MESA-A",
            "I'll check the health of your system.",
        ),
        (
            "How is Mesa Ranch doing?",
            "I'll check how your solar fleet is doing.",
        ),
    ] {
        let mut chat = Chat::new(Double::with_loggers(aged()));
        let text = chat.say(message).await.text();
        let rest = text.trim_start_matches(introduction).trim_start();
        assert!(rest.starts_with(since), "{message}: {text}");
    }
    let mut chat = Chat::new(Double::with_loggers(aged()));
    let text = chat.say("health of Hof Lindenau").await.text();
    assert!(!text.contains("has not reported"), "{text}");
}

#[tokio::test]
async fn work_at_the_site_is_refused_as_what_it_is() {
    for message in ["clean the panels of LIN-INV-1", "wash LIN-INV-1 please"] {
        let mut chat = Chat::new(Double::with_loggers(owner::plant()));
        let text = chat.say(message).await.text();
        assert!(text.contains("can't clean panels"), "{message}: {text}");
    }
}

#[tokio::test]
async fn money_in_a_currency_is_answered_in_that_of_the_site() {
    let of_two = json!({ "logger_ids": ["LIN-INV-1", "LIN-INV-2"] });
    let other = "That's in CHF, the currency of the tariff; I don't convert it to EUR.";
    let threads: Vec<Vec<Asked>> = vec![
        vec![(
            "What did LIN-INV-1 and LIN-INV-2 bring in, in francs, during November?",
            SAVINGS,
            of_two.clone(),
            "CHF",
            "convert",
        )],
        vec![(
            "What did LIN-INV-1 and LIN-INV-2 bring in, in euros, during November?",
            SAVINGS,
            of_two,
            other,
            "",
        )],
        vec![(
            "savings of LIN-INV-1 in November in CHF",
            SAVINGS,
            of("LIN-INV-1"),
            "CHF",
            "convert",
        )],
    ];
    check(owner::plant, threads).await;
}

#[tokio::test]
async fn an_offer_without_its_limit_has_no_marks_left_over() {
    let message = "energy of LIN-INV-1, in Wh, on 20 November";
    let mut chat = Chat::new(Double::with_loggers(owner::plant()));
    let text = chat.say(message).await.text();
    assert!(text.contains("I can't convert"), "{text}");
    assert!(!text.contains(", ,"), "{text}");
}
