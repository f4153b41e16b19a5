//! The parts of an answer that the page draws: cards, and the questions to the person.

use contracts::{
    run::{Channel, Source},
    tools::names,
    ui::{ErrorCard, RenderUiComponent, RequestUserSelection, UiComponent},
};
use serde_json::{Map, Value};

use crate::{
    language::{Argument, Flow},
    run::Node,
    state::{CallRecord, PendingSelection, Record, RememberedCall, SiteUpdate},
};

/// A question to the person, which ends the run.
pub(crate) struct Picker {
    /// The argument that it asks for.
    pub(crate) argument: Argument,
    pub(crate) request: RequestUserSelection,
    /// The workflow that continues with the answer.
    pub(crate) flow: Flow,
    /// The call that failed and is tried again with the answer.
    pub(crate) retry: Option<RememberedCall>,
    /// Who asks, and gets the answer.
    pub(crate) asked_by: Source,
    /// Number of times that it was asked again because its answer could not be taken.
    pub(crate) asked_again: u32,
}

impl Picker {
    /// The rules ask, for the first time.
    pub(crate) fn new(argument: Argument, request: RequestUserSelection, flow: Flow) -> Self {
        Self {
            argument,
            request,
            flow,
            retry: None,
            asked_by: Source::Rules,
            asked_again: 0,
        }
    }
}

/// Shows a card, or an error card when its props are out of range. A step of its own.
pub(crate) async fn show(node: &Node, card: RenderUiComponent) {
    node.begin_step().await;
    node.show_in_step(&checked(card)).await;
    node.end_step().await;
}

/// Asks the person to choose, in words and with a picker. A step of its own.
pub(crate) async fn ask(node: &Node, remark: Option<&str>, picker: Picker) {
    let words = spoken_question(remark, &picker.request);
    ask_saying(node, &words, picker).await;
}

/// The same with these words before the picker; none when they are said already.
pub(crate) async fn ask_saying(node: &Node, words: &str, picker: Picker) {
    let Picker {
        argument,
        request,
        flow,
        retry,
        asked_by,
        asked_again,
    } = picker;
    node.begin_step().await;
    node.say(Channel::Final, words).await;
    let id = node.services().new_id("call");
    node.open_picker(id.clone(), &request).await;
    node.end_step().await;
    let mut asked = Map::new();
    asked.insert("prompt".to_owned(), Value::from(request.prompt.as_str()));
    asked.insert("argument".to_owned(), Value::from(argument.as_str()));
    let record = Record::Tool(CallRecord {
        id: id.clone(),
        name: names::REQUEST_USER_SELECTION.to_owned(),
        input: Value::Object(asked),
        result: None,
    });
    node.update(SiteUpdate::Recorded(Box::new(record)));
    node.update(SiteUpdate::Pending(Some(Box::new(PendingSelection {
        tool_call_id: id,
        argument,
        request,
        flow,
        retry,
        asked_by,
        asked_again,
    }))));
}

/// The words before a picker: a remark or what gives it context, then the question itself, for
/// clients that draw no pickers.
pub(crate) fn spoken_question(remark: Option<&str>, request: &RequestUserSelection) -> String {
    let before = remark.or(request.context_message.as_deref());
    match before {
        // A remark that asks already needs no second question behind it.
        Some(before) if before.ends_with('?') => before.to_owned(),
        Some(before) => format!("{before} {}", request.prompt),
        None => request.prompt.clone(),
    }
}

/// The card, or an error card that says what is wrong with it: a client must never get props that
/// it cannot draw.
fn checked(card: RenderUiComponent) -> RenderUiComponent {
    let mut faults = card.validate();
    if faults.is_empty() {
        return card;
    }
    tracing::error!(
        ?faults,
        "a card was not shown because its props are out of range"
    );
    faults.truncate(3);
    RenderUiComponent {
        component: UiComponent::ErrorCard(ErrorCard {
            title: "This cannot be shown".to_owned(),
            message: "The figures do not make sense, so I would rather not draw them.".to_owned(),
            details: faults,
        }),
        suggestions: Vec::new(),
    }
}
