//! Valid and invalid model directories.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// A directory with these files.
fn directory(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, contents) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents.to_string()).unwrap();
    }
    folder
}

fn bert() -> Value {
    json!({
        "model_type": "bert", "vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4,
        "intermediate_size": 64, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "max_position_embeddings": 512,
        "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0,
    })
}

fn with(key: &str, value: Value) -> Value {
    let mut config = bert();
    config[key] = value;
    config
}

fn refusal(files: &[(&str, Value)]) -> String {
    let folder = directory(files);
    let error = Directory::read(folder.path()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&folder.path().display().to_string()),
        "the file is named: {error}"
    );
    error.to_string()
}

#[test]
fn files_are_read_from_the_configured_places() {
    let folder = directory(&[
        (
            "modules.json",
            json!([
                {"idx": 0, "name": "0", "path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
                {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
            ]),
        ),
        ("0_Transformer/config.json", bert()),
        (
            "0_Transformer/sentence_bert_config.json",
            json!({"max_seq_length": 256}),
        ),
        (
            "1_Pooling/config.json",
            json!({"word_embedding_dimension": 32, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}),
        ),
        (
            "config_sentence_transformers.json",
            json!({"prompts": {"query": "query: ", "passage": "passage: "}}),
        ),
    ]);
    let read = Directory::read(folder.path()).unwrap();
    assert_eq!(read.transformer, folder.path().join("0_Transformer"));
    assert_eq!(read.pooling, Pooling::Cls);
    assert_eq!(read.max_tokens, 256);
    assert_eq!(
        (read.query_prefix.as_str(), read.document_prefix.as_str()),
        ("query: ", "passage: ")
    );
}

#[test]
fn a_bare_transformer_uses_the_mean_and_its_number_of_positions() {
    let folder = directory(&[
        ("config.json", bert()),
        ("sentence_bert_config.json", json!({"max_seq_length": null})),
    ]);
    let read = Directory::read(folder.path()).unwrap();
    assert_eq!((read.pooling, read.max_tokens), (Pooling::Mean, 512));
    assert_eq!(
        (read.query_prefix.as_str(), read.document_prefix.as_str()),
        ("", "")
    );
}

#[test]
fn a_limit_beyond_the_positions_is_lowered_to_them() {
    let folder = directory(&[
        ("config.json", bert()),
        ("sentence_bert_config.json", json!({"max_seq_length": 8192})),
    ]);
    assert_eq!(Directory::read(folder.path()).unwrap().max_tokens, 512);
}

#[test]
fn the_default_prompt_replaces_missing_prompts() {
    let folder = directory(&[
        ("config.json", bert()),
        (
            "config_sentence_transformers.json",
            json!({"prompts": {"query": "q: ", "all": "a: "}, "default_prompt_name": "all"}),
        ),
    ]);
    let read = Directory::read(folder.path()).unwrap();
    assert_eq!(
        (read.query_prefix.as_str(), read.document_prefix.as_str()),
        ("q: ", "a: ")
    );
}

#[test]
fn unsupported_features_are_named() {
    assert!(refusal(&[("config.json", with("model_type", json!("t5")))]).contains("\"t5\""));
    assert!(
        refusal(&[("config.json", with("model_type", Value::Null))])
            .contains("unnamed architecture")
    );
    assert!(
        refusal(&[(
            "config.json",
            with("position_embedding_type", json!("relative_key"))
        )])
        .contains("relative_key")
    );
    let dense = json!([{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]);
    assert!(refusal(&[("config.json", bert()), ("modules.json", dense)]).contains("models.Dense"));
    for pooling in [
        json!({"pooling_mode_lasttoken": true}),
        json!({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true}),
        json!({}),
    ] {
        let refused = refusal(&[("config.json", bert()), ("1_Pooling/config.json", pooling)]);
        assert!(refused.contains("pooling"), "{refused}");
    }
}

#[test]
fn contradictory_files_are_reported() {
    let pooling = json!({"word_embedding_dimension": 768, "pooling_mode_mean_tokens": true});
    assert!(
        refusal(&[("config.json", bert()), ("1_Pooling/config.json", pooling)]).contains("768")
    );
    assert!(
        refusal(&[("config.json", with("num_attention_heads", json!(5)))])
            .contains("5 attention heads")
    );
    assert!(refusal(&[("config.json", json!({"model_type": "bert"}))]).contains("vocab_size"));
    assert!(refusal(&[]).contains("config.json cannot be read"));
}
