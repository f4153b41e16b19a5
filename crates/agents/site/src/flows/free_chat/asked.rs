//! The things that a question names, and whether a result of a model's call is about them: a result
//! of another device, another site or other days answers another question.

use chrono::NaiveDate;
use contracts::tools::{LoggerRole, LoggerSummary, Period, names};
use serde_json::{Map, Value, json};

use crate::{
    language::{Horizon, LoggerMention, extract},
    model::Site,
};

/// The devices, the site and the days that a question names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AskedFor {
    devices: Vec<String>,
    site: Option<String>,
    days: Option<Period>,
}

impl AskedFor {
    /// Of this question.
    pub(super) fn of(request: &str, site: &Site) -> Self {
        let horizon = Horizon {
            loggers: &site.loggers,
            anchor: site.newest.unwrap_or(site.today),
            today: site.today,
        };
        let named = extract(request, &horizon);
        let devices = match named.loggers {
            LoggerMention::One(id) => vec![id],
            LoggerMention::Several(ids) => ids,
            _ => Vec::new(),
        };
        Self {
            devices,
            site: named.site,
            days: named.when.and_then(|when| when.period()),
        }
    }

    /// Whether a result is about one of the devices, the site and the days, as far as any are
    /// named.
    pub(super) fn fits(&self, tool: &str, arguments: &Map<String, Value>, output: &Value) -> bool {
        if [names::LIST_LOGGERS, names::HEALTH_CHECK].contains(&tool) {
            return true;
        }
        let text = output.to_string();
        let holds = |name: &String| text.contains(&json!(name).to_string());
        let devices = self.devices.is_empty() || self.devices.iter().any(holds);
        let of_site = arguments.get("site_id").and_then(Value::as_str);
        let site = match (&self.site, of_site) {
            (Some(asked), Some(called)) => asked == called,
            (Some(asked), None) => holds(asked),
            (None, _) => true,
        };
        devices && site && self.days_fit(output)
    }

    fn days_fit(&self, output: &Value) -> bool {
        let (Some(asked), Some(found)) = (self.days, days(&output["result"])) else {
            return true;
        };
        let length = |period: Period| (period.end - period.start).num_days() + 1;
        let both = Period {
            start: asked.start.max(found.start),
            end: asked.end.min(found.end),
        };
        length(both) > 0 && (2 * length(both) >= length(asked) || length(both) == length(found))
    }
}

/// The days of a result.
fn days(result: &Value) -> Option<Period> {
    let day = |value: &Value| value.as_str()?.parse::<NaiveDate>().ok();
    let period = &result["period"];
    if let (Some(start), Some(end)) = (day(&period["start"]), day(&period["end"])) {
        return Some(Period { start, end });
    }
    let start = day(&result["date"]).or_else(|| day(&result["localDate"]))?;
    let end = day(&result["endDate"]).unwrap_or(start);
    Some(Period { start, end })
}

/// The result of a call for one site, or some of the devices, with that scope, where the tool does
/// not say it.
pub(super) fn scoped(
    mut output: Value,
    arguments: &Map<String, Value>,
    loggers: &[LoggerSummary],
) -> Value {
    let Some(result) = output.get_mut("result").and_then(Value::as_object_mut) else {
        return output;
    };
    if result.contains_key("scope") || result.contains_key("loggerId") {
        return output;
    }
    let site = arguments.get("site_id").and_then(Value::as_str);
    let several = loggers
        .iter()
        .any(|logger| Some(logger.site_id.as_str()) != site);
    let of_site = loggers
        .iter()
        .find(|logger| Some(logger.site_id.as_str()) == site);
    if let Some(logger) = of_site.filter(|_| several) {
        let scope = json!({ "kind": "site", "name": logger.site_name });
        result.insert("scope".to_owned(), scope);
        return output;
    }
    let inverters = loggers
        .iter()
        .filter(|logger| logger.role == LoggerRole::Inverter);
    let named = arguments.get("logger_ids").and_then(Value::as_array);
    if named.is_some_and(|named| !named.is_empty() && named.len() < inverters.count()) {
        let scope = json!({ "kind": "loggers" });
        result.insert("scope".to_owned(), scope);
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(devices: &[&str], site: Option<&str>, days: Option<(&str, &str)>) -> AskedFor {
        AskedFor {
            devices: devices.iter().map(|id| (*id).to_owned()).collect(),
            site: site.map(str::to_owned),
            days: days.map(|(start, end)| Period {
                start: start.parse().unwrap(),
                end: end.parse().unwrap(),
            }),
        }
    }

    #[test]
    fn a_result_is_of_what_was_asked() {
        let curve = json!({ "result": { "loggerId": "A-1", "date": "2025-11-29" } });
        let report = json!({ "result": { "loggerId": "all", "period": { "start": "2025-11-24", "end": "2025-11-30" }, "devices": [{ "loggerId": "A-1" }] } });
        let none = Map::new();
        let lake = json!({ "site_id": "lake" });
        let lake = lake.as_object().unwrap();
        let day = Some(("2025-11-29", "2025-11-29"));
        for (asked, arguments, output, fits) in [
            (asked(&[], None, None), &none, &curve, true),
            (asked(&["A-1"], None, day), &none, &curve, true),
            (asked(&["B-1"], None, day), &none, &curve, false),
            (
                asked(&["A-1"], None, Some(("2025-11-28", "2025-11-28"))),
                &none,
                &curve,
                false,
            ),
            (asked(&["A-1"], None, day), &none, &report, true),
            (
                asked(&[], None, Some(("2025-10-01", "2025-10-31"))),
                &none,
                &report,
                false,
            ),
            (
                asked(&[], None, Some(("2025-11-23", "2025-11-29"))),
                &none,
                &report,
                true,
            ),
            (asked(&[], Some("hill"), None), lake, &report, false),
            (asked(&[], Some("lake"), None), lake, &report, true),
        ] {
            assert_eq!(
                asked.fits("get_power_curve", arguments, output),
                fits,
                "{asked:?}"
            );
        }
    }
}
