//! Flows and questions.

use crate::language::Flow::{
    FinancialReport, FreeChat, Greeting, HealthCheck, MorningBriefing, PerformanceAudit,
};
use crate::language::Question as Q;
use crate::language::{Flow, MIN_CONFIDENCE, classify, question};

fn check(flow: Flow, messages: &[&str]) {
    let wrong: Vec<_> = messages
        .iter()
        .filter(|message| {
            let found = classify(message);
            found.flow != flow || found.confidence < MIN_CONFIDENCE
        })
        .map(|message| (message, classify(message)))
        .collect();
    assert!(wrong.is_empty(), "expected {flow:?}: {wrong:#?}");
}

#[test]
fn greetings() {
    check(
        Greeting,
        &[
            "hi",
            "Hello",
            "HEY",
            "hiya",
            "howdy",
            "greetings",
            "yo",
            "sup",
            "Good morning",
            "good afternoon",
            "good evening!",
            "good day.",
            "what's up",
            "What’s up?",
            "whats up",
            "what is up?",
            "hey there",
            "hi there!",
            "Hello there",
            "hello Sunny",
            "hi sunny!",
            "  hello  ",
            "Hello!!!",
            "hi, ",
            "hello .",
            "sup!",
            "what's up ?!",
        ],
    );
}

#[test]
fn more_than_a_greeting_is_none() {
    for message in [
        "hello world",
        "good morning briefing",
        "hi, give me a status report",
        "hi you",
        "hey sunny",
        "hello?",
        "good",
        "good night",
        "there",
        "sunny",
        "",
        "   ",
        "hi 👋",
        "hello there friend",
    ] {
        assert_ne!(classify(message).flow, Greeting, "{message}");
    }
}

#[test]
fn morning_briefings() {
    check(
        MorningBriefing,
        &[
            "which devices are offline?",
            "Morning briefing",
            "morning briefing please",
            "Fleet overview",
            "How is the site?",
            "Daily summary",
            "Status report",
            "how's the site doing",
            "How are my panels doing?",
            "how is everything",
            "Give me an overview",
            "site status",
            "what's the status",
            "Good morning briefing",
            "hi, give me a status report",
            "show me the fleet status",
            "catch me up",
            "How are things going?",
            "morning breifing",
            "MORNING BRIEFING!!!",
            "fleet overveiw",
            "is everything ok?",
            "everything fine?",
            "What's going on?",
            "How's the fleet",
            "brief me",
            "overview of all inverters",
            "How are my inverters?",
            "plant overview",
            "summary",
            "update me",
            "Is the plant running?",
            "daily report",
            "no forecast, just the briefing",
            "how did the site do yesterday",
            "site summary for yesterday",
        ],
    );
}

#[test]
fn financial_reports() {
    check(
        FinancialReport,
        &[
            "Financial report",
            "How much did I save?",
            "ROI",
            "Savings analysis",
            "savings report",
            "how much money did GW-INV-001 make last month",
            "what's my return, roi?",
            "financial summary",
            "Show financial savings for the past month",
            "How much have my panels earned?",
            "what did it cost me",
            "revenue of LTI-INV-001 in November",
            "CO2 saved last month",
            "how much carbon did we avoid",
            "savngs report",
            "finacial report",
            "How much did the SmartDog save at 0.30 per kWh?",
            "savings of GW-INV-001 from Nov 3 to Nov 9",
            "show my profits",
            "How much is my energy worth?",
            "how much money did I save with the power I produced",
            "money",
            "how much did I save yesterday",
            "What are my earnings this year?",
            "return on investment",
            "electricity bill",
        ],
    );
}

