//! `workup replay`: a whole episode from its code.

use std::{borrow::Cow, fmt::Write, io};

use anyhow::{Context, Result};
use serde::Serialize;
use workup_core::{dialogue::Exchange, scenario_code::ScenarioCode};

use super::{clinic, print_json, summary::Summary};
use crate::{Verdict, args::ReplayOptions, output::print_line};

#[derive(Debug, Serialize)]
struct Output<'a> {
    patient: String,
    opening: String,
    exchanges: &'a [Exchange],
    ended: bool,
    #[serde(flatten)]
    summary: Summary,
}

pub(crate) fn run(options: &ReplayOptions) -> Result<Verdict> {
    let text: Cow<'_, str> = if options.code == "-" {
        io::read_to_string(io::stdin()).context("stdin is no text")?.into()
    } else {
        options.code.as_str().into()
    };
    let code = ScenarioCode::decode(code_of(&text))?;
    let dialogue = code.replay(clinic(&options.knowledge)?)?;
    let summary = Summary::new(&dialogue)?;
    let ended = dialogue.episode().ending().is_some();
    if options.json {
        let (patient, opening) = (dialogue.presentation(), dialogue.opening());
        print_json(&Output { patient, opening, exchanges: dialogue.exchanges(), ended, summary })?;
        return Ok(Verdict::Fine);
    }
    let mut text = format!("{}\nPatient: {}\n", dialogue.presentation(), dialogue.opening());
    for (index, exchange) in dialogue.exchanges().iter().enumerate() {
        let _ = write!(text, "\n{:>2} Doctor: {}\n   {}\n", index + 1, exchange.message, exchange.reply);
    }
    print_line(&text);
    print_line(if ended { "The encounter ended here." } else { "The encounter goes on from here." });
    print_line(&summary.text());
    Ok(Verdict::Fine)
}

/// The code at the end of a link, or the text itself.
fn code_of(text: &str) -> &str {
    let text = text.trim();
    text.rfind(['#', '=', '/']).map_or(text, |at| &text[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_at_the_end_of_a_link() {
        assert_eq!(code_of("https://host/workup/?v=1#code=AbC-_9"), "AbC-_9");
        assert_eq!(code_of(" AbC-_9\n"), "AbC-_9");
    }
}
