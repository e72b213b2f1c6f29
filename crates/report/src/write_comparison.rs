//! A comparison as text, and as files in a folder.

use std::path::{Path, PathBuf};

use analysis::compare::Comparison;

use crate::document::comparison::{answer, blocks, stalls, title};
use crate::document::content::Room;
use crate::document::{html, mail, markdown};
use crate::figure::{ComparisonFigure, Drawn};
use crate::write::{Format, ReportError};

/// The verdict and the strata as plain text, for a terminal.
pub fn comparison_summary(comparison: &Comparison) -> String {
    let mut blocks = answer(comparison);
    blocks.extend(stalls(comparison, Room::Narrow));
    mail::render(&blocks)
}

/// All of it in one form. Figures are in the files of [`write_comparison`] only, but for HTML, which
/// has them in it.
pub fn comparison_text(comparison: &Comparison, format: Format) -> Result<String, ReportError> {
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

/// Writes `compare.md`, `compare.html`, `compare.txt` for a mail, `compare.json`, `strata.csv` and every
/// figure as SVG and PNG into a folder, which is made if it is not there. Gives what it wrote.
pub fn write_comparison(
    comparison: &Comparison,
    folder: &Path,
) -> Result<Vec<PathBuf>, ReportError> {
    let figures = ComparisonFigure::of(comparison);
    let drawn = drawn(&figures)?;
    let failed = |file: &Path| {
        let file = file.to_path_buf();
        |error| ReportError::File { file, error }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
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
    let mut written = Vec::new();
    for (name, content) in files {
        let file = folder.join(name);
        std::fs::write(&file, content).map_err(failed(&file))?;
        written.push(file);
    }
    for (figure, drawn) in figures.iter().zip(&drawn) {
        let file = folder.join(format!("{}.png", drawn.name));
        figure.png(&file)?;
        written.push(file);
    }
    Ok(written)
}
