//! Words -> numbers, word sequences -> meanings: two open-addressing tables of packed 64-bit entries and a trie.

use alloc::{vec, vec::Vec};

use crate::knowledge::{Aspect, Topic};

/// Offset basis and prime of FNV-1a-64, the hash of words.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Most tokens of one text.
pub(super) const MAX_TOKENS: usize = 384;

/// A word no phrase has.
pub(super) const UNKNOWN: u16 = 0;
/// End of a sentence that is not a question.
pub(super) const END: u16 = 1;
/// A question mark.
pub(super) const QUESTION_MARK: u16 = 2;
/// A comma or colon.
pub(super) const COMMA: u16 = 3;
/// Words are numbered from here.
const FIRST_WORD: u16 = 4;

/// What a phrase means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Not a whole phrase.
    Nothing,
    /// A finding (index).
    Finding(u16),
    /// A kind of question.
    Aspect(Aspect),
    /// A topic.
    Topic(Topic),
    /// An open question.
    Open,
    /// "started": onset, or with "when" duration.
    Start,
    /// "when" at the head of a clause.
    When,
    /// "like": what it is like, unless the sentence asks for something else.
    Like,
    /// "the pain": the finding talked about, if it hurts.
    Pain,
    /// Words that make the sentence a question wherever they stand.
    Request,
    /// Words that only look like a cue.
    Neutral,
}

/// What a word does at the head of a sentence, as bits.
pub(super) mod role {
    /// Begins a question.
    pub(in super::super) const OPENER: u8 = 1;
    /// Stands before the first word that counts: "and", "so", "please".
    pub(in super::super) const FILLER: u8 = 2;
    /// Joins clauses.
    pub(in super::super) const JOIN: u8 = 4;
    /// Begins a statement.
    pub(in super::super) const STATEMENT: u8 = 8;
}

const SEPARATOR: u8 = 0;
const SKIP: u8 = 1;
const STOP: u8 = 2;
const ASK: u8 = 3;
const PAUSE: u8 = 4;
const GENERAL_PUNCTUATION: u8 = 5;

/// Per byte: its lower case when it is part of a word (48 and above), else what it does.
const CLASS: [u8; 256] = {
    let mut class = [SEPARATOR; 256];
    let mut byte = 0;
    while byte < 256 {
        let value = byte as u8;
        class[byte] = match value {
            b'A'..=b'Z' => value + 32,
            b'\'' | b'`' => SKIP,
            b'.' | b'!' | b';' | b'\n' => STOP,
            b'?' => ASK,
            b',' | b':' => PAUSE,
            0xe2 => GENERAL_PUNCTUATION,
            b'a'..=b'z' | b'0'..=b'9' | 0x80..=0xff => value,
            _ => SEPARATOR,
        };
        byte += 1;
    }
    class
};

/// The running hash of one word; a final `s` is dropped, so that singular and plural are one word.
#[derive(Clone, Copy)]
struct WordHash {
    hash: u64,
    /// Hash before the last letter.
    before: u64,
    last: u8,
    second_last: u8,
    length: u32,
}

impl WordHash {
    const fn new() -> Self {
        Self { hash: OFFSET, before: OFFSET, last: 0, second_last: 0, length: 0 }
    }

    #[inline]
    fn push(&mut self, letter: u8) {
        self.before = self.hash;
        self.hash = (self.hash ^ u64::from(letter)).wrapping_mul(PRIME);
        self.second_last = self.last;
        self.last = letter;
        self.length += 1;
    }

    #[inline]
    fn value(self) -> u64 {
        let plural = self.length > 3 && self.last == b's' && self.second_last != b's';
        if plural { self.before } else { self.hash }
    }
}

/// Calls `word` with the hash of each word and `mark` with each punctuation token, in the order of the text.
#[inline]
fn tokenize<S>(text: &[u8], state: &mut S, mut word: impl FnMut(&mut S, u64), mut mark: impl FnMut(&mut S, u16)) {
    let mut current = WordHash::new();
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        let class = CLASS[usize::from(byte)];
        at += 1;
        if class >= b'0' {
            current.push(class);
            continue;
        }
        if class == SKIP {
            continue;
        }
        if class == GENERAL_PUNCTUATION {
            // E2 80 98 and E2 80 99 are single quotation marks: part of the word. Other E2 80 xx separate; the rest are letters.
            match (text.get(at), text.get(at + 1)) {
                (Some(0x80), Some(0x98 | 0x99)) => {
                    at += 2;
                    continue;
                }
                (Some(0x80), Some(_)) => at += 2,
                _ => {
                    current.push(byte);
                    continue;
                }
            }
        }
        if current.length > 0 {
            word(state, current.value());
            current = WordHash::new();
        }
        match class {
            // "3.5", "e.g." do not end a sentence.
            STOP if byte != b'.' || text.get(at).is_none_or(u8::is_ascii_whitespace) => mark(state, END),
            ASK => mark(state, QUESTION_MARK),
            PAUSE => mark(state, COMMA),
            _ => {}
        }
    }
    if current.length > 0 {
        word(state, current.value());
    }
}

