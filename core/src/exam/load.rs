//! `exams.json` -> checked catalogue.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    call::{ABSENT, ExamCall, MAX_PARAMETERS},
    catalogue::{Catalogue, Condition, Exam, Parameter, Price},
    error::CatalogueError,
    schema::{CatalogueFile, ExamEntry, ParameterEntry, PriceEntry, ValuesEntry},
    value::normalize,
};

/// Version of the file format read here.
const VERSION: u32 = 1;

impl Catalogue {
    /// The catalogue the crate ships.
    ///
    /// # Errors
    /// Only when the file the crate was built from is wrong.
    pub fn embedded() -> Result<Self, CatalogueError> {
        Self::from_json(include_str!("../../data/exams.json"))
    }

    /// Parses and checks a catalogue file.
    ///
    /// # Errors
    /// Names entry and field of the first thing wrong.
    pub fn from_json(text: &str) -> Result<Self, CatalogueError> {
        let file: CatalogueFile =
            serde_json::from_str(text).map_err(|error| CatalogueError::new("file", "json", error.to_string()))?;
        if file.version != VERSION {
            let problem = format!("`{}` is not readable: write version `{VERSION}`", file.version);
            return Err(CatalogueError::new("file", "version", problem));
        }
        if file.exams.is_empty() || file.exams.len() >= usize::from(ABSENT) {
            return Err(CatalogueError::new("file", "exams", "must hold 1 to 254 exams"));
        }
        let mut exams = file.exams.iter().map(|entry| exam(&file, entry)).collect::<Result<Vec<_>, _>>()?;
        link(&file, &mut exams)?;
        let names = names(&file.exams)?;
        let sources = file.sources.into_iter().collect();
        Ok(Self { exams, names, sources, digest: Self::digest_of(text) })
    }
}

/// Everything of an exam that does not refer to other exams.
fn exam(file: &CatalogueFile, entry: &ExamEntry) -> Result<Exam, CatalogueError> {
    let wrong = |field: &str, problem: String| CatalogueError::new(&entry.name, field, problem);
    if entry.name.is_empty() || normalize(&entry.name) != entry.name {
        return Err(wrong("name", format!("`{}` must be lower case words joined by `_`", entry.name)));
    }
    if entry.parameters.len() > MAX_PARAMETERS {
        return Err(wrong("parameters", format!("at most `{MAX_PARAMETERS}` are possible")));
    }
    let levels = match (entry.cost_level, entry.discomfort_level) {
        (Some(cost @ 1..=3), Some(discomfort @ 1..=3)) => Some((cost, discomfort)),
        (None, None) => None,
        _ => return Err(wrong("cost_level", "both levels must be 1 to 3, or both absent".to_string())),
    };
    let parameters =
        entry.parameters.iter().map(|it| parameter(file, entry, it)).collect::<Result<Vec<_>, CatalogueError>>()?;
    check_discomfort(&entry.name, entry.discomfort)?;
    check_source(file, &entry.name, &entry.source)?;
    let price = Price {
        usd_cents_medicare: entry.usd_cents_medicare,
        usd_cents_cash: entry.usd_cents_cash,
        discomfort: entry.discomfort,
    };
    let mut exam = Exam {
        name: entry.name.clone(),
        label: entry.label.clone(),
        group: entry.group.clone(),
        imported_only: entry.imported_only,
        levels,
        parameters,
        price,
        source: entry.source.clone(),
        prices: Vec::new(),
        collections: Vec::new(),
        only_for: Vec::new(),
        same_as: None,
    };
    exam.prices = prices(file, &exam, &entry.prices)?;
    for rule in &entry.only_for {
        exam.only_for.push((condition(&exam, "only_for", &rule.when)?, rule.sex));
    }
    Ok(exam)
}

fn parameter(file: &CatalogueFile, exam: &ExamEntry, entry: &ParameterEntry) -> Result<Parameter, CatalogueError> {
    let wrong = |problem: String| CatalogueError::new(&exam.name, &entry.name, problem);
    let values = match &entry.values {
        None => Vec::new(),
        Some(ValuesEntry::List(values)) => values.clone(),
        Some(ValuesEntry::Set(set)) => {
            file.value_sets.get(set).cloned().ok_or_else(|| wrong(format!("no value set is called `{set}`")))?
        }
    };
    if values.len() >= usize::from(ABSENT) {
        return Err(wrong("at most 254 values are possible".to_string()));
    }
    let index_of = |value: &str| {
        let index = values.iter().position(|known| known == value);
        index.map(|index| index as u8).ok_or_else(|| wrong(format!("`{value}` is not one of its values")))
    };
    let set = |name: &String| {
        file.alias_sets.get(name).map(Vec::as_slice).ok_or_else(|| wrong(format!("no alias set is called `{name}`")))
    };

    let mut published = Vec::new();
    for name in &entry.published_aliases {
        for (word, value) in set(name)? {
            published.push((word.clone(), index_of(value)?));
        }
    }
    let mut words: Vec<(String, u8)> = Vec::new();
    for value in &values {
        words.push((normalize(value), index_of(value)?));
    }
    words.extend(published.iter().map(|(word, index)| (normalize(word), *index)));
    for name in &entry.alias_sets {
        for (word, value) in set(name)? {
            words.push((normalize(word), index_of(value)?));
        }
    }
    for (word, value) in &entry.aliases {
        words.push((normalize(word), index_of(value)?));
    }
    // A value's own name is never another word for a different value ("cardiac" of an ultrasound): the first entry wins.
    let mut distinct: BTreeMap<String, u8> = BTreeMap::new();
    for (word, index) in words {
        distinct.entry(word).or_insert(index);
    }
    let longest_word = distinct.keys().map(|word| word.split('_').count()).max().unwrap_or(0);
    let default = entry.default.as_deref().map(index_of).transpose()?;
    Ok(Parameter {
        name: entry.name.clone(),
        required: entry.required,
        default,
        words: distinct.into_iter().collect(),
        longest_word,
        published_aliases: (entry.published && !values.is_empty()).then_some(published),
        values,
    })
}

