//! The merges of a byte-level BPE vocabulary, applied lowest rank first, leftmost first among equals.

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Which pairs of tokens become one, and in which order.
#[derive(Clone, Debug)]
pub(crate) struct Merges {
    /// The token of each byte.
    pub(crate) byte_tokens: Box<[u32; 256]>,
    /// Pairs with the rank and the token they become, sorted by pair.
    pairs: Vec<((u32, u32), Merged)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) rank: u32,
    pub(crate) token: u32,
}

/// A token in a row that is being merged: a doubly linked list over indices.
#[derive(Clone, Copy)]
struct Node {
    token: u32,
    previous: u32,
    next: u32,
    merged_away: bool,
}

/// "No neighbour" in a [`Node`].
const END: u32 = u32::MAX;

/// Rows up to this length are merged by scanning, which beats the heap there.
const SCAN_LEN: usize = 24;

impl Merges {
    /// `pairs` in any order; of equal pairs the last one counts.
    pub(crate) fn new(byte_tokens: Box<[u32; 256]>, mut pairs: Vec<((u32, u32), Merged)>) -> Self {
        pairs.sort_by_key(|&(pair, merged)| (pair, Reverse(merged.rank)));
        pairs.dedup_by_key(|&mut (pair, _)| pair);
        Self { byte_tokens, pairs }
    }

    /// Appends the tokens of `bytes`. Takes time in proportion to `len * log(len)`.
    pub(crate) fn encode(&self, bytes: &[u8], tokens: &mut Vec<u32>) {
        if bytes.len() <= SCAN_LEN {
            self.encode_by_scan(bytes, tokens);
        } else {
            self.encode_by_heap(bytes, tokens);
        }
    }

    fn get(&self, left: u32, right: u32) -> Option<Merged> {
        let place = self.pairs.binary_search_by_key(&(left, right), |&(pair, _)| pair).ok()?;
        Some(self.pairs[place].1)
    }

    fn encode_by_scan(&self, bytes: &[u8], tokens: &mut Vec<u32>) {
        let mut row = [0_u32; SCAN_LEN];
        // `ranks[i]` belongs to the pair that starts at `i`.
        let mut ranks = [u32::MAX; SCAN_LEN];
        let mut len = bytes.len();
        for (token, &byte) in row.iter_mut().zip(bytes) {
            *token = self.byte_tokens[usize::from(byte)];
        }
        let rank = |left: u32, right: u32| self.get(left, right).map_or(u32::MAX, |merged| merged.rank);
        for index in 1..len {
            ranks[index - 1] = rank(row[index - 1], row[index]);
        }
        while len > 1 {
            let Some((best, &lowest)) = ranks[..len - 1].iter().enumerate().min_by_key(|&(_, rank)| rank) else {
                break;
            };
            let Some(merged) = self.get(row[best], row[best + 1]).filter(|_| lowest < u32::MAX) else { break };
            row[best] = merged.token;
            row.copy_within(best + 2..len, best + 1);
            ranks.copy_within(best + 1..len, best);
            len -= 1;
            ranks[len - 1] = u32::MAX;
            if best > 0 {
                ranks[best - 1] = rank(row[best - 1], row[best]);
            }
            if best + 1 < len {
                ranks[best] = rank(row[best], row[best + 1]);
            }
        }
        tokens.extend_from_slice(&row[..len]);
    }

    fn encode_by_heap(&self, bytes: &[u8], tokens: &mut Vec<u32>) {
        let last = bytes.len() as u32 - 1;
        let node = |(index, &byte): (usize, &u8)| Node {
            token: self.byte_tokens[usize::from(byte)],
            previous: (index as u32).checked_sub(1).unwrap_or(END),
            next: if index as u32 == last { END } else { index as u32 + 1 },
            merged_away: false,
        };
        let mut nodes: Vec<Node> = bytes.iter().enumerate().map(node).collect();
        let mut queue = BinaryHeap::with_capacity(bytes.len());
        for index in 0..last {
            self.enqueue(&nodes, index, &mut queue);
        }
        while let Some(Reverse((_, index, token))) = queue.pop() {
            self.merge_at(&mut nodes, index, token, &mut queue);
        }
        tokens.extend(nodes.iter().filter(|node| !node.merged_away).map(|node| node.token));
    }

    /// Merges the pair at `index` into `token`, unless the pair has changed since it was queued.
    fn merge_at(&self, nodes: &mut [Node], index: u32, token: u32, queue: &mut BinaryHeap<Reverse<(u32, u32, u32)>>) {
        let left = nodes[index as usize];
        if left.merged_away || left.next == END {
            return;
        }
        let right = nodes[left.next as usize];
        if self.get(left.token, right.token).is_none_or(|merged| merged.token != token) {
            return;
        }
        nodes[left.next as usize].merged_away = true;
        nodes[index as usize].token = token;
        nodes[index as usize].next = right.next;
        if right.next != END {
            nodes[right.next as usize].previous = index;
        }
        if left.previous != END {
            self.enqueue(nodes, left.previous, queue);
        }
        self.enqueue(nodes, index, queue);
    }

    fn enqueue(&self, nodes: &[Node], index: u32, queue: &mut BinaryHeap<Reverse<(u32, u32, u32)>>) {
        let left = nodes[index as usize];
        if left.next == END {
            return;
        }
        if let Some(merged) = self.get(left.token, nodes[left.next as usize].token) {
            queue.push(Reverse((merged.rank, index, merged.token)));
        }
    }
}
