//! Reads the configuration files of a model directory.
//!
//! ```text
//! modules.json                       a transformer, a pooling, optionally a normalisation
//! config.json                        the transformer's shape
//! sentence_bert_config.json          the maximum length of a text in tokens
//! 1_Pooling/config.json              how token vectors are combined; default: their mean
//! config_sentence_transformers.json  the prefixes of questions and documents
//! tokenizer.json, model.safetensors  read by `model`
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::transformer::Shape;

/// The configuration of a model directory.
#[derive(Debug)]
pub(crate) struct Directory {
    /// The shape of the transformer.
    pub shape: Shape,
    /// The directory of the transformer's files.
    pub transformer: PathBuf,
    /// How token vectors are combined into one vector.
    pub pooling: Pooling,
    /// Maximum length of a text in tokens, special tokens included.
    pub max_tokens: usize,
    /// The prefix of questions.
    pub query_prefix: String,
    /// The prefix of documents.
    pub document_prefix: String,
}

/// How the vectors of a text's tokens are combined into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// The mean of all token vectors.
    Mean,
    /// The vector of the first token.
    Cls,
    /// The maximum of each component.
    Max,
}

/// `modules.json`.
#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    path: PathBuf,
    #[serde(rename = "type")]
    kind: String,
}

/// `config.json`, as far as it decides whether the model is supported.
#[derive(Deserialize)]
struct Architecture {
    model_type: Option<String>,
    position_embedding_type: Option<String>,
}

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

/// `config_sentence_transformers.json`.
#[derive(Default, Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

const ARCHITECTURES: &str = "models of the BERT architecture are";
const POOLINGS: &str = "one of mean, cls and max is";
const MODULES: &str = "a transformer, a pooling and a normalisation are";

impl Directory {
    /// Reads `directory`.
    pub(crate) fn read(directory: &Path) -> Result<Self, Error> {
        let modules = modules(directory)?;
        let transformer = directory.join(modules.transformer);
        let shape = shape(&transformer.join("config.json"))?;
        let pooling = match modules.pooling {
            Some(path) => pooling(&directory.join(path).join("config.json"), &shape)?,
            None => Pooling::Mean,
        };
        let sentences: SentenceConfig =
            json_if_there(&transformer.join("sentence_bert_config.json"))?.unwrap_or_default();
        let max_tokens = sentences
            .max_seq_length
            .unwrap_or(shape.max_position_embeddings)
            .min(shape.max_position_embeddings);
        let prompts: Prompts = json_if_there(&directory.join("config_sentence_transformers.json"))?
            .unwrap_or_default();
        Ok(Self {
            query_prefix: prompts.of(&["query"]),
            document_prefix: prompts.of(&["document", "passage"]),
            shape,
            transformer,
            pooling,
            max_tokens,
        })
    }
}

impl Prompts {
    /// The first of these prompts that exists, otherwise the default prompt.
    fn of(&self, names: &[&str]) -> String {
        let named = names.iter().find_map(|name| self.prompts.get(*name));
        let default = self.default_prompt_name.as_ref();
        named
            .or_else(|| self.prompts.get(default?))
            .cloned()
            .unwrap_or_default()
    }
}

/// The directories of the steps, relative to the model directory.
struct Modules {
    transformer: PathBuf,
    pooling: Option<PathBuf>,
}

fn modules(directory: &Path) -> Result<Modules, Error> {
    let file = directory.join("modules.json");
    let Some(list) = json_if_there::<Vec<Module>>(&file)? else {
        let usual = PathBuf::from("1_Pooling");
        let pooling = directory.join(&usual).exists().then_some(usual);
        return Ok(Modules {
            transformer: PathBuf::new(),
            pooling,
        });
    };
    let mut modules = Modules {
        transformer: PathBuf::new(),
        pooling: None,
    };
    for module in list {
        match module.kind.rsplit('.').next() {
            Some("Transformer") => modules.transformer = module.path,
            Some("Pooling") => modules.pooling = Some(module.path),
            Some("Normalize") => {}
            _ => {
                return Err(Error::Unsupported {
                    path: file,
                    what: format!("the module {}", module.kind),
                    supported: MODULES,
                });
            }
        }
    }
    Ok(modules)
}

fn shape(file: &Path) -> Result<Shape, Error> {
    let text = fs::read_to_string(file).map_err(Error::unreadable(file))?;
    let architecture: Architecture = parse(file, &text)?;
    let unsupported = |what: String| Error::Unsupported {
        path: file.to_path_buf(),
        what,
        supported: ARCHITECTURES,
    };
    match architecture.model_type.as_deref() {
        Some("bert") => {}
        Some(other) => return Err(unsupported(format!("the architecture {other:?}"))),
        None => {
            return Err(unsupported("an unnamed architecture".to_owned()));
        }
    }
    if let Some(positions) = architecture.position_embedding_type
        && positions != "absolute"
    {
        return Err(unsupported(format!("{positions} positions")));
    }
    let shape: Shape = parse(file, &text)?;
    let heads = shape.num_attention_heads;
    if heads == 0 || !shape.hidden_size.is_multiple_of(heads) {
        let reason = format!(
            "the hidden size {} is not divisible by {heads} attention heads",
            shape.hidden_size
        );
        return Err(Error::invalid(file, reason));
    }
    Ok(shape)
}

fn pooling(file: &Path, shape: &Shape) -> Result<Pooling, Error> {
    let config: BTreeMap<String, serde_json::Value> = json(file)?;
    let size = config
        .get("word_embedding_dimension")
        .and_then(serde_json::Value::as_u64);
    if let Some(size) = size
        && size != shape.hidden_size as u64
    {
        let reason = format!(
            "the pooling expects vectors of length {size}, but the model has {}",
            shape.hidden_size
        );
        return Err(Error::invalid(file, reason));
    }
    let mode = config.get("pooling_mode").and_then(|mode| mode.as_str());
    let on = config
        .iter()
        .filter(|(_, value)| value.as_bool() == Some(true));
    let modes: Vec<&str> = on
        .filter_map(|(key, _)| key.strip_prefix("pooling_mode_"))
        .chain(mode)
        .collect();
    match modes.as_slice() {
        ["mean_tokens" | "mean"] => Ok(Pooling::Mean),
        ["cls_token" | "cls"] => Ok(Pooling::Cls),
        ["max_tokens" | "max"] => Ok(Pooling::Max),
        others => Err(Error::Unsupported {
            path: file.to_path_buf(),
            what: format!("the pooling {others:?}"),
            supported: POOLINGS,
        }),
    }
}

fn json<T: DeserializeOwned>(file: &Path) -> Result<T, Error> {
    let text = fs::read_to_string(file).map_err(Error::unreadable(file))?;
    parse(file, &text)
}

fn json_if_there<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, Error> {
    match fs::read_to_string(file) {
        Ok(text) => parse(file, &text).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unreadable(file)(error)),
    }
}

fn parse<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| Error::invalid(file, error))
}

#[cfg(test)]
mod tests;
