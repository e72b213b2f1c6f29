//! Plain text of a width that nothing exceeds: prose, commands for a shell, padded cells.
//!
//! A width is what a terminal shows: a wide character counts two.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// After these a long word is broken rather than anywhere.
const BREAKS: &str = "/;,=:_-+";

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

fn width_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The words of a text; a number and its percent sign are one.
pub fn unbroken(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(number) if word.starts_with('%') => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_string()),
        }
    }
    words
}

/// Breaks a text at its spaces into lines of at most `most` columns; a longer word is broken where
/// it can be read on, or else anywhere.
pub fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in unbroken(text) {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&word) <= most => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.extend(pieces(&word, most)),
        }
    }
    lines
}

/// A word in pieces of at most `most` columns, two at least.
fn pieces(word: &str, most: usize) -> Vec<String> {
    let most = most.max(2);
    let mut pieces = Vec::new();
    let mut rest: Vec<char> = word.chars().collect();
    while rest.iter().map(|c| width_of(*c)).sum::<usize>() > most {
        let mut taken = 0;
        let fits = rest
            .iter()
            .take_while(|c| {
                taken += width_of(**c);
                taken <= most
            })
            .count();
        // A break in the last half, else the whole piece.
        let nice = (fits / 2..fits).rev().find(|at| BREAKS.contains(rest[*at]));
        let left = rest.split_off(nice.map_or(fits, |at| at + 1).max(1));
        pieces.push(rest.into_iter().collect());
        rest = left;
    }
    pieces.push(rest.into_iter().collect());
    pieces
}

/// Fills a text with spaces up to so many columns, after it or before it.
pub fn padded(text: &str, columns: usize, left: bool) -> String {
    let space = " ".repeat(columns.saturating_sub(width(text)));
    if left { format!("{text}{space}") } else { format!("{space}{text}") }
}

/// A command of a shell, indented by two, in lines of at most `most` columns that a shell reads as
/// one: broken by a backslash between its words, or inside one that is longer than a line.
pub fn folded_command(command: &str, most: usize) -> String {
    // Room for the indentation, and for ` \`.
    let room = most.saturating_sub(4).max(8);
    if width(command) + 2 <= most {
        return format!("  {command}\n");
    }
    let mut text = String::new();
    let mut line = String::from("  ");
    for word in words(command) {
        if width(&line) + 1 + width(&word) <= room + 2 || line.trim().is_empty() {
            if !line.trim().is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        } else {
            text += &format!("{line} \\\n");
            line = format!("    {word}");
        }
        if width(&line) > room + 2 {
            let (broken, last) = broken_word(&line, room);
            text += &broken;
            line = last;
        }
    }
    text + &line + "\n"
}

/// The words of a command, with their quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    let mut escaped = false;
    for c in command.chars() {
        if c == ' ' && !quoted && !escaped {
            words.push(String::new());
            continue;
        }
        if c == '\'' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !quoted && !escaped;
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A line that holds a word too long for any: whole lines, each ended by a backslash inside the
/// word, and what is left. A backslash means itself between quotes, so they are closed before it.
fn broken_word(line: &str, room: usize) -> (String, String) {
    let mut text = String::new();
    let mut current = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in line.chars() {
        // An escaped character stays with its backslash.
        if width(&current) + width_of(c) > room && !escaped && c != '\'' {
            current += if quoted { "'\\\n" } else { "\\\n" };
            text += &current;
            current = if quoted { "'".to_string() } else { String::new() };
        }
        if c == '\'' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !quoted && !escaped;
        current.push(c);
    }
    (text, current)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a POSIX shell makes of a command's words.
    fn shell(command: &str) -> Vec<String> {
        let script = format!("printf '%s\\n' {}", command.trim_start());
        let out = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
        assert!(out.status.success(), "{command}");
        String::from_utf8(out.stdout).unwrap().lines().map(str::to_string).collect()
    }

    #[test]
    fn a_folded_command_is_the_same_to_a_shell() {
        for command in [
            "experiments report RUN".to_string(),
            format!("experiments import {} --out {}", "a/".repeat(30), "b".repeat(200)),
            format!("experiments import x --title '{}' --set a=b", "two words ".repeat(20)),
            format!(r"experiments import x --title '{}'\''{}'", "it".repeat(60), "s ".repeat(50)),
            format!("experiments import 'données {}' --label machine=x", "宽".repeat(90)),
        ] {
            let folded = folded_command(&command, 78);
            assert!(folded.lines().all(|line| width(line) <= 78), "{folded}");
            assert_eq!(shell(&folded), shell(&command), "{folded}");
        }
    }

    #[test]
    fn a_long_word_is_broken_where_it_can_be_read_on() {
        let lines = wrapped("see data/published/2-stalled-by-threads/manifest.json there", 30);
        assert_eq!(lines, ["see", "data/published/2-stalled-by-", "threads/manifest.json there"]);
        assert_eq!(wrapped(&"x".repeat(25), 10), ["x".repeat(10), "x".repeat(10), "x".repeat(5)]);
        assert!(wrapped(&"宽".repeat(9), 7).iter().all(|line| width(line) <= 7));
        assert!(wrapped("", 10).is_empty());
        assert_eq!(wrapped("with 95 % or", 8), ["with", "95 % or"]);
    }

    #[test]
    fn padding_counts_what_a_terminal_shows() {
        assert_eq!(padded("宽", 4, true), "宽  ");
        assert_eq!(padded("12", 4, false), "  12");
        assert_eq!(padded("longer", 4, true), "longer");
    }
}
