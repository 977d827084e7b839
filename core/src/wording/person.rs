//! First person -> second person: what a patient calls "my chest", a doctor calls "your chest".

use alloc::string::String;

/// Replaces the words of the first person by those of the second; "you" becomes "I" (the patient's "you" is the doctor).
pub fn second_person(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(match word {
            "my" | "My" => "your",
            "I" | "me" => "you",
            "mine" => "yours",
            "myself" => "yourself",
            "am" => "are",
            "you" => "I",
            "your" => "my",
            other => other,
        });
    }
    out
}

/// A noun phrase without its article.
pub fn without_article(noun: &str) -> &str {
    ["a ", "an ", "the "].iter().find_map(|article| noun.strip_prefix(article)).unwrap_or(noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patients_words_become_the_doctors() {
        assert_eq!(second_person("a rash on my skin"), "a rash on your skin");
        assert_eq!(second_person("how hard I breathe"), "how hard you breathe");
        assert_eq!(without_article("the pill"), "pill");
        assert_eq!(without_article("my sleep"), "my sleep");
    }
}
