//! `/api/issuers`: the identity providers at which people sign in (`OpenID` Connect).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::Role;
use crate::targets::TargetTestStep;

/// An issuer to be added, or tested.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewIssuer {
    /// The name in paths, such as `/auth/oidc/company/callback`. It cannot be changed.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[A-Za-z0-9-]+$",
        example = "company"
    )]
    pub name: String,
    /// The label of the button of the sign-in page. Default: the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100, example = "Company")]
    pub label: Option<String>,
    /// The issuer, exactly as its tokens name it. It cannot be changed.
    #[schema(
        min_length = 1,
        max_length = 2000,
        example = "https://id.example.com/realms/main"
    )]
    pub issuer: String,
    /// The id of this service at the issuer.
    #[schema(min_length = 1, max_length = 1000, example = "heliograph")]
    pub client_id: String,
    /// The secret of this service at the issuer. It is stored encrypted, and no answer has it.
    /// Absent: a public client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 4096, format = Password)]
    pub client_secret: Option<String>,
    /// The scopes to ask for, beside `openid`. Default: `profile` and `email`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub scopes: Option<Vec<String>>,
    /// The audience of access tokens that are accepted as bearer tokens. Absent: none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub audience: Option<String>,
    /// The claim with the groups of a person: a name, or a path such as `realm_access.roles`.
    /// Default: `groups`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub groups_claim: Option<String>,
    /// The claim with the name of a person. Default: `preferred_username`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub name_claim: Option<String>,
    /// The address of the page, to which the issuer sends browsers back. Default: that of the
    /// configuration, otherwise the address that this request was sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000, example = "https://solar.example.com")]
    pub public_url: Option<String>,
    /// The rules for persons who may sign in. The first one that fits decides.
    #[schema(min_items = 1, max_items = 200)]
    pub rules: Vec<IssuerRule>,
}

/// A secret must not reach a log through `{:?}`.
impl std::fmt::Debug for NewIssuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewIssuer")
            .field("name", &self.name)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

/// Changes of an issuer. What is absent stays; an empty text removes what can be absent.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeIssuer {
    /// Another label of the button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100)]
    pub label: Option<String>,
    /// Another id of this service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 1000)]
    pub client_id: Option<String>,
    /// Another secret of this service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 4096, format = Password)]
    pub client_secret: Option<String>,
    /// Other scopes to ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub scopes: Option<Vec<String>>,
    /// Another audience of access tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub audience: Option<String>,
    /// Another claim with the groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 255)]
    pub groups_claim: Option<String>,
    /// Another claim with the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 255)]
    pub name_claim: Option<String>,
    /// Another address of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub public_url: Option<String>,
    /// The rules in place of those before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1, max_items = 200)]
    pub rules: Option<Vec<IssuerRule>>,
}

/// A secret must not reach a log through `{:?}`.
impl std::fmt::Debug for ChangeIssuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChangeIssuer").finish_non_exhaustive()
    }
}

/// A rule for persons of an issuer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IssuerRule {
    /// The group that a person must be in. Absent: every person of the issuer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 255)]
    pub group: Option<String>,
    /// The tenant of the account.
    #[schema(min_length = 1, max_length = 64)]
    pub tenant: String,
    /// The role of the account. Default: `viewer`.
    #[serde(default = "viewer")]
    pub role: Role,
}

fn viewer() -> Role {
    Role::Viewer
}

/// The issuers of the installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssuerList {
    /// The issuers, those of the configuration first.
    pub issuers: Vec<IssuerInfo>,
    /// The address of the page for a new issuer that names no other.
    pub public_url: String,
}

/// An issuer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssuerInfo {
    /// The name in paths.
    pub name: String,
    /// The label of the button of the sign-in page.
    pub label: String,
    /// The issuer.
    pub issuer: String,
    /// The id of this service at the issuer.
    pub client_id: String,
    /// Whether there is a secret of this service.
    pub has_secret: bool,
    /// The scopes to ask for, beside `openid`.
    pub scopes: Vec<String>,
    /// The audience of access tokens that are accepted as bearer tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// The claim with the groups of a person.
    pub groups_claim: String,
    /// The claim with the name of a person.
    pub name_claim: String,
    /// The rules, in order.
    pub rules: Vec<IssuerRule>,
    /// The addresses to register at the issuer.
    pub addresses: IssuerAddresses,
    /// Whether it is in a configuration file: it cannot be changed here.
    pub fixed: bool,
    /// Whether an issuer of the configuration with the same name or address is used in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaced_by_fixed: bool,
    /// Why it cannot be used at all. An issuer that is away shows in its test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// When it was added. Absent for issuers of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
    /// When it was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
}

/// The addresses of this service to register at an issuer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssuerAddresses {
    /// The redirect URI.
    #[schema(example = "https://solar.example.com/auth/oidc/company/callback")]
    pub redirect: String,
    /// The post-logout redirect URI.
    #[schema(example = "https://solar.example.com/")]
    pub post_logout_redirect: String,
    /// The back-channel logout URI.
    #[schema(example = "https://solar.example.com/auth/oidc/company/logout")]
    pub backchannel_logout: String,
}

/// The outcome of a test, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssuerTest {
    /// Whether every step passed.
    pub ok: bool,
    /// The steps in order: `host`, `discovery`, `issuer` (the document names it exactly),
    /// `endpoints` (they are encrypted), `keys`, `client` (its id and secret are accepted); the
    /// last one is that which failed.
    pub steps: Vec<TargetTestStep>,
    /// The addresses to register at the issuer. A test cannot see whether they are.
    pub addresses: IssuerAddresses,
}
