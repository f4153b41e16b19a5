//! The first offers of the data assistant, the analyst and the advisor are answered with data or
//! sources, and so is every offer of such an answer.

use std::collections::{BTreeSet, VecDeque};

use contracts::assistants::AssistantList;
use contracts::chat::UiMessageChunk;
use heliograph::stack::StackConfig;

use crate::data_assistant;
use crate::demo_stack::{Reply, ask};
use crate::suggestions::cards;

/// Number of times that a busy source is asked again.
const CONTINUED: usize = 10;

/// Whether a reply has data or sources, or a card, and no warning and no question.
fn has_data(reply: &Reply) -> bool {
    let broke = reply.chunks.iter().any(|chunk| {
        matches!(
            chunk,
            UiMessageChunk::Error { .. } | UiMessageChunk::DataWarning { .. }
        )
    });
    let data = reply.chunks.iter().any(|chunk| {
        matches!(
            chunk,
            UiMessageChunk::DataRows { .. }
                | UiMessageChunk::SourceDocument { .. }
                | UiMessageChunk::SourceUrl { .. }
        )
    });
    !broke && !reply.asks_back() && (data || !cards(reply).is_empty())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_offer_of_the_other_assistants_is_answered() {
    let shipments =
        |config: &mut StackConfig| config.tools.sources.push(demo_freight::source().unwrap());
    let stack = data_assistant::stack(shipments).await;
    let url = format!("{}/api/assistants", stack.services.bff_url);
    let token = stack.token().await;
    let list = stack.http.get(url).bearer_auth(token).send().await.unwrap();
    let list: AssistantList = list.json().await.unwrap();
    let mut wrong = Vec::new();
    for assistant in list.assistants.iter().filter(|one| one.id != "site") {
        let user = stack.demo_user().await;
        let user = user.with_assistant(Some(assistant.id.clone()));
        let starters = assistant.starters.iter();
        let mut waiting: VecDeque<String> = starters.map(|one| one.message.clone()).collect();
        let mut asked = BTreeSet::new();
        while let Some(message) = waiting.pop_front() {
            if !asked.insert(message.clone()) {
                continue;
            }
            let thread = format!("o-{}-{}", assistant.id, asked.len());
            let mut reply = ask(&user, &thread, &message).await;
            // A source that has no connection free in time is asked again, as the answer says.
            for _ in 0..CONTINUED {
                if !reply.text().contains("Say \u{201c}continue\u{201d}") {
                    break;
                }
                reply = ask(&user, &thread, "continue").await;
            }
            if !has_data(&reply) {
                wrong.push(format!("{}: {message}: {}", assistant.id, reply.text()));
            }
            let offers = cards(&reply).into_iter().flat_map(|card| card.suggestions);
            waiting.extend(offers.map(|offer| offer.action));
        }
        assert!(asked.len() > 1, "{}", assistant.id);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    stack.stop().await;
}
