//! A comparison as text, and as files in a folder.

use std::path::{Path, PathBuf};

use analysis::compare::Comparison;

use crate::document::comparison::{blocks, summary, title};
use crate::document::room::Room;
use crate::document::{html, mail, markdown};
use crate::figure::{ComparisonFigure, Drawn};
use crate::neutral::plain;
use crate::say::word::Told;
use crate::write::{Format, ReportError};

/// What fits on a screen, as plain text for a terminal; with `details` all sentences, and the times to
/// recovery by stratum.
pub fn comparison_summary(comparison: &Comparison, details: bool) -> String {
    let _told = Told::of_comparison(comparison);
    mail::render(&summary(comparison, details))
}

/// All of it in one form. Figures are in the files of [`write_comparison`] only, but for HTML, which
/// has them in it.
pub fn comparison_text(comparison: &Comparison, format: Format) -> Result<String, ReportError> {
    let _told = Told::of_comparison(comparison);
    let figures = match format {
        Format::Html => drawn(&ComparisonFigure::of(comparison))?,
        Format::Markdown | Format::Mail => Vec::new(),
    };
    Ok(rendered(comparison, figures, format))
}

fn drawn(figures: &[ComparisonFigure<'_>]) -> Result<Vec<Drawn>, ReportError> {
    figures.iter().map(|figure| figure.svg().map_err(ReportError::from)).collect()
}

fn rendered(comparison: &Comparison, figures: Vec<Drawn>, format: Format) -> String {
    match format {
        Format::Markdown => markdown::render(&blocks(comparison, figures, Room::Wide)),
        Format::Html => html::render(&title(comparison), &blocks(comparison, figures, Room::Wide)),
        Format::Mail => mail::render(&blocks(comparison, figures, Room::Narrow)),
    }
}

/// What every figure of a comparison has at the end of its name, before a number.
const FIGURES: [&str; 2] = ["stalls-by-side", "recovery-by-side"];

/// Writes `compare.md`, `compare.html`, `compare.txt` for a mail, `compare.json`, `strata.csv` and every
/// figure as SVG and PNG into a folder, which is made if it is not there. Gives what it wrote.
///
/// All of it is written beside first: on a full disk the folder is left as it was. Figures of an earlier
/// comparison that this one does not have are taken out, or they would look like its own.
pub fn write_comparison(
    comparison: &Comparison,
    folder: &Path,
) -> Result<Vec<PathBuf>, ReportError> {
    let _told = Told::of_comparison(comparison);
    let figures = ComparisonFigure::of(comparison);
    let drawn = drawn(&figures)?;
    let mut files: Vec<(String, String)> = [
        ("compare.md", Format::Markdown),
        ("compare.html", Format::Html),
        ("compare.txt", Format::Mail),
    ]
    .into_iter()
    .map(|(name, format)| (name.to_string(), rendered(comparison, drawn.clone(), format)))
    .collect();
    files.extend(comparison.files().into_iter().map(|(name, text)| (name.to_string(), text)));
    files.extend(drawn.iter().map(|one| (format!("{}.svg", one.name), one.svg.clone())));
    let failed = |file: PathBuf| move |error| ReportError::File { file, error };
    std::fs::create_dir_all(folder).map_err(failed(folder.to_path_buf()))?;
    let beside = folder.join(format!(".compare.{}", std::process::id()));
    let write = || -> Result<Vec<PathBuf>, ReportError> {
        std::fs::create_dir_all(&beside).map_err(failed(folder.to_path_buf()))?;
        let mut names = Vec::new();
        for (name, content) in files {
            let written = std::fs::write(beside.join(&name), plain(&content).as_bytes());
            written.map_err(failed(folder.join(&name)))?;
            names.push(name);
        }
        for (figure, drawn) in figures.iter().zip(&drawn) {
            let name = format!("{}.png", drawn.name);
            figure.png(&beside.join(&name))?;
            names.push(name);
        }
        let mut written = Vec::new();
        for name in &names {
            let file = folder.join(name);
            std::fs::rename(beside.join(name), &file).map_err(failed(file.clone()))?;
            written.push(file);
        }
        for file in earlier_figures(folder, &names) {
            std::fs::remove_file(&file).map_err(failed(file.clone()))?;
        }
        Ok(written)
    };
    let written = write();
    // It is empty, or what is in it is of no use.
    let _ = std::fs::remove_dir_all(&beside);
    written
}

/// Figures of comparisons in a folder that are not among those just written.
fn earlier_figures(folder: &Path, names: &[String]) -> Vec<PathBuf> {
    let is_figure = |name: &str| {
        let stem = name.strip_suffix(".svg").or_else(|| name.strip_suffix(".png"));
        stem.is_some_and(|stem| {
            FIGURES.iter().any(|figure| {
                stem.strip_prefix(figure).is_some_and(|rest| {
                    rest.is_empty()
                        || rest.strip_prefix('-').is_some_and(|n| n.parse::<u64>().is_ok())
                })
            })
        })
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            is_figure(&name) && !names.contains(&name)
        })
        .map(|entry| entry.path())
        .collect()
}
