//! The instructions that a model gets: texts under `prompts/`, filled in.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use contracts::tools::{Descriptor, registry};
use serde_json::json;

use super::site::Site;
use crate::{
    narrative::{Persona, Preferences, Tone},
    state::FlowContext,
};

const SYSTEM: &str = include_str!("../../prompts/system.md");
const CLASSIFY: &str = include_str!("../../prompts/classify.md");
const NARRATIVE: &str = include_str!("../../prompts/narrative.md");

/// Each tool with its summary.
static TOOLS: LazyLock<String> = LazyLock::new(|| {
    let line = |tool: &Descriptor| format!("  - `{}`: {}", tool.name, tool.summary);
    registry::SOLAR
        .iter()
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
});

/// The tools that answer for a device, a list, a site or everything.
static TOOLS_FOR_ANY_DEVICES: LazyLock<String> = LazyLock::new(|| {
    let takes_any = |tool: &&Descriptor| {
        let schema = tool.definition().input_schema;
        ["logger_id", "logger_ids", "site_id"]
            .iter()
            .all(|name| schema["properties"].get(name).is_some())
    };
    let tools = registry::SOLAR.iter().filter(takes_any);
    let names: Vec<String> = tools.map(|tool| format!("`{}`", tool.name)).collect();
    names.join(", ")
});

/// Devices that are listed; the model asks for more.
const LISTED: usize = 40;

/// Free chat's instructions: the five levels of the solar chat, the day, the current task.
pub(crate) fn system(site: &Site, task: &FlowContext) -> String {
    let mut prompt = dated(SYSTEM, site);
    prompt = fill(&prompt, "tools", &TOOLS);
    prompt = fill(&prompt, "tools_for_any_devices", &TOOLS_FOR_ANY_DEVICES);
    prompt = fill(&prompt, "style", &style(task.narrative_preferences));
    fill(&prompt, "context", &context(site, task))
}

/// The router's instructions.
pub(super) fn classify(site: &Site) -> String {
    let ids: Vec<_> = site
        .loggers
        .iter()
        .take(LISTED)
        .map(|logger| logger.logger_id.as_str())
        .collect();
    fill(&dated(CLASSIFY, site), "loggers", &json!(ids).to_string())
}

/// The instructions for wording a workflow's answer.
pub(super) fn narrative(preferences: Preferences) -> String {
    fill(NARRATIVE, "style", &style(preferences))
}

fn fill(template: &str, name: &str, value: &str) -> String {
    template.replace(&format!("{{{{{name}}}}}"), value)
}

fn dated(template: &str, site: &Site) -> String {
    let newest = site
        .newest
        .map_or_else(|| "unknown".to_owned(), |day| day.to_string());
    let prompt = fill(template, "today", &site.today.to_string());
    let prompt = fill(&prompt, "weekday", weekday(site.today));
    let prompt = fill(&prompt, "zone", site.zone.name());
    fill(&prompt, "newest", &newest)
}

fn weekday(day: NaiveDate) -> &'static str {
    match day.weekday() {
        chrono::Weekday::Mon => "Monday",
        chrono::Weekday::Tue => "Tuesday",
        chrono::Weekday::Wed => "Wednesday",
        chrono::Weekday::Thu => "Thursday",
        chrono::Weekday::Fri => "Friday",
        chrono::Weekday::Sat => "Saturday",
        chrono::Weekday::Sun => "Sunday",
    }
}

/// The person's preferences, as sentences.
fn style(preferences: Preferences) -> String {
    let (fewest, most) = preferences.verbosity.words();
    let tone = match preferences.tone {
        Tone::Casual => "Be friendly and casual; contractions are welcome.",
        Tone::Professional => "Be professional: no contractions, no exclamations.",
        Tone::Technical => {
            "Be professional and technical: no contractions, and say how figures were made where that is known."
        }
    };
    let persona = match preferences.persona {
        Persona::Advisor => "Put the next step as advice (\"I'd …\").",
        Persona::Analyst => "Put the next step soberly (\"Next step: …\").",
        Persona::Helper => "Put the next step as an offer (\"Want me to …?\").",
    };
    format!("{tone} Aim at {fewest} to {most} words. {persona}")
}

/// The known facts about the task, as JSON, so that nothing in it reads as an instruction.
fn context(site: &Site, task: &FlowContext) -> String {
    let devices: Vec<_> = site
        .loggers
        .iter()
        .take(LISTED)
        .map(|logger| {
            json!({
                "id": logger.logger_id, "type": logger.logger_type, "role": logger.role, "site": logger.site_name,
                "firstDay": logger.earliest_data.map(|at| at.date_naive()), "lastDay": logger.latest_data.map(|at| at.date_naive()),
            })
        })
        .collect();
    let context = json!({
        "devices": devices,
        "moreDevices": site.loggers.len().saturating_sub(LISTED),
        "selectedDevices": task.chosen_loggers(),
        "selectedDays": task.chosen_period(),
        "electricityRate": task.electricity_rate,
        "personsTimeZone": task.user_timezone,
    });
    context.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_blank_is_filled() {
        let site = Site::unknown(chrono::DateTime::UNIX_EPOCH, chrono_tz::Tz::UTC);
        let prompts = [
            system(&site, &FlowContext::default()),
            classify(&site),
            narrative(Preferences::default()),
        ];
        for prompt in &prompts {
            assert!(!prompt.contains("{{") && !prompt.contains("}}"), "{prompt}");
        }
        assert!(prompts[0].contains("Today is 1970-01-01 (Thursday) at the site, time zone UTC."));
    }

    #[test]
    fn the_five_levels_stand_in_their_order() {
        let levels = [
            "Level 1: recovery",
            "Level 2: which tool",
            "Level 3: what to show",
            "Level 4: how to tell it",
            "Level 5: conversation",
        ];
        let places: Vec<_> = levels.iter().map(|level| SYSTEM.find(level)).collect();
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{places:?}"
        );
    }
}
