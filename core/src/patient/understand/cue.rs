//! Built-in phrases: kinds of questions, topics, openings, and words that only look like them.
//!
//! A final `s` never matters, hyphens are spaces, apostrophes vanish. The longest phrase wins, and phrases of the knowledge
//! base come first.

use super::table::{Meaning, PhraseTable, role};
use crate::knowledge::{Aspect, Topic};

/// Adds all built-in phrases and roles; phrases that have a meaning already keep it.
pub(super) fn insert_all(table: &mut PhraseTable) {
    for (meaning, phrases) in PHRASES {
        for phrase in phrases.split(", ") {
            table.insert(phrase, *meaning);
        }
    }
    for (role, words) in ROLES {
        for word in words.split(", ") {
            table.assign_role(word, *role);
        }
    }
}

const PHRASES: &[(Meaning, &str)] = &[
    (
        Meaning::Aspect(Aspect::Site),
        "where, whereabouts, which part, what part, location, located, point to, show me where, which side, \
         what side, which spot, exact spot, which place",
    ),
    (
        Meaning::Aspect(Aspect::Character),
        "feel like, feels like, look like, looks like, describe, what kind, what sort, what type, which kind, \
         character, quality, nature of, sharp or dull, dull or sharp, sharp, dull, burning, stabbing, \
         crushing, pressing, squeezing, throbbing, cramping, what colour, what color, dry or, bring anything \
         up, bring up anything, consist of",
    ),
    (
        Meaning::Aspect(Aspect::Severity),
        "how bad, how badly, how severe, how severely, how strong, how strongly, how intense, how serious, \
         severity, intensity, on a scale, scale of, scale from, from 0 to 10, from 1 to 10, from one to ten, \
         from zero to ten, out of 10, out of ten, rate, how painful, how much does it hurt, how much pain, \
         how much does it bother you",
    ),
    (
        Meaning::Aspect(Aspect::Onset),
        "suddenly, sudden, gradually, gradual, all at once, onset, out of the blue, come on slowly, slowly, \
         quickly or slowly, abruptly, bit by bit, what were you doing, how did it come on",
    ),
    (
        Meaning::Aspect(Aspect::Duration),
        "how long, how long ago, since when, how many minutes, how many hours, how many days, how many weeks, \
         how many months, how many years, duration, lasted, going on for, been going on, for how long, when \
         did you first, when did you last feel well, first notice",
    ),
    (
        Meaning::Aspect(Aspect::Radiation),
        "spread, spreads, spreading, radiate, radiates, radiating, radiation, travel anywhere, travel to, \
         travels to, go anywhere else, goes anywhere else, go anywhere, move anywhere, move to another, moves \
         anywhere, anywhere else, shoot anywhere, extend to, reach any other",
    ),
    (
        Meaning::Aspect(Aspect::Aggravating),
        "worse, worsen, worsens, worsening it, aggravate, aggravates, bring it on, brings it on, bring on, \
         brings on, brought it on, brought on, trigger, triggers, triggered, set it off, sets it off, set \
         off, sets off, provoke, provokes, hurt more, hurts more, more painful, what causes, what cause, when \
         you walk, when you climb, when you exert yourself, with exertion, on exertion, with exercise, during \
         exercise, when you move, with movement, when you cough, when you breathe in, when you breathe, with \
         deep breaths, take a deep breath, when you lie down, when you lie flat, lying flat, lying down, when \
         you eat, after eating, after meals, when you bend, make it stronger, what starts it, what started it",
    ),
    (
        Meaning::Aspect(Aspect::Relieving),
        "better, ease, eases, easing, relieve, relieves, relief, helps, help with it, help it, help with, \
         helped, go away, goes away, improve, improves, lessen, lessens, soothe, soothes, settle, settles, go \
         away with rest, with rest, when you rest, when you sit, sitting up, leaning forward",
    ),
    (
        Meaning::Aspect(Aspect::Timing),
        "come and go, comes and goes, coming and going, constant, constantly, continuous, all the time, how \
         often, how frequently, intermittent, on and off, what time, time of day, pattern, every day, in the \
         morning, at night, wake you, wakes you, there all day, come in waves, in attacks, steady, changed \
         since, change over time, changed over time, getting worse, getting better, got worse, got better, \
         become worse, become better",
    ),
    (
        Meaning::Topic(Topic::History),
        "medical history, past medical history, health problems, medical problems, medical conditions, health \
         conditions, other illnesses, illness, illnesses, past illness, diagnosed with, chronic conditions, \
         chronic disease, chronic illness, operations, operation, surgeries, surgery, been in hospital, \
         hospitalised, hospitalized, been to hospital, other conditions, general health, health before, your \
         health otherwise, past health, previous illnesses, diseases, see a doctor for, history",
    ),
    (
        Meaning::Topic(Topic::Medication),
        "medication, medications, medicine, medicines, tablets, pills, drugs, taking anything, take anything \
         for, prescription, prescribed, over the counter, remedies, supplements",
    ),
    (Meaning::Topic(Topic::Allergy), "allergy, allergies, allergic, react badly to, allergic reactions"),
    (
        Meaning::Topic(Topic::Family),
        "family history, your family, family, relatives, parents, your mother, your father, brothers or \
         sisters, siblings, run in the family, runs in the family, family members, hereditary",
    ),
    (
        Meaning::Topic(Topic::Social),
        "social history, habits, lifestyle, occupation, your work, your job, work do you do, for a living, \
         live alone, live with, living situation, at home, home situation, daily life, way of life, day to \
         day life, how do you live, where do you live, where do you work",
    ),
    (
        Meaning::Open,
        "what brings you, what brought you, brings you in, brings you here, brought you in, what can i do for \
         you, what can we do for you, how can i help, how can we help, how may i help, can i help, help you, \
         what seems to be, what is the problem, what is the matter, whats wrong, what is wrong, what is going \
         on, what has been going on, whats going on, tell me more, tell me about, tell me, tell me \
         everything, tell me what, say more, more about, anything else, something else, what else, other \
         symptoms, any symptoms, which symptoms, what symptoms, symptoms, other problems, other complaints, \
         associated symptoms, what happened, how do you feel, how are you feeling, how have you been, how are \
         you, go on, carry on, please continue, your own words, what is bothering you, what is troubling you, \
         bothers you, troubles you, what do you think, worried about, concerned about, worries you, concerns \
         you, what are you feeling, anything more, anything you would like to add, did i miss anything, other \
         concerns, else going on",
    ),
    (
        Meaning::Start,
        "start, started, starting, starts, begin, began, begun, begins, beginning, come on, came on, comes on",
    ),
    (Meaning::Like, "like"),
    (Meaning::When, "when, when and how"),
    (Meaning::Pain, "pain, the pain, this pain, that pain, your pain, any pain, hurt, hurts, ache, aches, pains"),
    (
        Meaning::Request,
        "like to know, want to know, need to know, like to hear, want to hear, like to ask, want to ask, \
         wonder if, wonder whether, wondering if, wondering whether, let me ask, may i ask, can i ask",
    ),
    (
        Meaning::Neutral,
        "would like, id like, like to, like me to, like us to, if you like, feel better soon, better safe, \
         rate limiting, heart rate, pulse rate, first rate, history of, when it started, when it began, when \
         this started, when that started, when they started, since it started, since it began, right now, to \
         start, let us start, lets start, start with, at any rate, when you, when your, when the, when we, \
         when i, something like, anything like, things like, symptoms like, sounds like, like this before, \
         like that before, help me, go over, no pain relief, better understand, understand better, to the \
         hospital, work out, like that, like this",
    ),
];

const ROLES: &[(u8, &str)] = &[
    (
        role::OPENER,
        "do, does, did, have, has, had, is, are, was, were, am, can, could, would, will, should, may, what, \
         when, where, whereabouts, how, which, who, whom, whose, why, any, anything, anyone, ever, describe, \
         rate, tell, show, point",
    ),
    (
        role::FILLER,
        "and, so, ok, okay, please, now, then, also, but, well, next, alright, right, or, just, again, first, \
         finally, today, in, on, at, about, with, a, the, hi, hello, doctor, sorry, yes, no",
    ),
    (role::JOIN, "and, or, but"),
    (
        role::STATEMENT,
        "i, we, you, your, it, its, this, that, these, those, there, thank, thanks, let, my, our, he, she, \
         they, im, ill, youre, take, try",
    ),
];
