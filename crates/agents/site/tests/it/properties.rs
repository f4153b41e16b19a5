//! Whatever is said, in whatever order, and whatever the tools do: the events obey their laws and
//! the history is whole. (`Chat::send` checks both after every turn.)

use agent_kit::ToolsError;
use contracts::tools::{ToolStatus, names};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
};

#[derive(Debug, Clone)]
enum Move {
    Say(String),
    /// Answers the open picker with this value.
    Give(Value),
    /// Answers a call that is not open.
    GiveLate(Value),
    Break(&'static str, u8),
    Heal,
    Restart,
}

fn a_move() -> impl Strategy<Value = Move> {
    let said = prop::sample::select(vec![
        "hi",
        "Morning briefing",
        "Health check",
        "Check all devices",
        "Check the health of LTI-INV-001 last month",
        "Financial report",
        "How much did I save with all inverters?",
        "Compare all inverters",
        "Compare GW-INV-001",
        "Power curve yesterday",
        "Power curve of SD-INV-001 on 2020-01-01",
        "Forecast for next week",
        "Error codes",
        "Performance ratio of all",
        "list loggers",
        "Selected: GW-INV-001",
        "Selected: GW-INV-001, SD-INV-001",
        "Selected: 2025-11-20",
        "Selected: 2025-11-10:2025-11-12",
        "cancel",
        "yesterday",
        "all",
        "the first one",
        "Use 2025-12-04",
        "Selected: nonsense",
        "help",
    ]);
    let given = prop::sample::select(vec![
        json!("SD-INV-001"),
        json!(["GW-INV-001", "LTI-INV-001"]),
        json!({ "selection": "2025-11-20" }),
        json!({ "start": "2025-11-10", "end": "2025-11-12" }),
        json!(null),
        json!({ "cancelled": true }),
        json!([]),
        json!("2025-11-20"),
    ]);
    let tool = prop::sample::select(vec![
        names::LIST_LOGGERS,
        names::GET_FLEET_OVERVIEW,
        names::ANALYZE_INVERTER_HEALTH,
        names::GET_POWER_CURVE,
        names::COMPARE_LOGGERS,
        names::CALCULATE_FINANCIAL_SAVINGS,
        names::FORECAST_PRODUCTION,
        names::DIAGNOSE_ERROR_CODES,
        names::CALCULATE_PERFORMANCE_RATIO,
    ]);
    prop_oneof![
        8 => said.prop_map(|text| Move::Say(text.to_owned())),
        1 => "\\PC{0,40}".prop_map(Move::Say),
        3 => given.clone().prop_map(Move::Give),
        1 => given.prop_map(Move::GiveLate),
        2 => (tool, 0..5_u8).prop_map(|(tool, ending)| Move::Break(tool, ending)),
        1 => Just(Move::Heal),
        1 => Just(Move::Restart),
    ]
}

fn ending(number: u8) -> Ending {
    match number {
        0 => Ending::Status(ToolStatus::NoDataInWindow, "Nothing in this window."),
        1 => Ending::Status(ToolStatus::NoData, "Nothing at all."),
        2 => Ending::Status(ToolStatus::Error, "It broke."),
        3 => Ending::Fails(ToolsError::Unavailable),
        _ => Ending::Answers(json!({ "unexpected": true })),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_conversation_obeys_the_laws(moves in prop::collection::vec(a_move(), 1..14)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut chat = Chat::new(Double::new());
            let mut last_call = "call_run0_1".to_owned();
            for one in moves {
                match one {
                    Move::Say(text) => drop(chat.say(&text).await),
                    Move::Give(output) => {
                        if let Ok(Some(kept)) = chat.assistant().thread("owner:thread").await && let Some(open) = kept.state.pending_selection {
                            last_call.clone_from(&open.tool_call_id);
                            chat.give(&open.tool_call_id, output).await;
                        }
                    }
                    Move::GiveLate(output) => drop(chat.give(&last_call.clone(), output).await),
                    Move::Break(tool, number) => drop(chat.tools.always(tool, ending(number))),
                    Move::Heal => chat.tools.heal(),
                    Move::Restart => chat.restart(),
                }
            }
        });
    }
}
