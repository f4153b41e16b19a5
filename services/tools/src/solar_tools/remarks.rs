//! Remarks about figures, in one wording for every tool.

use solar::DayFigures;

use super::wire;

/// The remark when the register of a logger shows clearly more or less than its power; the energy
/// of these days is the register's.
pub(super) fn register(logger_id: &str, days: &[DayFigures]) -> Option<String> {
    let differing: Vec<&DayFigures> = days.iter().filter(|day| day.register_differs()).collect();
    let count = differing.len();
    if count == 0 {
        return None;
    }
    let counted: f64 = differing.iter().filter_map(|day| day.register_kwh()).sum();
    let measured: f64 = differing.iter().map(|day| day.power_kwh).sum();
    let days = if count == 1 {
        "one day".to_owned()
    } else {
        format!("{count} days")
    };
    let sparse = differing.iter().all(|day| day.completeness < 0.95);
    let why = if sparse {
        "Missing readings can explain that."
    } else {
        "One of the two is wrong."
    };
    Some(format!(
        "The register of {logger_id} counts {} on {days} on which its power adds up to {}; the register is what counts here. {why}",
        wire::spoken_energy(counted),
        wire::spoken_energy(measured)
    ))
}
