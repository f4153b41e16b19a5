//! Messages read with what the turn knows: the names of the person's devices, and the task before.

use crate::{
    language::{self, Before, Beyond, Flow, Limit, LoggerMention, Question, Understanding},
    narrative::refusals::{self, Near},
    run::{Node, site},
    state::SiteState,
};

/// Most words of a message whose unexplained ones may be names.
const MAY_NAME: usize = 40;

/// The request of a message. The devices are asked for only when a word of the message could be one
/// of their names.
pub(crate) async fn understand(node: &Node, state: &SiteState, text: &str) -> Understanding {
    let alone = language::understand(text, &[]);
    let nameable = match alone.question {
        Question::Beyond(Beyond::Language(_)) => false,
        Question::Beyond(_) | Question::Unknown => {
            let words = text.split_whitespace().count();
            let names = words <= MAY_NAME && language::may_be_names(text, &alone.unexplained);
            let about_something = alone.is_about_something
                || names
                || language::may_ask_how_it_is(text)
                || language::may_name_a_site(text);
            about_something && text.chars().any(char::is_alphabetic)
        }
        _ => {
            !alone.unexplained.is_empty()
                || language::may_name_a_device(text)
                || language::may_name_a_site(text)
        }
    };
    if !nameable {
        return alone;
    }
    let site = site(node.run(), state).await;
    language::understand(text, &site.loggers)
}

/// The whole request that a message means: its own words, or the task before with what the message
/// names.
pub(crate) async fn spelt_out(node: &Node, state: &SiteState, text: String) -> String {
    // After a definition another term is one to define, too.
    let defined = !language::asked_meaning(&state.flow_context.request).is_empty();
    if defined && let Some(question) = language::further_meaning(&text) {
        return question;
    }
    if let Some(request) = continued(node, state, &text).await {
        return request;
    }
    let limited = language::understand(&text, &[]).question;
    if limited == Question::Beyond(Beyond::Limit(Limit::Conversion)) {
        let site = site(node.run(), state).await;
        return language::in_currency(&text, &site.loggers).unwrap_or(text);
    }
    if !language::may_stand_alone(&text) {
        return text;
    }
    let site = site(node.run(), state).await;
    language::stands_alone(&text, &site.loggers).unwrap_or(text)
}

/// The task before with what the message names, if it leans on it.
async fn continued(node: &Node, state: &SiteState, text: &str) -> Option<String> {
    let leant_on = state.flow_context.leant_on();
    let goes_on = matches!(state.active_flow, Some(flow) if flow != Flow::Greeting);
    if !goes_on || !language::may_lean(text) {
        return None;
    }
    let site = site(node.run(), state).await;
    let read = language::understand(&leant_on.request, &site.loggers);
    if leaves_the_task(read.question) {
        return None;
    }
    let before = Before {
        request: &leant_on.request,
        loggers: &leant_on.loggers,
        period: leant_on.period,
        today: Some(site.today),
    };
    language::resume(text, &before, &site.loggers)
}

/// Whether a question looks nothing up that a later message could lean on.
pub(crate) fn leaves_the_task(question: Question) -> bool {
    matches!(
        question,
        Question::Help
            | Question::Definition
            | Question::Unknown
            | Question::Thanks
            | Question::ServiceHealth
            | Question::ListLoggers
            | Question::Silence
            | Question::Reporting
            | Question::Beyond(Beyond::Other | Beyond::Limit(_) | Beyond::Language(_))
    )
}

/// The answer to a request that cannot be served.
pub(crate) async fn refusal(node: &Node, state: &SiteState, kind: Beyond, text: &str) -> String {
    let read = language::understand(text, &[]);
    let names = read.is_about_something || language::may_be_names(text, &read.unexplained);
    let site = match kind {
        Beyond::Language(_) | Beyond::Other if !names => None,
        _ => Some(site(node.run(), state).await),
    };
    let loggers = site.as_ref().map_or(&[][..], |site| &site.loggers);
    let today = site
        .as_ref()
        .map_or_else(|| node.run().now.date_naive(), |site| site.today);
    let all: Vec<_> = loggers.iter().collect();
    let horizon = language::Horizon {
        loggers,
        anchor: crate::arguments::newest_day(&all).unwrap_or(today),
        today,
    };
    refused(kind, text, &horizon)
}

/// The words of a refusal, to a person with these devices.
pub(crate) fn refused(kind: Beyond, text: &str, horizon: &language::Horizon<'_>) -> String {
    let loggers = horizon.loggers;
    let named = match language::extract(text, horizon).loggers {
        LoggerMention::One(id) => Some(id),
        _ => None,
    };
    let instead = language::instead(text, horizon);
    let near = Near {
        loggers,
        device: named.as_deref(),
        instead: &instead,
    };
    let read = language::understand(text, loggers);
    refusals::refusal(kind, &read.unexplained, &near)
}
