//! Checkpoints: model and optimiser as burnpack, everything else as JSON, a folder that is either the old one or the new one.
//!
//! A new checkpoint is written beside the old one, brought to the disk, and takes its place by renames. Killed in between, the next
//! start finds one of the two whole.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use burn::{
    module::{Module, ModuleMapper, Param, ParamId},
    prelude::*,
    store::{
        ModuleRecord,
        burn_pack::{self, Bytes, Reader, Writer},
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use workup_core::digest::Digest;
use workup_learn::{Learner, OptimizerConfig};
use workup_model::{Decoder, DecoderConfig};

use super::{LearningError, difference::difference};

/// Raised when the layout of checkpoints changes.
const FORMAT: u32 = 2;
const MODEL: &str = "model.bpk";
const OPTIMIZER: &str = "optimizer.bpk";
const STATE: &str = "state.json";
const MANIFEST: &str = "manifest.json";

/// The list of what a checkpoint consists of: nothing is read whose digest is not the one listed.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// Digest by file name.
    files: BTreeMap<String, String>,
}

/// What is stored beside model and optimiser.
#[derive(Debug, Serialize, Deserialize)]
struct Stored<S> {
    /// Settings of the run; a checkpoint is only resumed under the same.
    run: serde_json::Value,
    decoder: DecoderConfig,
    state: S,
}

/// Where the checkpoint of a stage lives.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    folder: PathBuf,
}

/// A checkpoint read back.
#[derive(Debug)]
pub struct Loaded<S> {
    /// Decoder and optimiser on the device asked for.
    pub learner: Learner,
    /// The state stored with them.
    pub state: S,
}

/// The same burnpack with its tensors in the order of their names. Burn writes the optimiser's in the order of a hash map, which
/// differs from process to process; equal states must be equal bytes.
fn in_order_of_names(bytes: Bytes) -> Result<Bytes, burn_pack::Error> {
    let reader = Reader::from_bytes(bytes)?;
    let (metadata, scalars) = (reader.metadata().clone(), reader.scalars().clone());
    let mut writer = Writer::new(reader.into_tensors()?);
    for (key, value) in &metadata {
        writer = writer.with_metadata(key, value);
    }
    for (key, value) in scalars {
        writer = writer.with_scalar(&key, value);
    }
    writer.into_bytes()
}

impl Checkpoint {
    /// The checkpoint below the folder of a stage, touching nothing: also for a stage that another process is running.
    pub fn look(stage: &Path) -> Self {
        let checkpoint = Self::of(stage);
        let old = checkpoint.beside("old");
        // Killed between the two renames of a save, the old one is the whole one.
        if !checkpoint.exists() && old.is_dir() { Self { folder: old } } else { checkpoint }
    }

    fn of(stage: &Path) -> Self {
        Self { folder: stage.join("checkpoint") }
    }

    /// The checkpoint below the folder of a stage that is this process's own. Finishes or undoes what a kill interrupted.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn recover(stage: &Path) -> Result<Self, LearningError> {
        let checkpoint = Self::of(stage);
        let (old, part) = (checkpoint.beside("old"), checkpoint.beside("part"));
        let whole = checkpoint.exists();
        if !whole && old.is_dir() {
            fs::rename(&old, &checkpoint.folder).map_err(LearningError::io(&old))?;
        }
        for leftover in [old, part] {
            if leftover.is_dir() {
                fs::remove_dir_all(&leftover).map_err(LearningError::io(&leftover))?;
            }
        }
        Ok(checkpoint)
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Replaces the checkpoint.
    ///
    /// # Errors
    /// When it cannot be written; the one before stays then.
    pub fn save<S: Serialize>(
        &self,
        learner: &Learner,
        run: &serde_json::Value,
        state: &S,
    ) -> Result<(), LearningError> {
        let part = self.beside("part");
        if part.is_dir() {
            fs::remove_dir_all(&part).map_err(LearningError::io(&part))?;
        }
        fs::create_dir_all(&part).map_err(LearningError::io(&part))?;
        let record = |error: &dyn core::fmt::Display| LearningError::damaged(&part, error.to_string());
        let model = learner.decoder.clone().into_record().into_bytes().map_err(|error| record(&error))?;
        let optimizer = learner.optimizer.into_bytes().map_err(|error| record(&error))?;
        let optimizer = in_order_of_names(optimizer).map_err(|error| record(&error))?;
        let stored = Stored { run: run.clone(), decoder: learner.decoder.config().clone(), state };
        let state = serde_json::to_vec(&stored).map_err(|error| record(&error))?;
        let mut manifest = Manifest { format: FORMAT, files: BTreeMap::new() };
        for (name, bytes) in [(MODEL, &model[..]), (OPTIMIZER, &optimizer[..]), (STATE, &state[..])] {
            write_synced(&part.join(name), bytes)?;
            manifest.files.insert(name.to_owned(), digest(bytes));
        }
        let manifest = serde_json::to_vec(&manifest).map_err(|error| record(&error))?;
        write_synced(&part.join(MANIFEST), &manifest)?;
        self.swap(&part)
    }

    /// Puts a finished folder in the place of the checkpoint.
    fn swap(&self, part: &Path) -> Result<(), LearningError> {
        let old = self.beside("old");
        if self.exists() {
            fs::rename(&self.folder, &old).map_err(LearningError::io(&old))?;
        }
        fs::rename(part, &self.folder).map_err(LearningError::io(&self.folder))?;
        if let Some(stage) = self.folder.parent() {
            File::open(stage).and_then(|folder| folder.sync_all()).map_err(LearningError::io(stage))?;
        }
        if old.is_dir() {
            fs::remove_dir_all(&old).map_err(LearningError::io(&old))?;
        }
        Ok(())
    }

