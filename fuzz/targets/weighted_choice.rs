//! Any list of weights: the choice is an index whose weight is not zero.
#![no_main]
use workup_core::random::{KeyedRng, Purpose};
use workup_fuzz::bounded_target;

bounded_target!(|bytes: &[u8]| {
    let weights: Vec<u32> = bytes.iter().map(|&byte| u32::from(byte)).collect();
    if weights.iter().any(|&weight| weight > 0) {
        let chosen = KeyedRng::new(1, Purpose::Case, 2, 0).weighted(&weights);
        assert!(weights[chosen] > 0);
    }
});
