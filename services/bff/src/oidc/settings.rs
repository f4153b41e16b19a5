//! Settings of a provider as administrators send them.

use contracts::issuers::{ChangeIssuer, IssuerRule, NewIssuer};
use contracts::names;
use reqwest::Url;
use secrecy::SecretString;
use service_kit::config::{Invalid, Validate};
use service_kit::problem::ApiError;

use super::config::{IssuerConfig, Rule, default_groups_claim, default_name_claim, default_scopes};
use super::store::Settings;

/// The longest texts, in characters, as the OpenAPI document has them.
const LONGEST_NAME: usize = 64;
const LONGEST_LABEL: usize = 100;
const LONGEST_URL: usize = 2_000;
const LONGEST_CLIENT: usize = 1_000;
const LONGEST_SECRET: usize = 4_096;
const LONGEST_CLAIM: usize = 255;
const LONGEST_SCOPE: usize = 255;
const LONGEST_GROUP: usize = 255;

/// Maximum numbers of scopes and rules.
const MOST_SCOPES: usize = 50;
const MOST_RULES: usize = 200;

impl Settings {
    /// The settings of a new provider.
    pub(crate) fn of(new: NewIssuer) -> Result<Self, ApiError> {
        let claim = |given: Option<String>, usual: fn() -> String| {
            filled(&given.unwrap_or_default()).unwrap_or_else(usual)
        };
        let settings = Self {
            issuer: IssuerConfig {
                name: new.name,
                label: filled(&new.label.unwrap_or_default()),
                issuer: new.issuer.trim().to_owned(),
                client_id: new.client_id.trim().to_owned(),
                client_secret: secret(new.client_secret.unwrap_or_default()),
                client_secret_file: None,
                scopes: new.scopes.unwrap_or_else(default_scopes),
                audience: filled(&new.audience.unwrap_or_default()),
                groups_claim: claim(new.groups_claim, default_groups_claim),
                name_claim: claim(new.name_claim, default_name_claim),
                rules: new.rules.into_iter().map(Rule::from).collect(),
            },
            public_url: filled(&new.public_url.unwrap_or_default()),
        };
        settings.checked()
    }

    /// The settings after a change. The secret stays that of `self` where none is given.
    pub(crate) fn changed(mut self, change: ChangeIssuer) -> Result<Self, ApiError> {
        let issuer = &mut self.issuer;
        if let Some(label) = change.label {
            issuer.label = filled(&label);
        }
        if let Some(id) = change.client_id {
            id.trim().clone_into(&mut issuer.client_id);
        }
        if let Some(given) = change.client_secret {
            issuer.client_secret = secret(given);
        }
        if let Some(scopes) = change.scopes {
            issuer.scopes = scopes;
        }
        if let Some(audience) = change.audience {
            issuer.audience = filled(&audience);
        }
        if let Some(claim) = change.groups_claim {
            issuer.groups_claim = filled(&claim).unwrap_or_else(default_groups_claim);
        }
        if let Some(claim) = change.name_claim {
            issuer.name_claim = filled(&claim).unwrap_or_else(default_name_claim);
        }
        if let Some(rules) = change.rules {
            issuer.rules = rules.into_iter().map(Rule::from).collect();
        }
        if let Some(url) = change.public_url {
            self.public_url = filled(&url);
        }
        self.checked()
    }

    fn checked(self) -> Result<Self, ApiError> {
        let issuer = &self.issuer;
        let invalid = |pointer: &str, why: String| Err(ApiError::invalid_field(pointer, why));
        let texts = [
            ("/name", Some(&issuer.name), LONGEST_NAME),
            ("/label", issuer.label.as_ref(), LONGEST_LABEL),
            ("/issuer", Some(&issuer.issuer), LONGEST_URL),
            ("/client_id", Some(&issuer.client_id), LONGEST_CLIENT),
            ("/audience", issuer.audience.as_ref(), LONGEST_URL),
            ("/groups_claim", Some(&issuer.groups_claim), LONGEST_CLAIM),
            ("/name_claim", Some(&issuer.name_claim), LONGEST_CLAIM),
            ("/public_url", self.public_url.as_ref(), LONGEST_URL),
        ];
        for (pointer, text, longest) in texts {
            if let Some(why) = text.and_then(|text| unfit(text, longest)) {
                return invalid(pointer, why);
            }
        }
        if let Some(why) = issuer.client_secret.as_ref().and_then(unfit_secret) {
            return invalid("/client_secret", why);
        }
        if issuer.scopes.len() > MOST_SCOPES {
            return invalid("/scopes", format!("must be at most {MOST_SCOPES} scopes"));
        }
        let is_scope = |scope: &String| {
            (1..=LONGEST_SCOPE).contains(&scope.len())
                && scope.bytes().all(|b| b.is_ascii_graphic())
        };
        if !issuer.scopes.iter().all(is_scope) {
            return invalid("/scopes", "a scope is a word without blanks".to_owned());
        }
        if issuer.rules.len() > MOST_RULES {
            return invalid("/rules", format!("must be at most {MOST_RULES} rules"));
        }
        for (at, rule) in issuer.rules.iter().enumerate() {
            let group = rule.group.as_ref();
            let why = group.and_then(|group| unfit(group, LONGEST_GROUP));
            if let Some(why) = why {
                return invalid(&format!("/rules/{at}/group"), why);
            }
            let tenant = &rule.tenant;
            let why = match names::checked_strictly(tenant) {
                Ok(stored) if stored == *tenant => None,
                Ok(_) => Some("must have no blanks around it".to_owned()),
                Err(fault) => Some(fault.to_string()),
            };
            if let Some(why) = why {
                return invalid(&format!("/rules/{at}/tenant"), why);
            }
        }
        if let Err(Invalid { key, reason }) = issuer.validate() {
            return invalid(&format!("/{key}"), reason);
        }
        if Url::parse(&issuer.issuer).is_ok_and(|url| !is_bare(&url)) {
            let why = "must be an address without a user, a query and a fragment".to_owned();
            return invalid("/issuer", why);
        }
        if let Some(url) = &self.public_url
            && !is_page(url)
        {
            let why =
                "must be the address of the page without a path, such as https://solar.example.com"
                    .to_owned();
            return invalid("/public_url", why);
        }
        Ok(self)
    }
}

impl From<IssuerRule> for Rule {
    fn from(rule: IssuerRule) -> Self {
        Self {
            group: rule.group,
            tenant: rule.tenant,
            role: rule.role,
        }
    }
}

impl From<&Rule> for IssuerRule {
    fn from(rule: &Rule) -> Self {
        Self {
            group: rule.group.clone(),
            tenant: rule.tenant.clone(),
            role: rule.role,
        }
    }
}

/// A text without blanks around it; `None` for an empty one.
fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn secret(text: String) -> Option<SecretString> {
    (!text.is_empty()).then(|| text.into())
}

/// Why a text cannot be taken.
fn unfit(text: &str, longest: usize) -> Option<String> {
    let plain = !text.chars().any(char::is_control);
    if plain && (1..=longest).contains(&text.chars().count()) {
        return None;
    }
    Some(format!(
        "must have 1 to {longest} characters, without control characters"
    ))
}

fn unfit_secret(secret: &SecretString) -> Option<String> {
    use secrecy::ExposeSecret as _;
    unfit(secret.expose_secret(), LONGEST_SECRET)
}

fn is_bare(url: &Url) -> bool {
    url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
}

fn is_page(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && is_bare(&url) && url.path() == "/"
    })
}
