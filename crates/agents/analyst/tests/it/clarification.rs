//! Questions and answers: options in any words, answers that decide nothing, questions that are
//! asked again, choices that are left to the assistant.

use agent_kit::testing::{Model, says};
use contracts::{
    run::{FinishReason, Source},
    todo::{EntryStatus, TaskStatus, TodoListState},
    tools::ToolEnvelope,
};
use serde_json::json;

use crate::{chat::Chat, double::Double};

const QUESTION: &str = "Show shipments to Miami last week";

#[tokio::test]
async fn an_option_is_chosen_by_label_ordinal_id_or_picker() {
    for answer in [
        "the second one",
        "Miami Container Terminal",
        "USMIA-T1",
        "Selected: Miami Container Terminal",
        "2",
    ] {
        let mut chat = Chat::new(Double::ambiguous());
        chat.say(QUESTION).await;
        let turn = chat.say(answer).await;
        assert_eq!(turn.flow().0, "exact_answer", "{answer}");
        let structure = chat.queries()[0].metadata.query_structure.clone().unwrap();
        assert_eq!(structure.filters[0].values, ["USMIA-T1"], "{answer}");
    }
}

#[tokio::test]
async fn both_are_one_condition() {
    let mut chat = Chat::new(Double::ambiguous());
    chat.say(QUESTION).await;
    let turn = chat.say("both").await;
    assert_eq!(turn.flow().0, "exact_answer");
    let structure = chat.queries()[0].metadata.query_structure.clone().unwrap();
    let filters = serde_json::to_value(&structure.filters).unwrap();
    assert_eq!(
        filters,
        json!([{
            "field": "destination_port_id", "op": "is", "values": ["USMIA", "USMIA-T1"],
            "label": "Port of Miami or Miami Container Terminal",
        }])
    );
}

#[tokio::test]
async fn a_name_in_a_change_takes_the_place_of_the_old_one() {
    let mut chat = Chat::new(Double::new());
    chat.say(QUESTION).await;
    for (at, (text, id)) in [
        ("for Shanghai instead", "CNSHA"),
        ("replace Shanghai with Miami", "USMIA"),
    ]
    .into_iter()
    .enumerate()
    {
        let turn = chat.say(text).await;
        assert_eq!(turn.flow().0, "edit_query", "{}", turn.text());
        let query = &chat.queries()[at + 1].metadata;
        let structure = query.query_structure.clone().unwrap();
        assert_eq!(structure.filters.len(), 1, "{structure:?}");
        assert_eq!(
            (&*structure.filters[0].field, &structure.filters[0].values),
            ("destination_port_id", &vec![json!(id)])
        );
    }
}

#[tokio::test]
async fn a_value_of_the_picker_is_an_answer_and_one_of_another_picker_is_none() {
    let mut chat = Chat::new(Double::ambiguous());
    let asked = chat.say(QUESTION).await;
    let other = chat
        .give("call_other", json!({ "selection": "Port of Miami" }))
        .await;
    assert!(
        other.text().contains("not open any more"),
        "{}",
        other.text()
    );
    assert_eq!(chat.attempts().len(), 1);
    let turn = chat
        .give(asked.picker().0, json!({ "selection": ["Port of Miami"] }))
        .await;
    assert_eq!(turn.flow().0, "exact_answer");
    assert_eq!(chat.attempts().len(), 6);
}

#[tokio::test]
async fn the_question_is_open_also_when_its_checkpoint_is_lost() {
    let mut chat = Chat::new(Double::ambiguous());
    let asked = chat.say(QUESTION).await;
    chat.lose_checkpoint();
    let turn = chat.say("Port of Miami").await;
    assert_eq!(turn.flow().0, "exact_answer");
    assert_eq!(turn.answered()[0].0, asked.picker().0);
    assert_eq!(chat.attempts().len(), 6);
    assert_eq!(chat.states(), [TodoListState::Complete]);
}

#[tokio::test]
async fn the_answer_decides_and_reaches_the_tool() {
    let mut chat = Chat::new(Double::ambiguous());
    chat.say(QUESTION).await;
    chat.tools.calls();
    chat.say("Port of Miami").await;
    let asked = &chat.tools.calls_of("entity_resolution")[0];
    assert_eq!(
        asked["answers"],
        json!([{ "about": "entity:Miami", "option_id": "USMIA", "text": "Port of Miami" }])
    );
    assert_eq!(asked["best_guess"], false);
}

#[tokio::test]
async fn continue_repeats_the_question_with_an_attempt_of_its_own() {
    let mut chat = Chat::new(Double::ambiguous());
    let first = chat.say(QUESTION).await;
    let again = chat.say("continue").await;
    assert_eq!(again.flow().0, "continue");
    assert_eq!(again.reason(), FinishReason::ToolCalls);
    assert_ne!(first.picker().0, again.picker().0);
    assert_eq!(chat.attempts().len(), 2);
    assert!(
        chat.attempts()
            .iter()
            .all(|(key, status)| key == "resolve_entities"
                && *status == EntryStatus::ClarificationNeeded)
    );
    chat.say("continue").await;
    chat.say("continue").await;
    // That answer was not in vain: the question stays open.
    let turn = chat.say("Port of Miami").await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert_eq!(chat.attempts().len(), 4 + 5);
}

