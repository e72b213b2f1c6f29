//! Writes a report into a folder.

use std::fmt;
use std::path::{Path, PathBuf};

use analysis::Analysis;
use records::whole;

use crate::document::content::{self, blocks, title};
use crate::document::room::Room;
use crate::document::{Block, html, mail, markdown};
use crate::draw::DrawError;
use crate::figure::{AnyFigure, Drawn};
use crate::neutral::plain;
use crate::say::word::Told;

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown with links to the figures beside it.
    Markdown,
    /// One HTML file with everything in it.
    Html,
    /// Plain text for a mailing list, at most 78 columns.
    Mail,
}

/// Why a report was not written.
#[derive(Debug)]
pub enum ReportError {
    /// A file could not be written.
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A figure could not be drawn.
    Draw(DrawError),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::File { file, error } => {
                write!(f, "{} can't be written: {error}", file.display())
            }
            ReportError::Draw(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReportError {}

impl From<DrawError> for ReportError {
    fn from(error: DrawError) -> Self {
        ReportError::Draw(error)
    }
}

/// The report's text in one form.
pub fn text(analysis: &Analysis, format: Format) -> Result<String, ReportError> {
    let _told = Told::of(analysis);
    let figures: Vec<Drawn> = match format {
        Format::Mail => Vec::new(),
        _ => AnyFigure::of(analysis).iter().map(AnyFigure::svg).collect::<Result<_, _>>()?,
    };
    Ok(rendered(analysis, figures, format))
}

fn rendered(analysis: &Analysis, figures: Vec<Drawn>, format: Format) -> String {
    match format {
        Format::Markdown => markdown::render(&blocks(analysis, figures, Room::Wide)),
        Format::Html => html::render(&title(analysis), &blocks(analysis, figures, Room::Wide)),
        Format::Mail => mail::render(&blocks(analysis, figures, Room::Narrow)),
    }
}

/// The answer as plain text: at most three sentences.
pub fn answer(analysis: &Analysis) -> String {
    let _told = Told::of(analysis);
    let sentences = crate::say::headline::sentences(analysis);
    mail::render(&sentences.into_iter().map(Block::Paragraph).collect::<Vec<_>>())
}

/// The answer and a table as plain text, for a terminal: three sentences and a row a cell, or with
/// details every finding and every column.
pub fn summary(analysis: &Analysis, details: bool) -> String {
    let _told = Told::of(analysis);
    if !details {
        return mail::render(&content::short(analysis));
    }
    let mut blocks = content::answer(analysis);
    blocks.extend(content::cells(analysis, Room::Narrow));
    mail::render(&blocks)
}

/// Writes `report.md`, `report.html` and every figure as SVG and PNG into a folder, which is made if
/// it is not there. Each is the old one or the new one, never a part. Gives what it wrote, the report first.
pub fn write(analysis: &Analysis, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let _told = Told::of(analysis);
    let figures = AnyFigure::of(analysis);
    let drawn: Vec<Drawn> = figures.iter().map(AnyFigure::svg).collect::<Result<_, _>>()?;
    let failed = |file: &Path| {
        let file = file.to_path_buf();
        |error| ReportError::File { file, error }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let mut written = Vec::new();
    let mut put = |name: String, content: &str| {
        let file = folder.join(name);
        whole::write(&file, plain(content).as_bytes()).map_err(failed(&file))?;
        written.push(file);
        Ok::<(), ReportError>(())
    };
    for (name, format) in [("report.md", Format::Markdown), ("report.html", Format::Html)] {
        put(name.to_string(), &rendered(analysis, drawn.clone(), format))?;
    }
    for figure in &drawn {
        put(format!("{}.svg", figure.name), &figure.svg)?;
    }
    for (figure, drawn) in figures.iter().zip(&drawn) {
        let file = folder.join(format!("{}.png", drawn.name));
        // Drawn beside, so that a full disk leaves the figure that was there.
        let beside = folder.join(format!(".{}.next.png", drawn.name));
        let drawn = figure.png(&beside).map_err(ReportError::from);
        let placed = drawn.and_then(|()| std::fs::rename(&beside, &file).map_err(failed(&file)));
        placed.inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
        written.push(file);
    }
    Ok(written)
}
