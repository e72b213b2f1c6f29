//! Any result of `stat` as text: `name  value (low to high)`, a row each, and lists as tables.
//!
//! The shapes are those of docs/reference/commands.md, read from the result's JSON: an object with bounds is an estimate,
//! one with `k` and `n` is a count, one with a p-value is a test. What a new command answers in these
//! shapes needs no text of its own.

use report::say::stat::{number, p_value};
use serde_json::{Map, Value};

use super::table::Table;

/// The most rows of a table on a terminal; the JSON has all.
const MOST_ROWS: usize = 40;

/// The result's rows and tables. `shown` are the paths to show, such as `tests.boschloo` or
/// `groups.*.median`, where `*` is any part; with none, all is shown.
pub fn render(result: &Value, shown: &[String]) -> (String, Vec<String>) {
    let mut page = Page { shown, rows: Vec::new(), tables: Vec::new(), notes: Vec::new() };
    page.walk(&mut Vec::new(), "", result);
    let mut text = lines(&page.rows, 3);
    for (name, more, rows) in &page.tables {
        if !text.is_empty() {
            text.push('\n');
        }
        if !name.is_empty() {
            text += &format!("{name}\n");
        }
        text += &lines(rows, texts(rows));
        if *more > 0 {
            text += &format!("  {more} more; --json has all\n");
        }
    }
    let said = page.notes.into_iter().map(|(note, about)| match about.join(", ") {
        nothing if nothing.is_empty() => note,
        about => format!("{about}: {note}"),
    });
    (text, said.collect())
}

struct Page<'a> {
    shown: &'a [String],
    rows: Vec<Vec<String>>,
    tables: Vec<(String, usize, Vec<Vec<String>>)>,
    /// Each with what it is about.
    notes: Vec<(String, Vec<String>)>,
}

