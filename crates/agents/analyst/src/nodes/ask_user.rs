//! The turn ends with a question, and the thread waits: an interrupt of the graph. Whatever comes then is read as every message is.

use std::sync::Arc;

use contracts::{
    run::{Channel, RunEvent, Source, ToolCallKind},
    tools::{
        clarification::{ClarificationOption, ClarificationPart},
        names::REQUEST_USER_SELECTION,
    },
    ui::{RequestUserSelection, SelectionInput, SelectionOption, SelectionType},
};
use graph::{Command, Context, NodeError, NodeResult};
use serde_json::Value;

use super::classify_intent::has_picker;
use crate::{
    plan::change::{CANCEL, CHANGE, RUN},
    scene::Scene,
    state::{AnalystState, OpenQuestion, QuestionAbout},
};

/// Asks and waits.
pub(crate) async fn ask_user(
    state: Arc<AnalystState>,
    context: Context<AnalystState>,
) -> NodeResult<AnalystState> {
    let scene = Scene::new(&state, context)?;
    let asked = scene.state.work.question.clone();
    // Resumed, there is an answer, and the question is in the memory.
    let question = asked.unwrap_or_else(|| OpenQuestion {
        call_id: String::new(),
        question: String::new(),
        about: QuestionAbout::Change,
        list_id: String::new(),
        task_key: None,
        parts: Vec::new(),
    });
    let answer: Result<Value, NodeError> = scene.context().interrupt("question", &question);
    match answer {
        Ok(_) => Ok(Command::none()),
        Err(waits) => {
            scene.performance().account().worded_by(Source::Rules);
            show(&scene, &question).await;
            Err(waits)
        }
    }
}

/// The question in words, then the picker, alone in the last step.
async fn show(scene: &Scene, question: &OpenQuestion) {
    scene.begin_step().await;
    scene.say(Channel::Final, &question.question).await;
    scene.end_step().await;
    if !has_picker(question) {
        return;
    }
    let picker = match question.about {
        QuestionAbout::Approval => approval(),
        QuestionAbout::Clarification | QuestionAbout::Change => options(question),
    };
    scene.begin_step().await;
    scene
        .emit(RunEvent::ToolCall {
            id: question.call_id.clone(),
            name: REQUEST_USER_SELECTION.to_owned(),
            input: serde_json::to_value(&picker).unwrap_or_default(),
            kind: ToolCallKind::Client,
        })
        .await;
    scene.end_step().await;
}

fn approval() -> RequestUserSelection {
    let option = |value: &str, label: &str, subtitle: &str| SelectionOption {
        value: value.to_owned(),
        label: label.to_owned(),
        group: None,
        subtitle: Some(subtitle.to_owned()),
    };
    picker(
        "Shall I run it?",
        vec![
            option(RUN, "Run it", "As it stands"),
            option(CHANGE, "Change it", "Say what should be different"),
            option(CANCEL, "Cancel", "Nothing is run"),
        ],
        SelectionType::Single,
    )
}

/// What can be meant, in groups where several things are unclear. What is picked is sent as its label, which people can read, unless two have
/// the same.
fn options(question: &OpenQuestion) -> RequestUserSelection {
    let several = question.parts.len() > 1;
    let of_part = |part: &ClarificationPart| {
        let group = several.then(|| part.mention.clone());
        let options = part.options.iter().map(move |option| SelectionOption {
            value: value(question, option),
            label: option.label.clone(),
            group: group.clone(),
            subtitle: option.description.clone(),
        });
        options.collect::<Vec<_>>()
    };
    let options = question.parts.iter().flat_map(of_part).collect();
    let kind = if several {
        SelectionType::Multiple
    } else {
        SelectionType::Single
    };
    picker(&question.question, options, kind)
}

/// What is sent when the option is picked.
fn value(question: &OpenQuestion, option: &ClarificationOption) -> String {
    let all = question.parts.iter().flat_map(|part| &part.options);
    let alike = all.filter(|other| other.label.eq_ignore_ascii_case(&option.label));
    if alike.count() > 1 {
        option.id.clone()
    } else {
        option.label.clone()
    }
}

fn picker(
    prompt: &str,
    options: Vec<SelectionOption>,
    selection_type: SelectionType,
) -> RequestUserSelection {
    RequestUserSelection {
        prompt: prompt.to_owned(),
        context_message: None,
        options,
        selection_type,
        input_type: SelectionInput::Dropdown,
        pre_selected_values: Vec::new(),
        min_date: None,
        max_date: None,
        min_count: None,
        max_count: None,
        flow_hint: None,
    }
}
