//! The BERT encoder, as far as embeddings need it.
//!
//! Own code over `candle-nn`: `candle-transformers` builds more than a hundred models for this one,
//! and computes queries, keys and values in three multiplications instead of one.

use candle_core::{D, Tensor};
use candle_nn::ops::softmax_last_dim;
use candle_nn::{Embedding, LayerNorm, Linear, Module, VarBuilder, embedding, layer_norm, linear};
use serde::Deserialize;

use crate::gelu::gelu;

type Result<T> = candle_core::Result<T>;

/// The shape of an encoder, as in `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Shape {
    pub vocab_size: usize,
    pub hidden_size: usize,
    num_hidden_layers: usize,
    pub num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: Activation,
    pub max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f64,
    #[serde(default)]
    pub pad_token_id: u32,
}

#[derive(Debug, Clone, Copy, Deserialize)]
enum Activation {
    #[serde(rename = "gelu")]
    Gelu,
    #[serde(rename = "gelu_new", alias = "gelu_pytorch_tanh")]
    GeluTanh,
    #[serde(rename = "relu")]
    Relu,
}

/// An encoder with its weights.
pub(crate) struct Transformer {
    words: Embedding,
    positions: Tensor,
    types: Embedding,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values in one multiplication, each as wide as the state.
    attention: Linear,
    heads: usize,
    attended: Linear,
    attention_norm: LayerNorm,
    wide: Linear,
    activation: Activation,
    narrow: Linear,
    norm: LayerNorm,
}

impl Transformer {
    /// Loads the weights of an encoder of this shape. Their names may start with `bert.`.
    pub(crate) fn load(weights: &VarBuilder<'_>, shape: &Shape) -> Result<Self> {
        let inner = weights.pp("bert");
        let prefixed = inner.contains_tensor("embeddings.word_embeddings.weight");
        let weights = if prefixed { &inner } else { weights };
        let (size, tables) = (shape.hidden_size, weights.pp("embeddings"));
        let positions = (shape.max_position_embeddings, size);
        let layers = (0..shape.num_hidden_layers)
            .map(|number| Layer::load(&weights.pp(format!("encoder.layer.{number}")), shape));
        Ok(Self {
            words: embedding(shape.vocab_size, size, tables.pp("word_embeddings"))?,
            positions: tables.get(positions, "position_embeddings.weight")?,
            types: embedding(
                shape.type_vocab_size,
                size,
                tables.pp("token_type_embeddings"),
            )?,
            norm: layer_norm(size, shape.layer_norm_eps, tables.pp("LayerNorm"))?,
            layers: layers.collect::<Result<_>>()?,
        })
    }

    /// The states of all tokens: from `(texts, tokens)` to `(texts, tokens, size)`. `mask` is 0 for
    /// padding, otherwise 1.
    pub(crate) fn forward(&self, ids: &Tensor, types: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let positions = self.positions.narrow(0, 0, ids.dim(1)?)?;
        let states = (self.words.forward(ids)? + self.types.forward(types)?)?;
        let mut states = self.norm.forward(&states.broadcast_add(&positions)?)?;
        // Added to a score, this removes padding; `softmax` stays finite.
        let excluded = mask.affine(1e9, -1e9)?.unsqueeze(1)?.unsqueeze(1)?;
        for layer in &self.layers {
            states = layer.forward(&states, &excluded)?;
        }
        Ok(states)
    }
}

impl Layer {
    fn load(weights: &VarBuilder<'_>, shape: &Shape) -> Result<Self> {
        let (size, wide, epsilon) = (
            shape.hidden_size,
            shape.intermediate_size,
            shape.layer_norm_eps,
        );
        let attention = weights.pp("attention");
        Ok(Self {
            attention: joined(&attention.pp("self"), size)?,
            heads: shape.num_attention_heads,
            attended: linear(size, size, attention.pp("output.dense"))?,
            attention_norm: layer_norm(size, epsilon, attention.pp("output.LayerNorm"))?,
            wide: linear(size, wide, weights.pp("intermediate.dense"))?,
            activation: shape.hidden_act,
            narrow: linear(wide, size, weights.pp("output.dense"))?,
            norm: layer_norm(size, epsilon, weights.pp("output.LayerNorm"))?,
        })
    }

    fn forward(&self, states: &Tensor, excluded: &Tensor) -> Result<Tensor> {
        let attended = self.attended.forward(&self.attend(states, excluded)?)?;
        let states = self.attention_norm.forward(&(attended + states)?)?;
        let wide = self.activation.apply(&self.wide.forward(&states)?)?;
        self.norm.forward(&(self.narrow.forward(&wide)? + states)?)
    }

    fn attend(&self, states: &Tensor, excluded: &Tensor) -> Result<Tensor> {
        let (texts, tokens, size) = states.dims3()?;
        let head = size / self.heads;
        let split = self
            .attention
            .forward(states)?
            .reshape((texts, tokens, 3, self.heads, head))?;
        let part = |number: usize| {
            split
                .narrow(2, number, 1)?
                .squeeze(2)?
                .transpose(1, 2)?
                .contiguous()
        };
        #[expect(clippy::cast_precision_loss, reason = "a head is some dozens wide")]
        let scale = 1.0 / (head as f64).sqrt();
        let scores = (part(0)? * scale)?.matmul(&part(1)?.t()?)?;
        let shares = softmax_last_dim(&scores.broadcast_add(excluded)?)?;
        let context = shares.matmul(&part(2)?)?;
        context
            .transpose(1, 2)?
            .contiguous()?
            .flatten_from(D::Minus2)
    }
}

impl Activation {
    fn apply(self, states: &Tensor) -> Result<Tensor> {
        match self {
            Self::Gelu => gelu(states),
            Self::GeluTanh => states.gelu(),
            Self::Relu => states.relu(),
        }
    }
}

/// The three linear layers of attention combined into one.
fn joined(weights: &VarBuilder<'_>, size: usize) -> Result<Linear> {
    let parts = ["query", "key", "value"].map(|name| weights.pp(name));
    let matrices: Vec<Tensor> = parts
        .iter()
        .map(|part| part.get((size, size), "weight"))
        .collect::<Result<_>>()?;
    let biases: Vec<Tensor> = parts
        .iter()
        .map(|part| part.get(size, "bias"))
        .collect::<Result<_>>()?;
    Ok(Linear::new(
        Tensor::cat(&matrices, 0)?,
        Some(Tensor::cat(&biases, 0)?),
    ))
}
