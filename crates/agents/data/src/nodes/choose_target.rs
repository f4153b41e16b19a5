//! A person says which of several targets a question is about.

use std::sync::Arc;

use agent_kit::{UserInput, approval::without_prefix};
use contracts::{
    run::{RunEvent, Source},
    ui::{RequestUserSelection, SelectionOption},
};
use graph::NodeResult;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::classify;
use crate::{
    draft::Draft, language::names::words, run::Context, sentences, state::DataState, targeting,
};

/// A question that waits for the target it is about: the payload of the graph's interrupt, whose
/// answer is a target's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetChoice {
    /// The open call of `request_user_selection`.
    pub call_id: String,
    /// The question.
    pub question: String,
    /// The targets to choose among.
    pub targets: Vec<TargetOption>,
}

/// A target to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetOption {
    /// The name of the target.
    pub name: String,
    /// The operator's description of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// Asks which target is intended, and looks at it.
pub(crate) async fn choose_target(
    state: Arc<DataState>,
    context: Context,
) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    let choice = TargetChoice {
        call_id: state.work.place.choice_call.clone(),
        question: state.work.asked.question.clone(),
        targets: state.work.place.choices.clone(),
    };
    let target: String = match draft.node.context().interrupt("target", &choice) {
        Ok(target) => target,
        Err(question) => {
            ask(&draft, &choice).await;
            return Err(question);
        }
    };
    draft.node.route("sql", 1.0, Source::Rules).await;
    draft
        .node
        .emit(RunEvent::ToolAnswered {
            id: choice.call_id,
            output: json!({ "selection": target }),
        })
        .await;
    draft.work.place.choices.clear();
    draft.work.place.addressed = true;
    let around = targeting::look_at(&mut draft, target).await;
    classify::prepare(&mut draft, around);
    Ok(draft.done())
}

/// The target that an answer names: by name, by its number, or by words of its description that no
/// other has. `None` where it is another message.
pub(crate) fn read(message: &UserInput, choice: &TargetChoice) -> Option<String> {
    if let UserInput::SelectionOutput { call_id, .. } = message
        && *call_id != choice.call_id
    {
        return None;
    }
    let said = message.words();
    let said = without_prefix(&said);
    let spoken = words(said);
    if spoken.is_empty() || spoken.len() > 8 {
        return None;
    }
    let only = |is: &dyn Fn(&TargetOption) -> bool| {
        let mut found = choice.targets.iter().filter(|target| is(target));
        let first = found.next()?;
        found.next().is_none().then(|| first.name.clone())
    };
    let has = |all: &[String], some: &[String]| {
        !some.is_empty() && all.windows(some.len()).any(|window| window == some)
    };
    let beside = [
        "the", "one", "database", "db", "please", "in", "from", "use", "it", "i", "mean", "meant",
        "of", "with", "take",
    ];
    let telling: Vec<String> = spoken
        .iter()
        .filter(|word| !beside.contains(&&***word))
        .cloned()
        .collect();
    let number = match telling.as_slice() {
        [word] => match &**word {
            "1" | "first" => Some(0),
            "2" | "second" => Some(1),
            "3" | "third" => Some(2),
            "last" => choice.targets.len().checked_sub(1),
            _ => None,
        },
        _ => None,
    };
    only(&|target| target.name.eq_ignore_ascii_case(said))
        .or_else(|| number.and_then(|at| Some(choice.targets.get(at)?.name.clone())))
        .or_else(|| only(&|target| has(&spoken, &words(&target.name))))
        .or_else(|| {
            only(&|target| {
                let about = words(&format!(
                    "{} {}",
                    target.name,
                    target.about.as_deref().unwrap_or_default()
                ));
                !telling.is_empty() && telling.iter().all(|word| about.contains(word))
            })
        })
}

/// The question, and the picker.
async fn ask(draft: &Draft, choice: &TargetChoice) {
    draft
        .node
        .say_in_step(&sentences::which_target(
            &choice.targets,
            draft.work.place.named_several,
        ))
        .await;
    let option = |target: &TargetOption| SelectionOption {
        value: target.name.clone(),
        label: target.name.clone(),
        group: None,
        subtitle: target.about.clone(),
    };
    let options = choice.targets.iter().map(option).collect();
    let picker = RequestUserSelection::one_of("Which database do you mean?", options);
    draft.node.begin_step().await;
    draft
        .node
        .open_picker(choice.call_id.clone(), &picker)
        .await;
    draft.node.end_step().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_named_in_many_ways() {
        let option = |name: &str, about: &str| TargetOption {
            name: name.to_owned(),
            about: Some(about.to_owned()),
        };
        let choice = TargetChoice {
            call_id: "call".to_owned(),
            question: "How many orders are there?".to_owned(),
            targets: vec![
                option("field-service", "Jobs and crews"),
                option("warehouse", "Stock and suppliers"),
            ],
        };
        for (said, name) in [
            ("warehouse", Some("warehouse")),
            ("Selected: field-service", Some("field-service")),
            ("the field service one please", Some("field-service")),
            ("the second", Some("warehouse")),
            ("1", Some("field-service")),
            ("the one with the suppliers", Some("warehouse")),
            ("How many technicians are active?", None),
            ("and", None),
            ("", None),
        ] {
            let read = read(&UserInput::Text(said.to_owned()), &choice);
            assert_eq!(read.as_deref(), name, "{said}");
        }
        let other = UserInput::SelectionOutput {
            call_id: "other".to_owned(),
            output: json!("warehouse"),
        };
        assert_eq!(read(&other, &choice), None);
    }
}
