//! `POST`, `GET` and `DELETE /api/weather`.

use std::collections::HashSet;

use axum::extract::State;
use chrono::{DateTime, TimeDelta, Utc};
use contracts::problem::FieldError;
use contracts::weather::{
    DeletedWeather, KeptWeather, StoredWeather, WeatherForecast, WeatherList, WeatherQuery,
};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Query};
use sqlx::PgConnection;

use crate::catalog::{self, SiteEntry};
use crate::error::database;
use crate::state;
use crate::store::weather::{self, Value};

/// The scope that reading needs.
const READ: &str = "tools:read";
/// The scope that storing and deleting need.
const WRITE: &str = "measurements:write";

/// Maximum number of values in one request, and in one answer.
const MOST_VALUES: usize = 10_000;
const MOST_LISTED: i64 = 1_000;
/// Maximum number of faults in an answer.
const MOST_FAULTS: usize = 100;
/// Tolerated advance of the sender's clock.
const AHEAD: TimeDelta = TimeDelta::hours(1);
/// Maximum horizon of a forecast.
const FARTHEST: TimeDelta = TimeDelta::days(366);
/// The highest irradiance that there is, with some room, W/m2.
const HIGHEST: f64 = 2000.0;

pub(super) async fn put(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(forecast): Json<WeatherForecast>,
) -> Result<Json<StoredWeather>, ApiError> {
    caller.require_scope(WRITE)?;
    let checked = Checked::of(&forecast, state.clock.now()).map_err(ApiError::invalid)?;
    let mut conn = state.pool.acquire().await.map_err(database)?;
    let site = site(&mut conn, &caller.tenant, forecast.site.as_deref()).await?;
    let (accepted, replaced) = weather::put(
        &mut conn,
        site.key,
        checked.issued_at,
        checked.step_minutes,
        &checked.values,
    )
    .await
    .map_err(database)?;
    Ok(Json(StoredWeather {
        issued_at: checked.issued_at.with_timezone(&site.zone).fixed_offset(),
        site: site.site_id,
        accepted,
        replaced,
    }))
}

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<WeatherQuery>,
) -> Result<Json<WeatherList>, ApiError> {
    caller.require_scope(READ)?;
    let range = range(&query)?;
    let mut conn = state.pool.acquire().await.map_err(database)?;
    let site = site(&mut conn, &caller.tenant, query.site.as_deref()).await?;
    let (kept, count) = weather::list(&mut conn, site.key, range, MOST_LISTED)
        .await
        .map_err(database)?;
    let local = |at: DateTime<Utc>| at.with_timezone(&site.zone).fixed_offset();
    Ok(Json(WeatherList {
        truncated: count > kept.len() as u64,
        count,
        values: kept
            .into_iter()
            .map(|kept| KeptWeather {
                timestamp: local(kept.value.at),
                issued_at: local(kept.issued_at),
                step_minutes: kept.step_minutes,
                irradiance: kept.value.irradiance,
            })
            .collect(),
        timezone: site.zone.name().to_owned(),
        site: site.site_id,
    }))
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<WeatherQuery>,
) -> Result<Json<DeletedWeather>, ApiError> {
    caller.require_scope(WRITE)?;
    let (from, to) = match range(&query)? {
        (Some(from), Some(to)) => (from, to),
        (from, to) => {
            let needed = [("/from", from.is_none()), ("/to", to.is_none())];
            let faults = needed.into_iter().filter(|(_, missing)| *missing);
            return Err(ApiError::invalid(
                faults
                    .map(|(pointer, _)| fault(pointer, "is required: what is deleted is gone"))
                    .collect(),
            ));
        }
    };
    let mut conn = state.pool.acquire().await.map_err(database)?;
    let site = site(&mut conn, &caller.tenant, query.site.as_deref()).await?;
    let deleted = weather::delete(&mut conn, site.key, from, to)
        .await
        .map_err(database)?;
    Ok(Json(DeletedWeather {
        site: site.site_id,
        deleted,
    }))
}

/// The tenant's site of that id, or its only one.
pub(super) async fn site(
    conn: &mut PgConnection,
    tenant: &str,
    wanted: Option<&str>,
) -> Result<SiteEntry, ApiError> {
    let mut sites = catalog::sites(conn, tenant).await.map_err(database)?;
    let available: Vec<String> = sites.iter().map(|site| site.site_id.clone()).collect();
    let refuse =
        |detail: String| ApiError::invalid_field("/site", detail).with_available(available);
    match wanted {
        Some(wanted) => match sites.iter().position(|site| site.site_id == wanted) {
            Some(at) => Ok(sites.swap_remove(at)),
            None => Err(refuse(format!("there is no site {wanted:?}"))),
        },
        None if sites.len() == 1 => Ok(sites.swap_remove(0)),
        None if sites.is_empty() => Err(refuse("there is no site yet".to_owned())),
        None => Err(refuse("there are several sites; name one".to_owned())),
    }
}

/// From an instant on, and before another.
type Range = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

/// The instants of a query.
fn range(query: &WeatherQuery) -> Result<Range, ApiError> {
    let mut faults = Vec::new();
    let mut read = |pointer: &str, text: &Option<String>| {
        let text = text.as_deref()?;
        instant(text)
            .map_err(|detail| faults.push(fault(pointer, detail)))
            .ok()
    };
    let (from, to) = (read("/from", &query.from), read("/to", &query.to));
    if let (Some(from), Some(to)) = (from, to)
        && to <= from
    {
        faults.push(fault("/to", "is not after `from`"));
    }
    if faults.is_empty() {
        Ok((from, to))
    } else {
        Err(ApiError::invalid(faults))
    }
}

