//! The vocabulary of the `nano` decoder: byte-level BPE over conversations, with the closed forms of the protocol (tool calls and
//! diagnosis tags) and the set pieces of every consultation as tokens of their own, so that an order is one choice and not
//! thirty. Questions stay words: what they share is how the decoder learns what they mean.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Value, json};
use workup_core::{
    nano::{self, SPECIAL_TOKENS},
    protocol::{Message, Role},
};

use super::LearningError;
use crate::train_tokenizer::{TrainTokenizerError, train_bpe};

/// Share of the vocabulary that may be phrases: one token in this many.
const PHRASE_SHARE: usize = 3;
/// How often a tool call or diagnosis tag has to occur.
const MIN_COUNT: usize = 4;
/// A sentence is a set piece when it is said in at least one of this many conversations.
const SET_PIECE_SHARE: usize = 8;

/// Trains the tokenizer on conversations; returns its `tokenizer.json` with at most `vocab_size` tokens.
///
/// # Errors
/// When the vocabulary is too small.
pub fn train_vocabulary<'a>(
    conversations: impl Iterator<Item = &'a [Message]> + Clone,
    vocab_size: usize,
) -> Result<String, LearningError> {
    let phrases = frequent_phrases(conversations.clone());
    let phrases: Vec<&str> = phrases.into_iter().take(vocab_size / PHRASE_SHARE).collect();
    let known: BTreeSet<&str> = phrases.iter().copied().collect();
    let texts = conversations
        .flat_map(|messages| messages.iter())
        .flat_map(|message| pieces(message).into_iter().map(|piece| as_read(message, piece)))
        .filter(|piece| !known.contains(piece.as_ref()))
        .collect::<Vec<_>>();
    let trained = train_bpe(texts.iter().map(AsRef::as_ref), vocab_size - phrases.len(), &SPECIAL_TOKENS)
        .map_err(|error| whole_size(error, vocab_size))?;
    with_phrases(&trained, &phrases)
}

/// Speaks of the size that was asked for, of which phrases take a share before the rest is trained.
fn whole_size(error: TrainTokenizerError, vocab_size: usize) -> TrainTokenizerError {
    match error {
        TrainTokenizerError::TooSmall { least, .. } => {
            let least = (least * PHRASE_SHARE).div_ceil(PHRASE_SHARE - 1);
            TrainTokenizerError::TooSmall { vocab_size, least }
        }
        other => other,
    }
}

/// A piece as it stands in the prompt.
fn as_read<'a>(message: &Message, piece: &'a str) -> Cow<'a, str> {
    let mark = if message.role == Role::Tool { nano::RESULT } else { nano::PATIENT };
    nano::reply_text(mark, piece)
}

/// A message in pieces: what comes before a tool call or diagnosis tag, that call or tag, and what follows it.
fn pieces(message: &Message) -> Vec<&str> {
    let text = message.content.as_str();
    if message.role != Role::Assistant {
        return vec![text];
    }
    let act = [("<tool_call>", "</tool_call>"), ("[DIAGNOSIS:", "]")].into_iter().find_map(|(opening, closing)| {
        let start = text.find(opening)?;
        Some((start, start + text[start..].find(closing)? + closing.len()))
    });
    let Some((start, end)) = act else { return vec![text] };
    [&text[..start], &text[start..end], &text[end..]].into_iter().filter(|piece| !piece.is_empty()).collect()
}

/// Phrases by falling frequency, equals by their text.
fn frequent_phrases<'a>(conversations: impl Iterator<Item = &'a [Message]>) -> Vec<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut num_conversations = 0;
    for messages in conversations {
        num_conversations += 1;
        for piece in messages.iter().filter(|message| message.role == Role::Assistant).flat_map(pieces) {
            *counts.entry(piece).or_default() += 1;
        }
    }
    let is_act = |piece: &str| piece.starts_with("<tool_call>") || piece.starts_with("[DIAGNOSIS:");
    let is_phrase = |(piece, count): &(&str, usize)| {
        *count >= MIN_COUNT && (is_act(piece) || *count * SET_PIECE_SHARE >= num_conversations)
    };
    let mut phrases: Vec<(&str, usize)> = counts.into_iter().filter(is_phrase).collect();
    phrases.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(right.0)));
    phrases.into_iter().map(|(phrase, _)| phrase).collect()
}

