//! The claims of a token. Its signature is the upstream's to check; this service needs its subject,
//! audience and expiry.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use contracts::tools::upstreams::{PutCredential, error_codes};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use super::Held;
use crate::upstreams::config::Opaque;
use crate::upstreams::{Failure, Upstream};

/// Longer ones fit no header.
pub(crate) const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// The tokens that are kept for a user.
#[derive(Debug, Clone)]
pub(super) struct Tokens {
    pub(super) access_token: SecretString,
    pub(super) refresh_token: Option<SecretString>,
    /// `None`: not known.
    pub(super) expires_at: Option<DateTime<Utc>>,
    pub(super) issued_at: Option<DateTime<Utc>>,
}

impl PartialEq for Tokens {
    fn eq(&self, other: &Self) -> bool {
        let refresh = |tokens: &Self| {
            tokens
                .refresh_token
                .as_ref()
                .map(|token| token.expose_secret().to_owned())
        };
        self.access_token.expose_secret() == other.access_token.expose_secret()
            && refresh(self) == refresh(other)
            && self.expires_at == other.expires_at
    }
}

impl Tokens {
    /// Ready for a call.
    pub(super) fn held(&self, version: i64) -> Held {
        Held {
            token: self.access_token.clone(),
            refresh_token: self.refresh_token.clone(),
            expires_at: self.expires_at,
            version,
            refreshed: false,
        }
    }
}

/// The claims of a token.
pub(super) struct Claims(Map<String, Value>);

impl Claims {
    /// `None` for a token that is not a JWT: only the upstream can read it.
    pub(super) fn of(token: &str) -> Option<Self> {
        let mut parts = token.split('.');
        let (Some(_), Some(payload), Some(_), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let payload = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
        serde_json::from_slice(&payload).ok().map(Self)
    }

    /// Whether a claim is this text; `None` when it is absent. Anything but a text is not.
    pub(super) fn is(&self, claim: &str, text: &str) -> Option<bool> {
        let value = self.0.get(claim).filter(|value| !value.is_null())?;
        Some(value.as_str() == Some(text))
    }

    /// Whether `aud` holds this audience, a slash at the end left aside; `None` when there is no
    /// `aud`.
    pub(super) fn is_for(&self, audience: &str) -> Option<bool> {
        let wanted = audience.trim_end_matches('/');
        let is = |value: &Value| {
            value
                .as_str()
                .is_some_and(|text| text.trim_end_matches('/') == wanted)
        };
        match self.0.get("aud").filter(|value| !value.is_null())? {
            Value::Array(audiences) => Some(audiences.iter().any(is)),
            single => Some(is(single)),
        }
    }

    /// When it ends; `None` when it does not say, or not properly.
    pub(super) fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.instant("exp")
    }

    /// When it was made.
    pub(super) fn issued_at(&self) -> Option<DateTime<Utc>> {
        self.instant("iat")
    }

    fn instant(&self, claim: &str) -> Option<DateTime<Utc>> {
        let value = self.0.get(claim)?;
        let seconds = match (value.as_i64(), value.as_f64()) {
            (Some(seconds), _) => seconds,
            #[expect(
                clippy::cast_possible_truncation,
                reason = "out of range saturates and is no instant"
            )]
            (None, Some(seconds)) if seconds.is_finite() => seconds as i64,
            _ => return None,
        };
        DateTime::from_timestamp(seconds, 0)
    }
}

/// The stored form of a user's token, unless it is another user's or for another
/// upstream.
pub(super) fn accept(
    upstream: &Upstream,
    subject: &str,
    brought: &PutCredential,
) -> Result<Tokens, Failure> {
    let token = brought.access_token.expose();
    let claims = Claims::of(token);
    if let Some(claims) = &claims {
        if claims.is(&upstream.token().subject_claim, subject) == Some(false) {
            return Err(Failure::new(
                error_codes::WRONG_SUBJECT,
                "The credential belongs to another user.",
            ));
        }
        if claims.is_for(upstream.audience()) == Some(false) {
            return Err(Failure::new(
                error_codes::WRONG_AUDIENCE,
                "The credential is for something else.",
            ));
        }
    }
    Ok(Tokens {
        access_token: token.into(),
        refresh_token: brought
            .refresh_token
            .as_ref()
            .map(|token| token.expose().into()),
        expires_at: claims.as_ref().and_then(Claims::expires_at),
        issued_at: claims.as_ref().and_then(Claims::issued_at),
    })
}