    /// Reads the checkpoint of a run with these settings.
    ///
    /// # Errors
    /// When it is damaged, or belongs to a run with other settings.
    pub fn load<S: DeserializeOwned>(
        &self,
        run: &serde_json::Value,
        optimizer: &OptimizerConfig,
        device: &Device,
    ) -> Result<Loaded<S>, LearningError> {
        let manifest = self.manifest()?;
        let stored: Stored<S> = self.stored(&manifest)?;
        if &stored.run != run {
            return Err(LearningError::Foreign { path: self.folder.clone(), what: difference(&stored.run, run) });
        }
        let decoder = self.decoder(&manifest, &stored, device)?;
        let bytes = self.bytes(&manifest, OPTIMIZER)?;
        let optimizer = optimizer
            .init()
            .from_bytes(burn::tensor::Bytes::from_bytes_vec(bytes))
            .map_err(|error| LearningError::damaged(&self.folder, error.to_string()))?;
        Ok(Loaded { learner: Learner { decoder, optimizer, device: device.clone(), threads: 1 }, state: stored.state })
    }

    /// Reads decoder and state alone, whatever run they belong to.
    ///
    /// # Errors
    /// When the checkpoint is damaged.
    pub fn load_decoder<S: DeserializeOwned>(&self, device: &Device) -> Result<(Decoder, S), LearningError> {
        let manifest = self.manifest()?;
        let stored: Stored<S> = self.stored(&manifest)?;
        Ok((self.decoder(&manifest, &stored, device)?, stored.state))
    }

    /// Digest of the stored weights.
    ///
    /// # Errors
    /// When the checkpoint is missing or damaged.
    pub fn weights_digest(&self) -> Result<String, LearningError> {
        Ok(self.listed(&self.manifest()?, MODEL)?.to_owned())
    }

    /// Reads the state alone, of a run with these settings; `None` without a checkpoint.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_state<S: DeserializeOwned>(&self, run: &serde_json::Value) -> Result<Option<S>, LearningError> {
        if !self.exists() {
            return Ok(None);
        }
        let stored: Stored<S> = self.stored(&self.manifest()?)?;
        if &stored.run != run {
            return Err(LearningError::Foreign { path: self.folder.clone(), what: difference(&stored.run, run) });
        }
        Ok(Some(stored.state))
    }

    fn manifest(&self) -> Result<Manifest, LearningError> {
        let path = self.folder.join(MANIFEST);
        let bytes = fs::read(&path).map_err(LearningError::io(&path))?;
        let damaged = |error: serde_json::Error| LearningError::damaged(&self.folder, error.to_string());
        let format: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        if format["format"] != FORMAT {
            let what = format!("format {} instead of {FORMAT}", format["format"]);
            return Err(LearningError::Foreign { path: self.folder.clone(), what });
        }
        serde_json::from_slice(&bytes).map_err(damaged)
    }

    fn stored<S: DeserializeOwned>(&self, manifest: &Manifest) -> Result<Stored<S>, LearningError> {
        serde_json::from_slice(&self.bytes(manifest, STATE)?)
            .map_err(|error| LearningError::damaged(&self.folder, error.to_string()))
    }

    fn decoder<S>(&self, manifest: &Manifest, stored: &Stored<S>, device: &Device) -> Result<Decoder, LearningError> {
        stored.decoder.validate()?;
        let bytes = self.bytes(manifest, MODEL)?;
        let damaged = |error: &dyn core::fmt::Display| LearningError::damaged(&self.folder, error.to_string());
        let record = ModuleRecord::from_bytes(burn::tensor::Bytes::from_bytes_vec(bytes));
        let record = record.map_err(|error| damaged(&error))?;
        stored.decoder.init(device).try_load_record(record).map_err(|error| damaged(&error))
    }

    fn listed<'m>(&self, manifest: &'m Manifest, name: &str) -> Result<&'m str, LearningError> {
        let listed = manifest.files.get(name).map(String::as_str);
        listed.ok_or_else(|| LearningError::damaged(&self.folder, format!("`{name}` is not listed")))
    }

    fn bytes(&self, manifest: &Manifest, name: &str) -> Result<Vec<u8>, LearningError> {
        let path = self.folder.join(name);
        let bytes = fs::read(&path).map_err(LearningError::io(&path))?;
        if digest(&bytes) != self.listed(manifest, name)? {
            return Err(LearningError::damaged(&self.folder, format!("`{name}` has another digest")));
        }
        Ok(bytes)
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        self.folder.with_extension(suffix)
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), LearningError> {
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(LearningError::io(path))
}

/// Digest of a file's bytes, 16 hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    let mut digest = Digest::new();
    digest.bytes(bytes);
    crate::setting::hex(digest.value())
}

/// A fresh decoder whose parameters have fixed identities, so that equal runs write equal bytes.
pub fn fresh_decoder(config: &DecoderConfig, seed: u64, device: &Device) -> Decoder {
    // A backend has one generator per process: no two decoders may be drawn at the same time.
    static DRAWING: Mutex<()> = Mutex::new(());
    let _alone = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
    device.seed(seed);
    let decoder = config.init(device);
    // Parameters are drawn at first use: draw them now, in order.
    let _ = decoder.clone().into_record();
    decoder.map(&mut Numbered { next: 0 })
}

/// Gives parameters the identities 1, 2 and so on.
struct Numbered {
    next: u64,
}

impl ModuleMapper for Numbered {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        self.next += 1;
        let (_, value, mapper) = param.consume();
        Param::from_mapped_value(ParamId::from(self.next), value, mapper)
    }
}
