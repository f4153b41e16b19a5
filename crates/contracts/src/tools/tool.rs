//! A tool as one type, which declares its name, arguments, result, scopes, operation, and what an
//! assistant says and shows of it. Everything that lists tools is derived from these types.
//!
//! [`Descriptor`] is the same without types, for lists. `docs/adding-a-tool.md` says how a tool is
//! added.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::{Period, ToolCategory, ToolDefinition, ToolEnvelope, definition};
use crate::openapi::tools::operations::Call;
use crate::ui::UiComponent;

/// The scope that each call of a tool needs.
pub const READ: &str = "tools:read";

/// A tool.
pub trait Tool: 'static {
    /// The name that models see, also the path segment of `POST /api/tools/{name}` and the
    /// operation id.
    const NAME: &'static str;
    /// The group of the tool.
    const CATEGORY: ToolCategory;
    /// The purpose of the operation, for readers of the OpenAPI document.
    const SUMMARY: &'static str;
    /// The purpose of the tool, in words for a model.
    const DESCRIPTION: &'static str;
    /// Scopes that a call needs.
    const SCOPES: &'static [&'static str] = &[READ];
    /// Arguments with two names, each as the other name and the one of the schema.
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[];
    /// How a person asks for it; `None` of a tool that only models and programs call, and of one
    /// that an assistant's own rules call.
    const ASKED_FOR: Option<AskedFor> = None;

    /// The arguments of a call. They are checked against the JSON Schema of this type.
    type Arguments: Serialize + DeserializeOwned + ToSchema;
    /// The result, within a [`ToolEnvelope`].
    type Result: Serialize + DeserializeOwned + ToSchema;

    /// The arguments that a person's words amount to; for tools with [`Tool::ASKED_FOR`].
    fn arguments(_subject: Subject) -> Option<Self::Arguments> {
        None
    }

    /// The findings of the result, a sentence each, the most important first. Each figure in them
    /// is one of the result's, rounded if need be; an assistant says the first in any case and the
    /// others while there is room.
    fn facts(_result: &Self::Result) -> Vec<String> {
        Vec::new()
    }

    /// The card that shows the result.
    fn card(_result: &Self::Result) -> Option<UiComponent> {
        None
    }
}

/// How a person asks for a tool. An assistant that has no model calls the tool by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedFor {
    /// Phrases, any of which asks for the tool. Words are in lower case.
    pub phrases: &'static [&'static str],
    /// Words, one of which has to be there as well; none when the phrases suffice.
    pub with: &'static [&'static str],
    /// Words that make it another question.
    pub without: &'static [&'static str],
    /// Devices that it is about.
    pub devices: DevicesAsked,
    /// Days that it is about.
    pub days: DaysAsked,
    /// The text that the person reads while it works: "Adding up the energy".
    pub working: &'static str,
}

/// Devices that a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DevicesAsked {
    /// No device.
    None,
    /// One; asked for when none is named.
    One,
    /// The named ones, otherwise all.
    OneOrAll,
}

/// Days that a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DaysAsked {
    /// No day.
    None,
    /// One day, by default the newest.
    Day,
    /// A period, by default the last thirty days.
    Month,
    /// A period, by default as many days as the weeks, months or years that are asked for need.
    Intervals,
    /// A period, by default what the tool takes.
    Optional,
}

/// The devices and days that a person named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The device, when it is one.
    pub logger_id: Option<String>,
    /// The devices, when they are several.
    pub logger_ids: Option<Vec<String>>,
    /// The site, when it means all devices of it.
    pub site_id: Option<String>,
    /// The days.
    pub period: Option<Period>,
    /// The request in lower case, for what only this tool knows.
    pub words: String,
}

/// The words and the card of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Presented {
    /// [`Tool::facts`].
    pub facts: Vec<String>,
    /// [`Tool::card`].
    pub card: Option<UiComponent>,
}

