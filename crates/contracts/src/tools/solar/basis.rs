//! Types that the results of several solar tools share: the devices and days that they are about,
//! and what their figures rest on.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{AvailableRange, ToolStatus};

/// A range of local days, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Period {
    /// The first day.
    pub start: NaiveDate,
    /// The last day.
    pub end: NaiveDate,
}

/// The scope of the totals of several devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// How they were named.
    pub kind: ScopeKind,
    /// The site, when they were named by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub site_id: Option<String>,
    /// What to call them: the site's name, the ids of a few devices, or their number.
    #[schema(example = "Solar Park North")]
    pub name: String,
    /// Number of devices that were looked at; those that are left out are counted, too.
    pub devices: u32,
}

/// How several devices were named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScopeKind {
    /// One by one.
    Loggers,
    /// By their site.
    Site,
    /// Not at all: every device of the tenant.
    All,
}

/// A device without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The logger.
    pub logger_id: String,
    /// The status of a call for this device alone.
    pub status: ToolStatus,
    /// The reason.
    pub message: String,
    /// When it has data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub available_range: Option<AvailableRange>,
}

pub(super) fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(super) fn is_yes(counted: &bool) -> bool {
    *counted
}

/// The source of an energy figure, in order of trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnergySource {
    /// The device's register of the day.
    DailyRegister,
    /// The device's lifetime register.
    LifetimeRegister,
    /// Integrated from power.
    Power,
    /// Several of them, on different days or devices.
    Mixed,
}

/// The source of a capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapacityBasis {
    /// The call named it.
    Parameter,
    /// The logger's configuration.
    Configured,
    /// Estimated from the data.
    Inferred,
    /// The usual one of the site's other inverters.
    Peers,
    /// Unknown.
    Unknown,
}

/// The plane of an irradiance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IrradianceBasis {
    /// The plane of the array.
    Poa,
    /// Horizontal.
    Ghi,
    /// Unknown.
    Unknown,
}

/// A remark that a reader must know about a figure.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the methods' own words")]
pub enum Flag {
    EnergyFromPower,
    PowerFromRegister,
    RegisterPowerMismatch,
    RegisterSuspect,
    ValuesDropped,
    IncompleteDay,
    HoleBridged,
    NightImport,
    IrradianceMissing,
    IrradianceSuspect,
    IrradianceNotPoa,
    TemperatureMissing,
    CapacityInferred,
    CapacityImplausible,
    Clipping,
    StaleValues,
    DeadDay,
    ClockShift,
    FewDays,
    HistoricalData,
}
