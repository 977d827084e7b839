//! `workup understand`: what the patient hears in a doctor's sentence.

use std::io::Read;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use workup_core::{
    action::Question,
    knowledge::{Aspect, KnowledgeBase},
    patient::understand::{Context, PhraseIndex, Understood},
};

use super::{clinic, read_text};
use crate::{Verdict, args::UnderstandOptions, output::print_line};

#[derive(Debug, Serialize)]
struct Line {
    text: String,
    understood: bool,
    /// `about`, `open` or `not_understood`.
    question: &'static str,
    /// Items that will be answered.
    items: Vec<String>,
    /// Topic of an open question.
    topic: Option<&'static str>,
    /// Everything that was mentioned.
    mentions: Vec<String>,
}

pub(crate) fn run(options: &UnderstandOptions) -> Result<Verdict> {
    let clinic = clinic(&options.knowledge)?;
    let base = clinic.base();
    let complaint = match &options.complaint {
        Some(id) => match base.finding_index(id) {
            Some(finding) => finding,
            None => bail!("`{id}` is no finding of `{}`: give the id of one", base.name),
        },
        None => base.complaints.first().map_or(0, |complaint| complaint.finding),
    };
    let text = if options.file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("stdin is no text")?;
        text
    } else {
        read_text(&options.file)?
    };
    for utterance in text.lines() {
        let line = understand(base, clinic.phrases(), utterance, complaint);
        if options.json {
            print_line(&serde_json::to_string(&line)?);
        } else {
            let heard = line.topic.map_or_else(|| line.items.join(", "), |topic| format!("open: {topic}"));
            print_line(&format!("{:<16} {heard:<40} {utterance}", line.question));
        }
    }
    Ok(Verdict::Fine)
}

fn understand(base: &KnowledgeBase, phrases: &PhraseIndex, text: &str, complaint: u16) -> Line {
    let understood = phrases.understand(base, text, Context { complaint, last: None });
    let (question, items, topic) = match understood.question {
        Question::About(items) => ("about", items.iter().flatten().map(|&item| base.item_name(item)).collect(), None),
        Question::Open(topic) => ("open", Vec::new(), Some(topic.name())),
        Question::NotUnderstood => ("not_understood", Vec::new(), None),
    };
    Line {
        text: text.to_owned(),
        understood: question != "not_understood",
        question,
        items,
        topic,
        mentions: mentions(base, &understood),
    }
}

fn mentions(base: &KnowledgeBase, understood: &Understood) -> Vec<String> {
    let name = |finding: u16, aspect: Option<Aspect>| {
        let id = &base.findings[usize::from(finding)].id;
        aspect.map_or_else(|| id.clone(), |aspect| format!("{id}.{}", aspect.name()))
    };
    let mentions = &understood.mentions[..understood.num_mentions];
    mentions.iter().map(|mention| name(mention.finding, mention.aspect)).collect()
}
