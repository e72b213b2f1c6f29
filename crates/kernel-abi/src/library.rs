//! Code of ours inside a program that is not: what a preloaded library runs as it is loaded, in
//! forked children, and as the program exits.

use crate::errno::Errno;

/// Has the library call a function as it is loaded, before the program's `main`. Expands to an
/// entry of `.init_array`; the function takes nothing, returns nothing and must not panic, which
/// would end the program.
#[macro_export]
macro_rules! at_load {
    ($function:path) => {
        const _: () = {
            extern "C" fn enter() {
                $function();
            }
            // SAFETY: the loader takes the section for an array of C functions, and this is one.
            // It passes argc, argv and envp, which a C function that takes nothing leaves alone.
            #[used]
            #[unsafe(link_section = ".init_array")]
            static ENTRY: extern "C" fn() = enter;
        };
    };
}

/// Has the library call a function as the program exits by exit(3) or by returning from `main`;
/// not on _exit(2) or a signal. Other threads may still run. As [`at_load!`] otherwise.
#[macro_export]
macro_rules! at_exit {
    ($function:path) => {
        const _: () = {
            extern "C" fn leave() {
                $function();
            }
            // SAFETY: the loader takes the section for an array of C functions without arguments.
            #[used]
            #[unsafe(link_section = ".fini_array")]
            static ENTRY: extern "C" fn() = leave;
        };
    };
}

/// Has every child of fork(2), from now on, call a function before it goes on; vfork, posix_spawn
/// and bare clone call nothing. The child of a program with threads has only the one that forked:
/// the function must not wait for a lock, and so should not allocate.
///
/// # Errors
/// `ENOMEM`.
pub fn after_fork_in_child(function: extern "C" fn()) -> Result<(), Errno> {
    // SAFETY: registers a C function that lives as long as the program does, since a preloaded
    // library is never unloaded; nothing of ours is passed to it.
    Errno::check_returned(unsafe { libc::pthread_atfork(None, None, Some(function)) })
}
