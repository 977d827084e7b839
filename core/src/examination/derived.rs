//! Values computed from others, never drawn: they carry no information of their own.

use crate::{
    knowledge::{KnowledgeBase, Sex},
    math::{exp, ln, log10},
};

/// Names an analyte's `derived` field can hold.
const KNOWN: [&str; 4] = ["haematocrit", "anion_gap", "egfr", "ph"];

/// Whether a derived value of this name can be computed.
pub(crate) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// A derived value in its natural unit, from the values of other analytes by id; `None` when one of them is missing.
pub(crate) fn compute(name: &str, sex: Sex, age: u32, value_of: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    match name {
        // Three times the haemoglobin in g/dL, in per cent.
        "haematocrit" => Some(3.0 * value_of("haemoglobin")?),
        "anion_gap" => Some(value_of("sodium")? - value_of("chloride")? - value_of("bicarbonate")?),
        // Henderson-Hasselbalch: pH = 6.1 + log10(HCO3 / (0.0307 pCO2)), pCO2 in mmHg.
        "ph" => Some(6.1 + log10(value_of("bicarbonate")? / (0.0307 * value_of("pco2")?))),
        "egfr" => Some(egfr(value_of("creatinine")?, sex, age)),
        _ => None,
    }
}

/// CKD-EPI 2021 (Inker et al., N Engl J Med 2021;385:1737), creatinine in mg/dL, no race term; mL/min/1.73 m2.
fn egfr(creatinine: f64, sex: Sex, age: u32) -> f64 {
    let (kappa, alpha, factor) = match sex {
        Sex::Female => (0.7, -0.241, 1.012),
        Sex::Male => (0.9, -0.302, 1.0),
    };
    let ratio = creatinine / kappa;
    let power = |base: f64, exponent: f64| exp(exponent * ln(base));
    142.0 * power(ratio.min(1.0), alpha) * power(ratio.max(1.0), -1.2) * power(0.9938, f64::from(age)) * factor
}

/// Index of the analyte with this id, for lookups by the functions above.
pub(crate) fn analyte_by_id(base: &KnowledgeBase, id: &str) -> Option<u16> {
    base.analytes.iter().position(|analyte| analyte.id == id).map(|index| index as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn egfr_of_a_healthy_forty_year_old_is_about_hundred() {
        let value = egfr(0.9, Sex::Male, 40);
        assert!((105.0..112.0).contains(&value), "{value}");
        assert!(egfr(2.0, Sex::Male, 40) < 45.0);
    }

    #[test]
    fn ph_of_normal_gases_is_seven_point_four() {
        let values = |id: &str| match id {
            "bicarbonate" => Some(24.0),
            "pco2" => Some(39.0),
            _ => None,
        };
        let ph = compute("ph", Sex::Male, 40, values).unwrap();
        assert!((ph - 7.4).abs() < 0.01, "{ph}");
        assert_eq!(compute("haematocrit", Sex::Male, 40, values), None);
    }
}
