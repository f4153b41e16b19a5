//! The arguments of a call, checked against the tool's JSON Schema, so that each fault is reported
//! with its place.

use std::collections::HashMap;

use chrono::{Datelike, NaiveDate};
use contracts::problem::FieldError;
use contracts::tools::ToolDefinition;
use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::{Draft, Validator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use service_kit::web::{excerpt, parse_value};

use crate::error::Error;

/// The largest whole number that a double holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// No array was monitored before, and none will be by this program after.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=2200;

/// A schema of the contract is broken.
#[derive(Debug, thiserror::Error)]
#[error("the schema of {tool} is broken: {reason}")]
pub struct SchemaError {
    tool: String,
    reason: String,
}

impl SchemaError {
    pub(super) fn taken(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            reason: "another tool has this name".to_owned(),
        }
    }
}

/// A validator per tool.
pub(super) struct Arguments {
    validators: HashMap<String, Validator>,
}

impl Arguments {
    /// The validators of these tools.
    pub(super) fn of(definitions: &[ToolDefinition]) -> Result<Self, SchemaError> {
        let validators = definitions
            .iter()
            .map(|definition| {
                let validator = jsonschema::options()
                    .with_draft(Draft::Draft202012)
                    .should_validate_formats(true)
                    .build(&definition.input_schema)
                    .map_err(|error| SchemaError {
                        tool: definition.name.clone(),
                        reason: error.to_string(),
                    })?;
                Ok((definition.name.clone(), validator))
            })
            .collect::<Result<_, SchemaError>>()?;
        Ok(Self { validators })
    }

    /// The arguments as the schema has them, or every fault.
    pub(super) fn check(
        &self,
        tool: &str,
        synonyms: &[(&'static str, &'static str)],
        mut arguments: Value,
    ) -> Result<Value, Error> {
        let renamed = rename(synonyms, &mut arguments)?;
        let mut faults = Vec::new();
        if let Some(validator) = self.validators.get(tool) {
            for error in validator.iter_errors(&arguments) {
                faults.extend(describe(&error));
            }
            // A wrong type fails several keywords; the first says enough.
            faults.sort_by(|a, b| a.pointer.cmp(&b.pointer));
            faults.dedup_by(|a, b| a.pointer == b.pointer);
        }
        if faults.is_empty() {
            faults = absurd_dates(&arguments);
        }
        if faults.is_empty() {
            return Ok(arguments);
        }
        // A fault of an argument under its other name points at that name.
        for fault in &mut faults {
            for (other, name) in &renamed {
                if fault.pointer.strip_prefix('/') == Some(*name) {
                    fault.pointer = format!("/{other}");
                }
            }
        }
        Err(Error::Invalid(faults))
    }
}

/// Arguments that passed the check of their schema, typed.
pub fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, Error> {
    // Within a tagged union the reader cannot know that 7.0 is wanted as an integer.
    let typed = parse_value(arguments).or_else(|_refused| parse_value(with_integers(arguments)));
    typed.map_err(|refused| Error::Invalid(refused.into_problem().errors))
}

/// The same value with whole numbers written as such.
fn with_integers(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.fract() == 0.0 && double.abs() <= EXACT && number.is_f64() => {
                #[expect(clippy::cast_possible_truncation, reason = "whole, and within 2^53")]
                let whole = double as i64;
                whole.into()
            }
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(with_integers).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, member)| (name.clone(), with_integers(member)))
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// Gives arguments the names of the schema; returns those that had another. Both are fine when they
/// agree.
fn rename(
    synonyms: &[(&'static str, &'static str)],
    arguments: &mut Value,
) -> Result<Vec<(&'static str, &'static str)>, Error> {
    let Some(object) = arguments.as_object_mut() else {
        return Ok(Vec::new());
    };
    let mut renamed = Vec::new();
    for &(other, name) in synonyms {
        let Some(value) = object.shift_remove(other) else {
            continue;
        };
        match object.get(name) {
            None => {
                object.insert(name.to_owned(), value);
                renamed.push((other, name));
            }
            Some(same) if agree(same, &value) => {}
            Some(present) => {
                let shown = excerpt(&value.to_string());
                let other_shown = excerpt(&present.to_string());
                let detail =
                    format!("{shown} contradicts {name}, which is {other_shown}; give one of them");
                return Err(Error::invalid(&format!("/{other}"), detail));
            }
        }
    }
    Ok(renamed)
}

/// 1 and 1.0 are one number.
fn agree(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b).is_eq(),
        _ => a == b,
    }
}

fn describe(error: &ValidationError<'_>) -> Vec<FieldError> {
    let place = error.instance_path().to_string();
    let fault = |pointer: String, detail: String| FieldError { pointer, detail };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .map(|name| {
                fault(
                    format!("{place}/{}", escape(name)),
                    "is not an argument of this tool".to_owned(),
                )
            })
            .collect(),
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![fault(
                format!("{place}/{}", escape(name)),
                "is required".to_owned(),
            )]
        }
        _ => vec![fault(place, words(error))],
    }
}

