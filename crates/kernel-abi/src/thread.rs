//! Threads straight from pthread_create.
//!
//! `std::thread` allocates in the new thread, which gives it a malloc arena, takes locks there, and
//! registers thread information. A private futex touched on the way would be part of what is
//! measured. Here a new thread enters the caller's closure with nothing of ours before it but, if
//! asked for, one sched_setaffinity; and nothing is freed in it: what was allocated for it is
//! freed by the thread that joins.
//!
//! Affinity is set by the new thread itself, not by `pthread_attr_setaffinity_np`: for that one
//! glibc starts the thread stopped on a lock of its own, a private futex that both sides then
//! touch at each creation. A thread can so be on another CPU for its first microseconds.
//!
//! glibc's join waits on a shared futex, which the kernel wakes as the thread ends: the global
//! hash, not the private one.

use std::cell::UnsafeCell;
use std::fmt;
use std::ptr::NonNull;

use crate::affinity::{self, CpuSet};
use crate::errno::Errno;

/// The stack of a thread unless another size is asked for.
pub const DEFAULT_STACK_BYTES: usize = 128 * 1024;

/// A call on a thread that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadError {
    /// The call.
    pub call: &'static str,
    /// With what.
    pub errno: Errno,
}

impl fmt::Display for ThreadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, self.errno)
    }
}

impl std::error::Error for ThreadError {}

/// How a thread is made.
#[derive(Debug, Clone)]
pub struct Builder {
    stack_bytes: usize,
    cpus: Option<CpuSet>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// A stack of [`DEFAULT_STACK_BYTES`], on the CPUs of the thread that makes it.
    pub fn new() -> Builder {
        Builder { stack_bytes: DEFAULT_STACK_BYTES, cpus: None }
    }

    /// Another stack size: rounded up to pages, and to the least that the C library accepts.
    pub fn stack_bytes(mut self, bytes: usize) -> Builder {
        self.stack_bytes = bytes;
        self
    }

    /// The CPUs that the thread restricts itself to before it enters the closure. If the kernel
    /// refuses them the closure is not run, and joining says so.
    pub fn cpus(mut self, cpus: CpuSet) -> Builder {
        self.cpus = Some(cpus);
        self
    }

    /// Makes the thread, which enters `work` at once.
    ///
    /// A panic in `work` ends the process: a trial with a thread less than planned is no trial.
    ///
    /// # Errors
    /// `EAGAIN` when a limit on threads, or memory for the stack, is used up.
    pub fn spawn<T, F>(&self, work: F) -> Result<JoinHandle<T>, ThreadError>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let error = |call| move |errno| ThreadError { call, errno };
        let mut attributes = Attributes::new().map_err(error("pthread_attr_init"))?;
        attributes.set_stack_bytes(self.stack_bytes).map_err(error("pthread_attr_setstacksize"))?;
        let job = Box::into_raw(Box::new(Job {
            mask: self.cpus.as_ref().map(|cpus| affinity::words_to_native(cpus.words())),
            work: UnsafeCell::new(Some(work)),
            result: UnsafeCell::new(None),
        }));
        // SAFETY: pthread_t is an integer or a pointer, for which all zeroes is a value; it is
        // read only if pthread_create wrote it.
        let mut thread: libc::pthread_t = unsafe { std::mem::zeroed() };
        // SAFETY: the attributes are initialised, `enter::<T, F>` is given the job type it expects,
        // and the job stays allocated until after the join. `F` and `T` may go to another thread.
        let returned =
            unsafe { libc::pthread_create(&mut thread, &attributes.0, enter::<T, F>, job.cast()) };
        if let Err(errno) = Errno::check_returned(returned) {
            // SAFETY: no thread was made, so the job is ours alone, from Box::into_raw above.
            drop(unsafe { Box::from_raw(job) });
            return Err(ThreadError { call: "pthread_create", errno });
        }
        let job: *mut dyn Finished<T> = job;
        // SAFETY: Box::into_raw never gives null.
        let job = unsafe { NonNull::new_unchecked(job) };
        Ok(JoinHandle { thread, job })
    }
}

/// A thread that is to be joined. If the handle is dropped instead, the thread goes on, and its
/// job is never freed: waiting in a drop could wait forever for threads that nobody told to stop.
#[must_use = "a thread that is not joined leaks, and its errors are lost"]
pub struct JoinHandle<T> {
    thread: libc::pthread_t,
    job: NonNull<dyn Finished<T>>,
}

