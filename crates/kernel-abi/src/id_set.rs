//! Sets of CPU or node numbers, as the kernel takes them (bit masks) and prints them (`0-3,8`).
//!
//! One type for both kinds, told apart at compile time: a node mask passed for a CPU mask would be
//! accepted by the kernel and measure something else.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

/// The largest number that is accepted in a list. Linux builds know up to 8192 CPUs and 1024
/// nodes; the bound only keeps `0-4000000000` from taking memory.
pub const LARGEST_ID: u32 = 65_535;

/// What the numbers of a set count. Implemented by [`Cpu`] and [`Node`].
pub trait Kind {
    /// The word for one of them in a message.
    const NOUN: &'static str;
}

/// Logical CPUs, by the kernel's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpu;
impl Kind for Cpu {
    const NOUN: &'static str = "CPU";
}

/// NUMA nodes, by the kernel's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node;
impl Kind for Node {
    const NOUN: &'static str = "node";
}

/// NUMA nodes.
pub type NodeSet = IdSet<Node>;

/// A set of numbers of one kind. Prints and parses the kernel's list format, `0-3,8`.
pub struct IdSet<K> {
    /// Bit `i % 64` of word `i / 64`. No trailing zero word, so that equal sets are equal.
    words: Vec<u64>,
    kind: PhantomData<fn() -> K>,
}

impl<K> IdSet<K> {
    /// The empty set.
    pub const fn new() -> Self {
        IdSet { words: Vec::new(), kind: PhantomData }
    }

    /// From 64-bit words, lowest first, as sched_getaffinity(2) writes them on 64-bit machines.
    pub fn from_words(words: Vec<u64>) -> Self {
        let mut set = IdSet { words, kind: PhantomData };
        set.trim();
        set
    }

    /// The bits, lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds one. Numbers beyond [`LARGEST_ID`] are not taken and answer `false`.
    pub fn insert(&mut self, id: u32) -> bool {
        if id > LARGEST_ID {
            return false;
        }
        let word = id as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (id % 64);
        true
    }

    /// Takes one out.
    pub fn remove(&mut self, id: u32) {
        if let Some(word) = self.words.get_mut(id as usize / 64) {
            *word &= !(1 << (id % 64));
        }
        self.trim();
    }

    /// Whether it is in.
    pub fn contains(&self, id: u32) -> bool {
        self.words.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    /// How many are in.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether none is in.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The lowest.
    pub fn first(&self) -> Option<u32> {
        self.iter().next()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index as u32 * 64 + bit)
        })
    }

    /// Those in both.
    pub fn intersection(&self, other: &Self) -> Self {
        Self::from_words(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }

    /// Those in either.
    pub fn union(&self, other: &Self) -> Self {
        let length = self.words.len().max(other.words.len());
        let word = |words: &[u64], i: usize| words.get(i).copied().unwrap_or(0);
        Self::from_words(
            (0..length).map(|i| word(&self.words, i) | word(&other.words, i)).collect(),
        )
    }

    /// Those of `self` that are not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        let mut words = self.words.clone();
        for (word, theirs) in words.iter_mut().zip(&other.words) {
            *word &= !theirs;
        }
        Self::from_words(words)
    }

    /// Whether all of `self` are in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

// Derives would ask the same of K, which is only a marker.
impl<K> Clone for IdSet<K> {
    fn clone(&self) -> Self {
        IdSet { words: self.words.clone(), kind: PhantomData }
    }
}
impl<K> Default for IdSet<K> {
    fn default() -> Self {
        IdSet::new()
    }
}
impl<K> PartialEq for IdSet<K> {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}
impl<K> Eq for IdSet<K> {}
impl<K> Hash for IdSet<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words.hash(state);
    }
}

// For lists of sets and lists of references to them alike.
impl<K> AsRef<IdSet<K>> for IdSet<K> {
    fn as_ref(&self) -> &IdSet<K> {
        self
    }
}

impl<K> FromIterator<u32> for IdSet<K> {
    /// Numbers beyond [`LARGEST_ID`] are left out.
    fn from_iter<I: IntoIterator<Item = u32>>(ids: I) -> Self {
        let mut set = IdSet::new();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

impl<K> fmt::Display for IdSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, self.iter())
    }
}

impl<K: Kind> fmt::Debug for IdSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s {self}", K::NOUN)
    }
}

impl<K: Kind> FromStr for IdSet<K> {
    type Err = ListError;

    /// An empty text is the empty set: the kernel prints one for `offline` when all are online.
    fn from_str(text: &str) -> Result<Self, ListError> {
        if text.trim().is_empty() {
            return Ok(IdSet::new());
        }
        Ok(parse_list(text, K::NOUN)?.into_iter().collect())
    }
}

