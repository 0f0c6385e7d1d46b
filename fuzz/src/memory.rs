//! Memory that is allocated at a time. It shows if a reader believes a wrong length.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as promised by who calls.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as promised by who calls.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A bound for what may be allocated at a time.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// For each byte of the input's files.
    pub each: usize,
    /// Whatever the input is: windows, and the reports' own buffers.
    pub always: usize,
}

impl Bound {
    /// Does this, which may allocate no more at a time for files of so many bytes.
    ///
    /// # Panics
    ///
    /// When it does.
    pub fn hold<T>(self, bytes: usize, work: impl FnOnce() -> T) -> T {
        let before = NOW.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let result = work();
        let most = MOST.load(Ordering::Relaxed) - before;
        let bound = self.each * bytes + self.always;
        assert!(most <= bound, "{most} bytes of memory for {bytes} bytes of files: {self:?}");
        result
    }
}
