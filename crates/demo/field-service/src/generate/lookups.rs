//! Lookup tables shared by all companies: roles, states, kinds.

use crate::rows::{Rows, v};

use super::index;

pub(super) const TECHNICIAN: i64 = 1;
pub(super) const APPRENTICE: i64 = 2;
pub(super) const DISPATCHER: i64 = 3;
pub(super) const ESTIMATOR: i64 = 4;
pub(super) const MANAGER: i64 = 5;
pub(super) const OFFICE: i64 = 6;

const ROLES: [(&str, &str, bool); 6] = [
    ("technician", "Technician", true),
    ("apprentice", "Apprentice", true),
    ("dispatcher", "Dispatcher", false),
    ("estimator", "Estimator", false),
    ("manager", "Manager", false),
    ("office", "Office clerk", false),
];

pub(super) const SKILLS: usize = 8;
const SKILL_NAMES: [(&str, &str); SKILLS] = [
    ("gas", "Gas installation"),
    ("electrical", "Electrical installation"),
    ("refrigerant", "Refrigerant handling"),
    ("heat_pump", "Heat pump commissioning"),
    ("lift", "Lift maintenance"),
    ("fire_safety", "Fire alarm systems"),
    ("welding", "Welding"),
    ("work_at_height", "Work at height"),
];

/// Code, name, hours to respond, hours to resolve.
const SERVICE_LEVELS: [(&str, &str, i64, i64); 3] = [
    ("bronze", "Bronze", 48, 120),
    ("silver", "Silver", 24, 72),
    ("gold", "Gold", 4, 24),
];
pub(super) const SERVICE_LEVEL_COUNT: i64 = 3;

/// Kinds of equipment: code, name, days between services.
pub(super) const ASSET_TYPES: [(&str, &str, i64); 8] = [
    ("boiler", "Gas boiler", 365),
    ("heat_pump", "Heat pump", 365),
    ("chiller", "Chiller", 180),
    ("ventilation", "Ventilation unit", 180),
    ("lift", "Passenger lift", 90),
    ("fire_alarm", "Fire alarm panel", 90),
    ("pump", "Circulation pump", 365),
    ("solar", "Solar inverter", 730),
];

pub(super) const NEW: i64 = 1;
pub(super) const SCHEDULED: i64 = 2;
pub(super) const IN_PROGRESS: i64 = 3;
pub(super) const ON_HOLD: i64 = 4;
pub(super) const COMPLETED: i64 = 5;
pub(super) const INVOICED: i64 = 6;
pub(super) const CANCELLED: i64 = 7;

const STATUSES: [(&str, &str, bool); 7] = [
    ("new", "New", true),
    ("scheduled", "Scheduled", true),
    ("in_progress", "In progress", true),
    ("on_hold", "On hold", true),
    ("completed", "Completed", false),
    ("invoiced", "Invoiced", false),
    ("cancelled", "Cancelled", false),
];

pub(super) const INSPECTION: i64 = 4;
/// Kinds of work orders: code, name, activity.
pub(super) const ORDER_TYPES: [(&str, &str, &str); 5] = [
    ("repair", "Repair", "Repair"),
    ("maintenance", "Maintenance", "Service"),
    ("installation", "Installation", "Install"),
    ("inspection", "Inspection", "Inspect"),
    ("emergency", "Emergency", "Emergency repair of"),
];

pub(super) const PART_CATEGORY_COUNT: i64 = 5;
const PART_CATEGORIES: [(&str, &str); 5] = [
    ("filter", "Filters"),
    ("electrical", "Electrical parts"),
    ("mechanical", "Mechanical parts"),
    ("fluid", "Fluids and gases"),
    ("consumable", "Consumables"),
];

/// All lookup tables.
pub(super) fn all() -> Vec<Rows> {
    let mut roles = Rows::of("role", &["id", "code", "name", "isField"]);
    for (n, (code, name, field)) in ROLES.into_iter().enumerate() {
        roles.push([v(index(n) + 1), v(code), v(name), v(field)]);
    }
    let columns = &["id", "code", "name", "responseHours", "resolutionHours"];
    let mut levels = Rows::of("serviceLevel", columns);
    for (n, (code, name, response, resolution)) in SERVICE_LEVELS.into_iter().enumerate() {
        levels.push([
            v(index(n) + 1),
            v(code),
            v(name),
            v(response),
            v(resolution),
        ]);
    }
    let mut types = Rows::of("assetType", &["id", "code", "name", "serviceIntervalDays"]);
    for (n, (code, name, days)) in ASSET_TYPES.into_iter().enumerate() {
        types.push([v(index(n) + 1), v(code), v(name), v(days)]);
    }
    let mut statuses = Rows::of(
        "workOrderStatus",
        &["id", "code", "name", "isOpen", "sortOrder"],
    );
    for (n, (code, name, open)) in STATUSES.into_iter().enumerate() {
        let id = index(n) + 1;
        statuses.push([v(id), v(code), v(name), v(open), v(id * 10)]);
    }
    let kinds = ORDER_TYPES.map(|(code, name, _)| (code, name));
    vec![
        roles,
        named("skill", &SKILL_NAMES),
        levels,
        types,
        statuses,
        named("workOrderType", &kinds),
        named("partCategory", &PART_CATEGORIES),
    ]
}

fn named(table: &'static str, names: &[(&str, &str)]) -> Rows {
    let mut rows = Rows::of(table, &["id", "code", "name"]);
    for (n, (code, name)) in names.iter().enumerate() {
        rows.push([v(index(n) + 1), v(*code), v(*name)]);
    }
    rows
}
