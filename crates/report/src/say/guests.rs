use analysis::finding::guests::Guests;

pub(super) fn say(it: &Guests) -> String {
    let how = match it.accelerators.as_slice() {
        [] => String::new(),
        names => format!(" ({})", names.join(", ")),
    };
    let rule = match it.by_throughput {
        true => " The rule here is by throughput: `--stall pivot:1s` judges by the hash.",
        false => "",
    };
    format!(
        "The trials ran in guests{how}: throughput there is the emulator's, and its ratios are not \
         slowdowns. The state of the hash is the kernel's own.{rule}"
    )
}
