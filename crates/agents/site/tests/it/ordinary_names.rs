//! Sites whose names are made of ordinary words, devices without numbers, and one that began late:
//! each question gets its own answer.

use contracts::tools::{LoggerSummary, names};
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, logger},
};

const HEALTH: &str = names::ANALYZE_INVERTER_HEALTH;
const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const COMPARE: &str = names::COMPARE_LOGGERS;
const RATIO: &str = names::CALCULATE_PERFORMANCE_RATIO;
const FLEET: &str = names::GET_FLEET_OVERVIEW;

/// Data from 5 November to 4 December 2025; FJO-C began on 12 November.
fn plant() -> Vec<LoggerSummary> {
    let device = |id: &str, role: &str, site: &str, name: &str| {
        let mut one = logger(id, "goodwe");
        one.role = serde_json::from_value(Value::from(role)).unwrap();
        site.clone_into(&mut one.site_id);
        name.clone_into(&mut one.site_name);
        one
    };
    let cactus = |id: &str, role: &str| device(id, role, "cactus", "Cactus Flat");
    let barn = |id: &str| device(id, "inverter", "fjord", "Fjordside Barn");
    let mut late = barn("FJO-C");
    late.earliest_data = serde_json::from_value(json!("2025-11-12T06:00:00+00:00")).unwrap();
    vec![
        cactus("CAC-INV-1", "inverter"),
        cactus("CAC-INV-2", "inverter"),
        cactus("CAC-WX", "weather"),
        barn("FJO-A"),
        barn("FJO-B"),
        late,
    ]
}

