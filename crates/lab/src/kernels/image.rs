//! Tells a kernel image from anything else by its header, before QEMU is started on it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::elf::{self, Elf, PT_NOTE, X86_64};
use crate::error::LabError;

/// XEN_ELFNOTE_PHYS32_ENTRY: where a hypervisor enters a kernel directly.
const PVH_ENTRY: u32 = 18;

/// What the header of an image tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `uname -r` as the image's header has it; a vmlinux has none.
    pub release: Option<String>,
}

/// Reads the header of `path`.
///
/// A bzImage has the boot protocol's magic `HdrS` at 0x202 and, at the place that 0x20e tells, its
/// version as text (Documentation/arch/x86/boot.rst). A vmlinux is an ELF file for x86-64; QEMU
/// starts it by its PVH note.
pub fn inspect(path: &Path) -> Result<Image, LabError> {
    let not = |found: String| LabError::NotAKernel { path: path.to_path_buf(), found };
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => not("there is no such file".to_string()),
        _ => LabError::file("reading", path, &error),
    })?;
    if metadata.is_dir() {
        return Err(not("it is a folder".to_string()));
    }
    let failed = |error: &std::io::Error| LabError::file("reading", path, error);
    let mut file = File::open(path).map_err(|error| failed(&error))?;
    let mut head = Vec::new();
    (&mut file).take(0x400).read_to_end(&mut head).map_err(|error| failed(&error))?;

    if head.get(0x202..0x206) == Some(b"HdrS") {
        let release = match head.get(0x20e..0x210) {
            Some(&[low, high]) if (low, high) != (0, 0) => {
                text_at(&mut file, 0x200 + u64::from(u16::from_le_bytes([low, high])))
            }
            _ => None,
        };
        return Ok(Image { release });
    }
    if head.starts_with(b"\x7fELF") {
        let elf = Elf::read(&mut file).map_err(|error| failed(&error))?;
        let Some(elf) = elf.filter(|elf| elf.machine == X86_64) else {
            return Err(not("it is an ELF file for another kind of CPU".to_string()));
        };
        let segments = elf.segments(&mut file, PT_NOTE).map_err(|error| failed(&error))?;
        let has_pvh = segments
            .iter()
            .flat_map(|segment| elf::notes(segment))
            .any(|note| note == (b"Xen\0".to_vec(), PVH_ENTRY));
        return match has_pvh {
            true => Ok(Image { release: None }),
            false => Err(not("it is an ELF file without the PVH note of a vmlinux".to_string())),
        };
    }
    Err(not(match head.as_slice() {
        [] => "the file is empty".to_string(),
        [0x1f, 0x8b, ..] => "it is compressed by gzip".to_string(),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "it is compressed by zstd".to_string(),
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => {
            "it is an archive such as a .deb; unpack it first (dpkg-deb -x)".to_string()
        }
        [b'M', b'Z', ..] => "it is an EFI program without the x86 boot header".to_string(),
        bytes if bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) => {
            "it is a text".to_string()
        }
        _ => "it has neither the boot header's magic nor that of ELF".to_string(),
    }))
}

/// The first word of the text at `offset`: the release.
fn text_at(file: &mut File, offset: u64) -> Option<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset)).ok()?;
    file.take(256).read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().position(|byte| *byte == 0 || byte.is_ascii_whitespace())?;
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    (!text.is_empty()).then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8]) -> Result<Image, LabError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        inspect(file.path())
    }

    #[test]
    fn the_release_stands_where_the_boot_header_says() {
        let mut image = vec![0u8; 0x400];
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x20e..0x210].copy_from_slice(&0x100u16.to_le_bytes());
        image[0x300..0x316].copy_from_slice(b"7.3.4-cloud (me) #1 Su");
        assert_eq!(found(&image).unwrap().release.as_deref(), Some("7.3.4-cloud"));
        image[0x20e..0x210].copy_from_slice(&0xffffu16.to_le_bytes());
        assert_eq!(found(&image).unwrap().release, None);
    }

    #[test]
    fn what_is_no_kernel_is_named() {
        for (bytes, name) in [
            (&b""[..], "empty"),
            (b"#!/bin/sh\n", "text"),
            (b"\x1f\x8b\x08\x00", "gzip"),
            (b"!<arch>\ndebian-binary", ".deb"),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0", "another kind of CPU"),
            (b"\x00\x01\x02", "neither"),
        ] {
            let error = found(bytes).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
        let program = inspect(&std::env::current_exe().unwrap()).unwrap_err().to_string();
        assert!(program.contains("PVH"), "{program}");
        assert!(inspect(Path::new("/")).unwrap_err().to_string().contains("folder"));
        assert!(inspect(Path::new("/no/such")).unwrap_err().to_string().contains("no such file"));
    }
}
