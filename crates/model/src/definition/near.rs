//! Known names that a typing error could have made a text of.

/// ` (did you mean …?)` where a known name is near, nothing otherwise.
pub fn did_you_mean<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = near_names(found, known);
    if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", near.join(" or ")) }
}

/// The known names that are near to a text, nearest first, three at most.
pub fn near_names<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut near: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| {
            let inside = name.contains(found) || found.contains(name);
            let alike = strsim::jaro_winkler(found, name);
            (if inside && found.len() > 2 { alike.max(0.9) } else { alike }, name)
        })
        .filter(|(alike, _)| *alike > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, name)| name.to_string()).collect()
}
