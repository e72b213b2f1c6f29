//! A guest's console.

use lab::console::Watcher;

/// Bytes of a console in pieces of any size say the same, and what is kept of them is bounded.
pub fn console(bytes: &[u8]) {
    let all = |size: usize| {
        let mut watcher = Watcher::default();
        bytes.chunks(size).for_each(|piece| watcher.push(piece));
        watcher.close();
        let splats = watcher.take();
        (splats, watcher.ended(), watcher.died().map(str::to_owned), watcher.last_line().to_owned())
    };
    let whole = all(bytes.len().max(1));
    assert_eq!(whole, all(1));
    assert_eq!(whole, all(7));
    let kept: usize = whole.0.iter().map(|splat| splat.text.len()).sum();
    // A byte that is no text becomes a character of three.
    assert!(kept <= 3 * bytes.len(), "{kept} bytes are kept of {}", bytes.len());
}