#[tokio::test]
async fn after_three_answers_in_vain_the_options_are_listed_and_one_of_them_still_counts() {
    let tools = Double::ambiguous();
    *tools.stubborn.lock().unwrap() = true;
    let mut chat = Chat::new(tools);
    chat.say(QUESTION).await;
    for _ in 0..2 {
        let turn = chat.say("Port of Miami").await;
        assert_eq!(turn.reason(), FinishReason::ToolCalls);
    }
    let given_up = chat.say("Port of Miami").await;
    assert_eq!(given_up.reason(), FinishReason::Stop);
    let text = given_up.text();
    assert!(
        text.contains("Port of Miami or Miami Container Terminal"),
        "{text}"
    );
    let statuses: Vec<_> = chat
        .attempts()
        .into_iter()
        .map(|(_, status)| status)
        .collect();
    assert_eq!(
        statuses,
        [
            EntryStatus::ClarificationNeeded,
            EntryStatus::ClarificationNeeded,
            EntryStatus::ClarificationNeeded,
            EntryStatus::Error
        ]
    );
    let list = &chat.lists()[0];
    assert_eq!(list.state, TodoListState::Active);
    assert_eq!(list.tasks["resolve_entities"].status, TaskStatus::Error);

    *chat.tools.stubborn.lock().unwrap() = false;
    let turn = chat.say("Port of Miami").await;
    assert_eq!(turn.flow().0, "exact_answer");
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
}

#[tokio::test]
async fn a_choice_that_is_left_to_us_is_told() {
    let mut chat = Chat::new(Double::ambiguous());
    chat.say(QUESTION).await;
    let turn = chat.say("you choose").await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert!(
        turn.text()
            .contains("I took \u{201c}Miami\u{201d} to be Port of Miami, my best guess."),
        "{}",
        turn.text()
    );
    assert_eq!(chat.attempts().len(), 6);
}

#[tokio::test]
async fn who_wants_no_questions_gets_the_best_guess() {
    let mut chat = Chat::new(Double::ambiguous()).with(|options| options.yolo = true);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert_eq!(chat.attempts().len(), 5);
    assert!(turn.text().contains("my best guess"), "{}", turn.text());
}

#[tokio::test]
async fn a_model_ranks_what_exists_where_nobody_is_to_be_asked() {
    for (chosen, expected) in [("USMIA-T1", "USMIA-T1"), ("USXXX", "USMIA")] {
        let choice = json!({ "choices": [{ "about": "entity:Miami", "option_id": chosen }] });
        let model = Model::new([says(&choice.to_string())]);
        let mut chat =
            Chat::with_model(Double::ambiguous(), &model).with(|options| options.yolo = true);
        chat.say(QUESTION).await;
        let structure = chat.queries()[0].metadata.query_structure.clone().unwrap();
        assert_eq!(structure.filters[0].values, [expected], "{chosen}");
        // No person chose it, so nothing is remembered as a choice.
        assert!(
            chat.tools
                .calls_of("entity_resolution")
                .iter()
                .all(|call| call.get("answers").is_none())
        );
    }
}

#[tokio::test]
async fn what_no_rule_understands_is_read_by_a_model_and_what_it_can_not_know_is_not_taken() {
    let answer = |ids: &[&str]| json!({ "route": "exact_answer", "confidence": 0.9, "option_ids": ids, "addition": "" });
    let unclear = "hmm, I guess the bigger one of the two maybe";
    let model = Model::new([says(&answer(&["USMIA"]).to_string())]);
    let mut chat = Chat::with_model(Double::ambiguous(), &model);
    chat.say(QUESTION).await;
    let turn = chat.say(unclear).await;
    assert_eq!(turn.flow(), ("exact_answer", Source::Model));
    assert_eq!(chat.attempts().len(), 6);

    // An id that was not offered is none: the words go to the tool, which asks again.
    let model = Model::new([says(&answer(&["USXXX"]).to_string())]);
    let mut chat = Chat::with_model(Double::ambiguous(), &model);
    chat.say(QUESTION).await;
    chat.tools.calls();
    let turn = chat.say(unclear).await;
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
    let answers = &chat.tools.calls_of("entity_resolution")[0]["answers"];
    assert_eq!(answers[0]["text"], unclear);
    assert!(answers[0].get("option_id").is_none());
}

