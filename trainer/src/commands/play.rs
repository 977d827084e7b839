//! `workup play`: a person is the doctor, in the terminal.

use std::{
    fmt::Write,
    io::{self, BufRead},
    sync::Arc,
};

use anyhow::{Context, Result};
use workup_core::{
    dialogue::Dialogue,
    episode::Truth,
    exam::Catalogue,
    observation::ReplyKind,
    protocol::{write_diagnosis, write_tool_call},
    reward::Payer,
    scenario::{CaseSource, Scenario},
};
use workup_trainer::{
    cases::read_case,
    setting::{Setting, hex},
};

use super::{clinic, summary::Summary};
use crate::{
    Verdict,
    args::PlayOptions,
    output::{print_line, print_prompt},
};

/// Exams listed for one search.
const LISTED: usize = 20;

const HELP: &str = "\
Plain words ask the patient, one or two things at a time.
  :find WORDS               exams and their values that begin with these words, with price and discomfort
  :order TOOL name=value    order an exam, for example :order ct region=chest
  :dx NAME                  end with a diagnosis; :conditions lists their names
  :cost                     what has been spent
  :quit                     leave without a diagnosis
What an agent would send works too: <tool_call>..</tool_call> and [DIAGNOSIS: ..].";

/// What a line of the player means.
enum Input {
    /// Sent to the patient.
    Message(String),
    /// Shown to the player; no turn passes.
    Shown(String),
    Quit,
}

pub(crate) fn run(options: &PlayOptions) -> Result<Verdict> {
    let clinic = clinic(&options.knowledge)?;
    let scenario = scenario(options)?;
    let mut dialogue = Dialogue::new(clinic, scenario)?;
    print_line(workup_core::SAFETY);
    if options.cases.is_some() {
        print_line(workup_core::IMPORTED_WARNING);
    }
    print_line(&format!("\n{HELP}\n"));
    print_line(&format!("Seed {}. {}.", hex(dialogue.episode().scenario().seed), dialogue.presentation()));
    print_line(&format!("Patient: {}", dialogue.opening()));

    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    while dialogue.episode().ending().is_none() {
        print_prompt(&prompt(&dialogue));
        bytes.clear();
        // What is no text is read as well as can be: a stray byte must not cost the encounter.
        let len = stdin.read_until(b'\n', &mut bytes);
        if len.context("stdin cannot be read")? == 0 {
            break;
        }
        match input(&dialogue, String::from_utf8_lossy(&bytes).trim()) {
            Input::Message(message) => print_line(&reply(&mut dialogue, &message)),
            Input::Shown(text) => print_line(&text),
            Input::Quit => break,
        }
    }
    print_line(&format!("\n{}", Summary::new(&dialogue)?.text()));
    Ok(Verdict::Fine)
}

fn scenario(options: &PlayOptions) -> Result<Scenario> {
    let seed = match options.seed {
        Some(seed) => seed,
        None => getrandom::u64().context("the system gives no fresh seed: choose one with --seed")?,
    };
    let setting = Setting {
        patient_noise: options.patient_noise,
        exam_noise: options.exam_noise,
        payer: options.payer.into(),
        plain_persona: options.plain,
        ..Setting::default()
    };
    let mut scenario = setting.scenario(seed);
    if let (Some(path), Some(number)) = (&options.cases, options.case) {
        scenario.case = CaseSource::Imported(Arc::new(read_case(path, number)?));
    }
    Ok(scenario)
}

fn prompt(dialogue: &Dialogue) -> String {
    let episode = dialogue.episode();
    let (turn, cap) = (episode.doctor_turns() + 1, episode.scenario().max_doctor_turns);
    format!("\n[{turn}/{cap}, ${:.2}] > ", episode.reward().tally.dollars())
}

fn reply(dialogue: &mut Dialogue, message: &str) -> String {
    let reply = dialogue.send(message);
    let speaker = match reply.kind {
        ReplyKind::Answer | ReplyKind::OpenAnswer | ReplyKind::NotUnderstood | ReplyKind::PatientTurnsUsedUp => {
            "Patient: "
        }
        ReplyKind::Report | ReplyKind::NotApplicable | ReplyKind::NotRecorded => "Report: ",
        ReplyKind::InvalidCall | ReplyKind::FormatError => "Clinic: ",
        ReplyKind::End => "",
    };
    format!("{speaker}{}", reply.text)
}

fn input(dialogue: &Dialogue, line: &str) -> Input {
    let catalogue = &dialogue.clinic().base().catalogue;
    let payer = dialogue.episode().scenario().payer;
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match command {
        "" | ":help" => Input::Shown(HELP.to_owned()),
        ":quit" => Input::Quit,
        ":find" => Input::Shown(find(catalogue, payer, rest)),
        ":cost" => Input::Shown(cost(dialogue)),
        ":order" => match order(catalogue, rest) {
            Ok(message) => Input::Message(message),
            Err(problem) => Input::Shown(format!("{problem}; no turn was spent")),
        },
        ":conditions" => Input::Shown(conditions(dialogue)),
        ":dx" => diagnosis(dialogue, rest),
        _ if command.starts_with(':') => Input::Shown(format!("`{command}` is no command: try :help")),
        _ => Input::Message(line.to_owned()),
    }
}

