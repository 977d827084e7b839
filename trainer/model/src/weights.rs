//! Weights as safetensors bytes under Hugging Face names, with the decoder's config in the metadata.
//!
//! Files keep query, key, value, gate and up projections apart and `[out, in]`, as other Llama implementations do; the
//! decoder keeps them joined and `[in, out]`.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use burn::module::Param;
use burn::prelude::*;

use crate::safetensors::{Reader, Writer};
use crate::{ConfigError, Decoder, DecoderConfig};

/// How numbers are stored in a weight file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats: exact.
    F32,
    /// 16-bit floats: half the size, about three significant digits.
    F16,
}

/// Why a weight file could not be written or read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightsError {
    /// Not a safetensors file.
    #[error("weight file is not valid safetensors: {0}")]
    Format(String),
    /// The metadata names no config.
    #[error("weight file has no decoder config in its metadata, export it again")]
    NoConfig,
    /// The config in the metadata is wrong.
    #[error("weight file: {0}")]
    Config(#[from] ConfigError),
    /// One tensor is not what the config asks for.
    #[error("weight file: tensor `{name}` {what}")]
    Tensor {
        /// Its name in the file.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// The device could not hand out its numbers.
    #[error("weights could not be read from the device: {0}")]
    Device(String),
}

/// A decoder's weights as a safetensors file; waits for the device. Equal weights give equal bytes.
///
/// # Errors
/// [`WeightsError::Device`] when the device cannot be read.
pub fn save_weights(decoder: &Decoder, precision: Precision) -> Result<Vec<u8>, WeightsError> {
    let config = decoder.config();
    let mut writer = Writer::new(precision);
    for part in parts(config) {
        let tensor = part.param(decoder);
        let numbers = match tensor {
            ParamTensor::Vector(tensor) => read(tensor)?,
            ParamTensor::Table(tensor) => read(tensor)?,
            ParamTensor::Linear(tensor) => read(tensor.transpose())?,
        };
        let mut start = 0;
        for (name, shape) in part.pieces {
            let len: usize = shape.iter().product();
            writer.push(name, &shape, &numbers[start..start + len]);
            start += len;
        }
    }
    Ok(writer.finish(&BTreeMap::from([("config", config.to_json()), ("format", "pt".to_owned())])))
}

/// The decoder in a safetensors file, with f32 weights on `device`.
///
/// # Errors
/// [`WeightsError`] when the file is not one this crate wrote, or a tensor is missing or has another shape.
pub fn load_weights(bytes: &[u8], device: &Device) -> Result<Decoder, WeightsError> {
    let reader = Reader::new(bytes)?;
    let config = DecoderConfig::from_json(reader.metadata("config").ok_or(WeightsError::NoConfig)?)?;
    let parts = parts(&config);
    let mut numbers = Vec::with_capacity(parts.len());
    for part in &parts {
        let mut joined = Vec::new();
        for (name, shape) in &part.pieces {
            joined.extend(reader.tensor(name, shape)?);
        }
        numbers.push(joined);
    }
    let mut decoder = config.init(device);
    for (part, numbers) in parts.iter().zip(&numbers) {
        part.set(&mut decoder, numbers, device);
    }
    Ok(decoder)
}

/// One parameter of the decoder and the tensors it becomes in a file, in order.
struct Part {
    place: Place,
    pieces: Vec<(String, Vec<usize>)>,
}

/// Which parameter; block parameters with the block's index.
#[derive(Clone, Copy)]
enum Place {
    Embedding,
    InputNorm(usize),
    Qkv(usize),
    Output(usize),
    PostAttentionNorm(usize),
    GateUp(usize),
    Down(usize),
    Norm,
    Head,
}

/// A parameter's numbers: as they are, or to be transposed for a file.
enum ParamTensor {
    Vector(Tensor<1>),
    Table(Tensor<2>),
    Linear(Tensor<2>),
}

fn parts(config: &DecoderConfig) -> Vec<Part> {
    let hidden = config.hidden_size;
    let kv_size = config.num_kv_heads * config.head_size();
    let mlp = config.intermediate_size;
    let mut parts = Vec::new();
    let mut add = |place: Place, pieces: &[(&str, &[usize])]| {
        let prefix = match place {
            Place::InputNorm(layer)
            | Place::Qkv(layer)
            | Place::Output(layer)
            | Place::PostAttentionNorm(layer)
            | Place::GateUp(layer)
            | Place::Down(layer) => format!("model.layers.{layer}."),
            Place::Embedding | Place::Norm => "model.".to_owned(),
            Place::Head => String::new(),
        };
        let pieces = pieces.iter().map(|(name, shape)| (format!("{prefix}{name}.weight"), shape.to_vec())).collect();
        parts.push(Part { place, pieces });
    };
    add(Place::Embedding, &[("embed_tokens", &[config.vocab_size, hidden])]);
    for layer in 0..config.num_layers {
        add(Place::InputNorm(layer), &[("input_layernorm", &[hidden])]);
        add(
            Place::Qkv(layer),
            &[
                ("self_attn.q_proj", &[hidden, hidden]),
                ("self_attn.k_proj", &[kv_size, hidden]),
                ("self_attn.v_proj", &[kv_size, hidden]),
            ],
        );
        add(Place::Output(layer), &[("self_attn.o_proj", &[hidden, hidden])]);
        add(Place::PostAttentionNorm(layer), &[("post_attention_layernorm", &[hidden])]);
        add(Place::GateUp(layer), &[("mlp.gate_proj", &[mlp, hidden]), ("mlp.up_proj", &[mlp, hidden])]);
        add(Place::Down(layer), &[("mlp.down_proj", &[hidden, mlp])]);
    }
    add(Place::Norm, &[("norm", &[hidden])]);
    if !config.tie_embeddings {
        add(Place::Head, &[("lm_head", &[config.vocab_size, hidden])]);
    }
    parts
}

impl Part {
    fn param(&self, decoder: &Decoder) -> ParamTensor {
        let layers = &decoder.layers;
        match self.place {
            Place::Embedding => ParamTensor::Table(decoder.embed_tokens.weight.val()),
            Place::InputNorm(layer) => ParamTensor::Vector(layers[layer].input_norm.gamma.val()),
            Place::Qkv(layer) => ParamTensor::Linear(layers[layer].qkv_proj.weight.val()),
            Place::Output(layer) => ParamTensor::Linear(layers[layer].o_proj.weight.val()),
            Place::PostAttentionNorm(layer) => ParamTensor::Vector(layers[layer].post_attention_norm.gamma.val()),
            Place::GateUp(layer) => ParamTensor::Linear(layers[layer].gate_up_proj.weight.val()),
            Place::Down(layer) => ParamTensor::Linear(layers[layer].down_proj.weight.val()),
            Place::Norm => ParamTensor::Vector(decoder.norm.gamma.val()),
            Place::Head => match &decoder.lm_head {
                Some(head) => ParamTensor::Linear(head.weight.val()),
                None => ParamTensor::Table(decoder.embed_tokens.weight.val()),
            },
        }
    }

    /// Sets the parameter from the numbers of its pieces, laid end to end.
    fn set(&self, decoder: &mut Decoder, numbers: &[f32], device: &Device) {
        let rows: usize = self.pieces.iter().map(|(_, shape)| shape[0]).sum();
        let columns = numbers.len() / rows;
        let vector = |numbers: &[f32]| Tensor::<1>::from_floats(numbers, device);
        let norm = || Param::from_tensor(vector(numbers));
        let table = || Param::from_tensor(vector(numbers).reshape([rows, columns]));
        let linear = || Param::from_tensor(vector(&transposed(numbers, rows)).reshape([columns, rows]));
        let layers = &mut decoder.layers;
        match self.place {
            Place::Embedding => decoder.embed_tokens.weight = table(),
            Place::InputNorm(layer) => layers[layer].input_norm.gamma = norm(),
            Place::Qkv(layer) => layers[layer].qkv_proj.weight = linear(),
            Place::Output(layer) => layers[layer].o_proj.weight = linear(),
            Place::PostAttentionNorm(layer) => layers[layer].post_attention_norm.gamma = norm(),
            Place::GateUp(layer) => layers[layer].gate_up_proj.weight = linear(),
            Place::Down(layer) => layers[layer].down_proj.weight = linear(),
            Place::Norm => decoder.norm.gamma = norm(),
            Place::Head => {
                if let Some(head) = &mut decoder.lm_head {
                    head.weight = linear();
                }
            }
        }
    }
}

/// A matrix of `rows` lines, transposed.
fn transposed(numbers: &[f32], rows: usize) -> Vec<f32> {
    let columns = numbers.len() / rows;
    (0..columns).flat_map(|column| numbers.iter().skip(column).step_by(columns).copied()).collect()
}

fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, WeightsError> {
    tensor.try_into_vec_as::<f32>().map_err(|error| WeightsError::Device(format!("{error:?}")))
}