impl Page<'_> {
    fn is_shown(&self, path: &[String]) -> bool {
        let fits = |pattern: &String| {
            let parts: Vec<&str> = pattern.split('.').collect();
            let is = |(part, found): (&&str, &String)| *part == "*" || part == found;
            parts.len() <= path.len() && parts.iter().zip(path).all(is)
        };
        self.shown.is_empty() || self.shown.iter().any(fits)
    }

    fn row(&mut self, path: &[String], value: String, detail: String) {
        if self.is_shown(path) {
            self.rows.push(vec![label(path), value, detail]);
        }
    }

    fn walk(&mut self, path: &mut Vec<String>, key: &str, value: &Value) {
        match value {
            Value::Array(_) if key == "notes" => self.note(path, value),
            Value::Array(items) if items.iter().all(Value::is_object) => self.list(path, items),
            Value::Object(fields) => self.object(path, fields),
            other => self.row(path, cell(key, other), String::new()),
        }
    }

    fn note(&mut self, path: &[String], notes: &Value) {
        let about = label(&path[..path.len().saturating_sub(1)]);
        for note in notes.as_array().into_iter().flatten().filter_map(Value::as_str) {
            // What is true of several is said once.
            match self.notes.iter_mut().find(|(known, _)| known == note) {
                Some((_, of)) => of.push(about.clone()),
                None => self.notes.push((note.to_owned(), vec![about.clone()])),
            }
        }
    }

    fn object(&mut self, path: &mut Vec<String>, fields: &Map<String, Value>) {
        // What the path already says.
        let mut used: Vec<&str> = ["group", "base", "test"]
            .into_iter()
            .filter(|key| fields.get(*key).is_some_and(Value::is_string))
            .collect();
        let point = ["estimate", "median"].into_iter().find(|key| fields.contains_key(*key));
        if let (Some(point), Some(Value::Array(intervals))) = (point, fields.get("intervals")) {
            used.extend([point, "intervals"]);
            for interval in intervals {
                let method = text(interval, "method");
                path.push(method.to_owned());
                let value = bounded(&fields[point], interval);
                let name = &path[..path.len() - 1];
                let name = if name.is_empty() { "probability".into() } else { label(name) };
                if self.is_shown(path) {
                    self.rows.push(vec![name, value, method.to_owned()]);
                }
                path.pop();
            }
        } else if fields.contains_key("p_value") {
            let statistic = fields.get("statistic").filter(|value| !value.is_null());
            let detail = statistic.map(|value| format!("statistic {}", cell("", value)));
            let p = format!("p = {}", cell("p_value", &fields["p_value"])).replace("= <", "<");
            return self.row(path, p, detail.unwrap_or_default());
        } else if fields.contains_key("low") || fields.contains_key("k") {
            let value = cell("", &Value::Object(fields.clone()));
            used.extend(["estimate", "median", "low", "high", "k", "method", "level"]);
            if fields.contains_key("k") {
                used.push("n");
            }
            let rest = fields.iter().filter(|(key, value)| {
                !used.contains(&key.as_str()) && !value.is_object() && !value.is_array()
            });
            let rest: Vec<String> =
                rest.map(|(key, value)| format!("{} {}", key, cell(key, value))).collect();
            return self.row(path, value, rest.join(", "));
        } else if fields.contains_key("left_s") {
            return self.row(path, cell("", &Value::Object(fields.clone())), "s".into());
        }
        for (key, value) in fields.iter().filter(|(key, _)| !used.contains(&key.as_str())) {
            path.push(key.clone());
            self.walk(path, key, value);
            path.pop();
        }
    }

    fn list(&mut self, path: &mut Vec<String>, items: &[Value]) {
        let id = items.first().and_then(identity);
        if id.is_none() && items.len() != 1 {
            return self.table(path, items);
        }
        for item in items {
            path.push(identity(item).unwrap_or_default());
            self.walk(path, "", item);
            path.pop();
        }
    }

    fn table(&mut self, path: &mut Vec<String>, items: &[Value]) {
        path.push(String::new());
        let keys = items.first().and_then(Value::as_object).into_iter().flat_map(Map::keys);
        let keys: Vec<&String> = keys
            .filter(|key| {
                let column = [path.as_slice(), &[(*key).clone()]].concat();
                *key != "notes" && self.is_shown(&column)
            })
            .collect();
        path.pop();
        if keys.is_empty() {
            return;
        }
        let mut rows = vec![keys.iter().map(|key| plain(key)).collect::<Vec<_>>()];
        rows.extend(items.iter().take(MOST_ROWS).map(|item| {
            keys.iter()
                .map(|key| cell(key, item.get(key.as_str()).unwrap_or(&Value::Null)))
                .collect()
        }));
        self.tables.push((label(path), items.len().saturating_sub(MOST_ROWS), rows));
    }
}

