//! What looks like a credential in what callers attach to a thread: it is dropped before anything
//! is stored, and is never shown.
//!
//! A member is dropped for its name ("accessToken", "X-API-Key", "client secret", in any style) or
//! for the shape of its value (a JWT, a key of a well-known service, a private key, an
//! `Authorization` header), at any depth. Messages are not looked at: they are the person's own
//! words.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

/// Names, in lower case and without what separates their words, that are credentials wherever they
/// are in a name.
const PARTS: [&str; 27] = [
    "password",
    "passwd",
    "passphrase",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "authtoken",
    "sessiontoken",
    "bearertoken",
    "apitoken",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "signingkey",
    "clientsecret",
    "authorization",
    "credential",
    // The same in German, Dutch, French, Spanish, Italian and Portuguese.
    "passwort",
    "kennwort",
    "zugangsdaten",
    "wachtwoord",
    "motdepasse",
    "contrase\u{f1}a",
    "contrasena",
    "parolachiave",
    "palavrapasse",
];

/// Words that make a name that of a credential when they end it, alone or behind others
/// (`csrf_token`, but not `token_count`).
const LAST_WORDS: [&str; 19] = [
    "token",
    "secret",
    "secrets",
    "cookie",
    "cookies",
    "pwd",
    "auth",
    "bearer",
    "jwt",
    "sessionid",
    "pin",
    "puk",
    "otp",
    "totp",
    "cvv",
    "cvc",
    "pat",
    "geheimnis",
    "senha",
];

/// Values that are credentials whatever they are called.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        // A JWT.
        r"\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*",
        // Keys of well-known services.
        r"\b[srp]k[-_][A-Za-z0-9_-]{16,}",
        r"\bgh[pousr]_[A-Za-z0-9]{16,}",
        r"\bgithub_pat_[A-Za-z0-9_]{16,}",
        r"\bglpat-[A-Za-z0-9_-]{16,}",
        r"\bxox[a-z]-[A-Za-z0-9-]{10,}",
        r"\bxapp-[A-Za-z0-9-]{10,}",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        r"\bAIza[A-Za-z0-9_-]{30,}",
        r"\bhf_[A-Za-z0-9]{20,}",
        r"\bnpm_[A-Za-z0-9]{30,}",
        // Private keys.
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
        // The value of a header, and addresses with a password.
        r"\b(?i:bearer)\s+(?:[A-Za-z0-9.-]*[0-9_~+/=][A-Za-z0-9._~+/=-]*|[A-Za-z0-9._~+/=-]{20,})",
        r"\b(?i:basic)\s+(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)",
        r"(?i:authorization)\s*[:=]\s*(?i:basic|digest|negotiate)\s+\S",
        r"[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@",
    ];
    Regex::new(&shapes.join("|")).ok()
});

/// The attached data, without members that look like a credential.
pub(crate) fn without_secrets(attached: Map<String, Value>) -> Map<String, Value> {
    let kept = attached.into_iter().filter_map(|(name, value)| {
        let value = if is_flag(&value) {
            // It says something about a credential, or takes one away.
            value
        } else if is_secret_name(&name) || has_secret_shape(&name) {
            return None;
        } else {
            harmless(value)?
        };
        Some((name, value))
    });
    kept.collect()
}

/// A value without what looks like a credential; `None` when all of it does.
fn harmless(value: Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => return harmless_text(text).map(Value::String),
        Value::Array(items) => items.into_iter().filter_map(harmless).collect(),
        Value::Object(members) => Value::Object(without_secrets(members)),
        value => value,
    })
}

/// A text without what looks like a credential. JSON in a text is read as what it holds; a text
/// without a credential stays as it is.
fn harmless_text(text: String) -> Option<String> {
    if text.trim_start().starts_with(['{', '['])
        && let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&text)
    {
        let left = harmless(inner.clone())?;
        return Some(if left == inner {
            text
        } else {
            left.to_string()
        });
    }
    (!has_secret_shape(&text)).then_some(text)
}

fn is_flag(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_))
}

fn is_secret_name(name: &str) -> bool {
    let joined: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    if PARTS.iter().any(|part| joined.contains(part)) {
        return true;
    }
    let last = last_word(name);
    LAST_WORDS
        .iter()
        .any(|word| last == *word || joined == *word)
}

