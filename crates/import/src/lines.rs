//! The lines of a log as tools print them, however they were passed on.

/// The forms of a program's lines, by name: each a regular expression that is compiled once.
macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("a pattern"));)*
    };
}
pub(crate) use patterns;

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

/// The words of a line before a program's name and behind it.
pub type Command = (Vec<String>, Vec<String>);

/// A line in which a program stands.
pub enum Named {
    /// The line runs the program.
    Command(Command),
    /// The line only names the program: what a command above said may not hold below it.
    Prose,
}

/// What a line says of a program; `None` where it doesn't name the program, or only makes it.
pub fn named(line: &str, program: &str) -> Option<Named> {
    // A prompt may be the mark of a comment.
    let marked = line.strip_prefix("# ").map(|rest| ("#", rest));
    let (mark, rest) = marked.unwrap_or(("", line));
    let split = shlex::split(rest);
    let words = split.unwrap_or_else(|| rest.split_whitespace().map(String::from).collect());
    let words: Vec<String> =
        [mark.to_string()].into_iter().filter(|mark| !mark.is_empty()).chain(words).collect();
    let at = words.iter().position(|word| word.rsplit('/').next() == Some(program))?;
    let (before, rest) = words.split_at(at);
    let (path, args) = rest.split_first()?;
    if before.last().is_some_and(|word| word == "-o") {
        return None;
    }
    // Prose may name the program too; a command has it first, behind a path, a prompt or a wrapper.
    let is_wrapper = |word: &String| {
        ["taskset", "numactl", "time", "sudo", "env", "nice", "chrt", "perf"]
            .contains(&word.as_str())
    };
    let is_mark = |c: char| !(c.is_alphanumeric() || ",.;:!?()\"'`".contains(c));
    let prompt = before.last().is_none_or(|word| word.ends_with(is_mark));
    Some(match prompt || path.contains('/') || before.iter().any(is_wrapper) {
        true => Named::Command((before.to_vec(), args.to_vec())),
        false => Named::Prose,
    })
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
        let command = |line: &str| match named(line, "repro") {
            Some(Named::Command(command)) => Some(command),
            _ => None,
        };
        let (before, args) = command("$ taskset -c 0-95 ./repro 96 5").unwrap();
        assert_eq!((before.len(), args.as_slice()), (4, &["96".to_string(), "5".into()][..]));
        for prompt in ["", "root@box:~# ", "# ", "$ ", "❯ ", "box% ", "[me@box dir]> "] {
            assert!(command(&format!("{prompt}repro 8 'a b'")).is_some(), "{prompt}");
        }
        let prose = "the same repro on two other machines";
        assert!(matches!(named(prose, "repro"), Some(Named::Prose)));
        assert!(named("gcc -O2 repro.c -o repro", "repro").is_none());
    }
}
