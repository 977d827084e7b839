//! Sex, age and anatomy as hard zeros (CLINIC 9).

use workup_core::knowledge::{AGE_BANDS, Sex, schema::DiseaseEntry};

use super::Checker;

/// Words of ids that belong to one sex.
const FEMALE: &[&str] = &[
    "period",
    "periods",
    "vaginal",
    "pregnancy",
    "pregnant",
    "cervical_motion",
    "adnexal",
    "menopause",
    "womb",
    "uterus",
    "ovary",
    "ovarian",
    "endometriosis",
    "childbirth",
    "miscarriage",
    "intrauterine",
    "contraceptive",
    "gravid",
    "cervical_os",
    "ectopic",
    "morning_sickness",
    "postpartum",
    "fishy",
];
const MALE: &[&str] = &["prostate", "testis", "testicle", "scrotal", "scrotum", "penile", "cremasteric", "epididymis"];
/// Youngest age at which the menopause is believable.
const MENOPAUSE: u32 = 38;

pub(super) fn check(checker: &mut Checker<'_>) {
    finding_fits_anatomy(checker);
    exam_fits_anatomy(checker);
    pregnancy_fits_age(checker);
}

fn sex_of(id: &str) -> Option<Sex> {
    let has = |words: &[&str]| {
        words
            .iter()
            .any(|word| format!("_{id}_").contains(&format!("_{word}_")) || (word.contains('_') && id.contains(word)))
    };
    if has(FEMALE) {
        Some(Sex::Female)
    } else if has(MALE) {
        Some(Sex::Male)
    } else {
        None
    }
}

fn finding_fits_anatomy(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for finding in &checker.files.file.findings {
        let family = finding.id.starts_with("family_");
        if let Some(sex) = sex_of(&finding.id).filter(|_| !family)
            && finding.applies.sex != Some(sex)
        {
            wrong.push((finding.id.clone(), format!("anyone can have it: set `applies.sex` to {sex:?}")));
        }
        if finding.id.contains("menopause") && finding.applies.min_age.is_none_or(|age| age < MENOPAUSE) {
            wrong.push((
                finding.id.clone(),
                format!("it comes too early: set `applies.min_age` to {MENOPAUSE} or more"),
            ));
        }
    }
    for (id, problem) in wrong {
        checker.error("finding_fits_anatomy", "findings", &id, problem);
    }
}

fn exam_fits_anatomy(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for view in &checker.files.file.views {
        let Some(call) = view.calls.first() else { continue };
        let sex = [
            ("scrotal", Sex::Male),
            ("prostate", Sex::Male),
            ("testis", Sex::Male),
            ("marker=psa", Sex::Male),
            ("obstetric", Sex::Female),
            ("hysteroscopy", Sex::Female),
            ("cervix", Sex::Female),
            ("endometrium", Sex::Female),
            ("hysterosalpingogram", Sex::Female),
            ("amniocentesis", Sex::Female),
            ("type=fetal", Sex::Female),
        ]
        .into_iter()
        .find_map(|(word, sex)| call.contains(word).then_some(sex));
        if sex.is_some_and(|sex| view.applies.sex != Some(sex)) {
            wrong.push((call.clone(), sex));
        }
    }
    for (call, sex) in wrong {
        let problem = format!("it can be ordered for anyone: set `applies.sex` to {:?}", sex.unwrap_or(Sex::Female));
        checker.error("exam_fits_anatomy", "views", &call, problem);
    }
}

/// A disease of pregnancy befalls nobody who cannot be pregnant.
fn pregnancy_fits_age(checker: &mut Checker<'_>) {
    let older = AGE_BANDS.len() - 1;
    let of_pregnancy = |disease: &&DiseaseEntry| {
        disease.icd10.starts_with('O')
            || ["ectopic_pregnancy", "miscarriage", "pre_eclampsia"].contains(&disease.id.as_str())
    };
    let mut wrong = Vec::new();
    for disease in checker.files.file.diseases.iter().filter(of_pregnancy) {
        let row = |sex| disease.incidence.get(&sex).map(|row| *row.value()).unwrap_or_default();
        if row(Sex::Male).iter().any(|&cell| cell > 0.0) || row(Sex::Female)[older] > 0.0 {
            wrong.push(disease.id.clone());
        }
    }
    for id in wrong {
        let problem = "men and women past 65 have an incidence: set those cells to 0".to_owned();
        checker.error("pregnancy_fits_age", "diseases", &id, problem);
    }
}