/// A message, the tool that answers it with some of its arguments (none but the list of devices if
/// it is empty), and words of the answer.
type Asked = (&'static str, &'static str, Value, &'static str);

async fn check(threads: Vec<Vec<Asked>>) {
    check_at(plant, threads).await;
}

async fn check_at(plant: fn() -> Vec<LoggerSummary>, threads: Vec<Vec<Asked>>) {
    let mut wrong = Vec::new();
    for thread in threads {
        let mut chat = Chat::new(Double::with_loggers(plant()));
        for (message, tool, arguments, words) in thread {
            let turn = chat.say(message).await;
            let text = turn.text();
            let called = chat.tools.calls();
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let fits = |call: &Value| arguments.iter().all(|(name, value)| call[name] == *value);
            let right = if tool.is_empty() {
                called.iter().all(|(name, _)| name == names::LIST_LOGGERS)
            } else {
                called.iter().any(|(name, call)| name == tool && fits(call))
            };
            if !right || !text.contains(words) || turn.open_picker().is_some() {
                wrong.push(format!("{message}\n    {text}\n    {called:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn a_word_of_the_grammar_may_be_the_name_of_a_site() {
    let barn = json!({ "site_id": "fjord" });
    check(vec![
        vec![("which devices are at the barn?", "", json!({}), "FJO-A")],
        vec![
            ("is everything ok?", FLEET, json!({}), ""),
            ("and at the barn?", FLEET, barn.clone(), "Fjordside Barn"),
        ],
        vec![
            ("how is cactus flat doing?", FLEET, json!({}), ""),
            ("and the barn?", FLEET, barn, "Fjordside Barn"),
        ],
        vec![(
            "who is the worst performer at the barn in november",
            COMPARE,
            json!({ "logger_ids": ["FJO-A", "FJO-B", "FJO-C"] }),
            "",
        )],
    ])
    .await;
}

#[tokio::test]
async fn a_polite_clause_asks_for_nothing() {
    check(vec![vec![(
        "could you please tell me, if it's not too much trouble, how much the barn produced on the 25th of november?",
        SAVINGS,
        json!({ "site_id": "fjord", "start_date": "2025-11-25", "end_date": "2025-11-25" }),
        "",
    )]])
    .await;
}

#[tokio::test]
async fn all_days_are_those_of_the_device() {
    let since =
        json!({ "logger_id": "FJO-C", "start_date": "2025-11-12", "end_date": "2025-12-04" });
    check(vec![
        vec![("energy of FJO-C since it began", SAVINGS, since.clone(), "")],
        vec![(
            "energy of FJO-C since it was installed",
            SAVINGS,
            since.clone(),
            "",
        )],
        vec![("how much did FJO-C make in total?", SAVINGS, since, "")],
    ])
    .await;
}

#[tokio::test]
async fn comparisons_are_answered_by_comparisons() {
    let pair = json!({ "logger_ids": ["FJO-A", "FJO-B"] });
    check(vec![
        vec![(
            "who made more last week, FJO-A or FJO-B?",
            COMPARE,
            pair.clone(),
            "more than",
        )],
        vec![(
            "which makes more per kWp, FJO-A or FJO-B?",
            COMPARE,
            pair,
            "",
        )],
        vec![("which inverter makes more per kWp?", COMPARE, json!({}), "")],
        vec![(
            "which inverter has the lowest performance ratio in november?",
            RATIO,
            json!({ "date": "2025-11-01", "end_date": "2025-11-30" }),
            "the lowest",
        )],
        vec![(
            "which site is better per kWp in november?",
            SAVINGS,
            json!({}),
            "",
        )],
    ])
    .await;
}

#[tokio::test]
async fn questions_about_data_and_counters_are_about_all_days_and_devices() {
    let all = json!({ "days": 30, "end_date": "2025-12-04" });
    let one = json!({ "logger_id": "FJO-B", "days": 30, "end_date": "2025-12-04" });
    check(vec![
        vec![(
            "does the counter of FJO-B agree with its power?",
            HEALTH,
            one.clone(),
            "counter",
        )],
        vec![(
            "did the register of FJO-B stand still?",
            HEALTH,
            one.clone(),
            "counter",
        )],
        vec![("show me odd counters", HEALTH, all, "counter")],
        vec![(
            "how complete is the data of FJO-B?",
            HEALTH,
            one,
            "No day is without data.",
        )],
        vec![(
            "dead days in november",
            HEALTH,
            json!({ "end_date": "2025-11-30" }),
            "",
        )],
    ])
    .await;
}

#[tokio::test]
async fn what_is_there_and_what_is_usual_is_explained() {
    check(vec![
        vec![("do i have a weather station?", "", json!({}), "CAC-WX")],
        vec![(
            "what's a good performance ratio?",
            "",
            json!({}),
            "75 to 90 %",
        )],
        vec![(
            "forecast for FJO-A on friday next week",
            names::FORECAST_PRODUCTION,
            json!({ "logger_id": "FJO-A", "days_ahead": 7 }),
            "8",
        )],
    ])
    .await;
}

/// "Tarifa" looks like a slip of "tariff".
fn windy() -> Vec<LoggerSummary> {
    let device = |id: &str, site: &str, name: &str| {
        let mut one = logger(id, "goodwe");
        site.clone_into(&mut one.site_id);
        name.clone_into(&mut one.site_name);
        one
    };
    vec![
        device("TAR-01", "tarifa", "Tarifa Ridge"),
        device("TAR-02", "tarifa", "Tarifa Ridge"),
        device("NAR-A", "naruto", "Naruto Quay"),
        device("NAR-B", "naruto", "Naruto Quay"),
    ]
}

#[tokio::test]
async fn a_name_that_looks_like_a_slip_of_a_keyword_is_a_name() {
    let ridge = json!({ "site_id": "tarifa" });
    check_at(
        windy,
        vec![
            vec![(
                "energy of Tarifa Ridge in November",
                SAVINGS,
                ridge.clone(),
                "Tarifa Ridge made",
            )],
            vec![(
                "how much did Tarifa make last week?",
                SAVINGS,
                ridge,
                "made",
            )],
            vec![("any errors at Tarifa?", HEALTH, json!({}), "")],
            vec![(
                "rank the inverters at Tarifa in November",
                COMPARE,
                json!({ "logger_ids": ["TAR-01", "TAR-02"] }),
                "",
            )],
            vec![(
                "which site made more in November, Tarifa or Naruto?",
                SAVINGS,
                json!({ "logger_ids": null, "site_id": null }),
                "",
            )],
            vec![(
                "how much will Tarifa make tomorrow?",
                names::FORECAST_PRODUCTION,
                json!({ "logger_id": "TAR-01" }),
                "",
            )],
        ],
    )
    .await;
}

/// Two sites, one of them with a name that is an ordinary word.
fn roof_and_hall() -> Vec<LoggerSummary> {
    let device = |id: &str, site: &str| {
        let mut one = logger(id, "goodwe");
        site.clone_into(&mut one.site_id);
        site.clone_into(&mut one.site_name);
        one
    };
    vec![
        device("R-1", "roof"),
        device("R-2", "roof"),
        device("H-1", "gymnasium"),
    ]
}

#[tokio::test]
async fn a_site_named_by_an_ordinary_word_is_understood() {
    let both = json!({ "logger_ids": ["R-1", "R-2"] });
    let site = json!({ "site_id": "roof" });
    check_at(
        roof_and_hall,
        vec![
            vec![(
                "energy of the roof site in november",
                SAVINGS,
                site.clone(),
                "",
            )],
            vec![("energy at roof in november", SAVINGS, site.clone(), "")],
            vec![("savings of roof in november", SAVINGS, site.clone(), "")],
            vec![("health of the roof site", HEALTH, json!({}), "2 devices")],
            vec![(
                "compare the inverters of the roof site",
                COMPARE,
                both.clone(),
                "",
            )],
            vec![("best inverter at roof in november", COMPARE, both, "")],
            vec![("how is roof doing?", FLEET, site, "")],
        ],
    )
    .await;
}

#[tokio::test]
async fn why_after_a_ranking_explains_its_ends() {
    check(vec![
        vec![
            ("best inverter at fjordside barn in november", COMPARE, json!({ "metric": "energy" }), ""),
            (
                "why?",
                COMPARE,
                json!({ "metric": "energy", "date": "2025-11-01" }),
                "FJO-A is first because it made 40 kWh with 5 kW, 4.00 kWh per kW, and FJO-C is last with 30 kWh with 5 kW, 3.00 kWh per kW.",
            ),
        ],
        vec![
            ("which inverter made the least energy in november?", COMPARE, json!({}), ""),
            ("why is that?", COMPARE, json!({ "date": "2025-11-01" }), "is last with"),
        ],
    ])
    .await;
}
