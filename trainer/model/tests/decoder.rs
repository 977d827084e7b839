//! Catches a cached forward pass that disagrees with the full one, and rows of a batch that leak into each other.
//! Run with `cargo test -p workup-model --features flex`.

use burn::module::{ModuleMapper, ModuleVisitor, Param};
use burn::prelude::*;
use burn::tensor::Gradients;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use workup_model::{CacheError, Decoder, DecoderConfig, KvCache, RaggedBatch};

const TOLERANCE: f32 = 1e-5;

fn config(tie_embeddings: bool) -> DecoderConfig {
    DecoderConfig { num_layers: 2, max_seq_len: 64, tie_embeddings, ..DecoderConfig::nano(97) }
}

/// Heads of 16: too narrow for the CPU kernels, so everything is composed of tensor operations as on a GPU.
fn composed(tie_embeddings: bool) -> DecoderConfig {
    DecoderConfig { hidden_size: 64, ..config(tie_embeddings) }
}

fn decoder(config: &DecoderConfig) -> Decoder {
    let device = Device::flex();
    device.seed(5);
    let decoder = config.init(&device);
    let _ = decoder.clone().into_record();
    decoder
}

fn random_row(rng: &mut ChaCha8Rng, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.next_u32() % 97).collect()
}

fn rows_of(tensor: Tensor<2>) -> Vec<Vec<f32>> {
    let [_, width] = tensor.dims();
    let numbers = tensor.try_into_vec_as::<f32>().unwrap();
    numbers.chunks(width).map(<[f32]>::to_vec).collect()
}

fn assert_close(left: &[f32], right: &[f32]) {
    let worst = left.iter().zip(right).map(|(l, r)| (l - r).abs()).fold(0.0, f32::max);
    assert!(left.len() == right.len() && worst <= TOLERANCE, "differ by {worst}");
}

#[test]
fn cached_forward_agrees_with_full_forward_over_ragged_turns() {
    for config in [config(true), config(false), composed(true), composed(false)] {
        let decoder = decoder(&config);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut cache = KvCache::new(&config, 4, 3, &Device::flex());
        let mut rows = vec![Vec::new(); 4];
        for lens in [[5, 1, 3, 0], [1, 1, 0, 1], [0, 7, 2, 4], [1, 0, 0, 1], [9, 1, 1, 1]] {
            let new: Vec<Vec<u32>> = lens.iter().map(|&len| random_row(&mut rng, len)).collect();
            let batch = RaggedBatch::from_rows(&new);
            for (row, new) in rows.iter_mut().zip(&new) {
                row.extend(new);
            }
            let cached = rows_of(decoder.forward_cached(&batch, &mut cache).unwrap());
            let all = RaggedBatch::from_rows(&rows);
            let full = rows_of(decoder.hidden(&all));
            for row in 0..rows.len() {
                let new = batch.range(row);
                let end = all.range(row).end;
                for (cached, full) in cached[new.clone()].iter().zip(&full[end - new.len()..end]) {
                    assert_close(cached, full);
                }
            }
            assert_eq!(cache.lens(), rows.iter().map(Vec::len).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_row_reads_the_same_alone_and_in_a_batch() {
    for config in [config(true), composed(true)] {
        let decoder = decoder(&config);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let rows: Vec<Vec<u32>> = [11, 2, 40, 17].map(|len| random_row(&mut rng, len)).to_vec();
        let batch = RaggedBatch::from_rows(&rows);
        let together = rows_of(decoder.forward(&batch));
        for (index, row) in rows.iter().enumerate() {
            let alone = rows_of(decoder.forward(&RaggedBatch::from_rows([row])));
            for (alone, together) in alone.iter().zip(&together[batch.range(index)]) {
                assert_close(alone, together);
            }
        }
    }
}

#[test]
fn gradients_are_the_slopes_of_the_loss() {
    let config = DecoderConfig { num_layers: 1, hidden_size: 64, num_heads: 2, num_kv_heads: 1, ..config(false) };
    let decoder = decoder(&config).train();
    let device = Device::flex().autodiff();
    let batch = RaggedBatch::from_rows([&[3, 1, 4, 1, 5][..], &[9, 2, 6]]);
    let loss = |decoder: &Decoder| {
        let targets = Tensor::<1, Int>::from_ints([1, 4, 1, 5, 9, 2, 6, 5], &device);
        decoder.score(decoder.hidden(&batch), targets).log_probs.mean().neg()
    };
    let grads = loss(&decoder).backward();
    let moved_loss = |step: f32| {
        let mut mover = Mover { grads: &grads, step, squared_norm: 0.0 };
        let moved = decoder.clone().map(&mut mover);
        (loss(&moved).into_scalar::<f32>(), mover.squared_norm)
    };
    // Along its gradient the loss rises with the squared norm of the gradient.
    let ((up, squared_norm), (down, _)) = (moved_loss(1e-3), moved_loss(-1e-3));
    let slope = (up - down) / 2e-3;
    assert!((slope / squared_norm - 1.0).abs() < 0.01, "{slope} {squared_norm}");
}

/// Collects the gradients of all parameters.
struct Collector<'a> {
    grads: &'a Gradients,
    numbers: Vec<f32>,
}

impl ModuleVisitor for Collector<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let grad = param.val().grad(self.grads).expect("every parameter takes part");
        self.numbers.extend(grad.try_into_vec_as::<f32>().unwrap());
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let config = DecoderConfig { max_seq_len: 256, ..config(true) };
    let decoder = decoder(&config).train();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let rows: Vec<Vec<u32>> = [200, 31, 256, 1, 90].map(|len| random_row(&mut rng, len)).to_vec();
    let batch = RaggedBatch::from_rows(&rows);
    let targets: Vec<i32> = batch.tokens().iter().map(|token| token.cast_signed()).collect();
    let with_threads = |num_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
        pool.install(|| {
            let targets = Tensor::<1, Int>::from_ints(targets.as_slice(), &Device::flex().autodiff());
            let scores = decoder.score(decoder.hidden(&batch), targets);
            let grads = scores.log_probs.clone().mean().backward();
            let mut collector = Collector { grads: &grads, numbers: scores.log_probs.try_into_vec_as().unwrap() };
            decoder.visit(&mut collector);
            collector.numbers
        })
    };
    let one = with_threads(1);
    assert!(one.len() > config.num_parameters());
    for num_threads in [2, 3] {
        assert!(with_threads(num_threads) == one, "{num_threads} threads give other numbers");
    }
}

/// Moves every parameter along its gradient.
struct Mover<'a> {
    grads: &'a Gradients,
    step: f32,
    squared_norm: f32,
}

