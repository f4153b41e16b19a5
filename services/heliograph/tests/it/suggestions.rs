//! Whatever the site assistant offers to ask next has an answer: every suggestion of every flow is
//! followed, and those of their answers, on the demonstration's data and on a tenant with generated
//! sites.

use std::collections::{BTreeSet, VecDeque};

use contracts::chat::UiMessageChunk;
use contracts::tools::names::{RENDER_UI_COMPONENT, REQUEST_USER_SELECTION};
use contracts::ui::{RenderUiComponent, RequestUserSelection};
use demo_park::{LargeOptions, generate_large};
use heliograph::chat::ChatClient;

use crate::demo_stack::{DemoStack, Reply, ask};
use crate::kinds::refusal;

/// Maximum distance from a question at which a suggestion is followed.
const DEPTH: usize = 4;

/// What opens each flow, and what is refused with offers.
const OPENINGS: &[&str] = &[
    "hi",
    "what can you do?",
    "Morning briefing",
    "Financial report",
    "How much energy did all inverters make last week?",
    "Compare all inverters",
    "top 3 inverters",
    "Any problems?",
    "Performance ratio yesterday",
    "which error codes were there last month?",
    "list my devices",
    "is the service healthy?",
    "Forecast for all inverters",
    "what is a performance ratio?",
    "what is clipping?",
    "export November as CSV",
    "How much will I save next month?",
    "will it rain tomorrow?",
    "turn everything off",
    "remind me about outages",
    "delete the readings",
    "are the panels dirty?",
    "what's the voltage of the grid",
    "sing about the savings",
    "Wie viel habe ich letzten Monat gespart?",
];

/// The same of one device.
const OPENINGS_OF_ONE: &[&str] = &[
    "Check the health of {}",
    "Financial report for {}",
    "Power curve of {} on the latest day",
    "Performance ratio of {} on the latest day",
    "Error codes of {} for the last 30 days",
    "Forecast for {}",
    "turn {} off",
    "is {} soiled?",
    "how old is {}?",
];

/// Words of answers that are none.
const NO_ANSWERS: &[&str] = &[
    "can't rank",
    "I don't understand",
    "I don't know how",
    "didn't work",
    "I don't have data",
    "I don't have any data",
    "nothing to compare",
    "I have no energy readings",
    "What I can do:",
    "only device",
    "only understand English",
    "a day at a time",
    "trouble retrieving",
    "I can't",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_suggestion_on_the_demonstration_is_answered() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    let devices = [
        "GW-INV-001",
        "LTI-INV-001",
        "MEIER-INV-001",
        "SD-INV-001",
        "RSF2-INV2",
    ];
    follow(&user, &devices, 60).await;
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_suggestion_on_several_generated_sites_is_answered() {
    let stack = DemoStack::start().await;
    let generated = LargeOptions {
        tenant: "elsewhere".to_owned(),
        sites: 2,
        loggers: 9,
        days: 40,
        step_minutes: 15,
        seed: 7,
    };
    generate_large(stack.pool(), &generated, |_| {})
        .await
        .unwrap();
    let user = stack.stranger().await;
    let devices: Vec<String> = sqlx::query_scalar(
        "SELECT logger_id FROM tools.loggers WHERE tenant = 'elsewhere' AND role = 'inverter' ORDER BY logger_id LIMIT 2",
    )
    .fetch_all(stack.pool())
    .await
    .unwrap();
    let devices: Vec<&str> = devices.iter().map(String::as_str).collect();
    follow(&user, &devices, 60).await;
    stack.stop().await;
}

/// Follows every suggestion from the openings on, each message once and in a thread of its own.
/// There are more than `least` messages.
pub(crate) async fn follow(user: &ChatClient, devices: &[&str], least: usize) {
    let one = OPENINGS_OF_ONE
        .iter()
        .flat_map(|opening| devices.iter().map(|device| opening.replace("{}", device)));
    let openings = OPENINGS
        .iter()
        .map(|&opening| opening.to_owned())
        .chain(one);
    let mut waiting: VecDeque<(String, usize, String)> = openings
        .map(|opening| (opening, 0, String::new()))
        .collect();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    let mut wrong: Vec<String> = Vec::new();
    while let Some((message, depth, from)) = waiting.pop_front() {
        if !asked.insert(message.clone()) {
            continue;
        }
        let reply = ask(user, &format!("t{}", asked.len()), &message).await;
        if depth > 0 {
            wrong.extend(
                fault(&message, &reply)
                    .map(|fault| format!("{from:?} offers {message:?}: {fault}")),
            );
        }
        if depth < DEPTH {
            let offers = offers(&reply);
            waiting.extend(
                offers
                    .into_iter()
                    .map(|offer| (offer, depth + 1, message.clone())),
            );
        }
    }
    let count = asked.len();
    assert!(count > least, "only {count} messages were asked");
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        asked.len(),
        wrong.join("\n")
    );
}

/// The reason why a reply does not count as an answer.
fn fault(message: &str, reply: &Reply) -> Option<String> {
    let text = reply.text();
    if let Some(refusal) = refusal(message, reply) {
        return Some(refusal);
    }
    if let Some(words) = NO_ANSWERS.iter().find(|words| text.contains(**words)) {
        return Some(format!("{words:?} in {text:?}"));
    }
    None
}

/// The next questions that a reply offers: the suggestions of its cards, the way around its picker,
/// and those that a refusal names.
fn offers(reply: &Reply) -> Vec<String> {
    let mut offers: Vec<String> = cards(reply)
        .into_iter()
        .flat_map(|card| card.suggestions)
        .map(|suggestion| suggestion.action)
        .collect();
    let text = reply.text();
    let offered = ["What I can do:", "Try ", "To see it in your data, ask "];
    if let Some((_, behind)) = offered.iter().find_map(|words| text.split_once(words)) {
        offers.extend(behind.split('"').skip(1).step_by(2).map(str::to_owned));
    }
    offers
}

pub(crate) fn cards(reply: &Reply) -> Vec<RenderUiComponent> {
    let inputs = reply.chunks.iter().filter_map(|chunk| match chunk {
        UiMessageChunk::ToolInputAvailable {
            tool_name, input, ..
        } if tool_name == RENDER_UI_COMPONENT => Some(input),
        _ => None,
    });
    inputs
        .map(|input| serde_json::from_value(input.clone().into_owned()).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_around_a_picker_is_answered() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    for (index, opening) in [
        "Health check",
        "Performance audit",
        "forecast for tomorrow",
        "Power curve of GW-INV-001 on 2024-01-15",
        "Savings of GW-INV-001 in January 2020",
    ]
    .into_iter()
    .enumerate()
    {
        let thread = format!("p{index}");
        let asked = ask(&user, &thread, opening).await;
        let input = asked.chunks.iter().find_map(|chunk| match chunk {
            UiMessageChunk::ToolInputAvailable {
                tool_name, input, ..
            } if tool_name == REQUEST_USER_SELECTION => Some(input.clone().into_owned()),
            _ => None,
        });
        let picker: RequestUserSelection =
            serde_json::from_value(input.unwrap_or_else(|| panic!("{opening}: {asked:?}")))
                .unwrap();
        let skip = picker.flow_hint.and_then(|hint| hint.skip_option).unwrap();
        let reply = ask(&user, &thread, &skip.action).await;
        assert_eq!(
            fault(&skip.action, &reply),
            None,
            "{opening}, {}",
            skip.action
        );
    }
    stack.stop().await;
}