/// Appends phrases to the added tokens of a `tokenizer.json`.
fn with_phrases(tokenizer: &str, phrases: &[&str]) -> Result<String, LearningError> {
    let wrong = |what: &str| LearningError::from(workup_model::TokenizerError::Json(what.to_owned()));
    let mut file: Value = serde_json::from_str(tokenizer).map_err(|error| wrong(&error.to_string()))?;
    let vocab = file["model"]["vocab"].as_object().map_or(0, serde_json::Map::len);
    let added = file["added_tokens"].as_array_mut().ok_or_else(|| wrong("no `added_tokens`"))?;
    for (index, phrase) in phrases.iter().enumerate() {
        added.push(json!({
            "id": vocab + index, "content": phrase, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": false,
        }));
    }
    Ok(file.to_string())
}

#[cfg(test)]
mod tests {
    use workup_core::protocol::Message;

    use super::*;
    use crate::learning::format::NanoFormat;

    fn conversation(disease: &str) -> Vec<Message> {
        vec![
            Message::new(Role::System, "54-year-old woman, chest pain"),
            Message::new(Role::Assistant, "Hello, what brings you in?"),
            Message::new(Role::User, "My chest hurts."),
            Message::new(Role::Assistant, "A test: <tool_call>{\"name\": \"ecg\", \"arguments\": {}}</tool_call>"),
            Message::new(Role::Tool, "ECG: normal."),
            Message::new(Role::Assistant, format!("This fits: [DIAGNOSIS: {disease}]")),
        ]
    }

    #[test]
    fn an_order_is_one_token_and_everything_decodes_to_itself() {
        let conversations: Vec<_> = (0..20).map(|index| conversation(["flu", "cold"][index % 2])).collect();
        let json = train_vocabulary(conversations.iter().map(Vec::as_slice), 300).unwrap();
        let format = NanoFormat::from_json(&json).unwrap();
        assert_eq!(
            format.tokenizer().encode_plain("<tool_call>{\"name\": \"ecg\", \"arguments\": {}}</tool_call>").len(),
            1
        );
        assert_eq!(format.tokenizer().encode_plain("[DIAGNOSIS: flu]").len(), 1);
        for message in &conversations[0] {
            let tokens = format.tokenizer().encode_plain(&message.content);
            assert_eq!(format.message_text(&tokens), message.content);
        }
    }

    #[test]
    fn the_mask_covers_the_doctors_words_and_their_end_only() {
        let conversations = [conversation("flu"), conversation("flu")];
        let json = train_vocabulary(conversations.iter().map(Vec::as_slice), 300).unwrap();
        let format = NanoFormat::from_json(&json).unwrap();
        let example = format.example(&conversations[0]);
        let chosen: Vec<u32> = example
            .tokens
            .iter()
            .zip(&example.action_mask)
            .filter(|(_, chosen)| **chosen)
            .map(|(token, _)| *token)
            .collect();
        let said: String = conversations[0]
            .iter()
            .filter(|message| message.role == Role::Assistant)
            .flat_map(|message| [message.content.as_str(), "<|end|>"])
            .collect();
        assert_eq!(format.tokenizer().decode(&chosen), said);
    }

    #[test]
    fn words_of_a_patient_never_become_special_tokens() {
        let conversations = [conversation("flu"), conversation("flu")];
        let json = train_vocabulary(conversations.iter().map(Vec::as_slice), 300).unwrap();
        let format = NanoFormat::from_json(&json).unwrap();
        let tokens =
            format.observation(&[format.end_token()], workup_core::observation::ReplyKind::Answer, "<|doctor|>");
        assert_eq!(tokens.iter().filter(|&&token| token == format.end_token()).count(), 1);
        assert!(tokens.len() > 4);
    }
}
