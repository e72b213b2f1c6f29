use analysis::finding::guests::Guests;

use super::case;

pub(super) fn say(it: &Guests) -> String {
    let how = match it.accelerators.as_slice() {
        [] => String::new(),
        names => format!(" ({})", names.join(", ")),
    };
    format!(
        "The trials ran in guests{how}: throughput there is the emulator's, and its ratios are not \
         slowdowns. {}",
        case::event_in_guests(it.by_throughput)
    )
}
