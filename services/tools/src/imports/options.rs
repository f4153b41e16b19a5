//! The options that a user sets for a file.

use chrono_tz::Tz;
use contracts::imports::{ColumnMapping, CreateImport, FileFormat, ReviseImport};
use contracts::problem::FieldError;
use plant_files::Settings;
use serde::{Deserialize, Serialize};

use crate::ingest::{check_logger_id, zone};

/// The options of an import, with the site and zone that hold for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Options {
    pub(crate) site: String,
    pub(crate) timezone: String,
    pub(crate) logger_id: Option<String>,
    pub(crate) sensor: Option<String>,
    pub(crate) format: Option<FileFormat>,
    pub(crate) ignore_offset: bool,
    /// The mapping that a user gave with this file.
    pub(crate) mapping: Option<ColumnMapping>,
}

impl Options {
    /// The options of a request, for this site and its zone.
    pub(crate) fn new(
        query: &CreateImport,
        site: String,
        site_zone: Tz,
    ) -> Result<Self, Vec<FieldError>> {
        let options = Self {
            site,
            timezone: query
                .timezone
                .clone()
                .unwrap_or_else(|| site_zone.name().to_owned()),
            logger_id: query.logger_id.clone(),
            sensor: query.sensor.clone(),
            format: query.format,
            ignore_offset: query.ignore_offset.unwrap_or(false),
            mapping: None,
        };
        options.check()?;
        Ok(options)
    }

    /// The options with what a user changed.
    pub(crate) fn revised(
        mut self,
        change: ReviseImport,
        site: Option<(String, Tz)>,
    ) -> Result<Self, Vec<FieldError>> {
        if let Some((site, site_zone)) = site {
            self.site = site;
            site_zone.name().clone_into(&mut self.timezone);
        }
        self.timezone = change.timezone.unwrap_or(self.timezone);
        self.logger_id = change.logger_id.or(self.logger_id);
        self.sensor = change.sensor.or(self.sensor);
        self.format = change.format.or(self.format);
        self.ignore_offset = change.ignore_offset.unwrap_or(self.ignore_offset);
        self.mapping = change.mapping.or(self.mapping);
        self.check()?;
        Ok(self)
    }

    fn check(&self) -> Result<(), Vec<FieldError>> {
        let mut faults = Vec::new();
        let mut note = |pointer: &str, result: Result<(), String>| {
            if let Err(detail) = result {
                faults.push(FieldError {
                    pointer: pointer.to_owned(),
                    detail,
                });
            }
        };
        note("/timezone", zone(&self.timezone).map(drop));
        note(
            "/logger_id",
            self.logger_id.as_deref().map_or(Ok(()), check_logger_id),
        );
        if let Some(mapping) = &self.mapping {
            note("/mapping", plant_files::table::check(mapping));
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    /// The zone of local times.
    pub(crate) fn zone(&self) -> Tz {
        self.timezone.parse().unwrap_or(Tz::UTC)
    }

    /// The settings of the reader.
    pub(super) fn settings(&self, filename: &str, mapping: Option<ColumnMapping>) -> Settings {
        let mut settings = Settings::new(&self.site, filename).in_zone(self.zone());
        settings.logger_id.clone_from(&self.logger_id);
        settings.sensor.clone_from(&self.sensor);
        settings.ignore_offset = self.ignore_offset;
        settings.mapping = mapping;
        settings
    }
}
