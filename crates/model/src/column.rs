//! A column of a file, declared once with the field of its row: [`row!`](crate::row) makes the typed row,
//! which the writer serialises, and the columns, which the readers check, from one list of fields.

use crate::factor::{Count, Hash, Memory, Placement, Ramp};
use crate::record::{Pivot, Status};
use crate::workload::Workload;
use crate::workload::mutex::Unlock;

/// A column of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: &'static str,
    /// What its cells hold.
    pub kind: Kind,
    /// Whether a cell may be empty.
    pub may_be_empty: bool,
}

/// What the cells of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number from 0.
    Integer,
    /// A finite number from 0.
    Number,
    /// A finite number.
    Signed,
    /// Any text.
    Text,
}

impl Kind {
    /// Whether a number may stand in cells of this kind.
    pub fn holds(self, number: f64) -> bool {
        number.is_finite() && (number >= 0.0 || self == Kind::Signed)
    }
}

impl Column {
    /// What is wrong with a cell of this column; `None` where it is a good one.
    pub fn problem(&self, cell: &str) -> Option<String> {
        let name = self.name;
        if cell.is_empty() {
            return (!self.may_be_empty).then(|| format!("{name} is empty: every row has one"));
        }
        let number = || cell.parse().is_ok_and(|number| self.kind.holds(number));
        let (good, accepted) = match self.kind {
            Kind::Integer => (cell.parse::<u64>().is_ok(), "a whole number from 0"),
            Kind::Number => (number(), "a finite number from 0"),
            Kind::Signed => (number(), "a finite number"),
            Kind::Text => return None,
        };
        (!good).then(|| format!("{name} is {cell:?}: accepted is {accepted}"))
    }
}

/// The names of columns, in their order.
pub const fn names<const N: usize>(columns: &[Column; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = columns[at].name;
        at += 1;
    }
    names
}

/// The header line of a file, without its end.
pub fn header(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name).collect::<Vec<_>>().join(",")
}

/// The type of a field of a row.
pub trait Field {
    /// What the cells of its column hold.
    const KIND: Kind;
}

impl<T: Field> Field for Option<T> {
    const KIND: Kind = T::KIND;
}

macro_rules! kinds {
    ($($kind:ident: $($of:ty),*;)*) => {
        $($(impl Field for $of {
            const KIND: Kind = Kind::$kind;
        })*)*
    };
}

kinds! {
    Integer: u32, u64, Count;
    Number: f64;
    Text: String, Workload, Ramp, Hash, Placement, Memory, Unlock, Pivot, Status;
}

/// A row as a type, and its columns as a constant. A field is `name: type = always` or
/// `= or_empty`, which says whether a file may leave the cell empty (a runner that knows the value
/// never does); the kind is that of the type, or the one after `as`.
#[macro_export]
macro_rules! row {
    (
        $(#[$of_row:meta])* $row:ident, $columns:ident {
            $($(#[$of_field:meta])* $field:ident: $type:ty $(as $kind:ident)? = $filled:ident,)*
        }
    ) => {
        $(#[$of_row])*
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub struct $row {
            $($(#[$of_field])* pub $field: $type,)*
        }

        #[doc = concat!("The columns of [`", stringify!($row), "`], in their order.")]
        pub const $columns: [$crate::column::Column; [$(stringify!($field)),*].len()] = [
            $($crate::column::Column {
                name: stringify!($field),
                kind: $crate::row!(@kind $type $(, $kind)?),
                may_be_empty: $crate::row!(@filled $filled),
            },)*
        ];
    };
    (@kind $type:ty) => { <$type as $crate::column::Field>::KIND };
    (@kind $type:ty, $kind:ident) => { $crate::column::Kind::$kind };
    (@filled always) => { false };
    (@filled or_empty) => { true };
}