/// The last word of a name in any style: camel, snake, kebab, or with spaces.
fn last_word(name: &str) -> String {
    let name = name.trim_end_matches(|c: char| !c.is_alphabetic());
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in name.char_indices() {
        if !c.is_alphanumeric() {
            start = at + c.len_utf8();
        } else if c.is_uppercase() && before.is_lowercase() {
            start = at;
        }
        before = c;
    }
    name[start..].to_lowercase()
}

fn has_secret_shape(text: &str) -> bool {
    SHAPES.as_ref().is_none_or(|shapes| shapes.is_match(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn left(value: Value) -> Value {
        harmless(value).unwrap_or_default()
    }

    #[test]
    fn credentials_are_known_by_their_names_in_any_style_and_depth() {
        for name in [
            "accessToken",
            "access_token",
            "ACCESS-TOKEN",
            "cc_access_token",
            "refreshToken",
            "id token",
            "Authorization",
            "api_key",
            "X-API-Key",
            "apikey",
            "password",
            "userPassword",
            "DB_PWD",
            "secret",
            "clientSecret",
            "Cookie",
            "set-cookie",
            "token",
            "csrfToken",
            "private_key",
            "credentials",
            "auth",
            "token2",
            "pin",
            "cardPin",
            "Passwort",
            "db_kennwort",
            "wachtwoord",
            "mot_de_passe",
            "contrase\u{f1}a",
        ] {
            let value = json!({ "a": [{ name: "x", "b": 1 }] });
            assert_eq!(left(value), json!({ "a": [{ "b": 1 }] }), "{name}");
        }
    }

    #[test]
    fn what_only_sounds_like_one_stays() {
        let value = json!({
            "shipping": "pinned", "spin": "left", "note": "Basic training for beginners", "path": "a", "format": "basic",
            "token_count": 7, "max_tokens": 100, "secretary": "Ann", "author": "Bo", "keys": ["a"], "password_required": true, "tokenizer": "bpe",
            "key": "value", "session": "morning", "access_token": null, "cookie_banner": "shown", "shares": "bearer instruments", "desk-top": "sk-1",
            "link": "https://example.org/a?b=c:d@e",
        });
        assert_eq!(left(value.clone()), value);
    }

    #[test]
    fn credentials_are_found_in_json_that_stands_in_a_text() {
        let value = json!({
            "body": "{\"user\": \"ann\", \"password\": \"x\", \"more\": \"[{\\\"pin\\\": 1, \\\"a\\\": 2}]\"}",
            "list": " [1, {\"b\": \"c\"}]",
            "broken": "{not json",
        });
        assert_eq!(
            left(value),
            json!({
                "body": "{\"user\":\"ann\",\"more\":\"[{\\\"a\\\":2}]\"}",
                "list": " [1, {\"b\": \"c\"}]",
                "broken": "{not json",
            })
        );
    }

    #[test]
    fn credentials_are_known_by_their_shape_whatever_they_are_called() {
        for secret in [
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
            "see sk-proj-abcdefghijklmnop1234 there",
            "sk_live_abcdefghijklmnop",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "github_pat_11ABCDEFG0abcdefghijkl",
            "glpat-abcdefghijklmnopqrst",
            "xoxb-1234567890-abcdef",
            "AKIAABCDEFGHIJKLMNOP",
            "AIzaabcdefghijklmnopqrstuvwxyz0123456789",
            "-----BEGIN RSA PRIVATE KEY-----\nMII",
            "-----BEGIN PRIVATE KEY-----",
            "Bearer abc123def",
            "Authorization: bearer abcdefghijklmnopqrstuvwx",
            "postgres://me:secret@db/x",
            "Basic dXNlcjpwYXNzd29yZA==",
            "authorization=Basic dTpw",
        ] {
            let value = json!({ "note": secret, "list": [secret, "kept"], "n": { "m": secret } });
            assert_eq!(
                left(value),
                json!({ "list": ["kept"], "n": {} }),
                "{secret}"
            );
            let named = json!({ secret: "x", "b": 1 });
            assert_eq!(left(named), json!({ "b": 1 }), "{secret}");
        }
    }
}
