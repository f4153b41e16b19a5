//! Questions of many kinds, each through the real flow: what a tool has is answered by that tool,
//! and everything else is refused as what it is.

use contracts::tools::names;
use serde_json::{Value, json};

use crate::{chat::Chat, double::Double};

/// The required outcome of a question.
enum Outcome {
    /// This tool is called, with these arguments, and the text has these words.
    Called(
        &'static str,
        &'static [(&'static str, &'static str)],
        &'static str,
    ),
    /// No tool is called but the list of devices; the text says this, and offers three things.
    Refused(&'static str),
    /// No tool is called; the text says this.
    Explained(&'static str),
}

use Outcome::{Called, Explained, Refused};

const FAULTS: &str = "can't predict faults";
const DAYS: &str = "can name the best and the worst day";
const REPAIR: &str = "can't say how a device is repaired";
const HEALTH: &str = names::ANALYZE_INVERTER_HEALTH;
const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const HISTORY: &str = names::GET_ENERGY_HISTORY;
const COMPARE: &str = names::COMPARE_LOGGERS;
const LTI: &[(&str, &str)] = &[("logger_id", "LTI-INV-001")];
const ALL_TIME: &[(&str, &str)] = &[("start_date", "2025-11-05"), ("end_date", "2025-12-04")];

const QUESTIONS: &[(&str, Outcome)] = &[
    // What is still to come.
    ("will LTI fail next month?", Refused(FAULTS)),
    ("Will LTI-INV-001 break down soon?", Refused(FAULTS)),
    ("is MEIER going to fail?", Refused(FAULTS)),
    ("when will LTI die?", Refused(FAULTS)),
    ("how long will LTI last?", Refused(FAULTS)),
    ("will there be any outages next week", Refused(FAULTS)),
    ("can you predict when LTI will fail", Refused(FAULTS)),
    ("will LTI fial next month", Refused(FAULTS)),
    // Days among days.
    ("worst day of LTI", Called(HISTORY, LTI, "the lowest")),
    (
        "best day of LTI in november",
        Called(HISTORY, LTI, "The highest day"),
    ),
    (
        "which day was the best last month?",
        Called(HISTORY, &[("start_date", "2025-11-01")], ""),
    ),
    (
        "on which day did LTI produce most?",
        Called(HISTORY, LTI, "The highest day"),
    ),
    (
        "what was our best month?",
        Called(HISTORY, &[("interval", "month")], ""),
    ),
    (
        "worst week of MEIER",
        Called(HISTORY, &[("interval", "week")], ""),
    ),
    (
        "when did LTI produce the least in november",
        Called(HISTORY, LTI, "the lowest"),
    ),
    (
        "top 3 days of LTI",
        Called(HISTORY, LTI, "best days by energy were"),
    ),
    (
        "on which day did we save the most?",
        Called(HISTORY, &[("interval", "day")], "best day by money"),
    ),
    ("on which day did we avoid the most CO2?", Refused(DAYS)),
    ("top 3 days of LTI by performance ratio", Refused(DAYS)),
    (
        "whats the wrost day of LTI",
        Called(HISTORY, LTI, "the lowest"),
    ),
    // Periods beside periods.
    (
        "compare december to november",
        Called(SAVINGS, &[("start_date", "2025-11-01")], "made the same"),
    ),
    (
        "did we make more in november than in december?",
        Called(SAVINGS, &[("start_date", "2025-12-01")], "made the same"),
    ),
    (
        "how does LTI compare to last month?",
        Called(SAVINGS, LTI, "per day it's 225 kWh against 30 kWh"),
    ),
    (
        "compare LTI with last week",
        Called(SAVINGS, LTI, "per day it's 225 kWh against 129 kWh"),
    ),
    (
        "are we doing better than last month?",
        Called(SAVINGS, &[], "per day it's 900 kWh against 120 kWh"),
    ),
    // What words mean.
    (
        "what's a dead day",
        Explained("sent its readings and delivered next to nothing"),
    ),
    (
        "what is a dead day?",
        Explained("sent its readings and delivered next to nothing"),
    ),
    (
        "what does dead day mean",
        Explained("sent its readings and delivered next to nothing"),
    ),
    ("what is a missing day?", Explained("next to no readings")),
    ("define data outage", Explained("no power readings came")),
    // How long and how often.
    (
        "how long was LTI out",
        Called(HEALTH, LTI, "out in full sun for 4 hours"),
    ),
    (
        "how long was LTI down last week?",
        Called(HEALTH, LTI, "out in full sun for 4 hours"),
    ),
    (
        "how often was LTI out in november?",
        Called(HEALTH, LTI, "out in full sun for 4 hours"),
    ),
    (
        "when was LTI out?",
        Called(HEALTH, LTI, "out in full sun for 4 hours"),
    ),
    (
        "how many outages did LTI have last month",
        Called(HEALTH, LTI, "out in full sun for 4 hours"),
    ),
    (
        "availability of LTI in november",
        Called(HEALTH, LTI, "Its availability was"),
    ),
    (
        "how available was LTI yesterday?",
        Called(HEALTH, LTI, "Its availability was"),
    ),
    // Everything so far.
    (
        "how much did we save in total",
        Called(SAVINGS, ALL_TIME, "saved"),
    ),
    (
        "how much have we saved so far?",
        Called(SAVINGS, ALL_TIME, "saved"),
    ),
    (
        "how much energy did we make in total?",
        Called(SAVINGS, ALL_TIME, "made"),
    ),
    ("total co2 avoided ever", Called(SAVINGS, ALL_TIME, "CO2")),
    ("lifetime savings", Called(SAVINGS, ALL_TIME, "")),
    (
        "how much did we save in total last month",
        Called(SAVINGS, &[("start_date", "2025-11-01")], ""),
    ),
    (
        "how much co2 did LTI avoid in november?",
        Called(SAVINGS, LTI, "of CO2 out of the air"),
    ),
    // Which device is best.
    (
        "best inverter last month",
        Called(COMPARE, &[("metric", "energy"), ("date", "2025-11-01")], ""),
    ),
    (
        "which inverter was the worst in november",
        Called(COMPARE, &[("metric", "energy")], ""),
    ),
    (
        "which inverter made the most yesterday",
        Called(COMPARE, &[("metric", "energy")], ""),
    ),
    (
        "who is the best performer",
        Called(COMPARE, &[("metric", "energy")], ""),
    ),
    (
        "best performer last week",
        Called(COMPARE, &[("metric", "energy")], ""),
    ),
    // Of no device by name.
    (
        "what happened on 29 november",
        Called(HEALTH, &[("end_date", "2025-11-29")], "Out that day"),
    ),
    (
        "show me the outages last month",
        Called(HEALTH, &[("end_date", "2025-11-30")], "Out then"),
    ),
    (
        "when was the last outage",
        Called(HEALTH, &[], "The last outage was that of LTI-INV-001"),
    ),
    ("who was out in november?", Called(HEALTH, &[], "Out then")),
    // What is in no reading.
    ("how do I fix LTI?", Refused(REPAIR)),
    ("is LTI worth repairing?", Refused(REPAIR)),
    ("who made LTI-INV-001?", Refused("answer")),
    (
        "how much energy did LTI consume in november?",
        Refused("\"consume\""),
    ),
    ("how full is the battery?", Refused("\"battery\"")),
    (
        "how much did I export to the grid in november?",
        Refused("the power, energy, irradiance and error codes"),
    ),
    ("how many days was LTI missing?", Called(HEALTH, LTI, "")),
    // What a device is.
    (
        "what is the capacity of LTI-INV-001",
        Explained("LTI-INV-001 is an inverter"),
    ),
    ("how big is LTI?", Explained("Its data run from")),
    ("when did LTI last send data?", Explained("the newest at")),
    (
        "where is LTI-INV-001?",
        Explained("LTI-INV-001 is an inverter"),
    ),
];

fn is_answer(call: &Value, arguments: &[(&str, &str)]) -> bool {
    arguments
        .iter()
        .all(|(name, value)| call.get(*name).and_then(Value::as_str) == Some(value))
}

#[tokio::test]
async fn every_question_gets_its_own_answer_or_a_refusal_as_what_it_is() {
    let mut wrong = Vec::new();
    for (question, outcome) in QUESTIONS {
        let mut chat = Chat::new(Double::new());
        let turn = chat.say(question).await;
        let text = turn.text();
        let called: Vec<(String, Value)> = chat.tools.calls();
        let other = called.iter().any(|(name, _)| name != names::LIST_LOGGERS);
        let right = match outcome {
            Called(tool, arguments, words) => {
                let mut calls = called.iter().filter(|(name, _)| name == tool);
                calls.any(|(_, call)| is_answer(call, arguments)) && text.contains(words)
            }
            Refused(words) => {
                !other
                    && turn.open_picker().is_none()
                    && text.contains(words)
                    && text.matches('"').count() >= 6
            }
            Explained(words) => !other && turn.open_picker().is_none() && text.contains(words),
        };
        if !right {
            wrong.push(format!("{question}\n    {text}\n    {called:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[tokio::test]
async fn follow_ups_keep_the_device_and_count_days_from_those_before() {
    let mut chat = Chat::new(Double::new());
    chat.say("savings of the Demo site in november").await;
    let text = chat.say("and the CO2?").await.text();
    let call = &chat.tools.calls_of(SAVINGS)[1];
    assert_eq!(call["site_id"], "demo", "{text}: {call}");
    let tool = |name: &'static str, id: &'static str, start: &'static str, end: &'static str| {
        (name, id, start, end)
    };
    for (first, follow_ups) in [
        (
            "How much did LTI-INV-001 save from 17 to 23 November?",
            vec![
                (
                    "and its availability?",
                    tool(HEALTH, "LTI-INV-001", "", "2025-11-23"),
                ),
                (
                    "and the week before?",
                    tool(HEALTH, "LTI-INV-001", "", "2025-11-16"),
                ),
                (
                    "and its CO2?",
                    tool(SAVINGS, "LTI-INV-001", "2025-11-10", "2025-11-16"),
                ),
                (
                    "what about the day before",
                    tool(SAVINGS, "LTI-INV-001", "2025-11-09", "2025-11-09"),
                ),
                (
                    "and the month after?",
                    // It has not ended: today is 5 December.
                    tool(SAVINGS, "LTI-INV-001", "2025-12-01", "2025-12-05"),
                ),
            ],
        ),
        (
            "Check the health of LTI-INV-001 on 8 November",
            vec![
                (
                    "what about the day before?",
                    tool(HEALTH, "LTI-INV-001", "", "2025-11-07"),
                ),
                (
                    "and the day after that?",
                    tool(HEALTH, "LTI-INV-001", "", "2025-11-08"),
                ),
                ("asdf qwer", tool("", "", "", "")),
                (
                    "and the day after?",
                    tool(HEALTH, "LTI-INV-001", "", "2025-11-09"),
                ),
                ("what's a dead day?", tool("", "", "", "")),
                (
                    "and its co2?",
                    tool(SAVINGS, "LTI-INV-001", "2025-11-09", "2025-11-09"),
                ),
            ],
        ),
        (
            "Power curve of LTI on 15 November",
            vec![
                (
                    "and the previous day?",
                    tool(names::GET_POWER_CURVE, "LTI-INV-001", "2025-11-14", ""),
                ),
                (
                    "and how available was it?",
                    tool(HEALTH, "LTI-INV-001", "", "2025-11-14"),
                ),
            ],
        ),
    ] {
        let mut chat = Chat::new(Double::new());
        chat.say(first).await;
        for (message, (name, id, start, end)) in follow_ups {
            chat.tools.calls();
            let text = chat.say(message).await.text();
            if name.is_empty() {
                continue;
            }
            let called = chat.tools.calls();
            let call = called.iter().find(|(tool, _)| tool == name);
            let Some((_, call)) = call else {
                panic!("{first} / {message}: {called:?}\n{text}")
            };
            let is = |names: [&str; 2], expected: &str| {
                expected.is_empty() || names.iter().any(|name| call[*name] == expected)
            };
            assert!(
                call["logger_id"] == id
                    && is(["start_date", "date"], start)
                    && is(["end_date", "end_date"], end),
                "{first} / {message}: {call}\n{text}"
            );
        }
    }
}

/// "Everything except LTI last week" is the energy of the others; without days it is how they do.
#[tokio::test]
async fn devices_and_days_alone_are_a_question() {
    let others = json!(["GW-INV-001", "MEIER-INV-001", "SD-INV-001"]);
    let days = ("2025-11-24", "2025-11-30");
    for (message, tool, ids) in [
        ("everything except LTI last week", SAVINGS, &others),
        ("All but LTI-INV-001 last week.", SAVINGS, &others),
        (
            "everything except LTI-INV-001 and MEIER last week",
            SAVINGS,
            &json!(["GW-INV-001", "SD-INV-001"]),
        ),
        ("all inverters last week", SAVINGS, &Value::Null),
        ("all but the LTI", HEALTH, &others),
    ] {
        let mut chat = Chat::new(Double::new());
        let text = chat.say(message).await.text();
        let calls = chat.tools.calls();
        let Some((_, call)) = calls.iter().find(|(name, _)| name == tool) else {
            panic!("{message}: {calls:?}\n{text}")
        };
        assert_eq!(&call["logger_ids"], ids, "{message}: {call}");
        if tool == SAVINGS {
            assert_eq!(
                (&call["start_date"], &call["end_date"]),
                (&json!(days.0), &json!(days.1)),
                "{message}"
            );
            assert!(text.contains("made"), "{message}: {text}");
        }
    }
    // Of one day it is the energy as well, and no comparison.
    for message in [
        "energy without LTI on 27 november",
        "what did all inverters but LTI make on 27 november",
    ] {
        let mut chat = Chat::new(Double::new());
        let text = chat.say(message).await.text();
        let calls = chat.tools.calls_of(SAVINGS);
        assert_eq!(
            calls.first().map(|call| &call["logger_ids"]),
            Some(&others),
            "{message}: {text}"
        );
    }
    let mut chat = Chat::new(Double::new());
    let text = chat
        .say("what did all inverters make on 27 november?")
        .await
        .text();
    assert_eq!(chat.tools.calls_of(SAVINGS).len(), 1, "{text}");
    let text = chat
        .say("how much did LTI make in its first week")
        .await
        .text();
    assert!(!text.contains("in its\""), "{text}");
    // Behind another question it is that one of the others.
    let mut chat = Chat::new(Double::new());
    chat.say("How much did all inverters save last week?").await;
    chat.tools.calls();
    let text = chat.say("all but LTI").await.text();
    let calls = chat.tools.calls_of(SAVINGS);
    assert_eq!(calls.last().unwrap()["logger_ids"], others, "{text}");
    for message in [
        "everything except the moon last week",
        "did everything stop last week?",
    ] {
        let mut chat = Chat::new(Double::new());
        chat.say(message).await;
        assert!(chat.tools.calls_of(SAVINGS).is_empty(), "{message}");
    }
}

#[tokio::test]
async fn a_refusal_is_in_one_language() {
    for message in [
        "Ist LTI-INV-001 kaputt?",
        "¿Cómo está MEIER-INV-001?",
        "Combien ai-je économisé le mois dernier ?",
    ] {
        let mut chat = Chat::new(Double::new());
        let text = chat.say(message).await.text();
        assert!(text.contains("only understand English"), "{text}");
        for other in ["verstehe", "entiendo", "comprends"] {
            assert!(!text.contains(other), "{text}");
        }
    }
}
