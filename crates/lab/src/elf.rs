//! The little of ELF that the lab reads: the segments of a 64-bit little-endian file
//! (System V gABI, chapter 5), for a kernel's PVH note and a program's interpreter.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// `e_machine` of x86-64.
pub const X86_64: u16 = 62;
/// `p_type` of the path of the program interpreter.
pub const PT_INTERP: u32 = 3;
/// `p_type` of notes.
pub const PT_NOTE: u32 = 4;

/// No note and no interpreter's path is longer; what claims to be is damaged.
const LONGEST: u64 = 1 << 20;

/// An ELF file's header and segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elf {
    /// `e_machine`.
    pub machine: u16,
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    kind: u32,
    offset: u64,
    size: u64,
}

impl Elf {
    /// Reads the segments; `None` if the file is no 64-bit little-endian ELF file.
    pub fn read(file: &mut File) -> std::io::Result<Option<Elf>> {
        let head = read_at(file, 0, 64)?;
        if !head.starts_with(b"\x7fELF\x02\x01") {
            return Ok(None);
        }
        let (Some(machine), Some(table), Some(entry), Some(count)) =
            (u16_at(&head, 18), u64_at(&head, 32), u16_at(&head, 54), u16_at(&head, 56))
        else {
            return Ok(None);
        };
        let table = read_at(file, table, u64::from(entry) * u64::from(count))?;
        let segments = table
            .chunks(usize::from(entry).max(1))
            .filter_map(|header| {
                Some(Segment {
                    kind: u32_at(header, 0)?,
                    offset: u64_at(header, 8)?,
                    size: u64_at(header, 32)?,
                })
            })
            .collect();
        Ok(Some(Elf { machine, segments }))
    }

    /// The bytes of every segment of this type.
    pub fn segments(&self, file: &mut File, kind: u32) -> std::io::Result<Vec<Vec<u8>>> {
        self.segments
            .iter()
            .filter(|segment| segment.kind == kind && segment.size <= LONGEST)
            .map(|segment| read_at(file, segment.offset, segment.size))
            .collect()
    }
}

/// The names and types of the notes in a PT_NOTE segment.
pub fn notes(segment: &[u8]) -> Vec<(Vec<u8>, u32)> {
    let mut notes = Vec::new();
    let mut at = 0usize;
    while let (Some(name), Some(description), Some(kind)) =
        (u32_at(segment, at), u32_at(segment, at + 4), u32_at(segment, at + 8))
    {
        let start = at + 12;
        let Some(text) = segment.get(start..start.saturating_add(name as usize)) else { break };
        notes.push((text.to_vec(), kind));
        let padded = |length: u32| (length as usize).next_multiple_of(4);
        at = start.saturating_add(padded(name)).saturating_add(padded(description));
        if at >= segment.len() {
            break;
        }
    }
    notes
}

fn read_at(file: &mut File, offset: u64, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A file offset is signed; beyond it there is nothing.
    if i64::try_from(offset).is_err() {
        return Ok(bytes);
    }
    file.seek(SeekFrom::Start(offset))?;
    file.take(length.min(LONGEST)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_has_an_interpreter() {
        let mut file = File::open(std::env::current_exe().unwrap()).unwrap();
        let elf = Elf::read(&mut file).unwrap().unwrap();
        let interpreter = elf.segments(&mut file, PT_INTERP).unwrap();
        assert!(interpreter[0].starts_with(b"/lib"), "{interpreter:?}");
        assert!(!elf.segments(&mut file, PT_NOTE).unwrap().is_empty());
    }

    #[test]
    fn notes_are_read_to_the_first_damaged_one() {
        let mut segment = Vec::new();
        for (name, kind) in [(&b"Xen\0"[..], 18u32), (b"GNU\0", 3)] {
            segment.extend_from_slice(&4u32.to_le_bytes());
            segment.extend_from_slice(&5u32.to_le_bytes());
            segment.extend_from_slice(&kind.to_le_bytes());
            segment.extend_from_slice(name);
            segment.extend_from_slice(&[0; 8]);
        }
        let all = vec![(b"Xen\0".to_vec(), 18), (b"GNU\0".to_vec(), 3)];
        assert_eq!(notes(&segment), all);
        assert_eq!(notes(&segment[..30]), all[..1]);
        assert_eq!(notes(&[0xff; 40]), []);
    }

    #[test]
    fn what_is_no_elf_or_is_cut_off_is_none_or_has_no_segments() {
        let mut file = tempfile::tempfile().unwrap();
        assert_eq!(Elf::read(&mut file).unwrap(), None);
        std::io::Write::write_all(&mut file, b"\x7fELF\x02\x01\x01").unwrap();
        assert_eq!(Elf::read(&mut file).unwrap(), None);
        std::io::Write::write_all(&mut file, &[0xff; 57]).unwrap();
        let elf = Elf::read(&mut file).unwrap().unwrap();
        assert!(elf.segments(&mut file, PT_INTERP).unwrap().is_empty());
    }
}
