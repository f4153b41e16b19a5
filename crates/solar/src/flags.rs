//! The flags a result may carry: short names for what a reader must know before trusting a figure.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! flags {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)+) => {
        /// One thing to know about a result.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Flag {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl Flag {
            /// Every flag, in the order in which results list them.
            pub const ALL: &'static [Flag] = &[$(Flag::$variant),+];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Flag::$variant => $name),+ }
            }
        }
    };
}

flags! {
    /// The energy was integrated from power because no register could be used.
    EnergyFromPower => "energy_from_power",
    /// The device sends no power. A curve of it is the mean power between readings of its register.
    PowerFromRegister => "power_from_register",
    /// Register and integrated power differ by more than 5 % on a complete day, or by more than 20
    /// % on any.
    RegisterPowerMismatch => "register_power_mismatch",
    /// The register fell, or rose more than the device can produce in a day.
    RegisterSuspect => "register_suspect",
    /// Values outside any plausible range were treated as missing.
    ValuesDropped => "values_dropped",
    /// The day has clearly fewer readings than its neighbours.
    IncompleteDay => "incomplete_day",
    /// Single missing samples were put on a straight line.
    HoleBridged => "hole_bridged",
    /// The logger consumed energy at night.
    NightImport => "night_import",
    /// There is no irradiance to judge by.
    IrradianceMissing => "irradiance_missing",
    /// The irradiance sensor reads light in the night.
    IrradianceSuspect => "irradiance_suspect",
    /// The irradiance is horizontal, not in the plane of the array.
    IrradianceNotPoa => "irradiance_not_poa",
    /// Module temperature is missing, so nothing was corrected to 25 C.
    TemperatureMissing => "temperature_missing",
    /// The capacity was estimated from the data, so ratios are relative to the logger's own usual.
    CapacityInferred => "capacity_inferred",
    /// The given capacity does not fit what the logger produces.
    CapacityImplausible => "capacity_implausible",
    /// The inverter ran at its limit.
    Clipping => "clipping",
    /// The same value was repeated in daylight.
    StaleValues => "stale_values",
    /// A day with readings and no energy.
    DeadDay => "dead_day",
    /// The clock of the logger seems to have been moved.
    ClockShift => "clock_shift",
    /// Too few days to compare with.
    FewDays => "few_days",
    /// The newest data are old; "now" is the newest reading.
    HistoricalData => "historical_data",
}

/// A set of flags; iterates in the order of [`Flag::ALL`] and serialises as a list of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

impl Flags {
    /// Adds a flag.
    pub fn insert(&mut self, flag: Flag) {
        self.0 |= 1 << flag as u32;
    }

    /// Adds a flag when `condition` holds.
    pub fn insert_if(&mut self, flag: Flag, condition: bool) {
        if condition {
            self.insert(flag);
        }
    }

    /// Adds all flags of another set.
    pub fn extend(&mut self, other: Flags) {
        self.0 |= other.0;
    }

    /// Whether the flag is set.
    pub fn contains(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u32) != 0
    }

    /// Whether no flag is set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The flags that are set.
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL
            .iter()
            .copied()
            .filter(move |flag| self.contains(*flag))
    }

    /// The names of the flags that are set.
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Flag::as_str).collect()
    }
}

impl FromIterator<Flag> for Flags {
    fn from_iter<T: IntoIterator<Item = Flag>>(iter: T) -> Self {
        let mut flags = Flags::default();
        for flag in iter {
            flags.insert(flag);
        }
        flags
    }
}

impl Serialize for Flags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Flags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Flag>::deserialize(deserializer)?
            .into_iter()
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_survives_json_and_keeps_the_documented_order() {
        let flags: Flags = [Flag::Clipping, Flag::EnergyFromPower]
            .into_iter()
            .collect();
        let json = serde_json::to_string(&flags).unwrap();
        assert_eq!(json, r#"["energy_from_power","clipping"]"#);
        assert_eq!(serde_json::from_str::<Flags>(&json).unwrap(), flags);
    }

    #[test]
    fn every_flag_is_snake_case_and_serialises_as_its_name() {
        assert_eq!(Flag::ALL.len(), 20);
        for flag in Flag::ALL {
            assert_eq!(serde_json::to_value(flag).unwrap(), flag.as_str());
            assert!(
                flag.as_str()
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '_')
            );
        }
    }
}