/// A [`Tool`] without its types.
#[derive(Clone, Copy)]
pub struct Descriptor {
    /// [`Tool::NAME`].
    pub name: &'static str,
    /// [`Tool::SUMMARY`].
    pub summary: &'static str,
    /// [`Tool::SCOPES`].
    pub scopes: &'static [&'static str],
    /// [`Tool::SYNONYMS`].
    pub synonyms: &'static [(&'static str, &'static str)],
    /// [`Tool::ASKED_FOR`].
    pub asked_for: Option<AskedFor>,
    definition: fn() -> ToolDefinition,
    path: fn() -> String,
    operation: fn() -> Operation,
    schemas: fn() -> Vec<(String, RefOr<Schema>)>,
    arguments: fn(Subject) -> Option<Value>,
    present: fn(&Value) -> Option<Presented>,
}

impl Descriptor {
    /// The descriptor of this tool.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            summary: T::SUMMARY,
            scopes: T::SCOPES,
            synonyms: T::SYNONYMS,
            asked_for: T::ASKED_FOR,
            definition: definition::of::<T>,
            path: <Call<T> as utoipa::Path>::path,
            operation: <Call<T> as utoipa::Path>::operation,
            schemas: schemas::<T>,
            arguments: arguments::<T>,
            present: present::<T>,
        }
    }

    /// What `GET /api/tools` says of it.
    pub fn definition(&self) -> ToolDefinition {
        (self.definition)()
    }

    /// Its path, and its operation with its own types.
    pub fn operation(&self) -> (String, Operation) {
        ((self.path)(), (self.operation)())
    }

    /// The schemas that its operation refers to, by name.
    pub fn schemas(&self) -> Vec<(String, RefOr<Schema>)> {
        (self.schemas)()
    }

    /// [`Tool::arguments`].
    pub fn arguments(&self, subject: Subject) -> Option<Value> {
        (self.arguments)(subject)
    }

    /// What to say and show of a result; `None` when it is not of this tool.
    pub fn present(&self, result: &Value) -> Option<Presented> {
        (self.present)(result)
    }
}

impl std::fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Descriptor").field(&self.name).finish()
    }
}

impl PartialEq for Descriptor {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Descriptor {}

/// The name of the schema of a tool's answer.
pub(crate) fn envelope_name<T: Tool>() -> String {
    let envelope = ToolEnvelope::<T::Result>::name();
    format!("{envelope}_{}", T::Result::name())
}

/// The schemas of a tool, and those that they refer to.
pub(super) fn schemas<T: Tool>() -> Vec<(String, RefOr<Schema>)> {
    let mut schemas = vec![
        (T::Arguments::name().into_owned(), T::Arguments::schema()),
        (T::Result::name().into_owned(), T::Result::schema()),
        (envelope_name::<T>(), ToolEnvelope::<T::Result>::schema()),
    ];
    T::Arguments::schemas(&mut schemas);
    T::Result::schemas(&mut schemas);
    ToolEnvelope::<T::Result>::schemas(&mut schemas);
    schemas
}

fn arguments<T: Tool>(subject: Subject) -> Option<Value> {
    serde_json::to_value(T::arguments(subject)?).ok()
}

fn present<T: Tool>(result: &Value) -> Option<Presented> {
    let result = <T::Result as serde::Deserialize>::deserialize(result).ok()?;
    Some(Presented {
        facts: T::facts(&result),
        card: T::card(&result),
    })
}

/// The constants of the names of a list of tools.
macro_rules! tool_names {
    ($($name:ident $module:ident $tool:ty,)*) => {
        $(
            #[doc = concat!("The name of `", stringify!($module), "`.")]
            pub const $name: &str = <$tool as $crate::tools::Tool>::NAME;
        )*
    };
}

/// The descriptors of a list of tools.
macro_rules! tool_descriptors {
    ($($name:ident $module:ident $tool:ty,)*) => {
        &[$($crate::tools::Descriptor::of::<$tool>(),)*]
    };
}
