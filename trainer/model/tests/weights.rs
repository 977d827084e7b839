//! Catches a weight file that does not give back the decoder it was made from, and files that make the reader panic.

use burn::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use workup_model::{Decoder, DecoderConfig, Precision, RaggedBatch, WeightsError, load_weights, save_weights};

fn decoder(config: &DecoderConfig) -> Decoder {
    let device = Device::flex();
    device.seed(11);
    let decoder = config.init(&device);
    let _ = decoder.clone().into_record();
    decoder
}

fn logits(decoder: &Decoder) -> Vec<f32> {
    let batch = RaggedBatch::from_rows([&[1, 2, 3][..], &[4, 5]]);
    decoder.forward(&batch).try_into_vec_as::<f32>().unwrap()
}

fn untied() -> DecoderConfig {
    DecoderConfig { num_layers: 2, tie_embeddings: false, ..DecoderConfig::nano(50) }
}

#[test]
fn f32_files_give_back_the_same_decoder_and_the_same_bytes() {
    for config in [untied(), DecoderConfig::nano(60)] {
        let decoder = decoder(&config);
        let file = save_weights(&decoder, Precision::F32).unwrap();
        let loaded = load_weights(&file, &Device::flex()).unwrap();
        assert_eq!(loaded.config(), &config);
        assert_eq!(logits(&loaded), logits(&decoder));
        assert_eq!(save_weights(&loaded, Precision::F32).unwrap(), file);
    }
}

#[test]
fn f16_nano_files_stay_under_their_budget_and_close_to_the_decoder() {
    let decoder = decoder(&DecoderConfig::nano(1024));
    let file = save_weights(&decoder, Precision::F16).unwrap();
    assert!(file.len() < 1_400_000, "{} bytes", file.len());
    let loaded = load_weights(&file, &Device::flex().autodiff()).unwrap();
    for (left, right) in logits(&loaded.valid()).iter().zip(logits(&decoder)) {
        assert!((left - right).abs() < 5e-3);
    }
    assert_eq!(save_weights(&loaded, Precision::F16).unwrap(), file);
}

#[test]
fn names_and_shapes_are_those_of_other_llama_files() {
    let file = save_weights(&decoder(&untied()), Precision::F32).unwrap();
    let header_len = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&file[8..8 + header_len]).unwrap();
    for (name, shape) in [
        ("model.embed_tokens.weight", vec![50, 128]),
        ("model.layers.1.self_attn.k_proj.weight", vec![64, 128]),
        ("model.layers.0.mlp.down_proj.weight", vec![128, 352]),
        ("model.layers.0.post_attention_layernorm.weight", vec![128]),
        ("lm_head.weight", vec![50, 128]),
    ] {
        assert_eq!(header[name]["shape"], serde_json::json!(shape), "{name}");
    }
}

#[test]
fn broken_files_are_refused_with_what_is_wrong() {
    let file = save_weights(&decoder(&untied()), Precision::F16).unwrap();
    let refuse = |bytes: &[u8]| load_weights(bytes, &Device::flex()).map(|_| ()).unwrap_err();
    assert!(matches!(refuse(&[]), WeightsError::Format(_)));
    assert!(matches!(refuse(&[255; 16]), WeightsError::Format(_)));
    assert!(matches!(refuse(&file[..file.len() - 2]), WeightsError::Tensor { .. }));
    let renamed = |from: &str, to: &str| {
        let header_len = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
        let header = String::from_utf8(file[8..8 + header_len].to_vec()).unwrap().replacen(from, to, 1);
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(&file[8 + header_len..]);
        bytes
    };
    assert_eq!(refuse(&renamed("config", "confix")), WeightsError::NoConfig);
    assert!(matches!(refuse(&renamed("\\\"num_layers\\\":2", "\\\"num_layers\\\":0")), WeightsError::Config(_)));
    assert!(refuse(&renamed("lm_head", "xm_head")).to_string().contains("`lm_head.weight` is missing"));
    assert!(refuse(&renamed("[50,128]", "[50,127]")).to_string().contains("instead of"));
}

#[test]
fn damaged_bytes_never_panic() {
    let config = DecoderConfig { hidden_size: 8, num_layers: 1, intermediate_size: 8, ..DecoderConfig::nano(10) };
    let file = save_weights(&decoder(&config), Precision::F16).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..300 {
        let mut damaged = file.clone();
        for _ in 0..3 {
            let place = rng.next_u32() as usize % 1200.min(damaged.len());
            damaged[place] = rng.next_u32() as u8;
        }
        let _ = load_weights(&damaged, &Device::flex());
    }
}
