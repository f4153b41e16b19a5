//! Which devices send data: how many, on which days, and what is said of a site whose only device
//! no longer does.

use contracts::tools::{LoggerSummary, names};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, Ending, logger},
};

/// Three inverters of a mill, of which one stopped yesterday; two of a barn; a lake house whose
/// only inverter stopped on 12 November. Today is 5 December.
pub(crate) fn three_sites() -> Vec<LoggerSummary> {
    let at = |id: &str, site: &str, name: &str, last: &str| {
        let mut one = logger(id, "goodwe");
        site.clone_into(&mut one.site_id);
        name.clone_into(&mut one.site_name);
        one.latest_data = last.parse().ok();
        one
    };
    let today = "2025-12-05T08:00:00+00:00";
    vec![
        at("mill-inv-1", "mill", "Old Mill", today),
        at("mill-inv-2", "mill", "Old Mill", today),
        at(
            "mill-inv-12",
            "mill",
            "Old Mill",
            "2025-12-04T10:00:00+00:00",
        ),
        at("barn-inv-1", "barn", "Hay Barn", today),
        at("barn-inv-2", "barn", "Hay Barn", today),
        at("LONE-7", "lake", "Lake House", "2025-11-12T16:00:00+00:00"),
    ]
}

/// Says each message in a thread of its own, and checks that no picker opens and that the answer
/// has the words.
async fn answered(plant: &[LoggerSummary], questions: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (question, words) in questions {
        let mut chat = Chat::new(Double::with_loggers(plant.to_vec()));
        let turn = chat.say(question).await;
        let text = turn.text();
        if turn.open_picker().is_some() || !text.contains(words) {
            wrong.push(format!("{question}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn devices_that_report_are_counted_with_their_names() {
    const FIVE: &str = "5 of your 6 devices report: mill-inv-1, mill-inv-2, mill-inv-12, barn-inv-1 and barn-inv-2.";
    const LAST: &str = "Last reading: LONE-7 at 16:00 on 12 November 2025.";
    const TODAY: &str = "4 of your 6 devices have sent data today, 5 December 2025: mill-inv-1, mill-inv-2, barn-inv-1 and barn-inv-2.";
    const NOT_TODAY: &str =
        "2 of your 6 devices have sent nothing today, 5 December 2025: mill-inv-12 and LONE-7.";
    let questions = [
        ("How many of my devices report?", FIVE),
        ("How many of my devices report?", LAST),
        ("how many inverters are reporting?", FIVE),
        ("how many of them are sending data?", FIVE),
        ("does every device report?", FIVE),
        ("do all my devices send data?", FIVE),
        ("none of my devices reports?", FIVE),
        (
            "how many are silent?",
            "1 of your 6 devices is silent: LONE-7.",
        ),
        (
            "is none of them silent?",
            "1 of your 6 devices is silent: LONE-7.",
        ),
        ("how many devices sent data today?", TODAY),
        ("How many inverters reported today?", TODAY),
        ("which devices report today?", TODAY),
        ("who reported today?", TODAY),
        ("how many devices did not report today?", NOT_TODAY),
        ("has any device sent nothing today?", NOT_TODAY),
        (
            "how many of the inverters at Old Mill report?",
            "All of your 3 devices report: mill-inv-1, mill-inv-2 and mill-inv-12.",
        ),
        (
            "which sites report?",
            "2 of your 3 sites report: Old Mill and Hay Barn.",
        ),
        (
            "how many sites are silent?",
            "1 of your 3 sites is silent: Lake House.",
        ),
    ];
    answered(&three_sites(), &questions).await;
}

#[tokio::test]
async fn devices_are_counted_by_their_state_now_and_on_days() {
    let questions = [
        (
            "How many of my devices are online right now?",
            "6 of your 6 devices are online:",
        ),
        ("how many are online?", "6 of your 6 devices are online:"),
        (
            "how many inverters are producing?",
            "6 of your 6 devices deliver power:",
        ),
        (
            "how many inverters are producing nothing?",
            "None of your 6 devices delivers no power by its newest reading.",
        ),
        (
            "how many of my inverters sent data yesterday?",
            "All of your 6 devices sent data on 4 December 2025:",
        ),
        (
            "who sends no data?",
            "1 of your 6 devices is silent: LONE-7.",
        ),
        ("how many are not silent?", "5 of your 6 devices report:"),
        (
            "is at least one inverter offline?",
            "None of them is offline.",
        ),
        (
            "how many devices are not online?",
            "None of them is offline.",
        ),
        (
            "how many inverters are running?",
            "6 of your 6 devices are online:",
        ),
        (
            "how many inverters are asleep?",
            "None of your 6 devices delivers no power by its newest reading.",
        ),
        (
            "which device has not sent data since yesterday?",
            "1 of your 6 devices has been silent for more than 24 hours: LONE-7",
        ),
        (
            "how many inverters lag?",
            "No: none of them lags the others",
        ),
        ("are both inverters of Hay Barn healthy?", "2 devices"),
        (
            "did none of my devices report on 3 December?",
            "All of your 6 devices sent data on 3 December 2025:",
        ),
    ];
    answered(&three_sites(), &questions).await;
    // Other questions with the same words.
    for (question, tool) in [
        (
            "how many error codes were reported last week?",
            names::DIAGNOSE_ERROR_CODES,
        ),
        (
            "who made the most energy yesterday?",
            names::COMPARE_LOGGERS,
        ),
    ] {
        let mut chat = Chat::new(Double::with_loggers(three_sites()));
        let text = chat.say(question).await.text();
        assert_eq!(chat.tools.calls_of(tool).len(), 1, "{question}: {text}");
    }
}

#[tokio::test]
async fn the_first_stamp_of_a_day_is_the_end_of_the_day_before() {
    let mut plant = three_sites();
    plant[0].latest_data = "2025-12-05T00:00:00+00:00".parse().ok();
    let three = "3 of your 6 devices have sent data today, 5 December 2025: mill-inv-2, barn-inv-1 and barn-inv-2.";
    answered(&plant, &[("who reported today?", three)]).await;
    // Where it is still yesterday, readings of that day are those of today.
    plant[0].timezone = "America/Phoenix".to_owned();
    plant[0].latest_data = "2025-12-05T00:45:00-07:00".parse().ok();
    let four = "mill-inv-1, mill-inv-2, barn-inv-1 and barn-inv-2.";
    answered(&plant, &[("who reported today?", four)]).await;
}

#[tokio::test]
async fn a_device_without_data_on_a_day_did_not_report() {
    let first = "The first report of LONE-7 is of 06:00 on 5 November 2025.";
    let last = "The last report of LONE-7 is of 16:00 on 12 November 2025; none has come since.";
    let questions = [
        (
            "Did LONE-7 report on 3 June?",
            "No: LONE-7 sent no data on 3 June 2025.",
        ),
        ("Did LONE-7 report on 3 June?", first),
        (
            "Did LONE-7 report on 1 December?",
            "No: LONE-7 sent no data on 1 December 2025.",
        ),
        ("Did LONE-7 report on 1 December?", last),
        (
            "Did LONE-7 send data yesterday?",
            "No: LONE-7 sent no data on 4 December 2025.",
        ),
        ("did LONE-7 report between 1 and 5 December?", last),
        (
            "did mill-inv-12 report today?",
            "No: mill-inv-12 sent no data on 5 December 2025.",
        ),
        (
            "did LONE-7 not report on 1 December?",
            "LONE-7 sent no data on 1 December 2025.",
        ),
        (
            "Did LONE-7 report on 8 November?",
            "Yes: LONE-7 sent data on 8 November 2025.",
        ),
    ];
    answered(&three_sites(), &questions).await;
}

#[tokio::test]
async fn a_day_without_data_between_others_has_the_reports_around_it() {
    let report = |missing: &[&str]| {
        json!({
            "type": "anomaly_report", "loggerId": "LONE-7", "period": { "start": "2025-11-08", "end": "2025-11-08" },
            "daysAnalyzed": 1, "totalRecords": 0, "anomalyCount": 1, "anomalies": [], "points": [], "events": [],
            "healthScore": 45.0, "availabilityTime": null, "availabilityEnergy": null, "sunHours": 0.0, "lostKwh": 0.0,
            "lostMoney": null, "deadDays": [], "missingDays": missing, "flags": [],
        })
    };
    let double = Double::with_loggers(three_sites())
        .once(
            names::ANALYZE_INVERTER_HEALTH,
            Ending::Answers(report(&["2025-11-08"])),
        )
        .once(
            names::ANALYZE_INVERTER_HEALTH,
            Ending::Answers(report(&["2025-11-07", "2025-11-08", "2025-11-09"])),
        );
    let mut chat = Chat::new(double);
    let text = chat.say("Did LONE-7 report on 8 November?").await.text();
    assert!(
        text.contains("No: LONE-7 sent no data on 8 November 2025."),
        "{text}"
    );
    assert!(
        text.contains("It reported last on 6 November 2025 before, and next on 10 November 2025."),
        "{text}"
    );
}

#[tokio::test]
async fn every_answer_about_a_site_that_is_silent_says_so() {
    const SINCE: &str = "Lake House has not reported since 12 November 2025";
    let mut wrong = Vec::new();
    for question in [
        "How is Lake House?",
        "is Lake House ok?",
        "status of Lake House",
        "how much did Lake House make last month?",
        "how much did Lake House make this month?",
        "how much did Lake House make yesterday?",
        "how much did Lake House save in december?",
        "how much CO2 did Lake House save last week?",
        "power curve of Lake House yesterday",
        "what is Lake House producing now?",
        "performance ratio of Lake House yesterday",
        "forecast for Lake House",
        "any errors at Lake House?",
        "error codes of Lake House",
        "how did Lake House do yesterday?",
        "was Lake House out last week?",
        "health of Lake House last week",
        "energy of Lake House per day last week",
        "best day of Lake House in december",
        "compare Lake House with Old Mill",
        "when did LONE-7 last report?",
    ] {
        let mut chat = Chat::new(Double::with_loggers(three_sites()));
        let text = chat.say(question).await.text();
        if text.matches(SINCE).count() != 1 {
            wrong.push(format!("{question}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    // Of the other sites nothing is said.
    let mut chat = Chat::new(Double::with_loggers(three_sites()));
    let text = chat
        .say("how much did Hay Barn make yesterday?")
        .await
        .text();
    assert!(!text.contains("not reported"), "{text}");
}

#[tokio::test]
async fn days_of_a_month_that_has_begun_are_of_this_year() {
    for (question, tool) in [
        (
            "health of mill-inv-1 from 1 to 10 December",
            names::ANALYZE_INVERTER_HEALTH,
        ),
        (
            "error codes from 1 to 20 December",
            names::DIAGNOSE_ERROR_CODES,
        ),
        (
            "energy per day from 1 to 20 December",
            names::GET_ENERGY_HISTORY,
        ),
        (
            "how much did mill-inv-1 make until 20 December?",
            names::CALCULATE_FINANCIAL_SAVINGS,
        ),
    ] {
        let mut chat = Chat::new(Double::with_loggers(three_sites()));
        let text = chat.say(question).await.text();
        let calls = chat.tools.calls_of(tool);
        assert_eq!(calls[0]["end_date"], "2025-12-05", "{question}: {text}");
    }
}

#[tokio::test]
async fn a_period_that_has_not_ended_is_that_of_its_days_so_far() {
    for question in [
        "how much did we make from 1 December to 31 December 2025?",
        "how much did mill-inv-1 save from 1 December to 24 December 2025?",
    ] {
        let mut chat = Chat::new(Double::with_loggers(three_sites()));
        let text = chat.say(question).await.text();
        let calls = chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS);
        assert_eq!(calls[0]["end_date"], "2025-12-05", "{question}: {text}");
        assert!(!text.contains("days ahead"), "{question}: {text}");
    }
}

#[tokio::test]
async fn a_state_of_a_past_day_is_not_that_of_today() {
    let all = "All of your 6 devices sent data on 3 December 2025:";
    let questions = [
        ("Which inverters were online on 3 December?", all),
        ("How many inverters were online on 3 December?", all),
        ("How many inverters were reporting on 3 December?", all),
        ("How many devices sent data on 3 December?", all),
        (
            "Did LONE-7 send anything on 1 December?",
            "No: LONE-7 sent no data on 1 December 2025.",
        ),
        (
            "Did LONE-7 send data on 8 November?",
            "Yes: LONE-7 sent data on 8 November 2025.",
        ),
        (
            "How many inverters are online?",
            "6 of your 6 devices are online:",
        ),
    ];
    answered(&three_sites(), &questions).await;
}
