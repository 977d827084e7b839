//! Batched multi-turn sampling: many episodes advance together through one cache, each at its own position.
//!
//! Every pass feeds each running row whatever it has not read yet: the token it chose last, or that token and the
//! observation that followed. Rows never wait for each other. The prompt of a group is read once and its cache forked.
//!
//! Every draw comes from a generator made for (scenario, member, turn, attempt), never from a shared sequence, so which
//! other episodes share a pass changes nothing but the last bits a backend's matrix product may round differently.

use rand_core::Rng;
use serde::{Deserialize, Serialize};
use workup_model::RaggedBatch;

use crate::clinic::{Clinic, ClinicStep, Ending, Episode};
use crate::parallel::in_parallel;
use crate::policy::{Policy, choose_token};
use crate::trajectory::{Group, Trajectory};

/// What the generator of one doctor message is keyed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamKey {
    /// The scenario played.
    pub scenario: u64,
    /// Index in the group.
    pub member: u32,
    /// The doctor turn, from 0.
    pub turn: u32,
    /// Tells apart visits to the same scenario; training passes the number of rollout passes so far, evaluation 0.
    pub attempt: u64,
}

/// Limits of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolloutConfig {
    /// The token that closes a doctor message.
    pub end_token: u32,
    /// A message longer than this, end token included, is cut and handed over as it is.
    pub max_tokens_per_turn: u32,
    /// An episode is truncated when prompt, messages and observations reach this length.
    pub max_tokens: u32,
    /// Take the most likely token instead of drawing.
    pub greedy: bool,
    /// About how many episodes go through the policy at once (whole groups).
    pub max_rows: u32,
    /// How many such batches are played at the same time, on a thread each; 0 is 1. Decides nothing but speed, hence is not
    /// stored.
    #[serde(skip, default = "one")]
    pub threads: u32,
}

const fn one() -> u32 {
    1
}

impl RolloutConfig {
    /// 48 tokens a message, 512 an episode, sampled at temperature 1, 160 episodes at once.
    pub fn new(end_token: u32) -> Self {
        Self { end_token, max_tokens_per_turn: 48, max_tokens: 512, greedy: false, max_rows: 160, threads: 1 }
    }
}

/// Why a rollout stopped.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RolloutError<E> {
    /// The policy refused tokens, for example because the clinic used an id outside the vocabulary.
    #[error("policy cannot read scenario tokens: {0}")]
    Policy(E),
    /// The policy returned logits that are not finite.
    #[error("logits of scenario `{scenario}` are not finite, lower the learning rate or check the weights")]
    NotFinite {
        /// The scenario being played.
        scenario: u64,
    },
    /// The clinic gave a prompt without tokens, or one that leaves no room to answer.
    #[error("prompt of scenario `{scenario}` has `{len}` tokens, it needs 1 to `{max}`")]
    Prompt {
        /// The scenario.
        scenario: u64,
        /// Tokens in its prompt.
        len: usize,
        /// The most that leave room for an answer.
        max: usize,
    },
}

/// One running episode.
struct Row<E, R> {
    episode: E,
    trajectory: Trajectory,
    /// Where the tokens begin that the policy has not read yet.
    unread: usize,
    /// Where the present message begins.
    message_start: usize,
    turn: u32,
    generator: Option<R>,
    ended: bool,
}

