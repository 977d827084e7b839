//! An order -> the recorded results it is about, by name and synonym.
//!
//! Three ways, in this order: the names a tool stands for (with the place or kind its parameters name); for bedside
//! examinations the body system of the recorded name; else, and for `other(description=..)`, the recorded names that share
//! most words with the order. Nothing is ever returned that the order does not name.

use alloc::{string::String, vec::Vec};

use super::{
    ImportedCase, RecordedExam,
    exam_terms::{ALIASES, BEDSIDE_TYPES, MODALITIES, OTHER_SPECIMENS, REGIONS, TOOLS, Tool, Values, WEAK},
    words::{contains_run, words},
};

/// Sections of a source: not part of a recorded name.
const SECTIONS: [&str; 2] = ["Physical_Examination_Findings", "Test_Results"];
/// Longest part of a description that is read, in words.
const MAX_QUERY_WORDS: usize = 64;
/// A word of a name that says much, against one that says little.
const STRONG: u32 = 4;

/// A recorded exam as it is compared with orders.
struct Record {
    index: u16,
    bedside: bool,
    /// Words of the path with the names they also go by.
    name: Vec<String>,
    /// Words of the first segment.
    top: Vec<String>,
    text: Vec<String>,
}

impl Record {
    fn new(index: u16, exam: &RecordedExam) -> Self {
        let segments = segments(&exam.path);
        let name = segments.iter().flat_map(|segment| named(&words(segment))).collect();
        let top = segments.first().map(|segment| named(&words(segment))).unwrap_or_default();
        Self { index, bedside: exam.bedside, name, top, text: named(&words(&exam.text)) }
    }

    fn has(&self, phrase: &[String]) -> bool {
        !phrase.is_empty() && phrase.iter().all(|word| self.name.contains(word))
    }

    fn has_any(&self, phrases: &[Vec<String>]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase))
    }

    fn says_any(&self, phrases: &[Vec<String>]) -> bool {
        phrases.iter().any(|phrase| contains_run(&self.text, phrase))
    }
}

impl ImportedCase {
    /// The indexes of the recorded exams that the order of `tool` with parameters `args` (name, value) is about, ascending;
    /// empty when not recorded. Whole sub-trees: `cbc` gives all its counts. `other(description=..)` and names that are no
    /// tool search all recorded names by their words.
    pub fn exam(&self, tool: &str, args: &[(String, String)]) -> Vec<u16> {
        let count = self.exams.len().min(usize::from(u16::MAX)) as u16;
        let records: Vec<Record> =
            (0..count).map(|index| Record::new(index, &self.exams[usize::from(index)])).collect();
        let name = tool.trim().to_lowercase();
        let arg = |wanted: &[&str]| {
            args.iter().find(|(name, _)| wanted.contains(&name.as_str())).map(|(_, value)| value.as_str())
        };
        match name.as_str() {
            "physical_examination" => {
                bedside(&records, arg(&["type"]).unwrap_or("general"), arg(&["region"]).unwrap_or(""))
            }
            "other" => by_words(&records, &all_values(args)),
            _ => match TOOLS.iter().find(|entry| entry.name == name) {
                Some(entry) => by_tool(&records, entry, args),
                None => by_words(&records, &alloc::format!("{name} {}", all_values(args))),
            },
        }
    }
}

fn all_values(args: &[(String, String)]) -> String {
    let values: Vec<&str> = args.iter().map(|(_, value)| value.as_str()).collect();
    values.join(" ")
}

/// The segments of a path below its section.
pub(super) fn segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.len() > 1 && SECTIONS.contains(&segments[0]) {
        segments.remove(0);
    }
    segments
}

/// Words with the other names they go by added.
fn named(list: &[String]) -> Vec<String> {
    let mut all = list.to_vec();
    for (name, others) in ALIASES {
        let stands = |other: &&str| {
            let run = words(other);
            if other.len() <= 2 { list == run } else { contains_run(list, &run) }
        };
        if others.iter().any(|other| stands(&other)) {
            all.extend(words(name));
        }
    }
    all
}

