//! The assistant's answers: facts in, plain sentences out.
//!
//! This is the path that needs no model. [`narrate`] picks a [`Branch`] from the facts and words
//! it; [`suggestions`] says what to ask next; [`phrases`] and [`prompts`] hold everything else that
//! the assistant says. Every figure in a text is one of the facts, up to unit and rounding:
//! [`agent_kit::figures`] checks that in tests. A model words them by reference, see
//! [`agent_kit::facts`].

mod asked;
mod audit;
mod branch;
mod briefing;
mod by_kwh;
mod compose;
mod curve;
mod errors;
mod facts;
mod financial;
mod fleet_health;
mod forecast;
pub mod format;
mod greeting;
mod health;
mod inventory;
mod low_days;
mod now;
mod performance;
pub(crate) mod periods;
pub mod phrases;
pub mod prompts;
pub mod refusals;
mod silence;
mod snapshot;
mod suggest;

#[cfg(test)]
mod tests;

use contracts::tools::Flag;

pub use asked::{Asked, Place};
pub(crate) use asked::{by_energy, ranked_by, ranked_value, ranking, standstills};
pub(crate) use audit::{not_ranked, ranked_figure, ranking_of, without_values};
pub use branch::{Branch, Severity, fleet_severity, health_severity};
pub(crate) use by_kwh::by_kwh;
pub use compose::{Persona, Preferences, Tone, Verbosity};
pub use facts::Facts;
pub(crate) use financial::subject as subject_of_savings;
pub(crate) use fleet_health::score_of_all;
pub use greeting::time_of_day;
pub(crate) use health::wrong_capacity;
pub(crate) use now::power_now;
pub(crate) use silence::{reporting, silences};
pub use snapshot::{Change, FleetSnapshot};
pub use suggest::suggestions;
pub(crate) use suggest::suggestions_at;

/// A sentence about energy counters that differ from the power.
const REGISTERS_DIFFER: &str =
    "On some days the energy counter and the power readings don't agree; I went by the counter.";

/// What to say where an energy counter and the power differ.
fn registers(flags: &[Flag], story: &mut compose::Story) {
    if flags.contains(&Flag::RegisterPowerMismatch) {
        story.must(REGISTERS_DIFFER);
    }
}

/// The sentences of a tool about its result, the first one in any case.
fn by_contract(facts: &[String]) -> compose::Story {
    let mut story = compose::Story::default();
    for (place, fact) in facts.iter().enumerate() {
        if place == 0 {
            story.must(fact.as_str());
        } else {
            story.should(fact.as_str());
        }
    }
    story
}

/// A text and the branch that it was written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrative {
    /// Plain prose.
    pub text: String,
    /// The sentences that an answer on these facts has to have, in whatever words.
    pub must: Vec<String>,
    /// The conclusion from the facts.
    pub branch: Branch,
}

/// The facts in words.
pub fn narrate(facts: &Facts<'_>, preferences: &Preferences) -> Narrative {
    narrate_asked(facts, None, preferences)
}

/// The same; an explicitly requested figure comes first.
pub fn narrate_asked(
    facts: &Facts<'_>,
    asked: Option<Asked>,
    preferences: &Preferences,
) -> Narrative {
    let branch = branch::of(facts);
    let mut story = match *facts {
        Facts::Greeting {
            local_hour,
            overview,
        } => {
            let text = greeting::tell(local_hour, overview, *preferences);
            return Narrative {
                must: vec![text.clone()],
                text,
                branch,
            };
        }
        Facts::Briefing {
            overview,
            diagnostics,
            previous,
        } => briefing::tell(overview, diagnostics, previous, branch),
        Facts::Financial { report, forecast } => financial::tell(report, forecast, branch),
        Facts::Energy { report } => financial::tell_energy(report, branch),
        Facts::Audit { comparison } => audit::tell(comparison, branch),
        Facts::Health { report } => health::tell(report, branch),
        Facts::FleetHealth { rows, reports, .. } => fleet_health::tell(rows, reports, branch),
        Facts::PowerCurve { curve, stats } => curve::tell(curve, stats, branch),
        Facts::Forecast { forecast } => forecast::tell(forecast, branch),
        Facts::Performance { report } => performance::tell(report, branch),
        Facts::Errors { report } => errors::tell(report, branch),
        Facts::Loggers { list } if asked == Some(Asked::WhichSites) => inventory::sites(list),
        Facts::Loggers { list } => inventory::loggers(list),
        Facts::Presented { facts, .. } => by_contract(facts),
        Facts::Service { report } => inventory::service(report),
    };
    if let Some(asked) = asked {
        let text = asked::answer(asked, facts);
        let of_sites = matches!(
            asked,
            Asked::Sites | Asked::EndOfSites(_) | Asked::SitesByWorth { .. }
        );
        if of_sites && !text.is_empty() {
            story.without(financial::BY_SITE);
        }
        if let (Asked::HowManyOut, Facts::FleetHealth { rows, reports, .. }) = (asked, *facts)
            && fleet_health::only_out(rows, reports)
        {
            story.without_lead();
        }
        if asked == Asked::Register && !text.is_empty() {
            story.without(health::COUNTER_DIFFERS);
        }
        if asked == Asked::Last && !text.is_empty() {
            story.without_lead().without(audit::THREE_BEST);
        }
        let behind =
            matches!(*facts, Facts::Health { report } if report.lag.is_some_and(|lag| lag.lags));
        if asked == Asked::LagsSince && behind {
            // It is not healthy in the same breath.
            story.without_lead();
        }
        let ranks_energy = matches!(
            asked,
            Asked::Most
                | Asked::More
                | Asked::Place(Place {
                    by_energy: true,
                    ..
                })
        );
        if ranks_energy && !text.is_empty() && matches!(facts, Facts::Audit { .. }) {
            story.without_lead();
        }
        if matches!(asked, Asked::Missing | Asked::WhoReported) && !text.is_empty() {
            if matches!(facts, Facts::FleetHealth { .. }) {
                // The health of the others is another question.
                story = compose::Story::default();
            } else {
                story.without_lead();
            }
        }
        if text == asked::SILENT {
            story.without(health::WITHOUT_DATA);
        }
        if is_first(asked) {
            story.answer_first(text);
        } else {
            story.answer(text);
        }
    }
    Narrative {
        text: story.told(*preferences),
        must: story.vital(*preferences),
        branch,
    }
}

/// Whether a figure is the first sentence.
fn is_first(asked: Asked) -> bool {
    matches!(
        asked,
        Asked::More
            | Asked::Most
            | Asked::Last
            | Asked::Missing
            | Asked::WhoReported
            | Asked::Sunlight
            | Asked::Ratio
            | Asked::Together
            | Asked::Place(_)
            | Asked::WhyRanked
            | Asked::MostSaved
            | Asked::MostCarbon
            | Asked::Offline
            | Asked::Online
            | Asked::Producing { .. }
            | Asked::HowManyOut
            | Asked::WhoRan
            | Asked::Health { .. }
            | Asked::LostMost
            | Asked::Lagging
            | Asked::EndOfSites(_)
            | Asked::SitesByWorth { .. }
            | Asked::Possible
            | Asked::LagsSince
    )
}
