//! Behaviour of the shipped catalogue.

use alloc::{string::ToString, vec::Vec};

use super::*;
use crate::knowledge::Sex;

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

fn call(text: &str) -> ExamCall {
    catalogue().parse_call_text(text).unwrap()
}

fn error(text: &str) -> CallError {
    catalogue().parse_call_text(text).unwrap_err()
}

#[test]
fn all_exams_of_the_published_interface_are_there() {
    let catalogue = catalogue();
    assert_eq!(catalogue.exams().len(), 67);
    let without_levels: Vec<&str> =
        catalogue.exams().iter().filter(|exam| exam.levels.is_none()).map(|exam| exam.name.as_str()).collect();
    assert_eq!(without_levels, ["audiometry"]);
}

#[test]
fn prices_follow_the_most_specific_rule() {
    let catalogue = catalogue();
    for (text, medicare, cash) in [
        ("ct(region=chest, contrast=yes)", 17_110, 183_300),
        ("ct(region=head)", 10_852, 135_700),
        ("ct(region=abdomen, contrast=yes)", 31_091, 303_800),
        ("blood_test(test=lipase)", 689, 7_800),
        ("coagulation_panel(type=d_dimer)", 1_018, 12_500),
        ("coagulation_panel()", 1_030, 11_000),
        ("inflammatory_marker()", 518, 6_600),
        ("ecg()", 1_431, 9_500),
        ("cardiac_enzyme()", 1_247, 12_600),
        ("echocardiogram()", 19_606, 228_200),
        ("biopsy(site=thyroid, type=fine_needle)", 30_125, 210_700),
        ("biopsy(site=thyroid)", 18_109, 164_600),
        ("xray(region=whole_body)", 22_536, 182_800),
        ("physical_examination()", 0, 0),
    ] {
        let price = catalogue.price(&catalogue.parse_call_text(text).unwrap());
        assert_eq!((price.usd_cents_medicare, price.usd_cents_cash), (medicare, cash), "{text}");
    }
}

#[test]
fn ct_angiography_has_the_discomfort_of_a_ct() {
    let catalogue = catalogue();
    let discomfort = |text| catalogue.price(&call(text)).discomfort;
    assert_eq!(discomfort("angiography(region=pulmonary)"), 1);
    assert_eq!(discomfort("angiography(region=peripheral, type=cta)"), 1);
    assert_eq!(discomfort("angiography(region=coronary, type=conventional)"), 3);
}

#[test]
fn wordings_of_one_exam_are_one_call() {
    for (left, right) in [
        ("ecg()", "EKG(type=\"12 lead\")"),
        ("ct(region=chest)", "CT-scan(region=thorax, contrast=without iv contrast)"),
        ("xray(region=lower_extremity)", "x ray(Region=\"left knee joint\")"),
        ("cardiac_enzyme(marker=troponin)", "cardiac_enzyme(marker=\"High-sensitivity troponin I\")"),
        ("echocardiogram(contrast=none)", "echo(type=TTE)"),
        ("physical_examination()", "physical_examination(region=\"the whole body\")"),
        ("endoscopy(type=egd)", "endoscopy(type=upper GI endoscopy)"),
    ] {
        assert_eq!(call(left), call(right), "{left} {right}");
    }
    assert_ne!(call("ct(region=chest)"), call("ct(region=chest, contrast=with)"));
}

#[test]
fn every_value_of_every_parameter_reads_back() {
    let catalogue = catalogue();
    for (index, exam) in catalogue.exams().iter().enumerate() {
        for (position, parameter) in exam.parameters.iter().enumerate() {
            for value in 0..parameter.values.len() {
                let text = alloc::format!("{}({}={})", exam.name, parameter.name, parameter.values[value]);
                let pattern = catalogue.parse_pattern(&text).unwrap();
                assert_eq!((pattern.exam(), pattern.value(position)), (index, Some(value)), "{text}");
                let spoken = text.replace('_', " ").to_uppercase();
                assert_eq!(catalogue.parse_pattern(&spoken), Ok(pattern), "{spoken}");
            }
        }
    }
}

#[test]
fn call_text_reads_back_to_the_same_call() {
    for text in ["ct(region=neck)", "biopsy(site=skin)", "bmp()", "pet_scan()"] {
        let catalogue = catalogue();
        assert_eq!(call(&catalogue.call_text(&call(text))), call(text));
    }
    assert_eq!(
        catalogue().label(&call("ct(region=upper_extremity, contrast=yes)")),
        "CT scan (upper extremity, contrast)"
    );
    assert_eq!(catalogue().label(&call("cmp()")), "Comprehensive metabolic panel");
}

