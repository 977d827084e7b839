//! Proof that a training run survives being killed: SIGKILL at random moments, resume, compare with an undisturbed run.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::Verdict;
use crate::args::KillTestOptions;
use crate::console;
use crate::process;
use crate::trainer::Trainer;
use crate::workspace::Workspace;

/// `cargo xtask kill-test`
pub(crate) fn kill_test(workspace: &Workspace, options: &KillTestOptions) -> Result<Verdict> {
    let trainer = Trainer::build(workspace)?;
    let out = workspace.path(&options.out);
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("could not empty `{}`", out.display()))?;
    }
    let (calm, killed) = (out.join("calm"), out.join("killed"));

    console::note("the undisturbed run");
    let start = Instant::now();
    process::run(&mut dapo(workspace, &trainer, options, &calm))?;
    let whole = start.elapsed();

    let mut moments = Moments::new(options.seed);
    let (mut kills, mut during_dapo) = (0, 0);
    prepare(&calm, &killed)?;
    while kills < options.points {
        // A share of the whole run that leaves room for several kills, from the very start of the process: loading,
        // sampling, learning and saving all get hit.
        let moment = whole.mul_f64(moments.next_share() / f64::from(options.points).sqrt());
        if kill_after(&mut dapo(workspace, &trainer, options, &killed), moment)? {
            // It came to its end between kills: judge it, then start over, so that every point is a real kill.
            if compare(workspace, &trainer, &calm, &killed)? == Verdict::CheckFailed {
                return Ok(Verdict::CheckFailed);
            }
            fs::remove_dir_all(&killed).with_context(|| format!("could not empty `{}`", killed.display()))?;
            prepare(&calm, &killed)?;
        } else {
            kills += 1;
            during_dapo += u32::from(killed.join("metrics.jsonl").is_file());
            console::note(&format!("kill {kills}/{} after {:.2} s", options.points, moment.as_secs_f64()));
        }
    }
    if during_dapo * 2 < kills {
        console::note(&format!("only {during_dapo} of {kills} kills struck after the first update: give more --steps"));
        return Ok(Verdict::CheckFailed);
    }
    console::note(&format!("{during_dapo} of {kills} kills struck after the first update"));
    process::run(&mut dapo(workspace, &trainer, options, &killed)).context("the killed run could not be resumed")?;
    compare(workspace, &trainer, &calm, &killed)
}

/// Gives the run to be killed the finished preparation of the undisturbed one, so that kills strike what they are meant for.
fn prepare(calm: &Path, killed: &Path) -> Result<()> {
    copy_folder(&calm.join("start"), &killed.join("start"))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("could not make `{}`", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("could not read `{}`", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).with_context(|| format!("could not write `{}`", target.display()))?;
        }
    }
    Ok(())
}

fn dapo(workspace: &Workspace, trainer: &Trainer, options: &KillTestOptions, out: &Path) -> Command {
    let mut command = trainer.command(workspace, ["dapo", "--preset", "tiny", "--resume"]);
    command.args(["--steps", &options.steps.to_string(), "--seed", &options.seed.to_string(), "--out"]).arg(out);
    command
}

/// Starts `command` and kills it after `moment`; true when it had ended well by itself.
fn kill_after(command: &mut Command, moment: Duration) -> Result<bool> {
    let mut child = command.spawn().with_context(|| format!("could not run `{}`", process::describe(command)))?;
    let deadline = Instant::now() + moment;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("`{}` failed by itself ({status})", process::describe(command));
            }
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().context("could not kill the run")?;
    child.wait().context("could not wait for the killed run")?;
    Ok(false)
}

fn compare(workspace: &Workspace, trainer: &Trainer, calm: &Path, killed: &Path) -> Result<Verdict> {
    let mut metrics = trainer.command(workspace, ["metrics", "diff"]);
    metrics.args([calm.join("metrics.jsonl"), killed.join("metrics.jsonl")]);
    let mut same = process::run(&mut metrics).is_ok();
    for file in checkpoint_files(calm)?.union(&checkpoint_files(killed)?) {
        if fs::read(calm.join(file)).ok() != fs::read(killed.join(file)).ok() {
            console::note(&format!("differs: {}", file.display()));
            same = false;
        }
    }
    console::result(if same {
        "killed and undisturbed run are identical"
    } else {
        "killed and undisturbed run differ"
    });
    Ok(if same { Verdict::Fine } else { Verdict::CheckFailed })
}

/// Every file below `folder` but the metrics, which `workup metrics diff` compares.
fn checkpoint_files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let entries = fs::read_dir(&next).with_context(|| format!("could not read `{}`", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|extension| extension != "jsonl") {
                files.insert(path.strip_prefix(folder)?.to_path_buf());
            }
        }
    }
    if files.is_empty() {
        bail!("`{}` holds no checkpoint", folder.display());
    }
    Ok(files)
}

/// Random shares of a duration in [0, 1), fixed by a seed: splitmix64.
struct Moments(u64);

impl Moments {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next_share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shares_and_fixed_by_the_seed() {
        let shares = |seed| {
            let mut moments = Moments::new(seed);
            [(); 64].map(|()| moments.next_share())
        };
        assert_eq!(shares(3).map(f64::to_bits), shares(3).map(f64::to_bits));
        assert_ne!(shares(3).map(f64::to_bits), shares(4).map(f64::to_bits));
        assert!(shares(3).iter().all(|share| (0.0..1.0).contains(share)));
    }
}