#[test]
fn performance_audits() {
    check(
        PerformanceAudit,
        &[
            "Performance audit",
            "Compare inverters",
            "Efficiency check",
            "Compare loggers",
            "Which is best?",
            "which inverter is performing best",
            "compare GW and SD on energy",
            "Compare GW-INV-001 and LTI-INV-001",
            "GW-INV-001 vs LTI-INV-001",
            "Compare total energy production",
            "Compare financial performance across all loggers",
            "comapre all inverters",
            "comparison of the inverters",
            "how do my inverters compare?",
            "benchmark all devices",
            "which one is the worst performer",
            "rank my inverters",
            "side by side please",
            "difference between the goodwe and the LTI",
            "Which inverter produces the most?",
            "audit",
            "compare power curves of GW and SD",
            "why don't you compare GW and SD",
            "efficency check",
            "GW-INV-001, LTI-INV-001 & MEIER",
            "compare irradiance of GW-INV-001 and SD-INV-001 last week",
            "performance report",
            "is the LTI better than the goodwe inverter?",
            "power curve yesterday for all inverters",
            "How's LTI doing compared to GW?",
            "is any inverter underperforming",
        ],
    );
}

#[test]
fn health_checks() {
    check(
        HealthCheck,
        &[
            "Health check",
            "Check anomalies",
            "Diagnose inverter",
            "Any problems?",
            "Health status",
            "Check the health of LTI-INV-001",
            "any errors?",
            "is anything wrong?",
            "what's wrong with the LTI",
            "diagnose GW-INV-001",
            "Why is LTI-INV-001 not producing?",
            "LTI isn't working",
            "the inverter stopped working",
            "are there any outages",
            "check for faults",
            "Check health for the lowest performer"
                .strip_suffix(" for the lowest performer")
                .unwrap(),
            "helth check",
            "healht check of the smartdog",
            "diagnoze the inverter",
            "anomalys in the last 30 days",
            "no problems today?",
            "is it healthy",
            "is GW-INV-001 not healthy?",
            "How is GW-INV-001 doing?",
            "how's the smartdog",
            "is the LTI ok?",
            "Check all devices for problems",
            "something is broken",
            "status of LTI-INV-001",
            "don't compare, check the health",
            "troubleshoot SD-INV-001",
            "health of GW-INV-001 and LTI-INV-001",
            "check GW-INV-001",
            "health of every inverter",
            "alarms?",
            "no output from LTI",
            "zero production yesterday, why?",
            "what did the outages cost",
            "how much did I lose because of outages?",
            "Which inverter had the most outages?",
            "analyze GW-INV-001",
            "what happened to the LTI on Nov 29",
            "has LTI been down this week",
            "downtime of LTI-INV-001",
            "list errors of LTI-INV-001",
        ],
    );
}

#[test]
fn free_chat_is_recognised() {
    check(
        FreeChat,
        &[
            "power curve of GW-INV-001 on Nov 29",
            "Show power curve",
            "power output of the smartdog yesterday",
            "forecast for next week",
            "Forecast production for the next 7 days",
            "predict tomorrow's production",
            "what will GW-INV-001 produce tomorrow?",
            "how much energy did GW-INV-001 produce yesterday?",
            "error codes of LTI-INV-001",
            "what does E-501 mean?",
            "Check error codes in metadata",
            "performance ratio of GW-INV-001 on Nov 29",
            "efficiency of the smartdog yesterday",
            "list loggers",
            "which inverters do I have?",
            "what devices are there?",
            "help",
            "what can you do?",
            "is the service healthy",
            "database status",
            "production of LTI-INV-001 last week",
            "forcast next week",
            "how many inverters are there",
            "energy today",
            "current power",
            "show the error codes of LTI-INV-001 for the last 7 days",
            "PR of GW-INV-001",
            "what should I expect next week",
            "graph of GW yesterday",
            "performance of GW-INV-001 yesterday",
            "how many kWh did we make in November",
            "show irradiance of GW-INV-001 yesterday",
            "Show performance ratio for the fleet",
            "What did the fleet produce yesterday?",
            "show me the production of all inverters last week",
        ],
    );
}

