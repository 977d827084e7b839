//! What questions are about: topics of a history with the sections that hold them, and words that mean the same.
//!
//! All entries are plain words; they are normalised like the text they are compared with.

/// Which topics give way when a question cues several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Gives way to any other.
    Broad,
    /// Gives way to the family.
    Past,
    /// The family.
    Family,
    /// A detail of the complaint: facts of the history come first.
    Detail,
    /// None of these.
    Narrow,
}

/// A topic of a history.
pub(super) struct Topic {
    /// Which others it gives way to.
    pub(super) breadth: Breadth,
    /// Words of a question on it.
    pub(super) cues: &'static [&'static str],
    /// Path segments whose facts are all on it.
    pub(super) sections: &'static [&'static str],
    /// Words of facts on it, wherever they stand.
    pub(super) terms: &'static [&'static str],
}

/// Questions that ask to go on, on whatever there is.
pub(super) const OPEN_CUES: &[&str] = &[
    "anything else", "something else", "what else", "anything more", "tell me more", "say more", "go on", "continue",
    "elaborate", "anything to add", "anything you want to add", "more detail", "more about", "keep going", "mention",
];

/// Words by which a question asks for what was not yet said.
pub(super) const MORE_CUES: &[&str] = &["else", "more", "other", "additional", "further", "add"];

