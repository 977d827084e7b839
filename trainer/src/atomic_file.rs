//! Files that are either the old ones or the new ones, never half of either.

use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use same_file::Handle;

/// A file that appears under its name when it is complete: written beside it as `.NAME.workup-part`, renamed by
/// [`commit`](Self::commit).
///
/// The part is locked while it is written, so that two writers never mix, and goes away when it is dropped uncommitted. A kill
/// leaves it behind unlocked; the next writer of the same name takes its place. A link to a file is followed, permissions stay; a
/// device or pipe, which nothing can take the place of, is written to directly.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    /// Part and target; `None` when the target is written to directly.
    rename: Option<(PathBuf, PathBuf)>,
}

impl AtomicFile {
    /// Begins a new version of `path`.
    ///
    /// # Errors
    /// When the folder does not exist or cannot be written, `path` is a folder, or another process is writing it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        let target = match &existing {
            Some(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Some(found) if !found.is_file() => {
                let file = File::options().write(true).open(path)?;
                return Ok(Self { writer: BufWriter::new(file), rename: None });
            }
            Some(_) => fs::canonicalize(path)?,
            None => path.to_owned(),
        };
        let mut name = OsString::from(".");
        name.push(target.file_name().ok_or(io::ErrorKind::InvalidInput)?);
        name.push(".workup-part");
        let part = target.with_file_name(name);
        let file = lock_part(&part)?;
        file.set_len(0)?;
        if let Some(found) = existing {
            fs::set_permissions(&part, found.permissions())?;
        }
        Ok(Self { writer: BufWriter::new(file), rename: Some((part, target)) })
    }

    /// Brings everything to the disk and puts it in its place.
    ///
    /// # Errors
    /// When that fails; the old file stays then.
    pub fn commit(mut self) -> io::Result<()> {
        self.writer.flush()?;
        if let Some((part, target)) = &self.rename {
            self.writer.get_ref().sync_all()?;
            fs::rename(part, target)?;
            let folder = target.parent().map(Path::to_owned);
            self.rename = None;
            sync_folder(folder.as_deref())?;
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.rename {
            // Whoever began the file has already got the error that kept it from being committed.
            let _ = fs::remove_file(part);
        }
    }
}

/// Opens and locks a part.
fn lock_part(part: &Path) -> io::Result<File> {
    loop {
        if fs::symlink_metadata(part).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("`{}` is in the way", part.display())));
        }
        let file = File::options().write(true).create(true).truncate(false).open(part)?;
        match file.try_lock() {
            Ok(()) if Handle::from_path(part).ok() == Handle::from_file(file.try_clone()?).ok() => return Ok(file),
            // The writer before us renamed it between our opening and our locking.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing it"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Brings what was renamed in a folder to the disk, on systems where a folder can be opened.
pub(crate) fn sync_folder(folder: Option<&Path>) -> io::Result<()> {
    match folder.filter(|_| cfg!(unix)) {
        Some(folder) if folder.as_os_str().is_empty() => File::open(".")?.sync_all(),
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Writes `bytes` as a new version of `path`.
///
/// # Errors
/// As [`AtomicFile`]'s; the old file stays then.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("workup-atomic-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_written_file_replaces_the_old_one_and_leaves_nothing_beside_it() {
        let folder = folder("replace");
        let path = folder.join("a.txt");
        write_atomically(&path, b"one").unwrap();
        fs::write(folder.join(".a.txt.workup-part"), "left by a kill, and longer").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_not_committed_changes_nothing() {
        let folder = folder("drop");
        let path = folder.join("a.txt");
        write_atomically(&path, b"one").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"two").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn two_writers_never_mix_and_names_that_begin_alike_are_two_files() {
        let folder = folder("lock");
        let path = folder.join("a.json");
        let mut first = AtomicFile::create(&path).unwrap();
        assert_eq!(AtomicFile::create(&path).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        write_atomically(&folder.join("a.txt"), b"another").unwrap();
        first.write_all(b"one").unwrap();
        first.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_atomically(&path, b"two").unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_written_to() {
        let folder = folder("kinds");
        let (path, link) = (folder.join("a.txt"), folder.join("link"));
        fs::write(&path, "one").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomically(&link, b"two").unwrap();
        assert!(link.is_symlink() && fs::read(&path).unwrap() == b"two");
        write_atomically(Path::new("/dev/null"), b"three").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777, 0o600);
        assert_eq!(write_atomically(&folder, b"four").unwrap_err().kind(), io::ErrorKind::IsADirectory);
        fs::remove_dir_all(&folder).unwrap();
    }
}