/// A forecast that can be stored.
#[derive(Debug, PartialEq)]
struct Checked {
    issued_at: DateTime<Utc>,
    step_minutes: u32,
    values: Vec<Value>,
}

impl Checked {
    fn of(forecast: &WeatherForecast, now: DateTime<Utc>) -> Result<Self, Vec<FieldError>> {
        let mut faults = Vec::new();
        let issued_at = match forecast.issued_at.as_deref().map(instant) {
            None => now,
            Some(Ok(at)) if at <= now + AHEAD => at,
            Some(Ok(at)) => {
                faults.push(fault("/issued_at", format!("{at} lies in the future")));
                now
            }
            Some(Err(detail)) => {
                faults.push(fault("/issued_at", detail));
                now
            }
        };
        let step_minutes = forecast.step_minutes.unwrap_or(60);
        if !(1..=1440).contains(&step_minutes) {
            faults.push(fault(
                "/step_minutes",
                format!("{step_minutes} is not between 1 and 1440"),
            ));
        }
        let count = forecast.values.len();
        if !(1..=MOST_VALUES).contains(&count) {
            faults.push(fault(
                "/values",
                format!("there are {count} values, not 1 to {MOST_VALUES}"),
            ));
            return Err(faults);
        }
        let mut values = Vec::with_capacity(count);
        let mut times = HashSet::with_capacity(count);
        for (index, value) in forecast.values.iter().enumerate() {
            if faults.len() >= MOST_FAULTS {
                break;
            }
            let pointer = |field: &str| format!("/values/{index}/{field}");
            if !(0.0..=HIGHEST).contains(&value.irradiance) {
                faults.push(fault(
                    &pointer("irradiance"),
                    format!("{} is not between 0 and 2000 W/m2", value.irradiance),
                ));
            }
            let at = match instant(&value.timestamp) {
                Ok(at) => at,
                Err(detail) => {
                    faults.push(fault(&pointer("timestamp"), detail));
                    continue;
                }
            };
            if (at - issued_at).abs() > FARTHEST {
                faults.push(fault(
                    &pointer("timestamp"),
                    format!("{at} is more than a year from the issue, {issued_at}"),
                ));
            } else if !times.insert(at) {
                faults.push(fault(&pointer("timestamp"), format!("{at} is there twice")));
            }
            values.push(Value {
                at,
                irradiance: value.irradiance,
            });
        }
        if faults.is_empty() {
            Ok(Self {
                issued_at,
                step_minutes,
                values,
            })
        } else {
            Err(faults)
        }
    }
}

/// An instant with an offset, to the second, between 1985 and 2200.
fn instant(text: &str) -> Result<DateTime<Utc>, String> {
    let at = DateTime::parse_from_rfc3339(text.trim()).map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        format!("{shown:?} is not a time with an offset such as 2025-12-05T12:00:00Z")
    })?;
    let seconds = at.timestamp();
    let at = DateTime::from_timestamp(seconds, 0)
        .filter(|_| (473_385_600..7_258_118_400).contains(&seconds));
    at.ok_or_else(|| format!("{text:?} is not between 1985 and 2200"))
}

fn fault(pointer: &str, detail: impl Into<String>) -> FieldError {
    FieldError {
        pointer: pointer.to_owned(),
        detail: detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::weather::WeatherValue;

    fn forecast(values: &[(&str, f64)]) -> WeatherForecast {
        WeatherForecast {
            site: None,
            issued_at: Some("2025-12-04T06:00:00+01:00".to_owned()),
            step_minutes: None,
            values: values
                .iter()
                .map(|(timestamp, irradiance)| WeatherValue {
                    timestamp: (*timestamp).to_owned(),
                    irradiance: *irradiance,
                })
                .collect(),
        }
    }

    fn now() -> DateTime<Utc> {
        "2025-12-04T07:00:00Z".parse().unwrap()
    }

    fn pointers(forecast: &WeatherForecast) -> Vec<String> {
        let faults = Checked::of(forecast, now()).unwrap_err();
        faults.into_iter().map(|fault| fault.pointer).collect()
    }

    #[test]
    fn a_good_forecast_is_taken() {
        let checked = Checked::of(&forecast(&[("2025-12-05T12:00:00Z", 250.5)]), now()).unwrap();
        assert_eq!(checked.issued_at.to_rfc3339(), "2025-12-04T05:00:00+00:00");
        assert_eq!((checked.step_minutes, checked.values.len()), (60, 1));
    }

    #[test]
    fn each_fault_has_its_pointer() {
        let bad = forecast(&[
            ("2025-12-05T12:00:00Z", -1.0),
            ("2025-12-05 13:00", 5.0),
            ("2025-12-05T14:00:00Z", 2001.0),
            ("2025-12-05T12:00:00Z", 5.0),
            ("2027-12-05T12:00:00Z", 5.0),
            ("1970-01-01T00:00:00Z", 5.0),
        ]);
        assert_eq!(
            pointers(&bad),
            [
                "/values/0/irradiance",
                "/values/1/timestamp",
                "/values/2/irradiance",
                "/values/3/timestamp",
                "/values/4/timestamp",
                "/values/5/timestamp"
            ]
        );
        let mut head = forecast(&[]);
        head.issued_at = Some("2025-12-05T12:00:00Z".to_owned());
        head.step_minutes = Some(0);
        assert_eq!(pointers(&head), ["/issued_at", "/step_minutes", "/values"]);
    }
}
