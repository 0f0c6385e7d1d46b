//! The allocator of the program: where the system has no memory left, the job ends with a message and an exit code.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::OnceLock;

/// The allocator of the system, which calls the handler of `end_with` in place of returning nothing.
#[derive(Debug)]
pub struct Allocator;

/// Ends the program, given the bytes that were wanted.
type Handler = fn(usize) -> !;

static HANDLER: OnceLock<Handler> = OnceLock::new();

/// Memory for what the handler does, of this layout; null where there is none.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

const RESERVED: Layout = match Layout::from_size_align(1 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("16 is a power of two"),
};

/// From now on this handler ends the program where memory is not to be had.
pub fn end_with(handler: Handler) {
    if HANDLER.set(handler).is_ok() {
        // SAFETY: the layout is not of size 0.
        RESERVE.store(unsafe { System.alloc(RESERVED) }, Ordering::SeqCst);
    }
}

/// Gives the reserve back, so that the handler can allocate a little.
pub fn free_reserve() {
    let reserve = RESERVE.swap(ptr::null_mut(), Ordering::SeqCst);
    if !reserve.is_null() {
        // SAFETY: it was allocated with this layout, and the caller that took it out of the place is the only one to
        // have it.
        unsafe { System.dealloc(reserve, RESERVED) };
    }
}

#[inline]
fn found(memory: *mut u8, wanted: usize) -> *mut u8 {
    if memory.is_null() {
        missing(wanted);
    }
    memory
}

#[cold]
fn missing(wanted: usize) {
    if let Some(handler) = HANDLER.get() {
        handler(wanted);
    }
}

// SAFETY: all calls go to the allocator of the system as they are, and what it returns is returned.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        found(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        found(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        found(unsafe { System.realloc(memory, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}
