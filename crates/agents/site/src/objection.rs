//! Objections to questions that are asked at set times, without a person who can be asked back.

use agent_kit::Objection;
use chrono::{DateTime, Utc};
use contracts::tools::LoggerSummary;

use crate::{
    arguments::{self, Checked, newest_day},
    findings::Missing,
    language::{self, Argument, Beyond, Horizon, Limit, LoggerMention, Question},
    model::Site,
    narrative::format,
    reading,
    state::FlowContext,
};

/// Devices that are offered in place of an unknown one.
const NEAREST: usize = 3;

/// The objection to a question; `None` if nothing speaks against it, or if it cannot be judged
/// because no device is known. A model may understand what no rule does.
pub(crate) fn objection(
    question: &str,
    site: &Site,
    now: DateTime<Utc>,
    has_model: bool,
) -> Option<Objection> {
    let loggers = &site.loggers;
    if loggers.is_empty() {
        return None;
    }
    let all: Vec<_> = loggers.iter().collect();
    let horizon = Horizon {
        loggers,
        anchor: newest_day(&all).unwrap_or(site.today),
        today: site.today,
    };
    let read = language::understand(question, loggers);
    let unknown = match (language::extract(question, &horizon).loggers, read.question) {
        (_, Question::Definition) => None,
        (LoggerMention::Unknown { phrase }, _) => Some(phrase),
        (_, Question::Beyond(Beyond::Limit(Limit::Unknown))) if !has_model => {
            read.unexplained.first().cloned()
        }
        _ => None,
    };
    if let Some(name) = unknown {
        let nearest = nearest(&name, loggers);
        return Some(Objection {
            reason: format!(
                "names {name}, which is none of your devices and sites; the nearest are {}",
                format::list(&nearest)
            ),
            is_of_another_subject: is_of_another_subject(&read),
        });
    }
    if has_model {
        return None;
    }
    let kind = match read.question {
        Question::Beyond(kind) => kind,
        Question::Unknown if !language::is_greeting(question) => Beyond::Other,
        _ => return asks_back(question, &read, loggers, now),
    };
    if !has_no_flow(&read) {
        return asks_back(question, &read, loggers, now);
    }
    let refusal = reading::refused(kind, question, &horizon);
    Some(Objection {
        reason: format!("would be answered with: {}", refusal.trim_end_matches('.')),
        is_of_another_subject: is_of_another_subject(&read),
    })
}

/// Whether the question is about something that is not known here at all.
fn is_of_another_subject(read: &language::Understanding) -> bool {
    match read.question {
        Question::Beyond(kind) => language::is_of_another_subject(kind, &read.unexplained),
        Question::Unknown => language::is_of_another_subject(Beyond::Other, &read.unexplained),
        _ => false,
    }
}

/// The objection to a question that would be answered with one, as no user is there to answer that.
fn asks_back(
    question: &str,
    read: &language::Understanding,
    loggers: &[LoggerSummary],
    now: DateTime<Utc>,
) -> Option<Objection> {
    let flow = read.classification.flow;
    let needs = match flow {
        language::Flow::FreeChat => arguments::needs_of_question(read.question),
        flow => arguments::needs_of_flow(flow),
    };
    let context = FlowContext {
        request: question.to_owned(),
        ..FlowContext::default()
    };
    let Checked::Missing(missing) = arguments::check(needs, flow, &context, loggers, now) else {
        return None;
    };
    let reason = match missing {
        Missing::Loggers => return None,
        Missing::Impossible(why) => {
            format!("would be answered with: {}", why.trim_end_matches('.'))
        }
        Missing::Choice { argument, .. } => {
            let unclear = match argument {
                Argument::LoggerId | Argument::LoggerIds => {
                    "which device is meant; name one, or \"all devices\""
                }
                Argument::Date | Argument::DateRange => {
                    "which days are meant; name some, such as \"yesterday\""
                }
            };
            format!("does not say {unclear}")
        }
    };
    Some(Objection {
        reason,
        is_of_another_subject: false,
    })
}

/// Whether no workflow takes the message: free chat answers it, or refuses.
fn has_no_flow(read: &language::Understanding) -> bool {
    read.classification.flow == language::Flow::FreeChat
}

