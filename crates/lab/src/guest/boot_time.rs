//! How long a guest takes until it is ready, as measured: docs/design/lab.md, "How long it takes".

/// CPUs of the guest, and seconds from starting QEMU to a ready init: Debian's 7.3.4 in QEMU 7.2.22
/// under emulation, on two cores with nothing else at work.
const MEASURED: [(u32, f64); 2] = [(32, 11.2), (96, 45.5)];

/// How many times its planned time a trial takes in an emulated guest of 32 CPUs on two cores, with
/// the making and the joining of its threads: 1.5 to 3, by the host's load.
pub const STRETCH: f64 = 2.0;

/// The measured size that is nearest to `cpus` by ratio, and its seconds. Another host, kernel or
/// load takes another time: it is an order, and no estimate.
pub fn measured_near(cpus: u32) -> (u32, f64) {
    let [small, large] = MEASURED;
    // Nearer by ratio: below the geometric mean.
    let is_small = u64::from(cpus) * u64::from(cpus) < u64::from(small.0) * u64::from(large.0);
    if is_small { small } else { large }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_measured_size_is_told() {
        let sizes = [1, 32, 55, 56, 96, 255].map(|cpus| measured_near(cpus).0);
        assert_eq!(sizes, [32, 32, 32, 96, 96, 96]);
    }

    /// The documentation has the two figures.
    #[test]
    fn the_figures_are_those_of_the_documentation() {
        let text = include_str!("../../../../docs/design/lab.md");
        for (cpus, seconds) in MEASURED {
            let row = text
                .lines()
                .find(|line| line.starts_with(&format!("| Debian's 7.3.4 | {cpus} |")))
                .expect("a row");
            let told: Vec<f64> = row
                .rsplit('|')
                .nth(1)
                .into_iter()
                .flat_map(|cell| cell.split(','))
                .map(|number| number.trim().parse().expect("seconds"))
                .collect();
            let mean = told.iter().sum::<f64>() / told.len() as f64;
            assert!((mean - seconds).abs() < 0.1, "{row}: {seconds}");
        }
    }
}
