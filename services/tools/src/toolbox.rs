//! The tools by name, whatever family they are of: what each takes, checked, and who answers.

mod arguments;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use contracts::tools::registry::{definitions, descriptor};
use contracts::tools::{Descriptor, Tool, ToolDefinition, ToolEnvelope};
use serde::Serialize;
use serde_json::Value;
use service_kit::identity::Identity;

use crate::error::Error;
use arguments::Arguments;

pub use arguments::{SchemaError, read};

/// Tools that share what they work with.
#[async_trait]
pub trait Family: Send + Sync + 'static {
    /// Its tools, where the contract has them; see `dispatch`.
    fn tools(&self) -> &'static [Descriptor] {
        &[]
    }

    /// What each is for and takes.
    fn definitions(&self) -> Vec<ToolDefinition> {
        definitions(self.tools())
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
        let tool = descriptor(name);
        let synonyms = tool.map_or(&[][..], |tool| tool.synonyms);
        let arguments = self.arguments.check(name, synonyms, arguments)?;
        for scope in tool.map_or(&[][..], |tool| tool.scopes) {
            caller.require_scope(scope).map_err(Error::Forbidden)?;
        }
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

/// Calls the function `run` of the module that has the name of the tool, for each tool of a list
/// of the contract: `contracts::solar_tools!(dispatch [self, call, tenant])`. Without such a
/// module, or with other types, it does not compile.
macro_rules! dispatch {
    ([$family:expr, $call:expr, $caller:expr] $($name:ident $module:ident $tool:ty,)*) => {
        match $call.name {
            $(
                <$tool as contracts::tools::Tool>::NAME => {
                    let arguments = $crate::toolbox::arguments_of::<$tool>($call)?;
                    let envelope = $module::run($family, $caller, arguments).await?;
                    $crate::toolbox::answer_of::<$tool>(&envelope)
                }
            )*
            _ => Err($crate::error::Error::UnknownTool(Vec::new())),
        }
    };
}

pub(crate) use dispatch;

/// The arguments of a call of this tool.
pub(crate) fn arguments_of<T: Tool>(call: &Call<'_>) -> Result<T::Arguments, Error> {
    read(&call.arguments)
}

/// The answer of this tool as it goes out.
pub(crate) fn answer_of<T: Tool>(envelope: &ToolEnvelope<T::Result>) -> Result<Vec<u8>, Error> {
    json(envelope)
}
