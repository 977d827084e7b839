//! Catches any text on which our encoder and the `tokenizers` crate differ, and tokenizer files that make the reader panic.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::{AddedToken, PreTokenizerWrapper, TokenizerBuilder, TokenizerImpl};
use workup_model::{Tokenizer, TokenizerError};

const SPECIALS: [&str; 4] = ["<|pad|>", "<|end|>", "<|end|>|", "<tool_call>"];

const WORDS: [&str; 34] = [
    "the",
    "patient",
    "Doctor",
    "pain",
    "chest",
    "since",
    "yesterday",
    "I'm",
    "don't",
    "we'll",
    "they've",
    "it's",
    "38.5",
    "120/80",
    "mmHg",
    "fièvre",
    "Schmerz",
    "痛み",
    "боль",
    "x²",
    "½",
    "٣",
    "naïve",
    "🩺",
    "👩‍⚕️",
    "e\u{301}",
    "<|end|>",
    "<|end|>|",
    "<tool_call>",
    "<|en",
    "'",
    "...",
    "(cbc)",
    "\u{feff}",
];

const GAPS: [&str; 12] = [" ", " ", " ", "", "  ", "\n", "\n\n", "\t", " \n ", "\u{a0}", "\u{2003} ", "\r\n"];

fn pick<'a>(rng: &mut ChaCha8Rng, from: &[&'a str]) -> &'a str {
    from[rng.next_u32() as usize % from.len()]
}

fn dialogue(rng: &mut ChaCha8Rng) -> String {
    (0..=rng.next_u32() % 40).map(|_| [pick(rng, &WORDS), pick(rng, &GAPS)].concat()).collect()
}

fn noise(rng: &mut ChaCha8Rng) -> String {
    let ranges = [0x80, 0x300, 0x3000, 0x2_0000, 0x11_0000];
    let char = |rng: &mut ChaCha8Rng| {
        let end = ranges[rng.next_u32() as usize % ranges.len()];
        char::from_u32(rng.next_u32() % end).unwrap_or(' ')
    };
    (0..rng.next_u32() % 60).map(|_| char(rng)).collect()
}

fn long_run(rng: &mut ChaCha8Rng) -> String {
    let word = pick(rng, &["a", "ab", " ", "pain", "é", "7", "\n"]);
    word.repeat(1 + rng.next_u32() as usize % 400)
}

fn texts(count: usize) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(42);
    let text = |index: usize| match index % 10 {
        0..=5 => dialogue(&mut rng),
        6..=8 => noise(&mut rng),
        _ => long_run(&mut rng),
    };
    (0..count).map(text).collect()
}

type Reference = TokenizerImpl<BPE, tokenizers::NormalizerWrapper, PreTokenizerWrapper, ByteLevel, ByteLevel>;

fn trained(pre_tokenizer: PreTokenizerWrapper) -> Reference {
    let special = |text: &&str| AddedToken::from(*text, true);
    let mut trainer = BpeTrainer::builder()
        .vocab_size(700)
        .show_progress(false)
        .special_tokens(SPECIALS.iter().map(special).collect())
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .build();
    let mut tokenizer = TokenizerBuilder::default()
        .with_model(BPE::default())
        .with_normalizer(None)
        .with_pre_tokenizer(Some(pre_tokenizer))
        .with_post_processor(None)
        .with_decoder(Some(ByteLevel::default()))
        .build()
        .unwrap();
    tokenizer.train(&mut trainer, texts(2000).iter()).unwrap();
    tokenizer
}

fn byte_level(use_regex: bool) -> PreTokenizerWrapper {
    ByteLevel::new(false, false, use_regex).into()
}

fn pre_tokenizers() -> [PreTokenizerWrapper; 4] {
    let after_digits = |digits: Digits| Sequence::new(vec![digits.into(), byte_level(true)]).into();
    [byte_level(true), byte_level(false), after_digits(Digits::new(true)), after_digits(Digits::new(false))]
}

