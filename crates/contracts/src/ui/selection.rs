//! `request_user_selection`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Arguments of `request_user_selection`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestUserSelection {
    /// The question.
    pub prompt: String,
    /// A sentence before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_message: Option<String>,
    /// What can be chosen; empty for dates.
    #[serde(default)]
    pub options: Vec<SelectionOption>,
    /// One or several.
    pub selection_type: SelectionType,
    /// How it is chosen.
    pub input_type: SelectionInput,
    /// Already chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pre_selected_values: Vec<String>,
    /// The first day that can be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_date: Option<NaiveDate>,
    /// The last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_date: Option<NaiveDate>,
    /// Fewest choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_count: Option<u32>,
    /// Most choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_count: Option<u32>,
    /// What follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_hint: Option<FlowHint>,
}

impl RequestUserSelection {
    /// A picker for one of these options.
    pub fn one_of(prompt: impl Into<String>, options: Vec<SelectionOption>) -> Self {
        Self {
            prompt: prompt.into(),
            context_message: None,
            options,
            selection_type: SelectionType::Single,
            input_type: SelectionInput::Dropdown,
            pre_selected_values: Vec::new(),
            min_date: None,
            max_date: None,
            min_count: None,
            max_count: None,
            flow_hint: None,
        }
    }
}

/// One thing that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SelectionOption {
    /// The value that is sent.
    pub value: String,
    /// The label that is shown.
    pub label: String,
    /// Its group in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
}

impl SelectionOption {
    /// An option with a second line.
    pub fn described(value: &str, label: &str, subtitle: &str) -> Self {
        Self {
            value: value.to_owned(),
            label: label.to_owned(),
            group: None,
            subtitle: Some(subtitle.to_owned()),
        }
    }
}

/// One or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SelectionType {
    Single,
    Multiple,
}

/// How something is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SelectionInput {
    Dropdown,
    Date,
    DateRange,
}

/// What follows a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowHint {
    /// What happens then.
    pub expected_next: String,
    /// A way around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_option: Option<SkipOption>,
}

/// A way around a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkipOption {
    /// The label of the button.
    pub label: String,
    /// The text that it sends as the person's message.
    pub action: String,
}