/// Whether a token without a known expiry is used until the upstream refuses it.
pub(super) fn lasts_unless_refused(upstream: &Upstream, token: &SecretString) -> bool {
    upstream.token().opaque == Opaque::Valid && Claims::of(token.expose_secret()).is_none()
}

/// Whether a text can be a token at all: of visible ASCII, and not too long.
pub(crate) fn is_token(text: &str) -> bool {
    (1..=MAX_TOKEN_BYTES).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::upstreams::Directory;
    use crate::upstreams::config::UpstreamConfig;

    fn jwt(claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!("{}.{}.c2ln", part(&json!({ "alg": "HS256" })), part(claims))
    }

    fn brought(token: &str) -> PutCredential {
        serde_json::from_value(json!({ "access_token": token })).unwrap()
    }

    fn checked(claims: &Value) -> Result<Tokens, String> {
        let config = UpstreamConfig::at("there", "https://there.example/");
        let directory = Directory::new(&[config]).unwrap();
        let upstream = directory.get("there", "demo").unwrap();
        accept(&upstream, "ada", &brought(&jwt(claims)))
            .map_err(|failure| failure.code().to_owned())
    }

    #[test]
    fn a_token_has_to_be_the_caller_s_and_for_the_upstream_where_it_says_so() {
        for claims in [
            json!({}),
            json!({ "sub": "ada" }),
            json!({ "sub": null, "aud": "https://there.example" }),
            json!({ "aud": ["x", "https://there.example//"] }),
        ] {
            assert!(checked(&claims).is_ok(), "{claims}");
        }
        for (claims, code) in [
            (json!({ "sub": "eve" }), error_codes::WRONG_SUBJECT),
            (json!({ "sub": 7 }), error_codes::WRONG_SUBJECT),
            (json!({ "sub": "" }), error_codes::WRONG_SUBJECT),
            (
                json!({ "sub": "ada", "aud": "https://other.example" }),
                error_codes::WRONG_AUDIENCE,
            ),
            (
                json!({ "sub": "ada", "aud": [] }),
                error_codes::WRONG_AUDIENCE,
            ),
            (
                json!({ "sub": "ada", "aud": "https://there.example.evil" }),
                error_codes::WRONG_AUDIENCE,
            ),
        ] {
            assert_eq!(checked(&claims).unwrap_err(), code, "{claims}");
        }
    }

    #[test]
    fn an_end_that_is_none_is_unknown() {
        let end = |exp: Value| {
            checked(&json!({ "exp": exp }))
                .unwrap()
                .expires_at
                .map(|end| end.timestamp())
        };
        assert_eq!(end(json!(1_800_000_000)), Some(1_800_000_000));
        assert_eq!(end(json!(1_800_000_000.9)), Some(1_800_000_000));
        assert_eq!(end(json!("1800000000")), None);
        assert_eq!(end(json!(null)), None);
        assert_eq!(end(json!(1e300)), None);
        assert_eq!(checked(&json!({})).unwrap().expires_at, None);
    }

    #[test]
    fn what_is_no_jwt_is_opaque() {
        for token in ["opaque", "a.b", "a.b.c", "a.b.c.d.e", "..", "e30.W10.x"] {
            assert!(Claims::of(token).is_none(), "{token}");
        }
        assert!(
            is_token("opaque")
                && !is_token("")
                && !is_token("a b")
                && !is_token("a\n")
                && !is_token("ü")
        );
    }
}
