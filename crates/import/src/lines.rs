//! The lines of a log as tools print them, however they were passed on.

/// The lines that are not empty, with their numbers from 1: without a byte order mark, line ends of
/// any system, and the marks of quoted mail or of a table.
pub fn plain(text: &str) -> impl Iterator<Item = (usize, &str)> {
    raw(text)
        .map(|(number, line)| {
            let quote = |c: char| c.is_whitespace() || c == '>' || c == '|';
            (number, line.trim_start_matches(quote).trim_end())
        })
        .filter(|(_, line)| !line.is_empty())
}

/// The lines with their numbers from 1, as they are but for their ends.
pub fn raw(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.trim_start_matches('\u{feff}')
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .enumerate()
        .map(|(index, line)| (index + 1, line))
}

/// A finite number from 0.
pub fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0)
}

/// A command line behind a shell's prompt, as words; `None` where `program` is not what it runs.
/// A compiler's line that only makes the program is none.
pub fn command<'a>(line: &'a str, program: &str) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().enumerate().position(|(at, word)| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let made = at > 0 && words.get(at - 1) == Some(&"-o");
        name == program && !made
    })?;
    // Prose may name the program too; a command has it first, behind a path, a prompt or a wrapper.
    let wrapped = |word: &&str| {
        ["taskset", "numactl", "time", "sudo", "env", "nice", "chrt", "perf"].contains(word)
    };
    let before = words.get(..at)?;
    let prompt = before.last().is_none_or(|word| word.ends_with('$') || word.ends_with('#'));
    let path = words.get(at).is_some_and(|word| word.contains('/'));
    (prompt || path || before.iter().any(wrapped))
        .then(|| (before.to_vec(), words.get(at + 1..).unwrap_or_default().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_quoting_and_keep_numbers() {
        let text = "\u{feff}> > a \r\n\r\n  | b\n";
        assert_eq!(plain(text).collect::<Vec<_>>(), [(1, "a"), (3, "b")]);
        assert_eq!(plain("").count(), 0);
    }

    #[test]
    fn a_command_is_told_from_prose_and_from_a_compiler() {
        let (before, args) = command("$ taskset -c 0-95 ./repro 96 5", "repro").unwrap();
        assert_eq!((before.len(), args.as_slice()), (4, &["96", "5"][..]));
        assert!(command("repro 8 1", "repro").is_some());
        assert!(command("root@box:~# repro 8", "repro").is_some());
        assert!(command("the same repro on two other machines", "repro").is_none());
        assert!(command("gcc -O2 repro.c -o repro", "repro").is_none());
    }
}
