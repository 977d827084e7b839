//! Any text as a knowledge base: a typed error that says where, or a clinic in which a patient can be questioned.
#![no_main]
use std::sync::Arc;

use workup_core::{clinic::Clinic, dialogue::Dialogue, knowledge::KnowledgeBase, scenario::Scenario};
use workup_fuzz::bounded_target;

bounded_target!(|text: &str| {
    match KnowledgeBase::from_json(text) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(base) => {
            let clinic = Arc::new(Clinic::new(Arc::new(base)));
            for seed in 0..3 {
                let Ok(mut dialogue) = Dialogue::new(clinic.clone(), Scenario::headline(seed)) else { continue };
                dialogue.send("What brings you in?");
                dialogue.send("Where is the pain?");
                dialogue.send("[DIAGNOSIS: first]");
                assert!(dialogue.episode().reward().total.is_finite());
            }
        }
    }
});
