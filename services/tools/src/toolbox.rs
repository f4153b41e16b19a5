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

/// Tools that tenants add while the service runs.
#[async_trait]
pub trait AddedTools: Send + Sync + 'static {
    /// The tools of a tenant. The one of this name may have been added a moment ago.
    async fn of_tenant(&self, tenant: &str, name: Option<&str>) -> Option<Arc<Toolbox>>;

    /// Whether a tenant may use an upstream of the configuration.
    fn serves(&self, upstream: &str, tenant: &str) -> bool;
}

/// Every tool there is.
pub struct Toolbox {
    families: Vec<Arc<dyn Family>>,
    definitions: Vec<ToolDefinition>,
    /// The place of a tool's family.
    owners: HashMap<String, usize>,
    arguments: Arguments,
    /// The tools that tenants add.
    added: Option<Arc<dyn AddedTools>>,
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
            added: None,
        })
    }

    /// The same with what tenants add. A tool of the configuration is used in place of an added one
    /// with its name.
    #[must_use]
    pub fn with_added(self, added: Arc<dyn AddedTools>) -> Self {
        Self {
            added: Some(added),
            ..self
        }
    }

    /// What each tool is for and takes, for a tenant's users.
    pub async fn definitions(&self, tenant: &str) -> Vec<ToolDefinition> {
        let mut definitions: Vec<ToolDefinition> = self.definitions.clone();
        let Some(added) = &self.added else {
            return definitions;
        };
        definitions.retain(|one| self.is_for(one, tenant));
        if let Some(tools) = added.of_tenant(tenant, None).await {
            for tool in &tools.definitions {
                if !definitions.iter().any(|one| one.name == tool.name) {
                    definitions.push(tool.clone());
                }
            }
        }
        definitions
    }

    /// One tool's definition, for a tenant's users.
    pub async fn definition(&self, tenant: &str, name: &str) -> Result<ToolDefinition, Error> {
        let found = match self.added(tenant, name).await {
            Some(tools) => tools.own(name).cloned(),
            None => self.own(name).cloned(),
        };
        match found {
            Some(found) => Ok(found),
            None => Err(self.unknown(tenant).await),
        }
    }

    /// Whether the product or its configuration has a tool of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.owners.contains_key(name)
    }

    fn own(&self, name: &str) -> Option<&ToolDefinition> {
        self.definitions.iter().find(|one| one.name == name)
    }

    fn is_for(&self, tool: &ToolDefinition, tenant: &str) -> bool {
        match (&tool.upstream, &self.added) {
            (Some(upstream), Some(added)) => added.serves(upstream, tenant),
            _ => true,
        }
    }

    /// The tools that a tenant added, if they have the one of this name.
    async fn added(&self, tenant: &str, name: &str) -> Option<Arc<Toolbox>> {
        if self.own(name).is_some_and(|tool| self.is_for(tool, tenant)) {
            return None;
        }
        let tools = self.added.as_ref()?.of_tenant(tenant, Some(name)).await?;
        tools.has(name).then_some(tools)
    }

    /// Calls a tool on a user's behalf; returns the envelope as JSON.
    pub async fn call(
        &self,
        caller: &Identity,
        name: &str,
        arguments: Value,
    ) -> Result<Vec<u8>, Error> {
        match self.added(&caller.tenant, name).await {
            Some(tools) => tools.call_own(caller, name, arguments).await,
            None if self.has(name) => self.call_own(caller, name, arguments).await,
            None => Err(self.unknown(&caller.tenant).await),
        }
    }

    async fn call_own(
        &self,
        caller: &Identity,
        name: &str,
        arguments: Value,
    ) -> Result<Vec<u8>, Error> {
        let family = self.owners.get(name).map(|owner| &self.families[*owner]);
        let family = family.ok_or(Error::UnknownTool(Vec::new()))?;
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

    async fn unknown(&self, tenant: &str) -> Error {
        let definitions = self.definitions(tenant).await;
        Error::UnknownTool(definitions.into_iter().map(|one| one.name).collect())
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
