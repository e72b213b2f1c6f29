//! One seed, many independent streams of chance.
//!
//! Work that is spread over threads takes a stream a piece of work, numbered by the piece and not by
//! the thread that happens to do it. The result then depends on the seed alone.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Draws that share a stream. Starting a stream costs about as much as a few dozen draws.
const DRAWS_A_STREAM: usize = 512;

/// Stream `stream` of `seed`. ChaCha's streams of one key never overlap.
pub fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// `count` draws by `draw`, in an order that the seed alone decides, on all of rayon's threads.
/// `scratch` makes what a worker keeps between draws, such as a buffer.
pub fn draws<T, S>(
    seed: u64,
    count: usize,
    scratch: impl Fn() -> S + Sync,
    draw: impl Fn(&mut ChaCha8Rng, &mut S) -> T + Sync,
) -> Vec<T>
where
    T: Send,
{
    let pieces = count.div_ceil(DRAWS_A_STREAM);
    let drawn: Vec<Vec<T>> = (0..pieces)
        .into_par_iter()
        .map_init(&scratch, |kept, piece| {
            let mut rng = stream(seed, piece as u64);
            let size = DRAWS_A_STREAM.min(count - piece * DRAWS_A_STREAM);
            (0..size).map(|_| draw(&mut rng, kept)).collect()
        })
        .collect();
    drawn.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn draws_do_not_depend_on_the_number_of_threads() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draws(7, 5_000, || (), |rng, _| rng.random::<u64>()))
        };
        let one = on(1);
        assert_eq!(one.len(), 5_000);
        assert_eq!(one, on(2));
        assert_eq!(one, on(5));
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, number| stream(seed, number).random::<u64>();
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
    }
}
