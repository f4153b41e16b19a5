//! One device over one day.

use contracts::tools::{EnergySource, Flag, PowerCurve, SummaryStats, Trend};

use super::compose::Story;
use super::{Branch, format};

pub(super) fn tell(curve: &PowerCurve, stats: Option<&SummaryStats>, branch: Branch) -> Story {
    let day = curve.date.to_string();
    let mut story = Story::about(&[&curve.logger_id, &day]);
    let (id, date) = (&curve.logger_id, format::date(curve.date));
    let Some(stats) = stats else {
        // A weather station has no power to lack.
        let sunlit = curve.data.iter().any(|point| point.irradiance.is_some());
        let power = curve.data.iter().any(|point| point.power.is_some());
        if sunlit && !power {
            story.must(format!("{id} measures no power on {date}, only sunlight."));
            story.next("look at what the inverters made of it");
            return story;
        }
        if let Some(kwh) = curve.register_kwh {
            story.must(format!("{id} made {} on {date}.", format::energy(kwh)));
            story.must(
                "It sends energy and no power then, and too few readings for a curve of the day.",
            );
            story.next("look at its energy over several days");
            return story;
        }
        story.must(format!(
            "I have no valid power readings from {id} on {date}."
        ));
        story.next("try another day");
        return story;
    };
    if curve.flags.contains(&Flag::PowerFromRegister) {
        return by_register(curve, stats, story);
    }
    if stats.peak_value <= 0.0 {
        story.must(format!("{id} delivered no power on {date}."));
        story.next(format!("check the health of {id}"));
        return story;
    }
    let (peak, at) = (
        format::power(stats.peak_value),
        format::clock(stats.peak_time),
    );
    let text = match stats.total_energy {
        Some(energy) => story.pick([
            format!(
                "{id} made {} on {date}, with a peak of {peak} at {at}.",
                format::energy(energy)
            ),
            format!(
                "{id} made {} on {date} and peaked at {peak} at {at}.",
                format::energy(energy)
            ),
        ]),
        None => format!("{id} peaked at {peak} at {at} on {date}."),
    };
    story.must(text);
    // Devices that send nothing at night have some 60 % of a day's readings on their best days.
    if curve.flags.contains(&Flag::IncompleteDay) {
        story.must(format!(
            "Only {} of the day's readings are there.",
            format::percent(curve.completeness * 100.0)
        ));
    }
    trend(curve, stats, &mut story);
    details(curve, stats, &mut story);
    match branch {
        Branch::WarningSingle => story.next(format!("check the health of {id}")),
        Branch::DataIncomplete => story.next("look at a more complete day"),
        _ => story.next(story.pick([
            "compare it with your other devices on that day".to_owned(),
            "look at the forecast for the coming days".to_owned(),
        ])),
    };
    story
}

/// The day of a device that sends energy and no power.
fn by_register(curve: &PowerCurve, stats: &SummaryStats, mut story: Story) -> Story {
    let (id, date) = (&curve.logger_id, format::date(curve.date));
    let Some(energy) = stats.total_energy else {
        story.must(format!(
            "I can't read what {id} made on {date} from its energy counter."
        ));
        story.next("try another day");
        return story;
    };
    story.must(format!("{id} made {} on {date}.", format::energy(energy)));
    if stats.peak_value <= 0.0 {
        story.must("It sends energy and no power, and its counter stood still.");
        story.next(format!("check the health of {id}"));
        return story;
    }
    story.must(format!(
        "It sends energy and no power: between two readings it averaged at most {}, until {}.",
        format::power(stats.peak_value),
        format::clock(stats.peak_time)
    ));
    if curve.flags.contains(&Flag::RegisterSuspect) {
        story.must(
            "Its counter was reset or replaced, or jumped, so the step over that isn't counted.",
        );
    }
    trend(curve, stats, &mut story);
    story.next("compare it with your other devices on that day");
    story
}

fn trend(curve: &PowerCurve, stats: &SummaryStats, story: &mut Story) {
    match stats.trend {
        Trend::Increasing => story.should("That's clearly more than on the days before."),
        Trend::Decreasing => story.should(
            "That's clearly less than on the days before, though clouds alone can do that.",
        ),
        Trend::Stable if curve.flags.contains(&Flag::FewDays) => {
            story.may("There are too few days before it to call it much or little.")
        }
        Trend::Stable => story.should("That's about what it made on the days before."),
    };
}

fn details(curve: &PowerCurve, stats: &SummaryStats, story: &mut Story) {
    story.should(format!(
        "While the sun was up, it averaged {}.",
        format::power(stats.avg_value)
    ));
    if curve.clipped_samples > 0 {
        story.may(format!(
            "It ran at its limit for {}.",
            format::count(curve.clipped_samples, "reading")
        ));
    }
    if curve.hole_hours >= 0.1 {
        story.may(format!(
            "Readings are missing for {} of the day.",
            format::duration(curve.hole_hours * 60.0)
        ));
    }
    if let Some(register) = curve
        .register_kwh
        .filter(|_| curve.flags.contains(&Flag::RegisterPowerMismatch))
    {
        story.must(format!(
            "That's what its own counter says, {}, which doesn't agree with the power readings.",
            format::energy(register)
        ));
    }
    if curve.night_import_kwh >= 0.01 {
        story.may(format!(
            "It drew {} itself while it wasn't producing.",
            format::energy(curve.night_import_kwh)
        ));
    }
    match curve.energy_source {
        EnergySource::Power => story.method("I worked the energy out from the power readings."),
        _ => story.method("The energy comes from its own counter."),
    };
    story.method(format!(
        "The day has {}, one every {}.",
        format::count(curve.record_count, "reading"),
        format::duration(curve.step_minutes)
    ));
}