fn phrases(list: &[&str]) -> Vec<Vec<String>> {
    list.iter().map(|phrase| words(phrase)).collect()
}

fn entries<'a>(table: &'a [(&'a str, &'a [&'a str])], value: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(name, _)| *name == value).map(|(_, names)| *names)
}

/// The parameter value that says which: the first of the tool's that the table can use.
fn chosen(args: &[(String, String)]) -> Option<String> {
    const NAMES: [&str; 15] = [
        "region",
        "test",
        "type",
        "marker",
        "hormone",
        "drug",
        "site",
        "joint",
        "source",
        "target",
        "specimen",
        "markers",
        "item",
        "name",
        "description",
    ];
    NAMES
        .iter()
        .find_map(|wanted| args.iter().find(|(name, value)| name == wanted && !value.trim().is_empty()))
        .map(|(_, value)| value.trim().to_lowercase().replace([' ', '-'], "_"))
}

fn by_tool(records: &[Record], tool: &Tool, args: &[(String, String)]) -> Vec<u16> {
    let site = match tool.name {
        "biopsy" => args.iter().find(|(name, _)| name == "site").map(|(_, value)| value.to_lowercase()),
        _ => chosen(args),
    };
    let base = phrases(tool.phrases);
    let found = match &tool.values {
        Values::Ignored => pick(records, tool, |record| record.has_any(&base)),
        Values::Names(table) => {
            let wanted = names_of(table, site.as_deref(), &base);
            let found = pick(records, tool, |record| record.has_any(&wanted));
            if found.is_empty() { pick(records, tool, |record| record.says_any(&wanted)) } else { found }
        }
        Values::Places(table) => by_place(records, tool, table, site.as_deref(), &base),
    };
    if found.is_empty() && matches!(tool.values, Values::Ignored) {
        return pick(records, tool, |record| record.says_any(&base));
    }
    found
}

/// Phrases for a value of a tool whose values name the exam; all of them when none is given.
fn names_of(table: &[(&str, &[&str])], value: Option<&str>, base: &[Vec<String>]) -> Vec<Vec<String>> {
    if let Some(always) = entries(table, "") {
        return base.iter().cloned().chain(phrases(always)).collect();
    }
    match value {
        Some(value) => entries(table, value).map_or_else(|| alloc::vec![own_words(value)], phrases),
        None => base.iter().cloned().chain(table.iter().flat_map(|(_, names)| phrases(names))).collect(),
    }
}

/// The words of a value under its shortest name: `thyroid stimulating hormone` is `tsh`.
fn own_words(value: &str) -> Vec<String> {
    reduced(&words(value))
}

/// Words with runs that have a shorter name replaced by it.
fn reduced(list: &[String]) -> Vec<String> {
    let mut all = list.to_vec();
    for (name, others) in ALIASES {
        for run in others.iter().filter(|other| other.len() > 2).map(|other| words(other)) {
            if let Some(start) = all.windows(run.len().max(1)).position(|window| window == run) {
                all.splice(start..start + run.len(), words(name));
            }
        }
    }
    all
}

fn by_place(
    records: &[Record],
    tool: &Tool,
    table: &[(&str, &[&str])],
    value: Option<&str>,
    base: &[Vec<String>],
) -> Vec<u16> {
    let Some(value) = value else { return pick(records, tool, |record| record.has_any(base)) };
    let here = entries(table, value).map_or_else(|| alloc::vec![own_words(value)], phrases);
    let anywhere: Vec<Vec<String>> = table.iter().flat_map(|(_, names)| phrases(names)).collect();
    let modalities = phrases(MODALITIES);
    let named = |record: &Record| record.has_any(base);
    let unplaced = |record: &Record| !record.has_any(&anywhere);
    let steps: [&dyn Fn(&Record) -> bool; 4] = [
        &|record| named(record) && record.has_any(&here),
        &|record| named(record) && unplaced(record) && (record.says_any(&here) || !record.says_any(&anywhere)),
        &|record| {
            tool.phrases.iter().any(|phrase| MODALITIES.contains(phrase))
                && record.has(&words("imaging"))
                && record.has_any(&here)
                && !record.has_any(&modalities)
        },
        &|record| !named(record) && record.says_any(base) && record.says_any(&here),
    ];
    steps.iter().map(|step| pick(records, tool, step)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The records that fit: tests, else bedside findings.
fn pick(records: &[Record], tool: &Tool, fits: impl Fn(&Record) -> bool) -> Vec<u16> {
    let others = phrases(OTHER_SPECIMENS);
    let fits = |record: &&Record| !(tool.is_blood && record.has_any(&others)) && fits(record);
    let at = |bedside: bool| -> Vec<u16> {
        records.iter().filter(|record| record.bedside == bedside).filter(fits).map(|record| record.index).collect()
    };
    let tests = at(false);
    if tests.is_empty() { at(true) } else { tests }
}

/// Bedside findings of a body system, narrowed to a region where one is named.
fn bedside(records: &[Record], kind: &str, region: &str) -> Vec<u16> {
    let kind = kind.trim().to_lowercase().replace([' ', '-'], "_");
    let is_vital = |record: &Record| record.has(&words("vital"));
    let of_kind = |record: &&Record| (record.bedside || is_vital(record)) && kinds(record).contains(&kind.as_str());
    let found: Vec<&Record> = records.iter().filter(of_kind).collect();
    let wanted = reduced(&words(region));
    if wanted.is_empty() {
        return found.iter().map(|record| record.index).collect();
    }
    let mut places: Vec<Vec<String>> = wanted.iter().map(|word| alloc::vec![word.clone()]).collect();
    let mut is_known = false;
    for (_, names) in REGIONS {
        let names = phrases(names);
        if names.iter().any(|name| contains_run(&wanted, name)) {
            is_known = true;
            // A wide word (abdomen) covers its parts; a part (knee) is only itself.
            if contains_run(&wanted, &names[0]) {
                places.extend(names);
            }
        }
    }
    let here = |record: &&&Record| record.has_any(&places);
    let narrowed: Vec<u16> = found.iter().filter(here).map(|record| record.index).collect();
    if !narrowed.is_empty() {
        return narrowed;
    }
    let elsewhere: Vec<u16> =
        records.iter().filter(|record| record.bedside && record.has_any(&places)).map(|record| record.index).collect();
    if elsewhere.is_empty() && !is_known { found.iter().map(|record| record.index).collect() } else { elsewhere }
}

/// The types of bedside examination a record belongs to: by its first segment, and by the rest where that is general.
fn kinds(record: &Record) -> Vec<&'static str> {
    let of = |name: &[String]| -> Vec<&'static str> {
        let fits = |names: &[&str]| names.iter().any(|phrase| words(phrase).iter().all(|word| name.contains(word)));
        BEDSIDE_TYPES.iter().filter(|(_, names)| fits(names)).map(|(kind, _)| *kind).collect()
    };
    let mut kinds = of(&record.top);
    if kinds.iter().all(|kind| *kind == "general") {
        kinds = of(&record.name);
        kinds.push("general");
    }
    kinds
}

/// The records whose names share most with the words of `text`, provided that they share at least half of what it says.
fn by_words(records: &[Record], text: &str) -> Vec<u16> {
    let mut query = reduced(&words(text));
    query.truncate(MAX_QUERY_WORDS);
    query.sort_unstable();
    query.dedup();
    let weak: Vec<String> = WEAK.iter().flat_map(|word| words(word)).collect();
    let worth = |word: &String| if weak.contains(word) { 1 } else { STRONG };
    let total: u32 = query.iter().map(worth).sum();
    let score = |record: &Record| query.iter().filter(|word| record.name.contains(word)).map(worth).sum::<u32>();
    let best = records.iter().map(score).max().unwrap_or(0);
    if best > 0 && 2 * best >= total {
        return records.iter().filter(|record| score(record) == best).map(|record| record.index).collect();
    }
    let strong: Vec<&String> = query.iter().filter(|word| !weak.contains(word)).collect();
    let says_all =
        |record: &&Record| strong.iter().all(|word| record.name.contains(word) || record.text.contains(word));
    if strong.is_empty() {
        return Vec::new();
    }
    records.iter().filter(says_all).map(|record| record.index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
