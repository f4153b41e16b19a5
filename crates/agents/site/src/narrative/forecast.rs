//! The coming days.

use contracts::tools::{ForecastBasis, ForecastConfidence, ForecastDay, ProductionForecast};

use super::compose::Story;
use super::{Branch, format};

pub(super) fn tell(forecast: &ProductionForecast, branch: Branch) -> Story {
    let first_day = forecast
        .forecasts
        .first()
        .map(|day| day.date.to_string())
        .unwrap_or_default();
    let mut story = Story::about(&[&forecast.logger_id, &first_day]);
    let id = &forecast.logger_id;
    let (Some(first), false) = (forecast.forecasts.first(), branch == Branch::DataIncomplete)
    else {
        if let Some(since) = forecast.silent_since {
            story.must(format!(
                "I can't forecast {id}: it has sent nothing since {}, so the forecast would be of days in the past.",
                format::date(since)
            ));
            story.next(format!("check the health of {id}"));
            return story;
        }
        story.must(format!(
            "I can't forecast {id} yet, because I only know {} of its production.",
            format::count(u64::from(forecast.based_on_days), "day")
        ));
        story.next("come back to it when there are more days of data");
        return story;
    };
    let days: Vec<_> = forecast.forecasts.iter().map(|day| day.date).collect();
    let when = format::on_days(&days);
    let total = format::energy(forecast.total_predicted);
    story.must(story.pick([
        format!("I expect about {total} from {id} {when}."),
        format!("{id} should make about {total} {when}."),
    ]));
    if forecast.forecasts.len() == 1 {
        story.should(format!(
            "It'll most likely be between {} and {}.",
            format::energy(first.lower),
            format::energy(first.upper)
        ));
    } else if let (Some(best), Some(low)) = (extreme(forecast, true), extreme(forecast, false)) {
        if best.date != low.date && best.expected_kwh - low.expected_kwh >= 0.1 {
            story.should(format!(
                "The best day should be {} with about {}.",
                format::day_month(best.date),
                format::energy(best.expected_kwh)
            ));
        }
        story.should(format!(
            "The first day should land between {} and {}.",
            format::energy(first.lower),
            format::energy(first.upper)
        ));
    }
    if let Some(since) = forecast.silent_since {
        story.must(format!(
            "It has sent nothing since {}, so that rests on the days until then.",
            format::date(since)
        ));
    }
    rests_on(forecast, &mut story);
    story.should(match first.confidence {
        ForecastConfidence::High => "Your days are quite steady, so I'm fairly confident.",
        ForecastConfidence::Medium => "Your days vary somewhat, so take it as a rough guide.",
        ForecastConfidence::Low => "Your days vary a lot, so don't lean on it too hard.",
    });
    if let Some(stats) = &forecast.historical_stats {
        story.may(format!(
            "Lately, a usual day has brought {}.",
            format::energy(stats.average_kwh)
        ));
    }
    story.method(format!(
        "It's based on {}, and such ranges hold in {} of cases.",
        format::count(u64::from(forecast.based_on_days), "known day"),
        format::percent(forecast.confidence_level * 100.0)
    ));
    if let Some(test) = forecast
        .backtest
        .iter()
        .find(|test| test.horizon == first.horizon)
    {
        story.method(format!(
            "Tested on {} of the past, it missed by {} on average.",
            format::count(u64::from(test.days), "day"),
            format::percent(test.nmae * 100.0)
        ));
    }
    story.next(story.pick([
        format!("look at what {id} has saved you so far"),
        format!("check the health of {id}"),
    ]));
    story
}

/// The basis of the forecast. Where irradiance is forecast for the site, that is always said.
fn rests_on(forecast: &ProductionForecast, story: &mut Story) {
    let Some(weather) = &forecast.weather else {
        story.should("It rests on your past production, not on a weather forecast.");
        return;
    };
    match forecast.basis {
        ForecastBasis::Weather => {
            story.must("It rests on the irradiance that is forecast for your site.");
        }
        ForecastBasis::Mixed => {
            story.must(format!(
                "For {} it rests on forecast irradiance, else on past production.",
                format::count(u64::from(weather.days_used), "day")
            ));
        }
        ForecastBasis::History => {
            story.must("It rests on past production, not on the weather forecast.");
        }
    }
    if forecast.basis != ForecastBasis::Weather {
        story.should(weather.reason.as_str());
    }
}

fn extreme(forecast: &ProductionForecast, highest: bool) -> Option<&ForecastDay> {
    let by = |a: &&ForecastDay, b: &&ForecastDay| a.expected_kwh.total_cmp(&b.expected_kwh);
    if highest {
        forecast.forecasts.iter().max_by(by)
    } else {
        forecast.forecasts.iter().min_by(by)
    }
}
