//! The owner of two sites in two zones asks: what is answered, and what is refused by name.

use contracts::tools::{LoggerSummary, names};
use serde_json::Value;

use crate::{
    chat::Chat,
    double::{Double, logger},
};

/// Four inverters, a meter and a weather station at one site, three inverters at the other. The
/// data run from 5 November to 4 December 2025, and today is the day after.
pub(crate) fn plant() -> Vec<LoggerSummary> {
    let device = |id: &str, role: &str, site: &str, name: &str| {
        let mut one = logger(id, if role == "meter" { "plexlog" } else { "goodwe" });
        one.role = serde_json::from_value(Value::from(role)).unwrap();
        site.clone_into(&mut one.site_id);
        name.clone_into(&mut one.site_name);
        one
    };
    let lindenau = |id: &str, role: &str| device(id, role, "lindenau", "Hof Lindenau");
    let mesa = |id: &str| {
        let mut one = device(id, "inverter", "mesa", "Mesa Ranch");
        one.has_irradiance = false;
        one
    };
    vec![
        lindenau("LIN-INV-1", "inverter"),
        lindenau("LIN-INV-2", "inverter"),
        lindenau("LIN-INV-3", "inverter"),
        lindenau("LIN-INV-4", "inverter"),
        lindenau("LIN-METER", "meter"),
        lindenau("LIN-WX", "weather"),
        mesa("MESA-A"),
        mesa("MESA-B"),
        mesa("MESA-C"),
    ]
}