/// The names of devices that are most like a word.
fn nearest<'a>(word: &str, loggers: &'a [LoggerSummary]) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let mut names: Vec<(f64, &str)> = loggers
        .iter()
        .map(|logger| {
            let name = logger.logger_id.as_str();
            (strsim::sorensen_dice(&word, &name.to_lowercase()), name)
        })
        .collect();
    names.sort_by(|(one, name), (other, of)| other.total_cmp(one).then(name.cmp(of)));
    names
        .into_iter()
        .take(NEAREST)
        .map(|(_, name)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tests::demo;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn of(question: &str, has_model: bool) -> Option<String> {
        judged(question, has_model).map(|objection| objection.reason)
    }

    fn judged(question: &str, has_model: bool) -> Option<Objection> {
        let site = Site::with(demo(), DateTime::UNIX_EPOCH);
        objection(question, &site, NOW, has_model)
    }

    #[test]
    fn what_is_about_something_else_may_be_of_another_assistant() {
        for question in [
            "Blah",
            "How many orders did we get last month?",
            "Revenue per customer",
            "Revenue of Acme last month",
            "Which customers have not paid their invoices?",
            "List the shipments that are late",
            "Top 5 products by turnover",
            "Turnover of Berlin last week",
            "Stock of item 4711",
            "How many employees are older than 50?",
            "Average age of customers",
            "Trend of orders per month",
            "Which month had the most orders?",
            "Open tickets by priority",
            "Export the customers as csv",
            "How much did Acme buy last month?",
            "customers in Germany",
            "unpaid invoices",
            "sales of last month",
            "late shipments of yesterday",
        ] {
            let objection = judged(question, false).unwrap();
            assert!(objection.is_of_another_subject, "{question}: {objection:?}");
        }
    }

    #[test]
    fn an_objection_to_what_is_known_here_is_not_of_another_assistant() {
        for question in [
            "How is INV-404?",
            "Energy of INV-404 yesterday",
            "Check the health of INV-404",
            "Power curve of yesterday",
            "Forecast for tomorrow",
            "How is INV-001?",
            "Restart LTI-INV-001",
            "Switch off all inverters",
            "Delete the readings of LTI-INV-001",
            "Send me an SMS",
            "Voltage of LTI-INV-001",
            "What is the weather tomorrow?",
            "How do I repair the inverter?",
            "Wie viel Energie gestern?",
            "When will the plant have paid for itself?",
            "Energy of the last week and of yesterday",
            "energy per hour of yesterday",
            "yesterday morning's energy",
            "Energy of the biggest inverter yesterday",
        ] {
            let objection = judged(question, false).unwrap();
            assert!(
                !objection.is_of_another_subject,
                "{question}: {objection:?}"
            );
        }
    }

    #[test]
    fn an_unknown_device_is_objected_to_with_the_nearest_names() {
        for has_model in [false, true] {
            for question in [
                "How is INV-404?",
                "How much energy did INV-404 make yesterday?",
                "Check the health of INV-404",
            ] {
                let objection = of(question, has_model).unwrap();
                assert!(
                    objection.starts_with("names INV-404, which is none of your devices"),
                    "{objection}"
                );
                assert!(objection.contains("LTI-INV-001"), "{objection}");
            }
        }
    }

    #[test]
    fn what_no_rule_understands_is_objected_to_unless_a_model_may() {
        for question in ["Blah", "Tell me a joke", "Restart LTI-INV-001"] {
            let objection = of(question, false).unwrap();
            assert!(
                objection.starts_with("would be answered with: I "),
                "{objection}"
            );
            assert_eq!(of(question, true), None, "{question}");
        }
    }

    #[test]
    fn a_question_that_would_be_answered_with_one_is_objected_to() {
        for (question, why) in [
            (
                "Power curve of yesterday",
                "does not say which device is meant",
            ),
            (
                "Forecast for tomorrow",
                "does not say which device is meant",
            ),
            ("Check the health", "does not say which device is meant"),
            // Several devices end with that.
            ("How is INV-001?", "does not say which device is meant"),
        ] {
            let objection = of(question, false).unwrap();
            assert!(objection.starts_with(why), "{question}: {objection}");
            assert_eq!(of(question, true), None, "{question}");
        }
    }

    #[test]
    fn what_is_answered_is_not_objected_to() {
        for question in [
            "Morning briefing",
            "the morning briefing",
            "Give me the morning briefing",
            "How is LTI-INV-001?",
            "Any problems?",
            "How much did I save last month?",
            "the energy of yesterday per device",
            "the energy of yesterday by inverter",
            "Health check of all devices",
            "Financial report of last month",
            "Compare all inverters on energy",
            "Forecast production of all inverters for the next 7 days",
            "Show error codes",
            "What is a performance ratio?",
            "List my devices",
        ] {
            assert_eq!(of(question, false), None, "{question}");
        }
    }

    #[test]
    fn without_a_known_device_nothing_is_judged() {
        let site = Site::with(Vec::new(), DateTime::UNIX_EPOCH);
        assert_eq!(objection("How is INV-404?", &site, NOW, false), None);
    }
}
