//! The page's components: cards, and the questions to the person.

use contracts::{
    run::{RunEvent, ToolCallKind},
    tools::names,
    ui::{ErrorCard, RenderUiComponent, RequestUserSelection, UiComponent},
};
use serde_json::{Map, Value};

use super::Stage;
use crate::{
    language::{Argument, Flow},
    state::{CallRecord, PendingSelection, Record, RememberedCall, SiteUpdate},
};

impl Stage {
    /// Shows a card, or an error card when its props are out of range. A step of its own.
    pub(crate) async fn show(&mut self, card: RenderUiComponent) {
        self.begin_step().await;
        self.show_here(checked(card)).await;
        self.end_step().await;
    }

    /// Shows a card within the step. Its props have to be right.
    pub(crate) async fn show_here(&mut self, card: RenderUiComponent) {
        let props = match serde_json::to_value(&card) {
            Ok(props) => props,
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a card cannot be written as JSON"
                );
                return;
            }
        };
        let component = props.get("component").cloned().unwrap_or_default();
        let id = self.turn.new_id("call");
        self.emit(RunEvent::ToolCall {
            id: id.clone(),
            name: names::RENDER_UI_COMPONENT.to_owned(),
            input: props.clone(),
            kind: ToolCallKind::Display,
        })
        .await;
        self.emit(RunEvent::ToolResult {
            id: id.clone(),
            output: props,
            ok: true,
        })
        .await;
        let mut shown = Map::new();
        shown.insert("component".to_owned(), component);
        self.record(Record::Tool(CallRecord {
            id,
            name: names::RENDER_UI_COMPONENT.to_owned(),
            input: Value::Object(shown.clone()),
            result: Some(Value::Object(shown)),
        }));
    }

    /// Asks the person to choose, which ends the run. A step of its own.
    pub(crate) async fn ask(
        &mut self,
        remark: Option<&str>,
        argument: Argument,
        request: RequestUserSelection,
        flow: Flow,
        retry: Option<RememberedCall>,
    ) {
        let question = spoken_question(remark, &request);
        self.ask_saying(&question, argument, request, flow, retry)
            .await;
    }

    /// The same with these words before the picker; none when they are said already.
    pub(crate) async fn ask_saying(
        &mut self,
        words: &str,
        argument: Argument,
        request: RequestUserSelection,
        flow: Flow,
        retry: Option<RememberedCall>,
    ) {
        self.begin_step().await;
        self.say(words).await;
        let id = self.turn.new_id("call");
        self.open_picker(id.clone(), &request).await;
        self.end_step().await;
        let mut asked = Map::new();
        asked.insert("prompt".to_owned(), Value::from(request.prompt.as_str()));
        asked.insert("argument".to_owned(), Value::from(argument.as_str()));
        self.record(Record::Tool(CallRecord {
            id: id.clone(),
            name: names::REQUEST_USER_SELECTION.to_owned(),
            input: Value::Object(asked),
            result: None,
        }));
        self.update(SiteUpdate::Pending(Some(Box::new(PendingSelection {
            tool_call_id: id,
            argument,
            request,
            flow,
            retry,
            asked_by: self.leader,
            asked_again: self.asked_again,
        }))));
    }
}

/// The words before a picker: a remark, otherwise what gives it context, then the question itself,
/// for clients that draw no pickers.
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
