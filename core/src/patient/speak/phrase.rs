//! Stock phrases, and which of them a speaker uses. Phrases of one list have about the same length.

use alloc::string::String;

use crate::{
    knowledge::Site,
    observation::Value,
    persona::{Persona, Personality, Proficiency},
    random::KeyedRng,
};

pub(super) const NOT_UNDERSTOOD: [&str; 3] = [
    "I am sorry, I did not understand the question.",
    "I am not sure what you are asking me.",
    "What do you mean? I did not follow.",
];
pub(super) const USED_UP: [&str; 3] = [
    "I have answered enough questions now.",
    "I am too tired for more questions.",
    "Please, no more questions for now.",
];
pub(super) const VAGUE_OPEN: [&str; 3] =
    ["It is hard to put into words.", "I just do not feel right.", "I cannot really describe it."];
pub(super) const NOTHING_ELSE: [&str; 3] =
    ["No, nothing else comes to mind.", "Nothing else that I can think of.", "I think that is everything."];
const VAGUE: [&str; 3] = ["It is hard to say.", "I cannot really say.", "I am not so sure."];
const LEFT_OUT: [&str; 3] =
    ["I have not thought about that.", "I did not pay attention to that.", "I could not tell you that."];
const WITHHELD: [&str; 3] =
    ["I would rather not say yet.", "Why do you need to know that?", "I do not want to go into that."];
const NOT_REMEMBERED: [&str; 3] =
    ["I do not remember that.", "I cannot recall that now.", "I forget such things, sorry."];
pub(super) const UNKNOWABLE: [&str; 3] =
    ["I would not know that.", "You would have to look yourself.", "I cannot tell, please examine me."];
pub(super) const SITE: [&str; 3] = ["It is in ", "I feel it in ", "Mostly it is in "];
pub(super) const SEVERITY: [&str; 3] = ["It is about ", "I would say ", "Maybe around "];
pub(super) const DURATION: [&str; 3] = ["It has been ", "For about ", "I would say for "];
pub(super) const AWHILE: [&str; 3] = ["It has been a while", "For a while now", "I would say for a while"];
const RADIATION: [&str; 3] = ["It spreads ", "It goes ", "It moves "];
const GUESS: [&str; 3] = [" Could it be ", " Do you think it is ", " Might this be "];

/// What is said instead of an answer; `None` when the value is an answer.
pub(super) const fn no_answer(value: Value) -> Option<&'static [&'static str; 3]> {
    match value {
        Value::Vague | Value::Missing => Some(&VAGUE),
        Value::LeftOut => Some(&LEFT_OUT),
        Value::Withheld => Some(&WITHHELD),
        Value::NotRemembered => Some(&NOT_REMEMBERED),
        Value::Unknowable => Some(&UNKNOWABLE),
        _ => None,
    }
}

/// How a speaker's sentences are built.
#[derive(Clone, Copy)]
pub(super) enum Style {
    /// Short plain sentences.
    Short,
    /// Sentences joined by commas.
    Joined,
}

impl Style {
    pub(super) const fn of(persona: Persona) -> Self {
        match persona.proficiency {
            Proficiency::LevelA => Self::Short,
            Proficiency::LevelB | Proficiency::LevelC => Self::Joined,
        }
    }

    /// What follows "Yes".
    pub(super) const fn after_word(self) -> &'static str {
        match self {
            Self::Short => ". ",
            Self::Joined => ", ",
        }
    }

    pub(super) const fn separate_sentences(self) -> bool {
        matches!(self, Self::Short)
    }
}

/// Draws that choose phrases: one for the phrase, one for the frame, one for the remark and one for whether there is one.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    phrase: u32,
    frame: u32,
    remark: u32,
    remarks: bool,
}

impl Choice {
    pub(super) fn draw(mut rng: KeyedRng) -> Self {
        Self { phrase: rng.draw(), frame: rng.below(3), remark: rng.below(3), remarks: rng.below(3) == 0 }
    }

    /// One of the phrases of the knowledge base; empty when there is none.
    pub(super) fn of(self, phrases: &[String]) -> &str {
        let index = (u64::from(self.phrase) * phrases.len() as u64) >> 32;
        phrases.get(index as usize).map_or("", String::as_str)
    }

    pub(super) fn push_one_of(self, phrases: &[&str; 3], out: &mut String) {
        out.push_str(phrases[self.frame as usize]);
    }

    pub(super) fn push_radiation(self, site: &Site, out: &mut String) {
        self.push_one_of(&RADIATION, out);
        if site.id != "nowhere" {
            out.push_str("to ");
        }
        out.push_str(&site.lay);
    }

    pub(super) fn push_guess(self, lay: &str, out: &mut String) {
        self.push_one_of(&GUESS, out);
        out.push_str(lay);
        out.push('?');
    }

    pub(super) fn push_greeting(self, persona: Persona, out: &mut String) {
        let greetings: [&str; 3] = match (persona.personality, persona.proficiency) {
            (Personality::Impatient, _) => ["", "Listen, ", "Doctor, "],
            (Personality::Overanxious, _) => ["Doctor, please help, ", "Thank goodness, doctor, ", "Please, doctor, "],
            (Personality::Pleasing, _) => ["Thank you for seeing me, ", "Sorry to trouble you, ", "Hello doctor, "],
            (_, Proficiency::LevelA) => ["Hello. ", "Doctor. ", "Good day. "],
            _ => ["Hello doctor, ", "Hello, ", "Well, "],
        };
        let greeting = greetings[self.frame as usize];
        out.push_str(greeting);
    }
}

/// The talkative begin with a remark, now and then.
pub(super) fn remark_before(persona: Persona, choice: Choice, out: &mut String) {
    if choice.remarks && persona.personality == Personality::Verbose {
        choice.push_remark(
            &["Let me think for a moment. ", "My family asked me that too. ", "Now, where do I begin. "],
            out,
        );
    }
}

/// Others end with one.
pub(super) fn remark_after(persona: Persona, choice: Choice, out: &mut String) {
    if !choice.remarks {
        return;
    }
    match persona.personality {
        Personality::Pleasing => {
            choice.push_remark(&[" I hope that helps.", " Sorry to trouble you.", " Thank you for asking."], out);
        }
        Personality::Impatient => choice.push_remark(&[" Can we hurry?", " Is that all?", " What else?"], out),
        Personality::Distrust => {
            choice.push_remark(&[" Why do you ask?", " Who will read this?", " If you must know."], out);
        }
        Personality::Overanxious => {
            choice.push_remark(&[" Is that bad?", " Should I be worried?", " Is it serious?"], out);
        }
        Personality::Verbose | Personality::Plain => {}
    }
}

impl Choice {
    fn push_remark(self, remarks: &[&str; 3], out: &mut String) {
        out.push_str(remarks[self.remark as usize]);
    }
}

/// Appends a number in decimal digits.
pub(super) fn push_number(mut number: u32, out: &mut String) {
    let mut digits = [0u8; 10];
    let mut len = 0;
    loop {
        digits[len] = b'0' + (number % 10) as u8;
        len += 1;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(digits[..len].iter().rev().map(|&digit| char::from(digit)));
}
