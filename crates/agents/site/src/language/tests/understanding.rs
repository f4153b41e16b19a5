//! Whole messages: what is answered, for whom and when, and what is refused as what it is. The newest day is Thursday, 4 December 2025.

use contracts::tools::LoggerSummary;

use super::{demo, horizon, logger, mixed};
use crate::language::{
    Before, Extraction, LoggerMention, MIN_CONFIDENCE, Question, When, extract, may_name_a_device,
    resume, understand,
};

/// What a message asks for, in a word; "no" and the kind for what cannot be had.
fn asked(message: &str, loggers: &[LoggerSummary]) -> String {
    let read = understand(message, loggers);
    let sure = read.classification.confidence >= MIN_CONFIDENCE;
    match read.question {
        Question::Beyond(kind) => {
            assert!(!sure, "{message}: {read:?}");
            let kind = format!("{kind:?}");
            format!("no {}", kind.split('(').next().unwrap_or_default())
        }
        Question::Unknown if read.classification.flow == crate::language::Flow::Greeting => {
            "greeting".to_owned()
        }
        Question::Unknown => "no Other".to_owned(),
        question => format!("{question:?}"),
    }
}

fn devices(found: &Extraction) -> String {
    match &found.loggers {
        LoggerMention::None => "-".to_owned(),
        LoggerMention::All => "all".to_owned(),
        LoggerMention::One(id) => id.replace("-INV-001", ""),
        LoggerMention::Several(ids) => ids.join("+").replace("-INV-001", ""),
        LoggerMention::Ambiguous { .. } => "?".to_owned(),
        LoggerMention::Unknown { phrase } => format!("unknown {phrase}"),
    }
}

fn days(found: &Extraction) -> String {
    match &found.when {
        None => "-".to_owned(),
        Some(When::Day(day)) => day.format("%m-%d").to_string(),
        Some(When::Range(period)) => format!(
            "{}..{}",
            period.start.format("%m-%d"),
            period.end.format("%m-%d")
        ),
        Some(When::NotADate { .. }) => "not a date".to_owned(),
    }
}

