//! Options of `issuers`.

use clap::{Args, Subcommand};

/// Options of `issuers`.
#[derive(Debug, Subcommand)]
pub enum IssuersCommand {
    /// Lists the issuers at which people sign in, and the addresses to register at a new one.
    List,
    /// Adds an issuer, after a test. Requires the scope `issuers:write`, as do the other commands.
    Add(AddIssuer),
    /// Tests an issuer step by step.
    Test {
        /// The name of the issuer.
        name: String,
    },
    /// Shows an issuer with its rules.
    Show {
        /// The name of the issuer.
        name: String,
    },
    /// Changes an issuer that was added; another client id or secret is tested first. Settings that
    /// are not named stay.
    Change(ChangedIssuer),
    /// Removes an issuer that was added, and ends the sessions that began there.
    Remove {
        /// The name of the issuer.
        name: String,
        /// The name again, as a safeguard.
        #[arg(long)]
        confirm: String,
    },
}

/// Options of `issuers add`.
#[derive(Debug, Args)]
pub struct AddIssuer {
    /// The name of the issuer in addresses: letters, digits and -.
    pub name: String,
    /// The issuer, exactly as its tokens name it.
    pub issuer: String,
    /// The id of this service at the issuer, whose secret is asked for.
    #[arg(long)]
    pub client_id: String,
    /// There is no secret: a public client.
    #[arg(long)]
    pub public_client: bool,
    /// The other settings.
    #[command(flatten)]
    pub settings: IssuerSettings,
    /// Only tests the issuer.
    #[arg(long)]
    pub test: bool,
}

/// Options of `issuers change`.
#[derive(Debug, Args)]
pub struct ChangedIssuer {
    /// The name of the issuer.
    pub name: String,
    /// Another id of this service at the issuer.
    #[arg(long)]
    pub client_id: Option<String>,
    /// Asks for another secret.
    #[arg(long)]
    pub secret: bool,
    /// The other settings.
    #[command(flatten)]
    pub settings: IssuerSettings,
}

/// Settings that have a default.
#[derive(Debug, Args)]
pub struct IssuerSettings {
    /// A rule, `GROUP=TENANT:ROLE`; without a group for every person of the issuer, without a role
    /// for viewers. Can be repeated: the first one that fits decides.
    #[arg(long = "rule", value_name = "RULE")]
    pub rules: Vec<String>,
    /// The label of the button of the sign-in page.
    #[arg(long)]
    pub label: Option<String>,
    /// A scope to ask for, beside `openid`; can be repeated. Default: profile and email.
    #[arg(long = "scope", value_name = "SCOPE")]
    pub scopes: Vec<String>,
    /// The audience of access tokens that are accepted as bearer tokens.
    #[arg(long)]
    pub audience: Option<String>,
    /// The claim with the groups of a person. Default: groups.
    #[arg(long)]
    pub groups_claim: Option<String>,
    /// The claim with the name of a person. Default: `preferred_username`.
    #[arg(long)]
    pub name_claim: Option<String>,
    /// The address of the page. Default: that of the configuration, or of `--server`.
    #[arg(long)]
    pub public_url: Option<String>,
}