/// Plays `group_size` episodes of every scenario to their end; groups come back in the order of `scenarios`.
///
/// `generator` makes the random generator of one message and is not called in greedy mode.
///
/// # Errors
/// [`RolloutError`] when the policy cannot go on; nothing is returned then.
pub fn rollout_groups<C, P, R>(
    policy: &P,
    clinic: &C,
    scenarios: &[u64],
    group_size: u32,
    attempt: u64,
    config: &RolloutConfig,
    generator: &(dyn Fn(StreamKey) -> R + Sync),
) -> Result<Vec<Group>, RolloutError<P::Error>>
where
    C: Clinic + Sync,
    P: Policy + Sync,
    P::Error: Send,
    R: Rng,
{
    if group_size == 0 {
        return Ok(scenarios.iter().map(|&scenario| Group { scenario, ..Group::default() }).collect());
    }
    let at_once = (config.max_rows / group_size).max(1) as usize;
    let batches: Vec<&[u64]> = scenarios.chunks(at_once).collect();
    let play = |batch: &[u64]| {
        let rollout = Rollout { config, attempt, generator, scratch: Vec::new() };
        rollout.play_groups(policy, clinic, batch, group_size)
    };
    let mut groups = Vec::with_capacity(scenarios.len());
    for wave in batches.chunks(config.threads.max(1) as usize) {
        for played in in_parallel(wave, |batch| play(batch)) {
            groups.extend(played?);
        }
    }
    Ok(groups)
}

struct Rollout<'a, R> {
    config: &'a RolloutConfig,
    attempt: u64,
    generator: &'a (dyn Fn(StreamKey) -> R + Sync),
    scratch: Vec<f32>,
}

