//! Notes in words. A temporary home: the files move to `report/src/say/stat` when nothing below the report
//! says them any more.

pub mod samples;
pub mod survival;
pub mod threshold;
