use analysis::finding::threads_are_cpus::ThreadsAreCpus;

pub(super) fn say(it: &ThreadsAreCpus) -> String {
    let ThreadsAreCpus { fewest, most, imported } = it;
    let advice = match imported {
        true => String::new(),
        false => format!(
            " To tell them apart, run all thread counts on one number of CPUs: `--cpus {most} --set \
             threads={fewest},{most}`."
        ),
    };
    format!(
        "Every trial had as many threads as CPUs, {fewest} to {most}: these trials can't tell the effect of \
         more threads from that of more CPUs.{advice}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_holds_the_cpus_still() {
        let text = say(&ThreadsAreCpus { fewest: 16, most: 96, imported: false });
        assert!(text.ends_with("`--cpus 96 --set threads=16,96`."), "{text}");
    }
}
