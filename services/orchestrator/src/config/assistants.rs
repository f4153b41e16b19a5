//! The assistants' sections: their settings are the assistants' own types, which check themselves.

use agent_kit::{InvalidSetting, Settings};
use service_kit::config::{Invalid, Validate};

/// An assistant's settings, as a section of the configuration.
pub(super) struct Checked<'a, S>(pub(super) &'a S);

impl<S: Settings> Validate for Checked<'_, S> {
    fn validate(&self) -> Result<(), Invalid> {
        let invalid = |InvalidSetting { key, reason }| Invalid::new(key, reason);
        self.0.validate().map_err(invalid)
    }
}
