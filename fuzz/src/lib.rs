//! What every fuzz target shares: memory in proportion to the input, never to a number written in it.
use std::{
    alloc::System,
    sync::{Arc, OnceLock},
};

use cap::Cap;
pub use libfuzzer_sys;
use workup_core::clinic::Clinic;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that any input may cost, whatever its length.
const BASE_BYTES: usize = 4 << 20;
/// Further bytes for each byte of input.
const BYTES_PER_INPUT_BYTE: usize = 1024;

/// The clinic of the embedded pack, built once and outside of every limit.
///
/// # Panics
/// When the embedded pack is wrong, which no input can change.
pub fn clinic() -> &'static Arc<Clinic> {
    static CLINIC: OnceLock<Arc<Clinic>> = OnceLock::new();
    CLINIC.get_or_init(|| {
        lift_limit();
        // What a panic prints needs memory of its own.
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            lift_limit();
            print(panic);
        }));
        Arc::new(Clinic::core24().expect("the embedded pack is right"))
    })
}

/// Runs `target` with memory limited by the length of its input: `[1 GB]` in ten bytes of text must not cost a gigabyte.
///
/// Going over the limit aborts the process, which the fuzzer reports as a crash.
pub fn with_bounded_memory(input_len: usize, target: impl FnOnce()) {
    clinic();
    let allowance = BASE_BYTES + BYTES_PER_INPUT_BYTE * input_len;
    lift_limit();
    let Ok(()) = MEMORY.set_limit(MEMORY.allocated() + allowance) else {
        unreachable!("a limit above what is in use is always accepted");
    };
    target();
    lift_limit();
}

fn lift_limit() {
    let Ok(()) = MEMORY.set_limit(usize::MAX) else {
        unreachable!("the largest limit is always accepted");
    };
}

/// A fuzz target: an input as text or bytes, under the memory limit.
#[macro_export]
macro_rules! bounded_target {
    (|$text:ident: &str| $body:block) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            let lossy = String::from_utf8_lossy(bytes);
            let $text: &str = &lossy;
            $crate::with_bounded_memory(bytes.len(), || $body);
        });
    };
    (|$bytes:ident: &[u8]| $body:block) => {
        $crate::libfuzzer_sys::fuzz_target!(|$bytes: &[u8]| {
            $crate::with_bounded_memory($bytes.len(), || $body);
        });
    };
}
