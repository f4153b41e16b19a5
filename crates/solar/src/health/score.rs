//! One figure for a logger's health.

use crate::health::{Event, EventKind, Evidence, Health};

/// A logger with a finding that costs energy, or data, is not healthy: its score stays below 95.
const FLAWED: f64 = 94.9;

/// Above this score such a logger is brought down to that, the better one less than the worse one.
const FLAWED_FROM: f64 = 90.0;

/// With any other finding the score stays below 100.
const NOTED: f64 = 99.0;

/// Findings that cost energy or data.
const COSTLY: [EventKind; 5] = [
    EventKind::Outage,
    EventKind::DataOutage,
    EventKind::DeadDay,
    EventKind::MissingDay,
    EventKind::Underperformance,
];

/// How healthy a logger is, 0 to 100, over a window of `days`.
///
/// It is a product of three shares. The first is the least of availability by energy, availability
/// by time, and the days that were not dead. The second is what it made of what its peers (or its
/// own past, or a sound array) say while it ran. A missing day says nothing about the inverter but
/// hides it, so the third counts it as half a day. Then at least 10 points are taken off when it
/// underperformed, 10 when its register and its power differ on days with all readings, 5 for stale
/// values, 5 for a data outage, 5 for a shifted clock and 2 for a suspect irradiance sensor.
///
/// 100 means that nothing was found. Clipping, which is an inverter working as designed, costs
/// nothing; any other finding caps the score at 99, and one that costs energy or data below 95.
pub fn health_score(health: &Health, days: usize) -> f64 {
    let days = days.max(1) as f64;
    let alive = 1.0 - health.dead_days.len() as f64 / days;
    let available = [health.availability_energy, health.availability_time];
    let share = available.into_iter().flatten().fold(alive, f64::min);
    let seen = 1.0 - 0.5 * (health.missing_days.len() as f64 / days).min(1.0);
    let ran = 1.0 - health.shortfall_share.clamp(0.0, 1.0);
    let penalties = [
        (
            EventKind::Underperformance,
            (10.0 - 100.0 * health.shortfall_share).max(0.0),
        ),
        (EventKind::StaleValues, 5.0),
        (EventKind::DataOutage, 5.0),
        (EventKind::ClockShift, 5.0),
        (EventKind::IrradianceSuspect, 2.0),
    ];
    let penalty: f64 = penalties
        .iter()
        .filter(|(kind, _)| health.count(*kind) > 0)
        .map(|(_, points)| points)
        .sum();
    let registers = if health.events.iter().any(is_wrong_register) {
        10.0
    } else {
        0.0
    };
    let score = 100.0 * share * seen * ran - penalty - registers;
    capped(score, health).max(0.0)
}

/// Whether register and power differ on days with all readings, so that one of the two is wrong:
/// missing readings alone make the register count more.
fn is_wrong_register(event: &Event) -> bool {
    matches!(event.evidence, Evidence::Registers { whole: true, .. })
}

fn capped(score: f64, health: &Health) -> f64 {
    let mut kinds = health.events.iter().map(|event| event.kind);
    if kinds.clone().any(|kind| COSTLY.contains(&kind)) {
        let above = (score - FLAWED_FROM).max(0.0);
        score.min(FLAWED_FROM) + above * (FLAWED - FLAWED_FROM) / (100.0 - FLAWED_FROM)
    } else if kinds.any(|kind| kind != EventKind::Clipping) {
        score.min(NOTED)
    } else {
        score
    }
}
