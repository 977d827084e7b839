//! `workup digest`: one number over whole episodes, words included.

use anyhow::Result;
use workup_core::parity::episodes_digest;
use workup_trainer::{knowledge::EMBEDDED, setting::hex};

use super::clinic;
use crate::{Verdict, args::DigestOptions, output::print_line};

pub(crate) fn run(options: &DigestOptions) -> Result<Verdict> {
    let clinic = clinic(EMBEDDED)?;
    let digest = episodes_digest(&clinic, options.seed, options.scenarios)?;
    let base = clinic.base();
    print_line(&format!(
        "{} scenarios, seed {}, knowledge {} {}",
        options.scenarios,
        hex(options.seed),
        base.name,
        hex(base.digest)
    ));
    print_line(&hex(digest));
    Ok(Verdict::Fine)
}
