//! The meanings of codes: one data file per brand, in `data/error-codes/`. A code that no file
//! lists stays unknown.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::errors::Code;

/// How bad a code is, worst first. Unknown is before information because it may be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Production stops, or people are at risk.
    Critical,
    /// Needs a look.
    Warning,
    /// The code is unknown.
    Unknown,
    /// Good to know.
    Info,
}

impl Severity {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Critical => "critical",
            Severity::Warning => "warning",
            Severity::Unknown => "unknown",
            Severity::Info => "info",
        }
    }
}

/// The meaning of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// How bad it is.
    pub severity: Severity,
    /// A description of the fault; `None` for an unknown code.
    pub description: Option<&'static str>,
    /// What to do; `None` for an unknown code.
    pub fix: Option<&'static str>,
}

const UNKNOWN: Meaning = Meaning {
    severity: Severity::Unknown,
    description: None,
    fix: None,
};

macro_rules! brands {
    ($($(#[$doc:meta])* $brand:ident $name:literal,)+) => {
        /// Who made the logger, as far as error codes are concerned.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Brand {
            $($(#[$doc])* $brand,)+
            /// All other brands.
            Other,
        }

        impl Brand {
            /// The brand of a `loggerType`.
            pub fn of_logger_type(logger_type: &str) -> Self {
                match logger_type.to_ascii_lowercase().as_str() {
                    $($name => Self::$brand,)+
                    _ => Self::Other,
                }
            }

            fn table(self) -> Option<&'static Table> {
                match self {
                    $(Self::$brand => {
                        static TABLE: LazyLock<Table> = LazyLock::new(|| {
                            Table::parse(include_str!(concat!("../../data/error-codes/", $name, ".json")))
                        });
                        Some(&TABLE)
                    })+
                    Self::Other => None,
                }
            }
        }
    };
}

brands! {
    /// GoodWe inverters.
    GoodWe "goodwe",
    /// LTI loggers.
    Lti "lti",
    /// SmartDog loggers.
    SmartDog "smartdog",
    /// Meier loggers.
    Meier "meier",
    /// MeteoControl loggers.
    MeteoControl "meteocontrol",
    /// Integra loggers.
    Integra "integra",
    /// `MBMet` weather stations.
    MbMet "mbmet",
    /// PlexLog loggers.
    PlexLog "plexlog",
    /// Any device that speaks `SunSpec`.
    SunSpec "sunspec",
}

/// The meaning of a code of a brand.
pub(super) fn meaning(code: &Code, brand: Brand) -> Meaning {
    let entry = match code {
        Code::Vendor(code) => brand
            .table()
            .and_then(|table| table.codes.get(code.as_str())),
        Code::GoodWeBit(bit) => Brand::GoodWe.table().and_then(|table| table.bits.get(bit)),
        Code::SunSpecEvent(bit) => Brand::SunSpec.table().and_then(|table| table.bits.get(bit)),
        Code::SunSpecState(state) => Brand::SunSpec
            .table()
            .and_then(|table| table.states.get(state)),
    };
    entry.copied().unwrap_or(UNKNOWN)
}

/// A data file, ready to be asked.
#[derive(Default)]
struct Table {
    codes: HashMap<&'static str, Meaning>,
    bits: HashMap<u8, Meaning>,
    states: HashMap<u8, Meaning>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    #[serde(rename = "source")]
    _source: String,
    #[serde(borrow)]
    codes: Vec<CodeEntry<'a>>,
    #[serde(default, borrow)]
    bits: Vec<BitEntry<'a>>,
    #[serde(default, borrow)]
    states: Vec<BitEntry<'a>>,
}

#[derive(Deserialize)]
struct CodeEntry<'a> {
    code: &'a str,
    severity: Severity,
    description: &'a str,
    fix: &'a str,
}

#[derive(Deserialize)]
struct BitEntry<'a> {
    bit: u8,
    severity: Severity,
    description: &'a str,
    fix: &'a str,
}

impl Table {
    /// A file that does not parse is an empty table: its codes are unknown, and a test fails.
    fn parse(json: &'static str) -> Self {
        let file: File<'static> = serde_json::from_str(json).unwrap_or_default();
        let bits = |entries: Vec<BitEntry<'static>>| {
            entries
                .into_iter()
                .map(|entry| (entry.bit, entry.meaning()))
                .collect()
        };
        Self {
            codes: file
                .codes
                .into_iter()
                .map(|entry| (entry.code, entry.meaning()))
                .collect(),
            bits: bits(file.bits),
            states: bits(file.states),
        }
    }
}

impl CodeEntry<'static> {
    fn meaning(&self) -> Meaning {
        Meaning {
            severity: self.severity,
            description: Some(self.description),
            fix: Some(self.fix),
        }
    }
}

impl BitEntry<'static> {
    fn meaning(&self) -> Meaning {
        Meaning {
            severity: self.severity,
            description: Some(self.description),
            fix: Some(self.fix),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_data_file_parses_and_has_the_documented_number_of_entries() {
        let sizes = [
            (Brand::GoodWe, 10, 27),
            (Brand::Lti, 5, 0),
            (Brand::SmartDog, 6, 0),
            (Brand::Meier, 6, 0),
            (Brand::MeteoControl, 5, 0),
            (Brand::Integra, 3, 0),
            (Brand::MbMet, 2, 0),
            (Brand::PlexLog, 2, 0),
            (Brand::SunSpec, 0, 16),
        ];
        for (brand, codes, bits) in sizes {
            let table = brand.table().unwrap();
            assert_eq!(
                (table.codes.len(), table.bits.len()),
                (codes, bits),
                "{brand:?}"
            );
        }
    }

    #[test]
    fn unknown_codes_stay_unknown() {
        assert_eq!(meaning(&Code::Vendor("E-501".into()), Brand::Lti), UNKNOWN);
        assert_eq!(meaning(&Code::Vendor("E005".into()), Brand::Other), UNKNOWN);
        assert_eq!(meaning(&Code::GoodWeBit(26), Brand::GoodWe), UNKNOWN);
    }

    #[test]
    fn known_codes_have_a_severity_and_a_remedy() {
        assert_eq!(
            meaning(&Code::Vendor("E005".into()), Brand::GoodWe).severity,
            Severity::Critical
        );
        assert_eq!(
            meaning(&Code::GoodWeBit(18), Brand::GoodWe).severity,
            Severity::Critical
        );
        assert_eq!(
            meaning(&Code::SunSpecState(5), Brand::Other).severity,
            Severity::Info
        );
        assert!(meaning(&Code::SunSpecEvent(7), Brand::Other).fix.is_some());
        assert_eq!(Brand::of_logger_type("GoodWe"), Brand::GoodWe);
    }
}
