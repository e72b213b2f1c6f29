//! `exit`, `exit:1,134`: the trial's program ended with a status that is none of success, or one of these.

use std::fmt;

use super::{Condition, Form, Reason};

pub(super) const FORM: Form = Form {
    name: "exit",
    example: "`exit` (its program's status is not 0) or `exit:1,134`",
    read: |value| {
        let Some(list) = value else { return Ok(Condition::Exit { statuses: Vec::new() }) };
        let read = |text: &str| {
            text.trim().parse::<u8>().map_err(|_| {
                Reason(format!("{text:?} is no exit status: a number from 0 to 255 is"))
            })
        };
        let mut statuses = list.split(',').map(read).collect::<Result<Vec<_>, _>>()?;
        statuses.sort_unstable();
        statuses.dedup();
        Ok(Condition::Exit { statuses })
    },
};

pub(super) fn write(f: &mut fmt::Formatter<'_>, statuses: &[u8]) -> fmt::Result {
    f.write_str(FORM.name)?;
    for (at, status) in statuses.iter().enumerate() {
        write!(f, "{}{status}", if at == 0 { ':' } else { ',' })?;
    }
    Ok(())
}