/// What an element of a list is known by, if each is to be shown by itself: a group, a contrast, a method.
fn identity(item: &Value) -> Option<String> {
    let fields = item.as_object()?;
    if let (Some(Value::String(test)), Some(Value::String(base))) =
        (fields.get("test"), fields.get("base"))
    {
        return Some(format!("{test} against {base}"));
    }
    if fields.contains_key("curve") {
        return Some(text(item, "group").to_owned());
    }
    let method = fields.get("method")?.as_str()?;
    Some(match text(item, "alternative") {
        "" | "two-sided" => method.to_owned(),
        side => format!("{method} {side}"),
    })
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A path as a reader sees it: without the names of lists.
fn label(path: &[String]) -> String {
    const LISTS: [&str; 8] =
        ["groups", "tests", "contrasts", "trials", "intervals", "rows", "holm", ""];
    let parts = path.iter().map(String::as_str).enumerate();
    // The test of a ratio is named as the ratio; the test side by its own name.
    let named = parts.filter(|(at, part)| !LISTS.contains(part) && (*at == 0 || *part != "test"));
    named.map(|(_, part)| plain(part)).collect::<Vec<_>>().join(" ")
}

fn plain(key: &str) -> String {
    match key {
        "rmst" => "restricted mean".into(),
        "rmst_difference" => "difference of restricted means".into(),
        "hodges_lehmann" => "shift (Hodges-Lehmann)".into(),
        "p_value" => "p".into(),
        key => key.trim_end_matches("_s").replace('_', " "),
    }
}

fn bounded(point: &Value, of: &Value) -> String {
    let bound = |key: &str| cell("", of.get(key).unwrap_or(&Value::Null));
    format!("{} ({} to {})", cell("", point), bound("low"), bound("high"))
}

/// A value in a cell.
fn cell(key: &str, value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.len().to_string(),
        Value::Number(_) => match key {
            "p_value" | "holm" | "benjamini_hochberg" => p_value(value.as_f64()),
            _ => number(value.as_f64()),
        },
        Value::Object(fields) => {
            let point = fields.get("estimate").or(fields.get("median"));
            let interval = fields.get("intervals").and_then(|all| all.get(0));
            if let (Some(k), Some(n)) = (fields.get("k"), fields.get("n")) {
                return format!("{} of {}", cell("", k), cell("", n));
            }
            if let Some(left) = fields.get("left_s") {
                return format!("{} to {}", cell("", left), cell("", &value["right_s"]));
            }
            match (point, interval) {
                (Some(point), Some(interval)) => bounded(point, interval),
                (Some(point), None) => bounded(point, value),
                (None, _) if fields.contains_key("low") => {
                    let bounds = bounded(&Value::Null, value);
                    bounds.trim_start_matches("- ").trim_matches(['(', ')']).to_owned()
                }
                (None, _) => {
                    let each =
                        fields.iter().map(|(key, value)| format!("{key} {}", cell(key, value)));
                    each.collect::<Vec<_>>().join(", ")
                }
            }
        }
    }
}

/// Aligned columns, of which the first `texts` are to the left.
fn lines(rows: &[Vec<String>], texts: usize) -> String {
    let Some((first, rest)) = rows.split_first() else { return String::new() };
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let mut table = Table::new(&first).left(texts);
    rest.iter().for_each(|row| table.row(row.clone()));
    table.render()
}

/// How many of the first columns below the header hold texts.
fn texts(rows: &[Vec<String>]) -> usize {
    let is_text =
        |at: usize| rows.iter().skip(1).any(|row| row[at].starts_with(char::is_alphabetic));
    (0..rows[0].len()).take_while(|at| is_text(*at)).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_shape_of_the_contract_is_a_row() {
        let result = json!({
            "base": {"k": 4, "n": 24, "estimate": 0.25},
            "difference": {"estimate": -0.5, "intervals": [
                {"method": "newcombe", "level": 0.95, "low": -0.75, "high": null},
                {"method": "miettinen-nurminen", "level": 0.95, "low": -0.8, "high": 0.1}]},
            "tests": [
                {"method": "boschloo", "alternative": "two-sided", "statistic": null, "p_value": 0.05},
                {"method": "boschloo", "alternative": "less", "statistic": null, "p_value": 0.0}],
            "rmst": {"until": 3.0, "estimate": 2.0, "low": 1.0, "high": 3.0},
            "isotonic": [{"threads": 4, "p": 0.5}, {"threads": 8, "p": 1.0}],
            "notes": ["few trials"],
        });
        let (text, notes) = render(&result, &[]);
        for line in [
            "  base  4 of 24",
            "  difference                     -0.5 (-0.75 to -)   newcombe",
            "  boschloo                       p = 0.0500",
            "  boschloo less                  p < 1e-300",
            "  restricted mean                2 (1 to 3)          until 3",
        ] {
            let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.lines().any(|found| squeezed(found) == squeezed(line)), "{line}\n{text}");
        }
        assert!(
            text.contains("isotonic\n  threads    p\n  4        0.5\n  8          1\n"),
            "{text}"
        );
        assert_eq!(notes, ["few trials"]);
        assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
    }

    #[test]
    fn only_what_is_asked_for_is_shown() {
        let result = json!({"groups": [
            {"group": "stock", "n": 3, "curve": [{"time": 1.0}, {"time": 2.0}],
             "median": {"estimate": 1.0, "low": null, "high": null}}]});
        let (text, _) = render(&result, &["groups.*.median".into()]);
        assert_eq!(text, "  stock median  1 (- to -)\n");
    }
}
