//! The model: computes one unit vector per text from its tokens, on the calling thread.

use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use tokenizers::{Tokenizer, TruncationParams};

use crate::Error;
use crate::directory::{Directory, Pooling};
use crate::transformer::Transformer;

/// A loaded model.
pub(crate) struct Model {
    tokenizer: Tokenizer,
    transformer: Transformer,
    pooling: Pooling,
    dimensions: usize,
    padding: u32,
}

/// The tokens of a text.
pub(crate) struct Tokens {
    pub ids: Vec<u32>,
    types: Vec<u32>,
}

impl Model {
    /// Reads tokenizer and weights.
    pub(crate) fn load(directory: &Directory, max_tokens: usize) -> Result<Self, Error> {
        let shape = &directory.shape;
        let tokenizer = tokenizer(
            &directory.transformer.join("tokenizer.json"),
            max_tokens,
            shape.vocab_size,
        )?;
        let file = directory.transformer.join("model.safetensors");
        let bytes = fs::read(&file).map_err(Error::unreadable(&file))?;
        let weights = VarBuilder::from_buffered_safetensors(bytes, DType::F32, &Device::Cpu)
            .map_err(|error| Error::invalid(&file, error))?;
        let transformer =
            Transformer::load(&weights, shape).map_err(|error| Error::invalid(&file, error))?;
        Ok(Self {
            tokenizer,
            transformer,
            pooling: directory.pooling,
            dimensions: shape.hidden_size,
            padding: shape.pad_token_id,
        })
    }

    /// The length of the vectors.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Tokenizes texts, each truncated to the model's limit.
    pub(crate) fn tokenize(&self, prefix: &str, texts: &[String]) -> Result<Vec<Tokens>, Error> {
        let texts = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        let encodings = self
            .tokenizer
            .encode_batch_fast::<String>(texts, true)
            .map_err(|error| Error::Tokens(error.to_string()))?;
        let tokens = encodings.iter().map(|encoding| Tokens {
            ids: encoding.get_ids().to_vec(),
            types: encoding.get_type_ids().to_vec(),
        });
        Ok(tokens.collect())
    }

    /// The vectors of a batch, in its order.
    pub(crate) fn embed(&self, batch: &[&Tokens]) -> Result<Vec<Vec<f32>>, Error> {
        let width = batch
            .iter()
            .map(|tokens| tokens.ids.len())
            .max()
            .unwrap_or_default();
        let padded = |of: fn(&Tokens) -> &[u32], padding: u32| {
            let rows = batch.iter().map(|tokens| {
                let values = of(tokens);
                let rest = std::iter::repeat_n(padding, width - values.len());
                values.iter().copied().chain(rest)
            });
            let values: Vec<u32> = rows.flatten().collect();
            Tensor::from_vec(values, (batch.len(), width), &Device::Cpu)
        };
        let ids = padded(|tokens| &tokens.ids, self.padding)?;
        let types = padded(|tokens| &tokens.types, 0)?;
        let mask: Vec<f32> = batch
            .iter()
            .flat_map(|tokens| (0..width).map(|at| f32::from(at < tokens.ids.len())))
            .collect();
        let mask = Tensor::from_vec(mask, (batch.len(), width), &Device::Cpu)?;
        let states = self.transformer.forward(&ids, &types, &mask)?;
        let mut vectors = pool(self.pooling, &states, &mask)?.to_vec2::<f32>()?;
        vectors
            .iter_mut()
            .try_for_each(|vector| normalise(vector))?;
        Ok(vectors)
    }
}

fn tokenizer(file: &Path, max_tokens: usize, vocabulary: usize) -> Result<Tokenizer, Error> {
    let bytes = fs::read(file).map_err(Error::unreadable(file))?;
    let invalid = |error: tokenizers::Error| Error::invalid(file, error);
    let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(invalid)?;
    let words = tokenizer.get_vocab_size(true);
    if words > vocabulary {
        let reason = format!("the tokenizer has {words} tokens, but the model has {vocabulary}");
        return Err(Error::invalid(file, reason));
    }
    // The file may contain settings of an earlier use. Those of the directory apply.
    let limit = TruncationParams {
        max_length: max_tokens,
        ..TruncationParams::default()
    };
    tokenizer.with_truncation(Some(limit)).map_err(invalid)?;
    tokenizer.with_padding(None);
    Ok(tokenizer)
}

/// Combines the token vectors of each text; `mask` is 0 for padding.
fn pool(pooling: Pooling, states: &Tensor, mask: &Tensor) -> candle_core::Result<Tensor> {
    match pooling {
        Pooling::Cls => states.narrow(1, 0, 1)?.squeeze(1)?.contiguous(),
        Pooling::Mean => {
            let sums = states.broadcast_mul(&mask.unsqueeze(2)?)?.sum(1)?;
            sums.broadcast_div(&mask.sum_keepdim(1)?)
        }
        Pooling::Max => {
            let excluded = mask.affine(f64::from(f32::MAX), -f64::from(f32::MAX))?;
            states.broadcast_add(&excluded.unsqueeze(2)?)?.max(1)
        }
    }
}

/// Scales a vector to length 1.
fn normalise(vector: &mut [f32]) -> Result<(), Error> {
    let square: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    if !square.is_finite() || square == 0.0 {
        return Err(Error::NotANumber);
    }
    let length = square.sqrt();
    for component in vector {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a component of a unit vector"
        )]
        let unit = (f64::from(*component) / length) as f32;
        *component = unit;
    }
    Ok(())
}
