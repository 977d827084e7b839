//! FNV-1a-64: stable keys of ids and digests of episodes, the same on every platform.

/// Offset basis of FNV-1a-64 (Fowler, Noll, Vo).
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
/// Prime of FNV-1a-64.
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// `key(id)` of CLINIC 1: FNV-1a-64 over the bytes of an id.
pub const fn key(id: &str) -> u64 {
    let bytes = id.as_bytes();
    let mut hash = OFFSET;
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(PRIME);
        index += 1;
    }
    hash
}

/// An incremental FNV-1a-64 digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// The digest of nothing.
    pub const fn new() -> Self {
        Self(OFFSET)
    }

    /// Takes in raw bytes, without a length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Takes in a text followed by its length, so that neighbouring texts cannot run into each other.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.u64(text.len() as u64);
    }

    /// Takes in a number, little end first.
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// Takes in a small number as four bytes, little end first.
    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Takes in the bits of a float.
    pub fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    /// The digest so far.
    pub const fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_matches_published_fnv_1a_vectors() {
        assert_eq!(key(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(key("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(key("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let digest = |parts: &[&str]| {
            let mut digest = Digest::new();
            for part in parts {
                digest.text(part);
            }
            digest.value()
        };
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }
}
