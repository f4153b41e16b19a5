//! The coming days of devices.

use chrono::NaiveDate;
use contracts::tools::{ForecastArguments, Period, ProductionForecast, names};

use super::{
    replies::{Replies, Reply},
    rules::{devices, each},
};
use crate::{
    calls::call_each,
    findings::{Failure, Resolved},
    run::Node,
    sentences,
};

/// A device whose data end this number of days before those of others has stopped.
const LONGEST_SILENCE: i64 = 7;

/// The forecast of each device, of the days that are asked for.
pub(super) async fn forecast(node: &Node, resolved: &Resolved) -> Replies {
    let days_ahead = resolved.days_ahead.unwrap_or(1);
    let calls = devices(resolved).map(|logger_id| ForecastArguments {
        logger_id,
        days_ahead,
    });
    node.begin_step().await;
    node.hint("Looking ahead").await;
    let answers = call_each(node, names::FORECAST_PRODUCTION, calls).await;
    node.end_step().await;
    each(answers, |found| {
        Reply::Forecast(only_days(found.result, &resolved.coming))
    })
}

/// Without the forecasts of devices whose data ended long before those of others, so that their
/// days are others; and the ids of these devices.
pub(super) fn current_forecasts(replies: Replies) -> (Replies, Vec<String>) {
    let first = |reply: &Result<Reply, Failure>| match reply {
        Ok(Reply::Forecast(forecast)) => Some(forecast.forecasts.first()?.date),
        _ => None,
    };
    let Some(newest) = replies.iter().filter_map(first).max() else {
        return (replies, Vec::new());
    };
    let mut ended = Vec::new();
    let current = replies.into_iter().filter(|reply| {
        let old = match reply {
            Ok(Reply::Forecast(forecast)) if forecast.forecasts.is_empty() => {
                forecast.silent_since.is_some()
            }
            _ => first(reply).is_some_and(|day| (newest - day).num_days() > LONGEST_SILENCE),
        };
        if let (true, Ok(Reply::Forecast(forecast))) = (old, reply) {
            ended.push(forecast.logger_id.clone());
        }
        !old
    });
    (current.collect(), ended)
}

/// The sum of several devices' forecasts for the same days.
pub(super) fn forecast_together(replies: &Replies) -> Option<String> {
    let forecasts: Vec<&ProductionForecast> = replies
        .iter()
        .flatten()
        .filter_map(|reply| match reply {
            Reply::Forecast(forecast) => Some(forecast),
            _ => None,
        })
        .collect();
    let days = |forecast: &ProductionForecast| -> Vec<NaiveDate> {
        forecast.forecasts.iter().map(|day| day.date).collect()
    };
    let first = days(forecasts.first()?);
    let same = !first.is_empty() && forecasts.iter().all(|one| days(one) == first);
    let total = forecasts.iter().map(|one| one.total_predicted).sum();
    (same && forecasts.len() > 1).then(|| sentences::forecast_together(total, &first))
}

/// A forecast of the days that are asked for: the tool counts its days from the newest day of data.
/// It is whole where it has none of them, and what cannot be had is said.
fn only_days(mut forecast: ProductionForecast, asked: &[Period]) -> ProductionForecast {
    let is_asked = |date: NaiveDate| {
        let mut periods = asked.iter();
        periods.any(|period| (period.start..=period.end).contains(&date))
    };
    if forecast.forecasts.iter().any(|day| is_asked(day.date)) {
        forecast.forecasts.retain(|day| is_asked(day.date));
        forecast.total_predicted = forecast.forecasts.iter().map(|day| day.expected_kwh).sum();
    }
    forecast
}