/// `ct region=chest contrast=yes` as a tool call, or what is wrong with it: a slip of the keyboard is no order.
fn order(catalogue: &Catalogue, text: &str) -> Result<String, String> {
    let mut words = text.split_whitespace();
    let name = words.next().ok_or("name an exam: :find looks for it")?;
    let arguments: Vec<(&str, &str)> = words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
    catalogue.parse_call(name, &arguments).map_err(|error| format!("{error} (:find {name} shows what there is)"))?;
    let mut message = String::new();
    write_tool_call(name, arguments, &mut message);
    Ok(message)
}

/// A diagnosis that names a condition of the knowledge base; of an imported case any words.
fn diagnosis(dialogue: &Dialogue, text: &str) -> Input {
    let base = dialogue.clinic().base();
    let is_generated = matches!(dialogue.episode().truth(), Truth::Generated(_));
    let reading = base.names.read(text);
    if text.is_empty() || (is_generated && !reading.unmatched.is_empty() && !reading.undetermined) {
        let unknown = reading.unmatched.join("`, `");
        return Input::Shown(format!(
            "`{unknown}` is no condition of this simulator: :conditions lists them; no turn was spent"
        ));
    }
    let mut message = String::new();
    write_diagnosis([text], &mut message);
    Input::Message(message)
}

fn conditions(dialogue: &Dialogue) -> String {
    let mut names: Vec<&str> = dialogue.clinic().base().diseases.iter().map(|disease| disease.name.as_str()).collect();
    names.sort_unstable();
    names.join("\n")
}

fn find(catalogue: &Catalogue, payer: Payer, words: &str) -> String {
    let wanted: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    // Words begin with what is looked for: `ct` is not in `function`.
    let matches = |text: &str| {
        let text = text.to_lowercase();
        let begins = |word: &String| {
            text.split(|letter: char| !letter.is_alphanumeric()).any(|other| other.starts_with(word.as_str()))
        };
        wanted.iter().all(begins)
    };
    let by_name = catalogue.find(words);
    let found: Vec<_> = catalogue
        .exams()
        .iter()
        .enumerate()
        .filter(|(index, exam)| {
            let values =
                exam.parameters.iter().flat_map(|parameter| &parameter.values).cloned().collect::<Vec<_>>().join(" ");
            let text = format!("{} {} {} {values}", exam.name, exam.label, exam.group);
            !exam.imported_only && (by_name == Some(*index) || matches(&text))
        })
        .map(|(_, exam)| exam)
        .collect();
    let mut text = format!("{} exams", found.len());
    for exam in found.iter().take(LISTED) {
        let dollars = f64::from(payer.usd_cents(&exam.price)) / 100.0;
        let discomfort = exam.price.discomfort;
        let _ = write!(text, "\n  {:<28} about ${dollars:<9.2} discomfort {discomfort}", exam.name);
        for parameter in &exam.parameters {
            let need = if parameter.required { "" } else { "?" };
            let values = if parameter.is_free_text() { "text".to_owned() } else { parameter.values.join("|") };
            let _ = write!(text, "\n      {}{need} = {values}", parameter.name);
        }
    }
    if found.len() > LISTED {
        let _ = write!(text, "\n  and {} more: give more words", found.len() - LISTED);
    }
    text
}

fn cost(dialogue: &Dialogue) -> String {
    let parts = dialogue.episode().reward();
    let tally = &parts.tally;
    format!(
        "{} exams, ${:.2}, discomfort {}; costs so far {:.4} of a right diagnosis",
        tally.num_exams,
        tally.dollars(),
        tally.discomfort,
        parts.exam_cost + parts.turn_cost + parts.penalty
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_becomes_a_tool_call() {
        let catalogue = Catalogue::embedded().unwrap();
        assert_eq!(
            order(&catalogue, "ct region=chest").unwrap(),
            "<tool_call>{\"name\": \"ct\", \"arguments\": {\"region\": \"chest\"}}</tool_call>"
        );
        assert!(order(&catalogue, "tricorder").is_err() && order(&catalogue, "").is_err());
    }

    #[test]
    fn exams_are_found_by_their_words_with_a_price() {
        let catalogue = Catalogue::embedded().unwrap();
        let found = find(&catalogue, Payer::Medicare, "cbc");
        assert!(found.contains("cbc") && found.contains('$'), "{found}");
        assert!(find(&catalogue, Payer::Medicare, "no such exam").starts_with("0 exams"));
        assert!(!find(&catalogue, Payer::Medicare, "ct").contains("thyroid"), "`ct` is no part of `function`");
        assert!(find(&catalogue, Payer::Medicare, "troponin").contains("cardiac_enzyme"));
        assert!(find(&catalogue, Payer::Medicare, "vital").contains("physical_examination"));
    }
}