/// The fault of a value, with as much of it as can be read at a glance.
fn words(error: &ValidationError<'_>) -> String {
    let value = match error.instance().as_ref() {
        Value::String(text) => Value::from(excerpt(text)).to_string(),
        Value::Array(_) => "the array".to_owned(),
        Value::Object(_) => "the object".to_owned(),
        value => value.to_string(),
    };
    error.masked_with(value).to_string()
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Dates that are dates and still make no sense.
fn absurd_dates(arguments: &Value) -> Vec<FieldError> {
    let Some(object) = arguments.as_object() else {
        return Vec::new();
    };
    object
        .iter()
        .filter(|(name, _)| name.as_str() == "date" || name.ends_with("_date"))
        .filter_map(|(name, value)| {
            let date: NaiveDate = value.as_str()?.parse().ok()?;
            (!YEARS.contains(&date.year())).then(|| FieldError {
                pointer: format!("/{}", escape(name)),
                detail: format!("{date} is not between the years 1970 and 2200"),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use contracts::tools::{names, solar_definitions};
    use serde_json::json;

    use super::*;

    const RATE: &[(&str, &str)] = &[("rate", "electricity_rate")];

    fn faults(tool: &str, arguments: Value) -> Vec<(String, String)> {
        let checker = Arguments::of(&solar_definitions()).unwrap();
        match checker.check(tool, RATE, arguments) {
            Err(Error::Invalid(faults)) => {
                faults.into_iter().map(|f| (f.pointer, f.detail)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn pointers(tool: &str, arguments: Value) -> Vec<String> {
        let mut pointers: Vec<String> = faults(tool, arguments)
            .into_iter()
            .map(|(pointer, _)| pointer)
            .collect();
        pointers.sort();
        pointers
    }

    #[test]
    fn each_fault_is_reported_with_its_place() {
        let arguments = json!({ "days": 9999, "logger": "A", "end_date": "2025-02-30" });
        assert_eq!(
            pointers(names::ANALYZE_INVERTER_HEALTH, arguments),
            ["/days", "/end_date", "/logger"]
        );
        assert_eq!(
            pointers(
                names::COMPARE_LOGGERS,
                json!({ "logger_ids": ["A", 1], "metric": "volts" })
            ),
            ["/logger_ids/1", "/metric"]
        );
        assert_eq!(
            pointers(names::COMPARE_LOGGERS, json!({ "logger_ids": ["A"] })),
            ["/logger_ids"]
        );
        assert_eq!(pointers(names::LIST_LOGGERS, json!([])), [""]);
    }

    #[test]
    fn an_integer_may_be_written_with_a_point_also_within_a_union() {
        use contracts::tools::analysis::StatsAnalysisArguments;
        use contracts::tools::{InverterHealthArguments, analysis_definitions};

        let health = json!({ "logger_id": "A", "days": 7.0 });
        let checker = Arguments::of(&solar_definitions()).unwrap();
        let checked = checker
            .check(names::ANALYZE_INVERTER_HEALTH, &[], health)
            .unwrap();
        let typed: InverterHealthArguments = read(&checked).unwrap();
        assert_eq!(typed.days, Some(7));
        let rows = json!({ "data": { "from": "rows", "rows": [{ "x": 1.0 }] }, "extra": null });
        assert!(Arguments::of(&analysis_definitions()).is_ok());
        assert_eq!(with_integers(&rows)["data"]["rows"][0]["x"], json!(1));
        assert_eq!(with_integers(&json!(1.5)), json!(1.5));
        let refused = read::<StatsAnalysisArguments>(&json!([])).unwrap_err();
        assert!(!format!("{refused:?}").contains("struct"), "{refused:?}");
    }

    #[test]
    fn a_long_value_is_not_repeated() {
        let long = "x".repeat(64 * 1024);
        let arguments = json!({ "logger_id": long, "days": long, "end_date": [long], "more": 1 });
        for (pointer, detail) in faults(names::ANALYZE_INVERTER_HEALTH, arguments) {
            assert!(detail.len() < 300, "{pointer}: {detail}");
        }
    }

    #[test]
    fn absurd_dates_are_refused() {
        for date in ["1969-12-31", "2201-01-01"] {
            let arguments = json!({ "logger_id": "A", "date": date });
            assert_eq!(pointers(names::GET_POWER_CURVE, arguments), ["/date"]);
        }
    }

    #[test]
    fn a_rate_has_two_names_and_one_value() {
        let checker = Arguments::of(&solar_definitions()).unwrap();
        let call = |extra: Value| {
            let mut arguments = json!({ "logger_id": "A", "start_date": "2025-01-01" });
            arguments
                .as_object_mut()
                .unwrap()
                .extend(extra.as_object().unwrap().clone());
            arguments
        };
        let tool = names::CALCULATE_FINANCIAL_SAVINGS;
        for extra in [
            json!({ "rate": 0.3 }),
            json!({ "electricity_rate": 0.3 }),
            json!({ "rate": 0.3, "electricity_rate": 0.3 }),
        ] {
            let checked = checker.check(tool, RATE, call(extra)).unwrap();
            assert_eq!(checked["electricity_rate"], 0.3);
            assert!(checked.get("rate").is_none());
        }
        assert_eq!(
            pointers(tool, call(json!({ "rate": 0.3, "electricity_rate": 0.4 }))),
            ["/rate"]
        );
        assert_eq!(pointers(tool, call(json!({ "rate": 7 }))), ["/rate"]);
        assert_eq!(pointers(tool, call(json!({ "rate": "0.3" }))), ["/rate"]);
        assert_eq!(
            pointers(tool, call(json!({ "electricity_rate": -5 }))),
            ["/electricity_rate"]
        );
    }
}
