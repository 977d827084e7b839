//! Words: what a doctor says must mean one finding.

use std::collections::BTreeMap;

use super::Checker;

pub(super) fn check(checker: &mut Checker<'_>) {
    phrase_collision(checker);
    first_person(checker);
}

/// A phrase that asks for two findings is understood as only one of them.
fn phrase_collision(checker: &mut Checker<'_>) {
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    let mut clashes = Vec::new();
    for finding in &checker.files.file.findings {
        for phrase in &finding.ask {
            let key = phrase.trim().to_lowercase();
            match owners.get(&key) {
                Some(owner) if *owner != finding.id => clashes.push((finding.id.clone(), key, owner.clone())),
                _ => drop(owners.insert(key, finding.id.clone())),
            }
        }
    }
    for (id, phrase, owner) in clashes {
        let problem = format!("`{phrase}` also asks for `{owner}`: take it from one of them");
        checker.error("phrase_collision", "findings", &id, problem);
    }
}

/// The patient speaks of themselves.
fn first_person(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for finding in &checker.files.file.findings {
        for clause in finding.present.iter().chain(&finding.absent).chain([&finding.noun]) {
            let words: Vec<&str> = clause.split(|letter: char| !letter.is_alphanumeric()).collect();
            if clause.starts_with("STUB") || clause.trim().is_empty() || words.contains(&"patient") {
                wrong.push((finding.id.clone(), clause.clone()));
            }
        }
    }
    for (id, clause) in wrong {
        let problem = format!("`{clause}` is no clause of a patient: say it in the first person");
        checker.error("first_person", "findings", &id, problem);
    }
}
