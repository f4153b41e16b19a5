//! Energy in money and carbon.

use contracts::tools::{EnergySource, FinancialReport, Flag, ForecastBasis, ProductionForecast};

use super::compose::Story;
use super::{Branch, format};

pub(super) fn tell(
    report: &FinancialReport,
    forecast: Option<&ProductionForecast>,
    branch: Branch,
) -> Story {
    let (start, end) = (
        report.period.start.to_string(),
        report.period.end.to_string(),
    );
    let mut story = Story::about(&[&report.logger_id, &start, &end]);
    if report.days_with_data == 0 {
        story.must(format!(
            "I have no energy readings from {} {}, so I can't work out any savings.",
            report.logger_id,
            format::from_to(report.period.start, report.period.end)
        ));
        story.next("try a period for which there are data");
        return story;
    }
    let text = lead(report, branch, &story);
    story.must(text);
    missing(report, &mut story);
    story.should(format!(
        "It made {} at {} per kWh.",
        format::energy(report.total_energy_kwh),
        format::rate(report.electricity_rate, &report.currency)
    ));
    story.should(format!(
        "That kept about {} of CO2 out of the air.",
        format::mass(report.co2_offset_kg)
    ));
    if let Some(forecast) = forecast {
        coming(forecast, &mut story);
    }
    if let Some(year) = &report.projected_year {
        story.may(format!(
            "At this pace, a whole year would bring about {}, which is a projection.",
            format::money(year.savings, &report.currency)
        ));
    }
    if report.trees_grown_10_years >= 1.0 {
        story.may(format!(
            "It'd take {} young trees ten years to soak up as much.",
            format::decimal(report.trees_grown_10_years, 0)
        ));
    }
    story.method(format!(
        "The CO2 figure uses {} kg per kWh ({}, {}).",
        format::decimal(report.co2_factor.value, 3),
        report.co2_factor.name,
        report.co2_factor.year
    ));
    if report.energy_source == EnergySource::Power {
        story.method(
            "I worked the energy out from power readings, as there's no energy counter to read.",
        );
    }
    if report.flags.contains(&Flag::RegisterSuspect) {
        story.should(
            "The energy counter looks odd on some days, so I relied on power readings there.",
        );
    }
    story.next(story.pick([
        "look at the forecast for the coming days".to_owned(),
        "compare it with your other devices".to_owned(),
    ]));
    story
}

fn lead(report: &FinancialReport, branch: Branch, story: &Story) -> String {
    let (id, when) = (
        &report.logger_id,
        format::from_to(report.period.start, report.period.end),
    );
    let money = format::money(report.savings, &report.currency);
    if report.total_energy_kwh <= 0.0 {
        return format!("{id} made no energy {when}, so there's nothing saved.");
    }
    if branch == Branch::DataIncomplete {
        return format!(
            "I only have data for {} of {} from {id} {when}; those saved you {money}, if all of it replaces purchased power.",
            report.days_with_data,
            format::count(u64::from(report.days_expected), "day")
        );
    }
    story.pick([
        format!("{id} saved you {money} {when}, if all of it replaces purchased power."),
        format!(
            "Your panels on {id} were worth {money} {when}, if all of it replaces purchased power."
        ),
    ])
}

fn missing(report: &FinancialReport, story: &mut Story) {
    let days = &report.missing_days;
    match days.as_slice() {
        [] => {}
        [..] if days.len() <= 3 => {
            let dates: Vec<String> = days.iter().map(|day| format::day_month(*day)).collect();
            story.must(format!("Data are missing for {}.", format::list(&dates)));
        }
        [first, .., last] => {
            story.must(format!(
                "Data are missing for {} between {} and {}.",
                format::count(days.len() as u64, "day"),
                format::day_month(*first),
                format::day_month(*last)
            ));
        }
        [_] => {}
    }
}

fn coming(forecast: &ProductionForecast, story: &mut Story) {
    let (Some(first), Some(last)) = (forecast.forecasts.first(), forecast.forecasts.last()) else {
        story.may("There's too little history to forecast the coming days.");
        return;
    };
    let by = match forecast.basis {
        ForecastBasis::History => "",
        ForecastBasis::Weather | ForecastBasis::Mixed => {
            ", going by the irradiance that is forecast for your site"
        }
    };
    story.should(format!(
        "I expect about {} {}{by}.",
        format::energy(forecast.total_predicted),
        format::from_to(first.date, last.date)
    ));
}
