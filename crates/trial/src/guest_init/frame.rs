//! Messages on a serial line that anybody may write to.
//!
//! A frame is the magic `02 53 53 03`, the payload's length and its complement (so that a damaged
//! length can't make the reader wait for bytes that never come), CRC-32 of the payload, all
//! little-endian, and the payload. What is not in a frame is junk, counted and passed over; a frame
//! whose payload is damaged is told, so that it can be asked for again.

const MAGIC: [u8; 4] = [0x02, b'S', b'S', 0x03];
const HEADER: usize = 16;

/// No message is longer: a timeline of a million samples has half of it.
const LONGEST: usize = 64 << 20;

/// A payload as a frame.
pub fn encode(payload: &[u8]) -> Vec<u8> {
    // A longer one could not be read: none is made, since a trial bounds its samples.
    let length = payload.len().min(LONGEST);
    let payload = &payload[..length];
    let length = length as u32;
    let mut frame = Vec::with_capacity(HEADER + payload.len());
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&(!length).to_le_bytes());
    frame.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// What was found on the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A whole message.
    Payload(Vec<u8>),
    /// A message whose payload does not match its checksum.
    Damaged,
}

/// Takes bytes as they come, and gives messages.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    junk: u64,
}

impl Decoder {
    /// Adds what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Bytes so far that belonged to no message.
    pub fn junk(&self) -> u64 {
        self.junk
    }

    /// The next message, if all of it is there.
    pub fn next_found(&mut self) -> Option<Found> {
        loop {
            self.skip_to_magic();
            let word = |at: usize| {
                let bytes = self.buffer.get(at..at + 4)?;
                Some(u32::from_le_bytes(bytes.try_into().ok()?))
            };
            let (length, complement, checksum) = (word(4)?, word(8)?, word(12)?);
            let whole = HEADER + length as usize;
            if length != !complement || length as usize > LONGEST {
                self.drop_junk(1);
                continue;
            }
            let payload = self.buffer.get(HEADER..whole)?;
            if crc32fast::hash(payload) != checksum {
                // Bytes may have been lost, so another frame may begin within this one.
                self.drop_junk(1);
                return Some(Found::Damaged);
            }
            let payload = payload.to_vec();
            self.buffer.drain(..whole);
            return Some(Found::Payload(payload));
        }
    }

    /// Drops what can't be the beginning of a frame.
    fn skip_to_magic(&mut self) {
        let starts = |at: usize| {
            let rest = &self.buffer[at..];
            let length = rest.len().min(MAGIC.len());
            rest[..length] == MAGIC[..length]
        };
        let start = (0..self.buffer.len()).find(|at| starts(*at)).unwrap_or(self.buffer.len());
        self.drop_junk(start);
    }

    fn drop_junk(&mut self, count: usize) {
        self.junk += count as u64;
        self.buffer.drain(..count.min(self.buffer.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(decoder: &mut Decoder) -> Vec<Found> {
        std::iter::from_fn(|| decoder.next_found()).collect()
    }

    #[test]
    fn messages_come_back_whole_however_the_bytes_arrive() {
        let mut line = encode(b"one");
        line.extend(encode(b""));
        line.extend(encode(&MAGIC));
        let expected = [b"one".to_vec(), vec![], MAGIC.to_vec()].map(Found::Payload);
        for chunk in [1, 3, 7, line.len()] {
            let mut decoder = Decoder::default();
            let mut found = Vec::new();
            for bytes in line.chunks(chunk) {
                decoder.push(bytes);
                found.extend(all(&mut decoder));
            }
            assert_eq!(found, expected);
            assert_eq!(decoder.junk(), 0);
        }
    }

    #[test]
    fn junk_between_messages_is_counted_and_passed_over() {
        let mut line = b"[    1.0] random: \x02S".to_vec();
        line.extend(encode(b"one"));
        line.extend(b"\x02SS\x03 not a header, and long enough");
        line.extend(encode(b"two"));
        let mut decoder = Decoder::default();
        decoder.push(&line);
        let expected = [b"one".to_vec(), b"two".to_vec()].map(Found::Payload);
        assert_eq!(all(&mut decoder), expected);
        assert_eq!(decoder.junk() as usize, line.len() - encode(b"one").len() * 2);
    }

    #[test]
    fn a_damaged_message_is_told_and_the_next_is_read() {
        let mut line = encode(b"damaged");
        line[HEADER + 2] ^= 0x40;
        line.extend(encode(b"whole"));
        let mut decoder = Decoder::default();
        decoder.push(&line);
        assert_eq!(all(&mut decoder), [Found::Damaged, Found::Payload(b"whole".to_vec())]);
    }

    #[test]
    fn lost_bytes_cost_one_message() {
        let first = encode(b"cut off somewhere");
        for cut in 1..first.len() {
            let mut line = first[..cut].to_vec();
            line.extend(encode(b"whole and longer than the one before it"));
            let mut decoder = Decoder::default();
            decoder.push(&line);
            let whole = Found::Payload(b"whole and longer than the one before it".to_vec());
            assert!(all(&mut decoder).contains(&whole), "cut at {cut}");
        }
    }

    #[test]
    fn a_length_beyond_reason_is_junk() {
        let mut line = MAGIC.to_vec();
        line.extend(u32::MAX.to_le_bytes());
        line.extend(0u32.to_le_bytes());
        line.extend([0; 8]);
        line.extend(encode(b"whole"));
        let mut decoder = Decoder::default();
        decoder.push(&line);
        assert_eq!(all(&mut decoder), [Found::Payload(b"whole".to_vec())]);
    }
}
