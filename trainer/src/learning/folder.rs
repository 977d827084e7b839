//! Folders that are either the old ones or the new ones, never half of either.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::atomic_file::sync_folder;

/// Where a new version of a folder is made.
pub(crate) fn part_of(folder: &Path) -> PathBuf {
    folder.with_extension("part")
}

/// Where the version before stands while a folder is replaced.
pub(crate) fn old_of(folder: &Path) -> PathBuf {
    folder.with_extension("old")
}

/// Puts a finished folder, made at [`part_of`] it, in the place of `folder`. Killed in between, [`recover_folder`] finishes or
/// undoes it.
pub(crate) fn replace_folder(folder: &Path) -> io::Result<()> {
    let old = old_of(folder);
    if folder.is_dir() {
        fs::rename(folder, &old)?;
    }
    fs::rename(part_of(folder), folder)?;
    sync_folder(folder.parent())?;
    if old.is_dir() {
        fs::remove_dir_all(&old)?;
    }
    Ok(())
}

/// Finishes or undoes what a kill interrupted: afterwards there is `folder`, whole, or none, and nothing beside it.
pub(crate) fn recover_folder(folder: &Path) -> io::Result<()> {
    let (old, part) = (old_of(folder), part_of(folder));
    if !folder.is_dir() && old.is_dir() {
        fs::rename(&old, folder)?;
    }
    for leftover in [old, part] {
        if leftover.is_dir() {
            fs::remove_dir_all(&leftover)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_replaced_whole_and_mended_after_a_kill_at_any_point() {
        let outer = std::env::temp_dir().join(format!("workup-folder-{}", std::process::id()));
        let folder = outer.join("policy");
        let make = |text: &str| {
            fs::create_dir_all(part_of(&folder)).unwrap();
            fs::write(part_of(&folder).join("a"), text).unwrap();
        };
        let text = || fs::read_to_string(folder.join("a")).unwrap();
        make("one");
        replace_folder(&folder).unwrap();
        make("two");
        replace_folder(&folder).unwrap();
        assert_eq!(text(), "two");
        // Killed while the part was written; between the renames; before the old one was removed.
        make("half");
        recover_folder(&folder).unwrap();
        assert_eq!(text(), "two");
        make("three");
        fs::rename(&folder, old_of(&folder)).unwrap();
        recover_folder(&folder).unwrap();
        assert_eq!(text(), "two");
        fs::create_dir_all(old_of(&folder)).unwrap();
        recover_folder(&folder).unwrap();
        assert_eq!((text(), fs::read_dir(&outer).unwrap().count()), ("two".to_owned(), 1));
        fs::remove_dir_all(&outer).unwrap();
    }
}
