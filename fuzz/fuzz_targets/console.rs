//! A guest's console is watched, in pieces of any size, with the same result.
#![no_main]

use lab::console::Watcher;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, bytes) = input;
    let mut whole = Watcher::default();
    whole.push(bytes);
    whole.close();
    let mut pieces = Watcher::default();
    for part in bytes.chunks(usize::from(piece).max(1)) {
        pieces.push(part);
    }
    pieces.close();
    let text = |watcher: &mut Watcher| {
        let splats: Vec<String> =
            watcher.take().into_iter().map(|splat| format!("{:?} {}", splat.at, splat.text)).collect();
        (splats, watcher.ended(), watcher.died().map(str::to_string))
    };
    assert_eq!(text(&mut whole), text(&mut pieces));
});