/// The tokens of a text.
pub(super) struct Tokens {
    tokens: [u16; MAX_TOKENS],
    len: usize,
}

impl Tokens {
    #[inline]
    fn push(&mut self, token: u16) {
        let repeated = token == UNKNOWN && self.len > 0 && self.tokens[self.len - 1] == UNKNOWN;
        if self.len < MAX_TOKENS && !repeated {
            self.tokens[self.len] = token;
            self.len += 1;
        }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u16] {
        &self.tokens[..self.len]
    }
}

/// Packed open addressing: the low bits of an entry are the value, the others the key; 0 is empty.
#[derive(Clone, Debug)]
struct Packed<const VALUE_BITS: u32> {
    entries: Vec<u64>,
    len: usize,
}

impl<const VALUE_BITS: u32> Packed<VALUE_BITS> {
    const MASK: u64 = (1 << VALUE_BITS) - 1;

    fn new() -> Self {
        Self { entries: vec![0; 64], len: 0 }
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        ((key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize) & (self.entries.len() - 1)
    }

    /// The value of a key whose low bits are 0; never 0 when there is one.
    #[inline]
    fn get(&self, key: u64) -> Option<u64> {
        let mut slot = self.slot(key);
        loop {
            let entry = self.entries[slot];
            if entry == 0 {
                return None;
            }
            if entry & !Self::MASK == key {
                return Some(entry & Self::MASK);
            }
            slot = (slot + 1) & (self.entries.len() - 1);
        }
    }

    /// Adds a key that is not there yet.
    fn insert(&mut self, key: u64, value: u64) {
        if self.len * 2 >= self.entries.len() {
            let old = core::mem::take(&mut self.entries);
            self.entries = vec![0; old.len() * 2];
            for entry in old {
                if entry != 0 {
                    self.place(entry);
                }
            }
        }
        self.place(key | value);
        self.len += 1;
    }

    fn place(&mut self, entry: u64) {
        let mut slot = self.slot(entry & !Self::MASK);
        while self.entries[slot] != 0 {
            slot = (slot + 1) & (self.entries.len() - 1);
        }
        self.entries[slot] = entry;
    }
}

/// Phrases and their meanings.
#[derive(Clone, Debug)]
pub(super) struct PhraseTable {
    /// Upper 48 bits of the hash -> word.
    words: Packed<16>,
    /// `node << 16 | word`, shifted above 24 bits -> child node.
    edges: Packed<24>,
    /// First node of a word; 0 when no phrase begins with it.
    roots: Vec<u32>,
    /// Roles of a word at the head of a sentence.
    roles: Vec<u8>,
    /// Meaning of a node.
    meanings: Vec<Meaning>,
}

impl PhraseTable {
    pub(super) fn new() -> Self {
        Self {
            words: Packed::new(),
            edges: Packed::new(),
            roots: vec![0; usize::from(FIRST_WORD)],
            roles: vec![0; usize::from(FIRST_WORD)],
            meanings: vec![Meaning::Nothing],
        }
    }

    /// Adds a phrase unless it has a meaning already; returns that meaning then. A phrase without words, or one too many for
    /// the tables, is left out.
    pub(super) fn insert(&mut self, phrase: &str, meaning: Meaning) -> Option<Meaning> {
        let mut node = 0;
        for hash in word_hashes(phrase) {
            let word = self.word(hash)?;
            node = self.child(node, word)?;
        }
        if node == 0 {
            return None;
        }
        let slot = &mut self.meanings[node as usize];
        match *slot {
            Meaning::Nothing => {
                *slot = meaning;
                None
            }
            taken => Some(taken),
        }
    }

    /// Gives a word a role at the head of a sentence.
    pub(super) fn assign_role(&mut self, word: &str, role: u8) {
        for hash in word_hashes(word) {
            if let Some(word) = self.word(hash) {
                self.roles[usize::from(word)] |= role;
            }
        }
    }

    /// Number of a word, new if need be; `None` when there are too many.
    fn word(&mut self, hash: u64) -> Option<u16> {
        let key = hash & !Packed::<16>::MASK;
        if let Some(word) = self.words.get(key) {
            return Some(word as u16);
        }
        let word = u16::try_from(self.roots.len()).ok()?;
        self.words.insert(key, u64::from(word));
        self.roots.push(0);
        self.roles.push(0);
        Some(word)
    }