/// The expected outcome of a message: this tool is called with these arguments, or none but the
/// list of devices; the text has these words.
struct Step(
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

const NONE: &str = "";
const HEALTH: &str = names::ANALYZE_INVERTER_HEALTH;
const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const COMPARE: &str = names::COMPARE_LOGGERS;
const RATIO: &str = names::CALCULATE_PERFORMANCE_RATIO;
const CODES: &str = names::DIAGNOSE_ERROR_CODES;
const FORECAST: &str = names::FORECAST_PRODUCTION;
const FLEET: &str = names::GET_FLEET_OVERVIEW;

const THREADS: &[&[Step]] = &[
    &[
        Step(
            "PR of LIN-INV-2 last week",
            RATIO,
            &[("logger_id", "LIN-INV-2"), ("date", "2025-11-24")],
            "",
        ),
        Step(
            "same for LIN-INV-3",
            RATIO,
            &[("logger_id", "LIN-INV-3"), ("date", "2025-11-24")],
            "",
        ),
        Step(
            "and mesa?",
            NONE,
            &[],
            "MESA-A, MESA-B and MESA-C have no readings of the sunlight",
        ),
    ],
    &[
        Step(
            "Check the health of LIN-INV-1 in november",
            HEALTH,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-30")],
            "",
        ),
        Step(
            "what did the outage cost?",
            HEALTH,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-30")],
            "lost nothing to outages",
        ),
        Step(
            "when was it?",
            HEALTH,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-30")],
            "didn't stand still",
        ),
    ],
    &[
        Step(
            "who was out in november?",
            HEALTH,
            &[("end_date", "2025-11-30")],
            "",
        ),
        Step(
            "what did it cost?",
            HEALTH,
            &[("end_date", "2025-11-30")],
            "Nothing was lost to outages",
        ),
    ],
    &[
        Step(
            "who was out on 4 december?",
            HEALTH,
            &[("end_date", "2025-12-04")],
            "",
        ),
        Step("and on the 2nd?", HEALTH, &[("end_date", "2025-12-02")], ""),
        Step("the day after?", HEALTH, &[("end_date", "2025-12-03")], ""),
        Step(
            "and at mesa?",
            HEALTH,
            &[("end_date", "2025-12-03")],
            "3 devices",
        ),
    ],
    &[
        Step(
            "which inverter made the most energy in november?",
            COMPARE,
            &[("metric", "energy"), ("date", "2025-11-01")],
            "LIN-INV-1 made the most energy, 40 kWh, and MESA-C the least",
        ),
        Step(
            "and the least?",
            COMPARE,
            &[("metric", "energy"), ("date", "2025-11-01")],
            "MESA-C the least",
        ),
    ],
    &[
        Step(
            "energy yesterday at Lindenau",
            SAVINGS,
            &[("site_id", "lindenau"), ("start_date", "2025-12-04")],
            "on 4 December 2025",
        ),
        Step(
            "and today?",
            SAVINGS,
            &[("site_id", "lindenau"), ("start_date", "2025-12-05")],
            "",
        ),
    ],
    &[
        Step(
            "was LIN-INV-1 out on 7 november?",
            HEALTH,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-07")],
            "didn't stand still",
        ),
        Step(
            "at what time?",
            HEALTH,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-07")],
            "",
        ),
        Step(
            "and on 8 november?",
            HEALTH,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-08")],
            "",
        ),
    ],
    &[
        Step(
            "energy of LIN-INV-1 in november",
            SAVINGS,
            &[("logger_id", "LIN-INV-1"), ("start_date", "2025-11-01")],
            "",
        ),
        Step(
            "how about co2?",
            SAVINGS,
            &[("logger_id", "LIN-INV-1"), ("start_date", "2025-11-01")],
            "of CO2",
        ),
        Step(
            "and the PR?",
            RATIO,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-30")],
            "",
        ),
        Step(
            "health?",
            HEALTH,
            &[("logger_id", "LIN-INV-1"), ("end_date", "2025-11-30")],
            "",
        ),
    ],
    &[
        Step(
            "how is MESA-B doing?",
            HEALTH,
            &[("logger_id", "MESA-B")],
            "",
        ),
        Step(
            "and its error codes?",
            CODES,
            &[("logger_id", "MESA-B")],
            "",
        ),
        Step("what does it mean?", CODES, &[("logger_id", "MESA-B")], ""),
    ],
    &[
        Step(
            "forecast for tomorrow LIN-INV-1",
            FORECAST,
            &[("logger_id", "LIN-INV-1")],
            "on 6 December 2025",
        ),
        Step(
            "and for LIN-INV-2?",
            FORECAST,
            &[("logger_id", "LIN-INV-2")],
            "on 6 December 2025",
        ),
    ],
    &[Step(
        "what is my tariff",
        SAVINGS,
        &[],
        "The tariff is CHF 0.25 per kWh.",
    )],
    &[Step(
        "how many inverters do i have?",
        NONE,
        &[],
        "You have 7 inverters",
    )],
    &[Step(
        "compare mesa with lindenau in november",
        SAVINGS,
        &[("start_date", "2025-11-01")],
        "",
    )],
    &[Step(
        "average daily energy of LIN-INV-1 in november",
        SAVINGS,
        &[("logger_id", "LIN-INV-1")],
        "That's 30 kWh a day on average, over 30 days with data.",
    )],
    &[Step(
        "how many kWh per kWp did LIN-INV-1 make in november",
        SAVINGS,
        &[("logger_id", "LIN-INV-1")],
        "That's 180.0 kWh per kWp, for a stated capacity of 5 kWp.",
    )],
    &[Step(
        "is a PR of 49 % good?",
        NONE,
        &[],
        "far below what healthy panels reach",
    )],
    &[Step("thanks", NONE, &[], "You're welcome")],
    &[Step(
        "energy of Bern in november",
        NONE,
        &[],
        "I don't know \"Bern\": none of your sites and devices has that name, and no day. Your sites are Hof Lindenau and Mesa Ranch.",
    )],
    &[Step(
        "MESA-D health",
        NONE,
        &[],
        "I don't know a device called \"MESA-D\"",
    )],
    &[Step(
        "energy on 8 and 12 november",
        NONE,
        &[],
        "\"energy on 8 November 2025\", \"energy on 12 November 2025\"",
    )],
    &[Step(
        "energy of LIN-INV-1 on weekdays in november",
        NONE,
        &[],
        "I can't pick \"weekdays\" out of a period",
    )],
    &[Step(
        "how much did I save and is everything ok?",
        NONE,
        &[],
        "\"how much did I save\", \"is everything ok?\"",
    )],
    &[Step(
        "savings in november at 10 % feed-in",
        NONE,
        &[],
        "so \"10 % feed-in\" doesn't work",
    )],
    &[Step(
        "is MESA-A the best?",
        COMPARE,
        &[("metric", "energy")],
        "LIN-INV-1 is the best",
    )],
    &[Step(
        "what does error 512 mean?",
        CODES,
        &[("end_date", "2025-12-04")],
        "",
    )],
    &[Step(
        "does the register of MESA-A agree with its power?",
        HEALTH,
        &[("logger_id", "MESA-A")],
        "I found no day on which the energy counter and the power readings disagree.",
    )],
    &[Step(
        "which devices did not report on 8 november?",
        HEALTH,
        &[("end_date", "2025-11-08")],
        "All of your 7 devices sent data on 8 November 2025",
    )],
    &[Step(
        "when was the last outage?",
        HEALTH,
        &[("end_date", "2025-12-04")],
        "No device stood still",
    )],
    &[Step(
        "power curve of LIN-INV-1 from 7 november",
        names::GET_POWER_CURVE,
        &[("date", "2025-11-07")],
        "",
    )],
    &[Step(
        "savings from november 20",
        SAVINGS,
        &[("start_date", "2025-11-20"), ("end_date", "2025-12-04")],
        "I've read \"from november 20\" as 20 November to 4 December 2025.",
    )],
    &[Step(
        "how is Mesa Ranch doing?",
        FLEET,
        &[("site_id", "mesa")],
        "All of that is about Mesa Ranch alone.",
    )],
    &[Step(
        "overview of MESA-A",
        HEALTH,
        &[("logger_id", "MESA-A")],
        "",
    )],
    &[Step(
        "is lindenau ok?",
        FLEET,
        &[("site_id", "lindenau")],
        "",
    )],
    &[Step("morning briefing", FLEET, &[], "")],
    &[
        Step(
            "savings of MESA-A in november at 0.20 euro per kWh",
            SAVINGS,
            &[("logger_id", "MESA-A")],
            "Your rate is in EUR, and the money is in CHF at Mesa Ranch: I can't convert. What I can do: \"savings of MESA-A in november\"",
        ),
        Step(
            "savings of MESA-A in november",
            SAVINGS,
            &[("logger_id", "MESA-A")],
            "CHF 225.00",
        ),
        Step(
            "savings of MESA-A in november at 0.20 francs per kWh",
            SAVINGS,
            &[("logger_id", "MESA-A")],
            "CHF 180.00",
        ),
    ],
    &[Step(
        "which made more in november, MESA-A or MESA-B?",
        COMPARE,
        &[("metric", "energy")],
        "MESA-A made 5 kWh more than MESA-B: 40 kWh against 35 kWh.",
    )],
    &[Step(
        "why did MESA-B stop on 14 november?",
        HEALTH,
        &[("logger_id", "MESA-B"), ("end_date", "2025-11-14")],
        "So an outage doesn't explain it",
    )],
    &[
        Step("what is a performance ratio?", NONE, &[], "IEC 61724-1"),
        Step("and a specific yield?", NONE, &[], "The specific yield is"),
        Step("and availability?", NONE, &[], "Availability is the share"),
    ],
    &[
        Step(
            "savings in the first week of november",
            SAVINGS,
            &[("start_date", "2025-11-01"), ("end_date", "2025-11-07")],
            "",
        ),
        Step(
            "and the second week?",
            SAVINGS,
            &[("start_date", "2025-11-08"), ("end_date", "2025-11-14")],
            "",
        ),
    ],
    &[
        Step("error codes of LIN-INV-2 on 13 november", CODES, &[], ""),
        Step(
            "how long did the error last?",
            CODES,
            &[("logger_id", "LIN-INV-2"), ("end_date", "2025-11-13")],
            "",
        ),
    ],
    &[Step(
        "which devices are at Mesa Ranch?",
        NONE,
        &[],
        "You have 3 inverters at Mesa Ranch: MESA-A",
    )],
    &[Step(
        "what is the timezone of Mesa Ranch?",
        NONE,
        &[],
        "Mesa Ranch is in the time zone UTC.",
    )],
    &[Step(
        "energy of LIN-INV-1 in the last 36 hours",
        NONE,
        &[],
        "I can't limit figures to \"last 36 hours\"",
    )],
    &[Step(
        "how much did the oldest device make?",
        NONE,
        &[],
        "\"how much did all inverters make?\"",
    )],
    &[Step(
        "forecast for Mesa Ranch tomorrow",
        FORECAST,
        &[("logger_id", "MESA-A")],
        "Together that's about 90 kWh",
    )],
    &[Step(
        "irradiance of LIN-INV-1 on 7 november",
        names::GET_POWER_CURVE,
        &[("date", "2025-11-07")],
        "The sunlight of LIN-INV-1 on 7 November 2025 was strongest at 13:00, with 960 W/m².",
    )],
    &[Step(
        "payback time?",
        NONE,
        &[],
        "I don't know what the system cost",
    )],
    &[Step(
        "are my savings going up?",
        NONE,
        &[],
        "whether something goes up or down",
    )],
];

#[tokio::test]
async fn the_owner_is_answered_whole_or_refused_by_name() {
    let mut wrong = Vec::new();
    for thread in THREADS {
        let mut chat = Chat::new(Double::with_loggers(plant()));
        for Step(message, tool, arguments, words) in *thread {
            let turn = chat.say(message).await;
            let text = turn.text();
            let called = chat.tools.calls();
            let fits = |call: &Value| {
                arguments
                    .iter()
                    .all(|(name, value)| call[*name].as_str() == Some(value))
            };
            let right = if tool.is_empty() {
                called.iter().all(|(name, _)| name == names::LIST_LOGGERS)
            } else {
                called.iter().any(|(name, call)| name == tool && fits(call))
            };
            if !right || !text.contains(words) {
                wrong.push(format!("{message}\n    {text}\n    {called:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn every_request_that_a_refusal_offers_is_answered() {
    for message in [
        "energy of Bern in november",
        "savings of the Zurich plant",
        "PR in Texas last week",
        "energy on 8 and 12 november",
        "energy of LIN-INV-1 on sundays in november",
        "monthly savings of LIN-INV-2",
        "energy of the biggest inverter in november",
        "savings in november at 10 % feed-in",
        "are my savings going up?",
        "payback time?",
        "energy and PR of LIN-INV-1 in november",
    ] {
        let mut chat = Chat::new(Double::with_loggers(plant()));
        let text = chat.say(message).await.text();
        let offers: Vec<&str> = text
            .split("What I can do:")
            .nth(1)
            .unwrap()
            .split('"')
            .collect();
        for offer in offers.iter().skip(1).step_by(2) {
            let mut chat = Chat::new(Double::with_loggers(plant()));
            let turn = chat.say(offer).await;
            let called = chat.tools.calls();
            assert!(
                called.iter().any(|(name, _)| name != names::LIST_LOGGERS)
                    || turn.open_picker().is_some(),
                "{message} / {offer}: {}",
                turn.text()
            );
        }
    }
}
