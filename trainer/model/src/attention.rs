//! Grouped-query attention with rotary positions over ragged rows.
//!
//! Rotation pairs dimension `i` with `i + head_size / 2`, as Hugging Face checkpoints do. Scores are divided by
//! `sqrt(head_size)`. A token sees itself and what came before it in its own row.

use alloc::vec::Vec;

use burn::prelude::*;
use burn::tensor::IndexingUpdateOp;
use burn::tensor::activation::softmax;

use crate::kv_cache::LayerCache;
use crate::layout::{Heads, Layout, LayoutTensors};
use crate::ops::halves;

/// Attention of every token over its own row: `[n, qkv_size]` to `[n, hidden_size]`, differentiable.
pub(crate) fn attend_rows(qkv: Tensor<2>, heads: Heads, tensors: &LayoutTensors) -> Tensor<2> {
    let [q, k, v] = split_rotated(qkv, heads, tensors);
    let [num_rows, width] = tensors.positions.dims();
    let keys = k.select(0, tensors.pad.clone()).reshape([num_rows, width, heads.num_kv_heads * heads.head_size]);
    let values = v.select(0, tensors.pad.clone()).reshape([num_rows, width, heads.num_kv_heads * heads.head_size]);
    attend_padded(q, keys, values, heads, tensors)
}

/// Attention of new tokens over their row's cache and each other; writes their keys and values into the cache.
pub(crate) fn attend_cached(qkv: Tensor<2>, cache: &mut LayerCache, layout: &Layout) -> Tensor<2> {
    let heads = layout.heads;
    let Some(tensors) = &layout.tensors else { return attend_cached_fused(qkv, cache, layout) };
    let [q, k, v] = split_rotated(qkv, heads, tensors);
    let capacity = cache.capacity();
    let slots: Vec<i32> = tensors.slots.iter().map(|(row, position)| (row * capacity + position) as i32).collect();
    let slots = Tensor::<1, Int>::from_ints(slots.as_slice(), &q.device());
    let width = layout.max_len();
    let write = |cached: &mut Tensor<3>, new: Tensor<2>| {
        let [num_rows, _, kv_size] = cached.dims();
        cached.inplace(|all| {
            all.reshape([num_rows * capacity, kv_size])
                .select_assign(0, slots.clone(), new, IndexingUpdateOp::Assign)
                .reshape([num_rows, capacity, kv_size])
        });
        cached.clone().narrow(1, 0, width)
    };
    let keys = write(&mut cache.keys, k);
    let values = write(&mut cache.values, v);
    attend_padded(q, keys, values, heads, tensors)
}

#[cfg(feature = "flex")]
fn attend_cached_fused(qkv: Tensor<2>, cache: &mut LayerCache, layout: &Layout) -> Tensor<2> {
    use crate::cpu::{cached, flex};
    use burn::backend::Flex;

    let primitive = |tensor: Tensor<2>| tensor.try_into_primitive::<Flex>().expect("a fused layout is made for Flex");
    let qkv = primitive(qkv).to_contiguous();
    let capacity = cache.capacity();
    let [num_rows, _, kv_size] = cache.keys.dims();
    // Taken out of the cache, so that each is the only handle of its storage and is written in place.
    let take = |cached: &mut Tensor<3>| {
        let empty = Tensor::empty([0, 0, 0], &cached.device());
        primitive(core::mem::replace(cached, empty).reshape([num_rows * capacity, kv_size])).to_contiguous()
    };
    let (mut keys, mut values) = (take(&mut cache.keys), take(&mut cache.values));
    let out = cached::forward(flex::numbers(&qkv), layout, keys.storage_mut(), values.storage_mut(), capacity);
    let give = |cached| Tensor::<2>::from_primitive::<Flex>(cached).reshape([num_rows, capacity, kv_size]);
    (cache.keys, cache.values) = (give(keys), give(values));
    Tensor::from_primitive::<Flex>(flex::matrix(out, layout.heads.hidden_size()))
}

#[cfg(not(feature = "flex"))]
fn attend_cached_fused(_qkv: Tensor<2>, _cache: &mut LayerCache, _layout: &Layout) -> Tensor<2> {
    unreachable!("a layout without tensors is made for Flex only")
}

/// Splits `[n, qkv_size]` into queries, keys and values, each `[n, heads * head_size]`; rotates the first two.
fn split_rotated(qkv: Tensor<2>, heads: Heads, tensors: &LayoutTensors) -> [Tensor<2>; 3] {
    let [num_tokens, _] = qkv.dims();
    let Heads { num_heads, num_kv_heads, head_size } = heads;
    let (q_size, kv_size) = (num_heads * head_size, num_kv_heads * head_size);
    let rotate = |x: Tensor<2>, heads: usize| {
        let [left, right] = halves(x.reshape([num_tokens, heads, head_size]));
        let (cos, sin) = (tensors.cos.clone(), tensors.sin.clone());
        let turned_left = left.clone() * cos.clone() - right.clone() * sin.clone();
        let turned_right = right * cos + left * sin;
        Tensor::cat(alloc::vec![turned_left, turned_right], 2).reshape([num_tokens, heads * head_size])
    };
    [
        rotate(qkv.clone().narrow(1, 0, q_size), num_heads),
        rotate(qkv.clone().narrow(1, q_size, kv_size), num_kv_heads),
        qkv.narrow(1, q_size + kv_size, kv_size),
    ]
}

/// Queries `[n, hidden_size]` over keys and values `[rows, key_width, kv_size]`: `[n, hidden_size]`.
fn attend_padded(q: Tensor<2>, keys: Tensor<3>, values: Tensor<3>, heads: Heads, tensors: &LayoutTensors) -> Tensor<2> {
    let Heads { num_heads, num_kv_heads, head_size } = heads;
    let [num_rows, width] = tensors.positions.dims();
    let key_width = keys.dims()[1];
    let groups = num_heads / num_kv_heads;
    // The query heads that share a key head become more query positions of that head.
    let q = q
        .select(0, tensors.pad.clone())
        .reshape([num_rows, width, num_heads, head_size])
        .swap_dims(1, 2)
        .reshape([num_rows, num_kv_heads, groups * width, head_size]);
    let by_head = |x: Tensor<3>| x.reshape([num_rows, key_width, num_kv_heads, head_size]).swap_dims(1, 2);
    let scale = 1.0 / libm::sqrt(head_size as f64);
    let scores = q.matmul(by_head(keys).transpose()) * scale;
    let key_positions = Tensor::<1, Int>::arange(0..key_width as i64, &tensors.positions.device());
    let hidden = key_positions
        .reshape([1, 1, key_width])
        .expand([num_rows, width, key_width])
        .greater(tensors.positions.clone().reshape([num_rows, width, 1]).expand([num_rows, width, key_width]))
        .reshape([num_rows, 1, 1, width, key_width])
        .expand([num_rows, num_kv_heads, groups, width, key_width])
        .reshape([num_rows, num_kv_heads, groups * width, key_width]);
    let weights = softmax(scores.mask_fill(hidden, f32::MIN), 3);
    weights
        .matmul(by_head(values))
        .reshape([num_rows, num_heads, width, head_size])
        .swap_dims(1, 2)
        .reshape([num_rows * width, num_heads * head_size])
        .select(0, tensors.unpad.clone())
}
