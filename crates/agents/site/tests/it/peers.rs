//! One device beside the others of its site: how it ranks among them, and since when it is behind.

use contracts::tools::names;
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    plant_owner::mill,
    reporting::three_sites,
};

#[tokio::test]
async fn a_device_is_compared_with_the_others_of_its_site() {
    let mut wrong = Vec::new();
    for question in [
        "compare MILL-1 with its neighbours",
        "Compare MILL-1 with the others",
        "compare MILL-1 with its peers",
        "how does MILL-1 compare with its neighbours?",
        "how is MILL-1 compared to the others?",
        "is MILL-1 worse than the others?",
        "is MILL-1 better than its neighbours?",
        "MILL-1 against its peers",
        "MILL-1 versus the others",
        "compare MILL-1 with the other inverters",
        "how does MILL-1 do beside its neighbours?",
        "how does MILL-1 rank among its peers?",
        "did MILL-1 make less than its neighbours?",
        "how far is MILL-1 behind the others?",
        "show MILL-1 next to its neighbours",
    ] {
        let mut chat = Chat::new(Double::with_loggers(mill()));
        let turn = chat.say(question).await;
        let text = turn.text();
        let calls = chat.tools.calls_of(names::COMPARE_LOGGERS);
        let right = calls.first().is_some_and(|call| {
            call["logger_ids"] == json!(["LTI-INV-001", "MILL-1", "MILL-2"])
                && call["metric"] == "energy"
        });
        let words =
            "MILL-1 is number 2 of 3. It made 3.50 kWh per kWp, as much as the others on average.";
        if !right || !text.contains(words) || turn.open_picker().is_some() {
            wrong.push(format!("{question}\n    {text}\n    {calls:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn the_days_and_the_device_of_the_question_before_are_kept() {
    let mut chat = Chat::new(Double::with_loggers(mill()));
    chat.say("how is LTI-INV-001?").await;
    let text = chat
        .say("compare it with its neighbours in November")
        .await
        .text();
    let calls = chat.tools.calls_of(names::COMPARE_LOGGERS);
    assert_eq!(
        (&calls[0]["date"], &calls[0]["end_date"]),
        (&json!("2025-11-01"), &json!("2025-11-30")),
        "{text}"
    );
    assert!(
        text.contains(
            "LTI-INV-001 is number 1 of 3. It made 4.00 kWh per kWp, the others 3.25 on average: that is 23.1 % more."
        ),
        "{text}"
    );
}

#[tokio::test]
async fn a_device_that_is_alone_has_no_neighbours() {
    for question in [
        "compare LONE-7 with its neighbours",
        "compare Lake House with its neighbours",
        "is LONE-7 worse than the others?",
    ] {
        let mut chat = Chat::new(Double::with_loggers(three_sites()));
        let turn = chat.say(question).await;
        let text = turn.text();
        assert!(
            text.contains("LONE-7 is the only one of its kind at Lake House"),
            "{question}: {text}"
        );
        assert!(turn.open_picker().is_none(), "{question}");
    }
}

fn report(lag: &Value) -> Value {
    json!({
        "type": "anomaly_report", "loggerId": "MILL-1", "period": { "start": "2025-11-05", "end": "2025-12-04" },
        "daysAnalyzed": 30, "totalRecords": 1850, "anomalyCount": 0, "anomalies": [], "points": [], "events": [],
        "healthScore": 100.0, "availabilityTime": 1.0, "availabilityEnergy": 1.0, "sunHours": 62.0, "lostKwh": 0.0,
        "lostMoney": null, "deadDays": [], "missingDays": [], "flags": [], "lag": lag,
    })
}

const SINCE_WHEN: &[&str] = &[
    "Since when does MILL-1 lag?",
    "since when is MILL-1 worse than the others?",
    "since when does MILL-1 lag behind its neighbours?",
    "when did MILL-1 begin to fall behind?",
    "since when does MILL-1 make less than the others?",
    "since when is MILL-1 weak?",
    "when did MILL-1 start to underperform?",
    "how long has MILL-1 been lagging?",
];

/// Asks since when the device lags, and returns the answers to all wordings.
async fn since_when(lag: &Value) -> Vec<String> {
    let mut answers = Vec::new();
    for question in SINCE_WHEN {
        let double = Double::with_loggers(mill())
            .always(names::ANALYZE_INVERTER_HEALTH, Ending::Answers(report(lag)));
        let mut chat = Chat::new(double);
        let text = chat.say(question).await.text();
        let calls = chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH);
        assert_eq!(calls[0]["logger_id"], "MILL-1", "{question}: {text}");
        // All days that there are.
        assert_eq!(calls[0]["days"], 30, "{question}: {text}");
        answers.push(format!("{question}: {text}"));
    }
    answers
}

#[tokio::test]
async fn since_when_a_device_lags_is_a_day_with_the_ratios_before_and_after() {
    let first = "2025-11-05";
    let lag = json!({ "lags": true, "since": "2025-11-20", "ratioBefore": 0.98, "ratioAfter": 0.81, "firstDay": first, "days": 28 });
    for text in since_when(&lag).await {
        assert!(
            text.contains("MILL-1 has been behind the other inverters of its site since 20 November 2025: for its size it made 0.98 times what they make before that day, and 0.81 times since."),
            "{text}"
        );
        assert!(
            !text.contains("healthy") && !text.contains("Good news"),
            "{text}"
        );
    }
    let always = json!({ "lags": true, "ratioAfter": 0.74, "firstDay": first, "days": 28 });
    for text in since_when(&always).await {
        assert!(
            text.contains("on all days that I can compare, from 5 November 2025 on"),
            "{text}"
        );
        assert!(text.contains("0.74 times"), "{text}");
    }
    let not = json!({ "lags": false, "ratioAfter": 0.97, "firstDay": first, "days": 28 });
    for text in since_when(&not).await {
        assert!(
            text.contains("MILL-1 doesn't lag: for its size it makes 0.97 times"),
            "{text}"
        );
    }
    for text in since_when(&Value::Null).await {
        assert!(text.contains("there are too few days"), "{text}");
    }
}
