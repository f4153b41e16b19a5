//! Options of the commands for accounts, sessions, API keys and the audit log.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use contracts::access::Role;

/// Options of `account`.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Creates an account.
    Add {
        /// The user name.
        username: String,
        /// The tenant whose data the account can read. Default: yours.
        #[arg(long)]
        tenant: Option<String>,
        /// The role. Default: viewer.
        #[arg(long, value_enum, conflicts_with = "scopes")]
        role: Option<RoleName>,
        /// A scope in place of a role; can be repeated.
        #[arg(long = "scope")]
        scopes: Vec<String>,
    },
    /// Lists the accounts that you manage.
    List {
        /// Only accounts of this tenant.
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Shows an account.
    Show {
        /// The user name.
        username: String,
    },
    /// Sets the role of an account.
    Role {
        /// The user name.
        username: String,
        /// The role.
        #[arg(value_enum)]
        role: RoleName,
    },
    /// Replaces the role of an account by a list of scopes.
    Scopes {
        /// The user name.
        username: String,
        /// A scope of the account; can be repeated.
        #[arg(long = "scope", required = true)]
        scopes: Vec<String>,
    },
    /// Disables an account: its sessions and tokens end at once.
    Disable {
        /// The user name.
        username: String,
    },
    /// Enables a disabled account.
    Enable {
        /// The user name.
        username: String,
    },
    /// Sets a new password and ends the sessions and tokens of the account.
    Password {
        /// The user name. Default: your own account.
        username: Option<String>,
    },
    /// Erases an account and all data of its user in every service. This cannot be undone.
    Erase {
        /// The user name.
        username: String,
        /// The user name again, as a safeguard.
        #[arg(long)]
        confirm: String,
    },
    /// Shows your own account, its scopes and limits.
    Me,
    /// Writes everything that is kept of you, as JSON.
    Export {
        /// The file to write. Default: standard output.
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// Creates the first account that manages all others, in the database that is configured.
    FirstAdministrator {
        /// The user name.
        username: String,
        /// The tenant whose data the account can read.
        #[arg(long, default_value = "demo")]
        tenant: String,
        /// If the account exists, sets its password and role, and enables it.
        #[arg(long)]
        recover: bool,
        /// A file whose first line is the password. Default: it is asked for.
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
    },
}

/// The role of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleName {
    /// Asks questions and reads the tenant's data.
    Viewer,
    /// Also changes data.
    Editor,
    /// Also manages the tenant.
    Administrator,
    /// Also manages every other tenant.
    InstallationAdministrator,
}

impl RoleName {
    /// The role on the wire.
    pub fn role(self) -> Role {
        match self {
            Self::Viewer => Role::Viewer,
            Self::Editor => Role::Editor,
            Self::Administrator => Role::Administrator,
            Self::InstallationAdministrator => Role::InstallationAdministrator,
        }
    }
}

/// Options of `session`.
#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// Lists the sign-ins that still count.
    List {
        /// The account. Default: yours.
        #[arg(long)]
        account: Option<String>,
    },
    /// Ends a sign-in.
    End {
        /// The id of the sign-in.
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Ends every sign-in except this one.
        #[arg(long, conflicts_with = "id")]
        all: bool,
        /// The account. Default: yours.
        #[arg(long)]
        account: Option<String>,
    },
}

/// Options of `key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Creates an API key and prints it. It cannot be shown again.
    Create {
        /// A name, to recognise the key.
        name: String,
        /// A scope of the key; can be repeated. Default: chat, tools:read.
        #[arg(long = "scope")]
        scopes: Vec<String>,
        /// Days until the key expires. Default: 90.
        #[arg(long)]
        days: Option<u32>,
    },
    /// Lists API keys.
    List {
        /// The account. Default: yours.
        #[arg(long)]
        account: Option<String>,
    },
    /// Revokes an API key.
    Revoke {
        /// The id of the key.
        id: String,
        /// The account. Default: yours.
        #[arg(long)]
        account: Option<String>,
    },
}

/// Options of `audit`.
#[derive(Debug, Default, Args)]
pub struct AuditOptions {
    /// Another tenant than yours.
    #[arg(long)]
    pub tenant: Option<String>,
    /// Only entries of this operation, such as `login` or `create_account`.
    #[arg(long)]
    pub action: Option<String>,
    /// Only entries of this account.
    #[arg(long)]
    pub actor: Option<String>,
    /// Only entries with this outcome: done, refused or failed.
    #[arg(long)]
    pub outcome: Option<String>,
    /// Only entries from this moment on: `2026-11-23T08:00:00Z`.
    #[arg(long)]
    pub since: Option<String>,
    /// Only entries before this moment.
    #[arg(long)]
    pub until: Option<String>,
    /// Maximum number of entries.
    #[arg(long, default_value_t = 50)]
    pub limit: u32,
    /// Prints one JSON object per line.
    #[arg(long)]
    pub json: bool,
}
