//! Checkpoints: model and optimiser as burnpack, everything else as JSON, a folder that is either the old one or the new one.
//!
//! A new checkpoint is written beside the old one, brought to the disk, and takes its place by renames. Killed in between, the next
//! start finds one of the two whole.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{ErrorKind, Write},
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

use super::{
    LearningError,
    difference::difference,
    folder::{old_of, part_of, recover_folder, replace_folder},
};

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
    /// Whether the stage came to its end.
    complete: bool,
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
        let folder = stage.join("checkpoint");
        let old = old_of(&folder);
        // Killed between the two renames of a save, the old one is the whole one.
        if !folder.is_dir() && old.is_dir() { Self { folder: old } } else { Self { folder } }
    }

    /// The checkpoint below the folder of a stage that is this process's own. Finishes or undoes what a kill interrupted.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn recover(stage: &Path) -> Result<Self, LearningError> {
        let folder = stage.join("checkpoint");
        recover_folder(&folder).map_err(LearningError::io(&folder))?;
        Ok(Self { folder })
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Whether there is one, of a stage that came to its end.
    pub fn is_complete(&self) -> bool {
        self.manifest().is_ok_and(|manifest| manifest.complete)
    }

    /// Replaces the checkpoint; `complete` says that the stage came to its end.
    ///
    /// # Errors
    /// When it cannot be written; the one before stays then.
    pub fn save<S: Serialize>(
        &self,
        learner: &Learner,
        run: &serde_json::Value,
        state: &S,
        complete: bool,
    ) -> Result<(), LearningError> {
        let part = part_of(&self.folder);
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
        let mut manifest = Manifest { format: FORMAT, complete, files: BTreeMap::new() };
        for (name, bytes) in [(MODEL, &model[..]), (OPTIMIZER, &optimizer[..]), (STATE, &state[..])] {
            write_synced(&part.join(name), bytes)?;
            manifest.files.insert(name.to_owned(), digest(bytes));
        }
        let manifest = serde_json::to_vec(&manifest).map_err(|error| record(&error))?;
        write_synced(&part.join(MANIFEST), &manifest)?;
        replace_folder(&self.folder).map_err(LearningError::io(&self.folder))
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

    /// Reads the decoder alone, whatever run it belongs to; its weights must have this digest ([`Self::weights_digest`]).
    ///
    /// # Errors
    /// When the checkpoint is damaged, or was replaced since its digest was read.
    pub fn load_decoder(&self, weights: &str, device: &Device) -> Result<Decoder, LearningError> {
        let manifest = self.manifest()?;
        if self.listed(&manifest, MODEL)? != weights {
            return Err(LearningError::damaged(&self.folder, "it was replaced while it was read"));
        }
        let stored: Stored<serde_json::Value> = self.stored(&manifest)?;
        self.decoder(&manifest, &stored, device)
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
        let bytes = self.read(MANIFEST)?;
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
        let bytes = self.read(name)?;
        if digest(&bytes) != self.listed(manifest, name)? {
            return Err(LearningError::damaged(&self.folder, format!("`{name}` has another digest")));
        }
        Ok(bytes)
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, LearningError> {
        let path = self.folder.join(name);
        fs::read(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => LearningError::damaged(&self.folder, format!("`{name}` is missing")),
            _ => LearningError::io(&path)(error),
        })
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
