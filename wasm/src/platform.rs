//! What only a browser, a worker or Node can give: a fresh seed, a clock, the console.
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use crate::error::into_error;

/// Makes a panic readable: its message goes to the console before the module traps.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
}

/// The version of these bindings.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// A seed nobody has used, as 16 hexadecimal digits, from the platform's own randomness.
///
/// # Errors
/// When the platform offers none.
#[wasm_bindgen(js_name = freshSeed)]
pub fn fresh_seed() -> Result<String, JsValue> {
    getrandom::u64().map(crate::error::hex).map_err(|error| into_error("no_randomness", &error))
}

/// Milliseconds on a clock that never goes back; 0 where there is none. Only for showing how long something took.
#[wasm_bindgen(js_name = nowMs)]
pub fn now_ms() -> f64 {
    Reflect::get(&js_sys::global(), &"performance".into())
        .ok()
        .and_then(|performance| performance.dyn_into::<web_sys::Performance>().ok())
        .map_or(0.0, |performance| performance.now())
}
