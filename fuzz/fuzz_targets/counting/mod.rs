//! What a stretch of work allocates, and what the fuzzer gets to know of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Rows of features, and how many each has: eighths of powers of two.
const ROWS: usize = 16;
const FEATURES: usize = 256;

/// Read by the fuzzer after each run as if they were edges of the program.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static mut COUNTERS: [u8; ROWS * FEATURES] = [0; ROWS * FEATURES];

/// Marks the feature of a value.
pub fn feature(row: usize, value: f64) {
    let eighths = (value.max(1.0).log2() * 8.0) as usize;
    let index = row * FEATURES + eighths.min(FEATURES - 1);
    // SAFETY: the fuzzer runs one message at a time, and reads between them.
    let counters = unsafe { &mut *(&raw mut COUNTERS) };
    if let Some(counter) = counters.get_mut(index) {
        *counter = 1;
    }
}

#[derive(Clone, Copy)]
struct Sums {
    allocated: usize,
    times: usize,
    held: isize,
    peak: isize,
}

const NOTHING: Sums = Sums { allocated: 0, times: 0, held: 0, peak: 0 };

thread_local! {
    static SUMS: Cell<Sums> = const { Cell::new(NOTHING) };
}

/// Counts from here on.
pub fn begin() {
    SUMS.set(NOTHING);
}

/// Bytes allocated since, how many times, and the most that was held at once.
pub fn end() -> (usize, usize, usize) {
    let Sums { allocated, times, peak, .. } = SUMS.get();
    (allocated, times, usize::try_from(peak).unwrap_or(0))
}

struct Counting;

fn count(size: usize, held: isize) {
    let mut sums = SUMS.get();
    sums.allocated = sums.allocated.saturating_add(size);
    sums.times += usize::from(size > 0);
    sums.held += held;
    sums.peak = sums.peak.max(sums.held);
    SUMS.set(sums);
}

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), layout.size().cast_signed());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(0, -layout.size().cast_signed());
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, size.cast_signed() - layout.size().cast_signed());
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
