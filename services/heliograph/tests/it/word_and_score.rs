//! Health on its way from the tool over the card to the sentence, on the demonstration's devices
//! and on generated ones: the word for it, its score and what is said of both agree.

use contracts::chat::UiMessageChunk;
use contracts::tools::{AnomalyReport, HealthWord};
use contracts::ui::{FleetHealthRow, UiComponent};
use demo_park::{LargeOptions, generate_large};
use heliograph::chat::ChatClient;

use crate::demo_stack::{DemoStack, Reply, ask};

/// Words of a device that is well.
const WELL: &[&str] = &["looks healthy", "look healthy", "Good news", "still good"];

/// Words of a device that is in a critical state.
const ILL: &[&str] = &["needs attention", "which is low", "very low"];

/// The report of the tool behind an answer.
fn report(reply: &Reply) -> Option<AnomalyReport> {
    reply.chunks.iter().find_map(|chunk| match chunk {
        UiMessageChunk::ToolOutputAvailable { output, .. }
            if output["result"]["type"] == "anomaly_report" =>
        {
            serde_json::from_value(output["result"].clone()).ok()
        }
        _ => None,
    })
}

fn says(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Asks for the health of some devices and checks the answer; `false` if there are no data.
async fn agrees(user: &ChatClient, thread: &str, message: &str) -> bool {
    let reply = ask(user, thread, message).await;
    let Some(report) = report(&reply) else {
        return false;
    };
    let text = reply.text();
    let score = report.health_score;
    let word = HealthWord::of(score);
    assert_eq!(report.health_status, word, "{message}: {score:?}");
    match reply.component().component {
        UiComponent::HealthReport(card) => {
            assert_eq!(
                (card.health_score, card.health_status),
                (score, word),
                "{message}"
            );
            assert!(
                word == HealthWord::Healthy || !says(&text, WELL),
                "{message}: {score:?}: {text}"
            );
            assert!(
                word == HealthWord::Critical || !says(&text, ILL),
                "{message}: {score:?}: {text}"
            );
        }
        UiComponent::FleetHealthReport(card) => {
            let healthy = |row: &FleetHealthRow| row.status == HealthWord::Healthy;
            for row in &card.loggers {
                assert_eq!(row.status, HealthWord::of(row.health_score), "{row:?}");
                let own = report
                    .devices
                    .iter()
                    .find(|own| own.logger_id == row.logger_id);
                assert_eq!(row.health_score, own.and_then(|own| own.health_score));
            }
            let scored = || card.loggers.iter().filter(|row| row.health_score.is_some());
            let of_all = HealthWord::of(card.avg_health_score);
            assert_eq!(of_all, word, "{message}: {card:?}");
            assert!(
                scored().all(healthy) || !says(&text, WELL),
                "{message}: {text}"
            );
        }
        other => assert!(says(&text, &["too little"]), "{message}: {other:?}"),
    }
    true
}

/// The same of each device of a tenant, and of all of them, over some windows.
async fn all_agree(stack: &DemoStack, user: &ChatClient, tenant: &str) {
    let devices: Vec<String> = sqlx::query_scalar(
        "SELECT logger_id FROM tools.loggers WHERE tenant = $1 AND role = 'inverter' ORDER BY logger_id",
    )
    .bind(tenant)
    .fetch_all(stack.pool())
    .await
    .unwrap();
    assert!(!devices.is_empty());
    let mut judged = 0;
    for window in ["yesterday", "last week", "in the last 30 days"] {
        let whom = devices.iter().map(String::as_str).chain(["all inverters"]);
        for (index, device) in whom.enumerate() {
            let message = format!("Check the health of {device} {window}");
            let thread = format!("{tenant}-{window}-{index}").replace(' ', "-");
            judged += usize::from(agrees(user, &thread, &message).await);
        }
    }
    assert!(judged > devices.len(), "{judged} of {tenant}");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_word_and_score_never_disagree() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    all_agree(&stack, &user, "demo").await;
    let generated = LargeOptions {
        tenant: "elsewhere".to_owned(),
        sites: 2,
        loggers: 9,
        days: 40,
        step_minutes: 15,
        seed: 11,
    };
    generate_large(stack.pool(), &generated, |_| {})
        .await
        .unwrap();
    let user = stack.stranger().await;
    all_agree(&stack, &user, "elsewhere").await;
    stack.stop().await;
}
