//! Scopes and roles: what an account, an API key or a token may do.
//!
//! Each operation of the API names its scopes in the OpenAPI document. A role is a named set of
//! scopes. Both lists are here, so that services, command line and documentation agree.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The role of an account. Each role has the scopes of the one before.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Asks questions and reads the tenant's data. The role of a new account.
    Viewer,
    /// Also changes data: readings, plants, documents, own confirmed questions.
    Editor,
    /// Also manages the tenant: accounts, keys and sessions of colleagues, data sources, the
    /// release of confirmed questions, the audit log.
    Administrator,
    /// Also does all this in every tenant.
    InstallationAdministrator,
}

impl Role {
    /// Every role, the one with the fewest scopes first.
    pub const ALL: [Self; 4] = [
        Self::Viewer,
        Self::Editor,
        Self::Administrator,
        Self::InstallationAdministrator,
    ];

    /// The name on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Administrator => "administrator",
            Self::InstallationAdministrator => "installation_administrator",
        }
    }

    /// The role of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The scopes of the role, in the order of [`SCOPES`].
    pub fn scopes(self) -> impl Iterator<Item = &'static str> {
        SCOPES
            .iter()
            .filter(move |scope| scope.from <= self)
            .map(|scope| scope.name)
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The name in tokens and in the OpenAPI documents.
    pub name: &'static str,
    /// The first role that has it.
    pub from: Role,
    /// The things that it allows.
    pub allows: &'static str,
}

/// Every scope that an account can have.
pub const SCOPES: [Scope; 16] = [
    Scope {
        name: "chat",
        from: Role::Viewer,
        allows: "ask assistants; read, search, export and delete own conversations",
    },
    Scope {
        name: "tools:read",
        from: Role::Viewer,
        allows: "call tools; read the tenant's data, own choices and own connected services",
    },
    Scope {
        name: "schedules:write",
        from: Role::Viewer,
        allows: "have questions asked at set times and alerts sent, by mail or webhook",
    },
    Scope {
        name: "measurements:write",
        from: Role::Editor,
        allows: "store readings and irradiance forecasts",
    },
    Scope {
        name: "sites:write",
        from: Role::Editor,
        allows: "create and change plants and loggers, import files",
    },
    Scope {
        name: "documents:write",
        from: Role::Editor,
        allows: "add and delete documents",
    },
    Scope {
        name: "questions:write",
        from: Role::Editor,
        allows: "confirm questions for own use",
    },
    Scope {
        name: "questions:approve",
        from: Role::Administrator,
        allows: "release confirmed questions for the tenant, read catalogues again",
    },
    Scope {
        name: "targets:write",
        from: Role::Administrator,
        allows: "connect databases, search sources, services and collections",
    },
    Scope {
        name: "accounts:read",
        from: Role::Administrator,
        allows: "list accounts, and their sessions and API keys",
    },
    Scope {
        name: "accounts:write",
        from: Role::Administrator,
        allows: "create, change and disable accounts, end sessions, revoke API keys",
    },
    Scope {
        name: "accounts:erase",
        from: Role::Administrator,
        allows: "erase accounts with all data of their users",
    },
    Scope {
        name: "audit:read",
        from: Role::Administrator,
        allows: "read the audit log",
    },
    Scope {
        name: "retention:write",
        from: Role::Administrator,
        allows: "set how long conversations and the audit log of the tenant are kept",
    },
    Scope {
        name: ALL_TENANTS,
        from: Role::InstallationAdministrator,
        allows: "manage accounts, sessions and keys, and read the audit log, of every tenant",
    },
    Scope {
        name: "issuers:write",
        from: Role::InstallationAdministrator,
        allows: "add, change and remove the issuers at which people sign in",
    },
];

/// The scope that extends the management of accounts to every tenant.
pub const ALL_TENANTS: &str = "tenants:all";

/// Whether an account can have this scope.
pub fn is_scope(name: &str) -> bool {
    SCOPES.iter().any(|scope| scope.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_the_scopes_of_the_one_before_and_more() {
        for pair in Role::ALL.windows(2) {
            let (fewer, more): (Vec<_>, Vec<_>) =
                (pair[0].scopes().collect(), pair[1].scopes().collect());
            assert!(fewer.iter().all(|scope| more.contains(scope)));
            assert!(more.len() > fewer.len());
        }
    }

    #[test]
    fn names_on_the_wire_and_in_the_database_agree() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).ok(), Some(role.name().into()));
            assert_eq!(Role::from_name(role.name()), Some(role));
        }
    }
}
