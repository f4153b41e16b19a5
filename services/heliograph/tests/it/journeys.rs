//! Journeys of a person through the whole stack, over HTTP, through the bff.

use contracts::tools::HealthEventKind;
use contracts::ui::{SelectionInput, UiComponent};
use heliograph::chat::ChatError;
use serde_json::json;
use test_support::provider::{Dialect, Gate, ModelServer, Script, Turn};

use crate::demo_stack::{DemoStack, ask, try_ask};
use crate::models::{CURVE, use_model};

#[tokio::test(flavor = "multi_thread")]
async fn the_flows_answer_from_the_demo_data() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;

    let greeting = ask(&user, "t-greeting", "hi").await;
    assert_eq!(greeting.flow(), "greeting");
    assert!(greeting.text().contains("Sunny"));

    let briefing = ask(&user, "t-briefing", "Morning briefing").await;
    assert_eq!(briefing.flow(), "morning_briefing");
    let UiComponent::FleetOverview(card) = briefing.component().component else {
        panic!("{briefing:?}")
    };
    // The measured site of 2022 does not count beside the park of 2025.
    assert_eq!(card.device_count, 4);
    assert_eq!(card.devices.len(), 4, "{:?}", card.devices);
    assert!(
        (card.total_energy - 156.83).abs() < 0.01,
        "{}",
        card.total_energy
    );
    assert!(
        card.date_mismatch
            .is_some_and(|mismatch| mismatch.is_historical),
        "old data are called old"
    );
    assert!(briefing.text().contains("4 December 2025"));

    let health = ask(&user, "t-health", "Check the health of LTI-INV-001").await;
    assert_eq!(health.flow(), "health_check");
    let UiComponent::HealthReport(card) = health.component().component else {
        panic!("{health:?}")
    };
    // The outage of 29 November: 4 hours of sun, 6 % of the week's energy.
    assert_eq!(card.anomaly_count, 1);
    assert_eq!(card.anomalies[0].kind, HealthEventKind::Outage);
    assert!((card.lost_kwh - 21.15).abs() < 0.01, "{}", card.lost_kwh);
    let score = card.health_score.unwrap();
    assert!((score - 91.9).abs() < 0.05, "{score}");
    assert!(
        health.text().contains("29 November 2025"),
        "{}",
        health.text()
    );

    let flawless = ask(&user, "t-flawless", "Check the health of GW-INV-001").await;
    let UiComponent::HealthReport(card) = flawless.component().component else {
        panic!("{flawless:?}")
    };
    assert_eq!((card.anomaly_count, card.health_score), (0, Some(100.0)));

    let money = ask(&user, "t-money", "How much did SD-INV-001 save me?").await;
    assert_eq!(money.flow(), "financial_report");
    let UiComponent::FinancialReport(card) = money.component().component else {
        panic!("{money:?}")
    };
    assert!(
        (card.energy_generated - 975.17).abs() < 1.0,
        "{}",
        card.energy_generated
    );
    let worth = card.energy_generated * card.electricity_rate.unwrap();
    assert!((card.savings.unwrap() - worth).abs() < 0.01);
    assert_eq!(card.forecast.unwrap().days.len(), 7);

    let audit = ask(&user, "t-audit", "Compare GW-INV-001 and MEIER-INV-001").await;
    assert_eq!(audit.flow(), "performance_audit");
    let UiComponent::ComparisonChart(chart) = audit.component().component else {
        panic!("{audit:?}")
    };
    assert_eq!(
        chart.best.as_deref(),
        Some("GW-INV-001"),
        "the underperformer is not the best"
    );
    assert!(!chart.data.is_empty());
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn free_chat_answers_single_questions() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    let curve = ask(&user, "t-1", "power curve of GW-INV-001 on Nov 29").await;
    let UiComponent::DynamicChart(chart) = curve.component().component else {
        panic!("{curve:?}")
    };
    assert!((chart.summary_stats.unwrap().peak_value - 5231.0).abs() < 0.1);
    let energy = ask(&user, "t-2", "compare GW and SD on energy").await;
    assert!(
        matches!(
            energy.component().component,
            UiComponent::ComparisonChart(_)
        ),
        "{energy:?}"
    );
    let forecast = ask(&user, "t-3", "forecast for next week for the LTI").await;
    assert!(
        forecast.tools().contains(&"forecast_production"),
        "{forecast:?}"
    );
    let ratio = ask(
        &user,
        "t-4",
        "performance ratio of MEIER-INV-001 on 2025-12-01",
    )
    .await;
    assert!(
        ratio.text().contains("68"),
        "the underperformer's ratio: {}",
        ratio.text()
    );
    let codes = ask(&user, "t-5", "error codes of LTI-INV-001 in November").await;
    assert!(codes.text().contains("E-501"), "{}", codes.text());
    let help = ask(&user, "t-6", "what is the meaning of life").await;
    assert!(!help.text().is_empty());
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picker_is_answered_after_a_restart() {
    let stack = DemoStack::start().await;
    let asked = ask(&stack.demo_user().await, "t-restart", "Check the health").await;
    let picker = asked.picker();
    assert_eq!(picker.input_type, SelectionInput::Dropdown);
    assert!(
        picker
            .options
            .iter()
            .any(|option| option.value == "LTI-INV-001")
    );

    let stack = stack.restart().await;
    let user = stack.demo_user().await;
    let answered = ask(&user, "t-restart", "Selected: LTI-INV-001").await;
    let UiComponent::HealthReport(card) = answered.component().component else {
        panic!("{answered:?}")
    };
    assert_eq!(card.logger_id, "LTI-INV-001");
    assert!(!answered.asks_back());
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_without_data_leads_to_a_day_with_data() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    let lost = ask(
        &user,
        "t-recovery",
        "power curve of GW-INV-001 on 2025-01-15",
    )
    .await;
    let picker = lost.picker();
    assert_eq!(picker.input_type, SelectionInput::Date);
    assert_eq!(picker.min_date.unwrap().to_string(), "2025-11-05");
    assert_eq!(picker.max_date.unwrap().to_string(), "2025-12-04");
    let found = ask(&user, "t-recovery", "Selected: 2025-11-20").await;
    let UiComponent::DynamicChart(chart) = found.component().component else {
        panic!("{found:?}")
    };
    assert!(chart.title.contains("20 November 2025"), "{}", chart.title);
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_logger_is_said_to_be_unknown() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    let reply = ask(&user, "t-unknown", "Check the health of XX-INV-999").await;
    assert!(reply.text().contains("XX-INV-999"), "{}", reply.text());
    assert!(
        !reply.text().contains("100"),
        "no good report of a logger that is not there: {}",
        reply.text()
    );
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_and_users_do_not_meet() {
    let stack = DemoStack::start().await;
    let (user, stranger) = (stack.demo_user().await, stack.stranger().await);
    assert!(
        ask(&user, "shared-name", "Check the health")
            .await
            .asks_back()
    );
    let reply = ask(&stranger, "shared-name", "Selected: LTI-INV-001").await;
    let seen = format!("{reply:?}");
    assert!(
        !seen.contains("health_score") && !seen.contains("GW-INV-001"),
        "{seen}"
    );
    let briefing = ask(&stranger, "own", "Morning briefing").await;
    assert!(!format!("{briefing:?}").contains("INV-001"), "{briefing:?}");
    // The owner's picker is still open.
    let answered = ask(&user, "shared-name", "Selected: LTI-INV-001").await;
    assert!(matches!(
        answered.component().component,
        UiComponent::HealthReport(_)
    ));
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_answers_one_message_at_a_time() {
    let gate = Gate::new();
    let held = Turn::text("Let me look.").wait_after(0, &gate);
    let model = ModelServer::start(Dialect::OpenAi, Script::new().otherwise(held));
    let model = model.await.unwrap();
    let stack = DemoStack::start_with(|config| use_model(config, &model)).await;
    let user = stack.demo_user().await;
    let meanwhile = async {
        gate.reached().await;
        let second = try_ask(&user, "t-busy", CURVE).await;
        gate.open();
        second
    };
    let (first, second) = tokio::join!(try_ask(&user, "t-busy", CURVE), meanwhile);
    assert!(first.is_ok(), "{first:?}");
    assert!(
        matches!(&second, Err(ChatError::Refused(problem)) if problem.status == 409),
        "{second:?}"
    );
    assert!(
        try_ask(&user, "t-busy", "hi").await.is_ok(),
        "the thread is free again"
    );
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_hangs_up_finds_its_answer_later() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    let stream = user
        .ask("Check the health of LTI-INV-001", "t-gone")
        .await
        .unwrap();
    drop(stream);
    let token = stack.token().await;
    let url = format!("{}/api/threads/t-gone/messages", stack.services.bff_url);
    // Bounded by the test's own patience: the run ends much earlier than this allows.
    let mut tries = 0;
    let answer = loop {
        let page = stack.http.get(&url).bearer_auth(&token).send().await;
        let page: serde_json::Value = page.unwrap().json().await.unwrap();
        if let Some(answer) = page["messages"].get(1) {
            break answer.clone();
        }
        tries += 1;
        assert!(tries < 400, "{page}");
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    };
    assert_eq!(answer["status"], "complete");
    assert!(
        answer["text"]
            .as_str()
            .unwrap()
            .contains("29 November 2025"),
        "{answer}"
    );
    let called = answer["tools_used"].as_array().unwrap();
    assert!(
        called.iter().all(|call| call["status"] == "success"),
        "{answer}"
    );
    assert_eq!(ask(&user, "t-gone", "hi").await.flow(), "greeting");
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_dialect_answers_from_the_demo_data_and_threads_are_kept() {
    let stack = DemoStack::start().await;
    let token = stack.token().await;
    let bff = &stack.services.bff_url;
    let post = async |path: &str, body: serde_json::Value| {
        let request = stack.http.post(format!("{bff}{path}"));
        let response = request
            .bearer_auth(&token)
            .json(&body)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.unwrap()
    };
    let agent = post(
        "/api/agent/stream",
        json!({
            "input": { "message": "Morning briefing" }, "conversation": { "id": "agent-1" }, "assistant": "site",
        }),
    )
    .await;
    assert!(
        agent.contains("\"event\":\"route_decision\"") && agent.contains("\"event\":\"complete\""),
        "{agent}"
    );
    let named = post(
        "/api/messages",
        json!({ "content": "Check the health of LTI-INV-001", "assistant": "site" }),
    )
    .await;
    assert!(
        named.contains("event: tool_result") && named.contains("\"history_saved\":true"),
        "{named}"
    );
    let get = async |path: &str| -> serde_json::Value {
        let request = stack.http.get(format!("{bff}{path}")).bearer_auth(&token);
        request.send().await.unwrap().json().await.unwrap()
    };
    let threads = get("/api/threads").await;
    let titles: Vec<&str> = threads["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|thread| thread["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        ["Check the health of LTI-INV-001", "Morning briefing"]
    );
    let state = get("/api/threads/agent-1/state").await;
    assert_eq!(state["values"]["activeFlow"], "morning_briefing", "{state}");
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inner_tiers_refuse_everything_unsigned() {
    let stack = DemoStack::start().await;
    let calls = [
        (
            format!("{}/ai/chat", stack.services.orchestrator_url),
            json!({ "messages": [{ "role": "user", "content": "hi" }] }),
        ),
        (
            format!("{}/api/tools/list_loggers", stack.services.tools_url),
            json!({}),
        ),
        (
            format!("{}/api/measurements", stack.services.tools_url),
            json!([]),
        ),
        (
            format!("{}/no/such/path", stack.services.tools_url),
            json!({}),
        ),
    ];
    for (url, body) in calls {
        let unsigned = stack.http.post(&url).json(&body).send().await.unwrap();
        assert_eq!(unsigned.status(), 401, "{url}");
        assert_eq!(
            unsigned.headers()["content-type"],
            "application/problem+json"
        );
        let forged = stack
            .http
            .post(&url)
            .bearer_auth("eyJhbGciOiJub25lIn0.e30.")
            .json(&body)
            .send()
            .await
            .unwrap();
        assert_eq!(forged.status(), 401, "{url}");
    }
    stack.stop().await;
}
