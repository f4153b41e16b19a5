use http_client::external_http_client;
use secrecy::SecretString;

use super::*;
use crate::config::FallbackConfig;

fn models(config: &LlmConfig) -> Option<Models> {
    Models::from_config(config, external_http_client().unwrap()).unwrap()
}

#[test]
fn without_a_provider_there_are_none() {
    assert!(models(&LlmConfig::default()).is_none());
}

#[test]
fn the_line_for_the_start_names_models_and_places_and_no_secret() {
    let mut config = LlmConfig::default();
    config.providers.get_mut("gemini").api_key = Some(SecretString::from("g-secret"));
    config.providers.get_mut("openai_compatible").base_url =
        Some("http://user:pass-secret@10.0.0.9:8000/v1?token=q-secret".to_owned());
    config.fallbacks = vec![FallbackConfig {
        provider: "openai_compatible".into(),
        model: Some("qwen3".to_owned()),
    }];
    let models = models(&config).unwrap();
    assert_eq!(
        models.description(),
        "gemini gemini-2.0-flash at generativelanguage.googleapis.com/v1beta, \
         then openai_compatible qwen3 at 10.0.0.9:8000/v1; embeddings by gemini/gemini-embedding-001"
    );
    assert!(!format!("{models:?}").contains("secret"));
}

#[test]
fn models_of_one_provider_share_its_limit() {
    let mut config = LlmConfig::default();
    config.limits.max_in_flight = 1;
    let mut factory = Factory::new(&config, external_http_client().unwrap());
    let mut in_flight = |name: &str| {
        let provider = config.providers.find(&name.into()).unwrap();
        factory.policy(&provider).in_flight
    };
    let (chat, embeddings) = (in_flight("openai"), in_flight("openai"));
    let other = in_flight("gemini");
    assert!(chat.shares_with(&embeddings));
    assert!(!chat.shares_with(&other));
}