    fn child(&mut self, node: u32, word: u16) -> Option<u32> {
        if let Some(child) = self.step(node, word) {
            return Some(child);
        }
        let child = self.meanings.len() as u32;
        if child >= 1 << 24 {
            return None;
        }
        self.meanings.push(Meaning::Nothing);
        if node == 0 {
            self.roots[usize::from(word)] = child;
        } else {
            self.edges.insert(edge_key(node, word), u64::from(child));
        }
        Some(child)
    }

    #[inline]
    fn step(&self, node: u32, word: u16) -> Option<u32> {
        if node == 0 {
            let child = self.roots[usize::from(word)];
            return (child != 0).then_some(child);
        }
        self.edges.get(edge_key(node, word)).map(|child| child as u32)
    }

    /// Splits a text into tokens.
    #[inline]
    pub(super) fn tokens(&self, text: &[u8]) -> Tokens {
        let mut tokens = Tokens { tokens: [0; MAX_TOKENS], len: 0 };
        let word = |tokens: &mut Tokens, hash: u64| {
            let word = self.words.get(hash & !Packed::<16>::MASK);
            tokens.push(word.map_or(UNKNOWN, |word| word as u16));
        };
        tokenize(text, &mut tokens, word, Tokens::push);
        tokens
    }

    /// Roles of a token at the head of a sentence.
    #[inline]
    pub(super) fn role(&self, token: u16) -> u8 {
        self.roles[usize::from(token)]
    }

    /// The longest phrase that begins at the head of `tokens`: number of tokens, meaning. 0 tokens when there is none.
    #[inline]
    pub(super) fn longest(&self, tokens: &[u16]) -> (usize, Meaning) {
        let mut best = (0, Meaning::Nothing);
        let mut node = 0;
        for (index, &token) in tokens.iter().enumerate() {
            if token < FIRST_WORD {
                break;
            }
            let Some(child) = self.step(node, token) else { break };
            node = child;
            let meaning = self.meanings[node as usize];
            if meaning != Meaning::Nothing {
                best = (index + 1, meaning);
            }
        }
        best
    }

    /// Like [`Self::longest`], but gives way to a longer phrase that begins inside: returns tokens to skip, then the phrase.
    #[inline]
    pub(super) fn phrase(&self, tokens: &[u16]) -> (usize, usize, Meaning) {
        let (length, meaning) = self.longest(tokens);
        for skip in 1..length {
            let (inner, inner_meaning) = self.longest(&tokens[skip..]);
            if inner > length {
                return (skip, inner, inner_meaning);
            }
        }
        (0, length, meaning)
    }
}

fn edge_key(node: u32, word: u16) -> u64 {
    (u64::from(node) << 16 | u64::from(word)) << 24
}

/// Hashes of the words of a phrase.
fn word_hashes(phrase: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    tokenize(phrase.as_bytes(), &mut hashes, |hashes: &mut Vec<u64>, hash| hashes.push(hash), |_, _| {});
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_wins_also_when_it_begins_later() {
        let mut table = PhraseTable::new();
        table.insert("chest", Meaning::Finding(1));
        table.insert("chest pain", Meaning::Finding(2));
        table.insert("pain when you walk", Meaning::Finding(3));
        assert_eq!(table.phrase(table.tokens(b"Chest").as_slice()), (0, 1, Meaning::Finding(1)));
        assert_eq!(table.phrase(table.tokens(b"CHEST PAINS!").as_slice()), (0, 2, Meaning::Finding(2)));
        assert_eq!(table.phrase(table.tokens(b"chest pain when you walk").as_slice()), (1, 4, Meaning::Finding(3)));
    }

    #[test]
    fn apostrophes_hyphens_and_plurals_do_not_matter() {
        let mut table = PhraseTable::new();
        table.insert("don't light-headed", Meaning::Open);
        for text in ["dont light headed", "Don\u{2019}t light-headed", "don't\u{2014}light headed"] {
            assert_eq!(table.longest(table.tokens(text.as_bytes()).as_slice()), (3, Meaning::Open), "{text}");
        }
    }

    #[test]
    fn only_a_full_stop_before_space_ends_a_sentence() {
        let table = PhraseTable::new();
        assert_eq!(table.tokens(b"a 3.5. b? c").as_slice(), [UNKNOWN, END, UNKNOWN, QUESTION_MARK, UNKNOWN]);
    }

    #[test]
    fn packed_tables_grow_and_keep_every_entry() {
        let mut table = Packed::<24>::new();
        for key in 1..5_000u64 {
            table.insert(key << 24, key);
        }
        assert!((1..5_000).all(|key| table.get(key << 24) == Some(key)));
        assert_eq!(table.get(5_000 << 24), None);
    }
}