#[tokio::test]
async fn a_question_without_options_is_asked_in_words_alone() {
    let clarification = json!({ "question": "Which vessel?", "parts": [{ "about": "entity:Anna", "mention": "Anna", "options": [] }] });
    let result = json!({ "resolved": [], "ambiguous": [], "unresolved": [{ "original_value": "Anna", "nearest": [] }], "clarification": clarification });
    let tools = Double::new().then("entity_resolution", Ok(ToolEnvelope::ok(result)));
    let mut chat = Chat::new(tools);
    let turn = chat.say("Show shipments of Anna").await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert!(turn.text().contains("Which vessel?"), "{}", turn.text());
    assert_eq!(chat.attempts()[0].1, EntryStatus::ClarificationNeeded);
    assert!(chat.thread().await.pending.is_some());
}

#[tokio::test]
async fn two_answers_at_once_settle_both_and_one_leaves_the_other_open() {
    let option = |id: &str, label: &str| json!({ "id": id, "label": label });
    let miami = json!({ "about": "entity:Miami", "mention": "Miami", "options": [option("USMIA", "Port of Miami"), option("USMIA-T1", "Miami Container Terminal")] });
    let anna = json!({ "about": "entity:Anna", "mention": "Anna", "options": [option("V1", "MSC Anna"), option("V2", "Anna Maersk")] });
    let asks = |parts: &[&serde_json::Value]| {
        let clarification = json!({ "question": "Which Miami, and which Anna?", "parts": parts });
        Ok(ToolEnvelope::ok(
            json!({ "resolved": [], "ambiguous": [], "unresolved": [], "clarification": clarification }),
        ))
    };
    let known = |mention: &str, kind: &str, id: &str, name: &str| {
        json!({
            "mention": mention, "entity_type": kind, "id": id, "name": name, "confidence": 1.0,
            "matched_by": "answer", "source": "shipping", "index": format!("{kind}s"),
        })
    };
    let resolved = json!({
        "resolved": [known("Miami", "port", "USMIA", "Port of Miami"), known("Anna", "vessel", "V1", "MSC Anna")],
        "ambiguous": [], "unresolved": [],
    });
    let tools = Double::new()
        .then("entity_resolution", asks(&[&miami, &anna]))
        .then("entity_resolution", Ok(ToolEnvelope::ok(resolved)));
    let mut chat = Chat::new(tools);
    let asked = chat.say("Show shipments of Anna to Miami").await;
    assert_eq!(asked.picker().1.len(), 4);
    chat.tools.calls();
    let both = json!({ "selection": ["Port of Miami", "MSC Anna"] });
    chat.give(asked.picker().0, both).await;
    let answers = chat.tools.calls_of("entity_resolution")[0]["answers"].clone();
    let chosen: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["option_id"].as_str().unwrap())
        .collect();
    assert_eq!(chosen, ["USMIA", "V1"]);
    assert_eq!(chat.states(), [TodoListState::Complete]);

    let tools = Double::new()
        .then("entity_resolution", asks(&[&miami, &anna]))
        .then("entity_resolution", asks(&[&anna]));
    let mut chat = Chat::new(tools);
    chat.say("Show shipments of Anna to Miami").await;
    let asked = chat.say("Port of Miami").await;
    assert_eq!(asked.picker().1, ["MSC Anna", "Anna Maersk"]);
    chat.tools.calls();
    chat.say("the second").await;
    let answers = chat.tools.calls_of("entity_resolution")[0]["answers"].clone();
    let chosen: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["option_id"].as_str().unwrap())
        .collect();
    assert_eq!(chosen, ["USMIA", "V2"], "the first answer is not forgotten");
}

#[tokio::test]
async fn who_wants_no_questions_any_more_goes_on_with_the_best_candidate() {
    let mut chat = Chat::new(Double::ambiguous());
    chat.say(QUESTION).await;
    let mut chat = chat.with(|options| options.yolo = true);
    let turn = chat.say("continue").await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert_eq!(chat.attempts().len(), 1 + 5);
    assert!(turn.text().contains("my best guess"), "{}", turn.text());
}

#[tokio::test]
async fn fields_are_asked_for_in_the_same_way() {
    let clarification = json!({
        "question": "Which arrival: planned or actual?",
        "parts": [{ "about": "field:arrival", "mention": "arrival", "options": [
            { "id": "planned_arrival", "label": "planned arrival" }, { "id": "actual_arrival", "label": "actual arrival" },
        ] }],
    });
    let result = json!({ "source": "shipping", "index": "shipments", "fields": [], "entities": [], "unmapped": [], "clarification": clarification });
    let tools = Double::new().then("field_mapping", Ok(ToolEnvelope::ok(result)));
    let mut chat = Chat::new(tools);
    let asked = chat.say(QUESTION).await;
    assert_eq!(asked.picker().1, ["planned arrival", "actual arrival"]);
    chat.tools.calls();
    chat.say("actual arrival").await;
    let call = &chat.tools.calls_of("field_mapping")[0];
    assert_eq!(call["answers"][0]["option_id"], "actual_arrival");
    let keys: Vec<_> = chat.attempts().into_iter().map(|(key, _)| key).collect();
    assert_eq!(
        keys,
        [
            "resolve_entities",
            "map_fields",
            "map_fields",
            "build_es_query",
            "execute_es",
            "summarize"
        ]
    );
}
