//! Scales: a value to its place along an axis, and the values that an axis names.

/// A named value on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// Its name; empty for a small tick between named ones.
    pub label: String,
}

/// A scale from a low value to a higher one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Equal steps are equal differences.
    Linear {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Equal steps are equal ratios; both ends are above 0.
    Log {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
}

impl Scale {
    /// A logarithmic scale that holds these values with some room at both ends; values that are not
    /// above 0 have no place on it.
    pub fn log_around(values: impl IntoIterator<Item = f64>, room: f64) -> Scale {
        let above_zero = values.into_iter().filter(|x| *x > 0.0 && x.is_finite());
        let (low, high) =
            above_zero.fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
        if low > high {
            return Scale::Log { low: 1.0, high: 10.0 };
        }
        let room = (high / low).powf(room).clamp(1.3, 1e6);
        Scale::Log { low: low / room, high: (high * room).min(f64::MAX) }
    }

    /// Where a value stands, from 0 at the low end to 1 at the high one; outside of that for a value
    /// outside.
    pub fn at(&self, value: f64) -> f64 {
        let place = match *self {
            Scale::Linear { low, high } => (value - low) / (high - low),
            Scale::Log { low, high } => (value.ln() - low.ln()) / (high.ln() - low.ln()),
        };
        if place.is_finite() { place.clamp(-10.0, 10.0) } else { -10.0 }
    }

    /// Ticks at powers of ten, with small ones between them; if that names fewer than three, at 1, 2
    /// and 5 of each, and if that does, at every digit. A scale of half a decade has round steps.
    pub fn decades(&self) -> Vec<Tick> {
        let Scale::Log { low, high } = *self else { return Vec::new() };
        if high / low < 5.0 {
            let steps = Scale::Linear { low, high }.steps(5);
            let mut names: Vec<&str> = steps.iter().map(|tick| tick.label.as_str()).collect();
            names.dedup();
            if names.len() > 1 && names.len() == steps.len() {
                return steps;
            }
        }
        let first = low.log10().floor() as i32;
        let last = high.log10().ceil() as i32;
        let every = ((last - first) / 8).max(1);
        let inside = |x: f64| x >= low && x <= high;
        let named_by = |digits: &[u32]| {
            let mut ticks = Vec::new();
            for power in first..=last {
                for digit in 1..=9u32 {
                    let value = f64::from(digit) * 10f64.powi(power);
                    if !inside(value) {
                        continue;
                    }
                    let named = digits.contains(&digit) && (power - first) % every == 0;
                    if named {
                        ticks.push(Tick { value, label: plain(value) });
                    } else if every == 1 {
                        ticks.push(Tick { value, label: String::new() });
                    }
                }
            }
            ticks
        };
        let names = |ticks: &[Tick]| ticks.iter().filter(|tick| !tick.label.is_empty()).count();
        let mut ticks = named_by(&[1]);
        for digits in [&[1, 2, 5][..], &[1, 2, 3, 4, 5, 6, 7, 8, 9]] {
            if names(&ticks) < 3 {
                ticks = named_by(digits);
            }
        }
        if names(&ticks) < 2 {
            // Less than a digit wide: its ends and its middle.
            ticks = [low, (low * high).sqrt(), high]
                .iter()
                .map(|value| Tick { value: *value, label: stats::words::significant(*value, 3) })
                .collect();
        }
        ticks
    }

    /// Ticks at round steps of a linear scale, about so many.
    pub fn steps(&self, about: usize) -> Vec<Tick> {
        let Scale::Linear { low, high } = *self else { return Vec::new() };
        let width = high - low;
        if !(width > 0.0 && width.is_finite()) {
            return vec![Tick { value: low, label: plain(low) }];
        }
        let rough = width / about.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|digit| digit * power)
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(10.0 * power);
        let first = (low / step - 1e-9).ceil();
        let count = (width / step).floor().min(1000.0) as i64 + 1;
        (0..count)
            .map(|at| (first + at as f64) * step)
            .filter(|value| *value <= high + step * 1e-6)
            .map(|value| Tick { value, label: stats::words::significant(value, 4) })
            .collect()
    }
}

/// A power of ten, or a digit of one, as people write it.
fn plain(value: f64) -> String {
    if (1e-4..1e7).contains(&value) || value == 0.0 {
        stats::words::significant(value, 2)
    } else {
        format!("{value:.0e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|t| t.label.as_str()).filter(|l| !l.is_empty()).collect()
    }

    #[test]
    fn decades_are_named_and_narrow_scales_still_are() {
        let wide = Scale::Log { low: 4.0, high: 2000.0 };
        assert_eq!(labels(&wide.decades()), ["10", "100", "1000"]);
        let narrow = Scale::Log { low: 300.0, high: 900.0 };
        assert_eq!(labels(&narrow.decades()), ["400", "600", "800"]);
        let tiny = Scale::Log { low: 100.0, high: 101.0 };
        assert_eq!(labels(&tiny.decades()).len(), 6);
        let tinier = Scale::Log { low: 1000.1, high: 1000.3 };
        assert_eq!(labels(&tinier.decades()).len(), 3, "its ends and its middle");
        let vast = Scale::Log { low: 1e-9, high: 1e300 };
        assert!(labels(&vast.decades()).len() <= 10);
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(
            labels(&Scale::Linear { low: 0.0, high: 1.0 }.steps(5)),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(labels(&Scale::Linear { low: 0.0, high: 3.1 }.steps(4)), ["0", "1", "2", "3"]);
        assert_eq!(Scale::Linear { low: 2.0, high: 2.0 }.steps(4).len(), 1);
    }

    #[test]
    fn a_scale_holds_what_it_was_made_for() {
        let scale = Scale::log_around([8.0, 96.0], 0.05);
        assert!(scale.at(8.0) > 0.0 && scale.at(96.0) < 1.0);
        let one = Scale::log_around([5.0], 0.05);
        assert!((one.at(5.0) - 0.5).abs() < 1e-9);
        let none = Scale::log_around([0.0, f64::NAN], 0.05);
        assert!(none.at(0.0) < 0.0, "what is not above 0 is off the scale");
    }
}
