//! The known facts about a logger and its site, as far as the arithmetic needs them.

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

/// Relative loss of power of crystalline silicon per kelvin, unless configured.
pub const DEFAULT_GAMMA_PER_K: f64 = -0.004;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident => $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value of a word, if it is one.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// The meaning of a time stamp for its power value.
    Label {
        /// The value is the mean over the step that ends at the stamp.
        Right => "right",
        /// The value was read at the stamp.
        Instantaneous => "instantaneous",
    }
}

words! {
    /// The plane that an irradiance sensor looks at.
    IrradianceBasis {
        /// Plane of array.
        Poa => "poa",
        /// Global horizontal.
        Ghi => "ghi",
        /// Not known; treated as plane of array.
        Unknown => "unknown",
    }
}

words! {
    /// The device that a logger measures.
    Role {
        /// One inverter.
        Inverter => "inverter",
        /// Several inverters, or a grid connection.
        Meter => "meter",
        /// Weather only.
        Sensor => "sensor",
    }
}

words! {
    /// The source of a capacity.
    CapacityBasis {
        /// Given with the question.
        Parameter => "parameter",
        /// Configured for the logger.
        Configured => "configured",
        /// Estimated from the data.
        Inferred => "inferred",
        /// The usual one of the site's other inverters.
        Peers => "peers",
    }
}

words! {
    /// The source of an energy, in order of trust.
    EnergySource {
        /// A counter that resets every day.
        DailyRegister => "daily_register",
        /// A counter that never resets.
        LifetimeRegister => "lifetime_register",
        /// Integrated power.
        Power => "power",
    }
}

/// DC nameplate at standard test conditions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// kW.
    pub kw: f64,
    /// The source of the capacity.
    pub basis: CapacityBasis,
}

impl Capacity {
    /// Whether the nameplate is stated, and not estimated.
    pub fn is_stated(self) -> bool {
        match self.basis {
            CapacityBasis::Parameter | CapacityBasis::Configured => true,
            CapacityBasis::Inferred | CapacityBasis::Peers => false,
        }
    }
}

/// The location of the array, degrees, north and east positive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
}

/// The context of a logger.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggerContext {
    /// The zone that decides what a day is.
    pub zone: Tz,
    /// The meaning of a time stamp.
    pub label: Label,
    /// The nameplate, when stated, otherwise an estimate from days that are not judged
    /// ([`crate::size`]). An estimate from all days is in the [`crate::Calibration`].
    pub capacity: Option<Capacity>,
    /// The plane of the irradiance.
    pub irradiance_basis: IrradianceBasis,
    /// Relative change of power per kelvin of module temperature; negative.
    pub gamma_per_k: f64,
    /// Coordinates, when known.
    pub position: Option<Position>,
}

impl LoggerContext {
    /// A logger of which only the zone is known.
    pub fn new(zone: Tz) -> Self {
        Self {
            zone,
            label: Label::Right,
            capacity: None,
            irradiance_basis: IrradianceBasis::Unknown,
            gamma_per_k: DEFAULT_GAMMA_PER_K,
            position: None,
        }
    }

    /// Irradiance above which an array that stands still is a fault. Horizontal irradiance rises
    /// before a tilted array sees the sun, so its threshold is higher.
    pub fn sun_threshold(&self) -> f64 {
        match self.irradiance_basis {
            IrradianceBasis::Ghi => 150.0,
            IrradianceBasis::Poa | IrradianceBasis::Unknown => 75.0,
        }
    }
}
