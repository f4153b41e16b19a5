//! Whatever a model says and calls, in whatever order: the events obey their laws, the history is
//! whole, and every request is one that a provider takes. (`Chat::send` and the scripted model
//! check it in every turn.)

use agent_kit::testing::{Answer, Model, calls, fails, says};
use contracts::tools::{ToolStatus, names};
use llm::ErrorKind;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    model_chat::{QUESTION, curve},
    model_pickers::which,
};

#[derive(Debug, Clone)]
enum Move {
    Say(&'static str),
    Give(Value),
    Script(u8),
    Break,
    Heal,
    Restart,
    Toggle,
}

fn a_move() -> impl Strategy<Value = Move> {
    let said = prop::sample::select(vec![
        QUESTION,
        "Power curve yesterday",
        "Health check",
        "Morning briefing",
        "Selected: GW-INV-001",
        "Selected: 2025-11-20",
        "cancel",
        "Tell me something",
        "Which is the best one?",
        "hi",
    ]);
    let given = prop::sample::select(vec![
        json!("GW-INV-001"),
        json!("2025-11-20"),
        json!(null),
        json!({ "cancelled": true }),
    ]);
    prop_oneof![
        5 => said.prop_map(Move::Say),
        2 => given.prop_map(Move::Give),
        8 => (0..9_u8).prop_map(Move::Script),
        1 => Just(Move::Break),
        1 => Just(Move::Heal),
        1 => Just(Move::Restart),
        1 => Just(Move::Toggle),
    ]
}

fn scripted(number: u8) -> Answer {
    match number {
        0 => says("Well. It is so."),
        1 => curve("a", "GW-INV-001"),
        2 => says("Hm.").and(
            "a",
            names::GET_POWER_CURVE,
            json!({ "logger_id": "NOPE", "date": "2025-11-29" }),
        ),
        3 => which(),
        4 => calls("a", "nonsense", json!({})).and("a", names::GET_FLEET_OVERVIEW, json!({})),
        5 => fails(ErrorKind::Overloaded),
        6 => says("It made 12345 kWh. Half a sen").cut(ErrorKind::Truncated),
        7 => says(
            r#"{"flow": "health_check", "confidence": 0.8, "logger_ids": ["GW-INV-001"], "start_date": null, "end_date": null}"#,
        ),
        _ => calls(
            "",
            names::RENDER_UI_COMPONENT,
            json!({ "component": "FleetOverview", "props": { "handle": "result_1" } }),
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_model_does_the_laws_hold(moves in prop::collection::vec(a_move(), 1..24), stores in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let model = Model::always(says("That is all."));
            let mut chat = Chat::with_model(Double::new(), &model);
            chat.stores = stores;
            for one in moves {
                match one {
                    Move::Say(text) => drop(chat.say(text).await),
                    Move::Give(output) => {
                        if let Ok(Some(kept)) = chat.assistant().thread("owner:thread").await && let Some(open) = kept.state.pending_selection {
                            chat.give(&open.tool_call_id, output).await;
                        }
                    }
                    Move::Script(number) => model.then(scripted(number)),
                    Move::Break => drop(chat.tools.always(names::GET_POWER_CURVE, Ending::Status(ToolStatus::NoDataInWindow, "Nothing."))),
                    Move::Heal => chat.tools.heal(),
                    Move::Restart => chat.restart(),
                    Move::Toggle => chat.model = match chat.model.take() { Some(_) => None, None => Some(model.clone()) },
                }
            }
        });
    }
}
