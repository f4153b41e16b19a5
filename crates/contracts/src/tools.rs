//! The tools: their names, arguments, results and the envelope around every result.
//!
//! A tool is one type that implements [`Tool`], in a file of its own with its arguments and its
//! result: [`solar`], [`sql`], [`knowledge`], [`search`], [`meanings`], [`analysis`] and
//! [`vectors`] have one of each. [`registry`] lists them. The operations of upstreams come from
//! their documents; see [`upstreams`]. Field names of the solar tools and the envelope are
//! camelCase, those of the others `snake_case`; units are in the field's documentation.

#[macro_use]
mod tool;

mod context;
mod definition;

pub mod analysis;
pub mod choices;
pub mod clarification;
pub mod knowledge;
pub mod meanings;
pub mod questions;
pub mod refresh;
pub mod registry;
pub mod search;
pub mod solar;
pub mod sql;
pub mod upstreams;
pub mod vectors;

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

pub use context::*;
pub use definition::{
    RenderedTools, ToolCategory, ToolDefinition, ToolFormat, ToolList, ToolListing, ToolVisibility,
    json_schema,
};
pub use registry::{
    analysis_definitions, knowledge_definitions, search_definitions, solar_definitions,
    sql_definitions,
};
pub use solar::*;
pub(crate) use tool::envelope_name;
pub use tool::{AskedFor, DaysAsked, Descriptor, DevicesAsked, Presented, READ, Subject, Tool};

/// `GET /api/tools`'s name for each solar tool and for the two that the page answers, also the path
/// segment of `POST /api/tools/{name}`.
pub mod names {
    crate::solar_tools!(tool_names);

    /// Virtual: the page draws a card or chart.
    pub const RENDER_UI_COMPONENT: &str = "render_ui_component";
    /// Virtual: the person is asked to choose.
    pub const REQUEST_USER_SELECTION: &str = "request_user_selection";
}

/// How a tool call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// The result is there.
    Ok,
    /// The logger has data, but none in the window asked for; `availableRange` says when.
    NoDataInWindow,
    /// There is no such logger or it has no data.
    NoData,
    /// The tool ran and failed; `message` says why in words for a user.
    Error,
}

/// What every tool answers with HTTP 200.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolEnvelope<T = Value> {
    /// How it went.
    pub status: ToolStatus,
    /// A sentence for people; always there unless the status is `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The result; there when the status is `ok`, and with `error` where the tool has something to
    /// show for it.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub result: Option<T>,
    /// When the logger has data; there with `no_data_in_window`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_range: Option<AvailableRange>,
    /// The figures of a time series that a sentence is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_stats: Option<SummaryStats>,
    /// Context for a person: insights and next steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ToolContext>,
}

/// `Option::default` without asking `T: Default`.
fn none<T>() -> Option<T> {
    None
}

impl<T> ToolEnvelope<T> {
    /// A successful result.
    pub fn ok(result: T) -> Self {
        Self {
            status: ToolStatus::Ok,
            message: None,
            result: Some(result),
            available_range: None,
            summary_stats: None,
            context: None,
        }
    }

    /// An answer without a result.
    pub fn without_result(status: ToolStatus, message: impl Into<String>) -> Self {
        Self {
            status,
            message: Some(message.into()),
            result: None,
            available_range: None,
            summary_stats: None,
            context: None,
        }
    }

    /// The same envelope with its result converted.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> ToolEnvelope<U> {
        ToolEnvelope {
            status: self.status,
            message: self.message,
            result: self.result.map(convert),
            available_range: self.available_range,
            summary_stats: self.summary_stats,
            context: self.context,
        }
    }
}

/// The first and last local day with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableRange {
    /// The first day.
    pub start: NaiveDate,
    /// The last day.
    pub end: NaiveDate,
}

/// The figures of a power curve, from its full resolution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryStats {
    /// The highest power, W.
    pub peak_value: f64,
    /// When it was reached first, in the site's zone.
    pub peak_time: DateTime<FixedOffset>,
    /// Mean power over daylight records, W.
    pub avg_value: f64,
    /// Energy, kWh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_energy: Option<f64>,
    /// The day's energy against the median of the complete days before it.
    pub trend: Trend,
}

/// The direction of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// More than 10 % above.
    Increasing,
    /// More than 10 % below.
    Decreasing,
    /// Neither, or there are too few days to decide.
    Stable,
}