impl<T> JoinHandle<T> {
    /// Waits until the thread has ended: what its closure returned.
    ///
    /// # Errors
    /// What kept the closure from running (`sched_setaffinity`), or what pthread_join refuses with.
    pub fn join(self) -> Result<T, ThreadError> {
        // SAFETY: the handle is the only one of a joinable thread, and is consumed.
        let returned = unsafe { libc::pthread_join(self.thread, std::ptr::null_mut()) };
        Errno::check_returned(returned)
            .map_err(|errno| ThreadError { call: "pthread_join", errno })?;
        // SAFETY: the thread has ended, so the job, from Box::into_raw in `spawn`, is ours alone;
        // pthread_join orders its writes before this.
        let job = unsafe { Box::from_raw(self.job.as_ptr()) };
        match job.finish() {
            Some(Ok(value)) => Ok(value),
            Some(Err(errno)) => Err(ThreadError { call: "sched_setaffinity", errno }),
            // The closure ended the thread by itself (pthread_exit): it has no result.
            None => Err(ThreadError { call: "pthread_join", errno: Errno(libc::ECANCELED) }),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// The kernel's id of the calling thread.
pub fn current_tid() -> i32 {
    // SAFETY: takes nothing, touches no memory of ours, cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// What a thread does and leaves. On lines of its own: two threads' jobs never share one.
#[repr(align(128))]
struct Job<T, F> {
    mask: Option<Vec<u64>>,
    work: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<T, Errno>>>,
}

/// A job whose closure type is forgotten.
trait Finished<T> {
    fn finish(self: Box<Self>) -> Option<Result<T, Errno>>;
}

impl<T, F> Finished<T> for Job<T, F> {
    fn finish(self: Box<Self>) -> Option<Result<T, Errno>> {
        self.result.into_inner()
    }
}

extern "C" fn enter<T, F: FnOnce() -> T>(job: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: `spawn` passes a live `Job<T, F>` that nobody else touches until this thread ended.
    let job = unsafe { &*job.cast::<Job<T, F>>() };
    let mut refused = None;
    if let Some(mask) = &job.mask {
        refused = affinity::set_current_mask(mask).err();
    }
    let result = match refused {
        Some(errno) => Some(Err(errno)),
        // SAFETY: as above, the cell is this thread's alone; the borrow ends with the take.
        None => unsafe { &mut *job.work.get() }.take().map(|work| Ok(work())),
    };
    // SAFETY: as above; the old value is `None`, so nothing is dropped here.
    unsafe { *job.result.get() = result };
    std::ptr::null_mut()
}

struct Attributes(libc::pthread_attr_t);

impl Attributes {
    fn new() -> Result<Attributes, Errno> {
        // SAFETY: plain memory that pthread_attr_init fills before anything reads it.
        let mut raw: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to live memory of the right type.
        Errno::check_returned(unsafe { libc::pthread_attr_init(&mut raw) })?;
        Ok(Attributes(raw))
    }

    fn set_stack_bytes(&mut self, bytes: usize) -> Result<(), Errno> {
        // SAFETY: takes a constant, touches no memory of ours.
        let least = unsafe { libc::sysconf(libc::_SC_THREAD_STACK_MIN) };
        // SAFETY: as above.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let least = usize::try_from(least).unwrap_or(libc::PTHREAD_STACK_MIN);
        let page = usize::try_from(page).unwrap_or(4096).max(1);
        let Some(bytes) = bytes.max(least).checked_next_multiple_of(page) else {
            return Err(Errno(libc::EINVAL));
        };
        // SAFETY: the attributes are initialised.
        Errno::check_returned(unsafe { libc::pthread_attr_setstacksize(&mut self.0, bytes) })
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed once.
        unsafe { libc::pthread_attr_destroy(&mut self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn what_a_closure_returns_comes_back_from_join() {
        let handles: Vec<_> = (0..64u32)
            .map(|i| Builder::new().spawn(move || (i, current_tid())).expect("a thread"))
            .collect();
        let mut tids = Vec::new();
        for (i, handle) in handles.into_iter().enumerate() {
            let (number, tid) = handle.join().expect("joined");
            assert_eq!(number as usize, i);
            tids.push(tid);
        }
        tids.push(current_tid());
        tids.sort_unstable();
        tids.dedup();
        assert_eq!(tids.len(), 65);
    }

    #[test]
    fn what_a_closure_owns_is_dropped_once() {
        let shared = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&shared);
        let handle = Builder::new()
            .spawn(move || {
                theirs.fetch_add(1, Ordering::Relaxed);
                theirs
            })
            .expect("a thread");
        let returned = handle.join().expect("joined");
        assert_eq!((shared.load(Ordering::Relaxed), Arc::strong_count(&shared)), (1, 2));
        drop(returned);
        assert_eq!(Arc::strong_count(&shared), 1);
    }

    #[test]
    fn a_thread_starts_on_its_cpus() {
        let allowed = affinity::current().expect("affinity");
        for cpu in allowed.iter() {
            let only: CpuSet = [cpu].into_iter().collect();
            let seen = Builder::new()
                .cpus(only.clone())
                .spawn(|| (affinity::current(), affinity::cpu_now()))
                .expect("a thread")
                .join()
                .expect("joined");
            assert_eq!(seen, (Ok(only), Some(cpu)));
        }
        assert_eq!(affinity::current(), Ok(allowed));
    }

    #[test]
    fn a_thread_that_may_run_nowhere_does_nothing() {
        let shared = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&shared);
        let error = Builder::new()
            .cpus([8000].into_iter().collect())
            .spawn(move || theirs.store(1, Ordering::Relaxed))
            .expect("a thread")
            .join()
            .expect_err("refused");
        assert_eq!(error.to_string(), "sched_setaffinity: EINVAL (Invalid argument)");
        assert_eq!((shared.load(Ordering::Relaxed), Arc::strong_count(&shared)), (0, 1));
    }

    #[test]
    fn a_stack_that_cannot_be_is_refused() {
        let error = Builder::new().stack_bytes(usize::MAX).spawn(|| ()).expect_err("refused");
        assert_eq!(error.errno, Errno(libc::EINVAL));
        let error = Builder::new().stack_bytes(1 << 60).spawn(|| ()).expect_err("refused");
        assert_eq!(error.call, "pthread_create");
        // Too small is made large enough.
        assert_eq!(Builder::new().stack_bytes(0).spawn(|| 5).expect("thread").join(), Ok(5));
    }
}
