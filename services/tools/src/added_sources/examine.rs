//! Trying a source out, step by step, before it is used.

use std::sync::Arc;

use contracts::sources::{FoundIndex, SourceIndex, SourceTest};
use contracts::targets::TargetTestStep;
use contracts::tools::search::{SourceDescription, SourceKind};
use search_sources::{IndexConfig, Source, SourceError};

use super::settings::{Secrets, Settings};
use super::{AddedSources, Stored, may_connect};
use crate::added;
use crate::added_targets::{Tested, step_name};

/// The outcome of a test.
pub(crate) type Examined = added::Examined<Found>;

pub(crate) struct Found {
    pub(crate) indices: Vec<FoundIndex>,
    /// The settings with the indices that were discovered.
    pub(crate) settings: Settings,
}

impl Found {
    fn nothing(settings: Settings) -> Self {
        Self {
            indices: Vec::new(),
            settings,
        }
    }
}

impl AddedSources {
    /// Tests a source without keeping it, and finds its indices where none are named.
    pub(crate) async fn examine(
        &self,
        tenant: &str,
        name: &str,
        settings: Settings,
        secrets: &Secrets,
    ) -> Examined {
        let address = address_pointer(&settings);
        let mut examined = Examined::new(Found::nothing(settings));
        if let Err(why) = may_connect(self.rows.context(), &examined.found.settings).await {
            return examined.failed("host", address, why);
        }
        if examined.found.settings.kind == SourceKind::Postgresql {
            let (target, password) = examined.found.settings.target(secrets);
            match self.targets.test(tenant, name, &target, &password).await {
                Tested::Refused(why) => return examined.failed("host", address, why),
                Tested::Examined(tried) => {
                    examined.passed("host");
                    for trial in tried.trials {
                        let step = step_name(trial.step);
                        match trial.problem {
                            None => examined.passed(step),
                            Some(why) => {
                                return examined.failed(step, pointer_of(step), why);
                            }
                        }
                    }
                }
            }
        } else {
            examined.passed("host");
        }
        self.look_inside(tenant, name, examined, secrets).await
    }

    /// The steps of a test that ask the source itself.
    async fn look_inside(
        &self,
        tenant: &str,
        name: &str,
        mut examined: Examined,
        secrets: &Secrets,
    ) -> Examined {
        let (kind, with) = (examined.found.settings.kind, self.rows.kind());
        if examined.found.settings.indices.is_empty() && kind != SourceKind::Graphql {
            let config = examined.found.settings.config(tenant, name, secrets);
            let schema = examined.found.settings.schema.clone();
            let found = match Source::added(config, 0, &with.client, Arc::clone(&with.clock)) {
                Ok(source) => {
                    let found = source.discover(schema.as_deref()).await;
                    source.close().await;
                    found
                }
                Err(error) => Err(error),
            };
            match found {
                Ok(found) if found.is_empty() => {
                    return examined.failed("indices", "/indices", nothing_found(kind));
                }
                Ok(found) => examined.found.settings.indices = words_of(&found),
                Err(error) => return unasked(examined, name, &error),
            }
        }
        let config = examined.found.settings.config(tenant, name, secrets);
        let described = match Source::added(config, 0, &with.client, Arc::clone(&with.clock)) {
            Ok(source) => {
                let described = source.describe(tenant).await;
                source.close().await;
                described
            }
            Err(error) => Err(error),
        };
        let described = match described {
            Ok(described) => described,
            Err(error) => return unasked(examined, name, &error),
        };
        if kind != SourceKind::Postgresql {
            examined.passed("connection");
        }
        examined.found.indices = found(&described);
        if let Some(why) = missing(&examined.found.settings, &described) {
            return examined.failed("indices", "/indices", why);
        }
        examined.passed("indices");
        examined
    }

    /// Tests a source as it is.
    pub(crate) async fn examine_stored(&self, stored: &Stored) -> Examined {
        match self.rows.secrets(stored) {
            Ok(secrets) => {
                let settings = stored.settings.clone();
                self.examine(&stored.tenant, &stored.name, settings, &secrets)
                    .await
            }
            Err(why) => {
                let found = Found::nothing(stored.settings.clone());
                Examined::new(found).failed("host", "", why)
            }
        }
    }

    /// Tests a source of the configuration.
    pub(crate) async fn examine_fixed(source: &Source, tenant: &str) -> SourceTest {
        let described = source.describe(tenant).await;
        let problem = described.as_ref().err();
        let problem = problem.map(|error| error.sentence(source.name()));
        let indices = described.map_or_else(|_| Vec::new(), |described| found(&described));
        SourceTest {
            ok: problem.is_none(),
            steps: vec![TargetTestStep {
                step: "connection".to_owned(),
                ok: problem.is_none(),
                problem,
            }],
            indices,
        }
    }
}

/// The member of a request that has the address.
fn address_pointer(settings: &Settings) -> &'static str {
    match settings.kind {
        SourceKind::Postgresql => "/connection/host",
        _ => "/endpoint/url",
    }
}

/// The member that a step of a database's test is about.
fn pointer_of(step: &str) -> &'static str {
    match step {
        "connection" => "/connection/host",
        "encryption" => "/connection/tls",
        "database" => "/connection/database",
        "role" => "/connection/username",
        _ => "/schema",
    }
}

/// A source that does not answer, or does not answer this.
fn unasked(examined: Examined, name: &str, error: &SourceError) -> Examined {
    let why = error.sentence(name);
    let pointer = address_pointer(&examined.found.settings);
    match error {
        SourceError::Unavailable { .. } | SourceError::TimedOut { .. } => {
            examined.failed("connection", pointer, why)
        }
        SourceError::Configuration { .. } => examined.failed("host", pointer, why),
        SourceError::Refused { .. } | SourceError::Failed { .. } => {
            examined.failed("indices", "/indices", why)
        }
    }
}

fn nothing_found(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Postgresql => {
            "The schema has no table that the role may read. Name another schema, or grant SELECT."
        }
        _ => "The source has no index that the credentials may read.",
    }
}

/// What of the settings the source does not have.
fn missing(settings: &Settings, described: &SourceDescription) -> Option<String> {
    let has = |name: &str| described.indices.iter().any(|index| index.name == name);
    let wanted = settings.indices.iter().map(|index| index.name.as_str());
    let missing: Vec<&str> = wanted.filter(|name| !has(name)).collect();
    if !missing.is_empty() {
        let tenant = match &settings.tenant_field {
            Some(field) => format!(", or they have no field '{field}'"),
            None => String::new(),
        };
        return Some(format!(
            "The source does not have these indices{tenant}: {}.",
            missing.join(", ")
        ));
    }
    described
        .indices
        .is_empty()
        .then(|| "The source has nothing that can be asked.".to_owned())
}

fn found(described: &SourceDescription) -> Vec<FoundIndex> {
    let indices = described.indices.iter().map(|index| FoundIndex {
        name: index.name.clone(),
        fields: u32::try_from(index.fields.len()).unwrap_or(u32::MAX),
    });
    indices.collect()
}

/// Discovered indices as settings keep them.
fn words_of(found: &[IndexConfig]) -> Vec<SourceIndex> {
    let found = serde_json::to_value(found).and_then(serde_json::from_value);
    found.unwrap_or_default()
}
