//! An order -> the recorded results it is about, by name and synonym.
//!
//! Three ways, in this order: the names a tool stands for (with the place or kind its parameters name); for bedside
//! examinations the body system of the recorded name; else, and for `other(description=..)`, the recorded names that share
//! most words with the order. Nothing is ever returned that the order does not name.

use alloc::{string::String, vec::Vec};

use super::{
    ImportedCase,
    exam_terms::{BEDSIDE_TYPES, MODALITIES, OTHER_SPECIMENS, REGIONS, TOOLS, Tool, Values, WEAK},
    record::{Aliases, Record},
    words::{contains_run, phrases, stems, words},
};

/// Longest part of a description that is read, in words.
const MAX_QUERY_WORDS: usize = 64;
/// A word of a name that says much, against one that says little.
const STRONG: u32 = 4;
/// Parameters whose value names the exam.
const NAMING: [&str; 6] = ["type", "test", "marker", "hormone", "drug", "markers"];
/// Parameters whose value says where or of what.
const PLACING: [&str; 6] = ["site", "region", "joint", "source", "target", "specimen"];

impl ImportedCase {
    /// The indexes of the recorded exams that the order of `tool` with parameters `args` (name, value) is about, ascending;
    /// empty when not recorded. Whole sub-trees: `cbc` gives all its counts. `other(description=..)` and names that are no
    /// tool search all recorded names by their words.
    pub fn exam(&self, tool: &str, args: &[(String, String)]) -> Vec<u16> {
        let register = Register::new(self);
        let name = tool.trim().to_lowercase();
        let arg = |wanted: &str| args.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        match name.as_str() {
            "physical_examination" => register.bedside(arg("type").unwrap_or("general"), arg("region").unwrap_or("")),
            "other" => register.by_words(&all_values(args)),
            _ => match TOOLS.iter().find(|entry| entry.name == name) {
                Some(entry) => register.by_tool(entry, args),
                None => register.by_words(&alloc::format!("{name} {}", all_values(args))),
            },
        }
    }
}

fn all_values(args: &[(String, String)]) -> String {
    let values: Vec<&str> = args.iter().map(|(_, value)| value.as_str()).collect();
    values.join(" ")
}