#[test]
fn ten_thousand_texts_encode_and_decode_as_the_tokenizers_crate_does() {
    for pre_tokenizer in pre_tokenizers() {
        let mut reference = trained(pre_tokenizer);
        let ours = Tokenizer::from_json(&reference.to_string(false).unwrap()).unwrap();
        assert_eq!(ours.vocab_size(), reference.get_vocab_size(true));
        for text in texts(10_000) {
            let expected = reference.encode_fast(text.as_str(), false).unwrap();
            let tokens = ours.encode(&text);
            assert_eq!(tokens, expected.get_ids(), "{text:?}");
            assert_eq!(ours.decode(&tokens), text);
            assert_eq!(reference.decode(&tokens, false).unwrap(), text);
        }
        reference.set_encode_special_tokens(true);
        for text in texts(1000) {
            let expected = reference.encode_fast(text.as_str(), false).unwrap();
            let tokens = ours.encode_plain(&text);
            assert_eq!(tokens, expected.get_ids(), "{text:?}");
            assert_eq!(ours.decode(&tokens), text);
        }
    }
}

#[test]
fn one_piece_of_a_hundred_thousand_characters_is_encoded_as_the_tokenizers_crate_does() {
    let reference = trained(byte_level(true));
    let ours = Tokenizer::from_json(&reference.to_string(false).unwrap()).unwrap();
    for text in ["a".repeat(100_000), "painab".repeat(20_000), " ".repeat(100_000)] {
        assert_eq!(ours.encode(&text), reference.encode_fast(text.as_str(), false).unwrap().get_ids());
    }
}

#[test]
fn random_token_rows_decode_as_the_tokenizers_crate_does() {
    let reference = trained(byte_level(true));
    let ours = Tokenizer::from_json(&reference.to_string(true).unwrap()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..2000 {
        let tokens: Vec<u32> = (0..rng.next_u32() % 12).map(|_| rng.next_u32() % 700).collect();
        assert_eq!(ours.decode(&tokens), reference.decode(&tokens, false).unwrap());
    }
    assert_eq!(ours.decode(&[700, u32::MAX]), "");
}

#[test]
fn special_tokens_are_found_by_content() {
    let reference = trained(byte_level(true));
    let ours = Tokenizer::from_json(&reference.to_string(false).unwrap()).unwrap();
    for special in SPECIALS {
        assert_eq!(ours.special(special), reference.token_to_id(special));
        assert_eq!(ours.encode(special), [ours.special(special).unwrap()]);
        assert!(ours.encode_plain(special).len() > 1);
    }
    assert_eq!(ours.special("pain"), None);
}

#[test]
fn files_of_another_kind_are_refused_by_name() {
    let json: serde_json::Value = serde_json::from_str(&trained(byte_level(true)).to_string(false).unwrap()).unwrap();
    let refuse = |pointer: &str, value: serde_json::Value| {
        let mut changed = json.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        Tokenizer::from_json(&changed.to_string()).unwrap_err()
    };
    let unsupported = |what: &str| TokenizerError::Unsupported(what.to_owned());
    assert!(matches!(Tokenizer::from_json("{"), Err(TokenizerError::Json(_))));
    assert_eq!(refuse("/normalizer", serde_json::json!({"type": "NFC"})), unsupported("a normalizer"));
    assert_eq!(refuse("/model/type", serde_json::json!("Unigram")), unsupported("a model other than BPE"));
    assert_eq!(refuse("/model/dropout", serde_json::json!(0.1)), unsupported("dropout"));
    assert_eq!(
        refuse("/pre_tokenizer", serde_json::json!({"type": "Whitespace"})),
        unsupported("a pre_tokenizer other than ByteLevel")
    );
    assert!(matches!(refuse("/model/vocab/a", serde_json::json!(4_000_000_000_u32)), TokenizerError::TokenId(_)));
    assert!(matches!(refuse("/model/merges/0", serde_json::json!("a b c")), TokenizerError::Json(_)));
    assert!(matches!(refuse("/model/merges/0", serde_json::json!(["a", "€"])), TokenizerError::MissingToken(_)));
}

#[test]
fn damaged_files_never_panic() {
    let json = trained(byte_level(true)).to_string(false).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..300 {
        let mut damaged = json.clone().into_bytes();
        for _ in 0..4 {
            let place = rng.next_u32() as usize % damaged.len();
            damaged[place] = 32 + (rng.next_u32() % 95) as u8;
        }
        if let Ok(tokenizer) = Tokenizer::from_json(&String::from_utf8_lossy(&damaged)) {
            let tokens = tokenizer.encode("I'm in pain since 38.5 <|end|> yesterday");
            let _ = tokenizer.decode(&tokens);
        }
    }
}