/// Price rules, the most specific first; of equally specific ones the first written wins.
fn prices(
    file: &CatalogueFile,
    exam: &Exam,
    entries: &[PriceEntry],
) -> Result<Vec<(Condition, Price)>, CatalogueError> {
    let mut rules = Vec::new();
    for entry in entries {
        let discomfort = entry.discomfort.unwrap_or(exam.price.discomfort);
        check_discomfort(&exam.name, discomfort)?;
        check_source(file, &exam.name, &entry.source)?;
        let price =
            Price { usd_cents_medicare: entry.usd_cents_medicare, usd_cents_cash: entry.usd_cents_cash, discomfort };
        rules.push((condition(exam, "prices", &entry.when)?, price));
    }
    rules.sort_by_key(|(condition, _)| (0..MAX_PARAMETERS).filter(|position| condition[*position] == ABSENT).count());
    Ok(rules)
}

/// What refers to other exams: collections and second names.
fn link(file: &CatalogueFile, exams: &mut [Exam]) -> Result<(), CatalogueError> {
    for index in 0..exams.len() {
        let entry = &file.exams[index];
        let find = |field: &str, name: &str| {
            let found = exams.iter().position(|exam| exam.name == *name);
            found.ok_or_else(|| CatalogueError::new(&entry.name, field, format!("no exam is called `{name}`")))
        };
        let same_as = entry.same_as.as_deref().map(|name| find("same_as", name)).transpose()?;
        let mut collections = Vec::new();
        for rule in &entry.collection {
            let target = find("collection", &rule.exam)?;
            let mut call = ExamCall::new(target as u8);
            for (position, value) in condition(&exams[target], "collection", &rule.arguments)?.into_iter().enumerate() {
                call.set(position, value);
            }
            collections.push((condition(&exams[index], "collection", &rule.when)?, call));
        }
        exams[index].same_as = same_as.map(|target| target as u8);
        exams[index].collections = collections;
    }
    Ok(())
}

/// `{"parameter": "value"}` as indexes.
fn condition(exam: &Exam, field: &str, when: &BTreeMap<String, String>) -> Result<Condition, CatalogueError> {
    let mut condition = [ABSENT; MAX_PARAMETERS];
    for (name, value) in when {
        let wrong = |problem: String| CatalogueError::new(&exam.name, field, problem);
        let position = exam.parameters.iter().position(|parameter| parameter.name == *name);
        let position = position.ok_or_else(|| wrong(format!("it has no parameter `{name}`")))?;
        let index = exam.parameters[position].values.iter().position(|known| known == value);
        condition[position] = index.ok_or_else(|| wrong(format!("`{name}` has no value `{value}`")))? as u8;
    }
    Ok(condition)
}

/// All names and other names, sorted; a name may stand for one exam only.
fn names(entries: &[ExamEntry]) -> Result<Vec<(String, u8)>, CatalogueError> {
    let mut names: BTreeMap<String, u8> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        for name in core::iter::once(&entry.name).chain(&entry.also) {
            if names.insert(name.clone(), index as u8).is_some() {
                return Err(CatalogueError::new(&entry.name, "name", format!("`{name}` is there twice: rename one")));
            }
        }
    }
    Ok(names.into_iter().collect())
}

fn check_discomfort(exam: &str, discomfort: u32) -> Result<(), CatalogueError> {
    if (1..=3).contains(&discomfort) {
        return Ok(());
    }
    Err(CatalogueError::new(exam, "discomfort", format!("`{discomfort}` is not 1 to 3")))
}

fn check_source(file: &CatalogueFile, exam: &str, source: &str) -> Result<(), CatalogueError> {
    match source.split('+').find(|tag| !file.sources.contains_key(*tag)) {
        None => Ok(()),
        Some(tag) => Err(CatalogueError::new(exam, "source", format!("no source is called `{tag}`"))),
    }
}
