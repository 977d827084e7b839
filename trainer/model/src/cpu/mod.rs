//! One-pass CPU kernels on slices. Each is checked against the same operation composed of Burn's own.
//!
//! Vector instructions are chosen at run time (`pulp`); the work is split into tasks of a fixed size whatever the number
//! of threads, and every sum has a fixed order, so thread counts do not change a bit of any result.

#![allow(clippy::inline_always, reason = "code outside a dispatched function would not get its vector instructions")]

pub(crate) mod attention;
pub(crate) mod cached;
pub(crate) mod elementwise;
pub(crate) mod flex;
mod matmul;
mod parallel;

/// Key and query blocks, and the padding of panels: a multiple of twice the widest vector.
pub(crate) const BLOCK: usize = 32;