impl<R: Rng> Rollout<'_, R> {
    /// Plays the groups of `scenarios` together.
    fn play_groups<C: Clinic, P: Policy>(
        mut self,
        policy: &P,
        clinic: &C,
        scenarios: &[u64],
        group_size: u32,
    ) -> Result<Vec<Group>, RolloutError<P::Error>> {
        let mut rows = Vec::with_capacity(scenarios.len() * group_size as usize);
        for &scenario in scenarios {
            self.start_group(clinic, scenario, group_size, &mut rows)?;
        }
        self.play(policy, &mut rows, group_size as usize)?;
        let mut trajectories = rows.into_iter().map(|row| row.trajectory);
        let group =
            |&scenario| Group { scenario, trajectories: trajectories.by_ref().take(group_size as usize).collect() };
        Ok(scenarios.iter().map(group).collect())
    }

    fn start_group<C: Clinic, Error>(
        &mut self,
        clinic: &C,
        scenario: u64,
        group_size: u32,
        rows: &mut Vec<Row<C::Episode, R>>,
    ) -> Result<(), RolloutError<Error>> {
        let (episode, prompt) = clinic.start(scenario);
        let max = self.config.max_tokens.saturating_sub(1) as usize;
        if prompt.is_empty() || prompt.len() > max {
            return Err(RolloutError::Prompt { scenario, len: prompt.len(), max });
        }
        for member in 0..group_size {
            rows.push(self.start_row(episode.clone(), Trajectory::from_prompt(scenario, member, &prompt)));
        }
        Ok(())
    }

    fn start_row<E>(&mut self, episode: E, trajectory: Trajectory) -> Row<E, R> {
        let message_start = trajectory.len();
        let mut row = Row { episode, trajectory, unread: 0, message_start, turn: 0, generator: None, ended: false };
        self.start_message(&mut row);
        row
    }

    fn start_message<E>(&mut self, row: &mut Row<E, R>) {
        row.message_start = row.trajectory.len();
        if !self.config.greedy {
            let Trajectory { scenario, member, .. } = row.trajectory;
            row.generator =
                Some((self.generator)(StreamKey { scenario, member, turn: row.turn, attempt: self.attempt }));
        }
    }

    /// Runs all rows to their end. Rows lie group by group, `group_size` each.
    fn play<P: Policy, E: Episode>(
        &mut self,
        policy: &P,
        rows: &mut [Row<E, R>],
        group_size: usize,
    ) -> Result<(), RolloutError<P::Error>> {
        let prompts = RaggedBatch::from_rows(rows.chunks(group_size).map(|group| &group[0].trajectory.tokens));
        let (mut cache, prompt_logits) = read_prompts(policy, &prompts, group_size).map_err(RolloutError::Policy)?;
        for row in &mut *rows {
            row.unread = row.trajectory.len();
        }
        let vocab_size = prompt_logits.len() / (rows.len() / group_size);
        // Row indices in the order of the cache.
        let mut running: Vec<usize> = (0..rows.len()).collect();
        for &index in &running {
            let group = index / group_size;
            self.choose(&mut rows[index], &prompt_logits[group * vocab_size..(group + 1) * vocab_size])?;
        }
        loop {
            let num_live = running.iter().filter(|&&index| !rows[index].ended).count();
            if num_live == 0 {
                return Ok(());
            }
            // Dropping rows copies the cache, so it waits until a quarter of them has ended.
            if num_live * 4 <= running.len() * 3 {
                let live: Vec<usize> = (0..running.len()).filter(|&slot| !rows[running[slot]].ended).collect();
                cache = policy.select_rows(&cache, &live);
                running = live.into_iter().map(|slot| running[slot]).collect();
            }
            let mut batch = RaggedBatch::default();
            for &index in &running {
                let row = &mut rows[index];
                batch.push(if row.ended { &[] } else { &row.trajectory.tokens[row.unread..] });
                row.unread = row.trajectory.len();
            }
            let logits = policy.next_logits(&batch, &mut cache).map_err(RolloutError::Policy)?;
            let live = running.iter().filter(|&&index| !rows[index].ended).copied().collect::<Vec<_>>();
            for (index, logits) in live.into_iter().zip(logits.chunks_exact(vocab_size)) {
                self.choose(&mut rows[index], logits)?;
            }
        }
    }

    /// Chooses the next token of one row and, when that closes its message, hands the message to the clinic.
    fn choose<E: Episode, Error>(&mut self, row: &mut Row<E, R>, logits: &[f32]) -> Result<(), RolloutError<Error>> {
        let scenario = row.trajectory.scenario;
        let choice = choose_token(logits, row.generator.as_mut(), &mut self.scratch)
            .ok_or(RolloutError::NotFinite { scenario })?;
        row.trajectory.push_action(choice.token, choice.log_prob, row.turn);
        row.trajectory.entropy_sum += choice.entropy;
        let message = &row.trajectory.tokens[row.message_start..];
        if choice.token == self.config.end_token || message.len() >= self.config.max_tokens_per_turn as usize {
            let step = row.episode.step(message);
            row.trajectory.num_turns += 1;
            self.receive(row, step);
        } else if row.trajectory.len() >= self.config.max_tokens as usize {
            end(row, None);
        }
        Ok(())
    }

    fn receive<E: Episode>(&mut self, row: &mut Row<E, R>, step: ClinicStep) {
        if let Some(ending) = step.ended {
            end(row, Some(ending));
        } else if row.trajectory.len() + step.observation.len() >= self.config.max_tokens as usize {
            end(row, None);
        } else {
            row.trajectory.push_observation(&step.observation, row.turn);
            row.turn += 1;
            self.start_message(row);
        }
    }
}

/// Ends a row; without an ending from the clinic it hit the token limit.
fn end<E: Episode, R>(row: &mut Row<E, R>, ending: Option<Ending>) {
    row.trajectory.ending = ending.unwrap_or_else(|| row.episode.truncate());
    row.ended = true;
    row.generator = None;
}

/// Reads each group's prompt once: a cache of all rows, `group_size` a prompt, and the logits after each prompt.
fn read_prompts<P: Policy>(
    policy: &P,
    prompts: &RaggedBatch,
    group_size: usize,
) -> Result<(P::Cache, Vec<f32>), P::Error> {
    let mut cache = policy.new_cache(prompts.num_rows());
    let logits = policy.next_logits(prompts, &mut cache)?;
    let forks: Vec<usize> = (0..prompts.num_rows() * group_size).map(|index| index / group_size).collect();
    Ok((policy.select_rows(&cache, &forks), logits))
}