/// The topics. A fact matches through its section, its terms, or both.
pub(super) const TOPICS: &[Topic] = &[
    Topic {
        breadth: Breadth::Narrow,
        cues: &["old", "age", "gender", "your sex", "name", "date of birth", "born", "introduce yourself", "demographics"],
        sections: &["Demographics"],
        terms: &[],
    },
    Topic {
        breadth: Breadth::Broad,
        cues: &[
            "bring", "brings", "brought", "happened", "happening", "happen", "going on", "concern", "complaint", "help you",
            "story", "describe", "problem", "trouble", "wrong", "matter", "present illness", "why are you", "history of this",
            "symptoms", "worry", "worried", "seems to be", "tell me about it", "come in", "visit", "how are you",
        ],
        sections: &["History", "Primary_Symptom", "History_of_Present_Illness", "Chief_Complaint"],
        terms: &[],
    },
    Topic {
        breadth: Breadth::Broad,
        cues: &["symptoms", "symptom", "complaints", "signs", "noticed", "other problems", "associated", "alongside", "accompanied"],
        sections: &["Symptoms", "Primary_Symptom", "Secondary_Symptoms"],
        terms: &[],
    },
    Topic {
        breadth: Breadth::Detail,
        cues: &[
            "start", "started", "begin", "began", "begun", "onset", "how long", "since when", "when did", "duration", "sudden",
            "gradual", "suddenly", "first notice", "first time", "how many days", "how many weeks", "progressed", "over time",
        ],
        sections: &[],
        terms: &[
            "hour", "day", "week", "month", "year", "ago", "start", "began", "begin", "sudden", "suddenly", "gradual",
            "gradually", "onset", "since", "yesterday", "morning", "tonight", "acute", "chronic", "insidious", "duration",
        ],
    },
    Topic {
        breadth: Breadth::Detail,
        cues: &["how often", "frequency", "frequent", "constant", "come and go", "comes and goes", "episodes", "how many times", "intermittent"],
        sections: &[],
        terms: &["daily", "every", "frequent", "frequency", "constant", "intermittent", "episode", "times", "occasional", "most days", "recurrent"],
    },
    Topic {
        breadth: Breadth::Detail,
        cues: &["worse", "aggravate", "trigger", "brings it on", "bring it on", "provoke", "exacerbate", "worsen", "causes it", "cause"],
        sections: &[],
        terms: &["worse", "worsen", "aggravate", "trigger", "exacerbate", "exertion", "after", "during", "when", "provoke"],
    },
    Topic {
        breadth: Breadth::Detail,
        cues: &["better", "relieve", "relief", "ease", "improve", "alleviate", "helps", "go away", "tried"],
        sections: &[],
        terms: &["better", "relieve", "relief", "ease", "improve", "alleviate", "resolve", "rest", "help"],
    },
    Topic {
        breadth: Breadth::Detail,
        cues: &["severe", "severity", "how bad", "scale", "intense", "intensity", "out of ten", "rate"],
        sections: &[],
        terms: &["severe", "mild", "moderate", "intense", "excruciating", "10", "worst", "significant", "extreme", "slight"],
    },
    Topic {
        breadth: Breadth::Past,
        cues: &[
            "past", "medical history", "illness", "illnesses", "condition", "conditions", "disease", "diseases", "diagnosed",
            "health problems", "surgery", "surgeries", "operation", "operated", "hospital", "hospitalized", "chronic",
            "medical problems", "previously", "childhood", "vaccine", "vaccinated", "immunization", "pregnancy", "birth",
        ],
        sections: &[
            "Past_Medical_History", "Medical_History", "Past_Surgical_History", "Surgical_History", "Past_History", "Birth_History",
            "Developmental_History", "Obstetric_History", "Gynecologic_History", "Immunization_History", "Immunizations",
        ],
        terms: &["medical history", "surgical history", "diagnosed", "surgery", "hospital", "previous", "prior", "past"],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &[
            "medication", "medications", "medicine", "medicines", "drugs", "drug", "pills", "tablets", "prescription",
            "prescribed", "over the counter", "supplements", "vitamins", "treatment", "take anything", "taking anything",
        ],
        sections: &["Current_Medications", "Medications", "Drug_History", "Medication_History", "Medication", "Treatment"],
        terms: &[
            "medication", "medicine", "drug", "tablet", "pill", "prescribed", "mg", "dose", "managed with", "treated with",
            "treatment", "contraceptive", "supplement", "therapy", "over the counter", "takes", "taking", "nsaids",
        ],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &["allergy", "allergies", "allergic", "react to", "reaction"],
        sections: &["Allergies", "Allergy", "Drug_Allergies"],
        terms: &["allergy", "allergic", "allergies", "hives", "anaphylaxis"],
    },
    Topic {
        breadth: Breadth::Family,
        cues: &["family", "parents", "relatives", "mother", "father", "siblings", "brother", "sister", "runs in", "children", "hereditary"],
        sections: &["Family_History", "Family_Medical_History"],
        terms: &[
            "family", "mother", "father", "brother", "sister", "parent", "sibling", "uncle", "aunt", "grandmother", "grandfather",
            "cousin", "relative", "son", "daughter", "child", "children", "husband", "wife", "mom", "dad",
        ],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &[
            "social", "live", "living", "home", "married", "marital", "occupation", "work", "job", "living situation", "hobbies",
            "hobby", "exercise", "diet", "lifestyle", "habits", "school", "yourself", "daily life", "stress", "personal life",
        ],
        sections: &["Social_History", "Lifestyle", "Occupation"],
        terms: &["works", "work", "lives", "live", "married", "single", "job", "occupation", "student", "school", "retired", "exercise"],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &["smoke", "smoking", "smoker", "tobacco", "cigarettes", "cigarette", "nicotine", "vape", "vaping"],
        sections: &[],
        terms: &["smoke", "smoking", "smoker", "smokes", "nonsmoker", "tobacco", "cigarette", "pack", "nicotine", "vape"],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &["alcohol", "drink", "drinking", "beer", "wine", "liquor"],
        sections: &[],
        terms: &["alcohol", "drink", "drinker", "drinks", "beer", "wine", "liquor", "whiskey", "vodka"],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &["recreational", "illicit", "street drugs", "drugs", "substance", "substances", "cocaine", "marijuana", "cannabis", "heroin"],
        sections: &["Substance_Use"],
        terms: &["illicit", "recreational", "drug use", "substance", "cocaine", "marijuana", "heroin", "cannabis", "intravenous drug", "drugs"],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &["sexual", "sexually", "sex", "partner", "partners", "intercourse", "condom", "contraception"],
        sections: &["Sexual_History"],
        terms: &["sexual", "sexually", "partner", "intercourse", "condom", "contraception", "contraceptive"],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &["travel", "traveled", "abroad", "trip", "exposure", "exposed", "sick contacts", "camping", "pets", "animals"],
        sections: &["Travel_History", "Exposure_History"],
        terms: &["travel", "trip", "abroad", "camping", "exposure", "exposed", "contact", "pet", "cat", "dog", "immigrated", "hiking"],
    },
    Topic {
        breadth: Breadth::Broad,
        cues: &["review of systems", "general health", "otherwise well", "rest of your body", "systems", "deny", "anywhere else"],
        sections: &["Review_of_Systems"],
        terms: &["denies"],
    },
    Topic {
        breadth: Breadth::Narrow,
        cues: &["interests", "free time", "fun", "hobbies"],
        sections: &["Interests"],
        terms: &["hobby", "hobbies", "enjoys", "interest"],
    },
];

