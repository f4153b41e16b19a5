//! The turn ends with a question, and the thread waits: an interrupt of the graph. Whatever comes
//! then is read as every message is.

use std::sync::Arc;

use agent_kit::approval::{CANCEL, CHANGE, RUN};
use contracts::{
    run::{Channel, Source},
    tools::clarification::{ClarificationOption, ClarificationPart},
    ui::{RequestUserSelection, SelectionOption, SelectionType},
};
use graph::{Command, NodeError, NodeResult};
use serde_json::Value;

use super::classify_intent::has_picker;
use crate::{
    run::Context,
    state::{AnalystState, OpenQuestion, QuestionAbout},
    step::Step,
};

/// Asks and waits.
pub(crate) async fn ask_user(
    state: Arc<AnalystState>,
    context: Context,
) -> NodeResult<AnalystState> {
    let step = Step::new(&state, context);
    let asked = step.work.outcome.question.clone();
    // Resumed, there is an answer, and the question is in the memory.
    let question = asked.unwrap_or_else(|| OpenQuestion {
        call_id: String::new(),
        question: String::new(),
        about: QuestionAbout::Change,
        list_id: String::new(),
        task_key: None,
        parts: Vec::new(),
    });
    let answer: Result<Value, NodeError> = step.node.context().interrupt("question", &question);
    match answer {
        Ok(_) => Ok(Command::none()),
        Err(waits) => {
            step.node.account().worded_by(Source::Rules);
            show(&step, &question).await;
            Err(waits)
        }
    }
}

/// The question in words, then the picker, alone in the last step.
async fn show(step: &Step, question: &OpenQuestion) {
    step.node.begin_step().await;
    step.node.say(Channel::Final, &question.question).await;
    step.node.end_step().await;
    if !has_picker(question) {
        return;
    }
    let picker = match question.about {
        QuestionAbout::Approval => approval(),
        QuestionAbout::Clarification | QuestionAbout::Change => options(question),
    };
    step.node.begin_step().await;
    step.node
        .open_picker(question.call_id.clone(), &picker)
        .await;
    step.node.end_step().await;
}

fn approval() -> RequestUserSelection {
    let option = SelectionOption::described;
    let options = vec![
        option(RUN, "Run it", "As it stands"),
        option(CHANGE, "Change it", "Say what should be different"),
        option(CANCEL, "Cancel", "Nothing is run"),
    ];
    RequestUserSelection::one_of("Shall I run it?", options)
}

/// What can be meant, in groups where several things are unclear. What is picked is sent as its
/// label, which people can read, unless two have the same.
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
    let selection_type = if several {
        SelectionType::Multiple
    } else {
        SelectionType::Single
    };
    RequestUserSelection {
        selection_type,
        ..RequestUserSelection::one_of(question.question.as_str(), options)
    }
}

/// The message that is sent when the option is picked.
fn value(question: &OpenQuestion, option: &ClarificationOption) -> String {
    let all = question.parts.iter().flat_map(|part| &part.options);
    let alike = all.filter(|other| other.label.eq_ignore_ascii_case(&option.label));
    if alike.count() > 1 {
        option.id.clone()
    } else {
        option.label.clone()
    }
}
