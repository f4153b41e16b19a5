//! `[meanings]` of the configuration.

use entities::Thresholds;
use entities::fields::FieldThresholds;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

/// `[meanings]`: which things and fields of search sources words mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeaningsConfig {
    /// Minimum score of a thing that is accepted without a question, 0 to 1.
    pub accept: f64,
    /// Minimum distance of its score from the next thing's.
    pub margin: f64,
    /// Things below are not offered as what is intended.
    pub floor: f64,
    /// Minimum score of a field that is accepted without a question, 0 to 1.
    pub field_accept: f64,
    /// Minimum distance of its score from the next field's.
    pub field_margin: f64,
    /// Lifetime of names of things that were read from a source.
    pub names_seconds: u32,
    /// Things of an index that has more are found by their exact id or name alone.
    pub most_names: u32,
}

impl Default for MeaningsConfig {
    fn default() -> Self {
        let things = Thresholds::default();
        let fields = FieldThresholds::default();
        Self {
            accept: things.accept,
            margin: things.margin,
            floor: things.floor,
            field_accept: fields.accept,
            field_margin: fields.margin,
            names_seconds: 60,
            most_names: 50_000,
        }
    }
}

impl MeaningsConfig {
    /// When it is certain which thing is intended.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds {
            accept: self.accept,
            margin: self.margin,
            floor: self.floor,
            ..Thresholds::default()
        }
    }

    /// When it is certain which field is intended.
    pub fn field_thresholds(&self) -> FieldThresholds {
        FieldThresholds {
            accept: self.field_accept,
            margin: self.field_margin,
            ..FieldThresholds::default()
        }
    }
}

impl Validate for MeaningsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        for (key, value) in [
            ("accept", self.accept),
            ("margin", self.margin),
            ("floor", self.floor),
            ("field_accept", self.field_accept),
            ("field_margin", self.field_margin),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Invalid::new(key, "must be between 0 and 1"));
            }
        }
        if self.floor > self.accept {
            return Err(Invalid::new("floor", "must not be above accept"));
        }
        positive("most_names", self.most_names.into())
    }
}
