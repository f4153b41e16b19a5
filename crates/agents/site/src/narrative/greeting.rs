//! "Hello".

use contracts::tools::{FleetHealth, FleetOverview};

use super::compose::{Preferences, Story};
use super::format;

const CAPABILITIES: &str = "- brief you on how your whole site is doing\n- explain trends in your production in plain language\n- work out your savings and the carbon you avoid\n- check the health of your inverters and compare them\n- forecast the coming days and put it all into a report";

const TIPS: [&str; 8] = [
    "Panels like it cool: a clear, cold day often beats a hot one.",
    "A little dust hardly matters, but bird droppings on a single cell can hold back a whole string.",
    "Shade on one panel can slow down its neighbours, so an eye on growing trees pays off.",
    "The best hours are around solar noon, which rarely falls exactly on twelve o'clock.",
    "Running the dishwasher at midday uses your own power when there's most of it.",
    "Snow slides off steep panels by itself, so there's seldom a need to climb up.",
    "An inverter that hums quietly at noon is fine; one that's silent at noon isn't.",
    "Comparing energy per installed kilowatt is fairer than comparing inverters of different size.",
];

/// The time of day at `hour`: 5 to 11 morning, 12 to 17 afternoon, otherwise evening.
pub fn time_of_day(hour: u32) -> &'static str {
    match hour {
        5..=11 => "morning",
        12..=17 => "afternoon",
        _ => "evening",
    }
}

pub(super) fn tell(
    local_hour: u32,
    overview: Option<&FleetOverview>,
    preferences: Preferences,
) -> String {
    let stamp = overview
        .map(|overview| overview.timestamp.to_rfc3339())
        .unwrap_or_default();
    let hour = local_hour.to_string();
    let mut story = Story::about(&[&hour, &stamp]);
    let time = time_of_day(local_hour);
    story.must(story.pick([
        format!("Good {time}! I'm Sunny, your solar adviser."),
        format!("Good {time}, I'm Sunny, and I keep an eye on your panels."),
        format!("Hello and good {time}! I'm Sunny, here to help with your panels."),
    ]));
    let opening = story.told(preferences);
    let summary = overview.map_or_else(
        || format!("A tip while you're here: {}", story.pick(TIPS)),
        fleet,
    );
    let mut body = Story::default();
    body.must(summary);
    let body = body.told(preferences);
    let question = "What would you like to look at?";
    format!("{opening} I can:\n\n{CAPABILITIES}\n\n{body} {question}")
}

fn fleet(overview: &FleetOverview) -> String {
    let status = &overview.status;
    if status.total_loggers == 0 {
        return "I don't see any inverters yet, so an upload would be a good start.".to_owned();
    }
    let online = status.total_loggers.saturating_sub(status.offline);
    let state = match status.fleet_health {
        FleetHealth::Healthy => "all's well",
        FleetHealth::Degraded => "something needs a look",
        FleetHealth::Critical => "there's trouble that needs a look soon",
        FleetHealth::Unknown => "I can't tell yet how they're doing",
    };
    let mut text = format!(
        "{online} of your {} online, and {state}.",
        are(status.total_loggers)
    );
    if let Some(mismatch) = &overview.date_mismatch {
        text = format!(
            "{online} of your {} online when the newest data came in on {}, and {state}.",
            were(status.total_loggers),
            format::date(mismatch.actual_data_date)
        );
    }
    text
}

fn are(total: u64) -> String {
    format!(
        "{} {}",
        format::count(total, "inverter"),
        if total == 1 { "is" } else { "are" }
    )
}

fn were(total: u64) -> String {
    format!(
        "{} {}",
        format::count(total, "inverter"),
        if total == 1 { "was" } else { "were" }
    )
}