/// A text that is no list of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListError {
    /// `CPU` or `node`.
    pub noun: &'static str,
    /// The whole text.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no {} list: {}; accepted are numbers and ranges with commas between, as in `0-3,8`",
            self.text, self.noun, self.reason
        )
    }
}

impl std::error::Error for ListError {}

/// The numbers of a list in the order they are written, those written twice twice.
///
/// # Errors
/// On anything but numbers and rising ranges up to [`LARGEST_ID`].
pub fn parse_list(text: &str, noun: &'static str) -> Result<Vec<u32>, ListError> {
    let fail = |reason: String| ListError { noun, text: text.trim().to_owned(), reason };
    let number = |digits: &str| -> Result<u32, ListError> {
        // `parse` would take a sign.
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(fail(format!("`{digits}` is not a number")));
        }
        match digits.parse::<u32>() {
            Ok(id) if id <= LARGEST_ID => Ok(id),
            _ => Err(fail(format!("{digits} is above {LARGEST_ID}"))),
        }
    };
    let mut ids = Vec::new();
    for part in text.trim().split(',') {
        let part = part.trim();
        match part.split_once('-') {
            None => ids.push(number(part)?),
            Some((low, high)) => {
                let (low, high) = (number(low.trim())?, number(high.trim())?);
                if low > high {
                    return Err(fail(format!("the range {part} falls")));
                }
                ids.extend(low..=high);
            }
        }
        if ids.len() > LARGEST_ID as usize + 1 {
            return Err(fail(format!("it has more than {} entries", LARGEST_ID + 1)));
        }
    }
    Ok(ids)
}

/// Writes numbers in their order, runs that rise by one as a range.
pub fn write_list(f: &mut fmt::Formatter<'_>, ids: impl Iterator<Item = u32>) -> fmt::Result {
    let mut ids = ids.peekable();
    let mut comma = "";
    while let Some(low) = ids.next() {
        let mut high = low;
        while let Some(next) = ids.next_if(|&id| high.checked_add(1) == Some(id)) {
            high = next;
        }
        match high - low {
            0 => write!(f, "{comma}{low}")?,
            _ => write!(f, "{comma}{low}-{high}")?,
        }
        comma = ",";
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> IdSet<Cpu> {
        text.parse().expect(text)
    }

    #[test]
    fn lists_are_read_and_printed_as_the_kernel_does() {
        for text in ["", "0", "0-3,8", "0-95", "1,3,5", "0-1,63-64,127-128", "8191"] {
            assert_eq!(set(text).to_string(), text);
        }
        assert_eq!(set("8, 0-2,1\n").to_string(), "0-2,8");
    }

    #[test]
    fn order_and_repeats_of_a_list_are_kept() {
        assert_eq!(parse_list("8,0-2,1", "CPU"), Ok(vec![8, 0, 1, 2, 1]));
    }

    #[test]
    fn what_is_no_list_is_refused_with_the_part_that_is_wrong() {
        for (text, part) in [
            ("0-", "`` is not a number"),
            ("a", "`a` is not a number"),
            ("0,,1", "`` is not a number"),
            ("-1", "`` is not a number"),
            ("+1", "`+1` is not a number"),
            ("5-3", "the range 5-3 falls"),
            ("0-4000000000", "4000000000 is above 65535"),
            ("99999999999999999999", "is above 65535"),
            ("1-2-3", "`2-3` is not a number"),
            ("0x3", "`0x3` is not a number"),
        ] {
            let error = text.parse::<IdSet<Cpu>>().expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
            assert!(error.contains("no CPU list"), "{error}");
        }
        let long = ["0-65535"; 3].join(",");
        assert!(parse_list(&long, "CPU").is_err());
    }

    #[test]
    fn sets_are_equal_by_what_is_in_them() {
        let mut a = set("0,200");
        a.remove(200);
        assert_eq!(a, set("0"));
        a.remove(0);
        assert!(a.is_empty());
        assert_eq!(a, IdSet::new());
        assert!(!a.insert(LARGEST_ID + 1));
    }

    #[test]
    fn set_arithmetic() {
        let (a, b) = (set("0-3,70"), set("2-5"));
        assert_eq!(a.intersection(&b), set("2-3"));
        assert_eq!(a.union(&b), set("0-5,70"));
        assert_eq!(a.difference(&b), set("0-1,70"));
        assert!(set("2-3").is_subset(&b) && !a.is_subset(&b));
        assert_eq!((a.len(), a.first(), a.contains(70), a.contains(71)), (5, Some(0), true, false));
    }
}