fn check(loggers: &[LoggerSummary], table: &[(&str, &str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (message, question, device, day) in table {
        let extraction = extract(message, &horizon(loggers));
        let found = (
            asked(message, loggers),
            devices(&extraction),
            days(&extraction),
        );
        let refused = question.starts_with("no ");
        if found.0 != *question || !refused && (found.1 != *device || found.2 != *day) {
            wrong.push(format!(
                "{message:?}: expected {question} {device} {day}, found {found:?} ({:?})",
                understand(message, loggers).unexplained
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
}

/// A message, what it asks for, its devices and its days.
const ANSWERED: &[(&str, &str, &str, &str)] = &[
    (
        "How much did I save last month?",
        "Savings",
        "-",
        "11-01..11-30",
    ),
    (
        "how much did i save in november",
        "Savings",
        "-",
        "11-01..11-30",
    ),
    (
        "so how much money have we saved so far this month",
        "Savings",
        "-",
        "12-01..12-04",
    ),
    (
        "Could you please tell me what I saved last week?",
        "Savings",
        "-",
        "11-24..11-30",
    ),
    (
        "I'd like to know my savings for the past 30 days",
        "Savings",
        "-",
        "11-05..12-04",
    ),
    (
        "savings LTI and MEIER november",
        "Savings",
        "LTI+MEIER",
        "11-01..11-30",
    ),
    (
        "what did LTI save me last month",
        "Savings",
        "LTI",
        "11-01..11-30",
    ),
    (
        "CO2 avoided by the whole site last month",
        "Savings",
        "all",
        "11-01..11-30",
    ),
    (
        "how much carbon did all inverters avoid in november?",
        "Savings",
        "all",
        "11-01..11-30",
    ),
    (
        "How much energy did all inverters make last week?",
        "Savings",
        "all",
        "11-24..11-30",
    ),
    (
        "how many kWh did LTI and MEIER produce last week",
        "Savings",
        "LTI+MEIER",
        "11-24..11-30",
    ),
    (
        "total energy of the fleet in november",
        "Savings",
        "all",
        "11-01..11-30",
    ),
    (
        "what did the fleet produce last week",
        "Savings",
        "all",
        "11-24..11-30",
    ),
    (
        "energy of everything last month please",
        "Savings",
        "all",
        "11-01..11-30",
    ),
    ("how much did we produce yesterday", "Savings", "-", "12-03"),
    (
        "show me the production of all inverters last week",
        "Savings",
        "all",
        "11-24..11-30",
    ),
    ("finacial report pls", "Savings", "-", "-"),
    ("earnings so far this year", "Savings", "-", "01-01..12-04"),
    ("Financial report for GW-INV-001", "Savings", "GW", "-"),
    ("what's my solar worth", "Savings", "-", "-"),
    (
        "revenue in november at 0.30 per kWh",
        "Savings",
        "-",
        "11-01..11-30",
    ),
    (
        "performance ratio yesterday",
        "PerformanceRatio",
        "-",
        "12-03",
    ),
    (
        "performance ratio on Nov 29",
        "PerformanceRatio",
        "-",
        "11-29",
    ),
    (
        "what was our PR last week?",
        "PerformanceRatio",
        "-",
        "11-24..11-30",
    ),
    (
        "Show performance ratio for the fleet",
        "PerformanceRatio",
        "all",
        "-",
    ),
    (
        "PR of all inverters in november",
        "PerformanceRatio",
        "all",
        "11-01..11-30",
    ),
    (
        "PR of LTI and MEIER on Nov 29",
        "PerformanceRatio",
        "LTI+MEIER",
        "11-29",
    ),
    (
        "what is the performance ratio of SD-INV-001?",
        "PerformanceRatio",
        "SD",
        "-",
    ),
    ("what's the PR", "PerformanceRatio", "-", "-"),
    (
        "how efficient was the smartdog yesterday?",
        "PerformanceRatio",
        "SD",
        "12-03",
    ),
    (
        "give me the PR for MEIER this month",
        "PerformanceRatio",
        "MEIER",
        "12-01..12-04",
    ),
    ("who was out on 29 November?", "Health", "-", "11-29"),
    (
        "which devices were offline last week",
        "Health",
        "-",
        "11-24..11-30",
    ),
    ("who was down yesterday?", "Health", "-", "12-03"),
    (
        "Which inverters had outages in november?",
        "Health",
        "-",
        "11-01..11-30",
    ),
    (
        "were there any outages last month",
        "Health",
        "-",
        "11-01..11-30",
    ),
    ("Any problems?", "Health", "-", "-"),
    ("any errors yesterday", "Health", "-", "12-03"),
    ("is anything wrong?", "Health", "-", "-"),
    ("is something broken", "Health", "-", "-"),
    (
        "how much energy did we lose to outages last month",
        "Health",
        "-",
        "11-01..11-30",
    ),
    (
        "lost energy of all inverters last month",
        "Health",
        "all",
        "11-01..11-30",
    ),
    (
        "what was the availability of LTI in november",
        "Health",
        "LTI",
        "11-01..11-30",
    ),
    (
        "availability of the fleet last week",
        "Health",
        "all",
        "11-24..11-30",
    ),
    (
        "how available were my inverters last month",
        "Health",
        "-",
        "11-01..11-30",
    ),
    (
        "how much money did LTI lose in november",
        "Health",
        "LTI",
        "11-01..11-30",
    ),
    (
        "how much money did I lose last month",
        "Health",
        "-",
        "11-01..11-30",
    ),
    ("how much did the dead days cost", "Health", "-", "-"),
    ("what did I lose last month", "Health", "-", "11-01..11-30"),
    (
        "profit and loss in november",
        "Savings",
        "-",
        "11-01..11-30",
    ),
    ("Health check", "Health", "-", "-"),
    (
        "Would you check the health of MEIER for me?",
        "Health",
        "MEIER",
        "-",
    ),
    ("chek the helth of LTI", "Health", "LTI", "-"),
    ("can you check LTI?", "Health", "LTI", "-"),
    ("is the LTI inverter ok?", "Health", "LTI", "-"),
    ("how's MEIER doing", "Health", "MEIER", "-"),
    ("what happened to LTI on Nov 29?", "Health", "LTI", "11-29"),
    ("why is LTI not producing", "Health", "LTI", "-"),
    ("was SD down last night", "Health", "SD", "-"),
    ("diagnose LTI-INV-001", "Health", "LTI", "-"),
    ("check all devices", "Health", "all", "-"),
    ("Check everything for faults", "Health", "all", "-"),
    ("compare all inverters", "Compare", "all", "-"),
    (
        "Compare all inverters on energy last week",
        "Compare",
        "all",
        "11-24..11-30",
    ),
    ("top 3 inverters last month", "Compare", "-", "11-01..11-30"),
    ("which are the 3 best inverters", "Compare", "-", "-"),
    (
        "show me the worst 2 inverters of november",
        "Compare",
        "-",
        "11-01..11-30",
    ),
    ("rank my inverters", "Compare", "-", "-"),
    ("LTI vs MEIER", "Compare", "LTI+MEIER", "-"),
    (
        "compare gw, lti and sd on irradiance yesterday",
        "Compare",
        "GW+LTI+SD",
        "12-03",
    ),
    ("which inverter is best?", "Compare", "-", "-"),
    ("who makes the most", "Compare", "-", "-"),
    ("who is the laggard?", "Compare", "-", "-"),
    (
        "Please put LTI and MEIER side by side",
        "Compare",
        "LTI+MEIER",
        "-",
    ),
    (
        "is the goodwe better than the LTI",
        "Compare",
        "GW+LTI",
        "-",
    ),
    ("Morning briefing", "Fleet", "-", "-"),
    ("how are my panels doing", "Fleet", "-", "-"),
    ("brief me please", "Fleet", "-", "-"),
    ("how's everything going today?", "Fleet", "all", "12-04"),
    ("give me a quick overview", "Fleet", "-", "-"),
    ("current power", "Fleet", "-", "-"),
    ("what are we producing right now?", "Fleet", "-", "-"),
    ("status pls", "Fleet", "-", "-"),
    (
        "power curve of GW-INV-001 on Nov 29",
        "PowerCurve",
        "GW",
        "11-29",
    ),
    (
        "can I see yesterday's curve for MEIER",
        "PowerCurve",
        "MEIER",
        "12-03",
    ),
    ("plot LTI for 2025-11-20", "PowerCurve", "LTI", "11-20"),
    (
        "shwo me the power of lti yesterday",
        "PowerCurve",
        "LTI",
        "12-03",
    ),
    ("LTI-INV-001 Nov 29", "PowerCurve", "LTI", "11-29"),
    ("when did SD peak yesterday?", "PowerCurve", "SD", "12-03"),
    (
        "how much did MEIER generate on the 20th of November",
        "PowerCurve",
        "MEIER",
        "11-20",
    ),
    (
        "I want to see the output of the smart dog on friday",
        "PowerCurve",
        "SD",
        "11-28",
    ),
    ("forecast for next week", "Forecast", "-", "-"),
    ("what will LTI make tomorrow", "Forecast", "LTI", "-"),
    (
        "how much sun energy can I expect in the next 3 days",
        "Forecast",
        "-",
        "-",
    ),
    (
        "predict the production of all inverters for the coming week",
        "Forecast",
        "all",
        "-",
    ),
    ("forcast tomorow", "Forecast", "-", "-"),
    (
        "error codes of LTI-INV-001 last week",
        "ErrorCodes",
        "LTI",
        "11-24..11-30",
    ),
    (
        "Show the error codes of all inverters for the last 30 days",
        "ErrorCodes",
        "all",
        "11-05..12-04",
    ),
    (
        "which error codes were there in november?",
        "ErrorCodes",
        "-",
        "11-01..11-30",
    ),
    (
        "did any device report a fault code yesterday",
        "ErrorCodes",
        "-",
        "12-03",
    ),
    ("what does E-501 mean?", "ErrorCodes", "-", "-"),
    ("list my devices", "ListLoggers", "-", "-"),
    ("what inverters do we have", "ListLoggers", "-", "-"),
    ("how many loggers are there", "ListLoggers", "-", "-"),
    ("is the database up", "ServiceHealth", "-", "-"),
    ("what can you do", "Help", "-", "-"),
    ("help", "Help", "-", "-"),
    ("what is a performance ratio?", "Definition", "-", "-"),
    ("what does kWp mean", "Definition", "-", "-"),
    ("explain specific yield please", "Definition", "-", "-"),
    ("hi", "greeting", "-", "-"),
];

/// A message and what it is refused as.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("Can you turn off LTI-INV-001?", "no Control", "", ""),
    ("turn LTI on", "no Control", "", ""),
    ("please restart the inverter", "no Control", "", ""),
    ("reboot MEIER now", "no Control", "", ""),
    (
        "Switch off GW-INV-001 because of the errors",
        "no Control",
        "",
        "",
    ),
    ("shut down all inverters", "no Control", "", ""),
    ("stop LTI-INV-001", "no Control", "", ""),
    ("start the inverter", "no Control", "", ""),
    (
        "How do I reset the error codes of LTI?",
        "no Control",
        "",
        "",
    ),
    ("I want you to disable SD", "no Control", "", ""),
    ("could you curtail the fleet to 50 %", "no Control", "", ""),
    ("power off MEIER", "no Control", "", ""),
    ("set LTI to 3 kW", "no Control", "", ""),
    ("is MEIER soiled?", "no Cause", "", ""),
    ("Are the panels dirty?", "no Cause", "", ""),
    ("is LTI shaded in the morning", "no Cause", "", ""),
    ("does MEIER have dust on it", "no Cause", "", ""),
    ("was there snow on SD yesterday", "no Cause", "", ""),
    ("what caused the outage of LTI?", "no Cause", "", ""),
    (
        "should I clean the panels for better savings",
        "no Cause",
        "",
        "",
    ),
    ("how degraded is MEIER", "no Cause", "", ""),
    ("export November as CSV", "no Export", "", ""),
    ("export the savings of November as CSV", "no Export", "", ""),
    ("Please email me the financial report", "no Export", "", ""),
    ("download the power curve of LTI", "no Export", "", ""),
    (
        "can I have the energy of GW-INV-001 in Excel",
        "no Export",
        "",
        "",
    ),
    ("save November as csv", "no Export", "", ""),
    ("print the health report of LTI", "no Export", "", ""),
    ("send the report to my boss", "no Export", "", ""),
    ("delete all data of LTI-INV-001", "no Change", "", ""),
    ("rename MEIER to Roof", "no Change", "", ""),
    ("change the tariff to 0.30", "no Change", "", ""),
    ("update the capacity of LTI to 10 kWp", "no Change", "", ""),
    ("upload new readings for SD", "no Change", "", ""),
    ("how do I install a new inverter?", "no Change", "", ""),
    ("remind me to check the health of LTI", "no Notify", "", ""),
    ("alert me when LTI fails", "no Notify", "", ""),
    ("Let me know if MEIER has problems", "no Notify", "", ""),
    ("notify me about outages", "no Notify", "", ""),
    ("schedule a health check every Monday", "no Notify", "", ""),
    ("How much will I save next month?", "no FutureMoney", "", ""),
    (
        "what will electricity cost in 2030",
        "no FutureMoney",
        "",
        "",
    ),
    (
        "how much money am I going to earn next year",
        "no FutureMoney",
        "",
        "",
    ),
    ("what's the spot price right now", "no FutureMoney", "", ""),
    ("what's the weather tomorrow", "no Weather", "", ""),
    ("will it rain tomorrow", "no Weather", "", ""),
    ("how cloudy was it yesterday?", "no Weather", "", ""),
    (
        "what temperature did LTI reach yesterday",
        "no Quantity",
        "",
        "",
    ),
    ("grid voltage of GW-INV-001", "no Quantity", "", ""),
    ("how old is LTI-INV-001?", "no Other", "", ""),
    ("which manufacturer made MEIER", "no Quantity", "", ""),
    ("who installed LTI-INV-001", "no Change", "", ""),
    ("is LTI-INV-001 purple", "no Other", "", ""),
    ("does MEIER like bananas?", "no Other", "", ""),
    ("paint LTI-INV-001", "no Other", "", ""),
    ("sing about the savings", "no Other", "", ""),
    ("buy a new inverter", "no Other", "", ""),
    ("how much does a new Tesla cost?", "no Other", "", ""),
    ("health of my dog", "no Other", "", ""),
    ("any problems with my car?", "no Other", "", ""),
    ("tell me a joke about LTI-INV-001", "no Other", "", ""),
    ("write a poem about my solar panels", "no Other", "", ""),
    ("What's the capital of France?", "no Other", "", ""),
    (
        "how many panels should I add to break even sooner",
        "no Other",
        "",
        "",
    ),
    ("is my neighbour's system better", "no Other", "", ""),
    ("GW-INV-001 firmware version", "no Quantity", "", ""),
    ("hack MEIER", "no Other", "", ""),
    ("banana", "no Other", "", ""),
    (
        "Wie viel habe ich letzten Monat gespart?",
        "no Language",
        "",
        "",
    ),
    ("Ist LTI-INV-001 defekt?", "no Language", "", ""),
    (
        "Zeige mir den Gesundheitszustand von MEIER-INV-001",
        "no Language",
        "",
        "",
    ),
    ("¿Cuánto ahorré el mes pasado?", "no Language", "", ""),
    ("¿Cómo está MEIER-INV-001?", "no Language", "", ""),
    (
        "Combien ai-je économisé le mois dernier ?",
        "no Language",
        "",
        "",
    ),
    ("Est-ce que LTI-INV-001 fonctionne ?", "no Language", "", ""),
    (
        "Hoeveel heb ik vorige maand bespaard?",
        "no Language",
        "",
        "",
    ),
    (
        "Is LTI-INV-001 kapot of werkt het nog?",
        "no Language",
        "",
        "",
    ),
    ("上个月 GW-INV-001 怎么样？", "no Language", "", ""),
];

/// A request, what follows it, and what that asks for, its devices and its days.
const FOLLOWING: &[(&str, &str, &str, &str, &str)] = &[
    (
        "How much did I save last month?",
        "And last week?",
        "Savings",
        "-",
        "11-24..11-30",
    ),
    (
        "How much did I save last month?",
        "what about this month",
        "Savings",
        "-",
        "12-01..12-04",
    ),
    (
        "How much did LTI-INV-001 save last month?",
        "same for MEIER",
        "Savings",
        "MEIER",
        "11-01..11-30",
    ),
    (
        "How much did LTI-INV-001 save last month?",
        "same for MEIER last week please",
        "Savings",
        "MEIER",
        "11-24..11-30",
    ),
    (
        "How much did LTI-INV-001 save last month?",
        "and for all inverters?",
        "Savings",
        "all",
        "11-01..11-30",
    ),
    (
        "How much did LTI-INV-001 save last month?",
        "and at 0.30 per kWh?",
        "Savings",
        "LTI",
        "11-01..11-30",
    ),
    (
        "How much energy did all inverters make last week?",
        "and LTI?",
        "Savings",
        "LTI",
        "11-24..11-30",
    ),
    (
        "Check the health of LTI-INV-001",
        "And last week?",
        "Health",
        "LTI",
        "11-24..11-30",
    ),
    (
        "Check the health of LTI-INV-001",
        "how about SD",
        "Health",
        "SD",
        "-",
    ),
    (
        "Check the health of LTI-INV-001",
        "what about November?",
        "Health",
        "LTI",
        "11-01..11-30",
    ),
    (
        "power curve of GW-INV-001 on Nov 29",
        "the day after",
        "PowerCurve",
        "GW",
        "11-30",
    ),
    (
        "power curve of GW-INV-001 on Nov 29",
        "and yesterday?",
        "PowerCurve",
        "GW",
        "12-03",
    ),
    (
        "power curve of GW-INV-001 on Nov 29",
        "MEIER?",
        "PowerCurve",
        "MEIER",
        "11-29",
    ),
    (
        "power curve of GW-INV-001 on Nov 29",
        "and its error codes?",
        "ErrorCodes",
        "GW",
        "11-29",
    ),
    (
        "power curve of GW-INV-001 on Nov 29",
        "and the forecast?",
        "Forecast",
        "GW",
        "-",
    ),
    (
        "Compare GW-INV-001 and LTI-INV-001 on energy",
        "and on power",
        "Compare",
        "GW+LTI",
        "-",
    ),
    (
        "Compare GW-INV-001 and LTI-INV-001",
        "yesterday?",
        "Compare",
        "GW+LTI",
        "12-03",
    ),
    (
        "performance ratio of LTI yesterday",
        "same for the smartdog",
        "PerformanceRatio",
        "SD",
        "12-03",
    ),
    (
        "performance ratio of LTI yesterday",
        "is it healthy?",
        "Health",
        "LTI",
        "12-03",
    ),
    (
        "error codes of LTI-INV-001",
        "last 30 days",
        "ErrorCodes",
        "LTI",
        "11-05..12-04",
    ),
    (
        "who was out on 29 November?",
        "and on 30 November",
        "Health",
        "-",
        "11-30",
    ),
];

#[test]
fn what_can_be_answered_is() {
    check(&demo(), ANSWERED);
}

#[test]
fn what_cannot_be_had_is_refused_as_what_it_is() {
    check(&demo(), REFUSED);
}

#[test]
fn names_that_only_the_list_of_devices_knows_are_devices() {
    check(
        &mixed(),
        &[
            ("serf yesterday", "PowerCurve", "SERF-EAST", "12-03"),
            ("is serf ok?", "Health", "SERF-EAST", "-"),
            (
                "how much did Bern Depot save last month",
                "Savings",
                "-",
                "11-01..11-30",
            ),
            (
                "performance ratio of bern yesterday",
                "PerformanceRatio",
                "-",
                "12-03",
            ),
            ("how is Bern Depot doing", "Fleet", "-", "-"),
            ("turn serf off", "no Control", "", ""),
            ("is serf soiled", "no Cause", "", ""),
            (
                "energy of the r27 meter last week",
                "Savings",
                "R27-MTR01",
                "11-24..11-30",
            ),
        ],
    );
}

/// Devices whose ids look like error codes, a site's name with a word of a device's id, and long names of sites.
fn farms() -> Vec<LoggerSummary> {
    use contracts::tools::LoggerRole::{Inverter, Meter};
    let (rsf, serf) = (
        "RSF II, Golden, Colorado (measured 2011 to 2022)",
        "SERF East, Golden, Colorado (measured 2011 to 2022)",
    );
    vec![
        logger("F01", "goodwe", Inverter, "hill", "Hilltop Farm"),
        logger("F11", "goodwe", Inverter, "hill", "Hilltop Farm"),
        logger("FARM-METER", "plexlog", Meter, "lower", "Lower Barn"),
        logger("LOW-INV-1", "lti", Inverter, "lower", "Lower Barn"),
        logger("RSF2-INV2", "lti", Inverter, "rsf2", rsf),
        logger("SERF-INV1", "lti", Inverter, "serf", serf),
    ]
}

#[test]
fn a_device_is_no_error_code_and_the_longest_name_wins() {
    let loggers = farms();
    check(
        &loggers,
        &[
            ("energy of F01 on 25.10.2025", "PowerCurve", "F01", "10-25"),
            (
                "energy of F01 october 2025",
                "Savings",
                "F01",
                "10-01..10-31",
            ),
            (
                "savings of F11 in october",
                "Savings",
                "F11",
                "10-01..10-31",
            ),
            (
                "PR of F11 on 31 October 2025",
                "PerformanceRatio",
                "F11",
                "10-31",
            ),
            (
                "Show the power curve of F11 on 31 October 2025",
                "PowerCurve",
                "F11",
                "10-31",
            ),
            ("check F01", "Health", "F01", "-"),
            ("compare F01 and F11", "Compare", "F01+F11", "-"),
            (
                "error codes of F01 last week",
                "ErrorCodes",
                "F01",
                "11-24..11-30",
            ),
            ("what does F99 mean?", "ErrorCodes", "-", "-"),
            ("energy of F99 yesterday", "Savings", "unknown F99", "12-03"),
            (
                "How much did Hilltop Farm save in october",
                "Savings",
                "-",
                "10-01..10-31",
            ),
            (
                "energy of FARM-METER last week",
                "Savings",
                "FARM-METER",
                "11-24..11-30",
            ),
            ("PR of RSF II", "PerformanceRatio", "RSF2-INV2", "-"),
            (
                "energy of RSF II, Golden, Colorado on 4 january 2022",
                "PowerCurve",
                "RSF2-INV2",
                "01-04",
            ),
        ],
    );
    let site = |message| extract(message, &horizon(&loggers)).site;
    for message in [
        "How much did Hilltop Farm save in october",
        "hilltop farm's savings",
        "savings at Hilltop",
    ] {
        assert_eq!(site(message).as_deref(), Some("hill"), "{message}");
    }
    assert_eq!(site("savings in Golden"), None);
    for (message, expected) in [
        ("energy of F01", true),
        ("what is E-501", true),
        ("energy of LTI-INV-001", false),
    ] {
        assert_eq!(may_name_a_device(message), expected, "{message}");
    }
}

#[test]
fn what_leans_on_the_question_before_is_spelt_out() {
    let loggers = demo();
    let before = |request| Before {
        request,
        loggers: &[],
        period: None,
    };
    let mut wrong = Vec::new();
    for &(request, message, question, device, day) in FOLLOWING {
        let whole =
            resume(message, &before(request), &loggers).unwrap_or_else(|| message.to_owned());
        let extraction = extract(&whole, &horizon(&loggers));
        let found = (
            asked(&whole, &loggers),
            devices(&extraction),
            days(&extraction),
        );
        let refused = question.starts_with("no ");
        if found.0 != question || !refused && (found.1 != device || found.2 != day) {
            wrong.push(format!("{request:?}, {message:?}: expected {question} {device} {day}, found {found:?} in {whole:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_was_chosen_in_a_picker_is_kept_by_what_leans_on_it() {
    let loggers = demo();
    let chosen = ["LTI-INV-001".to_owned()];
    let before = Before {
        request: "Health check",
        loggers: &chosen,
        period: None,
    };
    assert_eq!(
        resume("and last week?", &before, &loggers).unwrap(),
        "health check of LTI-INV-001 last week?"
    );
    assert_eq!(
        resume("same for SD", &before, &loggers).unwrap(),
        "health check for sd"
    );
}

#[test]
fn what_stands_alone_leans_on_nothing() {
    let loggers = demo();
    let before = Before {
        request: "How much did LTI-INV-001 save last month?",
        loggers: &[],
        period: None,
    };
    for message in [
        "Morning briefing",
        "Compare all inverters",
        "Health check",
        "and turn it off",
        "thanks",
        "what can you do",
        "how is the site",
        "is it raining",
        "power curve of MEIER yesterday",
    ] {
        assert_eq!(resume(message, &before, &loggers), None, "{message}");
    }
}