#[test]
fn doubt_goes_to_free_chat_with_little_confidence() {
    for message in [
        "",
        "?",
        "banana",
        "tell me a joke",
        "who won the match",
        "thanks",
        "lorem ipsum dolor sit amet",
        "why",
        "12345",
        "🙂",
        "the wealth of nations",
        "my company is hiring",
        "what's the weather tomorrow",
        "generate a report",
    ] {
        let found = classify(message);
        assert_eq!(found.flow, FreeChat, "{message}");
        assert!(found.confidence < MIN_CONFIDENCE, "{message}: {found:?}");
    }
}

#[test]
fn what_is_taken_back_does_not_count() {
    check(
        FinancialReport,
        &[
            "not the forecast, the savings",
            "skip the comparison and show savings",
            "I don't want a comparison, show my savings",
            "savings instead of a forecast",
        ],
    );
    check(
        FreeChat,
        &[
            "don't forget the forecast",
            "no comparison, just the forecast for GW-INV-001",
        ],
    );
    check(HealthCheck, &["instead of a briefing, a health check"]);
}

/// What single questions sound like.
const QUESTIONS: &[(Q, &[&str])] = &[
    (
        Q::PowerCurve,
        &[
            "LTI-INV-001 Nov 29",
            "power curve of GW-INV-001 on Nov 29",
            "how much did the LTI produce yesterday?",
            "output of SD yesterday",
            "energy of GW-INV-001 today",
            "peak power of GW-INV-001",
            "show the curve for the smartdog",
        ],
    ),
    (
        Q::Forecast,
        &[
            "forecast for next week",
            "predict production of LTI-INV-001",
            "what will GW-INV-001 produce tomorrow?",
            "outlook for the next 3 days",
            "Forecast production for the next 30 days",
        ],
    ),
    (
        Q::Compare,
        &[
            "compare GW and SD on energy",
            "compare all inverters",
            "which is best?",
            "GW-INV-001 vs LTI-INV-001",
        ],
    ),
    (
        Q::Savings,
        &[
            "how much did I save last month",
            "CO2 of GW-INV-001",
            "production of LTI-INV-001 last week",
            "how much energy did GW produce in November?",
        ],
    ),
    (
        Q::PerformanceRatio,
        &[
            "performance ratio of GW-INV-001 on Nov 29",
            "PR of the smartdog yesterday",
            "efficiency of MEIER-INV-001",
        ],
    ),
    (
        Q::Health,
        &[
            "any problems with LTI-INV-001?",
            "check the health of the goodwe inverter",
            "GW-INV-001",
            "why is LTI not producing",
        ],
    ),
    (
        Q::ErrorCodes,
        &[
            "error codes of LTI-INV-001",
            "what does E-501 mean",
            "fault codes last week",
            "Diagnose the error codes of LTI-INV-001",
            "show me the error log",
        ],
    ),
    (
        Q::Fleet,
        &[
            "how is the site",
            "current power",
            "how much power are we making",
            "what are we producing right now",
            "total production now",
            "fleet overview",
        ],
    ),
    (
        Q::ListLoggers,
        &[
            "list loggers",
            "which inverters do I have?",
            "list all devices",
            "what devices are there",
            "show all loggers",
            "how many inverters are there?",
        ],
    ),
    (
        Q::ServiceHealth,
        &[
            "is the service up?",
            "database status",
            "is the API healthy",
            "service health",
        ],
    ),
    (
        Q::Help,
        &["help", "what can you do?", "Who are you?", "help me"],
    ),
    (Q::Unknown, &["tell me a joke", "", "hi"]),
    (Q::Thanks, &["thanks", "great, thank you very much"]),
];

#[test]
fn one_tool_answers_a_question() {
    let mut wrong = Vec::new();
    for (expected, messages) in QUESTIONS {
        wrong.extend(
            messages
                .iter()
                .filter(|message| question(message) != *expected)
                .map(|message| (*message, *expected, question(message))),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