impl ModuleMapper for Mover<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let tensor = param.val();
        let grad = tensor.grad(self.grads).expect("every parameter takes part");
        self.squared_norm += grad.clone().square().sum().into_scalar::<f32>();
        let moved = Tensor::from_inner(tensor.inner() + grad * self.step);
        Param::initialized(param.id, moved.require_grad())
    }
}

#[test]
fn later_tokens_do_not_change_earlier_ones() {
    let config = config(true);
    let decoder = decoder(&config);
    let mut row = random_row(&mut ChaCha8Rng::seed_from_u64(3), 20);
    let before = rows_of(decoder.forward(&RaggedBatch::from_rows([&row])));
    row[12] = (row[12] + 1) % 97;
    let after = rows_of(decoder.forward(&RaggedBatch::from_rows([&row])));
    assert_eq!(before[..12], after[..12]);
    assert_ne!(before[12], after[12]);
}

#[test]
fn a_forked_prompt_continues_as_if_each_row_had_read_it() {
    let config = config(true);
    let decoder = decoder(&config);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let prompts = [random_row(&mut rng, 6), random_row(&mut rng, 9)];
    let mut cache = KvCache::new(&config, 2, 16, &Device::flex());
    decoder.forward_cached(&RaggedBatch::from_rows(&prompts), &mut cache).unwrap();
    let mut cache = cache.repeat(3).select_rows(&[5, 0, 2]);
    let turns: Vec<Vec<u32>> = (0..3).map(|_| random_row(&mut rng, 4)).collect();
    let logits = rows_of(decoder.next_logits(&RaggedBatch::from_rows(&turns), &mut cache).unwrap());
    for (row, prompt) in [1, 0, 0].into_iter().enumerate() {
        let whole = [&prompts[prompt][..], &turns[row]].concat();
        let full = rows_of(decoder.forward(&RaggedBatch::from_rows([whole])));
        assert_close(&logits[row], full.last().unwrap());
    }
}

#[test]
fn a_truncated_row_forgets_what_it_dropped() {
    let config = config(true);
    let decoder = decoder(&config);
    let mut cache = KvCache::new(&config, 1, 16, &Device::flex());
    decoder.forward_cached(&RaggedBatch::from_rows([[1, 2, 3, 4, 5]]), &mut cache).unwrap();
    cache.truncate_row(0, 2);
    let logits = rows_of(decoder.next_logits(&RaggedBatch::from_rows([[9]]), &mut cache).unwrap());
    let full = rows_of(decoder.forward(&RaggedBatch::from_rows([[1, 2, 9]])));
    assert_close(&logits[0], &full[2]);
}

#[test]
fn a_cache_may_lose_all_its_rows() {
    let config = config(true);
    let decoder = decoder(&config);
    let mut cache = KvCache::new(&config, 2, 4, &Device::flex()).select_rows(&[]);
    assert_eq!(cache.num_rows(), 0);
    let nothing = decoder.next_logits(&RaggedBatch::default(), &mut cache);
    assert_eq!(nothing.map(|_| ()), Err(CacheError::Empty));
}

#[test]
fn what_cannot_be_fed_is_refused_and_leaves_the_cache_as_it_was() {
    let config = config(true);
    let decoder = decoder(&config);
    let mut cache = KvCache::new(&config, 2, 4, &Device::flex());
    let mut feed = |rows: Vec<Vec<u32>>| decoder.next_logits(&RaggedBatch::from_rows(rows), &mut cache).map(|_| ());
    assert_eq!(feed(vec![vec![], vec![]]), Err(CacheError::Empty));
    assert_eq!(feed(vec![vec![1]]), Err(CacheError::Rows { batch: 1, cache: 2 }));
    assert_eq!(feed(vec![vec![], vec![97]]), Err(CacheError::Token { token: 97, vocab_size: 97 }));
    assert_eq!(feed(vec![vec![1; 65], vec![]]), Err(CacheError::Full { row: 0, len: 65, max: 64 }));
    assert_eq!(cache.lens(), [0, 0]);
}

#[test]
fn training_device_and_plain_device_give_the_same_numbers() {
    let config = config(true);
    let decoder = decoder(&config).train();
    let batch = RaggedBatch::from_rows([&[3, 1, 4][..], &[1, 5, 9, 2, 6]]);
    let recorded = rows_of(decoder.forward(&batch).inner());
    let plain = rows_of(decoder.valid().forward(&batch));
    for (recorded, plain) in recorded.iter().zip(&plain) {
        assert_close(recorded, plain);
    }
}

#[test]
fn parameters_are_as_many_as_the_config_says() {
    for config in [config(true), config(false), DecoderConfig::nano(1024)] {
        assert_eq!(config.init(&Device::flex()).num_params(), config.num_parameters());
    }
}