fn entries<'a>(table: &'a [(&'a str, &'a [&'a str])], value: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(name, _)| *name == value).map(|(_, names)| *names)
}

/// A value as tables write it.
fn value_key(value: &str) -> String {
    value.trim().to_lowercase().replace([' ', '-'], "_")
}

/// The value of the first of these parameters that is given.
fn chosen(args: &[(String, String)], parameters: &[&str]) -> Option<String> {
    let given = |wanted: &&str| args.iter().find(|(name, value)| name == wanted && !value.trim().is_empty());
    parameters.iter().find_map(given).map(|(_, value)| value_key(value))
}

/// All recorded exams of a case.
struct Register {
    /// Words of each fact.
    facts: Vec<Vec<String>>,
    records: Vec<Record>,
    aliases: Aliases,
}

impl Register {
    fn new(case: &ImportedCase) -> Self {
        let aliases = Aliases::new();
        let facts = case.facts.iter().map(|fact| words(&fact.text)).collect();
        let indexed = (0..u16::MAX).zip(&case.exams);
        Self { facts, records: indexed.map(|(index, exam)| Record::new(index, exam, &aliases)).collect(), aliases }
    }

    fn by_tool(&self, tool: &Tool, args: &[(String, String)]) -> Vec<u16> {
        let base = phrases(tool.phrases);
        let wanted = match &tool.values {
            Values::Places(table) => {
                let value = chosen(args, &PLACING).or_else(|| chosen(args, &NAMING));
                return self.by_place(tool, table, value.as_deref(), &base);
            }
            Values::Names(table) => self.names_of(table, chosen(args, &NAMING).as_deref(), &base),
            Values::Ignored => base,
        };
        let named = self.pick(tool, |record| record.has_any(&wanted));
        if named.is_empty() { self.pick(tool, |record| record.says_any(&wanted)) } else { named }
    }

    /// Phrases for a value of a tool whose values name the exam; all of them when none is given.
    fn names_of(&self, table: &[(&str, &[&str])], value: Option<&str>, base: &[Vec<String>]) -> Vec<Vec<String>> {
        if let Some(always) = entries(table, "") {
            return base.iter().cloned().chain(phrases(always)).collect();
        }
        match value {
            Some(value) => self.place_of(table, value),
            None => base.iter().cloned().chain(table.iter().flat_map(|(_, names)| phrases(names))).collect(),
        }
    }

    /// Phrases for a value: its entry, else its own words under their shortest name.
    fn place_of(&self, table: &[(&str, &[&str])], value: &str) -> Vec<Vec<String>> {
        entries(table, value).map_or_else(|| alloc::vec![self.aliases.reduced(words(value))], phrases)
    }

    /// Records of a kind at a place: named so; of the kind without a place; imaging of the place without a kind; in words.
    fn by_place(&self, tool: &Tool, table: &[(&str, &[&str])], value: Option<&str>, base: &[Vec<String>]) -> Vec<u16> {
        let named = |record: &Record| record.has_any(base);
        let Some(value) = value else { return self.pick(tool, named) };
        let here = self.place_of(table, value);
        let anywhere: Vec<Vec<String>> = table.iter().flat_map(|(_, names)| phrases(names)).collect();
        let (modalities, imaging) = (phrases(MODALITIES), words("imaging"));
        let is_imaging = tool.phrases.iter().any(|phrase| MODALITIES.contains(phrase));
        let unplaced = |record: &Record| !record.has_any(&anywhere);
        // An image that does not say of what is of what the patient complains of.
        let is_meant = !is_imaging || here.iter().any(|place| self.facts.iter().any(|fact| contains_run(fact, place)));
        let steps: [&dyn Fn(&Record) -> bool; 4] = [
            &|record| named(record) && record.has_any(&here),
            &|record| {
                named(record)
                    && unplaced(record)
                    && (record.says_any(&here) || (is_meant && !record.says_any(&anywhere)))
            },
            &|record| is_imaging && record.has(&imaging) && record.has_any(&here) && !record.has_any(&modalities),
            &|record| !named(record) && record.says_any(base) && record.says_any(&here),
        ];
        steps.iter().map(|step| self.pick(tool, step)).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The records that fit: tests, else bedside findings.
    fn pick(&self, tool: &Tool, fits: impl Fn(&Record) -> bool) -> Vec<u16> {
        let others = if tool.is_blood { phrases(OTHER_SPECIMENS) } else { Vec::new() };
        let found: Vec<&Record> =
            self.records.iter().filter(|record| fits(record) && !record.has_any(&others)).collect();
        let has_tests = found.iter().any(|record| !record.bedside);
        found.iter().filter(|record| record.bedside != has_tests).map(|record| record.index).collect()
    }

    /// Bedside findings of a body system, narrowed to a region where one is named.
    fn bedside(&self, kind: &str, region: &str) -> Vec<u16> {
        let kind = value_key(kind);
        let types: Vec<(&str, Vec<Vec<String>>)> =
            BEDSIDE_TYPES.iter().map(|(name, names)| (*name, phrases(names))).collect();
        let vital = words("vital");
        let of_kind =
            |record: &&Record| (record.bedside || record.has(&vital)) && kinds(record, &types).contains(&kind.as_str());
        let found: Vec<&Record> = self.records.iter().filter(of_kind).collect();
        let all = |records: &[&Record]| records.iter().map(|record| record.index).collect();
        let wanted = self.aliases.reduced(words(region));
        if wanted.is_empty() {
            return all(&found);
        }
        let (places, is_known) = places(&wanted);
        let here: Vec<&Record> = found.iter().filter(|record| record.has_any(&places)).copied().collect();
        if !here.is_empty() {
            return all(&here);
        }
        let elsewhere: Vec<&Record> =
            self.records.iter().filter(|record| record.bedside && record.has_any(&places)).collect();
        if elsewhere.is_empty() && !is_known { all(&found) } else { all(&elsewhere) }
    }

    /// The records whose names share most with the words of `text`, provided that they share at least half of what it says;
    /// else those whose name and finding hold all its strong words.
    fn by_words(&self, text: &str) -> Vec<u16> {
        let mut query = self.aliases.reduced(words(text));
        query.truncate(MAX_QUERY_WORDS);
        query.sort_unstable();
        query.dedup();
        let weak = stems(WEAK);
        let worth = |word: &&String| if weak.contains(*word) { 1 } else { STRONG };
        let total: u32 = query.iter().map(|word| worth(&word)).sum();
        let score = |record: &Record| {
            query.iter().filter(|word| record.name.contains(word)).map(|word| worth(&word)).sum::<u32>()
        };
        let best = self.records.iter().map(score).max().unwrap_or(0);
        let all = |fits: &dyn Fn(&Record) -> bool| -> Vec<u16> {
            self.records.iter().filter(|record| fits(record)).map(|record| record.index).collect()
        };
        if best > 0 && 2 * best >= total {
            return all(&|record| score(record) == best);
        }
        let strong: Vec<&String> = query.iter().filter(|word| !weak.contains(word)).collect();
        let holds = |record: &Record, word: &String| record.name.contains(word) || record.text.contains(word);
        all(&|record| !strong.is_empty() && strong.iter().all(|word| holds(record, word)))
    }
}

/// Phrases for a region in words, and whether it is a known one: a wide word (abdomen) covers its parts, a part only itself.
fn places(wanted: &[String]) -> (Vec<Vec<String>>, bool) {
    let mut places: Vec<Vec<String>> = wanted.iter().map(|word| alloc::vec![word.clone()]).collect();
    let mut is_known = false;
    for (_, names) in REGIONS {
        let names = phrases(names);
        is_known |= names.iter().any(|name| contains_run(wanted, name));
        if contains_run(wanted, &names[0]) {
            places.extend(names);
        }
    }
    (places, is_known)
}

/// The types of bedside examination a record belongs to: by its first segment, and by the rest where that is general.
fn kinds<'a>(record: &Record, types: &[(&'a str, Vec<Vec<String>>)]) -> Vec<&'a str> {
    let of = |name: &[String]| -> Vec<&'a str> {
        let fits = |names: &[Vec<String>]| names.iter().any(|phrase| phrase.iter().all(|word| name.contains(word)));
        types.iter().filter(|(_, names)| fits(names)).map(|(kind, _)| *kind).collect()
    };
    let mut kinds = of(&record.top);
    if kinds.iter().all(|kind| *kind == "general") {
        kinds = of(&record.name);
        kinds.push("general");
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::{super::RecordedExam, *};

    fn case() -> ImportedCase {
        let exams = [
            ("Physical_Examination_Findings/Vital_Signs/Pulse", "88 bpm", true),
            ("Physical_Examination_Findings/Knee_Examination/Inspection", "Red and warm.", true),
            ("Physical_Examination_Findings/Abdominal_Examination/Palpation", "Soft.", true),
            ("Physical_Examination_Findings/Remainder/Findings", "Normal", true),
            ("Test_Results/Blood_Work/WBC", "13,000/mm3", false),
            ("Test_Results/Blood_Work/Na", "139 mEq/L", false),
            ("Test_Results/Urinalysis/Glucose", "Negative", false),
            ("Test_Results/Imaging/Chest_X-ray/Findings", "Clear lungs.", false),
            ("Test_Results/X-Ray_Left_Knee/Findings", "Effusion.", false),
            ("Test_Results/Electrocardiogram", "Sinus rhythm.", false),
            ("Test_Results/Joint_Aspiration/Crystals", "Needle-shaped.", false),
            ("Test_Results/Sleep_Diary/Findings", "Five hours a night.", false),
            ("Test_Results/Other", "Head CT shows no bleeding.", false),
        ];
        let exams =
            exams.iter().map(|&(path, text, bedside)| RecordedExam { path: path.into(), text: text.into(), bedside });
        ImportedCase { exams: exams.collect(), ..ImportedCase::default() }
    }

    fn order(tool: &str, args: &[(&str, &str)]) -> Vec<u16> {
        let args: Vec<(String, String)> = args.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        case().exam(tool, &args)
    }

    #[test]
    fn tools_find_recorded_names_by_synonym() {
        assert_eq!(order("xray", &[("region", "chest")]), [7]);
        assert_eq!(order("xray", &[("region", "lower_extremity")]), [8]);
        assert_eq!(order("ecg", &[("type", "standard_12_lead")]), [9]);
        assert_eq!(order("cbc", &[("type", "cbc")]), [4]);
        assert_eq!(order("bmp", &[]), [5]);
        assert_eq!(order("arthrocentesis", &[("joint", "knee")]), [10]);
        assert_eq!(order("urinalysis", &[]), [6]);
    }

    #[test]
    fn an_image_without_a_place_is_of_what_the_patient_complains_of() {
        let fact = super::super::Fact { path: "History".into(), text: "My shoulder is stiff.".into() };
        let exam = RecordedExam { path: "Test_Results/Radiographs/AP".into(), text: "Normal".into(), bedside: false };
        let case = ImportedCase { facts: alloc::vec![fact], exams: alloc::vec![exam], ..ImportedCase::default() };
        assert_eq!(case.exam("xray", &[("region".into(), "upper_extremity".into())]), [0]);
        assert!(case.exam("xray", &[("region".into(), "chest".into())]).is_empty());
    }

    #[test]
    fn bedside_orders_find_body_systems_and_regions() {
        assert_eq!(order("physical_examination", &[("type", "vital_signs")]), [0]);
        assert_eq!(order("physical_examination", &[("type", "musculoskeletal")]), [1]);
        assert_eq!(order("physical_examination", &[("type", "musculoskeletal"), ("region", "knee")]), [1]);
        assert_eq!(order("physical_examination", &[("type", "abdominal"), ("region", "abdomen")]), [2]);
        assert_eq!(order("physical_examination", &[]), [3]);
        assert!(order("physical_examination", &[("type", "musculoskeletal"), ("region", "shoulder")]).is_empty());
    }

    #[test]
    fn descriptions_find_names_without_a_tool_and_words_inside_texts() {
        assert_eq!(order("other", &[("description", "sleep diary")]), [11]);
        assert_eq!(order("sleep_diary", &[]), [11]);
        assert_eq!(order("ct", &[("region", "head")]), [12]);
        assert_eq!(order("other", &[("description", "EKG")]), [9]);
    }

    #[test]
    fn what_is_not_recorded_is_not_returned() {
        assert!(order("mri", &[("region", "spine")]).is_empty());
        assert!(order("xray", &[("region", "pelvis")]).is_empty());
        assert!(order("hormone_level", &[("hormone", "cortisol")]).is_empty());
        assert!(order("other", &[("description", "")]).is_empty());
        assert!(order("other", &[("description", "tilt table and gastric emptying")]).is_empty());
        assert!(order("", &[]).is_empty());
    }
}
