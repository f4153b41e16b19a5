//! What leans on the message before.

use super::{asked, days, devices};
use crate::language::tests::{demo, horizon};
use crate::language::{Before, extract, resume};

/// A request, what follows it, and what that asks for, its devices and its days.
const FOLLOWING: &[(&str, &str, &str, &str, &str)] = &[
    (
        "How much energy did LTI-INV-001 make on 7 November?",
        "and on the 3rd?",
        "PowerCurve",
        "LTI",
        "11-03",
    ),
    (
        "How much energy did LTI-INV-001 make on 3 December?",
        "and on the 20th?",
        "PowerCurve",
        "LTI",
        "11-20",
    ),
    (
        "How much did I save last month?",
        "And last week?",
        "Savings",
        "-",
        "11-24..11-30",
    ),
    (
        "How much did I save last month?",
        "who was out on 7 November?",
        "Health",
        "-",
        "11-07",
    ),
    (
        "How much energy did we make last week?",
        "no, the whole month",
        "Savings",
        "-",
        "11-01..11-30",
    ),
    (
        "How much energy did we make last week?",
        "no, I meant the whole of November",
        "Savings",
        "-",
        "11-01..11-30",
    ),
    (
        "How much energy did we make last week?",
        "only MEIER",
        "Savings",
        "MEIER",
        "11-24..11-30",
    ),
    (
        "How much energy did we make last week?",
        "just yesterday, sorry",
        "Savings",
        "-",
        "12-03",
    ),
    (
        "Compare LTI-INV-001 and MEIER on energy last week",
        "add SD",
        "Compare",
        "LTI+MEIER+SD",
        "11-24..11-30",
    ),
    (
        "Compare LTI-INV-001 and MEIER on energy last week",
        "can you include GW to the comparison as well?",
        "Compare",
        "LTI+MEIER+GW",
        "11-24..11-30",
    ),
    (
        "How much did LTI-INV-001 save last month?",
        "plus MEIER",
        "Savings",
        "LTI+MEIER",
        "11-01..11-30",
    ),
    (
        "How much did LTI, SD and MEIER save last month?",
        "leave out SD please",
        "Savings",
        "LTI+MEIER",
        "11-01..11-30",
    ),
    (
        "Compare all inverters on energy last week",
        "leave out SD",
        "Compare",
        "GW+LTI+MEIER",
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
fn what_leans_on_the_question_before_is_spelt_out() {
    let loggers = demo();
    let before = |request| Before {
        request,
        loggers: &[],
        period: None,
        today: None,
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
        today: None,
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
        today: None,
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

const WORST: &str = "which inverter was worst last week?";
const MOST: &str = "which inverter made the most energy in november?";

/// A request, the message that continues its ranking, and the whole question.
const CONTINUED: &[(&str, &str, &str)] = &[
    (
        WORST,
        "and the second worst?",
        "which inverter was second worst last week?",
    ),
    (
        WORST,
        "and the second?",
        "which inverter was second worst last week?",
    ),
    (
        "which inverter was second worst last week?",
        "and the third?",
        "which inverter was third worst last week?",
    ),
    (WORST, "and the best?", "which inverter was best last week?"),
    (
        WORST,
        "and in money?",
        "which inverter saved the least money last week",
    ),
    (
        WORST,
        "and in CO2?",
        "which inverter avoided the least co2 last week",
    ),
    (
        WORST,
        "same for yesterday",
        "which inverter was worst for yesterday",
    ),
    (WORST, "and for SD?", "is SD-INV-001 the worst last week"),
    (
        WORST,
        "and SD yesterday?",
        "is SD-INV-001 the worst yesterday",
    ),
    (
        MOST,
        "and the second most?",
        "which inverter made the second most energy in november?",
    ),
    (
        "top 3 inverters last week",
        "and the worst 3?",
        "worst 3 inverters last week",
    ),
    (
        "Energy of all devices in October",
        "top 3",
        "top 3 inverters by energy in October",
    ),
    (
        "energy of GW and LTI in november",
        "the worst?",
        "which inverter made the least energy of GW-INV-001 and LTI-INV-001 in november",
    ),
    (
        "energy of demo site in november",
        "and the top 2?",
        "top 2 inverters by energy of Demo Site in november",
    ),
    (
        "how much did all inverters make last week?",
        "and the least?",
        "which inverter made the least energy last week",
    ),
    (MOST, "top 3", "top 3 inverters by energy in november"),
    (
        "top 3 inverters by energy last week",
        "and the worst 2?",
        "worst 2 inverters by energy last week",
    ),
    (
        "rank the inverters by energy last week",
        "top 2",
        "top 2 inverters by energy last week",
    ),
    (
        "savings of all in november",
        "and the most?",
        "which inverter saved the most money in november",
    ),
];

#[test]
fn a_ranking_is_continued() {
    let loggers = demo();
    for &(request, message, expected) in CONTINUED {
        let before = Before {
            request,
            loggers: &[],
            period: None,
            today: None,
        };
        let whole = resume(message, &before, &loggers);
        assert_eq!(whole.as_deref(), Some(expected), "{request} {message}");
        let question = asked(expected, &loggers);
        assert!(
            matches!(question.as_str(), "Compare" | "Savings"),
            "{expected}: {question}"
        );
    }
}
