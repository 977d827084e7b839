//! Bundles every folder under `data/` that holds a knowledge base into one JSON text, `OUT_DIR/<name>.kb.json`, which the crate embeds.
//!
//! Bundling at build time means that the embedded form can never be older than the files people edit.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() {
    for name in ["core24", "full"] {
        if let Err(error) = bundle(name) {
            println!("cargo::error=cannot bundle knowledge base: {error}");
        }
    }
}

/// Writes `{"pack": .., "sites": [..], ..}` from the files of `data/<name>` without parsing them: the loader reports errors.
fn bundle(name: &str) -> io::Result<()> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("data").join(name);
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut text = String::from("{\"pack\":");
    text.push_str(&fs::read_to_string(folder.join("pack.json")).unwrap_or_else(|_| "{\"name\":\"empty\"}".into()));
    for (field, lists) in [
        ("sites", true),
        ("findings", true),
        ("complaints", true),
        ("panels", true),
        ("views", true),
        ("diseases", false),
        ("sources", true),
    ] {
        text.extend([",\"", field, "\":["]);
        text.push_str(&entries(&folder, field, lists)?.join(","));
        text.push(']');
    }
    text.push('}');
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join(format!("{name}.kb.json"));
    fs::write(out, text)
}

/// The entries of `field`: from `<field>.json` or from every file of the folder `<field>/` in the order of their names.
fn entries(folder: &Path, field: &str, lists: bool) -> io::Result<Vec<String>> {
    let single = folder.join(format!("{field}.json"));
    let files = if single.is_file() { vec![single] } else { sorted_files(&folder.join(field))? };
    let mut entries = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        let text = text.trim();
        let inner = if lists { text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) } else { Some(text) };
        let inner = inner.ok_or_else(|| io::Error::other(format!("`{}` must hold one JSON array", file.display())))?;
        if !inner.trim().is_empty() {
            entries.push(inner.to_owned());
        }
    }
    Ok(entries)
}

fn sorted_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Ok(files)
}