/// Words that match too much to decide alone.
pub(super) const GENERIC: &[&str] = &[
    "pain", "problem", "symptom", "take", "use", "time", "day", "week", "month", "year", "come", "patient", "history",
    "recent", "recently", "medical", "change", "normal", "usual", "today", "lately", "past", "long", "old", "first", "start",
    "bad", "well", "good", "bring", "significant", "increase", "difficulty", "body", "report", "state", "general", "issue",
    "health", "right", "left", "upper", "lower", "many", "few", "one", "two", "make", "work", "help", "concern", "condition",
    "around", "think", "family", "new", "way", "see", "look", "before", "after", "during", "since", "diagnose", "illness",
];

/// Groups of words that mean the same in a history.
pub(super) const SAME: &[&[&str]] = &[
    &["fever", "febrile", "feverish", "temperature", "hot"],
    &["chill", "shiver", "rigor"],
    &["short of breath", "shortness of breath", "breathless", "breathlessness", "dyspnea", "breathing", "breathe", "breath", "respiratory distress"],
    &["vomit", "throw up", "threw up", "emesis", "be sick", "spit up"],
    &["nausea", "nauseous", "queasy", "sick to your stomach"],
    &["diarrhea", "loose stool", "watery stool", "runny stool", "loose bowel"],
    &["constipation", "constipated", "pass stool"],
    &["stool", "bowel", "bowel movement", "defecation", "poop", "feces", "meconium"],
    &["urine", "urinary", "urinate", "urination", "pee", "peeing", "void", "voiding", "dysuria", "bladder", "nocturia", "water works"],
    &["dizzy", "dizziness", "lightheaded", "light headed", "vertigo", "spinning", "room spin"],
    &["faint", "fainting", "syncope", "pass out", "passed out", "collapse", "black out", "lose consciousness", "loss of consciousness"],
    &["weakness", "weak", "strength"],
    &["numbness", "numb", "tingling", "paresthesia", "pins and needles", "sensation"],
    &["headache", "head hurt", "migraine"],
    &["abdomen", "abdominal", "stomach", "belly", "tummy", "epigastric"],
    &["rash", "lesion", "spot", "skin", "eruption", "bump", "blister"],
    &["itch", "itchy", "itching", "pruritus", "pruritic"],
    &["cough", "coughing", "phlegm", "sputum"],
    &["tired", "fatigue", "exhausted", "exhaustion", "energy", "lethargy", "lethargic", "malaise"],
    &["sleep", "insomnia", "sleeping", "nightmare"],
    &["vision", "sight", "eye", "eyes", "visual", "diplopia", "double vision"],
    &["hearing", "hear", "ear", "ears", "tinnitus", "ringing"],
    &["period", "periods", "menses", "menstrual", "menstruation", "lmp", "cycle"],
    &["pregnant", "pregnancy", "gravida", "gestation", "delivery", "labor", "birth", "miscarriage"],
    &["palpitation", "palpitations", "heart racing", "heartbeat", "heart beat"],
    &["swelling", "swollen", "swell", "edema", "puffy"],
    &["injury", "injured", "trauma", "accident", "hurt yourself", "hit"],
    &["fall", "fell", "falls"],
    &["surgery", "surgical", "operation", "operated", "procedure"],
    &["depressed", "depression", "sad", "mood", "low mood", "hopeless"],
    &["anxious", "anxiety", "nervous", "worry", "panic"],
    &["bleeding", "bleed", "blood", "bruise", "bruising", "hemorrhage", "hematuria"],
    &["weight", "lose weight", "gain weight"],
    &["appetite", "eat", "eating", "feeding", "feed", "food", "diet", "meal"],
    &["radiate", "spread", "go anywhere", "move anywhere", "shoot"],
    &["chest", "thoracic"],
    &["throat", "swallow", "swallowing", "dysphagia"],
    &["joint", "joints", "arthralgia", "arthritis", "stiffness"],
    &["back", "spine", "lumbar"],
    &["memory", "forgetful", "confusion", "confused", "concentrate"],
    &["voices", "hallucination", "hear voices", "delusion", "paranoid"],
    &["suicide", "suicidal", "harm yourself", "self harm", "kill yourself"],
    &["sweat", "sweating", "night sweat", "diaphoresis"],
    &["walk", "walking", "gait", "balance", "stairs"],
    &["seizure", "convulsion", "fit", "fits"],
    &["discharge", "secretion"],
    &["jaundice", "yellow", "icterus", "icteric"],
    &["lump", "mass", "nodule", "swelling"],
    &["pain", "ache", "aching", "hurt", "hurting", "sore", "painful", "discomfort", "tender"],
    &["intercourse", "sex", "dyspareunia"],
    &["infection", "infections", "cold", "flu"],
];