#[test]
fn errors_name_what_is_wrong_and_what_would_be_right() {
    assert_eq!(error("ecgg()").to_string(), "unknown exam `ecgg`: did you mean `ecg`?");
    assert_eq!(error("crystal_ball()").to_string(), "unknown exam `crystal_ball`: use a name of the exam list");
    assert_eq!(error("cbc(region=arm)").to_string(), "exam `cbc` has no parameter `region`: it takes `type`");
    assert_eq!(error("bmp(type=a)").to_string(), "exam `bmp` has no parameter `type`: it takes none");
    assert_eq!(error("ct(contrast=yes)").to_string().split(':').next(), Some("exam `ct` needs parameter `region`"));
    assert_eq!(
        error("blood_gas(type=lunar)").to_string(),
        "exam `blood_gas` parameter `type` has no value `lunar`: use one of `arterial`, `venous`"
    );
    assert_eq!(
        error("serology(test=hepatitis)").to_string(),
        "exam `serology` parameter `test` value `hepatitis` is ambiguous: use one of `hepatitis_a`, `hepatitis_b`, `hepatitis_c`"
    );
    assert!(matches!(error("ct(region=chest and abdomen)"), CallError::AmbiguousValue { .. }));
    assert!(matches!(error("ct(region=head, region=head)"), CallError::RepeatedParameter { .. }));
    assert!(matches!(error("other(description=\" \")"), CallError::MissingParameter { .. }));
    for text in ["ct", "ct(region)", "ct(region=\"a)", "ct(region=\"a\" b)", ")", "("] {
        assert!(catalogue().parse_call_text(text).is_err(), "{text}");
    }
}

#[test]
fn errors_do_not_repeat_long_input() {
    let long = "x".repeat(100_000);
    assert!(error(&alloc::format!("{long}()")).to_string().len() < 200);
    assert!(error(&alloc::format!("blood_gas(type={long})")).to_string().len() < 200);
}

#[test]
fn patterns_match_any_value_of_what_they_leave_out() {
    let catalogue = catalogue();
    let pattern = catalogue.parse_pattern("ct(region=chest)").unwrap();
    assert!(pattern.matches(&call("ct(region=chest)")) && pattern.matches(&call("ct(region=chest, contrast=yes)")));
    assert!(!pattern.matches(&call("ct(region=head)")) && !pattern.matches(&call("mri(region=chest)")));
    assert!(catalogue.parse_pattern("ct()").unwrap().matches(&call("ct(region=head)")));
}

#[test]
fn analysis_needs_the_collection_of_its_specimen_once() {
    let catalogue = catalogue();
    let puncture = call("lumbar_puncture()");
    assert_eq!(catalogue.collection_due(&call("csf_analysis()"), &[]), Some(puncture));
    assert_eq!(catalogue.collection_due(&call("csf_analysis()"), &[call("ecg()"), puncture]), None);
    let node = call("histopathology(specimen=lymph_node)");
    assert!(catalogue.collection_due(&node, &[call("biopsy(site=skin)")]).is_some());
    assert!(catalogue.collection_due(&node, &[call("biopsy(site=lymph_node, type=excisional)")]).is_none());
    assert_eq!(catalogue.collection_due(&call("culture(source=blood)"), &[]), None);
}

#[test]
fn anatomy_and_second_names_are_known() {
    let catalogue = catalogue();
    assert_eq!(catalogue.only_for(&call("ultrasound(region=testicular)")), Some(Sex::Male));
    assert_eq!(catalogue.only_for(&call("hysterosalpingogram()")), Some(Sex::Female));
    assert_eq!(catalogue.only_for(&call("ultrasound(region=abdomen)")), None);
    let echo = call("echocardiogram(type=tee)");
    assert_eq!(catalogue.identity(&call("echocardiography(type=tee, region=chest)")), echo);
    assert_eq!(catalogue.identity(&echo), echo);
}

#[test]
fn free_text_changes_nothing_but_the_exam_that_is_only_text() {
    assert_eq!(call("eye_exam(region=left)"), call("eye_exam()"));
    assert_ne!(call("other(description=sleep study)"), call("other(description=tilt table)"));
    assert_eq!(call("other(description=Sleep study)"), call("other(description=\"sleep-study\")"));
    assert_ne!(call("other(description=sleep study)").key(), call("other(description=tilt table)").key());
}

#[test]
fn a_wrong_file_is_refused_with_its_place() {
    let wrong = |from: &str, to: &str| {
        let text = include_str!("../../data/exams.json").replacen(from, to, 1);
        Catalogue::from_json(&text).unwrap_err()
    };
    assert_eq!(wrong("\"discomfort\": 1", "\"discomfort\": 4").field, "discomfort");
    assert_eq!(wrong("\"default\": \"no\"", "\"default\": \"maybe\"").entry, "ct");
    assert_eq!(wrong("\"source\": \"pfs24\"", "\"source\": \"rumour\"").field, "source");
    assert_eq!(wrong("{", "[").field, "json");
}

#[test]
fn published_normaliser_keeps_its_quirks() {
    let catalogue = catalogue();
    let published = |exam, parameter, text| catalogue.normalize_as_published(exam, parameter, text);
    assert_eq!(published("ct", "contrast", "unknown"), Some("no"));
    assert_eq!(published("ct", "region", ""), Some("head"));
    assert_eq!(published("mri", "region", " Left Knee "), Some("lower_extremity"));
    assert_eq!(published("mri", "contrast", "Non-contrast"), Some("no"));
    assert_eq!(published("ultrasound", "region", "cardiac"), Some("cardiac"));
    assert_eq!(published("audiometry", "type", "oae"), None);
    assert_eq!(published("biopsy", "method", "any"), None);
    assert_eq!(published("ecgg", "type", "any"), None);
}
