//! Texts broken into lines that fit: nothing of a name is lost that a reader tells it by.

use super::canvas::{Weight, text_width};

/// A space at which no line ends.
pub const NO_BREAK: char = '\u{a0}';

/// Behind these a word that is too long for a line may be broken.
const WITHIN: [char; 8] = ['-', '_', '=', ':', ',', ';', '/', '+'];

/// Breaks a text into lines that fit: between words, within a word only where it has no line that is
/// long enough.
pub fn wrapped(text: &str, size: f64, weight: Weight, width: f64) -> Vec<String> {
    let fits = |text: &str| text_width(text, size, weight) <= width;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() && c != NO_BREAK).filter(|w| !w.is_empty()) {
        if let Some(line) = lines.last_mut()
            && fits(&format!("{line} {word}"))
        {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        let mut rest = word;
        while !fits(rest)
            && let Some(at) = break_of(rest, &fits)
        {
            let (line, behind) = rest.split_at(at);
            lines.push(line.to_string());
            rest = behind;
        }
        lines.push(rest.to_string());
    }
    lines
}

/// Where a word is broken: behind the last sign that joins and still fits, else behind the last
/// letter that fits; not at all where there is one letter.
fn break_of(word: &str, fits: &impl Fn(&str) -> bool) -> Option<usize> {
    let ends = word.char_indices().skip(1).map(|(at, _)| at);
    let fitting: Vec<usize> = ends.take_while(|at| fits(&word[..*at])).collect();
    let first = word.char_indices().nth(1).map(|(at, _)| at);
    let joined = fitting.iter().rev().find(|at| word[..**at].ends_with(WITHIN));
    joined.or(fitting.last()).copied().or(first)
}

/// The lines of a text, `most` of them at most: of more, those in the middle are left out, since
/// names that begin alike differ at their ends.
pub fn wrapped_at_most(
    most: usize,
    text: &str,
    size: f64,
    weight: Weight,
    width: f64,
) -> Vec<String> {
    let mut lines = wrapped(text, size, weight, width);
    if lines.len() > most.max(2) {
        let behind = lines.split_off(lines.len() - 1);
        lines.truncate(most.max(2) - 1);
        if let Some(line) = lines.last_mut() {
            while !line.is_empty() && text_width(&format!("{line} …"), size, weight) > width {
                line.pop();
            }
            line.push_str(" …");
        }
        lines.extend(behind);
    }
    lines
}

/// A text cut to a width, with an ellipsis where it was cut.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size, Weight::Regular) <= width {
        return text.to_string();
    }
    let mut kept = text.to_string();
    while kept.pop().is_some() {
        let cut = format!("{}…", kept.trim_end());
        if text_width(&cut, size, Weight::Regular) <= width {
            return cut;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(lines: &[String], width: f64) -> bool {
        lines.iter().all(|line| text_width(line, 10.0, Weight::Regular) <= width)
    }

    #[test]
    fn a_text_is_broken_where_it_must_be() {
        let of = |text: &str, width| wrapped(text, 10.0, Weight::Regular, width);
        let lines = of("a few words that do not fit on one line", 80.0);
        assert!(lines.len() > 1 && fit(&lines, 80.0), "{lines:?}");
        let lines = of("layout=96-cores-socket-0-memory-interleaved · slots:512 (control)", 150.0);
        assert!(fit(&lines, 150.0), "{lines:?}");
        assert!(lines[0].ends_with('-') && lines.concat().contains("slots:512"), "{lines:?}");
        let whole = of("x=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", 60.0);
        assert_eq!(whole.concat(), "x=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
        assert!(whole[0] == "x=" || fit(&whole, 60.0), "{whole:?}");
        // No width at all: a letter a line, and an end.
        assert_eq!(of("größe", 0.0), ["g", "r", "ö", "ß", "e"]);
        assert!(of("", 80.0).is_empty());
    }

    #[test]
    fn of_too_many_lines_the_ends_stay() {
        let text = format!("first {}last", "between ".repeat(60));
        let lines = wrapped_at_most(3, &text, 10.0, Weight::Regular, 120.0);
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("first") && lines[1].ends_with(" …"), "{lines:?}");
        assert!(lines[2].ends_with("last") && fit(&lines, 120.0), "{lines:?}");
        assert_eq!(wrapped_at_most(3, "short", 10.0, Weight::Regular, 120.0), ["short"]);
    }
}
