//! Reading error codes out of the metadata of a reading.

use std::fmt;

use serde_json::{Map, Value};

use crate::errors::Brand;

/// The keys under which devices report errors, compared without regard to case.
const KEYS: [&str; 4] = ["errorcode", "faultcode", "alarm", "fehler"];

/// An error code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// A word or number of the manufacturer.
    Vendor(String),
    /// A bit of a GoodWe error word.
    GoodWeBit(u8),
    /// A bit of a `SunSpec` event word (model 103, `Evt1`).
    SunSpecEvent(u8),
    /// A `SunSpec` operating state that is not normal operation (`St`).
    SunSpecState(u8),
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Vendor(code) => f.write_str(code),
            Code::GoodWeBit(bit) => write!(f, "error bit {bit}"),
            Code::SunSpecEvent(bit) => write!(f, "Evt1 bit {bit}"),
            Code::SunSpecState(state) => write!(f, "St {state}"),
        }
    }
}

/// The codes in the metadata of a reading. Absent, null, empty and zero mean that there is none.
pub fn codes_in(metadata: &Map<String, Value>, brand: Brand) -> Vec<Code> {
    let mut codes = Vec::new();
    for (key, value) in metadata {
        if KEYS.iter().any(|known| key.eq_ignore_ascii_case(known)) {
            read(value, brand, &mut codes);
        } else if key.eq_ignore_ascii_case("evt1") {
            let bits = value.as_u64().and_then(|word| u32::try_from(word).ok());
            codes.extend(bits.into_iter().flat_map(set_bits).map(Code::SunSpecEvent));
        } else if key == "St" || key == "st" {
            let state = value.as_u64().and_then(|state| u8::try_from(state).ok());
            codes.extend(
                state
                    .filter(|state| matches!(state, 5 | 7 | 8))
                    .map(Code::SunSpecState),
            );
        }
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Whether there is a code in the metadata of a reading, by the rules of any brand.
pub fn carries_code(metadata: &Map<String, Value>) -> bool {
    // Brands differ in how they read numbers, and only these two ways exist.
    [Brand::GoodWe, Brand::Other]
        .iter()
        .any(|brand| !codes_in(metadata, *brand).is_empty())
}

fn read(value: &Value, brand: Brand, codes: &mut Vec<Code>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| read(value, brand, codes)),
        Value::Number(number) if brand == Brand::GoodWe => match number.as_u64().map(u32::try_from)
        {
            Some(Ok(word)) => codes.extend(set_bits(word).map(Code::GoodWeBit)),
            _ => codes.push(Code::Vendor(number.to_string())),
        },
        Value::Number(number) => {
            if number.as_f64().is_some_and(|number| number != 0.0) {
                codes.push(Code::Vendor(number.to_string()));
            }
        }
        Value::String(text) => {
            let text = text.trim();
            let zero = text.parse::<f64>().is_ok_and(|number| number == 0.0);
            match text.parse::<u32>() {
                _ if text.is_empty() || zero => {}
                Ok(word) if brand == Brand::GoodWe => {
                    codes.extend(set_bits(word).map(Code::GoodWeBit));
                }
                _ => codes.push(Code::Vendor(text.to_owned())),
            }
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => {}
    }
}

fn set_bits(word: u32) -> impl Iterator<Item = u8> {
    (0..32_u8).filter(move |bit| word >> bit & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(json: &str, brand: Brand) -> Vec<String> {
        let metadata = serde_json::from_str(json).unwrap();
        codes_in(&metadata, brand)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn nothing_is_no_code() {
        for json in [
            r#"{"errorCode":null}"#,
            r#"{"errorCode":""}"#,
            r#"{"errorCode":"0"}"#,
            r#"{"errorCode":0}"#,
            "{}",
        ] {
            assert_eq!(codes(json, Brand::Lti), Vec::<String>::new(), "{json}");
            assert_eq!(codes(json, Brand::GoodWe), Vec::<String>::new(), "{json}");
        }
    }

    #[test]
    fn codes_come_as_text_number_and_list_under_several_names() {
        assert_eq!(codes(r#"{"errorCode":"E-501"}"#, Brand::Lti), ["E-501"]);
        assert_eq!(codes(r#"{"errorcode":17}"#, Brand::Lti), ["17"]);
        assert_eq!(
            codes(r#"{"faultCode":["F01",null,7,0]}"#, Brand::Lti),
            ["7", "F01"]
        );
        assert_eq!(
            codes(r#"{"alarm":"A1","Fehler":"F2"}"#, Brand::Lti),
            ["A1", "F2"]
        );
    }

    #[test]
    fn a_code_of_any_brand_is_noticed() {
        let carries = |json: &str| carries_code(&serde_json::from_str(json).unwrap());
        for json in [
            r#"{"errorCode":"E-501"}"#,
            r#"{"Evt1":129,"St":4}"#,
            r#"{"alarm":0.0}"#,
            r#"{"St":7}"#,
        ] {
            assert!(carries(json), "{json}");
        }
        for json in [r#"{"errorCode":" 0 ","Evt1":0,"St":4}"#, r#"{"power":7}"#] {
            assert!(!carries(json), "{json}");
        }
    }

    #[test]
    fn goodwe_words_are_masks() {
        assert_eq!(
            codes(r#"{"errorCode":262656}"#, Brand::GoodWe),
            ["error bit 9", "error bit 18"]
        );
        assert_eq!(
            codes(r#"{"errorCode":"2147483648"}"#, Brand::GoodWe),
            ["error bit 31"]
        );
        assert_eq!(codes(r#"{"errorCode":"E005"}"#, Brand::GoodWe), ["E005"]);
    }

    #[test]
    fn sunspec_events_are_bits_and_normal_states_are_silent() {
        assert_eq!(
            codes(r#"{"Evt1":129,"St":7}"#, Brand::Other),
            ["Evt1 bit 0", "Evt1 bit 7", "St 7"]
        );
        assert_eq!(
            codes(r#"{"Evt1":0,"St":4}"#, Brand::Other),
            Vec::<String>::new()
        );
    }
}
