//! Guidance that comes with a result: what a person would make of it. Free chat and other clients
//! use it; the flows word their own.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What to make of a result, in `snake_case` as the documents have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolContext {
    /// One sentence.
    pub summary: String,
    /// Up to three observations.
    #[schema(max_items = 3)]
    pub insights: Vec<Insight>,
    /// Up to three things to do next.
    #[schema(max_items = 3)]
    pub next_steps: Vec<NextStep>,
    /// How to show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ui_suggestion: Option<UiSuggestion>,
    /// What must not be missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert: Option<String>,
}

/// One observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Insight {
    /// The subject of the insight.
    #[serde(rename = "type")]
    pub kind: InsightKind,
    /// The severity of the insight.
    pub severity: InsightSeverity,
    /// A few words.
    pub title: String,
    /// A sentence.
    pub description: String,
    /// The figure it rests on, with its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The figure that it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
}

/// The subject of an insight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum InsightKind {
    Performance,
    Financial,
    Operational,
    Maintenance,
    Weather,
}

/// The severity of an insight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum InsightSeverity {
    Info,
    Warning,
    Critical,
}

/// Something to do next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NextStep {
    /// How urgent.
    pub priority: NextStepPriority,
    /// What to do.
    pub action: String,
    /// The reason for the step.
    pub reason: String,
    /// The tool that does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_hint: Option<String>,
    /// The arguments of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub params: Option<Map<String, Value>>,
}

/// How urgent a next step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum NextStepPriority {
    Urgent,
    Recommended,
    Suggested,
    Optional,
}

/// How to show a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UiSuggestion {
    /// `chart_line`, `chart_bar`, `chart_composed`, `chart_pie`, `metric_card`, `metric_grid`,
    /// `status_badge`, `alert_banner` or `data_table`.
    pub preferred_component: String,
    /// `compact`, `standard`, `detailed` or `summary`.
    pub display_mode: String,
    /// The field to show largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highlight_metric: Option<String>,
    /// `success`, `warning`, `danger` or `neutral`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color_scheme: Option<String>,
}
