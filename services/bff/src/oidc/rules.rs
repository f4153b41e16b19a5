//! The tenant and the role of a person, by the groups at the provider.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contracts::access::Role;
use contracts::names;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::config::{IssuerConfig, Rule};

/// The longest name of an account that is made here, in characters.
const LONGEST_NAME: usize = 100;

/// Maximum number of groups of an account: they are in its tokens.
pub(crate) const MOST_GROUPS: usize = 50;

/// A person that a provider vouches for, and the place that the rules give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    /// The provider, as its tokens name it.
    pub(crate) issuer: String,
    /// The provider's name in the configuration.
    pub(crate) issuer_name: String,
    /// `sub` at the provider.
    pub(crate) subject: String,
    /// A name for the account.
    pub(crate) name: String,
    pub(crate) tenant: String,
    pub(crate) role: Role,
    /// Groups at the provider, which open collections of documents.
    pub(crate) groups: Vec<String>,
}

impl Person {
    /// The person of these claims; `None` when no rule fits.
    pub(crate) fn of(config: &IssuerConfig, claims: &Map<String, Value>) -> Option<Self> {
        let groups = groups(claims, &config.groups_claim);
        let fits = |rule: &&Rule| match &rule.group {
            Some(group) => groups.contains(&group.as_str()),
            None => true,
        };
        let rule = config.rules.iter().find(fits)?;
        let subject = claims.get("sub")?.as_str()?;
        let acceptable = |name: &String| !name.is_empty() && names::checked_strictly(name).is_ok();
        let named = [config.name_claim.as_str(), "email", "name"]
            .into_iter()
            .find_map(|claim| claims.get(claim)?.as_str())
            .map(cleaned)
            .filter(acceptable)
            .or_else(|| Some(cleaned(subject)).filter(acceptable));
        Some(Self {
            issuer: config.issuer.clone(),
            issuer_name: config.name.clone(),
            subject: subject.to_owned(),
            name: named.unwrap_or_else(|| substitute(&config.name, subject)),
            tenant: rule.tenant.clone(),
            role: rule.role,
            groups: named_groups(&groups),
        })
    }
}

/// The name of a person whose own names are not acceptable: the same at each sign-in.
fn substitute(issuer: &str, subject: &str) -> String {
    let digest = URL_SAFE_NO_PAD.encode(&Sha256::digest(subject)[..6]);
    format!("{issuer}-{digest}")
}

/// Groups as an account keeps them, in the order of their names.
fn named_groups(groups: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = groups.iter().map(|group| cleaned(group)).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names.truncate(MOST_GROUPS);
    names
}

fn cleaned(name: &str) -> String {
    let name = names::cleaned(name);
    let beginning: String = name.chars().take(LONGEST_NAME).collect();
    beginning.trim_end().to_owned()
}

/// The texts of a claim, which is a list or a single text, at a name or a path.
fn groups<'a>(claims: &'a Map<String, Value>, claim: &str) -> Vec<&'a str> {
    let whole = claims.get(claim);
    let found = whole.or_else(|| {
        let mut parts = claim.split('.');
        let first = claims.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    });
    match found {
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(groups_claim: &str, claims: &Value) -> Option<(String, String, Role)> {
        let config: IssuerConfig = serde_json::from_value(json!({
            "name": "id", "issuer": "https://id", "client_id": "heliograph", "groups_claim": groups_claim,
            "rules": [
                { "group": "bosses", "tenant": "acme", "role": "administrator" },
                { "group": "acme", "tenant": "acme" },
                { "group": "other", "tenant": "other", "role": "editor" },
            ],
        }))
        .unwrap();
        let person = Person::of(&config, claims.as_object().unwrap())?;
        Some((person.name, person.tenant, person.role))
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let of = |name: &str, tenant: &str, role| Some((name.to_owned(), tenant.to_owned(), role));
        let claims = |groups: Value| json!({ "sub": "s1", "preferred_username": " ada\n", "groups": groups });
        assert_eq!(
            place("groups", &claims(json!(["other", "acme", "bosses"]))),
            of("ada", "acme", Role::Administrator)
        );
        assert_eq!(
            place("groups", &claims(json!("acme"))),
            of("ada", "acme", Role::Viewer)
        );
        assert_eq!(place("groups", &claims(json!(["Acme"]))), None);
        assert_eq!(place("groups", &claims(json!(null))), None);
        let nested = json!({ "sub": "s1", "realm_access": { "roles": ["other"] } });
        assert_eq!(
            place("realm_access.roles", &nested),
            of("s1", "other", Role::Editor)
        );
        let literal = json!({ "sub": "s1", "email": "a@b", "https://x.y/groups": ["other"] });
        assert_eq!(
            place("https://x.y/groups", &literal),
            of("a@b", "other", Role::Editor)
        );
    }

    #[test]
    fn a_person_without_an_acceptable_name_gets_one() {
        let name = |claims: Value| {
            let (name, ..) = place("groups", &claims).unwrap();
            name
        };
        let claims = |name: &str, subject: &str| json!({ "sub": subject, "preferred_username": name, "groups": "acme" });
        assert_eq!(name(claims("..", "s1")), "s1");
        // A Cyrillic letter among Latin ones.
        let mixed = "r\u{456}co";
        let substitute = name(claims(mixed, mixed));
        assert!(substitute.starts_with("id-"), "{substitute}");
        assert_eq!(substitute, name(claims(mixed, mixed)));
        assert_ne!(substitute, name(claims(mixed, "..")));
        assert!(names::checked_strictly(&substitute).is_ok());
    }
}
