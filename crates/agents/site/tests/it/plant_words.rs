//! Questions of people with a plant of their own about sites, the best days, and how figures come
//! about.

use contracts::tools::names;
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    plant_owner::{check, mill, of_sites},
};

const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const COMPARE: &str = names::COMPARE_LOGGERS;
const HISTORY: &str = names::GET_ENERGY_HISTORY;

#[tokio::test]
async fn how_a_figure_comes_about_is_explained() {
    let score = "The health score runs from 0 to 100.";
    let mut wrong = Vec::new();
    for (message, words) in [
        ("how does the health score work?", score),
        ("How is the health score calculated?", score),
        ("how do you calculate the health score", score),
        ("how do you work out the health score?", score),
        ("how is the health score worked out?", score),
        ("what is the health score based on?", score),
        ("what goes into the health score?", score),
        ("what does the health score consist of", score),
        ("what does the health score depend on?", score),
        ("explain how the health score works", score),
        ("explain the health score", score),
        ("can you explain how the health score is calculated?", score),
        ("where does the health score come from?", score),
        ("what determines the health score?", score),
        ("how did you get the health score?", score),
        ("tell me how the score is computed", score),
        ("what is a health score?", score),
        (
            "how is the performance ratio determined?",
            "The performance ratio (PR) is",
        ),
        (
            "how does the performance ratio work",
            "The performance ratio (PR) is",
        ),
        ("how do you estimate the savings?", "Savings are the energy"),
        (
            "what is the CO2 figure based on?",
            "The CO2 figure is the energy made",
        ),
        ("how does availability work?", "Availability is the share"),
    ] {
        let mut chat = Chat::new(Double::with_loggers(mill()));
        let turn = chat.say(message).await;
        let text = turn.text();
        if !text.contains(words) || turn.open_picker().is_some() {
            wrong.push(format!("{message}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn sites_are_listed_and_not_their_devices() {
    let mut wrong = Vec::new();
    let both = "You have 2 sites: Hay Barn (2 inverters) and Old Mill (3 inverters and a meter).";
    for message in [
        "which sites do I have?",
        "what sites do I have",
        "list my sites",
        "how many sites do I have?",
        "show my sites",
        "show me all sites",
        "which plants do we have?",
        "what are my sites?",
        "my sites",
        "which sites are there?",
        "name my plants",
        "Which sites can you see?",
        "what sites are you monitoring?",
        "do I have more than one site?",
    ] {
        let mut chat = Chat::new(Double::with_loggers(mill()));
        let turn = chat.say(message).await;
        let text = turn.text();
        if !text.contains(both) || turn.open_picker().is_some() {
            wrong.push(format!("{message}\n    {text}"));
        }
    }
    for message in [
        "which devices do I have?",
        "which inverters are at my sites?",
        "which devices does the Old Mill have?",
    ] {
        let mut chat = Chat::new(Double::with_loggers(mill()));
        let text = chat.say(message).await.text();
        if !text.contains("MILL-1") {
            wrong.push(format!("{message}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The energy of the days, of which only the mill has data.
fn of_one_site() -> Value {
    let mut report = of_sites();
    report["sites"].as_array_mut().unwrap().truncate(1);
    let without = |id: &str| json!({ "loggerId": id, "status": "no_data_in_window", "message": "There are no data." });
    report["leftOut"] = json!([without("BARN-A"), without("BARN-B")]);
    report
}

#[tokio::test]
async fn a_site_without_data_is_not_left_unsaid() {
    let mut wrong = Vec::new();
    for message in [
        "which site is best?",
        "compare the two sites",
        "compare my sites",
        "which site made the most energy last month?",
        "compare Old Mill and Hay Barn",
        "which plant is the worst?",
        "rank the sites",
        "which of my sites produces more?",
        "best site in november",
        "top 2 sites",
    ] {
        let mut double = Double::with_loggers(mill());
        double = double.always(SAVINGS, Ending::Answers(of_one_site()));
        let mut chat = Chat::new(double);
        let text = chat.say(message).await.text();
        if text.contains("only site")
            || !text.contains("Of your sites only Old Mill has data")
            || !text.contains("Hay Barn")
        {
            wrong.push(format!("{message}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn the_power_of_a_site_is_that_of_its_devices() {
    let mill_devices = json!({ "logger_ids": ["LTI-INV-001", "MILL-1", "MILL-2"], "metric": "power", "date": "2025-11-28" });
    let mut threads = Vec::new();
    for message in [
        "show the power of Old Mill on 28 November",
        "power of the Old Mill on 28 November",
        "what was the power at Old Mill on 28 November?",
        "power curve of Old Mill on 28 November",
        "show me the power curve for Old Mill on 28 november",
        "Old Mill power on 28 November",
        "plot the power of old mill on 28 November",
        "how did the power of Old Mill run on 28 November?",
        "output of Old Mill on 28 November",
        "what power did Old Mill deliver on 28 November?",
    ] {
        threads.push(vec![(message, COMPARE, mill_devices.clone(), "", "")]);
    }
    threads.push(vec![(
        "show the power of Old Mill",
        names::GET_FLEET_OVERVIEW,
        json!({ "site_id": "mill" }),
        "",
        "",
    )]);
    threads.push(vec![(
        "show the power curve of Old Mill",
        COMPARE,
        json!({ "logger_ids": ["LTI-INV-001", "MILL-1", "MILL-2"], "metric": "power" }),
        "",
        "",
    )]);
    check(mill, threads).await;
}

#[tokio::test]
async fn the_best_days_are_named_in_the_number_that_is_asked_for() {
    let mut threads = Vec::new();
    for message in [
        "top 2 days of MILL-2",
        "top two days of MILL-2 in november",
        "the 2 best days of MILL-2",
        "what were the best two days of MILL-2?",
        "which were the 2 best days for MILL-2 in november?",
        "show me the top 2 production days of MILL-2",
        "2 best days of MILL-2 last month",
        "best 2 days of MILL-2 by energy",
        "the two strongest days of MILL-2",
        "top 2 days for MILL-2 please",
    ] {
        threads.push(vec![(
            message,
            HISTORY,
            json!({ "logger_id": "MILL-2", "interval": "day" }),
            "The 2 best days by energy were 14 November 2025 with 41.5 kWh and ",
            "The highest day",
        )]);
    }
    threads.push(vec![(
        "worst 2 days of MILL-2",
        HISTORY,
        json!({ "interval": "day" }),
        "The 2 worst days by energy were ",
        "",
    )]);
    threads.push(vec![(
        "top 3 days",
        HISTORY,
        json!({ "interval": "day" }),
        "best days by energy were ",
        "",
    )]);
    threads.push(vec![(
        "top 2 weeks of MILL-2",
        HISTORY,
        json!({ "interval": "week" }),
        "",
        "",
    )]);
    check(mill, threads).await;
}

#[tokio::test]
async fn the_best_day_by_money_has_its_money() {
    let mut threads = Vec::new();
    for message in [
        "best day of MILL-2 by money",
        "which day saved the most at MILL-2?",
        "on which day did MILL-2 earn the most?",
        "MILL-2's best day by savings",
        "which day brought the most money for MILL-2?",
        "best day of MILL-2 for revenue",
        "what was the most profitable day of MILL-2?",
        "on which day did MILL-2 save the most money in november?",
        "best day in terms of savings for MILL-2",
        "highest savings day of MILL-2",
    ] {
        threads.push(vec![(
            message,
            SAVINGS,
            json!({ "logger_id": "MILL-2", "start_date": "2025-11-14", "end_date": "2025-11-14" }),
            "The best day by money was 14 November 2025 with ",
            "The highest day",
        )]);
    }
    check(mill, threads).await;
}
