//! The tools by name, whatever family they are of: what each takes, checked, and who answers.

mod arguments;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use contracts::tools::{ToolDefinition, ToolEnvelope};
use serde::Serialize;
use serde_json::Value;
use service_kit::identity::Identity;

use crate::error::Error;
use arguments::Arguments;

pub use arguments::{SchemaError, read};

/// Tools that share what they work with.
#[async_trait]
pub trait Family: Send + Sync + 'static {
    /// What each is for and takes.
    fn definitions(&self) -> Vec<ToolDefinition>;

    /// Arguments of this tool that have two names, each as the other name and the one of the
    /// schema.
    fn synonyms(&self, _tool: &str) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Calls a tool; returns the envelope as JSON.
    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error>;
}

/// One call of a tool.
pub struct Call<'a> {
    /// Who calls: whose tenant's data are read, and with whose rights.
    pub caller: &'a Identity,
    /// The tool, one of the family's.
    pub name: &'a str,
    /// As the tool's schema has them.
    pub arguments: Value,
}

/// Every tool there is.
pub struct Toolbox {
    families: Vec<Arc<dyn Family>>,
    definitions: Vec<ToolDefinition>,
    /// The place of a tool's family.
    owners: HashMap<String, usize>,
    arguments: Arguments,
}

impl Toolbox {
    /// The tools of these families. Fails when a schema is broken, or a name taken twice.
    pub fn new(families: Vec<Arc<dyn Family>>) -> Result<Self, SchemaError> {
        let mut definitions = Vec::new();
        let mut owners = HashMap::new();
        for (owner, family) in families.iter().enumerate() {
            for definition in family.definitions() {
                if owners.insert(definition.name.clone(), owner).is_some() {
                    return Err(SchemaError::taken(&definition.name));
                }
                definitions.push(definition);
            }
        }
        Ok(Self {
            arguments: Arguments::of(&definitions)?,
            families,
            definitions,
            owners,
        })
    }

    /// What each tool is for and takes.
    pub fn definitions(&self) -> &[ToolDefinition] {
        &self.definitions
    }

    /// One tool's definition.
    pub fn definition(&self, name: &str) -> Result<&ToolDefinition, Error> {
        self.definitions
            .iter()
            .find(|definition| definition.name == name)
            .ok_or_else(|| self.unknown())
    }

    /// Calls a tool on a user's behalf; returns the envelope as JSON.
    pub async fn call(
        &self,
        caller: &Identity,
        name: &str,
        arguments: Value,
    ) -> Result<Vec<u8>, Error> {
        let family = self.owners.get(name).map(|owner| &self.families[*owner]);
        let family = family.ok_or_else(|| self.unknown())?;
        let arguments = self
            .arguments
            .check(name, family.synonyms(name), arguments)?;
        let call = Call {
            caller,
            name,
            arguments,
        };
        match family.call(&call).await {
            Err(Error::NoResult(no_result)) => json(&no_result.into_envelope()),
            answer => answer,
        }
    }

    fn unknown(&self) -> Error {
        Error::UnknownTool(self.definitions.iter().map(|d| d.name.clone()).collect())
    }
}

/// The envelope as it goes out.
pub fn json<T: Serialize>(envelope: &ToolEnvelope<T>) -> Result<Vec<u8>, Error> {
    Ok(serde_json::to_vec(envelope)?)
}
