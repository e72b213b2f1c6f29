//! The name of a method on the command line.

/// A name that is none of those accepted.
#[derive(Debug, thiserror::Error)]
#[error("unknown name; accepted are {}", .0.join(", "))]
pub struct UnknownName(Vec<&'static str>);

/// The one of `all` that has this name.
pub fn named<T: Copy, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
    text: &str,
) -> Result<T, UnknownName> {
    let found = all.into_iter().find(|one| name(*one) == text);
    found.ok_or_else(|| UnknownName(all.map(name).to_vec()))
}
